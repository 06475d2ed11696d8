"""The curve a(1 - a), with the weights of one row by hand and the winners of one head's rows marked on it."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rootdk.axes import bound_at
from rootdk.figure_files import run_drawing
from rootdk.style import Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMED = 5  # marks of a row by hand that still have room for their tokens' names
BANDS = (0, 1.3, 2.3, 3.3)  # where the strip's bands begin; the first is higher, for the names


def draw_saturation_curve(
    figure: "Figure",
    *,
    saturation_curve: pd.DataFrame,
    four_tokens: pd.DataFrame,
    attention_heatmaps_summary: pd.DataFrame,
    style: Style,
) -> None:
    """Draw the curve with the weights on it, and below it a strip per group where the same weights lie apart.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    saturation_curve : pandas.DataFrame
        The curve.
    four_tokens : pandas.DataFrame
        The weights of one row; the scaled ones are marked.
    attention_heatmaps_summary : pandas.DataFrame
        The largest weight of each of a head's rows, unscaled and scaled.
    style : Style
        Colours and markers.
    """
    row = four_tokens[four_tokens.scaling == "scaled"]
    winners = attention_heatmaps_summary[attention_heatmaps_summary.statistic == "max_weight"].set_index("scaling")
    groups = [
        (
            f"row of “{row['row'].iloc[0]}”, with scaling",
            row["weight"].to_numpy(),
            {"color": style.accent, "marker": "D", "markeredgecolor": style.ink},
        )
    ]
    groups += [
        (
            f"winners of one head, {curve.label}",
            winners.loc[[scaling], "value"].to_numpy(),
            {"color": curve.color, "marker": curve.marker, "markeredgecolor": "white"},
        )
        for scaling, curve in reversed(list(style.curves.items()))
    ]
    curve_ax, strip_ax = figure.subplots(2, 1, sharex=True, height_ratios=(1.6, 1))
    curve_ax.plot(
        saturation_curve["own_weight"].to_numpy(),
        saturation_curve["derivative"].to_numpy(),
        color=style.muted,
        zorder=1,
    )
    for place, (label, weights, mark) in enumerate(groups):
        look = {"linestyle": "none", "markeredgewidth": 0.4, "clip_on": False, "zorder": 3} | mark
        curve_ax.plot(weights, weights * (1 - weights), label=label, markersize=4, **look)
        strip_ax.plot(weights, _apart(len(weights), place), markersize=3, **look)
    if len(row) <= NAMED:
        _name_marks(strip_ax, row, _apart(len(row), 0))
    for top in BANDS[1:-1]:
        strip_ax.axhline(top, color=style.faint, linewidth=0.6, zorder=0.5)

    bound_at(curve_ax, 0.25, "$1/4$", style)
    curve_ax.set_ylim(0, 0.285)
    curve_ax.set_yticks([0, 0.05, 0.1, 0.15, 0.2, 0.25])
    curve_ax.yaxis.set_major_formatter("{x:.2g}")
    curve_ax.set_ylabel("derivative $a(1-a)$")
    strip_ax.set_xlim(0, 1)
    strip_ax.set_xticks([0, 0.25, 0.5, 0.75, 1], labels=["0", "0.25", "0.5", "0.75", "1"])
    strip_ax.set_ylim(BANDS[-1], BANDS[0])
    strip_ax.set_yticks([])
    strip_ax.spines["left"].set_visible(False)
    strip_ax.set_ylabel("the same marks")
    strip_ax.set_xlabel("attention weight $a$")
    # Nothing ever lies below the curve.
    curve_ax.legend(loc="lower center", bbox_to_anchor=(0.5, 0.06), handletextpad=0.2)


def _apart(marks: int, place: int) -> np.ndarray:
    # In the order of the rows or keys, so that marks of one weight stand below each other.
    top, bottom = BANDS[place : place + 2]
    step = min(0.25, 0.76 / max(1, marks - 1))
    return (top + bottom) / 2 + step * (bottom - top) * (np.arange(marks) - (marks - 1) / 2)


def _name_marks(ax: "Axes", row: pd.DataFrame, heights: np.ndarray) -> None:
    for name, weight, height in zip(row["column"], row["weight"], heights, strict=True):
        left = weight > 0.5
        ax.annotate(
            name,
            (weight, height),
            xytext=(-4.5 if left else 4.5, 0),
            textcoords="offset points",
            horizontalalignment="right" if left else "left",
            verticalalignment="center",
            fontsize=7,
        )


if __name__ == "__main__":
    run_drawing(draw_saturation_curve)
