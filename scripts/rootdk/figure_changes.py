"""Which figures changed, and pictures that show where."""

import io
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import resvg_py
from PIL import Image

from rootdk.change_sorts import Sort, gravest
from rootdk.script_signatures import read_signature
from rootdk.snapshot import Snapshot
from rootdk.table_changes import TableChange

DOTS_PER_INCH = 150
GONE = (230, 97, 0)
COME = (93, 58, 155)
"""The colours of where there was more ink before and where there is now: of unlike lightness, and hue to all eyes."""
SVG = "{http://www.w3.org/2000/svg}"


class FigureChange(NamedTuple):
    """A figure that changed; ``old`` and ``new`` are its SVGs, the empty string where there is none."""

    name: str
    sort: Sort
    kind: str
    why: str
    old: str
    new: str
    same_drawing: bool


class Pictures(NamedTuple):
    """PNG files of a changed figure, the size of each state in pixels, and the share of pixels that differ."""

    old: bytes
    new: bytes
    difference: bytes
    sizes: tuple[tuple[int, int], tuple[int, int]]
    share: float


def compare_figures(old: Snapshot, new: Snapshot, tables: Iterable[TableChange]) -> list[FigureChange]:
    """Return every figure whose SVG changed.

    Parameters
    ----------
    old, new : Snapshot
    tables : iterable of TableChange
        Between the two. A figure is style only if it takes the same tables as before and none of them changed;
        otherwise it has the sort of the gravest. Which ones it takes stands in its function's parameters.
    """
    sorts = {change.name: change.sort for change in tables}
    changes = []
    for name in sorted({*old.figures, *new.figures}):
        before, after = old.figures.get(name, ""), new.figures.get(name, "")
        if before == after:
            continue
        if not (before and after):
            changes.append(FigureChange(name, Sort.REAL, "new" if after else "gone", "", before, after, False))
            continue
        if drawing(before) == drawing(after):
            why = "only ids, title or description differ; the drawing is the same"
            changes.append(FigureChange(name, Sort.STYLE, "changed", why, before, after, True))
            continue
        script = f"draw_{name.rsplit('/', 1)[-1]}"
        takes, took = tables_taken(script, new), tables_taken(script, old)
        moved = {table: sorts[table] for table in sorted(takes) if table in sorts}
        others = sorted(takes ^ took) if took else []
        why = "; ".join(f"`{table}` changed: {sort}" for table, sort in moved.items()) or "none of its tables changed"
        if others:
            why += f"; it takes other tables than before ({', '.join(f'`{table}`' for table in others)})"
        sort = Sort.REAL if others else gravest(moved.values())
        changes.append(FigureChange(name, sort, "changed", why, before, after, False))
    return changes


def tables_taken(script: str, snapshot: Snapshot) -> set[str]:
    """Return the tables that a drawing script takes; none if it is missing or not Python."""
    content = snapshot.drawing_scripts.get(script)
    if content is None:
        return set()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{script}.py")
        path.write_bytes(content)
        try:
            return set(read_signature(path).keywords) & set(snapshot.csv)
        except ValueError:
            return set()


def drawing(svg: str) -> str:
    """Return an SVG without what is not drawn: metadata, titles, comments, and how its parts are called.

    Ids are numbered in their order, since the originals are digests of the whole figure. Text that is not XML comes
    back as it is.
    """
    try:
        root = ElementTree.fromstring(svg.encode())
    except ElementTree.ParseError:
        return svg
    numbered: dict[str, str] = {}
    for parent in root.iter():
        for child in list(parent):
            if child.tag in (f"{SVG}metadata", f"{SVG}title", f"{SVG}desc"):
                parent.remove(child)
        if "id" in parent.attrib:
            numbered.setdefault(parent.attrib["id"], f"id{len(numbered)}")
    for element in root.iter():
        for key, value in element.attrib.items():
            if key == "id":
                element.set(key, numbered[value])
            elif "#" in value:
                element.set(key, re.sub(r"#([\w.-]+)", lambda found: f"#{numbered.get(found[1], found[1])}", value))
    return ElementTree.tostring(root, encoding="unicode")


def picture(svg: str) -> Image.Image:
    """Return an SVG as pixels on white; no font and no library of the machine has a say in it.

    Raises
    ------
    ValueError
        If it cannot be rendered.
    """
    png = resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, dpi=DOTS_PER_INCH, background="#ffffff")
    return Image.open(io.BytesIO(png)).convert("RGB")


def pictures_of(change: FigureChange) -> Pictures:
    """Return the old state, the new one, and a faded one with the differences in strong colours.

    Raises
    ------
    ValueError
        If one of the SVGs cannot be rendered.
    """
    old, new = picture(change.old), picture(change.new)
    difference, share = show_difference(old, new)
    return Pictures(_png(old), _png(new), _png(difference), (old.size, new.size), share)


def show_difference(old: Image.Image, new: Image.Image) -> tuple[Image.Image, float]:
    """Return what differs on top of the new picture, faded, and the share of the pixels that differ.

    Where the old picture had more ink a pixel has the colour ``GONE``, elsewhere ``COME``. Pictures of unlike sizes
    are laid on each other at their upper left corners.
    """
    size = (max(old.width, new.width), max(old.height, new.height))
    before, after = (_on_white(image, size) for image in (old, new))
    apart = np.abs(before - after).max(axis=-1)
    strength = np.where(apart > 0, np.clip(apart / 128, 0.35, 1.0), 0.0)[..., None]
    more_ink_before = (before.sum(axis=-1) < after.sum(axis=-1))[..., None]
    faded = 255 - (255 - after.mean(axis=-1, keepdims=True)) * 0.3
    shown = (1 - strength) * faded + strength * np.where(more_ink_before, GONE, COME)
    return Image.fromarray(shown.round().astype(np.uint8)), float((apart > 0).mean())


def picture_files(changes: Iterable[FigureChange]) -> Iterator[tuple[FigureChange, Pictures | None]]:
    """Return the pictures of each figure that is drawn otherwise, or None if it cannot be rendered."""
    for change in changes:
        if change.kind == "changed" and not change.same_drawing:
            try:
                yield change, pictures_of(change)
            except ValueError:
                yield change, None


def _on_white(image: Image.Image, size: tuple[int, int]) -> np.ndarray:
    canvas = Image.new("RGB", size, "white")
    canvas.paste(image, (0, 0))
    return np.asarray(canvas, dtype=np.float64)


def _png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()
