"""What is wrong with the numbers in a chapter: typed by hand, other than ours, or asked for by a wrong name."""

import bisect
import difflib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any, NamedTuple

from rootdk.digit_rules import nearest
from rootdk.number_keys import variable_keys
from rootdk.prose_context import Context, Known, Match, Vocabulary, width_places
from rootdk.prose_text import (
    PASSED,
    QUARTO,
    Passage,
    Quotation,
    cells,
    is_latex,
    line_and_column,
    passages,
    prose_of,
    quotations,
    without_quotations,
)
from rootdk.written_numbers import WrittenNumber, written_numbers

ENOUGH_DIGITS = 3
"""Significant digits from which on an equal number is hardly one by chance."""
A_SYMBOL = re.compile(r"\$?[A-Za-z]\$?")  # such as z: what such a column holds is none of our statistics
EXACT = "exact_"  # in front of a statistic: its expectation
FEWEST_DIGITS = 2
"""Significant digits that a number needs to be looked at, whatever stands around it."""
SMALLEST_WHOLE = 100
"""Below it whole numbers are counted, and the like of them stand everywhere: tokens, widths, sections."""
LIKE_A_KEY = 0.85
"""How much a substitution must be like a number's key to be taken for one with a slip in it."""


class Finding(NamedTuple):
    """Something to mend, at a line and a column counted from 1."""

    line: int
    column: int
    message: str


def known_numbers(listed: Mapping[str, Mapping[str, Any]]) -> dict[str, Known]:
    """Return the content of ``data/numbers.json`` by name.

    Raises
    ------
    KeyError, TypeError, ValueError, AttributeError
        If it is something else.
    """
    keys = variable_keys(listed)
    return {
        name: Known(
            name,
            keys[name],
            number["text"],
            number.get("with_error", ""),
            float(number["value"]),
            math.nan if number["std_error"] is None else float(number["std_error"]),
            number["statistic"],
            number.get("scaling", ""),
            dict(part.split("=", 1) for part in number.get("where", "").split(";") if "=" in part),
            is_observation=number["table"] == f"data/{number['experiment']}.csv" and number["column"] != "mean",
        )
        for name, number in listed.items()
    }


def read_listed(text: str) -> dict[str, Known]:
    """Return the numbers in the text of ``data/numbers.json``.

    Raises
    ------
    ValueError
        If it is not such a text.
    """
    try:
        return known_numbers(json.loads(text))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"it is not a list of numbers: {error}") from None


def check_chapter(text: str, name: str, known: Mapping[str, Known], vocabulary: Vocabulary) -> list[Finding]:
    """Return everything in a chapter that should be mended, in its order.

    Parameters
    ----------
    text : str
        The chapter.
    name : str
        Of its file; the ending says whether it is LaTeX, Quarto or another Markdown.
    known : mapping of str to Known
        The numbers of the build by name.
    vocabulary : Vocabulary

    Returns
    -------
    list of Finding

    Notes
    -----
    A number is taken for one of ours if it is equal at the precision at which it is written, and

    - the error behind its ± is equal as well, or
    - it has decimals and three significant digits or more, not all but one of them zeros, and either the number has a
      standard error or the paragraph speaks of its statistic, or
    - it has two, and the sentence speaks of its statistic, of its scaling if it has one, and of its head width and all
      other places. Whole numbers need this as well, and none is looked at below 100.

    It contradicts ours if the sentence speaks of all this, the number is of the same size, and it equals none of those
    that the sentence could mean. Sentences with more numbers than that are left alone.
    """
    ending = PurePath(name).suffix.lower()
    prose = prose_of(text, ending)
    passed = {number for number, line in enumerate(text.split("\n"), start=1) if PASSED in line}
    found = [(one.start, problem) for one in quotations(prose, ending) if (problem := _wrong_name(one, known))]
    checker = _Checker(known, vocabulary, ending)
    for passage in passages(without_quotations(prose)):
        found += checker.findings(passage)
    findings = (Finding(*line_and_column(text, place), message) for place, message in sorted(found))
    return [finding for finding in findings if finding.line not in passed]


def _wrong_name(one: Quotation, known: Mapping[str, Known]) -> str:
    if not one.is_key:
        number = known.get(one.name)
        if number is None:
            return f"{one.text}: there is no number of that name; the nearest is {nearest(one.name, known)}."
        if one.form in ("pm", "error") and math.isnan(number.std_error):
            return rf"{one.text}: this number has no standard error; write \rootdk{{{one.name}}}."
        return ""
    keys = {number.key: number for number in known.values()}
    with_error = {
        number.key + ending for number in known.values() if number.std_error > 0 for ending in ("_pm", "_error")
    }
    if one.name in keys or one.name in with_error:
        return ""
    base = one.name.removesuffix("_pm").removesuffix("_error")
    if base in keys:
        return f"{one.text}: this number has no standard error; its key is {base}."
    experiments = {number.name.split(".")[0] for number in known.values()}
    close = difflib.get_close_matches(one.name, [*keys, *with_error], n=1, cutoff=LIKE_A_KEY)
    if not close and not any(one.name.startswith(f"{experiment}_") for experiment in experiments):
        return ""  # the author's own
    close = close or difflib.get_close_matches(one.name, [*keys], n=1, cutoff=0)
    return f"{one.text}: there is no number with that key; the nearest is {close[0]}."


