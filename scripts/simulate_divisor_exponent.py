"""Scores divided by a power of the head width, from no division to division by the width: exact expectations."""

import math

import pandas as pd

from rootdk.command import run_simulation
from rootdk.exact import expected
from rootdk.tables import Quantity, Tables, summary_table

STATISTICS = {"max_weight": "weight", "normalized_entropy": "fraction of ln n"}
LIMITING_POWERS = (0.0, 0.5, 1.0)  # one below 1/2, 1/2, one above: the limit is the same for all on one side


def simulate_divisor_exponent(*, tokens: int, head_widths: list[int], power_steps: int) -> Tables:
    """Return what rows of random heads are expected to be when scores are divided by d_k^p.

    Parameters
    ----------
    tokens : int
        Keys in a row, n; at least 1.
    head_widths : list of int
        Head widths d_k; each at least 1.
    power_steps : int
        Equal steps of the power p from 0 to 1; a multiple of 4, so that 1/4, 1/2 and 3/4 are among the powers.

    Returns
    -------
    Tables
        ``max_weight`` and ``normalized_entropy`` (a fraction of ln n) by ``d_k`` and ``power``, each an expectation
        over random queries and keys (:func:`rootdk.exact.expected`). The summary has, as ``…_limit``, what they tend
        to as d_k grows, at the powers 0, 1/2 and 1.

    Notes
    -----
    A score is a sum of d_k independent terms of mean 0 and variance 1, so its typical size is sqrt(d_k), and that of a
    score divided by d_k^p is d_k^(1/2 − p). Hence the limits: a single key has everything for p < 1/2, all keys share
    evenly for p > 1/2, and at p = 1/2 the row is one of standard normal scores.
    """
    powers = [step / power_steps for step in range(power_steps + 1)]
    rows = [
        (tokens, d_k, power, statistic, expected(statistic, tokens=tokens, d_k=d_k, power=power))
        for d_k in head_widths
        for statistic in STATISTICS
        for power in powers
    ]
    summary = [
        Quantity(
            f"{statistic}_limit",
            expected(statistic, tokens=tokens, d_k=math.inf, power=power),
            unit,
            where=f"power={power:g}",
        )
        for statistic, unit in STATISTICS.items()
        for power in LIMITING_POWERS
    ]
    table = pd.DataFrame(rows, columns=["tokens", "d_k", "power", "statistic", "exact"])
    return Tables(table, summary_table(summary), integrated=True)


if __name__ == "__main__":
    run_simulation(simulate_divisor_exponent)
