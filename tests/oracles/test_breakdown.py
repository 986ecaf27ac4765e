"""Rows per document and per result against a twin that counts characters one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import polars as pl
from hypothesis import assume, given, note
from hypothesis import strategies as st

from foveal.choices import Overlap, Task, TopicSet
from foveal.evaluation import evaluate
from tests.examples import examples
from tests.oracles.brute_force import (
    Character,
    DocumentScore,
    Topic,
    disjoint,
    evaluated_topics,
    topic_twins,
)
from tests.oracles.test_inex_eval_conventions import official_worlds, twins
from tests.strategies import World, worlds

TOLERANCE = 1e-12
SCORES = [DocumentScore(kind) for kind in ("P", "R", "F", "bep", "t2i")]
OFFICIAL = [
    DocumentScore(kind, beta=Fraction(1, 4), n=500) for kind in ("P", "R", "F", "bep", "t2i")
]
Row = list[Any]


def document_rows(read: Mapping[str, Topic], scores: Sequence[DocumentScore] = SCORES) -> list[Row]:
    """Run, topic, doc, rank, relevant, size, rsize and scores of every document."""
    rows: list[Row] = []
    for name in sorted(read):
        topic = read[name]
        for rank, doc in enumerate(topic.documents, start=1):
            both = zip(topic.parts, topic.flags, strict=True)
            flags = [flag for part, own in both if part.doc == doc for flag in own]
            relevant = topic.relevant_size(doc) > 0
            found = [topic.score(doc, score) for score in scores]
            rows.append(["mine", name, doc, rank, relevant, len(flags), sum(flags), *found])
    return rows


def result_rows(read: Mapping[str, Topic]) -> list[Row]:
    """Run, topic, rank, doc, size, rsize, relevance, and precision and recall so far."""
    rows: list[Row] = []
    for name in sorted(read):
        topic = read[name]
        for rank, (part, flags) in enumerate(zip(topic.parts, topic.flags, strict=True), start=1):
            so_far = topic.read_until(rank)
            shares = [topic.precision(flags), topic.precision(so_far), topic.recall(so_far)]
            rows.append(["mine", name, rank, part.doc, len(flags), sum(flags), *shares])
    return rows


def places(read: Mapping[str, Topic]) -> list[tuple[int | None, int | None]]:
    """Where every part starts and ends."""
    found: list[tuple[int | None, int | None]] = []
    for name in sorted(read):
        for part in read[name].parts:
            text: tuple[Character, ...] = part.text
            end = None if part.start is None else part.start + len(text)
            found.append((part.start, end))
    return found


def assert_same(found: pl.DataFrame, expected: list[Row]) -> None:
    assert found.height == len(expected)
    for own, other in zip(found.rows(), expected, strict=True):
        for value, wanted in zip(own, other, strict=True):
            if isinstance(wanted, Fraction):
                assert abs(value - float(wanted)) <= TOLERANCE, (own, other)
            else:
                assert value == wanted, (own, other)


def assert_rows(world: World, read: Mapping[str, Topic], **choices: Any) -> None:
    scores = evaluate(world.qrels, world.run, "charR", **choices)
    assert_same(scores.documents(), document_rows(read))
    results = scores.results()
    assert_same(results.drop("start", "end"), result_rows(read))
    assert results.select("start", "end").rows() == places(read)


@given(world=worlds(), topics=st.sampled_from(TopicSet))
@examples(60)
def test_rows_hold_what_a_reader_counts(world: World, topics: TopicSet) -> None:
    assume(evaluated_topics(world, topics))
    for overlap in Overlap:
        if overlap is not Overlap.REFUSE:
            note(f"overlap {overlap}")
            read = topic_twins(world, overlap=overlap, topics=topics)
            assert_rows(world, read, overlap=overlap, topics=topics)


@given(world=worlds())
@examples(40)
def test_rows_of_runs_without_overlap_hold_what_a_reader_counts(world: World) -> None:
    kept = disjoint(world)
    # A run of whole documents only may not repeat one, even an empty one.
    assume(any(result.start is not None for result in kept))
    world = replace(world, results=kept)
    assert_rows(world, topic_twins(world, overlap="repeat"), overlap="refuse")


@given(data=st.data(), task=st.sampled_from([Task.FOCUSED, Task.THOROUGH, Task.RIC, Task.BIC]))
@examples(60)
def test_rows_follow_the_conventions_of_the_official_program(
    data: st.DataObject, task: Task
) -> None:
    world = data.draw(official_worlds(overlap=task is Task.THOROUGH))
    read = twins(world, task, "retrieved")
    assume(read)
    scores = evaluate(world.stated_qrels, world.run, "charR", like="inex_eval", task=task)
    assert_same(scores.documents(), document_rows(read, OFFICIAL))
    assert_same(scores.results().drop("start", "end"), result_rows(read))
