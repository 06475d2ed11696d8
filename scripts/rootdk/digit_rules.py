"""What the config may say of digits: whose rules they are, and which names they may have."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rootdk.yaml_source import KeyPath

DIGITS_WITHOUT_ERROR = 3
"""Significant digits of a number without a standard error, unless the config has other ones."""


def rules_of(rules: Mapping[str, Any], experiments: Iterable[str]) -> dict[str, Any]:
    """Return that part of the rules which the numbers of some experiments depend on, without what goes unsaid."""
    known = set(experiments)
    digits = {rule: count for rule, count in rules.get("digits", {}).items() if rule.split(".")[0] in known}
    without_error = rules.get("without_error", DIGITS_WITHOUT_ERROR)
    return {
        **({"digits": digits} if digits else {}),
        **({"without_error": without_error} if without_error != DIGITS_WITHOUT_ERROR else {}),
    }


def beginnings(name: str) -> Iterator[str]:
    """Yield what a rule for a number may be called: its name, and what stands before any full stop in it."""
    yield name
    for place, letter in enumerate(name):
        if letter == ".":
            yield name[:place]


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that is most like another one, of the same experiment if that is known."""
    first = name.split(".")[0]
    candidates = sorted(known)
    related = [candidate for candidate in candidates if candidate.split(".")[0] == first] or candidates
    return max(related, key=lambda candidate: difflib.SequenceMatcher(None, name, candidate, autojunk=False).ratio())


def broken_rules(rules: Mapping[str, Any], experiments: Iterable[str]) -> Iterator[tuple[KeyPath, str]]:
    """Yield the path below ``numbers`` of the config, and the problem, of each rule whose experiment there is not.

    Whether an experiment has the rest of the name is known once it has run.
    """
    known = list(experiments)
    for rule in rules.get("digits", {}):
        experiment = rule.split(".")[0]
        if experiment not in known:
            found = rule.replace(experiment, nearest(experiment, known), 1)
            yield ("digits", rule), f"begins with no experiment; the nearest name is {found}."
