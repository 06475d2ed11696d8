import copy
import datetime
import json
import shutil
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rootdk.config import assemble_schema, load_config
from rootdk.yaml_source import ConfigError

PROJECT = Path(__file__).parents[1]
SCRIPTS = PROJECT / "scripts"
SCHEMA = PROJECT / "workflow" / "schemas" / "config.schema.yaml"
SHIPPED = (PROJECT / "config.yaml").read_text(encoding="utf-8")
CONFIG = yaml.safe_load(SHIPPED)
VOCABULARY = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))

KNOWN_AT_TOP = "experiments, figures, editions, numbers"
FIGURE = next(iter(CONFIG["figures"]))

SEED = "a whole number from 0 to 9223372036854775807 (starts the stream of random numbers)"
TOKENS = "a whole number from 1 to 10000 (positions n in the sequence)"
WIDTH = "a whole number from 1 to 1048576 (a head width d_k)"
WIDTHS = "a list of 1 to 64 entries (head widths d_k, each once)"
DRAWS = (
    "a whole number from 2 to 10000000 "
    "(independent (Q, K) pairs per width; two are the least that have a standard error)"
)
VECTORS = "a list of 1 to 32 entries (one vector per token, all of the same length)"
SCALE = "a number above 0, at most 1000 (factor on every token vector)"
NAME = (
    "a text of 1 to 20 characters (a word: Latin, Greek or Cyrillic letters and digits, with hyphens, apostrophes and "
    "full stops inside)"
)
FORMATS = (
    "a list of 1 or more entries (file formats of every figure: svg, which the chapter shows, and any of pdf and png)"
)
FIGURE_WIDTH = "a number from 60 to 420 (width in millimetres of the printed page)"
RESOLUTION = "a whole number from 50 to 1200 (dots per inch of the PNG files)"


# edits of config.yaml


def find(lines, path):
    """Return the index of the line that sets a key, such as experiments.max_weight.tokens."""
    at = -1
    for depth, key in enumerate(path.split(".")):
        start = f"{'  ' * depth}{key}:"
        at = next(i for i in range(at + 1, len(lines)) if lines[i].startswith(start))
    return at


def block(lines, path):
    """Return the first line of a key's value, and the first line after it."""
    start = find(lines, path)
    deeper = "  " * path.count(".") + " "
    end = start + 1
    while end < len(lines) and (lines[end].startswith(deeper) or ("." not in path and not lines[end])):
        end += 1
    return start, end


def put(path, value, text=SHIPPED):
    """Return the text with another value for one key."""
    lines = text.splitlines()
    start, end = block(lines, path)
    lines[start:end] = [f"{'  ' * path.count('.')}{path.split('.')[-1]}: {value}"]
    return "\n".join(lines) + "\n"


def drop(path, text=SHIPPED):
    """Return the text without a key."""
    lines = text.splitlines()
    start, end = block(lines, path)
    return "\n".join(lines[:start] + lines[end:]) + "\n"


def add(path, entry, text=SHIPPED):
    """Return the text with one more entry below a key, or at the end of the file."""
    lines = text.splitlines()
    lines.insert(find(lines, path) + 1 if path else len(lines), entry)
    return "\n".join(lines) + "\n"


def line(text, path):
    """Return the number of the line that sets a key; places in a list may follow the key."""
    return find(text.splitlines(), path.split("[")[0]) + 1


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """Return a folder with those scripts that config.yaml has parameters for."""
    folder = tmp_path_factory.mktemp("scripts")
    for prefix, part in (("simulate_", "experiments"), ("draw_", "figures")):
        for name in CONFIG[part]:
            shutil.copy(SCRIPTS / f"{prefix}{name}.py", folder)
    return folder


@pytest.fixture(scope="module")
def rules(scripts):
    return assemble_schema(scripts, VOCABULARY)


@pytest.fixture
def load(tmp_path, scripts, rules, monkeypatch):
    """Return a function that loads a text as config.yaml, with texts or values that override it."""
    # Putting the schema together is most of the time, and it is the same for all.
    monkeypatch.setattr("rootdk.config.assemble_schema", lambda scripts, vocabulary: rules)
    schema = tmp_path / "schema.yaml"
    schema.touch()

    def load(text, *, over=(), overrides=None):
        paths = []
        for name, content in (("config.yaml", text), *over):
            paths.append(tmp_path / name)
            paths[-1].write_bytes(content if isinstance(content, bytes) else content.encode())
        return load_config(paths[0], scripts=scripts, schema=schema, files=paths[1:], overrides=overrides)

    return load


@pytest.fixture
def mistakes(tmp_path, load):
    """Return a function that does the same with a config that is refused, and returns the message's lines."""

    def mistakes(text, **more):
        with pytest.raises(ConfigError) as caught:
            load(text, **more)
        return str(caught.value).replace(f"{tmp_path}/", "").split("\n")

    return mistakes


def as_written(loaded):
    """Return a loaded config without what experiments take from each other, which no file may write there."""
    experiments = loaded["experiments"]
    own = {
        name: {key: value for key, value in parameters.items() if key not in experiments}
        for name, parameters in experiments.items()
    }
    return {**loaded, "experiments": own}


# what is valid


def test_the_shipped_config_is_valid_and_has_parameters_for_every_script():
    loaded = load_config(PROJECT / "config.yaml", scripts=SCRIPTS, schema=SCHEMA)
    assert as_written(loaded) == CONFIG


def test_the_ends_of_a_range_are_in_it(load):
    text = put("experiments.max_weight.tokens", 10000)
    text = put("experiments.max_weight.draws", 2, text)
    text = put("experiments.max_weight.seed", 0, text)
    text = put("experiments.max_weight.head_widths", "[1, 1048576]", text)
    assert load(text)["experiments"]["max_weight"] == {
        "seed": 0,
        "tokens": 10000,
        "head_widths": [1, 1048576],
        "draws": 2,
    }


