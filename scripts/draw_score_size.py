"""The typical size of a score and its mean, against head width."""

from typing import TYPE_CHECKING

import pandas as pd

from rootdk.axes import doubling_axis, head_width_axis, legend_above, panel_title, rule_at, sweep_curve
from rootdk.figure_files import run_drawing
from rootdk.style import Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_score_size(figure: "Figure", *, score_size: pd.DataFrame, style: Style) -> None:
    """Draw the typical size with the line sqrt(d_k), and the scaled mean with its standard errors.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    score_size : pandas.DataFrame
        The sweep.
    style : Style
        Colours and markers.
    """
    sizes, means = figure.subplots(1, 2)
    widths = score_size["d_k"].unique().tolist()

    for scaling, curve in style.curves.items():
        sweep_curve(sizes, score_size, "typical_size", scaling, curve, linestyle="none")
    _predicted_lines(sizes, score_size, style)
    head_width_axis(sizes, widths)
    shown = score_size.loc[score_size.statistic.isin(["typical_size", "predicted_size"]), "mean"]
    doubling_axis(sizes, shown.min(), shown.max())
    sizes.set_ylabel("root mean square of scores")
    panel_title(sizes, 0, "typical size of a score")

    sweep_curve(means, score_size, "score_mean", "scaled", style.curves["scaled"], linestyle="none")
    head_width_axis(means, widths)
    rule_at(means, 0, style)
    drawn = score_size[(score_size.statistic == "score_mean") & (score_size.scaling == "scaled")]
    reach = (drawn["mean"].abs() + 2 * drawn["std_error"].fillna(0)).max()
    if reach > 0:
        means.set_ylim(-1.1 * reach, 1.1 * reach)
    means.locator_params(axis="y", nbins=9, symmetric=True)
    means.set_ylabel(r"mean of score$\,/\sqrt{d_k}$")
    panel_title(means, 1, "mean score, with scaling")
    legend_above(figure, sizes, columns=3)


def _predicted_lines(ax: "Axes", score_size: pd.DataFrame, style: Style) -> None:
    predicted = score_size[score_size.statistic == "predicted_size"].set_index("scaling")
    rule_at(ax, predicted.loc[["scaled"], "mean"].iloc[0], style)
    first = predicted.loc[["unscaled"]].iloc[0]
    # Through a second point of the square-root law, so that it is a line even where there is a single width.
    points = (first["d_k"], first["mean"]), (4 * first["d_k"], 2 * first["mean"])
    ax.axline(*points, color=style.ink, linewidth=0.8, zorder=1, label=r"$\sqrt{d_k}$")


if __name__ == "__main__":
    run_drawing(draw_score_size)
