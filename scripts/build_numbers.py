"""Every number that prose may quote, by name, for programs and for texts outside this project."""

import argparse
import json
import sys
from pathlib import Path

from rootdk.number_exports import exported, numbers_as_json, numbers_as_latex, numbers_as_variables
from rootdk.statistics import load_statistics
from rootdk.tables import read_table
from rootdk.whole_files import write_all_whole
from rootdk.words import WordsError, collect_numbers

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("digits", type=json.loads, help="numbers of config.yaml, as JSON")
    parser.add_argument("--macros", type=Path, required=True, help="what the LaTeX file begins with")
    parser.add_argument("--tables", type=Path, nargs="+", required=True)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--latex", type=Path, required=True)
    parser.add_argument("--variables", type=Path, required=True)
    given = parser.parse_args()
    try:
        numbers = exported(collect_numbers({path.stem: read_table(path) for path in given.tables}, given.digits))
        units = {statistic: entry.get("unit", "") for statistic, entry in load_statistics().items()}
        contents = {
            given.json: numbers_as_json(numbers, units),
            given.latex: numbers_as_latex(numbers, given.macros.read_text(encoding="utf-8")),
            given.variables: numbers_as_variables(numbers),
        }
    except WordsError as error:
        sys.exit(f"{error}")
    except ValueError as error:
        sys.exit(f"The numbers cannot be listed: {error}")
    write_all_whole({path: text.encode() for path, text in contents.items()})
