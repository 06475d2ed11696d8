import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rootdk import triangular_heads, unit_rows
from rootdk.attention import softmax
from rootdk.attention_statistics import ROW_STATISTICS, STATISTICS, RowStatistic
from rootdk.samplers import DENSE, HEAD, ROW, SAMPLERS, default_divisors, measure, measure_rows
from rootdk.sampling_error import estimate_mean
from rootdk.triangular_heads import draw_triangular_scores
from rootdk.unit_rows import draw_unit_rows

SCALINGS = ("unscaled", "scaled")
ALL = tuple(STATISTICS)
BOUNDED = tuple(name for name in ALL if name != "jacobian_norm_ratio")  # those that have a mean to speak of
SHAPES = [(1, 1), (2, 1), (2, 4), (8, 1), (8, 2), (8, 4), (16, 64), (8, 64), (4, 1024)]  # tokens, d_k
WIDE = [(8, 1024), (8, 2**20), (16, 2**30)]
STRICT = 1e-4  # about 350 comparisons are made with fixed seeds


def rng(*seed):
    return np.random.default_rng(seed)


def statistics_of(sampler):
    return ROW_STATISTICS if sampler is ROW else ALL


def heads_by_hand(generator, *, tokens, d_k, draws):
    for _ in range(draws):
        Q = generator.standard_normal((tokens, d_k))
        K = generator.standard_normal((tokens, d_k))
        yield Q @ K.T


# The dense sampler measures by definition


@pytest.mark.parametrize("name", ROW_STATISTICS)
def test_the_dense_sampler_measures_the_heads_of_a_plain_loop(name):
    shape: dict[str, Any] = {"tokens": 4, "d_k": 9, "draws": 6}
    statistic = STATISTICS[name]
    assert isinstance(statistic, RowStatistic)
    scores = np.array(list(heads_by_hand(rng(3), **shape)))
    rows = measure_rows(DENSE, rng(3), **shape, statistics=[name])
    heads = measure(DENSE, rng(3), **shape, statistics=[name])
    assert set(rows) == set(heads) == {(scaling, name) for scaling in SCALINGS}
    for scaling, divisor in (("unscaled", 1), ("scaled", 3)):
        expected = statistic.of_rows(scores / divisor, softmax(scores / divisor))
        np.testing.assert_allclose(rows[scaling, name], expected, rtol=1e-10)
        np.testing.assert_array_equal(heads[scaling, name], rows[scaling, name].mean(axis=-1))


@pytest.mark.parametrize("sampler", [DENSE, HEAD], ids=lambda sampler: sampler.name)
def test_statistics_of_whole_heads(sampler):
    shape: dict[str, Any] = {"tokens": 3, "d_k": 4, "draws": 50}
    rows = measure_rows(sampler, rng(1), **shape, statistics=["jacobian_norm", "mean_square_score"])
    heads = measure(sampler, rng(1), **shape, statistics=["jacobian_norm_ratio", "score_std", "jacobian_norm"])
    means = {scaling: rows[scaling, "jacobian_norm"].mean(axis=-1) for scaling in SCALINGS}
    np.testing.assert_array_equal(heads["scaled", "jacobian_norm_ratio"], means["scaled"] / means["unscaled"])
    assert (heads["unscaled", "jacobian_norm_ratio"] == 1).all()
    np.testing.assert_allclose(heads["unscaled", "score_std"], 2 * heads["scaled", "score_std"], rtol=1e-14)
    # About the head's own mean, not about 0.
    mean_squares = rows["unscaled", "mean_square_score"].mean(axis=-1)
    assert (heads["unscaled", "score_std"] ** 2 < mean_squares).all()


# The samplers against each other


@pytest.mark.parametrize(("tokens", "d_k"), SHAPES)
def test_heads_are_distributed_like_dense_heads(tokens, d_k):
    shape: dict[str, Any] = {"tokens": tokens, "d_k": d_k, "draws": 1500, "statistics": ALL}
    dense, head = measure(DENSE, rng(1, tokens, d_k), **shape), measure(HEAD, rng(2, tokens, d_k), **shape)
    for key, values in dense.items():
        assert _alike(values, head[key]) > STRICT, key


