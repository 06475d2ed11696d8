"""The description of every table in data/, column by column, as a Frictionless Data Package."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from rootdk.tables import load_columns, read_table
from rootdk.whole_files import write_whole


def describe_table(name: str, table: pd.DataFrame, columns: Mapping[str, dict]) -> dict[str, Any]:
    """Return a table's resource descriptor.

    Parameters
    ----------
    name : str
        The file's stem.
    table : pandas.DataFrame
        The table.
    columns : mapping
        The vocabulary of ``workflow/schemas/columns.yaml``.
    """
    fields = [
        {
            "name": column,
            "type": columns[column]["type"],
            "description": columns[column]["description"],
            "unit": columns[column]["unit"],
        }
        for column in table.columns
    ]
    keys = [column for column in table.columns if columns[column].get("key")]
    return {
        "name": name,
        "path": f"{name}.csv",
        "profile": "tabular-data-resource",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "schema": {"fields": fields, "primaryKey": keys, "missingValues": [""]},
    }


def build_datapackage(tables: Mapping[str, pd.DataFrame], columns: Mapping[str, dict]) -> dict[str, Any]:
    """Return the descriptor of all tables, in alphabetical order."""
    return {
        "name": "rootdk",
        "title": "Why attention divides by the square root of the head width: every number behind the chapter",
        "profile": "tabular-data-package",
        "resources": [describe_table(name, tables[name], columns) for name in sorted(tables)],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("tables", type=Path, nargs="+")
    given = parser.parse_args()
    package = build_datapackage({path.stem: read_table(path) for path in given.tables}, load_columns())
    write_whole(given.output, (json.dumps(package, indent=2, ensure_ascii=False) + "\n").encode())
