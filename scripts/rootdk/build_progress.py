"""How far a build is, and how long the rest of it takes."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from rootdk.build_messages import duration
from rootdk.whole_files import write_whole

# How long, in seconds, a build's own pace must have been seen to count as much as what is known from earlier builds.
TRUST = 3.0


class Progress:
    """The jobs of a build: which run, which have ended, and the time that is left.

    The time is what the jobs took in earlier builds, shared by the cores; the longer the build has run, the more its
    own pace counts. Where nothing is known of any job, they all count the same, and only the pace does.

    Parameters
    ----------
    jobs : iterable of str
        What each job does, such as ``draw max_weight``.
    durations : mapping of str to float
        Seconds that jobs took in earlier builds, by the same names.
    cores : int
        How many run at a time.
    clock : callable
        Returns the time in seconds.
    """

    def __init__(
        self,
        jobs: Iterable[str],
        durations: Mapping[str, float],
        cores: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        names = list(jobs)
        known = [durations[name] for name in names if name in durations]
        self._usual = sum(known) / len(known) if known else 1.0
        self._pace_is_known = bool(known)
        self._work = {name: durations.get(name, self._usual) for name in names}
        self.total = len(names)
        self._cores = max(1, min(cores, self.total))
        self._clock = clock
        self._began = clock()
        self._running: dict[int, tuple[str, float]] = {}
        self._started: list[str] = []
        self._ended: list[str] = []
        self._lock = threading.Lock()

    def start(self, job: int, name: str) -> bool:
        """Take note that a job starts; return False if it is none of those that are counted."""
        if name not in self._work:
            return False
        with self._lock:
            self._started.append(name)
            self._running[job] = (name, self._clock())
        return True

    def finish(self, job: int) -> None:
        """Take note that a job has ended, well or not."""
        with self._lock:
            if job in self._running:
                self._ended.append(self._running.pop(job)[0])

    def seconds_left(self) -> float | None:
        """Return how long the rest takes, or None where nothing tells yet."""
        with self._lock:
            elapsed = self._clock() - self._began
            ended = sum(self._work[name] for name in self._ended)
            ahead = sum(self._work.values()) - ended
            under_way = [
                (self._work[name], min(self._work[name], self._clock() - began))
                for name, began in self._running.values()
            ]
        if self._pace_is_known:
            done = ended + sum(spent for _, spent in under_way)
            pace = (self._cores * TRUST + done) / (TRUST + elapsed)
            longest = max((work - spent for work, spent in under_way), default=0.0)
            return max(longest, (ahead - done + ended) / pace)
        return ahead * elapsed / ended if ended else None

    def line(self) -> str:
        """Return which job started last, of how many, and how much time is left."""
        count = f"{len(self._started):>{len(str(self.total))}}/{self.total}"
        return f"[{count}] {self._started[-1]}{self._left()}"

    def status(self) -> str:
        """Return how many jobs have ended, which run, and how much time is left."""
        with self._lock:
            running = ", ".join(name for name, _ in self._running.values())
            count = f"{len(self._ended):>{len(str(self.total))}}/{self.total}"
        left = self._left().removeprefix(", ")
        return f"[{count}] {': '.join(part for part in (left, running) if part)}".rstrip()

    def _left(self) -> str:
        seconds = self.seconds_left()
        return "" if seconds is None or len(self._ended) == self.total else f", {duration(seconds)} left"


class Ticker:
    """Calls something every second until it is stopped."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._stopped = threading.Event()
        self._call = call
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it, and wait until it has ended."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(1.0):
            self._call()


def read_durations(path: Path) -> dict[str, float]:
    """Return how many seconds each job took when it last ran; empty if nothing that makes sense is stored."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(stored, dict):
        return {}
    return {name: float(took) for name, took in stored.items() if isinstance(took, int | float) and took >= 0}


def store_durations(path: Path, build_log: Path) -> None:
    """Add to what is stored how long the jobs of this build took; see ``workflow/run_job.py``."""
    try:
        log = build_log.read_text(encoding="utf-8")
        made = {name: float(took) for name, took in re.findall(r"^made (.+) in ([0-9.]+) s$", log, re.MULTILINE)}
        if made:
            write_whole(path, json.dumps(read_durations(path) | made, indent=1, sort_keys=True).encode())
    except OSError:
        return  # the next build then knows less of its time
