"""Random projections of the six tokens: how far from mutual their logits are."""

import numpy as np
import pandas as pd

from rootdk.command import run_simulation
from rootdk.self_attention import embed, relative_asymmetry
from rootdk.tables import Quantity, Tables, summary_table


def simulate_logit_asymmetry(
    *, seed: int, pairs: int, embedding_scale: float, token_vectors: list[list[float]]
) -> Tables:
    """Return max |L − Lᵀ| / max |L| under many pairs of random projections.

    Parameters
    ----------
    seed : int
        Pair i has its own generator, ``default_rng(seed + i)``, which fills W_q, then W_k.
    pairs : int
        Pairs of projections, d_k × d_k standard normals each.
    embedding_scale : float
        Factor on every vector; above 0.
    token_vectors : list of list of float
        One per token, d_k components each.

    Returns
    -------
    Tables
        One value per pair; the summary has their median, least and largest.
    """
    X = embed(token_vectors, embedding_scale)
    width = X.shape[1]
    values = []
    for pair in range(pairs):
        rng = np.random.default_rng(seed + pair)
        W_q = rng.standard_normal((width, width))
        W_k = rng.standard_normal((width, width))
        values.append(float(relative_asymmetry(X, W_q, W_k)))
    table = pd.DataFrame({"pair": range(pairs), "relative_asymmetry": values})
    summary = [
        Quantity("relative_asymmetry_median", float(np.median(values)), "ratio", "scaled"),
        Quantity("relative_asymmetry_min", min(values), "ratio", "scaled"),
        Quantity("relative_asymmetry_max", max(values), "ratio", "scaled"),
        Quantity("share_above_half", float(np.mean(np.asarray(values) > 0.5)), "fraction of pairs", "scaled"),
    ]
    return Tables(table, summary_table(summary))


if __name__ == "__main__":
    run_simulation(simulate_logit_asymmetry)
