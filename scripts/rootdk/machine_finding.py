"""One line of what ``make doctor`` finds. Like all of its modules it runs on any Python 3 that a machine may have."""

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

OK, NOTE, WARNING, MISSING, BLOCKED = "ok", "note", "warning", "missing", "blocked"
# A build cannot run with one of these.
FATAL = (MISSING, BLOCKED)
PATIENCE = 20  # seconds for a program to answer


class Finding(NamedTuple):
    """What was looked at, whether it is as it should be, and what to do if not."""

    state: str
    """``ok``; ``note``, which needs nothing done; ``warning``; ``missing`` or ``blocked``: a build cannot run."""
    about: str
    text: str


def ask(command: "list[str]", folder: "Path | None" = None) -> "tuple[int, str]":
    """Return a program's exit code and what it says, with -1 if it cannot be asked."""
    try:
        done = subprocess.run(
            command,
            cwd=None if folder is None else str(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return -1, str(error)
    return done.returncode, done.stdout.decode("utf-8", "replace").strip()


def counted(names: "list[str]", most: int = 4) -> str:
    """Return some names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
