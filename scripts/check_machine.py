"""Tells what this machine has and lacks for a build, one line each, and what to do about it; runs on any Python 3.

Exit code: 0 if a build can run, 1 if something that it needs is missing or in its way.
"""

import shutil
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from rootdk import machine_place, machine_python, machine_tools
from rootdk.machine_finding import FATAL, NOTE, WARNING, Finding

PROJECT = Path(__file__).resolve().parents[1]
WIDEST, NARROWEST = 120, 60

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Check = Callable[[], "Finding | list[Finding]"]


def checks(project: Path) -> "list[tuple[str, Check]]":
    """Return what to look at, in the order in which it is told."""
    version = tuple(sys.version_info[:3])
    has = machine_python.has_environment(project)
    return [
        ("Python", lambda: machine_python.check_python(version, has_environment=has)),
        ("venv", lambda: machine_python.check_venv(has_environment=has)),
        ("C compiler", lambda: machine_python.check_compiler(version, has_environment=has)),
        (".venv", lambda: machine_python.check_environment(project)),
        ("fonts", lambda: machine_python.check_fonts(project)),
        ("make", machine_tools.check_make),
        ("git", lambda: machine_tools.check_git(project)),
        ("TeX", machine_tools.check_tex),
        ("pandoc", lambda: machine_tools.check_optional("pandoc")),
        ("quarto", lambda: machine_tools.check_optional("quarto")),
        ("write access", lambda: machine_place.check_access(project)),
        ("disk", lambda: machine_place.check_room(project, has_environment=has)),
        ("processor", machine_place.check_processor),
        ("lock", lambda: machine_place.check_lock(project)),
        ("leftovers", lambda: machine_place.check_leftovers(project)),
    ]


def examine(to_check: "Iterable[tuple[str, Check]]") -> "list[Finding]":
    """Return what the checks find; one that breaks is a finding, too."""
    findings: list[Finding] = []
    for about, check in to_check:
        try:
            found = check()
        except Exception as error:
            found = Finding(WARNING, about, f"cannot be told: {type(error).__name__}: {error}")
        findings += found if isinstance(found, list) else [found]
    return findings


def layout(findings: "list[Finding]", columns: int) -> str:
    """Return the findings as text, each one line where it fits."""
    states = max(len(finding.state) for finding in findings)
    names = max(len(finding.about) for finding in findings)
    lines = []
    for finding in findings:
        head = f"{finding.state.ljust(states)}  {finding.about.ljust(names)}  "
        lines += textwrap.wrap(
            f"{head}{finding.text}",
            width=max(NARROWEST, min(columns, WIDEST)),
            subsequent_indent=" " * len(head),
            break_long_words=False,
            break_on_hyphens=False,
            drop_whitespace=True,
            replace_whitespace=False,
        )
    return "\n".join(lines)


def verdict(findings: "list[Finding]") -> str:
    """Return in one sentence whether a build can run."""
    in_the_way = [finding.about for finding in findings if finding.state in FATAL]
    if in_the_way:
        return f"A build cannot run here yet: {', '.join(in_the_way)}."
    warnings = sum(finding.state == WARNING for finding in findings)
    notes = sum(finding.state == NOTE for finding in findings)
    if warnings:
        return f"A build can run here; {warnings} {'warning' if warnings == 1 else 'warnings'}."
    return "A build can run here." if notes == 0 else "A build can run here; the notes need nothing done."


def main() -> int:
    """Print what is found and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    findings = examine(checks(PROJECT))
    print(layout(findings, shutil.get_terminal_size((100, 24)).columns))
    print()
    print(verdict(findings))
    return int(any(finding.state in FATAL for finding in findings))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("Stopped.")