@pytest.mark.parametrize(
    ("written", "value"), [("16.0", 16), ("1.0e+3", 1000), ("0x10", 16), ("1_000", 1000), ("+16", 16)]
)
def test_a_whole_number_may_be_spelled_otherwise_and_is_returned_as_an_integer(written, value, load):
    tokens = load(put("experiments.max_weight.tokens", written))["experiments"]["max_weight"]["tokens"]
    assert tokens == value
    assert type(tokens) is int


def test_whole_numbers_in_lists_are_returned_as_integers(load):
    text = put("experiments.max_weight.head_widths", "[4.0, 16]")
    text = put("experiments.worked_example.query", "[1.0, 0.5]", text)
    experiments = load(text)["experiments"]
    assert [type(width) for width in experiments["max_weight"]["head_widths"]] == [int, int]
    assert [type(entry) for entry in experiments["worked_example"]["query"]] == [int, float]


@pytest.mark.parametrize(
    "changed",
    [
        "\ufeff" + SHIPPED,
        SHIPPED.replace("\n", "\r\n"),
        SHIPPED.rstrip("\n"),
        "---\n" + SHIPPED + "...\n",
        json.dumps(CONFIG),
    ],
    ids=["byte order mark", "Windows line ends", "no last line end", "document marks", "JSON"],
)
def test_the_same_values_in_another_dress_are_valid(changed, load):
    assert load(changed) == load(SHIPPED)


# one wrong value

ONE_WRONG_VALUE = [
    ("experiments.max_weight.tokens", "0", f"is 0; allowed: {TOKENS}."),
    ("experiments.max_weight.tokens", "-5", f"is -5; allowed: {TOKENS}."),
    ("experiments.max_weight.tokens", "10001", f"is 10001; allowed: {TOKENS}."),
    ("experiments.max_weight.tokens", "8.5", f"is 8.5; allowed: {TOKENS}."),
    (
        "experiments.max_weight.tokens",
        "many",
        f"is the text 'many'; allowed: {TOKENS}, written out and without quotes.",
    ),
    ("experiments.max_weight.tokens", "'8'", f"is the text '8'; allowed: {TOKENS}, written out and without quotes."),
    ("experiments.max_weight.tokens", "1e3", f"is the text '1e3'; allowed: {TOKENS}, written out and without quotes."),
    ("experiments.max_weight.tokens", "true", f"is true; allowed: {TOKENS}."),
    ("experiments.max_weight.tokens", "no", f"is false; allowed: {TOKENS}."),
    ("experiments.max_weight.tokens", "", f"is empty; allowed: {TOKENS}."),
    ("experiments.max_weight.tokens", "null", f"is empty; allowed: {TOKENS}."),
    ("experiments.max_weight.tokens", "~", f"is empty; allowed: {TOKENS}."),
    ("experiments.max_weight.tokens", ".nan", f"is nan; allowed: {TOKENS}."),
    ("experiments.max_weight.tokens", ".inf", f"is inf; allowed: {TOKENS}."),
    ("experiments.max_weight.tokens", "-.inf", f"is -inf; allowed: {TOKENS}."),
    ("experiments.max_weight.tokens", "1.0e+999", f"is inf; allowed: {TOKENS}."),
    ("experiments.max_weight.tokens", "2026-01-31", f"is 2026-01-31; allowed: {TOKENS}."),
    ("experiments.max_weight.tokens", "[8]", f"is [8]; allowed: {TOKENS}."),
    ("experiments.max_weight.tokens", "[]", f"is []; allowed: {TOKENS}."),
    ("experiments.max_weight.tokens", "{n: 8}", f"is a mapping (n); allowed: {TOKENS}."),
    ("experiments.max_weight.tokens", "{}", f"is {{}}; allowed: {TOKENS}."),
    (
        "experiments.max_weight.tokens",
        "[1, yes, null, {a: b}]",
        f"is [1, true, null, {{a: b}}]; allowed: {TOKENS}.",
    ),
    ("experiments.max_weight.tokens", "0x" + "f" * 5000, f"is a number of more than 1000 digits; allowed: {TOKENS}."),
    ("experiments.max_weight.seed", "-1", f"is -1; allowed: {SEED}."),
    ("experiments.max_weight.seed", "9223372036854775808", f"is 9223372036854775808; allowed: {SEED}."),
    ("experiments.max_weight.seed", "0.5", f"is 0.5; allowed: {SEED}."),
    ("experiments.max_weight.seed", "true", f"is true; allowed: {SEED}."),
    ("experiments.max_weight.draws", "1", f"is 1; allowed: {DRAWS}."),
    ("experiments.max_weight.head_widths", "[]", f"is []; allowed: {WIDTHS}."),
    ("experiments.max_weight.head_widths", "4", f"is 4; allowed: {WIDTHS}."),
    ("experiments.max_weight.head_widths", "{d_k: 4}", f"is a mapping (d_k); allowed: {WIDTHS}."),
    ("experiments.max_weight.head_widths[1]", "[0]", f"is 0; allowed: {WIDTH}."),
    ("experiments.max_weight.head_widths[3]", "[4, 16, 1048577]", f"is 1048577; allowed: {WIDTH}."),
    ("experiments.max_weight.head_widths[2]", "[4, true]", f"is true; allowed: {WIDTH}."),
    ("experiments.max_weight.head_widths[2]", "[1, true]", f"is true; allowed: {WIDTH}."),
    ("experiments.max_weight.head_widths[2]", "[4, null]", f"is empty; allowed: {WIDTH}."),
    ("experiments.max_weight.head_widths[2]", "[4, .nan]", f"is nan; allowed: {WIDTH}."),
    ("experiments.max_weight.head_widths[2]", "[4, [16]]", f"is [16]; allowed: {WIDTH}."),
    ("experiments.max_weight.head_widths", "[4, 16, 4]", "holds 4 twice; allowed: each entry once."),
    ("experiments.max_weight.head_widths", "[16, 16.0]", "holds 16.0 twice; allowed: each entry once."),
    ("experiments.permutation.embedding_scale", "0", f"is 0; allowed: {SCALE}."),
    ("experiments.permutation.embedding_scale", "1000.5", f"is 1000.5; allowed: {SCALE}."),
    ("experiments.permutation.embedding_scale", ".nan", f"is nan; allowed: {SCALE}."),
    ("experiments.permutation.token_vectors", "5", f"is 5; allowed: {VECTORS}."),
    ("experiments.permutation.order", "[0, 1, 0]", "holds 0 twice; allowed: each entry once."),
    ("experiments.four_tokens.query_token", "two words", f"is the text 'two words'; allowed: {NAME}."),
    ("experiments.four_tokens.query_token", "a,b", f"is the text 'a,b'; allowed: {NAME}."),
    ("experiments.four_tokens.query_token", "d_k=4", f"is the text 'd_k=4'; allowed: {NAME}."),
    ("experiments.four_tokens.query_token", "''", f"is the text ''; allowed: {NAME}."),
    ("experiments.four_tokens.query_token", r'"hungry\n"', rf"is the text 'hungry\n'; allowed: {NAME}."),
    ("experiments.four_tokens.query_token", r'"\0"', rf"is the text '\x00'; allowed: {NAME}."),
    ("experiments.four_tokens.query_token", "x" * 21, f"is the text '{'x' * 21}'; allowed: {NAME}."),
    ("experiments.four_tokens.query_token", "x" * 99, f"is the text '{'x' * 59}…'; allowed: {NAME}."),
    ("experiments.four_tokens.query_token", "no", f"is false; allowed: {NAME}, in quotes."),
    ("experiments.four_tokens.query_token", "5", f"is 5; allowed: {NAME}, in quotes."),
    ("experiments.four_tokens.query_token", "[hungry]", f"is [hungry]; allowed: {NAME}."),
    (
        "experiments.four_tokens.query[4]",
        "[1, 2, 3, 1001]",
        "is 1001; allowed: a number from -1000 to 1000.",
    ),
    (
        "experiments.six_tokens.partners[1]",
        "[[t0, t3, t1]]",
        "is [t0, t3, t1]; allowed: a list of 2 entries (two token names).",
    ),
    ("editions.web.resolution", "49", f"is 49; allowed: {RESOLUTION}."),
    (
        "editions.web.formats",
        "[]",
        f"is []; allowed: {FORMATS}.",
    ),
    ("editions.web.formats[2]", "[svg, gif]", "is the text 'gif'; allowed: one of pdf, svg, png."),
    ("editions.web.formats", "[svg, svg]", "holds the text 'svg' twice; allowed: each entry once."),
]


