"""Exact curves over all head widths, the sampled means on them, and the points of the narrower experiments."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from rootdk.axes import MarginLabel, doubled_width_axis, legend_above, margin_labels, panel_title, share_axis
from rootdk.figure_files import run_drawing
from rootdk.style import Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS = {"max_weight": "largest weight", "entropy": "entropy", "jacobian_trace": "Jacobian trace"}
SAMPLED = {"marker": ".", "markersize": 3.6, "markeredgewidth": 0}


class Points(NamedTuple):
    """The points of another experiment: its table, its name in the legend and its marker."""

    table: pd.DataFrame
    label: str
    marker: str
    size: float

    def look(self) -> dict[str, Any]:
        """Return keyword arguments for ``Axes.plot`` and ``Axes.errorbar``: open, so that what lies below is seen."""
        return {"marker": self.marker, "markersize": self.size, "markeredgewidth": 0.7, "markerfacecolor": "none"}


def draw_width_sweep(
    figure: "Figure",
    *,
    width_sweep: pd.DataFrame,
    width_sweep_summary: pd.DataFrame,
    max_weight: pd.DataFrame,
    dimension_sweep: pd.DataFrame,
    score_std: pd.DataFrame,
    score_std_summary: pd.DataFrame,
    closed_row: pd.DataFrame,
    style: Style,
) -> None:
    """Draw one panel per statistic with a pair of curves for each number of tokens.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn into; empty before.
    width_sweep : pandas.DataFrame
        The sweep, with exact values.
    width_sweep_summary : pandas.DataFrame
        Has the number of rows behind each sampled mean.
    max_weight, dimension_sweep, score_std, closed_row : pandas.DataFrame
        Sweeps over fewer widths. What they have for a number of tokens without a curve is left out.
    score_std_summary : pandas.DataFrame
        Has the entropy of even weights, of which ``score_std`` has fractions.
    style : Style
        Colours and markers.
    """
    counts = sorted(width_sweep["tokens"].unique())
    others = [
        Points(max_weight, "heatmaps-demo", "s", 5.4),
        Points(dimension_sweep, "weights-article", "D", 3.8),
        Points(_in_nats(score_std, score_std_summary), "why-scale-demo", "o", 5),
        Points(closed_row, "missing-root-lesson", "^", 4.6),
    ]
    shown = [points._replace(table=points.table[points.table["tokens"].isin(counts)]) for points in others]
    widths = sorted({int(width) for table in (width_sweep, *(each.table for each in shown)) for width in table["d_k"]})
    all_axes = figure.subplots(1, len(PANELS))
    for place, (ax, (statistic, title)) in enumerate(zip(all_axes, PANELS.items(), strict=True)):
        panel_title(ax, place, title)
        doubled_width_axis(ax, widths)
        exact = width_sweep[width_sweep["statistic"] == f"exact_{statistic}"]
        if statistic == "entropy":
            ax.set_ylim(0, 1.04 * exact["mean"].max() or 1)
            ax.locator_params(axis="y", nbins=5)
            ax.yaxis.set_major_formatter("{x:g}")
            ax.set_ylabel("nats")
        else:
            share_axis(ax, "weight" if statistic == "max_weight" else "weight per score")
        _draw_curves(ax, exact, counts, style)
        _draw_sampled(ax, width_sweep[width_sweep["statistic"] == statistic], style)
        for points in shown:
            _draw_points(ax, points, statistic, style)
        _name_counts(ax, exact, counts, style)
    rows = width_sweep_summary.loc[width_sweep_summary["statistic"] == "rows_per_width", "value"].iloc[0]
    ax = all_axes[0]
    ax.plot([], [], color=style.muted, linestyle="none", **SAMPLED, label=f"{rows:.0f} sampled rows")
    for points in shown:
        if not points.table.empty:
            ax.plot([], [], color=style.ink, linestyle="none", label=points.label, **points.look())
    legend_above(figure, ax, columns=4)


def _draw_curves(ax: "Axes", exact: pd.DataFrame, counts: Iterable[int], style: Style) -> None:
    for scaling, curve in style.curves.items():
        parts = [exact[(exact["tokens"] == tokens) & (exact["scaling"] == scaling)] for tokens in counts]
        x, y = (_with_gaps([part.sort_values("d_k")[name] for part in parts]) for name in ("d_k", "mean"))
        line = curve.line() | {"marker": "none", "linewidth": 1.0}
        if exact["d_k"].min() == exact["d_k"].max():
            line |= {"marker": "_", "markersize": 9, "markeredgecolor": curve.color, "markeredgewidth": 1.0}
        ax.plot(x, y, **line, label=f"{curve.label}, exact", clip_on=False)


def _draw_sampled(ax: "Axes", sampled: pd.DataFrame, style: Style) -> None:
    for scaling, curve in style.curves.items():
        rows = sampled[sampled["scaling"] == scaling]
        _draw_with_errors(ax, rows, color=curve.color, **SAMPLED)


def _draw_points(ax: "Axes", points: Points, statistic: str, style: Style) -> None:
    rows = points.table[points.table["statistic"] == statistic]
    if not rows.empty:
        _draw_with_errors(ax, rows, color=style.ink, **points.look())


def _draw_with_errors(ax: "Axes", rows: pd.DataFrame, **look: Any) -> None:
    error = rows["std_error"].to_numpy() if rows["std_error"].notna().any() else None
    drawn = ax.errorbar(
        rows["d_k"].to_numpy(), rows["mean"].to_numpy(), error, linestyle="none", elinewidth=0.8, capsize=0, **look
    )
    drawn.lines[0].set_clip_on(False)


def _name_counts(ax: "Axes", exact: pd.DataFrame, counts: list[int], style: Style) -> None:
    # Beside the ends of the scaled curves, which stay apart; the others follow in the same order.
    scaled = exact[(exact["scaling"] == "scaled") & (exact["d_k"] == exact["d_k"].max())].set_index("tokens")["mean"]
    names = [f"$n={tokens}$" if tokens == counts[0] else str(tokens) for tokens in counts]
    color = style.curves["scaled"].color
    margin_labels(ax, [MarginLabel(name, scaled[tokens], color) for name, tokens in zip(names, counts, strict=True)])


def _in_nats(score_std: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    most = summary.loc[summary["statistic"] == "max_entropy", "value"].iloc[0]
    shares = score_std[score_std["statistic"] == "normalized_entropy"]
    return shares.assign(statistic="entropy", mean=shares["mean"] * most, std_error=shares["std_error"] * most)


def _with_gaps(parts: list[pd.Series]) -> np.ndarray:
    return np.concatenate([value for part in parts for value in (part.to_numpy(float), [np.nan])])


if __name__ == "__main__":
    run_drawing(draw_width_sweep)
