"""The exact law of a score between signs, against the normal law of the same standard deviation."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rootdk.axes import length_in_points, panel_title
from rootdk.figure_files import run_drawing
from rootdk.style import Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

REACH = 4.0  # standard deviations on both sides
TOP = 0.86  # times 1/sqrt(d_k): above every normal law's peak, which is 2/sqrt(2 pi d_k)
SEPARATE = 4  # points from one mark to the next that keep them apart


def draw_sign_scores(figure: "Figure", *, sign_scores: pd.DataFrame, style: Style) -> None:
    """Draw a panel per head width, in order of width.

    Both axes of a panel are scaled with sqrt(d_k), so that the normal law is the same picture in all of them.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    sign_scores : pandas.DataFrame
        The exact probability of each score, and the share that the normal law gives it.
    style : Style
        Colours and markers.
    """
    widths = sorted(sign_scores["d_k"].unique().tolist())
    columns = len(widths) if len(widths) <= 3 else math.ceil(math.sqrt(len(widths)))
    rows = math.ceil(len(widths) / columns)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for place, (ax, d_k) in enumerate(zip(grid, widths, strict=False)):
        _draw_law(ax, sign_scores[sign_scores["d_k"] == d_k], math.sqrt(d_k), style)
        panel_title(ax, place, f"$d_k={d_k}$")
    for ax in grid[len(widths) :]:
        ax.remove()
    figure.supxlabel("score, agreeing less disagreeing signs", fontsize="medium")
    figure.supylabel("probability", fontsize="medium")
    (law, few), (_, many) = (ax.get_legend_handles_labels()[0] for ax in (grid[0], grid[len(widths) - 1]))
    # Narrow heads show the normal law as points, wide ones as a line; its key shows both where there are both.
    handles: list[Any] = [law, (few, many)]
    figure.legend(
        handles,
        ["exact law of the score", r"normal law of standard deviation $\sqrt{d_k}$"],
        loc="outside upper left",
        ncols=2,
        columnspacing=1.8,
    )


def _draw_law(ax: "Axes", law: pd.DataFrame, deviation: float, style: Style) -> None:
    shown = law[law["sign_score"].abs() < REACH * deviation].sort_values("sign_score")
    scores = shown["sign_score"].to_numpy()
    # Scores are 2 apart: each bar covers the interval that the normal law's share belongs to.
    edges = np.append(scores - 1, scores[-1] + 1)
    apart = 2 * SEPARATE * REACH * deviation / 2 <= length_in_points(ax, "x")
    ax.stairs(shown["probability"], edges, fill=True, color=style.sequence[3], linewidth=0, label="exact")
    if apart:
        ax.vlines(edges, 0, shown["probability"].max(), color="white", linewidth=0.6)
    ax.plot(
        scores,
        shown["normal_share"],
        color=style.sequence[0],
        marker="o" if apart else "none",
        markersize=3.2,
        markerfacecolor="white",
        markeredgewidth=0.9,
        linestyle="none" if apart else "-",
        linewidth=1.1,
        clip_on=False,
        label="normal",
    )
    ax.set_xlim(-REACH * deviation, REACH * deviation)
    ax.set_ylim(0, TOP / deviation)
    step = round(deviation)
    ticks = [-2 * step, -step, 0, step, 2 * step]
    # Five numbers of three digits and a sign need about 100 points between the outer two, half of the axis.
    ax.set_xticks(ticks if length_in_points(ax, "x") >= 130 else ticks[::2])
    ax.locator_params(axis="y", nbins=4)
    ax.yaxis.set_major_formatter("{x:.4g}")


if __name__ == "__main__":
    run_drawing(draw_sign_scores)
