"""How concentrated the rows of attention weights are, and how widely scores spread."""

import math

import numpy as np
from numpy.typing import ArrayLike

from rootdk.attention import Floats


def largest_weight(weights: ArrayLike) -> Floats:
    """Return the largest weight of each row, a fraction between 1/n and 1.

    Parameters
    ----------
    weights : array_like, shape (..., n)

    Returns
    -------
    ndarray, shape (...)
    """
    return np.asarray(weights, dtype=np.float64).max(axis=-1)


def entropy(weights: ArrayLike) -> Floats:
    """Return −Σ a ln a of each row in nats, with 0 ln 0 = 0.

    Parameters
    ----------
    weights : array_like, shape (..., n)

    Returns
    -------
    ndarray, shape (...)
        From 0 (one key has everything) to ln n (even shares).
    """
    a = np.asarray(weights, dtype=np.float64)
    logarithm = np.log(a, out=np.zeros_like(a), where=a > 0)
    return -(a * logarithm).sum(axis=-1) + 0.0  # + 0.0 turns the -0 of a one-key row into 0


def normalized_entropy(weights: ArrayLike) -> Floats:
    """Return the entropy of each row as a fraction of ln n, that of even shares.

    Parameters
    ----------
    weights : array_like, shape (..., n)

    Returns
    -------
    ndarray, shape (...)
        From 0 to 1; 0 by definition for rows of one key, where ln n is 0.
    """
    nats = entropy(weights)
    keys = np.shape(weights)[-1]
    return nats / math.log(keys) if keys > 1 else np.zeros_like(nats)


def squared_weights(weights: ArrayLike) -> Floats:
    """Return Σ a² of each row, the weight that a key drawn by the weights has on average.

    Parameters
    ----------
    weights : array_like, shape (..., n)

    Returns
    -------
    ndarray, shape (...)
        From 1/n (even shares) to 1 (one key has everything).
    """
    return (np.asarray(weights, dtype=np.float64) ** 2).sum(axis=-1)


def mean_square_score(scores: ArrayLike) -> Floats:
    """Return the mean squared score of each row.

    Parameters
    ----------
    scores : array_like, shape (..., n)

    Returns
    -------
    ndarray, shape (...)
        The root of its mean is the spread of scores about their population mean, which is 0.
    """
    return (np.asarray(scores, dtype=np.float64) ** 2).mean(axis=-1)


def score_spread(scores: ArrayLike) -> Floats:
    """Return the population standard deviation (``ddof=0``) of each matrix of scores about its own mean.

    Parameters
    ----------
    scores : array_like, shape (..., queries, keys)

    Returns
    -------
    ndarray, shape (...)
    """
    return np.asarray(scores, dtype=np.float64).std(axis=(-2, -1))
