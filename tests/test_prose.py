"""Numbers in somebody's chapter: typed by hand, other than ours, or asked for by a wrong name."""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROJECT

from rootdk.number_exports import exported, numbers_as_json
from rootdk.numbers import Number, Place
from rootdk.prose_context import Vocabulary
from rootdk.prose_findings import Finding, check_chapter, read_listed
from rootdk.prose_text import passages, prose_of
from rootdk.statistics import load_scalings, load_statistics
from rootdk.tables import read_table
from rootdk.words import collect_numbers
from rootdk.written_numbers import WrittenNumber, written_numbers

VOCABULARY = Vocabulary({statistic: entry["called"] for statistic, entry in load_statistics().items()}, load_scalings())


def number(name: str, value: float, std_error: float, statistic: str, scaling: str = "", where: str = "") -> Number:
    experiment = name.split(".")[0]
    table, column = (experiment, "mean") if std_error > 0 else (f"{experiment}_summary", "value")
    return Number(name, value, std_error, place=Place(experiment, table, 2, column, statistic, scaling, where))


NUMBERS = [
    number("max_weight.unscaled.d_k=4", 0.5213, 0.0059, "max_weight", "unscaled", "d_k=4"),
    number("max_weight.unscaled.d_k=64", 0.8789, 0.0041, "max_weight", "unscaled", "d_k=64"),
    number("max_weight.scaled.d_k=64", 0.3637, 0.0034, "max_weight", "scaled", "d_k=64"),
    number("max_weight.rows_per_width", 1600, math.nan, "rows_per_width"),
    number("score_std.normalized_entropy.unscaled.d_k=64", 0.1453, 0.0021, "normalized_entropy", "unscaled", "d_k=64"),
    number("signs.largest_gap_to_normal.unscaled.d_k=256", 2.119e-5, 0, "largest_gap_to_normal", "unscaled", "d_k=256"),
    number("heads.median_ratio", 4.8828, math.nan, "median_ratio"),
]  # fmt: skip
LISTED = numbers_as_json({one.name: one for one in NUMBERS}, {})
KNOWN = read_listed(LISTED)


def check(text: str, name: str = "chapter.md") -> list[Finding]:
    return check_chapter(text, name, KNOWN, VOCABULARY)


def only(text: str, name: str = "chapter.md") -> str:
    (finding,) = check(text, name)
    return finding.message


# numbers as they are written


@pytest.mark.parametrize(
    ("text", "value", "unit", "digits"),
    [
        ("0.879", 0.879, 1e-3, 3),
        (".879", 0.879, 1e-3, 3),
        ("−0.0120", -0.012, 1e-4, 3),
        ("$-0.012$", -0.012, 1e-3, 2),
        ("88 %", 0.88, 1e-2, 2),
        (r"88\,\%", 0.88, 1e-2, 2),
        (r"$87.9\%$", 0.879, 1e-3, 3),
        ("88 per cent", 0.88, 1e-2, 2),
        ("4.8e-4", 4.8e-4, 1e-5, 2),
        (r"$4.8 \cdot 10^{-4}$", 4.8e-4, 1e-5, 2),
        (r"$4.8\times10^{-4}$", 4.8e-4, 1e-5, 2),
        ("4.8·10^−4", 4.8e-4, 1e-5, 2),
        ("4.8 × 10⁻⁴", 4.8e-4, 1e-5, 2),
        ("1,600", 1600, 1, 2),
        ("1\u202f624", 1624, 1, 4),
        (r"1\,624.5", 1624.5, 0.1, 5),
        ("(0.879)", 0.879, 1e-3, 3),
        ("0.879.", 0.879, 1e-3, 3),
        ("1.00", 1.0, 1e-2, 3),
    ],
)
def test_a_number_is_read_with_its_precision(text: str, value: float, unit: float, digits: int) -> None:
    (found,) = written_numbers(f"It is {text} here.")
    assert (found.value, found.unit) == (pytest.approx(value), pytest.approx(unit))
    assert found.digits == digits


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("0.879 ± 0.004", 0.004),
        (r"$0.879 \pm 0.004$", 0.004),
        (r"0.879 $\pm$ 0.004", 0.004),
        ("0.879 +/- .004", 0.004),
        ("0.879(4)", 0.004),
        ("0.8789(41)", 0.0041),
    ],
)
def test_a_pair_is_one_number_with_its_error(text: str, error: float) -> None:
    (found,) = written_numbers(f"It is {text} here.")
    assert found.value == pytest.approx(0.879, abs=2e-4)
    assert found.error == pytest.approx(error)


