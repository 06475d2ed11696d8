"""Every number by name, for programs, for LaTeX, and for Quarto, MyST and Pandoc."""

import csv
import json
import math

import pytest
import yaml
from conftest import PROJECT
from hypothesis import given
from hypothesis import strategies as st

from rootdk.number_exports import exported, numbers_as_json, numbers_as_latex, numbers_as_variables
from rootdk.number_keys import FORMS, variable_keys
from rootdk.numbers import Number, Place
from rootdk.printed_numbers import compact, for_latex, for_markdown, for_siunitx, pair
from rootdk.statistics import load_scalings, load_statistics
from rootdk.tables import read_table
from rootdk.words import collect_numbers

UNITS = {statistic: entry.get("unit", "") for statistic, entry in load_statistics().items()}
PLACE = Place("x", "x_summary", 2, "value", "x", "", "")


@pytest.fixture(scope="module")
def shipped() -> dict[str, Number]:
    paths = (path for path in (PROJECT / "data").glob("*.csv") if path.stem != "published")
    return exported(collect_numbers({path.stem: read_table(path) for path in sorted(paths)}))


# for programs


def test_values_are_those_of_the_cells_that_they_come_from(shipped: dict[str, Number]) -> None:
    listed = json.loads(numbers_as_json(shipped, UNITS))
    assert list(listed) == list(shipped)
    tables: dict[str, list[list[str]]] = {}
    for name, number in listed.items():
        rows = tables.setdefault(number["table"], [])
        if not rows:
            with (PROJECT / number["table"]).open(encoding="utf-8", newline="") as file:
                rows.extend(csv.reader(file))
        row = dict(zip(rows[0], rows[number["line"] - 1], strict=True))
        assert float(row[number["column"]]) == number["value"], name
        if number["std_error"] is None:
            assert row.get("std_error", "") == "", name
        else:
            assert float(row["std_error"]) == number["std_error"], name
        assert row.get("statistic", number["column"]) == number["statistic"], name
        assert row.get("scaling", "") == number.get("scaling", ""), name


def test_every_number_has_a_text_and_a_unit(shipped: dict[str, Number]) -> None:
    listed = json.loads(numbers_as_json(shipped, UNITS))
    assert [name for name, number in listed.items() if not number["text"]] == []
    without = sorted({number["statistic"] for number in listed.values() if not number.get("unit")})
    assert without == [], "give their units in workflow/schemas/statistics.yaml"


def test_each_number_stands_on_a_line_of_its_own(shipped: dict[str, Number]) -> None:
    text = numbers_as_json(shipped, UNITS)
    assert text.count("\n") == len(shipped) + 2
    assert text.splitlines()[1].startswith(f'"{next(iter(shipped))}": {{"text": ')


def test_what_a_number_has_not_is_left_out_and_an_unknown_error_is_null() -> None:
    (entry,) = json.loads(numbers_as_json({"x": Number("x", 0.5, place=PLACE)}, {})).values()
    assert entry == {
        "text": "0.500",
        "value": 0.5,
        "std_error": None,
        "experiment": "x",
        "statistic": "x",
        "table": "data/x_summary.csv",
        "line": 2,
        "column": "value",
        "unit": None,
    }


def test_experiments_stand_in_alphabetical_order_and_their_numbers_as_in_the_tables() -> None:
    names = ["b.d_k=4", "b.d_k=16", "a.z", "a.a", "c"]
    numbers = {name: Number(name, math.inf if name == "c" else 1.0) for name in names}
    assert list(exported(numbers)) == ["a.z", "a.a", "b.d_k=4", "b.d_k=16"]


# as others spell them


@pytest.mark.parametrize(
    ("number", "both", "short"),
    [
        (Number("x", 0.87893, 0.0041), "0.879 ± 0.004", "0.879(4)"),
        (Number("x", 0.87893, 0.0014), "0.8789 ± 0.0014", "0.8789(14)"),
        (Number("x", -0.01231, 0.0223), "−0.01 ± 0.02", "−0.01(2)"),
        (Number("x", 32.0312, 1.24), "32.0 ± 1.2", "32.0(12)"),
        (Number("x", 1234.5, 300), "1234 ± 300", "1234(300)"),
        (Number("x", 0.87893, 0.0041, digits=2), "0.879 ± 0.004", "0.879(4)"),
        (Number("x", 0.87893, 0.0041, digits=4), "0.8789 ± 0.0041", "0.8789(41)"),
        (Number("x", 2.0, 0), "", "2"),
        (Number("x", 2.5e-9), "", "2.50·10^−9"),
    ],
)
def test_a_number_and_its_error(number: Number, both: str, short: str) -> None:
    assert (pair(number), compact(number)) == (both, short)


