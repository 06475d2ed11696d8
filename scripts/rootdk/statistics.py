"""What is measured, in words: the units and usual names of statistics and scalings."""

import functools
from pathlib import Path

from rootdk.yaml_source import read_own_yaml

STATISTICS_FILE = Path(__file__).parents[2] / "workflow" / "schemas" / "statistics.yaml"


@functools.cache
def load_statistics(path: Path = STATISTICS_FILE) -> dict[str, dict]:
    """Return the vocabulary of statistics: the unit, where the table does not say, and what prose calls them."""
    return read_own_yaml(path)["statistics"]


@functools.cache
def load_scalings(path: Path = STATISTICS_FILE) -> dict[str, list[str]]:
    """Return what prose calls each scaling of the scores."""
    return read_own_yaml(path)["scalings"]
