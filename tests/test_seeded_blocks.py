import hashlib
import math
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from rootdk.attention_statistics import ROW_STATISTICS, STATISTICS
from rootdk.samplers import DENSE, HEAD, ROW, SAMPLERS, measure
from rootdk.sampling_error import estimate_mean
from rootdk.seeded_blocks import (
    NO_DRAWS,
    Cell,
    block_generator,
    block_moments,
    measure_blocks,
    merge,
    merge_blocks,
    moments,
)

CELL = Cell("max_weight", "row", 8, 64)
SWEEP: dict[str, Any] = {
    "seed": 21,
    "experiment": "max_weight",
    "tokens": 8,
    "d_k": 64,
    "draws_per_block": 100,
    "statistics": ("max_weight", "entropy"),
}


# Seeds


def test_a_block_is_seeded_as_documented():
    digest = hashlib.sha256(b"max_weight sampler=row tokens=8 d_k=64").digest()
    words = [int.from_bytes(digest[start : start + 4], "big") for start in range(0, 32, 4)]
    sequence = np.random.SeedSequence(entropy=21, spawn_key=(*words, 5))
    expected = np.random.default_rng(sequence).standard_normal(10)
    np.testing.assert_array_equal(block_generator(21, CELL, 5).standard_normal(10), expected)


def test_the_numbers_of_a_block_never_change():
    assert block_generator(21, CELL, 0).integers(2**63) == 11950130647925048


def test_blocks_cells_and_seeds_have_numbers_of_their_own():
    generators = [block_generator(21, CELL, block) for block in (0, 1, 2, 2**40)]
    generators += [block_generator(22, CELL, 0)]
    for change in ({"experiment": "entropy"}, {"sampler": "head"}, {"tokens": 16}, {"d_k": 4}):
        generators.append(block_generator(21, CELL._replace(**change), 0))
    first = [generator.integers(2**63) for generator in generators]
    assert len(set(first)) == len(first)


@pytest.mark.parametrize(("seed", "block", "name"), [(-1, 0, "seed"), (0, -1, "block")])
def test_seeds_and_blocks_below_0_are_refused(seed, block, name):
    with pytest.raises(ValueError, match=f"^{name} is -1"):
        block_generator(seed, CELL, block)


# Moments


@pytest.mark.parametrize("shift", [0.0, 1e8])
@pytest.mark.parametrize("sizes", [[1000], [1, 999], [300, 1, 699], [100] * 10])
def test_merged_moments_are_those_of_all_numbers(sizes, shift):
    values = np.random.default_rng(1).standard_normal(1000) + shift
    merged = NO_DRAWS
    for part in np.split(values, np.cumsum(sizes)[:-1]):
        merged = merge(merged, moments(part))
    expected = estimate_mean(values)
    assert merged.draws == 1000
    assert merged.estimate.mean == pytest.approx(expected.mean, rel=1e-14, abs=1e-15)
    assert merged.estimate.std_error == pytest.approx(expected.std_error, rel=1e-8)


def test_one_draw_has_no_standard_error():
    mean, error = moments([3.0]).estimate
    assert mean == 3
    assert math.isnan(error)


def test_an_infinite_ratio_makes_an_infinite_mean_without_a_standard_error():
    mean, error = merge(moments([1.0, 2.0]), moments([1.0, math.inf])).estimate
    assert mean == math.inf
    assert math.isnan(error)


# Sweeps


@pytest.mark.parametrize("sampler", SAMPLERS.values(), ids=lambda sampler: sampler.name)
def test_a_sweep_is_the_mean_over_the_draws_of_its_blocks(sampler):
    draws = [
        measure(
            sampler,
            block_generator(21, Cell("max_weight", sampler.name, 8, 64), block),
            tokens=8,
            d_k=64,
            draws=100,
            statistics=SWEEP["statistics"],
        )
        for block in range(3)
    ]
    estimates = measure_blocks(sampler, blocks=3, **SWEEP)
    assert list(estimates) == [(scaling, name) for scaling in ("unscaled", "scaled") for name in SWEEP["statistics"]]
    for key, estimate in estimates.items():
        assert estimate == pytest.approx(estimate_mean(np.concatenate([block[key] for block in draws])), rel=1e-12)


