"""Scaled dot-product attention for one head, as the lessons have students write it."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rootdk.exponential import exp

Floats = NDArray[np.float64]


def softmax(z: ArrayLike) -> Floats:
    """Return the attention weights of each row of scores.

    Parameters
    ----------
    z : array_like, shape (..., n)
        Scores; finite, or ``-inf`` for a key that the row must not see.

    Returns
    -------
    ndarray, shape (..., n)
        Weights in fractions of the row: in [0, 1], each row summing to 1.

    Raises
    ------
    ValueError
        If a row is empty, has every key masked, or holds NaN or ``+inf``.

    Notes
    -----
    The row's largest score is subtracted first, which changes no weight and keeps ``exp`` from overflowing.
    """
    scores = np.asarray(z, dtype=np.float64)
    if scores.ndim == 0 or scores.shape[-1] == 0:
        raise ValueError("z needs at least one score per row.")
    top = scores.max(axis=-1, keepdims=True)
    if np.isnan(top).any() or np.isposinf(top).any():
        raise ValueError("z holds NaN or +inf; scores are finite, or -inf where a key is masked.")
    if np.isneginf(top).any():
        row = np.argwhere(np.isneginf(top[..., 0]))[0] + 1
        where = f"Row {', '.join(map(str, row))} of z" if len(row) else "z"
        raise ValueError(f"{where} has every key masked; a row needs at least one key that it may see.")
    with np.errstate(over="ignore"):  # -1e308 - 1e308 is -inf, whose weight is the 0 that it should be
        weights = exp(scores - top)
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights


def scale_factor(d_k: float) -> float:
    """Return the divisor sqrt(d_k) of the scores.

    Parameters
    ----------
    d_k : int
        Head width; at least 1.

    Raises
    ------
    ValueError
        If ``d_k`` is below 1 or not a number.
    """
    if not d_k >= 1:
        raise ValueError(f"d_k is {d_k}; a head width is at least 1.")
    return math.sqrt(d_k)


def unscaled_scores(Q: ArrayLike, K: ArrayLike) -> Floats:
    """Return Q Kᵀ, the score of every query with every key.

    Parameters
    ----------
    Q : array_like, shape (..., queries, d_k)
    K : array_like, shape (..., keys, d_k)

    Returns
    -------
    ndarray, shape (..., queries, keys)

    Raises
    ------
    ValueError
        If Q and K differ in width.

    Notes
    -----
    Products are added in an order that does not depend on the processor or on the number of threads, which a
    matrix product from a BLAS library does not promise. That costs time at large ``keys * d_k`` and makes the last
    digit the same everywhere.
    """
    queries, keys = np.asarray(Q, dtype=np.float64), np.asarray(K, dtype=np.float64)
    if queries.ndim < 2 or keys.ndim < 2:
        raise ValueError("Q and K are matrices with one row per token.")
    if queries.shape[-1] != keys.shape[-1]:
        raise ValueError(
            f"Q has rows of width {queries.shape[-1]} and K of width {keys.shape[-1]}; a score needs the same width."
        )
    heads = np.broadcast_shapes(queries.shape[:-2], keys.shape[:-2])
    scores = np.empty((*heads, queries.shape[-2], keys.shape[-2]))
    for row in range(queries.shape[-2]):
        scores[..., row, :] = (queries[..., row, None, :] * keys).sum(axis=-1)
    return scores


def scaled_scores(Q: ArrayLike, K: ArrayLike) -> Floats:
    """Return Q Kᵀ / sqrt(d_k), where d_k is the number of columns of K.

    Parameters
    ----------
    Q : array_like, shape (..., queries, d_k)
    K : array_like, shape (..., keys, d_k)

    Returns
    -------
    ndarray, shape (..., queries, keys)

    Raises
    ------
    ValueError
        If Q and K differ in width.
    """
    return unscaled_scores(Q, K) / scale_factor(np.shape(K)[-1])


def max_weight(scores: ArrayLike) -> Floats:
    """Return the largest attention weight of each row of scores.

    Parameters
    ----------
    scores : array_like, shape (..., n)

    Returns
    -------
    ndarray, shape (...)
        In fractions of the row; between 1/n and 1.

    Raises
    ------
    ValueError
        As :func:`softmax`.
    """
    return softmax(scores).max(axis=-1)


def attend(Q: ArrayLike, K: ArrayLike, V: ArrayLike, allowed: ArrayLike | None = None) -> tuple[Floats, Floats]:
    """Return the weights and the output of scaled, possibly masked, attention.

    Parameters
    ----------
    Q : array_like, shape (..., queries, d_k)
    K : array_like, shape (..., keys, d_k)
    V : array_like, shape (..., keys, d_v)
    allowed : array_like of bool, broadcastable to (..., queries, keys), optional
        False where a query must not see a key. Without it every query sees every key.

    Returns
    -------
    weights : ndarray, shape (..., queries, keys)
        softmax(Q Kᵀ / sqrt(d_k) + M), where M is 0 where allowed and ``-inf`` elsewhere.
    output : ndarray, shape (..., queries, d_v)
        weights V.

    Raises
    ------
    ValueError
        If widths or numbers of keys disagree, or if a row has every key masked: its weights would be 0/0, and any
        value put in their place would hide a mistake in the mask.
    """
    scores, values = scaled_scores(Q, K), np.asarray(V, dtype=np.float64)
    if values.ndim < 2:
        raise ValueError("V is a matrix with one row per key.")
    if values.shape[-2] != np.shape(K)[-2]:
        raise ValueError(f"V has {values.shape[-2]} rows and K has {np.shape(K)[-2]}; each key has one value.")
    if allowed is not None:
        scores = np.where(np.asarray(allowed, dtype=bool), scores, -np.inf)
    weights = softmax(scores)
    return weights, (weights[..., None] * values[..., None, :, :]).sum(axis=-2)


def score_std(d: int, trials: int, seed: int) -> float:
    """Return the spread of unscaled scores between independent standard normal queries and keys.

    Parameters
    ----------
    d : int
        Head width; at least 1.
    trials : int
        Query–key pairs; at least 1.
    seed : int
        Of ``numpy.random.default_rng``; at least 0. The queries (trials × d) are filled first, then the keys.

    Returns
    -------
    float
        Population standard deviation (about the sample mean) of the pairs' dot products; near sqrt(d).

    Raises
    ------
    ValueError
        If ``d`` or ``trials`` is below 1.
    """
    scale_factor(d)
    if trials < 1:
        raise ValueError(f"trials is {trials}; at least 1 pair is needed.")
    rng = np.random.default_rng(seed)
    q = rng.standard_normal((trials, d))
    k = rng.standard_normal((trials, d))
    return float((q * k).sum(axis=-1).std())


def scaled_score_std(d: int, trials: int, seed: int) -> float:
    """Return :func:`score_std` divided by sqrt(d); near 1 at every width.

    Parameters and errors are those of :func:`score_std`.
    """
    return score_std(d, trials, seed) / scale_factor(d)
