"""Times the build beside what else one could do, in one run on one machine, and checks the project's speed promises.

Everything runs under the interpreter that runs this file; the packages are those of ``locks/bench.txt``. A second on
one machine is not a second on another, so what is checked are ratios of medians.

Exit code: 0 if every ratio holds, 1 if one is beyond its limit, 2 if something did not run.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parents[1]
FIGURE_FORMATS = (".pdf", ".svg", ".png")
NOTEBOOKS = ("heatmaps", "why_scale", "dimension_sweep")
CORES = 2

BUILD = "full build"
NOTHING = "build with nothing to do"
DEMOS = "three demo notebooks"
PLAIN = "one plain process"
VERSION = "snakemake --version"

# At the project's root: what a build makes, and what belongs to one machine.
GENERATED = ("data", "figures", "report.md", "logs")
LOCAL = (".git", ".venv*", ".snakemake", ".cache", ".hypothesis", ".pytest_cache", ".mypy_cache", ".ruff_cache")

# A setting of the machine that would slow some contenders down, or send them somewhere else.
DROPPED_VARIABLES = (
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONPYCACHEPREFIX",
    "MPLBACKEND",
    "MATPLOTLIBRC",
    "MPLCONFIGDIR",
    "IPYTHONDIR",
    "SNAKEMAKE_PROFILE",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
)


class Promise(NamedTuple):
    """One contender takes at most ``limit`` times as long as another."""

    contender: str
    reference: str
    limit: float


# The notebooks do what three of the sources do. The experiments that no source has may add a third to that.
PROMISES = (Promise(BUILD, DEMOS, 4 / 3), Promise(BUILD, PLAIN, 2.5), Promise(NOTHING, VERSION, 1.5))


class Verdict(NamedTuple):
    """A promise, the measured ratio of medians, and whether it is kept."""

    promise: Promise
    ratio: float
    holds: bool


class NotRunError(Exception):
    """A contender failed, so there is nothing to compare; the message ends with what it said last."""


def judge(seconds: Mapping[str, Sequence[float]], promises: Sequence[Promise] = PROMISES) -> list[Verdict]:
    """Return for each promise the ratio of the medians and whether it is within the limit.

    Parameters
    ----------
    seconds : mapping of str to sequence of float
        The times of each contender.
    promises : sequence of Promise, optional
        By default the project's.

    Returns
    -------
    list of Verdict
        In the order of the promises. A ratio exactly at its limit holds.
    """
    verdicts = []
    for promise in promises:
        ratio = statistics.median(seconds[promise.contender]) / statistics.median(seconds[promise.reference])
        verdicts.append(Verdict(promise, ratio, ratio <= promise.limit))
    return verdicts


def report(seconds: Mapping[str, Sequence[float]], verdicts: Sequence[Verdict]) -> str:
    """Return the times and the verdicts as two small aligned tables."""
    width = max(map(len, seconds))
    lines = [f"{'':{width}}  median s  min–max s"]
    lines += [
        f"{name:{width}}  {statistics.median(times):8.2f}  {min(times):.2f}–{max(times):.2f}"
        for name, times in seconds.items()
    ]
    titles = [f"{promise.contender} / {promise.reference}" for promise, _, _ in verdicts]
    width = max(map(len, titles))
    lines += ["", f"{'':{width}}  ratio  limit"]
    lines += [
        f"{title:{width}}  {ratio:5.2f}  {promise.limit:5.2f}  {'holds' if holds else 'BEYOND ITS LIMIT'}"
        for title, (promise, ratio, holds) in zip(titles, verdicts, strict=True)
    ]
    return "\n".join(lines)


def project_files(root: Path) -> list[Path]:
    """Return the files that make up the project, relative to its root: nothing built, nothing of this machine's.

    Parameters
    ----------
    root : pathlib.Path
        The project's folder. Where Git knows it, these are the files that Git tracks or would track; elsewhere all.

    Returns
    -------
    list of pathlib.Path
    """
    found = _known_to_git(root) or [
        (Path(folder) / name).relative_to(root) for folder, _, names in os.walk(root) for name in names
    ]
    return sorted(path for path in found if not _left_out(path) and (root / path).is_file())


def copy_project(root: Path, target: Path) -> None:
    """Copy the files that make up a project into a new folder.

    Parameters
    ----------
    root : pathlib.Path
        The project's folder.
    target : pathlib.Path
        Must not exist.
    """
    target.mkdir(parents=True)
    for path in project_files(root):
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / path, target / path)


def child_environment(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for all contenders: bytecode is kept, and nothing at home is read or written.

    Parameters
    ----------
    folder : pathlib.Path
        Where they find a home of their own, with a Jupyter kernel that is this interpreter.
    environment : mapping of str to str
        What to start from.

    Returns
    -------
    dict of str to str
    """
    home, jupyter = folder / "home", folder / "jupyter"
    kernel = jupyter / "kernels" / "python3"
    for made in (home, kernel, folder / "jupyter_runtime", folder / "jupyter_config"):
        made.mkdir(parents=True, exist_ok=True)
    specification = {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Python 3",
        "language": "python",
    }
    (kernel / "kernel.json").write_text(json.dumps(specification), encoding="utf-8")
    kept = {
        name: value
        for name, value in environment.items()
        if name not in DROPPED_VARIABLES and not name.startswith(("GIT_", "JUPYTER_"))
    }
    return kept | {
        "HOME": str(home),
        "JUPYTER_PATH": str(jupyter),
        "JUPYTER_DATA_DIR": str(jupyter),
        "JUPYTER_RUNTIME_DIR": str(folder / "jupyter_runtime"),
        "JUPYTER_CONFIG_DIR": str(folder / "jupyter_config"),
    }


