"""How much time a build says is left."""

from pathlib import Path

import pytest

from rootdk.build_progress import Progress, read_durations, store_durations


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def progress(jobs: list[str], durations: dict[str, float], cores: int = 1) -> tuple[Progress, Clock]:
    clock = Clock()
    return Progress(jobs, durations, cores, clock), clock


def test_the_time_left_is_that_of_earlier_builds_shared_by_the_cores() -> None:
    jobs = {"a": 4.0, "b": 6.0, "c": 10.0}
    assert progress([*jobs], jobs)[0].seconds_left() == pytest.approx(20)
    assert progress([*jobs], jobs, cores=2)[0].seconds_left() == pytest.approx(10)


def test_a_job_without_a_past_counts_like_the_others_on_average() -> None:
    assert progress(["a", "b", "new"], {"a": 4.0, "b": 6.0})[0].seconds_left() == pytest.approx(15)


def test_what_a_running_job_has_done_counts() -> None:
    told, clock = progress(["a", "b"], {"a": 10.0, "b": 10.0})
    told.start(1, "a")
    clock.now += 4
    assert told.seconds_left() == pytest.approx(16)


def test_a_job_that_takes_longer_than_ever_leaves_no_less_than_the_rest() -> None:
    told, clock = progress(["a", "b"], {"a": 1.0, "b": 30.0})
    told.start(1, "a")
    clock.now += 500
    left = told.seconds_left()
    assert left is not None
    assert left >= 30


def test_a_slower_machine_is_noticed() -> None:
    told, clock = progress(["a", "b", "c"], {"a": 10.0, "b": 10.0, "c": 10.0})
    told.start(1, "a")
    clock.now += 100
    told.finish(1)
    left = told.seconds_left()
    assert left is not None
    assert 100 < left < 200


def test_the_longest_running_job_is_waited_for_on_however_many_cores() -> None:
    told, clock = progress(["a", "b"], {"a": 60.0, "b": 1.0}, cores=8)
    told.start(1, "a")
    told.start(2, "b")
    clock.now += 1
    told.finish(2)
    left = told.seconds_left()
    assert left is not None
    assert left >= 59


def test_a_first_build_goes_by_its_own_pace() -> None:
    told, clock = progress(["a", "b", "c", "d"], {})
    told.start(1, "a")
    assert told.seconds_left() is None
    assert told.line() == "[1/4] a"
    clock.now += 5
    told.finish(1)
    assert told.seconds_left() == pytest.approx(15)
    told.start(2, "b")
    assert told.line() == "[2/4] b, 15 s left"
    assert told.status() == "[1/4] 15 s left: b"


def test_only_what_was_announced_is_counted() -> None:
    told, _ = progress(["a"], {})
    assert not told.start(7, "everything is there")
    told.finish(7)
    told.start(1, "a")
    told.finish(1)
    assert told.status() == "[1/1]"


def test_durations_are_kept_from_build_to_build(tmp_path: Path) -> None:
    log, stored = tmp_path / "build.log", tmp_path / "durations.json"
    assert read_durations(stored) == {}
    log.write_text("made draw a in 1.50 s\nkept draw b\nmade simulate in in 2.00 s\n", encoding="utf-8")
    store_durations(stored, log)
    assert read_durations(stored) == {"draw a": 1.5, "simulate in": 2.0}
    log.write_text("made draw a in 3.00 s\n", encoding="utf-8")
    store_durations(stored, log)
    assert read_durations(stored) == {"draw a": 3.0, "simulate in": 2.0}


@pytest.mark.parametrize("content", ["", "[1, 2]", '{"a": "long", "b": -1, "c": 2}', "\x00"])
def test_what_makes_no_sense_is_not_believed(tmp_path: Path, content: str) -> None:
    path = tmp_path / "durations.json"
    path.write_text(content, encoding="utf-8")
    assert read_durations(path) in ({}, {"c": 2.0})
