"""Exactly the right jobs: one edit at a time, in a copy of a built project, and the set of jobs that it costs."""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import PROJECT, Copy

pytestmark = pytest.mark.build

EXPERIMENTS = {path.stem.removeprefix("simulate_") for path in (PROJECT / "scripts").glob("simulate_*.py")}
FIGURES = {path.stem.removeprefix("draw_") for path in (PROJECT / "scripts").glob("draw_*.py")}

ALL_SIMULATIONS = {f"simulate {name}" for name in EXPERIMENTS}
ALL_DRAWINGS = {f"draw {name}" for name in FIGURES}
COMPARE, DESCRIBE, WRITE = "compare with the sources", "describe tables", "write the chapter"
LIST, JUDGE, HOLD = "list the numbers", "judge the claims", "hold the chapter to its claims"
EVERYTHING = {*ALL_SIMULATIONS, *ALL_DRAWINGS, COMPARE, DESCRIBE, WRITE, LIST, JUDGE, HOLD}
NOTHING: set[str] = set()

Edit = Callable[[Copy], object]


def replace(name: str, old: str, new: str) -> Edit:
    return lambda copy: copy.edit(name, old, new)


def append(name: str, text: str) -> Edit:
    def edit(copy: Copy) -> None:
        with (copy / name).open("a", encoding="utf-8") as file:
            file.write(text)

    return edit


def remove(*names: str) -> Edit:
    def edit(copy: Copy) -> None:
        for name in names:
            path = copy / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    return edit


def touch_everything(copy: Copy) -> None:
    for path in copy.folder.rglob("*"):
        if ".snakemake" not in path.parts:
            os.utime(path)


def truncate_and_keep_the_date(name: str) -> Edit:
    def edit(copy: Copy) -> None:
        path = copy / name
        date = path.stat().st_mtime_ns
        path.write_bytes(path.read_bytes()[:-20])
        os.utime(path, ns=(date, date))

    return edit


def reorder_keys(copy: Copy) -> None:
    text = (copy / "config.yaml").read_text(encoding="utf-8")
    section = re.search(r"  max_weight:\n((?:    .+\n)+)", text)
    assert section is not None
    lines = section[1].splitlines(keepends=True)
    copy.edit("config.yaml", section[1], "".join(reversed(lines)))


def another_version(package: str) -> Edit:
    def edit(copy: Copy) -> None:
        text = (copy / "locks/build.txt").read_text(encoding="utf-8")
        pinned = re.search(rf"^{package}==\S+", text, re.MULTILINE)
        assert pinned is not None
        copy.edit("locks/build.txt", pinned[0], f"{package}==99.0")

    return edit


def about(*names: str) -> set[str]:
    """Return the jobs of experiments and figures that share a name, and what reads every table."""
    own = {f"{does} {name}" for does in ("simulate", "draw") for name in names}
    return own | {COMPARE, DESCRIBE, WRITE, LIST, JUDGE, HOLD}


