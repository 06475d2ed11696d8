"""Claims: how they are read, judged, shown and listed."""

import math
from pathlib import Path

import pytest

from build_claims import told
from rootdk.claims import Claim, ShownClaims, judge, read_claims
from rootdk.numbers import Number
from rootdk.words import Words, WordsError

NUMBERS = {
    number.name: number
    for number in (
        Number("max_weight.unscaled.d_k=4", 0.52, 0.01, draws=200),
        Number("max_weight.unscaled.d_k=64", 0.88, 0.01, draws=200),
        Number("max_weight.unscaled.d_k=1024", 0.9, 0.01, draws=200),
        Number("score_size.score_mean.d_k=4", 0.0, 0.0),
    )
}
WORDS = Words(NUMBERS, {"max_weight": {"tokens": 8}})


def claim(holds: str, sentence: str = "It is {{ share | percent }}.", tolerance: float = 3.0, **given: float) -> Claim:
    return Claim("named", sentence, holds, given or {"share": 0.88}, tolerance, "claims.yaml, named")


@pytest.mark.parametrize(
    ("holds", "state"),
    [
        ('near(n("max_weight.unscaled", d_k=64).value, share, within=0.005)', "true"),
        ('above(n("max_weight.unscaled", d_k=64), n("max_weight.unscaled", d_k=4))', "true"),
        ('below(n("max_weight.unscaled", d_k=64), n("max_weight.unscaled", d_k=4))', "false"),
        ('rising(series("max_weight.unscaled"))', "undecided"),
        ('all_of([fact(setup.max_weight.tokens == 8, "eight tokens"), above(share, 0.5)])', "true"),
        ('near(n("max_weight.unscaled", d_k=8), share, within=0.1)', "does not apply"),
        ('rising(series("score_size.score_mean"))', "does not apply"),
        ('falling(series("nothing"))', "does not apply"),
    ],
)
def test_a_condition_is_judged_on_the_numbers(holds: str, state: str) -> None:
    judged = judge(claim(holds), WORDS)
    assert judged.state == state
    assert judged.sentence == "It is 88 %."
    assert judged.reason


def test_what_a_sentence_cannot_say_is_left_open() -> None:
    asks = 'It is {{ n("max_weight.unscaled", d_k=8) | percent }}{% if share %}, or so{% endif %}.'
    judged = judge(claim('above(n("max_weight.unscaled", d_k=8), share)', asks), WORDS)
    assert (judged.state, judged.sentence) == ("does not apply", "It is ……, or so….")


def test_an_undecided_claim_says_how_many_draws_would_decide_it() -> None:
    judged = judge(claim('rising(series("max_weight.unscaled"))'), WORDS)
    assert judged.draws == 200
    assert 1800 < judged.draws_needed < 1860  # three errors, and a little more since the error rests on 200 draws
    enough = {name: Number(name, number.value, number.std_error / 3.06) for name, number in NUMBERS.items()}
    assert judge(claim('rising(series("max_weight.unscaled"))'), Words(enough, {})).state == "true"


@pytest.mark.parametrize(
    ("holds", "message"),
    [
        ("above(1,", "claims.yaml, named, holds: "),
        ("1 > 0", "claims.yaml, named, holds: gives true; it should be a comparison: above, below, near"),
        ("abvoe(1, 0)", "'abvoe' is undefined"),
        ("everywhere_above([1, 2], [1])", "one series has 2 numbers and the other 1"),
        ("near(1, 1, within=-1)", "within is -1; it must be at least 0"),
        ("above(1)", "missing 1 required positional argument"),
        ("above(setup.max_wieght.tokens, 1)", "max_wieght"),
        ("above(nothing, 1)", "'nothing' is undefined"),
    ],
)
def test_a_condition_that_cannot_be_asked_is_a_mistake(holds: str, message: str) -> None:
    with pytest.raises(WordsError) as error:
        judge(claim(holds), WORDS)
    assert message in str(error.value)
    assert str(error.value).startswith("claims.yaml, named, holds: ")


def test_a_sentence_that_cannot_be_filled_is_a_mistake() -> None:
    with pytest.raises(WordsError, match=r"claims\.yaml, named, sentence, line 1: .*nothing"):
        judge(claim("above(1, 0)", "{{ nothing }}"), WORDS)


