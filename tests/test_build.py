"""Whole builds, as an author starts them."""

import hashlib
import json
import re
import shutil
import time
from pathlib import Path

import pytest
from conftest import PROJECT, Copy

from rootdk.claims import read_claims
from rootdk.provenance import read_provenance

pytestmark = pytest.mark.build

# Small enough to build in seconds, and different from the default in every experiment that has chance in it.
SMALL = """
experiments:
  attention_heatmaps: {seed: 3, tokens: 3, head_width: 16}
  max_weight: {tokens: 100, head_widths: [4, 16], draws: 5}
  score_size: {head_widths: [2, 9], pairs: 50}
  closed_row: {keys: 3, queries: 20, head_widths: [5]}
  score_std: {tokens: 2, head_widths: [1, 3], draws: 4}
  logit_asymmetry: {pairs: 7}
  dimension_sweep: {seed: 9, tokens: 2, head_widths: [1, 6], draws: 4}
  seed_luck: {heads: 30, repetitions: 4}
  width_sweep: {token_counts: [1, 3], head_widths: [2, 300], blocks: 1}
  divisor_exponent: {tokens: 2, head_widths: [1, 5], power_steps: 4}
  approach: {keys: 2, head_widths: [1, 3]}
  sequence_length: {token_counts: [5], head_widths: [7]}
  divisor_shareout: {row_scores: [1, -1], head_widths: [9]}
  sign_scores: {head_widths: [1, 20], enumerate_up_to: 4}
  best_key: {keys: 2, head_widths: [1, 4]}
  loss_gradient: {keys: 2, winner_scores: [0.0, 0.125, 700]}
  alignment: {keys: 3, head_widths: [9], correlations: [0.0, 0.001], draws: 70}
"""

FIGURES = {path.stem.removeprefix("draw_") for path in (PROJECT / "scripts").glob("draw_*.py")}
WEB = f"web: {len(FIGURES)} figures (pdf, svg, png) in figures/web/"
CLAIMS = f"claims: {len(read_claims(PROJECT / 'workflow' / 'chapter' / 'claims'))} true"


