"""The chapter: its templates, filled with the numbers, tables and figures of this build."""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from rootdk.numbers import Number
from rootdk.tables import read_table
from rootdk.whole_files import write_whole
from rootdk.words import FigureWords, Words, WordsError, collect_numbers, read_words
from rootdk.yaml_source import read_own_yaml

CHAPTER = "chapter.md"


class Figures:
    """The figures as the chapter shows them: numbered in its order, with caption and alt text."""

    def __init__(self, paths: Iterable[str], words_folder: Path, words: Words) -> None:
        self._paths = {Path(path).stem: path for path in paths}
        self._words_folder = words_folder
        self._words = words
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
        if name not in self._read:
            self._read[name] = read_words(self._words_folder / f"{name}.yaml", self._words)
        words = self._read[name]
        alt = words.alt.replace("[", r"\[").replace("]", r"\]")
        return f"![{alt}]({self._paths[name]})\n\n**Figure {len(self.shown)}.** {words.caption}"

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


def build_report(
    chapter: Path,
    *,
    tables: Mapping[str, pd.DataFrame],
    setup: Mapping[str, Any],
    published: pd.DataFrame,
    sources: Mapping[str, str],
    figures: Iterable[str],
    digits: Mapping[str, Any] = MappingProxyType({}),
) -> str:
    """Return the chapter as Markdown.

    Parameters
    ----------
    chapter : pathlib.Path
        The folder with ``chapter.md``, what it includes, and ``figures/`` with the words of each figure.
    tables : mapping of str to pandas.DataFrame
        All tables of all experiments, by name.
    setup : mapping
        ``experiments`` of the config.
    published : pandas.DataFrame
        ``data/published.csv``.
    sources : mapping of str to str
        Titles of the sources by name.
    figures : iterable of str
        Paths of the figures, as the report links to them.
    digits : mapping, optional
        ``numbers`` of the config.

    Raises
    ------
    WordsError
        If a template asks for a number, figure or parameter that there is not, or a figure is left out.
    """
    return fill_chapter(
        chapter,
        numbers=collect_numbers(tables, digits),
        setup=setup,
        published=published,
        sources=sources,
        figures=figures,
    )


def fill_chapter(
    chapter: Path,
    *,
    numbers: Mapping[str, Number],
    setup: Mapping[str, Any],
    published: pd.DataFrame,
    sources: Mapping[str, str],
    figures: Iterable[str],
) -> str:
    """Return the chapter with any numbers; all else is as for :func:`build_report`."""
    words = Words(numbers, setup, folder=chapter)
    shown = Figures(figures, chapter / "figures", words)
    words.add(
        figure=shown.show,
        ref=shown.refer,
        published=published.to_dict("records"),
        sources=dict(sources),
    )
    words.fill_file(CHAPTER)  # a first pass, for the order of the figures
    shown.start(list(shown.shown))
    text = words.fill_file(CHAPTER)
    shown.check_all_shown()
    return text


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
    given = parser.parse_args()
    try:
        report = build_report(
            given.chapter,
            tables={path.stem: read_table(path) for path in given.tables},
            setup=given.setup,
            published=read_table(given.published),
            sources=read_own_yaml(given.sources),
            figures=given.figures,
            digits=given.digits,
        )
    except WordsError as error:
        sys.exit(f"{given.chapter}: {str(error).rstrip('.')}.")
    write_whole(given.output, report.encode())
