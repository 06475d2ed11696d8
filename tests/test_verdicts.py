"""Comparisons that know what chance can do."""

import math
from typing import Any

import pytest

from rootdk.numbers import Number
from rootdk.verdicts import Comparisons, DoesNotApplyError, Verdict

THREE = Comparisons(3)
EXACT = Number("exact", 0.87, 0.0)
DRAWN = Number("drawn", 0.88, 0.004, draws=200)
ALONE = Number("alone", 0.5)  # a single draw


def states(*verdicts: Verdict) -> list[str]:
    return [verdict.state for verdict in verdicts]


def test_numbers_without_errors_are_taken_as_they_stand() -> None:
    assert states(THREE.above(EXACT, 0.86), THREE.above(EXACT, 0.87), THREE.below(ALONE, 0.5)) == [
        "true",
        "false",
        "false",
    ]
    assert states(THREE.near(1.0, 1.25, 0.25), THREE.near(1.0, 1.26, 0.25)) == ["true", "false"]


def test_a_difference_is_decided_past_the_tolerance_on_either_side() -> None:
    assert states(THREE.above(DRAWN, 0.867), THREE.above(DRAWN, 0.893), THREE.above(DRAWN, 0.869)) == [
        "true",
        "false",
        "undecided",
    ]
    assert states(THREE.below(0.867, DRAWN), THREE.below(DRAWN, 0.867), THREE.below(DRAWN, 0.885)) == [
        "true",
        "false",
        "undecided",
    ]
    assert states(*(Comparisons(t).above(DRAWN, 0.872) for t in (1.9, 2.1))) == ["true", "undecided"]


def test_by_shifts_the_border() -> None:
    assert states(
        THREE.above(DRAWN, 0.5, by=0.3), THREE.above(DRAWN, 0.5, by=0.4), THREE.above(DRAWN, 0.5, by=0.38)
    ) == [
        "true",
        "false",
        "undecided",
    ]


def test_errors_of_two_numbers_are_added() -> None:
    many = Number("drawn", 0.88, 0.004, draws=2e9)
    undecided = THREE.above(many, Number("other", 0.88 - 0.0239, 0.004, draws=1e9))
    assert undecided.state == "undecided"
    assert undecided.draws == 1e9
    assert undecided.more == pytest.approx((0.024 / 0.0239) ** 2)
    assert THREE.above(many, Number("other", 0.88 - 0.0241, 0.004)).state == "true"


def test_so_many_draws_decide_it() -> None:
    verdict = THREE.above(DRAWN, 0.874)
    assert 800 < verdict.draws_needed < 830
    error = DRAWN.std_error * math.sqrt(200 / 801)
    assert THREE.above(Number("drawn", 0.88, error), 0.874).state == "true"
    assert math.isinf(THREE.above(DRAWN, 0.88).more)
    assert math.isnan(THREE.above(DRAWN, 0.88).draws_needed)
    assert math.isnan(THREE.above(Number("x", 0.88, 0.004), 0.879).draws_needed)


def test_an_error_from_few_draws_decides_little() -> None:
    # Of two draws, chance puts the mean more than three of its estimated errors away in one run out of five.
    for draws, state in ((2, "undecided"), (10, "undecided"), (1000, "true")):
        assert THREE.above(Number("drawn", 0.5, 0.1, draws=draws), 0.15).state == state
    assert states(*(THREE.consistent(Number("m", 0.5, 0.1, draws=draws), 0) for draws in (2, 1000))) == [
        "true",
        "false",
    ]
    assert THREE.above(Number("drawn", 0.5, 0.1), 0.15).state == "true"


def test_near_takes_both_sides() -> None:
    near = [(0.88, 0.013), (0.88, 0.011), (0.8, 0.06), (0.95, 0.05)]
    assert states(*(THREE.near(DRAWN, *to) for to in near)) == ["true", "undecided", "false", "false"]


