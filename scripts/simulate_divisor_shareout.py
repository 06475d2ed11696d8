"""One row of scores that grow like sqrt(d_k), divided by 1, by sqrt(d_k) and by d_k."""

import math

import numpy as np
import pandas as pd

from rootdk.attention import scale_factor, softmax
from rootdk.command import run_simulation
from rootdk.tables import Quantity, Tables, summary_table


def simulate_divisor_shareout(*, row_scores: list[float], head_widths: list[int]) -> Tables:
    """Return the weights of one row at several widths under three divisors.

    Parameters
    ----------
    row_scores : list of float
        Scores of unit size; at width d_k the row has sqrt(d_k) times these.
    head_widths : list of int
        Head widths d_k; each at least 1.

    Returns
    -------
    Tables
        ``score`` and ``weight`` of each position by ``d_k`` and ``divisor`` (``1``, ``sqrt(d_k)`` or ``d_k``); the
        summary has each row's largest weight and the root mean square of the unit-size scores.
    """
    unit = np.asarray(row_scores, dtype=np.float64)
    rows = []
    summary = [
        Quantity("row_rms", math.sqrt(float((unit**2).mean())), "score"),
        Quantity("even_share", 1 / unit.size, "weight"),
        Quantity("winner", int(unit.argmax()) + 1, "position, from 1"),
    ]
    for d_k in head_widths:
        scores = scale_factor(d_k) * unit
        for divisor, size in (("1", 1.0), ("sqrt(d_k)", scale_factor(d_k)), ("d_k", float(d_k))):
            weights = softmax(scores / size)
            rows += [
                (d_k, divisor, position + 1, float(scores[position] / size), float(weights[position]))
                for position in range(unit.size)
            ]
            where = f"d_k={d_k};divisor={divisor}"
            summary.append(Quantity("max_weight", float(weights.max()), "weight", "", where))
    table = pd.DataFrame(rows, columns=["d_k", "divisor", "position", "score", "weight"])
    return Tables(table, summary_table(summary))


if __name__ == "__main__":
    run_simulation(simulate_divisor_shareout)
