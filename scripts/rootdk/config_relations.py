"""What the parameters of an experiment owe each other: lengths that agree, names that exist."""

from collections.abc import Iterator
from typing import Any

from rootdk.yaml_source import KeyPath, describe

Problem = tuple[KeyPath, str]

COUNTABLE = 4096  # past this width the exact probabilities take minutes and gigabytes


def broken_relations(parameters: dict[str, Any]) -> Iterator[Problem]:
    """Yield the path below the experiment's key, and the problem, of each relation that does not hold.

    Parameters
    ----------
    parameters : dict
        One experiment's part of the config, each value valid by itself. A relation between parameters is checked
        wherever both stand, whichever the experiment.
    """
    for name in ("token_vectors", "key_vectors", "value_vectors"):
        yield from _same_length(parameters, name)
    yield from _query_width(parameters)
    yield from _counts(parameters)
    yield from _names(parameters)
    yield from _order(parameters)
    yield from _allowed_keys(parameters)
    yield from _agreements(parameters)
    yield from _countable_widths(parameters)


def _same_length(parameters: dict[str, Any], name: str) -> Iterator[Problem]:
    vectors = parameters.get(name, [])
    for place, vector in enumerate(vectors):
        if len(vector) != len(vectors[0]):
            yield (
                (name, place),
                f"is {describe(vector)}, of length {len(vector)}; allowed: {len(vectors[0])} components, as many as "
                f"{name}[1] has.",
            )


def _query_width(parameters: dict[str, Any]) -> Iterator[Problem]:
    if {"query", "key_vectors"} <= parameters.keys():
        width, given = len(parameters["key_vectors"][0]), len(parameters["query"])
        if given != width:
            yield (
                ("query",),
                f"is {describe(parameters['query'])}, of length {given}; allowed: {width} components, as many as a "
                "key has.",
            )


def _counts(parameters: dict[str, Any]) -> Iterator[Problem]:
    for name, other in (
        ("token_names", "key_vectors"),
        ("token_names", "token_vectors"),
        ("value_vectors", "key_vectors"),
    ):
        if name in parameters and other in parameters and len(parameters[name]) != len(parameters[other]):
            yield (
                (name,),
                f"is of length {len(parameters[name])}; allowed: {len(parameters[other])}, as many as {other} has.",
            )


def _names(parameters: dict[str, Any]) -> Iterator[Problem]:
    names = parameters.get("token_names")
    if names is None:
        return
    listed = ", ".join(names)
    if "query_token" in parameters and parameters["query_token"] not in names:
        yield ("query_token",), f"is {describe(parameters['query_token'])}; allowed: one of {listed}."
    if "partners" in parameters:
        seen: set[str] = set()
        for place, pair in enumerate(parameters["partners"]):
            for side, name in enumerate(pair):
                if name not in names:
                    yield ("partners", place, side), f"is {describe(name)}; allowed: one of {listed}."
                elif name in seen:
                    yield (
                        ("partners", place, side),
                        f"is {describe(name)} a second time; allowed: each token once.",
                    )
                seen.add(name)
        missing = [name for name in names if name not in seen]
        if missing:
            yield ("partners",), f"leaves out {', '.join(missing)}; allowed: each token in one pair."


def _order(parameters: dict[str, Any]) -> Iterator[Problem]:
    if {"order", "token_vectors"} <= parameters.keys():
        tokens = len(parameters["token_vectors"])
        if sorted(parameters["order"]) != list(range(tokens)):
            yield (
                ("order",),
                f"is {describe(parameters['order'])}; allowed: each of 0 to {tokens - 1} once, one place per token.",
            )


def _allowed_keys(parameters: dict[str, Any]) -> Iterator[Problem]:
    for place, key in enumerate(parameters.get("allowed_keys", [])):
        if key > len(parameters["key_vectors"]):
            yield (
                ("allowed_keys", place),
                f"is {key}; allowed: 1 to {len(parameters['key_vectors'])}, a place in key_vectors.",
            )


def _agreements(parameters: dict[str, Any]) -> Iterator[Problem]:
    for place, (d_k, agreeing) in enumerate(parameters.get("agreements", [])):
        if d_k < 1:
            yield ("agreements", place, 0), f"is {d_k}; allowed: a head width, at least 1."
        elif agreeing > d_k:
            yield (
                ("agreements", place, 1),
                f"is {agreeing}; allowed: from 0 to {d_k}, the signs that there are.",
            )


def _countable_widths(parameters: dict[str, Any]) -> Iterator[Problem]:
    if "enumerate_up_to" in parameters:
        for place, d_k in enumerate(parameters["head_widths"]):
            if d_k > COUNTABLE:
                yield ("head_widths", place), f"is {d_k}; allowed: 1 to {COUNTABLE}, where every score is counted."
