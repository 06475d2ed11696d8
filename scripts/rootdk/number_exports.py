"""All numbers of a build in one file each for programs, for LaTeX, and for Quarto, MyST and Pandoc."""

import json
import math
from collections.abc import Mapping
from typing import Any

from rootdk.number_keys import FORMS, variable_keys
from rootdk.numbers import Number, with_error
from rootdk.printed_numbers import compact, for_latex, for_markdown, for_siunitx, pair

NOT_IN_LATEX = "\\{}#%"
"""What a LaTeX macro cannot take as it is written."""


def exported(numbers: Mapping[str, Number]) -> dict[str, Number]:
    """Return the numbers that can be quoted: all but infinities and what is no number.

    They stand in the order of their tables, and those in the alphabetical order of their experiments.
    """
    finite = (name for name in numbers if math.isfinite(numbers[name].value))
    return {name: numbers[name] for name in sorted(finite, key=lambda name: name.split(".")[0])}


def numbers_as_json(numbers: Mapping[str, Number], units: Mapping[str, str]) -> str:
    """Return what is known of each number, one a line.

    Parameters
    ----------
    numbers : mapping of str to Number
        By name, each with its place.
    units : mapping of str to str
        Of statistics, for numbers whose tables do not say theirs.

    Returns
    -------
    str
        JSON. Values and standard errors are those in the tables, to the last digit; an unknown standard error is
        null, that of an exact number 0. What a number has not, such as a scaling, is left out.
    """
    lines = (f"{_json(name)}: {_json(_entry(number, units))}" for name, number in numbers.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def numbers_as_latex(numbers: Mapping[str, Number], macros: str) -> str:
    r"""Return a file to ``\input``, which defines a macro that takes names.

    Parameters
    ----------
    numbers : mapping of str to Number
        By name.
    macros : str
        ``workflow/numbers/macros.tex``.

    Raises
    ------
    ValueError
        If a name holds what LaTeX does not take as it is written.
    """
    lines = [macros.rstrip("\n")]
    for name, number in numbers.items():
        forbidden = [letter for letter in name if letter in NOT_IN_LATEX or letter.isspace()]
        if forbidden:
            raise ValueError(f"the number {name} has {forbidden[0]!r} in its name, which LaTeX does not take.")
        value, short = for_latex(str(number)), compact(number)
        if number.std_error > 0:
            both = rf"\rootdk@pm{{{'}{'.join(for_siunitx(part) for part in with_error(number))}}}"
            error = with_error(number)[1]
            numeral = rf"\rootdk@num{{{for_siunitx(short)}}}{{{for_latex(short)}}}"
            lines.append(rf"\rootdk@measured{{{name}}}{{{value}}}{{{error}}}{{{both}}}{{{numeral}}}")
        else:
            kind = "exact" if number.std_error == 0 else "alone"
            lines.append(rf"\rootdk@{kind}{{{name}}}{{{value}}}{{{for_siunitx(short)}}}")
    return "\n".join([*lines, r"\rootdk@restore", ""])


def numbers_as_variables(numbers: Mapping[str, Number]) -> str:
    """Return a YAML file of one mapping, from keys that are safe in Quarto, MyST and Pandoc to texts in Markdown."""
    keys = variable_keys(numbers)
    lines = [
        "# Every number of this build, as variables of Quarto, substitutions of MyST-Parser and metadata of Pandoc.",
        "# docs/quote-a-number.md shows how; data/numbers.json says which number has which key.",
    ]
    for name, number in numbers.items():
        forms = [for_markdown(str(number))]
        if number.std_error > 0:
            forms += [_pair_in_markdown(number), with_error(number)[1]]
        lines += [f"{keys[name]}{ending}: '{text}'" for ending, text in zip(FORMS, forms, strict=False)]
    return "\n".join([*lines, ""])


def _pair_in_markdown(number: Number) -> str:
    text = pair(number)
    if not text.startswith("−"):
        return text
    value, error = with_error(number)
    return rf"${value.replace('−', '-')} \pm {error}$"


def _entry(number: Number, units: Mapping[str, str]) -> dict[str, Any]:
    place = number.place
    assert place is not None
    known = {
        "text": str(number),
        "with_error": pair(number),
        "value": number.value,
        "std_error": number.std_error if math.isfinite(number.std_error) else None,
        "unit": number.unit or units.get(place.statistic),
        "experiment": place.experiment,
        "statistic": place.statistic,
        "scaling": place.scaling,
        "where": place.where,
        "table": f"data/{place.table}.csv",
        "line": place.line,
        "column": place.column,
    }
    return {key: value for key, value in known.items() if value != ""}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