class _Checker:
    def __init__(self, known: Mapping[str, Known], vocabulary: Vocabulary, ending: str) -> None:
        self._sorted = sorted(known.values(), key=lambda number: number.value)
        self._values = [number.value for number in self._sorted]
        self._candidates = [number for number in known.values() if number.where and not number.is_observation]
        self._vocabulary = vocabulary
        self._ending = ending

    def findings(self, passage: Passage) -> Iterator[tuple[int, str]]:
        widths = list(width_places(passage))
        by_column: dict[int | None, list[WrittenNumber]] = {}
        for written in written_numbers(passage.text):
            if not any(passage.start + written.start in place for place in widths):
                column = _column(passage, written)
                if column is None or not A_SYMBOL.fullmatch(_heading(passage, column)):
                    by_column.setdefault(column, []).append(written)
        for column, numbers in by_column.items():
            context = Context(passage, self._vocabulary, column)
            meant: list[tuple[Known, Match]] | None = None
            for written in numbers:
                message = self._equal(written, context)
                if not message and not written.is_whole and written.digits >= FEWEST_DIGITS:
                    meant = self._meant(context) if meant is None else meant
                    measured = sum(not other.is_whole and other.digits >= FEWEST_DIGITS for other in numbers)
                    message = self._other(written, meant) if measured <= _kinds(meant) else ""
                if message:
                    yield passage.start + written.start, message

    def _equal(self, written: WrittenNumber, context: Context) -> str:
        if written.digits < (1 if written.has_pair else FEWEST_DIGITS):
            return ""
        matches = [(number, context.match(number)) for number in self._equal_numbers(written)]
        matches = [pair for pair in matches if _is_recognised(written, *pair)]
        if not matches:
            return ""
        best = max(match.score for _, match in matches)
        tied = [(number, match) for number, match in matches if match.score == best]
        (number, match), *others = sorted(tied, key=lambda pair: _plainness(pair[0]))
        also = f", or {_listed(other.name for other, _ in others[:2])}" if others else ""
        digits = "value and error" if written.has_pair else "its digits"
        return (
            f"{written.text} is {number.name} ({number.with_error or number.text}){also}, typed by hand; "
            f"write {self._quoted(number, written)}. Matched by {_listed([digits, *match.reasons])}."
        )

    def _meant(self, context: Context) -> list[tuple[Known, Match]]:
        """Return the numbers that a passage can only mean: it has their statistics, scalings and places."""
        matches = ((number, context.match(number)) for number in self._candidates)
        return [(number, match) for number, match in matches if _is_meant(match)]

    def _other(self, written: WrittenNumber, meant: list[tuple[Known, Match]]) -> str:
        if any(
            written.equals(number.std_error)
            or (written.equals(number.value) and (not written.has_pair or written.has_error(number.std_error)))
            for number, _ in meant
        ):
            return ""
        statistics = {(number.statistic, number.scaling, number.where.get("d_k")) for number, _ in meant}
        if any(
            number.statistic.startswith(EXACT)
            and (number.statistic.removeprefix(EXACT), number.scaling, number.where.get("d_k")) in statistics
            for number in self._equal_numbers(written)
        ):
            return ""
        alike = [(number, match) for number, match in meant if _same_size(written.value, number.value)]
        if not alike:
            return ""
        best = max((written.equals(number.value), match.score) for number, match in alike)
        tied = [(number, match) for number, match in alike if (written.equals(number.value), match.score) == best]
        number, match = min(tied, key=lambda pair: _plainness(pair[0]))
        return (
            f"{written.text} contradicts {number.name}, which is {number.with_error or number.text}; "
            f"write {self._quoted(number, written)}. Matched by {_listed(match.reasons)}."
        )

    def _equal_numbers(self, written: WrittenNumber) -> list[Known]:
        half = written.unit / 2 * (1 + 1e-9)
        start = bisect.bisect_left(self._values, written.value - half)
        end = bisect.bisect_right(self._values, written.value + half)
        return self._sorted[start:end]

    def _quoted(self, number: Known, written: WrittenNumber) -> str:
        with_error = written.has_pair and number.std_error > 0
        if is_latex(self._ending):
            text = rf"\rootdk{'pm' if with_error else ''}{{{number.name}}}"
        else:
            key = number.key + ("_pm" if with_error else "")
            text = f"{{{{< var {key} >}}}}" if self._ending in QUARTO else f"{{{{ {key} }}}}"
        return f"{text}, as a share of 1" if written.is_percent else text


def _is_recognised(written: WrittenNumber, number: Known, match: Match) -> bool:
    if written.has_pair:
        return written.has_error(number.std_error)
    if written.is_whole and (abs(written.value) < SMALLEST_WHOLE or number.is_observation):
        return False
    if _is_meant(match):
        return True
    if written.is_whole or written.is_round or number.is_observation:
        return False
    if match.contradicts or written.digits < ENOUGH_DIGITS:
        return False
    return number.std_error > 0 or match.has_statistic_around


def _is_meant(match: Match) -> bool:
    return match.has_statistic and match.has_scaling and match.has_all_places and not match.contradicts


def _kinds(meant: Iterable[tuple[Known, Match]]) -> int:
    """Return how many different things a passage can mean, whichever experiment has measured them."""
    return len({(number.statistic, number.scaling, *number.where.items()) for number, _ in meant})


def _plainness(number: Known) -> tuple[int, str]:
    """Return what sorts an experiment that is about the statistic, and so has its name, before the others."""
    return len(number.name), number.name


def _same_size(one: float, other: float) -> bool:
    return one * other > 0 and 0.5 <= one / other <= 2


def _column(passage: Passage, written: WrittenNumber) -> int | None:
    if not passage.headings:
        return None
    row = cells(passage.text)
    return next((place for place, (start, cell) in enumerate(row) if start <= written.start < start + len(cell)), None)


def _heading(passage: Passage, column: int) -> str:
    return passage.headings[column].strip() if column < len(passage.headings) else ""


def _listed(items: Iterable[str]) -> str:
    texts = list(items)
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
