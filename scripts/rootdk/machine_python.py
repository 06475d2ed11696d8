"""What this machine has of Python, and whether the environment holds what the locks pin."""

import importlib.util
import re
import shutil
import sys
import sysconfig
from pathlib import Path

from rootdk.machine_finding import MISSING, NOTE, OK, WARNING, Finding, counted

OLDEST = (3, 11)
COMPILES_FROM = (3, 14)  # one of Snakemake's packages has no ready-made file for it
BROUGHT_BY_VENV = {"pip", "setuptools", "wheel"}
MARKER = re.compile(r"(python_full_version|python_version|sys_platform) *(==|!=|<=|>=|<|>) *'([^']*)'")


def check_python(version: "tuple[int, ...]", *, has_environment: bool, path: "str | None" = None) -> Finding:
    """Tell whether this Python can make the environment; without need where there is one."""
    told = ".".join(map(str, version[:3]))
    if version[:2] >= OLDEST:
        return Finding(OK, "Python", told)
    known = [f"python3.{minor}" for minor in range(19, OLDEST[1] - 1, -1)]
    others = [name for name in known if shutil.which(name, path=path)]
    do = f"`make PYTHON={others[0]}`" if others else "install one, then `make PYTHON=python3.12`, or what it is called"
    state = WARNING if has_environment else MISSING
    return Finding(state, "Python", f"{told}, and rootdk needs 3.11 or later: {do}")


def check_venv(*, has_environment: bool) -> Finding:
    """Tell whether this Python can make environments with pip in them."""
    lacks = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if not lacks:
        return Finding(OK, "venv", "with ensurepip")
    do = "on Debian or Ubuntu `apt install python3-venv`, or make .venv with uv, as the README says"
    state = WARNING if has_environment else MISSING
    return Finding(state, "venv", f"this Python lacks {' and '.join(lacks)}: {do}")


def check_compiler(
    version: "tuple[int, ...]", *, has_environment: bool, path: "str | None" = None, headers: "Path | None" = None
) -> "list[Finding]":
    """Tell whether there is a C compiler, on a Python for which pip has to compile."""
    if version[:2] < COMPILES_FROM:
        return []
    state = WARNING if has_environment else MISSING
    why = f"on Python {version[0]}.{version[1]} pip compiles one of Snakemake's packages"
    compiler = next((name for name in ("cc", "gcc", "clang") if shutil.which(name, path=path)), None)
    if compiler is None:
        do = "`apt install gcc`, `xcode-select --install`, or an older Python"
        return [Finding(state, "C compiler", f"not there; {why}: {do}")]
    headers = headers or Path(sysconfig.get_paths()["include"])
    if not (headers / "Python.h").is_file():
        return [Finding(state, "C compiler", f"{compiler}, but no Python.h; {why}: `apt install python3-dev`")]
    return [Finding(OK, "C compiler", compiler)]


def has_environment(project: Path) -> bool:
    """Return whether there is an environment that can be used: set up by make, its Python there and new enough."""
    return environment_version(project) is not None and bool(installed_packages(project))


