"""What a sentence speaks of: which statistic, with or without scaling, at which head width."""

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from rootdk.prose_text import Passage, cells

ABBREVIATIONS = {
    "max": r"(?:maximum|maximal|largest|greatest|max)",
    "min": r"(?:minimum|minimal|smallest|least|min)",
    "std": r"(?:standard\s+deviation|spread|std)",
    "rms": r"(?:root\s+mean\s+square|rms)",
    "d_k": r"(?:width|d_k)",
}
LIST = r"\$?\d+\$?(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|to)\s+)\$?\d+\$?)*"
WIDTHS = re.compile(
    rf"(?:d_?\{{?(?:\\(?:text|mathrm)\{{)?k\}}?\}}?\$?\s*(?:=|is|of|\\in)\s*|\bwidths?\s+(?:of\s+)?|\bd_k\$?\s+)({LIST})",
    re.IGNORECASE,
)
WIDTH_HEADING = re.compile(r"d_?\{?k|\bwidth", re.IGNORECASE)


@dataclass(frozen=True)
class Known:
    """A number of the build, as ``data/numbers.json`` has it."""

    name: str
    key: str
    text: str
    with_error: str
    value: float
    std_error: float
    statistic: str
    scaling: str
    where: Mapping[str, str]
    is_observation: bool
    """One of the many rows of a table, rather than a mean or a quantity that follows from them."""


class Vocabulary(NamedTuple):
    """What prose calls statistics and scalings."""

    statistics: Mapping[str, list[str]]
    scalings: Mapping[str, list[str]]


class Match(NamedTuple):
    """How well a passage fits a number: a score, what speaks for it in the author's words, and what is certain."""

    score: float
    reasons: tuple[str, ...]
    has_statistic: bool
    """In the passage itself."""
    has_statistic_around: bool
    has_all_places: bool
    """Head width, token and so on, all of them."""
    has_scaling: bool
    """In the passage itself, or the number has none that prose would speak of."""
    contradicts: bool
    """It speaks of another place or scaling, and not of this one."""


class Context:
    """A passage, asked about one number after another."""

    def __init__(self, passage: Passage, vocabulary: Vocabulary, column: int | None = None) -> None:
        heading = passage.headings[column] if column is not None and column < len(passage.headings) else ""
        self._own = _plain(f"{heading} {passage.text}")
        self._around = _plain(f"{passage.around} {' '.join(passage.headings)}")
        self._vocabulary = vocabulary
        self._statistics: dict[str, tuple[str, str]] = {}
        self._scalings = {
            scaling: phrase
            for scaling, phrases in vocabulary.scalings.items()
            if (phrase := _found(tuple(phrases), self._own))
        }
        self._widths = _widths(passage.text) | _row_width(passage)
        self._widths_around = _widths(passage.around)

    def match(self, known: Known) -> Match:
        """Return how well the passage fits a number."""
        score, reasons, contradicts, has_scaling = 0.0, [], False, True
        if known.statistic not in self._statistics:
            own = self._called(known.statistic, self._own)
            self._statistics[known.statistic] = own, own or self._called(known.statistic, self._around)
        statistic, around = self._statistics[known.statistic]
        score += 3 if statistic else 1.5 if around else 0
        reasons += [f"“{around}”"] if around else []
        if known.scaling in self._vocabulary.scalings:
            has_scaling = known.scaling in self._scalings
            if has_scaling:
                score += 1 if len(self._scalings) == 1 else 0.5
                reasons.append(f"“{self._scalings[known.scaling]}”")
            elif self._scalings:
                score -= 1.5
                contradicts = True
        all_places = True
        for key, value in known.where.items():
            fits, reason, opposed = self._place(key, value)
            score += fits
            all_places &= fits > 1
            contradicts |= opposed
            reasons += [reason] if reason else []
        score += 0.5 * (known.std_error > 0) - 1 * known.is_observation
        return Match(score, tuple(reasons), bool(statistic), bool(around), all_places, has_scaling, contradicts)

    def _called(self, statistic: str, text: str) -> str:
        found = _found(tuple(self._vocabulary.statistics.get(statistic, ())), text)
        if found:
            return found
        words = [ABBREVIATIONS.get(word, re.escape(word)) for word in statistic.split("_")]
        places = [re.search(rf"\b{word}", text, re.IGNORECASE) for word in words]
        return " … ".join(place[0] for place in places if place) if all(places) else ""

    def _place(self, key: str, value: str) -> tuple[float, str, bool]:
        if key == "d_k":
            width = int(value) if value.isdigit() else -1
            if width in self._widths:
                return 2.0, f"d_k = {value}", False
            if self._widths:
                return -3.0, "", True
            if width in self._widths_around:
                return 1.0, f"d_k = {value} nearby", False
            return (-1.0, "", False) if self._widths_around else (0.0, "", False)
        if _place_pattern(key, value).search(self._own):
            return 1.5, f"{key} {value}", False
        return -1.0, "", False


@functools.cache
def _place_pattern(key: str, value: str) -> re.Pattern[str]:
    """Return what finds a place in prose: a token by its name alone, a number beside what it counts."""
    written = rf"(?<![\w.]){re.escape(value)}(?!\w|\.\d)"
    if re.search(r"[^\W\d]", value):
        return re.compile(written)
    word = re.escape(key.split("_")[-1])
    return re.compile(rf"\b{word}s?\W{{0,4}}(?:of\s+|is\s+)?{written}|{written}\s+{word}s?\b", re.IGNORECASE)


@functools.cache
def _found(phrases: tuple[str, ...], text: str) -> str:
    """Return the first of some phrases that a text has, as it is written there."""
    pattern = _pattern(phrases)
    found = pattern.search(text) if pattern else None
    return found[0] if found else ""


@functools.cache
def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str] | None:
    if not phrases:
        return None
    written = (
        r"\s+".join(re.escape(word) for word in phrase.split()) for phrase in sorted(phrases, key=len, reverse=True)
    )
    return re.compile(rf"(?<!\w)(?:{'|'.join(written)})(?:s|es)?(?!\w)", re.IGNORECASE)


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\\(?:emph|textbf|textit)\b|[*`${}\\|]+", " ", text))


def _widths(text: str) -> frozenset[int]:
    return frozenset(int(number) for found in WIDTHS.finditer(text) for number in re.findall(r"\d+", found[1]))


def _row_width(passage: Passage) -> frozenset[int]:
    if not passage.headings or not WIDTH_HEADING.search(passage.headings[0]):
        return frozenset()
    number = re.fullmatch(r"\$?(\d+)\$?", _first(passage))
    return frozenset([int(number[1])]) if number else frozenset()


def _first(passage: Passage) -> str:
    row = cells(passage.text)
    return row[0][1].strip() if row else ""


def width_places(passage: Passage) -> Iterable[range]:
    """Yield where a passage says which head width it is about."""
    for found in WIDTHS.finditer(passage.text):
        yield range(passage.start + found.start(1), passage.start + found.end(1))
    if _row_width(passage):
        start, cell = cells(passage.text)[0]
        yield range(passage.start + start, passage.start + start + len(cell))
