"""Which sentences of the chapter changed, and whether its numbers or its author changed them."""

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from rootdk.change_sorts import Sort, gravest
from rootdk.number_changes import NumberChange, statistic_of
from rootdk.numbers import Number
from rootdk.snapshot import Snapshot
from rootdk.table_changes import experiment_sorts

Chapter = Callable[[Mapping[str, Number], Mapping[str, Any]], str]
"""Fills the chapter's present templates with numbers and ``experiments`` of a config; ValueError if they do not fit."""


CELL = " · "
"""Stands between the cells of a table's row."""


class Sentence(NamedTuple):
    """A sentence, or a table's row, as one line of text; ``kind`` is empty for a sentence of the text."""

    section: str
    kind: str
    text: str


class SentenceChange(NamedTuple):
    """A sentence that changed; without an old one it is new, without a new one it is gone."""

    old: Sentence | None
    new: Sentence | None
    sort: Sort

    @property
    def section(self) -> str:
        """The heading that it stands under, the new one if it has two."""
        sentence = self.new or self.old
        assert sentence is not None
        return sentence.section


class SentenceChanges(NamedTuple):
    """The changes in the order of the chapter; ``traced`` is empty, or says why their sorts are only a guess."""

    changes: list[SentenceChange]
    untraced: str


def compare_sentences(old: Snapshot, new: Snapshot, numbers: list[NumberChange], chapter: Chapter) -> SentenceChanges:
    """Return every sentence of the chapter that changed, with what changed it.

    To tell the author's changes from those of the numbers, the present templates are filled once with the old numbers
    and once with those numbers new that moved within their sampling error. What the first chapter says already is the
    author's, hence style only; what the second one says is within sampling error; the rest is real.

    Parameters
    ----------
    old, new : Snapshot
    numbers : list of NumberChange
        Between the two.
    chapter : callable
        Fills the templates.

    Returns
    -------
    SentenceChanges
        If the templates cannot be filled with old numbers, sentences that hold other numbers than before have the
        gravest sort of any number.
    """
    pairs = list(paired_sentences(sentences(old.report), sentences(new.report)))
    if not pairs:
        return SentenceChanges([], "")
    try:
        told = [set(sentences(chapter(*before(old, new, numbers, newer=newer)))) for newer in (Sort.STYLE, Sort.WITHIN)]
    except ValueError as error:
        any_number = gravest(change.sort for change in numbers)
        guessed = (
            SentenceChange(one, other, any_number if _numerals(one) != _numerals(other) else Sort.STYLE)
            for one, other in pairs
        )
        return SentenceChanges(list(guessed), str(error))
    return SentenceChanges([SentenceChange(one, other, _sort(one, other, *told)) for one, other in pairs], "")


def before(
    old: Snapshot, new: Snapshot, numbers: Iterable[NumberChange], *, newer: Sort
) -> tuple[dict[str, Number], dict[str, Any]]:
    """Return numbers and ``experiments`` as they were, except for what changed no more gravely than ``newer``.

    Statistics that did not exist before are as they are now, and so is the config of experiments whose numbers all
    changed that little.
    """
    numbers = list(numbers)
    numbers_now, taken = new.all_numbers(), old.all_numbers()
    for change in numbers:
        if change.old and change.new and change.sort <= newer:
            del taken[change.old.name]
            taken[change.name] = change.new
    known = {statistic_of(name)[0] for name in taken}
    taken |= {name: number for name, number in numbers_now.items() if statistic_of(name)[0] not in known}
    setup = dict(new.config.get("experiments", {}))
    for experiment, sort in experiment_sorts(numbers).items():
        parameters = old.config.get("experiments", {}).get(experiment)
        if sort > newer and experiment in setup and parameters is not None:
            setup[experiment] = {**setup[experiment], **parameters}
    return taken, setup


def sentences(report: str) -> list[Sentence]:
    """Return the sentences of a chapter in Markdown, the rows of its tables, and what its figures say of themselves.

    Emphasis and line breaks are left out: they change how a sentence looks and not what it says.
    """
    found = []
    section = ""
    for block in re.split(r"\n\s*\n", report):
        for kind, text in _pieces(block):
            if kind == "heading":
                section = text
            found += [Sentence(section, kind, part) for part in _split(kind, text)]
    return found


