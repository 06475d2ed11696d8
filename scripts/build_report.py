"""The chapter: its templates, filled with the numbers, tables and figures of this build."""

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

import pandas as pd

from rootdk.build_failures import Failure
from rootdk.claims import ShownClaims, read_claims
from rootdk.numbers import Number
from rootdk.tables import read_table
from rootdk.whole_files import write_whole
from rootdk.words import FigureWords, NotMadeError, Words, WordsError, collect_numbers, read_words
from rootdk.yaml_source import read_own_yaml

CHAPTER = "chapter.md"


class Figures:
    """The figures as the chapter shows them: numbered in its order, with caption and alt text.

    A figure that this build could not draw is a placeholder that says so.
    """

    def __init__(self, paths: Iterable[str], words_folder: Path, words: Words, not_made: Mapping[str, Failure]) -> None:
        self._paths = {Path(path).stem: path for path in paths}
        self._words_folder = words_folder
        self._words = words
        self._not_made = not_made
        self._read: dict[str, FigureWords] = {}
        self._order: list[str] = []
        self.shown: list[str] = []

    def start(self, order: list[str]) -> None:
        """Begin a pass over the chapter, in which figures are numbered as in an earlier pass."""
        self._order = order
        self.shown = []

    def show(self, name: str) -> str:
        """Return a figure with its caption, as Markdown."""
        self._check(name)
        if name in self.shown:
            raise WordsError(f"the figure {name} is shown twice")
        self.shown.append(name)
        path = self._paths[name]
        if path in self._not_made:
            return placeholder(
                f"Figure {len(self.shown)} could not be drawn.",
                self._not_made[path],
                f"If there is a file `{path}`, it is from an earlier build and may show other numbers.",
            )
        if name not in self._read:
            self._read[name] = read_words(self._words_folder / f"{name}.yaml", self._words)
        words = self._read[name]
        alt = words.alt.replace("[", r"\[").replace("]", r"\]")
        return f"![{alt}]({path})\n\n**Figure {len(self.shown)}.** {words.caption}"

    def refer(self, name: str) -> str:
        """Return a reference such as "Figure 3"."""
        self._check(name)
        return f"Figure {self._order.index(name) + 1}" if name in self._order else "Figure ?"

    def check_all_shown(self) -> None:
        """Raise WordsError if a figure of this build is not in the chapter."""
        missing = sorted(set(self._paths) - set(self.shown))
        if missing:
            raise WordsError(
                f'the chapter does not show {", ".join(missing)}; add {{{{ figure("{missing[0]}") }}}} where it belongs'
            )

    def _check(self, name: str) -> None:
        if name not in self._paths:
            raise WordsError(f"there is no figure {name}; there are {', '.join(sorted(self._paths))}")


class NotMade:
    """In place of what this build could not make: whoever looks into it gets NotMadeError."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __iter__(self) -> Iterator[NoReturn]:
        """Raise NotMadeError."""
        raise NotMadeError(self._what)

    def __len__(self) -> int:
        """Raise NotMadeError."""
        raise NotMadeError(self._what)


def placeholder(what: str, failure: Failure, note: str = "") -> str:
    """Return a marked paragraph, as Markdown, that says what is missing and why."""
    paragraph = (
        f"> ⚠ **{what}** This build could not {failure.job}: {code(failure.cause)}. Its log is {code(failure.log)}."
    )
    return f"{paragraph} {note}".rstrip()


def code(text: str) -> str:
    """Return a text in Markdown's code marks, whatever it holds."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    marks = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{marks}{space}{text}{space}{marks}"