@pytest.mark.parametrize(("tokens", "d_k"), SHAPES)
def test_rows_are_distributed_like_rows_of_dense_heads(tokens, d_k):
    shape: dict[str, Any] = {"tokens": tokens, "d_k": d_k, "draws": 1500, "statistics": ROW_STATISTICS}
    dense, row = measure_rows(DENSE, rng(3, tokens, d_k), **shape), measure_rows(ROW, rng(4, tokens, d_k), **shape)
    for key, values in dense.items():
        assert row[key].shape == (1500, 1)
        assert _alike(values[:, 0], row[key][:, 0]) > STRICT, key


@pytest.mark.parametrize(("tokens", "d_k"), WIDE)
def test_rows_are_distributed_like_rows_of_heads_where_heads_are_wide(tokens, d_k):
    shape: dict[str, Any] = {"tokens": tokens, "d_k": d_k, "draws": 3000, "statistics": ROW_STATISTICS}
    head, row = measure_rows(HEAD, rng(5, tokens, d_k), **shape), measure_rows(ROW, rng(6, tokens, d_k), **shape)
    for key, values in head.items():
        assert _alike(values[:, -1], row[key][:, 0]) > STRICT, key


def test_such_a_comparison_tells_neighbouring_widths_apart():
    four, five = (
        measure(sampler, rng(width), tokens=8, d_k=width, draws=1500, statistics=["score_std"])["unscaled", "score_std"]
        for sampler, width in ((DENSE, 4), (HEAD, 5))
    )
    assert _alike(four, five) < STRICT


@pytest.mark.parametrize(
    ("reference", "sampler", "tokens", "d_k"),
    [(DENSE, sampler, *shape) for sampler in (ROW, HEAD) for shape in [(8, 1), (8, 4), (16, 16), (100, 2)]]
    + [(HEAD, ROW, *shape) for shape in WIDE],
)
def test_means_are_the_same_within_their_standard_errors(reference, sampler, tokens, d_k):
    shape: dict[str, Any] = {
        "tokens": tokens,
        "d_k": d_k,
        "statistics": [name for name in BOUNDED if name in statistics_of(sampler)],
    }
    expected = measure(reference, rng(7, tokens, d_k), draws=3000 if tokens < 100 else 200, **shape)
    measured = measure(sampler, rng(8, tokens, d_k), draws=20_000 if tokens < 100 else 500, **shape)
    for key in expected:
        one, other = estimate_mean(expected[key]), estimate_mean(measured[key])
        error = math.hypot(one.std_error, other.std_error)
        assert abs(one.mean - other.mean) <= 4 * error + 1e-12 * abs(one.mean), key


# What two scores of a head have in common, against the exact moments of Gaussian queries and keys


@pytest.mark.parametrize("d_k", [1, 2, 3, 4, 64, 2**20])
def test_scores_of_a_head_have_the_joint_moments_of_products_of_queries_and_keys(d_k):
    tokens, draws = 4, 40_000
    batches = list(draw_triangular_scores(rng(9, d_k), tokens=tokens, d_k=d_k, draws=draws))
    s = np.concatenate(batches, axis=-1) / math.sqrt(d_k)  # by key, query and head
    pairs = list(itertools.combinations(range(tokens), 2))
    squares = s * s
    # Given the query, scores of a row are independent of variance |q|², and E|q|⁴ = d(d + 2); for columns likewise.
    shared = 1 + 2 / d_k
    for moment, exact in (
        (squares, 1),
        (squares * squares, 3 * shared),
        ([squares[a] * squares[b] for a, b in pairs], shared),
        ([squares[:, a] * squares[:, b] for a, b in pairs], shared),
        ([squares[a, c] * squares[b, d] for a, b in pairs for c, d in pairs], 1),
        # Given the queries, each key's two scores have the covariance q·q', and E(q·q')² = d.
        ([s[a, c] * s[a, d] * s[b, c] * s[b, d] for a, b in pairs for c, d in pairs], 1 / d_k),
    ):
        mean, error = estimate_mean(np.reshape(moment, (-1, draws)).mean(axis=0))
        assert abs(mean - exact) <= 4 * error


