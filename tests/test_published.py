"""Ours beside what the sources printed."""

from pathlib import Path

import pandas as pd
import pytest
import yaml
from conftest import PROJECT

from build_published import at_precision_of, broken_lines, compare_with_sources
from rootdk.numbers import Number
from rootdk.tables import read_table, write_table
from rootdk.words import collect_numbers

PUBLISHED = read_table(PROJECT / "workflow" / "published" / "published.csv")
SETUP = yaml.safe_load((PROJECT / "workflow" / "published" / "setup.yaml").read_text(encoding="utf-8"))
CONFIG = yaml.safe_load((PROJECT / "config.yaml").read_text(encoding="utf-8"))["experiments"]


@pytest.fixture(scope="module")
def compared() -> pd.DataFrame:
    """Return the comparison for the committed tables."""
    paths = [path for path in (PROJECT / "data").glob("*.csv") if path.stem != "published"]
    return compare_with_sources(
        PUBLISHED, collect_numbers({path.stem: read_table(path) for path in paths}), CONFIG, SETUP
    )


@pytest.mark.parametrize("place", range(len(PUBLISHED)))
def test_every_published_line_comes_out(compared: pd.DataFrame, place: int) -> None:
    line = compared.iloc[place]
    if line["verdict"].startswith("not comparable"):
        pytest.skip(f"config.yaml is not as the sources ran it: {line['verdict']}")
    if line["expected"] == "same":
        assert line["ours"] == line["printed"]
        assert line["verdict"] == "same"
    else:
        assert line["verdict"] == "differs"
        assert line["printed"] in line["ours"].split(", ")


def test_three_lines_are_looser_than_their_own_numbers() -> None:
    assert (PUBLISHED["expected"] == "loose").sum() == 3
    assert len(PUBLISHED) == 135


def test_every_published_experiment_and_parameter_is_in_the_config() -> None:
    for experiment, parameters in SETUP.items():
        assert parameters.keys() <= CONFIG[experiment].keys()
    assert set(PUBLISHED["experiment"]) <= set(SETUP)


@pytest.mark.parametrize(
    ("printed", "value", "ours"),
    [
        ("0.351", 0.35149, "0.351"),
        ("16", 16.0, "16"),
        ("17.1", 17.0514, "17.1"),
        ("52%", 0.5213, "52%"),
        ("1.0000", 0.99996, "1.0000"),
        ("4.8e-04", 0.000478, "4.8e-04"),
        ("0.00e+00", 0.0, "0.00e+00"),
        ("-1.0", -1.0, "-1.0"),
        ("0.0", -0.0, "0.0"),
        ("0.6697615493266569", 0.6697615493266569, "0.6697615493266569"),
        ("True", 1.0, "True"),
        ("True", 0.0, "False"),
    ],
)
def test_ours_is_written_as_the_source_prints(printed: str, value: float, ours: str) -> None:
    assert at_precision_of(printed, value) == ours


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="'about 3' is not a printed number"):
        at_precision_of("about 3", 3.0)


def compare(value: float, expected: str, **setup: object) -> pd.DataFrame:
    line = PUBLISHED[PUBLISHED["experiment"] == "max_weight"].iloc[[0]].assign(expected=expected)
    numbers = {"max_weight.unscaled.d_k=4": Number("max_weight.unscaled.d_k=4", value)}
    return compare_with_sources(line, numbers, {"max_weight": {**SETUP["max_weight"], **setup}}, SETUP)


def test_a_difference_is_named_with_both_numbers() -> None:
    assert broken_lines(compare(0.5313, "same")) == [
        "published.csv, line 2: max_weight.unscaled.d_k=4: heatmaps-demo prints 52%, this build finds 53%; "
        "expected: same."
    ]


def test_a_loose_line_that_becomes_exact_is_named_too() -> None:
    assert "expected: loose" in broken_lines(compare(0.5213, "loose"))[0]


