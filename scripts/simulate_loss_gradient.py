"""What a row that is certain and wrong still learns: the gradient of a loss with and without a logarithm."""

import math

import numpy as np
import pandas as pd

from rootdk.attention import Floats, softmax
from rootdk.command import run_simulation
from rootdk.gradient import score_gradient
from rootdk.tables import Quantity, Tables, summary_table

WINNER, TARGET = 0, 1


def simulate_loss_gradient(*, keys: int, winner_scores: list[float]) -> Tables:
    """Return how large the gradient with respect to the scores is when the second key should have had all the weight.

    Parameters
    ----------
    keys : int
        Keys in the row; at least 2.
    winner_scores : list of float
        Scores c of the first key, as they enter the softmax; each from 0 to 700. All other scores are 0.

    Returns
    -------
    Tables
        Per c and loss the gradient's length, in loss per score; the loss is ``cross_entropy``, −ln a of the second
        key, or ``missing_weight``, 1 − a. The summary has a, and what the lengths go to as c grows.

    Notes
    -----
    The gradient of −ln a₂ with respect to the weights is −1/a₂ for the second and 0 for the others, and the softmax's
    Jacobian turns that into a_j − 1[j=2], the weights less the target. That of 1 − a₂ is −1 for the second, and so the
    gradient with respect to the scores is a₂ times the same. As c grows the weights go to (1, 0, 0, …), so that the
    former goes to (1, −1, 0, …), whose length is sqrt(2), and the latter to a₂ times that, a₂ going to e^−c.
    """
    rows = []
    summary = [
        Quantity("gradient_norm_limit", math.sqrt(2), "loss per score", where="loss=cross_entropy", std_error=0.0),
        Quantity("gradient_norm_limit", 0.0, "loss per score", where="loss=missing_weight", std_error=0.0),
    ]
    for c in winner_scores:
        weights = row_weights(keys, c)
        target = float(weights[TARGET])
        # Written as number names have it: 8 and not 8.0.
        summary.append(Quantity("target_weight", target, "fraction of the row", where=f"winner_score={c:.15g}"))
        for loss, of_target in (("cross_entropy", -1.0 / target), ("missing_weight", -1.0)):
            of_weights = np.zeros(keys)
            of_weights[TARGET] = of_target
            rows.append((float(c), loss, length(score_gradient(weights, of_weights))))
    return Tables(pd.DataFrame(rows, columns=["winner_score", "loss", "gradient_norm"]), summary_table(summary))


def row_weights(keys: int, winner_score: float) -> Floats:
    """Return the weights of a row in which the first key has a score and the others have none."""
    scores = np.zeros(keys)
    scores[WINNER] = winner_score
    return softmax(scores)


def length(vector: Floats) -> float:
    """Return the Euclidean length, also where the squares of the components would be too small for a number."""
    largest = float(np.abs(vector).max())
    # A sum and not numpy.linalg.norm, whose last digit depends on the machine's BLAS.
    return largest * math.sqrt(((vector / largest) ** 2).sum())


if __name__ == "__main__":
    run_simulation(simulate_loss_gradient)
