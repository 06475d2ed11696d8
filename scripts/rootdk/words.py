"""The words around a figure and in the chapter: templates whose numbers come from the tables."""

import traceback
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import jinja2
import pandas as pd

from rootdk import numbers
from rootdk.numbers import Number
from rootdk.yaml_source import ConfigError, describe, read_yaml


class FigureWords(NamedTuple):
    """What a figure says of itself, in plain text."""

    title: str
    caption: str
    alt: str


class WordsError(Exception):
    """A mistake in a template; the message is for whoever wrote it."""


def read_words(path: Path, words: "Words") -> FigureWords:
    """Return a figure's title, caption and alt text with their numbers filled in.

    Parameters
    ----------
    path : pathlib.Path
        A YAML file with the keys title, caption and alt, each a template.
    words : Words
        With the numbers of the tables behind the figure.

    Raises
    ------
    WordsError
        If the file cannot be read, a key is missing, or a template asks for something that there is not.
    """
    try:
        texts = read_yaml(path, "the keys title, caption and alt").values
    except ConfigError as error:
        raise WordsError(str(error)) from None
    if set(texts) != set(FigureWords._fields):
        raise WordsError(f"{path} holds the keys {', '.join(texts)}; it should hold title, caption and alt.")
    filled = {}
    for key, text in texts.items():
        if not isinstance(text, str) or not text.strip():
            raise WordsError(f"{path}, {key}: is {describe(text)}; it should be some text.")
        filled[key] = " ".join(words.fill(text, f"{path}, {key}").split())
    return FigureWords(**filled)


def collect_numbers(tables: Mapping[str, pd.DataFrame]) -> dict[str, Number]:
    """Return the quotable numbers of all experiments that have both tables among those given."""
    found: dict[str, Number] = {}
    for experiment in tables:
        if f"{experiment}_summary" in tables:
            found |= numbers.quotable_numbers(experiment, tables[experiment], tables[f"{experiment}_summary"])
    return found


class Words:
    """Fills templates with numbers.

    A template may use ``n(name, key=value, …)`` for a number, ``series(name)`` for a sweep's numbers by head width (or
    along another key),
    ``setup.<experiment>.<parameter>`` for what the config says, and the filters and tests below.
    """

    def __init__(self, known: Mapping[str, Number], setup: Mapping[str, Any], folder: Path | None = None) -> None:
        self._known = known
        self._environment = jinja2.Environment(
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            loader=jinja2.FileSystemLoader(folder) if folder else None,
            autoescape=False,
        )
        self._environment.globals |= {
            "n": self.number,
            "has": self.has,
            "series": self.series,
            "setup": _by_attribute(setup),
            "min": min,
            "max": max,
            "zip": zip,
        }
        self._environment.filters |= FILTERS
        self._environment.tests |= {"rising": _rising, "falling": _falling}

    def add(self, **globals_: Any) -> None:
        """Make further names known to the templates."""
        self._environment.globals |= globals_

    def number(self, name: str, **where: object) -> Number:
        """Return a number by name; ``n("max_weight.unscaled", d_k=64)`` is ``max_weight.unscaled.d_k=64``."""
        full = _full_name(name, where)
        if full not in self._known:
            raise WordsError(f"there is no number called {full}")
        return self._known[full]

    def has(self, name: str, **where: object) -> bool:
        """Return whether there is such a number."""
        return _full_name(name, where) in self._known

    def series(self, name: str, along: str = "d_k", **where: object) -> list[Number]:
        """Return a sweep's numbers in the order of what they run along, such as ``max_weight.unscaled``.

        What else tells the numbers apart is given as for :meth:`number`: ``series("width_sweep.entropy.scaled",
        tokens=8)`` runs along the head widths, and ``along="tokens"`` with ``d_k=64`` along the tokens.
        """
        fixed = {f"{key}={numbers.key_text(value)}" for key, value in where.items()}
        found = {}
        for full, number in self._known.items():
            if full.startswith(f"{name}."):
                parts = set(full.removeprefix(f"{name}.").split(";"))
                rest = [part.removeprefix(f"{along}=") for part in parts - fixed if part.startswith(f"{along}=")]
                if fixed < parts and len(rest) == len(parts) - len(fixed) == 1:
                    found[float(rest[0])] = number
        if not found:
            among = ";".join(sorted(fixed))
            raise WordsError(f"there are no numbers called {name}.{f'{among};' if among else ''}{along}=…")
        return [found[place] for place in sorted(found)]

    def fill(self, template: str, place: str) -> str:
        """Return a template's text.

        Raises
        ------
        WordsError
            Naming the place and the line, if it is no template or asks for something that there is not.
        """
        try:
            return self._environment.from_string(template).render()
        except MISTAKES as error:
            raise WordsError(f"{place}{_line_of(error)}: {error}") from None

    def fill_file(self, name: str) -> str:
        """Return the text of a template file in the folder.

        Raises
        ------
        WordsError
            As :meth:`fill`.
        """
        try:
            return self._environment.get_template(name).render()
        except MISTAKES as error:
            raise WordsError(f"{name}{_line_of(error, name)}: {error}") from None


