"""What records claim of their measures holds: which answers they score, and what relevance is.

A claim that something never matters is tried on random worlds; a claim that it does matter must
show in a world of our own, whose topics differ only in what is varied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, fields, replace
from itertools import islice, permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.choices import Answers, Order
from foveal.evaluation import evaluate
from foveal.measures import (
    DOCUMENT_SCORES,
    REGISTRY,
    Record,
    Relevance,
    Unit,
    Variant,
    parse,
    variants,
)
from foveal.measures._parameters import Cutoff
from foveal.tables import Qrels, Run
from tests.aspects import with_document_aspects
from tests.each import each
from tests.examples import examples
from tests.inex import inex_run
from tests.strategies import Judgement, Result, World, chunk_list, worlds

TOLERANCE = 1e-12
ATOMIC = {Answers.SINGLE, Answers.SET, Answers.RANKED}
COMPOUND = set(Answers) - ATOMIC
VARIANTS = [variant for record in REGISTRY.values() for variant in variants(record)]
# A relevance level can make a graded measure binary, so it is one more way to ask for it.
WITH_LEVEL = [
    Variant(parse(f"{record.name}(rel=1)"))
    for record in REGISTRY.values()
    if record.relevance is Relevance.GRADED and "rel" in {own.name for own in record.parameters}
]
WAYS = [*VARIANTS, *WITH_LEVEL]
some = examples(20)

Row = dict[str, Any]
# Documents are longer than what the reader of S=t2i bears, and d5 is relevant and not returned.
JUDGED: list[Row] = [
    {"doc": "d1", "length": 900, "entry": 10, "highlights": [[10, 40], [600, 700]], "grade": 2},
    {"doc": "d2", "length": 500, "entry": 0, "highlights": [[0, 20]], "grade": 1},
    {"doc": "d3", "length": 800, "entry": None, "highlights": [], "grade": 0},
    {"doc": "d4", "length": 2000, "entry": 150, "highlights": [[150, 190]], "grade": 3},
    {"doc": "d5", "length": 700, "entry": 600, "highlights": [[500, 650]], "grade": 2},
]
RETURNED: list[Row] = [
    {"doc": "d1", "start": 0, "end": 50},
    {"doc": "u1", "start": 0, "end": 99},
    {"doc": "d2", "start": 0, "end": 20},
    {"doc": "d1", "start": 550, "end": 680},
    {"doc": "d3", "start": 0, "end": 80},
    {"doc": "d4", "start": 100, "end": 160},
]


def named(chosen: Callable[[Variant], bool]) -> list[str]:
    """The measures of which a claim is true."""
    return [str(variant.example) for variant in WAYS if chosen(variant)]


def cut_early(variant: Variant) -> str:
    """The measure with a cut-off or level at which four documents make a difference."""
    record = variant.example.record
    bare = str(variant.example).partition("@")[0].partition("[")[0]
    if record.suffix is None or not variant.suffix:
        return bare
    return bare + record.suffix.in_name("2" if isinstance(record.suffix, Cutoff) else "0.25")


def chunked(run: Run) -> Run:
    """The run with the chunk list that some measures need."""
    return replace(run, chunks=chunk_list())


def with_aspects(row: Row) -> Row:
    """A judged document each of whose passages has an aspect of its own."""
    passages = [
        {"start": start, "end": end, "aspects": [f"{row['doc']} {place}"]}
        for place, (start, end) in enumerate(row["highlights"])
    ]
    return {**row, "highlights": passages}


def values(
    judged: Sequence[Row], run: Sequence[Row], names: Sequence[str]
) -> dict[str, list[float]]:
    qrels = Qrels.from_dicts([with_aspects(row) for row in judged])
    scores = evaluate(qrels, chunked(inex_run(run)), names)
    return {name: scores.topics[str(parse(name))].to_list() for name in names}


Topics = Iterable[tuple[Sequence[Row], Sequence[Row]]]


def indifferent(
    topics: Callable[[Sequence[Row]], Topics], names: Iterable[str], alone: str = "d2"
) -> list[str]:
    """The measures that tell no topics apart, each given by its judgements and results.

    Not everything is returned in this world: `all` is asked about the document `alone`.
    """
    found: list[str] = []
    of_one = {name for name in names if name.startswith("all")}
    one = [row for row in JUDGED if row["doc"] == alone]
    for documents, asked in ((JUDGED, {*names} - of_one), (one, of_one)):
        judged, run = list[Row](), list[Row]()
        for number, (judgements, results) in enumerate(topics(documents)):
            judged += [{"topic": f"t{number:04}", **row} for row in judgements]
            run += [{"topic": f"t{number:04}", **row} for row in results]
        told = values(judged, run, sorted(asked)) if asked else {}
        found += [name for name, own in told.items() if max(own) - min(own) <= TOLERANCE]
    return found


def scored(
    judgements: Qrels, results: Iterable[Result], names: Sequence[str]
) -> dict[str, list[float]]:
    rows = [{"topic": r.topic, "doc": r.doc, "start": r.start, "end": r.end} for r in results]
    judged = with_document_aspects(judgements)
    scores = evaluate(judged, chunked(inex_run(rows)), names)
    return {name: scores.topics[str(parse(name))].to_list() for name in names}


def assert_same(one: dict[str, list[float]], other: dict[str, list[float]]) -> None:
    differing = [
        name for name in one if one[name] != pytest.approx(other[name], abs=TOLERANCE, rel=0)
    ]
    assert not differing


def by_topic(results: Iterable[Result]) -> dict[str, list[Result]]:
    lists: dict[str, list[Result]] = {}
    for result in results:
        lists.setdefault(result.topic, []).append(result)
    return lists


# No record was forgotten


@pytest.mark.parametrize("name", ["answers", "relevance"])
def test_a_record_cannot_leave_out_what_it_scores(name: str) -> None:
    (declared,) = (own for own in fields(Record) if own.name == name)
    assert declared.default is declared.default_factory is MISSING


@each("name", REGISTRY)
def test_every_way_to_ask_for_a_measure_is_in_one_place_of_the_taxonomy(name: str) -> None:
    ways = [variant for variant in VARIANTS if variant.example.record.name == name]
    assert ways
    assert len({way.shape for way in ways}) == len(ways)
    for way in ways:
        assert way.answers is None or way.answers in Answers
        assert way.relevance is None or way.relevance in Relevance


def test_a_measure_follows_every_document_score() -> None:
    asked = {variant.score for variant in VARIANTS if variant.example.record.by_score}
    assert asked == set(DOCUMENT_SCORES)


# Answers


@given(world=worlds(order=Order.FILE), data=st.data())
@some
def test_a_set_based_measure_ignores_the_order_of_results(
    world: World, data: st.DataObject
) -> None:
    names = named(lambda variant: variant.answers is Answers.SET)
    shuffled = data.draw(st.permutations(world.results))
    before, after = (scored(world.qrels, results, names) for results in (world.results, shuffled))
    assert_same(before, after)


def test_a_rank_based_measure_depends_on_the_order_of_results() -> None:
    names = {
        cut_early(variant) for variant in VARIANTS if variant.answers in {Answers.RANKED, *COMPOUND}
    }
    orders = list(islice(permutations(RETURNED), 0, None, 7))
    assert not indifferent(lambda judged: ((judged, order) for order in orders), names)


@given(world=worlds(order=Order.FILE))
@some
def test_a_measure_of_a_single_answer_looks_at_the_first_result_alone(world: World) -> None:
    names = named(lambda variant: variant.answers is Answers.SINGLE)
    first = [results[0] for results in by_topic(world.results).values()]
    assert_same(scored(world.qrels, world.results, names), scored(world.qrels, first, names))


@given(world=worlds(order=Order.FILE), other=worlds(order=Order.FILE))
@some
def test_a_measure_that_scores_no_answers_is_the_same_for_every_run(
    world: World, other: World
) -> None:
    names = named(lambda variant: variant.answers is None)
    known = {(judged.topic, judged.doc): judged.length for judged in world.judgements}
    returned = [
        replace(result, start=0, end=min(1, known.get((result.topic, result.doc), 1)))
        for result in other.results
    ]
    before, after = (scored(world.qrels, results, names) for results in (world.results, returned))
    assert_same(before, after)


@given(world=worlds(order=Order.FILE), data=st.data())
@some
def test_a_measure_of_documents_ignores_which_parts_were_returned(
    world: World, data: st.DataObject
) -> None:
    names = named(
        lambda variant: variant.answers in ATOMIC and variant.example.record.unit is Unit.DOCUMENT
    )
    known = {(judged.topic, judged.doc): judged.length for judged in world.judgements}
    moved = []
    for result in world.results:
        start = data.draw(st.integers(0, known.get((result.topic, result.doc), 9)))
        moved.append(replace(result, start=start, end=start))
    assert_same(scored(world.qrels, world.results, names), scored(world.qrels, moved, names))


def test_a_measure_of_parts_depends_on_which_parts_were_returned() -> None:
    names = {
        cut_early(variant)
        for variant in VARIANTS
        if variant.answers in COMPOUND
        or (variant.answers and variant.example.record.unit is Unit.PART)
    }
    others = [{**row, "start": 400, "end": 480} for row in RETURNED]
    first = [RETURNED[2], *RETURNED]
    assert not indifferent(lambda judged: [(judged, first), (judged, others)], names)


@given(world=worlds(order=Order.FILE))
@some
def test_a_measure_of_documents_with_one_part_looks_at_the_first_part_of_each(world: World) -> None:
    names = named(lambda variant: variant.answers is Answers.COMPOUND_SINGLE)
    first = {(result.topic, result.doc): result for result in reversed(world.results)}
    kept = [result for result in world.results if first[result.topic, result.doc] is result]
    assert_same(scored(world.qrels, world.results, names), scored(world.qrels, kept, names))


@given(world=worlds(order=Order.FILE), data=st.data())
@some
def test_a_measure_of_documents_with_sets_of_parts_ignores_the_order_within_a_document(
    world: World, data: st.DataObject
) -> None:
    names = named(lambda variant: variant.answers is Answers.COMPOUND_SET)
    documents: dict[tuple[str, str], list[Result]] = {}
    for result in world.results:
        documents.setdefault((result.topic, result.doc), []).append(result)
    grouped = [
        result for parts in documents.values() for result in data.draw(st.permutations(parts))
    ]
    assert_same(scored(world.qrels, world.results, names), scored(world.qrels, grouped, names))


def test_a_measure_of_documents_with_sets_of_parts_looks_at_all_of_them() -> None:
    names = {cut_early(variant) for variant in VARIANTS if variant.answers is Answers.COMPOUND_SET}
    fewer = RETURNED[:3] + RETURNED[4:]
    assert not indifferent(lambda judged: [(judged, RETURNED), (judged, fewer)], names)


@given(world=worlds(order=Order.FILE))
@some
def test_a_measure_of_documents_with_ranked_parts_ignores_what_is_between_them(
    world: World,
) -> None:
    names = named(lambda variant: variant.answers is Answers.COMPOUND_RANKED)
    documents: dict[tuple[str, str], list[Result]] = {}
    for result in world.results:
        documents.setdefault((result.topic, result.doc), []).append(result)
    grouped = [result for parts in documents.values() for result in parts]
    assert_same(scored(world.qrels, world.results, names), scored(world.qrels, grouped, names))


def test_a_measure_of_documents_with_ranked_parts_depends_on_their_order() -> None:
    names = {
        cut_early(variant) for variant in VARIANTS if variant.answers is Answers.COMPOUND_RANKED
    }
    first, *between, second = RETURNED[:4]
    reordered = [second, *between, first, *RETURNED[4:]]
    assert first["doc"] == second["doc"]
    assert not indifferent(lambda judged: [(judged, RETURNED), (judged, reordered)], names)


# Relevance


def regraded(
    judgements: Sequence[Judgement], data: st.DataObject, *, keep_relevance: bool
) -> tuple[Qrels, Qrels]:
    """The same documents judged twice; relevance is kept or, but for one document, left to chance.

    What is relevant by its highlights is relevant by its grade, and the other way round.
    """
    versions: tuple[list[Row], list[Row]] = ([], [])
    certain: set[str] = set()
    for judged in judgements:
        sure = judged.topic not in certain and judged.length > 0
        certain |= {judged.topic} if sure else set()
        before = sure or (judged.length > 0 and data.draw(st.booleans()))
        after = before if keep_relevance or sure else judged.length > 0 and data.draw(st.booleans())
        for rows, relevant in zip(versions, (before, after), strict=True):
            start = data.draw(st.integers(0, max(judged.length - 1, 0)))
            end = data.draw(st.integers(start + 1, max(judged.length, start + 1)))
            rows.append({
                "topic": judged.topic, "doc": judged.doc, "length": judged.length,
                "highlights": [[start, end]] if relevant else [],
                "grade": data.draw(st.sampled_from([1, 2, 3])) if relevant else 0,
            })  # fmt: skip
    return Qrels.from_dicts(versions[0]), Qrels.from_dicts(versions[1])


@given(world=worlds(order=Order.FILE), data=st.data())
@some
def test_a_binary_measure_ignores_how_relevant_a_document_is(
    world: World, data: st.DataObject
) -> None:
    names = named(
        lambda variant: (
            variant.relevance is Relevance.BINARY and variant.example.record.unit is Unit.DOCUMENT
        )
    )
    lengthened = [replace(judged, length=judged.length + 1) for judged in world.judgements]
    one, other = regraded(lengthened, data, keep_relevance=True)
    assert_same(scored(one, world.results, names), scored(other, world.results, names))


def test_a_binary_measure_of_parts_ignores_how_much_of_a_part_is_highlighted() -> None:
    names = named(
        lambda variant: (
            variant.relevance is Relevance.BINARY and variant.example.record.unit is Unit.PART
        )
    )
    assert names
    less = [
        {**row, "topic": "t", "highlights": [[start, start + 1] for start, _ in row["highlights"]]}
        for row in JUDGED
    ]
    run = [{**row, "topic": "t"} for row in RETURNED]
    assert_same(
        values([{**row, "topic": "t"} for row in JUDGED], run, names), values(less, run, names)
    )


@given(world=worlds(order=Order.FILE), data=st.data())
@some
def test_a_measure_that_uses_no_relevance_ignores_what_is_relevant(
    world: World, data: st.DataObject
) -> None:
    names = named(lambda variant: variant.relevance is None)
    lengthened = [replace(judged, length=judged.length + 1) for judged in world.judgements]
    one, other = regraded(lengthened, data, keep_relevance=False)
    assert_same(scored(one, world.results, names), scored(other, world.results, names))


def test_a_graded_measure_depends_on_how_relevant_a_document_is() -> None:
    names = {cut_early(variant) for variant in WAYS if variant.relevance is Relevance.GRADED}

    def topics(judged: Sequence[Row]) -> Topics:
        yield judged, RETURNED
        for place, row in enumerate(judged):
            first = [[start, start + 1] for start, _ in row["highlights"][:1]]
            less = {**row, "highlights": first, "grade": row["grade"] and 4, "entry": 0}
            yield [*judged[:place], less, *judged[place + 1 :]], RETURNED

    assert not indifferent(topics, names, alone="d1")
