import numpy as np
import pytest

from rootdk import dense_heads
from rootdk.dense_heads import draw_scores

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


def test_the_same_seed_gives_the_same_heads_and_another_seed_others():
    first, again, other = (
        np.concatenate(list(draw_scores(np.random.default_rng(seed), tokens=2, d_k=3, draws=2))) for seed in (5, 5, 6)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).all()