def test_the_first_blocks_are_a_prefix_of_more_blocks():
    blocks = [block_moments(ROW, block, **SWEEP) for block in range(7)]
    for number in (1, 4, 7):
        merged = merge_blocks(blocks[:number])
        assert {key: total.estimate for key, total in merged.items()} == measure_blocks(ROW, blocks=number, **SWEEP)
    # A build that was interrupted after four goes on from what it has.
    assert merge_blocks([merge_blocks(blocks[:4]), *blocks[4:]]) == merge_blocks(blocks)


def test_more_blocks_lower_the_standard_error():
    few, many = (measure_blocks(ROW, blocks=blocks, **SWEEP) for blocks in (4, 64))
    for key in few:
        assert few[key].std_error / many[key].std_error == pytest.approx(4, rel=0.2)
        assert few[key].mean == pytest.approx(many[key].mean, abs=4 * few[key].std_error)


def test_two_threads_give_the_same_bytes_as_one():
    one = measure_blocks(ROW, blocks=9, **SWEEP)
    with ThreadPoolExecutor(2) as pool:
        assert measure_blocks(ROW, blocks=9, run=pool.map, **SWEEP) == one


def test_two_processes_give_the_same_bytes_as_one():
    one = measure_blocks(HEAD, blocks=4, **SWEEP)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert measure_blocks(HEAD, blocks=4, run=pool.map, **SWEEP) == one


def test_a_width_added_or_removed_changes_nothing_elsewhere():
    def sweep(widths):
        return {d_k: measure_blocks(ROW, blocks=2, **{**SWEEP, "d_k": d_k}) for d_k in widths}

    some, more = sweep([4, 64, 1024]), sweep([1024, 2**30, 4, 16, 64])
    assert {d_k: more[d_k] for d_k in some} == some


def test_a_statistic_added_changes_no_other():
    all_of_them = measure_blocks(ROW, blocks=2, **{**SWEEP, "statistics": ROW_STATISTICS})
    assert all_of_them.items() >= measure_blocks(ROW, blocks=2, **SWEEP).items()


@pytest.mark.parametrize("sampler", [ROW, HEAD], ids=lambda sampler: sampler.name)
@pytest.mark.parametrize("d_k", [1, 2**30])
@pytest.mark.parametrize("tokens", [1, 100])
def test_nothing_overflows_at_either_end(sampler, d_k, tokens):
    names = [name for name, statistic in STATISTICS.items() if statistic.reach in sampler.right_for]
    shape: dict[str, Any] = {"tokens": tokens, "d_k": d_k, "draws_per_block": 20, "statistics": names}
    with np.errstate(all="raise"):
        estimates = measure_blocks(sampler, blocks=2, **{**SWEEP, **shape})
    for (scaling, name), (mean, error) in estimates.items():
        if name != "jacobian_norm_ratio":
            assert math.isfinite(mean), (scaling, name)
            assert error >= 0


@pytest.mark.parametrize(("name", "value"), [("blocks", 0), ("tokens", 0), ("draws", 0)])
def test_numbers_below_one_are_refused_and_named(name, value):
    given: dict[str, Any] = {"blocks": 1, **SWEEP, ("draws_per_block" if name == "draws" else name): value}
    with pytest.raises(ValueError, match=f"^{name} is {value}; it must be at least 1"):
        measure_blocks(ROW, **given)


def test_what_a_sampler_is_not_right_for_is_refused():
    with pytest.raises(ValueError, match="row sampler is not right for score_std"):
        measure_blocks(ROW, blocks=1, **{**SWEEP, "statistics": ["score_std"]})
    measure_blocks(DENSE, blocks=1, **{**SWEEP, "statistics": ["score_std"]})
