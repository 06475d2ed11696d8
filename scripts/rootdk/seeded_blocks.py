"""Long sweeps in blocks, each with random numbers of its own, so that nothing depends on how the work is divided."""

import functools
import hashlib
import math
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rootdk.samplers import Sampler, measure
from rootdk.sampling_error import Estimate

DRAWS_PER_BLOCK = 16_384


class Cell(NamedTuple):
    """What has random numbers of its own: one shape of head in an experiment, drawn in one way."""

    experiment: str
    sampler: str
    tokens: int
    d_k: int

    @property
    def name(self) -> str:
        """The text that seeds the cell, such as ``"max_weight sampler=row tokens=8 d_k=64"``."""
        return f"{self.experiment} sampler={self.sampler} tokens={self.tokens} d_k={self.d_k}"


class Moments(NamedTuple):
    """How many draws there are, their mean, and the sum of their squared distances from it."""

    draws: int
    mean: float
    squares: float

    @property
    def estimate(self) -> Estimate:
        """The mean and its standard error, NaN for a single draw."""
        if self.draws < 2:
            return Estimate(self.mean, math.nan)
        return Estimate(self.mean, math.sqrt(self.squares / (self.draws - 1) / self.draws))


NO_DRAWS = Moments(0, 0.0, 0.0)


def moments(values: ArrayLike) -> Moments:
    """Return the moments of at least one number."""
    numbers = np.asarray(values, dtype=np.float64)
    # A ratio to something that underflowed is infinite; its mean then is, too, and has no standard error.
    with np.errstate(under="ignore", over="ignore", invalid="ignore"):
        mean = numbers.mean()
        apart = numbers - mean
        apart *= apart
        return Moments(numbers.size, float(mean), float(apart.sum()))


def merge(first: Moments, second: Moments) -> Moments:
    """Return the moments of both samples together.

    Notes
    -----
    Chan, Golub and LeVeque, The American Statistician 37 (1983) 242: no large sums of squares are subtracted.
    """
    if not first.draws:
        return second
    draws = first.draws + second.draws
    apart = second.mean - first.mean
    mean = first.mean + apart * (second.draws / draws)
    return Moments(draws, mean, first.squares + second.squares + apart * apart * (first.draws * second.draws / draws))


def block_generator(seed: int, cell: Cell, block: int) -> np.random.Generator:
    """Return the generator of one block.

    Parameters
    ----------
    seed : int
        The experiment's; at least 0.
    cell : Cell
    block : int
        Counted from 0.

    Returns
    -------
    numpy.random.Generator
        ``np.random.default_rng(np.random.SeedSequence(entropy=seed, spawn_key=(*words, block)))``, where ``words`` are
        the eight big-endian 32-bit words of the SHA-256 of the cell's name in UTF-8.

    Raises
    ------
    ValueError
        If the seed or the block is below 0.
    """
    if seed < 0:
        raise ValueError(f"seed is {seed}; it must be at least 0.")
    if block < 0:
        raise ValueError(f"block is {block}; blocks are counted from 0.")
    words = struct.unpack(">8I", hashlib.sha256(cell.name.encode()).digest())
    return np.random.default_rng(np.random.SeedSequence(entropy=seed, spawn_key=(*words, block)))


def block_moments(
    sampler: Sampler,
    block: int,
    *,
    seed: int,
    experiment: str,
    tokens: int,
    d_k: int,
    statistics: Sequence[str],
    draws_per_block: int = DRAWS_PER_BLOCK,
    divisors: Mapping[str, float] | None = None,
) -> dict[tuple[str, str], Moments]:
    """Return the moments of each statistic over the draws of one block.

    Parameters and errors are those of :func:`measure_blocks`.
    """
    rng = block_generator(seed, Cell(experiment, sampler.name, tokens, d_k), block)
    measured = measure(
        sampler, rng, tokens=tokens, d_k=d_k, draws=draws_per_block, statistics=statistics, divisors=divisors
    )
    return {key: moments(values) for key, values in measured.items()}


def merge_blocks(blocks: Iterable[Mapping[tuple[str, str], Moments]]) -> dict[tuple[str, str], Moments]:
    """Return the moments over all blocks, merged one after the other in the order given.

    Another order would change the last digits. The result for the first B blocks is the one that the others are merged
    into.
    """
    merged: dict[tuple[str, str], Moments] = {}
    for block in blocks:
        merged = {key: merge(merged.get(key, NO_DRAWS), values) for key, values in block.items()}
    return merged


def measure_blocks(
    sampler: Sampler,
    *,
    seed: int,
    experiment: str,
    tokens: int,
    d_k: int,
    blocks: int,
    statistics: Sequence[str],
    draws_per_block: int = DRAWS_PER_BLOCK,
    divisors: Mapping[str, float] | None = None,
    run: Callable[..., Iterator] = map,
) -> dict[tuple[str, str], Estimate]:
    """Return the mean of each statistic over many draws with its standard error.

    Parameters
    ----------
    sampler : Sampler
    seed : int
        The experiment's; at least 0.
    experiment : str
        Its name, by which other experiments with the same seed get other numbers.
    tokens, d_k : int
        Positions n and head width; at least 1.
    blocks : int
        At least 1. More of them leave the first as they are and lower the standard error.
    statistics : sequence of str
        As for :func:`rootdk.samplers.measure`. They do not change what is drawn.
    draws_per_block : int, optional
        Rows of the row sampler, heads of the others; at least 1. Another number is another experiment.
    divisors : mapping of str to float, optional
        As for :func:`rootdk.samplers.measure`.
    run : callable, optional
        Called as the built-in ``map`` with a picklable function and the blocks' numbers; ``map`` of a
        ``concurrent.futures`` executor takes more cores. The result is the same to the bit.

    Returns
    -------
    dict
        ``(scaling, statistic)`` to its estimate.

    Raises
    ------
    ValueError
        If a number is out of range or the sampler is not right for a statistic.
    """
    if blocks < 1:
        raise ValueError(f"blocks is {blocks}; it must be at least 1.")
    one_block = functools.partial(
        block_moments,
        sampler,
        seed=seed,
        experiment=experiment,
        tokens=tokens,
        d_k=d_k,
        statistics=tuple(statistics),
        draws_per_block=draws_per_block,
        divisors=divisors,
    )
    return {key: total.estimate for key, total in merge_blocks(run(one_block, range(blocks))).items()}
