"""What is left of the gradient without division as heads grow wide."""

import math

import numpy as np
from scipy.special import log_ndtr

STEP = 1 / 16  # of the trapezoid rule, which is exact to the last digits for an integrand as smooth as this
HALF_RANGE = 12.0  # on both sides of where the two largest normals lie


def wide_head_norm(tokens: int) -> float:
    """Return what sqrt(d_k) times the mean Jacobian norm of undivided rows tends to as heads grow wide.

    Parameters
    ----------
    tokens : int
        Keys in a row, n; at least 1.

    Returns
    -------
    float
        In weight per score; 0 for one key, whose weight never moves.

    Raises
    ------
    ValueError
        If ``tokens`` is below 1.

    Notes
    -----
    The largest score of a row leads the second by |q| G, where G is the gap between the two largest of n normals. In a
    wide head that is far more than 1 unless G is near 0, so the rows in which two keys are close make up the mean.
    For a lead of x and no third key near, the weights are p = 1/(1 + exp(−x)) and 1 − p, and the four entries of the
    Jacobian that count are ±p(1 − p): the norm is 2p(1 − p), and its integral over x > 0 is 1. That leaves the density
    of |q| G at 0, which is that of G, n(n − 1) ∫ φ(z)² Φ(z)^(n − 2) dz, times the mean of 1/|q|, which tends to
    1/sqrt(d_k).
    """
    if tokens < 1:
        raise ValueError(f"tokens is {tokens}; it must be at least 1.")
    if tokens == 1:
        return 0.0
    z = math.sqrt(2 * math.log(tokens)) + np.arange(-HALF_RANGE, HALF_RANGE, STEP)
    with np.errstate(under="ignore"):
        density = np.exp(-z * z + (tokens - 2) * log_ndtr(z)) / (2 * math.pi)
    return tokens * (tokens - 1) * STEP * float(density.sum())
