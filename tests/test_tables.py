import math
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootdk.sampling_error import Estimate
from rootdk.tables import (
    Quantity,
    SweepRow,
    load_columns,
    read_table,
    summary_table,
    sweep_rows,
    sweep_table,
    sweep_value,
    write_table,
)

COLUMNS: dict[str, dict] = {
    "name": {"type": "string"},
    "count": {"type": "integer"},
    "difference": {"type": "number", "decimals": 3},
    "share": {"type": "number", "significant": 4},
    "plain": {"type": "number"},
}


def written(column, values, path, *, rounded=True):
    """Return the cells of one column as they stand in the file."""
    write_table(pd.DataFrame({column: values, "count": 0}), path, rounded=rounded, columns=COLUMNS)
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    assert header == f"{column},count"
    return [line.removesuffix(",0") for line in lines]


# rounding


@pytest.mark.parametrize(
    ("column", "value", "cell"),
    [
        ("difference", 1.23456, "1.235"),
        ("difference", 12345.6789, "12345.679"),
        ("difference", 0.0004, "0.0"),
        ("difference", 0.0625, "0.062"),  # exactly half-way in binary: to even
        ("share", 0.123456, "0.1235"),
        ("share", 123456.0, "123500.0"),
        ("share", 1.23456e-30, "1.235e-30"),
        ("share", 0.99999, "1.0"),
        ("plain", 0.1 + 0.2, "0.30000000000000004"),
    ],
)
def test_floats_are_rounded_as_their_column_says(column, value, cell, tmp_path):
    assert written(column, [value], tmp_path / "t.csv") == [cell]


@pytest.mark.parametrize("column", ["difference", "share", "plain"])
@pytest.mark.parametrize("value", [0.1 + 0.2, 1.23456e-30, 1 / 3, 12345.678901234])
def test_hand_examples_keep_every_digit(column, value, tmp_path):
    (cell,) = written(column, [value], tmp_path / "t.csv", rounded=False)
    assert float(cell) == value


@pytest.mark.parametrize("column", ["difference", "share", "plain"])
@pytest.mark.parametrize("rounded", [True, False])
def test_minus_zero_is_written_as_zero(column, rounded, tmp_path):
    assert written(column, [-0.0, 0.0], tmp_path / "t.csv", rounded=rounded) == ["0.0", "0.0"]


def test_what_rounds_to_minus_zero_is_written_as_zero(tmp_path):
    assert written("difference", [-0.0004], tmp_path / "t.csv") == ["0.0"]


@pytest.mark.parametrize("rounded", [True, False])
def test_an_unknown_number_is_an_empty_cell(rounded, tmp_path):
    assert written("share", [math.nan, 0.5], tmp_path / "t.csv", rounded=rounded) == ["", "0.5"]


def test_whole_numbers_are_not_rounded(tmp_path):
    assert written("share", [123456789], tmp_path / "t.csv") == ["123456789"]


@settings(max_examples=40)
@given(st.floats(-1e6, 1e6))
def test_rounding_moves_a_value_by_at_most_half_a_unit_of_its_last_place(tmp_path_factory, value):
    path = tmp_path_factory.getbasetemp() / "rounding.csv"
    (to_decimals,) = written("difference", [value], path)
    assert abs(Decimal(to_decimals) - Decimal(value)) <= Decimal("0.0005")
    (to_digits,) = written("share", [value], path)
    assert abs(Decimal(to_digits) - Decimal(value)) <= Decimal("0.0005") * abs(Decimal(value))
    assert len(Decimal(to_digits).normalize().as_tuple().digits) <= 4


@settings(max_examples=40)
@given(st.floats(-1e6, 1e6))
def test_rounding_a_second_time_changes_nothing(tmp_path_factory, value):
    path = tmp_path_factory.getbasetemp() / "rounding.csv"
    for column in ("difference", "share"):
        once = written(column, [value], path)
        assert written(column, [float(once[0])], path) == once


# writing and reading

NAMES = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), max_size=8)
FLOATS = st.floats(allow_nan=True, allow_infinity=False)


