"""A failed job: what is made all the same, what the chapter and the end of the build say, and how it is mended."""

import json
import os
import pty
import re
import signal
import sys
import time
from pathlib import Path

import pytest
from conftest import PROJECT, Copy

from check_claims import config_digest
from rootdk.build_failures import Failure, blame, list_failures, read_cause
from rootdk.config import load_config

FIGURES = {path.stem.removeprefix("draw_") for path in (PROJECT / "scripts").glob("draw_*.py")}
FORMATS = ("svg", "png")
COUNT = len(FIGURES)
DONE = rf"(claims: .+\n)?web: {COUNT} figures \(svg, png\) in figures/web/"
ONE_MISSING = rf"(claims: .+\n)?web: {COUNT - 1} of {COUNT} figures \(svg, png\) in figures/web/"
MARK = "> ⚠ **"


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        ("words.yaml, alt, line 1: 'm' is undefined.\n", "words.yaml, alt, line 1: 'm' is undefined"),
        ("a warning\n\nfigures.x: 60 × 40 mm is too small\n", "figures.x: 60 × 40 mm is too small"),
        ("Not what was printed:\nline 3: a\nline 4: b\n", "Not what was printed: line 3: a (and 1 more)"),
        ("Not what was printed:\nline 3: a.\n", "Not what was printed: line 3: a"),
        (
            'Traceback (most recent call last):\n  File "scripts/draw_x.py", line 7, in <module>\n    raise E\n'
            '  File "/usr/lib/python3/json.py", line 9, in f\n    f()\n    ^^^\nValueError: broken\nin two lines\n',
            "scripts/draw_x.py, line 7: ValueError: broken",
        ),
        (
            "Traceback (most recent call last):\nKeyError: 1\n\nDuring handling of it:\n\n"
            'Traceback (most recent call last):\n  File "HERE/scripts/rootdk/axes.py", line 2, in f\n'
            "OSError: HERE/data\n",
            "scripts/rootdk/axes.py, line 2: OSError: HERE/data",
        ),
        ("", "it says nothing"),
        ("x" * 1000, "x" * 299 + "…"),
    ],
)
def test_the_cause_is_one_line_of_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: str, cause: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.log").write_text(log.replace("HERE", str(tmp_path)), encoding="utf-8")
    assert read_cause(Path("job.log")) == cause.replace("HERE/", "")


def test_without_a_log_there_is_no_cause() -> None:
    assert read_cause(Path("nowhere.log")) == "it left no log"


def test_what_waits_for_a_failed_job_directly_or_not_has_its_cause() -> None:
    failure = Failure("simulate a", "broken", "a.log")
    needs = {"a": ["b"], "b": ["c"], "x": ["y"]}
    assert blame({"a": failure}, {"b", "c", "y"}, needs) == {"b": failure, "c": failure}


def test_the_end_lists_each_failure_with_its_cause_and_log() -> None:
    listed = list_failures([Failure("draw a", "broken", "logs/a.log")], ["draw b", "draw c"], 7)
    assert listed.splitlines() == [
        "1 of 7 jobs failed:",
        "  draw a: broken",
        "    log: logs/a.log",
        "Not done because of that: draw b, draw c.",
    ]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    copy = Copy(tmp_path_factory.mktemp("built"))
    copy.lighten()
    done = copy.snakemake()
    assert done.returncode == 0, done.stderr
    return copy


@pytest.fixture
def moved(built: Copy, tmp_path: Path) -> Copy:
    """Return the built project, moved to another place."""
    return built.moved_to(tmp_path / "an other place")


def report(copy: Copy) -> str:
    return (copy / "report.md").read_text(encoding="utf-8")


def listed(copy: Copy) -> set[str]:
    return set(json.loads((copy / "figures/MANIFEST.json").read_text(encoding="utf-8"))["files"])


def break_script(copy: Copy, name: str) -> None:
    with (copy / "scripts" / name).open("a", encoding="utf-8") as file:
        file.write('raise ValueError("a broken `script`")\n')


def mend(copy: Copy, name: str) -> None:
    (copy / name).write_bytes((PROJECT / name).read_bytes())
    if name == "config.yaml":
        copy.lighten()


def lose_figures(copy: Copy) -> None:
    for path in (copy / "figures/web").iterdir():
        path.unlink()


