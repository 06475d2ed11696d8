"""Where single draws stand among those of other seeds: one strip for each number that rests on one draw."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from rootdk.axes import panel_title
from rootdk.figure_files import run_drawing
from rootdk.numbers import decimals, significant
from rootdk.style import Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BARS = 48
BARS_OF_A_ROW = 30
BARS_OF_HUNDREDS = 16
TAIL = 0.001  # of the seeds, left out at both ends unless what is shown lies there
RIDGE = 0.8  # height of the distributions, in rows
NAMES_AT, SHOWN_AT, RANGE_AT, ABOVE_AT, END = -0.95, 1.27, 1.76, 2.1, 2.11  # in lengths of a strip, which is 0 to 1


class Strip(NamedTuple):
    """A distribution: its name in the tables, at which of its widths, its name in the figure, and how to show it."""

    experiment: str
    statistic: str
    scaling: str
    width: str  # narrowest or widest
    name: str
    digits: int = 3
    logarithmic: bool = False


RATIO = Strip(
    "attention_heatmaps", "jacobian_norm_ratio", "scaled/unscaled", "widest", "ratio of a head's mean norms", 3, True
)
STRIPS = (
    Strip("attention_heatmaps", "jacobian_norm", "unscaled", "widest", "a head's mean norm, without", 2, True),
    Strip("attention_heatmaps", "jacobian_norm", "scaled", "widest", "with"),
    Strip("attention_heatmaps", "smallest_max_weight", "unscaled", "widest", "its least decided row, without", 4),
    Strip("attention_heatmaps", "smallest_max_weight", "scaled", "widest", "with"),
    Strip("attention_heatmaps", "score_std", "unscaled", "widest", "its spread of scores"),
    Strip("closed_row", "max_weight", "unscaled", "narrowest", "largest weight, same keys"),
    Strip("closed_row", "max_weight", "unscaled", "widest", ""),
    Strip("closed_row", "jacobian_trace", "unscaled", "narrowest", "Jacobian trace, same keys"),
    Strip("closed_row", "jacobian_trace", "unscaled", "widest", ""),
    Strip("score_size", "score_mean", "unscaled", "widest", "mean of single scores"),
    Strip("score_size", "typical_size", "unscaled", "widest", "typical size of scores", 4),
    Strip("logit_asymmetry", "relative_asymmetry_median", "scaled", "widest", "median asymmetry"),
)


class Place(NamedTuple):
    """What is known of a strip: quantiles by level, the value shown, and the share of seeds that give at least it."""

    d_k: int
    quantiles: pd.Series
    shown: float
    share: float


def draw_seed_luck(figure: "Figure", *, seed_luck: pd.DataFrame, seed_luck_summary: pd.DataFrame, style: Style) -> None:
    """Draw distributions over seeds with a line at the draw that is shown: the ratio of norms, and the others in rows.

    Each row has a scale of its own. Where heads have no ratio, there is no such panel.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    seed_luck : pandas.DataFrame
        The quantiles.
    seed_luck_summary : pandas.DataFrame
        Has ``…_shown`` and ``…_share_as_large`` of each.
    style : Style
        Colours.
    """
    blocks = dict(iter(seed_luck.groupby(["experiment", "statistic", "scaling"])))
    values = seed_luck_summary.set_index(["statistic", "scaling", "where"])["value"].to_dict()
    if RATIO[:3] in blocks:
        ratio, rows = figure.subplots(2, 1, height_ratios=(1, 2.5))
        _draw_ratio(ratio, _find(RATIO, blocks, values), style)
        panel_title(rows, 1, "other numbers that rest on one draw, each on a scale of its own")
    else:
        rows = figure.subplots()
    places = {strip: _find(strip, blocks, values) for strip in STRIPS}
    # At a single width, the widest head is the narrowest one again.
    again = [
        strip
        for strip, place in places.items()
        if strip.width == "narrowest" and place.d_k == blocks[strip[:3]]["d_k"].max()
    ]
    _draw_rows(rows, {strip: place for strip, place in places.items() if strip.name or not again}, style)


def _find(strip: Strip, blocks: Mapping, values: Mapping) -> Place:
    block = blocks[strip[:3]]
    d_k = int(block["d_k"].min() if strip.width == "narrowest" else block["d_k"].max())
    where = f"experiment={strip.experiment};d_k={d_k}"
    shown, share = (values[f"{strip.statistic}_{what}", strip.scaling, where] for what in ("shown", "share_as_large"))
    return Place(d_k, block[block["d_k"] == d_k].set_index("level")["quantile"], shown, share)


def _draw_ratio(ax: "Axes", place: Place, style: Style) -> None:
    edges, shares, _ = _histogram(place, BARS, logarithmic=True)
    ax.stairs(shares, 10**edges, fill=True, color=style.sequence[3], linewidth=0)
    ax.stairs(shares, 10**edges, color=style.sequence[1], linewidth=0.8)
    ax.set_xscale("log")
    powers = range(math.ceil(edges[0]), math.floor(edges[-1]) + 1)
    labelled = [power for power in powers if power % max(1, math.ceil(len(powers) / 10)) == 0]
    if labelled:
        ax.set_xticks([10.0**power for power in labelled], labels=[_power(power) for power in labelled])
        ax.minorticks_off()
    ax.set(xlim=(10 ** edges[0], 10 ** edges[-1]), ylim=(0, 1.2 * shares.max()), yticks=[])
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.tick_params(axis="x", which="both", top=False)
    panel_title(ax, 0, rf"{RATIO.name}, with and without scaling, $d_k={place.d_k}$")
    told = f"shown: {_digits(place.shown, RATIO.digits)}\n{_share(place.share)} of seeds give that much"
    _mark(ax, place.shown, told, style)
    _mark(ax, place.quantiles[0.5], f"median: {_digits(place.quantiles[0.5], 2)}", style, linestyle=(0, (4, 1.6)))


def _mark(ax: "Axes", x: float, text: str, style: Style, linestyle: Any = "-") -> None:
    ax.axvline(x, color=style.ink, linewidth=1.3, linestyle=linestyle)
    left = (ax.transData + ax.transAxes.inverted()).transform((x, 0))[0] > 0.6
    ax.annotate(
        text,
        (x, 1),
        xycoords=("data", "axes fraction"),
        xytext=(-4 if left else 4, -1),
        textcoords="offset points",
        horizontalalignment="right" if left else "left",
        verticalalignment="top",
    )


def _draw_rows(ax: "Axes", places: Mapping[Strip, Place], style: Style) -> None:
    ax.set(xlim=(NAMES_AT, END), ylim=(len(places) - 0.1, -0.9))
    ax.axis("off")
    for x, text, side in (
        (0.5, "seeds", "center"),
        (SHOWN_AT, "shown", "right"),
        (RANGE_AT, "middle 90 %", "right"),
        (ABOVE_AT, "≥ shown", "right"),
    ):
        ax.text(x, -0.35, text, ha=side, va="center", color=style.muted, size="small")
    for row, (strip, place) in enumerate(places.items()):
        floor = row + RIDGE
        few = strip.experiment != "attention_heatmaps"
        edges, shares, shown = _histogram(place, BARS_OF_HUNDREDS if few else BARS_OF_A_ROW, strip.logarithmic)
        across = (edges - edges[0]) / (edges[-1] - edges[0])
        heights = floor - RIDGE * shares / shares.max()
        curve = style.curves[strip.scaling]
        light = strip.scaling == "unscaled"
        ax.stairs(heights, across, baseline=floor, fill=True, color=curve.color, alpha=0.4 if light else 0.9, lw=0)
        ax.plot((0, 1), (floor, floor), color=style.muted, linewidth=0.5)
        at = (shown - edges[0]) / (edges[-1] - edges[0])
        ax.plot((at, at), (floor + 0.08, floor - RIDGE), color=style.ink, linewidth=1.6, solid_capstyle="butt")
        middle = floor - 0.4 * RIDGE
        name = f"{strip.name}, $d_k={place.d_k}$" if strip.name != "with" else "with"
        ends = [_digits(place.quantiles[level], strip.digits) for level in (0.05, 0.95)]
        for x, text, side in (
            (-0.04, name.removeprefix(", "), "right"),
            (SHOWN_AT, _digits(place.shown, strip.digits), "right"),
            (RANGE_AT, f"{ends[0]} – {ends[1]}", "right"),
            (ABOVE_AT, _share(place.share), "right"),
        ):
            ax.text(x, middle, text, ha=side, va="center", color=style.ink)


def _histogram(place: Place, bars: int, logarithmic: bool) -> tuple[np.ndarray, np.ndarray, float]:
    """Return edges, the share of seeds between each two, and what is shown; as powers of ten if logarithmic."""
    levels, quantiles = place.quantiles.index.to_numpy(), place.quantiles.to_numpy()
    shown = place.shown
    if logarithmic:
        least = min([*quantiles[quantiles > 0], *([shown] if shown > 0 else [])], default=1.0)
        quantiles, shown = np.log10(np.maximum(quantiles, least)), math.log10(max(shown, least))
    inside = quantiles[(levels >= TAIL) & (levels <= 1 - TAIL)]
    low, high = min(inside[0], shown), max(inside[-1], shown)
    margin = 0.03 * (high - low) or 0.05 * abs(high) or 0.5
    edges = np.linspace(low - margin, high + margin, bars + 1)
    # Where draws are alike, several levels have one quantile, and the last of them counts.
    below = np.array([np.interp(edge, quantiles, levels) for edge in edges])
    below[edges < quantiles[0]], below[edges >= quantiles[-1]] = 0.0, 1.0
    return edges, np.diff(below), shown


def _power(power: int) -> str:
    return f"{10**power}" if 0 <= power <= 3 else f"$10^{{{power}}}$"


def _digits(value: float, digits: int) -> str:
    if 0 < abs(value) < 0.001:
        mantissa, power = f"{value:.{0 if abs(value) < 1e-9 else min(digits, 2) - 1}e}".split("e")
        return rf"${mantissa}\cdot 10^{{{int(power)}}}$"
    return significant(value, digits)


def _share(share: float) -> str:
    per_cent = 100 * share
    return f"{significant(per_cent, 2) if per_cent < 10 else decimals(per_cent, 0)} %"


if __name__ == "__main__":
    run_drawing(draw_seed_luck)
