"""What the sources printed, line by line, beside what this build finds at the same precision."""

import argparse
import json
import math
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from rootdk.numbers import Number, number_name
from rootdk.sampling_test import expectation_of, z_score
from rootdk.tables import read_table, write_table
from rootdk.words import collect_numbers
from rootdk.yaml_source import ConfigError, read_yaml

VERDICT_OF = {"same": "same", "loose": "differs"}
FARTHEST = 4  # standard errors that chance may put between a mean and its expectation
LINE = ("source", "experiment", "statistic", "scaling", "where", "printed", "expected", "unit", "note")


def compare_with_sources(
    published: pd.DataFrame,
    numbers: Mapping[str, Number],
    setup: Mapping[str, Any],
    published_setup: Mapping[str, Any],
) -> pd.DataFrame:
    """Return each published line with our value at its precision and the verdict.

    Parameters
    ----------
    published : pandas.DataFrame
        ``workflow/published/published.csv``. Where a line speaks of several numbers at once, ``where`` lists them with
        ``|`` between.
    numbers : mapping of str to Number
        All quotable numbers.
    setup, published_setup : mapping
        The experiments as this build and as the sources ran them.

    Returns
    -------
    pandas.DataFrame
        The lines with ``ours`` and ``verdict``: ``same``, ``differs``, or ``not comparable: …`` where this build ran
        the experiment with other parameters. Where ours is a mean over independent draws whose expectation is known,
        ``expectation`` has it and ``z_score`` says how many standard errors of the mean lie between.

    Raises
    ------
    ValueError
        If a line names a number that there is not, or prints something that is no number.
    """
    missing = [name for name in LINE if name not in published.columns]
    if missing:
        raise ValueError(f"the column {missing[0]} is missing; there should be {', '.join(LINE)}.")
    rows = []
    for place, line in enumerate(published.to_dict("records"), start=2):
        if line["expected"] not in VERDICT_OF:
            raise ValueError(f"line {place}: expected is {line['expected']}; allowed: {', '.join(VERDICT_OF)}.")
        for known, name in ((setup, "config.yaml"), (published_setup, "setup.yaml")):
            if line["experiment"] not in known:
                raise ValueError(f"line {place}: {name} has no experiment {line['experiment']}.")
        expectation = z = math.nan
        other = _difference(line["experiment"], setup, published_setup)
        if other:
            ours, verdict = "", f"not comparable: {other}"
        else:
            names = [
                number_name(line["experiment"], line["statistic"], line["scaling"], where)
                for where in line["where"].split("|")
            ]
            unknown = [name for name in names if name not in numbers]
            if unknown:
                raise ValueError(
                    f"line {place}: there is no number called {unknown[0]}; see the tables of {line['experiment']}."
                )
            try:
                found = [at_precision_of(line["printed"], numbers[name].value) for name in names]
            except ValueError as error:
                raise ValueError(f"line {place}: {error}") from None
            ours = ", ".join(found)
            verdict = "same" if set(found) == {line["printed"]} else "differs"
            if len(names) == 1:
                expectation, z = _against_expectation(line, numbers[names[0]], setup[line["experiment"]], numbers)
        rows.append({**line, "ours": ours, "verdict": verdict, "expectation": expectation, "z_score": z})
    columns = ["source", "experiment", "statistic", "scaling", "where", "printed", "ours", "verdict"]
    return pd.DataFrame(rows)[[*columns, "expectation", "z_score", "expected", "unit", "note"]]


def _against_expectation(
    line: Mapping[Any, Any], mean: Number, parameters: Mapping[str, Any], numbers: Mapping[str, Number]
) -> tuple[float, float]:
    if not mean.std_error > 0:
        return math.nan, math.nan
    expectation = expectation_of(
        line["experiment"],
        line["statistic"],
        line["scaling"],
        line["where"],
        tokens=parameters.get("tokens", 1),
        numbers=numbers,
    )
    return (expectation.value, z_score(mean, expectation)) if expectation else (math.nan, math.nan)


def broken_lines(compared: pd.DataFrame) -> list[str]:
    """Return a sentence for each line that is not as it should be.

    A line should be the same, or, where the source's own sentence is looser than its numbers, differ; and a mean should
    lie within four standard errors of its expectation.
    """
    broken = []
    for place, line in enumerate(compared.to_dict("records")):
        about = number_name(line["experiment"], line["statistic"], line["scaling"], line["where"])
        begin = f"published.csv, line {place + 2}: {about}: "
        if not line["verdict"].startswith("not comparable") and line["verdict"] != VERDICT_OF[line["expected"]]:
            broken.append(
                f"{begin}{line['source']} prints {line['printed']}, this build finds {line['ours']}; "
                f"expected: {line['expected']}."
            )
        if abs(line["z_score"]) > FARTHEST:
            broken.append(
                f"{begin}this build's mean lies {line['z_score']:.1f} standard errors from its expectation "
                f"{line['expectation']:.6g}; chance puts at most {FARTHEST} between them."
            )
    return broken


def at_precision_of(printed: str, value: float) -> str:
    """Return a value as it would be printed beside another one.

    Parameters
    ----------
    printed : str
        A number with some decimals (``0.351``), a power of ten (``4.8e-04``), per cent (``52%``), or ``True``.
    value : float
        Ours; 1 or 0 where the printed one is a truth value.

    Raises
    ------
    ValueError
        If what is printed is none of these.
    """
    if printed in ("True", "False"):
        return str(value == 1)
    form = re.fullmatch(r"-?\d+(?:\.(?P<decimals>\d+))?(?P<power>e[+-]\d+)?(?P<percent>%)?", printed)
    if form is None:
        raise ValueError(f"{printed!r} is not a printed number.")
    places = len(form["decimals"] or "")
    if form["power"]:
        return f"{value:.{places}e}"
    if form["percent"]:
        return f"{100 * value:.{places}f}%"
    return f"{value + 0.0:.{places}f}"


def _difference(experiment: str, setup: Mapping[str, Any], published_setup: Mapping[str, Any]) -> str:
    ours, theirs = setup[experiment], published_setup[experiment]
    for key, value in theirs.items():
        if ours.get(key) != value:
            return f"experiments.{experiment}.{key} is {_short(ours.get(key))}, the source has {_short(value)}"
    return ""


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False).replace('"', "")
    return text if len(text) <= 50 else text[:49] + "…"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("setup", type=json.loads, help="experiments of config.yaml, as JSON")
    parser.add_argument("--published", type=Path, required=True)
    parser.add_argument("--setup", dest="published_setup", type=Path, required=True)
    parser.add_argument("--tables", type=Path, nargs="+", required=True)
    parser.add_argument("--output", type=Path, required=True)
    given = parser.parse_args()
    try:
        compared = compare_with_sources(
            read_table(given.published),
            collect_numbers({path.stem: read_table(path) for path in given.tables}),
            given.setup,
            read_yaml(given.published_setup, "the experiments as the sources ran them").values,
        )
    except ConfigError as error:
        sys.exit(str(error))
    except ValueError as error:
        sys.exit(f"{given.published}: {error}")
    problems = broken_lines(compared)
    if problems:
        sys.exit("This build does not find what the sources printed:\n" + "\n".join(problems))
    write_table(compared, given.output, rounded=True)
