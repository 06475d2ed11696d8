"""The examples of docs/quote-a-number.md, built as they stand there, and the LaTeX macros in rougher places."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import jinja2
import pytest
import yaml
from conftest import PROJECT
from pypdf import PdfReader

from rootdk.number_exports import exported, numbers_as_latex, numbers_as_variables
from rootdk.number_keys import variable_keys
from rootdk.numbers import Number, with_error
from rootdk.prose_text import quotations
from rootdk.tables import read_table
from rootdk.words import collect_numbers

PAGE = (PROJECT / "docs" / "quote-a-number.md").read_text(encoding="utf-8")
NAME = "max_weight.unscaled.d_k=64"
# Of each kind: with an error and below zero, exact, of unknown error and as a power of ten, of an odd name.
MEASURED = Number("odd.a(1-a).scaled/unscaled.row=don't;a=0.5", -0.01231, 0.0223)
EXACT = Number("odd.exact", 2.5, 0)
ALONE = Number("odd.alone", 2.5e-9)
GREEK = Number("odd.weight.row=λόγος", 0.25, 0)


def needs(*programs: str) -> pytest.MarkDecorator:
    missing = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{' and '.join(missing)} not installed")


def has_package(name: str) -> bool:
    if shutil.which("kpsewhich") is None:
        return False
    return bool(subprocess.run(["kpsewhich", f"{name}.sty"], capture_output=True, check=False).stdout)


def example(section: str, language: str) -> str:
    """Return the code of an example on the page."""
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    found = re.search(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert found is not None, f"{section} has no {language}"
    return found[1]


@pytest.fixture(scope="module")
def numbers() -> dict[str, Number]:
    paths = (path for path in (PROJECT / "data").glob("*.csv") if path.stem != "published")
    found = exported(collect_numbers({path.stem: read_table(path) for path in sorted(paths)}))
    return found | {number.name: number for number in (MEASURED, EXACT, ALONE, GREEK)}


@pytest.fixture
def folder(tmp_path: Path, numbers: dict[str, Number]) -> Path:
    """Return a folder with what a build leaves for an author."""
    shutil.copytree(PROJECT / "workflow" / "numbers", tmp_path / "workflow" / "numbers")
    macros = (tmp_path / "workflow" / "numbers" / "macros.tex").read_text(encoding="utf-8")
    for path, text in (
        ("figures/latex/numbers.tex", numbers_as_latex(numbers, macros)),
        ("data/variables.yml", numbers_as_variables(numbers)),
    ):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def value(numbers: dict[str, Number]) -> str:
    return str(numbers[NAME])


@pytest.fixture
def both(numbers: dict[str, Number]) -> str:
    return " ± ".join(with_error(numbers[NAME]))


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, capture_output=True, encoding="utf-8", errors="replace", check=False, timeout=300
    )


def typeset(folder: Path, text: str, engine: str = "pdflatex", times: int = 1) -> str:
    (folder / "chapter.tex").write_text(text, encoding="utf-8")
    for _ in range(times):
        done = run(folder, engine, "-interaction=nonstopmode", "-halt-on-error", "chapter.tex")
        assert done.returncode == 0, done.stdout[-2000:]
    document = PdfReader(folder / "chapter.pdf")
    titles = [str(entry.title) for entry in document.outline if not isinstance(entry, list)]
    return bare(" ".join([*(page.extract_text() for page in document.pages), *titles]))


def bare(text: str) -> str:
    """Return a text without spaces, of which what reads a PDF, and Pandoc in formulas, finds some more or fewer."""
    return "".join(text.split())


# the examples


@needs("pdflatex")
def test_the_example_for_latex(folder: Path, value: str, both: str) -> None:
    text = typeset(folder, example("LaTeX", "latex"))
    assert bare(f"The winner takes {value} of its row, or {both}.") in text


@needs("pandoc")
def test_the_example_for_pandoc(folder: Path, value: str, both: str) -> None:
    (folder / "chapter.md").write_text(example("Pandoc", "md"), encoding="utf-8")
    done = run(folder, *shlex.split(example("Pandoc", "sh")))
    assert done.returncode == 0, done.stderr
    text = (folder / "chapter.html").read_text(encoding="utf-8")
    text = " ".join(text.split())
    assert f"The winner takes {value}</h1>" in text
    assert f"That is {both}, and in a formula" in text
    assert text.count(value) >= 3
    assert "{{" not in text


def test_the_example_for_myst(folder: Path, value: str, both: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    settings: dict[str, dict[str, str]] = {}
    exec(example("MyST", "python"), settings)
    # MyST-Parser fills in substitutions with Jinja, strictly.
    filled = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(example("MyST", "md"))
    text = filled.render(settings["myst_substitutions"])
    assert f"The winner takes {value} of its row, or {both}." in text


def test_the_example_for_quarto(folder: Path, value: str, both: str) -> None:
    variables = yaml.safe_load((folder / "data" / "variables.yml").read_text(encoding="utf-8"))
    asked = [one.name for one in quotations(example("Quarto", "qmd"), ".qmd")]
    # A full stop would be nesting, and an equals sign an option of the shortcode.
    assert all(re.fullmatch(r"\w+", name) for name in asked)
    assert [variables[name] for name in asked] == [value, both]


# LaTeX

PLACES = rf"""
\tableofcontents
\section{{Title \rootdk{{{NAME}}}, \rootdkpm{{{NAME}}}, \rootdknum{{{NAME}}}, \rootdk{{{ALONE.name}}}}}
Text \rootdk{{{NAME}}}, \rootdkpm{{{NAME}}}, \rootdkerror{{{NAME}}}, \rootdknum{{{NAME}}}.
Maths $a=\rootdk{{{NAME}}}$, $\rootdkpm{{{NAME}}}$, \(\rootdkerror{{{NAME}}}\), $\rootdknum{{{NAME}}}$.
Negative \rootdk{{{MEASURED.name}}}, $\rootdkpm{{{MEASURED.name}}}$, \rootdknum{{{MEASURED.name}}}.
Power \rootdk{{{ALONE.name}}}, $\rootdk{{{ALONE.name}}}$, \rootdknum{{{ALONE.name}}}.
Exact \rootdk{{{EXACT.name}}}, \rootdkpm{{{EXACT.name}}}, \rootdkerror{{{EXACT.name}}}, \rootdknum{{{EXACT.name}}}.
Greek \rootdk{{{GREEK.name}}}.\footnote{{Note \rootdk{{{NAME}}}.}}
\begin{{figure}}\caption{{Caption \rootdkpm{{{NAME}}}.}}\end{{figure}}
\listoffigures
\ifdim\rootdk{{{NAME}}}pt>0.5pt Larger.\else Smaller.\fi
"""


@pytest.mark.parametrize("packages", [(), ("siunitx",), ("hyperref",), ("hyperref", "siunitx")])
@pytest.mark.parametrize("engine", ["pdflatex", "xelatex", "lualatex"])
def test_macros_work_wherever_there_can_be_text(
    engine: str, packages: tuple[str, ...], folder: Path, value: str, both: str
) -> None:
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not installed")
    for package in packages:
        if not has_package(package):
            pytest.skip(f"the LaTeX package {package} is not installed")
    used = "".join(rf"\usepackage{{{package}}}" for package in packages)
    text = rf"\documentclass{{article}}\input{{figures/latex/numbers}}{used}\begin{{document}}{PLACES}\end{{document}}"
    found = typeset(folder, text, engine, times=2)
    short = f"{value}({both[-1]})"
    times = "×" if "siunitx" in packages else "·"
    for expected in (
        f"Text {value}, {both}, {both.split(' ± ')[1]}, {short}.",
        f"{both}, {both.split(' ± ')[1]}, {short}.",
        "Negative −0.01, −0.01 ± 0.02, −0.01(2).",
        f"Power 2.50 · 10−9, 2.50 · 10−9, 2.50 {times} 10−9.",
        "Exact 2.50, 2.50, 0, 2.50.",
        "Greek 0.250.",
        f"Caption {both}.",
        "Larger.",
    ):
        assert bare(expected) in found
    if "hyperref" in packages:
        assert bare(f"Title {value}, {both}, {short}, 2.50·10^-9") in found


@needs("pdflatex")
def test_macros_work_where_signs_are_active(folder: Path, value: str) -> None:
    active = r"\catcode`\;13 \catcode`\=13 \def;{\string;}\def={\string=}"
    text = rf"\documentclass{{article}}\begin{{document}}{active}\input{{figures/latex/numbers}}\rootdk{{{NAME}}}, "
    text += rf"\section{{Title \rootdk{{{NAME}}}}}\rootdk{{{MEASURED.name}}}.\end{{document}}"
    assert f"{value}," in typeset(folder, text, times=2)


@needs("pdflatex")
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (r"\rootdk{max_weight.unscled}", "There is no number called `max_weight.unscled'"),
        (r"$\rootdkpm{max_weight.unscled}$", "There is no number called `max_weight.unscled'"),
        (r"\section{\rootdk{max_weight.unscled}}", "There is no number called `max_weight.unscled'"),
        (rf"\rootdkpm{{{ALONE.name}}}", f"The number `{ALONE.name}' has no standard error"),
        (rf"\rootdkerror{{{ALONE.name}}}", f"The number `{ALONE.name}' has no standard error"),
    ],
)
def test_a_name_that_there_is_not_is_an_error_that_names_it(asked: str, message: str, folder: Path) -> None:
    text = rf"\documentclass{{article}}\input{{figures/latex/numbers}}\begin{{document}}{asked}\end{{document}}"
    (folder / "chapter.tex").write_text(text, encoding="utf-8")
    done = run(folder, "pdflatex", "-interaction=nonstopmode", "chapter.tex")
    assert done.returncode == 1
    assert f"! Package rootdk Error: {message}" in done.stdout
    assert len(re.findall("^!", done.stdout, re.MULTILINE)) <= 2  # nothing that follows from it


# Pandoc


def pandoc(folder: Path, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "chapter.md").write_text(text, encoding="utf-8")
    filled = ["--metadata-file=data/variables.yml", "--lua-filter=workflow/numbers/pandoc.lua"]
    return run(folder, "pandoc", *filled, "chapter.md", "--to=plain", "--wrap=none", *options)


@needs("pandoc")
def test_the_filter_works_wherever_there_can_be_text(folder: Path, numbers: dict[str, Number], value: str) -> None:
    keys = variable_keys(numbers)
    key = keys[NAME]
    text = f"""---
