"""Largest weight against head width, by how far the query is aligned with one key, without and with the division."""

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

MARKERS = "vso^D><h"


def draw_alignment(figure: "Figure", *, alignment: pd.DataFrame, style: Style) -> None:
    """Draw two panels: without the division on the left, with it on the right.

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
    panels = figure.subplots(1, 2, sharey=True)
    share_axis(panels[0], "largest weight, mean")
    for place, (ax, (scaling, look)) in enumerate(zip(panels, style.curves.items(), strict=True)):
        panel_title(ax, place, look.label)
        head_width_axis(ax, alignment["d_k"].unique().tolist())
        for correlation, curve in curves.items():
            of_correlation = alignment[alignment["correlation"] == correlation]
            sweep_curve(ax, of_correlation, "max_weight", scaling, curve, markersize=4)
        rule_at(ax, 1 / keys, style)
    margin_labels(panels[1], [MarginLabel(f"1/{keys}", 1 / keys, style.muted)])
    legend_above(figure, panels[0], columns=_legend_columns(figure, [curve.label for curve in curves.values()]))


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
