import math

import pandas as pd
import pytest

from rootdk.numbers import Number
from rootdk.tables import Quantity, SweepRow, summary_table, sweep_table
from rootdk.words import Words, WordsError, collect_numbers, read_words

NUMBERS = {
    number.name: number
    for number in (
        Number("max_weight.unscaled.d_k=4", 0.5123, 0.004),
        Number("max_weight.unscaled.d_k=64", 0.87493, 0.004),
        Number("max_weight.unscaled.d_k=1024", 0.97, 0.004),
        Number("six_tokens.weight.row=t0;column=t3", 0.375, 0),
        Number("heatmaps.ratio", -769.2),
    )
}
SETUP = {"closed_row": {"keys": 8}, "max_weight": {"tokens": 8, "draws": 200, "head_widths": [4, 64, 1024]}}

TABLE = sweep_table([SweepRow(8, 4, "scaled", "max_weight", 0.375, 0.004, 200)])
TABLES = {"max_weight": TABLE, "max_weight_summary": summary_table([Quantity("rows", 1600, "rows")])}

WORDS = Words(collect_numbers(TABLES), SETUP)


def fill(template):
    return Words(NUMBERS, SETUP).fill(template, "caption")


# numbers in a template


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ('{{ n("heatmaps.ratio") | plain(3) }}', "−769"),
        ('{{ n("six_tokens.weight.row=t0;column=t3") | plain(7) }}', "0.375"),
        ("{{ 16.0 | plain(7) }} {{ 200 | plain(2) }} {{ 0 | plain(3) }}", "16 200 0"),
        ("{{ 1e-15 | math(1) }} {{ 2.14e-5 | math(2) }}", r"$10^{-15}$ $2.1 \cdot 10^{-5}$"),
        ("{{ -0.25 | math(2) }} {{ 0.000333 | math(2) }}", r"$-0.25$ $3.3 \cdot 10^{-4}$"),
        ("{{ setup.closed_row.keys }}", "8"),
        ("{{ 1 | counted('token') }}, {{ 2 | counted('token') }}", "1 token, 2 tokens"),
        ("{{ 1 | counted('query', 'queries') }}, {{ 3 | counted('query', 'queries') }}", "1 query, 3 queries"),
        ('{{ has("max_weight.unscaled", d_k=64) }} {{ has("max_weight.unscaled", d_k=65) }}', "True False"),
        ('{{ series("max_weight.unscaled")[:1] is rising }} {{ [] is falling }}', "False False"),
        ('{{ series("max_weight.unscaled") is rising }}', "True"),
        ('{{ series("max_weight.unscaled") is falling }}', "False"),
        ('{{ series("max_weight.unscaled") | map("value") | first }}', "0.5123"),
        ("no template at all: 5 % of {x}", "no template at all: 5 % of {x}"),
        ('{{ n("max_weight.unscaled", d_k=64) }}', "0.875"),
        ('{{ n("max_weight.unscaled.d_k=64") }}', "0.875"),
        ('{{ n("max_weight.unscaled", d_k=setup.max_weight.head_widths|max) }}', "0.970"),
        ('{{ n("six_tokens.weight", row="t0", column="t3") }}', "0.375"),
        ('{{ n("heatmaps.ratio") }}', "−769"),
        ("{{ setup.max_weight.draws }} draws", "200 draws"),
        ('{{ n("max_weight.unscaled", d_k=64) | percent }}', "87 %"),
        ('{{ n("max_weight.unscaled", d_k=64) | percent(1) }}', "87.5 %"),
        ('{{ n("max_weight.unscaled", d_k=64) | decimals(1) }}', "0.9"),
        ('{{ n("max_weight.unscaled", d_k=64) | significant(2) }}', "0.87"),
        ('{{ n("max_weight.unscaled", d_k=64) | with_error(3) }}', "0.875 ± 0.004"),
        ('{{ n("six_tokens.weight", row="t0", column="t3") | with_error(3) }}', "0.375 ± 0.000"),
        ('{{ (n("heatmaps.ratio") | value / 2) | decimals(1) }}', "−384.6"),
        ("{{ setup.max_weight.head_widths | listed }}", "4, 64 and 1024"),
        ("{{ [4, 64] | listed('or') }}", "4 or 64"),
        ("{{ [4] | listed }}", "4"),
        ('{{ series("max_weight.unscaled") | map("decimals", 2) | listed }}', "0.51, 0.87 and 0.97"),
    ],
)
def test_numbers_are_filled_in(template, text):
    assert fill(template) == text


@pytest.mark.parametrize(
    ("values", "rising", "falling"),
    [([1, 2, 3], True, False), ([3, 2, 1], False, True), ([1, 3, 2], False, False), ([1, 1, 2], False, False)],
)
def test_a_sweep_rises_or_falls_if_every_step_does(values, rising, falling):
    sweep = {f"x.d_k={4**i}": Number(f"x.d_k={4**i}", value) for i, value in enumerate(values)}
    text = Words(sweep, {}).fill('{{ series("x") is rising }} {{ series("x") is falling }}', "caption")
    assert text == f"{rising} {falling}"