def measure(project: Path, runs: int, folder: Path) -> dict[str, list[float]]:
    """Return the times of all contenders, which take turns so that a busy minute falls on all of them.

    Parameters
    ----------
    project : pathlib.Path
        What to build.
    runs : int
        How many rounds count; one more goes first, so that every contender finds its bytecode and caches.
    folder : pathlib.Path
        For copies and results; empty.

    Returns
    -------
    dict of str to list of float
        Seconds, one per round.

    Raises
    ------
    NotRunError
        If a contender fails, leaves work undone or does other work than the build.
    """
    environment = child_environment(folder, os.environ)
    seconds: dict[str, list[float]] = {name: [] for name in (BUILD, DEMOS, PLAIN, NOTHING, VERSION)}
    for turn in range(runs + 1):
        print(f"round {turn} of {runs}" if turn else "warming up", file=sys.stderr, flush=True)
        for name, time_taken in _round(project, folder / f"round{turn}", environment).items():
            if turn:
                seconds[name].append(time_taken)
        shutil.rmtree(folder / f"round{turn}")
    return seconds


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and judge; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=_positive, default=3, metavar="N", help="rounds; by default 3")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write times and ratios there as well")
    given = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="rootdk-bench-", ignore_cleanup_errors=True) as folder:
            seconds = measure(PROJECT, given.runs, Path(folder).resolve())
    except NotRunError as error:
        print(f"{Path(__file__).name}: {error}", file=sys.stderr)
        return 2
    verdicts = judge(seconds)
    print(f"{given.runs} rounds, Python {platform.python_version()}, the build on {CORES} of {os.cpu_count()} cores\n")
    print(report(seconds, verdicts))
    if given.json:
        given.json.write_text(json.dumps(_as_json(seconds, verdicts), indent=2) + "\n", encoding="utf-8")
    return 0 if all(verdict.holds for verdict in verdicts) else 1


def _round(project: Path, folder: Path, environment: dict[str, str]) -> dict[str, float]:
    """Run every contender once, those that work on the project each in a fresh copy of it, and return their times."""
    built, plain, notebooks = folder / "built", folder / "plain", folder / "notebooks"
    copy_project(project, built)
    copy_project(project, plain)
    snakemake = ["-m", "snakemake", "--cores", str(CORES)]
    execute = ["-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", str(notebooks)]

    taken = {BUILD: _timed(snakemake, built, environment)[0]}
    taken[DEMOS] = sum(
        _timed([*execute, str(plain / "bench" / f"{name}.ipynb")], plain, environment)[0] for name in NOTEBOOKS
    )
    output = folder / "output"
    taken[PLAIN] = _timed([str(plain / "bench" / "plain_process.py"), str(output)], plain, environment)[0]
    taken[NOTHING], said = _timed(snakemake, built, environment)
    taken[VERSION] = _timed(["-m", "snakemake", "--version"], built, environment)[0]

    if "Nothing to be done" not in said:
        raise NotRunError(f"the second build did something:\n{_tail(said)}")
    by_build, by_plain = _names(built / "figures"), _names(output / "figures")
    if by_build != by_plain:
        odd = ", ".join(sorted(by_build ^ by_plain))
        raise NotRunError(f"the build and {PLAIN} do not make the same figures: {odd}")
    return taken


def _timed(arguments: list[str], folder: Path, environment: dict[str, str]) -> tuple[float, str]:
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    taken = time.perf_counter() - start
    if done.returncode:
        command = " ".join(["python", *arguments])
        raise NotRunError(f"`{command}` ended with exit code {done.returncode}:\n{_tail(done.stdout)}")
    return taken, done.stdout


def _tail(text: str) -> str:
    return "\n".join(line if len(line) <= 300 else f"{line[:300]} …" for line in text.splitlines()[-30:])


def _known_to_git(root: Path) -> list[Path]:
    """Return what Git tracks or would track below a folder; nothing if there is no Git or no repository."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=root,
            env=environment,
            capture_output=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return []
    return [Path(os.fsdecode(name)) for name in listed.stdout.split(b"\0") if name]


def _left_out(path: Path) -> bool:
    top = Path(path.parts[0])
    return any(top.match(pattern) for pattern in (*GENERATED, *LOCAL)) or "__pycache__" in path.parts


def _names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.*") if path.suffix in FIGURE_FORMATS}


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} rounds are too few; at least 1")
    return number


def _as_json(seconds: Mapping[str, Sequence[float]], verdicts: Sequence[Verdict]) -> dict[str, object]:
    return {
        "python": platform.python_version(),
        "cores": CORES,
        "seconds": {
            name: {
                "median": statistics.median(times),
                "min": min(times),
                "max": max(times),
                "rounds": list(times),
            }
            for name, times in seconds.items()
        },
        "ratios": [{**promise._asdict(), "ratio": ratio, "holds": holds} for promise, ratio, holds in verdicts],
    }


if __name__ == "__main__":
    sys.exit(main())
