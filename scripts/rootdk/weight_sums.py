"""Statistics of many rows of attention weights at once, from a few sums over each row."""

import functools
import math

import numpy as np

from rootdk.attention import Floats

# exp is slow where it underflows. e^-100 beside sums that start from 1 is as good as 0, and so is all below it:
# exponents are cut there if a third power could underflow.
_NEGLIGIBLE = -100.0
_UNDERFLOWS = -230.0


class ScoreRows:
    """Rows of scores, from which weights follow at any divisor.

    Parameters
    ----------
    scores : ndarray, shape (keys, rows)
        Finite; at least one key. Keys run along axis 0, so that sums over them add whole rows of memory.
    factors : ndarray, shape (rows,), optional
        Positive or 0; the scores are ``factors * scores``. Without it, they are ``scores``.
    """

    def __init__(self, scores: Floats, factors: Floats | float = 1.0) -> None:
        self.factors = factors
        self._scores = scores
        winner, second = _largest_two(scores)
        self.lead = winner - second
        # The winner is counted apart. In its place stands the second once more, whose share of each sum is known.
        self.below = np.minimum(scores, second)
        self.below -= second
        self.lowest = float(self.below.min())

    @functools.cached_property
    def mean_square(self) -> Floats:
        """The mean squared score of each row, before any division; shape (rows,)."""
        return _sum_of_products(self._scores, self._scores) * (self.factors * self.factors / len(self._scores))


class WeightSums:
    """The sums over each row of weights that the statistics consist of; every array has the shape (rows,).

    Parameters
    ----------
    rows : ScoreRows
    divisor : float
        Of the scores; above 0.

    Notes
    -----
    With e_j = exp(s_j − m), m the largest score, and r_k = Σ e_j^k over all keys but the winner, the weights are
    1/(1 + r₁) and e_j/(1 + r₁). However far the winner leads, r_k keeps its digits, which 1 − a loses. It is computed
    as r_k = g^k t_k with t_k ≥ 1, where g = exp(−lead) is the second's e_j: a sum over squares cannot underflow before
    its root is taken.

    Exponentials are ``numpy.exp``. Its last digit depends on the processor, and so does that of each statistic: they
    are for means that are rounded to ten digits. :func:`rootdk.exponential.exp` takes a hundred times as long.
    """

    def __init__(self, rows: ScoreRows, divisor: float) -> None:
        self._rows = rows
        self._divisor = divisor
        factors = rows.factors / divisor
        exponents = rows.below * factors
        if rows.lowest * np.max(factors) < _UNDERFLOWS:
            np.maximum(exponents, _NEGLIGIBLE, out=exponents)
        powers = np.exp(exponents)
        self._t1 = _sum_of_products(powers) - 1.0
        self._below = _sum_of_products(powers, exponents)
        self._t2 = _sum_of_products(powers, powers) - 1.0
        self._t3 = _sum_of_products(powers, powers, powers) - 1.0
        self._lead = rows.lead * factors
        self._second = np.exp(-self._lead)  # g
        self._r1 = self._second * self._t1
        self._r2 = self._second * self._second * self._t2
        self._total = 1.0 + self._r1  # S
        self._largest = 1.0 / self._total
        self._largest_squared = self._largest * self._largest

    @functools.cached_property
    def _entropy(self) -> Floats:
        return np.log1p(self._r1) + (self._lead * self._t1 - self._below) * (self._second * self._largest)

    def mean_square_score(self) -> Floats:
        """Return the mean of s²."""
        return self._rows.mean_square * (1.0 / self._divisor) ** 2

    def max_weight(self) -> Floats:
        """Return the largest weight, 1/S with S = 1 + r₁."""
        return self._largest

    def squared_weights(self) -> Floats:
        """Return Σ a² = (1 + r₂)/S²."""
        return (1.0 + self._r2) * self._largest_squared

    def entropy(self) -> Floats:
        """Return −Σ a ln a = ln S + Σ e (m − s)/S in nats."""
        return self._entropy

    def normalized_entropy(self) -> Floats:
        """Return the entropy over ln n; 0 for rows of one key."""
        keys = len(self._rows.below)
        return self._entropy * (1.0 / math.log(keys)) if keys > 1 else np.zeros_like(self._total)

    def jacobian_trace(self) -> Floats:
        """Return Σ a(1 − a) = (r₁(1 + S) − r₂)/S²."""
        return (self._r1 * (1.0 + self._total) - self._r2) * self._largest_squared

    def jacobian_norm(self) -> Floats:
        """Return the Frobenius norm of the Jacobian.

        Its square is p₂ − 2p₃ + p₂², p_k = Σ a^k. With p_k = (1 + r_k)/S^k the ones cancel in the formula instead of
        in the computer, and S⁴ times the square is r₁² + r₂(2 + S² + r₂) − 2 S r₃.
        """
        square = self._t1 * self._t1 + self._t2 * (2.0 + self._total * self._total + self._r2)
        square -= (2.0 * self._second) * self._total * self._t3
        return np.sqrt(square) * (self._second * self._largest_squared)

    def max_jacobian_diagonal(self) -> Floats:
        """Return the largest a(1 − a) = r₁/S².

        It is the winner's: for weights a ≥ b of a row, a(1 − a) − b(1 − b) = (a − b)(1 − a − b), and a + b ≤ 1.
        """
        return self._r1 * self._largest_squared


def _sum_of_products(*factors: Floats) -> Floats:
    """Return the sums of products over axis 0, added one key after the other, without making an array of them."""
    if factors[0].shape[1] == 1:
        # numpy adds a lone row in another order, and its digits would depend on how the rows are cut into batches.
        return _sum_of_products(*(np.repeat(factor, 2, axis=1) for factor in factors))[:1]
    if len(factors) == 1:
        return factors[0].sum(axis=0)
    return np.einsum(",".join(["kr"] * len(factors)) + "->r", *factors)


def _largest_two(scores: Floats) -> tuple[Floats, Floats]:
    """Return the largest and the second largest score of each row, (rows,) both; twice the same if there is one key."""
    largest = scores
    second: Floats | None = None
    while len(largest) > 1:
        half = len(largest) // 2
        one, other = slice(0, half), slice(half, 2 * half)
        runners_up = np.minimum(largest[one], largest[other])
        winners = np.maximum(largest[one], largest[other])
        if second is not None:
            np.maximum(runners_up, second[one], out=runners_up)
            np.maximum(runners_up, second[other], out=runners_up)
        if len(largest) % 2:
            np.maximum(runners_up[0], np.minimum(winners[0], largest[-1]), out=runners_up[0])
            np.maximum(winners[0], largest[-1], out=winners[0])
            if second is not None:
                np.maximum(runners_up[0], second[-1], out=runners_up[0])
        largest, second = winners, runners_up
    return largest[0], largest[0] if second is None else second[0]
