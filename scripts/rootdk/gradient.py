"""How far attention weights move when scores do: the Jacobian of the softmax and its backward pass."""

import numpy as np
from numpy.typing import ArrayLike

from rootdk.attention import Floats


def complements(weights: ArrayLike) -> Floats:
    """Return 1 − a for each weight of a row, without losing the digits of a saturated winner.

    Parameters
    ----------
    weights : array_like, shape (..., n)
        Rows of attention weights.

    Returns
    -------
    ndarray, shape (..., n)

    Notes
    -----
    For the winner, 1 − a is the sum of the other weights; the subtraction would return 0 once a exceeds 1 − 1e−16.
    """
    a = np.asarray(weights, dtype=np.float64)
    return np.where(_is_winner(a), _others(a).sum(axis=-1, keepdims=True), 1.0 - a)


def jacobian(weights: ArrayLike) -> Floats:
    """Return ∂a_j/∂s_l = a_j (1[j=l] − a_l) for each row of weights.

    Parameters
    ----------
    weights : array_like, shape (..., n)

    Returns
    -------
    ndarray, shape (..., n, n)
        In weight per score.
    """
    a = np.asarray(weights, dtype=np.float64)
    matrix = -a[..., :, None] * a[..., None, :]
    diagonal = np.arange(a.shape[-1])
    matrix[..., diagonal, diagonal] = a * complements(a)
    return matrix


def jacobian_trace(weights: ArrayLike) -> Floats:
    """Return the trace Σ a(1 − a) of each row's Jacobian.

    Parameters
    ----------
    weights : array_like, shape (..., n)

    Returns
    -------
    ndarray, shape (...)
        In weight per score; from 0 (one key has everything) to 1 − 1/n (even shares).
    """
    a = np.asarray(weights, dtype=np.float64)
    return (a * complements(a)).sum(axis=-1)


def jacobian_norm(weights: ArrayLike) -> Floats:
    """Return the Frobenius norm of each row's Jacobian.

    Parameters
    ----------
    weights : array_like, shape (..., n)

    Returns
    -------
    ndarray, shape (...)
        In weight per score, with full relative precision for saturated rows.

    Notes
    -----
    Row j of the Jacobian has the squared norm a_j² (c_j² + q_j), c_j = 1 − a_j and q_j = Σ_{l≠j} a_l². For the winner
    both are taken as sums over the other weights. The shorter sqrt(p₂ − 2p₃ + p₂²), p_k = Σ a^k, cancels to 0 there.
    The winner's c is a factor of the norm and stands outside the root, where its square could underflow.
    """
    a = np.asarray(weights, dtype=np.float64)
    winner, others = _is_winner(a), _others(a)
    rest = others.sum(axis=-1, keepdims=True)
    squared_shares = (others / np.where(rest > 0, rest, 1.0)) ** 2
    squares = (a * a).sum(axis=-1, keepdims=True)
    of_others = squared_shares * ((1.0 - a) ** 2 + squares - a * a)
    of_winner = a * a * (1.0 + squared_shares.sum(axis=-1, keepdims=True))
    return rest[..., 0] * np.sqrt(np.where(winner, of_winner, of_others).sum(axis=-1))


def max_jacobian_diagonal(weights: ArrayLike) -> Floats:
    """Return the largest a(1 − a) of each row, the strongest pull of any score on its own weight.

    Parameters
    ----------
    weights : array_like, shape (..., n)

    Returns
    -------
    ndarray, shape (...)
        In weight per score; at most 1/4.
    """
    a = np.asarray(weights, dtype=np.float64)
    return (a * complements(a)).max(axis=-1)


def score_gradient(A: ArrayLike, G: ArrayLike) -> Floats:
    """Return the gradient of a loss with respect to the scores, given that with respect to the weights.

    The backward pass of the row-wise softmax, A ∘ (G − rowsum(G ∘ A)): no Jacobian is built.

    Parameters
    ----------
    A : array_like, shape (..., n)
        Rows of attention weights.
    G : array_like, shape (..., n)
        The loss's gradient with respect to them.

    Returns
    -------
    ndarray, shape (..., n)
        A new array; each row sums to 0.

    Raises
    ------
    ValueError
        If the shapes differ.
    """
    a, g = np.asarray(A, dtype=np.float64), np.asarray(G, dtype=np.float64)
    if a.shape != g.shape:
        raise ValueError(f"A has shape {a.shape} and G has shape {g.shape}; they must be the same.")
    return a * (g - (g * a).sum(axis=-1, keepdims=True))


def _is_winner(a: Floats) -> np.ndarray:
    winner = np.zeros(a.shape, dtype=bool)
    np.put_along_axis(winner, a.argmax(axis=-1)[..., None], True, axis=-1)
    return winner


def _others(a: Floats) -> Floats:
    return np.where(_is_winner(a), 0.0, a)