@pytest.mark.parametrize(
    ("text", "siunitx", "latex", "markdown"),
    [
        ("0.879", "0.879", "0.879", "0.879"),
        ("0.879(4)", "0.879(4)", "0.879(4)", "0.879(4)"),
        ("−0.012", "-0.012", r"\rootdk@minus{0.012}", "$-0.012$"),
        ("2.1·10^−5", "2.1e-5", r"\rootdk@power{2.1}{-5}", r"$2.1 \cdot 10^{-5}$"),
        ("−2.1·10^7", "-2.1e7", r"\rootdk@power{-2.1}{7}", r"$-2.1 \cdot 10^{7}$"),
    ],
)
def test_minus_signs_and_powers_of_ten(text: str, siunitx: str, latex: str, markdown: str) -> None:
    assert (for_siunitx(text), for_latex(text), for_markdown(text)) == (siunitx, latex, markdown)


def test_latex_gets_what_is_known_of_each_number() -> None:
    numbers = {
        "a_b.d_k=4": Number("a_b.d_k=4", -0.87893, 0.0041),
        "exact": Number("exact", 2.5, 0),
        "alone": Number("alone", 2.5e-9),
    }
    assert numbers_as_latex(numbers, "% macros\n").splitlines() == [
        "% macros",
        r"\rootdk@measured{a_b.d_k=4}{\rootdk@minus{0.879}}{0.004}{\rootdk@pm{-0.879}{0.004}}"
        r"{\rootdk@num{-0.879(4)}{\rootdk@minus{0.879(4)}}}",
        r"\rootdk@exact{exact}{2.50}{2.50}",
        r"\rootdk@alone{alone}{\rootdk@power{2.50}{-9}}{2.50e-9}",
        r"\rootdk@restore",
    ]


@pytest.mark.parametrize("letter", ["\\", "{", "}", "#", "%", " "])
def test_a_name_that_latex_cannot_take_is_refused(letter: str) -> None:
    name = f"a{letter}b"
    with pytest.raises(ValueError, match="in its name, which LaTeX does not take"):
        numbers_as_latex({name: Number(name, 1.0)}, "")


# variables


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("max_weight.unscaled.d_k=64", "max_weight_unscaled_d_k_64"),
        ("six_tokens.weight.row=t0;column=t3", "six_tokens_weight_row_t0_column_t3"),
        ("sign_scores.probability.d_k=4;sign_score=-4", "sign_scores_probability_d_k_4_sign_score_minus_4"),
        ("saturation_curve.max_of_a(1-a).a=0.5", "saturation_curve_max_of_a_1_a_a_0_5"),
        ("heads.ratio.scaled/unscaled.d_k=256", "heads_ratio_scaled_unscaled_d_k_256"),
        ("four_tokens.weight.row=λόγος;column=don't", "four_tokens_weight_row_λόγος_column_don_t"),
    ],
)
def test_a_key_is_the_name_with_underscores(name: str, key: str) -> None:
    assert variable_keys([name]) == {name: key}


def test_names_that_would_share_a_key_get_keys_of_their_own_whatever_their_order() -> None:
    names = ["x.row=a-b", "x.row=a.b", "x.row=ab"]
    keys = variable_keys(names)
    assert keys["x.row=ab"] == "x_row_ab"
    assert keys["x.row=a-b"].startswith("x_row_a_b_")
    assert len(set(keys.values())) == 3
    assert variable_keys(names[::-1]) == keys


def test_a_name_that_ends_like_a_form_does_not_take_another_ones_key() -> None:
    keys = variable_keys(["x", "x.error"])
    used = [key + ending for key in keys.values() for ending in FORMS]
    assert len(set(used)) == len(used)


@given(st.lists(st.from_regex(r"[a-z]+(\.[a-z=;.'0-9-]+)?", fullmatch=True), unique=True, max_size=8))
def test_keys_are_identifiers_and_no_two_alike(names: list[str]) -> None:
    keys = variable_keys(names)
    used = [key + ending for key in keys.values() for ending in FORMS]
    assert all(key.isidentifier() for key in used)
    assert len(set(used)) == len(used)


def test_variables_are_texts_of_markdown(shipped: dict[str, Number]) -> None:
    variables = yaml.safe_load(numbers_as_variables(shipped))
    assert all(isinstance(text, str) and text for text in variables.values())
    keys = variable_keys(shipped)
    for name, number in shipped.items():
        assert variables[keys[name]] == for_markdown(str(number))
        assert (f"{keys[name]}_pm" in variables) == (number.std_error > 0)
    assert len(variables) == len(shipped) + 2 * sum(number.std_error > 0 for number in shipped.values())


@pytest.mark.parametrize(("value", "text"), [(0.87893, "0.879 ± 0.004"), (-0.87893, r"$-0.879 \pm 0.004$")])
def test_a_variable_with_its_error(value: float, text: str) -> None:
    variables = yaml.safe_load(numbers_as_variables({"x": Number("x", value, 0.0041)}))
    assert (variables["x_pm"], variables["x_error"]) == (text, "0.004")


# the vocabulary


def test_statistics_and_scalings_are_called_something() -> None:
    for statistic, entry in load_statistics().items():
        assert set(entry) <= {"unit", "called"}, statistic
        assert entry["called"], statistic
    assert all(load_scalings().values())
