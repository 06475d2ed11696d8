"""The author's configuration: read, put together with what overrides it, and checked before anything starts."""

import difflib
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema

from rootdk.config_relations import broken_relations
from rootdk.digit_rules import broken_rules
from rootdk.script_signatures import read_signature, stems
from rootdk.yaml_source import ConfigError, KeyPath, Source, describe, merge, path_text, read_own_yaml, read_yaml

FIGURE_SIZE = ("width", "height")
OPTIONAL_PARTS = ("numbers",)


def load_config(
    path: Path,
    *,
    scripts: Path,
    schema: Path,
    files: Iterable[Path] = (),
    overrides: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the checked configuration.

    Parameters
    ----------
    path : pathlib.Path
        The project's ``config.yaml``.
    scripts : pathlib.Path
        The folder of the ``simulate_`` and ``draw_`` scripts, whose parameters are the keys that are known.
    schema : pathlib.Path
        ``workflow/schemas/config.schema.yaml``.
    files : iterable of pathlib.Path
        Further files, each overriding what came before it (``snakemake --configfile``).
    overrides : dict, optional
        Values that override all files (``snakemake --config``).

    Returns
    -------
    dict
        With the keys ``experiments``, ``figures``, ``editions`` and ``numbers``; whole numbers are ints. An experiment
        whose function takes a keyword by the name of another experiment has that one's parameters under that name.

    Raises
    ------
    ConfigError
        Naming, for each mistake, the file and line, the key's full path, its value and what is allowed.
    """
    sources = [read_yaml(file, "the keys experiments, figures and editions") for file in (path, *files)]
    if overrides:
        _check_keys(overrides)
        sources.append(Source("--config", overrides, {}))
    merged: dict[str, Any] = {}
    for source in sources:
        merged = merge(merged, source.values)
    rules = assemble_schema(scripts, read_own_yaml(schema))
    mistakes = list(dict.fromkeys(_mistakes(_marked(merged), rules, sources)))
    if not mistakes:
        merged = _whole_numbers(merged)
        mistakes = [
            _message(("experiments", name, *where), problem, sources)
            for name, parameters in merged["experiments"].items()
            for where, problem in broken_relations(parameters)
        ]
        merged.setdefault("numbers", {})
        mistakes += [
            _message(("numbers", *where), problem, sources)
            for where, problem in broken_rules(merged["numbers"], merged["experiments"])
        ]
    if mistakes:
        raise ConfigError("\n".join(mistakes))
    return {**merged, "experiments": with_experiments_taken(merged["experiments"], scripts)}


def with_experiments_taken(experiments: Mapping[str, Any], scripts: Path) -> dict[str, Any]:
    """Return the experiments of a config, each with the parameters of those whose names its function takes."""
    found = {}
    for name, parameters in experiments.items():
        taken = [other for other in _keywords(scripts, name) if other in experiments]
        found[name] = {**parameters, **{other: experiments[other] for other in taken}}
    return found


def _keywords(scripts: Path, experiment: str) -> tuple[str, ...]:
    script = scripts / f"simulate_{experiment}.py"
    return read_signature(script).keywords if script.exists() else ()


def assemble_schema(scripts: Path, vocabulary: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of the whole config, from the scripts' parameters and the vocabulary of their values.

    Parameters
    ----------
    scripts : pathlib.Path
        The folder of the scripts.
    vocabulary : dict
        The content of ``config.schema.yaml``.

    Raises
    ------
    ConfigError
        If a script takes a parameter that the vocabulary does not know.
    """
    definitions = vocabulary["$defs"]
    experiments = stems(scripts, "simulate_")
    tables = {*experiments, *(f"{name}_summary" for name in experiments)}
    parts = _mapping(
        {
            "experiments": _mapping(
                {
                    name: _parameters(
                        scripts / f"simulate_{name}.py", "parameters", definitions, ignored={*experiments}
                    )
                    for name in experiments
                }
            ),
            "figures": _mapping(
                {
                    name: _parameters(scripts / f"draw_{name}.py", "options", definitions, ignored={*tables, "style"})
                    for name in stems(scripts, "draw_")
                }
            ),
            "editions": _mapping({"web": _mapping(definitions["edition"])}),
            "numbers": {**_mapping(definitions["numbers"]), "required": []},
        }
    )
    return {**vocabulary, **parts, "required": [part for part in parts["required"] if part not in OPTIONAL_PARTS]}


def _parameters(script: Path, kind: str, definitions: dict[str, Any], ignored: set[str]) -> dict[str, Any]:
    try:
        signature = read_signature(script)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    keys = [name for name in signature.keywords if name not in ignored]
    if kind == "options":
        keys = [*FIGURE_SIZE, *keys]
    elif "rng" in signature.positional:
        keys = ["seed", *keys]
    unknown = [key for key in keys if key not in definitions[kind]]
    if unknown:
        raise ConfigError(
            f"{script}: {script.stem}() takes {unknown[0]}, which $defs.{kind} of workflow/schemas/config.schema.yaml "
            "does not describe; add its type, range and meaning there."
        )
    return _mapping({key: {"$ref": f"#/$defs/{kind}/{key}"} for key in keys})


def _mapping(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _check_keys(overrides: Any) -> None:
    if isinstance(overrides, list):
        for entry in overrides:
            _check_keys(entry)
    elif isinstance(overrides, dict):
        for key, entry in overrides.items():
            if not isinstance(key, str):
                raise ConfigError(f"--config: the key {key} is not text; keys are names.")
            _check_keys(entry)


_ENDLESS = 10**1000


class _NoNumber:
    """Stands for NaN, an infinity or an endless integer, so that no rule takes it for a number."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _marked(value: Any) -> Any:
    """Return the values with a mark in place of each number that cannot be compared or written out."""
    if isinstance(value, dict):
        return {key: _marked(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_marked(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return _NoNumber(str(value))
    if isinstance(value, int) and abs(value) >= _ENDLESS:
        return _NoNumber("a number of more than 1000 digits")
    return value


def _whole_numbers(value: Any) -> Any:
    """Return the values with 16.0 as 16, so that one number has one spelling."""
    if isinstance(value, dict):
        return {key: _whole_numbers(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_whole_numbers(entry) for entry in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _mistakes(values: dict[str, Any], schema: dict[str, Any], sources: list[Source]) -> Iterator[str]:
    for error in sorted(
        jsonschema.Draft202012Validator(schema).iter_errors(values), key=lambda error: list(map(str, error.path))
    ):
        path = tuple(error.absolute_path)
        if error.validator == "additionalProperties":
            known = list(error.schema["properties"])
            for key in error.instance:
                if key not in known:
                    yield _message((*path, key), _unknown_key(key, known, schema), sources)
        elif error.validator == "required":
            for key in error.validator_value:
                if key not in error.instance and f"'{key}'" in error.message.split(" ")[0]:
                    allowed = _allowed(error.schema["properties"][key], schema)
                    holder = next(source for source in sources if source.holds(path))
                    yield _message((*path, key), f"is missing; it should be {allowed}.", [holder])
        elif error.validator == "uniqueItems":
            entries = error.instance
            twice = next(entry for place, entry in enumerate(entries) if _stands_in(entry, entries[:place]))
            yield _message(path, f"holds {describe(twice)} twice; allowed: each entry once.", sources)
        else:
            allowed = _allowed(error.schema, schema) + _spelling(error.instance, error.schema)
            yield _message(path, f"is {describe(error.instance)}; allowed: {allowed}.", sources)


def _stands_in(entry: Any, entries: list[Any]) -> bool:
    return any(entry == other and isinstance(entry, bool) == isinstance(other, bool) for other in entries)


def _spelling(value: Any, rule: dict[str, Any]) -> str:
    """Return a hint for a value that YAML reads as another type than its author means, such as no or 1e3."""
    if rule.get("type") in ("integer", "number") and isinstance(value, str):
        return ", written out and without quotes"
    if rule.get("type") == "string" and not isinstance(value, (str, list, dict)):
        return ", in quotes"
    return ""


def _message(path: KeyPath, problem: str, sources: list[Source]) -> str:
    for length in range(len(path), 0, -1):
        for source in reversed(sources):
            if source.holds(path[:length]):
                return f"{source.place(path)}: {path_text(path)} {problem}"
    return f"{sources[0].name}: {path_text(path) or 'its top'} {problem}"


def _unknown_key(key: str, known: list[str], schema: dict[str, Any]) -> str:
    nearest = difflib.get_close_matches(key, known, n=1, cutoff=0.0)
    hint = f"the nearest known key is {nearest[0]}; " if nearest else ""
    places = [name for name, part in schema["properties"].items() if key in part["properties"]]
    if places:
        hint = f"it belongs under {' or '.join(places)}; "
    return f"is not a known key; {hint}allowed here: {', '.join(known)}."


_KINDS = {
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "array": "a list",
    "object": "a mapping",
}


def _allowed(rule: dict[str, Any], schema: dict[str, Any]) -> str:
    """Return in words what a piece of the schema allows."""
    while "$ref" in rule:
        target: Any = schema
        for step in rule["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        rule = {**target, **{key: value for key, value in rule.items() if key != "$ref"}}
    if "enum" in rule:
        return "one of " + ", ".join(map(str, rule["enum"]))
    if rule["type"] == "object":
        if "properties" not in rule:
            return f"a mapping ({rule['description']})"
        return f"a mapping with the keys {', '.join(rule['properties'])}"
    text = _KINDS[rule["type"]]
    if rule["type"] == "array":
        text += f" of {_entries(rule)}"
    elif "exclusiveMinimum" in rule:
        text += f" above {rule['exclusiveMinimum']}, at most {rule['maximum']}"
    elif "minimum" in rule:
        text += f" from {rule['minimum']} to {rule['maximum']}"
    elif "maxLength" in rule:
        text += f" of {rule['minLength']} to {rule['maxLength']} characters"
    return f"{text} ({rule['description']})" if "description" in rule else text


def _entries(rule: dict[str, Any]) -> str:
    least, most = rule["minItems"], rule.get("maxItems")
    if most is None:
        return f"{least} or more entries"
    return f"{least} entries" if least == most else f"{least} to {most} entries"
