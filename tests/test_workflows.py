"""What runs on GitHub: pinned, with no more rights than needed, and in the words of this project."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import PROJECT, Copy

WORKFLOWS = sorted((PROJECT / ".github" / "workflows").glob("*.yml"))
ACTIONS = sorted((PROJECT / ".github" / "actions").glob("*/action.yml"))
PROGRAMS = Path(sys.executable).parent
CACHED = (".cache", ".snakemake", ".venv", "figures")
UPLOADED = ("${{ runner.temp }}/chapter", "release/", "logs/")


def read(path: Path) -> dict[str, Any]:
    # BaseLoader: to YAML 1.1, the key `on` is true.
    return yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)


def steps() -> Iterator[dict[str, Any]]:
    for path in WORKFLOWS:
        for job in read(path)["jobs"].values():
            yield from job["steps"]
    for path in ACTIONS:
        yield from read(path)["runs"]["steps"]


def paths_of(action: str) -> list[str]:
    used = [step["with"]["path"] for step in steps() if step.get("uses", "").startswith(action)]
    return [line for path in used for line in path.splitlines()]


def job_of(workflow: str, name: str) -> dict[str, Any]:
    return read(PROJECT / ".github" / "workflows" / workflow)["jobs"][name]


@pytest.mark.parametrize("path", [*WORKFLOWS, *ACTIONS], ids=lambda path: path.relative_to(PROJECT).as_posix())
def test_actions_are_pinned_by_commit_with_their_version_beside_it(path: Path) -> None:
    used = re.findall(r"\buses: *(.+)", path.read_text(encoding="utf-8"))
    assert used
    for use in used:
        if use.startswith("./"):
            assert (PROJECT / use / "action.yml").exists()
        else:
            assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use)


def test_an_action_is_pinned_to_one_commit() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in [*WORKFLOWS, *ACTIONS])
    pins = set(re.findall(r"uses: (actions/[a-z-]+)(@.+)", text))
    assert len(pins) == len({action for action, _ in pins})


def test_only_the_job_that_attaches_may_write() -> None:
    for path in WORKFLOWS:
        workflow = read(path)
        assert set(workflow["permissions"] or {}) <= {"contents"}
        for name, job in workflow["jobs"].items():
            rights = {**workflow["permissions"], **job.get("permissions", {})}
            assert ("write" in rights.values()) == (name == "attach"), f"{path.name}, {name}: {rights}"
    assert not any("uses" in step for step in job_of("release.yml", "attach")["steps"])


def test_no_job_runs_for_hours_or_holds_a_token_in_its_checkout() -> None:
    for path in WORKFLOWS:
        assert "pull_request_target" not in read(path)["on"]
        assert read(path)["concurrency"]["group"]
        assert all(int(job["timeout-minutes"]) <= 30 for job in read(path)["jobs"].values())
    for step in steps():
        assert "${{" not in step.get("run", ""), "an expression in a script can be a command; use the environment"
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] == "false"


def test_what_workflows_call_is_there() -> None:
    targets = set(re.findall(r"^([a-z]+):", (PROJECT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    scripts = "\n".join(step.get("run", "") for step in steps())
    called = set(re.findall(r"^ *make ([a-z]+)", scripts, re.MULTILINE))
    assert {"changes", "verify", "lint", "test"} <= called <= targets
    programs = set(re.findall(r"\.ci/[a-z]+", scripts))
    assert programs == {".ci/compare", ".ci/collect", ".ci/summary"}
    assert all((PROJECT / name).stat().st_mode & 0o111 for name in programs)


def test_paths_are_those_of_this_project() -> None:
    cached, uploaded = paths_of("actions/cache@"), paths_of("actions/upload-artifact@")
    assert cached
    assert uploaded
    assert {Path(path).parts[0] for path in cached} == set(CACHED)
    assert set(uploaded) == set(UPLOADED)


def test_releases_use_no_cache() -> None:
    used = [step.get("uses", "") for step in job_of("release.yml", "build")["steps"]]
    assert not any(use.startswith(("actions/cache@", "./")) for use in used)


def test_what_git_holds_is_not_cached() -> None:
    if not (PROJECT / ".git").exists():
        pytest.skip("this is not a clone")
    held = subprocess.run(
        ["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    cached = {
        file.relative_to(PROJECT).as_posix()
        for pattern in paths_of("actions/cache@")
        if pattern != ".venv"
        for path in PROJECT.glob(pattern)
        for file in (path.rglob("*") if path.is_dir() else [path])
    }
    assert not cached & set(held)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1", "actions/checkout@v7"),
        ("  contents: read # to check out", "  contents: write"),
        ("run: .ci/compare", "run: echo ${{ github.head_ref }}"),
        ("  pull_request:\n", "  pull_request_target:\n"),
    ],
)
def test_zizmor_finds_what_is_unsafe(tmp_path: Path, old: str, new: str) -> None:
    assert zizmor(tmp_path / "sound", "", "").returncode == 0
    assert zizmor(tmp_path / "broken", old, new).returncode != 0


def zizmor(folder: Path, old: str, new: str) -> subprocess.CompletedProcess[str]:
    shutil.copytree(PROJECT / ".github", folder / ".github")
    workflow = folder / ".github" / "workflows" / "ci.yml"
    text = workflow.read_text(encoding="utf-8")
    assert old in text
    workflow.write_text(text.replace(old, new, 1), encoding="utf-8")
    return run(PROGRAMS / "zizmor", "--offline", "--persona", "pedantic", "--quiet", folder / ".github")


@pytest.mark.parametrize(
    ("old", "new"), [("runs-on:", "runs_on:"), ("timeout-minutes: 20", "timeout-minutes: soon"), ("steps:", "step:")]
)
def test_the_schema_refuses_what_is_no_workflow(tmp_path: Path, old: str, new: str) -> None:
    text = WORKFLOWS[0].read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "ci.yml").write_text(text.replace(old, new, 1), encoding="utf-8")
    check = (PROGRAMS / "check-jsonschema", "--builtin-schema", "vendor.github-workflows")
    assert run(*check, WORKFLOWS[0]).returncode == 0
    assert run(*check, tmp_path / "ci.yml").returncode != 0


def test_a_summary_says_where_the_pictures_are_and_stays_below_the_limit(tmp_path: Path) -> None:
    page = tmp_path / "changes.md"
    page.write_text("# What moved\n\nα\n", encoding="utf-8")
    shown = run(PROJECT / ".ci" / "summary", page).stdout
    assert shown.startswith("> Pictures do not show here.")
    assert shown.endswith("\n\n# What moved\n\nα\n")
    page.write_text("αβγ\n" * 300_000, encoding="utf-8")
    shown = run(PROJECT / ".ci" / "summary", page).stdout
    assert "the artifact holds the whole of it" in shown
    assert 900_000 < len(shown.encode()) < 1_000_500
    assert shown.endswith("αβγ\n")


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.mark.build
def test_a_restored_state_saves_all_jobs_and_hides_nothing(project: Copy, tmp_path: Path) -> None:
    project.snakemake()
    fresh = Copy(tmp_path / "checkout")
    for name, content in project.built().items():
        if name.endswith((".md", ".csv", ".svg", ".tex", ".yml", "datapackage.json", "numbers.json")):
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            (fresh / name).write_bytes(content)
    for pattern in paths_of("actions/cache@"):
        for path in project.folder.glob(pattern):
            place = fresh / str(path.relative_to(project.folder))
            place.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if path.is_dir() else shutil.copy2)(path, place)
    done = fresh.snakemake()
    assert "Nothing to be done" in done.stdout + done.stderr
    assert fresh.built() == project.built()

    (fresh / "report.md").write_text("not what a build writes\n", encoding="utf-8")
    fresh.snakemake()
    assert fresh.made() == {"write the chapter"}
    assert fresh.built() == project.built()

    shutil.copytree(PROJECT / ".ci", fresh / ".ci")
    (fresh / ".venv").symlink_to(sys.prefix)
    (fresh / "figures" / "web" / "no_longer_drawn.png").touch()
    done = run(fresh / ".ci" / "collect", tmp_path / "chapter")
    assert done.returncode == 0, done.stderr
    collected = (path for path in (tmp_path / "chapter").rglob("*") if path.is_file())
    assert {path.relative_to(tmp_path / "chapter").as_posix() for path in collected} == set(project.built())
