"""One score at a time: its mean and its typical size against head width."""

import numpy as np

from rootdk.allocation import keep_freed_memory
from rootdk.attention import scale_factor
from rootdk.command import run_simulation
from rootdk.sampling_error import Estimate, estimate_mean, estimate_root_mean
from rootdk.tables import Quantity, Tables, summary_table, sweep_rows, sweep_table

ENTRIES_AT_ONCE = 100_000


def simulate_score_size(rng: np.random.Generator, *, head_widths: list[int], pairs: int) -> Tables:
    """Return the mean and the root mean square of scores between independent queries and keys.

    Parameters
    ----------
    rng : numpy.random.Generator
        Advanced by ``2 * pairs * sum(head_widths)`` normals: per width all queries, then all keys.
    head_widths : list of int
        Head widths d_k; each at least 1.
    pairs : int
        One query with one key each; at least 2.

    Returns
    -------
    Tables
        A sweep of single scores (``tokens`` is 1) with ``score_mean``, ``typical_size`` (root mean square) and the
        exact ``predicted_size`` sqrt(d_k), unscaled and divided by it. Pairs are independent, so standard errors are
        over pairs.
    """
    keep_freed_memory()
    table = []
    for d_k in head_widths:
        queries = rng.standard_normal((pairs, d_k))
        # All queries come before the first key, but the keys need not be in memory together.
        rows = max(1, ENTRIES_AT_ONCE // d_k)
        scores = np.concatenate(
            [
                (batch * rng.standard_normal(batch.shape)).sum(axis=-1)
                for batch in (queries[start : start + rows] for start in range(0, pairs, rows))
            ]
        )
        root = scale_factor(d_k)
        estimates = {}
        for scaling, divided, predicted in (("unscaled", scores, root), ("scaled", scores / root, 1.0)):
            estimates[scaling, "score_mean"] = estimate_mean(divided)
            estimates[scaling, "typical_size"] = estimate_root_mean(divided**2)
            estimates[scaling, "predicted_size"] = Estimate(predicted, 0.0)
        table += sweep_rows(estimates, tokens=1, d_k=d_k, draws=pairs)
    summary = [Quantity("pairs_per_width", pairs, "pairs")]
    return Tables(sweep_table(table), summary_table(summary))


if __name__ == "__main__":
    run_simulation(simulate_score_size)
