import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootdk.sampling_error import estimate_mean, estimate_root_mean


@given(st.lists(st.decimals(-1000, 1000, places=6).map(float), min_size=2, max_size=30))
def test_mean_and_standard_error_of_independent_draws(draws):
    estimate = estimate_mean(draws)
    size = max(map(abs, draws))
    assert estimate.mean == pytest.approx(statistics.fmean(draws), rel=1e-12, abs=1e-14 * size)
    expected = statistics.stdev(draws) / math.sqrt(len(draws))
    assert estimate.std_error == pytest.approx(expected, rel=1e-10, abs=1e-14 * size)


def test_mean_and_standard_error_by_hand():
    assert estimate_mean([1, 3, 5, 7]) == (4, pytest.approx(math.sqrt(20 / 3) / 2, rel=1e-15))


def test_equal_draws_have_no_error():
    assert estimate_mean([0.5, 0.5, 0.5]) == (0.5, 0)


def test_one_draw_cannot_tell_its_error():
    estimate = estimate_mean([0.7])
    assert estimate.mean == 0.7
    assert math.isnan(estimate.std_error)
    assert math.isnan(estimate_root_mean([4.0]).std_error)


def test_the_error_is_how_far_means_scatter():
    means, errors = [], []
    for draws in np.random.default_rng(4).standard_normal((400, 25)):
        estimate = estimate_mean(draws)
        means.append(estimate.mean)
        errors.append(estimate.std_error)
    assert statistics.fmean(errors) == pytest.approx(1 / 5, rel=0.05)
    assert statistics.stdev(means) == pytest.approx(statistics.fmean(errors), rel=0.1)


@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=30))
def test_the_root_of_a_mean_and_its_error_to_first_order(squares):
    mean, error = estimate_mean(squares)
    root, root_error = estimate_root_mean(squares)
    assert root == pytest.approx(math.sqrt(mean), rel=1e-15)
    # The slope of the root, from a difference small enough to be straight.
    step = 1e-4 * mean
    slope = (math.sqrt(mean + step) - math.sqrt(mean - step)) / (2 * step)
    assert root_error == pytest.approx(slope * error, rel=1e-7, abs=0)


def test_the_root_of_nothing_has_no_error_to_first_order():
    estimate = estimate_root_mean([0.0, 0.0])
    assert estimate.mean == 0
    assert math.isnan(estimate.std_error)


@pytest.mark.parametrize("estimate", [estimate_mean, estimate_root_mean])
def test_draws_are_left_alone(estimate):
    draws = np.array([1.0, 4.0])
    estimate(draws)
    assert draws.tolist() == [1, 4]
