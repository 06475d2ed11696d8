import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rootdk.attention import (
    attend,
    max_weight,
    scale_factor,
    scaled_score_std,
    scaled_scores,
    score_std,
    softmax,
    unscaled_scores,
)

ANY_SCORE = st.floats(-1e308, 1e308)
WHOLE = st.integers(-1000, 1000)


def matrices(shape, elements=st.floats(-50, 50)):  # noqa: B008  strategies never change
    return hnp.arrays(np.float64, shape, elements=elements)


@st.composite
def queries_and_keys(draw):
    """Q and K with the same leading dimensions and the same width."""
    leading = draw(hnp.array_shapes(min_dims=0, max_dims=2, max_side=3))
    queries, keys, d_k = (draw(st.integers(1, 5)) for _ in range(3))
    return draw(matrices((*leading, queries, d_k))), draw(matrices((*leading, keys, d_k)))


# softmax


@given(matrices(hnp.array_shapes(max_dims=3, max_side=6), ANY_SCORE))
def test_every_row_of_weights_is_a_share_out(z):
    weights = softmax(z)
    assert weights.shape == z.shape
    assert ((weights >= 0) & (weights <= 1)).all()
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-14)


@given(st.lists(WHOLE, min_size=1, max_size=8), st.integers(-(2**40), 2**40))
def test_adding_one_number_to_a_row_changes_no_weight(row, shift):
    z = np.array(row, dtype=float)  # whole numbers, so that the shifted scores are exact
    np.testing.assert_array_equal(softmax(z + shift), softmax(z))


@given(st.lists(st.floats(-700, 700), min_size=1, max_size=8))
def test_weights_are_exponentials_over_their_sum(row):
    exponentials = [math.exp(score - max(row)) for score in row]
    expected = [exponential / math.fsum(exponentials) for exponential in exponentials]
    np.testing.assert_allclose(softmax(row), expected, rtol=1e-13)


@pytest.mark.parametrize(
    ("row", "weights"),
    [
        ([1e308, -1e308], [1, 0]),
        ([1e308, 1e308], [0.5, 0.5]),
        ([-1e308, -1e308, -1e308, -1e308], [0.25] * 4),
        ([-1e308, 0], [0, 1]),
        ([0, 0, 0, 0, 0, 0, 0, 0], [0.125] * 8),
        ([12345.0], [1]),
        ([0, -math.inf, 0], [0.5, 0, 0.5]),
        ([-math.inf, -1e308], [0, 1]),
    ],
)
def test_exact_weights(row, weights):
    assert softmax(row).tolist() == weights


def test_rows_are_independent():
    assert softmax([[0.0, 0.0], [1e308, -1e308]]).tolist() == [[0.5, 0.5], [1, 0]]


@pytest.mark.parametrize(
    ("z", "named"),
    [
        ([-math.inf, -math.inf], "z"),
        ([[1, 2], [-math.inf, -math.inf]], "Row 2 of z"),
        ([[[1, 2], [3, 4]], [[-math.inf, -math.inf], [-math.inf, -math.inf]]], "Row 2, 1 of z"),
    ],
)
def test_a_fully_masked_row_is_refused_and_named(z, named):
    with pytest.raises(ValueError, match=f"^{named} has every key masked; a row needs at least one key"):
        softmax(z)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("other", [0, 1e308, -math.inf, math.inf])
def test_nan_and_plus_infinity_are_refused(bad, other):
    with pytest.raises(ValueError, match=r"z holds NaN or \+inf"):
        softmax([[0, 0], [other, bad]])


@pytest.mark.parametrize("z", [5.0, [], [[], []]])
def test_rows_without_scores_are_refused(z):
    with pytest.raises(ValueError, match="at least one score per row"):
        softmax(z)


def test_softmax_leaves_its_input_alone():
    z = np.array([[1.0, 2.0], [3.0, -math.inf]])
    before = z.copy()
    softmax(z)
    np.testing.assert_array_equal(z, before)


# the divisor and the scores


@pytest.mark.parametrize(("d_k", "divisor"), [(1, 1), (4, 2), (64, 8), (1048576, 1024)])
def test_scale_factor_is_the_root_of_the_head_width(d_k, divisor):
    assert scale_factor(d_k) == divisor


