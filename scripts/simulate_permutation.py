"""Tokens in another order: the outputs are reordered in the same way, and nothing else happens."""

import numpy as np
import pandas as pd

from rootdk.command import run_simulation
from rootdk.self_attention import attend_to_themselves, embed
from rootdk.tables import Quantity, Tables, summary_table

TOLERANCE = 1e-12


def simulate_permutation(*, order: list[int], embedding_scale: float, token_vectors: list[list[float]]) -> Tables:
    """Return each token's output before and after shuffling.

    Parameters
    ----------
    order : list of int
        ``order[i]`` is the token that stands at place i after shuffling, counted from 0.
    embedding_scale : float
        Factor on every vector; above 0.
    token_vectors : list of list of float
        One per token, d_k components each.

    Returns
    -------
    Tables
        ``output`` at the original place and ``shuffled_output`` of the same token, per component; the summary says
        whether they agree to 1e−12 of the largest output, and to which power of ten. The sums run over the tokens in
        their order, so the last digit may differ.
    """
    X = embed(token_vectors, embedding_scale)
    output = attend_to_themselves(X)[1]
    shuffled = attend_to_themselves(X[order])[1]
    back = np.argsort(order)
    rows = [
        (token, component + 1, float(output[token, component]), float(shuffled[back[token], component]))
        for token in range(len(order))
        for component in range(X.shape[1])
    ]
    largest = float(np.abs(output).max())
    difference = float(np.abs(output - shuffled[back]).max()) / (largest or 1.0)
    # The exact difference is a matter of the processor's last digit; the power of ten above it is not.
    bound = 10.0 ** np.ceil(np.log10(difference)) if difference > 0 else 0.0
    summary = [
        Quantity("outputs_permute_with_inputs", float(difference <= TOLERANCE), "1 if true, 0 if false", "scaled"),
        Quantity("largest_difference_below", float(f"{bound:.0e}"), "fraction of the largest output", "scaled"),
        Quantity("tolerance", TOLERANCE, "fraction of the largest output", "scaled"),
    ]
    table = pd.DataFrame(rows, columns=["token", "component", "output", "shuffled_output"])
    return Tables(table, summary_table(summary))


if __name__ == "__main__":
    run_simulation(simulate_permutation)
