"""All experiments and figures in one plain Python process: what the build is compared with.

Everything is imported once, one thing follows the other, and nothing is kept from one run to the next. The functions
and the formats are those of the build. The report is left out, so the comparison is not easier for the build.
"""

import argparse
import importlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
SCRIPTS = PROJECT / "scripts"
NO_DIGEST = 64 * "0"  # a real one takes no time worth measuring
sys.path.insert(0, str(SCRIPTS))

from rootdk.config import load_config  # noqa: E402
from rootdk.script_signatures import stems  # noqa: E402

# Before rootdk.tables, so that the style is what imports matplotlib first.
from rootdk.figure_files import render  # noqa: E402  isort: skip
from rootdk.figure_metadata import Provenance  # noqa: E402  isort: skip
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

from rootdk.tables import load_columns, read_table, write_table  # noqa: E402
from rootdk.words import Words, collect_numbers, read_words  # noqa: E402


def functions(prefix: str) -> dict[str, Callable[..., Any]]:
    """Return the main function of every script whose name starts with the prefix, by the name without it."""
    return {
        name: getattr(importlib.import_module(f"{prefix}{name}"), f"{prefix}{name}") for name in stems(SCRIPTS, prefix)
    }


def simulate_all(
    simulations: dict[str, Callable[..., Any]], experiments: dict[str, dict[str, Any]], folder: Path
) -> None:
    """Run every experiment and write its two tables.

    Parameters
    ----------
    simulations : dict of str to callable
        ``simulate_<experiment>`` by experiment.
    experiments : dict
        ``experiments`` of the config.
    folder : pathlib.Path
        Where the tables go.
    """
    columns = load_columns()
    for name, simulate in simulations.items():
        parameters = dict(experiments[name])
        chance = "seed" in parameters
        if "rng" in inspect.signature(simulate).parameters:
            tables = simulate(np.random.default_rng(parameters.pop("seed")), **parameters)
        else:
            tables = simulate(**parameters)
        rounded = chance or tables.integrated
        write_table(tables.table, folder / f"{name}.csv", rounded=rounded, columns=columns)
        write_table(tables.summary, folder / f"{name}_summary.csv", rounded=rounded, columns=columns)


def draw_all(
    drawings: dict[str, Callable[..., Any]], config: dict[str, Any], tables_folder: Path, folder: Path
) -> None:
    """Draw every figure in every edition and format, as ``<edition>/<figure>.<format>``.

    Parameters
    ----------
    drawings : dict of str to callable
        ``draw_<figure>`` by figure.
    config : dict
        The checked config.
    tables_folder, folder : pathlib.Path
        Where the tables are and where the figures go.
    """
    read: dict[str, pd.DataFrame] = {}
    for name, draw in drawings.items():
        takes = inspect.signature(draw).parameters
        experiments = [one for one in config["experiments"] if {one, f"{one}_summary"} & set(takes)]
        tables = {}
        for table in (f"{one}{part}" for one in experiments for part in ("", "_summary")):
            if table not in read:
                read[table] = read_table(tables_folder / f"{table}.csv")
            tables[table] = read[table]
        setup = {one: config["experiments"][one] for one in experiments}
        words = read_words(
            PROJECT / "workflow" / "chapter" / "figures" / f"{name}.yaml", Words(collect_numbers(tables), setup)
        )
        options = dict(config["figures"][name])
        size = (options.pop("width"), options.pop("height"))
        for edition, settings in config["editions"].items():
            files = render(
                draw,
                {table: tables[table] for table in takes if table in tables},
                name=name,
                size=size,
                options=options,
                formats=settings["formats"],
                resolution=settings["resolution"],
                words=words,
                provenance=Provenance({}, NO_DIGEST, NO_DIGEST, NO_DIGEST, []),
            )
            (folder / edition).mkdir(parents=True, exist_ok=True)
            for kind, content in files.items():
                (folder / edition / f"{name}.{kind}").write_bytes(content)


def main() -> None:
    """Make all tables and figures below the folder that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path, help="gets data/ and figures/")
    given = parser.parse_args()
    config = load_config(
        PROJECT / "config.yaml",
        scripts=SCRIPTS,
        schema=PROJECT / "workflow" / "schemas" / "config.schema.yaml",
    )
    simulations, drawings = functions("simulate_"), functions("draw_")
    data, figures = given.output / "data", given.output / "figures"
    data.mkdir(parents=True, exist_ok=True)
    simulate_all(simulations, config["experiments"], data)
    draw_all(drawings, config, data, figures)


if __name__ == "__main__":
    main()
