"""How templates write numbers: the filters and tests that they may use."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from rootdk import numbers
from rootdk.numbers import Number
from rootdk.yaml_source import describe


class _Value(float):
    """The value of a number, which still knows how many digits the config asks for; sums and ratios of it do not."""

    digits: int | None = None


def _counted(number: Number | float, one: str, many: str = "") -> str:
    count = int(_value(number))
    return f"{count} {one if count == 1 else many or one + 's'}"


def _value(number: Number | float) -> float:
    if not isinstance(number, Number):
        return number if isinstance(number, _Value) else float(number)
    value = _Value(number.value)
    value.digits = number.digits
    return value


def _digits(number: Number | float) -> int | None:
    """Return how many significant digits the config asks for, which goes before what a template asks for."""
    return number.digits if isinstance(number, Number | _Value) else None


def _percent(number: Number | float, places: int = 0) -> str:
    digits, share = _digits(number), 100 * _value(number)
    return f"{numbers.decimals(share, places) if digits is None else numbers.significant(share, digits)} %"


def _decimals(number: Number | float, places: int) -> str:
    digits = _digits(number)
    value = _value(number)
    return numbers.decimals(value, places) if digits is None else numbers.significant(value, digits)


def _significant(number: Number | float, digits: int) -> str:
    return numbers.significant(_value(number), _digits(number) or digits)


def _plain(number: Number | float, digits: int) -> str:
    return numbers.plain(_value(number), _digits(number) or digits)


def _math(number: Number | float, digits: int) -> str:
    return numbers.in_math(_value(number), _digits(number) or digits)


def _with_error(number: Number, places: int | None = None) -> str:
    if not isinstance(number, Number):
        raise ValueError(f"with_error takes a number from n(), not {describe(number)}")
    if not number.std_error >= 0:
        raise ValueError(f"{number.name} has no standard error")
    if places is None or number.digits is not None:
        return " ± ".join(numbers.with_error(number))
    return f"{numbers.decimals(number.value, places)} ± {numbers.decimals(number.std_error, places)}"


def _rising(series: Sequence[Number]) -> bool:
    return len(series) > 1 and all(one.value < other.value for one, other in pairwise(series))


def _falling(series: Sequence[Number]) -> bool:
    return _rising(series[::-1])


def _listed(items: list[Any], last: str = "and") -> str:
    texts = [str(item) for item in items]
    if not texts:
        raise ValueError("there is nothing to list")
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {last} {texts[-1]}"


FILTERS: dict[str, Callable[..., Any]] = {
    "value": _value,
    "decimals": _decimals,
    "significant": _significant,
    "plain": _plain,
    "math": _math,
    "percent": _percent,
    "with_error": _with_error,
    "counted": _counted,
    "listed": _listed,
}

TESTS: Mapping[str, Callable[[Sequence[Number]], bool]] = {"rising": _rising, "falling": _falling}
