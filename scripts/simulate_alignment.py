"""What becomes of a row when its query has learned to look for one of the keys."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from rootdk.aligned_rows import draw_aligned_rows
from rootdk.attention import Floats
from rootdk.command import run_simulation
from rootdk.samplers import default_divisors
from rootdk.sampling_error import Estimate
from rootdk.seeded_blocks import DRAWS_PER_BLOCK, NO_DRAWS, Cell, Moments, block_generator, merge, moments
from rootdk.tables import Quantity, Tables, summary_table
from rootdk.weight_sums import ScoreRows, WeightSums

COLUMNS = ("tokens", "correlation", "d_k", "scaling", "statistic", "mean", "std_error", "draws")


def simulate_alignment(
    *, seed: int, keys: int, head_widths: list[int], correlations: list[float], draws: int
) -> Tables:
    """Return how sharp rows are, and how much the aligned key gets, when q = ρ k₁ + sqrt(1 − ρ²) g.

    Parameters
    ----------
    seed : int
        Each width has a stream of its own, made from the seed, the number of keys and the width; all correlations of a
        width share it. So a width or a correlation more changes no number of the others.
    keys : int
        Keys in a row; at least 2. The first is the aligned one.
    head_widths : list of int
        Head widths d_k; each at least 1.
    correlations : list of float
        ρ, of each component of the query with the same component of the aligned key; each from 0 to 1.
    draws : int
        Rows per width; at least 2. They are independent, and standard errors count them.

    Returns
    -------
    Tables
        Per correlation, width and scaling ``max_weight``, ``aligned_weight`` (the first key's) and ``entropy`` (nats),
        means over rows; the summary has the exact mean of the aligned key's score in each case, its standard deviation
        with the division, the same at every width, and the entropy of even shares.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    With |k₁|² of mean d_k and variance 2 d_k, q·k₁ = ρ|k₁|² + sqrt(1 − ρ²) |k₁| g₁ has the mean ρ d_k and the variance
    2ρ² d_k + (1 − ρ²) d_k = (1 + ρ²) d_k: divided by sqrt(d_k), the mean is ρ sqrt(d_k) and the variance 1 + ρ².
    """
    rows = []
    summary = [Quantity("max_entropy", math.log(keys), "nats", where=f"tokens={keys}")]
    for correlation in correlations:
        # As number names have it, 0 and not 0.0.
        named = f"correlation={correlation:.15g}"
        spread = math.sqrt(1 + correlation * correlation)
        summary.append(Quantity("aligned_score_std", spread, "score", "scaled", named, 0.0))
        for d_k in head_widths:
            for scaling, divisor in default_divisors(d_k).items():
                mean = correlation * (d_k / divisor)
                summary.append(Quantity("aligned_score_mean", mean, "score", scaling, f"{named};d_k={d_k}", 0.0))
            estimates = measure_alignment(seed=seed, keys=keys, d_k=d_k, correlation=correlation, draws=draws)
            rows += [
                (keys, float(correlation), d_k, scaling, statistic, *estimate, draws)
                for (scaling, statistic), estimate in estimates.items()
            ]
    return Tables(pd.DataFrame(rows, columns=list(COLUMNS)), summary_table(summary))


def measure_alignment(
    *, seed: int, keys: int, d_k: int, correlation: float, draws: int
) -> dict[tuple[str, str], Estimate]:
    """Return ``(scaling, statistic)`` to its mean over rows, for one width and one correlation.

    Parameters and errors are those of :func:`simulate_alignment`.
    """
    cell = Cell("alignment", "aligned", keys, d_k)
    totals: dict[tuple[str, str], Moments] = {}
    for block, start in enumerate(range(0, draws, DRAWS_PER_BLOCK)):
        rng = block_generator(seed, cell, block)
        size = min(DRAWS_PER_BLOCK, draws - start)
        measured: dict[tuple[str, str], list[Floats]] = {}
        for scores in draw_aligned_rows(rng, tokens=keys, d_k=d_k, correlation=correlation, draws=size):
            for key, values in _measure(scores, d_k):
                measured.setdefault(key, []).append(values)
        for key, parts in measured.items():
            totals[key] = merge(totals.get(key, NO_DRAWS), moments(np.concatenate(parts)))
    return {key: total.estimate for key, total in totals.items()}


def _measure(scores: Floats, d_k: int) -> Iterator[tuple[tuple[str, str], Floats]]:
    rows, behind = ScoreRows(scores), scores[0] - scores.max(axis=0)
    for scaling, divisor in default_divisors(d_k).items():
        with np.errstate(under="ignore"):  # weights of saturated rows are 0, as they should be
            sums = WeightSums(rows, divisor)
            largest = sums.max_weight()
            yield (scaling, "max_weight"), largest
            yield (scaling, "aligned_weight"), np.exp(behind / divisor) * largest
            yield (scaling, "entropy"), sums.entropy()


if __name__ == "__main__":
    run_simulation(simulate_alignment)
