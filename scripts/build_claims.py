"""Every claim of the chapter beside its verdict on the tables of this build."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from rootdk.claims import DOES_NOT_APPLY, Judged, claims_table, judge, read_claims
from rootdk.numbers import significant
from rootdk.tables import read_table, write_table
from rootdk.words import Words, WordsError, collect_numbers

STATES = ("true", "false", "undecided", DOES_NOT_APPLY)


def judge_claims(
    folder: Path,
    *,
    tables: Mapping[str, pd.DataFrame],
    setup: Mapping[str, Any],
    digits: Mapping[str, Any] = MappingProxyType({}),
) -> list[Judged]:
    """Return all claims of a folder with their verdicts.

    Parameters
    ----------
    folder : pathlib.Path
        With the claims' YAML files.
    tables : mapping of str to pandas.DataFrame
        All tables of all experiments, by name.
    setup : mapping
        ``experiments`` of the config.
    digits : mapping, optional
        ``numbers`` of the config.

    Raises
    ------
    WordsError
        If a claim cannot be read or asked.
    """
    words = Words(collect_numbers(tables, digits), setup)
    return [judge(claim, words) for claim in read_claims(folder)]


def told(judged: list[Judged]) -> str:
    """Return how many claims have which verdict, and a line for each that is not true."""
    counts = Counter(one.state for one in judged)
    lines = [f"{len(judged)} claims: " + ", ".join(f"{counts[state]} {state}" for state in STATES if counts[state])]
    for one in judged:
        if one.state != "true":
            needed = f" (about {significant(one.draws_needed, 2)} draws would decide)" if one.draws_needed > 0 else ""
            lines.append(f"  {one.name}: {one.state}{needed}: {one.reason}")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("setup", type=json.loads, help="experiments of config.yaml, as JSON")
    parser.add_argument("--digits", type=json.loads, default={}, help="numbers of config.yaml, as JSON")
    parser.add_argument("--claims", type=Path, required=True, help="folder of the claims")
    parser.add_argument("--tables", type=Path, nargs="+", required=True)
    parser.add_argument("--output", type=Path, required=True)
    given = parser.parse_args()
    try:
        judged = judge_claims(
            given.claims,
            tables={path.stem: read_table(path) for path in given.tables},
            setup=given.setup,
            digits=given.digits,
        )
    except WordsError as error:
        sys.exit(f"{given.claims}: {str(error).rstrip('.')}.")
    print(told(judged))
    write_table(claims_table(judged), given.output, rounded=True)
