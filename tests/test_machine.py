"""What ``make doctor`` finds, each finding both ways."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from conftest import PROJECT

import check_machine
from rootdk import machine_place, machine_python, machine_tools
from rootdk.machine_finding import Finding, ask, counted

NEW, OLD = (3, 11, 7), (3, 9, 2)
LOCK = """
numpy==2.4.6 \\
    --hash=sha256:00
    # via rootdk
contourpy==1.3.3 ; python_full_version < '3.12' \\
    --hash=sha256:00
contourpy==1.4.0 ; python_full_version >= '3.12' \\
    --hash=sha256:00
pyreadline3==3.5.6 ; sys_platform == 'win32' \\
    --hash=sha256:00
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return an empty folder to be the only one on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def program(folder: Path, name: str, script: str = "") -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    file.chmod(0o755)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a project with an environment as its lock wants it."""
    project = tmp_path / "mein Büchlein"
    (project / "locks").mkdir(parents=True)
    (project / "locks/build.txt").write_text(LOCK, encoding="utf-8")
    (project / "locks/develop.txt").write_text(LOCK + "Py.Test==9.0 \\\n    --hash=sha256:00\n", encoding="utf-8")
    (project / "scripts/rootdk").mkdir(parents=True)
    shutil.copy(PROJECT / "scripts/rootdk/rootdk.mplstyle", project / "scripts/rootdk")
    (project / ".venv/bin").mkdir(parents=True)
    program(project / ".venv/bin", "python")
    (project / ".venv/pyvenv.cfg").write_text("home = /x\nversion = 3.11.7\n", encoding="utf-8")
    for package in ("numpy-2.4.6", "contourpy-1.3.3", "py_test-9.0", "pip-24.0"):
        (site(project) / f"{package}.dist-info").mkdir(parents=True)
    fonts = site(project) / "matplotlib/mpl-data/fonts/ttf"
    fonts.mkdir(parents=True)
    for name in ("STIXGeneral", "STIXGeneralBol"):
        (fonts / f"{name}.ttf").touch()
    (project / ".venv/build").touch()
    return project


def site(project: Path) -> Path:
    return project / ".venv/lib/python3.11/site-packages"


def test_a_python_is_new_enough_or_not(path: Path) -> None:
    assert machine_python.check_python(NEW, has_environment=False) == Finding("ok", "Python", "3.11.7")
    found = machine_python.check_python(OLD, has_environment=False, path=str(path))
    assert found.state == "missing"
    assert "3.9.2, and rootdk needs 3.11 or later: install one" in found.text
    program(path, "python3.12")
    assert "`make PYTHON=python3.12`" in machine_python.check_python(OLD, has_environment=False, path=str(path)).text
    assert machine_python.check_python(OLD, has_environment=True, path=str(path)).state == "warning"


def test_a_python_has_venv_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine_python.check_venv(has_environment=False).state == "ok"
    monkeypatch.setattr(machine_python.importlib.util, "find_spec", lambda name: None if name == "ensurepip" else name)
    found = machine_python.check_venv(has_environment=False)
    assert found.state == "missing"
    assert "lacks ensurepip: on Debian or Ubuntu `apt install python3-venv`" in found.text
    assert machine_python.check_venv(has_environment=True).state == "warning"


def test_a_compiler_matters_on_python_3_14_only(path: Path, tmp_path: Path) -> None:
    assert machine_python.check_compiler(NEW, has_environment=False, path=str(path)) == []
    newest = (3, 14, 0)
    (found,) = machine_python.check_compiler(newest, has_environment=False, path=str(path))
    assert found.state == "missing"
    (found,) = machine_python.check_compiler(newest, has_environment=True, path=str(path))
    assert found.state == "warning"
    program(path, "gcc")
    (found,) = machine_python.check_compiler(newest, has_environment=False, path=str(path), headers=tmp_path)
    assert "no Python.h" in found.text
    (tmp_path / "Python.h").touch()
    (found,) = machine_python.check_compiler(newest, has_environment=False, path=str(path), headers=tmp_path)
    assert found == Finding("ok", "C compiler", "gcc")


def test_an_environment_as_locked(place: Path) -> None:
    environment, develop = machine_python.check_environment(place)
    assert environment == Finding("ok", ".venv", "Python 3.11.7, 2 packages as locked")
    assert develop.state == "ok"
    assert machine_python.has_environment(place)


def test_no_environment_yet_is_no_fault(place: Path) -> None:
    shutil.rmtree(place / ".venv")
    (found,) = machine_python.check_environment(place)
    assert found.state == "note"
    assert "`make` sets it up" in found.text
    assert not machine_python.has_environment(place)


@pytest.mark.parametrize("fault", ["python", "link", "old", "settings"])
def test_an_environment_that_cannot_run_is_named(place: Path, fault: str) -> None:
    python = place / ".venv/bin/python"
    if fault in ("python", "link"):
        python.unlink()
    if fault == "link":
        python.symlink_to(place / "gone")
    if fault == "old":
        (place / ".venv/pyvenv.cfg").write_text("version = 3.9.2\n", encoding="utf-8")
    if fault == "settings":
        (place / ".venv/pyvenv.cfg").unlink()
    (found,) = machine_python.check_environment(place)
    assert found.state == "missing"
    assert "`rm -r .venv`, then `make`" in found.text
    assert not machine_python.has_environment(place)


def test_packages_that_are_missing_differ_or_are_extra_are_named(place: Path) -> None:
    (site(place) / "numpy-2.4.6.dist-info").rename(site(place) / "numpy-2.0.0.dist-info")
    found, _ = machine_python.check_environment(place)
    assert (found.state, found.text) == (
        "warning",
        "holds numpy 2.0.0 (locked: 2.4.6): `rm .venv/build`, then `make`",
    )
    (site(place) / "contourpy-1.3.3.dist-info").rmdir()
    found, _ = machine_python.check_environment(place)
    assert found.state == "missing"
    assert found.text.startswith("lacks contourpy; holds numpy 2.0.0")
    os.utime(place / "locks/build.txt", (time.time() + 10, time.time() + 10))
    found, _ = machine_python.check_environment(place)
    assert found.state == "warning", "make sees a newer lock and installs what is missing"
    assert found.text.endswith(": `make` installs it")


def test_an_extra_package_is_a_note(place: Path) -> None:
    (site(place) / "torch-9.dist-info").mkdir()
    found, _ = machine_python.check_environment(place)
    assert (found.state, found.text) == ("note", "Python 3.11.7, 2 packages as locked, and besides torch")


def test_the_tests_packages_are_a_note(place: Path) -> None:
    (site(place) / "py_test-9.0.dist-info").rmdir()
    environment, develop = machine_python.check_environment(place)
    assert environment.state == "ok"
    assert (develop.state, develop.text) == ("note", "without py-test; `make test` adds them")


@pytest.mark.parametrize(
    ("marker", "holds"),
    [
        ("", True),
        ("python_full_version < '3.12'", True),
        ("python_full_version >= '3.12'", False),
        ("python_full_version < '3.11.5'", False),
        ("python_full_version >= '3.11.5'", True),
        ("python_version == '3.11'", True),
        ("python_version > '3.11'", False),
        ("sys_platform == 'win32'", False),
        ("sys_platform != 'emscripten' and sys_platform != 'win32'", True),
        ("sys_platform == 'win32' or python_full_version < '3.12'", True),
        ("platform_machine == 'riscv'", True),
    ],
)
def test_markers_of_a_lock(marker: str, holds: bool) -> None:
    assert machine_python.applies(marker, NEW) == holds


def test_fonts_are_those_that_matplotlib_ships(place: Path) -> None:
    found = machine_python.check_fonts(place)
    assert found.state == "ok"
    assert found.text.startswith("STIXGeneral in 2 styles")
    (site(place) / "matplotlib/mpl-data/fonts/ttf/STIXGeneral.ttf").unlink()
    assert machine_python.check_fonts(place).state == "missing"
    shutil.rmtree(place / ".venv")
    assert machine_python.check_fonts(place).state == "note"


def test_make_is_there_or_not(path: Path) -> None:
    assert machine_tools.check_make(str(path)).state == "warning"
    program(path, "make")
    assert machine_tools.check_make(str(path)).state == "ok"


def git(folder: Path, *arguments: str) -> None:
    name = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)


def test_git_is_there_or_not_and_this_is_a_repository_or_not(place: Path, path: Path) -> None:
    (found,) = machine_tools.check_git(place, str(path))
    assert found.state == "warning"
    (found,) = machine_tools.check_git(place)
    assert (found.state, found.about) == ("note", "git")
    assert "no repository" in found.text
    git(place.parent, "init")
    (found,) = machine_tools.check_git(place)
    assert found.state == "note"
    assert "lies in the repository" in found.text
    git(place, "init")
    assert [found.state for found in machine_tools.check_git(place)] == ["ok", "ok"]


def test_what_is_built_and_not_committed_is_named(place: Path) -> None:
    git(place, "init")
    (place / "report.md").write_text("a\n", encoding="utf-8")
    (place / "data").mkdir()
    (place / "data/ä b.csv").write_text("a\n", encoding="utf-8")
    git(place, "add", "--all")
    git(place, "commit", "-m", "a")
    (place / "notes.txt").touch()
    assert machine_tools.check_git(place)[1].state == "ok"
    (place / "report.md").write_text("b\n", encoding="utf-8")
    (place / "data/ä b.csv").unlink()
    found = machine_tools.check_git(place)[1]
    assert found.state == "warning"
    assert "report.md" in found.text
    assert "ä b.csv" in found.text
    assert "notes.txt" not in found.text


def test_git_that_refuses_to_look_is_a_warning(place: Path, path: Path) -> None:
    program(path, "git", "echo 'fatal: detected dubious ownership in repository' >&2; exit 128")
    (found,) = machine_tools.check_git(place, str(path))
    assert found.state == "warning"
    assert "safe.directory" in found.text


def test_tex_is_optional(path: Path) -> None:
    assert machine_tools.check_tex(str(path)).state == "note"
    program(path, "lualatex")
    found = machine_tools.check_tex(str(path))
    assert (found.state, found.text.split(";")[0]) == ("note", "lualatex, without siunitx")
    program(path, "kpsewhich", "exit 1")
    assert machine_tools.check_tex(str(path)).state == "note"
    program(path, "kpsewhich", '[ "$1" = siunitx.sty ]')
    assert machine_tools.check_tex(str(path)) == Finding("ok", "TeX", "lualatex, with siunitx")


@pytest.mark.parametrize("name", ["pandoc", "quarto"])
def test_pandoc_and_quarto_are_optional(path: Path, name: str) -> None:
    assert machine_tools.check_optional(name, str(path)).state == "note"
    program(path, name)
    assert machine_tools.check_optional(name, str(path)) == Finding("ok", name, "there")


def test_a_folder_can_be_written_or_not(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine_place.check_access(place).state == "ok"
    (place / ".cache").mkdir()
    refused = place / ".cache"

    def temporary_file(dir: str) -> object:
        if Path(dir) == refused:
            raise PermissionError(13, "Permission denied")
        return tempfile.NamedTemporaryFile(dir=dir)

    monkeypatch.setattr(machine_place.tempfile, "TemporaryFile", temporary_file)
    found = machine_place.check_access(place)
    assert (found.state, found.text.split(":")[0]) == ("missing", "none to .cache")


def test_there_is_room_or_not(place: Path) -> None:
    assert machine_place.check_room(place, has_environment=True, free=300 * 2**20).state == "ok"
    assert machine_place.check_room(place, has_environment=False, free=300 * 2**20).state == "missing"
    assert machine_place.check_room(place, has_environment=True, free=2**20).text.startswith("1 MiB free")
    assert re.fullmatch(r"[\d.]+ [GM]iB free.*", machine_place.check_room(place, has_environment=True).text)


def test_memory_is_enough_or_not() -> None:
    assert machine_place.check_processor(1, 4 * 2**30) == Finding("ok", "processor", "1 core, 4.0 GiB of memory free")
    assert machine_place.check_processor(8, 2**28).state == "warning"
    assert re.match(r"\d+ cores?, [\d.]+ [GM]iB", machine_place.check_processor().text)


def test_a_lock_is_left_or_not(place: Path) -> None:
    assert machine_place.check_lock(place).state == "ok"
    (place / ".snakemake/locks").mkdir(parents=True)
    assert machine_place.check_lock(place).state == "ok"
    (place / ".snakemake/locks/0.input.lock").touch()
    found = machine_place.check_lock(place)
    assert found.state == "blocked"
    assert "`make unlock`" in found.text


def test_a_running_build_is_seen_in_its_own_folder_only(place: Path, tmp_path: Path) -> None:
    waiting = place / "Snakefile"
    waiting.write_text("import time\nprint('up', flush=True)\ntime.sleep(60)\nrule all:\n", encoding="utf-8")
    command = [sys.executable, "-m", "snakemake", "--cores", "1"]
    with subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as build:
        assert build.stdout is not None
        assert build.stdout.readline() == b"up\n"
        found = machine_place.check_lock(place)
        elsewhere = machine_place.running_builds(tmp_path)
        build.kill()
    assert found.state == "blocked"
    assert f"a build is running here (process {build.pid})" in found.text
    if Path("/proc/self/cwd").exists():
        assert build.pid not in elsewhere
    assert machine_place.check_lock(place).state == "ok"


def test_what_killed_builds_left_is_named_and_what_is_in_use_is_not(place: Path, tmp_path: Path) -> None:
    temporary = Path(tempfile.mkdtemp(prefix="t-"))
    try:
        later = time.time() + 7200
        assert machine_place.check_leftovers(place, temporary, later).state == "ok"
        for name in ("rootdk-left", "rootdk-used", "rootdk-matplotlib", "other"):
            (temporary / name).mkdir()
        (place / "data").mkdir()
        (place / "data/.a.csv.12.part").touch()
        with socket.socket(socket.AF_UNIX) as used, socket.socket(socket.AF_UNIX) as left:
            used.bind(str(temporary / "rootdk-used/tables"))
            used.listen()
            left.bind(str(temporary / "rootdk-left/tables"))
            left.close()
            found = machine_place.check_leftovers(place, temporary, later)
            assert machine_place.check_leftovers(place, temporary).state == "ok", "nothing is old yet"
        assert found.state == "warning"
        assert found.text.endswith(f": {temporary}/rootdk-left, data/.a.csv.12.part")
    finally:
        shutil.rmtree(temporary)


def test_a_check_that_breaks_is_a_finding() -> None:
    def broken() -> Finding:
        raise RuntimeError("no idea")

    (found,) = check_machine.examine([("fonts", broken)])
    assert found == Finding("warning", "fonts", "cannot be told: RuntimeError: no idea")


def test_findings_are_laid_out_as_wide_as_the_terminal() -> None:
    text = check_machine.layout([Finding("ok", "a", "b"), Finding("warning", "long name", "word " * 40)], 80)
    lines = text.splitlines()
    assert lines[0] == "ok       a          b"
    assert len(lines) > 2
    assert all(len(line) <= 80 for line in lines)
    assert all(line.startswith(" " * 20) for line in lines[2:])


@pytest.mark.parametrize(
    ("states", "told"),
    [
        (["ok"], "A build can run here."),
        (["note"], "A build can run here; the notes need nothing done."),
        (["ok", "warning"], "A build can run here; 1 warning."),
        (["blocked", "warning", "missing"], "A build cannot run here yet: 0, 2."),
    ],
)
def test_the_verdict_is_one_sentence(states: list[str], told: str) -> None:
    findings = [Finding(state, str(place), "") for place, state in enumerate(states)]
    assert check_machine.verdict(findings) == told


def test_programs_that_cannot_be_asked_do_not_answer() -> None:
    assert ask(["/nowhere/at all"])[0] == -1
    assert counted(["a", "b", "c"], most=2) == "a, b and 1 more"


def run(project: Path, python: str = sys.executable, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, str(project / "scripts/check_machine.py")],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def alone(place: Path) -> Path:
    """Return a project that can be examined by its own script."""
    shutil.copy(PROJECT / "scripts/check_machine.py", place / "scripts")
    for path in (PROJECT / "scripts/rootdk").glob("*.py"):
        if path.name.startswith(("machine_", "__init__")):
            shutil.copy(path, place / "scripts/rootdk")
    return place


@pytest.mark.parametrize(
    "python", [sys.executable, *filter(os.path.exists, ("/usr/bin/python3", "/usr/local/bin/python3"))]
)
def test_the_command_runs_under_any_python_with_nothing_installed(alone: Path, path: Path, python: str) -> None:
    done = run(alone, python, PATH=str(path), PYTHONNOUSERSITE="1", LC_ALL="C", COLUMNS="80")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^warning +git +not there", done.stdout, re.MULTILINE)
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert "A build can run here" in done.stdout
    (alone / ".venv/pyvenv.cfg").unlink()
    done = run(alone, python, PATH=str(path))
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines()[-1] == "A build cannot run here yet: .venv."


def test_the_real_command_finds_this_project_fit_to_build() -> None:
    done = run(PROJECT)
    assert done.stderr == ""
    lines = [re.match(r"(ok|note|warning|missing|blocked) +(\S.*?) {2,}", line) for line in done.stdout.splitlines()]
    told = {line[2]: line[1] for line in lines if line}
    assert {"Python", ".venv", "fonts", "make", "disk", "lock"} <= set(told)
    assert told["fonts"] == "ok"
    assert told[".venv"] in ("ok", "note")
    assert done.returncode in (0, 1)
    assert ("A build can run here" in done.stdout) == (done.returncode == 0)
