"""The conventions of the official INEX program against a twin that counts characters one by one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from foveal.choices import Order, Task
from foveal.errors import DataError, OverlapFound
from foveal.evaluation import Scores, evaluate
from tests.examples import examples
from tests.oracles.brute_force import (
    ARTICLES,
    COUNTS,
    ZERO,
    Character,
    DocumentScore,
    Read,
    Topic,
    Twin,
    characters,
    disjoint,
    evaluated_topics,
    judged_documents,
)
from tests.strategies import Judgement, Result, World, worlds

TOLERANCE = 1e-12
F = DocumentScore("F", beta=Fraction(1, 4))
BEP = DocumentScore("bep", n=500)


class Official(Topic):
    """A topic as the official program sees it."""

    @cached_property
    def places(self) -> dict[str, set[int]]:
        """Text beyond a document's length is irrelevant, even where a passage reaches there."""
        return {doc: j.highlighted & set(range(j.length)) for doc, j in self.judged.items()}

    def relevant_size(self, doc: str) -> int:
        """Trel(d) is what the file states, whatever its passages add up to."""
        return (self.judged[doc].stated_size or 0) if doc in self.judged else 0

    def reaches(self, recall: Fraction, level: Fraction) -> bool:
        """Recall levels are whole percents, cut off in doubles.

        More text found than the file states lies beyond the last level, and so on none.
        """
        return 100 >= math.floor(100 * float(recall)) >= 100 * level

    def gp(self, rank: int, score: DocumentScore) -> Fraction:
        """Beyond the end of the list gP keeps its last value."""
        return super().gp(min(rank, len(self.documents)), score) if self.documents else ZERO


NO_TEXT: dict[str, Twin] = {"ret_size": lambda t: ZERO, "rel_ret_size": lambda t: ZERO}


def others(rank: int, level: Fraction, irr: int) -> dict[str, Twin]:
    """Measures whose defaults the conventions change, with the parameters that say so."""
    x = f"{float(level):.3f}"
    t2i = DocumentScore("t2i", irr=irr)
    return {
        "charP": lambda t: t.precision(t.everything),
        "charR": lambda t: t.recall(t.everything),
        "charF": lambda t: t.f(t.everything),
        f"cP@{rank}": lambda t: t.precision(t.read_until(rank)),
        f"iP[{x}]": lambda t: t.interpolated(t.curve, level),
        "AiP": lambda t: t.averaged(t.curve),
        "cAP": lambda t: t.average_precision,
        f"gP@{rank}": lambda t: t.gp(rank, F),
        f"gP(S=bep)@{rank}": lambda t: t.gp(rank, BEP),
        f"gR@{rank}": lambda t: t.gr(rank),
        f"gRt@{rank}": lambda t: t.grt(rank),
        f"igP[{x}]": lambda t: t.interpolated(t.gp_over_gr(F), level),
        f"igPt(S=bep)[{x}]": lambda t: t.interpolated(t.gp_over_grt(BEP), level),
        "AgP": lambda t: t.agp(F),
        "AgP(S=bep)": lambda t: t.agp(BEP),
        "AgP(beta=1)": lambda t: t.agp(DocumentScore("F")),
        "AgP(S=bep,A=0.1)": lambda t: t.agp(DocumentScore("bep")),
        f"AgP(S=t2i,irr={irr})": lambda t: t.agp(t2i),
        "AgP(S=ranked)": lambda t: t.agp(DocumentScore("ranked")),
        "AgPt": lambda t: t.agpt(F),
        "AgPt2": lambda t: t.agpt2(F),
        "iAgP": lambda t: t.averaged(t.gp_over_gr(F)),
        "iAgPt(S=bep)": lambda t: t.averaged(t.gp_over_grt(BEP)),
    }


