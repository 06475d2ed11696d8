"""The largest attention weight against head width, with and without the division by sqrt(d_k)."""

import numpy as np

from rootdk.command import run_simulation
from rootdk.samplers import DENSE, measure
from rootdk.sampling_error import estimate_mean
from rootdk.tables import Quantity, Tables, summary_table, sweep_rows, sweep_table


def simulate_max_weight(rng: np.random.Generator, *, tokens: int, head_widths: list[int], draws: int) -> Tables:
    """Return the mean largest attention weight per row, with and without scaling.

    Parameters
    ----------
    rng : numpy.random.Generator
        Advanced by ``2 * tokens * sum(head_widths) * draws`` normals.
    tokens : int
        Positions n in the sequence; at least 1.
    head_widths : list of int
        Head widths d_k; each at least 1.
    draws : int
        (Q, K) pairs per width; at least 2, so that a standard error exists.

    Returns
    -------
    Tables
        A sweep with the statistic ``max_weight`` (fraction of the row; mean over rows, then draws); the summary counts
        the rows.

    Raises
    ------
    ValueError
        If a parameter is out of range; the message names it, its value and the range.
    """
    rows = []
    for d_k in head_widths:
        measured = measure(DENSE, rng, tokens=tokens, d_k=d_k, draws=draws, statistics=["max_weight"])
        estimates = {key: estimate_mean(values) for key, values in measured.items()}
        rows += sweep_rows(estimates, tokens=tokens, d_k=d_k, draws=draws)
    summary = [Quantity("rows_per_width", tokens * draws, "rows")]
    return Tables(sweep_table(rows), summary_table(summary))


if __name__ == "__main__":
    run_simulation(simulate_max_weight)