@pytest.mark.parametrize(("tokens", "d_k"), [(8, 1), (8, 4), (16, 3), (4, 4)])
def test_a_head_has_no_more_rank_than_width(tokens, d_k):
    (scores,) = draw_triangular_scores(rng(10), tokens=tokens, d_k=d_k, draws=20)
    assert (np.linalg.matrix_rank(scores.transpose(2, 0, 1)) == min(tokens, d_k)).all()


# Every size


@pytest.mark.parametrize("tokens", [1, 2, 8, 16, 100])
@pytest.mark.parametrize("d_k", [1, 2, 4, 64, 1024, 2**20, 2**30])
@pytest.mark.parametrize("sampler", [ROW, HEAD], ids=lambda sampler: sampler.name)
def test_nothing_overflows_at_any_size(sampler, d_k, tokens):
    with np.errstate(all="raise"):
        measured = measure(sampler, rng(1), tokens=tokens, d_k=d_k, draws=20, statistics=statistics_of(sampler))
    for scaling in SCALINGS:
        values = {name: measured[scaling, name] for name in statistics_of(sampler)}
        assert all(array.shape == (20,) for array in values.values())
        slack = 1 + 1e-12
        for name, low, high in (
            ("max_weight", 1 / tokens, 1),
            ("squared_weights", 1 / tokens, 1),
            ("entropy", 0, math.log(tokens)),
            ("normalized_entropy", 0, 1),
            ("jacobian_trace", 0, 1 - 1 / tokens),
            ("jacobian_norm", 0, 0.5 * math.sqrt(2)),
            ("max_jacobian_diagonal", 0, 0.25),
            ("mean_square_score", 0, math.inf),
        ):
            assert ((low / slack <= values[name]) & (values[name] <= high * slack)).all(), name


# Streams


@pytest.mark.parametrize("sampler", SAMPLERS.values(), ids=lambda sampler: sampler.name)
def test_the_size_of_a_batch_changes_no_digit(sampler, monkeypatch):
    shape: dict[str, Any] = {"tokens": 20, "d_k": 3, "draws": 37, "statistics": statistics_of(sampler)}
    # 20 tokens: a lone row of 8 or more numbers is what numpy adds in another order.
    usual = measure(sampler, rng(1), **shape)
    for size in (1, 45, 200, 500):
        monkeypatch.setattr(unit_rows, "_SCORES_AT_ONCE", size)
        monkeypatch.setattr(triangular_heads, "_NUMBERS_AT_ONCE", size)
        monkeypatch.setattr("rootdk.dense_heads._ENTRIES_AT_ONCE", size)
        again = measure(sampler, rng(1), **shape)
        for key, values in usual.items():
            np.testing.assert_array_equal(again[key], values)


@pytest.mark.parametrize("sampler", SAMPLERS.values(), ids=lambda sampler: sampler.name)
def test_what_is_measured_does_not_change_what_is_drawn(sampler):
    shape: dict[str, Any] = {"tokens": 5, "d_k": 3, "draws": 37}
    everything = measure(sampler, rng(1), **shape, statistics=statistics_of(sampler))
    alone = measure(sampler, rng(1), **shape, statistics=["entropy"], divisors={"scaled": math.sqrt(3)})
    assert list(alone) == [("scaled", "entropy")]
    np.testing.assert_array_equal(alone["scaled", "entropy"], everything["scaled", "entropy"])


def test_the_row_sampler_draws_norms_then_rows():
    ((unit_scores, norms),) = draw_unit_rows(rng(2), tokens=3, d_k=7, draws=4)
    generator = rng(2)
    np.testing.assert_array_equal(norms, np.sqrt(generator.chisquare(7, 4)))
    np.testing.assert_array_equal(unit_scores, generator.standard_normal((4, 3)).T)


