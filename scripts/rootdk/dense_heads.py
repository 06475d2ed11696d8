"""Heads with standard normal queries and keys, drawn entry by entry as the sources do."""

from collections.abc import Iterator

import numpy as np

from rootdk.attention import Floats, unscaled_scores
from rootdk.head_shape import check_shape

_ENTRIES_AT_ONCE = 500_000


def draw_scores(rng: np.random.Generator, *, tokens: int, d_k: int, draws: int) -> Iterator[Floats]:
    """Yield the unscaled scores of independent heads, a batch at a time.

    Parameters
    ----------
    rng : numpy.random.Generator
        Advanced by ``2 * tokens * d_k * draws`` normals: for each head Q is filled, then K, in C order. How the heads
        are cut into batches changes nothing.
    tokens : int
        Positions n; at least 1.
    d_k : int
        Head width; at least 1.
    draws : int
        Heads; at least 1.

    Yields
    ------
    ndarray, shape (batch, tokens, tokens)

    Raises
    ------
    ValueError
        If a parameter is below 1; the message names it.
    """
    check_shape(tokens=tokens, d_k=d_k, draws=draws)
    batch = max(1, _ENTRIES_AT_ONCE // (2 * tokens * d_k))
    for start in range(0, draws, batch):
        heads = rng.standard_normal((min(batch, draws - start), 2, tokens, d_k))
        yield unscaled_scores(heads[:, 0], heads[:, 1])