def test_a_lone_token_count_may_be_named_or_not() -> None:
    known = {f"w.entropy.scaled.d_k={d}": Number(f"w.entropy.scaled.d_k={d}", float(d)) for d in (4, 64)}
    words = Words(known, {"w": {"token_counts": [8]}})
    filled = {
        '{{ n("w.entropy.scaled", tokens=8, d_k=4).value }}': "4.0",
        '{{ has("w.entropy.scaled", tokens=8, d_k=64) }}': "True",
        '{{ has("w.entropy.scaled", tokens=9, d_k=64) }}': "False",
        '{{ series("w.entropy.scaled", tokens=8) | map("value") | list }}': "[4.0, 64.0]",
        '{{ series("w.entropy.scaled", along="tokens", d_k=4) | map("value") | list }}': "[4.0]",
    }
    for template, text in filled.items():
        assert words.fill(template, "caption") == text
    with pytest.raises(WordsError, match=r"no number called w\.entropy\.scaled\.tokens=9;d_k=4"):
        words.fill('{{ n("w.entropy.scaled", tokens=9, d_k=4) }}', "caption")


def test_a_series_runs_along_any_key_while_the_others_stay() -> None:
    names = [f"w.entropy.scaled.tokens={n};d_k={d}" for n in (8, 100) for d in (64, 4)] + ["w.entropy.scaled.tokens=8"]
    words = Words({name: Number(name, float(place)) for place, name in enumerate(names)}, {})
    series = {
        'series("w.entropy.scaled", tokens=100)': "[3.0, 2.0]",
        'series("w.entropy.scaled", along="tokens", d_k=4)': "[1.0, 3.0]",
        'series("w.entropy.scaled", along="tokens")': "[4.0]",
    }
    for asked, values in series.items():
        assert words.fill(f'{{{{ {asked} | map("value") | list }}}}', "caption") == values
    with pytest.raises(WordsError, match=r"no numbers called w\.entropy\.scaled\.tokens=9;d_k=…"):
        words.fill('{{ series("w.entropy.scaled", tokens=9) }}', "caption")


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ('{{ n("max_weight.unscaled", d_k=65) }}', "there is no number called max_weight.unscaled.d_k=65"),
        ('{{ n("max_wieght") }}', "there is no number called max_wieght"),
        ('{{ series("max_wieght") }}', "there are no numbers called max_wieght.d_k=…"),
        ("{{ drawz }}", "'drawz' is undefined"),
        ("{{ setup.max_weight.drawz }}", "has no attribute 'drawz'"),
        ("{{ setup.max_wieght.draws }}", "has no attribute 'max_wieght'"),
        ("{{ 5 | percnt }}", "No filter named 'percnt'"),
        ("{{ setup.max_weight.draws", "expected 'end of print statement'"),
        ("{% if %}yes{% endif %}", "Expected an expression"),
        ("{% for %}", "got 'end of statement block'"),
        ("{{ 1 / 0 }}", "division by zero"),
        ('{{ n("heatmaps.ratio") | with_error(2) }}', "heatmaps.ratio has no standard error"),
        ("{{ 5 | with_error(2) }}", "with_error takes a number from n(), not 5"),
        ('{{ "many" | percent }}', "could not convert string to float: 'many'"),
        ('{{ n("heatmaps.ratio") | decimals }}', "'places'"),
        ("{{ [] | listed }}", "nothing to list"),
        ('{{ n("heatmaps.ratio") + 1 }}', "unsupported operand"),
        ("{{ [1, 2] is rising }}", "no attribute 'value'"),
    ],
)
def test_a_mistake_in_a_template_is_reported_with_its_place_and_line(template, expected):
    with pytest.raises(WordsError) as caught:
        fill(f"A first line.\n{template}")
    assert str(caught.value).startswith("caption, line 2: ")
    assert expected in str(caught.value)


def test_a_mistake_in_a_file_is_reported_with_the_file_and_line(tmp_path):
    (tmp_path / "section.md").write_text('One.\n\nThree: {{ n("max_wieght") }}.\n', encoding="utf-8")
    words = Words(NUMBERS, SETUP, tmp_path)
    with pytest.raises(WordsError, match=r"^section\.md, line 3: there is no number called max_wieght$"):
        words.fill_file("section.md")


def test_a_bad_syntax_in_a_file_is_reported_with_the_file_and_line(tmp_path):
    (tmp_path / "section.md").write_text("One.\n{{ 1 + }}\n", encoding="utf-8")
    with pytest.raises(WordsError, match=r"^section\.md, line 2: "):
        Words(NUMBERS, SETUP, tmp_path).fill_file("section.md")