@pytest.mark.parametrize("d_k", [2, 3, 50])
def test_the_head_sampler_draws_diagonals_then_heads(d_k):
    tokens, m = 3, min(3, d_k)
    (scores,) = draw_triangular_scores(rng(2), tokens=tokens, d_k=d_k, draws=2)
    generator = rng(2)
    diagonals = np.sqrt(generator.chisquare(d_k - np.arange(m), (2, m)))
    for head in range(2):
        Z = generator.standard_normal((m, tokens)).T
        B = np.zeros((tokens, m))
        for row in range(tokens):
            B[row, : min(row, m)] = generator.standard_normal(min(row, m))
        B[np.arange(m), np.arange(m)] = diagonals[head]
        np.testing.assert_allclose(scores[:, :, head], (Z @ B.T).T, rtol=1e-12, atol=1e-12)


# What is refused


@pytest.mark.parametrize("name", sorted(set(ALL) - set(ROW_STATISTICS)))
def test_the_row_sampler_refuses_what_looks_at_a_whole_head(name):
    with pytest.raises(ValueError, match=rf"^The row sampler is not right for {name}, .* right for means over rows"):
        measure(ROW, rng(), tokens=2, d_k=2, draws=2, statistics=["entropy", name])


@pytest.mark.parametrize("sampler", SAMPLERS.values(), ids=lambda sampler: sampler.name)
def test_an_unknown_statistic_is_refused_with_those_that_there_are(sampler):
    with pytest.raises(ValueError, match=r"no statistic called 'kurtosis'; there are .*jacobian_trace"):
        measure(sampler, rng(), tokens=2, d_k=2, draws=2, statistics=["kurtosis"])


def test_a_statistic_of_whole_heads_has_no_value_for_each_row():
    with pytest.raises(ValueError, match="score_std is a statistic of whole heads"):
        measure_rows(HEAD, rng(), tokens=2, d_k=2, draws=2, statistics=["score_std"])


@pytest.mark.parametrize("sampler", SAMPLERS.values(), ids=lambda sampler: sampler.name)
@pytest.mark.parametrize("name", ["tokens", "draws", "d_k"])
@pytest.mark.parametrize("value", [0, -3])
def test_numbers_below_one_are_refused_and_named(sampler, name, value):
    shape: dict[str, Any] = {"tokens": 2, "d_k": 2, "draws": 2, name: value}
    with pytest.raises(ValueError, match=f"^{name} is {value}; it must be at least 1"):
        measure(sampler, rng(), **shape, statistics=["entropy"])


@pytest.mark.parametrize("divisor", [0.0, -1.0, math.inf, math.nan])
def test_divisors_that_cannot_be_are_refused(divisor):
    with pytest.raises(ValueError, match="divisor of the scaling 'odd' is"):
        measure(ROW, rng(), tokens=2, d_k=2, draws=2, statistics=["entropy"], divisors={"odd": divisor})


@pytest.mark.parametrize("given", [{"statistics": []}, {"statistics": ["entropy"], "divisors": {}}])
def test_nothing_to_measure_is_refused(given):
    with pytest.raises(ValueError, match="nothing to measure"):
        measure(ROW, rng(), tokens=2, d_k=2, draws=2, **given)


def test_divisors_are_one_and_the_root_of_the_width():
    assert default_divisors(2**30) == {"unscaled": 1, "scaled": 2**15}


def _alike(one, other):
    """Return the p-value of two samples having one distribution; NaN counts as a value."""
    one, other = (np.nan_to_num(values, nan=-1.0, posinf=np.finfo(float).max) for values in (one, other))
    # Values that differ by rounding only, as 1 and 1 - 1e-16, are the same value.
    one, other = (np.array([float(f"{value:.10e}") for value in values]) for values in (one, other))
    return stats.ks_2samp(one, other, method="asymp").pvalue
