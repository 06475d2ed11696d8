"""Largest weight and entropy of a row against the number of tokens, without and with scaling."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rootdk.axes import MarginLabel, head_width_axis, legend_above, margin_labels, panel_title, rule_at, share_axis
from rootdk.figure_files import run_drawing
from rootdk.style import Style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLES = {"max_weight": "largest weight", "normalized_entropy": "evenness of the weights"}
LABELS = {"max_weight": "weight, expected", "normalized_entropy": r"entropy / $\ln n$, expected"}


def draw_sequence_length(figure: "Figure", *, sequence_length: pd.DataFrame, style: Style) -> None:
    """Draw one panel per statistic, with a curve for each width and scaling, and even shares.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    sequence_length : pandas.DataFrame
        The statistics by tokens, width and scaling.
    style : Style
        Colours and markers.
    """
    counts = sorted(sequence_length["tokens"].unique().tolist())
    widths = sorted(sequence_length["d_k"].unique().tolist())
    panels = figure.subplots(1, 2)
    for place, (ax, statistic) in enumerate(zip(panels, TITLES, strict=True)):
        panel_title(ax, place, TITLES[statistic])
        head_width_axis(ax, counts)
        ax.set_xlabel("tokens $n$")
        share_axis(ax, LABELS[statistic])
        shown = sequence_length[sequence_length["statistic"] == statistic].sort_values("tokens")
        labels = []
        for scaling, curve in style.curves.items():
            rows = shown[shown["scaling"] == scaling]
            lines = [rows[rows["d_k"] == d_k]["exact"].to_numpy() for d_k in widths]
            for line, d_k in zip(lines, widths, strict=True):
                ax.plot(counts, line, **curve.line(), label=curve.label if d_k == widths[0] else "_", clip_on=False)
            ends = [float(line[-1]) for line in lines]
            if scaling == "unscaled":
                labels += [MarginLabel(f"$d_k={d_k}$", end, curve.color) for d_k, end in zip(widths, ends, strict=True)]
            else:
                # All widths in one line, which is the point of the figure.
                name = "each width" if len(widths) > 1 else f"$d_k={widths[0]}$"
                labels.append(MarginLabel(name, sum(ends) / len(ends), curve.color))
        margin_labels(ax, labels)
    shares, evenness = panels
    smooth = np.geomspace(counts[0], counts[-1], 60)
    shares.plot(
        smooth, 1 / smooth, color=style.muted, linewidth=0.8, linestyle=(0, (1, 1.5)), label="even share, $1/n$"
    )
    rule_at(evenness, 1, style)
    legend_above(figure, shares, columns=3)


if __name__ == "__main__":
    run_drawing(draw_sequence_length)
