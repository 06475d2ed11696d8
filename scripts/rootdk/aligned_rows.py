"""Rows of scores whose query is aligned with one key, in time that does not depend on the head width."""

import math
from collections.abc import Iterator

import numpy as np

from rootdk.attention import Floats
from rootdk.head_shape import check_shape

_SCORES_AT_ONCE = 8192  # with the arrays made of them, they stay in the processor's cache


def draw_aligned_rows(
    rng: np.random.Generator, *, tokens: int, d_k: int, correlation: float, draws: int
) -> Iterator[Floats]:
    """Yield independent rows of unscaled scores of a query q = ρ k₁ + sqrt(1 − ρ²) g, a batch at a time.

    The keys and g are standard normal and independent, so each component of q has the correlation ρ with the same
    component of k₁ and none with those of the other keys.

    Parameters
    ----------
    rng : numpy.random.Generator
        Advanced by ``draws`` gamma numbers for k₁, ``draws`` normals for the part of g along k₁ and ``draws`` gamma
        numbers for the rest of g, then by ``tokens - 1`` normals for each row. The same numbers are drawn whatever the
        correlation, and how the rows are cut into batches changes nothing.
    tokens : int
        Keys n in a row; at least 1.
    d_k : int
        Head width; at least 1.
    correlation : float
        ρ; from −1 to 1.
    draws : int
        Rows; at least 1.

    Yields
    ------
    ndarray, shape (tokens, batch)
        Keys run along axis 0, the aligned one first.

    Raises
    ------
    ValueError
        If a parameter is out of range; the message names it.

    Notes
    -----
    Turn the coordinates so that the first axis lies along k₁. The law of g does not notice: its component g₁ along k₁
    is standard normal, its squared length in the other d_k − 1 directions is chi-square with as many degrees of
    freedom, and both are independent of each other and of |k₁|², which is chi-square with d_k degrees. Then q has the
    component a = ρ|k₁| + sqrt(1 − ρ²) g₁ along k₁ and only sqrt(1 − ρ²) times the rest of g across it, so that

    - q·k₁ = |k₁| a = ρ|k₁|² + sqrt(1 − ρ²) |k₁| g₁,
    - |q|² = a² + (1 − ρ²) χ²(d_k − 1),

    and given q and k₁ the other scores q·k_j, with keys that know of neither, are independent N(0, |q|²).

    Numbers with a chi-square law are twice those with a gamma law of half the degrees of freedom, which is defined for
    0 degrees too.
    """
    check_shape(tokens=tokens, d_k=d_k, draws=draws)
    if not -1 <= correlation <= 1:
        raise ValueError(f"correlation is {correlation}; it must be from -1 to 1.")
    unaligned = math.sqrt((1 - correlation) * (1 + correlation))
    key_norms = np.sqrt(2 * rng.standard_gamma(d_k / 2, draws))
    along = correlation * key_norms + unaligned * rng.standard_normal(draws)
    across = 2 * rng.standard_gamma((d_k - 1) / 2, draws)
    query_norms = np.sqrt(along * along + unaligned * unaligned * across)
    batch = max(1, _SCORES_AT_ONCE // tokens)
    for start in range(0, draws, batch):
        part = slice(start, start + batch)
        others = rng.standard_normal((len(along[part]), tokens - 1)).T
        scores = np.empty((tokens, others.shape[1]))
        np.multiply(key_norms[part], along[part], out=scores[0])
        np.multiply(query_norms[part], others, out=scores[1:])
        yield scores
