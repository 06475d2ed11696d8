"""Which keys of the configuration changed."""

from typing import Any, NamedTuple

from rootdk.yaml_source import KeyPath, describe, path_text


class KeyChange(NamedTuple):
    """A key with its old and its new value as an author would write them; a dash where there is none."""

    path: KeyPath
    old: str
    new: str

    def __str__(self) -> str:
        """Return such as ``experiments.max_weight.tokens 8 → 100``."""
        return f"`{path_text(self.path)}` {self.old} → {self.new}"


def compare_configs(old: Any, new: Any, path: KeyPath = ()) -> list[KeyChange]:
    """Return the keys whose values differ, as deep as both sides hold mappings, in the order of the new config."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return [] if old == new else [KeyChange(path, describe(old), describe(new))]
    changes = []
    for key in [*new, *(key for key in old if key not in new)]:
        if key in old and key in new:
            changes += compare_configs(old[key], new[key], (*path, key))
        else:
            sides = ["—" if key not in side else describe(side[key]) for side in (old, new)]
            changes.append(KeyChange((*path, key), *sides))
    return changes
