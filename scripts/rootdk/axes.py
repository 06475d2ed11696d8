"""Pieces that many figures put on their axes: a head-width axis, curves with error bars, shares in per cent."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from rootdk.style import Curve, Style

import matplotlib  # isort: skip  after rootdk.style, which chooses its fonts
import matplotlib.transforms  # isort: skip
from matplotlib.container import ErrorbarContainer  # isort: skip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

MILLIMETRES_PER_INCH = 25.4
MOST_SEPARATE_CELLS = 32  # a heatmap with more rows or columns has no lines between its cells
POINTS_PER_INCH = 72
DIGIT_WIDTH = 0.5  # of the font's size, in STIXGeneral
WIDTH_MARGIN = 1.45  # a head-width axis goes on past its ends by this factor


def head_width_axis(ax: "Axes", widths: Sequence[int]) -> None:
    """Make x a base-2 axis of head widths with every width labelled and no other tick.

    Labels that would touch stand upright, and those that would touch even so are moved apart.
    """
    widths = sorted(widths)
    ax.set_xscale("log", base=2)
    ax.set_xlim(widths[0] / WIDTH_MARGIN, widths[-1] * WIDTH_MARGIN)
    ax.set_xticks(widths, labels=[str(width) for width in widths])
    ax.minorticks_off()
    ax.set_xlabel(r"head width $d_k$")
    labels = ax.get_xticklabels()
    size = float(labels[0].get_fontsize())
    octaves = np.log2(ax.get_xlim())
    places = (np.log2(widths) - octaves[0]) / (octaves[1] - octaves[0]) * length_in_points(ax, "x")
    extents = [DIGIT_WIDTH * size * len(str(width)) for width in widths]
    needed = [(left + right) / 2 + 0.5 * size for left, right in pairwise(extents)]
    if (np.diff(places) < needed).any():
        ax.tick_params(axis="x", rotation=90)
        # A label that would run into its neighbour is left out: its tick stays, and none stands at another tick.
        last = -math.inf
        for label, place in sorted(zip(labels, places, strict=True), key=lambda pair: pair[1]):
            if place - last < 1.05 * size:
                label.set_visible(False)
            else:
                last = place


def doubled_width_axis(ax: "Axes", widths: Sequence[int]) -> None:
    """Make x a base-2 axis of head widths with powers of 2 labelled, as many as there is room for, and no other tick.

    For sweeps of so many widths, or such wide ones, that the numbers themselves would not fit.
    """
    ax.set_xscale("log", base=2)
    ax.set_xlim(min(widths) / WIDTH_MARGIN, max(widths) * WIDTH_MARGIN)
    low, high = np.log2(ax.get_xlim())
    size = float(ax.xaxis.get_ticklabels()[0].get_fontsize())
    each = length_in_points(ax, "x") / (high - low)
    step = next(step for step in (1, 2, 4, 5, 10, 20, 40) if step * each >= 2.6 * size or step == 40)
    powers = range(step * math.ceil(low / step), math.floor(high) + 1, step)
    ax.set_xticks([2.0**power for power in powers], labels=[f"$2^{{{power}}}$" for power in powers])
    ax.minorticks_off()
    ax.set_xlabel(r"head width $d_k$")


def length_in_points(ax: "Axes", direction: str) -> float:
    """Return about how long an axis will be on paper; the layout settles that only after everything is drawn."""
    box = ax.get_window_extent()
    return float((box.width if direction == "x" else box.height) * POINTS_PER_INCH / ax.figure.dpi)


def spread_apart(places: Sequence[float] | np.ndarray, gap: float) -> np.ndarray:
    """Return the places moved as little as possible, in the same order, so that neighbours are a gap apart.

    Parameters
    ----------
    places : sequence of float
        In any order.
    gap : float
        In the same unit.
    """
    given = np.asarray(places, dtype=float)
    order = np.argsort(given, kind="stable")
    steps = gap * np.arange(given.size)
    # Less the gaps that lie before it, each place may equal its neighbour but not pass it: pool those that do.
    pools: list[tuple[float, int]] = []
    for place in given[order] - steps:
        pools.append((float(place), 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (right, right_size), (left, left_size) = pools.pop(), pools.pop()
            size = left_size + right_size
            pools.append(((left * left_size + right * right_size) / size, size))
    moved = np.empty_like(given)
    moved[order] = np.repeat([place for place, _ in pools], [size for _, size in pools]) + steps
    return moved


class MarginLabel(NamedTuple):
    """A name for what ends at the right of the axes: the text, how high it stands in units of y, and its colour."""

    text: str
    y: float
    color: str


def margin_labels(ax: "Axes", labels: Sequence[MarginLabel]) -> None:
    """Write names at the right of the axes, level with what they name; moved apart where they would touch.

    The limits of y must be set before.
    """
    size = matplotlib.rcParams["legend.fontsize"]
    left = ax.get_xlim()[0]
    to_axes = ax.transData + ax.transAxes.inverted()
    places = [to_axes.transform((left, label.y))[1] for label in labels]
    for label, place in zip(labels, spread_apart(places, 1.2 * size / length_in_points(ax, "y")), strict=True):
        ax.text(1.015, place, label.text, color=label.color, size=size, va="center", transform=ax.transAxes)


def doubling_axis(ax: "Axes", low: float, high: float) -> None:
    """Make y a base-2 axis from the power of 2 below ``low`` to the one above ``high``, labelled in plain numbers.

    From 0 on there are no powers of 2: then y is a plain axis.
    """
    if low <= 0:
        ax.set_ylim(0, 1.04 * high if high > 0 else 1)
        return
    first, last = math.floor(math.log2(low) + 0.1), math.ceil(math.log2(high) - 0.1)
    step = max(1, math.ceil((last - first) / 8))
    ticks = [2.0**power for power in range(first, last + 1, step)]
    ax.set_yscale("log", base=2)
    ax.set_yticks(ticks, labels=[f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.set_ylim(min(low, ticks[0]) / 1.3, max(high, ticks[-1]) * 1.3)


def position_ticks(positions: int, room: float, size: float) -> list[int]:
    """Return which of the positions 1, 2, … to label so that the labels do not touch.

    Parameters
    ----------
    positions : int
        How many there are.
    room : float
        Length of the axis in points.
    size : float
        Room that one label needs, in points.
    """
    each = room / positions
    digits = range(len(str(positions)) + 1)
    steps = (factor * 10**power for power in digits for factor in (1, 2, 5))
    step = next((step for step in steps if step * each >= size), positions)
    # In round numbers after the first: 10, 20, … rather than 11, 21, …
    return list(range(1, positions + 1, step)) if step <= 2 else [1, *range(step, positions + 1, step)]


def weight_heatmap(ax: "Axes", weights: np.ndarray, style: Style) -> "ScalarMappable":
    """Draw weights as squares from 0 (white) to 1 (dark), row 1 on top, and return what a colour bar needs.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Positions count from 1: the centre of the first cell is at (1, 1).
    weights : numpy.ndarray
        One row per query, one column per key.
    style : Style
        Has the colour map.
    """
    rows, columns = weights.shape
    ax.set_aspect("equal")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    cells: ScalarMappable
    if max(rows, columns) <= MOST_SEPARATE_CELLS:
        edges = (np.arange(columns + 1) + 0.5, np.arange(rows + 1) + 0.5)
        cells = ax.pcolormesh(*edges, weights, cmap=style.weight_map, vmin=0, vmax=1, edgecolor=style.faint, lw=0.4)
    else:
        extent = (0.5, columns + 0.5, rows + 0.5, 0.5)
        cells = ax.imshow(weights, cmap=style.weight_map, vmin=0, vmax=1, extent=extent, interpolation="nearest")
        ax.spines[:].set(visible=True, color=style.faint)
    ax.set(xlim=(0.5, columns + 0.5), ylim=(rows + 0.5, 0.5))
    return cells


def cell_ink(weight: float, style: Style) -> str:
    """Return a colour that can be read on a heatmap's cell."""
    return "white" if weight > 0.65 else style.ink