@pytest.mark.parametrize(("path", "value", "problem"), ONE_WRONG_VALUE)
def test_a_wrong_value_is_named_with_file_line_path_value_and_what_is_allowed(path, value, problem, mistakes):
    text = put(path.split("[")[0], value)
    assert mistakes(text) == [f"config.yaml, line {line(text, path)}: {path} {problem}"]


@pytest.mark.parametrize("value", ["59.5", "421", ".nan", ".inf"])
def test_a_wrong_size_of_a_figure_is_named_so_as_well(value, mistakes):
    options = {**CONFIG["figures"][FIGURE], "width": "WIDTH"}
    text = put(f"figures.{FIGURE}", json.dumps(options).replace('"WIDTH"', value))
    at, path = line(text, f"figures.{FIGURE}"), f"figures.{FIGURE}.width"
    shown = value.removeprefix(".")
    assert mistakes(text) == [f"config.yaml, line {at}: {path} is {shown}; allowed: {FIGURE_WIDTH}."]


@pytest.mark.parametrize("value", ["5", "text", "[]", "[a, b]", "true", ""])
@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ("experiments", sorted(CONFIG["experiments"])),
        ("experiments.max_weight", ["seed", "tokens", "head_widths", "draws"]),
        ("figures", sorted(CONFIG["figures"])),
        ("editions", ["web"]),
        ("editions.web", ["formats", "resolution"]),
    ],
)
def test_another_value_where_a_mapping_belongs_is_refused(path, keys, value, mistakes):
    text = put(path, value)
    (message,) = mistakes(text)
    assert message.startswith(f"config.yaml, line {line(text, path)}: {path} is ")
    assert message.endswith(f"; allowed: a mapping with the keys {', '.join(keys)}.")


def test_all_mistakes_are_named_at_once(mistakes):
    text = put("experiments.max_weight.tokens", 0, put("experiments.score_std.draws", 0))
    assert mistakes(text) == [
        f"config.yaml, line {line(text, 'experiments.max_weight.tokens')}: "
        f"experiments.max_weight.tokens is 0; allowed: {TOKENS}.",
        f"config.yaml, line {line(text, 'experiments.score_std.draws')}: "
        f"experiments.score_std.draws is 0; allowed: {DRAWS}.",
    ]


def test_one_and_true_are_two_values(mistakes):
    text = put("experiments.max_weight.head_widths", "[1, true, 4, 4]")
    at, path = line(text, "experiments.max_weight.head_widths"), "experiments.max_weight.head_widths"
    assert mistakes(text) == [
        f"config.yaml, line {at}: {path} holds 4 twice; allowed: each entry once.",
        f"config.yaml, line {at}: {path}[2] is true; allowed: {WIDTH}.",
    ]


