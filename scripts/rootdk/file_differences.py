"""In what two versions of a built file differ, in a few words: a line of text, pixels, or by how much numbers."""

import csv
import io
import logging
import math
import re
from itertools import zip_longest
from pathlib import PurePath

import numpy as np
from PIL import Image
from pypdf import PdfReader
from pypdf.errors import PyPdfError
from pypdf.generic import StreamObject

LONGEST_QUOTE = 40
NUMBER = re.compile(r"(?<![\w.#])[-+−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\w)")


def describe_difference(name: str, one: bytes, other: bytes) -> str:
    """Return in what two versions of a file differ, or an empty string if their bytes are the same.

    Parameters
    ----------
    name : str
        Its ending says how to compare: tables cell by cell, PNG by pixels, PDF by pages, everything else by lines.
    one, other : bytes
        The contents.
    """
    if one == other:
        return ""
    compare = {".csv": _compare_tables, ".png": _compare_images, ".pdf": _compare_pages}
    try:
        return compare.get(PurePath(name).suffix, _compare_lines)(one, other)
    except (OSError, ValueError, SyntaxError, KeyError, TypeError, AttributeError, csv.Error, PyPdfError):
        return _compare_bytes(one, other)


def _compare_bytes(one: bytes, other: bytes) -> str:
    if len(one) != len(other):
        return f"bytes: {len(one)} against {len(other)}"
    places = [place for place, (byte, against) in enumerate(zip(one, other, strict=True)) if byte != against]
    return f"bytes: {len(places)} differ, the first at {places[0]}"


def _compare_lines(one: bytes, other: bytes) -> str:
    text, against = one.decode("utf-8"), other.decode("utf-8")
    numbers, numbers_against = NUMBER.findall(text), NUMBER.findall(against)
    lines, lines_against = text.split("\n"), against.split("\n")
    pairs = zip_longest(lines, lines_against)
    line, (here, there) = next((place, pair) for place, pair in enumerate(pairs, start=1) if pair[0] != pair[1])
    if len(numbers) == len(numbers_against) and NUMBER.sub("0", text) == NUMBER.sub("0", against):
        changed = [pair for pair in zip(numbers, numbers_against, strict=True) if pair[0] != pair[1]]
        return f"{_numbers(changed)}, from line {line}"
    last = max(len(lines), len(lines_against)) - _same_at_end(lines[line - 1 :], lines_against[line - 1 :])
    where = f"line {line}" if last <= line else f"lines {line} to {last}"
    return f"text: {where}, {_quotes(here, there)}"


def _same_at_end(lines: list[str], against: list[str]) -> int:
    pairs = zip(reversed(lines), reversed(against), strict=False)
    return next((count for count, (one, other) in enumerate(pairs) if one != other), min(len(lines), len(against)))


def _compare_tables(one: bytes, other: bytes) -> str:
    rows, rows_against = (list(csv.reader(io.StringIO(content.decode("utf-8")))) for content in (one, other))
    header, header_against = (",".join(table[0]) if table else "" for table in (rows, rows_against))
    if header != header_against:
        return f"text: columns {_quotes(header, header_against)}"
    if len(rows) != len(rows_against):
        return f"text: {len(rows) - 1} rows against {len(rows_against) - 1}"
    if any(len(row) != len(against) for row, against in zip(rows, rows_against, strict=True)):
        return _compare_lines(one, other)
    changed = [
        (line, column, cell, cell_against)
        for line, (row, against) in enumerate(zip(rows, rows_against, strict=True), start=1)
        for column, cell, cell_against in zip(rows[0], row, against, strict=True)
        if cell != cell_against
    ]
    if not changed:  # the same cells, in other quotes or line ends
        return _compare_bytes(one, other)
    words = [cell for cell in changed if not (_is_number(cell[2]) and _is_number(cell[3]))]
    if words:
        line, column, here, there = words[0]
        count = f"{len(words)} {_plural('cell', len(words))}"
        return f"text: {count}, the first in line {line}, {column}: {_quotes(here, there)}"
    line, column, _, _ = max(changed, key=lambda cell: _apart(cell[2], cell[3]))
    return f"{_numbers([cell[2:] for cell in changed])} in line {line}, {column}"


