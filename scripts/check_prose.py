"""Looks through a chapter in Markdown or LaTeX for numbers of this project that are typed by hand.

Exit code: 0 if there is nothing to mend, 1 if there is, 2 if the chapter or the numbers cannot be read.
"""

import argparse
import sys
from pathlib import Path

from rootdk.prose_context import Vocabulary
from rootdk.prose_findings import check_chapter, read_listed
from rootdk.statistics import load_scalings, load_statistics

NUMBERS = Path("data/numbers.json")
CLEAN, FINDINGS, CANNOT_TELL = 0, 1, 2


class UnreadableError(Exception):
    """A file that cannot be read; the message says why and what to do."""


def read_text(path: Path) -> str:
    """Return the text of a file.

    Raises
    ------
    UnreadableError
        If there is none or it is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise UnreadableError(f"{path} does not exist.") from None
    except IsADirectoryError:
        raise UnreadableError(f"{path} is a folder; name one file in it.") from None
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8.") from None
    except (OSError, ValueError) as error:
        raise UnreadableError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def main(arguments: list[str] | None = None) -> int:
    """Check the chapter that the command line names, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="a chapter: .tex is LaTeX, .qmd Quarto, anything else Markdown")
    given = parser.parse_args(arguments)
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    try:
        text = read_text(given.file)
        if not NUMBERS.exists():
            raise UnreadableError(f"There is no {NUMBERS} yet; run `make` first.")
        known = read_listed(read_text(NUMBERS))
    except UnreadableError as error:
        print(error, file=sys.stderr)
        return CANNOT_TELL
    except ValueError as error:
        print(f"{NUMBERS} cannot be understood; run `make` to build it again: {error}.", file=sys.stderr)
        return CANNOT_TELL
    called = {statistic: entry["called"] for statistic, entry in load_statistics().items()}
    findings = check_chapter(text, given.file.name, known, Vocabulary(called, load_scalings()))
    for finding in findings:
        print(f"{given.file}:{finding.line}:{finding.column}: {finding.message}")
    if findings:
        print(f"{len(findings)} to mend; docs/quote-a-number.md tells how to quote a number.")
        return FINDINGS
    print(f"{given.file}: no number of ours is typed by hand, and every name is known.")
    return CLEAN


if __name__ == "__main__":
    sys.exit(main())
