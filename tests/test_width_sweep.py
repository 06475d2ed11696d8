"""The sweep over all widths: what it promises of its streams, its means and its judgement of them."""

import math
import tracemalloc
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import PROJECT
from scipy.integrate import quad
from scipy.stats import norm

from draw_width_sweep import draw_width_sweep
from rootdk.many_comparisons import largest_by_chance, rarely_exceeded
from rootdk.numbers import quotable_numbers
from rootdk.samplers import DENSE, ROW, measure
from rootdk.seeded_blocks import Cell, block_generator
from rootdk.style import STYLE, rc_parameters
from rootdk.tables import Tables, read_table
from simulate_width_sweep import OPEN_ROWS, ROWS_PER_BLOCK, exact_values, simulate_width_sweep

import matplotlib  # isort: skip
from matplotlib.figure import Figure  # isort: skip

pytestmark = pytest.mark.filterwarnings("error")

CELL = ["tokens", "d_k", "scaling", "statistic"]
SAMPLED = {
    "score_rms",
    "max_weight",
    "squared_weights",
    "entropy",
    "normalized_entropy",
    "jacobian_trace",
    "jacobian_norm",
    "max_jacobian_diagonal",
}
EXACT = SAMPLED - {"jacobian_norm", "max_jacobian_diagonal"}


def swept(tokens: list[int], widths: list[int], *, blocks: int = 1, seed: int = 0) -> Tables:
    return simulate_width_sweep(seed=seed, token_counts=tokens, head_widths=widths, blocks=blocks)


def sampled(tables: Tables) -> pd.DataFrame:
    return tables.table[tables.table["draws"] > 0]


def quantities(tables: Tables, of: str = "all") -> pd.Series:
    rows = tables.summary[tables.summary["where"] == f"of={of}"]
    return rows.set_index("statistic")["value"]


def drawn_rows(block: int, *, seed: int, tokens: int, d_k: int) -> dict[tuple[str, str], np.ndarray]:
    rng = block_generator(seed, Cell("width_sweep", "row", tokens, d_k), block)
    statistics = ["max_weight", "entropy", "jacobian_trace", "jacobian_norm"]
    return measure(ROW, rng, tokens=tokens, d_k=d_k, draws=ROWS_PER_BLOCK, statistics=statistics)


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_means_are_those_of_the_first_blocks(blocks: int) -> None:
    parts = [drawn_rows(block, seed=5, tokens=8, d_k=64) for block in range(blocks)]
    table = swept([8], [64], blocks=blocks, seed=5).table.set_index(["scaling", "statistic"])
    for key in parts[0]:
        values = np.concatenate([part[key] for part in parts])
        assert table.loc[key, "mean"] == pytest.approx(values.mean(), rel=1e-13)
        assert table.loc[key, "std_error"] == pytest.approx(values.std(ddof=1) / math.sqrt(values.size), rel=1e-12)
        assert table.loc[key, "draws"] == values.size == blocks * ROWS_PER_BLOCK


def test_more_blocks_move_means_and_shrink_errors() -> None:
    two, eight = (sampled(swept([8], [16], blocks=blocks)).set_index(CELL) for blocks in (2, 8))
    assert (two["mean"] != eight["mean"]).all()
    np.testing.assert_allclose(eight["std_error"] / two["std_error"], 0.5, rtol=0.15)


def test_another_width_or_length_changes_no_row() -> None:
    few = swept([16, 3], [64, 2]).table
    many = swept([3, 5, 16], [2, 7, 64, 1024]).table
    both = few.merge(many, on=CELL, suffixes=("", "_again"), validate="one_to_one")
    assert len(both) == len(few)
    for column in ("mean", "std_error", "draws"):
        assert both[column].tolist() == both[f"{column}_again"].tolist()


def test_another_seed_changes_every_mean_and_no_exact_value() -> None:
    one, other = (swept([8], [16], seed=seed).table for seed in (0, 1))
    chance = one["draws"] > 0
    assert (one["mean"] != other["mean"])[chance].all()
    assert (one["mean"] == other["mean"])[~chance].all()


def test_every_statistic_stands_there_and_exact_ones_have_no_error() -> None:
    table = swept([8, 16], [4]).table
    for _, rows in table.groupby(["tokens", "scaling"]):
        assert sorted(rows["statistic"]) == sorted([*SAMPLED, *(f"exact_{name}" for name in EXACT)])
    exact = table["statistic"].str.startswith("exact_")
    assert (table["std_error"][exact] == 0).all()
    assert (table["draws"][exact] == 0).all()
    assert (table["std_error"][~exact] > 0).all()


def test_what_follows_from_another_statistic_does() -> None:
    table = sampled(swept([100], [32])).set_index(["scaling", "statistic"])
    for scaling in ("unscaled", "scaled"):
        of = table.loc[scaling]
        assert of["mean"]["squared_weights"] == 1 - of["mean"]["jacobian_trace"]
        assert of["mean"]["normalized_entropy"] == of["mean"]["entropy"] / math.log(100)
        assert of["std_error"]["normalized_entropy"] == of["std_error"]["entropy"] / math.log(100)
    rms = table["mean"].xs("score_rms", level="statistic")
    assert rms["unscaled"] == pytest.approx(rms["scaled"] * math.sqrt(32), rel=1e-12)


