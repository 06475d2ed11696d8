"""The chapter's figures, their order and their words."""

from pathlib import Path

import pytest
from conftest import PROJECT

from build_report import build_report
from rootdk.tables import Quantity, read_table, summary_table
from rootdk.words import WordsError

TABLES = {"two": summary_table([]), "two_summary": summary_table([Quantity("answer", 42, "none")])}


@pytest.fixture
def chapter(tmp_path: Path) -> Path:
    (tmp_path / "figures").mkdir()
    for name in ("first", "second"):
        (tmp_path / "figures" / f"{name}.yaml").write_text(
            f"title: {name}\ncaption: Caption {{{{ n('two.answer') | plain(3) }}}}.\nalt: Alt [{name}]\n",
            encoding="utf-8",
        )
    return tmp_path


def build(chapter: Path, text: str) -> str:
    (chapter / "chapter.md").write_text(text, encoding="utf-8")
    return build_report(
        chapter,
        tables=TABLES,
        setup={"two": {"tokens": 2}},
        published=read_table(PROJECT / "data" / "published.csv"),
        sources={},
        figures=["figures/web/first.svg", "figures/web/second.svg"],
    )


def test_figures_are_numbered_as_they_appear_and_can_be_referred_to_before(chapter: Path) -> None:
    text = build(chapter, 'See {{ ref("first") }}.\n{{ figure("second") }}\n{{ figure("first") }}\n')
    assert text == (
        "See Figure 2.\n"
        "![Alt \\[second\\]](figures/web/second.svg)\n\n**Figure 1.** Caption 42.\n"
        "![Alt \\[first\\]](figures/web/first.svg)\n\n**Figure 2.** Caption 42.\n"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{{ figure("first") }}', 'does not show second; add {{ figure("second") }} where it belongs'),
        ('{{ figure("first") }}{{ figure("first") }}', "line 1: the figure first is shown twice"),
        ('\n{{ ref("third") }}', "chapter.md, line 2: there is no figure third; there are first, second"),
        ('{{ n("two.question") }}', "line 1: there is no number called two.question"),
        ("{{ setup.two.tokns }}", "line 1: .*has no attribute 'tokns'"),
        ("{% if %}", "line 1: "),
        ('{% include "sections/none.md" %}', "none.md"),
    ],
)
def test_a_mistake_in_the_chapter_is_named_with_its_line(chapter: Path, text: str, message: str) -> None:
    with pytest.raises(WordsError, match=message.replace("(", r"\(").replace(")", r"\)").replace("{{", r"\{\{")):
        build(chapter, text)