def test_an_entry_on_a_line_of_its_own_is_named_with_that_line(mistakes):
    text = put("experiments.permutation.token_vectors", "\n" + "".join(f"      - [{x}, 0]\n" for x in (1, 2, "x", 4)))
    at = line(text, "experiments.permutation.token_vectors") + 3
    allowed = "a number from -1000 to 1000, written out and without quotes."
    assert mistakes(text) == [
        f"config.yaml, line {at}: experiments.permutation.token_vectors[3][1] is the text 'x'; allowed: {allowed}"
    ]


def test_a_wrong_value_behind_an_alias_is_named_wherever_it_is_used(mistakes):
    text = put(
        "experiments.permutation.embedding_scale", "*mine", put("experiments.six_tokens.embedding_scale", "&mine 0")
    )
    text = put("experiments.logit_asymmetry.embedding_scale", "*mine", text)
    paths = [f"experiments.{name}.embedding_scale" for name in ("logit_asymmetry", "permutation", "six_tokens")]
    assert mistakes(text) == [f"config.yaml, line {line(text, path)}: {path} is 0; allowed: {SCALE}." for path in paths]


# keys that are unknown, missing, or there twice


@pytest.mark.parametrize(
    ("parent", "key", "nearest", "known"),
    [
        ("", "experimints", "experiments", KNOWN_AT_TOP),
        ("", "figure", "figures", KNOWN_AT_TOP),
        ("experiments", "max_wieght", "max_weight", ", ".join(sorted(CONFIG["experiments"]))),
        ("experiments.max_weight", "head_width", "head_widths", "seed, tokens, head_widths, draws"),
        ("experiments.max_weight", "sede", "seed", "seed, tokens, head_widths, draws"),
        ("figures", f"{FIGURE}s", FIGURE, ", ".join(sorted(CONFIG["figures"]))),
        ("editions", "wed", "web", "web"),
        ("editions.web", "format", "formats", "formats, resolution"),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_known_one(parent, key, nearest, known, mistakes):
    path = f"{parent}.{key}".lstrip(".")
    text = add(parent, f"{'  ' * path.count('.')}{key}: 5")
    assert mistakes(text) == [
        f"config.yaml, line {line(text, path)}: {path} is not a known key; "
        f"the nearest known key is {nearest}; allowed here: {known}."
    ]


def test_an_unknown_option_of_a_figure_is_named(mistakes):
    options = {**CONFIG["figures"][FIGURE], "hieght": 5}
    text = put(f"figures.{FIGURE}", json.dumps(options))
    (message,) = mistakes(text)
    at = line(text, f"figures.{FIGURE}")
    assert message.startswith(
        f"config.yaml, line {at}: figures.{FIGURE}.hieght is not a known key; the nearest known key is height; allowed "
    )


@pytest.mark.parametrize(
    ("key", "shown"), [("''", "''"), (r'"a\nb"', r"'a\nb'"), ('"a b"', "a b"), ("'*'", "*"), ("ключ", "ключ")]
)
def test_a_strange_unknown_key_is_named_on_one_line(key, shown, mistakes):
    (message,) = mistakes(add("experiments.max_weight", f"    {key}: 5"))
    assert f": experiments.max_weight.{shown} is not a known key; " in message


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("experiments.max_weight.seed", SEED),
        ("experiments.max_weight.tokens", TOKENS),
        ("experiments.max_weight.head_widths", WIDTHS),
        ("experiments.four_tokens.query_token", "a text of 1 to 20 characters (the token whose query is asked; "),
        ("experiments.four_tokens.query", "a list of 1 to 64 entries (the query's components, as many as a key has)"),
        ("experiments.four_tokens.key_vectors", VECTORS),
        ("experiments.worked_example.value_vectors", VECTORS),
        ("experiments.permutation.token_vectors", VECTORS),
        ("experiments.permutation.embedding_scale", SCALE),
        ("experiments.max_weight", "a mapping with the keys seed, tokens, head_widths, draws."),
        (f"figures.{FIGURE}", "a mapping with the keys width, height"),
        (
            "editions.web.formats",
            FORMATS,
        ),
        ("editions.web.resolution", RESOLUTION),
    ],
)
def test_a_missing_key_is_named_with_what_it_should_be(path, allowed, mistakes):
    text = drop(path)
    (message,) = mistakes(text)
    at = line(text, path.rpartition(".")[0])
    assert message.startswith(f"config.yaml, line {at}: {path} is missing; it should be {allowed}")


def test_a_missing_part_is_named(mistakes):
    kept = {key: value for key, value in CONFIG.items() if key != "editions"}
    assert mistakes(json.dumps(kept)) == ["config.yaml: editions is missing; it should be a mapping with the keys web."]


@pytest.mark.parametrize("path", ["experiments.max_weight.tokens", "experiments.max_weight", "editions"])
def test_a_key_that_stands_twice_is_refused_even_with_the_same_value(path, mistakes):
    lines = SHIPPED.splitlines()
    start, end = block(lines, path)
    text = "\n".join(lines[:end] + lines[start:end] + lines[end:])
    assert mistakes(text) == [f"config.yaml, line {end + 1}: {path} stands twice, first on line {start + 1}; keep one."]


# overrides


def test_an_override_replaces_what_it_names_and_nothing_else(load):
    changed = load(SHIPPED, over=[("mine.yaml", "experiments: {max_weight: {tokens: 100, head_widths: [4]}}")])
    expected = copy.deepcopy(CONFIG)
    expected["experiments"]["max_weight"] |= {"tokens": 100, "head_widths": [4]}
    assert as_written(changed) == expected


