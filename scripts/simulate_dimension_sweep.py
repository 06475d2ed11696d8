"""Score spread, largest weight, entropy and Jacobian trace of the same heads against head width."""

import math

import numpy as np

from rootdk.command import run_simulation
from rootdk.samplers import DENSE, HEAD, default_divisors, measure
from rootdk.sampling_error import estimate_mean
from rootdk.seeded_blocks import measure_blocks
from rootdk.tables import Quantity, Tables, summary_table, sweep_rows, sweep_table

STATISTICS = ("score_std", "max_weight", "entropy", "jacobian_trace")


def simulate_dimension_sweep(
    *, seed: int, tokens: int, head_widths: list[int], draws: int, reference_heads: int
) -> Tables:
    """Return four statistics of random heads, without and with scaling.

    Parameters
    ----------
    seed : int
        The stream starts again from it at every width, so that widths share their random numbers.
    tokens : int
        Positions n; at least 1.
    head_widths : list of int
        Head widths d_k; each at least 1.
    draws : int
        (Q, K) pairs per width; at least 2.
    reference_heads : int
        Further heads per width, with random numbers of their own (:func:`rootdk.seeded_blocks.block_generator`), for
        the expectation of ``score_std``, which no formula gives; at least 2.

    Returns
    -------
    Tables
        A sweep with ``score_std`` (population standard deviation of each matrix of scores, mean over draws),
        ``max_weight``, ``entropy`` (nats) and ``jacobian_trace`` (means over rows, then draws); the summary has the
        ratio of the scaled to the unscaled mean trace, the entropy of even shares, the trace's bound, and
        ``expected_score_std``, the mean over the reference heads with its standard error.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    rows = []
    summary = [
        Quantity("rows_per_width", tokens * draws, "rows"),
        Quantity("max_entropy", math.log(tokens), "nats", where=f"tokens={tokens}"),
        Quantity("jacobian_trace_bound", 1 - 1 / tokens, "weight per score", where=f"tokens={tokens}"),
    ]
    for d_k in head_widths:
        rng = np.random.default_rng(seed)
        measured = measure(DENSE, rng, tokens=tokens, d_k=d_k, draws=draws, statistics=STATISTICS)
        estimates = {key: estimate_mean(values) for key, values in measured.items()}
        rows += sweep_rows(estimates, tokens=tokens, d_k=d_k, draws=draws)
        scaled, unscaled = (estimates[scaling, "jacobian_trace"].mean for scaling in ("scaled", "unscaled"))
        if unscaled > 0:
            ratio = scaled / unscaled
            summary.append(Quantity("jacobian_trace_ratio", ratio, "ratio", "scaled/unscaled", f"d_k={d_k}"))
        summary += _expected_score_std(seed, tokens, d_k, reference_heads)
    return Tables(sweep_table(rows), summary_table(summary))


def _expected_score_std(seed: int, tokens: int, d_k: int, heads: int) -> list[Quantity]:
    measured = measure_blocks(
        HEAD,
        seed=seed,
        experiment="dimension_sweep",
        tokens=tokens,
        d_k=d_k,
        blocks=1,
        draws_per_block=heads,
        statistics=["score_std"],
        divisors={"unscaled": 1.0},
    )
    mean, error = measured["unscaled", "score_std"]
    return [
        Quantity("expected_score_std", mean / divisor, "score", scaling, f"d_k={d_k}", error / divisor)
        for scaling, divisor in default_divisors(d_k).items()
    ]


if __name__ == "__main__":
    run_simulation(simulate_dimension_sweep)