@pytest.mark.parametrize("tokens", [2, 8, 100])
def test_means_lie_within_their_errors_of_the_exact_values(tokens: int) -> None:
    widths = [2**power for power in range(21)]
    table = swept([tokens], widths, blocks=4, seed=1).table.set_index(["d_k", "scaling", "statistic"])
    rows: Any = table[["mean", "std_error", "draws"]].to_dict("index")
    compared = 0
    for d_k in widths:
        for scaling in ("unscaled", "scaled"):
            open_share = rows[d_k, scaling, "exact_jacobian_trace"]["mean"]
            for statistic in EXACT:
                mean, error, draws = rows[d_k, scaling, statistic].values()
                exact = rows[d_k, scaling, f"exact_{statistic}"]["mean"]
                if statistic == "score_rms" or draws * open_share >= OPEN_ROWS:
                    assert abs(mean - exact) < 4.5 * error
                    compared += 1
                elif statistic not in ("normalized_entropy", "entropy"):
                    # The variance of a share of a row, such as the trace or what the winner lacks, is below its mean.
                    assert abs(mean - exact) < 4.5 * math.sqrt(open_share / draws)
    assert compared > 200


@pytest.mark.parametrize("scaling", ["unscaled", "scaled"])
def test_rows_agree_with_heads_drawn_entry_by_entry(scaling: str) -> None:
    statistics = ["max_weight", "entropy", "jacobian_norm", "max_jacobian_diagonal"]
    heads = measure(DENSE, np.random.default_rng(3), tokens=8, d_k=16, draws=2000, statistics=statistics)
    table = sampled(swept([8], [16], blocks=8)).set_index(["scaling", "statistic"])
    for statistic in statistics:
        values = heads[scaling, statistic]
        row: Any = table.loc[(scaling, statistic)]
        assert abs(values.mean() - row["mean"]) < 4 * math.hypot(
            row["std_error"], values.std(ddof=1) / math.sqrt(values.size)
        )


@pytest.mark.parametrize("tokens", [8, 16, 100])
def test_deviations_are_as_large_as_chance_makes_them(tokens: int) -> None:
    # Ratios of a mean's distance to its error have mean square 1 if both are right.
    squares = []
    for seed in range(60):
        tables = swept([tokens], [16], seed=seed)
        for statistic in ("score_rms", "max_weight", "entropy", "jacobian_trace"):
            squares.append(quantities(tables, statistic)["largest_deviation"] ** 2)
    # The largest of two normal deviations that go together more or less: its mean square lies between 1 and 1 + 2/π.
    assert 0.8 < np.mean(squares) < 1.9


def test_the_summary_judges_every_comparison_once() -> None:
    tables = swept([8, 16], [1, 64, 2**20])
    table = tables.table.set_index(CELL)["mean"]
    errors = tables.table.set_index(CELL)["std_error"]
    counted = dict.fromkeys(("score_rms", "max_weight", "entropy", "jacobian_trace"), 0)
    largest = dict.fromkeys(counted, 0.0)
    for tokens, d_k, scaling, statistic in table.index:
        if statistic not in counted or (statistic, scaling) == ("score_rms", "unscaled"):
            continue
        trace = table[tokens, d_k, scaling, "exact_jacobian_trace"]
        if statistic != "score_rms" and ROWS_PER_BLOCK * trace < OPEN_ROWS:
            continue
        key = (tokens, d_k, scaling, statistic)
        deviation = abs(table[key] - table[tokens, d_k, scaling, f"exact_{statistic}"]) / errors[key]
        counted[statistic] += 1
        largest[statistic] = max(largest[statistic], deviation)
    for statistic, count in counted.items():
        found = quantities(tables, statistic)
        assert found["comparisons"] == count
        assert found["largest_deviation"] == pytest.approx(largest[statistic], rel=1e-12)
        assert found["expected_largest_deviation"] == pytest.approx(largest_by_chance(count))
    together = quantities(tables)
    assert together["comparisons"] == sum(counted.values())
    assert together["largest_deviation"] == pytest.approx(max(largest.values()), rel=1e-12)
    left_out = tables.summary.set_index("statistic")["value"]["left_out"]
    assert left_out == 2 * 3 * 7 - together["comparisons"] > 0


@pytest.mark.parametrize(("tokens", "widths"), [([1], [1]), ([1], [2**20]), ([1, 2], [1, 2**20]), ([3000], [90])])
def test_the_edges_of_the_config_give_finite_numbers(tokens: list[int], widths: list[int]) -> None:
    tables = swept(tokens, widths)
    assert np.isfinite(tables.table[["mean", "std_error"]].to_numpy()).all()
    assert np.isfinite(tables.summary["value"]).all()
    assert quotable_numbers("width_sweep", tables.table, tables.summary)
    one = tables.table[tables.table["tokens"] == 1].set_index(["statistic"])["mean"]
    if 1 in tokens:
        assert (one[["max_weight", "squared_weights"]] == 1).all()
        assert one[["exact_max_weight", "exact_squared_weights"]].to_numpy() == pytest.approx(1, rel=1e-12)
        assert (one[["entropy", "normalized_entropy", "jacobian_trace", "jacobian_norm"]] == 0).all()


