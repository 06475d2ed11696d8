"""Times the samplers beside the loop that the sources write, and checks what the project promises of their speed.

Everything happens in one run on one machine and one core, contenders taking turns. Times are those that the process
spent computing, so that others at work on the machine count as little as can be. What is checked are ratios of medians,
and the memory that a long sweep takes.

Exit code: 0 if every promise holds, 1 if one does not, 2 if something did not run.
"""

import argparse
import functools
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

if __name__ == "__main__":  # before numpy is imported
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

import numpy as np

from rootdk.attention_statistics import STATISTICS
from rootdk.samplers import DENSE, HEAD, ROW, Sampler, measure
from rootdk.seeded_blocks import DRAWS_PER_BLOCK, measure_blocks

TOKENS = (8, 16)
HEAD_WIDTHS = (64, 1024, 16_384, 2**20)
FLOOR, SOURCES, DENSE_HEADS, HEADS, ROWS = "floor", "sources' loop", "dense sampler", "head sampler", "row sampler"
QUICK = (FLOOR, HEADS, ROWS)  # milliseconds at every width
CONTENDERS = (FLOOR, SOURCES, DENSE_HEADS, HEADS, ROWS)

FLOOR_LIMIT = 3.0
SOURCES_LIMITS = {1024: 30.0, 16_384: 400.0}
FLATNESS_LIMIT = 1.2
MEGABYTES_LIMIT = 300.0
GROWTH_LIMIT = 1.05

ROWS_AT_ONCE = 32_768
TURNS = 5  # of the quick contenders in a round
NORMALS_AT_ONCE = 4_000_000  # of Q and K together; a fraction of a second
FEW_ROWS, MANY_ROWS = 10**6, 10**7


class Case(NamedTuple):
    """Who does it, and for which shape of head."""

    contender: str
    tokens: int
    d_k: int


class Peak(NamedTuple):
    """What a sweep over single rows took."""

    rows: int
    megabytes: float
    seconds: float


class Verdict(NamedTuple):
    """A promise, what was measured, and whether it is kept; exactly at its limit it is."""

    promise: str
    measured: float
    limit: float
    at_most: bool

    @property
    def holds(self) -> bool:
        return self.measured <= self.limit if self.at_most else self.measured >= self.limit


class NotRunError(Exception):
    """A sweep failed, so its memory is not known; the message ends with what it said last."""


def judge(seconds: Mapping[Case, Sequence[float]], few: Peak, many: Peak) -> list[Verdict]:
    """Return what is promised and what was measured.

    Parameters
    ----------
    seconds : mapping of Case to sequence of float
        Seconds per row, several numbers for every case.
    few, many : Peak
        Two sweeps of different lengths.

    Returns
    -------
    list of Verdict
    """
    medians = {case: statistics.median(times) for case, times in seconds.items()}
    verdicts = []
    for tokens in TOKENS:
        # The floor is the same at every width.
        floor = statistics.median(time for d_k in HEAD_WIDTHS for time in seconds[Case(FLOOR, tokens, d_k)])
        rows = {d_k: medians[Case(ROWS, tokens, d_k)] for d_k in HEAD_WIDTHS}
        for d_k, taken in rows.items():
            verdicts.append(Verdict(f"n {tokens}, d_k {d_k}: {ROWS} / {FLOOR}", taken / floor, FLOOR_LIMIT, True))
        for d_k, limit in SOURCES_LIMITS.items():
            faster = medians[Case(SOURCES, tokens, d_k)] / rows[d_k]
            verdicts.append(Verdict(f"n {tokens}, d_k {d_k}: {SOURCES} / {ROWS}", faster, limit, False))
        spread = max(rows.values()) / min(rows.values())
        verdicts.append(Verdict(f"n {tokens}: {ROWS}, slowest / fastest d_k", spread, FLATNESS_LIMIT, True))
    verdicts.append(Verdict(f"{many.rows} rows, MB at most", many.megabytes, MEGABYTES_LIMIT, True))
    growth = many.megabytes / few.megabytes
    verdicts.append(Verdict(f"memory of {many.rows} rows / {few.rows} rows", growth, GROWTH_LIMIT, True))
    return verdicts