def test_later_files_override_earlier_ones_and_the_command_line_all(load):
    over = [
        ("first.yaml", "experiments: {max_weight: {tokens: 2, draws: 3, seed: 4}}"),
        ("second.yaml", "experiments: {max_weight: {tokens: 5, draws: 6}}"),
    ]
    overrides = {"experiments": {"max_weight": {"tokens": 7}}}
    loaded = load(SHIPPED, over=over, overrides=overrides)["experiments"]["max_weight"]
    assert (loaded["tokens"], loaded["draws"], loaded["seed"]) == (7, 6, 4)
    assert overrides == {"experiments": {"max_weight": {"tokens": 7}}}


def test_an_override_may_put_a_wrong_value_right(load):
    wrong = put("experiments.max_weight.tokens", 0)
    loaded = load(wrong, overrides={"experiments": {"max_weight": {"tokens": 9}}})
    assert loaded["experiments"]["max_weight"]["tokens"] == 9


def test_a_mistake_is_named_with_the_file_that_made_it(mistakes):
    over = [
        ("first.yaml", "experiments:\n  max_weight:\n    tokens: 0\n"),
        ("second.yaml", "\nexperiments:\n  max_weight:\n    draws: 1\n"),
    ]
    assert mistakes(SHIPPED, over=over) == [
        f"second.yaml, line 4: experiments.max_weight.draws is 1; allowed: {DRAWS}.",
        f"first.yaml, line 3: experiments.max_weight.tokens is 0; allowed: {TOKENS}.",
    ]


def test_a_mistake_made_twice_is_named_with_the_file_that_had_the_last_word(mistakes):
    over = [(f"{name}.yaml", "experiments: {max_weight: {tokens: 0}}") for name in ("first", "second")]
    assert mistakes(put("experiments.max_weight.tokens", 0), over=over) == [
        f"second.yaml, line 1: experiments.max_weight.tokens is 0; allowed: {TOKENS}."
    ]


def test_a_mistake_of_config_yaml_is_named_with_it_whatever_else_is_overridden(mistakes):
    text = put("experiments.max_weight.tokens", 0)
    over = [("mine.yaml", "experiments: {max_weight: {draws: 9}}")]
    at = line(text, "experiments.max_weight.tokens")
    assert mistakes(text, over=over, overrides={"experiments": {"max_weight": {"seed": 1}}}) == [
        f"config.yaml, line {at}: experiments.max_weight.tokens is 0; allowed: {TOKENS}."
    ]


def test_a_missing_key_is_named_with_config_yaml_whatever_else_is_overridden(mistakes):
    text = drop("experiments.max_weight.tokens")
    at = line(text, "experiments.max_weight")
    assert mistakes(text, over=[("mine.yaml", "experiments: {max_weight: {draws: 9}}")]) == [
        f"config.yaml, line {at}: experiments.max_weight.tokens is missing; it should be {TOKENS}."
    ]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"experiments": {"max_weight": {"tokens": 0}}}, f"experiments.max_weight.tokens is 0; allowed: {TOKENS}."),
        (
            {"experiments": {"max_weight": {"tokens": float("nan")}}},
            f"experiments.max_weight.tokens is nan; allowed: {TOKENS}.",
        ),
        (
            {"experiments": {"max_weight": {"head_widths": [4, 0]}}},
            f"experiments.max_weight.head_widths[2] is 0; allowed: {WIDTH}.",
        ),
        (
            {"tokens": 100},
            f"tokens is not a known key; the nearest known key is editions; allowed here: {KNOWN_AT_TOP}.",
        ),
        ({"editions": 5}, "editions is 5; allowed: a mapping with the keys web."),
        ({5: 5}, "the key 5 is not text; keys are names."),
        ({"experiments": {"max_weight": {None: 5}}}, "the key None is not text; keys are names."),
        ({"experiments": [{True: 5}]}, "the key True is not text; keys are names."),
    ],
)
def test_a_mistake_on_the_command_line_is_named_with_it(overrides, message, mistakes):
    assert mistakes(SHIPPED, overrides=overrides) == [f"--config: {message}"]


def test_an_override_file_is_read_as_strictly_as_config_yaml(mistakes):
    assert mistakes(SHIPPED, over=[("mine.yaml", "experiments: {}\nexperiments: {}\n")]) == [
        "mine.yaml, line 2: experiments stands twice, first on line 1; keep one."
    ]


# relations between parameters

