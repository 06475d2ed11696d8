"""Aligned rows against their definition, and what the experiment made of them promises."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rootdk.aligned_rows import draw_aligned_rows
from rootdk.attention import softmax
from rootdk.exact import expected
from rootdk.numbers import quotable_numbers
from rootdk.row_statistics import entropy, largest_weight
from rootdk.seeded_blocks import DRAWS_PER_BLOCK
from simulate_alignment import measure_alignment, simulate_alignment

WIDTHS = [1, 2, 4, 64]
TOKENS = 3


def dense_rows(rng, *, d_k, correlation, draws):
    """Return rows of scores (tokens, draws) by the definition, with every component of every vector."""
    keys = rng.standard_normal((TOKENS, draws, d_k))
    g = rng.standard_normal((draws, d_k))
    q = correlation * keys[0] + math.sqrt(1 - correlation**2) * g
    return (q * keys).sum(axis=-1)


def aligned_rows(rng, **parameters):
    return np.concatenate(list(draw_aligned_rows(rng, **parameters)), axis=1)


# The sampler


@pytest.mark.parametrize("correlation", [-0.7, 0, 0.25, 0.5, 1])
@pytest.mark.parametrize("d_k", WIDTHS)
def test_scores_have_the_law_of_the_definition(d_k, correlation):
    draws = 20_000
    dense = dense_rows(np.random.default_rng(1), d_k=d_k, correlation=correlation, draws=draws)
    drawn = aligned_rows(np.random.default_rng(2), tokens=TOKENS, d_k=d_k, correlation=correlation, draws=draws)
    # Each score by itself, and functions of several of them, which see how they hang together.
    for name, function in {
        "aligned": lambda s: s[0],
        "other": lambda s: s[1],
        "lead": lambda s: s[0] - s[1],
        "largest": lambda s: s.max(axis=0),
        "product": lambda s: s[0] * np.abs(s[1]),
        "others' product": lambda s: s[1] * s[2],
        "length": lambda s: (s[1:] ** 2).sum(axis=0),
        "aligned weight": lambda s: softmax(s.T / math.sqrt(d_k))[:, 0],
        "entropy": lambda s: entropy(softmax(s.T / math.sqrt(d_k))),
    }.items():
        assert stats.ks_2samp(function(dense), function(drawn)).pvalue > 1e-4, name


def test_the_comparison_with_the_definition_notices_a_wrong_correlation():
    dense = dense_rows(np.random.default_rng(1), d_k=64, correlation=0.5, draws=20_000)
    drawn = aligned_rows(np.random.default_rng(2), tokens=TOKENS, d_k=64, correlation=0.49, draws=20_000)
    assert stats.ks_2samp(dense[0], drawn[0]).pvalue < 1e-4


@pytest.mark.parametrize("correlation", [0, 0.3, 1])
@pytest.mark.parametrize("d_k", [1, 7, 1024])
def test_the_aligned_score_has_the_moments_of_the_docstring(d_k, correlation):
    draws = 100_000
    scores = aligned_rows(np.random.default_rng(3), tokens=1, d_k=d_k, correlation=correlation, draws=draws)[0]
    variance = d_k * (1 + correlation**2)
    assert abs(scores.mean() - correlation * d_k) < 5 * math.sqrt(variance / draws)
    squares = (scores - correlation * d_k) ** 2
    assert abs(squares.mean() - variance) < 5 * squares.std() / math.sqrt(draws)


def test_batches_and_correlations_leave_the_random_numbers_as_they_are(monkeypatch):
    parameters = {"tokens": 5, "d_k": 8, "draws": 1000}
    whole = aligned_rows(np.random.default_rng(4), **parameters, correlation=0.5)
    monkeypatch.setattr("rootdk.aligned_rows._SCORES_AT_ONCE", 64)
    np.testing.assert_array_equal(aligned_rows(np.random.default_rng(4), **parameters, correlation=0.5), whole)
    one, other = (np.random.default_rng(4) for _ in range(2))
    aligned_rows(one, **parameters, correlation=0)
    aligned_rows(other, **parameters, correlation=1)
    assert one.bit_generator.state == other.bit_generator.state


@pytest.mark.parametrize(
    ("name", "value"), [("tokens", 0), ("d_k", 0), ("draws", 0), ("correlation", 1.01), ("correlation", math.nan)]
)
def test_parameters_out_of_range_are_named(name, value):
    parameters = {"tokens": 2, "d_k": 4, "correlation": 0.5, "draws": 3, name: value}
    with pytest.raises(ValueError, match=f"^{name} is {value}"):
        aligned_rows(np.random.default_rng(0), **parameters)


# The experiment


@pytest.mark.parametrize("d_k", [1, 2, 4, 64, 1024])
def test_without_alignment_rows_are_those_of_a_random_head(d_k):
    estimates = measure_alignment(seed=5, keys=8, d_k=d_k, correlation=0, draws=100_000)
    for scaling, power in (("unscaled", 0.0), ("scaled", 0.5)):
        for statistic in ("max_weight", "entropy"):
            mean, error = estimates[scaling, statistic]
            assert abs(mean - expected(statistic, tokens=8, d_k=d_k, power=power)) < 4 * error
        mean, error = estimates[scaling, "aligned_weight"]
        assert abs(mean - 1 / 8) < 4 * error


@pytest.mark.parametrize("d_k", [4, 64])
def test_the_means_are_those_of_dense_rows(d_k):
    scores = dense_rows(np.random.default_rng(6), d_k=d_k, correlation=0.5, draws=40_000).T
    estimates = measure_alignment(seed=6, keys=TOKENS, d_k=d_k, correlation=0.5, draws=100_000)
    for scaling, divisor in (("unscaled", 1.0), ("scaled", math.sqrt(d_k))):
        weights = softmax(scores / divisor)
        for statistic, values in (
            ("max_weight", largest_weight(weights)),
            ("aligned_weight", weights[:, 0]),
            ("entropy", entropy(weights)),
        ):
            mean, error = estimates[scaling, statistic]
            assert abs(mean - values.mean()) < 4 * math.hypot(error, values.std() / math.sqrt(len(values)))


@pytest.mark.parametrize(
    ("d_k", "largest", "aligned", "digits"), [(4, 0.361, 0.245, 3), (64, 0.79, 0.79, 2), (1024, 0.999998, 0.999998, 6)]
)
def test_known_means_at_half_correlation(d_k, largest, aligned, digits):
    estimates = measure_alignment(seed=7, keys=8, d_k=d_k, correlation=0.5, draws=400_000)
    for statistic, value in (("max_weight", largest), ("aligned_weight", aligned)):
        mean, error = estimates["scaled", statistic]
        assert abs(mean - value) < 0.5 * 10**-digits + 4 * error


def test_the_same_lead_takes_half_the_correlation_in_a_head_four_times_as_wide():
    narrow = measure_alignment(seed=8, keys=8, d_k=1024, correlation=0.1, draws=40_000)
    wide = measure_alignment(seed=8, keys=8, d_k=4096, correlation=0.05, draws=40_000)
    assert narrow["scaled", "aligned_weight"].mean == pytest.approx(wide["scaled", "aligned_weight"].mean, abs=0.01)
    same = measure_alignment(seed=8, keys=8, d_k=4096, correlation=0.1, draws=40_000)
    assert same["scaled", "aligned_weight"].mean > narrow["scaled", "aligned_weight"].mean + 0.2


def test_a_width_or_a_correlation_more_changes_no_other_number():
    def numbers(**changed):
        given: dict[str, Any] = {"seed": 1, "keys": 4, "head_widths": [4, 64], "correlations": [0, 0.5], "draws": 50}
        tables = simulate_alignment(**given | changed)
        return quotable_numbers("alignment", tables.table, tables.summary)

    few = numbers()
    many = numbers(head_widths=[1, 64, 4, 256], correlations=[0.5, 0.25, 0])
    assert few.keys() < many.keys()
    assert all(str(many[name].value) == str(number.value) for name, number in few.items())
    assert any(many[name].value != number.value for name, number in numbers(seed=2).items() if name in many)


def test_draws_go_on_past_one_block():
    one = measure_alignment(seed=1, keys=2, d_k=4, correlation=0.5, draws=DRAWS_PER_BLOCK)
    two = measure_alignment(seed=1, keys=2, d_k=4, correlation=0.5, draws=2 * DRAWS_PER_BLOCK)
    for key, (mean, error) in two.items():
        assert error == pytest.approx(one[key].std_error / math.sqrt(2), rel=0.02)
        assert mean != one[key].mean
        assert abs(mean - one[key].mean) < 5 * error


@pytest.mark.filterwarnings("error")
def test_the_edges_of_what_the_config_allows():
    tables = simulate_alignment(seed=0, keys=2, head_widths=[1, 1_048_576], correlations=[0.0, 1e-9, 1.0], draws=2)
    assert np.isfinite(tables.table[["mean", "std_error"]]).all(axis=None)
    assert np.isfinite(tables.summary["value"]).all()
    weights = tables.table[tables.table["statistic"] != "entropy"]["mean"]
    assert weights.between(0, 1).all()
    assert "alignment.max_weight.scaled.correlation=0;d_k=1" in quotable_numbers(
        "alignment", tables.table, tables.summary
    )


def test_summaries_hold_the_exact_moments_of_the_aligned_score():
    tables = simulate_alignment(seed=0, keys=2, head_widths=[64], correlations=[0.5], draws=2)
    found = {number: one.value for number, one in quotable_numbers("alignment", tables.table, tables.summary).items()}
    assert found["alignment.aligned_score_mean.unscaled.correlation=0.5;d_k=64"] == 32
    assert found["alignment.aligned_score_mean.scaled.correlation=0.5;d_k=64"] == 4
    assert found["alignment.aligned_score_std.scaled.correlation=0.5"] == math.sqrt(1.25)