@st.composite
def official_worlds(draw: st.DrawFn, *, overlap: bool = False) -> World:
    """Worlds in line order that state relevant sizes; parts and passages reach beyond the text."""
    world = draw(worlds(beyond=8, order=Order.FILE))
    stated = [_stated(draw, judged) for judged in world.judgements]
    kept = world.results if overlap else disjoint(world)
    return replace(world, judgements=tuple(stated), results=kept, split_rows=False)


def _stated(draw: st.DrawFn, judged: Judgement) -> Judgement:
    size = len(judged.highlighted)
    if not size:
        return replace(judged, stated_size=0)
    *others, (start, end) = judged.passages
    passages = (*others, (start, end + draw(st.sampled_from([0, 0, 4]))))
    stated = max(1, size + draw(st.sampled_from([0, 0, 0, 1, -1, 5])))
    return replace(judged, passages=passages, stated_size=stated, entry=judged.entry or 0)


def twins(world: World, task: Task, topics: str) -> dict[str, Official]:
    """Every evaluated topic, read as the program reads it."""
    read = {}
    for name in evaluated_topics(world, topics):
        judged = judged_documents(world, name)
        parts = []
        met: set[Character] = set()
        for result in world.results:
            if result.topic != name:
                continue
            text = characters(result, judged)
            relevant = result.doc in judged and (judged[result.doc].stated_size or 0) > 0
            if task is Task.THOROUGH and relevant:
                text = tuple(c for c in text if c[1] is None or c not in met)
            met |= set(text)
            start = {None: 0, -1: None}.get(result.start, result.start)
            parts.append(Read(result.doc, start, text))
        read[name] = Official(judged, parts)
    return read


def assert_agreement(
    scores: Scores, expected: Mapping[str, Official], measures: Mapping[str, Twin]
) -> None:
    found = {row["topic"]: row for row in scores.topics.iter_rows(named=True)}
    assert sorted(found) == sorted(expected)
    assert len(scores.measures) == len(measures)
    for column, twin in zip(scores.measures, measures.values(), strict=True):
        wrong = [
            (name, found[name][column], float(twin(read)))
            for name, read in expected.items()
            if not abs(found[name][column] - float(twin(read))) <= TOLERANCE
        ]
        assert not wrong, column


def assert_totals(
    scores: Scores, world: World, expected: Mapping[str, Official], task: Task
) -> None:
    overall = scores.overall.row(0, named=True)
    measures = COUNTS | (NO_TEXT if task is Task.BIC else {})
    for name, twin in measures.items():
        total = sum((twin(read) for read in expected.values()), ZERO)
        if task in {Task.RIC, Task.BIC} and name in {"num_rel", "rel_size"}:
            stated = [judged.stated_size or 0 for judged in world.judgements]
            total = Fraction(
                sum(stated) if name == "rel_size" else sum(size > 0 for size in stated)
            )
        assert overall[name] == total, name
    for name, twin in ARTICLES.items():
        mean = sum((twin(read) for read in expected.values()), ZERO) / len(expected)
        assert abs(overall[name] - float(mean)) <= TOLERANCE, name


@given(
    data=st.data(),
    task=st.sampled_from([Task.FOCUSED, Task.THOROUGH, Task.RIC, Task.BIC]),
    topics=st.sampled_from([None, None, "judged", "retrieved"]),
    rank=st.integers(1, 8),
    level=st.integers(0, 200).map(lambda point: Fraction(point, 200)),
    irr=st.integers(1, 50),
)
@examples(100)
def test_the_official_conventions_count_what_their_reader_counts(
    data: st.DataObject, task: Task, topics: str | None, rank: int, level: Fraction, irr: int
) -> None:
    world = data.draw(official_worlds(overlap=task is Task.THOROUGH))
    expected = twins(world, task, topics or "retrieved")
    measures = COUNTS | ARTICLES | others(rank, level, irr)
    if task is Task.BIC:
        measures |= NO_TEXT
    qrels, run = world.stated_qrels, world.run
    note(f"task {task}")
    if not expected:
        with pytest.raises(DataError, match="none of its topics"):
            evaluate(qrels, run, list(measures), like="inex_eval", task=task, topics=topics)
        return
    scores = evaluate(qrels, run, list(measures), like="inex_eval", task=task, topics=topics)
    assert_agreement(scores, expected, measures)
    assert_totals(scores, world, expected, task)


