"""How far scaled rows are from their limit for wide heads, against head width, beside the law 1/d_k."""

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from rootdk.axes import MarginLabel, head_width_axis, margin_labels
from rootdk.figure_files import run_drawing
from rootdk.style import Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class _Look(NamedTuple):
    name: str
    marker: str
    color: str


MOST_LABELS = 8  # on the axis of distances


def draw_approach(figure: "Figure", *, approach: pd.DataFrame, approach_summary: pd.DataFrame, style: Style) -> None:
    """Draw the sizes of the relative differences, filled above the limit and open below it, and the law of each.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    approach : pandas.DataFrame
        The relative differences.
    approach_summary : pandas.DataFrame
        Has the factors of 1/d_k.
    style : Style
        Colours and markers.
    """
    ax = figure.subplots()
    widths = np.array(sorted(approach["d_k"].unique()), dtype=float)
    factors = approach_summary.set_index("statistic")["value"]
    head_width_axis(ax, approach["d_k"].unique().tolist())
    _distance_axis(ax, approach["relative_difference"].abs())
    labels = []
    for statistic, look in _looks(style).items():
        rows = approach[approach["statistic"] == statistic].sort_values("d_k")
        differences = rows["relative_difference"].to_numpy()
        law = abs(float(factors[f"{statistic}_coefficient"])) / widths
        ax.plot(widths, law, color=look.color, linewidth=0.9, linestyle=(0, (1, 1.5)), zorder=1)
        for above in (True, False):
            sizes = np.where((differences > 0) == above, np.abs(differences), np.nan)
            ax.plot(
                widths,
                sizes,
                color=look.color,
                linestyle="none",
                marker=look.marker,
                markerfacecolor=look.color if above else "white",
                zorder=2,
            )
        labels.append(MarginLabel(look.name, float(law[-1]), look.color))
    margin_labels(ax, labels)


def _looks(style: Style) -> dict[str, _Look]:
    return {
        "max_weight": _Look("largest weight", "o", style.sequence[0]),
        "entropy": _Look("entropy", "D", style.sequence[1]),
        "jacobian_trace": _Look("Jacobian trace", "s", style.muted),
    }


def _distance_axis(ax: "Axes", sizes: pd.Series) -> None:
    seen = sizes[sizes > 0]
    first, last = math.floor(math.log10(seen.min())), math.ceil(math.log10(seen.max()))
    step = max(1, math.ceil((last - first) / MOST_LABELS))
    powers = list(range(last, first - 1, -step))
    ax.set_yscale("log")
    ax.set_yticks([10.0**power for power in powers], labels=[_percent(power) for power in powers])
    ax.minorticks_off()
    # Over few decades a label would be missed at either end.
    ends = (seen.min(), seen.max()) if last - first > 3 else (10.0**first, 10.0**last)
    ax.set_ylim(ends[0] / 2, ends[1] * 2)
    ax.set_ylabel("distance from the limit")


def _percent(power: int) -> str:
    return f"{10 ** (power + 2)} %" if power >= -2 else f"{10.0 ** (power + 2):.{-power - 2}f} %"


if __name__ == "__main__":
    run_drawing(draw_approach)
