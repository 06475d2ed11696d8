"""What moved since a git revision, and how each change is sorted."""

import inspect
import io
import math
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import PROJECT, Copy
from PIL import Image

import report_changes
from build_report import build_report
from rootdk.change_sorts import Sort
from rootdk.changes_page import Changes, write_page
from rootdk.config import with_experiments_taken
from rootdk.config_changes import compare_configs
from rootdk.figure_changes import COME, GONE, drawing, picture, show_difference
from rootdk.number_changes import compare_numbers, sort_of
from rootdk.numbers import Number
from rootdk.revision import read_revision
from rootdk.sentence_changes import paired_sentences, sentences, word_difference
from rootdk.snapshot import is_part, take_snapshot
from rootdk.tables import Tables, read_table, write_table
from rootdk.yaml_source import read_own_yaml
from simulate_dimension_sweep import simulate_dimension_sweep
from simulate_max_weight import simulate_max_weight


@pytest.fixture(scope="module", autouse=True)
def own_git() -> Iterator[None]:
    """Keep the user's git settings, and those of a hook that runs the tests, out."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("GIT_")]:
            patch.delenv(name)
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        for who in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{who}_NAME", "An Author")
            patch.setenv(f"GIT_{who}_EMAIL", "author@example.org")
        yield


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


def commit(folder: Path, subject: str) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--allow-empty", "--message", subject)


class Built(Copy):
    """A copy of the project with its tables and figures, whose parts a test changes as a build would."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        shutil.copytree(PROJECT / "data", folder / "data")
        shutil.copytree(PROJECT / "figures", folder / "figures", ignore=shutil.ignore_patterns("*.p*"))
        shutil.copy(PROJECT / ".gitignore", folder / ".gitignore")
        self.config = read_own_yaml(folder / "config.yaml")
        self.tell()

    def tell(self) -> None:
        """Write the chapter that follows from the templates and the tables."""
        tables = {path.stem: read_table(path) for path in (self / "data").glob("*.csv")}
        report = build_report(
            self / "workflow" / "chapter",
            tables=tables,
            setup=with_experiments_taken(self.config["experiments"], self / "scripts"),
            published=tables["published"],
            sources=read_own_yaml(self / "workflow" / "published" / "sources.yaml"),
            figures=[f"figures/web/{path.name}" for path in (self / "figures" / "web").glob("*.svg")],
        )
        (self / "report.md").write_text(report, encoding="utf-8")

    def simulate(self, simulate: Callable[..., Tables], **other: int) -> None:
        """Run an experiment with other parameters, in the config too."""
        experiment = simulate.__name__.removeprefix("simulate_")
        parameters: dict[str, Any] = self.config["experiments"][experiment]
        for key, value in other.items():
            start = f"  {experiment}:\n"
            block = (self / "config.yaml").read_text(encoding="utf-8").split(start)[1].split("\n\n")[0]
            self.edit("config.yaml", block, block.replace(f"    {key}: {parameters[key]}", f"    {key}: {value}"))
        parameters |= other
        given = dict(parameters)
        if "seed" not in inspect.signature(simulate).parameters:
            tables = simulate(np.random.default_rng(given.pop("seed")), **given)
        else:
            tables = simulate(**given)
        write_table(tables.table, self / "data" / f"{experiment}.csv", rounded=True)
        write_table(tables.summary, self / "data" / f"{experiment}_summary.csv", rounded=True)
        self.mark(experiment, "#123456")

    def mark(self, figure: str, color: str) -> None:
        """Draw something into a figure."""
        rectangle = f'<rect x="20" y="20" width="40" height="30" style="fill: {color}"/>'
        self.edit(f"figures/web/{figure}.svg", "</svg>", f"{rectangle}</svg>")


