"""Two builds of the same sources in surroundings that have as little as possible in common."""

import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import matplotlib
from fontTools.ttLib import TTFont

BUILT = ("report.md", "data", "figures")
# What a project folder holds besides sources and results, where there is no git to ask.
LOCAL = (
    *(".git", ".venv*", ".snakemake", ".cache", "logs", "__pycache__", "*.part", ".hypothesis"),
    *(".pytest_cache", ".mypy_cache", ".ruff_cache"),
)
HOSTILE_SETTINGS = """
backend: svg
font.family: sans-serif
font.size: 23
lines.linewidth: 9
savefig.bbox: tight
savefig.facecolor: yellow
axes.grid: True
axes.formatter.use_locale: True
svg.hashsalt: another
svg.fonttype: none
pdf.compression: 1
path.simplify_threshold: 1.0
"""
DROPPED_VARIABLES = (
    *("LANG", "LANGUAGE", "TZ", "HOME", "PYTHONHASHSEED", "MATPLOTLIBRC"),
    *("MPLBACKEND", "MPLCONFIGDIR", "MPL_IGNORE_SYSTEM_FONTS"),
    *("PYTHONPATH", "PYTHONHOME", "SNAKEMAKE_PROFILE", "SOURCE_DATE_EPOCH", "XDG_CONFIG_HOME", "XDG_DATA_HOME"),
)
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
LINES_OF_A_FAILURE = 25


class Surroundings(NamedTuple):
    """Where and how a build runs."""

    folder: Path
    environment: dict[str, str]
    cores: int
    umask: int
    extra_files: Mapping[str, str]
    """What lies about in the project's folder besides the project, by path."""


class BuildError(Exception):
    """A build that failed; the message is its last words."""


def lay_out(project: Path, surroundings: Iterable[Surroundings]) -> None:
    """Make the project's folder in each of the surroundings: its sources, and what else is to lie there."""
    for each in surroundings:
        copy_sources(project, each.folder)
        for name, text in each.extra_files.items():
            (each.folder / name).write_text(text, encoding="utf-8")


def copy_sources(project: Path, folder: Path) -> None:
    """Copy what a build starts from: what git tracks or would track, or without git everything that is not built.

    Parameters
    ----------
    project : pathlib.Path
    folder : pathlib.Path
        Is made.
    """
    folder.mkdir(parents=True)
    for name in _sources(project):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(project / name, target)


