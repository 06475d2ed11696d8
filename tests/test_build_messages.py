"""What a build prints."""

import io
import logging
from pathlib import Path

import pytest
from snakemake.logging import LogEvent

from rootdk.build_messages import ShortMessages, StatusLine, describe_editions, duration, summarize
from rootdk.build_progress import Progress


def short_messages(jobs: int = 2, *, plans_only: bool = False) -> ShortMessages:
    short = ShortMessages(lambda: ["web: all there"], lambda: plans_only)
    short.progress = Progress(["draw one", "draw two", *map(str, range(jobs - 2))], {}, cores=2)
    return short


def record(message: str, **attributes: object) -> logging.LogRecord:
    made = logging.LogRecord("snakemake", logging.INFO, "", 0, message, None, None)
    made.__dict__.update(attributes)
    return made


def test_a_job_is_one_numbered_line() -> None:
    short = short_messages(34)
    first, second = (
        record("", event=LogEvent.JOB_INFO, rule_msg=f"draw {name}", jobid=job)
        for job, name in enumerate(("one", "two"))
    )
    assert short.filter(first)
    assert short.filter(second)
    assert [first.msg, second.msg] == ["[ 1/34] draw one", "[ 2/34] draw two"]
    assert first.event is None  # type: ignore[attr-defined]


def test_a_failed_job_keeps_its_log_and_loses_its_command_line() -> None:
    failed = record(
        "x", event=LogEvent.JOB_ERROR, input=["a", "b"], shellcmd="python " + "x" * 5000, log=["logs/a.log"]
    )
    assert short_messages().filter(failed)
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
        record("", event=LogEvent.JOB_INFO, rule_msg="everything is there", jobid=9),
        record("Job stats: …", event=LogEvent.RUN_INFO),
        record("Elapsed time: 0:00:14.374653"),
        record("Command '…' returned", event=LogEvent.ERROR, exception="RuleException"),
    ],
)
def test_chatter_is_dropped(dropped: logging.LogRecord) -> None:
    assert not short_messages().filter(dropped)


@pytest.mark.parametrize(
    "kept",
    [
        record("Nothing to be done."),
        record("Directory cannot be locked", event=LogEvent.ERROR, exception="LockException"),
    ],
)
def test_everything_else_is_printed(kept: logging.LogRecord) -> None:
    assert short_messages().filter(kept)


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


def test_a_build_with_nothing_to_do_ends_with_what_is_there() -> None:
    nothing = record("Nothing to be done (all requested files are present and up to date).")
    assert short_messages().filter(nothing)
    assert nothing.msg.splitlines()[1:] == ["web: all there"]


def test_a_silent_build_with_nothing_to_do_says_that_much(capsys: pytest.CaptureFixture[str]) -> None:
    short = ShortMessages(lambda: ["web: all there"], lambda: False, lambda: True)
    short.filter(record("Nothing to be done (all requested files are present and up to date)."))
    assert capsys.readouterr().err == "web: all there\n"


def test_a_dry_run_lists_its_jobs() -> None:
    short = short_messages(plans_only=True)
    assert short.filter(record("Job stats: …", event=LogEvent.RUN_INFO))
    planned = record("", event=LogEvent.JOB_INFO, rule_msg="draw one", jobid=1)
    assert short.filter(planned)
    assert planned.event == LogEvent.JOB_INFO  # type: ignore[attr-defined]


def test_on_a_terminal_jobs_share_one_line_that_makes_room_for_everything_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    stream = io.StringIO()
    short = short_messages()
    assert short.progress is not None
    line = StatusLine(stream, short.progress.status)
    job = record("", event=LogEvent.JOB_INFO, rule_msg="draw one", jobid=1)
    assert short.filter(job)
    assert not line.filter(job)
    assert stream.getvalue() == "\r\x1b[K[0/2] draw one"
    assert line.filter(record("Something else."))
    assert stream.getvalue() == "\r\x1b[K[0/2] draw one\r\x1b[K"
    line.show()
    assert stream.getvalue().endswith("\r\x1b[K"), "not while the other message is being written"


def test_the_line_on_a_terminal_never_wraps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    stream = io.StringIO()
    StatusLine(stream, lambda: "x" * 100).show()
    assert stream.getvalue() == "\r\x1b[K" + "x" * 18 + "…"


def test_an_edition_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "figures/web").mkdir(parents=True)
    for name in ("one.svg", "one.pdf", "two.svg", "two.pdf", "three.svg"):
        (tmp_path / "figures/web" / name).touch()
    editions = {"web": {"formats": ["svg", "pdf"]}}
    there = "figures (svg, pdf) in figures/web/"
    assert describe_editions(editions, ["one", "two"]) == [f"web: 2 {there}"]
    assert describe_editions(editions, ["one", "two", "three"]) == [f"web: 2 of 3 {there}"]
    assert describe_editions(editions, ["one", "two"], {"figures/web/two.pdf"}) == [f"web: 1 of 2 {there}"]
    assert describe_editions({**editions, "print": {"formats": ["pdf"]}}, ["one"])[1].startswith(
        "print: 0 of 1 figure "
    )


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, "1 s"), (7.6, "8 s"), (99, "99 s"), (100, "2 min"), (3570, "1 h 0 min"), (4800, "1 h 20 min")],
)
def test_times_are_told_as_people_tell_them(seconds: float, told: str) -> None:
    assert duration(seconds) == told