@pytest.fixture(scope="module")
def default(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    copy = Copy(tmp_path_factory.mktemp("build") / "mein Büchlein")
    done = copy.snakemake()
    assert done.returncode == 0, done.stdout + done.stderr
    return copy


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    copy = Copy(tmp_path_factory.mktemp("small") / "mein Büchlein")
    (copy / "mine.yaml").write_text(SMALL, encoding="utf-8")
    done = copy.snakemake("--configfile", "mine.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    return copy


def test_the_default_build_makes_what_is_committed(default: Copy) -> None:
    built = default.built()
    committed = [PROJECT / "report.md", *(PROJECT / "data").glob("*"), *(PROJECT / "figures").rglob("*.svg")]
    committed += (PROJECT / "figures").rglob("*.tex")
    assert len(committed) > 40
    for path in committed:
        assert built[str(path.relative_to(PROJECT))] == path.read_bytes(), f"{path.name} moved"


def test_every_figure_comes_in_every_format(default: Copy) -> None:
    for kind in ("pdf", "svg", "png"):
        assert {path.stem for path in (default / "figures" / "web").glob(f"*.{kind}")} == FIGURES


def test_nothing_is_left_to_do_after_a_build(default: Copy) -> None:
    before = {path: path.stat().st_mtime_ns for path in default.folder.rglob("*.svg")}
    done = default.snakemake()
    assert "Nothing to be done" in done.stdout + done.stderr
    assert done.stderr.endswith(f"\n{CLAIMS}\n{WEB}\n")
    assert {path: path.stat().st_mtime_ns for path in default.folder.rglob("*.svg")} == before


def test_a_quiet_build_ends_with_one_line_per_edition(default: Copy) -> None:
    done = default.snakemake("--quiet", "all")
    assert done.stderr.splitlines()[1:] == [CLAIMS, WEB]
    done = default.snakemake("--quiet", "all", "--force", "figures/web/best_key.svg")
    assert done.stderr.splitlines()[1:] == [CLAIMS, WEB]


def test_no_file_says_where_or_when_it_was_built(default: Copy) -> None:
    year = time.strftime("%Y-").encode()
    for name, content in default.built().items():
        assert str(default.folder).encode() not in content, name
        assert b"Date" not in content or name.endswith(".png"), name
        assert year not in content or name.endswith((".png", ".pdf")), name


def test_the_manifest_lists_every_file_as_it_is(default: Copy) -> None:
    built = default.built()
    sums = built.pop("figures/SHA256SUMS").decode()
    manifest = json.loads(built.pop("figures/MANIFEST.json"))
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in built.items()}
    assert {name: entry["sha256"] for name, entry in manifest["files"].items()} == digests
    assert sums == "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))
    assert manifest["lock"] == {
        "locks/build.txt": hashlib.sha256((default / "locks/build.txt").read_bytes()).hexdigest()
    }


@pytest.mark.parametrize("kind", ["pdf", "png", "svg"])
def test_figures_and_the_manifest_say_the_same_of_their_making(default: Copy, kind: str) -> None:
    manifest = json.loads((default / "figures" / "MANIFEST.json").read_text(encoding="utf-8"))["files"]
    paths = sorted((default / "figures").rglob(f"*.{kind}"))
    assert paths
    for path in paths:
        said = read_provenance(path)
        listed = manifest[path.relative_to(default.folder).as_posix()]
        assert said["ConfigDigest"] == f"sha256:{listed['config']}"
        assert said["SourceDigest"] == f"sha256:{listed['code']}"
        assert said["DataDigest"] == f"sha256:{listed['data']}"
        assert "matplotlib " in said["Versions"]
    assert read_provenance(default / f"figures/web/jacobian_norms.{kind}")["Seeds"] != "none"


def test_every_svg_has_ids_of_its_own(default: Copy) -> None:
    seen: dict[str, str] = {}
    for path in sorted((default / "figures").rglob("*.svg")):
        ids = set(re.findall(r'<(?:clipPath|path|g) id="([mp][0-9a-f]{10})"', path.read_text(encoding="utf-8")))
        assert ids, path.name
        for name in ids:
            assert seen.setdefault(name, path.name) == path.name, f"{name} is in {seen[name]} and {path.name}"


def test_the_report_shows_every_figure_with_caption_and_alt_text(default: Copy) -> None:
    report = (default / "report.md").read_text(encoding="utf-8")
    figures = re.findall(r"^!\[(.+)\]\((figures/web/\w+\.svg)\)\n\n\*\*Figure (\d+)\.\*\* (.+)$", report, re.MULTILINE)
    assert len(figures) == len(list((PROJECT / "scripts").glob("draw_*.py")))
    assert [int(number) for _, _, number, _ in figures] == list(range(1, len(figures) + 1))
    for alt, path, _, caption in figures:
        assert (default / path).is_file()
        assert len(alt) > 60
        assert re.search(r"\d", alt), f"no number in the alt text of {path}"
        assert re.search(r"\d", caption), f"no number in the caption of {path}"
        assert "$" not in alt


def test_tables_of_the_report_are_whole(default: Copy) -> None:
    report = (default / "report.md").read_text(encoding="utf-8")
    tables = re.findall(r"(?:^\|.*\|$\n)+", report, re.MULTILINE)
    assert len(tables) >= 10
    for table in tables:
        columns = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(columns) == 1, table[:200]


def test_another_number_of_tokens_reaches_every_sentence(small: Copy) -> None:
    report = (small / "report.md").read_text(encoding="utf-8")
    section = report.split("### The winner's share, on average")[1].split("\n### ")[0]
    assert "5 heads of 100 tokens" in section
    assert not re.search(r"\b8 tokens|row of 8\b|of 8 keys|200", section)


def test_another_config_is_not_comparable_with_the_sources(small: Copy) -> None:
    report = (small / "report.md").read_text(encoding="utf-8")
    assert "not comparable: experiments.max_weight.tokens is 100, the source has 8" in report
    assert "| weights-article | six_tokens | weight, scaled |" in report


def test_no_template_mark_is_left_in_a_report(default: Copy, small: Copy) -> None:
    for copy in (default, small):
        report = (copy / "report.md").read_text(encoding="utf-8")
        assert not re.search(r"\{\{|%\}|\{%|Undefined|None\b|\bnan\b|\binf\b|Figure \?", report)


def test_a_fresh_clone_makes_again_what_it_came_with(project: Copy) -> None:
    for folder in ("data", "figures"):
        shutil.copytree(PROJECT / folder, project / folder)
    shutil.copy(PROJECT / "report.md", project / "report.md")
    (project / "data" / "max_weight.csv").write_text("tampered\n", encoding="utf-8")  # and newer than everything else
    done = project.snakemake("-n", "data/max_weight.csv", "figures/web/best_key.svg")
    assert re.search(r"^simulate +2$", done.stdout, re.MULTILINE), done.stdout
    assert re.search(r"^draw +1$", done.stdout, re.MULTILINE), done.stdout


def test_one_figure_can_be_asked_for(project: Copy) -> None:
    done = project.snakemake("figures/web/best_key.svg")
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(name for name in project.built() if name.startswith(("data", "figures"))) == [
        "data/best_key.csv",
        "data/best_key_summary.csv",
        "figures/MANIFEST.json",
        "figures/SHA256SUMS",
        "figures/web/best_key.pdf",
        "figures/web/best_key.png",
        "figures/web/best_key.svg",
    ]


def test_a_dry_run_touches_nothing(project: Copy) -> None:
    done = project.snakemake("-n")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.built() == {}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--config", "experiments={max_weight: {tokens: 0}}"],
            "--config: experiments.max_weight.tokens is 0; allowed: a whole number from 1 to",
        ),
        (
            ["--configfile", "mine.yaml"],
            "mine.yaml, line 3: experiments.max_weight.tokns is not a known key; the nearest known key is tokens",
        ),
    ],
)
def test_a_mistake_in_an_override_stops_before_anything_is_touched(
    project: Copy, arguments: list[str], message: str
) -> None:
    (project / "mine.yaml").write_text("experiments:\n  max_weight:\n    tokns: 100\n", encoding="utf-8")
    done = project.snakemake(*arguments)
    assert done.returncode != 0
    assert message in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert project.built() == {}


