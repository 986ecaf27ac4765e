from __future__ import annotations

import html as standard_html
import re

import numpy as np
import pytest

import foveal
from foveal.errors import UsageError
from foveal.evaluation import RunScores, Scores
from foveal.rendering import rendered_bytes
from foveal.rendering._table import Table
from foveal.rendering.forms import html, latex, markdown, text
from foveal.rules import Findings

TABLE = Table(["run", "AiP"], [["a_b|<i>&[1]", "0.5000"], ["日本", "1.0000"]], labels=1)


def _scores(measures: int) -> Scores:
    names = [f"cP@{rank}" for rank in range(1, measures + 1)]
    return Scores(names, [RunScores("a", ["1"], np.full((measures, 1), 0.5), [0.5] * measures)])


def test_wide_characters_keep_the_columns_straight() -> None:
    header, rule, first, second = text.draw(TABLE).splitlines()
    assert header == "run              AiP"
    assert first == "a_b|<i>&[1]   0.5000"
    assert second == "日本          1.0000"
    assert rule == "─" * 20


def test_a_name_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in text.draw(Table(["run"], [["\x1b[31mred\n"]], labels=1))


def test_markdown_escapes_what_would_be_markup() -> None:
    assert r"| a\_b\|\<i\>\&\[1\] | 0.5000 |" in markdown.draw(TABLE).splitlines()


def test_latex_escapes_what_would_be_commands() -> None:
    shown = latex.draw(Table(["run"], [[r"\input{x} 50% #1 ~^"], ["[x]"]], labels=1))
    assert r"\textbackslash{}input\{x\} 50\% \#1 \textasciitilde{}\textasciicircum{} \\" in shown
    assert r"{}[x] \\" in shown


def test_latex_spells_what_its_usual_font_lacks() -> None:
    shown = latex.draw(Table(["τ_AP", "ρ"], [["*x", "<0.0001"], ["a|b", "c>d → e"]], labels=1))
    assert shown.splitlines()[2:7] == [
        r"$\tau$\_AP & $\rho$ \\",
        r"\midrule",
        r"{}*x & \textless{}0.0001 \\",
        r"a\textbar{}b & c\textgreater{}d $\to$ e \\",
        r"\bottomrule",
    ]


def test_html_shows_names_as_they_are() -> None:
    cells = re.findall(r'<td class="label">(.*?)</td>', html.draw(TABLE))
    assert [standard_html.unescape(cell) for cell in cells] == ["a_b|<i>&[1]", "日本"]


def test_many_measures_stand_one_below_the_other() -> None:
    assert foveal.render(_scores(2)).startswith("run")
    assert foveal.render(_scores(11)).startswith("measure")
    assert foveal.render(_scores(2), width=15).startswith("measure")


def test_parquet_is_bytes_not_text() -> None:
    with pytest.raises(UsageError, match="not text"):
        foveal.render(_scores(1), "parquet")
    assert rendered_bytes(_scores(1), "parquet").startswith(b"PAR1")


def test_an_unknown_form_is_told_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="text, csv"):
        foveal.render(_scores(1), "papyrus")


@pytest.mark.parametrize("form", ["trec", "inex"])
def test_lines_of_other_programs_are_made_of_scores_alone(form: str) -> None:
    with pytest.raises(UsageError, match=f"only scores can be rendered as {form}"):
        foveal.render(Findings((), {}), form)


def test_what_is_no_result_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot render int"):
        foveal.render(5)  # type: ignore[arg-type]  # wrong on purpose


def test_side_by_side_a_group_that_a_run_is_not_in_is_blank() -> None:
    qrels = {topic: {"d": 1} for topic in "123"}
    runs = {"one": {"2": {"d": 1}, "3": {"d": 1}}, "two": {"1": {"d": 1}, "2": {"e": 1}}}
    measures = [f"P@{rank}" for rank in range(1, 12)]
    scores = foveal.evaluate(qrels, runs, measures, topics="retrieved", groups={"1": "x", "2": "y"})
    lines = [
        re.split(r" \| ", line.strip("| "))
        for line in foveal.render(scores, "markdown").splitlines()
    ]
    assert lines[0] == ["run", "measure", "x", "y", "(none)", "all"]
    assert lines[2] == ["one", "topics", "", "1", "1", "2"]
    assert lines[3] == ["one", "P@1", "", "1.0000", "1.0000", "1.0000"]
    assert lines[14] == ["two", "topics", "1", "1", "", "2"]
    assert lines[15] == ["two", "P@1", "1.0000", "0.0000", "", "0.5000"]


@pytest.mark.parametrize("form", ["trec", "inex"])
def test_forms_of_other_programs_have_no_groups(form: str) -> None:
    scores = foveal.evaluate({"1": {"d": 1}}, {"1": {"d": 1}}, "AP", groups={"1": "x"})
    with pytest.raises(UsageError, match=f"{form} has no place for groups"):
        foveal.render(scores, form)
    assert foveal.render(scores.within("x"), form)
