"""Merged judgements of assessors against sets of characters."""

from __future__ import annotations

from statistics import median_low

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.choices import Merging
from foveal.errors import UsageError
from foveal.judging import merged
from foveal.tables import Qrels
from tests.strategies import Judgement, assessments

Judged = dict[str, tuple[Judgement, ...]]
Said = dict[tuple[str, str], tuple[set[int], int | None]]


def expected(judged: Judged, how: Merging) -> Said:
    """The characters and the entry point of each document, from votes on every character."""
    rows: dict[tuple[str, str], list[Judgement]] = {}
    for own in judged.values():
        for one in own:
            rows.setdefault((one.topic, one.doc), []).append(one)
    return {key: _of_document(own, how) for key, own in rows.items()}


def _of_document(judges: list[Judgement], how: Merging) -> tuple[set[int], int | None]:
    votes = [sum(place in one.highlighted for one in judges) for place in range(judges[0].length)]
    needed = {"union": 1, "intersection": len(judges), "majority": len(judges) // 2 + 1}[how]
    text = {place for place, count in enumerate(votes) if count >= needed}
    entries = [one.entry for one in judges if one.entry is not None]
    if not text or not entries:
        return text, None
    return text, median_low(entries) if how is Merging.MAJORITY else entries[0]


def table(judged: tuple[Judgement, ...]) -> Qrels:
    return Qrels.from_dicts(
        [
            {
                "topic": one.topic, "doc": one.doc, "length": one.length, "entry": one.entry,
                "highlights": [list(span) for span in one.passages],
            }
            for one in judged
        ]
    )  # fmt: skip


def said(qrels: Qrels) -> Said:
    text: list[set[int]] = [set() for _ in range(qrels.documents.height)]
    for row, start, end in qrels.passages.iter_rows():
        assert text[row].isdisjoint(range(start, end))
        text[row] |= set(range(start, end))
    keys = qrels.documents.select("topic", "doc", "entry").iter_rows()
    return {(topic, doc): (own, entry) for (topic, doc, entry), own in zip(keys, text, strict=True)}


@given(assessments(), st.sampled_from(Merging))
def test_merging_is_voting_on_every_character(judged: Judged, how: Merging) -> None:
    found = merged({name: table(own) for name, own in judged.items()}, how)
    assert said(found) == expected(judged, how)
    assert found.assessors == f"{how} of {len(judged)}"


@given(assessments(), st.sampled_from(Merging))
def test_one_assessor_is_left_as_they_are_but_for_entry_points(
    judged: Judged, how: Merging
) -> None:
    name, own = next(iter(judged.items()))
    assert said(merged({name: table(own)}, how)) == expected({name: own}, how)


def aspects_of(one: Judgement) -> list[tuple[str, int, int]]:
    """Aspects by where passages begin: some passages have two, some none, some text has one twice."""
    kinds = (("a",), ("a", "b"), (), ("b",), ("a", "c"))
    return [
        (name, start, end)
        for start, end in one.passages
        for name in kinds[start % len(kinds)]
        if start < end
    ]


def with_aspects(judged: tuple[Judgement, ...]) -> Qrels:
    return Qrels.from_dicts(
        [
            {
                "topic": one.topic, "doc": one.doc, "length": one.length,
                "highlights": [
                    *map(list, one.passages),
                    *({"start": a, "end": b, "aspects": [name]} for name, a, b in aspects_of(one)),
                ],
            }
            for one in judged
        ]
    )  # fmt: skip


@given(assessments(), st.sampled_from(Merging))
def test_aspects_are_voted_on_as_text_is(judged: Judged, how: Merging) -> None:
    votes: dict[tuple[str, str, str, int], int] = {}
    judges: dict[tuple[str, str], int] = {}
    for one in (one for own in judged.values() for one in own):
        judges[one.topic, one.doc] = judges.get((one.topic, one.doc), 0) + 1
        chosen = {(name, at) for name, start, end in aspects_of(one) for at in range(start, end)}
        for name, at in chosen:
            key = (one.topic, one.doc, name, at)
            votes[key] = votes.get(key, 0) + 1
    needed = {
        key: {"union": 1, "intersection": count, "majority": count // 2 + 1}[how]
        for key, count in judges.items()
    }
    found = merged({name: with_aspects(own) for name, own in judged.items()}, how)
    seen: set[tuple[str, str, str, int]] = set()
    if found.judgements.aspects is not None:
        names = found.documents.select("topic", "doc").rows()
        for row, name, start, end, grade in found.judgements.aspects.frame.iter_rows():
            assert grade == 1
            characters = {(*names[row], name, at) for at in range(start, end)}
            assert characters
            assert seen.isdisjoint(characters)
            seen |= characters
    assert seen == {key for key, count in votes.items() if count >= needed[key[:2]]}


def test_aspects_of_whole_documents_are_not_merged() -> None:
    whole = Qrels.from_dicts([{"topic": "t", "doc": "d", "aspects": ["a"]}])
    with pytest.raises(UsageError, match="aspects of whole documents, or with grades"):
        merged({"ann": whole}, "union")


@pytest.mark.parametrize(("how", "grade"), [("union", 3), ("intersection", 1), ("majority", 2)])
def test_grades_are_merged_as_text_is(how: str, grade: float) -> None:
    tables = {name: Qrels.from_dict({"t": {"d": int(name)}}) for name in "312"}
    assert merged(tables, how).documents["grade"].to_list() == [grade]


def test_nothing_cannot_be_merged() -> None:
    with pytest.raises(UsageError, match="no judgements to merge"):
        merged({}, "union")


def test_a_way_that_is_unknown_is_named() -> None:
    with pytest.raises(UsageError, match="must be union, intersection or majority, got 'all'"):
        merged({"ann": Qrels.from_dict({"t": {"d": 1}})}, "all")