def test_another_setup_is_not_compared_and_not_broken() -> None:
    other = compare(0.99, "same", tokens=100)
    assert other["verdict"].tolist() == ["not comparable: experiments.max_weight.tokens is 100, the source has 8"]
    assert broken_lines(other) == []


def test_parameters_that_the_source_does_not_have_make_no_difference() -> None:
    assert compare(0.5213, "same", other_heads=7)["verdict"].tolist() == ["same"]


def test_every_mean_over_draws_lies_near_its_expectation(compared: pd.DataFrame) -> None:
    tested = compared[compared["z_score"].notna()]
    if not (compared["verdict"].isin(["same", "differs"])).all():
        pytest.skip("config.yaml is not as the sources ran it")
    assert len(tested) >= 47
    assert tested["z_score"].abs().max() < 4
    assert 0.4 < (tested["z_score"] ** 2).mean() < 1.8  # neither too far nor too near


def mean_far_from_its_expectation(std_error: float) -> pd.DataFrame:
    line = PUBLISHED[PUBLISHED["experiment"] == "max_weight"].iloc[[0]]
    numbers = {"max_weight.unscaled.d_k=4": Number("max_weight.unscaled.d_k=4", 0.5213, std_error)}
    return compare_with_sources(line, numbers, CONFIG, SETUP)


def test_a_mean_that_chance_would_not_give_is_named() -> None:
    assert broken_lines(mean_far_from_its_expectation(0.01)) == []
    assert broken_lines(mean_far_from_its_expectation(0.001)) == [
        "published.csv, line 2: max_weight.unscaled.d_k=4: this build's mean lies -5.9 standard errors from its "
        "expectation 0.527207; chance puts at most 4 between them."
    ]


def test_an_expectation_that_the_experiment_estimates_itself_brings_its_own_error() -> None:
    line = PUBLISHED[PUBLISHED["statistic"] == "score_std"].iloc[[-1]]
    name = "dimension_sweep.{}score_std.unscaled.d_k=1024"
    numbers = {
        name.format(""): Number(name.format(""), 31.89, 0.3),
        name.format("expected_"): Number(name.format("expected_"), 31.39, 0.4),
    }
    compared = compare_with_sources(line, numbers, CONFIG, SETUP)
    assert compared["expectation"].tolist() == [31.39]
    assert compared["z_score"].tolist() == pytest.approx([1.0])


def test_a_line_about_a_number_that_there_is_not_says_so() -> None:
    line = PUBLISHED.iloc[[0]].assign(statistic="nonsense")
    with pytest.raises(ValueError, match=r"no number called four_tokens\.nonsense"):
        compare_with_sources(line, {}, CONFIG, SETUP)


def test_the_committed_comparison_is_this_one(compared: pd.DataFrame, tmp_path: Path) -> None:
    write_table(compared, tmp_path / "published.csv", rounded=True)
    assert (tmp_path / "published.csv").read_bytes() == (PROJECT / "data" / "published.csv").read_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"expected": "sme"}, "line 2: expected is sme; allowed: same, loose"),
        ({"experiment": "nonsense"}, r"line 2: config\.yaml has no experiment nonsense"),
        ({"printed": "two"}, "line 2: 'two' is not a printed number"),
    ],
)
def test_a_mistake_in_what_the_sources_printed_is_named_with_its_line(change: dict[str, str], message: str) -> None:
    line = PUBLISHED[PUBLISHED["experiment"] == "max_weight"].iloc[[0]].assign(**change)
    numbers = {"max_weight.unscaled.d_k=4": Number("max_weight.unscaled.d_k=4", 0.5)}
    with pytest.raises(ValueError, match=message):
        compare_with_sources(line, numbers, CONFIG, SETUP)


def test_a_missing_column_is_named() -> None:
    with pytest.raises(ValueError, match="the column printed is missing"):
        compare_with_sources(PUBLISHED.drop(columns="printed"), {}, CONFIG, SETUP)
