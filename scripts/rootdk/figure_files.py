"""The command line of the ``draw_`` scripts: tables and size in, one file per format out, the same bytes every time."""

import argparse
import inspect
import io
import json
import logging
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from rootdk.axes import MILLIMETRES_PER_INCH
from rootdk.style import STYLE, rc_parameters
from rootdk.tables import read_table
from rootdk.whole_files import write_all_whole
from rootdk.words import FigureWords, Words, WordsError, collect_numbers, read_words

import matplotlib  # isort: skip  after rootdk.style, which chooses its fonts
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
    parser.add_argument("--words", type=Path, required=True, help="title, caption and alt text")
    parser.add_argument("--tables", type=Path, nargs="+", required=True, help="CSV files in data/")
    parser.add_argument(
        "--files", type=Path, nargs="+", required=True, help="where to write: <edition>/<figure>.<format>"
    )
    given = parser.parse_args(arguments)
    tables = {path.stem: read_table(path) for path in given.tables}
    try:
        words = read_words(given.words, Words(collect_numbers(tables), given.setup))
    except WordsError as error:
        sys.exit(f"{error}.")
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
        Dots per inch of the PNG.
    words : FigureWords
        Its title and alt text, which go into the files' metadata.

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
            engine.execute(figure)
        # The layout engine would run again at every save and move things by an ulp, so its result is kept instead.
        with matplotlib.rc_context({"figure.constrained_layout.use": False, "figure.autolayout": False}):
            figure.set_layout_engine(None)
            return {kind: _saved(figure, kind, resolution, words) for kind in formats}


def _format(path: Path) -> str:
    return path.suffix.removeprefix(".")


def _saved(figure: Figure, kind: str, resolution: int, words: FigureWords) -> bytes:
    metadata: dict[str, dict[str, str | None]] = {
        "png": {"Title": words.title, "Description": words.alt, "Software": "rootdk"},
        "svg": {"Title": words.title, "Description": words.alt, "Creator": "rootdk", "Date": None},
        "pdf": {
            "Title": words.title,
            "Subject": words.alt,
            "Creator": "rootdk",
            "Producer": None,
            "CreationDate": None,
        },
    }
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, dpi=resolution, metadata=metadata[kind])
    return buffer.getvalue()
