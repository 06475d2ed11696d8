"""Claims: sentences of the chapter that the tables can prove wrong."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from rootdk.numbers import significant
from rootdk.verdicts import Comparisons, DoesNotApplyError, Verdict
from rootdk.words import GLOBALS, NoSuchNumberError, Words, WordsError
from rootdk.yaml_source import ConfigError, describe, read_yaml

TOLERANCE = 3.0  # standard errors
KEYS = {"sentence", "holds", "given", "tolerance"}
RESERVED = {*Comparisons(TOLERANCE).functions(), *GLOBALS}
DOES_NOT_APPLY = "does not apply"


@dataclass(frozen=True)
class Claim:
    """A sentence and what would have to be so for it to be true.

    Attributes
    ----------
    name : str
    sentence : str
        A template, as all text of the chapter.
    holds : str
        An expression of :class:`rootdk.verdicts.Comparisons` on the numbers.
    given : mapping
        The claim's own numbers: what it says the tables' numbers are compared with.
    tolerance : float
        Standard errors that decide it.
    place : str
        File and name, for messages.
    """

    name: str
    sentence: str
    holds: str
    given: Mapping[str, Any]
    tolerance: float
    place: str


@dataclass(frozen=True)
class Judged:
    """A claim with its sentence filled in and its verdict; ``state`` can also be that it does not apply."""

    name: str
    sentence: str
    state: str
    reason: str
    draws: float = math.nan
    draws_needed: float = math.nan


def read_claims(folder: Path) -> list[Claim]:
    """Return the claims in all YAML files of a folder, in the order of the files' names.

    Raises
    ------
    WordsError
        If a file cannot be read, a claim lacks a part or has one that there is not, or a name occurs twice.
    """
    claims: dict[str, Claim] = {}
    for path in sorted(folder.glob("*.yaml")):
        try:
            read = read_yaml(path, "claims by name").values
        except ConfigError as error:
            raise WordsError(str(error)) from None
        for name, parts in read.items():
            claim = _claim(str(name), parts, path)
            if claim.name in claims:
                raise WordsError(f"{claim.place}: there is a claim of this name in {claims[claim.name].place} already")
            claims[claim.name] = claim
    return list(claims.values())


def judge(claim: Claim, words: Words) -> Judged:
    """Return a claim's sentence and verdict on these numbers.

    Raises
    ------
    WordsError
        If its sentence or its condition is no template, or the condition gives no verdict. A condition that asks for a
        number that this build does not have, or has nothing to compare, is no mistake: the claim does not apply.
    """
    functions = Comparisons(claim.tolerance).functions()
    try:
        verdict = words.evaluate(claim.holds, f"{claim.place}, holds", **functions, **claim.given)
    except (NoSuchNumberError, DoesNotApplyError) as error:
        try:
            sentence = words.fill(claim.sentence, claim.place, **claim.given)
        except WordsError:
            # It asks for the same number, so there is something that it cannot say.
            sentence = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "…", claim.sentence, flags=re.DOTALL)
        return Judged(claim.name, " ".join(sentence.split()), DOES_NOT_APPLY, str(error))
    if not isinstance(verdict, Verdict):
        raise WordsError(
            f"{claim.place}, holds: gives {describe(verdict)}; it should be a comparison: {', '.join(functions)}"
        )
    sentence = " ".join(words.fill(claim.sentence, f"{claim.place}, sentence", **claim.given).split())
    return Judged(claim.name, sentence, verdict.state, verdict.reason, verdict.draws, verdict.draws_needed)


def claims_table(judged: list[Judged]) -> pd.DataFrame:
    """Return the verdicts as a table: claim, verdict, sentence, reason, draws, draws_needed."""
    rows = [(one.name, one.state, one.sentence, one.reason, one.draws, one.draws_needed) for one in judged]
    return pd.DataFrame(rows, columns=["claim", "verdict", "sentence", "reason", "draws", "draws_needed"])


class ShownClaims:
    """The claims as the chapter shows them: a sentence that is not true in this build is marked where it stands.

    Parameters
    ----------
    claims : list of Claim
    words : Words
        With the numbers of this build. What it raises for tables that could not be made goes on to whoever asks.
    """

    def __init__(self, claims: list[Claim], words: Words) -> None:
        self._claims = {claim.name: claim for claim in claims}
        self._words = words
        self._judged: dict[str, Judged] = {}
        self._shown: set[str] = set()

    def show(self, name: str) -> str:
        """Return a claim's sentence as Markdown: plain if true, struck if false, and empty if it does not apply.

        Raises
        ------
        WordsError
            If there is no such claim.
        """
        if name not in self._claims:
            raise WordsError(f"there is no claim called {name}; there are {', '.join(sorted(self._claims))}")
        self._shown.add(name)
        judged = self._judge(name)
        if judged.state == "false":
            return f"~~{judged.sentence}~~ **[not so in this build: {judged.reason}]**"
        if judged.state == "undecided":
            return f"{judged.sentence} **[undecided{_at_draws(judged)}]**"
        return "" if judged.state == DOES_NOT_APPLY else judged.sentence

    def holds(self, name: str) -> bool:
        """Return whether a claim is true in this build, for words that only go with it."""
        if name not in self._claims:
            raise WordsError(f"there is no claim called {name}; there are {', '.join(sorted(self._claims))}")
        return self._judge(name).state == "true"

    def to_rewrite(self) -> list[dict[str, str]]:
        """Return name, verdict, sentence and reason of each claim of the chapter that is not true here."""
        listed = []
        for name in sorted(self._shown):
            judged = self._judge(name)
            verdict = judged.state + (_at_draws(judged) if judged.state == "undecided" else "")
            if judged.state != "true":
                listed.append({"name": name, "verdict": verdict, "sentence": judged.sentence, "reason": judged.reason})
        return listed

    def check_all_made(self, made: Iterable[str]) -> None:
        """Raise WordsError if a claim is not among those that the chapter makes, in whatever case it makes them."""
        missing = sorted(set(self._claims) - set(made))
        if missing:
            raise WordsError(
                f"the chapter does not make the claim {missing[0]}; "
                f'write {{{{ claim("{missing[0]}") }}}} where it belongs'
            )

    def _judge(self, name: str) -> Judged:
        if name not in self._judged:
            self._judged[name] = judge(self._claims[name], self._words)
        return self._judged[name]


def _at_draws(judged: Judged) -> str:
    if math.isnan(judged.draws):
        return " at this many draws"
    needed = judged.draws_needed
    would = f"; about {significant(needed, 2)} would decide it" if math.isfinite(needed) else ""
    return f" at {judged.draws:.0f} draws{would}"


def _claim(name: str, parts: Any, path: Path) -> Claim:
    place = f"{path.name}, {name}"
    if not isinstance(parts, Mapping):
        raise WordsError(f"{place}: is {describe(parts)}; a claim has the keys sentence and holds")
    unknown = sorted(set(map(str, parts)) - KEYS)
    if unknown:
        raise WordsError(f"{place}: has the key {unknown[0]}; allowed: {', '.join(sorted(KEYS))}")
    for key in ("sentence", "holds"):
        if not isinstance(parts.get(key), str) or not parts[key].strip():
            found = describe(parts[key]) if key in parts else "missing"
            raise WordsError(f"{place}, {key}: is {found}; it should be some text")
    given, tolerance = parts.get("given", {}), parts.get("tolerance", TOLERANCE)
    if not isinstance(given, Mapping) or not all(isinstance(key, str) and key.isidentifier() for key in given):
        raise WordsError(f"{place}, given: is {describe(given)}; it should hold numbers by name")
    if taken := sorted(RESERVED & set(given)):
        raise WordsError(f"{place}, given: {taken[0]} is the name of a function; choose another name")
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 < tolerance < math.inf:
        raise WordsError(f"{place}, tolerance: is {describe(tolerance)}; it should be standard errors, above 0")
    return Claim(name, parts["sentence"], parts["holds"].strip(), given, float(tolerance), place)
