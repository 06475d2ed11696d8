"""Names for everything in the tables that prose may quote, and how many digits a quoted number gets."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import pandas as pd

from rootdk.digit_rules import DIGITS_WITHOUT_ERROR
from rootdk.tables import load_columns

NAMES_IN_A_NAME = ("statistic", "scaling")
LARGEST_WRITTEN_OUT = 10**7


class Place(NamedTuple):
    """The cell of a table that a number stands in, and what its row says it is."""

    experiment: str
    table: str
    """The table's name: that of its file in ``data/`` without the ending."""
    line: int
    """Of the file; the heading is line 1."""
    column: str
    statistic: str
    scaling: str
    where: str


@dataclass(frozen=True)
class Number:
    """A value with its standard error: NaN if unknown, 0 if exact.

    What else is known of it does not make it another number.
    """

    name: str
    value: float
    std_error: float = math.nan
    unit: str = field(default="", compare=False)
    """Empty where the table does not say: the values of a sweep have the units of their statistics."""
    place: Place | None = field(default=None, compare=False)
    digits: int | None = field(default=None, compare=False)
    """Significant digits, if the config says how many; they go before all others."""
    without_error: int = field(default=DIGITS_WITHOUT_ERROR, compare=False)
    """Significant digits where there is no standard error to tell."""
    draws: float = field(default=math.nan, compare=False)
    """Independent draws behind it; NaN where the table does not say."""

    def __str__(self) -> str:
        """Return the value with the digits that the config asks for, else those that its standard error warrants.

        Without a standard error, whole numbers are written out and others get ``without_error`` significant digits.
        """
        if self.digits is not None:
            return significant(self.value, self.digits)
        if self.std_error > 0:
            return decimals(self.value, error_decimals(self.std_error))
        if math.isfinite(self.value) and self.value == round(self.value) and abs(self.value) < LARGEST_WRITTEN_OUT:
            return decimals(self.value, 0)
        return significant(self.value, self.without_error)


def error_decimals(std_error: float) -> int:
    """Return how many decimals a value deserves: the error's first digit, and its second where the first is 1."""
    exponent = math.floor(math.log10(std_error))
    return max(0, -exponent + (1 if std_error / 10**exponent < 2 else 0))


def with_error(number: Number) -> tuple[str, str]:
    """Return a value and its standard error as they stand on both sides of ±, with one number of decimals.

    That is as many as the error warrants, and more if the config asks for more digits. An exact number has the error 0.

    Raises
    ------
    ValueError
        If the standard error is unknown.
    """
    if not number.std_error >= 0:
        raise ValueError(f"{number.name} has no standard error")
    if number.std_error == 0:
        return str(number), "0"
    places = error_decimals(number.std_error)
    if number.digits is not None:
        places = max(places, places_of(number.value, number.digits))
    return decimals(number.value, places), decimals(number.std_error, places)


def decimals(value: float, places: int) -> str:
    """Return the value with a fixed number of decimals and a true minus sign."""
    text = f"{value:.{places}f}"
    return (text[1:] if float(text) == 0 and text.startswith("-") else text).replace("-", "−")


def places_of(value: float, digits: int) -> int:
    """Return how many decimals a value has with a number of significant digits."""
    if value == 0 or not math.isfinite(value):
        return 0
    return max(0, digits - 1 - int(f"{value:.{digits - 1}e}".split("e")[1]))


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
    for line, row in enumerate(summary.to_dict("records"), start=2):
        statistic = str(row["statistic"])
        name = number_name(experiment, statistic, str(row["scaling"]), str(row["where"]))
        place = Place(
            experiment, f"{experiment}_summary", line, "value", statistic, str(row["scaling"]), str(row["where"])
        )
        yield Number(name, float(row["value"]), float(row["std_error"]), str(row.get("unit", "")), place)


def _of_table(experiment: str, table: pd.DataFrame, vocabulary: Mapping[str, dict]) -> Iterator[Number]:
    keys = [name for name in table.columns if _tells_rows_apart(table, name, vocabulary)]
    keys = [name for name in keys if name not in NAMES_IN_A_NAME]
    values = [
        name
        for name in table.columns
        if vocabulary[name]["type"] == "number" and not vocabulary[name].get("key") and name != "std_error"
    ]
    for line, row in enumerate(table.to_dict("records"), start=2):
        where = ";".join(f"{key}={key_text(row[key])}" for key in keys)
        for column in values:
            statistic = str(row.get("statistic", column))
            scaling = str(row.get("scaling", ""))
            unit = "" if "statistic" in row else vocabulary[column].get("unit", "")
            yield Number(
                number_name(experiment, statistic, scaling, where),
                float(row[column]),
                float(row.get("std_error", math.nan)),
                unit,
                Place(experiment, experiment, line, column, statistic, scaling, where),
                draws=float(row.get("draws", math.nan)),
            )


def _tells_rows_apart(table: pd.DataFrame, name: str, vocabulary: Mapping[str, dict]) -> bool:
    role = vocabulary[name].get("key", False)
    return role is True or (role == "varying" and len(table[name].unique()) > 1)
