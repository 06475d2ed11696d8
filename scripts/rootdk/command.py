"""The command line of the ``simulate_`` scripts: parameters in, tables out, and errors for people."""

import argparse
import inspect
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rootdk.tables import Tables, write_table


def simulate_with(simulate: Callable[..., Tables], parameters: Mapping[str, Any]) -> Tables:
    """Return the tables of an experiment as its part of the config says.

    Parameters
    ----------
    simulate : callable
        ``simulate_<experiment>``. If it takes ``rng``, it gets a generator made from the parameter ``seed``.
    parameters : mapping
    """
    if "rng" in inspect.signature(simulate).parameters:
        others = {name: value for name, value in parameters.items() if name != "seed"}
        return simulate(np.random.default_rng(parameters["seed"]), **others)
    return simulate(**parameters)


def run_simulation(simulate: Callable[..., Tables], arguments: list[str] | None = None) -> None:
    """Run an experiment as its script's arguments say and write its two tables.

    Parameters
    ----------
    simulate : callable
        ``simulate_<experiment>``, called as :func:`simulate_with` does. If it has a seed, the tables are rounded.
        Without one there is no chance in it, and every digit is kept, unless the tables say that they are integrated.
    arguments : list of str, optional
        By default the command line's.

    Raises
    ------
    SystemExit
        With a message, if the parameters do not fit the experiment or the machine has too little memory.
    """
    experiment = simulate.__name__.removeprefix("simulate_")
    parser = argparse.ArgumentParser(description=inspect.getdoc(inspect.getmodule(simulate)))
    parser.add_argument("parameters", type=json.loads, help=f"experiments.{experiment} of config.yaml, as JSON")
    parser.add_argument("table", type=Path, help="where to write the observations, as CSV")
    parser.add_argument("summary", type=Path, help="where to write the quantities that follow from them, as CSV")
    given = parser.parse_args(arguments)
    try:
        tables = simulate_with(simulate, given.parameters)
        rounded = "seed" in given.parameters or tables.integrated
        write_table(tables.table, given.table, rounded=rounded)
        write_table(tables.summary, given.summary, rounded=rounded)
    except ValueError as error:
        sys.exit(f"experiments.{experiment}: {error}")
    except MemoryError:
        sys.exit(f"experiments.{experiment}: too little memory for {json.dumps(given.parameters)}; ask for less.")
