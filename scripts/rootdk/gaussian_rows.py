"""Exact expectations over one row of attention weights whose scores are independent and normal.

With scores s_1 … s_n, independent N(0, r²), and E an independent standard exponential variable, write Y = ln E − s. All
expectations are integrals over u of products of these functions, each an integral over one score:

- L(u) = P(Y > u) = E exp(−e^(u+s)),
- M_k(u) = E e^(k(u+s)) exp(−e^(u+s)), where M_1 is the density of Y,
- N(u) = E κ(u+s), κ(v) = E₁(e^v) + exp(−e^v)(v + γ) with the exponential integral E₁ and Euler's γ.

They come from S^(−k) = ∫ t^(k−1) e^(−tS) dt / Γ(k) for the sum S of all e^(s_j), with t = e^u: under the integral the
scores are independent, and each brings a factor L, M_k or N. All terms are positive: nothing cancels, also where one
key has almost everything.
"""

import functools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import exp1, ndtr, ndtri

Floats = NDArray[np.float64]

NORMAL_END = 9.5  # in standard deviations; beyond lies 1e-21 of a normal law
LOWEST, HIGHEST = -40.0, 4.2  # of v where exp(v - e^v) is above 1e-17 of its integral, or e^(-v) below it
STEP = 0.25  # of the inner rule, in units of v; the outer one's is that of the narrowest integrand
NODES = 12  # per panel of the cumulative integral
NARROW = 1.6  # standard deviation of the scores, below which nodes follow their normal law and not the exponential one
NEGLIGIBLE = 1e-16
NEGLIGIBLE_POWER = 60.0  # e^-60 beside the powers of F that make up the integral
BLOCK = 8000  # numbers in an array at a time: what fits in a cache is several times faster
LARGEST_FALLS_SHORT = 40.0  # e^-40 is the chance that the largest of n normals does


class RowExpectations(NamedTuple):
    """Expectations over a row; the Jacobian's in weight per score, the entropy's in nats."""

    sum_of_squares: float
    jacobian_trace: float
    jacobian_norm_squared: float
    entropy: float


def row_expectations(tokens: int, r: float, *, refine: int = 1) -> RowExpectations:
    """Return what a row's weights are expected to be when its scores are independent N(0, r²).

    Parameters
    ----------
    tokens : int
        Scores in the row, n; at least 1.
    r : float
        Their standard deviation; above 0, at most 1e150.
    refine : int, optional
        Divides all steps of the integration; twice as fine is how the accuracy is shown.

    Returns
    -------
    RowExpectations
        The sum of squared weights Σ a², the trace 1 − Σ a² of the softmax's Jacobian, its squared Frobenius norm, and
        the entropy −Σ a ln a; each with a relative error below 1e−11 for n up to 1000 and 1e−9 up to 100000.

    Notes
    -----
    With the functions of this module, E Σ a² = n ∫ M₂ L^(n−1); the trace is E Σ a_j a_l over j ≠ l, so
    n(n−1) ∫ M₁² L^(n−2); the entropy, E Σ a_j (ln S − s_j), is n(n−1) ∫ M₁ N L^(n−2) by Stein's lemma; and the squared
    norm, Σ a_j² (1 − a_j)² + Σ a_j² a_l² over j ≠ l, is 2 Σ a_j² a_l² + Σ a_j² a_l a_m over distinct keys, so
    n(n−1)/3 ∫ M₂² L^(n−2) + n(n−1)(n−2)/6 ∫ M₂ M₁² L^(n−3).
    """
    n = tokens
    u, step, each = _tabulated(n, r, refine)
    m1, m2 = each.m1, each.m2
    per = step / _density_scale(r)
    squares = n * per * np.sum(m2 * each.survival ** (n - 1))
    if n == 1:
        return RowExpectations(float(squares), 0.0, 0.0, 0.0)
    others = each.survival ** (n - 2)
    pairs = n * (n - 1) * per / _density_scale(r)
    trace = pairs * np.sum(m1 * m1 * others)
    weight = m1 * others
    entropy = pairs * np.sum(weight[_counts(weight)] * _entropy_factor(u[_counts(weight)], r, refine))
    norm = pairs / 3 * np.sum(m2 * m2 * others)
    if n > 2:
        norm += pairs / _density_scale(r) * (n - 2) / 6 * np.sum(m2 * m1 * m1 * each.survival ** (n - 3))
    return RowExpectations(float(squares), float(trace), float(norm), float(entropy))


