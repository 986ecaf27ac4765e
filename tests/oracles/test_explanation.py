"""Found, missed and wasted characters against a twin that looks at every single character."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import foveal
from foveal.choices import Overlap, Task
from foveal.reports import Explanation
from tests.examples import examples
from tests.oracles.brute_force import Topic, topic_twins
from tests.oracles.test_inex_eval_conventions import official_worlds, twins
from tests.strategies import World, run_of, worlds

COUNTED = [overlap for overlap in Overlap if overlap is not Overlap.REFUSE]
# Where a character is: its document and its place there.
Place = tuple[str, int]


def first_ranks(topic: Topic) -> dict[Place, int]:
    """The rank of the first part that has each character."""
    ranks: dict[Place, int] = {}
    for rank, part in enumerate(topic.parts, start=1):
        for doc, place in part.text or part.characters:
            if place is not None:
                ranks.setdefault((doc, place), rank)
    return ranks


def kinds(topic: Topic, ranks: dict[Place, int]) -> dict[Place, tuple[str, int | None]]:
    """What every character is that is highlighted or read."""
    highlighted = {(doc, place) for doc in topic.judged for place in topic.highlighted(doc)}
    return {
        own: (
            ("found" if own in ranks else "missed") if own in highlighted else "wasted",
            ranks.get(own),
        )
        for own in highlighted | set(ranks)
    }


def characters(
    explanation: Explanation, kind: str = "kind", rank: str = "rank"
) -> dict[Place, tuple[str, int | None]]:
    """What the segments say of every character that is not other."""
    return {
        (row["doc"], place): (row[kind], row[rank])
        for row in explanation.segments.iter_rows(named=True)
        for place in range(row["start"], row["end"])
        if row[kind] != "other"
    }


def assert_flat(explanation: Explanation, topic: Topic) -> None:
    """Segments cover each document once, from its start to its end, and no two could be one."""
    last: dict[str, dict[str, Any]] = {}
    for row in explanation.segments.iter_rows(named=True):
        before = last.get(row["doc"], {"end": 0, "kind": None})
        assert row["start"] == before["end"] < row["end"]
        assert (row["kind"], row["rank"]) != (before["kind"], before.get("rank"))
        last[row["doc"]] = row
    for doc, judged in topic.judged.items():
        if doc in last:
            assert last[doc]["end"] == judged.length


@given(world=worlds(), overlap=st.sampled_from(COUNTED))
@examples(40)
def test_every_character_is_what_a_reader_finds_it_to_be(world: World, overlap: Overlap) -> None:
    for name, topic in topic_twins(world, overlap=overlap).items():
        found = foveal.explain(world.qrels, world.run, topic=name, overlap=overlap)
        ranks = first_ranks(topic)
        assert characters(found) == kinds(topic, ranks)
        assert_flat(found, topic)


@given(world=worlds(), overlap=st.sampled_from(COUNTED))
@examples(40)
def test_found_and_missed_is_highlighted_and_found_and_wasted_is_read(
    world: World, overlap: Overlap
) -> None:
    every = foveal.explain(world.qrels, world.run, overlap=overlap).topics
    for name, topic in topic_twins(world, overlap=overlap).items():
        read = set(first_ranks(topic))
        unmapped = sum(place is None for part in topic.parts for _, place in part.text)
        found = foveal.explain(world.qrels, world.run, topic=name, overlap=overlap)
        (own,) = found.topics.to_dicts()
        assert own in every.to_dicts()
        assert own["highlighted"] == topic.relevant_total
        for frame in (found.topics, found.documents):
            sums = frame.sum().to_dicts()[0]
            assert sums["found"] + sums["missed"] == topic.relevant_total
            assert sums["found"] + sums["wasted"] == len(read) + unmapped
        for row in found.documents.iter_rows(named=True):
            assert row["found"] + row["missed"] == topic.relevant_size(row["doc"])
            own_text = {place for doc, place in read if doc == row["doc"]}
            assert row["found"] == len(own_text & topic.highlighted(row["doc"]))


@given(world=worlds())
@examples(20)
def test_documents_are_those_returned_and_those_missed(world: World) -> None:
    for name, topic in topic_twins(world, overlap="once").items():
        found = foveal.explain(world.qrels, world.run, topic=name)
        relevant = {doc for doc in topic.judged if topic.relevant_size(doc)}
        rows = found.documents.select("doc", "rank").rows()
        returned = [(doc, rank) for rank, doc in enumerate(topic.documents, start=1)]
        assert rows[: len(returned)] == returned
        assert {doc for doc, _ in rows[len(returned) :]} == relevant - set(topic.documents)
        assert all(rank is None for _, rank in rows[len(returned) :])


@given(world=worlds())
@examples(30)
def test_interpolated_precision_is_the_best_at_or_beyond_the_recall_of_each_result(
    world: World,
) -> None:
    for name, topic in topic_twins(world, overlap="once").items():
        results = foveal.explain(world.qrels, world.run, topic=name).results
        curve = topic.curve
        for row, (recall, precision) in zip(results.iter_rows(named=True), curve, strict=True):
            best = max(own for reached, own in curve if reached >= recall)
            assert abs(row["iP"] - float(best)) <= 1e-12
            assert abs(row["P"] - float(precision)) <= 1e-12
            assert abs(row["R"] - float(recall)) <= 1e-12


@given(world=worlds())
@examples(30)
def test_passages_have_the_outcome_that_their_characters_have(world: World) -> None:
    for name, topic in topic_twins(world, overlap="once").items():
        found = foveal.explain(world.qrels, world.run, topic=name)
        ranks = first_ranks(topic)
        spans = {frozenset(passage) for passage in topic.passages}
        seen = set()
        for row in found.passages.iter_rows(named=True):
            places = [(row["doc"], place) for place in range(row["start"], row["end"])]
            seen.add(frozenset(places))
            known = [ranks[place] for place in places if place in ranks]
            assert row["found"] == len(known)
            assert row["rank"] == max(known, default=None)
            text = [c for part in topic.parts for c in part.text if c[0] == row["doc"]]
            expected = (
                "found" if len(known) == len(places)
                else "cut" if known
                else "wrong place" if text
                else "no text" if row["doc"] in topic.documents
                else "wrong document"
            )  # fmt: skip
            assert row["outcome"] == expected
        assert seen == spans


@given(world=worlds(), data=st.data())
@examples(30)
def test_a_second_run_is_seen_beside_the_first(world: World, data: st.DataObject) -> None:
    results = list(data.draw(st.permutations(world.results)))
    kept = results[: data.draw(st.integers(1, len(results)))]
    if all(result.start is None for result in kept):
        kept = results
    other = World(world.judgements, tuple(kept))
    for name, topic in topic_twins(world, overlap="once").items():
        found = foveal.explain(world.qrels, world.run, topic=name, against=run_of(kept))
        twin = topic_twins(other, overlap="once")[name]
        assert characters(found) == kinds(topic, first_ranks(topic))
        second = characters(found, "against_kind", "against_rank")
        assert second == kinds(twin, first_ranks(twin))
        both = {"first": topic, "second": twin}
        rows = found.results.group_by("run", maintain_order=True)
        names = [found.run, found.against]
        for (run,), own in rows:
            mine, yours = both["first"], both["second"]
            if run == names[1]:
                mine, yours = yours, mine
            for row, part in zip(own.iter_rows(named=True), mine.parts, strict=True):
                assert row["against_rank"] == counterpart(part, yours)


def counterpart(part: Any, other: Topic) -> int | None:
    """The rank of the first part of another run that has text of a part, or is the same."""
    for rank, own in enumerate(other.parts, start=1):
        if own.doc != part.doc:
            continue
        placed = {c for c in part.text if c[1] is not None}
        if placed & set(own.text):
            return rank
        if part.start == own.start and len(part.text) == len(own.text):
            return rank
    return None


@given(data=st.data(), task=st.sampled_from([Task.FOCUSED, Task.THOROUGH, Task.RIC, Task.BIC]))
@examples(40)
def test_characters_follow_the_conventions_of_the_official_program(
    data: st.DataObject, task: Task
) -> None:
    world = data.draw(official_worlds(overlap=task is Task.THOROUGH))
    for name, topic in twins(world, task, "retrieved").items():
        found = foveal.explain(
            world.stated_qrels, world.run, topic=name, like="inex_eval", task=task
        )
        read = {place: rank for place, (_, rank) in characters(found).items() if rank}
        assert read == first_ranks(topic)
        sums = found.documents.sum().to_dicts()[0]
        held = [row for row in characters(found).values() if row[0] == "found"]
        assert sums["found"] == len(held)
        for row in found.documents.iter_rows(named=True):
            assert row["highlighted"] == topic.relevant_size(row["doc"])
