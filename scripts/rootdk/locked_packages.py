"""The packages that the lock pins, and which of them stand behind an import."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

# Where a package is imported under another name than it is installed by.
INSTALLED_AS = {"yaml": "pyyaml", "PIL": "pillow", "mpl_toolkits": "matplotlib", "dateutil": "python-dateutil"}


class LockedPackage(NamedTuple):
    """A package of the lock: its pinned versions, one a platform, and the packages that need it."""

    versions: tuple[str, ...]
    needed_by: frozenset[str]


def read_lock(path: Path) -> dict[str, LockedPackage]:
    """Return the packages of a lock by name.

    Parameters
    ----------
    path : pathlib.Path
        A requirements file with exact versions and hashes, and behind each package the line ``# via`` that says which
        packages need it.
    """
    packages: dict[str, LockedPackage] = {}
    name = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if pinned := re.match(r"([A-Za-z0-9._-]+)==([^\\]+)", line):
            name = normalized(pinned[1])
            known = packages.get(name, LockedPackage((), frozenset()))
            packages[name] = known._replace(versions=(*known.versions, pinned[2].strip()))
        elif via := re.match(r"\s*# via (.+)", line):
            needed_by = {normalized(entry.split("(")[0].strip()) for entry in via[1].split(",")}
            packages[name] = packages[name]._replace(needed_by=packages[name].needed_by | needed_by)
    return packages


def packages_behind(imports: Iterable[str], lock: dict[str, LockedPackage]) -> list[str]:
    """Return the pinned versions of everything that some imports rest on, such as ``numpy==2.4.6``.

    Parameters
    ----------
    imports : iterable of str
        Top-level names, as they are imported.
    lock : dict
        The lock's packages. Names that are not in it are left out.
    """
    found: set[str] = set()
    waiting = [normalized(INSTALLED_AS.get(name, name)) for name in imports]
    while waiting:
        name = waiting.pop()
        if name in found or name not in lock:
            continue
        found.add(name)
        waiting += [other for other, package in lock.items() if name in package.needed_by]
    return [f"{name}=={version}" for name in sorted(found) for version in lock[name].versions]


def pinned_versions(imports: Iterable[str], lock: dict[str, LockedPackage]) -> list[str]:
    """Return the pinned versions of what is imported itself, and not of what that needs in turn."""
    names = {normalized(INSTALLED_AS.get(name, name)) for name in imports}
    return [f"{name}=={version}" for name in sorted(names & set(lock)) for version in lock[name].versions]


def normalized(name: str) -> str:
    """Return a package's name as indexes compare it: in lower case, with single hyphens."""
    return re.sub(r"[-_.]+", "-", name).lower()
