import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import PROJECT
from PIL import Image
from pypdf import PdfReader, PdfWriter

from rootdk.figure_files import render
from rootdk.figure_metadata import FIELDS, Provenance, combined_digest
from rootdk.manifest import CHECKSUMS, MANIFEST, manifest_entries, write_manifest
from rootdk.provenance import ForeignFileError, read_provenance, written_out
from rootdk.words import FigureWords

KINDS = ("png", "pdf", "svg")
TITLE = "Größe √dₖ (heads) & <softmax> \\ “∑ 中 😀”"
ALT = "Two panels: 1 − a (per cent), ½; Привет; 𝛼 ≤ β; a \\ backslash, (unbalanced."
PROVENANCE = Provenance(
    seeds={"max_weight": 21, "score_std": 20},
    config="c" * 64,
    source="5" * 64,
    data="d" * 64,
    versions=["matplotlib==3.11.2", "numpy==2.4.6"],
    resolution=72,
)
EXPECTED = {
    "Title": TITLE,
    "Description": ALT,
    "Seeds": "max_weight 21, score_std 20",
    "ConfigDigest": f"sha256:{'c' * 64}",
    "SourceDigest": f"sha256:{'5' * 64}",
    "DataDigest": f"sha256:{'d' * 64}",
    "Versions": "matplotlib 3.11.2, numpy 2.4.6",
    "Resolution": "72 dpi",
}


def draw_line(figure, *, style):
    figure.subplots().plot([0, 1], [1, 0])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    contents = render(
        draw_line,
        {},
        name="line",
        size=(60, 40),
        options={},
        formats=list(KINDS),
        resolution=72,
        words=FigureWords(TITLE, "A caption.", ALT),
        provenance=PROVENANCE,
    )
    folder = tmp_path_factory.mktemp("figures")
    for kind, content in contents.items():
        (folder / f"line.{kind}").write_bytes(content)
    return {kind: folder / f"line.{kind}" for kind in KINDS}


def show(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, PROJECT / "scripts" / "show_provenance.py", *arguments],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "LC_ALL": "C"},
        check=False,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_everything_comes_back_in_every_character(kind: str, files: dict[str, Path]) -> None:
    assert read_provenance(files[kind]) == EXPECTED


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_under_any_name_says_the_same(kind: str, files: dict[str, Path], tmp_path: Path) -> None:
    copy = tmp_path / "an other näme.txt"
    shutil.copyfile(files[kind], copy)
    done = show("--", copy)
    assert done.returncode == 0, done.stderr
    assert TITLE in done.stdout
    assert done.stdout == written_out(EXPECTED) + "\n"


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_names_no_date_and_no_place(kind: str, files: dict[str, Path]) -> None:
    content = files[kind].read_bytes()
    assert b"Date" not in content
    assert b"dc:date" not in content
    assert str(PROJECT).encode() not in content


def test_other_programs_find_the_words_where_their_format_keeps_them(files: dict[str, Path]) -> None:
    with Image.open(files["png"]) as image:
        assert (image.info["Title"], image.info["Description"]) == (TITLE, ALT)
    assert files["png"].read_bytes().count(b"iTXt") == 3 + len(FIELDS)
    document = PdfReader(files["pdf"]).metadata
    assert document is not None
    assert (document.title, document.subject) == (TITLE, ALT)
    root = ElementTree.parse(files["svg"]).getroot()
    assert root.findtext("{http://www.w3.org/2000/svg}title") == TITLE
    assert [entry.text for entry in root.iter("{http://purl.org/dc/elements/1.1/}description")] == [ALT]


def test_a_figure_without_chance_says_so() -> None:
    assert PROVENANCE._replace(seeds={}).texts()["Seeds"] == "none"


def foreign_png(path: Path) -> None:
    Image.new("RGB", (2, 2)).save(path, format="PNG")


def foreign_pdf(path: Path) -> None:
    writer = PdfWriter()
    writer.add_blank_page(width=10, height=10)
    writer.write(path)


def locked_pdf(path: Path) -> None:
    writer = PdfWriter()
    writer.add_blank_page(width=10, height=10)
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(path)


