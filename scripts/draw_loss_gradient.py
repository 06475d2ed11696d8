"""The gradient of a row that is certain and wrong, with and without a logarithm in the loss."""

import math
from typing import TYPE_CHECKING

import pandas as pd

from rootdk.axes import MarginLabel, bound_at, margin_labels
from rootdk.figure_files import run_drawing
from rootdk.style import Curve, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_TICKS = 8


def draw_loss_gradient(
    figure: "Figure", *, loss_gradient: pd.DataFrame, loss_gradient_summary: pd.DataFrame, style: Style
) -> None:
    """Draw the gradient's length against the winner's score on a logarithmic axis, one curve per loss.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    loss_gradient : pandas.DataFrame
        Lengths by score and loss.
    loss_gradient_summary : pandas.DataFrame
        Has what the lengths go to.
    style : Style
        Colours and markers.
    """
    looks = {
        "cross_entropy": (r"$-\ln\,a_2$", Curve("", style.sequence[0], "o", "-")),
        "missing_weight": (r"$1-a_2$", Curve("", style.accent, "D", (0, (4, 1.6)))),
    }
    limits = loss_gradient_summary[loss_gradient_summary["statistic"] == "gradient_norm_limit"]
    limit = float(limits[limits["where"] == "loss=cross_entropy"]["value"].iloc[0])
    ax = figure.subplots()
    ends = []
    for loss, (name, curve) in looks.items():
        rows = loss_gradient[loss_gradient["loss"] == loss].sort_values("winner_score")
        ax.plot(rows["winner_score"].to_numpy(), rows["gradient_norm"].to_numpy(), **curve.line(), clip_on=False)
        ends.append(MarginLabel(name, rows["gradient_norm"].iloc[-1], style.ink))
    widest = loss_gradient["winner_score"].max() or 1
    ax.set_xlim(-0.03 * widest, 1.03 * widest)
    ax.locator_params(axis="x", steps=[1, 2, 5, 10])
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_xlabel("score $c$ of the first key, as it enters the softmax")
    _decades(ax, loss_gradient["gradient_norm"].min(), limit)
    ax.set_ylabel("gradient, loss per score")
    bound_at(ax, limit, r"$\sqrt{2}$", style)
    margin_labels(ax, ends)


def _decades(ax: "Axes", low: float, high: float) -> None:
    bottom, top = math.log10(low), math.log10(high)
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100) if step * (MOST_TICKS - 1) >= -math.floor(bottom))
    powers = range(0, math.floor(bottom) - 1, -step)
    ax.set_yscale("log")
    ax.set_yticks([10.0**power for power in powers], labels=[f"$10^{{{power}}}$" if power else "1" for power in powers])
    ax.minorticks_off()
    # Room for a name above the upper end.
    ax.set_ylim(10 ** min(powers[-1], bottom) / 1.5, 10 ** (top + max(0.3, 0.1 * (top - bottom))))


if __name__ == "__main__":
    run_drawing(draw_loss_gradient)
