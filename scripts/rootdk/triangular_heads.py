"""Whole heads of scores in time that does not depend on the head width."""

from collections.abc import Iterator

import numpy as np

from rootdk.attention import Floats
from rootdk.head_shape import check_shape

_NUMBERS_AT_ONCE = 131_072  # more than that and the arrays made of them leave the cache; fewer, and calls take longer


def draw_triangular_scores(rng: np.random.Generator, *, tokens: int, d_k: int, draws: int) -> Iterator[Floats]:
    """Yield the unscaled scores of independent heads, a batch at a time.

    Parameters
    ----------
    rng : numpy.random.Generator
        With m = min(tokens, d_k), advanced by m chi-square numbers for each head, then for each head by
        ``tokens * m`` normals for Z, key coordinate by key coordinate, and by the normals below the diagonal of B, row
        by row. How the heads are cut into batches changes nothing.
    tokens : int
        Positions n; at least 1.
    d_k : int
        Head width; at least 1.
    draws : int
        Heads; at least 1.

    Yields
    ------
    ndarray, shape (tokens, tokens, batch)
        Scores by key, query and head.

    Raises
    ------
    ValueError
        If a parameter is below 1; the message names it.

    Notes
    -----
    Scores stay the same when queries and keys are turned together, and turned standard normal queries are standard
    normal and independent of the turn. Turn the first key onto the first axis, the second into the plane of the first
    two, and so on: the keys become the rows of a lower trapezoid B, tokens × m, with independent entries, standard
    normal below the diagonal, and B_ii² chi-square with d_k − i + 1 degrees of freedom, i = 1 … m (Bartlett's
    decomposition of a Wishart matrix, Proc. R. Soc. Edinb. 53 (1933) 260). The queries' first m coordinates Z are all
    that meets them: Z Bᵀ has the joint distribution of Q Kᵀ.
    """
    check_shape(tokens=tokens, d_k=d_k, draws=draws)
    m = min(tokens, d_k)
    diagonals = np.sqrt(rng.chisquare(d_k - np.arange(m), (draws, m)))
    widths = [min(key, m) for key in range(tokens)]  # normals of B's row
    numbers = tokens * m + sum(widths)
    batch = max(1, _NUMBERS_AT_ONCE // numbers)
    for start in range(0, draws, batch):
        diagonal = diagonals[start : start + batch].T
        normals = rng.standard_normal((diagonal.shape[1], numbers)).T.copy()
        queries = normals[: tokens * m].reshape(m, tokens, -1)
        yield _products(queries, diagonal, normals[tokens * m :], widths)


def _products(queries: Floats, diagonal: Floats, below: Floats, widths: list[int]) -> Floats:
    """Return Z Bᵀ by key, query and head, added in an order that depends on no library."""
    m, tokens, heads = queries.shape
    scores = np.empty((tokens, tokens, heads))
    used = 0
    for key, width in enumerate(widths):
        entries = below[used : used + width, None]
        used += width
        (entries * queries[:width]).sum(axis=0, out=scores[key])
        if key < m:
            scores[key] += diagonal[key] * queries[key]
    return scores
