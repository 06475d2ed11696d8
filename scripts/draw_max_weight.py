"""The largest attention weight against head width, without and with the division by sqrt(d_k)."""

from typing import TYPE_CHECKING

import pandas as pd

from rootdk.axes import MarginLabel, head_width_axis, margin_labels, rule_at, share_axis, sweep_curve
from rootdk.figure_files import run_drawing
from rootdk.style import Style
from rootdk.tables import sweep_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_max_weight(figure: "Figure", *, max_weight: pd.DataFrame, style: Style) -> None:
    """Draw both curves with their standard errors, the line at 1 and that of even shares.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    max_weight : pandas.DataFrame
        The sweep.
    style : Style
        Colours and markers.
    """
    ax = figure.subplots()
    widths = max_weight["d_k"].unique().tolist()
    tokens = int(max_weight["tokens"].iloc[0])
    head_width_axis(ax, widths)
    share_axis(ax, "largest weight in a row, mean")
    labels = [MarginLabel(f"even share 1/{tokens}", 1 / tokens, style.muted)]
    for scaling, curve in style.curves.items():
        sweep_curve(ax, max_weight, "max_weight", scaling, curve)
        last = sweep_value(max_weight, d_k=max(widths), scaling=scaling, statistic="max_weight")
        labels.append(MarginLabel(curve.label, last, curve.color))
    rule_at(ax, 1, style)
    rule_at(ax, 1 / tokens, style)
    margin_labels(ax, labels)


if __name__ == "__main__":
    run_drawing(draw_max_weight)
