"""Builds everything twice in opposed surroundings, and compares both builds with each other and with what is committed.

Exit code: 0 if every byte is the same, 1 if not, 2 if a build failed.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from rootdk.file_differences import describe_difference
from rootdk.opposed_builds import (
    BuildError,
    build_all,
    built_files,
    committed_files,
    lay_out,
    never_committed,
    opposed_surroundings,
)

PROJECT = Path(__file__).resolve().parents[1]
SAME, NOT_THERE = "same", "–"


class Row(NamedTuple):
    """How a file came out: the two builds against each other, and the first against what was there before."""

    file: str
    between: str
    before: str

    @property
    def differs(self) -> bool:
        """Whether there is anything to report."""
        return self.between != SAME or self.before not in (SAME, NOT_THERE)


def compare(
    one: Mapping[str, bytes], other: Mapping[str, bytes], before: Mapping[str, bytes], optional: Collection[str] = ()
) -> list[Row]:
    """Return a row for every file that any of the three holds, in the order of their paths.

    Parameters
    ----------
    one, other : mapping of str to bytes
        What the two builds made, by path.
    before : mapping of str to bytes
        What is committed or was there.
    optional : collection of str
        What need not be among ``before``.
    """
    rows = []
    for name in sorted({*one, *other, *before}):
        if name in one and name in other:
            between = describe_difference(name, one[name], other[name]) or SAME
        elif name in one or name in other:
            between = f"only the {'first' if name in one else 'second'} build made it"
        else:
            between = "neither build made it"
        built = one.get(name, other.get(name))
        expected = before.get(name)
        if built is None or (expected is None and name in optional):
            compared = NOT_THERE
        elif expected is None:
            compared = "new"
        else:
            compared = describe_difference(name, built, expected) or SAME
        rows.append(Row(name, between, compared))
    return rows


def table(rows: list[Row], before: str) -> str:
    """Return the rows as aligned columns under their headings."""
    lines = [Row("file", "two builds", before), *rows]
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def main() -> int:
    """Verify, print a table and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="list the files that are the same, too")
    given = parser.parse_args()
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    started = time.monotonic()
    committed = committed_files(PROJECT)
    before = built_files(PROJECT) if committed is None else committed
    heading = "what is there" if committed is None else "what is committed"
    with tempfile.TemporaryDirectory(prefix="rootdk-verify-") as place:
        surroundings = opposed_surroundings(Path(place))
        lay_out(PROJECT, surroundings)
        try:
            build_all(surroundings)
        except BuildError as error:
            print(error, file=sys.stderr)
            return 2
        one, other = (built_files(each.folder) for each in surroundings)
    optional = set() if committed is None else never_committed(PROJECT, {*one, *other})
    rows = compare(one, other, before, optional)
    differing = [row for row in rows if row.differs]
    if given.all or differing:
        print(table(rows if given.all else differing, f"against {heading}"), end="\n\n")
    seconds = f"{time.monotonic() - started:.0f} s"
    compared = sum(row.before != NOT_THERE for row in rows)
    if differing:
        print(f"{len(differing)} of {len(rows)} files differ ({seconds}).")
        return 1
    print(f"Two builds made the same {len(rows)} files; {compared} of them are {heading}, to the byte ({seconds}).")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("Stopped before the builds could be compared.")
    except OSError as error:
        print(f"The builds could not be set up: {error}.", file=sys.stderr)
        sys.exit(2)