MISTAKES = (
    jinja2.TemplateError,
    WordsError,
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)


def _line_of(error: BaseException, name: str = "<template>") -> str:
    """Return where in a template an error arose, and in which file if it was included."""
    if isinstance(error, jinja2.TemplateSyntaxError):
        return f"{f', in {error.name}' if error.name not in (None, name) else ''}, line {error.lineno}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == "<template>" or not frame.filename.endswith(".py")
    ]
    if not frames:
        return ""
    file = Path(frames[-1].filename).name
    return f"{f', in {file}' if file not in ('<template>', Path(name).name) else ''}, line {frames[-1].lineno}"


def _full_name(name: str, where: Mapping[str, object]) -> str:
    return ".".join([name, ";".join(f"{key}={numbers.key_text(value)}" for key, value in where.items())]).rstrip(".")


def _counted(number: Number | float, one: str, many: str = "") -> str:
    count = int(_value(number))
    return f"{count} {one if count == 1 else many or one + 's'}"


def _by_attribute(setup: Any) -> Any:
    # A mapping's own methods, such as keys, would hide parameters of the same name from a template.
    if isinstance(setup, Mapping):
        return SimpleNamespace(**{key: _by_attribute(value) for key, value in setup.items()})
    return setup


def _value(number: Number | float) -> float:
    return number.value if isinstance(number, Number) else float(number)


def _percent(number: Number | float, places: int = 0) -> str:
    return f"{numbers.decimals(100 * _value(number), places)} %"


def _decimals(number: Number | float, places: int) -> str:
    return numbers.decimals(_value(number), places)


def _significant(number: Number | float, digits: int) -> str:
    return numbers.significant(_value(number), digits)


def _with_error(number: Number, places: int) -> str:
    if not isinstance(number, Number):
        raise WordsError(f"with_error takes a number from n(), not {describe(number)}")
    if not number.std_error >= 0:
        raise WordsError(f"{number.name} has no standard error")
    return f"{numbers.decimals(number.value, places)} ± {numbers.decimals(number.std_error, places)}"


def _rising(series: Sequence[Number]) -> bool:
    return len(series) > 1 and all(one.value < other.value for one, other in pairwise(series))


def _falling(series: Sequence[Number]) -> bool:
    return _rising(series[::-1])


def _listed(items: list[Any], last: str = "and") -> str:
    texts = [str(item) for item in items]
    if not texts:
        raise WordsError("there is nothing to list")
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {last} {texts[-1]}"


FILTERS: dict[str, Callable[..., Any]] = {
    "value": _value,
    "decimals": _decimals,
    "significant": _significant,
    "plain": lambda number, digits: numbers.plain(_value(number), digits),
    "math": lambda number, digits: numbers.in_math(_value(number), digits),
    "percent": _percent,
    "with_error": _with_error,
    "counted": _counted,
    "listed": _listed,
}