def report(seconds: Mapping[Case, Sequence[float]], peaks: Sequence[Peak], verdicts: Sequence[Verdict]) -> str:
    """Return rows per second, the sweeps and the verdicts as three small aligned tables."""
    shapes = list(dict.fromkeys((case.tokens, case.d_k) for case in seconds))
    lines = ["Rows per second, each with all statistics that the sampler is right for, unscaled and scaled:", ""]
    lines.append(f"{'n':>4} {'d_k':>8}" + "".join(f"{name:>15}" for name in CONTENDERS))
    for tokens, d_k in shapes:
        rates = (1 / statistics.median(seconds[Case(name, tokens, d_k)]) for name in CONTENDERS)
        lines.append(f"{tokens:4} {d_k:8}" + "".join(f"{rate:15,.0f}" for rate in rates))
    lines += ["", f"{'rows':>12} {'peak MB':>8} {'s':>7}"]
    lines += [f"{peak.rows:12,} {peak.megabytes:8.1f} {peak.seconds:7.1f}" for peak in peaks]
    width = max(len(verdict.promise) for verdict in verdicts)
    lines += ["", f"{'':{width}}  measured    limit"]
    for verdict in verdicts:
        limit = f"{'≤' if verdict.at_most else '≥'} {verdict.limit:g}"
        said = "holds" if verdict.holds else "BEYOND ITS LIMIT"
        lines.append(f"{verdict.promise:{width}}  {verdict.measured:8.2f}  {limit:>7}  {said}")
    return "\n".join(lines)


def sources_loop(rng: np.random.Generator, *, tokens: int, d_k: int, draws: int) -> tuple[float, float]:
    """Return the mean largest weight, unscaled and scaled, as a lesson's loop finds it: one head after the other."""
    largest: tuple[list[float], list[float]] = ([], [])
    for _ in range(draws):
        Q = rng.standard_normal((tokens, d_k))
        K = rng.standard_normal((tokens, d_k))
        S = Q @ K.T
        for found, scores in zip(largest, (S, S / np.sqrt(d_k)), strict=True):
            weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
            weights /= weights.sum(axis=-1, keepdims=True)
            found.append(weights.max(axis=-1).mean())
    return float(np.mean(largest[0])), float(np.mean(largest[1]))


