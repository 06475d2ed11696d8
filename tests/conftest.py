import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every run, and none refused because a shared machine is busy.
settings.register_profile("project", deadline=None, derandomize=True, database=None)
settings.load_profile("project")

PROJECT = Path(__file__).parents[1]
SOURCES = ("Snakefile", "config.yaml", "scripts", "workflow", "profiles", "locks")

LESS = (
    (r"heads: 10000\b", "heads: 50"),
    (r"repetitions: 200\b", "repetitions: 3"),
    (r"token_counts: \[8, 16, 100\]", "token_counts: [8]"),
    (r"head_widths: \[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, [^]]*\]", "head_widths: [4, 64]"),
    (r"token_counts: \[2, 16, 256, 4096\]", "token_counts: [2, 16]"),
    (r"power_steps: 40\b", "power_steps: 4"),
    (r"formats: \[pdf, svg, png\]", "formats: [svg, png]"),
)


class Copy:
    """A copy of the project in a folder of its own, without anything built."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in SOURCES:
            source = PROJECT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, folder / name)

    def __truediv__(self, name: str) -> Path:
        return self.folder / name

    def snakemake(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "snakemake", *arguments],
            cwd=self.folder,
            env={**os.environ, "XDG_CACHE_HOME": str(self.folder / ".cache"), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def lighten(self) -> None:
        """Give the config less to do, with as many jobs: for tests of what a build does and not of what it finds."""
        text = (self.folder / "config.yaml").read_text(encoding="utf-8")
        for old, new in LESS:
            text, count = re.subn(old, new, text)
            assert count == 1, f"config.yaml does not hold {old} once"
        (self.folder / "config.yaml").write_text(text, encoding="utf-8")

    def built(self) -> dict[str, bytes]:
        """Return every file that a build made, by its path."""
        files = [self.folder / "report.md"]
        for folder in ("data", "figures"):
            files += [path for path in (self.folder / folder).rglob("*") if path.is_file()]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in files if path.exists()}

    def made(self) -> set[str]:
        """Return the jobs that the last build ran, and did not only find unchanged."""
        log = self.folder / ".cache" / "build.log"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        return {line.removeprefix("made ").rsplit(" in ", 1)[0] for line in lines if line.startswith("made ")}

    def moved_to(self, folder: Path) -> "Copy":
        """Return the same project, with all that was built, in another place."""
        other = object.__new__(Copy)
        other.folder = folder
        shutil.copytree(self.folder, folder)
        (folder / ".cache" / "build.log").unlink(missing_ok=True)
        return other

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a piece of a file; the piece must be there."""
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{name} does not hold {old!r}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Copy:
    """Return a fresh copy of the project, in a folder that a careless script would stumble over."""
    return Copy(tmp_path / "mein Büchlein")