@pytest.fixture(scope="module")
def three_sorts(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """Make one change of each sort, in a project that is a folder of a larger repository."""
    repository = tmp_path_factory.mktemp("größeres Ganzes")
    git(repository, "init")
    project = Built(repository / "mein Büchlein")
    commit(repository, "Before")
    project.mark("best_key", "#FF0000")
    with (project / "workflow" / "chapter" / "sections" / "root.md").open("a", encoding="utf-8") as section:
        section.write("\nThis sentence is its author's alone.\n")
    project.simulate(simulate_max_weight, seed=4)
    project.simulate(simulate_dimension_sweep, tokens=12)
    project.tell()
    revision = read_revision(project.folder, "HEAD", is_part)
    changes = report_changes.find_changes(project.folder, revision, report_changes.present_snapshot(project.folder, []))
    return SimpleNamespace(project=project, changes=changes, page=write_page(changes, "changes"))


def sorts_of(changes: list[Any], prefix: str) -> set[Sort]:
    return {change.sort for change in changes if change.name.startswith(prefix)}


def test_numbers_are_sorted_by_their_standard_errors(three_sorts: SimpleNamespace) -> None:
    numbers = three_sorts.changes.numbers
    assert {change.name.split(".")[0] for change in numbers} == {"max_weight", "dimension_sweep"}
    assert sorts_of(numbers, "max_weight.") == {Sort.WITHIN}
    named = {change.name: change for change in numbers}
    assert named["dimension_sweep.entropy.scaled.d_k=64"].sort == Sort.REAL
    assert named["dimension_sweep.entropy.scaled.d_k=64"].in_errors > 10
    assert named["dimension_sweep.score_std.scaled.d_k=1024"].sort == Sort.WITHIN
    assert named["dimension_sweep.max_entropy.tokens=8"].new is None
    assert named["dimension_sweep.max_entropy.tokens=12"].old is None


def test_tables_have_the_sort_of_their_gravest_number(three_sorts: SimpleNamespace) -> None:
    tables = {change.name: change for change in three_sorts.changes.tables}
    assert {name: change.sort for name, change in tables.items()} == {
        "max_weight": Sort.WITHIN,
        "dimension_sweep": Sort.REAL,
        "dimension_sweep_summary": Sort.REAL,
    }
    assert "`tokens` 8 → 12" in tables["dimension_sweep"].what


def test_figures_are_style_only_if_no_table_of_theirs_changed(three_sorts: SimpleNamespace) -> None:
    assert {change.name: change.sort for change in three_sorts.changes.figures} == {
        "web/best_key": Sort.STYLE,
        "web/max_weight": Sort.WITHIN,
        "web/dimension_sweep": Sort.REAL,
    }
    for pictures in three_sorts.changes.pictures.values():
        assert 0 < pictures.share < 0.1
        for content in (pictures.old, pictures.new, pictures.difference):
            assert Image.open(io.BytesIO(content)).size == pictures.sizes[0]


def test_sentences_are_sorted_by_what_changed_them(three_sorts: SimpleNamespace) -> None:
    changes = three_sorts.changes.sentences
    assert changes.untraced == ""
    found = {sort: [change for change in changes.changes if change.sort == sort] for sort in Sort}
    assert [(change.old, change.new.text) for change in found[Sort.STYLE]] == [
        (None, "This sentence is its author's alone.")
    ]
    within = " ".join(change.new.text for change in found[Sort.WITHIN] if change.new)
    real = " ".join(change.new.text for change in found[Sort.REAL] if change.new)
    mean = read_table(three_sorts.project / "data" / "max_weight.csv")["mean"][0]
    assert f"4 · {mean:.3f} ± " in within
    assert "12 tokens" in real
    assert "8 tokens" in " ".join(change.old.text for change in found[Sort.REAL] if change.old)


def test_the_page_puts_the_gravest_first(three_sorts: SimpleNamespace) -> None:
    page = three_sorts.page
    assert page.startswith("# What moved\n\n**Real changes: check that each is meant.** Since `HEAD` (")
    assert "“Before”" in page
    places = [page.index(heading) for heading in ("## Real", "## Within sampling error", "## Style only")]
    assert places == sorted(places)
    assert "| `experiments.max_weight.seed` | 21 | 4 |" in page
    assert "| `experiments.dimension_sweep.tokens` | 8 | 12 |" in page
    assert "changes/web_best_key_difference.png" in page[places[2] :]
    assert "new: **This sentence is its author's alone.**" in page[places[2] :]
    assert "at most 3 combined standard errors" in page


def test_a_page_of_many_numbers_is_folded_by_experiment(three_sorts: SimpleNamespace) -> None:
    changes: Changes = three_sorts.changes
    many = [change for change in changes.numbers if change.sort == Sort.REAL and change.old and change.new]
    page = write_page(changes._replace(numbers=many * 5), "changes")
    assert f"<summary>{len(many) * 5 - 5} more of dimension_sweep</summary>" in page
    folded = page.index("<details>")
    assert page.index("| number | old | new |") < folded


def test_the_command_writes_only_what_it_says_it_does(
    three_sorts: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = three_sorts.project.folder
    monkeypatch.chdir(folder)

    def files() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in folder.parent.rglob("*") if path.is_file()}

    (folder / "changes").mkdir()
    (folder / "changes" / "web_four_tokens_old.png").write_bytes(b"of an earlier page")
    (folder / "changes" / "mine.txt").write_text("mine", encoding="utf-8")
    before = files()
    assert report_changes.main(["--built"]) == 0
    after = files()
    written = {path.relative_to(folder).as_posix() for path in after.keys() - before.keys()}
    states = ("old", "new", "difference")
    figures = ("best_key", "dimension_sweep", "max_weight")
    assert written == {"changes.md", *(f"changes/web_{name}_{state}.png" for name in figures for state in states)}
    assert before.keys() - after.keys() == {folder / "changes" / "web_four_tokens_old.png"}
    assert all(after[path] == content for path, content in before.items() if path in after)
    assert (folder / "changes.md").read_text(encoding="utf-8") == three_sorts.page
    assert capsys.readouterr().out.startswith("Real changes: check that each is meant. Since HEAD (")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Built:
    """Return a built project, the current folder, in a repository of its own with one commit."""
    project = Built(tmp_path / "mein Büchlein")
    git(project.folder, "init")
    commit(project.folder, "Before")
    monkeypatch.chdir(project.folder)
    return project


def page_of(project: Built, *arguments: str) -> str:
    assert report_changes.main([*arguments, "--built"]) == 0
    return (project / "changes.md").read_text(encoding="utf-8")


def test_nothing_moved(project: Built) -> None:
    assert "**Nothing moved.**" in page_of(project)
    assert not (project / "changes").exists()


def test_new_and_vanished_things_are_real(project: Built) -> None:
    for name in ("permutation.csv", "permutation_summary.csv"):
        (project / "data" / name).unlink()
    (project / "figures" / "web" / "best_key.svg").rename(project / "figures" / "web" / "worst_key.svg")
    page = page_of(project)
    assert "| permutation | **gone**, 24 rows |" in page
    assert "`permutation.tolerance.scaled`" in page
    assert "**web/best_key** is gone." in page
    assert "web/worst_key](figures/web/worst_key.svg)** is new." in page


def test_ids_and_metadata_are_style_only_and_need_no_pictures(project: Built) -> None:
    svg = (project / "figures" / "web" / "max_weight.svg").read_text(encoding="utf-8")
    name = svg.split('<path id="m')[1].split('"')[0]
    other = svg.replace(f"m{name}", "m0123456789").replace("<dc:title>Mean", "<dc:title>The mean")
    (project / "figures" / "web" / "max_weight.svg").write_text(other, encoding="utf-8")
    page = page_of(project)
    assert "**Style only: the same data, told or drawn otherwise.**" in page
    assert "(style only): only ids, title or description differ; the drawing is the same." in page
    assert not (project / "changes").exists()


def test_a_figure_that_cannot_be_rendered_is_still_told(project: Built) -> None:
    (project / "figures" / "web" / "max_weight.svg").write_text("<svg", encoding="utf-8")
    assert "cannot be rendered, so there are no pictures" in page_of(project)


def test_a_figure_of_other_tables_is_real(project: Built) -> None:
    project.edit("scripts/draw_best_key.py", "*, best_key:", "*, exercise, best_key:")
    project.mark("best_key", "#FF0000")
    assert "(real): none of its tables changed; it takes other tables than before (`exercise`)" in page_of(project)


def test_a_column_of_another_name_is_style_only(project: Built) -> None:
    for name in ("data/sign_scores.csv", "workflow/schemas/columns.yaml"):
        path = project / name
        path.write_text(path.read_text(encoding="utf-8").replace("probability", "likelihood"), encoding="utf-8")
    shutil.copytree(project / "data", project / "renamed")
    git(project.folder, "add", "data", "workflow")
    git(project.folder, "commit", "--message", "Another name")
    git(project.folder, "checkout", "HEAD~1", "--", "data", "workflow")
    page = page_of(project)
    count = len(read_table(project / "data" / "sign_scores.csv"))
    line = "`sign_scores.likelihood` → `sign_scores.probability`"
    assert f"- {line}: {count} numbers, with the same values as before" in page
    assert "## Real" not in page


def test_templates_that_old_numbers_do_not_fit_are_told(project: Built) -> None:
    project.simulate(simulate_max_weight, tokens=12)
    with (project / "workflow" / "chapter" / "sections" / "root.md").open("a", encoding="utf-8") as section:
        section.write('\n{% if setup.max_weight.tokens == 8 %}{{ n("max_weight.none") }}{% endif %}\n')
    project.tell()
    page = page_of(project)
    assert "The present chapter cannot be filled with the old numbers" in page
    assert "there is no number called max_weight.none" in page
    assert "~~8~~ **12** tokens" in page


def test_keys_that_override_the_config_are_compared(project: Built) -> None:
    (project / "mine.yaml").write_text("experiments:\n  max_weight: {tokens: 100}\n", encoding="utf-8")
    assert "| `experiments.max_weight.tokens` | 8 | 100 |" in page_of(project, "--configfile", "mine.yaml")


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the one sentence that the command refuses with."""
    assert report_changes.main(list(arguments)) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err.strip()


@pytest.mark.parametrize("name", ["no-such-branch", "HEAD~7", "--all", "HEAD:data", "größer"])
def test_a_revision_that_does_not_exist(project: Built, capsys: pytest.CaptureFixture[str], name: str) -> None:
    said = refusal(capsys, "--built", "--", name)
    assert said.startswith(f"There is no revision {name} in this repository; give a commit, branch or tag")


def test_a_folder_that_is_no_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)
    assert refusal(capsys).startswith("This folder is not in a git repository, so there is nothing to compare with;")


def test_a_repository_without_a_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    git(tmp_path, "init")
    monkeypatch.chdir(tmp_path)
    assert refusal(capsys).startswith("This repository has no commit yet, so there is nothing to compare with;")


def test_a_repository_of_somebody_else(
    project: Built, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    assert refusal(capsys).startswith("git refuses this folder because it belongs to another user;")


def test_a_machine_without_git(
    project: Built, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    assert refusal(capsys).startswith("git is not installed")


def test_a_revision_without_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    git(tmp_path, "init")
    commit(tmp_path, "Start")
    Built(tmp_path / "built")
    for entry in (tmp_path / "built").iterdir():
        entry.rename(tmp_path / entry.name)
    monkeypatch.chdir(tmp_path)
    assert refusal(capsys, "--built").startswith("The revision HEAD holds no tables in data/ or no report.md")


def test_a_shallow_clone(
    project: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(project.folder, "After")
    git(tmp_path, "clone", "--depth", "1", project.folder.as_uri(), "shallow")
    monkeypatch.chdir(tmp_path / "shallow")
    assert report_changes.main(["HEAD", "--built"]) == 0
    capsys.readouterr()
    said = refusal(capsys, "HEAD~1", "--built")
    assert said.startswith("This clone is shallow and does not hold the revision HEAD~1; run `git fetch --unshallow`")


def test_nothing_is_built(project: Built, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(project / "data")
    (project / "report.md").unlink()
    assert refusal(capsys) == "There is no data/ and no report.md yet; run `make` first."


def test_a_table_that_cannot_be_read(project: Built, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "data" / "max_weight.csv").write_text("what,is\nthis,\n", encoding="utf-8")
    assert refusal(capsys, "--built") == "data/max_weight.csv cannot be read; run `make` to build it again."


@pytest.mark.build
def test_a_build_that_is_out_of_date(project: Built, capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(capsys).startswith("The build is older than the config, code or chapter; run `make` first")
    project.edit("config.yaml", "tokens: 8", "tokens: none")
    assert refusal(capsys).startswith("What has to be built cannot be told, so run `make` first: config.yaml, line ")


def test_a_config_that_cannot_be_read(project: Built, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "config.yaml").write_text("experiments: [\n", encoding="utf-8")
    assert refusal(capsys, "--built").startswith("config.yaml, line 2")


def test_a_config_file_that_does_not_exist(project: Built, capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(capsys, "--built", "--configfile", "mine.yaml") == "mine.yaml does not exist."


def test_a_page_that_cannot_be_written(project: Built, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "changes.md").mkdir()
    assert "changes.md" in refusal(capsys, "--built")


NAN = math.nan


@pytest.mark.parametrize(
    ("old", "new", "sort"),
    [
        ((1.0, 0.1), (1.42, 0.1), Sort.WITHIN),  # 2.97 times the root of 0.02
        ((1.0, 0.1), (1.43, 0.1), Sort.REAL),  # 3.04 times
        ((1.0, 0.1), (1.29, 0.0), Sort.WITHIN),  # an exact value beside a measured one
        ((1.0, 0.1), (1.01, NAN), Sort.REAL),
        ((1.0, NAN), (1.01, NAN), Sort.REAL),
        ((1.0, 0.0), (1.01, 0.0), Sort.REAL),
        ((1.0, 0.0), (1.0 + 1e-12, 0.0), Sort.STYLE),
        ((0.0000000001, NAN), (0.0000000002, NAN), Sort.STYLE),  # the tenth decimal
        ((1.23456789e-10, NAN), (2.3456789e-10, NAN), Sort.REAL),
        ((1e-15, NAN), (2e-15, NAN), Sort.REAL),
        ((1.0, 0.1), (1.0, 0.2), Sort.WITHIN),
        ((NAN, NAN), (1.0, NAN), Sort.REAL),
        ((math.inf, NAN), (1.0, NAN), Sort.REAL),
        ((math.inf, NAN), (math.inf, NAN), Sort.STYLE),
    ],
)
def test_sorts_of_numbers(old: tuple[float, float], new: tuple[float, float], sort: Sort) -> None:
    assert sort_of(Number("a", *old), Number("a", *new)) == sort


def test_a_statistic_with_another_name_and_other_values_is_new() -> None:
    old = {"a": {"a.one.d_k=4": Number("a.one.d_k=4", 1.0)}}
    new = {"a": {"a.two.d_k=4": Number("a.two.d_k=4", 2.0)}}
    assert [(change.name, change.old is None) for change in compare_numbers(old, new)] == [
        ("a.two.d_k=4", True),
        ("a.one.d_k=4", False),
    ]


def test_sentences_of_a_chapter() -> None:
    report = (
        "# Title\n\nOne has 0.5 of it. Two,\nin **bold**,\nfollows: $a. B$ here.\n\n"
        "1. *What is 3. Really?* It is 3.\n2. Next.\n\n| a | b |\n|:--|--:|\n| 1 | 2 |\n\n"
        "![Alt one. Alt two.](figures/web/x.svg)\n\n**Figure 7.** **Caption.** More.\n"
    )
    found = [(kind, text) for _, kind, text in sentences(report)]
    assert found == [
        ("heading", "Title"),
        ("", "One has 0.5 of it."),
        ("", "Two, in bold, follows: $a. B$ here."),
        ("", "1. What is 3."),
        ("", "Really?"),
        ("", "It is 3."),
        ("", "2. Next."),
        ("table row", "a · b"),
        ("table row", "1 · 2"),
        ("alt text", "Alt one."),
        ("alt text", "Alt two."),
        ("", "Figure 7. Caption."),
        ("", "More."),
    ]
    assert {section for section, _, _ in sentences(report)} == {"Title"}


def test_sentences_are_paired_with_what_took_their_place() -> None:
    old = sentences("The mean is 3 here. Nothing else is known. The end has come now.\n")
    new = sentences("A new one begins. The mean is 4 here. The end has come at last now.\n")
    pairs = [(one and one.text, other and other.text) for one, other in paired_sentences(old, new)]
    assert sorted(pairs, key=str) == [
        ("Nothing else is known.", None),
        ("The end has come now.", "The end has come at last now."),
        ("The mean is 3 here.", "The mean is 4 here."),
        (None, "A new one begins."),
    ]


def test_words_that_differ_are_marked_and_formulas_stay_whole() -> None:
    old, new = "At ($d_k = 4$) it is 0.5 of all.", "At ($d_k = 8$) it is still 0.5 of all."
    assert word_difference(old, new) == "At ~~($d_k = 4$)~~ **($d_k = 8$)** it is **still** 0.5 of all."


def test_keys_of_the_config_that_differ() -> None:
    old = {"a": {"b": 1, "c": [1, 2]}, "gone": True}
    new = {"a": {"b": 1.0, "c": [1, 3]}, "new": "text"}
    assert [str(change) for change in compare_configs(old, new)] == [
        "`a.c` [1, 2] → [1, 3]",
        "`new` — → the text 'text'",
        "`gone` true → —",
    ]


SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="72pt" height="36pt" viewBox="0 0 72 36">{}</svg>'


def test_drawings_are_the_same_whatever_their_ids_and_metadata() -> None:
    part = '<metadata>{0}</metadata><clipPath id="{0}"/><path id="{1}" clip-path="url(#{0})" d="M 0 0"/>'
    assert drawing(SVG.format(part.format("a", "b"))) == drawing(SVG.format(part.format("c", "a")))
    assert drawing(SVG.format(part.format("a", "b"))) != drawing(SVG.format('<path d="M 0 1"/>'))


def test_the_difference_image_shows_what_went_and_what_came() -> None:
    rectangle = '<rect x="{}" y="9" width="18" height="18"/>'
    old, new = (picture(SVG.format(rectangle.format(x))) for x in (9, 45))
    assert old.size == (150, 75)
    shown, share = show_difference(old, new)
    assert shown.getpixel((37, 37)) == GONE
    assert shown.getpixel((112, 37)) == COME
    assert shown.getpixel((75, 5)) == (255, 255, 255)
    assert share == pytest.approx(2 * 18 * 18 / (72 * 36), rel=0.1)
    assert show_difference(old, old)[1] == 0
    larger = picture(SVG.format("").replace("72pt", "144pt"))
    assert show_difference(old, larger)[0].size == larger.size


def test_a_snapshot_says_what_it_could_not_understand() -> None:
    snapshot = take_snapshot({"config.yaml": b"a: [", "data/x.csv": b"what\n\xff\n", "report.md": b"text"})
    assert snapshot.unreadable == ["config.yaml", "data/x.csv"]
    assert is_part("figures/web/x.svg")
    assert not is_part("figures/web/deeper/x.svg")
    assert not is_part("docs/data/x.csv")
