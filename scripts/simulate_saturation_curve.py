"""The pull of a score on its own weight, a(1 − a): the logistic function's derivative read against its value."""

import numpy as np
import pandas as pd

from rootdk.command import run_simulation
from rootdk.tables import Quantity, Tables, summary_table


def simulate_saturation_curve(*, points: int) -> Tables:
    """Return a(1 − a) on [0, 1].

    Parameters
    ----------
    points : int
        Points of the curve, both ends included; at least 3.

    Returns
    -------
    Tables
        ``own_weight`` and ``derivative``; the summary has the maximum, where it lies, and the derivative at weights
        near 1.
    """
    a = np.linspace(0.0, 1.0, points)
    table = pd.DataFrame({"own_weight": a, "derivative": a * (1.0 - a)})
    summary = [
        Quantity("max_of_a(1-a)", 0.5 * (1 - 0.5), "weight per score", where="a=0.5", std_error=0.0),
        *(
            Quantity(
                "derivative",
                float(np.round(weight * (1 - weight), 10)),
                "weight per score",
                where=f"a={weight}",
            )
            for weight in (0.9, 0.99, 0.999)
        ),
    ]
    return Tables(table, summary_table(summary))


if __name__ == "__main__":
    run_simulation(simulate_saturation_curve)
