"""How far rows of scaled scores are from what they tend to as heads widen: exact, and falling as 1/d_k."""

import math

import pandas as pd

from rootdk.command import run_simulation
from rootdk.exact import expected, limit_coefficient
from rootdk.tables import Quantity, Tables, summary_table

STATISTICS = {"max_weight": "weight", "entropy": "nats", "jacobian_trace": "weight per score"}
DIGITS = 6  # of what second derivatives and differences leave


def simulate_approach(*, keys: int, head_widths: list[int]) -> Tables:
    """Return how far scaled rows are from their limit for wide heads.

    Parameters
    ----------
    keys : int
        Keys in a row, n; at least 2.
    head_widths : list of int
        Head widths d_k; each at least 1.

    Returns
    -------
    Tables
        ``relative_difference`` of ``max_weight``, ``entropy`` (nats) and ``jacobian_trace`` by ``d_k``: the expectation
        over random queries and keys, over its limit, less 1. The summary has the limits (``…_limit``); the factor c of
        the law c / d_k that relative differences follow in wide heads (``…_coefficient``, components); and the relative
        difference at the widest head times its width, which is close to c (``…_difference_times_width``).

    Notes
    -----
    :func:`rootdk.exact.limit_coefficient` derives the law.

    A difference keeps of the last digits of an expectation only what is left beside the limit. Expectations agree
    between machines to about 1e−15, and at d_k = 65536 differences are 1e−6 of the limit, so that their first eight
    digits are the same everywhere: the column keeps five. For n above 1000, expectations are known to fewer digits,
    and so are differences in the widest heads.
    """
    limits = {statistic: expected(statistic, tokens=keys, d_k=math.inf, power=0.5) for statistic in STATISTICS}
    rows = [
        (keys, d_k, statistic, expected(statistic, tokens=keys, d_k=d_k, power=0.5) / limit - 1)
        for d_k in head_widths
        for statistic, limit in limits.items()
    ]
    table = pd.DataFrame(rows, columns=["tokens", "d_k", "statistic", "relative_difference"])
    widest = max(head_widths)
    at_widest = table[table["d_k"] == widest].set_index("statistic")["relative_difference"]
    summary = []
    for statistic, unit in STATISTICS.items():
        c = limit_coefficient(statistic, tokens=keys) / limits[statistic]
        product = widest * float(at_widest[statistic])
        summary += [
            Quantity(f"{statistic}_limit", limits[statistic], unit),
            Quantity(f"{statistic}_coefficient", _shortened(c), "components"),
            Quantity(f"{statistic}_difference_times_width", _shortened(product), "components", where=f"d_k={widest}"),
        ]
    return Tables(table, summary_table(summary), integrated=True)


def _shortened(value: float) -> float:
    return float(f"{value:.{DIGITS - 1}e}")


if __name__ == "__main__":
    run_simulation(simulate_approach)
