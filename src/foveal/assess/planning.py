"""Who judges what: topics go to assessors in turn, some of them twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from unicodedata import normalize

import numpy as np

from foveal.assess.records import Assignment
from foveal.choices import Whose
from foveal.errors import UsageError, counted, kind, shortened

LONGEST_PERSON = 100
# Seeds begin at 1: 0 keeps the pool's order.
LARGEST_SEED = 2**31


def refuse_names(names: Iterable[str], *, beside: Iterable[str] = ()) -> None:
    """Raise UsageError unless these can be the names of different people, beside others."""
    seen = {normalize("NFC", name) for name in beside}
    for name in names:
        shown = kind(name)
        if not name.strip() or name != name.strip():
            raise UsageError(
                f"the name of an assessor must not be empty nor begin or end with a blank, got {shown}"
            )
        if len(name) > LONGEST_PERSON:
            raise UsageError(
                f"the name of an assessor must have at most {LONGEST_PERSON} characters, got"
                f" {len(name):,}: {shortened(name, 30)}"
            )
        if not name.isprintable():
            raise UsageError(f"the name of an assessor must be printable, got {shown}")
        if name in set(Whose):
            raise UsageError(
                f"{name!r} cannot be the name of an assessor: `foveal assess export --from {name}`"
                " means something else"
            )
        # Two ways of writing the same letters cannot be told apart.
        if (composed := normalize("NFC", name)) in seen:
            raise UsageError(
                f"assessor {shown} is named twice, perhaps with other code points for the same"
                " letters: give every name once"
            )
        seen.add(composed)


def assigned(
    documents: Mapping[str, int],
    assessors: Sequence[str],
    *,
    double: float,
    rng: np.random.Generator,
) -> list[Assignment]:
    """Who judges each topic, given with its number of documents.

    A share `double` of the topics, at least one unless it is 0, is drawn to be judged by another
    assessor too, in another order. Topics that are judged once are given out first, then the
    others, large ones before small ones, to whoever has the fewest documents so far: totals differ
    by the largest topic at most, those of main assessors by twice as much.
    """
    if double and len(assessors) < 2:
        raise UsageError("topics judged twice need two assessors: name another one with --assessor")
    order = sorted(documents, key=lambda topic: (-documents[topic], topic))
    drawn = set(rng.permutation(len(order))[: _count(double, len(order))].tolist())
    once = [topic for place, topic in enumerate(order) if place not in drawn]
    twice = [topic for place, topic in enumerate(order) if place in drawn]
    load = dict.fromkeys(assessors, 0)
    main = {topic: _least_loaded(load, documents[topic], 1)[0] for topic in once}
    as_main = load.copy()
    pairs = {topic: _least_loaded(load, documents[topic], 2) for topic in twice}
    main |= _main_assessors(pairs, documents, as_main)
    second = [(topic, name) for topic in twice for name in pairs[topic] if name != main[topic]]
    return [
        *sorted(Assignment(topic, name, 0, 1) for topic, name in main.items()),
        *(Assignment(topic, name, int(rng.integers(1, LARGEST_SEED)), 0) for topic, name in second),
    ]


def _least_loaded(load: dict[str, int], documents: int, count: int) -> list[str]:
    """The assessors with the fewest documents, whose load grows by those of a topic."""
    chosen = sorted(load, key=load.__getitem__)[:count]
    for name in chosen:
        load[name] += documents
    return chosen


def _main_assessors(
    pairs: Mapping[str, Sequence[str]], documents: Mapping[str, int], as_main: dict[str, int]
) -> dict[str, str]:
    """The main assessor of each topic that two judge: everybody is that of every other one of theirs.

    An assessor's topics are taken two by two, and a walk goes from topic to topic: whoever is the
    second assessor of one is the main assessor of the next, which always works out. Topics come in
    order of size, so everybody is the main assessor of half of their documents, give or take half
    of the largest topic.
    """
    neighbour: dict[tuple[str, str], str] = {}
    waiting: dict[str, str] = {}
    for topic, pair in pairs.items():
        for name in pair:
            if (other := waiting.pop(name, None)) is None:
                waiting[name] = topic
            else:
                neighbour |= {(topic, name): other, (other, name): topic}
    main: dict[str, str] = {}
    # A walk that is not a circle begins at its end, where an assessor has no other topic.
    for start in sorted(
        pairs, key=lambda topic: all((topic, name) in neighbour for name in pairs[topic])
    ):
        topic = start
        name = min(pairs[topic], key=lambda name: ((topic, name) in neighbour, as_main[name]))
        while topic not in main:
            main[topic] = name
            as_main[name] += documents[topic]
            [name] = (other for other in pairs[topic] if other != name)
            topic = neighbour.get((topic, name), topic)
    return main


def _count(share: float, topics: int) -> int:
    """How many topics a share is, rounded, and at least one unless the share is 0."""
    return max(1, round(share * topics)) if share else 0


def described(
    assignments: Sequence[Assignment], documents: Mapping[str, int], assessors: Sequence[str]
) -> list[str]:
    """What each assessor is to do, in words."""
    lines = []
    for name in assessors:
        own = [row for row in assignments if row.assessor == name]
        second = sum(not row.main for row in own)
        beside = f", {second:,} of them as the second assessor" if second else ""
        total = sum(documents[row.topic] for row in own)
        lines.append(
            f"{name}: {counted(total, 'document')} of {counted(len(own), 'topic')}{beside}"
        )
    return lines
