"""Whether a difference of any kind is found and named, and whether the two builds are as far apart as they can be."""

import io
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import PROJECT, Copy
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from rootdk.figure_files import render
from rootdk.figure_metadata import Provenance
from rootdk.file_differences import describe_difference
from rootdk.opposed_builds import (
    BuildError,
    Surroundings,
    build_all,
    built_files,
    committed_files,
    copy_sources,
    never_committed,
    opposed_surroundings,
)
from rootdk.words import FigureWords
from verify_build import NOT_THERE, Row, compare, table


def png(pixels: np.ndarray, title: str = "A", level: int = 9) -> bytes:
    texts = PngInfo()
    texts.add_itxt("Title", title)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="PNG", pnginfo=texts, compress_level=level)
    return buffer.getvalue()


def pdf(height: float = 1.0, seed: int = 1, image: float = 0.5) -> bytes:
    provenance = Provenance({"a": seed}, "", "", "", [])
    words = FigureWords("Title", "Caption", "Alt")

    def draw_line(figure, *, style):
        ax = figure.subplots()
        ax.imshow([[0, image, 1]], extent=(0, 0.1, 0, 0.1))
        ax.plot([0, 1], [0, height])

    files = render(
        draw_line,
        {},
        name="line",
        size=(50, 40),
        options={},
        formats=["pdf"],
        resolution=72,
        words=words,
        provenance=provenance,
    )
    return files["pdf"]


GREY = np.full((20, 30, 3), 128, dtype=np.uint8)
SPOT = GREY.copy()
SPOT[3:5, 7] = (128, 131, 120)
TABLE = "d_k,scaling,mean\n4,scaled,0.5\n16,scaled,1e-3\n"