def _compare_images(one: bytes, other: bytes) -> str:
    pixels, texts = _image(one)
    pixels_against, texts_against = _image(other)
    if pixels.shape != pixels_against.shape:
        sizes = [f"{array.shape[1]} × {array.shape[0]}" for array in (pixels, pixels_against)]
        return f"pixels: {sizes[0]} against {sizes[1]}"
    steps = np.abs(pixels.astype(np.int16) - pixels_against.astype(np.int16)).max(axis=-1)
    count = int(np.count_nonzero(steps))
    if count:
        return f"pixels: {count} of {steps.size} differ, by at most {steps.max()} of 255"
    return f"same pixels, {_metadata_or_packing(texts, texts_against)}"


def _image(content: bytes) -> tuple[np.ndarray, dict[str, str]]:
    with Image.open(io.BytesIO(content), formats=["PNG"]) as image:
        pixels = np.asarray(image.convert("RGBA"))
        return pixels, {str(key): str(value) for key, value in image.info.items()}


def _compare_pages(one: bytes, other: bytes) -> str:
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    drawing, parts, entries = _pages(one)
    drawing_against, parts_against, entries_against = _pages(other)
    if drawing != drawing_against:
        return f"drawing: {_compare_lines(drawing, drawing_against)}"
    if parts != parts_against:
        return "drawing: its images, markers or fonts"
    return f"same drawing, {_metadata_or_packing(entries, entries_against)}"


def _pages(content: bytes) -> tuple[bytes, list[bytes], dict[str, str]]:
    """Return what a PDF draws, unpacked streams of everything in it, and its metadata."""
    reader = PdfReader(io.BytesIO(content))
    pages = []
    for page in reader.pages:
        drawn = page.get_contents()
        size = " ".join(str(float(side)) for side in page.mediabox)
        pages.append(size + "\n" + ("" if drawn is None else drawn.get_data().decode("latin-1")))
    objects = [reader.get_object(number) for number in range(1, int(str(reader.trailer["/Size"])))]
    parts = [entry.get_data() for entry in objects if isinstance(entry, StreamObject)]
    return "\n".join(pages).encode(), parts, {key: str(value) for key, value in (reader.metadata or {}).items()}


def _metadata_or_packing(entries: dict[str, str], against: dict[str, str]) -> str:
    changed = sorted(key for key in {*entries, *against} if entries.get(key) != against.get(key))
    if changed:
        return f"other metadata: {', '.join(key.removeprefix('/') for key in changed)}"
    return "packed differently"


def _numbers(pairs: list[tuple[str, str]]) -> str:
    largest = max(_apart(*pair) for pair in pairs)
    count = f"{len(pairs)} {_plural('number', len(pairs))}"
    return f"numbers: {count}, the largest difference {largest:.2g}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _apart(one: str, other: str) -> float:
    """Return how far two numbers in text are apart; infinitely, if just one of them is no finite number."""
    value, against = (float(text.replace("−", "-")) for text in (one, other))
    apart = abs(value - against)
    return apart if math.isfinite(apart) else math.inf


def _plural(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"


def _quotes(one: str | None, other: str | None) -> str:
    """Return two texts beside each other, from a little before the place where they part."""
    if one is None or other is None:
        return "is missing from the first" if one is None else "is missing from the second"
    same = next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    start = max(0, same - LONGEST_QUOTE // 4) if max(len(one), len(other)) > LONGEST_QUOTE else 0
    quotes = []
    for text in (one, other):
        piece = text[start : start + LONGEST_QUOTE]
        before, after = "…" if start else "", "…" if len(text) > start + LONGEST_QUOTE else ""
        quotes.append(f"“{before}{piece}{after}”")
    return " against ".join(quotes)
