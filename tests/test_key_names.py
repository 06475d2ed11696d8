"""Keys that are no whole numbers, in the names of numbers: tables, summaries and templates write them alike."""

import numpy as np
import pandas as pd
import pytest

from rootdk.numbers import quotable_numbers
from rootdk.tables import summary_table
from rootdk.words import Words
from simulate_closed_row import simulate_closed_row
from simulate_saturation_curve import simulate_saturation_curve

COLUMNS: dict[str, dict] = {"own_weight": {"type": "number", "key": True}, "derivative": {"type": "number"}}


@pytest.mark.parametrize("value", [0, 0.0, 1.0, 0.1, 0.1 + 0.2, 0.1234567, 0.1234568, 1e-9, 1234567.5])
def test_a_template_finds_a_tables_number_by_the_key_that_the_config_has(value):
    table = pd.DataFrame({"own_weight": [float(value), 5.0], "derivative": [0.25, 0.5]})
    words = Words(quotable_numbers("curve", table, summary_table([]), COLUMNS), {"key": value})
    assert words.fill('{{ n("curve.derivative", own_weight=setup.key) | decimals(2) }}', "caption") == "0.25"


def test_a_series_is_found_by_such_a_key():
    table = pd.DataFrame({"own_weight": [0.0, 0.0], "d_k": [4, 64], "derivative": [0.25, 0.5]})
    columns = {**COLUMNS, "d_k": {"type": "integer", "key": True}}
    words = Words(quotable_numbers("curve", table, summary_table([]), columns), {})
    assert words.fill('{{ series("curve.derivative", own_weight=0.0) is rising }}', "caption") == "True"


def test_keys_that_differ_in_the_seventh_digit_keep_their_names_apart():
    table = pd.DataFrame({"own_weight": [0.1234567, 0.1234568], "derivative": [0.25, 0.5]})
    names = quotable_numbers("curve", table, summary_table([]), COLUMNS)
    assert set(names) == {"curve.derivative.own_weight=0.1234567", "curve.derivative.own_weight=0.1234568"}


def test_summaries_name_numbers_as_templates_do():
    curve = simulate_saturation_curve(points=51, weights=[0.0, 0.5, 1.0])
    row = simulate_closed_row(np.random.default_rng(0), keys=2, queries=2, head_widths=[1], score_gap=8.0)
    known = quotable_numbers("saturation_curve", curve.table, curve.summary)
    known |= quotable_numbers("closed_row", row.table, row.summary)
    words = Words(known, {})
    assert words.has("saturation_curve.derivative", a=0.0)
    assert words.has("saturation_curve.derivative", a=1.0)
    assert words.has("closed_row.weight_ratio.unscaled", score_gap=8.0)
    assert words.has("closed_row.weight_ratio.unscaled", score_gap=8)
