"""What a build prints: one line a job, and of a failed one what its script said, without pages of command line."""

import csv
import logging
import os
import shutil
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from snakemake.logging import LogEvent, logger

CHATTER = (
    *("Select jobs to execute", "Execute ", "Waiting for", "Using shell", "Rules claiming more threads"),
    *("Restored previous version of ", "Complete log(s): ", "Elapsed time: "),
    *("Exiting because a job execution failed", "At least one job did not complete", "WorkflowError:\nAt least one"),
)
NOTHING_TO_DO = "Nothing to be done"
# Back to the line's beginning, and erase it.
ERASE = "\r\x1b[K"
MOMENT = 0.1  # seconds


class Timer(Protocol):
    """What knows how long the rest of a build takes; see ``rootdk.build_progress.Progress``."""

    def start(self, job: int, name: str) -> bool:
        """Take note that a job starts; return False if it is none of those that are counted."""

    def finish(self, job: int) -> None:
        """Take note that a job has ended, well or not."""

    def line(self) -> str:
        """Return which job started last, of how many, and how much time is left."""

    def status(self) -> str:
        """Return how many jobs have ended, which run, and how much time is left."""


class ShortMessages(logging.Filter):
    """Turns Snakemake's messages about jobs into one line each, ``[ 3/34] draw max_weight, 8 s left``.

    Of a failed job it keeps what tells an author what to do: its outputs, its log file and the log itself. Inputs and
    command lines are left to ``--verbose``.

    Parameters
    ----------
    endings : callable
        Returns the lines that follow where there is nothing to do.
    plans_only : callable
        Returns whether this run is a dry one, of which the list of jobs is the result.
    silent : callable
        Returns whether Snakemake is told to print nothing. Those lines are printed all the same.
    """

    def __init__(
        self,
        endings: Callable[[], Iterable[str]],
        plans_only: Callable[[], bool],
        silent: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__()
        self._endings = endings
        self._plans_only = plans_only
        self._silent = silent
        self.progress: Timer | None = None

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten a record, or drop it by returning False."""
        event = getattr(record, "event", None)
        if str(record.msg).startswith(NOTHING_TO_DO) and self._silent():
            print(*self._endings(), sep="\n", file=sys.stderr)
        elif str(record.msg).startswith(NOTHING_TO_DO):
            record.msg = "\n".join([str(record.msg), *self._endings()])
        if self._plans_only():
            return True
        if event in (LogEvent.PROGRESS, LogEvent.RUN_INFO):
            return False
        if event in (LogEvent.JOB_FINISHED, LogEvent.JOB_ERROR) and self.progress:
            self.progress.finish(getattr(record, "job_id", getattr(record, "jobid", -1)))
        if event == LogEvent.JOB_INFO and self.progress:
            name = str(getattr(record, "rule_msg", None) or getattr(record, "rule_name", ""))
            if not self.progress.start(getattr(record, "jobid", -1), name):
                return False
            record.msg = self.progress.line()
            record.event = None
            record.starts_job = True
        if event == LogEvent.JOB_ERROR:
            record.input = []
            record.shellcmd = None
            record.msg = ""
        if event == LogEvent.ERROR and getattr(record, "exception", "") == "RuleException":
            return False
        return event != LogEvent.JOB_FINISHED and not str(record.msg).startswith(CHATTER)


class StatusLine(logging.Filter):
    """One line at the bottom of a terminal that says what runs, in place of a line a job.

    It filters what is written to that terminal, so that it can make room for every other message.
    """

    def __init__(self, stream: Any, status: Callable[[], str]) -> None:
        super().__init__()
        self._stream = stream
        self._status = status
        self._erased = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Show the status instead of a job's line; make room for anything else."""
        if getattr(record, "starts_job", False):
            self.show()
            return False
        self.erase()
        return True

    def show(self) -> None:
        """Write the status, as much of it as fits, unless something else is just being written."""
        if time.monotonic() - self._erased < MOMENT:
            return
        columns = shutil.get_terminal_size().columns
        text = self._status()
        self._stream.write(ERASE + (text if len(text) < columns else text[: columns - 2] + "…"))
        self._stream.flush()

    def erase(self) -> None:
        """Leave the line empty."""
        self._erased = time.monotonic()
        self._stream.write(ERASE)
        self._stream.flush()


def shorten_messages(
    endings: Callable[[], Iterable[str]], plans_only: Callable[[], bool], silent: Callable[[], bool]
) -> ShortMessages:
    """Make this run print short messages, unless it is verbose, and return what shortens them."""
    short = ShortMessages(endings, plans_only, silent)
    if logger.level > logging.DEBUG and not any(isinstance(entry, ShortMessages) for entry in logger.filters):
        logger.addFilter(short)
    return short


def terminal() -> logging.StreamHandler | None:
    """Return what writes Snakemake's messages to a terminal that knows how to erase a line, if anything does."""
    if os.environ.get("TERM", "dumb") == "dumb" or sys.platform == "win32":
        return None
    for handler in logger.handlers:
        if isinstance(handler, logging.StreamHandler) and getattr(handler.stream, "isatty", bool)():
            return handler
    return None


def summarize(build_log: Path, seconds: float | None = None) -> str:
    """Return how many jobs of a build made something new, and how many found everything unchanged."""
    lines = build_log.read_text(encoding="utf-8").splitlines() if build_log.exists() else []
    made = sum(line.startswith("made ") for line in lines)
    kept = len(lines) - made
    ran = f"{made} {'job' if made == 1 else 'jobs'} ran"
    if seconds is not None:
        ran += f" in {duration(seconds)}"
    return f"{ran}; {kept} found unchanged what they depend on." if kept else f"{ran}."


def describe_claims(table: Path) -> list[str]:
    """Return how many claims of the chapter have which verdict, and which of them are not true.

    Parameters
    ----------
    table : pathlib.Path
        ``data/claims.csv``. Nothing is told of a file that is not there or holds something else.
    """
    try:
        with table.open(encoding="utf-8", newline="") as file:
            names: dict[str, list[str]] = {}
            for row in csv.DictReader(file):
                names.setdefault(row["verdict"], []).append(row["claim"])
    except (OSError, UnicodeDecodeError, KeyError, csv.Error):
        return []
    told = [f"{len(names['true'])} true"] if "true" in names else []
    told += [
        f"{len(names[verdict])} {verdict} ({', '.join(names[verdict])})"
        for verdict in sorted(names)
        if verdict != "true"
    ]
    where = "; the end of report.md says which sentences to rewrite" if set(names) - {"true"} else ""
    return [f"claims: {', '.join(told)}{where}"] if told else []


def describe_editions(
    editions: Mapping[str, Mapping[str, Any]], figures: Collection[str], not_made: Collection[str] = ()
) -> list[str]:
    """Return one line per edition, such as ``web: 14 figures (pdf, svg, png) in figures/web/``.

    Parameters
    ----------
    editions : mapping
        Of the config.
    figures : collection of str
        Their names.
    not_made : collection of str
        Paths of files that this build should have made and has not.
    """
    lines = []
    for edition, settings in editions.items():
        files = {name: [f"figures/{edition}/{name}.{kind}" for kind in settings["formats"]] for name in figures}
        there = sum(all(path not in not_made and os.path.exists(path) for path in paths) for paths in files.values())  # noqa: PTH110
        count = str(there) if there == len(figures) else f"{there} of {len(figures)}"
        noun = "figure" if len(figures) == 1 else "figures"
        lines.append(f"{edition}: {count} {noun} ({', '.join(settings['formats'])}) in figures/{edition}/")
    return lines


def duration(seconds: float) -> str:
    """Return a time as people say it: ``8 s``, ``3 min``, ``1 h 20 min``."""
    if seconds < 99.5:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
