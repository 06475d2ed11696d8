"""How many digits numbers get where the config says so, instead of as many as their standard errors warrant."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rootdk.digit_rules import DIGITS_WITHOUT_ERROR, beginnings, nearest
from rootdk.numbers import Number


class DigitsError(Exception):
    """A rule for numbers that there are not; the message is for the config's author."""


def choose_digits(numbers: Mapping[str, Number], rules: Mapping[str, Any]) -> dict[str, Number]:
    """Return the numbers with the digits that the config asks for.

    Parameters
    ----------
    numbers : mapping of str to Number
        By name.
    rules : mapping
        ``numbers`` of the config: ``digits``, significant digits by the beginning of a name, of which the longest
        counts, and which touches whole numbers without an error only by their full names; and ``without_error``, those
        of numbers without a standard error. Both may be missing. Rules for experiments of which none of the numbers is
        are passed over.

    Raises
    ------
    DigitsError
        If a rule fits no number of its experiment.
    """
    digits = rules.get("digits", {})
    without_error = rules.get("without_error", DIGITS_WITHOUT_ERROR)
    if not digits and without_error == DIGITS_WITHOUT_ERROR:
        return dict(numbers)
    fitting = {name: _rule_of(name, digits) for name in numbers}
    experiments = {name.split(".")[0] for name in numbers}
    used = {beginning for name in numbers for beginning in beginnings(name)}
    for rule in digits:
        if rule not in used and rule.split(".")[0] in experiments:
            raise DigitsError(
                f"numbers.digits.{rule}: there is no number of that name or beginning; the nearest is "
                f"{nearest(rule, used)}."
            )
    return {
        name: replace(number, digits=_digits_of(number, fitting[name], digits), without_error=without_error)
        for name, number in numbers.items()
    }


def _digits_of(number: Number, rule: str | None, digits: Mapping[str, int]) -> int | None:
    """Return the digits that a rule gives; a rule for many leaves counts alone, since rounding makes them false."""
    is_count = math.isnan(number.std_error) and number.value == math.floor(number.value)
    return None if rule is None or (is_count and rule != number.name) else digits[rule]


def _rule_of(name: str, digits: Mapping[str, int]) -> str | None:
    return max((beginning for beginning in beginnings(name) if beginning in digits), key=len, default=None)
