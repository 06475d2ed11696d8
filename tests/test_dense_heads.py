import math

import numpy as np
import pytest

from rootdk import dense_heads
from rootdk.attention import softmax
from rootdk.dense_heads import draw_scores, measure_heads

SHAPES = [
    {"tokens": 1, "d_k": 1, "draws": 1},
    {"tokens": 3, "d_k": 5, "draws": 7},
    {"tokens": 8, "d_k": 256, "draws": 2},
]


def plain_loop(seed, *, tokens, d_k, draws):
    """Draw as the sources do: for each draw Q, then K."""
    rng = np.random.default_rng(seed)
    heads = []
    for _ in range(draws):
        Q = rng.standard_normal((tokens, d_k))
        K = rng.standard_normal((tokens, d_k))
        heads.append(Q @ K.T)
    return np.array(heads), rng


@pytest.mark.parametrize("shape", SHAPES)
def test_scores_are_those_of_a_plain_loop_over_draws(shape):
    expected, _ = plain_loop(21, **shape)
    scores = np.concatenate(list(draw_scores(np.random.default_rng(21), **shape)))
    np.testing.assert_allclose(scores, expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_stream_goes_on_where_a_plain_loop_would_have_left_it(shape):
    _, after_loop = plain_loop(21, **shape)
    rng = np.random.default_rng(21)
    list(draw_scores(rng, **shape))
    assert rng.standard_normal() == after_loop.standard_normal()


@pytest.mark.parametrize("entries", [1, 60, 100, 10**9])
def test_the_size_of_a_batch_changes_no_digit(entries, monkeypatch):
    shape = {"tokens": 3, "d_k": 5, "draws": 7}
    usual = np.concatenate(list(draw_scores(np.random.default_rng(2), **shape)))
    monkeypatch.setattr(dense_heads, "_ENTRIES_AT_ONCE", entries)
    batches = list(draw_scores(np.random.default_rng(2), **shape))
    np.testing.assert_array_equal(np.concatenate(batches), usual)
    assert max(map(len, batches)) == min(7, max(1, entries // 30))


@pytest.mark.parametrize("name", ["tokens", "d_k", "draws"])
@pytest.mark.parametrize("value", [0, -3])
def test_numbers_below_one_are_refused_and_named(name, value):
    shape = {"tokens": 2, "d_k": 2, "draws": 2, name: value}
    with pytest.raises(ValueError, match=f"^{name} is {value}; it must be at least 1"):
        next(draw_scores(np.random.default_rng(0), **shape))


def test_scaled_scores_are_the_same_scores_over_the_root_of_the_width():
    measured = measure_heads(
        np.random.default_rng(3),
        tokens=4,
        d_k=9,
        draws=5,
        statistics={"first_score": lambda scores, weights: scores[:, 0, 0]},
    )
    expected, _ = plain_loop(3, tokens=4, d_k=9, draws=5)
    np.testing.assert_allclose(measured["unscaled", "first_score"], expected[:, 0, 0], rtol=1e-12)
    np.testing.assert_array_equal(measured["scaled", "first_score"], measured["unscaled", "first_score"] / 3)


def test_statistics_get_the_weights_of_their_own_scores(monkeypatch):
    monkeypatch.setattr(dense_heads, "_ENTRIES_AT_ONCE", 100)  # several batches
    shape = {"tokens": 4, "d_k": 6, "draws": 9}
    measured = measure_heads(
        np.random.default_rng(8),
        **shape,
        statistics={
            "largest": lambda scores, weights: weights.max(axis=(-2, -1)),
            "trace": lambda scores, weights: np.trace(scores, axis1=-2, axis2=-1),
        },
    )
    heads, _ = plain_loop(8, **shape)
    assert set(measured) == {(s, name) for s in ("unscaled", "scaled") for name in ("largest", "trace")}
    for scaling, divisor in (("unscaled", 1), ("scaled", math.sqrt(6))):
        weights = softmax(heads / divisor)
        np.testing.assert_allclose(measured[scaling, "largest"], weights.max(axis=(-2, -1)), rtol=1e-11)
        trace = np.trace(heads, axis1=-2, axis2=-1) / divisor
        np.testing.assert_allclose(measured[scaling, "trace"], trace, rtol=1e-11, atol=1e-12)


def test_the_same_seed_gives_the_same_heads_and_another_seed_others():
    first, again, other = (
        np.concatenate(list(draw_scores(np.random.default_rng(seed), tokens=2, d_k=3, draws=2))) for seed in (5, 5, 6)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).all()
