"""Exact expectations against identities, closed forms, limits, finer steps and long simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import Polynomial
from scipy.integrate import quad
from scipy.special import expit, logsumexp, ndtr

from rootdk.attention import softmax
from rootdk.exact import DIVISOR_POWERS, STATISTICS, expected, limit_coefficient, query_lengths
from rootdk.gaussian_rows import expected_max_weight, row_expectations
from rootdk.gradient import jacobian_norm, jacobian_trace
from rootdk.row_statistics import entropy, largest_weight

pytestmark = pytest.mark.filterwarnings("error")

RADII = [1e-150, 1e-3, 0.03, 0.3, 0.9, 1.0, 1.55, 1.6, 1.7, 3.0, 8.0, 50.0, 3e3, 3e4, 1e20, 1e150]
WIDTHS = [1, 2, 3, 4, 8, 16, 64, 1024, 2**20, 2**30]
LARGEST_OF = {2: 1 / math.sqrt(math.pi), 8: 1.423600306045, 100: 2.507593636442}  # means of the largest of n normals


def row(tokens: int, r: float, refine: int = 1) -> np.ndarray:
    return np.array([*row_expectations(tokens, r, refine=refine), expected_max_weight(tokens, r, refine=refine)])


@pytest.mark.parametrize("r", RADII)
@pytest.mark.parametrize("tokens", [1, 2, 3, 8, 16, 100, 1000])
def test_finer_steps_change_nothing(tokens: int, r: float) -> None:
    np.testing.assert_allclose(row(tokens, r), row(tokens, r, refine=2), rtol=2e-11, atol=0)


@pytest.mark.parametrize("r", [1e-3, 0.3, 1.0, 1.7, 3.0, 50.0, 3e4])
@pytest.mark.parametrize("tokens", [4096, 100_000])
def test_finer_steps_change_little_in_long_rows(tokens: int, r: float) -> None:
    np.testing.assert_allclose(row(tokens, r), row(tokens, r, refine=2), rtol=1e-9, atol=0)


@pytest.mark.parametrize(
    ("tokens", "r", "trace", "nats"),
    [
        (8, 0.5, 0.847154011576, 1.9752946798),
        (8, 1.0, 0.767686552768, 1.7218074080),
        (8, 2.0, 0.570346927187, 1.1919399548),
        (8, 8.0, 0.175445796320, 0.3142885679),
        (100, 1.0, 0.974461520088, 4.122327486602),
    ],
)
def test_reference_values(tokens: int, r: float, trace: float, nats: float) -> None:
    exact = row_expectations(tokens, r)
    assert exact.jacobian_trace == pytest.approx(trace, rel=1e-11)
    assert exact.entropy == pytest.approx(nats, rel=1e-10)


@pytest.mark.parametrize("r", RADII)
@pytest.mark.parametrize("tokens", [1, 2, 8, 100, 1000])
def test_trace_and_sum_of_squares_make_one(tokens: int, r: float) -> None:
    # Two integrals with nothing in common but the sum of the weights.
    exact = row_expectations(tokens, r)
    assert exact.jacobian_trace + exact.sum_of_squares == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("r", [0.2, 1.0, 2.5, 6.0])
@pytest.mark.parametrize("tokens", [2, 8, 100])
def test_entropy_and_trace_belong_to_one_free_energy(tokens: int, r: float) -> None:
    # E ln S = H + r² T, and its derivative in r is r T.
    exact = row_expectations(tokens, r)
    integral, _ = quad(lambda rho: rho * row_expectations(tokens, rho).jacobian_trace if rho else 0.0, 0, r)
    free_energy = exact.entropy + r * r * exact.jacobian_trace
    assert free_energy == pytest.approx(math.log(tokens) + integral, rel=1e-11)


@pytest.mark.parametrize("r", [1e-3, 0.5, 1.0, 2.0, 10.0, 100.0])
def test_two_weights_are_logistic_normal(r: float) -> None:
    # The difference of the two scores is normal with standard deviation r sqrt(2), and the weights are its logistic.
    spread = r * math.sqrt(2)

    def average(of, end: float = 40.0) -> float:
        def integrand(d: float) -> float:
            return of(expit(d), expit(-d)) * math.exp(-0.5 * (d / spread) ** 2) / (spread * math.sqrt(2 * math.pi))

        end = min(end, 9.5 * spread)
        near = min(1.0, end)
        parts = [(0.0, near), (near, end)] if near < end else [(0.0, near)]
        return 2 * sum(quad(integrand, *part, epsabs=0, epsrel=1e-13, limit=200)[0] for part in parts)

    trace = average(lambda a, b: 2 * a * b)
    nats = average(lambda a, b: -a * math.log(a) - b * math.log(b))
    exact = row_expectations(2, r)
    assert exact.jacobian_trace == pytest.approx(trace, rel=1e-11)
    assert exact.entropy == pytest.approx(nats, rel=1e-11)
    assert exact.jacobian_norm_squared == pytest.approx(average(lambda a, b: 4 * (a * b) ** 2), rel=1e-11)
    assert 1 - expected_max_weight(2, r) == pytest.approx(average(lambda a, b: min(a, b)), rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("r", RADII)
def test_one_token_has_everything(r: float) -> None:
    exact = row_expectations(1, r)
    assert exact.sum_of_squares == pytest.approx(1, rel=1e-12)
    assert exact[1:] == (0.0, 0.0, 0.0)
    assert expected_max_weight(1, r) == 1


@pytest.mark.parametrize(("tokens", "largest"), LARGEST_OF.items())
def test_narrow_rows_are_nearly_even(tokens: int, largest: float) -> None:
    r = 1e-4
    exact, rest = row_expectations(tokens, r), 1 - 1 / tokens
    assert exact.jacobian_trace == pytest.approx(rest * (1 - r * r / tokens), rel=1e-12)
    assert exact.entropy == pytest.approx(math.log(tokens) - rest * r * r / 2, rel=1e-12)
    assert expected_max_weight(tokens, r) == pytest.approx((1 + largest * r) / tokens, rel=3 * r * r)


@pytest.mark.parametrize(("tokens", "largest"), LARGEST_OF.items())
@pytest.mark.parametrize("r", [1e3, 3e4, 1e6])
def test_wide_rows_belong_to_one_key(tokens: int, largest: float, r: float) -> None:
    exact, twice = row_expectations(tokens, r), row_expectations(tokens, 2 * r)
    assert exact.jacobian_trace == pytest.approx(
        largest / math.hypot(r, math.pi / math.sqrt(6)), rel=max(1e-11, 100 / r**3)
    )
    # The other two series go on with 1 / r², which twice the value at 2r less that at r is free of.
    tolerance = max(1e-10, 40 / r**2)
    assert 2 * (2 * r * twice.entropy) - r * exact.entropy == pytest.approx(math.pi**2 / 6 * largest, rel=tolerance)
    missing, at_twice = (1 - expected_max_weight(tokens, each) for each in (r, 2 * r))
    assert 2 * (2 * r * at_twice) - r * missing == pytest.approx(math.log(2) * largest, rel=tolerance, abs=3e-11 * r)


def test_the_winner_of_a_long_wide_row_has_everything() -> None:
    assert expected_max_weight(100_000, 1e150) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("tokens", [2, 8, 100])
@pytest.mark.parametrize("r", [0.5, 1.0, 4.0, 30.0])
def test_rows_agree_with_long_simulation(tokens: int, r: float) -> None:
    scores = r * np.random.default_rng(1).standard_normal((400_000 // tokens, tokens))
    weights = softmax(scores)
    drawn = (
        (weights**2).sum(axis=-1),
        jacobian_trace(weights),
        jacobian_norm(weights) ** 2,
        entropy(weights),
        largest_weight(weights),
    )
    for values, value in zip(drawn, row(tokens, r), strict=True):
        assert abs(values.mean() - value) < 4 * values.std(ddof=1) / math.sqrt(values.size)


@pytest.mark.parametrize("tokens", [2, 8, 100])
@pytest.mark.parametrize("d_k", [1, 2, 4, 64, 1024])
@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_heads_agree_with_long_simulation(tokens: int, d_k: int, power: float) -> None:
    rng = np.random.default_rng([tokens, d_k])
    draws = 200_000 // tokens
    scores = np.sqrt(rng.chisquare(d_k, draws))[:, None] * rng.standard_normal((draws, tokens)) / d_k**power
    weights = softmax(scores)
    drawn = {
        "max_weight": largest_weight(weights),
        "sum_of_squares": (weights**2).sum(axis=-1),
        "jacobian_trace": jacobian_trace(weights),
        "jacobian_norm_squared": jacobian_norm(weights) ** 2,
        "entropy": entropy(weights),
        "normalized_entropy": entropy(weights) / math.log(tokens),
        "mean_square_score": (scores**2).mean(axis=-1),
    }
    assert drawn.keys() == set(STATISTICS)
    for name, values in drawn.items():
        error = values.std(ddof=1) / math.sqrt(values.size)
        assert abs(values.mean() - expected(name, tokens=tokens, d_k=d_k, power=power)) < 4 * error, name


@pytest.mark.parametrize("tokens", [2, 8, 16, 100])
@pytest.mark.parametrize("d_k", [1, 4, 16])
def test_rows_of_random_heads_keep_the_identity_of_the_free_energy(tokens: int, d_k: int) -> None:
    # E (H + r² T - ln S) = 0 with each row's own r², so its mean tests a simulation with nothing to tune.
    rng = np.random.default_rng(3)
    queries, keys = rng.standard_normal((2000, d_k)), rng.standard_normal((2000, tokens, d_k))
    scores = (queries[:, None, :] * keys).sum(axis=-1)
    weights = softmax(scores)
    square = (queries**2).sum(axis=-1)
    residual = entropy(weights) + square * jacobian_trace(weights) - logsumexp(scores, axis=-1)
    assert abs(residual.mean()) < 4 * residual.std(ddof=1) / math.sqrt(residual.size)


def directly(tokens: int, d_k: int, power: float) -> np.ndarray:
    """Return expectations over the query's length with twice the nodes, a wider range, and no interpolation."""
    mode = math.sqrt(d_k - 1)
    low, high = max(0.0, mode - 8), mode + 11
    nodes, weights = np.polynomial.legendre.leggauss(128)
    shift = (low - mode) + (high - low) * (nodes + 1) / 2
    t = shift / mode if mode else shift
    density = weights * np.exp((d_k - 1) * (np.log1p(t) - t - t * t / 2) if mode else -t * t / 2)
    values = np.array([row(tokens, length * d_k**-power) for length in mode + shift])
    return density @ values / density.sum()


