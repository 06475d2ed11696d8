"""What docs/add-a-figure.md tells an author to do, done to the letter."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROJECT, Copy

PAGE = (PROJECT / "docs" / "add-a-figure.md").read_text(encoding="utf-8")
STEP = re.compile(
    r"^(?:Create `(?P<new>[^`]+)`|At the end of `(?P<end>[^`]+)`, add"
    r"|In `(?P<file>[^`]+)`, below the line `(?P<line>[^`]+)`, add)"
    r":\n\n```\w+\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def follow(folder: Path) -> int:
    """Do what the page says in a folder, and return how many lines that took."""
    lines = 0
    for step in STEP.finditer(PAGE):
        path = folder / (step["new"] or step["end"] or step["file"])
        lines += sum(bool(line.strip()) for line in step["text"].splitlines())
        if step["new"]:
            assert path.parent.is_dir()
            assert not path.exists()
            path.write_text(step["text"], encoding="utf-8")
            continue
        text = path.read_text(encoding="utf-8")
        if step["end"]:
            path.write_text(text + step["text"], encoding="utf-8")
            continue
        line = f"{step['line']}\n"
        assert text.count(f"\n{line}") == 1, f"{path.name} has not one line {step['line']!r}"
        path.write_text(text.replace(f"\n{line}", f"\n{line}{step['text']}"), encoding="utf-8")
    return lines


def test_every_block_of_the_page_is_a_step_but_the_last() -> None:
    assert len(STEP.findall(PAGE)) == len(re.findall(r"^```\w+$", PAGE, re.MULTILINE)) - 1


def test_the_page_takes_fewer_than_sixty_lines_and_touches_no_rule(project: Copy) -> None:
    rules = {path: path.read_bytes() for path in [project / "Snakefile", *(project / "workflow" / "rules").iterdir()]}
    assert follow(project.folder) < 60
    assert {path: path.read_bytes() for path in rules} == rules


@pytest.mark.build
def test_the_page_adds_an_experiment_a_figure_a_claim_and_a_section(project: Copy) -> None:
    follow(project.folder)
    built = project.snakemake("--cores", "2")
    assert built.returncode == 0, built.stderr
    for kind in ("svg", "pdf", "png"):
        assert (project / f"figures/web/temperature.{kind}").stat().st_size > 1000
    report = (project / "report.md").read_text(encoding="utf-8")
    assert "### Temperature\n\nThe hotter, the softer.\n\n![Line chart. At 0.25 0." in report
    assert 'heat_softens,true,"The hotter' in (project / "data" / "claims.csv").read_text(encoding="utf-8")
    again = project.snakemake("--cores", "2")
    assert "Nothing to be done" in again.stderr


@pytest.mark.build
def test_what_the_page_adds_passes_the_linter(project: Copy) -> None:
    follow(project.folder)
    settings = ["--config", str(PROJECT / "pyproject.toml"), "--no-cache"]
    scripts = [str(project / f"scripts/{name}_temperature.py") for name in ("simulate", "draw")]
    for command in (["check", "--ignore", "ANN"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, *settings, *scripts], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout
