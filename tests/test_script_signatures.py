import ast
import subprocess
import sys
from pathlib import Path

import pytest

from rootdk.script_signatures import _written, project_code, read_signature, stems

SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.fixture
def folder(tmp_path):
    """Return a function that writes files of Python, by their path without the ending."""

    def write(**files):
        for name, text in files.items():
            path = tmp_path.joinpath(*name.split("__")).with_suffix(".py")
            if path.stem == "package":
                path = path.with_name("__init__.py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return write


def code(folder, script="main.py"):
    """Return what a script imports, as paths below its folder."""
    first, *modules = project_code(folder / script)
    assert first == folder / script
    assert modules == sorted(modules)
    return [path.relative_to(folder).as_posix() for path in modules]


# imports


@pytest.mark.parametrize(
    "text",
    [
        "import helper",
        "import helper as h",
        "import os, helper",
        "from helper import thing",
        "from helper import *",
        "def run():\n    import helper",
        "class Run:\n    def go(self):\n        from helper import thing",
        "if True:\n    try:\n        import helper\n    except ImportError:\n        pass",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from helper import thing",
    ],
)
def test_an_import_is_found_wherever_it_stands(text, folder):
    assert code(folder(main=text, helper="", stranger="")) == ["helper.py"]


def test_imports_are_followed_through_any_depth(folder):
    files = {f"level{depth}": f"import level{depth + 1}" for depth in range(20)}
    found = code(folder(main="import level0", level20="", stranger="import level0", **files))
    assert found == sorted(f"level{depth}.py" for depth in range(21))


def test_imports_in_a_circle_come_to_an_end(folder):
    assert code(folder(main="import a", a="import b", b="import a\nimport main")) == ["a.py", "b.py"]


def test_a_script_without_imports_is_its_own_code(folder):
    assert code(folder(main="x = 1", stranger="")) == []


def test_modules_from_elsewhere_are_left_out(folder):
    assert code(folder(main="import os, json.decoder\nfrom collections import abc\nimport numpy, nowhere")) == []


@pytest.mark.parametrize(
    "text",
    ["import pack.module", "from pack import module", "from pack.module import thing", "import pack.module as m"],
)
def test_a_module_in_a_package_brings_the_package_along(text, folder):
    found = code(folder(main=text, pack__package="", pack__module="", pack__stranger=""))
    assert found == ["pack/__init__.py", "pack/module.py"]


def test_what_a_package_itself_imports_is_followed(folder):
    found = code(
        folder(main="import pack", pack__package="from pack import module", pack__module="import helper", helper="")
    )
    assert found == ["helper.py", "pack/__init__.py", "pack/module.py"]


def test_packages_in_packages(folder):
    found = code(
        folder(main="from pack.inner import module", pack__package="", pack__inner__package="", pack__inner__module="")
    )
    assert found == ["pack/__init__.py", "pack/inner/__init__.py", "pack/inner/module.py"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from . import other", ["pack/inner/other.py"]),
        ("from .other import thing", ["pack/inner/other.py"]),
        ("from .. import outer", ["pack/outer.py"]),
        ("from ..outer import thing", ["pack/outer.py"]),
    ],
)
def test_relative_imports_are_followed(text, found, folder):
    files = dict.fromkeys(("pack__package", "pack__outer", "pack__inner__package", "pack__inner__other"), "")
    modules = code(folder(main="import pack.inner.module", pack__inner__module=text, **files))
    assert modules == sorted(["pack/__init__.py", "pack/inner/__init__.py", "pack/inner/module.py", *found])


def test_the_code_found_is_the_code_that_python_loads():
    """Run a real script's imports, and compare the project's files among the loaded modules."""
    script = SCRIPTS / "simulate_max_weight.py"
    program = (
        "import sys, runpy; sys.path.insert(0, sys.argv[1]); runpy.run_path(sys.argv[2], run_name='imported');"
        "print(*(m.__file__ for m in list(sys.modules.values()) if getattr(m, '__file__', None)), sep='\\n')"
    )
    run = subprocess.run([sys.executable, "-c", program, SCRIPTS, script], capture_output=True, text=True, check=True)
    loaded = {path for path in map(Path, run.stdout.splitlines()) if path.is_relative_to(SCRIPTS)}
    assert loaded <= set(project_code(script)[1:])
    assert loaded


# digests


def test_an_f_string_counts_the_same_however_python_cuts_it():
    hole = ast.FormattedValue(ast.Name("x"), -1)
    whole = ast.JoinedStr([ast.Constant("ab"), hole])
    cut = ast.JoinedStr([ast.Constant("a"), ast.Constant("b"), hole, ast.Constant("")])
    assert _written(cut) == _written(whole)
    assert _written(cut) != _written(ast.JoinedStr([hole, ast.Constant("ab")]))


# scripts that are not Python


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = 1\ndef f(:\n    pass\n", 2),
        ("x = 'open\n", 1),
        ("if True:\nx = 1\n", 2),
        ("# ü\nprint 1\n", 2),
    ],
)
def test_a_script_that_is_not_python_is_refused_with_its_line(text, line, folder):
    path = folder(main=text) / "main.py"
    with pytest.raises(ValueError, match=rf"main\.py, line {line}: not Python: "):
        project_code(path)
    with pytest.raises(ValueError, match=rf"main\.py, line {line}: not Python: "):
        read_signature(path)


@pytest.mark.parametrize("content", [b"x = '\xff'\n", b"x = 1\0\n"])
def test_bytes_that_are_no_python_are_refused(content, tmp_path):
    (tmp_path / "main.py").write_bytes(content)
    with pytest.raises(ValueError, match=r"main\.py.*: not Python: "):
        project_code(tmp_path / "main.py")


def test_an_imported_module_that_is_not_python_is_refused_by_its_own_name(folder):
    with pytest.raises(ValueError, match=r"helper\.py, line 1: not Python: "):
        project_code(folder(main="import helper", helper="def") / "main.py")


# parameters and names


def test_the_parameters_are_those_of_the_function_named_like_the_script(folder):
    path = folder(
        simulate_this="def simulate_that(a, *, b): pass\n"
        "def simulate_this(rng, /, extra, *, tokens, draws: int = 3): pass\n"
    )
    signature = read_signature(path / "simulate_this.py")
    assert signature == (("rng", "extra"), ("tokens", "draws"))


@pytest.mark.parametrize(
    "text", ["", "def other(): pass", "def outer():\n    def simulate_this(): pass", "simulate_this = 1"]
)
def test_a_script_without_that_function_is_refused(text, folder):
    path = folder(simulate_this=text) / "simulate_this.py"
    with pytest.raises(ValueError, match=r"simulate_this\.py does not define a function simulate_this\(\)\.$"):
        read_signature(path)


def test_names_are_those_of_the_scripts_in_alphabetical_order(folder):
    path = folder(simulate_b="", simulate_a="", draw_a="", build_c="", simulate_notes="")
    (path / "simulate_notes.py").rename(path / "simulate_notes.txt")
    assert stems(path, "simulate_") == ["a", "b"]
    assert stems(path, "draw_") == ["a"]
    assert stems(path, "nothing_") == []
