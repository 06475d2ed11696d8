"""The prose of a chapter in Markdown or LaTeX: what is code, mathematics of its own or an address is blanked out."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

LATEX = (".tex", ".ltx", ".latex")
QUARTO = (".qmd", ".rmd")
PASSED = "rootdk: ok"
"""In a comment, takes a line out of the check."""

MARKDOWN_BLANKS = tuple(
    re.compile(pattern, flags)
    for pattern, flags in (
        (r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?=\n|\Z)", re.DOTALL),  # front matter
        (
            r"^(?P<indent>[ >]{0,6})(?P<fence>`{3,}|~{3,}).*?(?:^[ >]*(?P=fence)[`~]*[ \t]*$|\Z)",
            re.DOTALL | re.MULTILINE,
        ),
        (r"<!--.*?(?:-->|\Z)", re.DOTALL),
        (r"(?P<ticks>`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)(?P=ticks)(?!`)", re.DOTALL),
        (r"(?<!\\)\$\$.*?(?:\$\$|\Z)", re.DOTALL),
        (
            r"\\begin\{(?P<name>equation|align|gather|multline|eqnarray)(?P<star>\*?)\}.*?\\end\{(?P=name)(?P=star)\}",
            re.DOTALL,
        ),
        (r"\{%.*?%\}", re.DOTALL),
        (r"(?<=\])\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?\)", 0),  # where a link leads
        (r"^ {0,3}\[[^\]]+\]:\s*\S+", re.MULTILINE),
        (r"\[\^[^\]]+\]|\[?-?@[\w:.#$%&+?<>~/-]+", 0),  # notes and citations
        (r"</?[A-Za-z][^<>]*>", 0),
        (r"\b(?:https?|ftp)://[^\s<>)\]]+|\bwww\.[^\s<>)\]]+|\bdoi:\S+", 0),
    )
)
LATEX_BLANKS = tuple(
    re.compile(pattern, flags)
    for pattern, flags in (
        (r"(?<!\\)(?:\\\\)*%.*", 0),
        (r"\A.*?\\begin\{document\}", re.DOTALL),
        (r"\\end\{document\}.*", re.DOTALL),
        (r"\\verb\*?(?P<bar>[^\sA-Za-z*]).*?(?P=bar)", 0),
        (
            r"\\begin\{(?P<name>verbatim|lstlisting|minted|tikzpicture|equation|align|gather|multline|eqnarray|displaymath|"
            r"thebibliography)(?P<star>\*?)\}.*?\\end\{(?P=name)(?P=star)\}",
            re.DOTALL,
        ),
        (r"(?<!\\)\$\$.*?\$\$", re.DOTALL),
        (r"\\\[.*?\\\]", re.DOTALL),
        (
            r"\\(?:label|ref|eqref|pageref|autoref|[cC]ref|cite\w*|input|include|includegraphics|url|href|usepackage|"
            r"documentclass|bibliography\w*|[vh]space|setlength|addtolength|setcounter|definecolor|hypersetup|sisetup|"
            r"(?:re|provide)?newcommand|DeclareMathOperator|vskip|hskip|linespread|fontsize)\*?"
            r"(?:\s*\[[^\]]*\])*(?:\s*\{[^{}]*\})?",
            0,
        ),
        (r"\\begin\{(?:tabular|array|longtable|minipage|figure|table)\*?\}(?:\[[^\]]*\])?(?:\{[^{}]*\})*", 0),
        (r"[-+]?[\d.]+\s*(?:\\(?:text|line|column|paper)(?:width|height)|\\baselineskip)", 0),
    )
)


class Quotation(NamedTuple):
    """A number that is asked for by name: where, as it is written, the name or key, and which form of the number."""

    start: int
    text: str
    name: str
    form: str
    is_key: bool


class Passage(NamedTuple):
    """A sentence, or a table's row, with what stands around it."""

    start: int
    text: str
    headings: tuple[str, ...]
    """Of a table's columns; empty for a sentence."""
    around: str
    """Its paragraph and the heading that it stands under."""


def is_latex(ending: str) -> bool:
    """Return whether a file with this ending is LaTeX; anything else is read as Markdown."""
    return ending.lower() in LATEX


def prose_of(text: str, ending: str) -> str:
    """Return the text with spaces for all that is not prose; every letter keeps its place."""
    for pattern in LATEX_BLANKS if is_latex(ending) else MARKDOWN_BLANKS:
        text = pattern.sub(lambda found: _blank(found[0]), text)
    return text


def quotations(prose: str, ending: str) -> list[Quotation]:
    """Return every number that prose asks for by name."""
    if is_latex(ending):
        return [
            Quotation(found.start(), found[0], found[2], found[1], is_key=False)
            for found in re.finditer(r"\\rootdk(error|pm|num|)\s*\{([^{}]*)\}", prose)
        ]
    return [
        Quotation(found.start(), found[0], found[1] or found[2], "", is_key=True)
        for found in re.finditer(r"\{\{<\s*(?:var|meta)\s+([^\s<>]+)\s*>\}\}|\{\{\s*([^\W\d]\w*)\s*\}\}", prose)
    ]


def without_quotations(prose: str) -> str:
    """Return prose with spaces for every macro, shortcode and substitution that asks for something by name."""
    return re.sub(r"\\rootdk(?:error|pm|num|)\s*\{[^{}]*\}|\{\{.*?\}\}", lambda found: _blank(found[0]), prose)


def passages(prose: str) -> Iterator[Passage]:
    """Yield the sentences and the rows of tables, in their order."""
    heading = ""
    for block in re.finditer(r"(?:[^\n]*\S[^\n]*(?:\n|\Z))+", prose):
        title = re.match(r"\s*#+\s+(.*)", block[0]) or re.search(
            r"\\(?:sub)*(?:section|chapter|paragraph)\*?\{(.*)\}", block[0]
        )
        if title:
            heading = title[1]
        around = f"{heading} {block[0]}"
        rows = [line for line in re.finditer(r"[^\n]+", block[0]) if line[0].lstrip().startswith("|")]
        if len(rows) > 2:
            headings = tuple(cell for _, cell in cells(rows[0][0]))
            for row in rows[2:]:
                yield Passage(block.start() + row.start(), row[0], headings, around)
        else:
            start = 0
            for end in [*re.finditer(r"(?<=[.!?])[*_\"”)]*\s+(?=[^\sa-z])", block[0]), None]:
                last = end.end() if end else len(block[0])
                yield Passage(block.start() + start, block[0][start:last], (), around)
                start = last


def cells(row: str) -> list[tuple[int, str]]:
    """Return the cells of a table's row in Markdown, each with its place in the row."""
    bars = [found.start() for found in re.finditer(r"(?<!\\)\|", row)]
    return [(start + 1, row[start + 1 : end]) for start, end in pairwise(bars)]


def line_and_column(text: str, place: int) -> tuple[int, int]:
    """Return where a letter of a text stands, both counted from 1."""
    return text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
