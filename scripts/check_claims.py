"""Stops a build whose chapter says what its own tables contradict, if it was written for this very config.

An author's config is another matter: there the chapter marks what is not so, and the author rewrites it.
"""

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from rootdk.claims import DOES_NOT_APPLY
from rootdk.tables import read_table
from rootdk.whole_files import write_whole


def config_digest(setup: Mapping[str, Any]) -> str:
    """Return the digest of ``experiments`` of a config, in the one spelling that equal values share."""
    return hashlib.sha256(json.dumps(setup, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def broken_claims(claims: pd.DataFrame) -> list[str]:
    """Return a sentence for each claim that is false, or asks for numbers that there are not."""
    return [
        f"{row['claim']} {'is false' if row['verdict'] == 'false' else row['verdict']}: {row['reason']}."
        for row in claims.to_dict("records")
        if row["verdict"] in ("false", DOES_NOT_APPLY)
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("setup", type=json.loads, help="experiments of config.yaml, as JSON")
    parser.add_argument("--claims", type=Path, required=True, help="data/claims.csv")
    parser.add_argument("--written-for", type=Path, required=True, help="the digest of the config it was written for")
    parser.add_argument("--output", type=Path, required=True, help="written if the chapter may stand")
    given = parser.parse_args()
    broken = broken_claims(read_table(given.claims))
    try:
        written_for = given.written_for.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"{given.written_for} cannot be read: {error}.")
    if not re.fullmatch("[0-9a-f]{64}", written_for):
        sys.exit(
            f"{given.written_for} should hold the SHA-256 digest of the config that the chapter was written for, 64 "
            f"hexadecimal digits. That of the present one is {config_digest(given.setup)}."
        )
    if broken and config_digest(given.setup) == written_for:
        sys.exit("The chapter says what its own tables contradict:\n" + "\n".join(broken))
    write_whole(given.output, b"The chapter may stand.\n")
