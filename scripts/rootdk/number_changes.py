"""Which numbers moved between two states of the project, and whether chance explains it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from rootdk.change_sorts import Sort
from rootdk.numbers import Number

STANDARD_ERRORS = 3
"""How many combined standard errors chance may account for."""


@dataclass(frozen=True)
class NumberChange:
    """A number that is not what it was; without an old one it is new, without a new one it is gone."""

    table: str
    old: Number | None
    new: Number | None
    sort: Sort

    @property
    def name(self) -> str:
        """Its name, the new one if it has two."""
        number = self.new or self.old
        assert number is not None
        return number.name

    @property
    def difference(self) -> float:
        """New less old; NaN where there is only one."""
        return self.new.value - self.old.value if self.old and self.new else math.nan

    @property
    def in_errors(self) -> float:
        """The difference in combined standard errors; NaN where they are not known or 0."""
        error = combined_error(self.old, self.new) if self.old and self.new else math.nan
        return self.difference / error if error > 0 else math.nan

    @property
    def has_error(self) -> bool:
        """Whether the difference can be told in standard errors."""
        return not math.isnan(self.in_errors)

    @property
    def is_only_renamed(self) -> bool:
        """Whether nothing but the name is another."""
        if self.old is None or self.new is None:
            return False
        return self.old.name != self.new.name and _are_same(self.old, self.new)

    @property
    def weight(self) -> tuple[float, float]:
        """Largest first: by standard errors where there are some, then by the relative difference."""
        if not (self.old and self.new):
            return (0.0, 0.0)
        largest = max(abs(self.old.value), abs(self.new.value))
        relative = abs(self.difference) / largest if largest else 0.0
        return (abs(self.in_errors) if self.has_error else 0.0, relative)


def combined_error(old: Number, new: Number) -> float:
    """Return the standard error of the difference of two independent numbers; NaN if either one's is unknown."""
    return math.hypot(old.std_error, new.std_error)


def is_below_rounding(old: float, new: float) -> bool:
    """Return whether two values differ only by how a machine rounds.

    Tables carry ten significant digits, or, where means were subtracted, ten decimals; the last of them may differ by
    one.
    """
    if old == new or (math.isnan(old) and math.isnan(new)):
        return True
    if not (math.isfinite(old) and math.isfinite(new)):
        return False
    difference = abs(new - old)
    if difference <= 1e-9 * max(abs(old), abs(new)):
        return True
    return old == round(old, 10) and new == round(new, 10) and difference < 1.5e-10


def sort_of(old: Number, new: Number) -> Sort:
    """Return the sort of a number's change.

    Where one side has no standard error, or neither has a positive one, nothing says how far chance would go: each
    difference that is above rounding is real.
    """
    if is_below_rounding(old.value, new.value):
        return Sort.STYLE if is_below_rounding(old.std_error, new.std_error) else Sort.WITHIN
    return Sort.WITHIN if abs(new.value - old.value) <= STANDARD_ERRORS * combined_error(old, new) else Sort.REAL


def compare_numbers(
    old: Mapping[str, Mapping[str, Number]], new: Mapping[str, Mapping[str, Number]]
) -> list[NumberChange]:
    """Return every number that changed, in the order of the new tables, then those that are gone.

    Parameters
    ----------
    old, new : mapping of str to mapping of str to Number
        By table, then by name. A statistic that has another name and the same values in all its places was renamed,
        which is style only.
    """
    changes = []
    for table in [*new, *(table for table in old if table not in new)]:
        before, after = old.get(table, {}), new.get(table, {})
        renamed = _renamed(before, after)
        for name, number in after.items():
            earlier = before.get(name) or renamed.get(name)
            if earlier is None:
                changes.append(NumberChange(table, None, number, Sort.REAL))
            elif name != earlier.name or not _are_same(earlier, number):
                changes.append(NumberChange(table, earlier, number, sort_of(earlier, number)))
        kept = {number.name for number in renamed.values()}
        changes += [
            NumberChange(table, number, None, Sort.REAL)
            for name, number in before.items()
            if name not in after and name not in kept
        ]
    return changes


def statistic_of(name: str) -> tuple[str, str]:
    """Return what a number is a value of, and the rest of its name: its scaling and its place."""
    parts = name.split(".", 2)
    return ".".join(parts[:2]), ".".join(parts[2:])


def _are_same(old: Number, new: Number) -> bool:
    pairs = ((old.value, new.value), (old.std_error, new.std_error))
    return all(one == other or (math.isnan(one) and math.isnan(other)) for one, other in pairs)


def _renamed(before: Mapping[str, Number], after: Mapping[str, Number]) -> dict[str, Number]:
    """Return, by new name, the old numbers that go on under another one."""
    gone, come = (_by_statistic(one, other) for one, other in ((before, after), (after, before)))
    renamed: dict[str, Number] = {}
    for places in come.values():
        for statistic, earlier in gone.items():
            if earlier.keys() == places.keys() and all(_are_same(earlier[place], places[place]) for place in places):
                renamed |= {number.name: earlier[place] for place, number in places.items()}
                del gone[statistic]
                break
    return renamed


def _by_statistic(numbers: Mapping[str, Number], others: Mapping[str, Number]) -> dict[str, dict[str, Number]]:
    """Return the numbers that are not among the others, by statistic and place."""
    found: dict[str, dict[str, Number]] = {}
    for name, number in numbers.items():
        if name not in others:
            statistic, place = statistic_of(name)
            found.setdefault(statistic, {})[place] = number
    return found
