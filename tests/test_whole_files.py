from pathlib import Path

import pytest

from rootdk.whole_files import write_all_whole, write_whole


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def failing_disk(monkeypatch):
    """Make writing fail half-way through any content that holds the word doomed."""
    write_bytes = Path.write_bytes

    def write(path, content):
        if b"doomed" not in content:
            return write_bytes(path, content)
        write_bytes(path, content[: len(content) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write)


def test_content_arrives_byte_for_byte(tmp_path):
    content = bytes(range(256)) + b"\r\n"
    write_whole(tmp_path / "a.bin", content)
    assert (tmp_path / "a.bin").read_bytes() == content
    assert names(tmp_path) == ["a.bin"]


def test_missing_folders_are_made(tmp_path):
    write_whole(tmp_path / "figures" / "web" / "a.svg", b"x")
    assert (tmp_path / "figures" / "web" / "a.svg").read_bytes() == b"x"


def test_an_old_file_is_replaced(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"a longer old text")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"


def test_a_failure_while_writing_leaves_the_old_file_whole(tmp_path, failing_disk):
    path = tmp_path / "a.csv"
    path.write_bytes(b"old")
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"new and doomed")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a.csv"]


def test_a_failure_while_writing_a_first_file_leaves_none(tmp_path, failing_disk):
    with pytest.raises(OSError, match="No space left"):
        write_whole(tmp_path / "a.csv", b"doomed")
    assert names(tmp_path) == []


def test_files_that_belong_together_are_replaced_together_or_not_at_all(tmp_path, failing_disk):
    first, second, third = (tmp_path / name for name in ("a.pdf", "b.svg", "c.png"))
    first.write_bytes(b"old a")
    with pytest.raises(OSError, match="No space left"):
        write_all_whole({first: b"new a", second: b"doomed", third: b"new c"})
    assert first.read_bytes() == b"old a"
    assert names(tmp_path) == ["a.pdf"]
    write_all_whole({first: b"new a", second: b"new b"})
    assert (first.read_bytes(), second.read_bytes()) == (b"new a", b"new b")
    assert names(tmp_path) == ["a.pdf", "b.svg"]


def test_a_reader_never_finds_half_a_file(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_bytes(b"old")
    write_bytes = Path.write_bytes
    seen = []

    def write(part, content):
        write_bytes(part, content[:1])
        seen.append(path.read_bytes())
        return write_bytes(part, content)

    monkeypatch.setattr(Path, "write_bytes", write)
    write_whole(path, b"new")
    assert seen == [b"old"]


def test_a_name_that_is_a_folder_is_an_error_and_leaves_nothing_behind(tmp_path):
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(OSError, match=r"a\.csv"):
        write_whole(tmp_path / "a.csv", b"x")
    assert names(tmp_path) == ["a.csv"]
    assert names(tmp_path / "a.csv") == []


def test_a_folder_that_is_a_file_is_an_error_and_keeps_the_file(tmp_path):
    (tmp_path / "data").write_bytes(b"not a folder")
    with pytest.raises(OSError, match="data"):
        write_whole(tmp_path / "data" / "a.csv", b"x")
    assert (tmp_path / "data").read_bytes() == b"not a folder"
