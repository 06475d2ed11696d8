"""The page that a reviewer reads: what moved, the gravest first, as Markdown."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import NamedTuple

from rootdk.change_sorts import Sort
from rootdk.config_changes import KeyChange
from rootdk.figure_changes import FigureChange, Pictures
from rootdk.number_changes import STANDARD_ERRORS, NumberChange, is_below_rounding, statistic_of
from rootdk.numbers import Number, decimals, error_decimals, significant
from rootdk.sentence_changes import CELL, SentenceChange, SentenceChanges, word_difference
from rootdk.snapshot import experiment_of
from rootdk.table_changes import TableChange, experiment_sorts

LONG = 60
"""Number changes up to which one table holds them all."""
FIRST = 5
"""Rows or sentences that stay in sight where there are many."""
HEADINGS = {Sort.REAL: "Real", Sort.WITHIN: "Within sampling error", Sort.STYLE: "Style only"}


class Changes(NamedTuple):
    """Everything that moved since a revision."""

    base: str
    """The revision as the page calls it."""
    config: list[KeyChange]
    numbers: list[NumberChange]
    tables: list[TableChange]
    figures: list[FigureChange]
    pictures: Mapping[str, Pictures | None]
    sentences: SentenceChanges
    totals: Mapping[str, int]
    """How many numbers, tables, figures and sentences there are now."""
    unreadable: list[str]

    def sorts(self) -> list[Sort]:
        """Return the sort of each change."""
        parts = (self.numbers, self.tables, self.figures, self.sentences.changes)
        return [change.sort for part in parts for change in part]


def write_page(changes: Changes, folder: str) -> str:
    """Return the page.

    Parameters
    ----------
    changes : Changes
    folder : str
        Where the pictures are, relative to the page.
    """
    blocks = ["# What moved", verdict(changes)]
    blocks += [_counts(changes)] if changes.sorts() else []
    blocks += [_config(changes.config)] if changes.config else []
    if changes.unreadable:
        names = ", ".join(f"`{name}`" for name in changes.unreadable)
        blocks.append(f"At that revision {names} could not be understood, and is left out or compared as a whole.")
    for sort in sorted(Sort, reverse=True):
        part = [
            *_numbers([change for change in _moved(changes.numbers) if change.sort == sort]),
            *_renamed([change for change in changes.numbers if change.sort == sort and change.is_only_renamed]),
            *_come_and_gone([change for change in changes.numbers if change.sort == sort]),
            *_tables([change for change in changes.tables if change.sort == sort]),
            *_figures([change for change in changes.figures if change.sort == sort], changes.pictures, folder),
            *_sentences([change for change in changes.sentences.changes if change.sort == sort]),
        ]
        blocks += [f"## {HEADINGS[sort]}", *part] if part else []
    if changes.sorts():
        blocks.append(_explanation(changes.sentences.untraced))
    return "\n\n".join(blocks) + "\n"


def verdict(changes: Changes) -> str:
    """Return in one paragraph what moved and what a reviewer has to do about it."""
    sorts = changes.sorts()
    if not sorts:
        start = f"**Nothing moved.** Every number, table, figure and sentence is what it was at {changes.base}."
        return start + (" Only the config differs, in keys that nothing depends on." if changes.config else "")
    grave = max(sorts)
    counted = [
        _count(sum(change.sort == grave for change in part), name)
        for name, part in (
            ("number", changes.numbers),
            ("table", changes.tables),
            ("figure", changes.figures),
            ("sentence", changes.sentences.changes),
        )
        if any(change.sort == grave for change in part)
    ]
    less = sum(sort < grave for sort in sorts)
    start = f"**{_VERDICTS[grave]}** Since {changes.base}, {_listed(counted)} changed {_HOW[grave]}"
    start += (
        f", and {_count(less, 'lesser change')} came with {'it' if sorts.count(grave) == 1 else 'them'}."
        if less
        else "."
    )
    return " ".join([start, *_to_do(changes, grave)])


_VERDICTS = {
    Sort.REAL: "Real changes: check that each is meant.",
    Sort.WITHIN: "Within sampling error: other random numbers, the same findings.",
    Sort.STYLE: "Style only: the same data, told or drawn otherwise.",
}
_HOW = {Sort.REAL: "really", Sort.WITHIN: "within sampling error", Sort.STYLE: "in style only"}


def _to_do(changes: Changes, grave: Sort) -> Iterable[str]:
    if grave == Sort.STYLE:
        yield "No number needs checking; look at the figures and read the sentences below."
        return
    both = [change for change in _moved(changes.numbers) if change.sort == grave]
    if both:
        largest = max(both, key=lambda change: change.weight)
        old, new = _shown(largest)
        away = f", {_errors(largest)} standard errors" if largest.has_error else ""
        yield f"The largest is `{largest.name}`: {old} → {new}{away}."
    because, unexplained = [], []
    for experiment, sort in experiment_sorts(changes.numbers).items():
        if sort == grave:
            keys = [str(key) for key in changes.config if key.path[:2] == ("experiments", experiment)]
            because += keys
            unexplained += [] if keys else [f"`{experiment}`"]
    if because:
        yield f"The config has {_listed(because)}."
    if unexplained:
        yield f"No key of {_listed(unexplained)} changed in the config: there the code, or a package, did."
    blind = {experiment_of(change.table): None for change in both if not change.has_error}
    seeing = {experiment_of(change.table) for change in both if change.has_error}
    if grave == Sort.REAL and any(experiment not in seeing for experiment in blind):
        names = [f"`{experiment}`" for experiment in blind if experiment not in seeing]
        yield f"What moved in {_listed(names)} has no standard error, so chance may explain it: judge for yourself."


def _counts(changes: Changes) -> str:
    rows = ["| | real | within sampling error | style only | unchanged |", "|:--|--:|--:|--:|--:|"]
    parts: list[tuple[str, list[tuple[Sort, str]]]] = [
        ("numbers", [(change.sort, _kind(change.old, change.new)) for change in changes.numbers]),
        ("tables", [(change.sort, change.kind) for change in changes.tables]),
        ("figures", [(change.sort, change.kind) for change in changes.figures]),
        ("sentences", [(change.sort, _kind(change.old, change.new)) for change in changes.sentences.changes]),
    ]
    for name, found in parts:
        cells = []
        for sort in sorted(Sort, reverse=True):
            kinds = [kind for other, kind in found if other == sort]
            extra = [f"{kinds.count(kind)} {kind}" for kind in ("new", "gone") if kind in kinds]
            cells.append((f"{len(kinds)} ({', '.join(extra)})" if extra else str(len(kinds))) if kinds else "")
        unchanged = changes.totals[name] - sum(kind != "gone" for _, kind in found)
        rows.append(f"| {name} | {' | '.join(cells)} | {unchanged} |")
    return "\n".join(rows)


def _config(config: list[KeyChange]) -> str:
    rows = ["| key of the config | old | new |", "|:--|:--|:--|"]
    for change in config:
        name, *_ = str(change).split(" ")
        rows.append(f"| {name} | {_cell(change.old)} | {_cell(change.new)} |")
    return "\n".join(rows)


def _numbers(changes: list[NumberChange]) -> list[str]:
    if not changes:
        return []
    changes = sorted(changes, key=lambda change: change.weight, reverse=True)
    if len(changes) <= LONG:
        return ["### Numbers", _number_table(changes)]
    blocks = ["### Numbers"]
    largest_first = {experiment_of(change.table): None for change in changes}
    for experiment in largest_first:
        found = [change for change in changes if experiment_of(change.table) == experiment]
        blocks += [f"**{experiment}**, {_count(len(found), 'number')}", _number_table(found[:FIRST])]
        if len(found) > FIRST:
            blocks.append(_folded(f"{len(found) - FIRST} more of {experiment}", _number_table(found[FIRST:])))
    return blocks


def _moved(changes: list[NumberChange]) -> list[NumberChange]:
    return [change for change in changes if change.old and change.new and not change.is_only_renamed]


def _renamed(changes: list[NumberChange]) -> list[str]:
    names: dict[str, int] = {}
    for change in changes:
        assert change.old
        name = f"`{statistic_of(change.old.name)[0]}` → `{statistic_of(change.name)[0]}`"
        names[name] = names.get(name, 0) + 1
    lines = [f"- {name}: {_count(count, 'number')}, with the same values as before" for name, count in names.items()]
    return ["### Renamed", "\n".join(lines)] if lines else []


def _number_table(changes: list[NumberChange]) -> str:
    rows = ["| number | old | new | Δ | Δ / standard error | sort |", "|:--|--:|--:|--:|--:|:--|"]
    for change in changes:
        assert change.old
        assert change.new
        old, new = _shown(change)
        sort = f"{change.sort}, below rounding" if change.sort == Sort.STYLE else str(change.sort)
        away = _errors(change) if change.has_error else _why_no_errors(change.old, change.new)
        rows.append(f"| `{_cell(change.name)}` | {old} | {new} | {_signed(change.difference)} | {away} | {sort} |")
    return "\n".join(rows)


def _why_no_errors(old: Number, new: Number) -> str:
    return "exact" if old.std_error == 0 and new.std_error == 0 else "no error known"


def _come_and_gone(changes: list[NumberChange]) -> list[str]:
    blocks = []
    for title, found in (
        ("New numbers", [change.new for change in changes if change.new and not change.old]),
        ("Numbers that are gone", [change.old for change in changes if change.old and not change.new]),
    ):
        if not found:
            continue
        rows = ["| number | value |", "|:--|--:|", *(f"| `{_cell(one.name)}` | {_with_error(one)} |" for one in found)]
        table = "\n".join(rows)
        short = len(found) <= 2 * FIRST
        blocks += [f"### {title}", table if short else _folded(_count(len(found), "number"), table)]
    return blocks


def _tables(changes: list[TableChange]) -> list[str]:
    if not changes:
        return []
    rows = ["| table | what changed |", "|:--|:--|"]
    for change in changes:
        what = change.what if change.kind == "changed" else f"**{change.kind}**, {change.what}".rstrip(", ")
        name = change.name if change.kind == "gone" else f"[{change.name}](data/{change.name}.csv)"
        rows.append(f"| {name} | {_cell(what)} |")
    return ["### Tables", "\n".join(rows)]


def _figures(changes: list[FigureChange], pictures: Mapping[str, Pictures | None], folder: str) -> list[str]:
    if not changes:
        return []
    blocks = ["### Figures"]
    for change in changes:
        name = f"**[{change.name}](figures/{change.name}.svg)**"
        if change.kind == "new":
            blocks += [f"{name} is new.", f"![{change.name}](figures/{change.name}.svg)"]
        elif change.kind == "gone":
            blocks.append(f"**{change.name}** is gone.")
        elif change.same_drawing:
            blocks.append(f"{name} ({change.sort}): {change.why}.")
        else:
            blocks += _side_by_side(change, pictures.get(change.name), folder)
    return blocks


def _side_by_side(change: FigureChange, pictures: Pictures | None, folder: str) -> list[str]:
    told = f"**[{change.name}](figures/{change.name}.svg)** ({change.sort}): {change.why}"
    if pictures is None:
        return [f"{told}. One of its two states cannot be rendered, so there are no pictures."]
    if pictures.sizes[0] != pictures.sizes[1]:
        old, new = (f"{width} × {height}" for width, height in pictures.sizes)
        told += f"; its size went from {old} to {new} pixels"
    share = 100 * pictures.share
    told += f"; {significant(share, 2)} % of its pixels differ." if share else "; but not a pixel differs."
    names = [f"{folder}/{picture_name(change.name, state)}" for state in ("old", "new", "difference")]
    cells = " | ".join(f"[![{change.name}]({name})]({name})" for name in names)
    return [told, f"| old | new | difference |\n|:-:|:-:|:-:|\n| {cells} |"]


def picture_name(figure: str, state: str) -> str:
    """Return the file name of a figure's picture, such as ``web_max_weight_old.png``."""
    return f"{figure.replace('/', '_')}_{state}.png"


