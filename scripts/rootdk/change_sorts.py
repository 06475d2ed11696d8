"""The three sorts of change, from the least to the gravest."""

from collections.abc import Iterable
from enum import IntEnum


class Sort(IntEnum):
    """What a change means to a reader; of several changes the gravest counts."""

    STYLE = 1
    """The same data, told or drawn otherwise."""
    WITHIN = 2
    """Other data, no further off than chance would put them."""
    REAL = 3
    """Other data, further off than chance, or data without chance in them."""

    def __str__(self) -> str:
        """Return the sort in words."""
        return {Sort.STYLE: "style only", Sort.WITHIN: "within sampling error", Sort.REAL: "real"}[self]


def gravest(sorts: Iterable[Sort], otherwise: Sort = Sort.STYLE) -> Sort:
    """Return the gravest of some sorts, or another one if there are none."""
    return max(sorts, default=otherwise)