DIFFERENCES: dict[str, tuple[str, str | bytes, str | bytes, str]] = {
    "no difference": ("a.csv", TABLE, TABLE, ""),
    "one number": (
        "a.csv",
        TABLE,
        TABLE.replace("0.5", "0.5000000001"),
        "numbers: 1 number, the largest difference 1e-10 in line 2, mean",
    ),
    "numbers, of which the largest difference counts": (
        "a.csv",
        TABLE,
        TABLE.replace("0.5", "0.6").replace("1e-3", "2"),
        "numbers: 2 numbers, the largest difference 2 in line 3, mean",
    ),
    "a number and none": (
        "a.csv",
        TABLE,
        TABLE.replace("0.5", ""),
        "text: 1 cell, the first in line 2, mean: “0.5” against “”",
    ),
    "a number and nan": (
        "a.csv",
        TABLE,
        TABLE.replace("0.5", "nan"),
        "numbers: 1 number, the largest difference inf in line 2, mean",
    ),
    "a number written in another way": (
        "a.csv",
        TABLE,
        TABLE.replace("0.5", "0.50"),
        "numbers: 1 number, the largest difference 0 in line 2, mean",
    ),
    "a word of a table": (
        "a.csv",
        TABLE,
        TABLE.replace("16,scaled", "16,unscaled"),
        "text: 1 cell, the first in line 3, scaling: “scaled” against “unscaled”",
    ),
    "a row": ("a.csv", TABLE, TABLE + "64,scaled,0\n", "text: 2 rows against 3"),
    "a column": (
        "a.csv",
        TABLE,
        TABLE.replace("mean", "median"),
        "text: columns “d_k,scaling,mean” against “d_k,scaling,median”",
    ),
    "line ends": ("a.csv", TABLE, TABLE.replace("\n", "\r\n"), f"bytes: {len(TABLE)} against {len(TABLE) + 3}"),
    "an empty table": ("a.csv", TABLE, "", "text: columns “d_k,scaling,mean” against “”"),
    "a line of text": (
        "report.md",
        "one\ntwo\nthree\n",
        "one\n2 of\nthree\n",
        "text: line 2, “two” against “2 of”",
    ),
    "lines put in": (
        "a.svg",
        "<svg>\n</svg>\n",
        "<svg>\n<g>\n</g>\n</svg>\n",
        "text: lines 2 to 3, “</svg>” against “<g>”",
    ),
    "lines at the end": ("a.md", "one", "one\ntwo", "text: line 2, is missing from the first"),
    "numbers in text": (
        "report.md",
        "It is 0.67 at width 4,\nand −1.5e-3 at 16.\n",
        "It is 0.67 at width 4,\nand −2.5e-3 at 16.\n",
        "numbers: 1 number, the largest difference 0.001, from line 2",
    ),
    "coordinates": (
        "a.svg",
        '<path d="M 37.5 173.714488"/>',
        '<path d="M 37.5 173.714489"/>',
        "numbers: 1 number, the largest difference 1e-06, from line 1",
    ),
    "a colour": (
        "a.svg",
        "fill: #101010",
        "fill: #101012",
        "text: line 1, “fill: #101010” against “fill: #101012”",
    ),
    "a long line": (
        "a.md",
        "x" * 100 + "old" + "y" * 100,
        "x" * 100 + "new" + "y" * 100,
        f"text: line 1, “…{'x' * 10}old{'y' * 27}…” against “…{'x' * 10}new{'y' * 27}…”",
    ),
    "no text at all": ("a.md", b"\xff\xfe", b"\xff\xfd", "bytes: 1 differ, the first at 1"),
    "pixels": ("a.png", png(GREY), png(SPOT), "pixels: 2 of 600 differ, by at most 8 of 255"),
    "size": ("a.png", png(GREY), png(GREY[:10]), "pixels: 30 × 20 against 30 × 10"),
    "packing of a PNG": ("a.png", png(GREY), png(GREY, level=0), "same pixels, packed differently"),
    "title of a PNG": ("a.png", png(GREY), png(GREY, title="B"), "same pixels, other metadata: Title"),
    "half a PNG": ("a.png", png(GREY), png(GREY)[:50], f"bytes: {len(png(GREY))} against 50"),
    "a line of a PDF": ("a.pdf", pdf(), pdf(height=1.003), "drawing: "),
    "an image of a PDF": (
        "a.pdf",
        pdf(image=0.2),
        pdf(image=0.8),
        "drawing: its images, markers or fonts",
    ),
    "seed of a PDF": ("a.pdf", pdf(), pdf(seed=2), "same drawing, other metadata: Seeds"),
    "packing of a PDF": ("a.pdf", pdf(), pdf() + b"\n", "same drawing, packed differently"),
    "no PDF": ("a.pdf", pdf(), b"nothing", f"bytes: {len(pdf())} against 7"),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_difference_is_found_and_named(name: str) -> None:
    file, one, other, expected = DIFFERENCES[name]
    content, against = (text.encode() if isinstance(text, str) else text for text in (one, other))
    found = describe_difference(file, content, against)
    assert found.startswith(expected) if expected.endswith(": ") else found == expected
    assert "\n" not in found
    assert bool(describe_difference(file, against, content)) == bool(found)


def test_the_table_names_each_file_and_what_it_differs_from() -> None:
    rows = compare(
        {"a.md": b"1\n", "b.md": b"b\n", "c.png": b"", "e.md": b"", "f.md": b"f"},
        {"a.md": b"2\n", "b.md": b"b\n", "d.md": b"", "c.png": b"", "f.md": b"f"},
        {"a.md": b"1\n", "b.md": b"old\n", "gone.md": b"", "f.md": b"f"},
        optional={"c.png"},
    )
    assert [row for row in rows if not row.differs] == [Row("c.png", "same", NOT_THERE), Row("f.md", "same", "same")]
    assert table([row for row in rows if row.differs], "against what is committed").splitlines() == [
        "file     two builds                                                against what is committed",
        "a.md     numbers: 1 number, the largest difference 1, from line 1  same",
        "b.md     same                                                      text: line 1, “b” against “old”",
        "d.md     only the second build made it                             new",
        "e.md     only the first build made it                              new",
        "gone.md  neither build made it                                     –",
    ]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a small project in git, with something of every kind that git knows."""
    folder = tmp_path / "clone"
    for name, text in {
        "Snakefile": "",
        "scripts/a b.py": "",
        "report.md": "committed",
        "data/a.csv": "a\n",
        ".gitignore": "*.png\n/.cache/\n",
        "gone.txt": "",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    for arguments in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "a"],
    ):
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"no git here: {done.stderr}")
    (folder / "gone.txt").unlink()
    (folder / "report.md").write_text("edited", encoding="utf-8")
    (folder / "new ü.yaml").write_text("", encoding="utf-8")
    (folder / ".cache").mkdir()
    (folder / ".cache" / "x").touch()
    return folder


def below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_sources_are_what_git_tracks_or_would(clone: Path, tmp_path: Path) -> None:
    copy_sources(clone, tmp_path / "copy")
    assert below(tmp_path / "copy") == [".gitignore", "Snakefile", "new ü.yaml", "scripts/a b.py"]


def test_committed_is_what_the_last_commit_holds(clone: Path) -> None:
    assert committed_files(clone) == {"report.md": b"committed", "data/a.csv": b"a\n"}
    assert never_committed(clone, ["figures/a.png", "figures/a.svg"]) == {"figures/a.png"}


def test_without_git_sources_are_what_is_neither_built_nor_local(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    names = ["Snakefile", "data/a.csv", "workflow/data/kept.yaml", "report.md", ".venv/x", ".cache/x", "docs/report.md"]
    for name in [*names, "scripts/__pycache__/a.pyc", "figures/web/a.svg"]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    copy_sources(folder, tmp_path / "copy")
    assert below(tmp_path / "copy") == ["Snakefile", "docs/report.md", "workflow/data/kept.yaml"]
    assert committed_files(folder) is None
    assert set(built_files(folder)) == {"data/a.csv", "report.md", "figures/web/a.svg"}


def test_sources_of_this_project_are_whole(tmp_path: Path) -> None:
    copy_sources(PROJECT, tmp_path / "copy")
    found = below(tmp_path / "copy")
    assert {"Snakefile", "config.yaml", "locks/build.txt", "scripts/verify_build.py"} <= set(found)
    assert not [
        name for name in found if re.match(r"report\.md|data/|figures/|\.venv|\.cache|\.snakemake|\.git/", name)
    ]


def test_the_surroundings_have_little_in_common(tmp_path: Path) -> None:
    first, second = opposed_surroundings(tmp_path)
    for name in ("HOME", "TZ", "LC_ALL", "PYTHONHASHSEED", "OMP_NUM_THREADS", "XDG_CACHE_HOME"):
        assert first.environment[name] != second.environment[name] or os.cpu_count() == 1, name
    assert first.cores == 1 < second.cores
    assert first.umask != second.umask
    assert " " in first.folder.name
    assert not first.folder.name.isascii()
    assert not stat.S_IMODE(Path(second.environment["HOME"]).stat().st_mode) & 0o222


LOOK = """
import pathlib, matplotlib, matplotlib.font_manager as fonts, matplotlib.style as style
print(matplotlib.rcParams["font.size"])
print(sum(font.fname.startswith(str(pathlib.Path.home())) for font in fonts.fontManager.ttflist))
print(style.library.get("science", {}).get("font.size"))
"""


def test_the_hostile_home_would_reach_a_careless_figure(tmp_path: Path) -> None:
    first, second = opposed_surroundings(tmp_path)
    saw = []
    for each in (first, second):
        environment = {**each.environment, "XDG_CACHE_HOME": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", LOOK], env=environment, capture_output=True, encoding="utf-8", check=True
        )
        saw.append(done.stdout.split("\n"))
    assert saw[0][0] == saw[0][2] == "23.0"
    assert int(saw[0][1]) > 0
    assert saw[1][:3] == ["10.0", "0", "None"]


def test_a_build_that_fails_is_told_with_its_last_words(tmp_path: Path) -> None:
    folder = tmp_path / "failing"
    folder.mkdir()
    (folder / "Snakefile").write_text('import sys\nsys.exit("What is wrong.")\n', encoding="utf-8")
    place = Surroundings(folder, {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}, 1, 0o022, {})
    with pytest.raises(BuildError, match=r"“failing” failed \(exit code 1\):\n(.*\n)*What is wrong\."):
        build_all([place])


@pytest.mark.build
def test_a_whole_verification_finds_what_was_tampered_with_and_nothing_else(tmp_path: Path) -> None:
    copy = Copy(tmp_path / "project")
    before = {name: content for name, content in built_files(PROJECT).items() if not name.endswith((".png", ".pdf"))}
    for name, content in before.items():
        if name not in ("figures/MANIFEST.json", "figures/SHA256SUMS"):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes(content)
    copy.edit("data/max_weight.csv", "200\n", "201\n")
    done = subprocess.run(
        [sys.executable, copy / "scripts/verify_build.py"], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr
    told = [line for line in done.stdout.splitlines()[1:] if " new" not in line]
    assert re.match(
        r"data/max_weight\.csv +same +numbers: 1 number, the largest difference 1 in line 2, draws", told[0]
    )
    assert told[1] == ""
    assert "files differ" in told[2]