@pytest.mark.parametrize(
    "text",
    [
        *["0,879", "1,5", "v1.2.3", "GPT-4", "t0", "d_4", "2026-01-31", "12:30", "1/8", "x^{-15}", "10^{-15}"],
        *["Figure 3.14", "Section 3.2", "Table 3 and 4", "16-bit", "5cm", "0.512 s", "12 GB", "Python 3.11"],
        *["0.5 minutes", "§ 2.5", "Sec. 0.879", "page 879", "Eq.~(3.14)", "0.879 GHz", "0.879\\,cm"],
    ],
)  # fmt: skip
def test_what_only_looks_like_a_number_is_none(text: str) -> None:
    assert [found.text for found in written_numbers(f"See {text}, then.")] == []


# what is found


@pytest.mark.parametrize(
    ("text", "column", "name"),
    [
        ("It came out as 0.879 in the end.", 16, "max_weight.unscaled.d_k=64"),
        ("It came out as 0.879 ± 0.004.", 16, "max_weight.unscaled.d_k=64"),
        ("It came out as 0.8789(41).", 16, "max_weight.unscaled.d_k=64"),
        ("Its share is $0.364 \\pm 0.003$ then.", 15, "max_weight.scaled.d_k=64"),
        ("Without scaling the largest weight at $d_k = 64$ is 88 %.", 53, "max_weight.unscaled.d_k=64"),
        ("At width 64 the entropy is 0.15 without the division.", 28, "score_std.normalized_entropy.unscaled.d_k=64"),
        ("The largest gap to normal at $d_k=256$, undivided: $2.12 \\cdot 10^{-5}$.", 53,
         "signs.largest_gap_to_normal.unscaled.d_k=256"),
        ("The median ratio was 4.883.", 22, "heads.median_ratio"),
        ("We had 1,600 rows per width.", 8, "max_weight.rows_per_width"),
        ("| $d_k$ | largest weight, unscaled |\n|--:|--:|\n| 64 | 0.88 |", 8, "max_weight.unscaled.d_k=64"),
    ],
)  # fmt: skip
def test_a_number_of_ours_is_offered_its_name(text: str, column: int, name: str) -> None:
    (finding,) = check(text)
    assert re.search(rf" is {re.escape(name)} \(.*\), typed by hand; write \{{\{{ ", finding.message)
    assert (finding.line, finding.column) == (text.count("\n") + 1, column)


