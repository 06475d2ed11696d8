"""The project's files as a git revision holds them, read without a checkout."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class RevisionError(Exception):
    """A revision cannot be read; the message is one sentence for whoever asked for it."""


class Revision(NamedTuple):
    """One commit: as it was asked for, its hash, its subject, and the wanted files by their path in the project."""

    name: str
    commit: str
    subject: str
    files: dict[str, bytes]


def read_revision(folder: Path, name: str, wanted: Callable[[str], bool]) -> Revision:
    """Return the wanted files of a revision.

    Parameters
    ----------
    folder : pathlib.Path
        The project's; it may be a folder inside a larger repository. Nothing in it is changed.
    name : str
        Any name that git knows: ``HEAD``, ``v1.0``, ``origin/main``, ``2b1d7a4``.
    wanted : callable
        Says of a path, relative to the folder and with ``/`` between its parts, whether to read it.

    Raises
    ------
    RevisionError
        If git is missing, the folder is not in a repository, or the revision or one of its files is not there.
    """
    _check_repository(folder)
    commit = _commit(folder, name)
    subject = _git(folder, "log", "-1", "--format=%s", commit).decode("utf-8", "replace").strip()
    blobs = {}
    for entry in _git(folder, "ls-tree", "-r", "-z", commit).split(b"\0"):
        facts, _, path = entry.partition(b"\t")
        if facts.split(b" ")[1:2] == [b"blob"] and wanted(os.fsdecode(path)):
            blobs[os.fsdecode(path)] = facts.split(b" ")[2].decode()
    return Revision(name, commit, subject, _contents(folder, blobs))


def _check_repository(folder: Path) -> None:
    try:
        inside = _run(folder, "rev-parse", "--is-inside-work-tree")
    except FileNotFoundError:
        raise RevisionError("git is not installed, and what moved is told from it; install git.") from None
    reason = inside.stderr.decode("utf-8", "replace")
    if "dubious ownership" in reason:
        raise RevisionError(
            "git refuses this folder because it belongs to another user; "
            "run `git config --global --add safe.directory <this folder>` if you trust it."
        )
    if inside.returncode or inside.stdout.strip() != b"true":
        raise RevisionError(
            "This folder is not in a git repository, so there is nothing to compare with; get the project with "
            "`git clone`, or run `git init` and commit once."
        )


def _commit(folder: Path, name: str) -> str:
    found = None if name.startswith("-") else _run(folder, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    if found is not None and found.returncode == 0:
        return found.stdout.decode().strip()
    if _run(folder, "rev-parse", "--verify", "--quiet", "HEAD").returncode:
        raise RevisionError("This repository has no commit yet, so there is nothing to compare with; commit once.")
    if _git(folder, "rev-parse", "--is-shallow-repository").strip() == b"true":
        raise RevisionError(
            f"This clone is shallow and does not hold the revision {name}; run `git fetch --unshallow` "
            "(on GitHub Actions, check out with `fetch-depth: 0`) and try again."
        )
    raise RevisionError(
        f"There is no revision {name} in this repository; give a commit, branch or tag that `git log --all` shows, "
        "after `git fetch` if it is elsewhere."
    )


def _contents(folder: Path, blobs: dict[str, str]) -> dict[str, bytes]:
    answer = _git(folder, "cat-file", "--batch", given="".join(f"{blob}\n" for blob in blobs.values()).encode())
    contents = {}
    start = 0
    for path in blobs:
        head, _, _ = answer[start:].partition(b"\n")
        if not head.split(b" ")[-1].isdigit():
            raise RevisionError(f"This clone lacks the content of {path} at that revision; run `git fetch` for it.")
        start += len(head) + 1
        size = int(head.split(b" ")[-1])
        contents[path] = answer[start : start + size]
        start += size + 1
    return contents


def _git(folder: Path, *arguments: str, given: bytes = b"") -> bytes:
    done = _run(folder, *arguments, given=given)
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it does not say why"]
        raise RevisionError(f"`git {arguments[0]}` failed: {reason[-1].removeprefix('fatal: ')}.")
    return done.stdout


def _run(folder: Path, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    # Without optional locks git never refreshes the index, which somebody else may be using.
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, input=given, capture_output=True, env=environment, check=False)
