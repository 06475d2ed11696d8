"""What single experiments do at the edges of what the config allows."""

import math

import numpy as np
import pytest
import yaml
from conftest import PROJECT

from rootdk.numbers import quotable_numbers
from rootdk.tables import Tables
from simulate_attention_heatmaps import simulate_attention_heatmaps
from simulate_closed_row import simulate_closed_row
from simulate_logit_asymmetry import simulate_logit_asymmetry
from simulate_permutation import simulate_permutation
from simulate_saturation_curve import simulate_saturation_curve
from simulate_sign_scores import binomial_counts, count_scores
from simulate_six_tokens import simulate_six_tokens

CONFIG = yaml.safe_load((PROJECT / "config.yaml").read_text(encoding="utf-8"))["experiments"]


def values(tables: Tables, statistic: str) -> list[float]:
    return tables.summary[tables.summary["statistic"] == statistic]["value"].tolist()


def test_logits_that_are_all_zero_are_mutual() -> None:
    tables = simulate_logit_asymmetry(seed=0, pairs=3, embedding_scale=1.0, token_vectors=[[0, 0], [0, 0]])
    assert values(tables, "relative_asymmetry_median") == [0.0]


def test_shuffling_large_vectors_is_judged_by_their_size() -> None:
    vectors: list[list[float]] = [[0, 0], [100.1, 3.3], [-7.7, 200.2], [33.3, -41.7], [999.9, -12.34], [-0.7, 555.5]]
    tables = simulate_permutation(order=[3, 1, 5, 0, 4, 2], embedding_scale=1000, token_vectors=vectors)
    assert values(tables, "outputs_permute_with_inputs") == [1.0]


@pytest.mark.parametrize("order", [[3, 1, 5, 0, 4, 2], [1, 2, 3, 4, 5, 0], [2, 0, 1, 5, 3, 4]])
def test_outputs_permute_with_inputs_also_where_the_order_is_not_its_own_inverse(order: list[int]) -> None:
    given = {**CONFIG["permutation"], "order": order}
    tables = simulate_permutation(**given)
    assert values(tables, "outputs_permute_with_inputs") == [1.0]
    assert values(tables, "largest_difference_below")[0] <= 1e-12
    same = np.isclose(tables.table["output"], tables.table["shuffled_output"], rtol=0, atol=1e-12)
    assert same.all()


def test_weights_that_are_zero_give_no_ratio() -> None:
    tables = simulate_six_tokens(
        token_names=["a", "b", "c", "d"],
        partners=[["a", "b"], ["c", "d"]],
        embedding_scale=1000,
        token_vectors=[[1, 0], [1, 0.1], [-1, 0], [-1, 0.1]],
    )
    assert values(tables, "partner_to_least_unrelated_ratio") == []
    assert all(map(math.isfinite, tables.summary["value"]))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("tokens", [1, 2])
def test_heads_so_wide_that_every_norm_vanishes_give_no_infinities(tokens: int) -> None:
    tables = simulate_attention_heatmaps(np.random.default_rng(21), tokens=tokens, head_width=100_000)
    assert all(map(math.isfinite, tables.summary["value"]))


def test_numbers_with_many_digits_keep_their_names_apart() -> None:
    tables = simulate_saturation_curve(points=51, weights=[0.9999999, 0.99999991])
    names = quotable_numbers("saturation_curve", tables.table, tables.summary)
    assert {"saturation_curve.derivative.a=0.9999999", "saturation_curve.derivative.a=0.99999991"} <= set(names)
    tables = simulate_closed_row(np.random.default_rng(0), keys=2, queries=2, head_widths=[1], score_gap=8.1234567)
    assert "closed_row.weight_ratio.unscaled.score_gap=8.1234567" in quotable_numbers(
        "closed_row", tables.table, tables.summary
    )


@pytest.mark.parametrize("d_k", [1, 2, 3, 8, 13, 16])
def test_listing_and_the_binomial_law_count_the_same(d_k: int) -> None:
    scores, counts = count_scores(d_k)
    assert (scores, counts) == binomial_counts(d_k)
    assert sum(counts) == 2**d_k
    assert sum(score * count for score, count in zip(scores, counts, strict=True)) == 0
    assert sum(score**2 * count for score, count in zip(scores, counts, strict=True)) == d_k * 2**d_k
