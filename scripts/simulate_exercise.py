"""Three questions to do by hand: two roots, one weight, one typical size."""

import pandas as pd

from rootdk.attention import scale_factor, softmax
from rootdk.command import run_simulation
from rootdk.tables import Quantity, Tables, summary_table


def simulate_exercise(*, head_widths: list[int], scores: list[float], head_width: int) -> Tables:
    """Return the answers, worked.

    Parameters
    ----------
    head_widths : list of int
        Widths whose scale factor is asked for; each at least 1.
    scores : list of float
        One row of unscaled scores.
    head_width : int
        Their head width; at least 1.

    Returns
    -------
    Tables
        ``score`` and ``weight`` of each key, unscaled and scaled; in the summary ``scale_factor`` and ``typical_size``
        (both sqrt(d_k)) by width, and the first key's weight.
    """
    summary = []
    for d_k in head_widths:
        where = f"d_k={d_k}"
        summary += [
            Quantity("scale_factor", scale_factor(d_k), "divisor", "", where, 0.0),
            Quantity("typical_size", scale_factor(d_k), "score", "unscaled", where, 0.0),
        ]
    rows = []
    for scaling, divisor in (("unscaled", 1.0), ("scaled", scale_factor(head_width))):
        divided = [score / divisor for score in scores]
        weights = softmax(divided)
        rows += [
            (scaling, key + 1, score, float(weight))
            for key, (score, weight) in enumerate(zip(divided, weights, strict=True))
        ]
        summary.append(Quantity("first_weight", float(weights[0]), "weight", scaling, f"d_k={head_width}"))
    table = pd.DataFrame(rows, columns=["scaling", "key", "score", "weight"])
    return Tables(table, summary_table(summary))


if __name__ == "__main__":
    run_simulation(simulate_exercise)