@pytest.mark.parametrize("mistake", ["{{ 1 / 0 }}", "{{ 1 + }}"])
def test_a_mistake_in_an_included_file_is_reported_with_both_files(mistake, tmp_path):
    (tmp_path / "section.md").write_text("One.\n\n{% include 'part.md' %}\n", encoding="utf-8")
    (tmp_path / "part.md").write_text(f"One.\n{mistake}\n", encoding="utf-8")
    with pytest.raises(WordsError, match=r"^section\.md, in part\.md, line 2: "):
        Words(NUMBERS, SETUP, tmp_path).fill_file("section.md")


def test_a_file_is_filled_in_and_keeps_its_last_line_break(tmp_path):
    (tmp_path / "section.md").write_text("{{ greeting }} {{ setup.max_weight.tokens }}\n", encoding="utf-8")
    words = Words(NUMBERS, SETUP, tmp_path)
    words.add(greeting="all")
    assert words.fill_file("section.md") == "all 8\n"


# the words of a figure


def figure_words(tmp_path, text):
    path = tmp_path / "max_weight.yaml"
    path.write_text(text, encoding="utf-8")
    return read_words(path, WORDS)


def test_a_figure_gets_its_title_caption_and_alt_text_each_on_one_line(tmp_path):
    words = figure_words(
        tmp_path,
        "title: Largest weight\n"
        "caption: >\n"
        "  Of {{ setup.max_weight.tokens }} keys\n"
        '  it is {{ n("max_weight.scaled", d_k=4) | percent(1) }}.\n'
        "alt: |\n"
        "  A curve\n"
        '  over {{ n("max_weight.rows") | decimals(0) }} rows.\n',
    )
    assert words == ("Largest weight", "Of 8 keys it is 37.5 %.", "A curve over 1600 rows.")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title: a\ncaption: b", " holds the keys title, caption; it should hold title, caption and alt."),
        ("{title: a, caption: b, alt: c, d: e}", " holds the keys title, caption, alt, d; it should hold title, "),
        ("", " is empty; it should hold the keys title, caption and alt."),
        ("just text", " holds the text 'just text' at its top; it should hold the keys title, caption and alt."),
        ("title: a\ntitle: b", ", line 2: title stands twice, first on line 1; keep one."),
        ("title: a\ncaption: so: it breaks", ", line 2, column 12: not YAML: mapping values are not allowed here"),
    ],
)
def test_a_file_with_other_keys_or_none_is_refused(text, message, tmp_path):
    with pytest.raises(WordsError) as caught:
        figure_words(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path / 'max_weight.yaml'}{message}")


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(WordsError, match=r"nothing\.yaml does not exist"):
        read_words(tmp_path / "nothing.yaml", WORDS)


@pytest.mark.parametrize("value", ["", "null", "5", "[a]", "{a: b}", "''", "'  '"])
def test_words_that_are_no_text_are_refused(value, tmp_path):
    with pytest.raises(WordsError, match=r"max_weight\.yaml, caption: .*text"):
        figure_words(tmp_path, f"title: a\ncaption: {value}\nalt: c\n")


def test_a_mistake_in_a_caption_is_reported_with_file_and_key(tmp_path):
    with pytest.raises(WordsError, match=r"max_weight\.yaml, caption.*there is no number called nothing"):
        figure_words(tmp_path, "title: a\ncaption: '{{ n(\"nothing\") }}'\nalt: c\n")


def test_numbers_come_from_experiments_whose_tables_are_both_there():
    tables = {**TABLES, "lonely": pd.DataFrame({"row": ["1"], "weight": [0.5]})}
    assert set(collect_numbers(tables)) == {"max_weight.scaled.d_k=4", "max_weight.rows"}
    assert math.isnan(collect_numbers(tables)["max_weight.rows"].std_error)


# digits that the config asks for


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ('{{ n("x.d_k=4") }}', "0.88"),
        ('{{ n("x.d_k=4") | decimals(4) }}', "0.88"),
        ('{{ n("x.d_k=4") | significant(5) }}', "0.88"),
        ('{{ n("x.d_k=4") | plain(5) }}', "0.88"),
        ('{{ n("x.d_k=4") | math(5) }}', "$0.88$"),
        ('{{ n("x.d_k=4") | percent }}', "88 %"),
        ('{{ n("x.d_k=4") | with_error(1) }}', "0.879 ± 0.004"),
        ('{{ series("x") | map("value") | max | decimals(4) }}', "0.88"),
        ('{{ n("x.d_k=4").value | decimals(4) }}', "0.8789"),
        ('{{ n("y") | decimals(4) }}', "0.5000"),
    ],
)
def test_the_digits_of_the_config_go_before_those_of_a_template(template, text):
    known = {"x.d_k=4": Number("x.d_k=4", 0.8789, 0.004, digits=2), "y": Number("y", 0.5)}
    assert Words(known, {}).fill(template, "here") == text


def test_a_number_stands_beside_its_error_with_the_digits_that_it_warrants():
    known = {"x": Number("x", 0.87893, 0.0014)}
    assert Words(known, {}).fill('{{ n("x") | with_error }}', "here") == "0.8789 ± 0.0014"
