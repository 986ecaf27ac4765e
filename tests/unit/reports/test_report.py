"""What a report says in words, and how its page is filled."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foveal
from foveal.errors import UsageError
from foveal.measures import record_of
from foveal.reports.report import report_blocks as contents
from foveal.reports.report.report_figures import _precision_title, _recall_title
from foveal.studies import DemoWorld
from tests.report_pages import ReadPage

CONTEXTS = [
    contents.Paragraphs, contents.TableBlock, contents.PlainTable, contents.TablePair, contents.FigureBlock,
    contents.Cell, contents.BoardRow, contents.Board, contents.LegendEntry, contents.Legend, contents.FactsBlock,
    contents.Section, contents.ReportPage,
]  # fmt: skip
TEST = "Test over {} topics: randomization, two-tailed, alpha 0.05, {}."
CORRECTED = "corrected for all pairs (holm), 100,000 resamples"
DRAWN = "100,000 resamples"


def _report(ranks: dict[str, list[int]], *measures: str, **words: Any) -> foveal.Report:
    """The report of runs that return the one relevant document of each topic at these ranks."""
    topics = range(len(next(iter(ranks.values()))))
    qrels = {f"t{topic}": {"good": 1} for topic in topics}
    runs = {
        name: {
            f"t{topic}": {f"bad{place}": 100.0 - place for place in range(1, own[topic])}
            | {"good": 100.0 - own[topic]}
            for topic in topics
        }
        for name, own in ranks.items()
    }
    return foveal.report(qrels, runs, list(measures) or ["RR"], **words)


def test_one_run_is_not_compared() -> None:
    found = _report({"a": [1, 2]})
    assert found.verdict == ["a scores 0.750 by RR over 2 topics (95 % 0.000 to 1.000)."]
    assert found.comparison is None
    assert {"pairs", "measures"}.isdisjoint(ReadPage.of(found.page()).sections)


def test_a_run_that_is_better_on_every_topic_is_told_apart() -> None:
    assert _report({"b": [4] * 20, "a": [1] * 20}).verdict == [
        "a is best: RR 1.000, 0.750 above b.",
        TEST.format(20, DRAWN),
    ]


def test_runs_that_cannot_be_told_apart_are_named() -> None:
    ranks = {"a": [1, 2] * 10, "b": [2, 1] * 9 + [2, 2], "c": [9] * 20, "d": [10] * 20}
    found = _report(ranks)
    # a: (10 + 10/2)/20; b: 9 + 9/2 + 2/2 over 20.
    assert found.verdict[0].startswith(
        "No single winner: a and b share the top (RR 0.725 to 0.750); 20 topics could show 0."
    )
    assert found.verdict[1] == TEST.format(20, CORRECTED)
    (board,) = ReadPage.of(found.page()).tables("leaderboard")
    letters = {row["run"]: row["letters"] for row in board}
    assert letters == {"a": "a", "b": "a", "c": "b", "d": "c"}


def test_no_run_is_told_apart_by_one_topic() -> None:
    found = _report({"a": [1], "b": [2], "c": [3]})
    assert (
        found.verdict[0] == "One topic shows nothing about others: RR 0.333 to 1.000, not tested."
    )
    found.page()


def test_runs_that_share_the_best_score_share_the_first_rank() -> None:
    found = _report({"c": [5] * 20, "b": [1] * 20, "a": [1] * 20})
    assert found.verdict[0].startswith("No single winner: a and b share the top (RR 1.000")
    assert "c" not in found.verdict[0].replace("could", "").split()
    assert found.ranks == {"a": 1, "b": 1, "c": 3}


def test_runs_that_all_score_the_same_have_no_best() -> None:
    assert _report({"a": [2] * 5, "b": [2] * 5}).verdict == [
        "a and b are identical on all 5 topics by RR: 0.500.",
        TEST.format(5, "exact"),
    ]
    assert _report({"a": [2] * 3, "b": [2] * 3, "c": [2] * 3}).verdict[0] == (
        "All 3 runs are identical on all 3 topics by RR: 0.500."
    )
    assert "not tested" in _report({"a": [2], "b": [2], "c": [2]}).verdict[0]


def test_where_less_is_better_the_lowest_is_best() -> None:
    found = _report({"a": [4] * 20, "b": [1] * 20, "c": [3] * 20}, "Unjudged@5")
    # Of five documents none, two and three are not judged.
    assert found.verdict[0] == "b is best: Unjudged@5 0.000, 0.400 below c."
    assert found.verdict[1] == TEST.format(20, CORRECTED)
    assert found.ranks == {"b": 1, "c": 2, "a": 3}


def test_another_best_run_by_another_measure_is_said() -> None:
    found = _report({"a": [1, 1, 1, 9], "b": [2, 2, 2, 2]}, "RR", "P@2")
    assert found.verdict[-1] == "Other measures put another run first: b by P@2."


def test_counts_compare_nothing() -> None:
    found = _report({"a": [1, 1], "b": [3, 3]}, "num_ret")
    assert found.verdict == [
        "No measure tells which run is best: num_ret is not a mean over topics."
    ]
    assert ReadPage.of(found.page()).board()["b"]["num_ret"] == ("6", 6.0)
    assert list(found.ranks.items()) == [("b", 1), ("a", 2)]


def test_runs_on_different_topics_are_ranked_on_those_of_all() -> None:
    qrels = {f"t{topic}": {"good": 1} for topic in range(10)}
    runs = {
        "early": {f"t{topic}": {"good": 1.0} for topic in range(6)},
        "late": {
            f"t{topic}": {"bad": 2.0 if topic < 6 else 0.5, "good": 1.0} for topic in range(4, 10)
        },
    }
    found = foveal.report(qrels, runs, "RR", topics="retrieved")
    told = "No difference shown between early and late: RR 1.000 and 0.500 (difference 0.500)"
    assert found.verdict[0].startswith(told)
    assert found.verdict[1] == TEST.format(2, "exact")
    words = ReadPage.of(found.page()).words("leaderboard")
    assert "sorted by RR over the 2 topics that all runs answer" in words


def _curves(**values: list[float]) -> list[tuple[str, np.ndarray]]:
    return [(name, np.array(own)) for name, own in values.items()]


@pytest.mark.parametrize(
    ("curves", "title"),
    [
        (_curves(a=[0.9, 0.5], b=[0.8, 0.4]), "a is the most precise at every level of recall"),
        (
            _curves(a=[0.9, 0.5, 0.1], b=[0.8, 0.6, 0.3]),
            "b is the most precise at 2 of 3 levels of recall, a at 1",
        ),
        (
            _curves(a=[0.9, 0.0], b=[0.8, 0.0]),
            "a is the most precise at every level of recall that runs reach",
        ),
        (
            _curves(a=[0.9, 0.5], b=[0.1, 0.2], c=[0.9, 0.5]),
            "a and c are the most precise at every level of recall",
        ),
        (
            _curves(a=[0.9, 0.5], b=[0.9, 0.5], c=[0.9, 0.5]),
            "a and 2 other runs are the most precise at every level of recall",
        ),
        (_curves(a=[0.9, 0.25]), "Precision of a falls from 0.90 to 0.25"),
        (_curves(a=[0.9, 0.9]), "Precision of a is 0.90 at every level of recall"),
        (_curves(a=[0.0, 0.0], b=[0.0, 0.0]), "No run finds anything relevant"),
    ],
)
def test_the_title_of_the_curves_says_who_leads(
    curves: list[tuple[str, np.ndarray]], title: str
) -> None:
    assert _precision_title(curves) == title


@pytest.mark.parametrize(
    ("readings", "title"),
    [
        (
            _curves(a=[0.2, 0.5], b=[0.1, 0.7]),
            "After 500 characters a has found most (recall 0.20), after 1,000 b (0.70)",
        ),
        (
            _curves(a=[0.2, 0.8], b=[0.1, 0.7]),
            "After 500 characters as after 1,000, a has found most (recall 0.20 and 0.80)",
        ),
        (_curves(a=[0.2, 0.8]), "Recall of a is 0.20 after 500 and 0.80 after 1,000 characters"),
        (_curves(a=[0.0, 0.8]), "Recall of a is 0.80 after 1,000 characters"),
        (_curves(a=[0.0], b=[0.0]), "No run finds any highlighted text"),
    ],
)
def test_the_title_of_the_readings_says_who_has_found_most(
    readings: list[tuple[str, np.ndarray]], title: str
) -> None:
    assert _recall_title(readings, (500, 1000)[: len(readings[0][1])]) == title


def test_a_topic_without_highlights_counts_as_nothing_found_in_the_readings() -> None:
    highlighted = {"topic": "1", "doc": "a", "length": 36, "highlights": [[2, 4]]}
    graded = {"topic": "3", "doc": "b", "length": 90, "grade": 1}
    qrels = foveal.Qrels.from_dicts([highlighted, graded])
    runs = [
        foveal.Run.from_dicts([{"topic": "1", "doc": doc, "start": 1, "end": 9}], name=doc)
        for doc in "ac"
    ]
    found = foveal.report(qrels, runs)
    assert found.readings is not None
    assert found.readings[:, 0].tolist() == [0.5, 0.0]
    caption = "After 500 characters as after 64,000, a has found most (recall 0.50 and 0.50)"
    assert caption in found.page().decode()
    assert "NaN" not in foveal.render(found, "json")


def test_the_template_shows_every_field_of_its_contexts(
    whole_demo: DemoWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: set[tuple[str, str]] = set()

    def noted(self: object, name: str) -> Any:
        read.add((type(self).__name__, name))
        return object.__getattribute__(self, name)

    found = foveal.report(whole_demo.qrels, whole_demo.runs[:5], task="ric")
    for context in CONTEXTS:
        monkeypatch.setattr(context, "__getattribute__", noted)
    found.page()
    assert {(context.__name__, one.name) for context in CONTEXTS for one in fields(context)} <= read
    known = {name for name in vars(contents) if name[0].isupper() and name != "Any"}
    assert {context.__name__ for context in CONTEXTS} == {
        name for name in known if hasattr(getattr(contents, name), "__dataclass_fields__")
    }


def test_the_legend_says_what_the_records_say() -> None:
    found = ReadPage.of(_report({"a": [1]}, "RR", "P@5").page())
    words = found.words("legend")
    for name in ("RR", "P@5"):
        record = record_of(name)
        for told in (name, record.title, record.sentence, record.advice):
            assert " ".join(told.split()) in words
    assert len(list(found.root.get_element_by_id("legend").iter("math"))) == 2


HOSTILE = {
    "script": "<script>alert(1)</script>",
    "end": "</script><img src=x onerror=alert(2)>",
    "quotes": "\"'`&quot; onmouseover=alert(3)",
    "turned": "\u202egnp.txt\u2066",
    "control": "a\x00b\x1bc",
    "template": "{{ 7 * 7 }}{% raw %}",
    "comment": "<!-- -->]]></title></style>",
}


def test_hostile_names_are_text_and_no_tags() -> None:
    ranks = {name: [1 + place % 3, 2] for place, name in enumerate(HOSTILE.values())}
    plain = {name: [1 + place % 3, 2] for place, name in enumerate(HOSTILE)}
    titles = {"t0": HOSTILE["end"], "t1": HOSTILE["turned"]}
    page = _report(ranks, titles=titles, groups={"t0": HOSTILE["script"], "t1": "x"}).page()
    read = ReadPage.of(page)
    expected = ReadPage.of(
        _report(plain, titles={"t0": "a", "t1": "b"}, groups={"t0": "y", "t1": "x"}).page()
    )
    count = {tag: len(list(expected.root.iter(tag))) for tag in ("script", "img", "style", "td")}
    assert {tag: len(list(read.root.iter(tag))) for tag in count} == count
    runs = set(read.board())
    assert {HOSTILE["script"], HOSTILE["end"], HOSTILE["quotes"], HOSTILE["template"]} <= runs
    assert {"\ufffdgnp.txt\ufffd", "a\ufffdb\ufffdc"} <= runs
    text = page.decode()
    assert not {"\x00", "\x1b", "\u202e", "\u2066"} & set(text)
    data = text.split('id="data">')[1].split("</script>")[0]
    assert "<" not in data
    assert HOSTILE["script"] in json.loads(data)["figures"]["curves-figure"]["runs"]


def test_a_name_of_ten_thousand_characters_is_shown_by_its_ends() -> None:
    name = "<" + "x" * 9_998 + ">"
    page = _report({name: [1, 2], "b": [2, 2]}).page()
    (shown,) = [run for run in ReadPage.of(page).board() if run != "b"]
    assert shown == f"<{'x' * 59}…{'x' * 59}>"


def test_a_name_that_is_not_unicode_is_refused() -> None:
    with pytest.raises(UsageError, match=r"a run's name must be valid Unicode, got 'lone\\ud800'"):
        _report({"lone\ud800": [1]})


def test_an_unknown_study_is_refused() -> None:
    with pytest.raises(UsageError, match="studies must be fidelity or stability, got 'x'"):
        _report({"a": [1]}, studies=["x"])


def test_an_unknown_keyword_is_refused_with_one_that_is_like_it() -> None:
    with pytest.raises(UsageError, match="unknown keyword 'alfa'"):
        _report({"a": [1]}, alfa=0.1)


def test_a_report_can_be_saved_printed_and_shown_in_a_notebook(tmp_path: Path) -> None:
    found = _report({"a": [1, 1], "b": [2, 2]}, alpha=0.1, correct="none", test="t")
    found.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == found.page()
    for shown in (str(found), found._repr_html_()):
        told = " ".join(shown.split())
        assert "No difference shown between a and b: RR 1.000 and 0.500 (difference 0.500)" in told
        assert "alpha 0.1." in shown
    assert "<table>" in found._repr_html_()
    assert "<script" not in found._repr_html_()
    assert repr(found) == "<Report: 2 runs, 1 measure, 2 topics>"


def test_a_study_that_cannot_be_made_is_noted() -> None:
    found = _report({"a": [1, 2, 3]}, studies=["stability"])
    assert found.stability is None
    assert "stability is left out: it needs two runs or more" in found.notes[-1]
    assert "stability is left out" in str(found).replace("\n", " ")


def test_rows_that_name_assessors_say_how_far_these_agree() -> None:
    rows = [
        {"topic": "1", "doc": "a", "length": 100, "highlights": [[0, end]], "assessor": name}
        for name, end in (("<i>ann</i>", 20), ("bob\u202e", 10))
    ]
    runs = {"one": [{"topic": "1", "doc": "a", "start": 0, "end": 10, "rank": 1}]}
    expected = foveal.agree_assessors(rows)
    for given in (rows, iter(rows)):
        found = foveal.report(given, runs)
        assert found.assessors is not None
        assert found.assessors.pairs.equals(expected.pairs)
        assert "<i>ann</i> and bob" in ReadPage.of(found.page()).words("assessors")
        assert "assessors: one topic says nothing about others" in " ".join(found.notes)
    # Judgements that were united name nobody, nor do those of one person.
    united = foveal.Qrels.from_dicts(rows)
    for alone in (foveal.report(united, runs), foveal.report(rows[:1], runs)):
        assert alone.assessors is None
        assert "assessors" not in ReadPage.of(alone.page()).sections
