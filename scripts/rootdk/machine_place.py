"""The place where a build would run: room, access, and what earlier builds have left behind."""

import contextlib
import os
import re
import shutil
import socket
import tempfile
import time
from pathlib import Path

from rootdk.machine_finding import BLOCKED, MISSING, OK, WARNING, Finding, ask, counted

MEBIBYTE = 2**20
ROOM_TO_BUILD = 200 * MEBIBYTE
ROOM_TO_INSTALL = 1500 * MEBIBYTE
MEMORY = 1024 * MEBIBYTE
STALE = 3600  # seconds


def check_access(project: Path) -> Finding:
    """Tell whether the project, what is built in it and its cache can be written."""
    places = [project, *(project / name for name in (".cache", ".snakemake", "data", "figures", "figures/web", "logs"))]
    refused = [path for path in places if path.is_dir() and not _can_write(path)]
    names = [_name(path, project) for path in refused]
    if names:
        return Finding(MISSING, "write access", f"none to {', '.join(names)}: `ls -ld` tells whose it is")
    cache = ".cache" if (project / ".cache").is_dir() else "this folder, where .cache will be"
    return Finding(OK, "write access", f"to the project and to its cache ({cache})")


def _can_write(folder: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=str(folder)):
            return True
    except OSError:
        return False


def check_room(project: Path, *, has_environment: bool, free: "int | None" = None) -> Finding:
    """Tell whether there is room on the disk."""
    free = shutil.disk_usage(str(project)).free if free is None else free
    needed = ROOM_TO_BUILD if has_environment else ROOM_TO_INSTALL
    told = f"{_size(free)} free"
    if free < needed:
        what = "a build" if has_environment else "the environment and a build"
        return Finding(MISSING, "disk", f"{told}; {what} may take {_size(needed)}: make room")
    return Finding(OK, "disk", told)


def check_processor(cores: "int | None" = None, memory: "int | None" = None) -> Finding:
    """Tell the cores and the memory that a build would have."""
    if cores is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    memory = _free_memory() if memory is None else memory
    told = f"{cores} {'core' if cores == 1 else 'cores'}"
    if memory is None:
        return Finding(OK, "processor", told)
    told += f", {_size(memory)} of memory free"
    if memory < MEMORY:
        return Finding(
            WARNING, "processor", f"{told}, which may be too little: close something, or `snakemake --cores 1`"
        )
    return Finding(OK, "processor", told)


def _free_memory() -> "int | None":
    with contextlib.suppress(OSError):
        found = re.search(r"^MemAvailable: *(\d+) kB", Path("/proc/meminfo").read_text(encoding="ascii"), re.MULTILINE)
        if found:
            return 1024 * int(found[1])
    with contextlib.suppress(OSError, ValueError, AttributeError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None


def check_lock(project: Path) -> Finding:
    """Tell whether Snakemake has locked the folder, and whether a build is running that has reason to."""
    folder = project / ".snakemake" / "locks"
    locked = folder.is_dir() and any(folder.iterdir())
    running = running_builds(project)
    if running:
        numbers = ", ".join(map(str, running))
        return Finding(BLOCKED, "lock", f"a build is running here (process {numbers}): wait until it has ended")
    if locked:
        return Finding(BLOCKED, "lock", "left by a build that was killed; none seems to be running: `make unlock`")
    return Finding(OK, "lock", "none; no build is running here")


def running_builds(project: Path) -> "list[int]":
    """Return the processes of Snakemake that seem to run in a folder; where the folder cannot be told, all of them."""
    found = []
    _, listed = ask(["ps", "-A", "-o", "pid=", "-o", "args="])
    processes = [line.split(None, 1) for line in listed.splitlines()]
    known = [(int(line[0]), line[1]) for line in processes if len(line) == 2 and line[0].isdigit()]
    if not known and Path("/proc/self").exists():
        known = [(int(path.name), _command(path)) for path in Path("/proc").iterdir() if path.name.isdigit()]
    for process, command in known:
        if re.search(r"(?:^|/)python\S* (?:-\S+ )*(?:-m snakemake\b|\S*/snakemake\b)", command):
            with contextlib.suppress(OSError):
                if Path("/proc/self/cwd").exists() and not os.path.samefile(f"/proc/{process}/cwd", str(project)):  # noqa: PTH121
                    continue
                found.append(process)
    return found


def _command(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def check_leftovers(project: Path, temporary: "Path | None" = None, now: "float | None" = None) -> Finding:
    """Tell what killed builds have left: temporary folders that nothing uses, and files that were never finished."""
    temporary = Path(tempfile.gettempdir()) if temporary is None else temporary
    now = time.time() if now is None else now
    stale = [path for path in sorted(temporary.glob("rootdk-*")) if _is_stale(path, now)]
    for folder in (project, project / "data", *(project / "figures").glob("*")):
        stale += [path for path in sorted(folder.glob(".*.part")) if now - path.stat().st_mtime > STALE]
    if stale:
        names = [_name(path, project) for path in stale]
        return Finding(WARNING, "leftovers", f"of killed builds, which can go (`rm -r`): {counted(names)}")
    return Finding(OK, "leftovers", "none")


def _is_stale(folder: Path, now: float) -> bool:
    """Return whether a temporary folder is ours, old, and not that of a build that still answers."""
    try:
        about = folder.lstat()
        if not folder.is_dir() or folder.is_symlink() or folder.name == "rootdk-matplotlib":
            return False
        if about.st_uid != os.getuid() or now - about.st_mtime < STALE:
            return False
        return not any(_answers(path) for path in folder.iterdir() if path.is_socket())
    except OSError:
        return False


def _answers(address: Path) -> bool:
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as connection:
        try:
            connection.connect(str(address))
        except OSError:
            return False
    return True


def _name(path: Path, project: Path) -> str:
    with contextlib.suppress(ValueError):
        inside = path.relative_to(project).as_posix()
        return "this folder" if inside == "." else inside
    return str(path)


def _size(number: int) -> str:
    gibibytes = number / 2**30
    return f"{gibibytes:.1f} GiB" if gibibytes >= 1 else f"{number // MEBIBYTE} MiB"
