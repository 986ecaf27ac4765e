"""Aspects of highlights: what a name may be, what pages are told, what goes out and comes back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from foveal.assess import Campaign, Event, Import, Role, exported, judgements
from foveal.assess.current_judgements import CurrentJudgements
from foveal.assess.payloads import overview
from foveal.assess.replay import Aspects
from foveal.errors import DataError, RefusedEvent
from foveal.formats import write_qrels
from foveal.tables import Qrels
from tests.campaigns import act, campaign_at
from tests.unit.assess.test_exports import did

SWIM, SLEEP = (0, 10), (11, 31)


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[Campaign]:
    with campaign_at(tmp_path) as opened:
        yield opened


def named(aspect: str | None, span: tuple[int, int], **who: Any) -> Event:
    return act("mark", start=span[0], stop=span[1], value=aspect, **who)


def sent(kind: str, **fields: object) -> dict[str, object]:
    """What a page sends to mark or unmark."""
    digest = "0" * 64
    own = {"start": 0, "stop": 4, "quote_sha256": digest} if kind in {"mark", "unmark"} else {}
    return {"id": "a" * 8, "topic": "1", "doc": "plain", "kind": kind, **own, **fields}


@pytest.mark.parametrize("kind", ["mark", "unmark"])
@pytest.mark.parametrize("name", ["a", "price & <b>", "ציפור", "👩‍🚀 a\u00a0b", "x" * 200])
def test_a_mark_and_an_unmark_may_name_an_aspect(kind: str, name: str) -> None:
    assert Event.of(sent(kind, value=name), "ann").value == name


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "one line of text, without blanks at its ends"),
        (" a", "one line of text"),
        ("a\u00a0", "one line of text"),
        ("a\nb", "one line of text"),
        ("a\x1b[31m", "one line of text"),
        ("a\u2028b", "one line of text"),
        ("x" * 201, "at most 200 characters, got 201"),
    ],
)
def test_what_is_no_name_is_refused(name: str, reason: str) -> None:
    with pytest.raises(RefusedEvent, match=reason):
        Event.of(sent("mark", value=name), "ann")
    with pytest.raises(RefusedEvent, match="only keyword, note, mark and unmark have a value"):
        Event.of(sent("done", value="a"), "ann")


def told(campaign: Campaign, name: str) -> dict[str, list[str]]:
    person = next(one for one in campaign.people if one.name == name)
    topics = overview(CurrentJudgements(campaign), person)["topics"]
    return {topic["topic"]: topic["aspects"] for topic in topics}


def test_a_desk_has_the_own_aspects_of_each_topic(campaign: Campaign) -> None:
    did(campaign, named("b", SWIM), named("B2", SLEEP), named("a", (0, 4), doc="odd"))
    did(campaign, named("gone", SLEEP), act("unmark", start=11, stop=31, value="gone"))
    did(campaign, named("bobs", SWIM, assessor="bob"), act("done", assessor="bob"), act("done"))
    did(campaign, named("birds", SWIM, assessor="bob", topic="2"))
    assert told(campaign, "ann") == {"1": ["a", "b", "B2"]}
    assert told(campaign, "bob") == {"1": ["bobs"], "2": ["birds"]}
    # Adjudicators can choose from what assessors named in documents that they finished.
    assert told(campaign, "ada") == {"1": ["b", "B2", "bobs"]}


@pytest.fixture
def both(campaign: Campaign) -> Campaign:
    """Both name a shared aspect in overlapping text, and each another."""
    did(campaign, named("shared", (0, 20)), named("anns", SWIM), act("done"))
    did(
        campaign,
        named("shared", (5, 10), assessor="bob"), named("shared", (20, 31), assessor="bob"),
        named("bobs", SWIM, assessor="bob"), act("done", assessor="bob"),
    )  # fmt: skip
    return campaign


@pytest.mark.parametrize(
    ("whose", "expected"),
    [
        ("main", [("shared", ((0, 20),)), ("anns", ((0, 10),))]),
        ("bob", [("shared", ((5, 10), (20, 31))), ("bobs", ((0, 10),))]),
        ("union", [("shared", ((0, 31),)), ("anns", ((0, 10),)), ("bobs", ((0, 10),))]),
        ("intersection", [("shared", ((5, 10),))]),
        ("majority", [("shared", ((5, 10),))]),
    ],
)
def test_aspects_are_chosen_as_the_text_is(both: Campaign, whose: str, expected: Aspects) -> None:
    (row,) = exported(both, whose).rows
    assert sorted(row.aspects) == sorted(expected)


def test_adjudicators_keep_the_aspects_that_they_name_themselves(both: Campaign) -> None:
    did(both, act("mark", start=0, stop=20, assessor="ada"), act("done", assessor="ada"))
    assert exported(both, "adjudicated").rows[0].aspects == ()
    did(both, named("new", SWIM, assessor="ada"), act("done", assessor="ada"))
    assert exported(both, "adjudicated").rows[0].aspects == (("new", (SWIM,)),)


def test_an_aspect_that_one_of_two_named_is_none_of_both(campaign: Campaign) -> None:
    did(campaign, named("a", SWIM), act("done"))
    did(campaign, named(None, SWIM, assessor="bob"), act("done", assessor="bob"))
    found = exported(campaign, "intersection")
    assert (found.rows[0].spans, found.rows[0].aspects) == ((SWIM,), ())
    assert found.qrels.judgements.aspects is None


@pytest.mark.parametrize("assessor", ["ann", "bob"])
def test_aspects_come_back_as_marks_that_name_them(
    both: Campaign, tmp_path: Path, assessor: str
) -> None:
    data = BytesIO()
    write_qrels(judgements(both)[assessor], data, "jsonl")
    lines = [json.loads(line) for line in data.getvalue().splitlines()]
    (tmp_path / "back").mkdir()
    with campaign_at(tmp_path / "back") as other:
        for is_again in (False, True):
            wanted = Import(other)
            wanted.add_judgements(Qrels.from_dicts(lines), assessor, "file")
            assert (wanted.store().new == 0) == is_again
        before, after = (one.judgement(assessor, "1", "plain") for one in (both, other))
        assert after.content == before.content
        assert after.done


@pytest.mark.parametrize(
    ("highlights", "aspects", "reason"),
    [
        ([[0, 10]], ["whole"], "1 document with aspects of the whole document: plain"),
        ([{"start": 0, "end": 10, "aspects": ["a\nb"]}], None, r"one line of text.*: 'a\\nb'"),
    ],
)
def test_aspects_that_a_campaign_cannot_hold_are_refused(
    campaign: Campaign, highlights: Any, aspects: Any, reason: str
) -> None:
    row = {"topic": "1", "doc": "plain", "highlights": highlights, "aspects": aspects}
    with pytest.raises(DataError, match=reason):
        Import(campaign).add_judgements(Qrels.from_dicts([row]), "ann", "file")


def test_grades_of_aspects_are_said_to_be_left_out(campaign: Campaign) -> None:
    marks = [{"start": 0, "end": 10, "aspects": {"a": 2, "none": 0, "b": 1}}]
    wanted = Import(campaign)
    wanted.add_judgements(
        Qrels.from_dicts([{"topic": "1", "doc": "plain", "highlights": marks}]), "cy", "file"
    )
    done = wanted.store()
    assert done.newcomers == {"cy": Role.ASSESSOR}
    assert (
        "file: 2 passages with a grade of an aspect, which a campaign cannot hold" in done.notes[1]
    )
    judged = campaign.judgement("cy", "1", "plain")
    assert judged.aspects == (("a", (SWIM,)), ("b", (SWIM,)))
