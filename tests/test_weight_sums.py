import math

import numpy as np
import pytest

from rootdk.attention import softmax
from rootdk.attention_statistics import ROW_STATISTICS, STATISTICS, RowStatistic
from rootdk.weight_sums import ScoreRows, WeightSums, _largest_two

KEYS = [1, 2, 3, 4, 5, 7, 8, 16, 33, 100]


def by_sums(name, scores, divisor=1.0):
    """Return a row statistic of scores (rows, keys) from the sums."""
    statistic = STATISTICS[name]
    assert isinstance(statistic, RowStatistic)
    with np.errstate(all="raise", under="ignore"):
        return statistic.of_sums(WeightSums(ScoreRows(np.ascontiguousarray(np.transpose(scores))), divisor))


def by_definition(name, scores):
    statistic = STATISTICS[name]
    assert isinstance(statistic, RowStatistic)
    return statistic.of_rows(np.asarray(scores), softmax(scores))


@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("name", ROW_STATISTICS)
@pytest.mark.parametrize("spread", [1e-9, 0.1, 1, 8, 64])
def test_the_sums_give_what_the_definitions_give(name, keys, spread):
    scores = spread * np.random.default_rng(keys).standard_normal((50, keys))
    # The entropy's definition loses the winner's share once its weight rounds to 1.
    lost = 1e-15 if "entropy" in name else 0
    np.testing.assert_allclose(by_sums(name, scores), by_definition(name, scores), rtol=1e-12, atol=lost)


@pytest.mark.parametrize("lead", [0, 1e-300, 1, 36, 40, 200, 600])
@pytest.mark.parametrize("name", ["jacobian_trace", "jacobian_norm", "max_jacobian_diagonal"])
def test_a_saturated_row_keeps_its_digits(name, lead):
    scores = np.array([[0.0, -0.5, lead, -3.0, -90.0], [lead, -400.0, 0.0, -0.0, -1e5]])
    np.testing.assert_allclose(by_sums(name, scores), by_definition(name, scores), rtol=1e-12)


@pytest.mark.parametrize("lead", [0.0, 1e-9, 1.0, 30.0, 50.0, 500.0])
def test_the_entropy_of_two_keys_keeps_its_digits(lead):
    exact = math.log1p(math.exp(-lead)) + lead * math.exp(-lead) / (1 + math.exp(-lead))
    assert by_sums("entropy", [[lead, 0.0]]).tolist() == pytest.approx([exact], rel=1e-14)


@pytest.mark.parametrize("name", ROW_STATISTICS)
def test_rows_that_underflow_are_one_key_with_everything(name):
    one_key = {"max_weight": 1, "squared_weights": 1, "mean_square_score": (1e5**2 + 2 * 3e4**2) / 3}
    assert by_sums(name, [[1e5, 3e4, -3e4]]).tolist() == pytest.approx([one_key.get(name, 0)], rel=1e-15)


@pytest.mark.parametrize("keys", [2, 3, 8])
def test_equal_scores_are_even_shares(keys):
    scores = np.full((1, keys), 3.0)
    assert by_sums("max_weight", scores) == pytest.approx(1 / keys, rel=1e-15)
    assert by_sums("entropy", scores) == pytest.approx(math.log(keys), rel=1e-15)
    assert by_sums("jacobian_trace", scores) == pytest.approx(1 - 1 / keys, rel=1e-15)
    assert by_sums("jacobian_norm", scores) == pytest.approx(math.sqrt(keys - 1) / keys, rel=1e-15)


@pytest.mark.parametrize("name", ROW_STATISTICS)
def test_factors_and_divisors_multiply_scores(name):
    rng = np.random.default_rng(4)
    unit, factors = rng.standard_normal((6, 20)), rng.chisquare(9, 20)
    statistic = STATISTICS[name]
    assert isinstance(statistic, RowStatistic)
    measured = statistic.of_sums(WeightSums(ScoreRows(unit, factors), 2.5))
    np.testing.assert_allclose(measured, by_definition(name, (unit * factors / 2.5).T), rtol=1e-12)


def test_a_query_of_length_0_listens_to_all_alike():
    sums = WeightSums(ScoreRows(np.array([[1.0], [5.0], [-2.0]]), np.zeros(1)), 1.0)
    assert sums.max_weight().tolist() == [pytest.approx(1 / 3, rel=1e-15)]


@pytest.mark.parametrize("name", ROW_STATISTICS)
def test_cutting_negligible_exponents_changes_no_digit(name):
    rows = np.random.default_rng(5).standard_normal((40, 8)) * 30
    far = np.full((1, 8), -1e6)
    far[0, 0] = 0
    np.testing.assert_array_equal(by_sums(name, np.vstack([rows, far]))[:-1], by_sums(name, rows))


@pytest.mark.parametrize("keys", range(1, 34))
def test_the_largest_two_scores_are_found(keys):
    scores = np.random.default_rng(keys).integers(0, 2 * keys, (keys, 200)).astype(float)
    before = scores.copy()
    largest, second = _largest_two(scores)
    ranked = np.sort(scores, axis=0)
    np.testing.assert_array_equal(largest, ranked[-1])
    np.testing.assert_array_equal(second, ranked[-2] if keys > 1 else ranked[-1])
    np.testing.assert_array_equal(scores, before)