def share_axis(ax: "Axes", label: str) -> None:
    """Make y an axis of shares, from 0 to 1."""
    ax.set_ylim(0, 1.04)
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1], labels=["0", "0.25", "0.5", "0.75", "1"])
    ax.set_ylabel(label)


def rule_at(ax: "Axes", y: float, style: Style, **line: Any) -> None:
    """Draw a thin horizontal reference line below the curves."""
    ax.axhline(y, color=style.muted, linewidth=0.6, linestyle=(0, (1, 1.5)), zorder=0.5, **line)


def bound_at(ax: "Axes", y: float, text: str, style: Style) -> None:
    """Draw a thin horizontal line that no curve crosses from below, with its name on top of its right end."""
    rule_at(ax, y, style)
    ax.annotate(
        text,
        (1, y),
        xycoords=("axes fraction", "data"),
        xytext=(0, 1.5),
        textcoords="offset points",
        horizontalalignment="right",
        verticalalignment="bottom",
        color=style.muted,
        fontsize="small",
    )


def sweep_curve(ax: "Axes", sweep: pd.DataFrame, statistic: str, scaling: str, curve: Curve, **line: Any) -> None:
    """Draw one statistic of a sweep against head width, with bars of one standard error where one exists.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    sweep : pandas.DataFrame
        A sweep's table.
    statistic, scaling : str
        Which rows.
    curve : Curve
        How they look.
    **line
        What looks otherwise here, as for ``Axes.errorbar``.
    """
    rows = sweep[(sweep.statistic == statistic) & (sweep.scaling == scaling)].sort_values("d_k")
    error = rows["std_error"].to_numpy()
    drawn = ax.errorbar(
        rows["d_k"].to_numpy(),
        rows["mean"].to_numpy(),
        yerr=error if rows["std_error"].notna().any() else None,
        elinewidth=0.9,
        label=curve.label,
        **(curve.line() | line),
    )
    drawn.lines[0].set_clip_on(False)  # a marker at 0 or 1 stays whole


def panel_title(ax: "Axes", place: int, text: str) -> None:
    """Head a panel with its letter, (a) for place 0, and what it shows."""
    ax.set_title(rf"$\mathbf{{({chr(ord('a') + place)})}}$ {text}")


def legend_above(figure: "Figure", ax: "Axes", *, columns: int) -> None:
    """Put a legend of the axes' artists above all panels, where it covers none of them; error bars are left out."""
    handles, labels = ax.get_legend_handles_labels()
    handles = [handle.lines[0] if isinstance(handle, ErrorbarContainer) else handle for handle in handles]
    figure.legend(handles, labels, loc="outside upper left", ncols=columns, columnspacing=1.8)