def floor(rng: np.random.Generator, *, tokens: int, rows: int) -> None:
    """Draw what rows cannot do without: n normals and 2n exponentials each, in arrays that stay in the cache."""
    at_once = 8192
    normals, powers = np.empty(at_once), np.empty(at_once)
    for _ in range(-(-rows * tokens // at_once)):
        rng.standard_normal(out=normals)
        np.exp(normals, out=powers)
        np.exp(normals, out=powers)


def work(case: Case, rng: np.random.Generator) -> tuple[Callable[[], object], int]:
    """Return what a case does in one round, and how many rows that is."""
    tokens, d_k = case.tokens, case.d_k
    shape = {"tokens": tokens, "d_k": d_k}
    heads = max(1, min(ROWS_AT_ONCE // tokens, NORMALS_AT_ONCE // (2 * tokens * d_k)))
    if case.contender == FLOOR:
        return functools.partial(floor, rng, tokens=tokens, rows=ROWS_AT_ONCE), ROWS_AT_ONCE
    if case.contender == SOURCES:
        return functools.partial(sources_loop, rng, **shape, draws=heads), heads * tokens
    sampler, draws = {
        DENSE_HEADS: (DENSE, heads),
        HEADS: (HEAD, ROWS_AT_ONCE // tokens),
        ROWS: (ROW, ROWS_AT_ONCE),
    }[case.contender]
    rows = draws if sampler.draw == "row" else draws * tokens
    return functools.partial(measure, sampler, rng, **shape, draws=draws, statistics=_all_of(sampler)), rows


def measure_cases(runs: int) -> dict[Case, list[float]]:
    """Return the seconds per row of every case, in rounds after one that warms up.

    The quick cases have several turns in a round, so that their medians are worth more.
    """
    rng = np.random.default_rng(0)
    cases = [Case(name, tokens, d_k) for tokens in TOKENS for d_k in HEAD_WIDTHS for name in CONTENDERS]
    quick = [case for case in cases if case.contender in QUICK]
    turns = quick * TURNS + [case for case in cases if case.contender not in QUICK]
    seconds: dict[Case, list[float]] = {case: [] for case in cases}
    for number in range(runs + 1):
        print(f"round {number} of {runs}" if number else "warming up", file=sys.stderr, flush=True)
        for case in turns:
            do, rows = work(case, rng)
            start = time.process_time()
            do()
            taken = time.process_time() - start
            if number:
                seconds[case].append(taken / rows)
    return seconds


def sweep(rows: int) -> Peak:
    """Measure at least so many single rows in seeded blocks in this process, and return its peak memory."""
    blocks = -(-rows // DRAWS_PER_BLOCK)
    start = time.process_time()
    measure_blocks(ROW, seed=0, experiment="bench", tokens=16, d_k=1024, blocks=blocks, statistics=_all_of(ROW))
    return Peak(rows, _peak_megabytes(), time.process_time() - start)


def sweep_elsewhere(rows: int) -> Peak:
    """Return what :func:`sweep` finds in a process of its own.

    Raises
    ------
    NotRunError
        If it ends with an error.
    """
    done = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), "--sweep", str(rows)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise NotRunError(f"the sweep over {rows} rows ended with exit code {done.returncode}:\n{done.stderr[-3000:]}")
    return Peak(*json.loads(done.stdout))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and judge; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=_positive, default=5, metavar="N", help="rounds; by default 5")
    parser.add_argument(
        "--rows",
        type=_positive,
        default=MANY_ROWS,
        metavar="N",
        help=f"length of the sweep whose memory is measured; by default {MANY_ROWS}, and 100000000 takes a minute",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write times and verdicts there as well")
    parser.add_argument("--sweep", type=_positive, metavar="N", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.sweep:
        print(json.dumps(sweep(given.sweep)))
        return 0
    try:
        few, many = sweep_elsewhere(FEW_ROWS), sweep_elsewhere(given.rows)
    except NotRunError as error:
        print(f"{Path(__file__).name}: {error}", file=sys.stderr)
        return 2
    seconds = measure_cases(given.runs)
    verdicts = judge(seconds, few, many)
    print(f"{given.runs} rounds, Python {platform.python_version()}, numpy {np.__version__}, one core\n")
    print(report(seconds, [few, many], verdicts))
    if given.json:
        given.json.write_text(json.dumps(_as_json(seconds, [few, many], verdicts), indent=2) + "\n", encoding="utf-8")
    return 0 if all(verdict.holds for verdict in verdicts) else 1


def _all_of(sampler: Sampler) -> list[str]:
    return [name for name, statistic in STATISTICS.items() if statistic.reach in sampler.right_for]


def _peak_megabytes() -> float:
    # On Linux, ru_maxrss begins with that of the process that started this one.
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is too few; at least 1")
    return number


def _as_json(
    seconds: Mapping[Case, Sequence[float]], peaks: Sequence[Peak], verdicts: Sequence[Verdict]
) -> dict[str, object]:
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "seconds_per_row": [
            {**case._asdict(), "median": statistics.median(times), "rounds": list(times)}
            for case, times in seconds.items()
        ],
        "sweeps": [peak._asdict() for peak in peaks],
        "verdicts": [{**verdict._asdict(), "holds": verdict.holds} for verdict in verdicts],
    }


if __name__ == "__main__":
    sys.exit(main())
