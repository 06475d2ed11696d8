"""What a build prints: one line a job, and of a failed one what its script said, without pages of command line."""

import logging
from pathlib import Path

from snakemake.logging import LogEvent, logger

CHATTER = ("Select jobs to execute", "Execute ", "Waiting for")


class ShortMessages(logging.Filter):
    """Turns Snakemake's messages about jobs into one line each, ``[ 3/34] draw max_weight``.

    Of a failed job it keeps what tells an author what to do: its outputs, its log file and the log itself. Inputs and
    command lines are left to ``--verbose``.
    """

    def __init__(self, total: int) -> None:
        super().__init__()
        self._started = 0
        self._total = total

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten a record, or drop it by returning False."""
        event = getattr(record, "event", None)
        if event == LogEvent.PROGRESS:
            return False
        if event == LogEvent.JOB_INFO:
            self._started += 1
            count = f"{self._started:>{len(str(self._total))}}/{self._total}"
            record.msg = f"[{count}] {getattr(record, 'rule_msg', None) or getattr(record, 'rule_name', '')}"
            record.event = None
        if event == LogEvent.JOB_ERROR:
            record.input = []
            record.shellcmd = None
            record.msg = ""
        if event == LogEvent.ERROR and getattr(record, "exception", "") == "RuleException":
            return False
        return event != LogEvent.JOB_FINISHED and not str(record.msg).startswith(CHATTER)


def shorten_messages(total: int) -> None:
    """Make the jobs of this run, of which there are so many in all, print short messages, unless it is verbose."""
    if logger.level > logging.DEBUG and not any(isinstance(entry, ShortMessages) for entry in logger.filters):
        logger.addFilter(ShortMessages(total))


def summarize(build_log: Path) -> str:
    """Return how many jobs of a build made something new, and how many found everything unchanged."""
    lines = build_log.read_text(encoding="utf-8").splitlines() if build_log.exists() else []
    made = sum(line.startswith("made ") for line in lines)
    kept = len(lines) - made
    ran = f"{made} {'job' if made == 1 else 'jobs'} ran"
    return f"{ran}; {kept} found unchanged what they depend on." if kept else f"{ran}."