def _sources(project: Path) -> list[str]:
    listed = _git(project, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = sorted({name for name in os.fsdecode(listed or b"").split("\0") if name})
    if "Snakefile" in names:  # else the project lies in the repository of something else, or in none
        return [name for name in names if name.split("/")[0] not in BUILT and (project / name).is_file()]
    ignore = shutil.ignore_patterns(*LOCAL)
    found = []
    for folder, folders, files in os.walk(project):
        place = Path(folder)
        left_out = ignore(folder, [*folders, *files])
        if place == project:
            left_out |= set(BUILT)
        folders[:] = sorted(set(folders) - left_out)
        found += [(place / name).relative_to(project).as_posix() for name in files if name not in left_out]
    return sorted(found)


def committed_files(project: Path) -> dict[str, bytes] | None:
    """Return the built files that git's HEAD holds, by path; None if the project is not in git."""
    listed = _git(project, "ls-tree", "-r", "-z", "--name-only", "HEAD", "--", *BUILT)
    names = [name for name in os.fsdecode(listed or b"").split("\0") if name]
    contents = {name: _git(project, "cat-file", "blob", f"HEAD:./{name}") for name in names}
    return {name: content for name, content in contents.items() if content is not None} or None


def never_committed(project: Path, names: Iterable[str]) -> set[str]:
    """Return those of some paths that git is told to ignore."""
    asked = b"".join(os.fsencode(name) + b"\0" for name in names)
    listed = _git(project, "check-ignore", "-z", "--stdin", "--no-index", stdin=asked)
    return {name for name in os.fsdecode(listed or b"").split("\0") if name}


def built_files(folder: Path) -> dict[str, bytes]:
    """Return what a build has made in a folder, by path."""
    files = []
    for name in BUILT:
        path = folder / name
        files += [path] if path.is_file() else [found for found in path.rglob("*") if found.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(files)}


def opposed_surroundings(place: Path) -> tuple[Surroundings, Surroundings]:
    """Make the homes of two builds below a folder, and return where and how to run each.

    Parameters
    ----------
    place : pathlib.Path
        An empty folder.

    Returns
    -------
    tuple of Surroundings
        Their project folders do not exist yet. The first has a hostile home, one core and one thread; the second an
        empty home that nothing can be written to, and all cores.
    """
    hostile, empty = place / "home of settings", place / "empty"
    _fill_hostile_home(hostile)
    empty.mkdir()
    empty.chmod(0o555)
    first, second = place / "première Prüfung (π ≈ 3)", place / "second"
    common = {
        name: value
        for name, value in os.environ.items()
        if name not in DROPPED_VARIABLES and not name.startswith("LC_") and name not in THREADS
    }
    settings = hostile / ".config" / "matplotlib"
    cores = os.cpu_count() or 2
    return (
        Surroundings(
            first,
            {
                **common,
                "HOME": str(hostile),
                "TZ": "Pacific/Kiritimati",
                "LC_ALL": "C",
                "LANG": "C",
                "PYTHONHASHSEED": "1",
                "MATPLOTLIBRC": str(settings / "matplotlibrc"),
                "MPLBACKEND": "svg",
                "XDG_CACHE_HOME": str(first / ".cache"),
                **dict.fromkeys(THREADS, "1"),
            },
            cores=1,
            umask=0o077,
            extra_files={"matplotlibrc": HOSTILE_SETTINGS},
        ),
        Surroundings(
            second,
            {
                **common,
                "HOME": str(empty),
                "TZ": "America/St_Johns",
                "LC_ALL": _other_locale(),
                "LANG": "C.UTF-8",
                "PYTHONHASHSEED": "4242",
                "XDG_CACHE_HOME": str(second / ".cache"),
                **dict.fromkeys(THREADS, str(cores)),
            },
            cores=max(2, cores),
            umask=0o022,
            extra_files={},
        ),
    )


def _fill_hostile_home(home: Path) -> None:
    """Make a home in which matplotlib would find other settings, another style and other fonts of the same name."""
    settings = home / ".config" / "matplotlib"
    for path in (settings / "matplotlibrc", settings / "stylelib" / "science.mplstyle"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HOSTILE_SETTINGS, encoding="utf-8")
    font = _renamed_font("STIXGeneral")
    for folder in (".fonts", ".local/share/fonts", "Library/Fonts"):
        (home / folder).mkdir(parents=True)
        (home / folder / "STIXGeneral.ttf").write_bytes(font)


def _renamed_font(family: str) -> bytes:
    """Return a font of matplotlib's that pretends to be another."""
    font = TTFont(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSansMono.ttf", recalcTimestamp=False)
    for record in list(font["name"].names):
        if record.nameID in (1, 4, 16):  # family, full name, typographic family
            font["name"].setName(family, record.nameID, record.platformID, record.platEncID, record.langID)
    buffer = io.BytesIO()
    font.save(buffer)
    return buffer.getvalue()


def _other_locale() -> str:
    """Return a locale with a decimal comma if this machine has one, else any with UTF-8."""
    try:
        listed = subprocess.run(["locale", "-a"], capture_output=True, check=False).stdout.decode("ascii", "replace")
    except OSError:
        listed = ""
    known = [name for name in listed.split() if re.search(r"utf-?8$", name, re.IGNORECASE)]
    with_comma = [name for name in known if name.startswith(("de_", "fr_", "tr_", "es_", "pl_", "nl_"))]
    return (with_comma or known or ["C.UTF-8"])[0]


def build_all(surroundings: Iterable[Surroundings]) -> None:
    """Build in all of them at the same time.

    Raises
    ------
    BuildError
        If one fails; the others are stopped.
    """
    running: list[tuple[Surroundings, subprocess.Popen[bytes], Path]] = []
    try:
        for each in surroundings:
            log = each.folder.with_name(f"{each.folder.name}.log")
            with log.open("wb") as output:
                process = subprocess.Popen(
                    [sys.executable, "-m", "snakemake", "--cores", str(each.cores)],
                    cwd=each.folder,
                    env=each.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    umask=each.umask,
                )
            running.append((each, process, log))
        for each, process, log in running:
            if process.wait() != 0:
                lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
                told = "\n".join(lines[-LINES_OF_A_FAILURE:])
                raise BuildError(f"The build in “{each.folder.name}” failed (exit code {process.returncode}):\n{told}")
    finally:
        for _, process, _ in running:
            if process.poll() is None:
                process.kill()
                process.wait()


def _git(project: Path, *arguments: str, stdin: bytes = b"") -> bytes | None:
    """Return what git prints, or None where it is missing or refuses."""
    environment: Mapping[str, str] = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=project, input=stdin, capture_output=True, check=False, env=environment
        )
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
