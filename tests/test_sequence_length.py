"""Short and long sequences: what the experiment promises, and what its figure shows."""

import math

import numpy as np
import pytest
from test_figures import drawn

from draw_sequence_length import draw_sequence_length
from rootdk.attention import softmax
from rootdk.row_statistics import entropy
from rootdk.style import STYLE
from rootdk.tables import Tables
from simulate_sequence_length import simulate_sequence_length

pytestmark = pytest.mark.filterwarnings("error")

COUNTS = [2, 8, 64, 1024]
WIDTHS = [16, 256]


@pytest.fixture(scope="module")
def tables() -> Tables:
    return simulate_sequence_length(token_counts=COUNTS, head_widths=WIDTHS)


def along_tokens(tables: Tables, statistic: str, scaling: str, d_k: int) -> np.ndarray:
    table = tables.table
    rows = table[(table["statistic"] == statistic) & (table["scaling"] == scaling) & (table["d_k"] == d_k)]
    return rows.sort_values("tokens")["exact"].to_numpy()


@pytest.mark.parametrize("d_k", WIDTHS)
def test_both_curves_soften_and_the_gap_between_them_stays(tables: Tables, d_k: int) -> None:
    unscaled, scaled = (along_tokens(tables, "max_weight", scaling, d_k) for scaling in ("unscaled", "scaled"))
    assert (np.diff(unscaled) < 0).all()
    assert (np.diff(scaled) < 0).all()
    gaps = tables.summary[tables.summary["statistic"] == "max_weight_gap"].set_index("where")["value"]
    assert [gaps[f"tokens={n};d_k={d_k}"] for n in COUNTS] == (unscaled - scaled).tolist()
    assert (unscaled - scaled > 0.15).all()
    assert (scaled > 1 / np.array(COUNTS)).all()


def test_scaled_rows_are_those_of_wide_heads_at_every_length(tables: Tables) -> None:
    for statistic in ("max_weight", "normalized_entropy"):
        found = tables.summary[tables.summary["statistic"] == f"{statistic}_limit"].set_index("where")["value"]
        limits = np.array([found[f"tokens={n}"] for n in COUNTS])
        assert along_tokens(tables, statistic, "scaled", 256) == pytest.approx(limits, rel=0.005)
        assert along_tokens(tables, statistic, "scaled", 16) == pytest.approx(limits, rel=0.05)


@pytest.mark.parametrize(("scaling", "divisor"), [("unscaled", 1.0), ("scaled", 4.0)])
def test_drawn_heads_agree(tables: Tables, scaling: str, divisor: float) -> None:
    rng = np.random.default_rng(3)
    for place, tokens in enumerate(COUNTS[:3]):
        queries, keys = rng.standard_normal((2, 4096 // tokens, tokens, 16))
        weights = softmax(np.einsum("hid,hjd->hij", queries, keys) / divisor)
        for statistic, rows in (
            ("max_weight", weights.max(axis=-1)),
            ("normalized_entropy", entropy(weights) / math.log(tokens)),
        ):
            means = rows.mean(axis=-1)
            error = means.std(ddof=1) / math.sqrt(len(means))
            assert abs(means.mean() - along_tokens(tables, statistic, scaling, 16)[place]) < 4 * error


def test_without_the_division_each_width_has_a_curve_and_a_name(tables: Tables) -> None:
    for ax in drawn(draw_sequence_length, sequence_length=tables.table).axes:
        named = {text.get_text() for text in ax.texts}
        assert named == {"$d_k=16$", "$d_k=256$", "each width"}
        for curve in STYLE.curves.values():
            assert sum(line.get_color() == curve.color for line in ax.lines) == len(WIDTHS)


@pytest.mark.parametrize(
    ("token_counts", "head_widths"), [([2, 3], [1]), ([10000, 2], [1048576, 1]), ([9, 8, 7], [64])]
)
def test_the_edges_of_the_config_are_drawn(token_counts: list[int], head_widths: list[int]) -> None:
    tables = simulate_sequence_length(token_counts=token_counts, head_widths=head_widths)
    assert all(map(math.isfinite, [*tables.table["exact"], *tables.summary["value"]]))
    for ax in drawn(draw_sequence_length, sequence_length=tables.table).axes:
        for line in ax.lines[: 2 * len(head_widths)]:
            assert list(line.get_xdata()) == sorted(token_counts)
