"""Prints what a figure file says of its making: its words, seeds, digests of what went into it, and versions."""

import argparse
import sys
from pathlib import Path

from rootdk.provenance import ForeignFileError, read_provenance, written_out

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="a PNG, PDF or SVG that this project made, also a copy of one")
    given = parser.parse_args()
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    try:
        print(written_out(read_provenance(given.file)))
    except ForeignFileError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