@pytest.mark.build
def test_a_figure_whose_script_raises_does_not_stop_the_others(moved: Copy, built: Copy) -> None:
    lose_figures(moved)
    break_script(moved, "draw_best_key.py")
    done = moved.snakemake()
    assert done.returncode == 1
    assert moved.made() == {f"draw {name}" for name in FIGURES - {"best_key"}}
    made = {f"figures/web/{name}.{kind}" for name in FIGURES - {"best_key"} for kind in FORMATS}
    assert {name for name in moved.built() if name.startswith("figures/web")} == made
    assert {name for name in listed(moved) if name.startswith("figures/web")} == made
    assert {name: content for name, content in built.built().items() if name in made} == {
        name: content for name, content in moved.built().items() if name in made
    }

    cause = r"scripts/draw_best_key.py, line \d+: ValueError: a broken `script`"
    assert report(moved).count(MARK) == 1
    assert re.search(rf"^{re.escape(MARK)}Figure 4 could not be drawn.*`` {cause} ``", report(moved), re.MULTILINE)
    assert "](figures/web/best_key.svg)" not in report(moved)
    assert "](figures/web/max_weight.svg)\n\n**Figure 7.**" in report(moved)
    assert re.search(
        rf"^1 of {COUNT + 1} jobs failed:\n  draw best_key: {cause}\n    log: logs/draw_best_key.log\n"
        rf"report.md says where something is missing.\n{ONE_MISSING}\n\Z",
        done.stderr,
        re.MULTILINE,
    )

    mend(moved, "scripts/draw_best_key.py")
    assert moved.snakemake().returncode == 0
    assert moved.made() == {"draw best_key", "write the chapter"}
    assert moved.built() == built.built()


@pytest.mark.build
def test_two_broken_figures_keep_their_files_and_are_tried_again_by_every_build(moved: Copy, built: Copy) -> None:
    (moved / "workflow/chapter/figures/best_key.yaml").write_text("title: [\n", encoding="utf-8")
    moved.edit("config.yaml", "dimension_sweep: {width: 165, height: 120}", "dimension_sweep: {width: 60, height: 40}")
    for _ in range(2):
        done = moved.snakemake()
        assert done.returncode == 1
        assert "2 of 3 jobs failed:\n  draw best_key: workflow/chapter/figures/best_key.yaml, line " in done.stderr
        assert "\n  draw dimension_sweep: figures.dimension_sweep: 60 × 40 mm is too small" in done.stderr
        assert "Traceback" not in done.stderr
        assert report(moved).count(MARK) == 2
        for name in ("best_key", "dimension_sweep"):
            for kind in FORMATS:
                path = f"figures/web/{name}.{kind}"
                assert (moved / path).read_bytes() == (built / path).read_bytes()
                assert path not in listed(moved)
            assert not (moved / f".cache/records/draw_{name}.json").exists()
    mend(moved, "config.yaml")
    assert moved.snakemake().returncode == 1
    assert report(moved).count(MARK) == 1
    mend(moved, "workflow/chapter/figures/best_key.yaml")
    assert moved.snakemake().returncode == 0
    assert moved.built() == built.built()


@pytest.mark.build
def test_a_failed_simulation_leaves_a_chapter_that_marks_what_it_takes_along(moved: Copy, built: Copy) -> None:
    moved.edit("config.yaml", "best_key: {width: 120", "best_key: {width: 110")
    break_script(moved, "simulate_sign_scores.py")
    done = moved.snakemake()
    assert done.returncode == 1
    assert moved.made() == {"draw best_key"}
    assert "1 of 9 jobs failed:\n  simulate sign_scores: scripts/simulate_sign_scores.py, line " in done.stderr
    assert "\nNot done because of that: compare with the sources, describe tables, draw sign_scores, " in done.stderr
    assert f"\nweb: {COUNT - 1} of {COUNT} figures" in done.stderr
    text = report(moved)
    section = text.split("### Counting instead of guessing")[1].split("\n### ")[0]
    assert section.startswith(
        f"\n\n{MARK}This section could not be written.** This build could not simulate sign_scores:"
    )
    assert "could not be drawn" in section
    assert not re.search(r"^[A-Z]", section, re.MULTILINE), "no sentence of it is left"
    whole = report(built)
    kept = [line for line in text.splitlines() if not line.startswith(MARK)]
    assert len(kept) > 200
    assert set(kept) <= set(whole.splitlines()), "all else is as it would be"
    assert f"## Against the sources\n\n{MARK}" in text
    for name in ("data/sign_scores.csv", "data/sign_scores_summary.csv", "data/published.csv"):
        assert (moved / name).read_bytes() == (built / name).read_bytes()
        assert name not in listed(moved)
    mend(moved, "scripts/simulate_sign_scores.py")
    mend(moved, "config.yaml")
    assert moved.snakemake().returncode == 0
    assert moved.built() == built.built()


