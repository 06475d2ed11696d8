from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rootdk.attention import softmax
from rootdk.gradient import (
    complements,
    jacobian,
    jacobian_norm,
    jacobian_trace,
    max_jacobian_diagonal,
    score_gradient,
)

ROWS_OF_SCORES = hnp.arrays(np.float64, hnp.array_shapes(max_dims=3, max_side=5), elements=st.floats(-5, 5))

# From even shares to rows whose losers have a weight near 1e-295.
ONE_ROW_OF_SCORES = st.integers(0, 8).flatmap(
    lambda doublings: st.lists(st.floats(-(1.33 * 2**doublings), 1.33 * 2**doublings), min_size=1, max_size=6)
)


def exact_row(weights):
    """Return the weights as fractions, the winner's as what the others leave of 1."""
    row = [Fraction(float(weight)) for weight in weights]
    winner = int(np.argmax(weights))
    row[winner] = 1 - (sum(row) - row[winner])
    return row


def exact_jacobian(row):
    return [[a * ((j == k) - b) for k, b in enumerate(row)] for j, a in enumerate(row)]


def square_root(fraction):
    with localcontext(prec=60):
        return float((Decimal(fraction.numerator) / Decimal(fraction.denominator)).sqrt())


# against exact arithmetic


@given(ONE_ROW_OF_SCORES)
def test_complements_are_right_to_the_last_digits(scores):
    weights = softmax(scores)
    expected = [float(1 - a) for a in exact_row(weights)]
    np.testing.assert_allclose(complements(weights), expected, rtol=1e-14)


@given(ONE_ROW_OF_SCORES)
def test_the_jacobian_is_right_to_the_last_digits(scores):
    weights = softmax(scores)
    expected = [[float(entry) for entry in row] for row in exact_jacobian(exact_row(weights))]
    np.testing.assert_allclose(jacobian(weights), expected, rtol=1e-14, atol=1e-300)


@given(ONE_ROW_OF_SCORES)
def test_trace_and_largest_diagonal_entry_are_right_to_the_last_digits(scores):
    weights = softmax(scores)
    diagonal = [a * (1 - a) for a in exact_row(weights)]
    assert jacobian_trace(weights) == pytest.approx(float(sum(diagonal)), rel=1e-14, abs=0)
    assert max_jacobian_diagonal(weights) == pytest.approx(float(max(diagonal)), rel=1e-14, abs=0)


@given(ONE_ROW_OF_SCORES)
@example([0.0, -22.6])
@example([0.0, -400.0, -401.0])
def test_the_norm_is_right_to_the_last_digits(scores):
    weights = softmax(scores)
    squares = sum(entry**2 for row in exact_jacobian(exact_row(weights)) for entry in row)
    assert jacobian_norm(weights) == pytest.approx(square_root(squares), rel=1e-14, abs=0)


def test_a_saturated_row_keeps_its_small_norm():
    # Two keys, the loser with weight e: all four entries are ±e(1 - e), so the norm is 2e(1 - e).
    loser = Fraction(1, 2**33) + Fraction(1, 2**35)
    weights = [float(1 - loser), float(loser)]
    assert jacobian_norm(weights) == pytest.approx(float(2 * loser * (1 - loser)), rel=1e-15, abs=0)
    assert 2e-10 < jacobian_norm(weights) < 4e-10


@pytest.mark.parametrize("loser", [1e-17, 1e-40, 1e-150, 1e-200, 1e-300])
def test_a_winner_stored_as_one_still_has_a_derivative(loser):
    weights = [loser, 1.0, 0.0]
    assert complements(weights).tolist() == [1.0, loser, 1.0]
    assert jacobian_trace(weights) == 2 * loser
    assert jacobian_norm(weights) == pytest.approx(2 * loser, rel=1e-15, abs=0)
    assert max_jacobian_diagonal(weights) == loser


# against the full matrix, and against differences


@given(ROWS_OF_SCORES)
def test_the_summaries_are_those_of_the_full_matrix(scores):
    weights = softmax(scores)
    full = jacobian(weights)
    diagonals = np.diagonal(full, axis1=-2, axis2=-1)
    np.testing.assert_allclose(jacobian_trace(weights), diagonals.sum(axis=-1), rtol=1e-13)
    np.testing.assert_allclose(max_jacobian_diagonal(weights), diagonals.max(axis=-1), rtol=1e-13)
    np.testing.assert_allclose(jacobian_norm(weights), np.sqrt((full**2).sum(axis=(-2, -1))), rtol=1e-13)


@given(ROWS_OF_SCORES)
def test_the_jacobian_is_the_derivative_of_the_weights(scores):
    step = 1e-5
    nudges = step * np.eye(scores.shape[-1])
    forward, back = softmax(scores[..., None, :] + nudges), softmax(scores[..., None, :] - nudges)
    by_score_then_weight = (forward - back) / (2 * step)
    np.testing.assert_allclose(jacobian(softmax(scores)), np.swapaxes(by_score_then_weight, -1, -2), atol=1e-9)


