"""Score spread, largest weight, entropy and Jacobian trace against head width, without and with scaling."""

from typing import TYPE_CHECKING

import pandas as pd

from rootdk.axes import (
    MarginLabel,
    doubling_axis,
    head_width_axis,
    legend_above,
    margin_labels,
    panel_title,
    rule_at,
    share_axis,
    sweep_curve,
)
from rootdk.figure_files import run_drawing
from rootdk.style import Style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLES = {
    "score_std": "score spread",
    "max_weight": "largest weight",
    "entropy": "entropy",
    "jacobian_trace": "Jacobian trace",
}


def draw_dimension_sweep(
    figure: "Figure", *, dimension_sweep: pd.DataFrame, dimension_sweep_summary: pd.DataFrame, style: Style
) -> None:
    """Draw one panel per statistic, with the value of even shares where the statistic has one.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    dimension_sweep : pandas.DataFrame
        The sweep.
    dimension_sweep_summary : pandas.DataFrame
        Has the largest entropy and the largest trace that a row can have.
    style : Style
        Colours and markers.
    """
    tokens = int(dimension_sweep["tokens"].iloc[0])
    largest = dimension_sweep_summary.set_index("statistic")["value"]
    panels = dict(zip(TITLES, figure.subplots(2, 2).flat, strict=True))
    for place, (statistic, ax) in enumerate(panels.items()):
        panel_title(ax, place, TITLES[statistic])
        head_width_axis(ax, dimension_sweep["d_k"].unique().tolist())
        if place < 2:
            ax.set_xlabel("")

    spread = dimension_sweep[dimension_sweep["statistic"] == "score_std"]["mean"]
    doubling_axis(panels["score_std"], spread.min(), spread.max())
    panels["score_std"].set_ylabel("standard deviation")
    share_axis(panels["max_weight"], "weight")
    panels["entropy"].set_ylim(0, 1.04 * largest["max_entropy"] or 1)
    panels["entropy"].yaxis.set_major_formatter("{x:g}")
    panels["entropy"].set_ylabel("nats")
    share_axis(panels["jacobian_trace"], "weight per score")
    for statistic, ax in panels.items():
        for scaling, curve in style.curves.items():
            sweep_curve(ax, dimension_sweep, statistic, scaling, curve)

    evens = {
        "max_weight": (f"1/{tokens}", 1 / tokens),
        "entropy": (rf"$\ln\,{tokens}$", largest["max_entropy"]),
        "jacobian_trace": (rf"$1-1/{tokens}$", largest["jacobian_trace_bound"]),
    }
    for statistic, (name, value) in evens.items():
        rule_at(panels[statistic], value, style)
        margin_labels(panels[statistic], [MarginLabel(name, value, style.muted)])
    legend_above(figure, panels["score_std"], columns=2)


if __name__ == "__main__":
    run_drawing(draw_dimension_sweep)
