"""Every claim of the chapter is true as committed, and false under some config."""

import importlib
import inspect
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import PROJECT

from build_claims import judge_claims
from check_claims import broken_claims, config_digest
from rootdk.claims import Judged, claims_table, judge, read_claims
from rootdk.config import load_config
from rootdk.tables import read_table, write_table
from rootdk.words import Words, collect_numbers

SCHEMA = PROJECT / "workflow" / "schemas" / "config.schema.yaml"
CLAIMS = PROJECT / "workflow" / "chapter" / "claims"
TABLES = {path.stem: path for path in (PROJECT / "data").glob("*.csv") if path.stem not in ("published", "claims")}


def experiments(changes: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the experiments of the config with some of their parameters changed."""
    overrides = {"experiments": changes} if changes else None
    settings = load_config(PROJECT / "config.yaml", scripts=PROJECT / "scripts", schema=SCHEMA, overrides=overrides)
    return settings["experiments"]


CONFIG = experiments({})

# What makes each claim false, and nothing else of the config.
FALSE: dict[str, dict[str, dict[str, Any]]] = {
    "an_aligned_wide_head_is_sharp": {"alignment": {"keys": 2}},
    "best_key_takes_over": {"best_key": {"head_widths": [4096, 16384]}},
    "listening_is_not_mutual": {
        "logit_asymmetry": {"token_vectors": [[1, 0, 0, 0], [1, 0.01, 0, 0], [1, 0, 0.01, 0]], "embedding_scale": 1}
    },
    "only_the_root_is_flat": {"divisor_exponent": {"head_widths": [1, 1024]}},
    "only_the_root_leaves_the_row_alone": {"divisor_shareout": {"row_scores": [1, 1, 1]}},
    "samples_lie_on_the_exact_curves": {
        "width_sweep": {"seed": 272, "token_counts": [8], "head_widths": [1], "blocks": 1}
    },
    "scaled_entropy_hardly_varies": {"dimension_sweep": {"head_widths": [1, 1024]}},
    "scaled_rows_stop_depending_on_the_width": {"closed_row": {"head_widths": [1, 512]}},
    "scores_have_mean_zero": {"score_size": {"seed": 47, "pairs": 1000, "head_widths": list(range(1, 13))}},
    "some_look_more_at_their_partner": {"six_tokens": {"embedding_scale": 0.1}},
    "the_distance_falls_as_one_over_the_width": {"approach": {"head_widths": [1]}},
    "the_gap_survives": {"sequence_length": {"head_widths": [1]}},
    "the_ratio_belongs_to_one_draw": {"attention_heatmaps": {"seed": 0}},
    "token_and_partner_lead": {"six_tokens": {"partners": [["t0", "t1"], ["t2", "t3"], ["t4", "t5"]]}},
    "typical_size_is_the_root": {"score_size": {"seed": 0, "pairs": 2}},
    "unscaled_entropy_falls": {"dimension_sweep": {"tokens": 1}},
    "winner_grows_without_the_division": {"max_weight": {"tokens": 1}},
    "winner_stays_with_the_division": {"max_weight": {"head_widths": [1, 1024]}},
    "winner_takes_most": {"max_weight": {"tokens": 100}},
}

# Theorems, which only wrong code makes false: a number of the tables, and what it would then be.
WRONG: dict[str, tuple[str, float]] = {
    "more_tokens_soften_both": ("sequence_length.max_weight.scaled.tokens=16;d_k=256", 0.9),
    "shuffling_only_shuffles": ("permutation.largest_difference_below.scaled", 1e-9),
    "sign_scores_have_variance_d_k": ("sign_scores.score_mean_square.unscaled.d_k=16", 15.0),
    "the_divided_winner_stays": ("width_sweep.exact_max_weight.scaled.tokens=8;d_k=16", 0.4),
    "the_logarithm_keeps_the_gradient": ("loss_gradient.gradient_norm.winner_score=20;loss=cross_entropy", 1e-9),
    "the_same_keys_win": ("attention_heatmaps.winner.scaled.row=3", 1.0),
    "the_winner_has_a_little_less": ("width_sweep.exact_max_weight.unscaled.tokens=8;d_k=64", 0.88),
}


@pytest.fixture(scope="module")
def committed() -> dict[str, pd.DataFrame]:
    """Return all committed tables."""
    return {name: read_table(path) for name, path in TABLES.items()}


def simulated(experiment: str, parameters: dict[str, Any], folder: Path) -> dict[str, pd.DataFrame]:
    """Return an experiment's tables as a build would write and read them."""
    simulate = getattr(importlib.import_module(f"simulate_{experiment}"), f"simulate_{experiment}")
    given = dict(parameters)
    if "rng" in inspect.signature(simulate).parameters:
        tables = simulate(np.random.default_rng(given.pop("seed")), **given)
    else:
        tables = simulate(**given)
    found = {}
    for name, table in ((experiment, tables.table), (f"{experiment}_summary", tables.summary)):
        write_table(table, folder / f"{name}.csv", rounded=True)
        found[name] = read_table(folder / f"{name}.csv")
    return found


def judged(name: str, words: Words) -> Judged:
    (claim,) = (claim for claim in read_claims(CLAIMS) if claim.name == name)
    return judge(claim, words)


def test_each_claim_has_a_config_or_a_number_that_makes_it_false() -> None:
    assert sorted([*FALSE, *WRONG]) == sorted(claim.name for claim in read_claims(CLAIMS))


@pytest.mark.parametrize("name", sorted([*FALSE, *WRONG]))
def test_a_claim_is_true_as_committed(name: str, committed: dict[str, pd.DataFrame]) -> None:
    if config_digest(CONFIG) != (CLAIMS / "written_for.sha256").read_text(encoding="utf-8").strip():
        pytest.skip("config.yaml is not the one that the claims were written for")
    found = judged(name, Words(collect_numbers(committed), CONFIG))
    assert found.state == "true", found.reason


@pytest.mark.parametrize("name", sorted(FALSE))
def test_a_config_makes_a_claim_false(name: str, committed: dict[str, pd.DataFrame], tmp_path: Path) -> None:
    tables, setup = dict(committed), experiments(FALSE[name])
    for experiment in setup:
        if setup[experiment] != CONFIG[experiment]:
            tables |= simulated(experiment, setup[experiment], tmp_path)
    found = judged(name, Words(collect_numbers(tables), setup))
    assert found.state == "false"
    assert found.sentence


@pytest.mark.parametrize("name", sorted(WRONG))
def test_a_wrong_number_makes_a_theorem_false(name: str, committed: dict[str, pd.DataFrame]) -> None:
    numbers = collect_numbers(committed)
    wrong, value = WRONG[name]
    numbers[wrong] = replace(numbers[wrong], value=value)
    assert judged(name, Words(numbers, CONFIG)).state == "false"


def test_the_claims_were_written_for_the_committed_config() -> None:
    digest = config_digest(CONFIG)
    assert (CLAIMS / "written_for.sha256").read_text(encoding="utf-8").strip() == digest, (
        "config.yaml is not the one that the chapter's claims were written for. If the change is meant for everybody, "
        f"write {digest} to {CLAIMS.name}/written_for.sha256; the build then holds the chapter to its claims again."
    )


def test_the_committed_table_of_claims_is_this_one(committed: dict[str, pd.DataFrame], tmp_path: Path) -> None:
    write_table(claims_table(judge_claims(CLAIMS, tables=committed, setup=CONFIG)), tmp_path / "c.csv", rounded=True)
    assert (tmp_path / "c.csv").read_bytes() == (PROJECT / "data" / "claims.csv").read_bytes()


def test_broken_claims_are_named_with_their_reason() -> None:
    states = {"a": "true", "b": "false", "c": "undecided", "d": "does not apply"}
    table = claims_table([Judged(name, "It is.", state, f"{name} is so") for name, state in states.items()])
    assert broken_claims(table) == ["b is false: b is so.", "d does not apply: d is so."]
