"""Three ways to draw the scores of random heads and measure them: two cost the same at every head width.

Queries and keys are standard normal throughout. A statistic is a mean over rows, or something of a whole head
(:mod:`rootdk.attention_statistics`); each sampler says which it is right for and refuses the others.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import numpy as np

from rootdk.allocation import keep_freed_memory
from rootdk.attention import Floats, scale_factor, softmax
from rootdk.attention_statistics import (
    STATISTICS,
    HeadRatio,
    HeadStatistic,
    Reach,
    RowStatistic,
    Statistic,
    find_statistic,
    head_ratio,
)
from rootdk.dense_heads import draw_scores
from rootdk.head_shape import check_shape
from rootdk.triangular_heads import draw_triangular_scores
from rootdk.unit_rows import draw_unit_rows
from rootdk.weight_sums import ScoreRows, WeightSums

SCALINGS = ("unscaled", "scaled")


class Batch(Protocol):
    """Some draws."""

    def of_rows(self, statistic: RowStatistic, divisor: float) -> Floats:
        """Return the statistic of every row, (draws, rows of a draw), where scores are divided by the divisor."""

    def of_heads(self, statistic: HeadStatistic, divisor: float) -> Floats:
        """Return the statistic of every head, (draws,), where scores are divided by the divisor."""


@dataclass(frozen=True)
class Sampler:
    """A way to draw scores.

    Attributes
    ----------
    name : str
    draw : {"row", "head"}
        What one draw is. Draws are independent, so a standard error counts them.
    right_for : tuple of {"row", "head"}
        The statistics that its draws have the distribution of: ``"row"`` for means over rows, ``"head"`` for what
        looks at several rows of one head.
    batches : callable
        Takes a generator, tokens, d_k and draws, and yields the draws in batches of a size that suits the cache.
    """

    name: str
    draw: Reach
    right_for: tuple[Reach, ...]
    batches: Callable[[np.random.Generator, int, int, int], Iterator[Batch]]

    def check(self, statistics: Sequence[str]) -> dict[str, Statistic]:
        """Return the statistics by name.

        Raises
        ------
        ValueError
            If there is no such statistic, or the sampler is not right for it; the message names both.
        """
        found = {name: find_statistic(name) for name in statistics}
        for name, statistic in found.items():
            if statistic.reach not in self.right_for:
                raise ValueError(
                    f"The {self.name} sampler is not right for {name}, which looks at several rows of one head, and "
                    f"its rows belong to no head. It is right for means over rows; take the head or the dense sampler."
                )
        return found


class _SummedBatch:
    """Rows (tokens, queries, heads) of scores, keys along axis 0, measured by their sums."""

    def __init__(self, scores: Floats, factors: Floats | float = 1.0) -> None:
        self._scores = scores
        self._rows = ScoreRows(scores.reshape(len(scores), -1), factors)
        self._sums: dict[float, WeightSums] = {}

    def of_rows(self, statistic: RowStatistic, divisor: float) -> Floats:
        if divisor not in self._sums:
            self._sums[divisor] = WeightSums(self._rows, divisor)
        # In C order, as below: otherwise numpy adds in an order that depends on the number of heads.
        return np.ascontiguousarray(statistic.of_sums(self._sums[divisor]).reshape(self._scores.shape[1:]).T)

    def of_heads(self, statistic: HeadStatistic, divisor: float) -> Floats:
        return statistic.of_heads(np.divide(self._scores.transpose(2, 1, 0), divisor, order="C"))


class _DenseBatch:
    """Heads of scores (heads, queries, keys), measured by the definitions."""

    def __init__(self, scores: Floats) -> None:
        self._scores = scores
        self._divided: dict[float, tuple[Floats, Floats]] = {}

    def of_rows(self, statistic: RowStatistic, divisor: float) -> Floats:
        if divisor not in self._divided:
            divided = self._scores / divisor
            self._divided[divisor] = divided, softmax(divided)
        return statistic.of_rows(*self._divided[divisor])

    def of_heads(self, statistic: HeadStatistic, divisor: float) -> Floats:
        return statistic.of_heads(self._scores / divisor)


def _row_batches(rng: np.random.Generator, tokens: int, d_k: int, draws: int) -> Iterator[Batch]:
    for unit_scores, query_norms in draw_unit_rows(rng, tokens=tokens, d_k=d_k, draws=draws):
        yield _SummedBatch(unit_scores[:, None], query_norms)


def _head_batches(rng: np.random.Generator, tokens: int, d_k: int, draws: int) -> Iterator[Batch]:
    for scores in draw_triangular_scores(rng, tokens=tokens, d_k=d_k, draws=draws):
        yield _SummedBatch(scores)


def _dense_batches(rng: np.random.Generator, tokens: int, d_k: int, draws: int) -> Iterator[Batch]:
    for scores in draw_scores(rng, tokens=tokens, d_k=d_k, draws=draws):
        yield _DenseBatch(scores)


ROW = Sampler("row", "row", ("row",), _row_batches)
"""Rows without their heads: one chi-square number and n normals each (:mod:`rootdk.unit_rows`).

Right for every mean over rows. Draws are rows.
"""

HEAD = Sampler("head", "head", ("row", "head"), _head_batches)
"""Whole heads from at most n² + n(n + 1)/2 numbers, whatever their width (:mod:`rootdk.triangular_heads`).