@pytest.mark.parametrize("power", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize(("tokens", "d_k"), [(2, 1), (8, 1), (8, 2), (8, 64), (100, 4), (1000, 4), (1000, 2**30)])
def test_the_average_over_queries_is_as_exact_as_its_rows(tokens: int, d_k: int, power: float) -> None:
    statistics = ("sum_of_squares", "jacobian_trace", "jacobian_norm_squared", "entropy", "max_weight")
    values = [expected(statistic, tokens=tokens, d_k=d_k, power=power) for statistic in statistics]
    np.testing.assert_allclose(values, directly(tokens, d_k, power), rtol=5e-11, atol=0)


@pytest.mark.parametrize("d_k", WIDTHS)
def test_query_lengths_have_the_moments_of_their_law(d_k: int) -> None:
    lengths, weights = query_lengths(d_k)
    assert (weights * lengths**2).sum() == pytest.approx(d_k, rel=1e-12)
    assert (weights * lengths**4).sum() == pytest.approx(d_k * (d_k + 2), rel=1e-12)
    if d_k <= 1024:
        mean = math.sqrt(2) * math.exp(math.lgamma((d_k + 1) / 2) - math.lgamma(d_k / 2))
        assert (weights * lengths).sum() == pytest.approx(mean, rel=1e-11)


@pytest.mark.parametrize("tokens", [1, 2, 8, 1000, 100_000])
@pytest.mark.parametrize("d_k", [1, 2, 30, 2**30, math.inf])
@pytest.mark.parametrize("power", [-1000.0, -1.0, 0.0, 0.25, 0.5, 1.0, 1000.0])
def test_values_stay_in_their_bounds(tokens: int, d_k: float, power: float) -> None:
    value = {name: expected(name, tokens=tokens, d_k=d_k, power=power) for name in STATISTICS}
    most = 1 + 1e-8
    for name in ("max_weight", "sum_of_squares"):
        assert 1 / tokens / most <= value[name] <= most
    assert 0 <= value["jacobian_trace"] <= (1 - 1 / tokens) * most
    assert 0 <= value["jacobian_norm_squared"] <= value["jacobian_trace"]
    assert 0 <= value["entropy"] <= math.log(tokens) * most
    assert 0 <= value["normalized_entropy"] <= most
    assert value["mean_square_score"] >= 0
    assert value["sum_of_squares"] <= value["max_weight"] * most


@given(
    tokens=st.integers(2, 300),
    d_k=st.integers(1, 2**30),
    power=st.floats(-0.5, 1.5),
)
def test_wider_scores_make_every_row_more_certain(tokens: int, d_k: int, power: float) -> None:
    here, wider = (
        {name: expected(name, tokens=tokens, d_k=d_k, power=p) for name in STATISTICS} for p in (power, power - 0.125)
    )
    slack = 1 + 1e-9
    for name in ("max_weight", "sum_of_squares", "mean_square_score"):
        assert wider[name] * slack >= here[name]
    for name in ("entropy", "jacobian_trace"):
        assert wider[name] <= here[name] * slack


def test_the_limits_of_wide_heads() -> None:
    scaled = [expected("max_weight", tokens=8, d_k=d_k, power=0.5) for d_k in (2**10, 2**20, 2**30)]
    limit = expected("max_weight", tokens=8, d_k=math.inf, power=0.5)
    gaps = [limit - value for value in scaled]
    # The distance falls as 1 / d_k.
    assert gaps[0] / gaps[1] == pytest.approx(1024, rel=1e-3)
    assert gaps[2] == pytest.approx(gaps[1] / 1024, rel=1e-3)
    assert limit == expected_max_weight(8, 1.0)
    assert expected("max_weight", tokens=8, d_k=math.inf, power=0.0) == 1
    assert expected("entropy", tokens=8, d_k=math.inf, power=0.49) == 0
    assert expected("entropy", tokens=8, d_k=math.inf, power=0.51) == math.log(8)
    assert expected("mean_square_score", tokens=8, d_k=math.inf, power=0.0) == math.inf
    assert expected("mean_square_score", tokens=8, d_k=64, power=0.0) == 64


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("tokens", [1, 2, 8, 100, 1000])
def test_the_first_correction_to_the_limit(statistic: str, tokens: int) -> None:
    c = limit_coefficient(statistic, tokens=tokens)
    limit = expected(statistic, tokens=tokens, d_k=math.inf, power=0.5)
    # What is left falls as 1 / d_k².
    left = [expected(statistic, tokens=tokens, d_k=d_k, power=0.5) - limit - c / d_k for d_k in (128, 256, 4096)]
    assert left[0] == pytest.approx(4 * left[1], rel=0.05, abs=1e-9 * limit)
    assert left[2] == pytest.approx(0, abs=2e-6 * limit)
    assert abs(left[2]) < 0.01 * abs(c) / 4096 + 1e-12


def test_a_trace_of_two_bends_as_its_integral_does() -> None:
    # The trace is 2 a (1 - a) for a logistic in the difference d of the two scores, which is N(0, 2x): by the heat
    # equation, the second derivative in x of a mean over d is the mean of the fourth derivative in d.
    a = Polynomial([0, 1])  # of d, with derivative a (1 - a)
    bend = 2 * a * (1 - a)
    for _ in range(4):
        bend = bend.deriv() * a * (1 - a)
    mean, _ = quad(lambda d: bend(expit(d)) * math.exp(-d * d / 4) / math.sqrt(4 * math.pi), -30, 30, epsabs=1e-14)
    assert limit_coefficient("jacobian_trace", tokens=2) == pytest.approx(mean, rel=1e-9)


def test_a_row_of_two_at_width_one() -> None:
    # The product of two independent normals has density K0(|x|)/π; the difference of two scores is q times a normal of
    # variance 2, so the mean share of the loser is an integral over |q|, done here by another rule.
    def loser(q: float) -> float:
        spread = q * math.sqrt(2)
        inner, _ = quad(lambda d: expit(-d) * math.exp(-0.5 * (d / spread) ** 2) / spread, 0, 9 * spread, epsabs=1e-14)
        return 2 * inner / math.sqrt(2 * math.pi) * 2 * math.exp(-q * q / 2) / math.sqrt(2 * math.pi)

    share, _ = quad(loser, 1e-12, 9, epsabs=1e-13)
    assert 1 - expected("max_weight", tokens=2, d_k=1, power=0.5) == pytest.approx(share, abs=1e-11)
    assert ndtr(0) == 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"statistic": "score_std"}, "there is no exact value of score_std; there are max_weight, "),
        ({"tokens": 0}, "tokens is 0; it must be a whole number from 1 to 100000"),
        ({"tokens": 2.5}, "tokens is 2.5"),
        ({"tokens": math.inf}, "tokens is inf"),
        ({"tokens": math.nan}, "tokens is nan"),
        ({"d_k": 10**400}, "a head width is a whole number"),
        ({"tokens": 100_001}, "tokens is 100001"),
        ({"d_k": 0}, "d_k is 0; a head width is a whole number from 1 on, or infinite"),
        ({"d_k": math.nan}, "d_k is nan"),
        ({"d_k": 1.5}, r"d_k is 1\.5"),
        ({"power": math.nan}, "power is nan; it must be finite"),
    ],
)
def test_what_is_out_of_range_is_named(change: dict, message: str) -> None:
    given_ = {"statistic": "entropy", "tokens": 8, "d_k": 64, "power": DIVISOR_POWERS["scaled"], **change}
    with pytest.raises(ValueError, match=message):
        expected(given_.pop("statistic"), **given_)
