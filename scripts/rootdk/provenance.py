"""Reads back what a figure file says of itself, from the file alone, wherever it is and whatever it is called."""

import io
import logging
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

from PIL import Image
from pypdf import PdfReader
from pypdf.errors import FileNotDecryptedError, PyPdfError

from rootdk.figure_metadata import FIELDS, MAKER

LARGEST = 100_000_000  # bytes; figures of this project have a thousandth of that
KINDS = "PNG, PDF or SVG"

_NAMESPACES = {
    "svg": "http://www.w3.org/2000/svg",
    "dc": "http://purl.org/dc/elements/1.1/",
    "cc": "http://creativecommons.org/ns#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
}
_LABELS = {
    "Title": "title",
    "Description": "description",
    FIELDS["seeds"]: "seeds",
    FIELDS["config"]: "config",
    FIELDS["source"]: "drawing code",
    FIELDS["data"]: "tables",
    FIELDS["versions"]: "packages",
    FIELDS["resolution"]: "resolution",
}


class ForeignFileError(ValueError):
    """A file that does not say what this project made it from; the message is a sentence for whoever asked."""


def read_provenance(path: Path) -> dict[str, str]:
    """Return what a figure file carries: title, description, seeds, digests and versions.

    Parameters
    ----------
    path : pathlib.Path
        A PNG, PDF or SVG; its contents say which, and not its name.

    Returns
    -------
    dict of str to str
        With the keys Title, Description and those of ``figure_metadata.FIELDS``.

    Raises
    ------
    ForeignFileError
        If it cannot be read, is none of the three, or was not made by this project.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise ForeignFileError(f"{path} is too large for a figure of {MAKER}.")
        content = path.read_bytes()
    except OSError as error:
        raise ForeignFileError(f"{path} cannot be read: {error.strerror or error}.") from None
    start = content[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        read, kind = _read_png, "PNG"
    elif start.startswith(b"%PDF-"):
        read, kind = _read_pdf, "PDF"
    elif start.startswith(b"<") and b"<svg" in start:
        read, kind = _read_svg, "SVG"
    else:
        raise ForeignFileError(f"{path} is no {KINDS} file.")
    try:
        maker, found = read(content)
    except (OSError, ValueError, SyntaxError, KeyError, TypeError, AttributeError, RecursionError, PyPdfError):
        raise ForeignFileError(f"{path} is not a whole {kind} file.") from None
    wanted = ("Title", "Description", *FIELDS.values())
    missing = [name for name in wanted if name not in found]
    if maker != MAKER or len(missing) == len(wanted):
        raise ForeignFileError(f"{path} does not say that {MAKER} made it.")
    if missing:
        raise ForeignFileError(f"{path} was made by {MAKER}, and has lost what it said of: {', '.join(missing)}.")
    return {name: found[name] for name in wanted}


def written_out(provenance: Mapping[str, str]) -> str:
    """Return a provenance as lines of text, what each is before it."""
    width = max(map(len, _LABELS.values())) + 2
    return "\n".join(f"{label:<{width}}{provenance[name]}" for name, label in _LABELS.items())


def _read_png(content: bytes) -> tuple[str | None, dict[str, str]]:
    with Image.open(io.BytesIO(content), formats=["PNG"]) as image:
        image.load()
        texts = {key: str(text) for key, text in image.info.items() if isinstance(key, str) and isinstance(text, str)}
    return texts.get("Software"), texts


def _read_pdf(content: bytes) -> tuple[str | None, dict[str, str]]:
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        entries = PdfReader(io.BytesIO(content)).metadata
    except FileNotDecryptedError:
        return None, {}
    texts = {} if entries is None else {key.removeprefix("/"): str(value) for key, value in entries.items()}
    if "Subject" in texts:
        texts["Description"] = texts["Subject"]
    return texts.get("Creator"), texts


def _read_svg(content: bytes) -> tuple[str | None, dict[str, str]]:
    # Entities can make a small file huge, and matplotlib writes none.
    if b"<!ENTITY" in content:
        raise ValueError("an SVG with entities of its own")
    root = ElementTree.fromstring(content)
    if root.tag != f"{{{_NAMESPACES['svg']}}}svg":
        raise ValueError("XML, but no SVG")
    work = root.find("svg:metadata/rdf:RDF/cc:Work", _NAMESPACES)
    if work is None:
        return None, {}
    keywords = [entry.text or "" for entry in work.iterfind("dc:subject/rdf:Bag/rdf:li", _NAMESPACES)]
    texts = dict(keyword.split(": ", 1) for keyword in keywords if ": " in keyword)
    for name in ("Title", "Description"):
        text = work.findtext(f"dc:{name.lower()}", namespaces=_NAMESPACES)
        if text is not None:
            texts[name] = text
    return work.findtext("dc:creator/cc:Agent/dc:title", namespaces=_NAMESPACES), texts