@given(ROWS_OF_SCORES)
def test_the_jacobian_is_symmetric_and_its_rows_sum_to_zero(scores):
    full = jacobian(softmax(scores))
    np.testing.assert_array_equal(full, np.swapaxes(full, -1, -2))
    np.testing.assert_allclose(full.sum(axis=-1), 0, atol=1e-15)


@given(ONE_ROW_OF_SCORES)
def test_the_trace_lies_between_zero_and_that_of_even_shares(scores):
    assert 0 <= jacobian_trace(softmax(scores)) <= (1 - 1 / len(scores)) * (1 + 1e-15)


@given(ONE_ROW_OF_SCORES)
def test_no_pull_is_stronger_than_a_quarter(scores):
    assert 0 <= max_jacobian_diagonal(softmax(scores)) <= 0.25 * (1 + 1e-15)


@pytest.mark.parametrize("keys", [1, 2, 4, 8, 100])
def test_even_shares_have_the_largest_trace(keys):
    weights = np.full(keys, 1 / keys)
    assert jacobian_trace(weights) == pytest.approx(1 - 1 / keys, rel=1e-14)
    assert jacobian_norm(weights) == pytest.approx(np.sqrt(keys - 1) / keys, rel=1e-14)


@pytest.mark.parametrize("weights", [[1.0], [1.0, 0.0, 0.0], [0.0, 1.0]])
def test_one_key_that_has_everything_moves_no_more(weights):
    assert (jacobian(weights) == 0).all()
    assert jacobian_trace(weights) == jacobian_norm(weights) == max_jacobian_diagonal(weights) == 0


@pytest.mark.parametrize("summary", [complements, jacobian, jacobian_trace, jacobian_norm, max_jacobian_diagonal])
def test_weights_are_left_alone(summary):
    weights = np.array([[0.25, 0.75], [1.0, 0.0]])
    summary(weights)
    assert weights.tolist() == [[0.25, 0.75], [1, 0]]


# the backward pass


@st.composite
def scores_and_gradients(draw):
    scores = draw(ROWS_OF_SCORES)
    return scores, draw(hnp.arrays(np.float64, scores.shape, elements=st.floats(-3, 3)))


@given(scores_and_gradients())
def test_the_backward_pass_is_the_product_with_the_jacobian(given_):
    scores, G = given_
    A = softmax(scores)
    expected = np.einsum("...jl,...j->...l", jacobian(A), G)
    np.testing.assert_allclose(score_gradient(A, G), expected, atol=1e-14)


@given(scores_and_gradients())
def test_the_backward_pass_is_the_derivative_of_the_loss(given_):
    scores, G = given_
    step = 1e-5
    expected = np.empty_like(scores)
    for place in np.ndindex(scores.shape):
        nudge = np.zeros_like(scores)
        nudge[place] = step
        change = softmax(scores + nudge) - softmax(scores - nudge)
        expected[place] = (G * change).sum() / (2 * step)
    np.testing.assert_allclose(score_gradient(softmax(scores), G), expected, atol=1e-8)


@given(scores_and_gradients())
def test_the_gradient_of_each_row_sums_to_zero(given_):
    scores, G = given_
    np.testing.assert_allclose(score_gradient(softmax(scores), G).sum(axis=-1), 0, atol=1e-14)


def test_a_gradient_that_is_the_same_for_all_weights_moves_no_score():
    assert score_gradient([[0.25, 0.75]], [[3, 3]]).tolist() == [[0, 0]]


def test_the_backward_pass_by_hand():
    # rowsum(G ∘ A) = 1/4 · 4 + 3/4 · 8 = 7
    assert score_gradient([0.25, 0.75], [4, 8]).tolist() == [0.25 * (4 - 7), 0.75 * (8 - 7)]


def test_the_backward_pass_leaves_its_inputs_alone():
    A, G = np.array([[0.25, 0.75]]), np.array([[4.0, 8.0]])
    gradient = score_gradient(A, G)
    assert (A.tolist(), G.tolist()) == ([[0.25, 0.75]], [[4, 8]])
    assert not np.shares_memory(gradient, A)
    assert not np.shares_memory(gradient, G)


@pytest.mark.parametrize("shape", [(3,), (2, 3), (1, 2, 2), (2, 1)])
def test_gradients_of_another_shape_than_the_weights_are_refused(shape):
    with pytest.raises(ValueError, match=r"^A has shape \(2, 2\) and G has shape .*; they must be the same"):
        score_gradient(np.full((2, 2), 0.5), np.zeros(shape))