def build_report(
    chapter: Path,
    *,
    tables: Mapping[str, pd.DataFrame],
    setup: Mapping[str, Any],
    published: pd.DataFrame | None,
    sources: Mapping[str, str],
    figures: Iterable[str],
    digits: Mapping[str, Any] = MappingProxyType({}),
    not_made: Mapping[str, Failure] | None = None,
) -> str:
    """Return the chapter as Markdown.

    Parameters
    ----------
    chapter : pathlib.Path
        The folder with ``chapter.md``, what it includes, ``figures/`` with the words of each figure, and ``claims/``.
    tables : mapping of str to pandas.DataFrame
        All tables of all experiments, by name.
    setup : mapping
        ``experiments`` of the config.
    published : pandas.DataFrame or None
        ``data/published.csv``, if it could be made.
    sources : mapping of str to str
        Titles of the sources by name.
    figures : iterable of str
        Paths of the figures, as the report links to them.
    digits : mapping, optional
        ``numbers`` of the config.
    not_made : mapping of str to Failure, optional
        What this build could not make, by path: tables, ``data/published.csv`` and figures. A section that needs one
        of these tables is a placeholder, with its heading and its figures, and so is each of these figures.

    Raises
    ------
    WordsError
        If a template asks for a number, figure, claim or parameter that there is not, or a figure or a claim is left
        out.
    """
    return fill_chapter(
        chapter,
        numbers=collect_numbers(tables, digits),
        setup=setup,
        published=published,
        sources=sources,
        figures=figures,
        not_made=not_made,
    )


def fill_chapter(
    chapter: Path,
    *,
    numbers: Mapping[str, Number],
    setup: Mapping[str, Any],
    published: pd.DataFrame | None,
    sources: Mapping[str, str],
    figures: Iterable[str],
    not_made: Mapping[str, Failure] | None = None,
) -> str:
    """Return the chapter with any numbers; all else is as for :func:`build_report`."""
    failures = {Path(path).stem: failure for path, failure in (not_made or {}).items() if path.startswith("data/")}
    words = Words(numbers, setup, folder=chapter, not_made=failures)
    shown = Figures(figures, chapter / "figures", words, not_made or {})
    claims = ShownClaims(read_claims(chapter / "claims"), words)
    words.add(
        claim=claims.show,
        holds=claims.holds,
        to_rewrite=claims.to_rewrite,
        figure=shown.show,
        ref=shown.refer,
        not_told=lambda what: placeholder("This section could not be written.", failures[what]),
        published=NotMade("published") if published is None else published.to_dict("records"),
        sources=dict(sources),
    )
    # Before any section is replaced by a placeholder, which makes no claims.
    made = {name for file in words.included_in(CHAPTER) for name in words.names_in(file, "claim")}
    while True:  # passes for the order of the figures, of which those end early that find a section without its tables
        shown.start([])
        try:
            words.fill_file(CHAPTER)
            break
        except NotMadeError as error:
            if error.template in ("", CHAPTER):
                raise WordsError(f"{CHAPTER} quotes numbers itself, and {error}") from None
            words.put_in_place_of(error.template, _section_placeholder(words, error))
    shown.start(list(shown.shown))
    text = words.fill_file(CHAPTER)
    shown.check_all_shown()
    claims.check_all_made(made)
    return text


def _section_placeholder(words: Words, error: NotMadeError) -> str:
    """Return the template of a section that keeps only its heading and its figures, which may well be good."""
    first = words.source(error.template).partition("\n")[0]
    parts = [first] if first.startswith("#") else []
    parts.append(f'{{{{ not_told("{error.what}") }}}}')
    parts += [f'{{{{ figure("{name}") }}}}' for name in words.names_in(error.template, "figure")]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("setup", type=json.loads, help="experiments of config.yaml, as JSON")
    parser.add_argument("--digits", type=json.loads, required=True, help="numbers of config.yaml, as JSON")
    parser.add_argument("--chapter", type=Path, required=True)
    parser.add_argument("--published", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--tables", type=Path, nargs="+", required=True)
    parser.add_argument("--figures", nargs="+", required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument(
        "--not-made",
        type=json.loads,
        default={},
        help="job, cause and log of each input that could not be made, as JSON",
    )
    given = parser.parse_args()
    not_made = {path: Failure(**failure) for path, failure in given.not_made.items()}
    try:
        report = build_report(
            given.chapter,
            tables={path.stem: read_table(path) for path in given.tables if path.as_posix() not in not_made},
            setup=given.setup,
            published=None if given.published.as_posix() in not_made else read_table(given.published),
            sources=read_own_yaml(given.sources),
            figures=given.figures,
            digits=given.digits,
            not_made=not_made,
        )
    except WordsError as error:
        sys.exit(f"{given.chapter}: {str(error).rstrip('.')}.")
    write_whole(given.output, report.encode())
