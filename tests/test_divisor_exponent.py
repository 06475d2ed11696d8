"""Which power of the width leaves a row as it is: what the experiment promises, and what its figure shows."""

import math
from itertools import pairwise

import numpy as np
import pytest
from test_figures import drawn

from draw_divisor_exponent import draw_divisor_exponent
from rootdk.attention import softmax
from rootdk.tables import Tables
from simulate_divisor_exponent import simulate_divisor_exponent

pytestmark = pytest.mark.filterwarnings("error")

WIDTHS = [4, 64, 1024, 2**20]


@pytest.fixture(scope="module")
def tables() -> Tables:
    return simulate_divisor_exponent(tokens=8, head_widths=WIDTHS, power_steps=8)


def along_widths(tables: Tables, statistic: str, power: float) -> np.ndarray:
    rows = tables.table[(tables.table["statistic"] == statistic) & (tables.table["power"] == power)]
    return rows.sort_values("d_k")["exact"].to_numpy()


def limit(tables: Tables, statistic: str, power: str) -> float:
    rows = tables.summary[(tables.summary["statistic"] == f"{statistic}_limit")]
    return float(rows.set_index("where")["value"][f"power={power}"])


@pytest.mark.parametrize("power", [0.0, 0.125, 0.25, 0.375])
def test_below_one_half_rows_collapse_as_heads_widen(tables: Tables, power: float) -> None:
    largest, entropy = (along_widths(tables, name, power) for name in ("max_weight", "normalized_entropy"))
    assert (np.diff(largest) > 0).all()
    assert (np.diff(entropy) < 0).all()
    # One key is at least as far ahead as scores of size d_k^(1/2 - p) put it.
    assert 1 - largest[-1] < 2 / WIDTHS[-1] ** (0.5 - power)


@pytest.mark.parametrize("power", [0.625, 0.75, 0.875, 1.0])
def test_above_one_half_rows_become_even_as_heads_widen(tables: Tables, power: float) -> None:
    largest, entropy = (along_widths(tables, name, power) for name in ("max_weight", "normalized_entropy"))
    assert (np.diff(largest) < 0).all()
    assert (np.diff(entropy) > 0).all()
    assert largest[-1] - 1 / 8 < WIDTHS[-1] ** (0.5 - power)


def test_at_one_half_rows_stay_as_they_are(tables: Tables) -> None:
    for statistic in ("max_weight", "normalized_entropy"):
        row = along_widths(tables, statistic, 0.5)
        tends_to = limit(tables, statistic, "0.5")
        assert np.abs(row / tends_to - 1).max() < 0.06
        assert row[-1] == pytest.approx(tends_to, rel=1e-5)


def test_limits_are_one_key_and_even_shares(tables: Tables) -> None:
    assert [limit(tables, "max_weight", power) for power in ("0", "1")] == [1, 1 / 8]
    assert [limit(tables, "normalized_entropy", power) for power in ("0", "1")] == [0, 1]


def test_drawn_heads_agree(tables: Tables) -> None:
    rng = np.random.default_rng(5)
    queries, keys = rng.standard_normal((2, 4000, 8, 4))
    scores = np.einsum("hid,hjd->hij", queries, keys)
    for power in (0.0, 0.25, 0.5, 1.0):
        largest = softmax(scores / 4**power).max(axis=-1).mean(axis=-1)
        error = largest.std(ddof=1) / math.sqrt(len(largest))
        assert abs(largest.mean() - along_widths(tables, "max_weight", power)[0]) < 4 * error


def test_every_quarter_is_among_the_powers() -> None:
    for steps in (4, 52, 200):
        powers = simulate_divisor_exponent(tokens=2, head_widths=[2], power_steps=steps).table["power"].unique()
        assert {0, 0.25, 0.5, 0.75, 1} <= set(powers)
        assert len(powers) == steps + 1


def test_curves_carry_their_widths_and_no_name_covers_another(tables: Tables) -> None:
    many = simulate_divisor_exponent(tokens=8, head_widths=[*range(1, 60), 2**20], power_steps=4)
    for given, complete in ((tables, True), (many, False)):
        figure = drawn(draw_divisor_exponent, divisor_exponent=given.table, divisor_exponent_summary=given.summary)
        for ax in figure.axes:
            names = [text for text in ax.texts if text.get_position()[0] == 0.25]
            boxes = sorted((text.get_window_extent() for text in names), key=lambda box: box.y0)
            assert all(one.y1 <= other.y0 + 4 for one, other in pairwise(boxes))
            widths = [int(text.get_text().strip("$").removeprefix("d_k=")) for text in names]
            assert (sorted(widths) == WIDTHS) == complete
            assert 2 <= len(widths) < 60


@pytest.mark.parametrize(("tokens", "head_widths"), [(1, [4, 64]), (8, [1]), (2, [1, 1048576])])
def test_the_edges_of_the_config_are_drawn(tokens: int, head_widths: list[int]) -> None:
    tables = simulate_divisor_exponent(tokens=tokens, head_widths=head_widths, power_steps=4)
    assert all(map(math.isfinite, tables.table["exact"]))
    figure = drawn(draw_divisor_exponent, divisor_exponent=tables.table, divisor_exponent_summary=tables.summary)
    curves = [line for line in figure.axes[0].lines if len(line.get_xdata()) == 5]
    assert len(curves) == len(head_widths)
