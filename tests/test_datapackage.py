"""The description of the tables, read by an independent reader."""

import json

import frictionless
import pytest
from conftest import PROJECT

from build_datapackage import describe_table
from rootdk.tables import load_columns, read_table

PACKAGE = PROJECT / "data" / "datapackage.json"
TABLES = sorted(path.stem for path in (PROJECT / "data").glob("*.csv"))


def test_every_table_is_described_and_valid() -> None:
    report = frictionless.Package(str(PACKAGE)).validate()
    assert report.valid, report.flatten(["title", "message"])
    assert sorted(task.name for task in report.tasks) == TABLES


@pytest.mark.parametrize("name", TABLES)
def test_every_column_has_a_unit_and_a_description(name: str) -> None:
    resources = {
        resource["name"]: resource for resource in json.loads(PACKAGE.read_text(encoding="utf-8"))["resources"]
    }
    fields = resources[name]["schema"]["fields"]
    assert [field["name"] for field in fields] == list(read_table(PROJECT / "data" / f"{name}.csv").columns)
    assert all(field["unit"] and field["description"].endswith(".") for field in fields)


@pytest.mark.parametrize("name", TABLES)
def test_the_key_columns_tell_all_rows_apart(name: str) -> None:
    table = read_table(PROJECT / "data" / f"{name}.csv")
    keys = describe_table(name, table, load_columns())["schema"]["primaryKey"]
    assert not table.duplicated(keys).any()


@pytest.mark.parametrize("name", ["max_weight", "score_size", "closed_row", "score_std", "dimension_sweep"])
def test_every_sweep_has_the_same_columns(name: str) -> None:
    table = read_table(PROJECT / "data" / f"{name}.csv")
    assert list(table.columns) == ["tokens", "d_k", "scaling", "statistic", "mean", "std_error", "draws"]
    assert set(table["scaling"]) == {"unscaled", "scaled"}
