"""Exact expectations of what the chapter measures, for random queries and keys at any head width.

Given its query q, a row of scores is independent N(0, |q|²), and |q|² is chi-square with d_k degrees of freedom. So an
expectation is that of :mod:`rootdk.gaussian_rows` at r = |q| / divisor, averaged over the length of the query. As d_k
grows, |q| / sqrt(d_k) tends to 1: the limit of a scaled row is a row of standard normal scores.
"""

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from rootdk.gaussian_rows import expected_max_weight, row_expectations

Floats = NDArray[np.float64]

DIVISOR_POWERS = {"unscaled": 0.0, "scaled": 0.5}
"""Scores are divided by d_k to this power."""

LENGTHS = 64  # of the query, at which an expectation over it is taken
SHORT = 128  # tokens
NODES_SHORT = (20, 20, 14, 12, 10, 8)  # for each unit of asinh(r); the last for all from there on
NODES_LONG = (24, 26, 18, 14, 12, 10)
SLOPE_NODES = 24  # of the interpolant whose second derivative is taken
WIDEST_HEAD = 2**1000
LARGEST_EXPONENT = 300.0  # of e, for what multiplies |q|: there the winner has everything, to the last digit


def expected(statistic: str, *, tokens: int, d_k: float, power: float) -> float:
    """Return an expectation over random heads whose scores are divided by d_k^power.

    Parameters
    ----------
    statistic : str
        One of :data:`STATISTICS`: ``max_weight``, ``sum_of_squares`` (of the weights), ``entropy`` (nats),
        ``normalized_entropy`` (a fraction of ln n; 0 for one token), ``jacobian_trace``, ``jacobian_norm_squared``
        (weight per score), ``mean_square_score``.
    tokens : int
        Keys in a row, n; from 1 to 100000.
    d_k : int or inf
        Head width, at least 1; ``math.inf`` for the limit.
    power : float
        Of d_k in the divisor: 0 unscaled, 1/2 scaled.

    Returns
    -------
    float
        With a relative error below 1e−10 (1e−9 for ``max_weight``) for n up to 1000 and d_k up to 2^30; above that n,
        below 1e−8.

    Raises
    ------
    ValueError
        If a parameter is out of range or there is no such statistic.
    """
    _check(statistic, tokens)
    if not (d_k == math.inf or (1 <= d_k <= WIDEST_HEAD and d_k == int(d_k))):
        raise ValueError(f"d_k is {d_k}; a head width is a whole number from 1 on, or infinite.")
    if not math.isfinite(power):
        raise ValueError(f"the divisor's power is {power}; it must be finite.")
    return _EXPECTATIONS[statistic](int(tokens), float(d_k), float(power))


def limit_coefficient(statistic: str, *, tokens: int) -> float:
    """Return c where a scaled row's expectation at d_k is its limit for wide heads + c / d_k + O(1 / d_k²).

    Parameters
    ----------
    statistic, tokens
        As for :func:`expected`.

    Returns
    -------
    float
        In the statistic's unit times components; with an error of about 1e−10 of the limit for n up to 1000.

    Raises
    ------
    ValueError
        As :func:`expected`.

    Notes
    -----
    Given its query, a scaled row has independent N(0, x) scores, where x = |q|² / d_k has mean 1, variance 2 / d_k. Let
    f(x) be what such a row is expected to show. To first order in 1 / d_k, E f(x) − f(1) is half of f″(1) times that
    variance, so c = f″(1): the second derivative of f's Chebyshev interpolant on [1/2, 3/2].
    """
    _check(statistic, tokens)
    half_width = 0.5
    x = _chebyshev_nodes(SLOPE_NODES)
    values = np.array(
        [_given_radius(statistic, int(tokens), math.sqrt(1 + half_width * place)) for place in x.tolist()]
    )
    bend = chebyshev.chebval(0.0, chebyshev.chebder(_chebyshev_coefficients(values[:, None])[:, 0], 2))
    return float(bend) / half_width**2


def query_lengths(d_k: float) -> tuple[Floats, Floats]:
    """Return lengths |q| of a standard normal query and their weights, for expectations over it.

    Parameters
    ----------
    d_k : float
        Its components; at least 1.

    Returns
    -------
    lengths, weights : ndarray, shape (64,)
        Gauss–Legendre nodes over the range that holds all but 1e−17 of the chi law, with weights that sum to 1.

    Notes
    -----
    The chi density is r^(d−1) exp(−r²/2) up to a factor. Its logarithm is taken relative to the mode sqrt(d−1), where
    log1p keeps what the difference of large numbers would lose.
    """
    mode = math.sqrt(d_k - 1)
    low, high = max(0.0, mode - 6.5), mode + (6.5 if d_k >= 30 else 9.0)
    nodes, weights = _legendre(LENGTHS)
    # From the mode, so that the differences are exact.
    shift = (low - mode) + (high - low) * (1 + nodes) / 2
    if mode > 0:
        t = shift / mode
        log_density = (d_k - 1) * (np.log1p(t) - t - t * t / 2)
    else:
        log_density = -shift * shift / 2
    density = weights * np.exp(log_density)
    return mode + shift, density / density.sum()


class _Group(NamedTuple):
    """Expectations at one r that are computed together; sqrt(1 + r²) to its power makes each vary slowly with r.

    ``narrowest`` and ``widest`` are the limits for r to 0, even weights, and to infinity, one key with everything.
    """

    compute: Callable[[int, float], tuple[float, ...]]
    powers: tuple[int, ...]
    narrowest: Callable[[int], tuple[float, ...]]
    widest: tuple[float, ...]


