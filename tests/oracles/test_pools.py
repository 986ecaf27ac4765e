"""Pools against loops: one run, one result and one character after the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import foveal
from foveal.choices import Order, Ties
from foveal.errors import DataError
from foveal.tables import Origin, Run, RunRows
from tests.examples import examples
from tests.strategies import (
    DOCUMENTS,
    LONGEST,
    TOPICS,
    UNJUDGED_DOCUMENTS,
    UNMAPPED,
    Result,
    results,
    run_of,
)

UNMAPPED_COST = 18
Read = tuple[Result, set[int]]
Rows = dict[tuple[str, str], dict[str, Any]]


@dataclass(frozen=True)
class OneRun:
    """One run's results, and what ranks them."""

    results: tuple[Result, ...]
    order: Order
    ties: Ties

    def read(self, topic: str) -> list[Result]:
        """The results of a topic from the first to the last."""
        own = [result for result in self.results if result.topic == topic]
        if self.order is Order.FILE:
            return own
        if self.ties is Ties.PLACE:
            own.sort(key=lambda result: (result.doc, result.start or 0, result.end or 0))
        if self.order is Order.RANK:
            return sorted(own, key=lambda result: result.key)
        if self.ties is Ties.ID:
            own.sort(key=lambda result: result.doc, reverse=True)
        return sorted(own, key=lambda result: -result.key)


@dataclass(frozen=True)
class PoolWorld:
    """Runs over documents of known length, some of them judged."""

    lengths: dict[str, int]
    runs: tuple[OneRun, ...]
    judged: frozenset[tuple[str, str]]

    @property
    def tables(self) -> list[Run]:
        lengths = pl.DataFrame({"doc": list(self.lengths), "length": list(self.lengths.values())})
        return [
            replace(run_of(run.results, run.order), ties=run.ties, lengths=lengths)
            for run in self.runs
        ]

    @property
    def qrels(self) -> foveal.Qrels | None:
        rows = [{"topic": topic, "doc": doc, "grade": 1} for topic, doc in sorted(self.judged)]
        return foveal.Qrels.from_dicts(rows) if rows else None

    @property
    def topics(self) -> list[str]:
        return sorted({result.topic for run in self.runs for result in run.results})

    def read(self, result: Result) -> Iterable[int]:
        """The characters of a result."""
        if result.start is None or result.end is None:
            return range(self.lengths[result.doc])
        return range(result.start, result.end)


@st.composite
def pool_worlds(draw: st.DrawFn) -> PoolWorld:
    """One to four runs of parts, whole documents, entry points and unmapped elements."""
    lengths = {name: draw(st.integers(0, LONGEST)) for name in DOCUMENTS}
    runs = []
    for _ in range(draw(st.integers(1, 4))):
        topics = draw(st.lists(st.sampled_from(TOPICS), min_size=1, unique=True))
        found = [result for topic in topics for result in draw(results(topic, lengths))]
        if all(result.start is None for result in found):
            found.append(Result(topics[0], "u1", 3, 5))
        if draw(st.booleans()):
            found = draw(st.permutations(found))
        order = draw(st.sampled_from([Order.FILE, Order.RANK, Order.SCORE]))
        runs.append(OneRun(tuple(found), order, draw(st.sampled_from(Ties))))
    every = [(topic, doc) for topic in TOPICS for doc in (*DOCUMENTS, *UNJUDGED_DOCUMENTS)]
    judged = draw(st.frozensets(st.sampled_from(every), max_size=6))
    return PoolWorld(lengths, tuple(runs), judged)


def text(result: Result, characters: Iterable[int]) -> set[int]:
    """The characters that a result adds to the passages: a whole document adds none."""
    is_part = result.start is not None and (result.start, result.end) != UNMAPPED
    return set(characters) if is_part else set()


def ranked(found: list[Result]) -> list[str]:
    """Documents by first appearance."""
    return list(dict.fromkeys(result.doc for result in found))


def first_documents(world: PoolWorld, found: list[Result], depth: int) -> list[Read]:
    kept = ranked(found)[:depth]
    return [(result, text(result, world.read(result))) for result in found if result.doc in kept]


def first_results(world: PoolWorld, found: list[Result], depth: int) -> list[Read]:
    return [(result, text(result, world.read(result))) for result in found[:depth]]


def first_characters(world: PoolWorld, found: list[Result], depth: int) -> list[Read]:
    seen: set[tuple[str, int]] = set()
    spent, kept = 0, []
    for result in found:
        if spent >= depth:
            break
        own: set[int] = set()
        if (result.start, result.end) == UNMAPPED:
            spent += UNMAPPED_COST
            kept.append((result, own))
            continue
        for character in world.read(result):
            if spent == depth:
                break
            own.add(character)
            spent += (result.doc, character) not in seen
            seen.add((result.doc, character))
        kept.append((result, text(result, own)))
    return kept


READERS = {
    "documents": first_documents,
    "results": first_results,
    "characters": first_characters,
}


def gathered(reads: dict[str, list[tuple[list[Result], list[Read]]]]) -> Rows:
    """The rows of all documents within the depth, given each topic's lists and what is read."""
    rows: Rows = {}
    for topic, lists in reads.items():
        for found, read in lists:
            ranks = ranked(found)
            for doc in {result.doc for result, _ in read}:
                row = rows.setdefault((topic, doc), {"runs": 0, "ranks": [], "text": set()})
                row["runs"] += 1
                row["ranks"].append(ranks.index(doc) + 1)
                for result, own in read:
                    row["text"] |= own if result.doc == doc else set()
    return rows


