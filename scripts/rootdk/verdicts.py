"""Comparisons of numbers that know what chance can do: true, false, or undecided at this many draws."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from scipy.special import ndtr, stdtrit

from rootdk.numbers import Number, significant

State = Literal["true", "false", "undecided"]


class DoesNotApplyError(Exception):
    """There is nothing to compare, such as where a sweep has a single width."""


@dataclass(frozen=True)
class Verdict:
    """What a comparison comes to.

    Attributes
    ----------
    state : {"true", "false", "undecided"}
    reason : str
        The comparison that settles it, in words, or the first that does not.
    more : float
        How many times as many draws would decide it; NaN where it is decided, infinite where none would.
    draws : float
        Draws behind the numbers compared; NaN where unknown.
    """

    state: State
    reason: str
    more: float = math.nan
    draws: float = math.nan

    @property
    def draws_needed(self) -> float:
        """Return how many draws would decide it; NaN where that is not known."""
        return math.ceil(self.more * self.draws) if math.isfinite(self.more * self.draws) else math.nan


class Comparisons:
    """Comparisons with one tolerance.

    A number without a standard error, or a plain one, is taken as it stands. Two numbers with errors may come from the
    same draws and move together, so their errors are added, which is the most that the error of a difference can be. An
    error that itself comes from few draws is counted as more: the tolerance is then that of Student's law.

    Parameters
    ----------
    tolerance : float
        Standard errors that a difference must exceed to count as decided; above 0.
    """

    def __init__(self, tolerance: float) -> None:
        self._tolerance = tolerance

    def functions(self) -> dict[str, Callable[..., Verdict]]:
        """Return the comparisons by the names that a claim calls them."""
        return {
            name: getattr(self, name)
            for name in (
                "above",
                "below",
                "near",
                "consistent",
                "rising",
                "falling",
                "steady",
                "everywhere_above",
                "everywhere_near",
                "everywhere_consistent",
                "all_of",
                "any_of",
                "negation",
                "fact",
            )
        }

    def above(self, one: Number | float, other: Number | float, by: float = 0.0) -> Verdict:
        """Return whether one number is above another, by more than ``by``."""
        return self._order("above", one, other, by, _value(one) - _value(other) - by)

    def below(self, one: Number | float, other: Number | float, by: float = 0.0) -> Verdict:
        """Return whether one number is below another, by more than ``by``."""
        return self._order("below", one, other, by, _value(other) - _value(one) - by)

    def near(self, one: Number | float, other: Number | float, within: float) -> Verdict:
        """Return whether two numbers differ by at most ``within``."""
        if not within >= 0:
            raise ValueError(f"within is {within}; it must be at least 0")
        text = f"{_told(one)} is {{}} {_short(within)} of {_told(other)}"
        room = within - abs(_value(one) - _value(other))
        return self._decide(room, [one, other], text.format("within"), text.format("not within"), touching=True)

    def consistent(self, one: Number | float, other: Number | float) -> Verdict:
        """Return whether two numbers differ by no more than chance explains: the tolerance, in standard errors."""
        error = _error([one, other])
        if error == 0:
            raise DoesNotApplyError(f"{_told(one)} and {_told(other)} have no standard error to be consistent within")
        z = abs(_value(one) - _value(other)) / error
        holds = z <= self._tolerance_of([one, other])
        return Verdict("true" if holds else "false", f"{_told(one)} is {z:.1f} standard errors from {_told(other)}")

    def rising(self, series: Sequence[Number | float]) -> Verdict:
        """Return whether each number is above the one before."""
        return self._steps(series, self.above)

    def falling(self, series: Sequence[Number | float]) -> Verdict:
        """Return whether each number is below the one before."""
        return self._steps(series, self.below)

    def steady(self, series: Sequence[Number | float], within: float) -> Verdict:
        """Return whether the largest and the smallest of the numbers differ by at most ``within``."""
        if len(series) < 2:
            raise DoesNotApplyError("there are no two numbers that could differ")
        return self.near(max(series, key=_value), min(series, key=_value), within)

    def everywhere_above(
        self, ones: Sequence[Number | float], others: Sequence[Number | float], by: float = 0.0
    ) -> Verdict:
        """Return whether each number of one series is above its counterpart in another, by more than ``by``."""
        return self.all_of(self.above(one, other, by) for one, other in _pairs(ones, others))

    def everywhere_near(
        self, ones: Sequence[Number | float], others: Sequence[Number | float], within: float
    ) -> Verdict:
        """Return whether each number of one series differs from its counterpart in another by at most ``within``."""
        return self.all_of(self.near(one, other, within) for one, other in _pairs(ones, others))

    def everywhere_consistent(self, series: Sequence[Number | float], other: Number | float) -> Verdict:
        """Return whether each number of a series differs from one number by no more than chance explains."""
        return self.all_of(self.consistent(one, other) for one in series)

    def all_of(self, verdicts: Iterable[Verdict]) -> Verdict:
        """Return whether all hold: false if one is false, else undecided if one is."""
        return _combined(list(verdicts), ("false", "undecided", "true"))

    def any_of(self, verdicts: Iterable[Verdict]) -> Verdict:
        """Return whether at least one holds: true if one is, else undecided if one is."""
        return _combined(list(verdicts), ("true", "undecided", "false"))

    def negation(self, verdict: Verdict) -> Verdict:
        """Return the opposite."""
        opposite: dict[State, State] = {"true": "false", "false": "true", "undecided": "undecided"}
        return Verdict(opposite[verdict.state], verdict.reason, verdict.more, verdict.draws)

    def fact(self, holds: bool, told: str) -> Verdict:
        """Return a verdict on something without chance in it, told in words."""
        return Verdict("true" if holds else "false", told if holds else f"not so: {told}")

    def _steps(self, series: Sequence[Number | float], step: Callable[..., Verdict]) -> Verdict:
        if len(series) < 2:
            raise DoesNotApplyError("fewer than two numbers neither rise nor fall")
        return self.all_of(step(later, earlier) for earlier, later in pairwise(series))

    def _order(self, order: str, one: Number | float, other: Number | float, by: float, room: float) -> Verdict:
        text = f"{_told(one)} is {{}} {_told(other)}{f' by more than {_short(by)}' if by else ''}"
        return self._decide(room, [one, other], text.format(order), text.format(f"not {order}"))

    def _tolerance_of(self, numbers: Sequence[Number | float]) -> float:
        draws = _draws(numbers)
        return self._tolerance if math.isnan(draws) else float(stdtrit(draws - 1, ndtr(self._tolerance)))

    def _decide(
        self, room: float, numbers: Sequence[Number | float], yes: str, no: str, *, touching: bool = False
    ) -> Verdict:
        # How far a difference lies on the side of true, beside what chance may have moved it.
        error = _error(numbers)
        if math.isnan(room):
            raise DoesNotApplyError(f"there is no number in: {yes}")
        if error == 0:
            return Verdict("true", yes) if room > 0 or (touching and room == 0) else Verdict("false", no)
        tolerance = self._tolerance_of(numbers)
        if abs(room) > tolerance * error:
            return Verdict("true", yes) if room > 0 else Verdict("false", no)
        more = (tolerance * error / room) ** 2 if room else math.inf
        reason = f"{yes if room > 0 else no}, by {abs(room) / error:.1f} standard errors"
        return Verdict("undecided", reason, more, _draws(numbers))


def _pairs(
    ones: Sequence[Number | float], others: Sequence[Number | float]
) -> Iterable[tuple[Number | float, Number | float]]:
    if len(ones) != len(others):
        raise ValueError(f"one series has {len(ones)} numbers and the other {len(others)}")
    return zip(ones, others, strict=True)


def _combined(verdicts: list[Verdict], order: tuple[State, State, State]) -> Verdict:
    if not verdicts:
        raise DoesNotApplyError("there is nothing to compare")
    for state in order:
        found = [verdict for verdict in verdicts if verdict.state == state]
        if found and state == "undecided":
            return max(found, key=lambda verdict: verdict.more)
        if found:
            return found[0]
    raise AssertionError("a verdict has one of three states")


def _value(number: Number | float) -> float:
    return number.value if isinstance(number, Number) else float(number)


def _error(numbers: Iterable[Number | float]) -> float:
    errors = [number.std_error for number in numbers if isinstance(number, Number)]
    return sum(error for error in errors if error > 0)


def _draws(numbers: Iterable[Number | float]) -> float:
    """Return the fewest draws behind a number with an error; NaN where a table does not say."""
    counts = [number.draws for number in numbers if isinstance(number, Number) and number.std_error > 0]
    return min((count for count in counts if count >= 2), default=math.nan)


def _told(number: Number | float) -> str:
    if not isinstance(number, Number):
        return _short(float(number))
    error = f" ± {significant(number.std_error, 2)}" if number.std_error > 0 else ""
    return f"{number.name} = {significant(number.value, 5)}{error}"


def _short(value: float) -> str:
    return f"{value:g}".replace("-", "−")
