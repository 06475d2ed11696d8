"""One head of random queries and keys: its weights and Jacobians without and with the division by sqrt(d_k)."""

import numpy as np
import pandas as pd

from rootdk.attention import scale_factor, softmax
from rootdk.command import run_simulation
from rootdk.dense_heads import draw_scores
from rootdk.gradient import jacobian_norm
from rootdk.row_statistics import largest_weight, score_spread
from rootdk.samplers import DENSE, measure_rows
from rootdk.sampling_error import estimate_mean
from rootdk.tables import Quantity, Tables, summary_table


def simulate_attention_heatmaps(rng: np.random.Generator, *, tokens: int, head_width: int, other_heads: int) -> Tables:
    """Return the weights of one head, and the largest weight and the Jacobian norm of each of its rows.

    Parameters
    ----------
    rng : numpy.random.Generator
        Advanced by ``2 * tokens * head_width * (1 + other_heads)`` normals.
    tokens : int
        Positions n; at least 1.
    head_width : int
        d_k; at least 1.
    other_heads : int
        Further heads, drawn after the one that is shown, to tell how typical it is; at least 2.

    Returns
    -------
    Tables
        The matrix; in the summary ``score_std`` (population standard deviation of all scores), ``max_weight`` and
        ``jacobian_norm`` per row, ``jacobian_norm_mean`` and the ratio of the two means. The head is one draw, so none
        of these has a standard error. ``other_…`` quantities are those of the other heads: their mean norms, the median
        norm of all their rows, the ratio of the means, the median of each head's own ratio, and the share of heads
        whose ratio is at least as large as that of the head shown.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    (scores,) = next(draw_scores(rng, tokens=tokens, d_k=head_width, draws=1))
    at_width = f"d_k={head_width}"
    summary = [Quantity("predicted_score_std", scale_factor(head_width), "score", "unscaled", at_width)]
    cells = []
    mean_norm = {}
    for scaling, divided in (("unscaled", scores), ("scaled", scores / scale_factor(head_width))):
        weights = softmax(divided)
        norms = jacobian_norm(weights)
        mean_norm[scaling] = float(norms.mean())
        summary += [
            Quantity("score_std", float(score_spread(divided)), "score", scaling, at_width),
            Quantity("jacobian_norm_mean", mean_norm[scaling], "weight per score", scaling, at_width),
        ]
        for row in range(tokens):
            where = f"row={row + 1}"
            summary += [
                Quantity("winner", int(weights[row].argmax()) + 1, "key, from 1", scaling, where),
                Quantity("max_weight", float(largest_weight(weights)[row]), "weight", scaling, where),
                Quantity("jacobian_norm", float(norms[row]), "weight per score", scaling, where),
            ]
            cells += [
                (
                    str(row + 1),
                    str(column + 1),
                    scaling,
                    float(divided[row, column]),
                    float(weights[row, column]),
                )
                for column in range(tokens)
            ]
    if mean_norm["unscaled"] > 0:
        ratio = mean_norm["scaled"] / mean_norm["unscaled"]
        summary.append(Quantity("jacobian_norm_ratio", ratio, "ratio", "scaled/unscaled", at_width))
        summary += _other_heads(rng, tokens, head_width, other_heads, at_width, ratio)
    table = pd.DataFrame(cells, columns=["row", "column", "scaling", "score", "weight"])
    return Tables(table, summary_table(summary))


def _other_heads(
    rng: np.random.Generator, tokens: int, d_k: int, heads: int, at_width: str, shown_ratio: float
) -> list[Quantity]:
    rows = measure_rows(DENSE, rng, tokens=tokens, d_k=d_k, draws=heads, statistics=["jacobian_norm"])
    summary = []
    means = {}
    for scaling in ("unscaled", "scaled"):
        norms = rows[scaling, "jacobian_norm"]
        means[scaling] = norms.mean(axis=-1)
        mean, error = estimate_mean(means[scaling])
        summary += [
            Quantity("other_jacobian_norm_mean", mean, "weight per score", scaling, at_width, error),
            Quantity("other_jacobian_norm_median", float(np.median(norms)), "weight per score", scaling, at_width),
        ]
    if not means["unscaled"].mean() > 0:
        return summary
    with np.errstate(divide="ignore", over="ignore"):
        ratios = means["scaled"] / means["unscaled"]
    ratio_of_means = float(means["scaled"].mean() / means["unscaled"].mean())
    as_large = float(np.mean(ratios >= shown_ratio))
    return [
        *summary,
        Quantity("other_jacobian_norm_ratio", ratio_of_means, "ratio", "scaled/unscaled", at_width),
        Quantity("other_ratio_median", float(np.median(ratios)), "ratio", "scaled/unscaled", at_width),
        Quantity("other_share_as_large", as_large, "fraction of heads", "scaled/unscaled", at_width),
    ]


if __name__ == "__main__":
    run_simulation(simulate_attention_heatmaps)