def environment_version(project: Path) -> "tuple[int, ...] | None":
    """Return the version of the environment's Python, or None if there is none that can run."""
    if not (project / ".venv" / "bin" / "python").exists():  # also of a link that leads nowhere
        return None
    try:
        settings = (project / ".venv" / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    found = re.search(r"^version(?:_info)? *= *(\d+)\.(\d+)(?:\.(\d+))?", settings, re.MULTILINE)
    if not found or (int(found[1]), int(found[2])) < OLDEST:
        return None
    return int(found[1]), int(found[2]), int(found[3] or 0)


def check_environment(project: Path) -> "list[Finding]":
    """Tell whether .venv holds what ``locks/build.txt`` pins, and whether it holds ``locks/develop.txt`` as well."""
    folder = project / ".venv"
    if not folder.exists() and not folder.is_symlink():
        return [Finding(NOTE, ".venv", "not there yet; `make` sets it up, with a package index, in about a minute")]
    version = environment_version(project)
    if version is None:
        do = "`rm -r .venv`, then `make`"
        return [Finding(MISSING, ".venv", f"its Python is gone, older than 3.11, or was never there: {do}")]
    installed = installed_packages(project)
    findings = [_compare(project, installed, version)]
    develop = pinned_packages(project / "locks" / "develop.txt", version)
    lacks = [name for name, pinned in develop.items() if installed.get(name) != pinned]
    told = f"installed, as {len(develop)} packages" if not lacks else f"without {counted(lacks)}; `make test` adds them"
    findings.append(Finding(OK if not lacks else NOTE, "tests, linters", told))
    return findings


def _compare(project: Path, installed: "dict[str, str]", version: "tuple[int, ...]") -> Finding:
    lock = project / "locks" / "build.txt"
    pinned = pinned_packages(lock, version)
    missing = sorted(set(pinned) - set(installed))
    differing = [
        f"{name} {installed[name]} (locked: {pinned[name]})"
        for name in sorted(set(pinned) & set(installed))
        if installed[name] != pinned[name]
    ]
    known = {*pinned, *pinned_packages(project / "locks" / "develop.txt", version), *BROUGHT_BY_VENV}
    extra = sorted(set(installed) - known)
    stamp = project / ".venv" / "build"
    up_to_date = stamp.exists() and stamp.stat().st_mtime >= lock.stat().st_mtime
    do = "`rm .venv/build`, then `make`" if up_to_date else "`make` installs it"
    if missing or differing:
        parts = [f"lacks {', '.join(missing)}"] if missing else []
        parts += [f"holds {', '.join(differing)}"] if differing else []
        state = MISSING if missing and up_to_date else WARNING
        return Finding(state, ".venv", f"{'; '.join(parts)}: {do}")
    told = f"Python {'.'.join(map(str, version))}, {len(pinned)} packages as locked"
    if extra:
        return Finding(NOTE, ".venv", f"{told}, and besides {', '.join(extra)}")
    return Finding(OK, ".venv", told)


def installed_packages(project: Path) -> "dict[str, str]":
    """Return the versions of the packages in .venv by their names, as their folders tell them."""
    found = {}
    for path in (project / ".venv").glob("lib/python3*/site-packages/*.dist-info"):
        name, _, version = path.name[: -len(".dist-info")].rpartition("-")
        found[_normalized(name)] = version
    return found


def pinned_packages(lock: Path, version: "tuple[int, ...]") -> "dict[str, str]":
    """Return the versions that a lock pins for a version of Python on this system."""
    try:
        text = lock.read_text(encoding="utf-8")
    except OSError:
        return {}
    pins = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+) *(?:; *([^\\\n]*))?", text, re.MULTILINE)
    return {_normalized(name): pinned for name, pinned, marker in pins if applies(marker, version)}


def applies(marker: str, version: "tuple[int, ...]") -> bool:
    """Return whether a marker such as ``python_full_version < '3.12'`` holds; what it says of other things does."""
    return any(all(_holds(part, version) for part in option.split(" and ")) for option in marker.split(" or "))


def _holds(comparison: str, version: "tuple[int, ...]") -> bool:
    found = MARKER.search(comparison)
    if not found:
        return True
    name, operator, value = found.groups()
    if name == "sys_platform":
        return (sys.platform == value) == (operator == "==")
    there = tuple(int(part) for part in re.findall(r"\d+", value))
    here = tuple(version[: len(there)]) if name == "python_version" or operator in ("==", "!=") else tuple(version)
    return {
        "==": here == there,
        "!=": here != there,
        "<": here < there,
        "<=": here <= there,
        ">": here > there,
        ">=": here >= there,
    }[operator]


def check_fonts(project: Path) -> Finding:
    """Tell whether the environment's matplotlib ships the fonts that the figures use."""
    style = (project / "scripts" / "rootdk" / "rootdk.mplstyle").read_text(encoding="utf-8")
    found = re.search(r"^font\.family *: *([^#\n]+)", style, re.MULTILINE)
    family = found[1].split(",")[0].strip() if found else "DejaVu Sans"
    folders = list((project / ".venv").glob("lib/python3*/site-packages/matplotlib/mpl-data/fonts/ttf"))
    if not folders:
        return Finding(NOTE, "fonts", f"{family} comes with matplotlib, which is not installed yet")
    start = family.replace(" ", "")
    files = [path for folder in folders for path in folder.glob(f"{start}*.ttf")]
    if not any(path.stem == start for path in files):
        do = "`rm -r .venv`, then `make`"
        return Finding(MISSING, "fonts", f"matplotlib in .venv comes without {family}: {do}")
    return Finding(OK, "fonts", f"{family} in {len(files)} styles, from matplotlib; the machine's are never used")


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
