"""One row of scores at several head widths, and its weights after dividing by 1, by sqrt(d_k) and by d_k."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rootdk.axes import DIGIT_WIDTH, length_in_points, position_ticks
from rootdk.figure_files import run_drawing
from rootdk.style import Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Each divisor, and how it is written.
DIVISORS = {"1": "1", "sqrt(d_k)": r"$\sqrt{d_k}$", "d_k": "$d_k$"}
HIGHLIGHTED = "sqrt(d_k)"
HIGHLIGHT = "#EAF1F8"
PALE = "#C4C4C4"
VALUE_SIZE = 8


def draw_divisor_shareout(figure: "Figure", *, divisor_shareout: pd.DataFrame, style: Style) -> None:
    """Draw a grid of bars: the scores on top, then one row per divisor; columns are head widths.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    divisor_shareout : pandas.DataFrame
        Scores and weights.
    style : Style
        Colours.
    """
    widths = sorted(divisor_shareout["d_k"].unique())
    grid = figure.subplots(1 + len(DIVISORS), len(widths), sharex=True, sharey="row", squeeze=False)
    undivided = divisor_shareout[divisor_shareout["divisor"] == "1"]
    for column, d_k in enumerate(widths):
        top = grid[0, column]
        top.set_title(rf"$d_k = {d_k}$", loc="center")
        scores = undivided[undivided["d_k"] == d_k]["score"].to_numpy()
        _bars(top, scores, style.muted, PALE)
        top.axhline(0, color=style.ink, linewidth=0.6)
        for line, divisor in enumerate(DIVISORS, start=1):
            rows = divisor_shareout[(divisor_shareout["d_k"] == d_k) & (divisor_shareout["divisor"] == divisor)]
            _share_out(grid[line, column], rows["weight"].to_numpy(), style, highlighted=divisor == HIGHLIGHTED)
    _name_row(grid[0, 0], 0, "scores", "undivided")
    for line, name in enumerate(DIVISORS.values(), start=1):
        _name_row(grid[line, 0], line, f"scores / {name}", "weight")
    figure.align_ylabels(grid[:, 0])
    figure.supxlabel("position in the row", size=grid[0, 0].yaxis.label.get_size())


def _share_out(ax: "Axes", weights: np.ndarray, style: Style, *, highlighted: bool) -> None:
    positions = weights.size
    if highlighted:
        ax.set_facecolor(HIGHLIGHT)
        _bars(ax, weights, style.curves["scaled"].color, style.sequence[3])
    else:
        _bars(ax, weights, style.muted, PALE)
    ax.set(xlim=(0.4, positions + 0.6), ylim=(0, 1.3))
    ax.set_yticks([0, 0.5, 1], labels=["0", "0.5", "1"])
    points_per_position = length_in_points(ax, "x") / (positions + 0.2)
    ax.set_xticks(position_ticks(positions, length_in_points(ax, "x"), 12))
    # "0.43" is 3.5 digits wide; above the first or last of many thin bars it would stick out.
    half = min(3.5 * DIGIT_WIDTH * VALUE_SIZE / 2 / points_per_position, (positions + 0.2) / 2)
    winner = weights.argmax()
    place = np.clip(winner + 1, 0.4 + half, positions + 0.6 - half)
    look: dict[str, Any] = (
        {"color": style.curves["scaled"].color, "weight": "bold"} if highlighted else {"color": style.ink}
    )
    ax.annotate(
        f"{weights[winner]:.2f}",
        (place, weights[winner]),
        xytext=(0, 2.5),
        textcoords="offset points",
        size=VALUE_SIZE,
        ha="center",
        **look,
    )


def _bars(ax: "Axes", heights: np.ndarray, strong: str, pale: str) -> None:
    # The winner is the first of the largest, as everywhere.
    colors = [strong if place == heights.argmax() else pale for place in range(heights.size)]
    ax.bar(np.arange(heights.size) + 1, heights, color=colors)


def _name_row(ax: "Axes", line: int, name: str, quantity: str) -> None:
    ax.set_ylabel(rf"$\mathbf{{({'abcd'[line]})}}$ {name}" + f"\n{quantity}")


if __name__ == "__main__":
    run_drawing(draw_divisor_shareout)
