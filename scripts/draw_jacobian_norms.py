"""How far the scores of each row can still move its weights: Jacobian norms without and with scaling."""

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rootdk.axes import (
    POINTS_PER_INCH,
    MarginLabel,
    legend_above,
    length_in_points,
    margin_labels,
    panel_title,
    position_ticks,
)
from rootdk.figure_files import run_drawing
from rootdk.style import Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MANY_ROWS = 30
ROOM_FOR_RATIO = 36  # points between the means


def draw_jacobian_norms(
    figure: "Figure", *, attention_heatmaps_summary: pd.DataFrame, seed_luck_summary: pd.DataFrame, style: Style
) -> None:
    """Draw the norm of every row on a logarithmic axis, with the two means and their ratio; beside it, other heads.

    A norm of exactly 0, which such an axis does not have, stands on a line of its own below the others.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    attention_heatmaps_summary : pandas.DataFrame
        Has ``jacobian_norm`` per row and ``jacobian_norm_mean``; where there is one, ``jacobian_norm_ratio``.
    seed_luck_summary : pandas.DataFrame
        Has ``jacobian_norm_mean`` of other heads and, where there is one, ``ratio_of_mean_norms``.
    style : Style
        Colours and markers.
    """
    by_statistic = attention_heatmaps_summary.groupby("statistic")
    found = {statistic: rows.set_index("scaling") for statistic, rows in by_statistic}
    norms = {scaling: found["jacobian_norm"].loc[[scaling], "value"].to_numpy() for scaling in style.curves}
    of_others = {statistic: rows.set_index("scaling") for statistic, rows in seed_luck_summary.groupby("statistic")}
    others = of_others["jacobian_norm_mean"]
    every_norm = np.concatenate([*norms.values(), others["value"]])
    if "ratio_of_mean_norms" not in of_others:
        shown = figure.subplots()
        zero = _norm_axis(shown, every_norm)
    else:
        shown, beside = figure.subplots(1, 2, width_ratios=(6, 1))
        zero = _norm_axis(shown, every_norm)
        panel_title(shown, 0, "one head, row by row")
        _norm_axis(beside, every_norm)
        _draw_others(beside, others, of_others["ratio_of_mean_norms"]["value"].iloc[0], zero, style)
        beside.tick_params(axis="y", labelleft=False)
    _draw_rows(shown, norms, zero, style)
    shown.set_ylabel("Jacobian norm, weight per score")

    means = found["jacobian_norm_mean"]["value"]
    labels = []
    for scaling, curve in style.curves.items():
        mean = means[scaling] or zero
        shown.axhline(mean, color=curve.color, linestyle=curve.linestyle, linewidth=0.9, zorder=0.8)
        labels.append(MarginLabel(f"mean {_short(means[scaling])}", mean, curve.color))
    margin_labels(shown, labels)
    if "jacobian_norm_ratio" in found:
        ratio = found["jacobian_norm_ratio"]["value"].iloc[0]
        _tell_ratio(shown, means["unscaled"], means["scaled"], ratio, style)
    legend_above(figure, shown, columns=2)


def _draw_rows(ax: "Axes", norms: dict[str, np.ndarray], zero: float, style: Style) -> None:
    heights = {scaling: np.where(values > 0, values, zero) for scaling, values in norms.items()}
    tokens = len(heights["scaled"])
    rows = np.arange(tokens) + 1
    ax.vlines(rows, heights["unscaled"], heights["scaled"], color=style.faint, linewidth=0.8, zorder=0.6)
    for scaling, curve in style.curves.items():
        look = curve.line() | {"linestyle": "none", "markersize": 3 if tokens > MANY_ROWS else 5}
        ax.plot(rows, heights[scaling], **look, label=curve.label, clip_on=False)
    ax.set_xlim(0.5, tokens + 0.5)
    ax.set_xticks(position_ticks(tokens, length_in_points(ax, "x"), 14))
    ax.set_xlabel("query position $i$")


def _draw_others(ax: "Axes", others: pd.DataFrame, ratio: float, zero: float, style: Style) -> None:
    labels = []
    ax.set(xlim=(0, 2), xticks=[], xlabel=f"means,\nratio {_short(ratio)}")
    for scaling, curve in style.curves.items():
        mean, error = float(others["value"][scaling]), float(others["std_error"][scaling])
        look = curve.line() | {"markersize": 5}
        ax.errorbar(
            [1], [mean or zero], yerr=None if math.isnan(error) else [error], elinewidth=0.9, clip_on=False, **look
        )
        labels.append(MarginLabel(_short(mean), mean or zero, curve.color))
    panel_title(ax, 1, "other heads")
    margin_labels(ax, labels)


def _norm_axis(ax: "Axes", norms: np.ndarray) -> float:
    # Returns where a norm of 0 is drawn.
    positive = norms[norms > 0]
    if not positive.size:
        ax.set_ylim(-0.05, 1)
        return 0.0
    first, last = math.floor(math.log10(positive.min())), math.ceil(math.log10(positive.max()))
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100) if step * 7 > last - first)
    powers = list(range(last, first - 1, -step))
    ax.set_yscale("log")
    zero = 10.0 ** (powers[-1] - step)
    has_zero = positive.size < norms.size
    ticks = [10.0**power for power in powers]
    names = [f"$10^{{{power}}}$" if power else "1" for power in powers]
    ax.set_yticks([*ticks, zero] if has_zero else ticks, labels=[*names, "0"] if has_zero else names)
    ax.minorticks_off()
    ax.set_ylim(zero * 10 ** (-0.1 * step) if has_zero else min(ticks[-1], positive.min() / 1.5), 10.0**last)
    return zero


def _tell_ratio(ax: "Axes", low: float, high: float, ratio: float, style: Style) -> None:
    # Between the names of the two means, if there is room.
    ends = ax.transData.transform([(1, low), (1, high)])[:, 1] * POINTS_PER_INCH / ax.figure.dpi
    if ends[1] - ends[0] < ROOM_FOR_RATIO:
        return
    ax.annotate(
        "",
        (1.05, low),
        (1.05, high),
        xycoords=ax.get_yaxis_transform(),
        arrowprops={"arrowstyle": "<->", "color": style.muted, "linewidth": 0.7, "shrinkA": 8, "shrinkB": 8},
    )
    ax.text(
        1.075,
        math.sqrt(low * high),
        rf"$\times$ {_short(ratio)}",
        color=style.muted,
        size="small",
        va="center",
        transform=ax.get_yaxis_transform(),
    )


def _short(value: float) -> str:
    if value == 0 or 0.001 <= value < 1000:
        return f"{value:.3g}"
    mantissa, power = f"{value:.1e}".split("e")
    return rf"${mantissa}\cdot 10^{{{int(power)}}}$"


if __name__ == "__main__":
    run_drawing(draw_jacobian_norms)