def test_a_finding_says_what_it_matched_and_what_to_write() -> None:
    text = "Without scaling the largest weight at $d_k = 64$ is 0.879 ± 0.004."
    assert only(text) == (
        "0.879 ± 0.004 is max_weight.unscaled.d_k=64 (0.879 ± 0.004), typed by hand; write "
        "{{ max_weight_unscaled_d_k_64_pm }}. Matched by value and error, “largest weight”, “Without scaling” and "
        "d_k = 64."
    )
    assert "write {{< var max_weight_unscaled_d_k_64_pm >}}." in only(text, "chapter.qmd")
    assert r"write \rootdkpm{max_weight.unscaled.d_k=64}." in only(text, "chapter.tex")
    assert "write {{ max_weight_unscaled_d_k_64 }}, as a share of 1." in only(text.replace("0.879 ± 0.004", "87.9 %"))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Without scaling the largest weight at $d_k = 64$ is 0.891.", "0.891"),
        ("Without scaling the largest weight at width 64 is 91 %.", "91 %"),
        ("At a width of 64 the winner takes 0.86 ± 0.01, without the division.", "0.86 ± 0.01"),
        ("Without scaling the largest weight at $d_k = 64$ is 0.879 ± 0.009.", "0.879 ± 0.009"),
        ("| $d_k$ | largest weight, unscaled |\n|--:|--:|\n| 64 | 0.891 |", "0.891"),
    ],
)
def test_a_number_that_contradicts_ours_is_named_with_ours(text: str, written: str) -> None:
    ours = "max_weight.unscaled.d_k=64, which is 0.879 ± 0.004; write {{ max_weight_unscaled_d_k_64"
    assert only(text).startswith(f"{written} contradicts {ours}")
    assert "Matched by “" in only(text)


@pytest.mark.parametrize(
    "text",
    [
        "We drew 200 heads of 8 tokens at each of the widths 4, 16 and 64 in 2019.",
        "At $d_k = 64$ it is half as much, 0.5 or so, and 1.00 in all.",
        "With 64 tokens and 0.88 of the memory it took 0.879 s.",
        "Without scaling the largest weight at $d_k = 32$ is 0.812.",  # a width that we know nothing of
        "The largest weight at $d_k = 64$ is 0.91.",  # with or without scaling?
        "At $d_k = 64$ the largest weight is 0.02 off, without scaling.",  # of another size
        "Largest weights at $d_k = 64$, without scaling: 0.81, 0.83, 0.86.",  # more than one can mean
        "Smith (2019) has Section 0.879 and Figure 0.364.",
        "`0.879` and <https://example.org/0.879> and [a link](a/0.879.html)",
        "```\n0.879\n```",
        "---\nversion: 0.879\n---\nText.",
        "<!-- 0.879 -->",
        "$$\na = 0.879\n$$",
        "It came out as 0.879. <!-- rootdk: ok -->",
        "{{ max_weight_unscaled_d_k_64 }}, {{max_weight_unscaled_d_k_64_pm}}",
        "{{< var max_weight_unscaled_d_k_64_error >}}",
        "{{ mine }} and {{ author_name }} and {{< var version >}} and {{< meta title >}}",
    ],
)
def test_a_clean_text_has_no_findings(text: str) -> None:
    assert check(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "% 0.879",
        "A. % 0.879",
        r"\verb|0.879|",
        r"\begin{verbatim}0.879\end{verbatim}",
        "\\begin{equation}\na = 0.879\n\\end{equation}",
        r"\[ a = 0.879 \]",
        r"\includegraphics[width=0.879\textwidth]{fig}\vspace{0.879cm} and 0.879\linewidth",
        r"\cite{smith0.879} \label{0.879} \url{https://a.b/0.879}",
        "\\newcommand{\\x}{0.879}\n\\begin{document}Text.\\end{document} 0.879",
        r"It came out as 0.879. % rootdk: ok",
        r"\rootdk{max_weight.unscaled.d_k=64} \rootdkpm{max_weight.unscaled.d_k=64} \rootdknum{heads.median_ratio}",
    ],
)
def test_a_clean_text_in_latex_has_no_findings(text: str) -> None:
    assert check(text, "chapter.tex") == []


def test_latex_is_read_from_where_the_document_begins() -> None:
    text = "\\def\\x{0.879}\n\\begin{document}\nIt is 50\\% or 0.879.\n\\end{document}\n"
    (finding,) = check(text, "chapter.tex")
    assert (finding.line, finding.column) == (3, 15)


