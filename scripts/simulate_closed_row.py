"""Many queries, always the same few keys: largest weight and how far scores can still move it."""

import math

import numpy as np

from rootdk.attention import scale_factor, softmax, unscaled_scores
from rootdk.command import run_simulation
from rootdk.gradient import jacobian_trace, max_jacobian_diagonal
from rootdk.row_statistics import largest_weight
from rootdk.sampling_error import Estimate
from rootdk.tables import Quantity, Tables, summary_table, sweep_rows, sweep_table

STATISTICS = {
    "max_weight": largest_weight,
    "jacobian_trace": jacobian_trace,
    "max_jacobian_diagonal": max_jacobian_diagonal,
}


def simulate_closed_row(
    rng: np.random.Generator, *, keys: int, queries: int, head_widths: list[int], score_gap: float
) -> Tables:
    """Return what many queries do with one set of keys, undivided and divided.

    Parameters
    ----------
    rng : numpy.random.Generator
        Advanced by ``(queries + keys) * sum(head_widths)`` normals: per width all queries, then the keys.
    keys : int
        Keys in the row; at least 2.
    queries : int
        Rows; at least 2.
    head_widths : list of int
        Head widths d_k; each at least 1.
    score_gap : float
        A gap between two scores; the summary holds the ratio of their weights, exp(gap).

    Returns
    -------
    Tables
        A sweep with ``max_weight``, ``jacobian_trace`` and ``max_jacobian_diagonal``, means over the queries. All of
        them meet the same keys, which are one draw: there is no standard error, and ``draws`` is 1.
    """
    rows = []
    for d_k in head_widths:
        q = rng.standard_normal((queries, d_k))
        k = rng.standard_normal((keys, d_k))
        scores = unscaled_scores(q, k)
        estimates = {}
        for scaling, divisor in (("unscaled", 1.0), ("scaled", scale_factor(d_k))):
            weights = softmax(scores / divisor)
            for name, statistic in STATISTICS.items():
                estimates[scaling, name] = Estimate(float(statistic(weights).mean()), math.nan)
        rows += sweep_rows(estimates, tokens=keys, d_k=d_k, draws=1)
    summary = [
        Quantity("jacobian_trace_bound", 1 - 1 / keys, "weight per score", where=f"tokens={keys}"),
        Quantity("weight_ratio", math.exp(score_gap), "ratio", "unscaled", f"score_gap={score_gap:.15g}"),
    ]
    return Tables(sweep_table(rows), summary_table(summary))


if __name__ == "__main__":
    run_simulation(simulate_closed_row)
