"""What the scripts take and import, read from their syntax trees without running them."""

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Signature(NamedTuple):
    """The parameters of a script's main function, in their order."""

    positional: tuple[str, ...]
    keywords: tuple[str, ...]


def stems(scripts: Path, prefix: str) -> list[str]:
    """Return the names of the scripts that start with the prefix, without it, in alphabetical order."""
    return sorted(path.stem.removeprefix(prefix) for path in scripts.glob(f"{prefix}*.py"))


def read_signature(script: Path) -> Signature:
    """Return the parameters of the function that has the script's own name.

    Parameters
    ----------
    script : pathlib.Path
        Such as ``scripts/simulate_max_weight.py``.

    Raises
    ------
    ValueError
        If the script is not Python or does not define that function.
    """
    for node in _tree(script).body:
        if isinstance(node, ast.FunctionDef) and node.name == script.stem:
            arguments = node.args
            return Signature(
                tuple(argument.arg for argument in arguments.posonlyargs + arguments.args),
                tuple(argument.arg for argument in arguments.kwonlyargs),
            )
    raise ValueError(f"{script} does not define a function {script.stem}().")


def project_code(script: Path) -> list[Path]:
    """Return a script and every module of the project that it imports, directly or not.

    Parameters
    ----------
    script : pathlib.Path
        Modules are looked for in its folder, as Python does when it runs the script.

    Returns
    -------
    list of pathlib.Path
        The script first, then its modules in alphabetical order.

    Raises
    ------
    ValueError
        If one of them is not Python.
    """
    folder = script.parent
    found: set[Path] = set()
    waiting = [script]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        waiting += _imported_files(path, folder)
    return [script, *sorted(found - {script})]


@functools.cache
def _imported_files(path: Path, folder: Path) -> tuple[Path, ...]:
    names: set[tuple[Path, str]] = set()
    for node in _statements(_tree(path)):
        if isinstance(node, ast.Import):
            names.update((folder, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = path.parents[node.level - 1] if node.level else folder  # "from . import x" starts at its package
            module = f"{node.module}." if node.module else ""
            names.update((start, f"{module}{alias.name}") for alias in node.names)
    files = []
    for start, name in names:
        parts = name.split(".")
        for length in range(1, len(parts) + 1):
            target = start.joinpath(*parts[:length])
            files += [file for file in (target / "__init__.py", target.with_suffix(".py")) if file.is_file()]
    return tuple(files)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield every statement below a node. Imports are statements, and expressions are most of a tree."""
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        for statement in getattr(node, block, ()):
            yield statement
            yield from _statements(statement)


@functools.cache
def _tree(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_bytes(), filename=str(path))
    except SyntaxError as error:
        raise ValueError(f"{path}, line {error.lineno}: not Python: {error.msg}.") from None