RELATIONS = [
    (
        {"permutation.token_vectors": "[[1, 0], [0, 1], [1], [1, 1], [0, 0], [2, 2]]"},
        "permutation.token_vectors[3] is [1], of length 1; allowed: 2 components, as many as token_vectors[1] has.",
    ),
    (
        {"worked_example.key_vectors": "[[1, 0], [1, 2, 3]]"},
        "worked_example.key_vectors[2] is [1, 2, 3], of length 3; "
        "allowed: 2 components, as many as key_vectors[1] has.",
    ),
    (
        {"worked_example.value_vectors": "[[1], [2, 3]]"},
        "worked_example.value_vectors[2] is [2, 3], of length 2; "
        "allowed: 1 components, as many as value_vectors[1] has.",
    ),
    (
        {"four_tokens.query": "[1, 2, 3]"},
        "four_tokens.query is [1, 2, 3], of length 3; allowed: 4 components, as many as a key has.",
    ),
    (
        {"four_tokens.token_names": "[the, cat, hungry]"},
        "four_tokens.token_names is of length 3; allowed: 4, as many as key_vectors has.",
    ),
    (
        {"worked_example.value_vectors": "[[1, 0]]"},
        "worked_example.value_vectors is of length 1; allowed: 2, as many as key_vectors has.",
    ),
    (
        {"four_tokens.query_token": "thirsty"},
        "four_tokens.query_token is the text 'thirsty'; allowed: one of the, cat, was, hungry.",
    ),
    (
        {"six_tokens.partners": "[[t0, t3], [t1, t4]]"},
        "six_tokens.partners leaves out t2, t5; allowed: each token in one pair.",
    ),
    (
        {"six_tokens.partners": "[[t0, t3], [t1, t4], [t2, t5], [t0, t0]]"},
        "six_tokens.partners[4][1] is the text 't0' a second time; allowed: each token once.",
        "six_tokens.partners[4][2] is the text 't0' a second time; allowed: each token once.",
    ),
    (
        {"six_tokens.partners": "[[t0, t3], [t1, t4], [t2, t9]]"},
        "six_tokens.partners[3][2] is the text 't9'; allowed: one of t0, t1, t2, t3, t4, t5.",
        "six_tokens.partners leaves out t5; allowed: each token in one pair.",
    ),
    (
        {"permutation.order": "[0, 1, 2, 3, 4]"},
        "permutation.order is [0, 1, 2, 3, 4]; allowed: each of 0 to 5 once, one place per token.",
    ),
    (
        {"permutation.order": "[1, 2, 3, 4, 5, 6]"},
        "permutation.order is [1, 2, 3, 4, 5, 6]; allowed: each of 0 to 5 once, one place per token.",
    ),
    (
        {"worked_example.allowed_keys": "[1, 3]"},
        "worked_example.allowed_keys[2] is 3; allowed: 1 to 2, a place in key_vectors.",
    ),
    (
        {"sign_scores.agreements": "[[4, 3], [4, 5]]"},
        "sign_scores.agreements[2][2] is 5; allowed: from 0 to 4, the signs that there are.",
    ),
    (
        {"sign_scores.agreements": "[[0, 0]]"},
        "sign_scores.agreements[1][1] is 0; allowed: a head width, at least 1.",
    ),
]


@pytest.mark.parametrize(("edits", "problems"), [(edits, problems) for edits, *problems in RELATIONS])
def test_a_relation_that_does_not_hold_is_named(edits, problems, mistakes):
    text = SHIPPED
    for path, value in edits.items():
        text = put(f"experiments.{path}", value, text)
    assert mistakes(text) == [
        f"config.yaml, line {line(text, f'experiments.{problem.split()[0]}')}: experiments.{problem}"
        for problem in problems
    ]


def test_more_names_than_vectors_are_named(mistakes):
    text = put("experiments.six_tokens.token_names", "[t0, t1, t2, t3, t4, t5, t6]")
    first, second = mistakes(text)
    assert first.endswith(
        ": experiments.six_tokens.token_names is of length 7; allowed: 6, as many as token_vectors has."
    )
    assert second.endswith(": experiments.six_tokens.partners leaves out t6; allowed: each token in one pair.")


# files that are no config


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n# comments\n", "---\n", "null\n", "~", "--- # nothing\n...\n"])
def test_an_empty_file_is_refused(text, mistakes):
    assert mistakes(text) == ["config.yaml is empty; it should hold the keys experiments, figures and editions."]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("- experiments\n- figures\n", "[experiments, figures]"),
        ("[]", "[]"),
        ("just text", "the text 'just text'"),
        ("5", "5"),
        ("true", "true"),
    ],
)
def test_a_file_without_a_mapping_at_its_top_is_refused(text, shown, mistakes):
    assert mistakes(text) == [
        f"config.yaml holds {shown} at its top; it should hold the keys experiments, figures and editions."
    ]


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("a: 1\nb: c: d\n", "line 2, column 5", "mapping values are not allowed here"),
        ("a: [1, 2\n", "line 2, column 1", "expected ',' or ']', but got '<stream end>'"),
        ("a:\n   b: 1\n  c: 2\n", "line 3, column 3", "expected <block end>, but found '<block mapping start>'"),
        ("a: 'open\n", "line 2, column 1", "found unexpected end of stream"),
        ("a: *nothing\n", "line 1, column 4", "found undefined alias 'nothing'"),
        ("a: %5\n", "line 1, column 4", "found character '%' that cannot start any token"),
        (
            "a: 1\n---\nb: 2\n",
            "line 2, column 1",
            "expected a single document in the stream, but found another document",
        ),
    ],
)
def test_a_file_that_is_no_yaml_is_refused_with_its_place(text, place, problem, mistakes):
    assert mistakes(text) == [
        f"config.yaml, {place}: not YAML: {problem}; check indentation, brackets and quotes here and on the line above."
    ]


