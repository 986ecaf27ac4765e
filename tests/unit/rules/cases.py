"""For each rule of `check`, a run that breaks it and one that barely does not.

The tests use them, and so does the page of the documentation that explains the rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl

from foveal.choices import Order, Task
from foveal.elements import ElementLookup
from foveal.intake import Documents
from foveal.rules import Finding, task_findings
from foveal.tables import Origin, Qrels, Run, RunRows
from tests.articles import ELEMENTS

Row = dict[str, Any]
# As if a header came before the results.
FIRST_LINE = 11


def part(
    doc: str, start: int | None = 0, end: int | None = 10, topic: str = "t1", **more: float
) -> Row:
    return {"topic": topic, "doc": doc, "start": start, "end": end, **more}


def whole(doc: str, topic: str = "t1", **more: float) -> Row:
    return part(doc, None, None, topic, **more)


def judged(doc: str, topic: str = "t1", length: int | None = 100) -> Row:
    return {"topic": topic, "doc": doc, "length": length, "grade": 1}


def run_of(
    rows: list[Row],
    order: Order | None = None,
    form: str = "inex-xml",
    first: int = FIRST_LINE,
    states: str = "",
) -> Run:
    """A run whose first result is on a given line."""
    numbered = [{**row, "line": line} for line, row in enumerate(rows, first)]
    paths = [row.pop("path", None) for row in numbered]
    own = RunRows(
        frame=pl.DataFrame(numbered),
        name="mine",
        order=order,
        paths=pl.Series(paths) if any(paths) else None,
        about={"task": states},
    )
    return Run.of(own, origin=Origin("mine.run", format=form))


@dataclass(frozen=True)
class Case:
    """A run that breaks one rule, what is found in it, and a run that barely does not."""

    breaks: list[Row]
    found: list[tuple[int | None, str]]
    keeps: list[Row]
    task: Task | None = None
    qrels: list[Row] = field(default_factory=list)
    order: Order | None = None
    format: str = "inex-xml"
    topics: list[str] | None = None
    elements: ElementLookup | None = None
    docs: dict[str, str] | None = None
    count: str = "characters"
    states: str = ""

    def run(self, rows: list[Row], first: int = FIRST_LINE) -> Run:
        """The run in rows, compared with the documents if there are any."""
        run = run_of(rows, self.order, self.format, first, self.states)
        return run if self.docs is None else Documents(self.docs).audited(run, count=self.count)

    def findings(self, rule: str, run: Run) -> list[Finding]:
        """What breaks a rule in a run, by the case's task, judgements, topics and elements."""
        return [finding for finding in self.all_findings(run, self.task) if finding.rule == rule]

    def all_findings(self, run: Run, task: Task | None) -> list[Finding]:
        """What breaks any rule of a task in a run."""
        qrels = Qrels.from_dicts(self.qrels) if self.qrels else None
        return task_findings(run, qrels, task, elements=self.elements, topics=self.topics)


FISH = {"a": "One fish. Two fish. Red fish. One fish.", "b": "Zwölf Fische 🐟 im Meer."}


def said(doc: str, text: str, start: int | None = None, end: int | None = None) -> Row:
    return {**part(doc, start, end), "text": text}


