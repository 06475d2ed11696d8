"""One row of attention by hand: whom the query of one token listens to."""

import numpy as np
import pandas as pd

from rootdk.attention import scale_factor, softmax, unscaled_scores
from rootdk.command import run_simulation
from rootdk.tables import Quantity, Tables, summary_table


def simulate_four_tokens(
    *, token_names: list[str], query_token: str, query: list[float], key_vectors: list[list[float]]
) -> Tables:
    """Return the scores and weights of one query with every key, without and with scaling.

    Parameters
    ----------
    token_names : list of str
        One per key.
    query_token : str
        Whose query it is.
    query : list of float
        Its d_k components.
    key_vectors : list of list of float
        One key per token, d_k components each.

    Returns
    -------
    Tables
        A matrix of one row; the summary names the key that gets most.
    """
    scores = unscaled_scores([query], key_vectors)[0]
    d_k = len(query)
    rows = [
        (query_token, name, scaling, float(score), float(weight))
        for scaling, divided in (("unscaled", scores), ("scaled", scores / scale_factor(d_k)))
        for name, score, weight in zip(token_names, divided, softmax(divided), strict=True)
    ]
    table = pd.DataFrame(rows, columns=["row", "column", "scaling", "score", "weight"])
    winner = int(np.argmax(scores))
    summary = [
        Quantity("head_width", d_k, "components"),
        Quantity("divisor", scale_factor(d_k), "none"),
        Quantity("winner", winner + 1, "key, from 1"),
        Quantity("max_weight", table[table.scaling == "unscaled"]["weight"].max(), "weight", "unscaled"),
        Quantity("max_weight", table[table.scaling == "scaled"]["weight"].max(), "weight", "scaled"),
        Quantity("even_share", 1 / len(token_names), "weight"),
    ]
    return Tables(table, summary_table(summary))


if __name__ == "__main__":
    run_simulation(simulate_four_tokens)