UNREADABLE = "which cannot be read; put quotes around it if it is text."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a:\n\tb: 1\n", ", line 2: a tab stands where YAML wants spaces."),
        ("a:\n  b: 1\n\tc: 1\n", ", line 3: a tab stands where YAML wants spaces."),
        ("a:\tb\n", ", line 1: a tab stands where YAML wants spaces."),
        ("a: 1\nb: \0\n", ", line 2: holds the character U+0000, which YAML does not allow."),
        ("a: 1\n\nb: \x1b[0m\n", ", line 3: holds the character U+001B, which YAML does not allow."),
        (b"a: \xff\n", " is not UTF-8 text (byte 3); save it as UTF-8."),
        ("a: ü".encode("latin-1"), " is not UTF-8 text (byte 3); save it as UTF-8."),
        (SHIPPED.encode("utf-16"), " is not UTF-8 text (byte 0); save it as UTF-8."),
        ("1: a\n", ", line 1: the key 1 is not text; keys are names."),
        ("a: 1\nyes: a\n", ", line 2: the key yes is not text; keys are names."),
        ("a: {null: 1}\n", ", line 1: the key null is not text; keys are names."),
        ("? \n: 1\n", ", line 1: the key empty is not text; keys are names."),
        ("2026-01-31: 1\n", ", line 1: the key 2026-01-31 is not text; keys are names."),
        ("? [a, b]\n: 1\n", ", line 1: a key is a list or mapping; keys are names."),
        ("{a: b}: 1\n", ", line 1: a key is a list or mapping; keys are names."),
        ("a: &a {b: 1}\nc:\n  <<: *a\n", ", line 3: << is not supported; write the keys out."),
        ("a: &me [1, *me]\n", ", line 1: an alias stands inside what it names."),
        ("a: &me {b: {c: *me}}\n", ", line 1: an alias stands inside what it names."),
        ("a:\n  b: 2026-13-45\n", f", line 2: a.b is 2026-13-45, {UNREADABLE}"),
        ("2026-13-45: 1\n", f", line 1: a key is 2026-13-45, {UNREADABLE}"),
        ("a: =\n", f", line 1: a is =, {UNREADABLE}"),
        ("a: !mine 5\n", f", line 1: a is !mine 5, {UNREADABLE}"),
        ("a: !!bool maybe\n", f", line 1: a is maybe, {UNREADABLE}"),
        ("a: !!int ''\n", f", line 1: a is '', {UNREADABLE}"),
        ("a: !!timestamp now\n", f", line 1: a is now, {UNREADABLE}"),
        (f"a: {'9' * 5000}\n", f", line 1: a is {'9' * 59}…, {UNREADABLE}"),
        ("a: !!set {b}\n", ", line 1: a has the tag tag:yaml.org,2002:set; leave it out."),
        ("a: [!mine [5]]\n", ", line 1: a[1] has the tag !mine; leave it out."),
        (f"a: {'[' * 100}{']' * 100}\n", ", line 1: nested too deeply."),
        (f"a: {'[' * 1000}{']' * 1000}\n", " is nested too deeply."),
    ],
)
def test_what_is_no_yaml_of_ours_is_refused_with_its_place(text, message, mistakes):
    assert mistakes(text) == [f"config.yaml{message}"]


@pytest.mark.parametrize("overriding", [False, True])
@pytest.mark.parametrize(
    ("name", "message"), [("nothing.yaml", "does not exist."), ("folder", "cannot be read: Is a directory.")]
)
def test_a_file_that_cannot_be_read_is_named(name, message, overriding, tmp_path, scripts):
    (tmp_path / "folder").mkdir()
    first, files = (PROJECT / "config.yaml", [tmp_path / name]) if overriding else (tmp_path / name, [])
    with pytest.raises(ConfigError) as caught:
        load_config(first, scripts=scripts, schema=SCHEMA, files=files)
    assert str(caught.value) == f"{tmp_path / name} {message}"


# the scripts' parameters


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "simulate_new",
            "def simulate_new(*, tokens, depth): pass",
            r"simulate_new\.py: simulate_new\(\) takes depth, which \$defs\.parameters of .* does not describe; add ",
        ),
        (
            "draw_new",
            "def draw_new(figure, *, style, shade): pass",
            r"draw_new\.py: draw_new\(\) takes shade, which \$defs\.options of .* does not describe; add ",
        ),
        ("simulate_new", "def other(): pass", r"simulate_new\.py does not define a function simulate_new\(\)\."),
        ("draw_new", "def draw_new(:", r"draw_new\.py, line 1: not Python: "),
    ],
)
def test_a_script_that_the_schema_cannot_describe_is_refused(name, text, message, tmp_path):
    (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        assemble_schema(tmp_path, VOCABULARY)


def test_the_known_keys_are_the_parameters_of_the_scripts(tmp_path):
    for name, parameters in {
        "simulate_drawn": "rng, *, tokens, draws",
        "simulate_counted": "*, keys",
        "draw_both": "figure, *, drawn, counted_summary, style, bins",
    }.items():
        (tmp_path / f"{name}.py").write_text(f"def {name}({parameters}): pass", encoding="utf-8")
    parts = assemble_schema(tmp_path, VOCABULARY)["properties"]
    known = {
        part: {name: rule["required"] for name, rule in parts[part]["properties"].items()}
        for part in ("experiments", "figures", "editions")
    }
    assert known == {
        "experiments": {"drawn": ["seed", "tokens", "draws"], "counted": ["keys"]},
        "figures": {"both": ["width", "height", "bins"]},
        "editions": {"web": ["formats", "resolution"]},
    }


# anything else

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.dates()
    | st.datetimes(timezones=st.none() | st.just(datetime.UTC))
    | st.binary(max_size=4)
)
KEYS = st.sampled_from(["seed", "tokens", "max_weight", "web"]) | st.text(max_size=4) | st.integers() | st.none()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=8
)


def places(value, path=()):
    """Yield the path of everything in a config."""
    if path:
        yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield from places(entry, (*path, key))


PLACES = list(places(CONFIG))


def messages(load, text, **more):
    """Return the lines of the error; without one, check that the same values load again."""
    try:
        loaded = load(text, **more)
    except ConfigError as error:
        return str(error).split("\n")
    assert load(yaml.safe_dump(as_written(loaded))) == loaded
    return []


ONE_FOLDER_FOR_ALL = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


@ONE_FOLDER_FOR_ALL
@given(st.sampled_from(PLACES), st.none() | KEYS, VALUES)
def test_any_value_at_any_place_gives_a_valid_config_or_a_message(load, tmp_path, place, new_key, value):
    changed = copy.deepcopy(CONFIG)
    *parents, last = place
    holder = changed
    for step in parents:
        holder = holder[step]
    if new_key is not None and isinstance(holder, dict):
        last = new_key
    holder[last] = value
    lines = messages(load, yaml.safe_dump(changed, allow_unicode=True))
    assert all(row.startswith(str(tmp_path / "config.yaml")) for row in lines)


