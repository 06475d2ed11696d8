"""What a failed job prints: which one, and what its script said, without the command line."""

import logging

from snakemake.logging import LogEvent, logger


class ShortFailures(logging.Filter):
    """Keeps of a failed job's message what tells an author what to do: its outputs, its log file and the log itself.

    Inputs and command lines, pages long since each job declares every file that it depends on, stay in Snakemake's
    own record of the run only under ``--verbose``.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten the record of a failed job, and drop the exception that repeats its command line."""
        event = getattr(record, "event", None)
        if event == LogEvent.JOB_ERROR:
            record.input = []
            record.shellcmd = None
            record.msg = ""
        return not (event == LogEvent.ERROR and getattr(record, "exception", "") == "RuleException")


def shorten_failures() -> None:
    """Make failed jobs of this run print short messages, unless it is verbose."""
    if logger.level > logging.DEBUG and not any(isinstance(entry, ShortFailures) for entry in logger.filters):
        logger.addFilter(ShortFailures())