CASES = {
    "too-many-results": Case(
        task=Task.THOROUGH,
        breaks=[part(f"d{i}") for i in range(1502)],
        found=[(1511, "topic 't1' has 1,502 results, more than 1,500")],
        keeps=[part(f"d{i}", topic=topic) for topic in ("t1", "t2") for i in range(1500)],
    ),
    "overlap": Case(
        task=Task.FOCUSED,
        breaks=[part("a", 0, 10), part("a", 9, 12), whole("a"), part("a", 20, 21)],
        found=[
            (line, "topic 't1', document 'a': overlaps an earlier result") for line in (12, 13, 14)
        ],
        keeps=[part("a", 0, 10), part("a", 10, 20), part("a", 5, 5), part("b"), part("a", -1, -1)],
    ),
    "scattered-document": Case(
        task=Task.RIC,
        breaks=[part("a"), part("b"), part("a", 10, 20), part("a", 20, 30), part("b", 10, 20)],
        found=[
            (13, "topic 't1', document 'a': its results are not next to each other"),
            (15, "topic 't1', document 'b': its results are not next to each other"),
        ],
        keeps=[part("a"), part("a", 10, 20), part("b"), part("a", topic="t2")],
    ),
    "repeated-document": Case(
        task=Task.BIC,
        breaks=[part("a", 3, 3), part("b", 3, 3), part("a", 4, 4)],
        found=[(13, "topic 't1', document 'a': the document has already been returned")],
        keeps=[part("a", 3, 3), part("b", 3, 3), part("a", 4, 4, "t2")],
    ),
    "restricted-topic": Case(
        task=Task.FOCUSED,
        states="Restricted Focused",
        breaks=[part("a", 0, 900), part("b", 0, 101), part("a", 0, 1001, "t2")],
        found=[
            (
                12,
                "2 topics with more than 1,000 characters, the limit of the restricted task, which the run"
                " states (`foveal check --fix --characters N` cuts)",
            )
        ],
        keeps=[
            part("a", 0, 900),
            part("b", 0, 82),
            part("c", -1, -1),
            part("a", 0, 1000, "t2"),
            whole("a", "t3"),
        ],
    ),
    "restricted-document": Case(
        task=Task.RIC,
        states="Restricted Relevant In Context",
        breaks=[part("a", 0, 500), part("b", 0, 400), part("b", 400, 501)],
        found=[
            (
                13,
                "1 document with more than 500 characters, the limit of the restricted task, which the run"
                " states (`foveal check --fix --characters N` cuts)",
            )
        ],
        keeps=[part("a", 0, 500), part("b", 0, 500), part("a", 0, 500, "t2")],
    ),
    "mixed-parts": Case(
        breaks=[part("a"), part("b"), whole("c"), part("d", 7, 7), part("e", 8, 8)],
        found=[(13, "the run mixes 2 spans, 1 whole document, 2 entry points")],
        keeps=[part("a"), part("b", 3, 4), part("c", -1, -1)],
    ),
    "scattered-topic": Case(
        breaks=[part("a"), part("a", topic="t2"), part("b"), part("c"), part("b", topic="t2")],
        found=[
            (
                13,
                "2 topics come in several blocks of lines (t1, t2): inex_eval does not see overlap"
                " between the blocks",
            )
        ],
        keeps=[part("a"), part("b"), part("a", topic="t2"), part("b", topic="t2")],
    ),
    "mixed-elements": Case(
        breaks=[
            {**part("9996", 25, 43), "path": "/article[1]/bdy[1]/sec[2]"},
            part("9996", 8, 12),
            part("9996", 0, 3),
            part("9996", 9, 9),
        ],
        found=[
            (
                12,
                "the run mixes 1 element and 2 passages: return one kind only (`foveal check --fix`"
                " writes all as passages)",
            )
        ],
        keeps=[
            {**part("9996", 25, 43), "path": "/article[1]/bdy[1]/sec[2]"},
            part("9996", 8, 25),
            part("9996", 9, 9),
            whole("22478"),
        ],
        elements=ELEMENTS,
    ),
    "partly-elements": Case(
        breaks=[part("9996", 25, 43), part("9996", 8, 12), part("9996", 0, 3), part("9996", 9, 9)],
        found=[
            (
                12,
                "1 part with the span of an element and 2 others without: does the run mix elements"
                " and passages?",
            )
        ],
        keeps=[part("9996", 25, 43), part("9996", 8, 25), part("9996", 9, 9), whole("22478")],
        elements=ELEMENTS,
    ),
    "unmapped-elements": Case(
        breaks=[part("a"), part("b", -1, -1), part("c", -1, -1)],
        found=[(12, "2 elements without known offsets")],
        keeps=[part("a"), part("b", 0, 0)],
    ),
    "no-offsets": Case(
        format="jsonl",
        breaks=[part("a"), part("b", -1, -1), {**whole("c"), "text": "abc"}],
        found=[(12, "2 results without offsets: give --docs DOCUMENTS to find the text")],
        keeps=[part("a"), {**part("b", 0, 3), "text": "abc"}],
    ),
    "rank-against-score": Case(
        breaks=[part("a", rank=2, score=3.0), part("b", rank=1, score=2.0)],
        found=[
            (11, "ranks and scores disagree: 1 result scored higher than the one ranked before")
        ],
        keeps=[
            part("a", rank=2, score=1.0),
            part("b", rank=1, score=1.0),
            part("c", rank=1, score=2.0),
            part("d", topic="t2", rank=3, score=9.0),
        ],
    ),
    "repeated-ranks": Case(
        breaks=[part("a", rank=1), part("b", rank=2), part("c", rank=1), part("d", rank=1)],
        found=[(13, "2 results with the same rank as an earlier result of the topic")],
        keeps=[part("a", rank=1), part("b", rank=2), part("c", topic="t2", rank=1)],
    ),
    "first-rank": Case(
        breaks=[
            part("a", rank=1),
            part("b", rank=0),
            part("a", topic="t2", rank=0),
            part("b", topic="t2", rank=1),
            part("a", topic="t3", rank=5),
            part("a", topic="t4", rank=1),
        ],
        found=[
            (
                12,
                "ranks begin at 0, 5 instead of 1 in 3 topics, which changes no score; `foveal"
                " check --fix` counts from 1",
            )
        ],
        keeps=[part("a", rank=3), part("b", rank=1), part("a", topic="t2", rank=1)],
    ),
    "file-order": Case(
        order=Order.FILE,
        breaks=[
            part("a", rank=1, score=3.0),
            part("b", rank=3, score=2.0),
            part("c", rank=2, score=2.0),
            part("d", rank=4, score=2.5),
        ],
        found=[
            (13, "results are ranked by line, which contradicts the rank or score of 2 results")
        ],
        keeps=[
            part("a", rank=1, score=3.0),
            part("b", rank=2, score=3.0),
            part("c", topic="t2", rank=1, score=9.0),
        ],
    ),
    "tied-scores": Case(
        breaks=[
            part("a", score=3.0),
            part("b", score=2.0),
            part("c", score=1.0),
            part("d", score=2.0),
            part("e", topic="t2", score=0.0),
            part("f", topic="t2", score=-0.0),
        ],
        found=[(12, "4 results with tied scores in 2 topics")],
        keeps=[part("a", score=3.0), part("b", score=2.0), part("a", topic="t2", score=3.0)],
    ),
    "missing-topics": Case(
        qrels=[judged("a", topic) for topic in ("t9", "t1", "t8", "t7", "t6", "t5", "t4")],
        breaks=[part("a")],
        found=[(None, "6 judged topics without results: t9, t8, t7, t6, t5, …")],
        keeps=[part("a", topic=f"t{number}") for number in (1, 4, 5, 6, 7, 8, 9)],
    ),
    "unknown-topic": Case(
        topics=["t1", "t2"],
        breaks=[part("a"), part("a", topic="t3"), part("b", topic="t3"), part("b", topic="T2")],
        found=[
            (12, "topic 't3' is not among the 2 topics given (t1, t2)"),
            (14, "topic 'T2' is not among the 2 topics given (t1, t2)"),
        ],
        keeps=[part("a"), part("a", topic="t2")],
    ),
    "unjudged-topics": Case(
        qrels=[judged("a")],
        breaks=[part("a"), part("a", topic="t2"), part("b", topic="t3"), part("b", topic="t2")],
        found=[(12, "2 unjudged topics: t2, t3")],
        keeps=[part("a")],
    ),
    "unjudged-documents": Case(
        qrels=[judged(f"d{number}") for number in range(10)] + [judged("d0", "t2")],
        # Topic t1: 1 document of 10, however often it returns; t2: 1 of 2; t3 is unjudged.
        breaks=[
            *(part(f"d{number}") for number in range(9)),
            part("d0", 10, 20),
            *(part("x", start, start + 10) for start in (0, 10, 20)),
            part("d9"),
            *(part(name, topic="t2") for name in ("d0", "x")),
            part("x", topic="t3"),
        ],
        found=[(21, "30.0 % of the documents in the top 10 are unjudged")],
        keeps=[*(part(f"d{number}") for number in range(10)), part("x"), part("x", topic="t3")],
    ),
    "past-document-end": Case(
        qrels=[judged("a"), judged("b", length=None)],
        breaks=[part("a", 90, 101), part("a", 100, 100), part("a", 102, 102)],
        found=[
            (11, "the part ends at 101, but document 'a' at 100"),
            (13, "the part ends at 102, but document 'a' at 100"),
        ],
        keeps=[
            part("a", 90, 100),
            part("b", 90, 101),
            part("c", 90, 101),
            part("a", 0, 101, "t2"),
            part("a", -1, -1),
            whole("a"),
        ],
    ),
    "lost-text": Case(
        docs=FISH,
        breaks=[said("a", "Two fish."), said("a", "Blue fish. Green fish.", 0, 9)],
        found=[
            (
                12,
                "the text is not in document 'a': is this the version that was split? 'Blue fish. Green"
                " fish.'",
            )
        ],
        keeps=[said("a", "Two\n  fish."), part("a", 0, 9)],
    ),
    "copied-text": Case(
        docs=FISH,
        breaks=[said("a", "One fish.")],
        found=[
            (
                11,
                "the text occurs 2 times in document 'a' (at 0 and 30): give all chunks in document"
                " order (--chunks FILE, in Python chunks= of from_hits), or take the first place"
                ' (--copies first, in Python copies="first")',
            )
        ],
        keeps=[said("a", "One fish.", 30, 39), said("a", "One fish. Two")],
    ),
    "unknown-document": Case(
        docs=FISH,
        breaks=[said("ab", "One fish."), part("zzz")],
        found=[
            (11, "document 'ab' is not one of the 2 documents given; did you mean 'b'?"),
            (12, "document 'zzz' is not one of the 2 documents given"),
        ],
        keeps=[said("texts/a.md", "Two fish."), part("b")],
    ),
    "offset-in-character": Case(
        docs=FISH,
        count="bytes",
        breaks=[part("b", 3, 6), part("b", 0, 28)],
        found=[
            (
                11,
                "3 to 6 is inside a character of document 'b' or beyond its end, if offsets count"
                " bytes",
            ),
            (
                12,
                "0 to 28 is inside a character of document 'b' or beyond its end, if offsets count"
                " bytes",
            ),
        ],
        keeps=[part("b", 2, 6), part("b", 0, 27), whole("b")],
    ),
    "shifted-offsets": Case(
        docs=FISH,
        breaks=[said("a", "Two fish.", 7, 16), said("a", "Red fish.", 21, 30)],
        found=[
            (11, "in document 'a' the text is 3 characters later than stated"),
            (12, "in document 'a' the text is 1 character earlier than stated"),
        ],
        keeps=[said("a", "Two fish.", 10, 19), said("a", "One fish.", 30, 39), part("a", 3, 9)],
    ),
    "offset-unit": Case(
        docs=FISH,
        breaks=[
            said("b", "im Meer", 19, 26),
            said("b", "Meer", 22, 26),
            said("b", "im Meer", 16, 23),
        ],
        found=[
            (
                11,
                "the offsets of 2 results count bytes, not characters: --count bytes converts them",
            ),
            (
                13,
                "the offsets of 1 result count utf16, not characters: --count utf16 converts them",
            ),
        ],
        keeps=[said("b", "im Meer", 15, 22), said("b", "im Meer")],
    ),
    "document-names": Case(
        docs=FISH,
        breaks=[part("a"), said("texts/b.md", "Meer"), said("texts/b.md", "im Meer")],
        found=[(12, "1 document named otherwise: 'texts/b.md' for 'b'")],
        keeps=[said("a", "Two fish."), part("unknown.md")],
    ),
    "missing-offsets": Case(
        docs=FISH,
        breaks=[said("a", "Two fish.", 10, 19), said("a", "Red fish."), said("a", "Two", -1, -1)],
        found=[(12, "2 results without offsets, found by the text")],
        keeps=[said("a", "Two fish.", 10, 19), whole("b")],
    ),
    "blank-edges": Case(
        docs=FISH,
        breaks=[said("a", "Two fish.", 9, 20), said("a", "Red fish.", 20, 30)],
        found=[
            (11, "the offsets of 2 results differ from the text by blanks at its edges"),
        ],
        keeps=[said("a", " Two fish. ", 9, 20), said("a", "Red fish.", 20, 29)],
    ),
    "unproven-place": Case(
        docs=FISH,
        breaks=[said("a", "Two fish.", 10, 19), said("a", "One fish.", 30, 39)],
        found=[(12, "1 result at one of several places of the text: the stated one is taken")],
        keeps=[said("a", "Two fish.", 10, 19), said("a", "One fish.")],
    ),
    "rising-scores": Case(
        docs=FISH,
        order=Order.FILE,
        breaks=[part("a", score=0.1), part("b", score=0.1), part("a", 10, 20, score=0.2)],
        found=[(None, "scores rise down the list in 1 of 1 topic: distances?")],
        keeps=[part("a", score=0.1), part("b", score=0.3), part("a", 10, 20, score=0.2)],
    ),
    "repeated-part": Case(
        docs=FISH,
        breaks=[part("a", 10, 19), said("a", "Two fish."), part("a", 10, 19, "t2")],
        found=[(12, "1 result with the place of an earlier result of the topic")],
        keeps=[part("a", 10, 19), part("a", 10, 18), part("b", 10, 19), whole("a")],
    ),
}