@settings(max_examples=25)
@given(st.lists(st.tuples(NAMES, NAMES, FLOATS, FLOATS), max_size=20))
def test_a_table_that_was_not_rounded_is_read_back_exactly(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "round_trip.csv"
    table = pd.DataFrame(rows, columns=["row", "where", "weight", "value"])
    write_table(table, path, rounded=False)
    back = read_table(path)
    assert list(back.columns) == list(table.columns)
    for column in ("row", "where"):
        assert back[column].tolist() == table[column].tolist()
    for column in ("weight", "value"):
        np.testing.assert_array_equal(back[column].to_numpy(float), table[column].to_numpy(float))


@pytest.mark.parametrize("name", ["nan", "NA", "None", "", "null", "1", "1.50", "true", 'a"b', "a,b", "ü√−"])
def test_names_come_back_as_text_whatever_they_look_like(name, tmp_path):
    table = pd.DataFrame({"row": [name], "weight": [0.5]})
    write_table(table, tmp_path / "t.csv", rounded=True)
    assert read_table(tmp_path / "t.csv")["row"].tolist() == [name]


def test_a_summary_comes_back_with_empty_text_and_unknown_errors(tmp_path):
    quantities = [
        Quantity("ratio", 0.25, "none", scaling="scaled", where="d_k=4", std_error=0.5),
        Quantity("rows", 1600, "rows"),
    ]
    write_table(summary_table(quantities), tmp_path / "t.csv", rounded=True)
    assert (tmp_path / "t.csv").read_text(encoding="utf-8") == (
        "statistic,scaling,where,value,std_error,unit\nratio,scaled,d_k=4,0.25,0.5,none\nrows,,,1600.0,,rows\n"
    )
    back = read_table(tmp_path / "t.csv")
    assert back["scaling"].tolist() == ["scaled", ""]
    assert back["where"].tolist() == ["d_k=4", ""]
    assert back["value"].tolist() == [0.25, 1600]
    assert back["std_error"].isna().tolist() == [False, True]


def test_a_written_table_is_left_as_it_was(tmp_path):
    table = pd.DataFrame({"difference": [1.23456]})
    write_table(table, tmp_path / "t.csv", rounded=True, columns=COLUMNS)
    assert table["difference"].tolist() == [1.23456]


def test_a_table_without_rows_keeps_its_columns(tmp_path):
    write_table(summary_table([]), tmp_path / "t.csv", rounded=True)
    assert list(read_table(tmp_path / "t.csv").columns) == list(summary_table([]).columns)


def test_a_column_that_is_not_described_is_refused_and_nothing_is_written(tmp_path):
    path = tmp_path / "max_weight.csv"
    table = pd.DataFrame({"d_k": [4], "wieght": [0.5], "extra": [1]})
    with pytest.raises(ValueError, match=r"^max_weight\.csv has columns .* describe: wieght, extra\.$"):
        write_table(table, path, rounded=True)
    assert list(tmp_path.iterdir()) == []


def test_a_failure_while_writing_leaves_the_old_table_whole(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    write_table(pd.DataFrame({"share": [0.5]}), path, rounded=True, columns=COLUMNS)
    old = path.read_bytes()

    def half(part, content):
        with part.open("wb") as file:
            file.write(content[: len(content) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", half)
    with pytest.raises(OSError, match="No space left"):
        write_table(pd.DataFrame({"share": [0.25]}), path, rounded=True, columns=COLUMNS)
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]


# sweeps


def test_a_sweep_has_one_row_per_width_scaling_and_statistic():
    rows = []
    for d_k in (4, 16):
        estimates = {
            ("unscaled", "entropy"): Estimate(d_k / 100, 0.01),
            ("scaled", "entropy"): Estimate(d_k / 200, 0.02),
        }
        rows += sweep_rows(estimates, tokens=8, d_k=d_k, draws=200)
    table = sweep_table(rows)
    assert list(table.columns) == list(SweepRow._fields)
    assert len(table) == 4
    assert sweep_value(table, d_k=16, scaling="scaled", statistic="entropy") == 0.08
    assert table.iloc[1].tolist() == [8, 4, "scaled", "entropy", 0.02, 0.02, 200]


@pytest.mark.parametrize(("copies", "d_k"), [(1, 5), (2, 4)])
def test_a_value_that_a_sweep_does_not_hold_exactly_once_is_refused(copies, d_k):
    table = sweep_table([SweepRow(8, 4, "scaled", "entropy", 0.5, 0.1, 200)] * copies)
    with pytest.raises(KeyError, match=f"{0 if d_k == 5 else 2} rows for entropy, scaled, d_k {d_k}"):
        sweep_value(table, d_k=d_k, scaling="scaled", statistic="entropy")


# the vocabulary


def test_every_column_is_described_and_has_at_most_one_rounding_rule():
    for name, column in load_columns().items():
        assert column["type"] in {"string", "integer", "number"}, name
        assert column["description"].endswith("."), name
        assert column["unit"], name
        assert not {"decimals", "significant"} <= column.keys(), name
        assert column.get("key", False) in {True, False, "varying"}, name
        if column["type"] != "number":
            assert not {"decimals", "significant"} & column.keys(), name


def test_sweeps_and_summaries_use_described_columns_only():
    assert {*SweepRow._fields, *Quantity._fields} <= load_columns().keys()
