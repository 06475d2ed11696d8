"""Self-attention of token vectors that are their own queries, keys and values."""

import numpy as np
from numpy.typing import ArrayLike

from rootdk.attention import Floats, attend, scaled_scores


def embed(token_vectors: ArrayLike, embedding_scale: float) -> Floats:
    """Return the token vectors times a factor; one row per token."""
    return embedding_scale * np.asarray(token_vectors, dtype=np.float64)


def attend_to_themselves(X: Floats) -> tuple[Floats, Floats]:
    """Return weights and output of attention with Q = K = V = X.

    Parameters
    ----------
    X : ndarray, shape (tokens, d_k)

    Returns
    -------
    weights : ndarray, shape (tokens, tokens)
    output : ndarray, shape (tokens, d_k)
    """
    return attend(X, X, X)


def relative_asymmetry(X: Floats, W_q: Floats, W_k: Floats) -> Floats:
    """Return max |L − Lᵀ| / max |L| for the logits L = (X W_q)(X W_k)ᵀ / sqrt(d_k).

    Parameters
    ----------
    X : ndarray, shape (tokens, d)
    W_q, W_k : ndarray, shape (..., d, d_k)

    Returns
    -------
    ndarray, shape (...)
        0 where listening is mutual, as it is if every logit is 0.
    """
    logits = scaled_scores(_project(X, W_q), _project(X, W_k))
    largest = np.abs(logits).max(axis=(-2, -1))
    asymmetry = np.abs(logits - np.swapaxes(logits, -2, -1)).max(axis=(-2, -1))
    return np.asarray(asymmetry / np.where(largest > 0, largest, 1.0))


def _project(X: Floats, W: Floats) -> Floats:
    return (X[:, :, None] * W[..., None, :, :]).sum(axis=-2)
