"""What a figure file says of itself: its words, and what it was made from, each format in its own way."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

MAKER = "rootdk"
FIELDS = {
    "seeds": "Seeds",
    "config": "ConfigDigest",
    "source": "SourceDigest",
    "data": "DataDigest",
    "versions": "Versions",
    "resolution": "Resolution",
}


class Provenance(NamedTuple):
    """What a figure was made from. Digests are SHA-256; nothing here changes unless the figure could."""

    seeds: Mapping[str, int]
    """Of each experiment behind the figure that has chance in it."""
    config: str
    """Digest of the figure's part of the config and of those of its experiments."""
    source: str
    """Digest of the code that draws it."""
    data: str
    """Digest of the tables that it shows."""
    versions: Sequence[str]
    """Of the packages that the code imports, such as ``numpy==2.4.6``."""
    resolution: int = 0
    """Dots per inch of the edition: of a PNG, and of images within a PDF or SVG."""

    def texts(self) -> dict[str, str]:
        """Return each entry as the text that files carry, by its name there."""
        seeds = ", ".join(f"{experiment} {seed}" for experiment, seed in self.seeds.items())
        texts = {
            "seeds": seeds or "none",
            "config": f"sha256:{self.config}",
            "source": f"sha256:{self.source}",
            "data": f"sha256:{self.data}",
            "versions": ", ".join(version.replace("==", " ") for version in self.versions),
            "resolution": f"{self.resolution} dpi",
        }
        return {FIELDS[name]: text for name, text in texts.items()}


def combined_digest(digests: Mapping[str, str]) -> str:
    """Return one digest of several files: that of what ``sha256sum`` prints for them, in the order of their paths.

    Parameters
    ----------
    digests : mapping of str to str
        SHA-256 of each file by its path.
    """
    lines = "".join(f"{digest}  {path}\n" for path, digest in sorted(digests.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def png_texts(title: str, description: str, provenance: Provenance) -> dict[str, str]:
    """Return the text chunks of a PNG file by keyword."""
    return {"Title": title, "Description": description, "Software": MAKER, **provenance.texts()}


def pdf_entries(title: str, description: str, provenance: Provenance) -> dict[str, str]:
    """Return the entries of a PDF file's information dictionary."""
    return {"Title": title, "Subject": description, "Creator": MAKER, **provenance.texts()}


def svg_entries(title: str, description: str, provenance: Provenance) -> dict[str, str | list[str]]:
    """Return the metadata of an SVG file as matplotlib takes them: Dublin Core, the provenance as its keywords."""
    keywords = [f"{name}: {text}" for name, text in provenance.texts().items()]
    return {"Title": title, "Description": description, "Creator": MAKER, "Keywords": keywords}