SVG = '<svg xmlns="http://www.w3.org/2000/svg">{}</svg>'
FOREIGN = {
    "another PNG": (foreign_png, "does not say that rootdk made it"),
    "another PDF": (foreign_pdf, "does not say that rootdk made it"),
    "a PDF with a password": (locked_pdf, "does not say that rootdk made it"),
    "another SVG": (lambda path: path.write_text(SVG.format("")), "does not say that rootdk made it"),
    "half an SVG": (lambda path: path.write_text(SVG.format("")[:-3]), "is not a whole SVG file"),
    "an SVG that expands": (
        lambda path: path.write_text('<!DOCTYPE svg [<!ENTITY a "aaaa">]>' + SVG.format("&a;")),
        "is not a whole SVG file",
    ),
    "XML that holds an SVG": (
        lambda path: path.write_text(f"<html>{SVG.format('')}</html>"),
        "is not a whole SVG file",
    ),
    "a PNG's first bytes": (lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n123"), "is not a whole PNG file"),
    "a PDF's first bytes": (lambda path: path.write_bytes(b"%PDF-1.4\n"), "is not a whole PDF file"),
    "text": (lambda path: path.write_text("# Title\n"), "is no PNG, PDF or SVG file"),
    "nothing": (lambda path: path.write_bytes(b""), "is no PNG, PDF or SVG file"),
    "a folder": (lambda path: path.mkdir(), "cannot be read"),
    "no file": (lambda path: None, "cannot be read: No such file or directory"),
}


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file_is_told_in_one_sentence(name: str, tmp_path: Path) -> None:
    make, message = FOREIGN[name]
    make(tmp_path / "file")
    with pytest.raises(ForeignFileError, match=message) as caught:
        read_provenance(tmp_path / "file")
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_half_a_figure_is_told_in_one_sentence(kind: str, files: dict[str, Path], tmp_path: Path) -> None:
    content = files[kind].read_bytes()
    (tmp_path / "half").write_bytes(content[: len(content) // 2])
    with pytest.raises(ForeignFileError, match=f"is not a whole {kind.upper()} file"):
        read_provenance(tmp_path / "half")


def test_a_figure_that_has_lost_some_of_it_names_that(files: dict[str, Path], tmp_path: Path) -> None:
    text = files["svg"].read_text(encoding="utf-8").replace("<rdf:li>Seeds: ", "<rdf:li>")
    (tmp_path / "file.svg").write_text(text, encoding="utf-8")
    with pytest.raises(ForeignFileError, match="has lost what it said of: Seeds"):
        read_provenance(tmp_path / "file.svg")


def test_the_command_ends_with_2_and_without_a_traceback(tmp_path: Path) -> None:
    done = show(tmp_path / "nothing.png")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"{tmp_path}/nothing.png cannot be read: No such file or directory.\n"


# The manifest.

RECORD = {
    "command": ["scripts/draw_a.py"],
    "inputs": {"data/a.csv": "1" * 64, "workflow/chapter/figures/a.yaml": "2" * 64},
    "outputs": {"figures/web/a.svg": "3" * 64, "figures/web/a.png": "4" * 64},
    "recipe": {"code": "5" * 64, "columns": "6" * 64, "config": "7" * 64, "lock": "8" * 64},
}


def test_a_file_is_listed_with_what_made_it() -> None:
    entries = manifest_entries([RECORD], {"figures/web/a.svg", "figures/web/b.svg"})
    assert entries == {
        "figures/web/a.svg": {
            "sha256": "3" * 64,
            "code": "5" * 64,
            "columns": "6" * 64,
            "config": "7" * 64,
            "lock": "8" * 64,
            "data": combined_digest({"data/a.csv": "1" * 64}),
            "texts": combined_digest({"workflow/chapter/figures/a.yaml": "2" * 64}),
        }
    }


def test_records_that_are_none_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "good": json.dumps(RECORD),
        "old": json.dumps({**RECORD, "recipe": "9" * 64}),
        "broken": "{",
        "odd": "[]",
    }.items():
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    (tmp_path / "lock.txt").write_text("numpy==2.4.6\n", encoding="utf-8")
    (tmp_path / "figures" / "web").mkdir(parents=True)
    (tmp_path / "figures" / "web" / "a.svg").touch()
    write_manifest(Path(), RECORD["outputs"], Path("lock.txt"))
    assert set(json.loads(MANIFEST.read_text(encoding="utf-8"))["files"]) == {"figures/web/a.svg"}
    assert CHECKSUMS.read_text(encoding="utf-8") == f"{'3' * 64}  figures/web/a.svg\n"


def test_a_combined_digest_is_that_of_what_sha256sum_prints(tmp_path: Path) -> None:
    (tmp_path / "b").write_text("two\n")
    (tmp_path / "a").write_text("one\n")
    lines = {"a": "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806"}
    lines["b"] = "27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a"
    printed = "".join(f"{digest}  {name}\n" for name, digest in lines.items())
    assert combined_digest({"b": lines["b"], "a": lines["a"]}) == hashlib.sha256(printed.encode()).hexdigest()
    for name, digest in lines.items():
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == digest
