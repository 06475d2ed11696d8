"""One head of random queries and keys: its weights and Jacobians without and with the division by sqrt(d_k)."""

import numpy as np
import pandas as pd

from rootdk.attention import scale_factor, softmax
from rootdk.command import run_simulation
from rootdk.dense_heads import draw_scores
from rootdk.gradient import jacobian_norm
from rootdk.row_statistics import largest_weight, score_spread
from rootdk.tables import Quantity, Tables, summary_table


def simulate_attention_heatmaps(rng: np.random.Generator, *, tokens: int, head_width: int) -> Tables:
    """Return the weights of one head, and the largest weight and the Jacobian norm of each of its rows.

    Parameters
    ----------
    rng : numpy.random.Generator
        Advanced by ``2 * tokens * head_width`` normals: queries, then keys.
    tokens : int
        Positions n; at least 1.
    head_width : int
        d_k; at least 1.

    Returns
    -------
    Tables
        The matrix; in the summary ``score_std`` (population standard deviation of all scores), ``max_weight`` and
        ``jacobian_norm`` per row, ``jacobian_norm_mean`` and the ratio of the two means. The head is one draw, so none
        of these has a standard error.

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
    table = pd.DataFrame(cells, columns=["row", "column", "scaling", "score", "weight"])
    return Tables(table, summary_table(summary))


if __name__ == "__main__":
    run_simulation(simulate_attention_heatmaps)
