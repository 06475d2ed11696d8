import math
from decimal import Decimal

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootdk.digit_rules import rules_of
from rootdk.digits import DigitsError, choose_digits
from rootdk.numbers import (
    Number,
    Place,
    decimals,
    error_decimals,
    in_math,
    number_name,
    plain,
    quotable_numbers,
    significant,
    with_error,
)
from rootdk.tables import Quantity, SweepRow, summary_table, sweep_table

NO_SUMMARY = summary_table([])


# digits


@pytest.mark.parametrize(
    ("value", "std_error", "text"),
    [
        (0.87493, 0.004, "0.875"),
        (0.87493, 0.04, "0.87"),
        (0.87493, 0.014, "0.875"),  # an error that starts with 1 keeps its second digit
        (0.87493, 0.019, "0.875"),
        (0.87493, 0.02, "0.87"),
        (0.87493, 0.001, "0.8749"),
        (0.5, 0.00041, "0.5000"),
        (-0.0123, 0.003, "−0.012"),
        (-0.0001, 0.003, "0.000"),
        (31.98, 0.2, "32.0"),
        (31.98, 1.5, "32.0"),
        (31.98, 2.5, "32"),
        (1234.5, 300, "1234"),
    ],
)
def test_a_number_shows_the_digits_that_its_standard_error_warrants(value, std_error, text):
    assert str(Number("x", value, std_error)) == text


@pytest.mark.parametrize("std_error", [0, math.nan])
@pytest.mark.parametrize(
    ("value", "text"), [(0.6697615493266569, "0.670"), (769.2, "769"), (3e-10, "3.00·10^−10"), (-0.5, "−0.500")]
)
def test_a_number_that_is_exact_or_of_unknown_error_shows_three_digits(value, text, std_error):
    assert str(Number("x", value, std_error)) == text


def test_the_standard_error_of_a_number_is_unknown_unless_given():
    assert math.isnan(Number("x", 1.0).std_error)


@given(st.floats(1e-12, 9.9))
def test_the_last_digit_shown_is_between_a_twentieth_of_the_error_and_all_of_it(std_error):
    unit = 10.0 ** -error_decimals(std_error)
    assert std_error / 20 < unit <= std_error * (1 + 1e-12)


@pytest.mark.parametrize("std_error", [1, 3, 25, 1e4, 1e300])
def test_errors_of_whole_units_leave_at_most_one_decimal(std_error):
    assert error_decimals(std_error) == (1 if std_error < 2 else 0)


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (1.005, 2, "1.00"),
        (2, 0, "2"),
        (-1.5, 1, "−1.5"),
        (-0.04, 1, "0.0"),
        (-0.0, 2, "0.00"),
        (-0.05000001, 1, "−0.1"),
        (12345.678, 1, "12345.7"),
    ],
)
def test_decimals(value, places, text):
    assert decimals(value, places) == text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.123456, 3, "0.123"),
        (0.0995, 1, "0.1"),
        (0.09996, 3, "0.100"),
        (999.6, 3, "1000"),
        (1234567, 3, "1230000"),
        (9996000, 3, "1.00·10^7"),
        (12345678, 3, "1.23·10^7"),
        (0.00012345, 2, "0.00012"),
        (0.000012345, 2, "1.2·10^−5"),
        (-0.000012345, 2, "−1.2·10^−5"),
        (-42, 2, "−42"),
        (5, 1, "5"),
        (4e-44, 1, "4·10^−44"),
        (0, 3, "0"),
        (-0.0, 3, "0"),
        (math.inf, 3, "inf"),
        (-math.inf, 3, "−inf"),
        (math.nan, 3, "nan"),
    ],
)
def test_significant(value, digits, text):
    assert significant(value, digits) == text


@given(st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False), st.integers(1, 12))
def test_significant_digits_are_right_and_minus_signs_are_true_ones(value, digits):
    text = significant(value, digits)
    assert "-" not in text
    shown = Decimal(text.replace("−", "-").replace("·10^", "e"))
    assert abs(shown - Decimal(value)) <= Decimal(1) / 2 * Decimal(10) ** (1 - digits) * abs(Decimal(value))


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.5"), (2.0, "2"), (-0.25, "−0.25"), (1 / 3, "0.333"), (1200, "1200"), (0, "0"), (3e-9, "3.00·10^−9")],
)
def test_plain_numbers_have_no_zeros_at_the_end(value, text):
    assert plain(value, 3) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.25, "$0.25$"),
        (-42, "$-42$"),
        (0, "$0$"),
        (2.1e-5, r"$2.1 \cdot 10^{-5}$"),
        (-2.1e-5, r"$-2.1 \cdot 10^{-5}$"),
        (0.0005, r"$5.0 \cdot 10^{-4}$"),
        (4e7, r"$4.0 \cdot 10^{7}$"),
    ],
)
def test_numbers_in_formulas_have_powers_of_ten_and_a_hyphen_for_minus(value, text):
    assert in_math(value, 2) == text