def _sentences(changes: list[SentenceChange]) -> list[str]:
    if not changes:
        return []
    blocks = ["### Sentences"]
    for section, group in groupby(changes, key=lambda change: change.section):
        lines = [_sentence(change) for change in group]
        blocks += [f"**{section or 'Before the first heading'}**", "\n".join(lines[: 2 * FIRST])]
        if len(lines) > 2 * FIRST:
            rest = lines[2 * FIRST :]
            blocks.append(_folded(f"{len(rest)} more in this section", "\n".join(rest)))
    return blocks


def _sentence(change: SentenceChange) -> str:
    sentence = change.new or change.old
    assert sentence is not None
    kind = f"*{sentence.kind}:* " if sentence.kind else ""
    if change.old and change.new:
        return f"- {kind}{_row_difference(change.old.text, change.new.text)}"
    return f"- {kind}new: **{sentence.text}**" if change.new else f"- {kind}gone: ~~{sentence.text}~~"


def _row_difference(old: str, new: str) -> str:
    """Return the differences word by word, or cell by cell in the row of a table that has as many cells as before."""
    cells = list(zip(old.split(CELL), new.split(CELL), strict=False))
    if CELL not in old or old.count(CELL) != new.count(CELL):
        return word_difference(old, new)
    return CELL.join(one if one == other else f"~~{one}~~ **{other}**" for one, other in cells)


