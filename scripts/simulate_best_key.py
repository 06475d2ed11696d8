"""One key with a score of typical size, the others at score 0: its weight against head width."""

import pandas as pd

from rootdk.attention import scale_factor, softmax
from rootdk.command import run_simulation
from rootdk.tables import Quantity, Tables, summary_table


def simulate_best_key(*, keys: int, head_widths: list[int]) -> Tables:
    """Return the weights of a row with the scores (sqrt(d_k), 0, …, 0), unscaled and scaled.

    Parameters
    ----------
    keys : int
        Keys in the row; at least 2. The first is the best.
    head_widths : list of int
        Head widths d_k; each at least 1.

    Returns
    -------
    Tables
        ``score`` and ``weight`` of each key; the summary has the best key's weight.
    """
    rows = []
    summary = []
    for d_k in head_widths:
        root = scale_factor(d_k)
        for scaling, best in (("unscaled", root), ("scaled", 1.0)):
            scores = [best, *[0.0] * (keys - 1)]
            weights = softmax(scores)
            rows += [
                (d_k, scaling, key + 1, score, float(weight))
                for key, (score, weight) in enumerate(zip(scores, weights, strict=True))
            ]
            summary.append(Quantity("max_weight", float(weights[0]), "weight", scaling, f"d_k={d_k}"))
        summary.append(Quantity("best_score", root, "score", "unscaled", f"d_k={d_k}"))
    table = pd.DataFrame(rows, columns=["d_k", "scaling", "key", "score", "weight"])
    return Tables(table, summary_table(summary))


if __name__ == "__main__":
    run_simulation(simulate_best_key)