def test_a_bare_power_of_ten_has_no_factor():
    assert in_math(1e-12, 1) == "$10^{-12}$"


# names


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("max_weight", "max_weight", "unscaled", "d_k=64"), "max_weight.unscaled.d_k=64"),
        (("dimension_sweep", "entropy", "scaled", "d_k=4"), "dimension_sweep.entropy.scaled.d_k=4"),
        (("max_weight", "rows_per_width"), "max_weight.rows_per_width"),
        (("exercise", "exercise"), "exercise"),
        (("six_tokens", "weight", "", "row=t0;column=t3"), "six_tokens.weight.row=t0;column=t3"),
    ],
)
def test_names_leave_out_what_says_nothing(parts, name):
    assert number_name(*parts) == name


def sweep(*rows):
    return sweep_table(
        SweepRow(tokens, d_k, scaling, "max_weight", mean, 0.004, 200) for tokens, d_k, scaling, mean in rows
    )


def test_a_sweep_gives_its_means_with_their_errors():
    table = sweep((8, 4, "unscaled", 0.5), (8, 64, "unscaled", 0.875), (8, 64, "scaled", 0.4))
    assert quotable_numbers("max_weight", table, NO_SUMMARY) == {
        name: Number(name, value, 0.004)
        for name, value in [
            ("max_weight.unscaled.d_k=4", 0.5),
            ("max_weight.unscaled.d_k=64", 0.875),
            ("max_weight.scaled.d_k=64", 0.4),
        ]
    }


def test_the_number_of_tokens_is_part_of_a_name_once_there_is_more_than_one():
    table = sweep((8, 4, "scaled", 0.5), (100, 4, "scaled", 0.25))
    assert set(quotable_numbers("max_weight", table, NO_SUMMARY)) == {
        "max_weight.scaled.tokens=8;d_k=4",
        "max_weight.scaled.tokens=100;d_k=4",
    }


def test_other_tables_give_each_measured_column():
    table = pd.DataFrame({"row": ["t0", "t0"], "column": ["t0", "t1"], "score": [1.5, -0.5], "weight": [0.75, 0.25]})
    found = quotable_numbers("six_tokens", table, NO_SUMMARY)
    assert {name: number.value for name, number in found.items()} == {
        "six_tokens.score.row=t0;column=t0": 1.5,
        "six_tokens.score.row=t0;column=t1": -0.5,
        "six_tokens.weight.row=t0;column=t0": 0.75,
        "six_tokens.weight.row=t0;column=t1": 0.25,
    }
    assert all(math.isnan(number.std_error) for number in found.values())


def test_a_summary_gives_its_quantities():
    summary = summary_table(
        [
            Quantity("rows_per_width", 1600, "rows"),
            Quantity("gap", 0.25, "fraction", scaling="scaled", where="d_k=4", std_error=0.01),
        ]
    )
    found = quotable_numbers("max_weight", sweep(), summary)
    assert list(found) == ["max_weight.rows_per_width", "max_weight.gap.scaled.d_k=4"]
    assert found["max_weight.rows_per_width"].value == 1600
    assert found["max_weight.gap.scaled.d_k=4"].std_error == 0.01


@pytest.mark.parametrize(
    ("table", "summary"),
    [
        (sweep((8, 4, "scaled", 0.5), (8, 4, "scaled", 0.6)), NO_SUMMARY),
        (sweep((8, 4, "scaled", 0.5)), summary_table([Quantity("max_weight", 0.5, "", "scaled", "d_k=4")])),
    ],
)
def test_two_numbers_of_one_name_are_refused(table, summary):
    with pytest.raises(ValueError, match=r"^max_weight: two numbers are called max_weight\.scaled\.d_k=4\.$"):
        quotable_numbers("max_weight", table, summary)


# digits that the config asks for

NUMBERS = {
    number.name: number
    for number in (
        Number("sweep.unscaled.d_k=4", 0.87493, 0.004),
        Number("sweep.unscaled.d_k=64", 0.93493, 0.004),
        Number("sweep.scaled.d_k=4", 0.34123, 0.0004),
        Number("exact", 2 / 3, 0),
        Number("exactly.whole", 65536),
    )
}