def one_document(length: int, highlighted: int, stated: int | None = None) -> World:
    stated = highlighted if stated is None else stated
    return World((Judgement("t1", "d1", length, 0, ((0, highlighted),), stated),), ())


def value(world: World, measure: str, task: str = "focused", **options: Any) -> float:
    scores = evaluate(
        world.stated_qrels, world.run, measure, like="inex_eval", task=task, **options
    )
    return float(scores.overall.row(0)[1])


def test_a_recall_level_is_cut_off_in_doubles() -> None:
    shares = {f"t{found}": found for found in range(1, 101)}
    world = World(
        tuple(Judgement(topic, "d1", 100, 0, ((0, 100),), 100) for topic in shares),
        tuple(Result(topic, "d1", 0, found) for topic, found in shares.items()),
    )
    levels = [f"iP[{point / 100:.2f}]" for point in range(101)]
    scores = evaluate(world.stated_qrels, world.run, levels, like="inex_eval", task="focused")
    for row in scores.topics.iter_rows(named=True):
        reached = math.floor(100 * (shares[row["topic"]] / 100))
        expected = [1.0] * (reached + 1) + [0.0] * (100 - reached)
        assert [row[name] for name in levels] == expected, row["topic"]


def test_29_of_100_characters_reach_only_28_percent() -> None:
    world = replace(one_document(100, 100), results=(Result("t1", "d1", 0, 29),))
    assert (value(world, "iP[0.28]"), value(world, "iP[0.29]")) == (1, 0)


@pytest.mark.parametrize(("order", "precision"), [(Order.RANK, 1), (Order.SCORE, 0)])
def test_lines_are_read_in_the_order_of_the_file_unless_an_order_is_asked_for(
    order: Order, precision: float
) -> None:
    low_first = (Result("t1", "d1", 0, 10, key=1), Result("t1", "u1", 0, 10, key=9))
    for results in (low_first, low_first[::-1]):
        world = replace(one_document(10, 10), results=results, order=order)
        assert value(world, "cP@1") == (results[0].doc == "d1")
        assert value(world, "cP@1", order=order.value) == precision


@pytest.mark.parametrize("task", ["focused", "ric", "bic"])
def test_overlap_is_refused_outside_thorough(task: str) -> None:
    results = (Result("t1", "d1", 0, 10), Result("t1", "d1", 9, 12))
    world = replace(one_document(20, 10), results=results)
    with pytest.raises(OverlapFound):
        value(world, "charP", task)
    assert value(world, "charP", "thorough") == pytest.approx(10 / 12)
    assert value(world, "charP", task, overlap="repeat") == pytest.approx(11 / 13)


def test_an_explicit_overlap_holds_in_documents_without_highlights_too() -> None:
    results = (Result("t1", "d1", 0, 10), Result("t1", "u1", 0, 10), Result("t1", "u1", 0, 10))
    world = replace(one_document(20, 10), results=results)
    assert value(world, "charP", "thorough") == pytest.approx(10 / 30)
    assert value(world, "charP", "thorough", overlap="once") == pytest.approx(10 / 20)


def test_text_beyond_the_length_is_refused_only_by_the_paper_s_conventions() -> None:
    world = replace(one_document(10, 10), results=(Result("t1", "d1", 0, 40),))
    assert value(world, "charP") == pytest.approx(1 / 4)
    with pytest.raises(DataError):
        evaluate(world.stated_qrels, world.run, "charP")


def test_an_unmapped_element_is_18_irrelevant_characters_and_no_entry_point() -> None:
    world = replace(one_document(10, 10), results=(Result("t1", "d1", -1, -1),))
    assert value(world, "ret_size") == 18
    assert value(world, "charP") == 0
    assert value(world, "gP(S=bep)@1", "bic") == 0
