"""A row that is certain and wrong: closed forms, finite differences, and the edges of what the config allows."""

import math
from decimal import Context, Decimal

import numpy as np
import pytest

from rootdk.attention import softmax
from rootdk.numbers import quotable_numbers
from simulate_loss_gradient import TARGET, length, row_weights, simulate_loss_gradient


def norms(keys, winner_scores):
    """Return the lengths by loss, each in the order of the scores."""
    table = simulate_loss_gradient(keys=keys, winner_scores=winner_scores).table
    return {loss: rows["gradient_norm"].tolist() for loss, rows in table.groupby("loss")}


def closed_forms(keys, c):
    """Return both lengths and the target's weight with every share written out, without a softmax."""
    total = math.exp(c) + keys - 1
    winner, other = math.exp(c) / total, 1 / total
    of_logarithm = math.sqrt(winner**2 + (keys - 2) * other**2 + (1 - other) ** 2)
    return of_logarithm, other * of_logarithm, other


@pytest.mark.parametrize("keys", [2, 3, 4, 100])
def test_lengths_are_the_closed_forms(keys):
    scores = [0, 0.5, 1, 3, 8, 20, 100, 300]
    found = norms(keys, scores)
    expected = [closed_forms(keys, c) for c in scores]
    assert found["cross_entropy"] == pytest.approx([with_log for with_log, _, _ in expected], rel=1e-12)
    assert found["missing_weight"] == pytest.approx([without for _, without, _ in expected], rel=1e-12)
    summary = simulate_loss_gradient(keys=keys, winner_scores=scores).summary
    weights = summary[summary["statistic"] == "target_weight"]["value"].tolist()
    assert weights == pytest.approx([weight for _, _, weight in expected], rel=1e-12)


@pytest.mark.parametrize("c", [0, 1, 2.5, 6])
def test_lengths_are_those_of_finite_differences(c):
    keys, step = 4, 1e-5
    losses = {"cross_entropy": lambda a: -math.log(a[TARGET]), "missing_weight": lambda a: 1 - a[TARGET]}
    for loss, function in losses.items():
        scores = np.zeros(keys)
        scores[0] = c
        shifted = [scores + sign * step * np.eye(keys) for sign in (1, -1)]
        up, down = (np.array([function(row) for row in softmax(rows)]) for rows in shifted)
        assert norms(keys, [c])[loss][0] == pytest.approx(math.hypot(*((up - down) / (2 * step))), rel=1e-6)


def test_with_the_logarithm_the_gradient_stays_and_without_it_it_dies():
    found = norms(4, [10, 20, 40, 80])
    assert found["cross_entropy"][-1] == pytest.approx(math.sqrt(2), rel=1e-15)
    assert min(found["cross_entropy"]) > 1.41
    # As e^-c: twice as far, the square.
    for near, far in zip(found["missing_weight"][:-1], found["missing_weight"][1:], strict=True):
        assert far / math.sqrt(2) == pytest.approx((near / math.sqrt(2)) ** 2, rel=1e-3)


def test_limits_are_what_the_lengths_go_to():
    tables = simulate_loss_gradient(keys=4, winner_scores=[700])
    known = quotable_numbers("loss_gradient", tables.table, tables.summary)
    for loss in ("cross_entropy", "missing_weight"):
        at_700 = known[f"loss_gradient.gradient_norm.winner_score=700;loss={loss}"].value
        assert known[f"loss_gradient.gradient_norm_limit.loss={loss}"].value == pytest.approx(at_700, abs=1e-15)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("keys", [2, 10_000])
def test_the_largest_scores_leave_no_zeros_and_no_infinities(keys):
    with np.errstate(all="raise", under="ignore"):
        found = norms(keys, [0.0, 700.0])
    assert found["cross_entropy"][1] == pytest.approx(math.sqrt(2), rel=1e-15)
    assert found["missing_weight"][1] / row_weights(keys, 700)[TARGET] == pytest.approx(math.sqrt(2), rel=1e-12)


def test_lengths_whose_squares_are_no_numbers():
    assert length(np.array([3e-300, -4e-300])) == pytest.approx(5e-300, rel=1e-15)
    assert length(np.array([3e300, -4e300])) == pytest.approx(5e300, rel=1e-15)


@pytest.mark.parametrize("c", [0, 2, 20, 200])
def test_the_digits_that_are_kept_are_right(c):
    digits = Context(prec=50)
    e_to_c = digits.exp(Decimal(c))
    other = 1 / (e_to_c + 3)
    squares = digits.add((e_to_c * other) ** 2 + 2 * other**2, (1 - other) ** 2)
    with_log = digits.sqrt(squares)
    found = norms(4, [c])
    assert found["cross_entropy"][0] == pytest.approx(float(with_log), rel=1e-15)
    assert found["missing_weight"][0] == pytest.approx(float(digits.multiply(with_log, other)), rel=1e-15)
