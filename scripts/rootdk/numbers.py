"""Names for everything in the tables that prose may quote, and how many digits a quoted number gets."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from rootdk.tables import load_columns

NAMES_IN_A_NAME = ("statistic", "scaling")


@dataclass(frozen=True)
class Number:
    """A value with its standard error: NaN if unknown, 0 if exact."""

    name: str
    value: float
    std_error: float = math.nan

    def __str__(self) -> str:
        """Return the value with as many digits as its standard error warrants, three without one."""
        if not self.std_error > 0:
            return significant(self.value, 3)
        return decimals(self.value, error_decimals(self.std_error))


def error_decimals(std_error: float) -> int:
    """Return how many decimals a value deserves: the error's first digit, and its second where the first is 1."""
    exponent = math.floor(math.log10(std_error))
    return max(0, -exponent + (1 if std_error / 10**exponent < 2 else 0))


def decimals(value: float, places: int) -> str:
    """Return the value with a fixed number of decimals and a true minus sign."""
    text = f"{value:.{places}f}"
    return (text[1:] if float(text) == 0 and text.startswith("-") else text).replace("-", "−")


def significant(value: float, digits: int) -> str:
    """Return the value with a number of significant digits, as a power of ten where plain digits would be long."""
    if value == 0 or not math.isfinite(value):
        return decimals(value, 0)
    mantissa, power = f"{value:.{digits - 1}e}".split("e")
    exponent = int(power)
    if -4 <= exponent < 7:
        return decimals(round(value, digits - 1 - exponent), max(0, digits - 1 - exponent))
    return f"{mantissa}·10^{exponent}".replace("-", "−")


def plain(value: float, digits: int) -> str:
    """Return the value with at most a number of significant digits, without zeros at the end: for exact values."""
    text = significant(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text and "^" not in text else text


def in_math(value: float, digits: int) -> str:
    r"""Return the value between dollar signs, as ``$2.1 \cdot 10^{-5}$`` where it is far from 1."""
    text = significant(value, digits).replace("−", "-")
    if "·10^" not in text and value != 0 and abs(value) < 1e-3:
        text = "·10^".join(f"{value:.{digits - 1}e}".split("e"))
    mantissa, _, power = text.partition("·10^")
    if not power:
        return f"${text}$"
    exponent = f"10^{{{int(power)}}}"
    return f"${exponent}$" if mantissa == "1" else rf"${mantissa} \cdot {exponent}$"


def number_name(experiment: str, statistic: str, scaling: str = "", where: str = "") -> str:
    """Return the name of a number, such as ``max_weight.unscaled.d_k=64``.

    Parameters
    ----------
    experiment, statistic : str
        The statistic is left out where the experiment has its name.
    scaling, where : str, optional
        Left out where they are empty.
    """
    parts = [experiment, "" if statistic == experiment else statistic, scaling, where]
    return ".".join(part for part in parts if part)


def key_text(value: object) -> str:
    """Return a key's value as a number's name has it: 0.5 for 0.5, and 8 for 8.0."""
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def quotable_numbers(
    experiment: str, table: pd.DataFrame, summary: pd.DataFrame, columns: Mapping[str, dict] | None = None
) -> dict[str, Number]:
    """Return every number of an experiment by name.

    Parameters
    ----------
    experiment : str
        Its name.
    table : pandas.DataFrame
        Its observations. Sweeps give their means, and each other table each of its measured columns.
    summary : pandas.DataFrame
        Its quantities.
    columns : mapping, optional
        The vocabulary of column names; by default that of the project.

    Raises
    ------
    ValueError
        If two numbers have one name.
    """
    numbers: dict[str, Number] = {}
    for number in (*_of_summary(experiment, summary), *_of_table(experiment, table, columns or load_columns())):
        if number.name in numbers:
            raise ValueError(f"{experiment}: two numbers are called {number.name}.")
        numbers[number.name] = number
    return numbers


def _of_summary(experiment: str, summary: pd.DataFrame) -> Iterator[Number]:
    for row in summary.to_dict("records"):
        name = number_name(experiment, str(row["statistic"]), str(row["scaling"]), str(row["where"]))
        yield Number(name, float(row["value"]), float(row["std_error"]))


def _of_table(experiment: str, table: pd.DataFrame, vocabulary: Mapping[str, dict]) -> Iterator[Number]:
    keys = [name for name in table.columns if _tells_rows_apart(table, name, vocabulary)]
    keys = [name for name in keys if name not in NAMES_IN_A_NAME]
    values = [
        name
        for name in table.columns
        if vocabulary[name]["type"] == "number" and not vocabulary[name].get("key") and name != "std_error"
    ]
    for row in table.to_dict("records"):
        where = ";".join(f"{key}={key_text(row[key])}" for key in keys)
        for column in values:
            statistic = row.get("statistic", column)
            name = number_name(experiment, str(statistic), str(row.get("scaling", "")), where)
            yield Number(name, float(row[column]), float(row.get("std_error", math.nan)))


def _tells_rows_apart(table: pd.DataFrame, name: str, vocabulary: Mapping[str, dict]) -> bool:
    role = vocabulary[name].get("key", False)
    return role is True or (role == "varying" and len(table[name].unique()) > 1)
