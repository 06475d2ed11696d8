"""Everything that a row of weights can tell, at any head width, sampled in blocks beside its exact expectation."""

import math
from collections.abc import Iterator, Mapping

from rootdk.command import run_simulation
from rootdk.exact import DIVISOR_POWERS, expected
from rootdk.many_comparisons import largest_by_chance, rarely_exceeded
from rootdk.samplers import ROW
from rootdk.sampling_error import Estimate, root_of
from rootdk.seeded_blocks import measure_blocks
from rootdk.tables import Quantity, Tables, summary_table, sweep_rows, sweep_table

ROWS_PER_BLOCK = 1024
SAMPLED = (
    "mean_square_score",
    "max_weight",
    "entropy",
    "jacobian_trace",
    "jacobian_norm",
    "max_jacobian_diagonal",
)
COMPARED = {
    "score_rms": ("scaled",),  # the undivided ones have the same deviations
    "max_weight": ("unscaled", "scaled"),
    "entropy": ("unscaled", "scaled"),
    "jacobian_trace": ("unscaled", "scaled"),
}
OPEN_ROWS = 30.0
RARE = 0.01

Estimates = dict[tuple[str, str], Estimate]


def simulate_width_sweep(*, seed: int, token_counts: list[int], head_widths: list[int], blocks: int) -> Tables:
    """Return what rows of weights do at every length and head width, sampled and exact.

    Parameters
    ----------
    seed : int
        At least 0. Every length and width has a stream of its own in every block
        (:func:`rootdk.seeded_blocks.block_generator`), so that none changes when another is added.
    token_counts : list of int
        Numbers of positions n; each from 1 to 100000.
    head_widths : list of int
        Head widths d_k; each at least 1.
    blocks : int
        Of 1024 rows each (:data:`rootdk.samplers.ROW`); at least 1. More of them add to the first and replace none.

    Returns
    -------
    Tables
        A sweep with means over rows of ``max_weight``, ``squared_weights`` (their sum), ``entropy`` (nats),
        ``normalized_entropy`` (fraction of ln n), ``jacobian_trace``, ``jacobian_norm`` and ``max_jacobian_diagonal``
        (weight per score), and ``score_rms``, the root of the mean squared score; below them, as ``exact_…`` with a
        standard error of 0 and no draws, the expectations of those that have one (:mod:`rootdk.exact`). The summary
        has, in standard errors, the largest deviation from the exact value per statistic and of all, how many were
        compared, the largest that so many independent ones would be expected to have, and what they would exceed in
        one run out of a hundred.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Where nearly every row has one key with everything, a mean rests on the few rows that have not, and its standard
    error is no measure yet. Their number is about that of all rows times the trace; deviations count where at least 30
    are expected, which is known before anything is drawn.
    """
    draws = ROWS_PER_BLOCK * blocks
    rows = []
    deviations: dict[str, list[float]] = {statistic: [] for statistic in COMPARED}
    for tokens in token_counts:
        for d_k in head_widths:
            sampled = sample_rows(seed=seed, tokens=tokens, d_k=d_k, blocks=blocks)
            exact = exact_values(tokens, d_k)
            rows += sweep_rows(sampled, tokens=tokens, d_k=d_k, draws=draws)
            named = {(scaling, f"exact_{name}"): Estimate(value, 0.0) for (scaling, name), value in exact.items()}
            rows += sweep_rows(named, tokens=tokens, d_k=d_k, draws=0)
            for statistic, deviation in _deviations(sampled, exact, draws):
                deviations[statistic].append(deviation)
    possible = len(token_counts) * len(head_widths) * sum(map(len, COMPARED.values()))
    summary = [
        Quantity("rows_per_width", draws, "rows"),
        Quantity("least_open_rows", OPEN_ROWS, "rows"),
        Quantity("left_out", possible - sum(map(len, deviations.values())), "comparisons"),
        *_judged(deviations),
    ]
    return Tables(sweep_table(rows), summary_table(summary))


def sample_rows(*, seed: int, tokens: int, d_k: int, blocks: int) -> Estimates:
    """Return the sampled means of one length and width by scaling and statistic; parameters are as above."""
    measured = measure_blocks(
        ROW,
        seed=seed,
        experiment="width_sweep",
        tokens=tokens,
        d_k=d_k,
        blocks=blocks,
        statistics=SAMPLED,
        draws_per_block=ROWS_PER_BLOCK,
    )
    found: Estimates = {}
    for scaling in DIVISOR_POWERS:
        of = {statistic: measured[scaling, statistic] for statistic in SAMPLED}
        trace, entropy = of["jacobian_trace"], of["entropy"]
        evenly = math.log(tokens) if tokens > 1 else math.inf  # one key's share is even, and its entropy 0
        found |= {
            (scaling, "score_rms"): root_of(of["mean_square_score"]),
            (scaling, "max_weight"): of["max_weight"],
            (scaling, "squared_weights"): Estimate(1 - trace.mean, trace.std_error),
            (scaling, "entropy"): entropy,
            (scaling, "normalized_entropy"): Estimate(entropy.mean / evenly, entropy.std_error / evenly),
            (scaling, "jacobian_trace"): trace,
            (scaling, "jacobian_norm"): of["jacobian_norm"],
            (scaling, "max_jacobian_diagonal"): of["max_jacobian_diagonal"],
        }
    return found


def exact_values(tokens: int, d_k: int) -> dict[tuple[str, str], float]:
    """Return the expectations at one length and width by scaling and statistic, under the names of the sampled ones."""
    values = {}
    for scaling, power in DIVISOR_POWERS.items():
        for statistic, name in (
            ("mean_square_score", "score_rms"),
            ("max_weight", "max_weight"),
            ("sum_of_squares", "squared_weights"),
            ("entropy", "entropy"),
            ("normalized_entropy", "normalized_entropy"),
            ("jacobian_trace", "jacobian_trace"),
        ):
            value = expected(statistic, tokens=tokens, d_k=d_k, power=power)
            values[scaling, name] = math.sqrt(value) if name == "score_rms" else value
    return values


def _deviations(sampled: Estimates, exact: Mapping[tuple[str, str], float], draws: int) -> Iterator[tuple[str, float]]:
    for statistic, scalings in COMPARED.items():
        for scaling in scalings:
            estimate = sampled[scaling, statistic]
            judged_by_rows = statistic == "score_rms" or draws * exact[scaling, "jacobian_trace"] >= OPEN_ROWS
            if judged_by_rows and estimate.std_error > 0:
                yield statistic, abs(estimate.mean - exact[scaling, statistic]) / estimate.std_error


def _judged(deviations: Mapping[str, list[float]]) -> Iterator[Quantity]:
    together = [deviation for each in deviations.values() for deviation in each]
    parts = {f"of={statistic}": each for statistic, each in deviations.items()}
    for where, each in {**parts, "of=all": together}.items():
        yield Quantity("comparisons", len(each), "comparisons", where=where)
        if each:
            yield Quantity("largest_deviation", max(each), "standard errors", where=where)
            by_chance = largest_by_chance(len(each))
            yield Quantity("expected_largest_deviation", by_chance, "standard errors", where=where)
            rare = rarely_exceeded(len(each), RARE)
            yield Quantity("rare_largest_deviation", rare, "standard errors", where=where)


if __name__ == "__main__":
    run_simulation(simulate_width_sweep)