Right for everything. Draws are heads.
"""

DENSE = Sampler("dense", "head", ("row", "head"), _dense_batches)
"""Q and K entry by entry, in the published stream (:mod:`rootdk.dense_heads`), measured by definition.

Right for everything, and what the others are tested against. Takes time in proportion to d_k. Draws are heads.
"""

SAMPLERS: Mapping[str, Sampler] = MappingProxyType({sampler.name: sampler for sampler in (ROW, HEAD, DENSE)})


def measure(
    sampler: Sampler,
    rng: np.random.Generator,
    *,
    tokens: int,
    d_k: int,
    draws: int,
    statistics: Sequence[str],
    divisors: Mapping[str, float] | None = None,
) -> dict[tuple[str, str], Floats]:
    """Return statistics of independent draws, without and with the division by sqrt(d_k).

    Parameters
    ----------
    sampler : Sampler
        :data:`ROW`, :data:`HEAD` or :data:`DENSE`.
    rng : numpy.random.Generator
        The same numbers are drawn from it whatever the statistics and divisors.
    tokens : int
        Positions n; at least 1.
    d_k : int
        Head width; at least 1.
    draws : int
        Rows of the row sampler, heads of the others; at least 1.
    statistics : sequence of str
        Names in :data:`rootdk.attention_statistics.STATISTICS`.
    divisors : mapping of str to float, optional
        What the scores are divided by, by scaling; above 0. By default 1 for ``"unscaled"``, sqrt(d_k) for
        ``"scaled"``.

    Returns
    -------
    dict
        ``(scaling, statistic)`` to an array of shape (draws,): the statistic of the row, or of the head, where row
        statistics are averaged over its rows. Scalings change slowest.

    Raises
    ------
    ValueError
        If a number is out of range or the sampler is not right for a statistic.
    """
    check_shape(tokens=tokens, d_k=d_k, draws=draws)
    found = sampler.check(statistics)
    batches = sampler.batches(rng, tokens, d_k, draws)
    return _collect(batches, found, default_divisors(d_k) if divisors is None else divisors, draws, _of_draws)


def measure_rows(
    sampler: Sampler,
    rng: np.random.Generator,
    *,
    tokens: int,
    d_k: int,
    draws: int,
    statistics: Sequence[str],
    divisors: Mapping[str, float] | None = None,
) -> dict[tuple[str, str], Floats]:
    """Return row statistics of every row of each draw.

    Parameters and errors are those of :func:`measure`; a statistic of whole heads is an error too.

    Returns
    -------
    dict
        ``(scaling, statistic)`` to an array of shape (draws, rows of a draw): one row for the row sampler, n for the
        others. The rows of a head share its keys and are not independent.
    """
    check_shape(tokens=tokens, d_k=d_k, draws=draws)
    found = sampler.check(statistics)
    for name, statistic in found.items():
        if not isinstance(statistic, RowStatistic):
            raise ValueError(f"{name} is a statistic of whole heads and has no value for each row; measure takes it.")
    batches = sampler.batches(rng, tokens, d_k, draws)
    return _collect(batches, found, default_divisors(d_k) if divisors is None else divisors, draws, _of_rows)


def default_divisors(d_k: int) -> dict[str, float]:
    """Return what scores are divided by: 1 for ``"unscaled"``, sqrt(d_k) for ``"scaled"``.

    Raises
    ------
    ValueError
        If ``d_k`` is below 1.
    """
    return dict(zip(SCALINGS, (1.0, scale_factor(d_k)), strict=True))


def _collect(
    batches: Iterator[Batch],
    statistics: Mapping[str, Statistic],
    divisors: Mapping[str, float],
    draws: int,
    value: Callable[[Batch, Statistic, float], Floats],
) -> dict[tuple[str, str], Floats]:
    if not statistics or not divisors:
        raise ValueError("There is nothing to measure: at least one statistic and one divisor are needed.")
    for scaling, divisor in divisors.items():
        if not (divisor > 0 and math.isfinite(divisor)):
            raise ValueError(f"The divisor of the scaling {scaling!r} is {divisor}; it must be above 0 and finite.")
    keep_freed_memory()
    measured: dict[tuple[str, str], Floats] = {}
    start = 0
    for batch in batches:
        with np.errstate(under="ignore"):  # weights of saturated rows are 0, as they should be
            for scaling, divisor in divisors.items():
                for name, statistic in statistics.items():
                    values = value(batch, statistic, divisor)
                    if not start:
                        measured[scaling, name] = np.empty((draws, *values.shape[1:]))
                    measured[scaling, name][start : start + len(values)] = values
        start += len(values)
    return measured


def _of_draws(batch: Batch, statistic: Statistic, divisor: float) -> Floats:
    if isinstance(statistic, HeadStatistic):
        return batch.of_heads(statistic, divisor)
    if isinstance(statistic, HeadRatio):
        return head_ratio(*(_of_rows(batch, STATISTICS[statistic.of], each) for each in (divisor, 1.0)))
    rows = _of_rows(batch, statistic, divisor)
    return rows[:, 0] if rows.shape[1] == 1 else rows.mean(axis=-1)


def _of_rows(batch: Batch, statistic: Statistic, divisor: float) -> Floats:
    assert isinstance(statistic, RowStatistic)
    return batch.of_rows(statistic, divisor)
