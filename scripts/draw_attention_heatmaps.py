"""The weights of one head of random queries and keys, without and with the division by sqrt(d_k)."""

from typing import TYPE_CHECKING

import pandas as pd

from rootdk.axes import cell_ink, length_in_points, panel_title, position_ticks, weight_heatmap
from rootdk.figure_files import run_drawing
from rootdk.style import Style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VALUE_SIZE = 7
LARGEST_VALUE_SIZE = 9
VALUE_ROOM = 2.1 * VALUE_SIZE  # points that "0.58" takes, with some air
DOT_ROOM = 4.5  # points that a cell needs to hold a dot


def draw_attention_heatmaps(figure: "Figure", *, attention_heatmaps: pd.DataFrame, style: Style) -> None:
    """Draw two heatmaps on one colour scale, with the value of each row's winner in its cell.

    Where cells are too small for values a dot marks the winner, and where they are too small for that nothing does.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    attention_heatmaps : pandas.DataFrame
        The weights.
    style : Style
        Colours.
    """
    panels = figure.subplots(1, len(style.curves))
    for place, (ax, (scaling, curve)) in enumerate(zip(panels, style.curves.items(), strict=True)):
        rows = attention_heatmaps[attention_heatmaps["scaling"] == scaling].astype({"row": int, "column": int})
        tokens = rows["row"].max()
        weights = rows.sort_values(["row", "column"])["weight"].to_numpy().reshape(tokens, tokens)
        room = min(length_in_points(ax, "x"), length_in_points(ax, "y"))
        cells = weight_heatmap(ax, weights, style)
        for row, winner in enumerate(weights.argmax(axis=1)):
            weight = weights[row, winner]
            at = {"x": winner + 1, "y": row + 1}
            if room / tokens >= VALUE_ROOM:
                ink = cell_ink(weight, style)
                size = min(max(VALUE_SIZE, 0.38 * room / tokens), LARGEST_VALUE_SIZE)
                ax.text(*at.values(), f"{weight:.2f}", size=size, color=ink, ha="center", va="center")
            elif room / tokens >= DOT_ROOM:
                ax.plot(*at.values(), "o", color=cell_ink(weight, style), markersize=2.2, markeredgewidth=0)
        ticks = position_ticks(tokens, room, 12)
        ax.set_xticks(ticks)
        ax.set_yticks(ticks)
        ax.set_xlabel("key position $j$")
        panel_title(ax, place, curve.label)
    panels[0].set_ylabel("query position $i$")
    # Inside the panel's frame of reference, so that the bar is as high as the squares whatever the figure's shape.
    beside = panels[-1].inset_axes((1.05, 0, 0.045, 1))
    bar = figure.colorbar(cells, cax=beside, label="attention weight", ticks=[0, 0.25, 0.5, 0.75, 1])
    bar.ax.set_yticklabels(["0", "0.25", "0.5", "0.75", "1"])
    bar.outline.set_linewidth(0.4)


if __name__ == "__main__":
    run_drawing(draw_attention_heatmaps)
