"""A build while it runs and when it ends: what Snakemake knows of its jobs, told to people."""

import json
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from snakemake.logging import logger

from rootdk.build_failures import Failure, blame, read_cause
from rootdk.build_messages import ShortMessages, StatusLine, terminal
from rootdk.build_progress import Progress, Ticker, read_durations, store_durations

REPORT = "report"  # the rule that writes the chapter


class BuildRun:
    """Tells of a build's jobs while they run: in one line that stays on a terminal, in a line a job elsewhere.

    Parameters
    ----------
    workflow : snakemake.workflow.Workflow
        About to run its first job.
    messages : ShortMessages
        What shortens its messages.
    durations : pathlib.Path
        Where to keep how long jobs take, from build to build.
    """

    def __init__(self, workflow: Any, messages: ShortMessages, durations: Path) -> None:
        jobs = [_name(job) for job in workflow.dag.needrun_jobs() if not job.is_norun]
        self.total = len(jobs)
        self._durations = durations
        self._began = time.monotonic()
        self._line: StatusLine | None = None
        self._ticker: Ticker | None = None
        messages.progress = progress = Progress(jobs, read_durations(durations), workflow.cores or len(jobs))
        quiet = {str(kind) for kind in workflow.output_settings.quiet or ()}
        handler = None if quiet & {"all", "progress", "rules"} or messages not in logger.filters else terminal()
        if handler:
            self._line = StatusLine(handler.stream, progress.status)
            handler.addFilter(self._line)
            self._ticker = Ticker(self._line.show)

    def end(self, build_log: Path) -> float:
        """Leave the terminal as it was, learn from the log how long jobs took, and return how long all took."""
        if self._ticker and self._line:
            self._ticker.stop()
            self._line.erase()
        store_durations(self._durations, build_log)
        return time.monotonic() - self._began


class Outcome(NamedTuple):
    """How a build ended that is not complete."""

    failures: list[Failure]
    """Jobs that failed."""
    undone: list[str]
    """What was not done because of them, besides the report."""
    not_made: dict[str, Failure]
    """Files that were not made because of them, by path."""
    unfinished: set[str]
    """All files that were not made."""
    stopped: bool
    """Whether jobs were left that could have run."""
    report: Any
    """The job of the report, if nothing but failures kept it from running; else None."""


def read_outcome(dag: Any, scheduler: Any) -> Outcome:
    """Return how a build ended of which a job failed, or which was stopped."""
    jobs = sorted((job for job in dag.needrun_jobs() if not dag.finished(job)), key=_name)
    failures = {
        job: Failure(_name(job), read_cause(Path(str(job.log[0]))), str(job.log[0]))
        for job in jobs
        if job in scheduler.failed
    }
    blamed = blame(failures, [job for job in jobs if job not in failures], dag.depending)
    behind = {**failures, **blamed}
    stopped = len(behind) < len(jobs)
    report = next((job for job in blamed if job.rule.name == REPORT and not stopped), None)
    return Outcome(
        list(failures.values()),
        [_name(job) for job in jobs if job in blamed and job is not report and not job.is_norun],
        {str(path): failure for job, failure in behind.items() for path in job.output},
        {str(path) for job in jobs for path in job.output},
        stopped,
        report,
    )


def write_incomplete_report(job: Any, not_made: Mapping[str, Failure]) -> list[str]:
    """Write the report with marks where something is missing.

    Parameters
    ----------
    job : snakemake.jobs.Job
        The report's, which could not run. Its parameter ``command`` is the script and its arguments.
    not_made : mapping of str to Failure
        Files that were not made, by path.

    Returns
    -------
    list of str
        What to say of it.
    """
    log = Path(str(job.log[0]))
    missing = {path: failure._asdict() for path, failure in not_made.items() if path in job.input}
    command = [*shlex.split(job.params.command), "--not-made", json.dumps(missing)]
    with log.open("wb") as output:
        code = subprocess.call(
            [sys.executable, "-E", "-s", "-S", "workflow/warm_python.py", "tables", *command],
            stdout=output,
            stderr=output,
        )
    if code != 0:
        return [f"report.md is left as it was and is not up to date: {read_cause(log)}", f"    log: {log}"]
    return ["report.md says where something is missing."]


def _name(job: Any) -> str:
    """Return what a job does, such as ``draw max_weight``."""
    return str(job.message or job.rule.name)
