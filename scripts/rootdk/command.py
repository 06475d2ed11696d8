"""The command line of the ``simulate_`` scripts: parameters in, tables out, and errors for people."""

import argparse
import inspect
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rootdk.tables import Tables, write_table


def run_simulation(simulate: Callable[..., Tables], arguments: list[str] | None = None) -> None:
    """Run an experiment as its script's arguments say and write its two tables.

    Parameters
    ----------
    simulate : callable
        ``simulate_<experiment>``. If it takes ``rng``, it gets a generator made from the parameter ``seed``, and the
        tables are rounded; if it takes ``seed`` itself, they are rounded as well. Without either there is no chance in
        it, and every digit is kept, unless the tables say that they are integrated.
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
    parameters = dict(given.parameters)
    takes = inspect.signature(simulate).parameters
    chance = "seed" in parameters
    try:
        if "rng" in takes:
            tables = simulate(np.random.default_rng(parameters.pop("seed")), **parameters)
        else:
            tables = simulate(**parameters)
        rounded = chance or tables.integrated
        write_table(tables.table, given.table, rounded=rounded)
        write_table(tables.summary, given.summary, rounded=rounded)
    except ValueError as error:
        sys.exit(f"experiments.{experiment}: {error}")
    except MemoryError:
        sys.exit(f"experiments.{experiment}: too little memory for {json.dumps(given.parameters)}; ask for less.")
