"""Queries and keys of signs: the law of their score, counted instead of drawn."""

import math

import numpy as np
import pandas as pd

from rootdk.command import run_simulation
from rootdk.tables import Quantity, Tables, summary_table


def simulate_sign_scores(*, head_widths: list[int], enumerate_up_to: int, agreements: list[list[int]]) -> Tables:
    """Return the exact law of the score of a random sign query with a fixed sign key.

    Parameters
    ----------
    head_widths : list of int
        Head widths d_k; each at least 1.
    enumerate_up_to : int
        Up to this width all 2^d_k queries are listed and counted, in integers; past it the number of agreeing signs
        follows the binomial law, which is the same law.
    agreements : list of list of int
        Worked examples ``[d_k, agreeing signs]``; the score is agreeing less disagreeing signs.

    Returns
    -------
    Tables
        ``probability`` of each score, beside ``normal_share``: what the normal law of standard deviation sqrt(d_k)
        gives to the interval of length 2 around it. The summary has the mean, exactly 0, the mean square, exactly
        d_k, and the largest difference between the two columns.
    """
    rows = []
    summary = []
    for d_k in head_widths:
        listed = d_k <= enumerate_up_to
        scores, counts = count_scores(d_k) if listed else binomial_counts(d_k)
        total = 1 << d_k
        probabilities = [count / total for count in counts]
        normal = [_normal_share(score, d_k) for score in scores]
        rows += [
            (d_k, "listed" if listed else "binomial", *row) for row in zip(scores, probabilities, normal, strict=True)
        ]
        where = f"d_k={d_k}"
        mean = sum(score * count for score, count in zip(scores, counts, strict=True)) / total
        square = sum(score * score * count for score, count in zip(scores, counts, strict=True)) / total
        gap = max(abs(one - other) for one, other in zip(probabilities, normal, strict=True))
        summary += [
            Quantity("score_mean", mean, "score", "unscaled", where, 0.0),
            Quantity("score_mean_square", square, "score squared", "unscaled", where, 0.0),
            Quantity("typical_size", math.sqrt(square), "score", "unscaled", where, 0.0),
            Quantity("largest_gap_to_normal", gap, "probability", "unscaled", where),
            Quantity("largest_probability", max(probabilities), "probability", "unscaled", where),
        ]
        if listed:
            summary.append(Quantity("patterns_listed", total, "sign patterns", "", where))
    summary += [
        Quantity("score", 2 * agreeing - d_k, "score", "unscaled", f"d_k={d_k};agreements={agreeing}")
        for d_k, agreeing in agreements
    ]
    table = pd.DataFrame(rows, columns=["d_k", "method", "sign_score", "probability", "normal_share"])
    return Tables(table, summary_table(summary))


def count_scores(d_k: int) -> tuple[list[int], list[int]]:
    """Return the possible scores and how many of all 2^d_k sign queries reach each, by listing them.

    Parameters
    ----------
    d_k : int
        Head width; at least 1, and small enough for 2^d_k queries to fit in memory.
    """
    key = np.where(np.arange(d_k) % 3 == 0, -1, 1)  # any fixed signs: the law does not depend on them
    bits = np.arange(1 << d_k, dtype=np.int64)
    scores = np.zeros(1 << d_k, dtype=np.int64)
    for component in range(d_k):
        scores += np.where((bits >> component) & 1, 1, -1) * key[component]
    values, counts = np.unique(scores, return_counts=True)
    return values.tolist(), counts.tolist()


def binomial_counts(d_k: int) -> tuple[list[int], list[int]]:
    """Return the same without listing: 2a − d_k with a agreeing signs, in C(d_k, a) ways."""
    return [2 * agreeing - d_k for agreeing in range(d_k + 1)], [math.comb(d_k, a) for a in range(d_k + 1)]


def _normal_share(score: int, d_k: int) -> float:
    spread = math.sqrt(2 * d_k)
    return 0.5 * (math.erf((score + 1) / spread) - math.erf((score - 1) / spread))


if __name__ == "__main__":
    run_simulation(simulate_sign_scores)
