"""How scaled rows approach their limit: the law, its factor, and the figure."""

import math
from pathlib import Path

import numpy as np
import pytest
from test_figures import drawn

from draw_approach import draw_approach
from rootdk.exact import expected
from rootdk.tables import Tables, read_table, write_table
from simulate_approach import simulate_approach

pytestmark = pytest.mark.filterwarnings("error")

WIDTHS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536]
STATISTICS = ["max_weight", "entropy", "jacobian_trace"]


@pytest.fixture(scope="module")
def tables() -> Tables:
    return simulate_approach(keys=8, head_widths=WIDTHS)


def differences(tables: Tables, statistic: str) -> np.ndarray:
    rows = tables.table[tables.table["statistic"] == statistic]
    return rows.sort_values("d_k")["relative_difference"].to_numpy()


def quantity(tables: Tables, name: str) -> float:
    return float(tables.summary.set_index("statistic")["value"][name])


@pytest.mark.parametrize("statistic", STATISTICS)
def test_the_distance_falls_as_the_width_grows(tables: Tables, statistic: str) -> None:
    found = differences(tables, statistic)
    assert found[3:-1] / found[4:] == pytest.approx(4, rel=0.02)
    c = quantity(tables, f"{statistic}_coefficient")
    assert found[-1] * WIDTHS[-1] == pytest.approx(c, rel=1e-4)
    assert quantity(tables, f"{statistic}_difference_times_width") == pytest.approx(c, rel=1e-4)
    # Less the law, what is left is of the next order.
    left = found - c / np.array(WIDTHS)
    assert left[4] / left[6] == pytest.approx(256, rel=0.1)


def test_narrow_heads_are_the_more_even_in_a_short_row_and_the_less_even_in_a_long_one() -> None:
    short, long = (simulate_approach(keys=keys, head_widths=[4096]) for keys in (8, 100))
    assert differences(short, "max_weight") < 0 < differences(long, "max_weight")


def test_the_table_gives_the_expectations_back(tables: Tables) -> None:
    for statistic in STATISTICS:
        limit = quantity(tables, f"{statistic}_limit")
        again = [expected(statistic, tokens=8, d_k=d_k, power=0.5) for d_k in WIDTHS]
        assert limit * (1 + differences(tables, statistic)) == pytest.approx(again, rel=1e-14)


def test_the_last_digits_of_a_machine_are_not_written(tables: Tables, tmp_path: Path) -> None:
    # Another processor's kernels change an expectation's sixteenth digit.
    moved = tables.table.copy()
    size = 1e-15 * (-1.0) ** np.arange(len(moved))
    moved["relative_difference"] = (1 + moved["relative_difference"]) * (1 + size) - 1
    for name, table in (("here", tables.table), ("there", moved)):
        write_table(table, tmp_path / f"{name}.csv", rounded=True)
    assert (tmp_path / "here.csv").read_bytes() == (tmp_path / "there.csv").read_bytes()
    kept = read_table(tmp_path / "here.csv")["relative_difference"]
    assert kept.to_numpy() == pytest.approx(tables.table["relative_difference"].to_numpy(), rel=1e-4)


def test_points_are_filled_above_the_limit_and_open_below(tables: Tables) -> None:
    (ax,) = drawn(draw_approach, approach=tables.table, approach_summary=tables.summary).axes
    points = [line for line in ax.lines if line.get_marker() in ("o", "D", "s")]
    for place, statistic in enumerate(STATISTICS):
        for line in points[2 * place : 2 * place + 2]:
            shown = np.isfinite(line.get_ydata())
            is_filled = line.get_markerfacecolor() != "white"
            assert (shown == ((differences(tables, statistic) > 0) == is_filled)).all()


@pytest.mark.parametrize(
    ("keys", "head_widths"), [(2, [1]), (2, [1048576]), (8, [3, 5]), (10000, [1, 1048576]), (100, [8, 9])]
)
def test_the_edges_of_the_config_are_drawn(keys: int, head_widths: list[int]) -> None:
    tables = simulate_approach(keys=keys, head_widths=head_widths)
    assert all(map(math.isfinite, [*tables.table["relative_difference"], *tables.summary["value"]]))
    (ax,) = drawn(draw_approach, approach=tables.table, approach_summary=tables.summary).axes
    low, high = ax.get_ylim()
    sizes = tables.table["relative_difference"].abs()
    assert low < sizes.min() <= sizes.max() < high
    assert 2 <= sum(low <= tick <= high for tick in ax.get_yticks()) <= 9
