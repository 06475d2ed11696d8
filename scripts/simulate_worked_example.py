"""One query through attention with values, then again with a mask."""

import pandas as pd

from rootdk.attention import attend
from rootdk.command import run_simulation
from rootdk.tables import Quantity, Tables, summary_table


def simulate_worked_example(
    *,
    query: list[float],
    key_vectors: list[list[float]],
    value_vectors: list[list[float]],
    allowed_keys: list[int],
) -> Tables:
    """Return weights and output of one query, with every key and with those that a mask leaves.

    Parameters
    ----------
    query : list of float
        d_k components.
    key_vectors : list of list of float
        The keys, d_k components each.
    value_vectors : list of list of float
        One value per key.
    allowed_keys : list of int
        Keys that the mask leaves, counted from 1; at least one.

    Returns
    -------
    Tables
        ``weight`` of each key by ``mask`` (``none`` or ``masked``); the summary has the outputs' components.
    """
    masks = {"none": None, "masked": [[key + 1 in allowed_keys for key in range(len(key_vectors))]]}
    rows = []
    summary = []
    for mask, allowed in masks.items():
        weights, output = attend([query], key_vectors, value_vectors, allowed)
        rows += [(mask, key + 1, float(weight)) for key, weight in enumerate(weights[0])]
        prefix = "masked_" if mask == "masked" else ""
        summary += [
            Quantity(f"{prefix}attention_weight", float(weight), "weight", "scaled", f"key={key + 1}")
            for key, weight in enumerate(weights[0])
        ]
        summary += [
            Quantity(f"{prefix}output", float(value), "value", "scaled", f"component={component + 1}")
            for component, value in enumerate(output[0])
        ]
    table = pd.DataFrame(rows, columns=["mask", "key", "weight"])
    return Tables(table, summary_table(summary))


if __name__ == "__main__":
    run_simulation(simulate_worked_example)