EDITS: dict[str, tuple[Edit, set[str]]] = {
    # What changes nothing.
    "nothing at all": (lambda copy: None, NOTHING),
    "every file touched": (touch_everything, NOTHING),
    "a comment in a script": (append("scripts/simulate_max_weight.py", "# a comment\n"), NOTHING),
    "a comment in a shared module": (append("scripts/rootdk/attention.py", "# a comment\n"), NOTHING),
    "a docstring": (replace("scripts/rootdk/style.py", '"""How figures look', '"""The looks of figures'), NOTHING),
    "layout of code": (replace("scripts/rootdk/sampling_error.py", "import math\n", "import  math\n\n\n"), NOTHING),
    "a comment in the config": (append("config.yaml", "# a comment\n"), NOTHING),
    "the order of keys in the config": (reorder_keys, NOTHING),
    "16.0 for 16": (replace("config.yaml", "tokens: 16\n", "tokens: 16.0\n"), NOTHING),
    "another way to write a list": (
        replace("config.yaml", "query: [1, 0]\n", "query:\n      - 1\n      - 0\n"),
        NOTHING,
    ),
    "a package that only Snakemake uses": (another_version("pulp"), NOTHING),
    "the description of a parameter": (
        replace("workflow/schemas/config.schema.yaml", "bars of a histogram", "how many bars a histogram has"),
        NOTHING,
    ),
    "a folder of Snakemake's lost": (remove(".snakemake"), NOTHING),
    # Config.
    "an experiment's draws": (
        replace("config.yaml", "draws: 300", "draws: 150"),
        about("score_std") | {"draw width_sweep"},  # shows the points of others, too
    ),
    "an experiment that another one repeats": (
        replace("config.yaml", "pairs: 8000", "pairs: 7000"),
        {*about("score_size", "seed_luck"), "draw jacobian_norms"},
    ),
    "an experiment without a figure of its name": (
        replace("config.yaml", "order: [3, 1, 5, 0, 4, 2]", "order: [1, 2, 3, 4, 5, 0]"),
        {"simulate permutation", COMPARE, DESCRIBE, WRITE, LIST, JUDGE, HOLD},
    ),
    "a figure's size": (replace("config.yaml", "best_key: {width: 120", "best_key: {width: 110"), {"draw best_key"}),
    "a figure's option": (replace("config.yaml", "bins: 20", "bins: 10"), {"draw logit_asymmetry"}),
    "the digits of an experiment's numbers": (
        replace("config.yaml", "digits: {}", "digits: {best_key: 2}"),
        {"draw best_key", WRITE, LIST, JUDGE},
    ),
    "the digits of numbers without an error": (
        replace("config.yaml", "without_error: 3", "without_error: 4"),
        {*ALL_DRAWINGS, WRITE, LIST, JUDGE},
    ),
    "the digits that are there without saying so": (replace("config.yaml", "  without_error: 3", "  #"), NOTHING),
    "an edition's resolution": (replace("config.yaml", "resolution: 200", "resolution: 100"), ALL_DRAWINGS),
    # Code.
    "code of one script": (
        replace("scripts/simulate_best_key.py", "rows = []", "rows = list()"),
        {"simulate best_key"},  # the same table, so nothing after it
    ),
    "code of one script with another result": (
        replace("scripts/simulate_best_key.py", '("scaled", 1.0)', '("scaled", 2.0)'),
        {"simulate best_key", "draw best_key", LIST, JUDGE},  # and the comparison, which fails
    ),
    "code of a module that some scripts import": (
        replace("scripts/rootdk/dense_heads.py", "_ENTRIES_AT_ONCE = 500_000", "_ENTRIES_AT_ONCE = 400_000"),
        {
            f"simulate {name}"
            for name in (
                *("alignment", "attention_heatmaps", "dimension_sweep", "max_weight", "score_std", "seed_luck"),
                "width_sweep",
            )
        },
    ),
    "code of the drawing": (replace("scripts/rootdk/axes.py", "1.45", "1.5"), ALL_DRAWINGS),
    "the style file": (
        replace("scripts/rootdk/rootdk.mplstyle", "lines.markersize: 4.5", "lines.markersize: 5"),
        ALL_DRAWINGS,
    ),
    "code of the report": (
        replace("scripts/build_report.py", 'CHAPTER = "chapter.md"', 'CHAPTER = "chapter" + ".md"'),
        {WRITE},
    ),
    "code of the list of numbers": (
        replace("scripts/rootdk/number_keys.py", 'FORMS = ("", "_pm", "_error")', 'FORMS = "", "_pm", "_err"'),
        {LIST},
    ),
    "the macros for LaTeX": (append("workflow/numbers/macros.tex", "% The end.\n"), {LIST}),
    # Words.
    "a sentence of the chapter": (append("workflow/chapter/sections/root.md", "\nThe end.\n"), {WRITE}),
    "a caption": (
        replace("workflow/chapter/figures/best_key.yaml", "in a row of", "in one row of"),
        {"draw best_key", WRITE},
    ),
    "a source's title": (append("workflow/published/sources.yaml", "another: Another text\n"), {WRITE}),
    "a note on a printed number": (
        replace("workflow/published/published.csv", "ln 8", "the logarithm of 8"),
        {COMPARE, DESCRIBE, WRITE},
    ),
    "the description of a column": (
        replace("workflow/schemas/columns.yaml", "Head width, the number", "The head width, that is the number"),
        {DESCRIBE},
    ),
    "the unit of a column": (replace("workflow/schemas/columns.yaml", "unit: ratio", "unit: none"), {DESCRIBE, LIST}),
    "the unit of a statistic": (replace("workflow/schemas/statistics.yaml", "unit: nats", "unit: nat"), {LIST}),
    # Packages.
    "another numpy": (another_version("numpy"), EVERYTHING),
    "another matplotlib": (another_version("matplotlib"), ALL_DRAWINGS),
    "another SciencePlots": (another_version("scienceplots"), ALL_DRAWINGS),
    "another pillow, which matplotlib needs": (another_version("pillow"), ALL_DRAWINGS),
    "another Jinja": (another_version("jinja2"), {*ALL_DRAWINGS, COMPARE, WRITE, LIST, JUDGE, HOLD}),
    "a column that no table has yet": (
        append("workflow/schemas/columns.yaml", "novelty:\n  type: number\n  unit: none\n  description: New.\n"),
        {COMPARE, DESCRIBE, WRITE, LIST, JUDGE, HOLD},
    ),
    "a claim reworded": (
        replace("workflow/chapter/claims/best_key.yaml", "gets more with", "has more with"),
        {JUDGE, HOLD, DESCRIBE, WRITE},
    ),
    # Files changed behind the pipeline's back.
    "a table edited": (append("data/max_weight.csv", "8,4,scaled,max_weight,1,0,200\n"), {"simulate max_weight"}),
    "a table truncated, its date kept": (truncate_and_keep_the_date("data/best_key.csv"), {"simulate best_key"}),
    "a figure truncated": (truncate_and_keep_the_date("figures/web/best_key.svg"), {"draw best_key"}),
    "a figure lost": (remove("figures/web/best_key.png"), {"draw best_key"}),
    "the report edited": (append("report.md", "My own words.\n"), {WRITE}),
    "everything built lost": (remove("data", "figures", "report.md"), EVERYTHING - {HOLD}),
    "all records lost": (remove(".cache"), EVERYTHING),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    copy = Copy(tmp_path_factory.mktemp("built"))
    copy.lighten()
    done = copy.snakemake()
    assert done.returncode == 0, done.stderr
    assert copy.made() == EVERYTHING
    return copy


@pytest.fixture
def moved(built: Copy, tmp_path: Path) -> Copy:
    """Return the built project, moved to another place."""
    return built.moved_to(tmp_path / "an other place")


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_costs_exactly_the_jobs_that_depend_on_it(name: str, moved: Copy) -> None:
    edit, expected = EDITS[name]
    edit(moved)
    done = moved.snakemake()
    assert moved.made() == expected, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_what_was_changed_behind_the_pipelines_back_is_said_and_mended(moved: Copy) -> None:
    before = moved.built()
    for name in ("data/max_weight.csv", "figures/web/best_key.svg"):
        (moved / name).write_bytes(b"")
    done = moved.snakemake()
    assert "data/max_weight.csv is not what the build left there; it will be made again." in done.stderr
    assert "figures/web/best_key.svg is not what the build left there; it will be made again." in done.stderr
    assert moved.built() == before


def test_an_edit_taken_back_leaves_what_was_there(moved: Copy) -> None:
    before = moved.built()
    for old, new in (("draws: 300", "draws: 30"), ("draws: 30\n", "draws: 300\n")):
        moved.edit("config.yaml", old, new)
        assert moved.snakemake().returncode == 0
        assert (moved.built() == before) == (new == "draws: 300\n")
