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
    assessor too, in another order. Large topics are given out first, each to whoever has the fewest
    documents so far, or to two of them: totals differ by the largest topic at most.
    """
    if double and len(assessors) < 2:
        raise UsageError("topics judged twice need two assessors: name another one with --assessor")
    load = dict.fromkeys(assessors, 0)
    as_main = dict.fromkeys(assessors, 0)
    order = sorted(documents, key=lambda topic: (-documents[topic], topic))
    drawn = set(rng.permutation(len(order))[: _count(double, len(order))].tolist())
    main, second = [], []
    for place, topic in enumerate(order):
        free = sorted(load, key=lambda name: (load[name], as_main[name]))
        chosen = free[: 2 if place in drawn else 1]
        for name in chosen:
            load[name] += documents[topic]
        first, *other = sorted(chosen, key=as_main.__getitem__)
        as_main[first] += documents[topic]
        main.append(Assignment(topic, first, 0, 1))
        second += [Assignment(topic, name, int(rng.integers(1, LARGEST_SEED)), 0) for name in other]
    return [*sorted(main), *second]


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
