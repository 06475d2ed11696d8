import json
import sys

import numpy as np
import pytest
from test_bench import load

from rootdk.attention import softmax
from rootdk.attention_statistics import ROW_STATISTICS, STATISTICS
from rootdk.dense_heads import draw_scores

bench = load("measure_samplers")
FEW, MANY = bench.Peak(10**6, 50.0, 1.0), bench.Peak(10**7, 51.0, 10.0)


def times(**row_times):
    """Return times that keep every promise, but for those given as ``n8_d1024=seconds``."""
    seconds = {}
    for tokens in bench.TOKENS:
        for d_k in bench.HEAD_WIDTHS:
            usual = {bench.FLOOR: 1.0, bench.SOURCES: 2.0 * d_k, bench.DENSE_HEADS: 3.0 * d_k, bench.HEADS: 5.0}
            for name, taken in {**usual, bench.ROWS: row_times.get(f"n{tokens}_d{d_k}", 2.0)}.items():
                seconds[bench.Case(name, tokens, d_k)] = [taken, 0.9 * taken, 40 * taken]
            seconds[bench.Case(bench.ROWS, tokens, d_k)] = [row_times.get(f"n{tokens}_d{d_k}", 2.0)] * 3
            seconds[bench.Case(bench.FLOOR, tokens, d_k)] = [0.5, 1.0, 40.0]
    return seconds


def beyond(verdicts):
    return [verdict.promise for verdict in verdicts if not verdict.holds]


def test_everything_holds_within_its_limits():
    verdicts = bench.judge(times(), FEW, MANY)
    assert beyond(verdicts) == []
    assert len(verdicts) == 2 * (4 + 2 + 1) + 2
    assert {verdict.limit for verdict in verdicts} == {3, 30, 400, 1.2, 300, 1.05}


def test_a_row_sampler_far_above_the_floor_is_beyond_its_limit():
    assert beyond(bench.judge(times(**{f"n8_d{d_k}": 3.0 for d_k in bench.HEAD_WIDTHS}), FEW, MANY)) == []
    verdicts = bench.judge(times(**{f"n8_d{d_k}": 3.1 for d_k in bench.HEAD_WIDTHS}), FEW, MANY)
    assert beyond(verdicts) == [f"n 8, d_k {d_k}: row sampler / floor" for d_k in bench.HEAD_WIDTHS]


def test_a_row_sampler_that_grows_with_the_width_is_beyond_its_limit():
    assert beyond(bench.judge(times(n16_d1048576=2.4), FEW, MANY)) == []
    assert beyond(bench.judge(times(n16_d1048576=2.5), FEW, MANY)) == ["n 16: row sampler, slowest / fastest d_k"]


@pytest.mark.parametrize(("d_k", "least"), [(1024, 30), (16_384, 400)])
def test_the_sources_loop_has_to_take_many_times_as_long(d_k, least):
    seconds = times()
    case = bench.Case(bench.SOURCES, 8, d_k)
    seconds[case] = [2.0 * least]
    assert beyond(bench.judge(seconds, FEW, MANY)) == []
    seconds[case] = [1.99 * least]
    assert beyond(bench.judge(seconds, FEW, MANY)) == [f"n 8, d_k {d_k}: sources' loop / row sampler"]


def test_memory_has_a_limit_and_does_not_grow():
    assert beyond(bench.judge(times(), FEW, MANY._replace(megabytes=52.6))) == [
        "memory of 10000000 rows / 1000000 rows"
    ]
    large = [peak._replace(megabytes=301.0) for peak in (FEW, MANY)]
    assert beyond(bench.judge(times(), *large)) == ["10000000 rows, MB at most"]


def test_the_report_has_a_row_for_every_shape_and_names_what_is_beyond_its_limit():
    seconds = times(n8_d64=2.5)
    text = bench.report(seconds, [FEW, MANY], bench.judge(seconds, FEW, MANY))
    (line,) = (line for line in text.splitlines() if "BEYOND" in line)
    assert line.startswith("n 8: row sampler, slowest / fastest d_k ")
    assert line.endswith(" 1.25    ≤ 1.2  BEYOND ITS LIMIT")
    rates = [line.split() for line in text.splitlines()[3:11]]
    assert [(int(rate[0]), int(rate[1])) for rate in rates] == [(n, d) for n in (8, 16) for d in bench.HEAD_WIDTHS]
    assert rates[0][2:] == ["1", "0", "0", "0", "0"]


# What is timed


def test_the_sources_loop_draws_the_published_stream():
    found = bench.sources_loop(np.random.default_rng(1), tokens=4, d_k=9, draws=5)
    scores = np.concatenate(list(draw_scores(np.random.default_rng(1), tokens=4, d_k=9, draws=5)))
    expected = [softmax(scores / divisor).max(axis=-1).mean() for divisor in (1, 3)]
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", [bench.HEADS, bench.ROWS, bench.DENSE_HEADS])
def test_samplers_measure_all_that_they_are_right_for(name, monkeypatch):
    monkeypatch.setattr(bench, "ROWS_AT_ONCE", 40)
    do, rows = bench.work(bench.Case(name, 8, 16), np.random.default_rng(1))
    measured = do()
    assert {key for _, key in measured} == set(ROW_STATISTICS if name == bench.ROWS else STATISTICS)
    draws = {len(values) for values in measured.values()}
    assert draws == {rows if name == bench.ROWS else rows // 8}
    assert rows == 40


def test_the_floor_draws_no_less_than_it_says(monkeypatch):
    rng = np.random.default_rng(1)
    bench.floor(rng, tokens=3, rows=3000)
    other = np.random.default_rng(1)
    other.standard_normal(9000)
    drawn = other.standard_normal(2 * 8192 - 9000 + 1)
    assert rng.standard_normal() == drawn[-1]


def test_every_case_is_timed_in_every_round(monkeypatch, capsys):
    monkeypatch.setattr(bench, "work", lambda case, rng: (lambda: None, 1))
    seconds = bench.measure_cases(2)
    assert {case.contender for case in seconds} == set(bench.CONTENDERS)
    for case, taken in seconds.items():
        assert len(taken) == (2 * bench.TURNS if case.contender in bench.QUICK else 2)


def test_a_sweep_in_a_process_of_its_own_tells_its_peak():
    peak = bench.sweep_elsewhere(20_000)
    assert peak.rows == 20_000
    assert 10 < peak.megabytes < 300


def test_a_sweep_that_fails_is_no_verdict(monkeypatch, capsys):
    monkeypatch.setattr(sys, "executable", "false")
    assert bench.main([]) == 2
    assert "ended with exit code 1" in capsys.readouterr().err


@pytest.mark.parametrize(("slow", "code"), [(2.0, 0), (9.0, 1)])
def test_the_exit_code_and_the_file_say_the_same(slow, code, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bench, "measure_cases", lambda runs: times(n8_d64=slow))
    monkeypatch.setattr(bench, "sweep_elsewhere", lambda rows: FEW if rows == FEW.rows else MANY)
    file = tmp_path / "times.json"
    assert bench.main(["--json", str(file)]) == code
    written = json.loads(file.read_text())
    assert all(verdict["holds"] for verdict in written["verdicts"]) is (code == 0)
    assert len(written["seconds_per_row"]) == 2 * 4 * 5


@pytest.mark.parametrize("option", ["--runs", "--rows"])
@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_numbers_that_cannot_be_are_refused(option, number, capsys):
    with pytest.raises(SystemExit):
        bench.main([option, number])