def _explanation(untraced: str) -> str:
    lines = [
        "---",
        f"*Within sampling error*: the difference is at most {STANDARD_ERRORS} combined standard errors, the root of "
        "the sum of both squares. Chance alone exceeds that about once in 370 numbers. *Real*: more than that, or any "
        "difference of a number that is exact or has no standard error, unless it is below rounding. *Style only*: the "
        "data are the same. A table, figure or sentence has the gravest sort of the numbers behind it; a new or gone "
        "one is real, except for a sentence that only its author changed.",
        "In a difference image orange is what was darker before, violet what is darker now, and grey what is the same.",
    ]
    if untraced:
        lines.append(
            "The present chapter cannot be filled with the old numbers, so each sentence with other numerals has the "
            f"gravest sort of all numbers. The reason: {untraced}"
        )
    return "\n\n".join(lines)


def _shown(change: NumberChange) -> tuple[str, str]:
    """Return both values with as many digits as their errors warrant, or as it takes to see a difference."""
    old, new = change.old, change.new
    assert old
    assert new
    if old.std_error > 0 and new.std_error > 0:
        least = max(error_decimals(number.std_error) for number in (old, new))
        for places in range(least, least + 12):
            shown = [f"{decimals(one.value, places)} ± {decimals(one.std_error, places)}" for one in (old, new)]
            if decimals(old.value, places) != decimals(new.value, places):
                return shown[0], shown[1]
    for digits in range(3, 17):
        shown = [significant(number.value, digits) for number in (old, new)]
        if shown[0] != shown[1]:
            break
    return shown[0], shown[1]


def _with_error(number: Number) -> str:
    if not number.std_error > 0:
        return str(number)
    return f"{number} ± {decimals(number.std_error, error_decimals(number.std_error))}"


def _signed(difference: float) -> str:
    if is_below_rounding(difference, 0.0):
        return "0"
    text = significant(difference, 2)
    return text if text.startswith("−") else f"+{text}"


def _errors(change: NumberChange) -> str:
    text = significant(change.in_errors, 2) if abs(change.in_errors) < 100 else decimals(change.in_errors, 0)
    return text if text.startswith("−") else f"+{text}"


def _kind(old: object, new: object) -> str:
    return "changed" if old and new else "new" if new else "gone"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _listed(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def _folded(summary: str, content: str) -> str:
    return f"<details>\n<summary>{summary}</summary>\n\n{content}\n\n</details>"
