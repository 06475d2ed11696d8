"""The tables in ``data/``: how they are put together, rounded once, written whole and read back."""

import functools
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple

import pandas as pd

from rootdk.sampling_error import Estimate
from rootdk.whole_files import write_whole
from rootdk.yaml_source import read_own_yaml

COLUMNS_FILE = Path(__file__).parents[2] / "workflow" / "schemas" / "columns.yaml"


class Tables(NamedTuple):
    """What an experiment found: its observations, one a row, and the single quantities that follow from them.

    ``integrated`` says that there is no chance in it, but long sums such as those of an integration: as where there is
    chance, the last digits are then rounded away when the tables are written.
    """

    table: pd.DataFrame
    summary: pd.DataFrame
    integrated: bool = False


class Quantity(NamedTuple):
    """One row of a summary; ``where`` says what it is about, such as ``d_k=64`` or ``row=t0;column=t3``."""

    statistic: str
    value: float
    unit: str
    scaling: str = ""
    where: str = ""
    std_error: float = math.nan


def summary_table(quantities: Iterable[Quantity]) -> pd.DataFrame:
    """Return the quantities as a table with the columns statistic, scaling, where, value, std_error, unit."""
    table = pd.DataFrame(list(quantities), columns=list(Quantity._fields))
    return table[["statistic", "scaling", "where", "value", "std_error", "unit"]]


class SweepRow(NamedTuple):
    """One row of a sweep over head widths."""

    tokens: int
    d_k: int
    scaling: str
    statistic: str
    mean: float
    std_error: float
    draws: int


def sweep_rows(estimates: Mapping[tuple[str, str], Estimate], *, tokens: int, d_k: int, draws: int) -> list[SweepRow]:
    """Return the rows of one width: ``(scaling, statistic)`` and its estimate, in the order given."""
    return [
        SweepRow(tokens, d_k, scaling, statistic, estimate.mean, estimate.std_error, draws)
        for (scaling, statistic), estimate in estimates.items()
    ]


def sweep_table(rows: Iterable[SweepRow]) -> pd.DataFrame:
    """Return the rows as a table with the columns that every sweep has."""
    return pd.DataFrame(list(rows), columns=list(SweepRow._fields))


def sweep_value(table: pd.DataFrame, *, d_k: int, scaling: str, statistic: str) -> float:
    """Return one mean of a sweep.

    Raises
    ------
    KeyError
        If the table does not hold exactly one such row.
    """
    found = table[(table.d_k == d_k) & (table.scaling == scaling) & (table.statistic == statistic)]
    if len(found) != 1:
        raise KeyError(f"the sweep has {len(found)} rows for {statistic}, {scaling}, d_k {d_k}")
    return float(found["mean"].iloc[0])


@functools.cache
def load_columns(path: Path = COLUMNS_FILE) -> dict[str, dict]:
    """Return the vocabulary of column names: type, unit, description, whether it is a key, how it is rounded."""
    return read_own_yaml(path)


def write_table(table: pd.DataFrame, path: Path, *, rounded: bool, columns: Mapping[str, dict] | None = None) -> None:
    """Write a table as CSV, so that its bytes do not depend on the machine, and never half of it.

    Parameters
    ----------
    table : pandas.DataFrame
        Its columns must be described in ``workflow/schemas/columns.yaml``.
    path : pathlib.Path
        Where to; replaced at once when everything is written.
    rounded : bool
        Whether to round as the vocabulary says: true for everything that chance or long sums went into. False keeps
        every digit, for hand examples.
    columns : mapping, optional
        The vocabulary; by default that of the project.

    Raises
    ------
    ValueError
        If a column is not described.
    """
    vocabulary = load_columns() if columns is None else columns
    unknown = [name for name in table.columns if name not in vocabulary]
    if unknown:
        raise ValueError(f"{path.name} has columns that {COLUMNS_FILE.name} does not describe: {', '.join(unknown)}.")
    written = table.copy()
    for name in written.columns:
        if pd.api.types.is_float_dtype(written[name]):
            rule = vocabulary[name] if rounded else {}
            written[name] = [_rounded(float(value), rule) for value in written[name]]
    write_whole(path, written.to_csv(index=False, lineterminator="\n").encode())


def read_table(path: Path | BinaryIO, columns: Mapping[str, dict] | None = None) -> pd.DataFrame:
    """Return a table written by :func:`write_table`; empty text cells are empty strings, other empty cells NaN.

    Parameters
    ----------
    path : pathlib.Path or binary file
    columns : mapping, optional
        The vocabulary; by default that of the project.
    """
    vocabulary = load_columns() if columns is None else columns
    table = pd.read_csv(
        path,
        keep_default_na=False,
        na_values={name: [""] for name, column in vocabulary.items() if column["type"] != "string"},
        dtype={name: str for name, column in vocabulary.items() if column["type"] == "string"},
    )
    return table


def _rounded(value: float, rule: Mapping) -> float:
    if not math.isfinite(value):
        return value
    if "decimals" in rule:
        value = round(value, rule["decimals"])
    elif "significant" in rule:
        value = float(f"{value:.{rule['significant'] - 1}e}")
    return value + 0.0  # turns -0 into 0