def expected_max_weight(tokens: int, r: float, *, refine: int = 1) -> float:
    """Return the expected largest weight of a row whose scores are independent N(0, r²).

    Parameters
    ----------
    tokens, r, refine
        As for :func:`row_expectations`.

    Returns
    -------
    float
        Between 1/n and 1; with a relative error below 1e−10 for n up to 1000 and 1e−8 up to 100000.

    Notes
    -----
    The winner's weight, e^s / S with all other scores below s: n ∬ exp(v − e^v) φ((v−u)/r)/r F(v, u)^(n−1) dv du, where
    F(v, u) = E[exp(−e^(u+s)); u + s < v] is what each other score brings. F is a running integral along v, which panels
    of Gauss–Legendre nodes give at every node at once.
    """
    n = tokens
    if n == 1:
        return 1.0
    u, step, each = _tabulated(n, r, refine)
    weight = each.m1 * each.survival ** (n - 1)
    u = u[_counts(weight)]
    nodes, _, _ = _panel_rule()
    if r < NARROW:
        # The largest of n normals has a spread of about 1 / sqrt(2 ln n), which a panel has to resolve; below the
        # place that it almost never falls short of, nothing has to be resolved but the integral so far.
        low = float(ndtri(math.exp(-LARGEST_FALLS_SHORT / (n - 1))))
        fine, coarse = min(2.4 / math.sqrt(1 + 2 * math.log(n)), 2.0 / r), min(2.4, 2.0 / r)
        parts = [(-NORMAL_END, low, coarse), (low, NORMAL_END, fine)]
    else:
        parts = [(LOWEST - 5, LOWEST + 10, 15.0), (LOWEST + 10, HIGHEST, 2.0 if n < 300 else 1.4)]
    edges = _edges([(low, high, width / refine) for low, high, width in parts])
    half = np.diff(edges)[:, None] / 2
    places = edges[:-1, None] + half * (1 + nodes)
    total = sum(_winner_sum(block, n, r, places, half) for block in _blocks(u, places.size))
    return float(n * step / _density_scale(r) * total)


def _winner_sum(u: Floats, n: int, r: float, places: Floats, half: Floats) -> float:
    """Return the sum over u, and over v by the panels' rule, of :func:`expected_max_weight`.

    ``places`` are the rule's nodes, one row per panel, in units of (v − u)/r in a narrow row and of v in a wide one.
    """
    _, node_weights, running = _panel_rule()
    if r < NARROW:
        z = places[None]
        v = u[:, None, None] + r * places
        stretch = r
    else:
        z = (places - u[:, None, None]) / r
        v = places[None]
        stretch = 1.0
    below = ndtr(z)
    grown = np.exp(v)
    kept = np.exp(-grown)
    density = grown * kept
    # F by parts, so that no integral has to start at -9.5 r: exp(-e^v) times Φ, and the integral of density times Φ.
    integrand = density * below
    in_panel = np.einsum("upj,j->up", integrand, node_weights) * (half[:, 0] * stretch)
    before = np.cumsum(in_panel, axis=1) - in_panel
    others = below * kept + before[:, :, None] + np.einsum("upj,ij->upi", integrand, running) * (half * stretch)
    normal = np.exp(-0.5 * z * z) * node_weights * (half / math.sqrt(2 * math.pi))
    # Powers that come out too small for a number take ten times as long as others; none of them counts.
    others = np.maximum(others, math.exp(-NEGLIGIBLE_POWER / (n - 1)))
    return float(np.sum(normal * density * others ** (n - 1)))


class _Functions(NamedTuple):
    m1: Floats
    m2: Floats
    survival: Floats


@functools.lru_cache(maxsize=512)
def _tabulated(n: int, r: float, refine: int) -> tuple[Floats, float, _Functions]:
    """Return the outer grid, its step and the functions on it: who asks for both expectations asks for them twice."""
    u, step = _outer_grid(n, r, refine)
    return u, step, _functions(u, r, refine)


def _outer_grid(n: int, r: float, refine: int) -> tuple[Floats, float]:
    logarithm = math.log(n)
    # One exponential variable spreads by 1, the largest of n scores by about r / sqrt(2 ln n).
    step = STEP / refine * math.hypot(1.0, r / math.sqrt(1 + logarithm))
    first = math.floor((-NORMAL_END * r - 36 - logarithm) / step)
    last = math.ceil((NORMAL_END * r + 4.5) / step)
    return np.asarray(step * np.arange(first, last + 1), dtype=np.float64), step


def _functions(u: Floats, r: float, refine: int) -> _Functions:
    """Return M₁, M₂ and L at each u; the first two times the scale of densities."""
    if r < NARROW:
        z, normal = _normal_grid(r, refine)
        found = [_narrow_functions(block[:, None] + r * z, normal) for block in _blocks(u, z.size)]
    else:
        v, density, second, _ = _inner_grid(STEP / refine)
        found = [
            _wide_functions((v - block[:, None]) / r, density, second, STEP / refine) for block in _blocks(u, v.size)
        ]
    m1, m2, survival = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return _Functions(m1, m2, survival)