def agrees(pool: foveal.Pool, rows: Rows) -> None:
    """The pool has these rows by priority, and no others."""
    expected = sorted(
        rows, key=lambda key: (key[0], -rows[key]["runs"], sum(rows[key]["ranks"]), key[1])
    )
    found = pool.frame.to_dicts()
    assert [(row["topic"], row["doc"]) for row in found] == expected
    places: dict[str, int] = {}
    for row in found:
        wanted = rows[row["topic"], row["doc"]]
        places[row["topic"]] = places.get(row["topic"], 0) + 1
        assert row["place"] == places[row["topic"]]
        assert row["runs"] == wanted["runs"]
        assert row["best_rank"] == min(wanted["ranks"])
        characters = [place for start, end in row["passages"] for place in range(start, end)]
        assert characters == sorted(wanted["text"])
        assert all(end > start for start, end in row["passages"])


def has_entry_points(world: PoolWorld) -> bool:
    """Whether most results of some run have no text."""
    return any(
        2 * sum(result.start == result.end not in {None, -1} for result in run.results)
        > len(run.results)
        for run in world.runs
    )


@given(pool_worlds(), st.sampled_from(sorted(READERS)), st.integers(1, 60))
def test_a_pool_holds_what_a_reader_of_every_run_meets(
    world: PoolWorld, unit: str, depth: int
) -> None:
    depth = depth if unit == "characters" else 1 + depth % 6
    if unit == "characters" and has_entry_points(world):
        with pytest.raises(DataError, match="entry points"):
            foveal.pool(world.tables, depth=depth, unit=unit)
        return
    reads = {
        topic: [
            (found, READERS[unit](world, found, depth))
            for found in (run.read(topic) for run in world.runs)
        ]
        for topic in world.topics
    }
    rows = gathered(reads)
    agrees(foveal.pool(world.tables, depth=depth, unit=unit), rows)
    if world.qrels is not None:
        left = {key: row for key, row in rows.items() if key not in world.judged}
        pool = foveal.pool(world.tables, depth=depth, unit=unit, judged=world.qrels)
        agrees(pool, left)
        out = {topic: sum(key[0] == topic for key in rows.keys() - left) for topic in world.topics}
        assert dict(pool.judged.iter_rows()) == out


def in_turns(lists: list[list[str]], most: int) -> list[str]:
    """The documents that runs take in turns, one at a time."""
    pool: list[str] = []
    grew = True
    while grew:
        grew = False
        for own in lists:
            new = [doc for doc in own if doc not in pool]
            if new and len(pool) < most:
                pool.append(new[0])
                grew = True
    return pool


def until_unjudged(world: PoolWorld, topic: str, docs: list[str], most: int) -> list[str]:
    """The documents of a run until it has shown enough that are not judged."""
    kept, fresh = [], 0
    for doc in docs:
        if fresh == most:
            break
        kept.append(doc)
        fresh += (topic, doc) not in world.judged
    return kept


@given(pool_worlds(), st.integers(1, 6), st.booleans())
def test_runs_take_turns_one_document_at_a_time(
    world: PoolWorld, most: int, with_judgements: bool
) -> None:
    judged = world.qrels if with_judgements else None
    if judged is None:
        world = replace(world, judged=frozenset())
    reads: dict[str, list[tuple[list[Result], list[Read]]]] = {}
    kept = set()
    for topic in world.topics:
        reads[topic], lists = [], []
        for found in (run.read(topic) for run in world.runs):
            docs = until_unjudged(world, topic, ranked(found), most)
            own = [result for result in found if result.doc in docs]
            reads[topic].append((found, [(one, text(one, world.read(one))) for one in own]))
            lists.append([doc for doc in ranked(found) if (topic, doc) not in world.judged])
        kept |= {(topic, doc) for doc in in_turns(lists, most)}
    rows = {key: row for key, row in gathered(reads).items() if key in kept}
    assert rows.keys() == kept
    agrees(foveal.pool(world.tables, documents=most, judged=judged), rows)


@examples(25)
@given(pool_worlds(), st.randoms(use_true_random=False), st.integers(1, 4))
def test_the_order_of_the_runs_matters_only_where_they_take_turns(
    world: PoolWorld, random: Any, depth: int
) -> None:
    runs = world.tables
    shuffled = random.sample(runs, len(runs))
    for order in ("priority", "random", "depth"):
        one, two = (foveal.pool(some, depth=depth, order=order, rng=3) for some in (runs, shuffled))
        assert one.equals(two)


@examples(25)
@given(pool_worlds(), st.integers(0, 3))
def test_a_random_order_of_a_topic_does_not_depend_on_the_others(
    world: PoolWorld, seed: int
) -> None:
    whole = foveal.pool(world.tables, order="random", rng=seed).frame
    topic = world.topics[-1]
    # Alone, whole documents that are listed twice may not be parts of an INEX run.
    assume(not any(run.frame["start"].null_count() for run in world.tables))
    alone = [
        replace(
            run,
            rows=foveal.Run.of(
                RunRows(frame=own, order=run.order), origin=Origin(format="inex")
            ).results,
        )
        for run in world.tables
        if (own := run.frame.filter(pl.col("topic") == topic)).height
    ]
    assert foveal.pool(alone, order="random", rng=seed).frame.equals(
        whole.filter(pl.col("topic") == topic)
    )


@examples(25)
@given(pool_worlds())
def test_order_depth_goes_by_the_best_rank_and_then_by_name(world: PoolWorld) -> None:
    rows = foveal.pool(world.tables, order="depth").frame.to_dicts()
    keys = [(row["topic"], row["best_rank"], row["doc"]) for row in rows]
    assert keys == sorted(keys)
