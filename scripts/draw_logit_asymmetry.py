"""How far from mutual the logits of random projections are: a histogram over the pairs of projections."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rootdk.figure_files import run_drawing
from rootdk.numbers import significant
from rootdk.style import Style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LARGEST = 2  # |L − Lᵀ| is at most twice the largest |L|


def draw_logit_asymmetry(
    figure: "Figure",
    *,
    logit_asymmetry: pd.DataFrame,
    logit_asymmetry_summary: pd.DataFrame,
    style: Style,
    bins: int,
) -> None:
    """Draw the histogram with its median.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    logit_asymmetry : pandas.DataFrame
        The relative asymmetry of each pair.
    logit_asymmetry_summary : pandas.DataFrame
        Holds the median.
    style : Style
        Colours.
    bins : int
        Bars, all of the same width, from 0 to 2, the largest value that can be.
    """
    ax = figure.subplots()
    summary = logit_asymmetry_summary.set_index("statistic")["value"]
    median = summary["relative_asymmetry_median"]
    counts, *_ = ax.hist(
        logit_asymmetry["relative_asymmetry"].dropna().to_numpy(),
        bins=bins,
        range=(0, LARGEST),
        color=style.sequence[3],
        edgecolor="white",
        linewidth=0.6 if bins <= 60 else 0,
    )
    ax.set_xlim(0, LARGEST)
    ax.set_xticks([0, 0.5, 1, 1.5, 2], labels=["0", "0.5", "1", "1.5", "2"])
    ax.set_ylim(0, 1.16 * max(np.max(counts), 1))
    ax.locator_params(axis="y", integer=True, nbins=6)
    ax.set_xlabel(r"relative asymmetry, $\max\,|L-L^{\top}|\;/\;\max\,|L|$")
    ax.set_ylabel("pairs of projections")
    if median == median:
        left = median > LARGEST * 0.6
        ax.axvline(median, color=style.sequence[0], linewidth=1.3, linestyle=(0, (4, 1.6)))
        ax.annotate(
            f"median {significant(median, 3)}",
            (median, 1),
            xycoords=("data", "axes fraction"),
            xytext=(-4 if left else 4, -1),
            textcoords="offset points",
            horizontalalignment="right" if left else "left",
            verticalalignment="top",
            color=style.sequence[0],
        )


if __name__ == "__main__":
    run_drawing(draw_logit_asymmetry)
