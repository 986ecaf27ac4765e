"""Gates as JUnit XML, as annotations of GitHub, and as tables."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from junitparser import JUnitXml, TestCase, TestSuite
from lxml import etree

import foveal
from foveal.analysis import Gate, gate
from foveal.choices import Form
from foveal.errors import UsageError
from tests.scored import scores_of

BEFORE, AFTER = [0.9] * 8, [0.9, 0.9, 0.1, 0.9, 0.0, 0.9, 0.9, 0.9]
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
FORMS = [form for form in Form if form not in {Form.TREC, Form.INEX, Form.PARQUET}]


def gated(run: str = "mine", demand: str = "AP>=0.8") -> Gate:
    return gate(
        scores_of({run: AFTER}), [demand, "AP>0.1"], baseline=scores_of({run: BEFORE}), max_drop=0.1
    )


def suite_of(text: str) -> TestSuite:
    # A strict parser first, as some readers of JUnit forgive a lot.
    etree.fromstring(text.encode(), etree.XMLParser(resolve_entities=False))
    (suite,) = JUnitXml.fromstring(text.encode())
    assert isinstance(suite, TestSuite)
    return suite


def in_xml(sign: int) -> bool:
    """Whether XML 1.0 can hold a character (its section 2.2)."""
    ranges = ((0x20, 0xD7FF), (0xE000, 0xFFFD), (0x10000, 0x10FFFF))
    return sign in {0x9, 0xA, 0xD} or any(low <= sign <= high for low, high in ranges)


def cases_of(suite: TestSuite) -> list[TestCase]:
    return list(suite)


def test_junit_has_a_case_per_demand_and_per_drop() -> None:
    text = foveal.render(gated(), to="junit")
    suite = suite_of(text)
    assert (suite.name, suite.tests, suite.failures, suite.errors) == ("mine", 3, 2, 0)
    # The parser counts again; other readers take the numbers that are written.
    root = etree.fromstring(text.encode())
    for counted in (root, root[0]):
        written = [counted.get(name) for name in ("tests", "failures", "errors")]
        assert written == ["3", "2", "0"]
    held = {case.name: not case.result for case in cases_of(suite)}
    assert held == {"AP>=0.8": False, "AP>0.1": True, "AP not below the baseline": False}
    demand, _, drop = cases_of(suite)
    assert re.fullmatch(
        r"AP is 0\.6875 \(0\.\d{4} to 1\.0000\); worst topics: t0004 \(0\.0000\), t0002 \(0\.1000\)",
        demand.result[0].message,
    )
    assert re.fullmatch(
        r"AP is 0\.6875, 0\.2125 below the baseline's 0\.9000 \(p = 0\.\d{2}\);"
        r" lost most: t0004 \(0\.9000 → 0\.0000\), t0002 \(0\.9000 → 0\.1000\)",
        drop.result[0].message,
    )
    assert '<property name="max drop" value="0.1" />' in text


def test_junit_of_a_gate_that_holds_has_no_failure() -> None:
    suite = suite_of(foveal.render(gate(scores_of({"mine": AFTER}), "AP>=0.5"), to="junit"))
    assert (suite.tests, suite.failures) == (1, 0)


@given(NAMES)
def test_hostile_names_are_text_in_junit(name: str) -> None:
    text = foveal.render(gated(name), to="junit")
    suite = suite_of(text)
    expected = "".join(sign if in_xml(ord(sign)) else "\N{REPLACEMENT CHARACTER}" for sign in name)
    assert suite.name == expected
    assert [case.classname for case in cases_of(suite)] == [expected] * 3


@given(NAMES)
def test_hostile_names_stay_within_their_annotation(name: str) -> None:
    text = foveal.render(gated(name), to="github")
    lines = re.split(r"[\r\n]", text.removesuffix("\n"))
    found = [re.fullmatch(r"::(error|warning|notice) title=([^:,]*)::(.*)", row, re.DOTALL)
             for row in lines]  # fmt: skip
    assert all(found)
    errors = [row[3] for row in found if row and row[1] == "error"]
    assert len(errors) == 2
    for error in errors:
        plain = error.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
        assert plain.startswith(f"{name}: AP is 0.6875")


def test_annotations_are_errors_notes_and_a_notice() -> None:
    failing = foveal.render(gated(), to="github").splitlines()
    assert failing[0].startswith("::error title=AP>=0.8::mine: AP is 0.6875")
    assert failing[1].startswith("::error title=AP not below the baseline::mine: AP is 0.6875")
    assert failing[2].startswith("::warning title=foveal gate::AP>=0.8 does not hold, but")
    assert "95 %25 interval" in failing[2]
    holding = foveal.render(gate(scores_of({"mine": BEFORE}), "AP>=0.5"), to="github")
    assert holding == "::notice title=foveal gate::mine: the demand holds\n"


def test_titles_escape_what_ends_a_property() -> None:
    scores = scores_of({"mine": AFTER}, "AgP(S=bep,n=50)")
    text = foveal.render(gate(scores, "AgP(S=bep,n=50)>=0.8"), to="github")
    assert text.startswith("::error title=AgP(S=bep%2Cn=50)>=0.8::mine: AgP(S=bep,n=50) is 0.6875")


@pytest.mark.parametrize("form", FORMS)
def test_every_form_shows_a_gate(form: Form) -> None:
    shown = foveal.render(gated(), to=form)
    assert "AP" in shown
    for found in (gate(scores_of({"a": BEFORE}), "AP>=0"),
                  gate(scores_of({"a": BEFORE}), baseline=scores_of({"a": BEFORE}))):  # fmt: skip
        assert foveal.render(found, to=form)


def test_json_has_the_fixed_rows() -> None:
    found = json.loads(foveal.render(gated(), to="json"))
    assert not found["holds"]
    demand = ["measure", "run", "value", "low", "high", "demand", "holds"]
    assert [list(row) for row in found["demands"]] == [demand] * 2
    assert [list(row) for row in found["worst"]] == [["topic", "measure", "value"]] * 2
    assert found["demands"][0]["demand"] == "AP>=0.8"
    assert found["losses"][0] == {
        "topic": "t0004", "measure": "AP", "value": 0.0, "baseline": 0.9, "difference": -0.9,
    }  # fmt: skip


def test_text_says_what_fails_and_where() -> None:
    lines = str(gated()).splitlines()
    assert " ".join(lines[:2]).startswith(
        "2 of 3 demands do not hold. No difference shown between baseline and"
    )
    assert any(re.search(r"^AP>=0.8 +mine +0\.6875 .* FAILS$", line) for line in lines)
    assert any(re.search(r"^AP>0.1 +mine +0\.6875 .* holds$", line) for line in lines)
    assert "drop from the baseline, at most 0.1" in lines
    assert "the topics that lost most" in lines


@pytest.mark.parametrize("form", ["junit", "github"])
def test_only_gates_have_verdicts(form: str) -> None:
    with pytest.raises(UsageError, match=f"only a gate can be rendered as {form}"):
        foveal.render(scores_of({"mine": AFTER}), to=form)
    with pytest.raises(UsageError, match="only scores can be rendered as trec"):
        foveal.render(gated(), to="trec")
