import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

BENCH = Path(__file__).parents[1] / "bench"
NOTEBOOKS = sorted(BENCH.glob("*.ipynb"))


def load(name):
    spec = importlib.util.spec_from_file_location(f"bench_{name}", BENCH / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


measure = load("measure")


# The notebooks


def test_the_notebooks_are_those_that_are_timed():
    assert {path.stem for path in NOTEBOOKS} == set(measure.NOTEBOOKS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_valid_and_holds_no_results(path):
    content = json.loads(path.read_text(encoding="utf-8"))
    notebook = nbformat.from_dict(content)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    ids = [cell["id"] for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    assert all(not cell.outputs and cell.execution_count is None for cell in code)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebooks_code_is_python(path):
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            compile(cell.source, f"{path.name}, cell {cell['id']}", "exec")


def test_the_plain_process_is_python():
    compile((BENCH / "plain_process.py").read_bytes(), "plain_process.py", "exec")


# The copy of the project

KEPT = ["Snakefile", "config.yaml", ".ci/check.sh", "scripts/draw_a.py", "scripts/data/b.csv", "workflow/figures/c"]
LEFT_OUT = [
    ".venv/bin/python",
    ".venv-bench/pyvenv.cfg",
    ".snakemake/log/x",
    ".cache/matplotlib/fonts.json",
    ".hypothesis/x",
    "data/a.csv",
    "figures/web/a.svg",
    "logs/draw_a.log",
    "report.md",
    "scripts/__pycache__/a.pyc",
]


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    for name in KEPT + LEFT_OUT:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    return root


def git(folder, *arguments):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True)


def test_a_copy_holds_the_project_and_nothing_built(project, tmp_path):
    measure.copy_project(project, tmp_path / "copy")
    copy = tmp_path / "copy"
    copied = {path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file()}
    assert copied == set(KEPT)
    assert (tmp_path / "copy" / "Snakefile").read_text() == "Snakefile"


def test_a_copy_of_a_repository_leaves_out_what_git_ignores(project):
    git(project, "init", "--quiet")
    (project / ".gitignore").write_text("*.part\n")
    (project / "half.part").touch()
    (project / "untracked.txt").touch()
    # Tracked, like the tables and figures that a visitor reads, but built all the same; and deleted since.
    (project / "gone.txt").touch()
    git(project, "add", "data/a.csv", "Snakefile", "gone.txt")
    (project / "gone.txt").unlink()
    found = {path.as_posix() for path in measure.project_files(project)}
    assert found == {*KEPT, ".gitignore", "untracked.txt"}


def test_a_project_is_copied_without_git(project, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert {path.as_posix() for path in measure.project_files(project)} == set(KEPT)


def test_an_existing_folder_is_not_copied_into(project):
    with pytest.raises(FileExistsError):
        measure.copy_project(project, project)


# The contenders' environment


def test_contenders_keep_bytecode_and_do_not_use_the_home_folder(tmp_path):
    given = {"PYTHONDONTWRITEBYTECODE": "1", "GIT_DIR": "x", "JUPYTER_PATH": "x", "HOME": "x", "PATH": "bin"}
    environment = measure.child_environment(tmp_path, given)
    assert environment["PATH"] == "bin"
    assert not {"PYTHONDONTWRITEBYTECODE", "GIT_DIR"} & set(environment)
    for name in ("HOME", "JUPYTER_PATH", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
        assert Path(environment[name]).is_relative_to(tmp_path)
    kernel = json.loads((Path(environment["JUPYTER_PATH"]) / "kernels" / "python3" / "kernel.json").read_text())
    assert kernel["argv"][0] == sys.executable


# The verdicts


def test_a_ratio_is_that_of_the_medians():
    times = {"one": [9.0, 1.0, 2.0], "other": [4.0, 4.0, 400.0]}
    (verdict,) = measure.judge(times, [measure.Promise("one", "other", 0.5)])
    assert verdict.ratio == 0.5


@pytest.mark.parametrize(("seconds", "holds"), [(2.4, True), (2.5, True), (2.6, False)])
def test_a_ratio_holds_up_to_its_limit(seconds, holds):
    (verdict,) = measure.judge({"one": [seconds], "other": [1.0]}, [measure.Promise("one", "other", 2.5)])
    assert verdict.holds is holds


def times(*, build):
    return {
        measure.BUILD: [build],
        measure.DEMOS: [6.0],
        measure.PLAIN: [4.0],
        measure.NOTHING: [1.4],
        measure.VERSION: [1.0],
    }


def test_the_promises_are_the_projects():
    assert [verdict.promise.limit for verdict in measure.judge(times(build=8.0))] == [4 / 3, 2.5, 1.5]
    assert [verdict.holds for verdict in measure.judge(times(build=8.0))] == [True, True, True]
    assert [verdict.holds for verdict in measure.judge(times(build=8.1))] == [False, True, True]
    assert [verdict.holds for verdict in measure.judge(times(build=10.1))] == [False, False, True]


def test_the_report_names_what_is_beyond_its_limit():
    seconds = times(build=9.0)
    lines = measure.report(seconds, measure.judge(seconds)).splitlines()
    (beyond,) = [line for line in lines if "BEYOND" in line]
    assert beyond.startswith(f"{measure.BUILD} / {measure.DEMOS} ")
    assert beyond.endswith("1.50   1.33  BEYOND ITS LIMIT")
    assert sum(line.endswith("holds") for line in lines) == 2


@pytest.mark.parametrize(("build", "code"), [(8.0, 0), (9.0, 1)])
def test_the_exit_code_and_the_file_say_the_same(build, code, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(measure, "measure", lambda *given: times(build=build))
    file = tmp_path / "times.json"
    assert measure.main(["--runs", "1", "--json", str(file)]) == code
    written = json.loads(file.read_text())
    assert [ratio["holds"] for ratio in written["ratios"]] == [code == 0, True, True]
    assert written["seconds"][measure.BUILD]["median"] == build


def test_what_did_not_run_is_no_verdict(monkeypatch, capsys):
    def fail(*given):
        raise measure.NotRunError("the build ended with exit code 1")

    monkeypatch.setattr(measure, "measure", fail)
    assert measure.main([]) == 2
    assert "exit code 1" in capsys.readouterr().err


@pytest.mark.parametrize("runs", ["0", "-1", "many"])
def test_a_number_of_rounds_that_cannot_be_is_refused(runs, capsys):
    with pytest.raises(SystemExit):
        measure.main(["--runs", runs])