@pytest.mark.build
def test_numbers_that_the_sources_do_not_print_fail_the_build_and_leave_the_rest(moved: Copy, built: Copy) -> None:
    moved.edit("workflow/published/published.csv", "unscaled,d_k=64,88%", "unscaled,d_k=64,87%")
    done = moved.snakemake()
    assert done.returncode == 1
    assert "compare with the sources: This build does not find what the sources printed: published.csv, line" in (
        done.stderr
    )
    assert (moved / "data/published.csv").read_bytes() == (built / "data/published.csv").read_bytes()
    before, after = (report(copy).split("## Against the sources") for copy in (built, moved))
    assert after[0] == before[0]
    assert after[1].startswith(f"\n\n{MARK}This section could not be written.** This build could not compare")


@pytest.mark.build
def test_a_false_claim_fails_every_build_of_the_config_that_the_chapter_was_written_for(moved: Copy) -> None:
    scripts, schema = moved / "scripts", moved / "workflow/schemas/config.schema.yaml"
    experiments = load_config(moved / "config.yaml", scripts=scripts, schema=schema)["experiments"]
    digest, claims = moved / "workflow/chapter/claims/written_for.sha256", moved / "workflow/chapter/claims/own.yaml"
    section = moved / "workflow/chapter/sections/root.md"
    claims.write_text("false_one:\n  sentence: It is.\n  holds: above(0, 1)\n", encoding="utf-8")
    done = moved.snakemake()
    assert done.returncode == 1
    assert 'the chapter does not make the claim false_one; write {{ claim("false_one") }}' in done.stdout + done.stderr
    (moved / "workflow/chapter/sections/nowhere.md").write_text('{{ claim("false_one") }}\n', encoding="utf-8")
    assert moved.snakemake().returncode == 1, "a section that the chapter does not include makes no claim"

    with section.open("a", encoding="utf-8") as file:
        file.write('\n{{ claim("false_one") }}\n')
    assert moved.snakemake().returncode == 0, "an author's config only marks it"
    assert "~~It is.~~ **[not so in this build: 0 is not above 1]**" in report(moved)
    digest.write_text(config_digest(experiments) + "\r\n", encoding="utf-8")
    for _ in range(3):
        done = moved.snakemake()
        assert done.returncode == 1
        assert "false_one is false: 0 is not above 1" in done.stderr
        assert "~~It is.~~" in report(moved)
        assert "false_one,false,It is." in (moved / "data/claims.csv").read_text(encoding="utf-8")
    digest.write_text("", encoding="utf-8")
    assert "should hold the SHA-256 digest of the config" in moved.snakemake().stderr
    digest.unlink()
    assert "written_for.sha256 is missing" in moved.snakemake().stderr


@pytest.mark.build
def test_a_mistake_in_the_chapter_beside_a_failed_figure_leaves_the_chapter_and_says_so(moved: Copy) -> None:
    before = report(moved)
    break_script(moved, "draw_best_key.py")
    with (moved / "workflow/chapter/sections/root.md").open("a", encoding="utf-8") as file:
        file.write("{{ m('x') }}\n")
    done = moved.snakemake()
    assert done.returncode == 1
    assert "report.md is left as it was and is not up to date: workflow/chapter: chapter.md, in root.md" in done.stderr
    assert report(moved) == before
    assert "report.md" not in listed(moved)


@pytest.mark.build
def test_a_broken_style_fails_every_build_until_it_is_mended(moved: Copy, built: Copy) -> None:
    (moved / "scripts/rootdk/rootdk.mplstyle").write_text("no.such.setting: 1\n", encoding="utf-8")
    (moved / "scripts/rootdk/style.py").write_text("raise ImportError('no style')\n", encoding="utf-8")
    for _ in range(2):
        done = moved.snakemake()
        assert done.returncode == 1
        assert report(moved).count(MARK) == len(FIGURES)
        assert f"web: 0 of {COUNT} figures" in done.stderr
    assert {name for name in listed(moved) if name.startswith("figures/web")} == set()
    mend(moved, "scripts/rootdk/rootdk.mplstyle")
    mend(moved, "scripts/rootdk/style.py")
    assert moved.snakemake().returncode == 0
    assert moved.built() == built.built()