NO_NAME = "there is no number of that name; the nearest is "
NO_KEY = "there is no number with that key; the nearest is "
NO_ERROR = "this number has no standard error; "


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (r"\rootdk{max_weight.unscled.d_k=64}", "a.tex", NO_NAME + "max_weight.unscaled.d_k=64."),
        (r"\rootdknum{max_wieght.scaled.d_k=64}", "a.tex", NO_NAME + "max_weight.scaled.d_k=64."),
        (r"\rootdkpm{heads.median_ratio}", "a.tex", NO_ERROR + r"write \rootdk{heads.median_ratio}."),
        ("{{ max_weight_unscled_d_k_64 }}", "a.md", NO_KEY + "max_weight_unscaled_d_k_64."),
        ("{{ max_weight_nothing }}", "a.md", NO_KEY + "max_weight_"),
        ("{{ heads_median_ratio_pm }}", "a.md", NO_ERROR + "its key is heads_median_ratio."),
        ("{{< var max_wieght_unscaled_d_k_64 >}}", "a.qmd", NO_KEY + "max_weight_unscaled_d_k_64."),
    ],
)  # fmt: skip
def test_a_name_that_there_is_not_is_told_with_the_nearest(text: str, name: str, message: str) -> None:
    (finding,) = check(f"Here:\n  {text} it is.", name)
    assert (finding.line, finding.column) == (2, 3)
    assert finding.message.startswith(f"{text}: {message}")


def test_blanks_keep_every_letter_in_its_place() -> None:
    text = "---\na: 1\n---\n\nA `code` $$x$$ é <b>bold</b>.\n\n```\nx\n```\nEnd."
    prose = prose_of(text, ".md")
    assert len(prose) == len(text)
    assert prose.count("\n") == text.count("\n")
    assert prose.split() == ["A", "é", "bold", ".", "End."]


def test_a_full_stop_within_a_number_ends_no_sentence() -> None:
    texts = [passage.text.strip() for passage in passages("# Title\n\nIt is 0.5. That is it.\nAnd on.\n")]
    assert texts == ["# Title", "It is 0.5.", "That is it.", "And on."]


@pytest.mark.parametrize(
    ("text", "contradicted"),
    [
        ("| $d_k$ | largest weight, unscaled | $z$ |\n|--:|--:|--:|\n| 64 | 0.879 | 0.84 |\n", 0),
        ("| $d_k$ | largest weight, unscaled | largest weight, unscaled |\n|--:|--:|--:|\n| 64 | 0.879 | 0.84 |\n", 1),
    ],
)
def test_a_column_headed_by_a_symbol_is_about_something_else(text: str, contradicted: int) -> None:
    assert sum("contradicts" in finding.message for finding in check(text)) == contradicted


# the project's own chapter, in which every number was filled in


@pytest.fixture(scope="module")
def chapter() -> tuple[str, list[Finding]]:
    paths = (path for path in (PROJECT / "data").glob("*.csv") if path.stem != "published")
    numbers = exported(collect_numbers({path.stem: read_table(path) for path in sorted(paths)}))
    text = (PROJECT / "report.md").read_text(encoding="utf-8")
    return text, check_chapter(text, "report.md", read_listed(numbers_as_json(numbers, {})), VOCABULARY)


def test_the_chapter_contradicts_nothing_and_has_no_wrong_names(chapter: tuple[str, list[Finding]]) -> None:
    assert [finding for finding in chapter[1] if "typed by hand" not in finding.message] == []


def test_nearly_every_number_with_an_error_in_the_chapter_is_recognised(chapter: tuple[str, list[Finding]]) -> None:
    text, findings = chapter
    pairs = [found for found in written_numbers(prose_of(text, ".md")) if found.has_pair]
    recognised = [finding for finding in findings if "Matched by value and error" in finding.message]
    assert len(pairs) > 30
    assert len(recognised) >= 0.95 * len(pairs)