GOOD = "one:\n  given: {share: 0.88}\n  sentence: It is.\n  holds: above(share, 0)\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("one: true\n", "a.yaml, one: is true; a claim has the keys sentence and holds"),
        (GOOD + "  holdz: 1\n", "a.yaml, one: has the key holdz; allowed: given, holds, sentence, tolerance"),
        ("one:\n  sentence: It is.\n", "a.yaml, one, holds: is missing; it should be some text"),
        ("one:\n  sentence: ' '\n  holds: above(1, 0)\n", "a.yaml, one, sentence: is"),
        (GOOD + "  tolerance: 0\n", "a.yaml, one, tolerance: is 0; it should be standard errors, above 0"),
        (GOOD + "  tolerance: true\n", "tolerance: is true"),
        (
            GOOD.replace("{share: 0.88}", "{share: 1, above: 2}"),
            "given: above is the name of a function; choose another",
        ),
        (GOOD.replace("{share: 0.88}", "{share: 1, n: 2}"), "given: n is the name of a function"),
        (GOOD.replace("{share: 0.88}", "[1]"), "a.yaml, one, given: is [1]; it should hold numbers by name"),
        ("one: [\n", "a.yaml"),
        ("", "a.yaml"),
    ],
)
def test_a_mistake_in_a_claims_file_is_named(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(WordsError) as error:
        read_claims(tmp_path)
    assert message in str(error.value)


def test_claims_come_from_all_files_and_have_one_name_each(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text(GOOD.replace("one", "two") + "  tolerance: 4\n", encoding="utf-8")
    (tmp_path / "a.yaml").write_text(GOOD, encoding="utf-8")
    claims = read_claims(tmp_path)
    assert [(each.name, each.tolerance) for each in claims] == [("one", 3.0), ("two", 4.0)]
    (tmp_path / "c.yaml").write_text(GOOD, encoding="utf-8")
    with pytest.raises(WordsError, match=r"c\.yaml, one: there is a claim of this name in a\.yaml, one already"):
        read_claims(tmp_path)


@pytest.fixture
def shown() -> ShownClaims:
    """Return four claims, one of each verdict."""
    conditions = {
        "good": "above(1, 0)",
        "bad": 'below(n("max_weight.unscaled", d_k=64), 0.5)',
        "open": 'rising(series("max_weight.unscaled"))',
        "elsewhere": 'above(n("max_weight.unscaled", d_k=8), 0)',
    }
    claims = [Claim(name, f"Sentence {name}.", holds, {}, 3.0, name) for name, holds in conditions.items()]
    return ShownClaims(claims, WORDS)


def test_a_claim_is_shown_as_its_verdict_is(shown: ShownClaims) -> None:
    assert shown.show("good") == "Sentence good."
    assert shown.show("bad") == (
        "~~Sentence bad.~~ **[not so in this build: max_weight.unscaled.d_k=64 = 0.88000 ± 0.010 is not below 0.5]**"
    )
    assert shown.show("open") == "Sentence open. **[undecided at 200 draws; about 1800 would decide it]**"
    assert shown.show("elsewhere") == ""
    with pytest.raises(WordsError, match="there is no claim called godo; there are bad, elsewhere, good, open"):
        shown.show("godo")


def test_words_can_go_with_a_claim(shown: ShownClaims) -> None:
    assert [shown.holds(name) for name in ("good", "bad", "open", "elsewhere")] == [True, False, False, False]
    with pytest.raises(WordsError, match="there is no claim called godo"):
        shown.holds("godo")


def test_what_is_not_true_is_listed(shown: ShownClaims) -> None:
    for name in ("good", "bad", "open", "elsewhere"):
        shown.show(name)
    listed = [(each["name"], each["verdict"]) for each in shown.to_rewrite()]
    assert listed == [
        ("bad", "false"),
        ("elsewhere", "does not apply"),
        ("open", "undecided at 200 draws; about 1800 would decide it"),
    ]


def test_a_claim_that_the_chapter_does_not_make_is_named(shown: ShownClaims) -> None:
    shown.check_all_made(["good", "bad", "open", "elsewhere"])
    with pytest.raises(WordsError, match="the chapter does not make the claim elsewhere"):
        shown.check_all_made(["good", "bad", "open"])


def test_the_build_tells_the_verdicts() -> None:
    judged = [
        judge(Claim("good", "It is.", "above(1, 0)", {}, 3.0, "good"), WORDS),
        judge(Claim("open", "It is.", 'rising(series("max_weight.unscaled"))', {}, 3.0, "open"), WORDS),
    ]
    assert told(judged).splitlines() == [
        "2 claims: 1 true, 1 undecided",
        "  open: undecided (about 1800 draws would decide): max_weight.unscaled.d_k=1024 = 0.90000 ± 0.010 is above "
        "max_weight.unscaled.d_k=64 = 0.88000 ± 0.010, by 1.0 standard errors",
    ]
    assert math.isnan(judged[0].draws_needed)