@pytest.mark.build
def test_a_single_figure_that_cannot_be_drawn_is_an_error_and_touches_nothing_else(moved: Copy) -> None:
    before = report(moved)
    break_script(moved, "draw_best_key.py")
    done = moved.snakemake("figures/web/best_key.svg")
    assert done.returncode == 1
    assert "1 of 1 job failed:\n  draw best_key: " in done.stderr
    assert report(moved) == before
    assert moved.snakemake("figures/web/max_weight.svg").returncode == 0
    assert not [name for name in listed(moved) if "web/best_key" in name]


@pytest.mark.build
def test_a_log_has_one_short_line_a_job_and_no_signs_for_a_terminal(moved: Copy) -> None:
    lose_figures(moved)
    done = moved.snakemake()
    text = done.stdout + done.stderr
    assert done.returncode == 0
    assert "\r" not in text
    assert "\x1b" not in text
    jobs = [line for line in text.splitlines() if line.startswith("[")]
    assert len(jobs) == len(FIGURES) + 1
    assert all(
        re.fullmatch(rf"\[ ?\d+/{COUNT + 1}\] (draw \w+|write the chapter), \d+ s left", line) for line in jobs
    ), jobs
    assert len(text.splitlines()) < COUNT + 9
    assert re.search(rf"\n{DONE}\n\Z", text)


class OnATerminal:
    """A build that believes to run on a terminal."""

    def __init__(self, copy: Copy) -> None:
        self.process, self._terminal = pty.fork()
        if self.process == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # it may be ignored, as in a shell's background
            os.chdir(copy.folder)
            environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "XDG_CACHE_HOME": str(copy / ".cache")}
            os.execve(sys.executable, [sys.executable, "-m", "snakemake"], environment)
        self.text = ""

    def read(self, until: str = "") -> str:
        """Return all that was written up to some piece of text, or to the end."""
        while not until or until not in self.text:
            try:
                part = os.read(self._terminal, 65536)
            except OSError:
                break
            if not part:
                break
            self.text += part.decode(errors="replace")
        return self.text

    def type(self, key: bytes) -> None:
        os.write(self._terminal, key)

    def wait(self) -> int:
        self.read()
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


@pytest.mark.build
def test_on_a_terminal_one_line_says_what_runs_and_what_is_left(moved: Copy) -> None:
    lose_figures(moved)
    break_script(moved, "draw_max_weight.py")
    build = OnATerminal(moved)
    assert build.wait() == 1
    shown = re.findall(rf"\r\x1b\[K(\[ *\d+/{COUNT + 1}\][^\r\x1b]*)", build.text)
    assert len(shown) >= len(FIGURES)
    assert all(len(line) < 80 for line in shown)
    assert any(re.fullmatch(rf"\[ *\d+/{COUNT + 1}\] \d+ s left: draw \w+(, draw \w+)*", line) for line in shown)
    rows = [row.rstrip("\r").rpartition("\x1b[K")[2] for row in build.text.rstrip().split("\n")]
    assert not [row for row in rows if "s left" in row], "none of it is left on the screen"
    assert re.fullmatch(ONE_MISSING.partition("?")[2], rows[-1])


@pytest.mark.build
def test_a_build_that_is_stopped_says_so_and_leaves_the_chapter(moved: Copy) -> None:
    before = report(moved)
    break_script(moved, "draw_best_key.py")
    with (moved / "scripts/draw_max_weight.py").open("a", encoding="utf-8") as file:
        file.write("import time\ntime.sleep(60)\n")
    build = OnATerminal(moved)
    build.read(until="ValueError: a broken")
    time.sleep(0.5)
    build.type(b"\x03")
    assert build.wait() == 1
    assert "The build was stopped before it was done." in build.text
    assert "draw best_key: scripts/draw_best_key.py" in build.text
    assert "Traceback" not in build.text.rpartition("Terminating processes")[2]
    assert report(moved) == before
