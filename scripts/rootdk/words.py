"""The words around a figure and in the chapter: templates whose numbers come from the tables."""

import contextlib
import math
import traceback
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple

import jinja2
import pandas as pd

from rootdk import numbers
from rootdk.digits import DigitsError, choose_digits
from rootdk.numbers import Number
from rootdk.word_filters import FILTERS, TESTS
from rootdk.yaml_source import ConfigError, describe, read_yaml


class FigureWords(NamedTuple):
    """What a figure says of itself, in plain text."""

    title: str
    caption: str
    alt: str


class WordsError(Exception):
    """A mistake in a template; the message is for whoever wrote it."""


GLOBALS = ("n", "has", "series", "setup", "min", "max", "zip")
"""Names that every template knows."""


class NoSuchNumberError(WordsError):
    """A template asks for a number that this build does not have."""


class NotMadeError(Exception):
    """A template asks for something that this build should have made and could not.

    Parameters
    ----------
    what : str
        Such as an experiment.
    """

    def __init__(self, what: str) -> None:
        super().__init__(f"this build could not make {what}")
        self.what = what
        self.template = ""
        """The file that asks for it, from the templates' folder."""


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


def collect_numbers(
    tables: Mapping[str, pd.DataFrame], digits: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Number]:
    """Return the quotable numbers of all experiments that have both tables among those given.

    Parameters
    ----------
    tables : mapping of str to pandas.DataFrame
        By name.
    digits : mapping, optional
        ``numbers`` of the config, which says how many digits they get.

    Raises
    ------
    WordsError
        If the config asks for digits of a number that there is not.
    """
    found: dict[str, Number] = {}
    for experiment in tables:
        if f"{experiment}_summary" in tables:
            found |= numbers.quotable_numbers(experiment, tables[experiment], tables[f"{experiment}_summary"])
    try:
        return choose_digits(found, digits)
    except DigitsError as error:
        raise WordsError(str(error)) from None