def test_memory_does_not_grow_with_the_work() -> None:
    swept([8], [64])
    peaks = []
    for blocks in (2, 40):
        tracemalloc.start()
        swept([8], [64], blocks=blocks)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


@pytest.mark.parametrize("blocks", [0, -1])
def test_no_blocks_are_refused(blocks: int) -> None:
    with pytest.raises(ValueError, match="blocks is"):
        swept([8], [4], blocks=blocks)


@pytest.mark.parametrize("comparisons", [1, 2, 63, 381])
def test_the_largest_of_many_deviations(comparisons: int) -> None:
    def exceeds(t: float) -> float:
        return 1 - (1 - 2 * norm.sf(t)) ** comparisons

    expected, _ = quad(exceeds, 0, 12, limit=200)
    assert largest_by_chance(comparisons) == pytest.approx(expected, rel=1e-4)
    assert exceeds(rarely_exceeded(comparisons, 0.01)) == pytest.approx(0.01, rel=1e-9)


def test_one_deviation_is_a_half_normal_one() -> None:
    assert largest_by_chance(1) == pytest.approx(math.sqrt(2 / math.pi), rel=1e-4)
    assert rarely_exceeded(1, 0.05) == pytest.approx(1.959963985)


def drawn(tables: Tables, **changed: pd.DataFrame) -> Figure:
    names = ("max_weight", "dimension_sweep", "score_std", "score_std_summary", "closed_row")
    given: dict[str, Any] = {name: read_table(PROJECT / "data" / f"{name}.csv") for name in names} | changed
    with matplotlib.rc_context(rc_parameters("test")):
        figure = Figure(figsize=(6.5, 3.3))
        draw_width_sweep(figure, width_sweep=tables.table, width_sweep_summary=tables.summary, **given, style=STYLE)
        figure.draw_without_rendering()
    return figure


def points_of(figure: Figure, panel: int, marker: str) -> set[tuple[float, float]]:
    containers: list[Any] = list(figure.axes[panel].containers)
    lines = [container.lines[0] for container in containers]
    return {point for line in lines if line.get_marker() == marker for point in zip(*line.get_data(), strict=True)}


def test_the_figure_has_exact_curves_sampled_dots_and_the_points_of_others() -> None:
    tables = swept([8, 16], [1, 16, 1024])
    figure = drawn(tables)
    table = tables.table
    for panel, statistic in enumerate(("max_weight", "entropy", "jacobian_trace")):
        for scaling, curve in STYLE.curves.items():
            rows = table[(table["statistic"] == f"exact_{statistic}") & (table["scaling"] == scaling)]
            lines: list[Any] = [line for line in figure.axes[panel].lines if "exact" in str(line.get_label())]
            (line,) = [line for line in lines if line.get_color() == curve.color]
            curves = {point for point in zip(*line.get_data(), strict=True) if not math.isnan(point[1])}
            assert curves == set(zip(rows["d_k"], rows["mean"], strict=True))
        rows = table[table["statistic"] == statistic]
        assert points_of(figure, panel, ".") == set(zip(rows["d_k"], rows["mean"], strict=True))
    published = {name: read_table(PROJECT / "data" / f"{name}.csv") for name in ("max_weight", "dimension_sweep")}
    rows = published["max_weight"]
    assert points_of(figure, 0, "s") == set(zip(rows["d_k"], rows["mean"], strict=True))
    rows = published["dimension_sweep"]
    rows = rows[rows["statistic"] == "entropy"]
    assert points_of(figure, 1, "D") == set(zip(rows["d_k"], rows["mean"], strict=True))
    spread = read_table(PROJECT / "data" / "score_std.csv")
    shares = spread[spread["statistic"] == "normalized_entropy"]["mean"]
    assert sorted(y for _, y in points_of(figure, 1, "o")) == pytest.approx(sorted(shares * math.log(16)), rel=1e-9)
    assert len(points_of(figure, 2, "^")) == 6


def test_points_without_a_curve_are_left_out() -> None:
    figure = drawn(swept([8], [4, 64]))
    assert points_of(figure, 1, "o") == set()
    (legend,) = figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    assert "spread and entropy" not in names
    assert "heatmaps-demo" in names
    assert f"{ROWS_PER_BLOCK} sampled rows" in names


@pytest.mark.parametrize("widths", [[1], [90], [1, 2, 3], [2**power for power in range(21)]])
def test_powers_are_labelled_without_touching(widths: list[int]) -> None:
    figure = drawn(swept([3], widths))
    for ax in figure.axes:
        labels = [label for label in ax.get_xticklabels() if label.get_text()]
        assert labels
        boxes = sorted((label.get_window_extent() for label in labels), key=lambda box: box.x0)
        assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


def test_exact_values_have_the_names_of_sampled_ones() -> None:
    assert {name for _, name in exact_values(8, 4)} == EXACT