@pytest.mark.parametrize(
    ("rules", "texts"),
    [
        ({}, ["0.875", "0.935", "0.3412", "0.667", "65536"]),
        ({"without_error": 5}, ["0.875", "0.935", "0.3412", "0.66667", "65536"]),
        ({"digits": {"sweep": 2}}, ["0.87", "0.93", "0.34", "0.667", "65536"]),
        ({"digits": {"sweep": 2, "sweep.unscaled": 1}}, ["0.9", "0.9", "0.34", "0.667", "65536"]),
        ({"digits": {"sweep.unscaled.d_k=4": 5, "sweep.unscaled": 1}}, ["0.87493", "0.9", "0.3412", "0.667", "65536"]),
        ({"digits": {"exactly.whole": 2}, "without_error": 1}, ["0.875", "0.935", "0.3412", "0.7", "66000"]),
        ({"digits": {"exactly": 2}}, ["0.875", "0.935", "0.3412", "0.667", "65536"]),
        ({"digits": {"another": 2}}, ["0.875", "0.935", "0.3412", "0.667", "65536"]),
    ],
)
def test_the_longest_beginning_of_a_name_says_how_many_digits_it_gets(rules, texts):
    assert [str(number) for number in choose_digits(NUMBERS, rules).values()] == texts


@pytest.mark.parametrize(
    ("rule", "nearest"),
    [
        ("sweep.unscled", "sweep.unscaled"),
        ("sweep.scaled.d_k=5", "sweep.scaled.d_k=4"),
        ("exactly.hole", "exactly.whole"),
    ],
)
def test_digits_of_a_number_that_there_is_not_are_refused(rule, nearest):
    with pytest.raises(DigitsError) as caught:
        choose_digits(NUMBERS, {"digits": {rule: 2}})
    assert str(caught.value) == (
        f"numbers.digits.{rule}: there is no number of that name or beginning; the nearest is {nearest}."
    )


def test_rules_are_those_of_an_experiment_without_what_goes_unsaid():
    rules = {"digits": {"one": 2, "one.x": 3, "other": 4}, "without_error": 3}
    assert rules_of(rules, ["one"]) == {"digits": {"one": 2, "one.x": 3}}
    assert rules_of({"without_error": 4}, ["one"]) == {"without_error": 4}
    assert rules_of(rules, ["third"]) == rules_of({}, ["one"]) == {}


@pytest.mark.parametrize(
    ("number", "pair"),
    [
        (Number("x", 0.87893, 0.0041), ("0.879", "0.004")),
        (Number("x", 0.87893, 0.0014), ("0.8789", "0.0014")),
        (Number("x", -0.01231, 0.0223), ("−0.01", "0.02")),
        (Number("x", 1234.5, 300), ("1234", "300")),
        (Number("x", 0.87893, 0.0041, digits=2), ("0.879", "0.004")),  # no fewer than the error has
        (Number("x", 0.87893, 0.0041, digits=5), ("0.87893", "0.00410")),
        (Number("x", 2.0, 0), ("2", "0")),
    ],
)
def test_a_number_and_its_error_have_the_same_decimals(number, pair):
    assert with_error(number) == pair


def test_a_number_of_unknown_error_has_none_to_stand_beside_it():
    with pytest.raises(ValueError, match="x has no standard error"):
        with_error(Number("x", 1.5))


# where numbers come from


def test_a_number_knows_its_cell_and_its_unit():
    summary = summary_table([Quantity("one", 1, "rows"), Quantity("gap", 0.25, "fraction", "scaled", "d_k=4")])
    found = quotable_numbers("max_weight", sweep((8, 4, "unscaled", 0.5), (8, 64, "unscaled", 0.875)), summary)
    assert found["max_weight.gap.scaled.d_k=4"].unit == "fraction"
    assert found["max_weight.gap.scaled.d_k=4"].place == Place(
        "max_weight", "max_weight_summary", 3, "value", "gap", "scaled", "d_k=4"
    )
    assert found["max_weight.unscaled.d_k=64"].place == Place(
        "max_weight", "max_weight", 3, "mean", "max_weight", "unscaled", "d_k=64"
    )
    table = pd.DataFrame({"row": ["t0"], "column": ["t1"], "weight": [0.75]})
    assert quotable_numbers("six_tokens", table, NO_SUMMARY)["six_tokens.weight.row=t0;column=t1"].unit == (
        "fraction of the row"
    )


@pytest.mark.parametrize(
    ("value", "text"), [(8, "8"), (-3.0, "−3"), (1600, "1600"), (65536, "65536"), (1e7, "1.00·10^7"), (8.5, "8.50")]
)
def test_whole_numbers_without_an_error_are_written_out(value, text):
    assert str(Number("x", value)) == str(Number("x", value, 0)) == text
