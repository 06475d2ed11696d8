"""All that the project says at one moment: its config, tables, numbers, figures and chapter."""

import io
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pandas as pd
import yaml

from rootdk.numbers import Number, quotable_numbers
from rootdk.tables import load_columns, read_table

COLUMNS = "workflow/schemas/columns.yaml"
PATTERNS = ("config.yaml", "report.md", "data/*.csv", "figures/*/*.svg", "scripts/draw_*.py", COLUMNS)


class Snapshot(NamedTuple):
    """One state of the project."""

    config: dict[str, Any]
    csv: dict[str, bytes]
    """Every table's file, by the table's name."""
    tables: dict[str, pd.DataFrame]
    numbers: dict[str, dict[str, Number]]
    """By table, then by name."""
    figures: dict[str, str]
    """The SVG of every figure, by edition and name: ``web/max_weight``."""
    drawing_scripts: dict[str, bytes]
    report: str
    unreadable: list[str]
    """Files that cannot be understood."""

    def all_numbers(self) -> dict[str, Number]:
        """Return the numbers of all tables by name."""
        return {name: number for numbers in self.numbers.values() for name, number in numbers.items()}


def is_part(path: str) -> bool:
    """Return whether a file, named relative to the project, belongs to a snapshot."""
    return any(
        len(PurePosixPath(path).parts) == 1 + pattern.count("/") and PurePosixPath(path).match(pattern)
        for pattern in PATTERNS
    )


def read_folder(folder: Path) -> dict[str, bytes]:
    """Return the files of a snapshot as they lie in a folder."""
    found = [path for pattern in PATTERNS for path in sorted(folder.glob(pattern)) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def take_snapshot(files: Mapping[str, bytes]) -> Snapshot:
    """Return what some files say.

    Parameters
    ----------
    files : mapping of str to bytes
        By their paths in the project. Columns are understood as the vocabulary among them says, since an older state
        may have had other ones.

    Returns
    -------
    Snapshot
        With the names of the files that could not be understood.
    """
    unreadable = []
    try:
        columns = {**load_columns(), **_yaml(files.get(COLUMNS, b""))}
    except ValueError:
        columns, unreadable = load_columns(), [COLUMNS]
    try:
        config = _yaml(files.get("config.yaml", b""))
    except ValueError:
        config, unreadable = {}, [*unreadable, "config.yaml"]
    csv = {PurePosixPath(path).stem: content for path, content in files.items() if path.endswith(".csv")}
    tables: dict[str, pd.DataFrame] = {}
    numbers: dict[str, dict[str, Number]] = {}
    for name, content in csv.items():
        try:
            table = read_table(io.BytesIO(content), columns)
            numbers[name] = _numbers_of(name, table, csv, columns)
            tables[name] = table
        except (ValueError, LookupError, TypeError):
            unreadable.append(f"data/{name}.csv")
    figures = {
        "/".join(PurePosixPath(path).with_suffix("").parts[1:]): content.decode("utf-8", "replace")
        for path, content in files.items()
        if path.endswith(".svg")
    }
    scripts = {PurePosixPath(path).stem: content for path, content in files.items() if path.endswith(".py")}
    report = files.get("report.md", b"").decode("utf-8", "replace")
    return Snapshot(config, csv, tables, numbers, figures, scripts, report, unreadable)


def experiment_of(table: str) -> str:
    """Return the experiment that a table belongs to."""
    return table.removesuffix("_summary")


def _numbers_of(
    name: str, table: pd.DataFrame, csv: Mapping[str, bytes], columns: Mapping[str, dict]
) -> dict[str, Number]:
    experiment = experiment_of(name)
    if experiment not in csv or f"{experiment}_summary" not in csv:
        return {}  # such as published.csv, whose numbers are those of other tables
    nothing = pd.DataFrame(columns=["statistic", "scaling", "where", "value", "std_error", "unit"])
    if name == experiment:
        return quotable_numbers(experiment, table, nothing, columns)
    return quotable_numbers(experiment, pd.DataFrame(), table, columns)


def _yaml(content: bytes) -> dict[str, Any]:
    try:
        values = yaml.load(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(str(error)) from None
    return values if isinstance(values, dict) else {}
