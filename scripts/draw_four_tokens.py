"""Whom one query listens to: its weights on every token, without and with the division by sqrt(d_k)."""

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rootdk.axes import legend_above, length_in_points
from rootdk.figure_files import run_drawing
from rootdk.style import Style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Where in its unit of height a token's bar lies, and how thick it is: with scaling is what the figure is about.
BARS = {"scaled": (-0.15, 0.46), "unscaled": (0.26, 0.24)}
SMALLEST_TEXT = 7


def draw_four_tokens(
    figure: "Figure", *, four_tokens: pd.DataFrame, four_tokens_summary: pd.DataFrame, style: Style
) -> None:
    """Draw a pair of bars per token, with their values, and the line of even shares.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    four_tokens : pandas.DataFrame
        The weights, in the order of the tokens.
    four_tokens_summary : pandas.DataFrame
        Has the even share.
    style : Style
        Colours.
    """
    ax = figure.subplots()
    query = four_tokens["row"].iloc[0]
    names = list(four_tokens["column"].unique())
    ax.set_xlim(0, 1)
    ax.set_ylim(len(names) - 0.4, -0.6)
    each = length_in_points(ax, "y") / len(names)
    for scaling, (shift, thickness) in BARS.items():
        curve = style.curves[scaling]
        weights = four_tokens[four_tokens["scaling"] == scaling]["weight"].to_numpy()
        bars = ax.barh(np.arange(len(names)) + shift, weights, thickness, color=curve.color, label=curve.label)
        story = scaling == "scaled"
        size = float(np.clip(0.42 * each, SMALLEST_TEXT, 9 if story else 8))
        # Two values fit beside a token's bars, one beside thin ones, and none where there are too many tokens.
        if each > (1 if story else 2.2) * SMALLEST_TEXT:
            ax.bar_label(
                bars,
                [_short(weight) for weight in weights],
                padding=3,
                size=size,
                color=curve.color,
                weight="bold" if story else "normal",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
            )
    named = range(0, len(names), math.ceil(1.1 * SMALLEST_TEXT / each))
    ax.set_yticks(named, labels=[f"{names[row]} (itself)" if names[row] == query else names[row] for row in named])
    ax.tick_params(axis="y", length=0)
    if each < 8:
        ax.tick_params(axis="y", labelsize=SMALLEST_TEXT)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], labels=["0", "0.25", "0.5", "0.75", "1"])
    ax.set_xlabel(f"attention weight, query of “{query}”")
    even = four_tokens_summary.set_index("statistic")["value"]["even_share"]
    ax.axvline(even, color=style.muted, linewidth=0.6, linestyle=(0, (1, 1.5)), zorder=0.5)
    ax.text(
        even,
        1.01,
        f"even share 1/{len(names)}",
        color=style.muted,
        size="small",
        ha="center",
        transform=ax.get_xaxis_transform(),
    )
    legend_above(figure, ax, columns=2)


def _short(weight: float) -> str:
    return "< 0.001" if 0 < weight < 0.0005 else f"{weight:.3f}"


if __name__ == "__main__":
    run_drawing(draw_four_tokens)