@pytest.mark.parametrize("d_k", [0, -4, 0.5, math.nan, -math.inf])
def test_scale_factor_refuses_what_is_no_head_width(d_k):
    with pytest.raises(ValueError, match=f"^d_k is {d_k}; a head width is at least 1"):
        scale_factor(d_k)


@given(queries_and_keys())
def test_unscaled_scores_are_the_matrix_product(given_):
    Q, K = given_
    np.testing.assert_allclose(unscaled_scores(Q, K), Q @ np.swapaxes(K, -1, -2), rtol=1e-12, atol=1e-10)


def test_unscaled_scores_broadcast_their_leading_dimensions_as_the_matrix_product_does():
    rng = np.random.default_rng(0)
    one, many = rng.standard_normal((3, 4)), rng.standard_normal((2, 5, 6, 4))
    np.testing.assert_allclose(unscaled_scores(one, many), one @ np.swapaxes(many, -1, -2), rtol=1e-12)
    np.testing.assert_allclose(unscaled_scores(many, one), many @ one.T, rtol=1e-12)


@given(queries_and_keys())
def test_scaled_scores_are_the_scores_over_the_root_of_the_number_of_columns_of_k(given_):
    Q, K = given_
    np.testing.assert_array_equal(scaled_scores(Q, K), unscaled_scores(Q, K) / math.sqrt(K.shape[-1]))


def test_scaling_changes_nothing_at_width_one():
    Q, K = np.array([[3.0], [-2.0]]), np.array([[5.0], [7.0]])
    assert scaled_scores(Q, K).tolist() == [[15, 21], [-10, -14]]


@pytest.mark.parametrize("scores", [unscaled_scores, scaled_scores])
def test_queries_and_keys_of_different_width_are_refused(scores):
    with pytest.raises(ValueError, match=r"^Q has rows of width 3 and K of width 1; "):
        scores(np.ones((2, 3)), np.ones((2, 1)))


@pytest.mark.parametrize(("Q", "K"), [([1, 0], [[1, 0]]), ([[1, 0]], [1, 0]), (1, 1)])
def test_scores_need_matrices(Q, K):
    with pytest.raises(ValueError, match=r"^Q and K are matrices with one row per token"):
        scaled_scores(Q, K)


@pytest.mark.parametrize("scores", [unscaled_scores, scaled_scores])
def test_scores_leave_their_inputs_alone(scores):
    Q, K = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [5.0, 6.0]])
    scores(Q, K)
    assert (Q.tolist(), K.tolist()) == ([[1, 2]], [[3, 4], [5, 6]])


@given(matrices(hnp.array_shapes(max_dims=3, max_side=6), ANY_SCORE))
def test_the_largest_weight_lies_between_an_even_share_and_one(scores):
    largest = max_weight(scores)
    np.testing.assert_array_equal(largest, softmax(scores).max(axis=-1))
    assert (largest >= (1 - 1e-15) / scores.shape[-1]).all()
    assert (largest <= 1).all()


@given(matrices((4, 6)), st.floats(1, 100))
def test_dividing_all_scores_never_raises_the_largest_weight(scores, divisor):
    assert (max_weight(scores / divisor) <= max_weight(scores) + 1e-14).all()


# attention

WORKED: dict[str, Any] = {"Q": [[1, 0]], "K": [[1, 0], [0, 1]], "V": [[2, 0], [0, 2]]}


def test_the_worked_example():
    weights, output = attend(**WORKED)
    np.testing.assert_allclose(weights, [[0.6697615493266569, 0.3302384506733431]], rtol=1e-15)
    np.testing.assert_allclose(output, [[1.3395230986533138, 0.6604769013466862]], rtol=1e-15)


def test_the_worked_example_with_only_the_first_key_allowed():
    weights, output = attend(**WORKED, allowed=[[True, False]])
    assert (weights.tolist(), output.tolist()) == ([[1, 0]], [[2, 0]])


