"""Many queries against one set of keys, in time that does not depend on the head width."""

from collections.abc import Iterator

import numpy as np

from rootdk.attention import Floats
from rootdk.head_shape import check_shape


def draw_key_sets(rng: np.random.Generator, *, keys: int, queries: int, d_k: int, sets: int) -> Iterator[Floats]:
    """Yield the unscaled scores of many queries with one set of keys, one set at a time.

    Parameters
    ----------
    rng : numpy.random.Generator
        With m = min(keys, d_k), advanced for each set by m chi-square numbers, ``keys * m`` normals, of which those
        below the diagonal are used, and ``m * queries`` normals.
    keys : int
        Keys of a set; at least 1.
    queries : int
        Queries that meet them; at least 1.
    d_k : int
        Head width; at least 1.
    sets : int
        Independent sets; at least 1.

    Yields
    ------
    ndarray, shape (keys, queries)

    Raises
    ------
    ValueError
        If a parameter is below 1; the message names it.

    Notes
    -----
    As for whole heads (:mod:`rootdk.triangular_heads`): turned into a lower trapezoid, the keys have independent
    entries, standard normal below the diagonal, and chi with d_k − i + 1 degrees of freedom on it, i = 1 … m. Only the
    first m coordinates of a query meet them.
    """
    if queries < 1:
        raise ValueError(f"queries is {queries}; it must be at least 1.")
    check_shape(tokens=keys, d_k=d_k, draws=sets)
    m = min(keys, d_k)
    diagonal = np.arange(m)
    for _ in range(sets):
        lengths = np.sqrt(rng.chisquare(d_k - diagonal))
        trapezoid = np.tril(rng.standard_normal((keys, m)), -1)
        trapezoid[diagonal, diagonal] = lengths
        coordinates = rng.standard_normal((m, queries))
        scores = np.empty((keys, queries))
        for key, entries in enumerate(trapezoid):
            width = min(key + 1, m)
            (entries[:width, None] * coordinates[:width]).sum(axis=0, out=scores[key])
        yield scores
