"""Largest weight and weight of the aligned key against head width, by how far the query is aligned with that key."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rootdk.axes import (
    DIGIT_WIDTH,
    POINTS_PER_INCH,
    MarginLabel,
    head_width_axis,
    legend_above,
    margin_labels,
    panel_title,
    rule_at,
    share_axis,
    sweep_curve,
)
from rootdk.figure_files import run_drawing
from rootdk.style import Curve, Style

import matplotlib  # isort: skip  after rootdk.style, which chooses its fonts
from matplotlib.colors import to_hex, to_rgb  # isort: skip

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STATISTICS = {"max_weight": "largest weight", "aligned_weight": "aligned key"}
MARKERS = "vso^D><h"


def draw_alignment(figure: "Figure", *, alignment: pd.DataFrame, style: Style) -> None:
    """Draw two rows of panels, one per statistic: without the division on the left, with it on the right.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    alignment : pandas.DataFrame
        The sweep, once per correlation.
    style : Style
        Colours; the curves run from light to dark with the correlation, and that of none is dashed.
    """
    keys = int(alignment["tokens"].iloc[0])
    curves = _curves(sorted(alignment["correlation"].unique()), style)
    all_axes = figure.subplots(2, 2, sharex=True, sharey=True)
    panels = [(statistic, scaling) for statistic in STATISTICS for scaling in style.curves]
    for place, (ax, (statistic, scaling)) in enumerate(zip(all_axes.flat, panels, strict=True)):
        panel_title(ax, place, f"{STATISTICS[statistic]}, {style.curves[scaling].label}")
        for correlation, curve in curves.items():
            sweep_curve(ax, alignment[alignment["correlation"] == correlation], statistic, scaling, curve, markersize=4)
        rule_at(ax, 1 / keys, style)
    share_axis(all_axes[0, 0], "weight")
    all_axes[1, 0].set_ylabel("weight")
    for ax in all_axes[1]:
        head_width_axis(ax, alignment["d_k"].unique().tolist())
    for ax in all_axes[:, 1]:
        margin_labels(ax, [MarginLabel(f"1/{keys}", 1 / keys, style.muted)])
    legend_above(figure, all_axes[0, 0], columns=_legend_columns(figure, [curve.label for curve in curves.values()]))


def _legend_columns(figure: "Figure", labels: list[str]) -> int:
    size = matplotlib.rcParams["legend.fontsize"]
    handle_and_gaps = matplotlib.rcParams["legend.handlelength"] + 2.6
    widest = (handle_and_gaps + DIGIT_WIDTH * max(map(len, labels))) * size
    return max(1, min(len(labels), int(figure.get_figwidth() * POINTS_PER_INCH / widest)))


def _curves(correlations: list[float], style: Style) -> dict[float, Curve]:
    shades = np.array([to_rgb(color) for color in reversed(style.sequence)])
    aligned = [correlation for correlation in correlations if correlation > 0]
    curves = {}
    for place, correlation in enumerate(correlations):
        along = 1.0 if len(aligned) < 2 else (place - correlations.index(aligned[0])) / (len(aligned) - 1)
        red, green, blue = (np.interp(along * (len(shades) - 1), range(len(shades)), channel) for channel in shades.T)
        curves[correlation] = Curve(
            label=f"ρ = {correlation:.15g}",
            color=to_hex((red, green, blue)) if correlation > 0 else style.muted,
            marker=MARKERS[place % len(MARKERS)],
            linestyle="-" if correlation > 0 else (0, (4, 1.6)),
        )
    return curves


if __name__ == "__main__":
    run_drawing(draw_alignment)
