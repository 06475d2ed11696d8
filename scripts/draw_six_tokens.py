"""Who listens to whom among the six tokens: the map of weights, and each row's partner against the unrelated."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rootdk.axes import cell_ink, legend_above, length_in_points, panel_title, position_ticks, weight_heatmap
from rootdk.figure_files import run_drawing
from rootdk.style import Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CELL_TEXT = 7  # points
LETTER_WIDTH = 0.55  # of the font's size, on average and with some to spare
STATISTICS = (
    "self_weight",
    "partner",
    "partner_weight",
    "min_unrelated_weight",
    "mean_unrelated_weight",
    "max_unrelated_weight",
)


def draw_six_tokens(
    figure: "Figure", *, six_tokens: pd.DataFrame, six_tokens_summary: pd.DataFrame, style: Style
) -> None:
    """Draw the map with its partner cells outlined, and beside it, on the same rows, what each token listens to.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    six_tokens : pandas.DataFrame
        The weights.
    six_tokens_summary : pandas.DataFrame
        Per row, who its partner is, and the weights on itself, on its partner and on unrelated tokens, if there are
        any.
    style : Style
        Colours and markers.
    """
    names = list(dict.fromkeys(six_tokens["row"]))
    weights = six_tokens.pivot_table(index="row", columns="column", values="weight").loc[names, names].to_numpy()
    summary = six_tokens_summary[six_tokens_summary["statistic"].isin(STATISTICS)]
    per_row = summary.pivot_table(index="where", columns="statistic", values="value")
    per_row = per_row.loc[[f"row={name}" for name in names]].reindex(columns=list(STATISTICS))
    weight_map, contrast = figure.subplots(1, 2, sharey=True, width_ratios=(1, 1.1))
    _draw_map(weight_map, weights, per_row["partner"].to_numpy(dtype=int), names, style)
    _draw_contrast(contrast, per_row, style)
    panel_title(weight_map, 0, "who listens to whom")
    panel_title(contrast, 1, "what a token listens to")
    legend_above(figure, contrast, columns=4)


def _draw_map(ax: "Axes", weights: np.ndarray, partners: np.ndarray, names: list[str], style: Style) -> None:
    cells = weight_heatmap(ax, weights, style)
    ax.set_aspect("auto")  # as high as the panel beside it, whose rows are the same
    count = len(names)
    size = float(ax.xaxis.get_major_ticks()[0].label1.get_fontsize())
    longest = LETTER_WIDTH * size * max(map(len, names))
    # Names of rows take their room from both panels, and upright names of columns all of it from the map's height.
    across = (length_in_points(ax, "x") - longest / 2) / count
    upright = longest > across
    down = (length_in_points(ax, "y") - (longest if upright else 0)) / count
    for row, partner in enumerate(partners, start=1):
        left, right, top, bottom = partner - 0.44, partner + 0.44, row - 0.44, row + 0.44
        outline = (left, right, right, left, left), (top, top, bottom, bottom, top)
        # In two colours, so that it stands out from every cell in a greyscale print, too.
        for color, width in ((style.ink, 1.8), (style.accent, 0.9)):
            ax.plot(*outline, color=color, linewidth=min(1, down / 12) * width, solid_joinstyle="miter")
    if across >= 2 * CELL_TEXT and down >= 1.2 * CELL_TEXT:
        for (row, column), weight in np.ndenumerate(weights):
            ax.text(
                column + 1,
                row + 1,
                f"{weight:.2f}",
                color=cell_ink(weight, style),
                size=CELL_TEXT,
                horizontalalignment="center",
                verticalalignment="center_baseline",
            )
    else:
        ax.figure.colorbar(cells, ax=ax, label="attention weight", location="left", aspect=30)
    columns = position_ticks(count, count * across, 1.1 * size) if upright else range(1, count + 1)
    ax.set_xticks(columns, labels=[names[place - 1] for place in columns], rotation=90 if upright else 0)
    rows = position_ticks(count, count * down, 1.1 * size)
    ax.set_yticks(rows, labels=[names[place - 1] for place in rows])
    ax.set_xlabel("key")
    ax.set_ylabel("query")


def _draw_contrast(ax: "Axes", per_row: pd.DataFrame, style: Style) -> None:
    places = np.arange(1, len(per_row) + 1)
    room = length_in_points(ax, "y") / len(per_row)
    mark: dict[str, Any] = {"linestyle": "none", "markeredgewidth": 0.6, "clip_on": False, "zorder": 3}
    ax.plot(
        per_row["self_weight"],
        places,
        marker="o",
        markersize=min(5.5, 0.75 * room),
        color=style.sequence[0],
        markeredgecolor="white",
        label="itself",
        **mark,
    )
    ax.plot(
        per_row["partner_weight"],
        places,
        marker="D",
        markersize=min(5, 0.7 * room),
        color=style.accent,
        markeredgecolor=style.ink,
        label="its partner",
        **mark,
    )
    if per_row["mean_unrelated_weight"].notna().any():
        ax.hlines(
            places,
            per_row["min_unrelated_weight"],
            per_row["max_unrelated_weight"],
            color=style.sequence[3],
            linewidth=min(4, 0.5 * room),
            label="others, range",
        )
        mean: dict[str, Any] = {
            "marker": "|",
            "markersize": min(6, 0.8 * room),
            "markeredgewidth": 1.1,
            "linestyle": "none",
            "label": "others, mean",
        }
        ax.plot(per_row["mean_unrelated_weight"], places, color=style.ink, **mean)
    for place in places.tolist():
        ax.axhline(place, color=style.faint, linewidth=0.5, zorder=0.5)
    ax.set_xlim(0, None)
    ax.locator_params(axis="x", nbins=6)
    ax.xaxis.set_major_formatter("{x:.2g}")
    ax.set_xlabel("attention weight")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)


if __name__ == "__main__":
    run_drawing(draw_six_tokens)
