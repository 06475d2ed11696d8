"""The pull of a score on its own weight, a(1 − a): the logistic function's derivative read against its value."""

import numpy as np
import pandas as pd

from rootdk.command import run_simulation
from rootdk.tables import Quantity, Tables, summary_table


def simulate_saturation_curve(*, points: int, weights: list[float]) -> Tables:
    """Return a(1 − a) on [0, 1].

    Parameters
    ----------
    points : int
        Points of the curve, both ends included; at least 3.
    weights : list of float
        Weights, from 0 to 1, at which to quote the derivative.

    Returns
    -------
    Tables
        ``own_weight`` and ``derivative``; the summary has the maximum, where it lies, and the derivative at the
        given weights.
    """
    a = np.linspace(0.0, 1.0, points)
    table = pd.DataFrame({"own_weight": a, "derivative": a * (1.0 - a)})
    summary = [
        Quantity("max_of_a(1-a)", 0.5 * (1 - 0.5), "weight per score", where="a=0.5", std_error=0.0),
        *(
            Quantity(
                "derivative",
                round(weight * (1 - weight), 12),
                "weight per score",
                where=f"a={weight:.15g}",
            )
            for weight in weights
        ),
    ]
    return Tables(table, summary_table(summary))


if __name__ == "__main__":
    run_simulation(simulate_saturation_curve)
