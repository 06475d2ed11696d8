"""What the scripts take, import and do, read from their syntax trees without running them."""

import ast
import functools
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rootdk.whole_files import write_whole


class Signature(NamedTuple):
    """The parameters of a script's main function, in their order."""

    positional: tuple[str, ...]
    keywords: tuple[str, ...]


class Facts(NamedTuple):
    """What one file's syntax tree says."""

    digest: str
    """Of the code itself: the same whatever its comments, docstrings and layout."""
    imports: tuple[tuple[int, str], ...]
    """Every name that could be an imported module, with the number of dots before it."""
    signature: Signature | None
    """Of the function that has the file's own name, if there is one."""


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
    signature = read_facts(script).signature
    if signature is None:
        raise ValueError(f"{script} does not define a function {script.stem}().")
    return signature


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


def code_digest(script: Path) -> str:
    """Return a digest of a script and of all project modules that it imports.

    It changes with their code, and not with comments, docstrings, layout or dates.

    Parameters
    ----------
    script : pathlib.Path

    Raises
    ------
    ValueError
        If one of them is not Python.
    """
    lines = [f"{path.relative_to(script.parent)} {read_facts(path).digest}" for path in project_code(script)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def imported_packages(script: Path) -> set[str]:
    """Return the top-level names that a script and its project modules import from outside the project."""
    names = {name.split(".")[0] for path in project_code(script) for dots, name in read_facts(path).imports if not dots}
    return {name for name in names if not (script.parent / name).exists() and name not in sys.stdlib_module_names}


@functools.cache
def read_facts(path: Path) -> Facts:
    """Return what a file's syntax tree says.

    Raises
    ------
    ValueError
        If it is not Python.
    """
    source = path.read_bytes()
    key = f"{path.name} {hashlib.sha256(source).hexdigest()}"
    known = _Memory.facts.get(key)
    if known is None:
        known = _Memory.facts[key] = _parse(path, source)
        _Memory.learned = True
    _Memory.used.add(key)
    return known


class _Memory:
    """Facts by the name and the content of a file, so that parsing can be saved from one build to the next."""

    facts: dict[str, Facts] = {}  # noqa: RUF012  one memory per process
    used: set[str] = set()  # noqa: RUF012
    learned = False


def recall_facts(path: Path) -> None:
    """Load what :func:`store_facts` has stored, if anything; of any other content nothing is believed."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored["python"] == sys.version:
            for key, (digest, imports, signature) in stored["facts"].items():
                parameters = None if signature is None else Signature(*map(tuple, signature))
                _Memory.facts[key] = Facts(digest, tuple((dots, name) for dots, name in imports), parameters)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        _Memory.facts.clear()


def store_facts(path: Path) -> None:
    """Store the facts that this process has read, if there are new ones among them."""
    if _Memory.learned:
        content: dict[str, Any] = {
            "python": sys.version,
            "facts": {key: _Memory.facts[key] for key in sorted(_Memory.used)},
        }
        try:
            write_whole(path, json.dumps(content).encode())
        except OSError:
            return  # a folder that cannot be written only costs the time to parse again


def _parse(path: Path, source: bytes) -> Facts:
    try:
        tree = ast.parse(source, filename=str(path))
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise ValueError(f"{path}{line}: not Python: {getattr(error, 'msg', error)}.") from None
    signature = None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == path.stem:
            arguments = node.args
            signature = Signature(
                tuple(argument.arg for argument in arguments.posonlyargs + arguments.args),
                tuple(argument.arg for argument in arguments.kwonlyargs),
            )
    imports = tuple(sorted(set(_imports(tree))))
    return Facts(hashlib.sha256(_written(tree).encode()).hexdigest(), imports, signature)


def _imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = f"{node.module}." if node.module else ""
            yield from ((node.level, f"{module}{alias.name}") for alias in node.names)


def _written(node: Any) -> str:
    """Return a syntax tree as text, without docstrings and without what differs between versions of Python."""
    if isinstance(node, ast.AST):
        fields = dict(ast.iter_fields(node))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            fields["body"] = [entry for entry in node.body if not _is_bare_string(entry)]
        if isinstance(node, ast.JoinedStr):
            fields["values"] = _joined(node.values)
        parts = (f"{name}={_written(value)}" for name, value in fields.items() if value is not None and value != [])
        return f"{type(node).__name__}({','.join(parts)})"
    if isinstance(node, list):
        return f"[{','.join(map(_written, node))}]"
    return repr(node)


def _joined(values: list[ast.expr]) -> list[ast.expr]:
    """Return the pieces of an f-string with its plain pieces joined, which versions of Python cut differently."""
    joined: list[ast.expr] = []
    for value in values:
        before = joined[-1] if joined else None
        if isinstance(value, ast.Constant) and isinstance(before, ast.Constant):
            joined[-1] = ast.Constant(str(before.value) + str(value.value))
        else:
            joined.append(value)
    return [value for value in joined if not (isinstance(value, ast.Constant) and value.value == "")]


def _is_bare_string(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


@functools.cache
def _imported_files(path: Path, folder: Path) -> tuple[Path, ...]:
    return tuple(_files_of(path, folder, read_facts(path).imports))


def _files_of(path: Path, folder: Path, imports: Iterable[tuple[int, str]]) -> Iterator[Path]:
    for dots, name in imports:
        start = path.parents[dots - 1] if dots else folder  # "from . import x" starts at its package
        parts = name.split(".")
        for length in range(1, len(parts) + 1):
            target = start.joinpath(*parts[:length])
            yield from (file for file in (target / "__init__.py", target.with_suffix(".py")) if file.is_file())
