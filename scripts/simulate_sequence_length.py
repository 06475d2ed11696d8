"""Largest weight and entropy of a row against the number of tokens, without and with scaling: exact expectations."""

import math

import pandas as pd

from rootdk.command import run_simulation
from rootdk.exact import DIVISOR_POWERS, expected
from rootdk.tables import Quantity, Tables, summary_table

STATISTICS = {"max_weight": "weight", "normalized_entropy": "fraction of ln n"}


def simulate_sequence_length(*, token_counts: list[int], head_widths: list[int]) -> Tables:
    """Return what rows of random heads are expected to be in short and in long sequences.

    Parameters
    ----------
    token_counts : list of int
        Keys in a row, n; each at least 1.
    head_widths : list of int
        Head widths d_k; each at least 1.

    Returns
    -------
    Tables
        ``max_weight`` and ``normalized_entropy`` (a fraction of ln n) by ``tokens``, ``d_k`` and ``scaling``, each an
        expectation over random queries and keys (:func:`rootdk.exact.expected`). The summary has, for each number of
        tokens, what scaled rows tend to in wide heads (``…_limit``) and, for each width, the gap between the two
        largest weights (``max_weight_gap``).
    """
    rows = []
    summary = []
    for tokens in token_counts:
        for d_k in head_widths:
            found = {
                (scaling, statistic): expected(statistic, tokens=tokens, d_k=d_k, power=power)
                for scaling, power in DIVISOR_POWERS.items()
                for statistic in STATISTICS
            }
            rows += [(tokens, d_k, scaling, statistic, value) for (scaling, statistic), value in found.items()]
            gap = found["unscaled", "max_weight"] - found["scaled", "max_weight"]
            where = f"tokens={tokens};d_k={d_k}"
            summary.append(Quantity("max_weight_gap", gap, "weight", "unscaled-scaled", where))
        for statistic, unit in STATISTICS.items():
            limit = expected(statistic, tokens=tokens, d_k=math.inf, power=DIVISOR_POWERS["scaled"])
            summary.append(Quantity(f"{statistic}_limit", limit, unit, "scaled", f"tokens={tokens}"))
    table = pd.DataFrame(rows, columns=["tokens", "d_k", "scaling", "statistic", "exact"])
    return Tables(table, summary_table(summary), integrated=True)


if __name__ == "__main__":
    run_simulation(simulate_sequence_length)
