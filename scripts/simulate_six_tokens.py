"""Six tokens, three topics: who listens to whom when queries, keys and values are the embeddings themselves."""

import numpy as np
import pandas as pd

from rootdk.attention import scaled_scores
from rootdk.command import run_simulation
from rootdk.self_attention import attend_to_themselves, embed
from rootdk.tables import Quantity, Tables, summary_table


def simulate_six_tokens(
    *,
    token_names: list[str],
    partners: list[list[str]],
    embedding_scale: float,
    token_vectors: list[list[float]],
) -> Tables:
    """Return the attention map of the tokens and what it says about topics.

    Parameters
    ----------
    token_names : list of str
        One per token.
    partners : list of list of str
        Pairs of tokens that share a topic; each token in one pair.
    embedding_scale : float
        Factor on every vector; above 0.
    token_vectors : list of list of float
        One per token, d_k components each.

    Returns
    -------
    Tables
        The matrix of scaled weights; in the summary the output of each token, the norms of the embeddings, the largest
        difference between logits and their transpose, and per row who its partner is and the weights on itself, on its
        partner, and on unrelated tokens (smallest, mean, largest).
    """
    X = embed(token_vectors, embedding_scale)
    weights, output = attend_to_themselves(X)
    logits = scaled_scores(X, X)
    names = token_names
    cells = [
        (names[row], names[column], "scaled", float(logits[row, column]), float(weights[row, column]))
        for row in range(len(names))
        for column in range(len(names))
    ]
    partner = {one: other for pair in partners for one, other in (pair, pair[::-1])}
    summary = [Quantity("max_abs_logit_asymmetry", float(np.abs(logits - logits.T).max()), "score", "scaled")]
    top_two, largest_other, margins, in_top_two = [], [], [], 0
    for row, name in enumerate(names):
        other = names.index(partner[name])
        unrelated = np.delete(weights[row], [row, other])
        pair_weight = float(weights[row, row] + weights[row, other])
        winners = np.argsort(-weights[row], kind="stable")[:2]
        in_top_two += {*map(int, winners)} == {row, other}
        top_two.append(float(weights[row, winners].sum()))
        largest_other.append(float(np.delete(weights[row], winners).max(initial=0.0)))
        margins.append(float(weights[row, other] - weights[row, row]))
        where = f"row={name}"
        summary += [
            Quantity("self_weight", float(weights[row, row]), "weight", "scaled", where),
            Quantity("partner", other + 1, "key, from 1", "scaled", where),
            Quantity("partner_weight", float(weights[row, other]), "weight", "scaled", where),
            Quantity("partner_margin", margins[-1], "weight", "scaled", where),
            Quantity("self_and_partner_weight", pair_weight, "weight", "scaled", where),
            Quantity("embedding_norm", float(np.sqrt((X[row] ** 2).sum())), "Euclidean norm", "", where),
        ]
        summary += [
            Quantity("output", float(value), "value", "scaled", f"{where};component={component + 1}")
            for component, value in enumerate(output[row])
        ]
        if unrelated.size:
            summary += [
                Quantity("min_unrelated_weight", float(unrelated.min()), "weight", "scaled", where),
                Quantity("max_unrelated_weight", float(unrelated.max()), "weight", "scaled", where),
                Quantity("mean_unrelated_weight", float(unrelated.mean()), "weight", "scaled", where),
            ]
            if unrelated.min() > 0:
                ratio = float(weights[row, other] / unrelated.min())
                summary.append(Quantity("partner_to_least_unrelated_ratio", ratio, "ratio", "scaled", where))
    summary += [
        Quantity("rows_led_by_self_and_partner", in_top_two, "rows", "scaled"),
        Quantity("rows_led_by_partner", sum(margin > 0 for margin in margins), "rows", "scaled"),
        Quantity("min_top_two_sum", min(top_two), "weight", "scaled"),
        Quantity("max_top_two_sum", max(top_two), "weight", "scaled"),
        Quantity("max_other_weight", max(largest_other), "weight", "scaled"),
    ]
    table = pd.DataFrame(cells, columns=["row", "column", "scaling", "score", "weight"])
    return Tables(table, summary_table(summary))


if __name__ == "__main__":
    run_simulation(simulate_six_tokens)
