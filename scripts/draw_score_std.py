"""How the typical score grows with head width, and how the entropy of the weights falls, without and with scaling."""

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


def draw_score_std(figure: "Figure", *, score_std: pd.DataFrame, style: Style) -> None:
    """Draw the root mean square score over its exact value, and the normalized entropy.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    score_std : pandas.DataFrame
        The sweep.
    style : Style
        Colours and markers.
    """
    sizes, entropies = figure.subplots(1, 2)
    widths = score_std["d_k"].unique().tolist()
    of_sizes = score_std[score_std["statistic"].isin(["score_rms", "predicted_rms"])]
    head_width_axis(sizes, widths)
    doubling_axis(sizes, of_sizes["mean"].min(), of_sizes["mean"].max())
    sizes.set_ylabel("root mean square score")
    panel_title(sizes, 0, "typical score")
    names = {"unscaled": r"$\sqrt{d_k}$", "scaled": "1"}
    labels = []
    for scaling, curve in style.curves.items():
        exact = of_sizes[(of_sizes["statistic"] == "predicted_rms") & (of_sizes["scaling"] == scaling)]
        exact = exact.sort_values("d_k")
        sizes.plot(exact["d_k"], exact["mean"], color=style.muted, linewidth=0.8, zorder=1)
        sweep_curve(sizes, score_std, "score_rms", scaling, curve, linestyle="none")
        labels.append(MarginLabel(names[scaling], exact["mean"].iloc[-1], style.muted))
    margin_labels(sizes, labels)

    head_width_axis(entropies, widths)
    share_axis(entropies, r"entropy / $\ln n$, mean")
    panel_title(entropies, 1, "evenness of the weights")
    for scaling, curve in style.curves.items():
        sweep_curve(entropies, score_std, "normalized_entropy", scaling, curve)
    if score_std["tokens"].iloc[0] > 1:
        rule_at(entropies, 1, style)
        margin_labels(entropies, [MarginLabel("even", 1, style.muted)])
    legend_above(figure, entropies, columns=2)


if __name__ == "__main__":
    run_drawing(draw_score_std)
