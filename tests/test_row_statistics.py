import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rootdk.attention import softmax
from rootdk.row_statistics import (
    entropy,
    largest_weight,
    mean_square_score,
    normalized_entropy,
    score_spread,
    squared_weights,
)

SCORES = hnp.arrays(np.float64, hnp.array_shapes(max_dims=3, max_side=6), elements=st.floats(-800, 800))
MATRICES = hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=3, max_side=5), elements=st.floats(-100, 100))


def test_the_largest_weight_of_each_row():
    assert largest_weight([[0.25, 0.75], [0.5, 0.5]]).tolist() == [0.75, 0.5]
    assert largest_weight([0.25, 0.75]) == 0.75


@given(SCORES)
def test_entropy_is_minus_the_sum_of_a_ln_a(scores):
    weights = softmax(scores)
    rows = weights.reshape(-1, weights.shape[-1])
    expected = [-math.fsum(a * math.log(a) for a in row if a > 0) for row in rows]
    np.testing.assert_allclose(entropy(weights).ravel(), expected, rtol=1e-13, atol=1e-15)


@given(SCORES)
def test_entropy_lies_between_zero_and_that_of_even_shares(scores):
    weights = softmax(scores)
    keys = scores.shape[-1]
    assert (entropy(weights) >= 0).all()
    assert (entropy(weights) <= math.log(keys) + 1e-14).all()
    assert (normalized_entropy(weights) >= 0).all()
    assert (normalized_entropy(weights) <= 1 + 1e-14).all()


@pytest.mark.parametrize("keys", [2, 8, 1000])
def test_even_shares_have_entropy_ln_n_and_normalized_entropy_one(keys):
    weights = np.full((3, keys), 1 / keys)
    np.testing.assert_allclose(entropy(weights), math.log(keys), rtol=1e-13)
    np.testing.assert_allclose(normalized_entropy(weights), 1, rtol=1e-13)


@pytest.mark.parametrize("weights", [[1.0], [0.0, 1.0], [1.0, 0.0, 0.0]])
def test_one_key_that_has_everything_leaves_no_entropy_not_even_minus_zero(weights):
    for value in (entropy(weights), normalized_entropy(weights)):
        assert value == 0
        assert not np.signbit(value)


def test_the_normalized_entropy_of_rows_with_one_key_is_zero():
    assert normalized_entropy(np.ones((2, 3, 1))).tolist() == [[0, 0, 0], [0, 0, 0]]


@given(SCORES.filter(lambda scores: scores.shape[-1] > 1))
def test_normalized_entropy_is_a_fraction_of_ln_n(scores):
    weights = softmax(scores)
    np.testing.assert_array_equal(normalized_entropy(weights), entropy(weights) / math.log(scores.shape[-1]))


def test_spread_about_zero_and_spread_about_the_mean_by_hand():
    scores = [[1, 3], [5, 7]]
    assert mean_square_score(scores).tolist() == [(1 + 9) / 2, (25 + 49) / 2]
    assert score_spread(scores) == math.sqrt((9 + 1 + 1 + 9) / 4)


def test_squared_weights_run_from_even_shares_to_one_winner():
    assert squared_weights(np.array([[0.25] * 4, [0.5, 0.5, 0, 0], [0, 1, 0, 0]])).tolist() == [0.25, 0.5, 1]


@given(MATRICES)
def test_mean_square_is_squared_spread_plus_squared_mean(scores):
    expected = score_spread(scores) ** 2 + scores.mean(axis=(-2, -1)) ** 2
    np.testing.assert_allclose(mean_square_score(scores).mean(axis=-1), expected, rtol=1e-12, atol=1e-12)


@given(st.floats(-1e6, 1e6))
def test_equal_scores_have_no_spread(score):
    # Their mean may be wrong by a rounding, and so may the spread.
    assert score_spread(np.full((2, 3, 3), score)) == pytest.approx([0, 0], abs=1e-15 * abs(score))


@pytest.mark.parametrize(
    ("statistic", "shape"),
    [
        (largest_weight, (2, 3)),
        (entropy, (2, 3)),
        (normalized_entropy, (2, 3)),
        (squared_weights, (2, 3)),
        (mean_square_score, (2, 3)),
        (score_spread, (2,)),
    ],
)
def test_one_value_per_row_or_per_matrix_and_the_input_left_alone(statistic, shape):
    values = softmax(np.random.default_rng(1).standard_normal((2, 3, 4)))
    before = values.copy()
    assert statistic(values).shape == shape
    np.testing.assert_array_equal(values, before)
