"""What many queries do with one set of keys, against head width: largest weight and two measures of its pull."""

from typing import TYPE_CHECKING

import pandas as pd

from rootdk.axes import bound_at, head_width_axis, legend_above, panel_title, sweep_curve
from rootdk.figure_files import run_drawing
from rootdk.style import Style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_closed_row(
    figure: "Figure", *, closed_row: pd.DataFrame, closed_row_summary: pd.DataFrame, style: Style
) -> None:
    """Draw three panels, each with the bound of its statistic.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    closed_row : pandas.DataFrame
        The sweep.
    closed_row_summary : pandas.DataFrame
        Holds the bound of the Jacobian trace.
    style : Style
        Colours and markers.
    """
    of_trace = closed_row_summary.loc[closed_row_summary.statistic == "jacobian_trace_bound", "value"].iloc[0]
    panels = (
        ("max_weight", "largest weight", "fraction of the row", 1.0, "$1$"),
        ("jacobian_trace", "Jacobian trace", "weight per score", of_trace, "$1-1/n$"),
        ("max_jacobian_diagonal", "largest $a(1-a)$", "weight per score", 0.25, "$1/4$"),
    )
    all_axes = figure.subplots(1, len(panels))
    for place, (ax, (statistic, title, unit, bound, text)) in enumerate(zip(all_axes, panels, strict=True)):
        for scaling, curve in style.curves.items():
            sweep_curve(ax, closed_row, statistic, scaling, curve)
        head_width_axis(ax, closed_row["d_k"].unique().tolist())
        bound_at(ax, bound, text, style)
        ax.set_ylabel(unit)
        panel_title(ax, place, title)
    # Both are at most 1, so one scale serves both; a(1 - a) gets the same picture at a quarter of it.
    for ax, top, steps in zip(all_axes, (1.0, 1.0, 0.25), (4, 4, 5), strict=True):
        ax.set_ylim(0, 1.14 * top)
        ax.set_yticks([step * top / steps for step in range(steps + 1)])
        ax.yaxis.set_major_formatter("{x:.2g}")
    legend_above(figure, all_axes[0], columns=2)


if __name__ == "__main__":
    run_drawing(draw_closed_row)