def paired_sentences(old: list[Sentence], new: list[Sentence]) -> Iterator[tuple[Sentence | None, Sentence | None]]:
    """Return what is not on both sides, each old sentence with the new one that took its place."""
    matcher = difflib.SequenceMatcher(None, [one.text for one in old], [one.text for one in new], autojunk=False)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        if kind != "equal":
            yield from _aligned(old[start:end], new[new_start:new_end])


def word_difference(old: str, new: str) -> str:
    """Return a sentence with its old words struck through and its new words in bold, as Markdown."""
    words: list[list[str]] = [re.findall(r"(?:[^\s$]|\$[^$]*\$)+|\$", text) for text in (old, new)]
    parts = []
    for kind, start, end, new_start, new_end in difflib.SequenceMatcher(
        None, words[0], words[1], autojunk=False
    ).get_opcodes():
        gone, come = " ".join(words[0][start:end]), " ".join(words[1][new_start:new_end])
        if kind == "equal":
            parts.append(come)
        else:
            parts += [f"~~{gone}~~"] * bool(gone) + [f"**{come}**"] * bool(come)
    return " ".join(parts)


def _pieces(block: str) -> Iterator[tuple[str, str]]:
    lines = block.strip("\n").splitlines()
    text: list[str] = []
    for line in [*lines, ""]:
        starts_anew = not line or line.startswith(("|", "#", "![", "<")) or re.match(r"[-*] |\d+\. ", line)
        if starts_anew and text:
            yield "", " ".join(text)
            text = []
        if line.startswith("#"):
            yield "heading", line.lstrip("#").strip()
        elif line.startswith("|"):
            if not re.fullmatch(r"[|:\- ]+", line):
                cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
                yield "table row", CELL.join(cell for cell in cells if cell)
        elif shown := re.fullmatch(r"!\[(.*)\]\((.*)\)", line):
            yield "alt text", shown[1]
        elif line.strip():
            text.append(line.strip())


def _split(kind: str, text: str) -> list[str]:
    if "$$" in text:
        return [text]
    # Formulas stay whole: stars and full stops in them are none of the text's.
    pieces = re.split(r"(\$[^$]*\$)", " ".join(text.split()))
    plain = "".join(
        piece.replace(" ", "\0") if place % 2 else piece.replace("*", "") for place, piece in enumerate(pieces)
    )
    if kind in ("heading", "table row"):
        return [plain.replace("\0", " ")]
    parts: list[str] = []
    for part in re.split(r"(?<=[.!?])\s+(?=[^\sa-z])", plain):
        part = part.replace("\0", " ")
        # A number with a full stop, such as that of a figure or of a list's entry, ends no sentence.
        if parts and re.fullmatch(r"(Figure )?\d+\.", parts[-1]):
            parts[-1] += f" {part}"
        else:
            parts.append(part)
    return [part for part in parts if part]


def _aligned(old: list[Sentence], new: list[Sentence]) -> Iterator[tuple[Sentence | None, Sentence | None]]:
    """Return the pairs, in order, that share the most words in all."""
    words = [[_words(sentence) for sentence in side] for side in (old, new)]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            paired = best[i + 1][j + 1] + _likeness(words[0][i], words[1][j])
            best[i][j] = max(best[i + 1][j], best[i][j + 1], paired)
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new):
            alike = _likeness(words[0][i], words[1][j])
            if alike and best[i][j] == best[i + 1][j + 1] + alike:
                if old[i].text != new[j].text:
                    yield old[i], new[j]
                i, j = i + 1, j + 1
                continue
        if j == len(new) or (i < len(old) and best[i][j] == best[i + 1][j]):
            yield old[i], None
            i += 1
        else:
            yield None, new[j]
            j += 1


def _words(sentence: Sentence) -> frozenset[str]:
    return frozenset([f"kind {sentence.kind}", *re.sub(r"\d[\d.]*", "0", sentence.text).split()])


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of words in common, 0 if it is small."""
    share = len(one & other) / len(one | other)
    return share if share >= 0.3 else 0.0


def _sort(
    old: Sentence | None, new: Sentence | None, with_old_numbers: set[Sentence], with_close_numbers: set[Sentence]
) -> Sort:
    if new is not None:
        if new in with_old_numbers:
            return Sort.STYLE
        return Sort.WITHIN if new in with_close_numbers else Sort.REAL
    if old not in with_old_numbers:
        return Sort.STYLE
    return Sort.REAL if old in with_close_numbers else Sort.WITHIN


def _numerals(sentence: Sentence | None) -> list[str]:
    return re.findall(r"\d[\d.]*", sentence.text) if sentence else []
