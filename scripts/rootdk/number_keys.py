"""The keys of numbers among the variables of Quarto, MyST and Pandoc."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable

FORMS = ("", "_pm", "_error")
"""Endings of the variables of one number: its value, value ± standard error, and the error."""


def variable_keys(names: Iterable[str]) -> dict[str, str]:
    """Return the key of each number among the variables: its name with underscores for all but letters and digits.

    Full stops would be nesting in Quarto, a hyphen a minus in MyST, and an equals sign an option in a Quarto shortcode.
    A minus before a digit becomes ``minus``. Names that would share a key get some digits of their own.

    Parameters
    ----------
    names : iterable of str

    Returns
    -------
    dict of str to str
        Keys by name, no two of them alike, whatever :data:`FORMS` are added to them.
    """
    plain = {name: _key(name) for name in names}
    taken = Counter(key + ending for key in plain.values() for ending in FORMS)
    return {
        name: key if all(taken[key + ending] == 1 for ending in FORMS) else f"{key}_{_digest(name)}"
        for name, key in plain.items()
    }


def _key(name: str) -> str:
    words = re.sub(r"(?<![^\W_])[-−](?=\d)", " minus ", name)
    return re.sub(r"[\W_]+", "_", words).strip("_")


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:6]