title: "Title {{{{ {key} }}}}"
---
Text {{{{ {key} }}}}, ({{{{{key}}}}}), *{{{{ {key} }}}}*, $x = {{{{ {key} }}}}$, {{{{ {keys[MEASURED.name]} }}}}
and ${{{{{keys[MEASURED.name]}_pm}}}}$; `{{{{ {key} }}}}`.

| head {{{{ {key} }}}} |
|:--|
| {{{{ {key} }}}} |

: Caption {{{{ {key} }}}}
"""
    done = pandoc(folder, text, "--standalone")
    assert done.returncode == 0, done.stderr
    found = bare(done.stdout)
    text = f"Text {value}, ({value}), {value}, x = {value}, −0.01 and −0.01 ± 0.02; {{{{ {key} }}}}."
    assert bare(text) in found
    for place in ("Title", "head", "Caption"):
        assert f"{place}{value}" in found


@needs("pandoc")
@pytest.mark.parametrize("text", ["{{ mine }}", "{{mine}}", "a {{ b", "$x = {{y}}$", "{{ a b }}"])
def test_the_filter_leaves_other_braces_alone(text: str, folder: Path) -> None:
    done = pandoc(folder, text)
    assert done.returncode == 0, done.stderr
    assert done.stdout == run(folder, "pandoc", "chapter.md", "--to=plain", "--wrap=none").stdout


@needs("pandoc")
def test_the_filter_names_a_key_that_there_is_not(folder: Path) -> None:
    done = pandoc(folder, "{{ max_weight_unscled_d_k_64 }}")
    assert done.returncode != 0
    assert done.stderr.startswith(
        "There is no number called max_weight_unscled_d_k_64; there is max_weight_unscaled_d_k"
    )
