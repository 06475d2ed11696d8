"""Numbers as people write them: with decimals, per cent, powers of ten, thousands separators, and ± errors."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

SUPERSCRIPTS = str.maketrans("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹", "-+0123456789")
NUMBER = re.compile(
    r"""
    (?<![\w.,/^_&\#@])
    (?P<sign>[-−])?
    (?P<mantissa>[1-9]\d{0,2}(?:(?:[,\u202f\u2009]|\\,|\{,\})\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
    (?:e(?P<e>[-+−]?\d+)|\s*(?:\\cdot|\\times|[·×])\s*10(?:\^\{?(?P<power>[-−]?\d+)\}?|(?P<raised>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)))?
    (?:\((?P<last>\d{1,3})\)|[\s$]*(?:±|\\pm|\\textpm(?:\{\})?|\+/-)[\s$]*(?P<error>\d+(?:\.\d+)?|\.\d+))?
    (?P<percent>\$?(?:\\,|[\s~\u202f])*(?:\\?%|per\s?cent\b))?
    (?!\w|[.,]\d|\^|/\d|\\,\d|\{,\}\d)
    """,
    re.VERBOSE,
)
DATE = re.compile(r"\b\d{4}-\d\d(?:-\d\d)?\b|\b\d{1,2}:\d\d\b")
NUMBERED = re.compile(
    r"(?:\b(?:figures?|figs?|tables?|sections?|secs?|chapters?|parts?|equations?|eqs?|pages?|pp?|appendix|version|step|no|"
    r"theorem|lemma|exercise|question|volume|vol|issue|python|numpy|pytorch|cuda)\b\.?|§)[\s~(]*(?:[\d.]+(?:,|\s+and|\s+or|[-–])\s*)*\Z",
    re.IGNORECASE,
)
ANOTHER_UNIT = re.compile(
    r"\$?(?:\\,|[\s~\u202f-])*(?:[munµ]?s|ms|seconds?|minutes?|min|hours?|h|days?|weeks?|months?|years?|[kMGT]i?B|bytes?|bits?|"
    r"[kMG]?Hz|[kcm]?m|nm|km|pt|inch(?:es)?|dpi|pixels?|px|degrees?|euros?|dollars?|kg|[kMG]?W|FLOPs?|[€£°])(?![\w])"
)


@dataclass(frozen=True)
class WrittenNumber:
    """A number in a text."""

    start: int
    text: str
    value: float
    unit: float
    """Of its last digit."""
    digits: int
    """Significant ones; those of a whole number end before its last zeros."""
    is_whole: bool
    """Without decimals, power of ten and per cent sign."""
    is_percent: bool
    is_round: bool
    """One digit and zeros, such as 1.00 or 0.50."""
    error: float = math.nan
    """Behind ±; NaN if there is none."""

    @property
    def has_pair(self) -> bool:
        """Whether an error stands behind it."""
        return not math.isnan(self.error)

    def equals(self, value: float) -> bool:
        """Return whether a value would be written like this."""
        return abs(value - self.value) <= self.unit / 2 * (1 + 1e-9)

    def has_error(self, std_error: float) -> bool:
        """Return whether a standard error would be written like the one behind ±."""
        return abs(std_error - self.error) <= self.unit / 2 * (1 + 1e-9)


def written_numbers(prose: str) -> Iterator[WrittenNumber]:
    """Yield the numbers of a text, but not those that count figures or pages, date, or measure in other units."""
    prose = DATE.sub(lambda date: " " * len(date[0]), prose)
    for found in NUMBER.finditer(prose):
        before = prose[max(0, found.start() - 40) : found.start()]
        if re.search(r"[A-Za-z][-−–]\Z|[\^_]\{[-−]?\Z", before) or NUMBERED.search(before):
            continue
        if not found["percent"] and ANOTHER_UNIT.match(prose, found.end()):
            continue
        yield _number(found)


def _number(found: re.Match[str]) -> WrittenNumber:
    mantissa = re.sub(r"[^\d.]", "", found["mantissa"])
    raised = (found["raised"] or "").translate(SUPERSCRIPTS)
    power = int((found["e"] or found["power"] or raised or "0").replace("−", "-"))
    _, _, fraction = mantissa.partition(".")
    scale = 10.0**power / (100 if found["percent"] else 1)
    unit = 10.0 ** -len(fraction) * scale
    figures = mantissa.replace(".", "").lstrip("0")
    error = math.nan
    if found["error"]:
        error = float(found["error"]) * scale
    elif found["last"]:
        error = int(found["last"]) * unit
    has_decimals = "." in mantissa
    return WrittenNumber(
        found.start(),
        found[0].strip(),
        float(mantissa) * scale * (-1 if found["sign"] else 1),
        unit,
        len(figures if has_decimals else figures.rstrip("0")),
        is_whole=not has_decimals and power == 0 and not found["percent"],
        is_percent=bool(found["percent"]),
        is_round=len(figures.strip("0")) <= 1,
        error=error,
    )
