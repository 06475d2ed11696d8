"""What a build could not make, and why."""

import re
from collections.abc import Collection, Hashable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

Job = TypeVar("Job", bound=Hashable)
LONGEST_CAUSE = 300
TRACEBACK = "Traceback (most recent call last):"


class Failure(NamedTuple):
    """A job that failed."""

    job: str
    """What it should have done, such as ``draw max_weight``."""
    cause: str
    """In one line."""
    log: str
    """Path of its log."""


def read_cause(log: Path) -> str:
    """Return in one line what a failed job's log says of the cause.

    Parameters
    ----------
    log : pathlib.Path

    Returns
    -------
    str
        Of a traceback the exception, behind the line of the project's code that it comes from; else the last line, or
        the first of a list, with the line that introduces it. Without the place where the project lies.
    """
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "it left no log"
    text = text.replace(f"{Path.cwd()}/", "")
    if TRACEBACK in text:
        cause = _of_traceback(text.rpartition(TRACEBACK)[2].splitlines())
    else:
        cause = _of_message([line.strip() for line in text.splitlines() if line.strip()])
    cause = cause.removesuffix(".")
    return cause if len(cause) <= LONGEST_CAUSE else f"{cause[: LONGEST_CAUSE - 1]}…"


def _of_traceback(lines: list[str]) -> str:
    raised = next((line.strip() for line in lines if line.strip() and not line.startswith(" ")), "an exception")
    places = re.findall(r'^  File "((?:scripts|workflow)/[^"]+)", line (\d+)', "\n".join(lines), re.MULTILINE)
    return f"{places[-1][0]}, line {places[-1][1]}: {raised}" if places else raised


def _of_message(lines: list[str]) -> str:
    if not lines:
        return "it says nothing"
    heads = [place for place, line in enumerate(lines[:-1]) if line.endswith(":")]
    if not heads:
        return lines[-1]
    head, first, *rest = lines[heads[0] :]
    more = f" (and {len(rest)} more)" if rest else ""
    return f"{head} {first}{more}"


def blame(
    failures: Mapping[Job, Failure], waiting: Collection[Job], depending: Mapping[Job, Iterable[Job]]
) -> dict[Job, Failure]:
    """Return the failure behind each job that was not run because of one.

    Parameters
    ----------
    failures : mapping
        The failed jobs.
    waiting : collection
        The jobs that were to run and did not.
    depending : mapping
        The jobs that directly need a job.

    Returns
    -------
    dict
        Without those of the waiting jobs that need none of the failed ones: the build was stopped before they ran.
    """
    found: dict[Job, Failure] = {}
    for failed, failure in failures.items():
        reached = [failed]
        while reached:
            for job in depending.get(reached.pop(), ()):
                if job in waiting and job not in found:
                    found[job] = failure
                    reached.append(job)
    return found


def list_failures(failures: Collection[Failure], not_made: Collection[str], total: int) -> str:
    """Return the end of a build in which jobs failed.

    Parameters
    ----------
    failures : collection of Failure
    not_made : collection of str
        What other jobs would have done.
    total : int
        How many jobs there were in all.
    """
    lines = [f"{len(failures)} of {total} {'job' if total == 1 else 'jobs'} failed:"]
    for failure in failures:
        lines += [f"  {failure.job}: {failure.cause}", f"    log: {failure.log}"]
    if not_made:
        lines.append(f"Not done because of that: {', '.join(not_made)}.")
    return "\n".join(lines)
