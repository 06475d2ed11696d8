"""The spread of scores and the entropy of the weights against head width."""

import math

import numpy as np

from rootdk.attention import scale_factor
from rootdk.command import run_simulation
from rootdk.samplers import DENSE, measure
from rootdk.sampling_error import Estimate, estimate_mean, estimate_root_mean
from rootdk.tables import Quantity, Tables, summary_table, sweep_rows, sweep_table


def simulate_score_std(rng: np.random.Generator, *, tokens: int, head_widths: list[int], draws: int) -> Tables:
    """Return the root mean square score and the normalized entropy of the rows, unscaled and scaled.

    Parameters
    ----------
    rng : numpy.random.Generator
        Advanced by ``2 * tokens * sum(head_widths) * draws`` normals.
    tokens : int
        Positions n; at least 1.
    head_widths : list of int
        Head widths d_k; each at least 1.
    draws : int
        (Q, K) pairs per width; at least 2.

    Returns
    -------
    Tables
        A sweep with ``score_rms`` (root of the mean over draws of the mean squared score, the standard deviation about
        the population mean 0), the exact ``predicted_rms`` and ``normalized_entropy`` (fraction of ln n; mean over
        rows, then draws).

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    rows = []
    for d_k in head_widths:
        statistics = ["mean_square_score", "normalized_entropy"]
        measured = measure(DENSE, rng, tokens=tokens, d_k=d_k, draws=draws, statistics=statistics)
        estimates = {}
        for scaling, predicted in (("unscaled", scale_factor(d_k)), ("scaled", 1.0)):
            estimates[scaling, "score_rms"] = estimate_root_mean(measured[scaling, "mean_square_score"])
            estimates[scaling, "predicted_rms"] = Estimate(predicted, 0.0)
            estimates[scaling, "normalized_entropy"] = estimate_mean(measured[scaling, "normalized_entropy"])
        rows += sweep_rows(estimates, tokens=tokens, d_k=d_k, draws=draws)
    summary = [
        Quantity("rows_per_width", tokens * draws, "rows"),
        Quantity("max_entropy", math.log(tokens), "nats", where=f"tokens={tokens}"),
    ]
    return Tables(sweep_table(rows), summary_table(summary))


if __name__ == "__main__":
    run_simulation(simulate_score_std)
