"""The measures of text against a twin that counts characters one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, event, given, note
from hypothesis import strategies as st

from foveal.choices import Order, Overlap, TopicSet
from foveal.errors import DataError, OverlapFound
from foveal.evaluation import Scores, evaluate
from foveal.measures import parse
from tests.examples import examples
from tests.oracles.brute_force import (
    COUNTS,
    KINDS_OF_SCORES,
    DocumentScore,
    Topic,
    Twin,
    document_twins,
    evaluated_topics,
    has_overlap,
    in_reading_order,
    judged_documents,
    parts_twins,
    returned_twins,
    token_twins,
    topic_twins,
)
from tests.strategies import Judgement, Result, World, worlds

TOLERANCE = 1e-12
COUNTED = [overlap for overlap in Overlap if overlap is not Overlap.REFUSE]


recall_levels = st.integers(0, 1000).map(lambda thousandths: Fraction(thousandths, 1000)) | (
    st.integers(0, 100).map(lambda hundredths: Fraction(hundredths, 100))
)
shares = st.sampled_from([Fraction(tenths, 10) for tenths in range(1, 11)])


@st.composite
def tolerances(draw: st.DrawFn) -> DocumentScore:
    """S=t2i has the longest definition, so it is tried on every world."""
    irr = draw(st.integers(1, 45) | st.just(300))
    return DocumentScore("t2i", irr=irr, spelling=f"S=t2i,irr={irr}")


@st.composite
def document_scores(draw: st.DrawFn) -> DocumentScore:
    # Those with parameters come twice; every world is tried with the others anyway.
    drawn = [kind for kind in KINDS_OF_SCORES if kind not in {"t2i", "ranked"}]
    kind = draw(st.sampled_from([*drawn, "F", "bep"]))
    if kind == "F":
        beta = draw(st.sampled_from(["0", "0.25", "0.5", "1", "2", "7.5"]))
        return DocumentScore("F", beta=Fraction(beta), spelling=f"S=F,beta={beta}")
    if kind == "bep" and draw(st.booleans()):
        n = draw(st.integers(1, 45) | st.just(1000))
        return DocumentScore("bep", n=n, spelling=f"S=bep,n={n}")
    if kind == "bep":
        share = draw(st.sampled_from(["0.01", "0.1", "1", "3"]))
        return DocumentScore("bep", A=Fraction(share), spelling=f"S=bep,A={share}")
    return DocumentScore(kind)


def assert_agreement(
    scores: Scores, twins: Mapping[str, Twin], expected: Mapping[str, Topic]
) -> None:
    assert sorted(scores.topics["topic"]) == sorted(expected)
    assert scores.measures == list(dict.fromkeys(str(parse(name)) for name in twins))
    found = {row["topic"]: row for row in scores.topics.iter_rows(named=True)}
    overall = scores.overall.row(0, named=True)
    for name, twin in twins.items():
        column = str(parse(name))
        values = [float(twin(read)) for read in expected.values()]
        wrong = [
            (topic, found[topic][column], value)
            for topic, value in zip(expected, values, strict=True)
            if not abs(found[topic][column] - value) <= TOLERANCE
        ]
        assert not wrong, column
        over_all = sum(values) if name in COUNTS else sum(values) / len(values)
        assert abs(overall[column] - over_all) <= TOLERANCE, column


@pytest.mark.slow
@given(
    world=worlds(),
    topics=st.sampled_from(TopicSet),
    scores=st.tuples(document_scores(), tolerances(), st.just(DocumentScore("ranked"))),
    rank=st.integers(1, 9),
    budget=st.integers(1, 120),
    level=recall_levels,
    share=shares,
)
@examples(80)
def test_measures_count_what_a_reader_counts(
    world: World,
    topics: TopicSet,
    scores: tuple[DocumentScore, ...],
    rank: int,
    budget: int,
    level: Fraction,
    share: Fraction,
) -> None:
    twins = COUNTS | parts_twins(rank, budget, level) | returned_twins(rank, share)
    for score in scores:
        twins |= document_twins(score, rank, level)
    qrels, run = world.qrels, world.run
    for overlap in COUNTED:
        expected = topic_twins(world, overlap=overlap, topics=topics)
        if not expected:
            with pytest.raises(DataError, match="none of its topics"):
                evaluate(qrels, run, list(twins), overlap=overlap, topics=topics)
            return
        note(f"overlap {overlap}")
        found = evaluate(qrels, run, list(twins), overlap=overlap, topics=topics)
        assert_agreement(found, twins, expected)


@given(world=worlds(), budget=st.integers(1, 40))
@examples(60)
def test_budgets_of_tokens_buy_what_a_reader_buys(world: World, budget: int) -> None:
    placed = tuple(result for result in world.results if result.start != -1)
    assume(any(result.start is not None for result in placed))
    world = replace(world, results=placed)
    twins = token_twins(budget)
    for overlap in COUNTED:
        note(f"overlap {overlap}")
        expected = topic_twins(world, overlap=overlap)
        found = evaluate(world.qrels, world.run, list(twins), overlap=overlap)
        assert_agreement(found, twins, expected)


@given(world=worlds())
@examples(60)
def test_chunks_that_touch_a_highlight_count_like_chroma(world: World) -> None:
    twins: dict[str, Twin] = {"cPmax": lambda t: t.best_chunks(touching=True)}
    found = evaluate(world.qrels, world.run, "cPmax", like="chroma")
    assert_agreement(found, twins, topic_twins(world))


@given(world=worlds())
@examples(60)
def test_a_part_has_the_aspects_of_the_first_passage_it_meets_like_genomics(world: World) -> None:
    twins: dict[str, Twin] = {"aspectAP": lambda t: t.aspect_precision(first_only=True)}
    # The order of equal ranks and scores is tested elsewhere.
    world = replace(world, order=Order.FILE)
    found = evaluate(world.qrels, world.run, "aspectAP", like="trecgen2007")
    assert_agreement(found, twins, topic_twins(world))


@given(world=worlds(), topics=st.sampled_from(TopicSet))
@examples(60)
def test_overlap_is_refused_exactly_where_text_is_returned_twice(
    world: World, topics: TopicSet
) -> None:
    evaluated = evaluated_topics(world, topics)
    assume(evaluated)
    overlapping = any(
        has_overlap(in_reading_order(world, topic), judged_documents(world, topic))
        for topic in evaluated
    )
    event(f"overlap: {overlapping}")
    qrels, run = world.qrels, world.run
    if overlapping:
        with pytest.raises(OverlapFound):
            evaluate(qrels, run, "charP", overlap="refuse", topics=topics)
        return
    refused = evaluate(qrels, run, ["charP", "AgP"], overlap="refuse", topics=topics)
    kept = evaluate(qrels, run, ["charP", "AgP"], overlap="repeat", topics=topics)
    assert refused.topics.equals(kept.topics)


def test_a_recall_level_is_reached_by_exactly_its_share_of_the_text() -> None:
    """As a double, 0.29 times 100 is below 29."""
    shares = {f"t{found}": found for found in range(1, 101)}
    world = World(
        tuple(Judgement(topic, "d1", 100, None, ((0, 100),)) for topic in shares),
        tuple(Result(topic, "d1", 0, found) for topic, found in shares.items()),
    )
    levels = {point: f"iP[{point / 100:.2f}]" for point in range(101)}
    scores = evaluate(world.qrels, world.run, [*levels.values(), "AiP"])
    for row in scores.topics.iter_rows(named=True):
        found = shares[row["topic"]]
        assert [row[name] for name in levels.values()] == [1.0] * (found + 1) + [0.0] * (
            100 - found
        )
        assert row["AiP"] == pytest.approx((found + 1) / 101, abs=TOLERANCE, rel=0)


def test_a_recall_level_of_documents_is_reached_by_exactly_its_share_of_them() -> None:
    """The first of three relevant documents reaches 1/3, which is above 0.333 and below 0.334."""
    world = World(
        tuple(Judgement("t1", name, 10, None, ((0, 10),)) for name in ("d1", "d2", "d3")),
        (Result("t1", "d1", 0, 10),),
    )
    scores = evaluate(world.qrels, world.run, ["igP[0.333]", "igP[0.333333]", "igP[0.333334]"])
    assert scores.overall.row(0)[1:] == (1.0, 1.0, 0.0)