@pytest.mark.parametrize(
    ("section", "statistics"),
    [
        ("The winner's share, on average", ["max_weight.unscaled", "max_weight.scaled"]),
        ("The same, drawn at random",
         ["score_size.score_mean.unscaled", "score_size.typical_size.unscaled", "", "score_size.typical_size.scaled"]),
        ("Spread and entropy",
         ["score_std.score_rms.unscaled", "score_std.score_rms.scaled", "score_std.normalized_entropy.unscaled",
          "score_std.normalized_entropy.scaled"]),
    ],
)  # fmt: skip
def test_tables_of_the_chapter_are_offered_the_right_names(
    section: str, statistics: list[str], chapter: tuple[str, list[Finding]]
) -> None:
    text, findings = chapter
    lines = text.splitlines()
    start = lines.index(f"### {section}")
    messages = {(finding.line, finding.message.split(" is ")[0]): finding.message for finding in findings}
    checked = 0
    for place, line in enumerate(lines[start : start + 20], start=start + 1):
        row = [cell.strip() for cell in line.strip("|").split("|")]
        if len(row) == len(statistics) + 1 and row[0].isdigit():
            for statistic, cell in zip(statistics, row[1:], strict=True):
                if statistic:
                    assert f" is {statistic}.d_k={row[0]} (" in messages[place, cell]
                    checked += 1
    assert checked >= 5 * (len(statistics) - 1)


# the command


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, PROJECT / "scripts" / "check_prose.py", *arguments],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "LC_ALL": "C"},
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "numbers.json").write_text(LISTED, encoding="utf-8")
    return tmp_path


def test_findings_end_with_1_and_a_clean_chapter_with_0(folder: Path) -> None:
    (folder / "über.md").write_text("\ufeffClean.\nIt came out as 0.879.\n", encoding="utf-8")
    (folder / "clean.tex").write_text("Clean.\n", encoding="utf-8")
    done = run(folder, "--", "über.md")
    assert (done.returncode, done.stderr) == (1, "")
    first, last = done.stdout.splitlines()
    assert first.startswith("über.md:2:16: 0.879 is max_weight.unscaled.d_k=64 (0.879 ± 0.004), typed by hand; write ")
    assert last == "1 to mend; docs/quote-a-number.md tells how to quote a number."
    done = run(folder, "clean.tex")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "clean.tex: no number of ours is typed by hand, and every name is known.\n"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.md", None, "none.md does not exist."),
        ("data", None, "data is a folder; name one file in it."),
        ("latin.md", "é".encode("latin-1"), "latin.md is not UTF-8 text (byte 0); save it as UTF-8."),
    ],
)
def test_what_cannot_be_read_ends_with_2(name: str, content: bytes | None, message: str, folder: Path) -> None:
    if content is not None:
        (folder / name).write_bytes(content)
    done = run(folder, name)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{message}\n")


def test_without_numbers_it_ends_with_2(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()
    done = run(tmp_path, "a.md")
    assert (done.returncode, done.stderr) == (2, "There is no data/numbers.json yet; run `make` first.\n")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}', json.dumps({"a": {"text": "1"}})])
def test_with_a_broken_list_of_numbers_it_ends_with_2(text: str, folder: Path) -> None:
    (folder / "a.md").touch()
    (folder / "data" / "numbers.json").write_text(text, encoding="utf-8")
    done = run(folder, "a.md")
    assert done.returncode == 2
    assert done.stderr.startswith("data/numbers.json cannot be understood; run `make` to build it again: ")
    assert "Traceback" not in done.stderr


def test_make_prose_wants_a_file() -> None:
    done = subprocess.run(
        ["make", "-o", ".venv/build", "prose", "FILE="], cwd=PROJECT, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 2
    assert "Say of which chapter: make prose FILE=chapter.md" in done.stderr


def test_an_empty_chapter_is_clean() -> None:
    assert check("") == check("", "a.tex") == []
    assert list(written_numbers("")) == list[WrittenNumber]()
