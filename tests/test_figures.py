"""What figures show, by their artists and not by their pixels."""

import json
from typing import Any

import pytest
import yaml
from conftest import PROJECT

from draw_best_key import draw_best_key
from draw_max_weight import draw_max_weight
from rootdk.figure_files import render
from rootdk.figure_metadata import Provenance
from rootdk.script_signatures import stems
from rootdk.style import STYLE, rc_parameters
from rootdk.tables import read_table
from rootdk.words import FigureWords
from simulate_best_key import simulate_best_key

import matplotlib  # isort: skip
from matplotlib.figure import Figure  # isort: skip

WORDS = FigureWords("title", "caption", "alt")


def drawn(draw, **tables) -> Figure:
    with matplotlib.rc_context(rc_parameters("test")):
        figure = Figure(figsize=(4.7, 3))
        draw(figure, **tables, style=STYLE)
        figure.draw_without_rendering()
    return figure


def test_every_width_is_labelled_where_there_is_room() -> None:
    table = read_table(PROJECT / "data" / "max_weight.csv")
    (ax,) = drawn(draw_max_weight, max_weight=table).axes
    shown = [label.get_text() for label in ax.get_xticklabels() if label.get_visible()]
    assert shown == [str(width) for width in sorted(table["d_k"].unique())]


def test_curves_show_the_table_with_its_errors() -> None:
    table = read_table(PROJECT / "data" / "max_weight.csv")
    (ax,) = drawn(draw_max_weight, max_weight=table).axes
    containers: list[Any] = list(ax.containers)
    bars = {container.lines[0].get_color(): container for container in containers}
    for scaling, curve in STYLE.curves.items():
        rows = table[table["scaling"] == scaling]
        assert bars[curve.color].lines[0].get_ydata().tolist() == rows["mean"].tolist()
        assert bars[curve.color].has_yerr


def test_a_label_without_room_is_left_out_and_none_is_moved() -> None:
    widths = [100, 101, 102, 103, 104, 1024]
    table = simulate_best_key(keys=4, head_widths=widths).table
    figure = drawn(draw_best_key, best_key=table)
    (ax,) = figure.axes
    ticks = [tick for tick in ax.xaxis.get_major_ticks() if tick.label1.get_visible() and tick.label1.get_text()]
    shown = [(tick.get_loc(), tick.label1) for tick in ticks]
    assert 2 <= len(shown) < len(widths)
    for tick, label in shown:
        assert label.get_text() == str(int(tick))
        box = label.get_window_extent()
        at = ax.transData.transform((tick, 0))[0]
        assert box.x0 - 1 <= at <= box.x1 + 1


def test_a_figure_too_small_for_its_parts_says_so() -> None:
    table = simulate_best_key(keys=4, head_widths=[1, 4]).table
    with pytest.raises(ValueError, match="8 × 6 mm is too small for this figure; enlarge it"):
        render(
            draw_best_key,
            {"best_key": table},
            name="best_key",
            size=(8, 6),
            options={},
            formats=["svg"],
            resolution=50,
            words=WORDS,
            provenance=Provenance({}, "", "", "", ()),
        )


def test_every_figure_is_in_the_config_with_its_words() -> None:
    config = yaml.safe_load((PROJECT / "config.yaml").read_text(encoding="utf-8"))["figures"]
    names = stems(PROJECT / "scripts", "draw_")
    assert sorted(config) == names
    assert sorted(path.stem for path in (PROJECT / "workflow" / "chapter" / "figures").glob("*.yaml")) == names
    assert json.dumps(config)
