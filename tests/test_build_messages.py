"""What a build prints."""

import logging
from pathlib import Path

import pytest
from snakemake.logging import LogEvent

from rootdk.build_messages import ShortMessages, summarize


def record(message: str, **attributes: object) -> logging.LogRecord:
    made = logging.LogRecord("snakemake", logging.INFO, "", 0, message, None, None)
    made.__dict__.update(attributes)
    return made


def test_a_job_is_one_numbered_line() -> None:
    short = ShortMessages(34)
    first, second = (record("", event=LogEvent.JOB_INFO, rule_msg=f"draw {name}") for name in ("one", "two"))
    assert short.filter(first)
    assert short.filter(second)
    assert [first.msg, second.msg] == ["[ 1/34] draw one", "[ 2/34] draw two"]
    assert first.event is None  # type: ignore[attr-defined]


def test_a_failed_job_keeps_its_log_and_loses_its_command_line() -> None:
    failed = record(
        "x", event=LogEvent.JOB_ERROR, input=["a", "b"], shellcmd="python " + "x" * 5000, log=["logs/a.log"]
    )
    assert ShortMessages(1).filter(failed)
    assert failed.input == []  # type: ignore[attr-defined]
    assert failed.shellcmd is None  # type: ignore[attr-defined]
    assert failed.log == ["logs/a.log"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "dropped",
    [
        record("Select jobs to execute..."),
        record("Execute 2 jobs..."),
        record("Finished jobid: 2 (Rule: draw)", event=LogEvent.JOB_FINISHED),
        record("", event=LogEvent.PROGRESS, done=1, total=2),
        record("Command '…' returned", event=LogEvent.ERROR, exception="RuleException"),
    ],
)
def test_chatter_is_dropped(dropped: logging.LogRecord) -> None:
    assert not ShortMessages(2).filter(dropped)


@pytest.mark.parametrize(
    "kept",
    [
        record("Nothing to be done."),
        record("Directory cannot be locked", event=LogEvent.ERROR, exception="LockException"),
    ],
)
def test_everything_else_is_printed(kept: logging.LogRecord) -> None:
    assert ShortMessages(2).filter(kept)


@pytest.mark.parametrize(
    ("log", "summary"),
    [
        (None, "0 jobs ran."),
        ("made draw a in 1.00 s\n", "1 job ran."),
        (
            "made draw a in 1.00 s\nkept draw b\nmade x in 2.00 s\n",
            "2 jobs ran; 1 found unchanged what they depend on.",
        ),
    ],
)
def test_a_build_ends_with_what_it_did(tmp_path: Path, log: str | None, summary: str) -> None:
    if log is not None:
        (tmp_path / "build.log").write_text(log, encoding="utf-8")
    assert summarize(tmp_path / "build.log") == summary