_ROWS = _Group(
    compute=row_expectations,
    powers=(0, 1, 1, 1),
    narrowest=lambda n: (1 / n, 1 - 1 / n, (1 - 1 / n) / n, math.log(n)),
    widest=(1.0, 0.0, 0.0, 0.0),
)
_WINNER = _Group(
    compute=lambda n, r: (expected_max_weight(n, r),),
    powers=(0,),
    narrowest=lambda n: (1 / n,),
    widest=(1.0,),
)


def _one_of(group: _Group, place: int) -> Callable[[int, float, float], float]:
    """Return the function of n, d_k and the divisor's power that gives one expectation of a group."""
    return lambda n, d_k, power: _averages(group, n, d_k, power)[place]


@functools.lru_cache(maxsize=4096)
def _averages(group: _Group, n: int, d_k: float, power: float) -> tuple[float, ...]:
    """Return a group's expectations at a head width."""
    if math.isinf(d_k):
        if power == 0.5:
            return tuple(group.compute(n, 1.0))
        return group.widest if power < 0.5 and n > 1 else group.narrowest(n)
    lengths, weights = query_lengths(d_k)
    radii = lengths * math.exp(min(-power * math.log(d_k), LARGEST_EXPONENT))
    values = _interpolated(group, n, radii)
    return tuple(float(np.sum(weights * column)) for column in values)


def _interpolated(group: _Group, n: int, radii: Floats) -> Floats:
    """Return a group's expectations at each r, one row per expectation."""
    coordinates = np.arcsinh(radii)
    panels = np.floor(coordinates).astype(int)
    values = np.empty((len(group.powers), len(radii)))
    for panel in np.unique(panels):
        there = panels == panel
        values[:, there] = chebyshev.chebval(2 * (coordinates[there] - panel) - 1, _panel(group, n, int(panel)))
    return values / np.hypot(1.0, radii) ** np.array(group.powers)[:, None]


@functools.lru_cache(maxsize=4096)
def _panel(group: _Group, n: int, panel: int) -> Floats:
    """Return Chebyshev coefficients over asinh(r) from ``panel`` to ``panel + 1``, one column per expectation."""
    # All are smooth functions of asinh(r), and the more so the wider and the shorter the row.
    counts = NODES_SHORT if n <= SHORT else NODES_LONG
    nodes = counts[min(panel, len(counts) - 1)]
    radii = np.sinh(panel + (1 + _chebyshev_nodes(nodes)) / 2)
    values = np.array([group.compute(n, float(r)) for r in radii])
    values *= np.hypot(1.0, radii)[:, None] ** np.array(group.powers)
    return _chebyshev_coefficients(values)


def _chebyshev_nodes(nodes: int) -> Floats:
    return np.asarray(np.cos(np.pi * (np.arange(nodes) + 0.5) / nodes), dtype=np.float64)


def _chebyshev_coefficients(values: Floats) -> Floats:
    """Return the coefficients of the interpolants through values at Chebyshev nodes, one column each: a cosine sum."""
    nodes = len(values)
    cosines = np.cos(np.arange(nodes)[:, None] * np.pi * (np.arange(nodes) + 0.5) / nodes)
    coefficients = np.einsum("kj,js->ks", cosines, values) * (2 / nodes)
    coefficients[0] /= 2
    return coefficients


@functools.cache
def _legendre(nodes: int) -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(nodes)


def _check(statistic: str, tokens: int) -> None:
    if statistic not in STATISTICS:
        raise ValueError(f"there is no exact value of {statistic}; there are {', '.join(STATISTICS)}.")
    if not 1 <= tokens <= 100_000 or tokens != int(tokens):
        raise ValueError(f"tokens is {tokens}; it must be a whole number from 1 to 100000.")


def _given_radius(statistic: str, n: int, r: float) -> float:
    """Return an expectation over a row of independent N(0, r²) scores."""
    if statistic == "mean_square_score":
        return r * r
    if statistic == "normalized_entropy":
        return _given_radius("entropy", n, r) / math.log(n) if n > 1 else 0.0
    if statistic == "max_weight":
        return expected_max_weight(n, r)
    return float(getattr(_row_at(n, r), statistic))


_row_at = functools.lru_cache(maxsize=4096)(row_expectations)


def _mean_square_score(n: int, d_k: float, power: float) -> float:
    # A score is a sum of d_k products of mean 0 and variance 1.
    exponent = 1 - 2 * power
    if math.isinf(d_k):
        return 1.0 if exponent == 0 else math.inf if exponent > 0 else 0.0
    logarithm = exponent * math.log(d_k)
    return math.inf if logarithm > 709 else d_k**exponent


def _normalized_entropy(n: int, d_k: float, power: float) -> float:
    return _EXPECTATIONS["entropy"](n, d_k, power) / math.log(n) if n > 1 else 0.0


_EXPECTATIONS: dict[str, Callable[[int, float, float], float]] = {
    "max_weight": _one_of(_WINNER, 0),
    "sum_of_squares": _one_of(_ROWS, 0),
    "jacobian_trace": _one_of(_ROWS, 1),
    "jacobian_norm_squared": _one_of(_ROWS, 2),
    "entropy": _one_of(_ROWS, 3),
    "normalized_entropy": _normalized_entropy,
    "mean_square_score": _mean_square_score,
}
STATISTICS = tuple(_EXPECTATIONS)