def test_consistent_is_never_undecided() -> None:
    assert states(THREE.consistent(DRAWN, 0.891), THREE.consistent(DRAWN, 0.8928)) == ["true", "false"]
    assert "3.2 standard errors" in THREE.consistent(DRAWN, 0.8928).reason
    with pytest.raises(DoesNotApplyError, match="no standard error"):
        THREE.consistent(EXACT, 0.87)


def test_series() -> None:
    sweep = [Number(f"s{place}", value, 0.01, draws=100) for place, value in enumerate((0.5, 0.7, 0.9))]
    assert states(THREE.rising(sweep), THREE.falling(sweep), THREE.falling(sweep[::-1])) == ["true", "false", "true"]
    assert THREE.rising([*sweep, Number("s3", 0.92, 0.01, draws=100)]).state == "undecided"
    assert THREE.rising([*sweep, Number("s3", 0.8, 0.01)]).state == "false"
    assert states(THREE.steady(sweep, 0.5), THREE.steady(sweep, 0.3), THREE.steady(sweep, 0.4)) == [
        "true",
        "false",
        "undecided",
    ]
    for series in ([], sweep[:1]):
        with pytest.raises(DoesNotApplyError, match="neither rise nor fall"):
            THREE.rising(series)
    for series in ([], sweep[:1]):
        with pytest.raises(DoesNotApplyError, match="no two numbers"):
            THREE.steady(series, 0.1)


def test_two_series_are_compared_number_by_number() -> None:
    low, high = [0.1, 0.2], [0.3, 0.4]
    assert states(THREE.everywhere_above(high, low), THREE.everywhere_above(high, low, by=0.21)) == ["true", "false"]
    assert states(THREE.everywhere_near(low, high, 0.25), THREE.everywhere_near(low, [0.1, 0.9], 0.25)) == [
        "true",
        "false",
    ]
    means = [Number("m", value, 0.01) for value in (0.01, -0.02, 0.029)]
    assert states(THREE.everywhere_consistent(means, 0), THREE.everywhere_consistent(means, 0.02)) == ["true", "false"]
    with pytest.raises(ValueError, match="one series has 2 numbers and the other 1"):
        THREE.everywhere_above(high, low[:1])


def test_all_and_any() -> None:
    yes, no = THREE.fact(True, "yes"), THREE.fact(False, "no")
    little, much = (Verdict("undecided", "", more, 10) for more in (2.0, 5.0))
    assert states(THREE.all_of([yes, yes]), THREE.all_of([yes, little, no]), THREE.all_of([yes, little])) == [
        "true",
        "false",
        "undecided",
    ]
    assert states(THREE.any_of([no, yes]), THREE.any_of([no, little]), THREE.any_of([no, no])) == [
        "true",
        "undecided",
        "false",
    ]
    assert THREE.all_of([little, much]).draws_needed == 50
    assert states(THREE.negation(yes), THREE.negation(no), THREE.negation(little)) == ["false", "true", "undecided"]
    with pytest.raises(DoesNotApplyError, match="nothing to compare"):
        THREE.all_of([])


def test_what_is_no_number_has_no_verdict() -> None:
    with pytest.raises(DoesNotApplyError, match="no number"):
        THREE.above(Number("x", math.nan), 0)


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        (THREE.above(DRAWN, 0.5), "drawn = 0.88000 ± 0.0040 is above 0.5"),
        (THREE.below(DRAWN, EXACT), "drawn = 0.88000 ± 0.0040 is not below exact = 0.87000, by 2.5 standard errors"),
        (THREE.near(EXACT, -0.1, 0.25), "exact = 0.87000 is not within 0.25 of −0.1"),
        (THREE.fact(False, "the winner is the same"), "not so: the winner is the same"),
    ],
)
def test_reasons_are_sentences_for_people(verdict: Any, reason: str) -> None:
    assert verdict.reason == reason
