"""That what seed_luck draws has the law of the experiments it speaks of, and what it says of the draws shown."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import PROJECT
from scipy.stats import ks_2samp

from draw_seed_luck import draw_seed_luck
from rootdk.command import simulate_with
from rootdk.config import ConfigError, load_config
from rootdk.ensembles import LEVELS, Ensemble, Law, place_shown, quantile_table, ratio_of_means
from rootdk.key_sets import draw_key_sets
from rootdk.numbers import quotable_numbers
from rootdk.self_attention import relative_asymmetry
from rootdk.style import STYLE, rc_parameters
from rootdk.tables import Tables, sweep_value
from rootdk.wide_heads import wide_head_norm
from simulate_attention_heatmaps import simulate_attention_heatmaps
from simulate_closed_row import simulate_closed_row
from simulate_dimension_sweep import simulate_dimension_sweep
from simulate_logit_asymmetry import simulate_logit_asymmetry
from simulate_score_size import simulate_score_size
from simulate_seed_luck import simulate_seed_luck

import matplotlib  # isort: skip
from matplotlib.figure import Figure  # isort: skip

SCRIPTS = PROJECT / "scripts"
SCHEMA = PROJECT / "workflow" / "schemas" / "config.schema.yaml"
CONFIG = load_config(PROJECT / "config.yaml", scripts=SCRIPTS, schema=SCHEMA)["experiments"]

SMALL: dict[str, Any] = {
    "attention_heatmaps": {"seed": 20, "tokens": 3, "head_width": 7},
    "closed_row": {"seed": 11, "keys": 4, "queries": 12, "head_widths": [3, 9], "score_gap": 8},
    "score_size": {"seed": 7, "head_widths": [2, 5], "pairs": 30},
    "logit_asymmetry": {"seed": 0, "pairs": 9, "embedding_scale": 2.0, "token_vectors": [[1, 0.5], [0, 1], [1, 1]]},
}
SEEDS = 400  # of the experiments themselves


@pytest.fixture(scope="module")
def small() -> Tables:
    return simulate_with(simulate_seed_luck, {"seed": 5, "heads": 3000, "repetitions": 3000, **SMALL})


def of_summary(tables: Tables, statistic: str, scaling: str) -> pd.Series:
    found = tables.summary
    return found[(found["statistic"] == statistic) & (found["scaling"] == scaling)]["value"]


def of_sweep(statistic: str, scaling: str, d_k: int) -> Callable[[Tables], float]:
    return lambda tables: sweep_value(tables.table, statistic=statistic, scaling=scaling, d_k=d_k)


ITSELF: dict[tuple[str, str, str, int], Callable[[Tables], float]] = {
    ("attention_heatmaps", "score_std", "unscaled", 7): lambda t: of_summary(t, "score_std", "unscaled").iloc[0],
    ("attention_heatmaps", "smallest_max_weight", "scaled", 7): lambda t: of_summary(t, "max_weight", "scaled").min(),
    ("attention_heatmaps", "largest_max_weight", "unscaled", 7): lambda t: of_summary(
        t, "max_weight", "unscaled"
    ).max(),
    ("attention_heatmaps", "jacobian_norm", "unscaled", 7): lambda t: of_summary(
        t, "jacobian_norm_mean", "unscaled"
    ).iloc[0],
    ("attention_heatmaps", "jacobian_norm_ratio", "scaled/unscaled", 7): lambda t: of_summary(
        t, "jacobian_norm_ratio", "scaled/unscaled"
    ).iloc[0],
    **{
        ("closed_row", statistic, scaling, d_k): of_sweep(statistic, scaling, d_k)
        for statistic in ("max_weight", "jacobian_trace", "max_jacobian_diagonal")
        for scaling, d_k in (("unscaled", 3), ("scaled", 9))
    },
    **{
        ("score_size", statistic, "unscaled", 5): of_sweep(statistic, "unscaled", 5)
        for statistic in ("score_mean", "typical_size")
    },
    ("logit_asymmetry", "relative_asymmetry_median", "scaled", 2): lambda t: of_summary(
        t, "relative_asymmetry_median", "scaled"
    ).iloc[0],
}
EXPERIMENTS: dict[str, Callable[..., Tables]] = {
    "attention_heatmaps": simulate_attention_heatmaps,
    "closed_row": simulate_closed_row,
    "score_size": simulate_score_size,
    "logit_asymmetry": simulate_logit_asymmetry,
}


@pytest.fixture(scope="module")
def runs() -> dict[str, list[Tables]]:
    # Pair i of logit_asymmetry starts from seed + i, so seeds are a thousand apart.
    return {
        name: [simulate_with(EXPERIMENTS[name], {**given, "seed": 1000 * seed}) for seed in range(SEEDS)]
        for name, given in SMALL.items()
    }


@pytest.mark.parametrize("law", ITSELF, ids=lambda law: "-".join(map(str, law)))
def test_other_seeds_have_the_law_of_the_experiment(
    law: tuple[str, str, str, int], small: Tables, runs: dict[str, list[Tables]]
) -> None:
    value = ITSELF[law]
    real = np.array([value(tables) for tables in runs[law[0]]])
    table = small.table
    found = table[(table[["experiment", "statistic", "scaling", "d_k"]] == list(law)).all(axis=1)]
    assert found["level"].tolist() == list(LEVELS)
    # Evenly spaced levels stand for as many draws.
    even = np.interp(np.linspace(0.0005, 0.9995, 1000), found["level"], found["quantile"])
    assert ks_2samp(real, even).pvalue > 1e-4


@pytest.mark.parametrize("law", ITSELF, ids=lambda law: "-".join(map(str, law)))
def test_what_is_shown_is_what_the_experiment_finds(law: tuple[str, str, str, int], small: Tables) -> None:
    experiment, statistic, scaling, d_k = law
    own = ITSELF[law](simulate_with(EXPERIMENTS[experiment], SMALL[experiment]))
    quoted = quotable_numbers("seed_luck", small.table, small.summary)
    about = f"{scaling}.experiment={experiment};d_k={d_k}"
    assert quoted[f"seed_luck.{statistic}_shown.{about}"].value == own
    share = quoted[f"seed_luck.{statistic}_share_as_large.{about}"].value
    quantiles = [quoted[f"seed_luck.{statistic}.{about};level={level:g}"].value for level in LEVELS]
    assert share == pytest.approx(1 - np.interp(own, quantiles, LEVELS), abs=0.002)


def test_the_published_ratio_is_a_rarity() -> None:
    found = quotable_numbers("seed_luck", *_default())
    about = "scaled/unscaled.experiment=attention_heatmaps;d_k=256"
    share = found[f"seed_luck.jacobian_norm_ratio_share_as_large.{about}"]
    assert found[f"seed_luck.jacobian_norm_ratio_shown.{about}"].value == pytest.approx(769, abs=0.5)
    assert 0 < share.value < 0.01
    assert share.std_error == pytest.approx(math.sqrt(share.value * (1 - share.value) / 10_000), rel=0.02)
    assert 4.4 < found[f"seed_luck.jacobian_norm_ratio_median.{about}"].value < 5.2


def _default() -> tuple[pd.DataFrame, pd.DataFrame]:
    given = {**CONFIG["seed_luck"], "repetitions": 2, "heads": 10_000}
    tables = simulate_with(simulate_seed_luck, given)
    return tables.table, tables.summary


@pytest.mark.parametrize(("keys", "d_k"), [(3, 8), (5, 2), (1, 1)])
def test_key_sets_have_the_law_of_queries_and_keys_drawn_entry_by_entry(keys: int, d_k: int) -> None:
    rng = np.random.default_rng(1)
    triangular = np.array(list(draw_key_sets(rng, keys=keys, queries=2, d_k=d_k, sets=4000)))
    q, k = rng.standard_normal((4000, 2, d_k)), rng.standard_normal((4000, keys, d_k))
    dense = np.einsum("sqc,skc->skq", q, k)
    assert triangular.shape == dense.shape
    for of in (
        lambda scores: scores[:, -1, 0],
        lambda scores: (scores**2).sum(axis=(1, 2)),
        lambda scores: scores[:, 0].prod(axis=-1),  # two queries of one key
        lambda scores: scores[:, [0, -1], 0].prod(axis=-1),
        lambda scores: scores[:, 0].prod(axis=-1) * scores[:, -1].prod(axis=-1),  # keys in common
    ):
        assert ks_2samp(of(triangular), of(dense)).pvalue > 1e-4


@pytest.mark.parametrize(("wrong", "message"), [({"queries": 0}, "queries is 0"), ({"d_k": 0}, "d_k is 0")])
def test_key_sets_of_no_size_are_refused(wrong: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        next(draw_key_sets(np.random.default_rng(0), **{"keys": 2, "queries": 2, "d_k": 2, "sets": 2, **wrong}))


def test_many_projections_at_once_are_as_one_by_one() -> None:
    rng = np.random.default_rng(2)
    X, W_q, W_k = rng.standard_normal((6, 4)), rng.standard_normal((7, 4, 4)), rng.standard_normal((7, 4, 4))
    together = relative_asymmetry(X, W_q, W_k)
    assert together.tolist() == [float(relative_asymmetry(X, *pair)) for pair in zip(W_q, W_k, strict=True)]


def test_the_limit_of_wide_heads_has_the_values_of_order_statistics() -> None:
    # The densities at 0 of the gap between two of 2 and of 3 normals.
    assert wide_head_norm(1) == 0
    assert wide_head_norm(2) == pytest.approx(1 / math.sqrt(math.pi), rel=1e-12)
    assert wide_head_norm(3) == pytest.approx(3 / (2 * math.sqrt(math.pi)), rel=1e-12)
    with pytest.raises(ValueError, match="tokens is 0"):
        wide_head_norm(0)


def test_norms_of_wide_heads_tend_to_their_limit() -> None:
    given = {**SMALL, "attention_heatmaps": {"seed": 1, "tokens": 5, "head_width": 40_000}}
    tables = simulate_with(simulate_seed_luck, {"seed": 6, "heads": 30_000, "repetitions": 2, **given})
    found = tables.summary[tables.summary["statistic"] == "root_times_norm"].set_index("where")
    limit = wide_head_norm(5)
    for width in (40_000, 160_000):
        row = found.loc[f"d_k={width}"]
        assert abs(row["value"] - limit) < 5 * row["std_error"] + 0.02 * limit


def test_places_and_quantiles_of_known_draws() -> None:
    law = Law("e", "s", "scaled", 4)
    ensemble = Ensemble(8.0, np.arange(11.0), "score")
    quantities = {quantity.statistic: quantity for quantity in place_shown(law, ensemble)}
    assert quantities["s_shown"].value == 8
    assert quantities["s_median"].value == quantities["s_mean"].value == 5
    assert quantities["s_share_as_large"].value == 3 / 11  # 8 itself counts
    assert quantities["s_share_as_large"].std_error == pytest.approx(math.sqrt(4 * 9 / 13**3))
    assert quantities["s_share_as_large"].where == "experiment=e;d_k=4"
    table = quantile_table({law: ensemble})
    assert table["quantile"].to_numpy() == pytest.approx(10 * np.array(LEVELS))


@pytest.mark.parametrize(("shown", "share"), [(99.0, 0.0), (-1.0, 1.0)])
def test_a_share_of_none_or_all_claims_no_exactness(shown: float, share: float) -> None:
    *_, quantity = place_shown(Law("e", "s", "scaled", 4), Ensemble(shown, np.arange(5.0), "score"))
    assert quantity.value == share
    assert quantity.std_error == pytest.approx(math.sqrt(1 * 6 / 7**3))


def test_the_error_of_a_ratio_is_how_far_ratios_scatter() -> None:
    rng = np.random.default_rng(3)
    below = 2 + rng.random((2000, 400))
    above = 3 * below + rng.standard_normal((2000, 400))
    estimates = [ratio_of_means(*pair) for pair in zip(above, below, strict=True)]
    scatter = np.std([estimate.mean for estimate in estimates], ddof=1)
    assert np.mean([estimate.std_error for estimate in estimates]) == pytest.approx(scatter, rel=0.06)


def test_the_experiments_taken_follow_every_file_of_the_config(tmp_path: Any) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("experiments: {attention_heatmaps: {tokens: 5}}", encoding="utf-8")
    loaded = load_config(PROJECT / "config.yaml", scripts=SCRIPTS, schema=SCHEMA, files=[mine])["experiments"]
    assert loaded["seed_luck"]["attention_heatmaps"] == loaded["attention_heatmaps"]
    assert loaded["attention_heatmaps"]["tokens"] == 5
    assert "attention_heatmaps" not in yaml.safe_load((PROJECT / "config.yaml").read_text())["experiments"]["seed_luck"]
    mine.write_text("experiments: {seed_luck: {attention_heatmaps: {tokens: 5}}}", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"experiments\.seed_luck\.attention_heatmaps is not a known key"):
        load_config(PROJECT / "config.yaml", scripts=SCRIPTS, schema=SCHEMA, files=[mine])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "edge",
    [
        {"attention_heatmaps": {"seed": 0, "tokens": 1, "head_width": 1}},
        {"attention_heatmaps": {"seed": 0, "tokens": 2, "head_width": 1_048_576}},
        {
            "closed_row": {"seed": 0, "keys": 2, "queries": 2, "head_widths": [1_000_000], "score_gap": 8},
            "score_size": {"seed": 0, "head_widths": [1], "pairs": 2},
            "logit_asymmetry": {"seed": 0, "pairs": 2, "embedding_scale": 1.0, "token_vectors": [[0, 0], [0, 0]]},
        },
    ],
    ids=["one token", "the widest head", "least of everything"],
)
def test_edges_of_the_config_give_finite_numbers_and_a_figure(edge: dict[str, Any]) -> None:
    tables = simulate_with(simulate_seed_luck, {"seed": 0, "heads": 2, "repetitions": 2, **SMALL, **edge})
    assert np.isfinite(tables.table["quantile"]).all()
    assert np.isfinite(tables.summary["value"]).all()
    with matplotlib.rc_context(rc_parameters("test")):
        figure = Figure(figsize=(6.5, 5.5), layout="constrained")
        draw_seed_luck(figure, seed_luck=tables.table, seed_luck_summary=tables.summary, style=STYLE)
        figure.draw_without_rendering()
    texts = {text.get_text() for text in figure.axes[-1].texts}
    narrow, wide = (of(SMALL["closed_row"]["head_widths"]) for of in (min, max))
    assert (f"$d_k={wide}$" in texts) == ("closed_row" not in edge)
    assert (f"largest weight, same keys, $d_k={narrow}$" in texts) == ("closed_row" not in edge)


def test_the_figure_marks_what_is_shown(small: Tables) -> None:
    with matplotlib.rc_context(rc_parameters("test")):
        figure = Figure(figsize=(6.5, 5.5), layout="constrained")
        draw_seed_luck(figure, seed_luck=small.table, seed_luck_summary=small.summary, style=STYLE)
        figure.draw_without_rendering()
    ratio, _ = figure.axes
    about = small.summary.set_index("statistic")["value"]
    marked = [float(np.ravel(line.get_xdata())[0]) for line in ratio.lines]
    assert marked == [about["jacobian_norm_ratio_shown"], pytest.approx(about["jacobian_norm_ratio_median"])]


def test_reference_heads_leave_the_sweep_alone_and_agree_with_it() -> None:
    given = CONFIG["dimension_sweep"]
    tables = simulate_dimension_sweep(**given)
    pd.testing.assert_frame_equal(tables.table, simulate_dimension_sweep(**{**given, "reference_heads": 2}).table)
    expected = tables.summary[tables.summary["statistic"] == "expected_score_std"].set_index(["scaling", "where"])
    assert len(expected) == 2 * len(given["head_widths"])
    sweep = tables.table[tables.table["statistic"] == "score_std"]
    for row in sweep.to_dict("records"):
        reference = expected.loc[(row["scaling"], f"d_k={row['d_k']}")]
        assert abs(row["mean"] - reference["value"]) < 4 * math.hypot(row["std_error"], reference["std_error"])
        assert 0 < reference["std_error"] < row["std_error"]
