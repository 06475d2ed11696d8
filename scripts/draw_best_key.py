"""The weight of the one key that the query matches, against head width, without and with the division."""

from typing import TYPE_CHECKING

import pandas as pd

from rootdk.axes import head_width_axis, legend_above, rule_at, share_axis
from rootdk.figure_files import run_drawing
from rootdk.style import Style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_best_key(figure: "Figure", *, best_key: pd.DataFrame, style: Style) -> None:
    """Draw the best key's weight without and with scaling, and the even share.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    best_key : pandas.DataFrame
        The weight of every key; the best is the first.
    style : Style
        Colours and markers.
    """
    ax = figure.subplots()
    for scaling, curve in style.curves.items():
        rows = best_key[(best_key.scaling == scaling) & (best_key["key"] == 1)].sort_values("d_k")
        ax.plot(rows["d_k"].to_numpy(), rows["weight"].to_numpy(), label=curve.label, **curve.line())
    keys = best_key["key"].max()
    head_width_axis(ax, best_key["d_k"].unique().tolist())
    share_axis(ax, "weight of the best key")
    rule_at(ax, 1, style)
    rule_at(ax, 1 / keys, style, label=f"even share, 1/{keys}")
    legend_above(figure, ax, columns=3)


if __name__ == "__main__":
    run_drawing(draw_best_key)