def test_a_number_that_the_sources_do_not_print_fails_the_build_by_name(project: Copy) -> None:
    project.edit("workflow/published/published.csv", "unscaled,d_k=64,88%", "unscaled,d_k=64,87%")
    done = project.snakemake("data/published.csv")
    assert done.returncode != 0
    assert re.search(r"published.csv, line \d+: max_weight.unscaled.d_k=64: .* prints 87%, .* finds 88%", done.stderr)
    assert "Traceback" not in done.stderr


def test_a_figure_that_cannot_be_redrawn_keeps_its_last_good_files(project: Copy) -> None:
    target = "figures/web/best_key.svg"
    assert project.snakemake(target).returncode == 0
    before = project.built()
    assert target in before.pop("figures/MANIFEST.json").decode()
    assert target in before.pop("figures/SHA256SUMS").decode()
    words = "workflow/chapter/figures/best_key.yaml"
    (project / words).write_text((project / words).read_text(encoding="utf-8").replace("{{ n(", "{{ m("), "utf-8")
    done = project.snakemake(target)
    assert done.returncode != 0
    assert "workflow/chapter/figures/best_key.yaml, " in done.stderr
    assert "Traceback" not in done.stderr
    after = project.built()
    assert target not in after.pop("figures/MANIFEST.json").decode()
    assert target not in after.pop("figures/SHA256SUMS").decode()
    assert after == before


def test_a_killed_build_leaves_nothing_half_written_and_nobody_writing(project: Copy) -> None:
    import os
    import signal
    import subprocess
    import sys

    build = subprocess.Popen(
        [sys.executable, "-m", "snakemake"],
        cwd=project.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "XDG_CACHE_HOME": str(project / ".cache")},
    )
    deadline = time.monotonic() + 60
    while not list(Path(project / "data").glob("*.csv")) and time.monotonic() < deadline:
        time.sleep(0.02)
    build.send_signal(signal.SIGKILL)
    build.wait()
    time.sleep(1.0)
    after = project.built()
    assert after
    time.sleep(1.5)
    assert project.built() == after, "something was still writing"
    assert project.snakemake("--unlock").returncode == 0
    done = project.snakemake("data/max_weight.csv", "data/score_std.csv")
    assert done.returncode == 0, done.stderr
    for name in ("data/max_weight.csv", "data/score_std.csv"):
        assert (project / name).read_bytes() == (PROJECT / name).read_bytes()