def _narrow_functions(v: Floats, normal: Floats) -> tuple[Floats, Floats, Floats]:
    grown = np.exp(v)
    kept = np.exp(-grown)
    density = grown * kept
    m1, m2, survival = (np.einsum("uz,z->u", part, normal) for part in (density, grown * density, kept))
    return m1, m2, survival


def _wide_functions(z: Floats, density: Floats, second: Floats, step: float) -> tuple[Floats, Floats, Floats]:
    normal = np.exp(-0.5 * z * z) * (step / math.sqrt(2 * math.pi))
    m1, m2 = (np.einsum("uv,v->u", normal, part) for part in (density, second))
    return m1, m2, np.einsum("uv,v->u", ndtr(z), density * step)


def _entropy_factor(u: Floats, r: float, refine: int) -> Floats:
    """Return N at each u, times the scale of densities."""
    if r < NARROW:
        z, normal = _normal_grid(r, refine)
        found = [np.einsum("uz,z->u", _kappa(block[:, None] + r * z), normal) for block in _blocks(u, z.size)]
    else:
        step = STEP / refine
        v, _, _, kappa = _inner_grid(step)
        per = kappa * (step / math.sqrt(2 * math.pi))
        found = [
            np.einsum("uv,v->u", np.exp(-0.5 * ((v - block[:, None]) / r) ** 2), per) for block in _blocks(u, v.size)
        ]
    return np.concatenate(found)


def _normal_grid(r: float, refine: int) -> tuple[Floats, Floats]:
    """Return nodes that follow a narrow row's normal law, and its share at each."""
    step = min(0.5, STEP / r) / refine
    z = _whole_steps(-NORMAL_END, NORMAL_END, step)
    return z, np.exp(-0.5 * z * z) * (step / math.sqrt(2 * math.pi))


def _blocks(u: Floats, columns: int) -> Iterator[Floats]:
    """Yield u in pieces whose tables, with this many columns, fit in a cache."""
    rows = max(1, BLOCK // columns)
    return (u[first : first + rows] for first in range(0, len(u), rows))


def _counts(weight: Floats) -> NDArray[np.bool_]:
    """Return where an integrand is large enough to count."""
    return np.asarray(weight > NEGLIGIBLE * weight.max())


@functools.cache
def _inner_grid(step: float) -> tuple[Floats, Floats, Floats, Floats]:
    v = _whole_steps(LOWEST, HIGHEST, step)
    density = np.exp(v - np.exp(v))
    return v, density, np.exp(v) * density, _kappa(v)


def _density_scale(r: float) -> float:
    """Return a factor for densities of Y; in the widest rows their squares would be too small for a number."""
    return 1.0 if r < NARROW else r


def _edges(parts: list[tuple[float, float, float]]) -> Floats:
    """Return the ends of panels at most as wide as each part says."""
    pieces = [np.linspace(low, high, max(1, math.ceil((high - low) / width)) + 1) for low, high, width in parts]
    return np.unique(np.concatenate(pieces))


def _whole_steps(low: float, high: float, step: float) -> Floats:
    # Multiples of the step: sums of steps would lose digits.
    return np.asarray(step * np.arange(math.floor(low / step), math.ceil(high / step) + 1), dtype=np.float64)


def _kappa(v: Floats) -> Floats:
    """Return E₁(x) + e^(−x)(v + γ), x = e^v; below x = 1 as Ein(x) − (1 − e^(−x))(v + γ), which does not cancel."""
    x = np.exp(v)
    result = np.empty_like(x)
    large = x > 1
    small = x[~large]
    series = np.zeros_like(small)
    for k in range(18, 0, -1):
        series = small * (_EIN[k] + series)
    result[~large] = series + np.expm1(-small) * (v[~large] + np.euler_gamma)
    result[large] = exp1(x[large]) + np.exp(-x[large]) * (v[large] + np.euler_gamma)
    return result


_EIN = [0.0] + [(-1) ** (k + 1) / (k * math.factorial(k)) for k in range(1, 19)]  # Ein(x) = Σ -(-x)^k / (k k!)


@functools.cache
def _panel_rule() -> tuple[Floats, Floats, Floats]:
    """Return Gauss–Legendre nodes and weights on [−1, 1], and the matrix of integrals from −1 to each node."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    values = np.polynomial.legendre.legvander(nodes, NODES)
    degrees = np.arange(NODES)
    coefficients = values[:, :NODES].T * weights * ((2 * degrees + 1) / 2)[:, None]
    integrals = np.empty((NODES, NODES))
    integrals[:, 0] = nodes + 1
    for degree in range(1, NODES):
        integrals[:, degree] = (values[:, degree + 1] - values[:, degree - 1]) / (2 * degree + 1)
    return nodes, weights, np.einsum("il,lj->ij", integrals, coefficients)
