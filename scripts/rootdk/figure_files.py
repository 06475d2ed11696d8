"""The command line of the ``draw_`` scripts: tables and size in, one file per format out, the same bytes every time."""

import argparse
import hashlib
import inspect
import io
import json
import logging
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from PIL.PngImagePlugin import PngInfo

from rootdk.axes import MILLIMETRES_PER_INCH
from rootdk.figure_metadata import Provenance, combined_digest, pdf_entries, png_texts, svg_entries
from rootdk.style import STYLE, rc_parameters
from rootdk.tables import read_table
from rootdk.whole_files import write_all_whole
from rootdk.words import FigureWords, Words, WordsError, collect_numbers, read_words

import matplotlib  # isort: skip  after rootdk.style, which chooses its fonts
from matplotlib.backends.backend_pdf import PdfPages  # isort: skip
from matplotlib.figure import Figure  # isort: skip

Draw = Callable[..., None]


def run_drawing(draw: Draw, arguments: list[str] | None = None) -> None:
    """Draw a figure as its script's arguments say and write its files.

    Parameters
    ----------
    draw : callable
        ``draw_<figure>(figure, *, <table>, …, style, <option>, …)``: the names of its keyword parameters say which
        tables and options it gets.
    arguments : list of str, optional
        By default the command line's.

    Raises
    ------
    SystemExit
        With a message, if the figure cannot be drawn from its tables.
    """
    name = draw.__name__.removeprefix("draw_")
    parser = argparse.ArgumentParser(description=inspect.getdoc(inspect.getmodule(draw)))
    parser.add_argument("options", type=json.loads, help=f"figures.{name} of config.yaml, as JSON")
    parser.add_argument("editions", type=json.loads, help="editions of config.yaml, as JSON")
    parser.add_argument("setup", type=json.loads, help="the experiments that the tables come from, as JSON")
    parser.add_argument(
        "--provenance", type=json.loads, required=True, help="seeds, digests of config and source, versions, as JSON"
    )
    parser.add_argument("--digits", type=json.loads, default={}, help="numbers of config.yaml, as JSON")
    parser.add_argument("--words", type=Path, required=True, help="title, caption and alt text")
    parser.add_argument("--tables", type=Path, nargs="+", required=True, help="CSV files in data/")
    parser.add_argument(
        "--files", type=Path, nargs="+", required=True, help="where to write: <edition>/<figure>.<format>"
    )
    given = parser.parse_args(arguments)
    tables = {path.stem: read_table(path) for path in given.tables}
    try:
        words = read_words(given.words, Words(collect_numbers(tables, given.digits), given.setup))
    except WordsError as error:
        sys.exit(f"{str(error).rstrip('.')}.")
    digests = {path.as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in given.tables}
    provenance = Provenance(**given.provenance, data=combined_digest(digests))
    takes = [parameter for parameter in inspect.signature(draw).parameters if parameter in tables]
    options = dict(given.options)
    size = (options.pop("width"), options.pop("height"))
    contents: dict[Path, bytes] = {}
    try:
        for edition, settings in given.editions.items():
            wanted = [path for path in given.files if path.parent.name == edition]
            files = render(
                draw,
                {name: tables[name] for name in takes},
                name=name,
                size=size,
                options=options,
                formats=[_format(path) for path in wanted],
                resolution=settings["resolution"],
                words=words,
                provenance=provenance._replace(resolution=settings["resolution"]),
            )
            contents |= {path: files[_format(path)] for path in wanted}
    except ValueError as error:
        sys.exit(f"figures.{name}: {error}")
    write_all_whole(contents)


def render(
    draw: Draw,
    tables: Mapping[str, pd.DataFrame],
    *,
    name: str,
    size: tuple[float, float],
    options: Mapping[str, Any],
    formats: list[str],
    resolution: int,
    words: FigureWords,
    provenance: Provenance,
) -> dict[str, bytes]:
    """Return a figure as files, one per format.

    Parameters
    ----------
    draw : callable
        As for :func:`run_drawing`.
    tables : mapping of str to pandas.DataFrame
        The tables that it takes, by name.
    name : str
        The figure's.
    size : tuple of float
        Width and height in millimetres.
    options : mapping
        What else it takes.
    formats : list of str
        Out of ``pdf``, ``svg`` and ``png``.
    resolution : int
        Dots per inch of the PNG, and of images within the others.
    words : FigureWords
        Its title and alt text, which go into the files' metadata.
    provenance : Provenance
        What it is made from, which goes there too.

    Returns
    -------
    dict of str to bytes
    """
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    with matplotlib.rc_context(rc_parameters(name)):
        figure = Figure(figsize=(size[0] / MILLIMETRES_PER_INCH, size[1] / MILLIMETRES_PER_INCH))
        draw(figure, **tables, style=STYLE, **options)
        engine = figure.get_layout_engine()
        if engine is not None:
            with warnings.catch_warnings():
                warnings.filterwarnings("error", "constrained_layout not applied")
                try:
                    engine.execute(figure)
                except UserWarning:
                    raise ValueError(f"{size[0]} × {size[1]} mm is too small for this figure; enlarge it.") from None
        # The layout engine would run again at every save and move things by an ulp, so its result is kept instead.
        with matplotlib.rc_context({"figure.constrained_layout.use": False, "figure.autolayout": False}):
            figure.set_layout_engine(None)
            return {kind: _saved(figure, kind, resolution, words, provenance) for kind in formats}


def _format(path: Path) -> str:
    return path.suffix.removeprefix(".")


def _saved(figure: Figure, kind: str, resolution: int, words: FigureWords, provenance: Provenance) -> bytes:
    buffer = io.BytesIO()
    if kind == "png":
        texts = PngInfo()
        for key, text in png_texts(words.title, words.alt, provenance).items():
            texts.add_itxt(key, text)  # the one kind of text in a PNG that can hold any character
        figure.savefig(buffer, format="png", dpi=resolution, pil_kwargs={"pnginfo": texts})
    elif kind == "pdf":
        with PdfPages(buffer, metadata={"Producer": None, "CreationDate": None}) as pages:
            pages.infodict().update(pdf_entries(words.title, words.alt, provenance))
            figure.savefig(pages, format="pdf", dpi=resolution)
    else:
        entries = svg_entries(words.title, words.alt, provenance)
        figure.savefig(buffer, format="svg", dpi=resolution, metadata={**entries, "Date": None})
    return buffer.getvalue()