# fmt: off
SNIPPETS = st.sampled_from([
    "*six_scale", "&a ", "*a", "!!int ", "!!bool ", "!!binary ", "!x ", "<<: ", "[", "]", "{", "}", ":", ": ", "? ",
    "- ", "|", ">", "%", "@", "'", '"', "=", "~", "#", ", ", "-", "0", "\t", "\n", "\0", "\\", "\ud7ff", "\ufeff",
    "---\n", "...\n", "seed: 1\n", "1e9", ".nan", "-.inf", "0x", "0b_", "12:60", "2026-13-01", "9" * 5000,
])
# fmt: on


@ONE_FOLDER_FOR_ALL
@given(st.data())
def test_any_slip_of_the_pen_gives_a_valid_config_or_a_message(load, tmp_path, data):
    text = SHIPPED
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 12)))
        text = text[:start] + data.draw(SNIPPETS) + text[end:]
    assert all(row.startswith(str(tmp_path / "config.yaml")) for row in messages(load, text))


@ONE_FOLDER_FOR_ALL
@given(
    st.dictionaries(KEYS, VALUES, min_size=1, max_size=3),
    st.sampled_from([(), ("experiments",), ("experiments", "max_weight")]),
)
def test_any_override_gives_a_valid_config_or_a_message(load, values, below):
    for key in reversed(below):
        values = {key: values}
    assert all(row.startswith("--config: ") for row in messages(load, SHIPPED, overrides=values))


def test_a_key_one_level_too_high_is_sent_where_it_belongs(mistakes):
    text = SHIPPED + "\nmax_weight: {tokens: 8}\n"
    assert mistakes(text) == [
        f"config.yaml, line {len(SHIPPED.splitlines()) + 2}: max_weight is not a known key; "
        f"it belongs under experiments or figures; allowed here: {KNOWN_AT_TOP}."
    ]


@pytest.mark.parametrize("written", ["0100", "1:30", "-010"])
def test_a_number_that_yaml_reads_as_another_one_is_refused(written, mistakes):
    text = put("experiments.max_weight.tokens", written)
    assert mistakes(text) == [
        f"config.yaml, line {line(text, 'experiments.max_weight.tokens')}: experiments.max_weight.tokens is {written}, "
        "which YAML reads as another number; write it in plain decimal, without zeros before it or colons in it."
    ]


def test_an_edition_without_the_format_that_the_chapter_shows_is_refused(mistakes):
    (message,) = mistakes(put("editions.web.formats", "[png, pdf]"))
    assert "editions.web.formats is [png, pdf]; allowed: " in message
    assert "svg, which the chapter shows" in message


@pytest.mark.parametrize("name", ["猫", "नमस्ते", "a|b", "$x$", "a_b", "-a", "a-"])
def test_a_token_name_that_figures_cannot_show_is_refused(name, mistakes):
    assert "four_tokens.query_token is the text" in mistakes(put("experiments.four_tokens.query_token", f"'{name}'"))[0]


@pytest.mark.parametrize("name", ["cat", "Straße", "λόγος", "слово", "don't", "t0", "x.y-z"])
def test_words_of_three_alphabets_are_token_names(name, load):
    text = put("experiments.four_tokens.token_names", f'[the, cat, was, "{name}"]'.replace("cat, was", "dog, was"))
    text = put("experiments.four_tokens.query_token", f'"{name}"', text)
    assert load(text)["experiments"]["four_tokens"]["query_token"] == name


def test_sign_widths_that_cannot_be_counted_are_refused(mistakes):
    (message,) = mistakes(put("experiments.sign_scores.head_widths", "[4, 5000]"))
    assert "experiments.sign_scores.head_widths[2] is 5000; allowed: 1 to 4096" in message


# digits


def with_numbers(text):
    return put("numbers", "\n" + text.rstrip("\n"))


def test_the_digits_of_numbers_may_be_left_to_their_errors(load):
    assert load(drop("numbers"))["numbers"] == {}


def test_digits_are_asked_for_by_the_beginning_of_a_name(load):
    text = with_numbers("  digits: {max_weight: 2, max_weight.unscaled.d_k=64: 4.0}")
    assert load(text)["numbers"] == {"digits": {"max_weight": 2, "max_weight.unscaled.d_k=64": 4}}


DIGITS = "a whole number from 1 to 15 (significant digits)"
WITHOUT_ERROR = "a whole number from 1 to 15 (significant digits of a number that is exact or has no standard error)"


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("  without_error: 0", 1, f"numbers.without_error is 0; allowed: {WITHOUT_ERROR}."),
        ("  without_error: 16", 1, f"numbers.without_error is 16; allowed: {WITHOUT_ERROR}."),
        ("  without_error: 2.5", 1, f"numbers.without_error is 2.5; allowed: {WITHOUT_ERROR}."),
        (
            "  digits: 3",
            1,
            "numbers.digits is 3; allowed: a mapping (significant digits by the name of an experiment or of a number, "
            "or by its beginning).",
        ),
        ("  digits:\n    max_weight: 0", 2, f"numbers.digits.max_weight is 0; allowed: {DIGITS}."),
        ("  digits:\n    max_weight: two", 2, f"numbers.digits.max_weight is the text 'two'; allowed: {DIGITS}, "),
        (
            "  digits:\n    max_weight.unscaled: true",
            2,
            f"numbers.digits.max_weight.unscaled is true; allowed: {DIGITS}.",
        ),
        (
            "  digits:\n    max_wieght.unscaled: 2",
            2,
            "numbers.digits.max_wieght.unscaled begins with no experiment; the nearest name is max_weight.unscaled.",
        ),
        (
            "  digit: {}",
            1,
            "numbers.digit is not a known key; the nearest known key is digits; allowed here: without_error, digits.",
        ),
    ],
)
def test_a_mistake_in_the_digits_is_named_with_its_line(text, at, message, mistakes):
    text = with_numbers(text)
    (found,) = mistakes(text)
    assert found.startswith(f"config.yaml, line {line(text, 'numbers') + at}: {message}")
