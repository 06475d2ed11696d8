"""What is measured on random heads, by name, and whether it looks at single rows of scores or at the whole head."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np

from rootdk.attention import Floats
from rootdk.gradient import jacobian_norm, jacobian_trace, max_jacobian_diagonal
from rootdk.row_statistics import entropy, largest_weight, mean_square_score, normalized_entropy, score_spread
from rootdk.row_statistics import squared_weights as sum_of_squares
from rootdk.weight_sums import WeightSums

Reach = Literal["row", "head"]


@dataclass(frozen=True)
class RowStatistic:
    """A mean over rows of something that each row of scores has for itself.

    Attributes
    ----------
    of_rows : callable
        Takes scores and weights, both (heads, queries, keys), and returns (heads, queries): the definition.
    of_sums : callable
        The same from :class:`~rootdk.weight_sums.WeightSums`, shape (rows,).
    """

    of_rows: Callable[[Floats, Floats], Floats]
    of_sums: Callable[[WeightSums], Floats]
    reach: Reach = "row"


@dataclass(frozen=True)
class HeadStatistic:
    """Something that the scores of one head have together.

    Attributes
    ----------
    of_heads : callable
        Takes scores (heads, queries, keys) and returns (heads,).
    """

    of_heads: Callable[[Floats], Floats]
    reach: Reach = "head"


@dataclass(frozen=True)
class HeadRatio:
    """A head's mean of a row statistic over the same head's mean of it without division of the scores.

    Infinite where the latter is 0, and NaN where both are.

    Attributes
    ----------
    of : str
        The row statistic.
    """

    of: str
    reach: Reach = "head"


Statistic = RowStatistic | HeadStatistic | HeadRatio

STATISTICS: Mapping[str, Statistic] = MappingProxyType(
    {
        "mean_square_score": RowStatistic(
            lambda scores, weights: mean_square_score(scores), WeightSums.mean_square_score
        ),
        "max_weight": RowStatistic(lambda scores, weights: largest_weight(weights), WeightSums.max_weight),
        "squared_weights": RowStatistic(lambda scores, weights: sum_of_squares(weights), WeightSums.squared_weights),
        "entropy": RowStatistic(lambda scores, weights: entropy(weights), WeightSums.entropy),
        "normalized_entropy": RowStatistic(
            lambda scores, weights: normalized_entropy(weights), WeightSums.normalized_entropy
        ),
        "jacobian_trace": RowStatistic(lambda scores, weights: jacobian_trace(weights), WeightSums.jacobian_trace),
        "jacobian_norm": RowStatistic(lambda scores, weights: jacobian_norm(weights), WeightSums.jacobian_norm),
        "max_jacobian_diagonal": RowStatistic(
            lambda scores, weights: max_jacobian_diagonal(weights), WeightSums.max_jacobian_diagonal
        ),
        "score_std": HeadStatistic(score_spread),
        "jacobian_norm_ratio": HeadRatio("jacobian_norm"),
    }
)
"""Weights and their squares are fractions, entropy is in nats, what is said of Jacobians in weight per score.

``normalized_entropy`` is a fraction of ln n; ``score_std`` is the population standard deviation about the head's own
mean.
"""

ROW_STATISTICS = tuple(name for name, statistic in STATISTICS.items() if statistic.reach == "row")


def find_statistic(name: str) -> Statistic:
    """Return a statistic by its name.

    Raises
    ------
    ValueError
        If there is none of that name; the message lists all.
    """
    if name not in STATISTICS:
        raise ValueError(f"There is no statistic called {name!r}; there are {', '.join(STATISTICS)}.")
    return STATISTICS[name]


def head_ratio(divided: Floats, undivided: Floats) -> Floats:
    """Return the ratio of the means over the rows of each head; both are (heads, queries)."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        return divided.mean(axis=-1) / undivided.mean(axis=-1)
