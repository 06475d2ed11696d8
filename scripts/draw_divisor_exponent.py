"""Largest weight and entropy against the power of the head width that scores are divided by, one curve per width."""

from typing import TYPE_CHECKING, Any

import pandas as pd

from rootdk.axes import length_in_points, panel_title, rule_at, share_axis
from rootdk.figure_files import run_drawing
from rootdk.style import Style

import matplotlib  # isort: skip  after rootdk.style, which chooses its fonts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLES = {"max_weight": "largest weight", "normalized_entropy": "evenness of the weights"}
LABELS = {"max_weight": "weight, expected", "normalized_entropy": r"entropy / $\ln n$, expected"}
NAMED_AT = 0.25  # the power at which curves carry their width: there they lie apart
LIGHTEST, DARKEST = 0.38, 0.92  # of the colour map, for the narrowest and the widest head


def draw_divisor_exponent(
    figure: "Figure", *, divisor_exponent: pd.DataFrame, divisor_exponent_summary: pd.DataFrame, style: Style
) -> None:
    """Draw one panel per statistic: a curve for each width, darker for wider heads, and the limit as steps.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    divisor_exponent : pandas.DataFrame
        The statistics by width and power.
    divisor_exponent_summary : pandas.DataFrame
        Has the limits below, at and above the power 1/2.
    style : Style
        Colours and markers.
    """
    found = divisor_exponent_summary.set_index(["statistic", "where"])["value"]
    for place, (ax, statistic) in enumerate(zip(figure.subplots(1, 2), TITLES, strict=True)):
        panel_title(ax, place, TITLES[statistic])
        share_axis(ax, LABELS[statistic])
        ax.set_xlim(0, 1)
        ax.set_xticks([0, 0.25, 0.5, 0.75, 1], labels=["0", "1/4", "1/2", "3/4", "1"])
        ax.set_xlabel("$p$, for scores divided by $d_k^{\\,p}$")
        ax.axvline(0.5, color=style.faint, linewidth=0.8, zorder=0.4)
        rows = divisor_exponent[divisor_exponent["statistic"] == statistic]
        limits = [float(found[f"{statistic}_limit", f"power={power}"]) for power in ("0", "0.5", "1")]
        _draw_limit(ax, limits, style)
        _draw_widths(ax, rows, style)
    # The even share, beside the axis that it belongs to.
    tokens = int(divisor_exponent["tokens"].iloc[0])
    if tokens > 1:
        shares = figure.axes[0]
        rule_at(shares, 1 / tokens, style)
        shares.text(0.02, 1 / tokens, f"1/{tokens}", color=style.muted, size="small", va="bottom")


def _draw_limit(ax: "Axes", limits: list[float], style: Style) -> None:
    below, at, above = limits
    line: dict[str, Any] = {"color": style.accent, "linewidth": 1.1, "linestyle": (0, (5, 1.5)), "zorder": 1.5}
    ax.plot([0, 0.5], [below, below], **line, clip_on=False)
    ax.plot([0.5, 1], [above, above], **line, clip_on=False)
    ax.plot([0.5, 0.5], [below, above], **{**line, "linewidth": 0.8, "linestyle": (0, (1, 1.5))})
    # Round, filled where the value is taken: the limit jumps, and has a value of its own in between.
    ends: dict[str, Any] = {"color": style.accent, "linestyle": "none", "marker": "o", "zorder": 3, "clip_on": False}
    ax.plot([0.5, 0.5], [below, above], **ends, markersize=4, markerfacecolor="white")
    ax.plot([0.5], [at], **ends, markersize=5)
    high = below > 0.5
    ax.annotate(
        r"$d_k \to \infty$",
        (0.5, below),
        xytext=(5, 0),
        textcoords="offset points",
        color=style.accent,
        size="small",
        va="top" if high else "bottom",
    )


def _draw_widths(ax: "Axes", rows: pd.DataFrame, style: Style) -> None:
    widths = sorted(rows["d_k"].unique())
    colors = matplotlib.colormaps[style.weight_map]
    low, high = ax.get_ylim()
    gap = 1.05 * matplotlib.rcParams["legend.fontsize"] / length_in_points(ax, "y") * (high - low)
    named: list[float] = []
    for rank, width in enumerate(widths):
        color = colors(DARKEST - (DARKEST - LIGHTEST) * (len(widths) - 1 - rank) / max(1, len(widths) - 1))
        curve = rows[rows["d_k"] == width].sort_values("power")
        ax.plot(curve["power"].to_numpy(), curve["exact"].to_numpy(), color=color, linewidth=1.3, zorder=2)
        height = float(curve["exact"][curve["power"] == NAMED_AT].iloc[0])
        # A width whose name would cover another's goes without: the shades tell their order.
        if all(abs(height - other) >= gap for other in named):
            named.append(height)
            ax.text(
                NAMED_AT,
                height,
                str(width) if named[1:] else f"$d_k={width}$",
                color=style.ink,
                size="small",
                ha="center",
                va="center",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
                zorder=2.5,
            )


if __name__ == "__main__":
    run_drawing(draw_divisor_exponent)