@given(queries_and_keys(), st.data())
def test_attention_is_the_weights_times_the_values(given_, data):
    Q, K = given_
    V = data.draw(matrices((*K.shape[:-1], 3)))
    weights, output = attend(Q, K, V)
    np.testing.assert_array_equal(weights, softmax(scaled_scores(Q, K)))
    np.testing.assert_allclose(output, weights @ V, rtol=1e-12, atol=1e-10)


@given(st.data())
def test_masked_attention_is_attention_to_the_keys_that_are_left(data):
    Q, K, V = (data.draw(matrices((rows, 2))) for rows in (3, 5, 5))
    left = np.array(data.draw(st.lists(st.booleans(), min_size=5, max_size=5).filter(any)))
    weights, output = attend(Q, K, V, allowed=left)
    assert (weights[:, ~left] == 0).all()
    few_weights, few_output = attend(Q, K[left], V[left])
    np.testing.assert_allclose(weights[:, left], few_weights, rtol=1e-13)
    np.testing.assert_allclose(output, few_output, rtol=1e-12, atol=1e-12)


def test_a_mask_that_allows_everything_changes_nothing():
    masked = attend(**WORKED, allowed=np.ones((1, 2), dtype=bool))
    for with_mask, without in zip(masked, attend(**WORKED), strict=True):
        np.testing.assert_array_equal(with_mask, without)


def test_a_causal_mask_shows_each_query_the_keys_up_to_its_own():
    X = np.random.default_rng(3).standard_normal((4, 2))
    weights, _ = attend(X, X, X, allowed=np.tri(4, dtype=bool))
    assert (np.triu(weights, 1) == 0).all()
    assert weights[0].tolist() == [1, 0, 0, 0]


def test_a_query_that_may_see_no_key_is_refused_and_named():
    with pytest.raises(ValueError, match=r"^Row 2 of z has every key masked"):
        attend(np.eye(2), np.eye(2), np.eye(2), allowed=[[True, True], [False, False]])


def test_a_key_without_a_value_is_refused():
    with pytest.raises(ValueError, match=r"^V has 2 rows and K has 3; each key has one value"):
        attend(np.ones((1, 2)), np.ones((3, 2)), np.ones((2, 2)))


@pytest.mark.parametrize("name", ["Q", "K", "V"])
def test_attention_needs_matrices(name):
    with pytest.raises(ValueError, match="matri"):
        attend(**WORKED | {name: [1, 0]})


def test_attention_leaves_its_inputs_alone():
    inputs = {name: np.array(rows, dtype=float) for name, rows in WORKED.items()}
    allowed = np.array([[True, False]])
    attend(**inputs, allowed=allowed)
    assert {name: array.tolist() for name, array in inputs.items()} == WORKED
    assert allowed.tolist() == [[True, False]]


# the spread of scores


@pytest.mark.parametrize("d", [1, 4, 64])
def test_the_spread_is_the_population_standard_deviation_of_row_by_row_products(d):
    rng = np.random.default_rng(5)
    q = rng.standard_normal((50, d))
    k = rng.standard_normal((50, d))
    products = [math.fsum(row) for row in q * k]
    mean = math.fsum(products) / 50
    expected = math.sqrt(math.fsum((product - mean) ** 2 for product in products) / 50)
    assert score_std(d, 50, 5) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("d", [1, 4, 16, 64, 256])
def test_the_spread_is_near_the_root_of_the_width_and_near_one_when_scaled(d):
    assert score_std(d, 8000, 7) == pytest.approx(math.sqrt(d), rel=0.06)
    assert scaled_score_std(d, 8000, 7) == pytest.approx(1, rel=0.06)


def test_one_pair_has_no_spread():
    assert score_std(16, 1, 0) == 0


@pytest.mark.parametrize("spread", [score_std, scaled_score_std])
@pytest.mark.parametrize(
    ("d", "trials", "message"),
    [
        (0, 10, "d_k is 0; a head width is at least 1"),
        (-1, 10, "d_k is -1; a head width is at least 1"),
        (4, 0, "trials is 0; at least 1 pair is needed"),
    ],
)
def test_the_spread_refuses_widths_and_trials_below_one(spread, d, trials, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        spread(d, trials, 0)