class Words:
    """Fills templates with numbers.

    A template may use ``n(name, key=value, …)`` for a number, ``series(name)`` for a sweep's numbers by head width (or
    along another key),
    ``setup.<experiment>.<parameter>`` for what the config says, and the filters and tests below.

    Parameters
    ----------
    known : mapping of str to Number
    setup : mapping
        ``experiments`` of the config.
    folder : pathlib.Path, optional
        Of the template files.
    not_made : collection of str
        Experiments without tables. Whoever asks for a number of theirs, or whether there is one, gets NotMadeError.
    """

    def __init__(
        self,
        known: Mapping[str, Number],
        setup: Mapping[str, Any],
        folder: Path | None = None,
        not_made: Collection[str] = (),
    ) -> None:
        self._known = known
        self._setup = setup
        self._not_made = not_made
        self._folder = folder
        self._in_place_of: dict[str, str] = {}
        self._sweeps = _by_beginning(known)
        self._environment = jinja2.Environment(
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            loader=jinja2.ChoiceLoader([jinja2.DictLoader(self._in_place_of), jinja2.FileSystemLoader(folder)])
            if folder
            else None,
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
        self._environment.tests |= TESTS

    def add(self, **globals_: Any) -> None:
        """Make further names known to the templates."""
        self._environment.globals |= globals_

    def number(self, name: str, **where: object) -> Number:
        """Return a number by name; ``n("max_weight.unscaled", d_k=64)`` is ``max_weight.unscaled.d_k=64``.

        Where an experiment has one token count, which its numbers' names then leave out, it may be given all the same.
        """
        full = self._full_name(name, where)
        for candidate in (full, self._full_name(name, self._without_lone_tokens(name, where))):
            if candidate in self._known:
                return self._known[candidate]
        raise NoSuchNumberError(f"there is no number called {full}")

    def has(self, name: str, **where: object) -> bool:
        """Return whether there is such a number."""
        candidates = (where, self._without_lone_tokens(name, where))
        return any(self._full_name(name, candidate) in self._known for candidate in candidates)

    def source(self, name: str) -> str:
        """Return the source of a template file."""
        assert self._environment.loader is not None
        return self._environment.loader.get_source(self._environment, name)[0]

    def names_in(self, name: str, function: str) -> list[str]:
        """Return what a template file calls a function with, such as the figures it shows, as far as it names them."""
        try:
            calls = list(self._environment.parse(self.source(name)).find_all(jinja2.nodes.Call))
        except jinja2.TemplateError:  # whoever fills the template is told of it
            return []
        first = [call.args[0] for call in calls if getattr(call.node, "name", "") == function and call.args]
        return list(dict.fromkeys(argument.value for argument in first if isinstance(argument, jinja2.nodes.Const)))

    def included_in(self, name: str) -> list[str]:
        """Return a template file and all that it includes, directly or not, as far as it names them."""
        found = [name]
        for file in found:
            with contextlib.suppress(jinja2.TemplateError):  # whoever fills the template is told of it
                includes = self._environment.parse(self.source(file)).find_all(jinja2.nodes.Include)
                names = [node.template.value for node in includes if isinstance(node.template, jinja2.nodes.Const)]
                found += [other for other in names if other not in found]
        return found

    def put_in_place_of(self, name: str, source: str) -> None:
        """Use another template where a template file is asked for."""
        self._in_place_of[name] = source
        if self._environment.cache is not None:
            self._environment.cache.clear()

    def series(self, name: str, along: str = "d_k", least: float = -math.inf, **where: object) -> list[Number]:
        """Return a sweep's numbers in the order of what they run along, such as ``max_weight.unscaled``.

        What else tells the numbers apart is given as for :meth:`number`: ``series("width_sweep.entropy.scaled",
        tokens=8)`` runs along the head widths, and ``along="tokens"`` with ``d_k=64`` along the tokens. ``least=4``
        leaves out what lies below 4.
        """
        name = self._full_name(name, {})
        if along == "tokens" and self._lone_tokens(name) and self.has(name, **where):
            return [self.number(name, **where)]
        if name in self._sweeps and not any("tokens=" in place for place, _ in self._sweeps[name]):
            where = self._without_lone_tokens(name, where)
        fixed = {f"{key}={numbers.key_text(value)}" for key, value in where.items()}
        found = {}
        for place, number in self._sweeps.get(name, ()):
            parts = set(place.split(";"))
            rest = [part.removeprefix(f"{along}=") for part in parts - fixed if part.startswith(f"{along}=")]
            if fixed < parts and len(rest) == len(parts) - len(fixed) == 1 and float(rest[0]) >= least:
                found[float(rest[0])] = number
        if not found:
            among = ";".join(sorted(fixed))
            raise NoSuchNumberError(f"there are no numbers called {name}.{f'{among};' if among else ''}{along}=…")
        return [found[place] for place in sorted(found)]

    def _lone_tokens(self, name: str) -> int | None:
        """Return the number of tokens of an experiment that has only one; its numbers are called without it."""
        parameters = self._setup.get(name.partition(".")[0], {})
        counts = parameters.get("token_counts", [])
        return counts[0] if len(counts) == 1 else None

    def _without_lone_tokens(self, name: str, where: Mapping[str, object]) -> dict[str, object]:
        lone = self._lone_tokens(name)
        return {
            key: value for key, value in where.items() if not (key == "tokens" and lone is not None and value == lone)
        }

    def fill(self, template: str, place: str, **also: Any) -> str:
        """Return a template's text, which may use the further names as well.

        Raises
        ------
        WordsError
            Naming the place and the line, if it is no template or asks for something that there is not.
        """
        try:
            return self._environment.from_string(template).render(**also)
        except MISTAKES as error:
            raise WordsError(f"{place}{_line_of(error)}: {error}") from None

    def evaluate(self, expression: str, place: str, **also: Any) -> Any:
        """Return what an expression, such as one between the braces of a template, comes to.

        Raises
        ------
        NoSuchNumberError
            If it asks for a number that this build does not have.
        WordsError
            Naming the place, if it is no expression or asks for something else that there is not.
        """
        try:
            return self._environment.compile_expression(expression, undefined_to_none=False)(**also)
        except NoSuchNumberError:
            raise
        except MISTAKES as error:
            raise WordsError(f"{place}: {error}") from None

    def fill_file(self, name: str) -> str:
        """Return the text of a template file in the folder.

        Raises
        ------
        WordsError
            As :meth:`fill`.
        """
        try:
            return self._environment.get_template(name).render()
        except NotMadeError as error:
            error.template = self._innermost_template(error)
            raise
        except MISTAKES as error:
            raise WordsError(f"{name}{_line_of(error, name)}: {error}") from None

    def _innermost_template(self, error: BaseException) -> str:
        files = [Path(frame.filename) for frame in traceback.extract_tb(error.__traceback__)]
        inside = [path for path in files if self._folder and path.is_relative_to(self._folder)]
        return inside[-1].relative_to(self._folder).as_posix() if inside and self._folder else ""

    def _full_name(self, name: str, where: Mapping[str, object]) -> str:
        experiment = name.partition(".")[0]
        if experiment in self._not_made:
            raise NotMadeError(experiment)
        return ".".join([name, ";".join(f"{key}={numbers.key_text(value)}" for key, value in where.items())]).rstrip(
            "."
        )


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


def _by_beginning(known: Mapping[str, Number]) -> dict[str, list[tuple[str, Number]]]:
    """Return numbers by what their names begin with, before ``key=value``, each with the rest of its name."""
    found: dict[str, list[tuple[str, Number]]] = {}
    for name, number in known.items():
        begin, key, _ = name.partition("=")
        if key:
            begin = begin.rpartition(".")[0]
            found.setdefault(begin, []).append((name[len(begin) + 1 :], number))
    return found


def _by_attribute(setup: Any) -> Any:
    # A mapping's own methods, such as keys, would hide parameters of the same name from a template.
    if isinstance(setup, Mapping):
        return SimpleNamespace(**{key: _by_attribute(value) for key, value in setup.items()})
    return setup
