"""Judgements out of a campaign: of finished documents, and whose they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foveal.assess import Assignment, Campaign, Event, exported, judgements
from foveal.errors import DataError, UsageError
from foveal.tables import columns as c
from tests.campaigns import act, campaign_at

Row = tuple[str, str, tuple[tuple[int, int], ...], int | None, tuple[str, ...]]


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[Campaign]:
    with campaign_at(tmp_path) as opened:
        yield opened


def did(campaign: Campaign, *events: Event) -> None:
    for answer in campaign.append(events):
        assert isinstance(answer, int), answer


def judged(doc: str, *spans: tuple[int, int], entry: int | None = None, **who: Any) -> list[Event]:
    """What somebody does to judge a document."""
    marks = [act("mark", doc=doc, start=start, stop=stop, **who) for start, stop in spans]
    entries = [] if entry is None else [act("entry", doc=doc, start=entry, **who)]
    return [*marks, *entries, act("done", doc=doc, **who)]


@pytest.fixture
def several(campaign: Campaign) -> Campaign:
    """Ann and bob differ on `plain` and agree on `stones`; bob alone finished `odd` and another."""
    did(
        campaign,
        *judged("plain", (0, 10), entry=0),
        *judged("plain", (5, 20), entry=5, assessor="bob"),
        *judged("stones"),
        *judged("stones", assessor="bob"),
        *judged("odd", (4, 12), assessor="bob"),
        act("add-document", doc="outside", assessor="bob"),
        *judged("outside", (2, 10), entry=2, assessor="bob"),
    )
    return campaign


def rows(campaign: Campaign, whose: str) -> list[Row]:
    found = exported(campaign, whose).rows
    return [(row.topic, row.doc, row.spans, row.entry, row.by) for row in found]


BOTH = ("ann", "bob")
ODD: Row = ("1", "odd", ((4, 12),), None, ("bob",))
OUTSIDE: Row = ("1", "outside", ((2, 10),), 2, ("bob",))


def plain(span: tuple[int, int], entry: int, *by: str) -> Row:
    return "1", "plain", (span,), entry, by


def stones(*by: str) -> Row:
    return "1", "stones", (), None, by


@pytest.mark.parametrize(
    ("whose", "expected"),
    [
        ("main", [plain((0, 10), 0, "ann"), ODD, stones("ann"), OUTSIDE]),
        ("adjudicated", [ODD, stones("ann"), OUTSIDE]),
        ("union", [plain((0, 20), 0, *BOTH), ODD, stones(*BOTH), OUTSIDE]),
        ("intersection", [plain((5, 10), 0, *BOTH), ODD, stones(*BOTH), OUTSIDE]),
        ("majority", [plain((5, 10), 0, *BOTH), ODD, stones(*BOTH), OUTSIDE]),
        ("ann", [plain((0, 10), 0, "ann"), stones("ann")]),
        ("bob", [plain((5, 20), 5, "bob"), ODD, stones("bob"), OUTSIDE]),
        (
            "each",
            [
                plain((0, 10), 0, "ann"), stones("ann"),
                plain((5, 20), 5, "bob"), ODD, stones("bob"), OUTSIDE,
            ],
        ),
    ],
)  # fmt: skip
def test_finished_documents_are_those_of_whom_is_asked_for(
    several: Campaign, whose: str, expected: list[Row]
) -> None:
    assert rows(several, whose) == expected


LEFT = "1 document is not finished by anyone"


@pytest.mark.parametrize(
    ("whose", "expected"),
    [
        (
            "main",
            (
                "1 document taken from another assessor, because the topic's main assessor has not finished it",
                "2 documents finished by several assessors: --from adjudicated, union, intersection or"
                " majority takes all of them into account",
                LEFT,
            ),
        ),
        (
            "adjudicated",
            (
                "1 document left out: the assessors highlighted different text, and nobody has"
                " adjudicated it",
                LEFT,
            ),
        ),
        ("union", (LEFT,)),
        ("each", (LEFT,)),
        ("ann", ("1 document left that ann has not finished",)),
        ("bob", ("1 document left that bob has not finished",)),
    ],
)
def test_what_is_left_is_counted(several: Campaign, whose: str, expected: tuple[str, ...]) -> None:
    assert exported(several, whose).notes == expected


def test_nothing_is_left_when_everything_is_finished(several: Campaign) -> None:
    did(several, *judged("odd"), *judged("plain", assessor="bob", topic="2"))
    did(several, *judged("odd", (1, 2), assessor="ada"), *judged("plain", (0, 3), assessor="ada"))
    assert exported(several, "adjudicated").notes == ()
    assert exported(several, "ada").notes == ()
    assert exported(several, "bob").notes == ()


def test_assessors_are_in_the_order_in_which_they_came(campaign: Campaign) -> None:
    # Of topic 2, bob is the main assessor.
    did(campaign, *judged("plain", (3, 8), topic="2", assessor="bob"))
    assert list(judgements(campaign)) == ["bob"]
    campaign.assign([Assignment("2", "ann", 1, 0)])
    did(campaign, *judged("plain", (3, 8), topic="2"))
    assert list(judgements(campaign)) == ["ann", "bob"]
    assert [row[4] for row in rows(campaign, "each")] == [("ann",), ("bob",)]
    assert rows(campaign, "main")[0][4] == ("bob",)


def test_an_adjudicator_has_the_last_word(several: Campaign) -> None:
    did(several, *judged("plain", (0, 3), entry=1, assessor="ada"))
    did(several, *judged("stones", (0, 6), entry=0, assessor="ada"))
    found = rows(several, "adjudicated")
    assert found[0] == plain((0, 3), 1, "ada")
    assert found[2] == ("1", "stones", ((0, 6),), 0, ("ada",))
    # Nobody else's judgements change, and the adjudicator is no assessor.
    assert rows(several, "main")[0] == plain((0, 10), 0, "ann")
    assert list(judgements(several)) == ["ann", "bob"]


def test_the_same_text_with_other_entry_points_is_no_dispute(campaign: Campaign) -> None:
    did(campaign, *judged("plain", (0, 10), entry=2), *judged("plain", (0, 10), assessor="bob"))
    assert rows(campaign, "adjudicated") == [plain((0, 10), 2, "ann")]


def test_a_change_after_done_takes_a_document_out(several: Campaign) -> None:
    did(several, act("mark", start=30, stop=31))
    assert rows(several, "main")[0] == plain((5, 20), 5, "bob")
    assert rows(several, "ann") == [stones("ann")]


def test_there_is_no_entry_point_where_nothing_is_highlighted(campaign: Campaign) -> None:
    did(campaign, act("entry", start=3), act("done"))
    assert rows(campaign, "main") == [("1", "plain", (), None, ("ann",))]


def test_touching_marks_of_two_are_one_highlight_of_their_union(campaign: Campaign) -> None:
    did(campaign, *judged("plain", (0, 5), (8, 9)), *judged("plain", (5, 8), assessor="bob"))
    assert rows(campaign, "union")[0][2] == ((0, 9),)
    assert rows(campaign, "intersection")[0][2] == ()


def test_judgements_have_the_lengths_of_the_documents(several: Campaign) -> None:
    found = judgements(several)["bob"]
    lengths = dict(found.documents.select(c.DOC, c.LENGTH).iter_rows())
    assert lengths == {"plain": 78, "odd": 130, "stones": 45, "outside": 63}
    assert found.passages.rows() == [(0, 5, 20), (1, 4, 12), (3, 2, 10)]


@pytest.mark.parametrize("whose", ["main", "adjudicated", "union", "each"])
def test_nothing_finished_is_an_error_that_says_so(campaign: Campaign, whose: str) -> None:
    did(campaign, act("mark", start=0, stop=5))
    expected = f"nothing to export from {whose} yet: 4 documents are not finished by anyone"
    with pytest.raises(DataError, match=expected):
        exported(campaign, whose)


def test_an_adjudicator_without_disputes_has_nothing_to_export(campaign: Campaign) -> None:
    with pytest.raises(DataError, match=r"nothing to export from ada yet$"):
        exported(campaign, "ada")


def test_a_name_that_nobody_has_is_answered_with_those_there_are(campaign: Campaign) -> None:
    with pytest.raises(UsageError, match=r"\(ann, bob, ada\), got 'anne'; did you mean ann\?"):
        exported(campaign, "anne")
