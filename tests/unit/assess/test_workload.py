"""How far a campaign has come, from logs worked by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foveal.assess import Campaign, EventKind, Role, progress_of, set_locked
from foveal.judging import CampaignProgress
from tests.campaigns import act, campaign_at


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[Campaign]:
    with campaign_at(tmp_path) as opened:
        yield opened


def did(campaign: Campaign, kind: EventKind | str, **fields: Any) -> None:
    (number,) = campaign.append([act(kind, **fields)])
    assert isinstance(number, int)


def judged(campaign: Campaign, name: str, doc: str, *spans: tuple[int, int], **fields: Any) -> None:
    for start, stop in spans:
        did(campaign, "mark", assessor=name, doc=doc, start=start, stop=stop, **fields)
    did(campaign, "done", assessor=name, doc=doc, **fields)


def progress(campaign: Campaign, idle: float = 120) -> CampaignProgress:
    return progress_of(campaign, idle_seconds=idle)


def stint(found: CampaignProgress, topic: str, name: str) -> tuple[Any, ...]:
    (row,) = (row for row in found.stints.iter_rows() if row[:2] == (topic, name))
    return row[2:]


def test_nothing_has_happened_yet(campaign: Campaign) -> None:
    found = progress(campaign)
    assert found.stints.rows() == [
        ("1", "ann", "assessor", 3, 0, 0, 0, 0, 0.0),
        ("1", "bob", "second", 3, 0, 0, 0, 0, 0.0),
        ("2", "bob", "assessor", 1, 0, 0, 0, 0, 0.0),
    ]
    assert found.people["assessor"].to_list() == ["ann", "bob", "ada"]
    assert found.people["left"].to_list() == [3, 4, 0]
    assert found.people["seconds_left"].to_list() == [None, None, 0.0]
    assert (found.summary, found.seconds_left) == ("0 of 7 documents finished", None)
    assert (found.locked, found.disputed, found.notes) == ([], 0, ())


def test_only_finished_documents_are_counted(campaign: Campaign) -> None:
    judged(campaign, "ann", "plain", (0, 10), (20, 25))
    judged(campaign, "ann", "stones")
    did(campaign, "mark", doc="odd", start=1, stop=4)
    assert stint(progress(campaign), "1", "ann") == ("assessor", 3, 2, 1, 2, 15, 0.0)
    did(campaign, "unmark", start=0, stop=5)
    assert stint(progress(campaign), "1", "ann") == ("assessor", 3, 1, 0, 0, 0, 0.0)


def test_what_somebody_added_is_theirs_alone_to_judge(campaign: Campaign) -> None:
    did(campaign, "add-document", doc="outside")
    judged(campaign, "ann", "outside", (0, 5))
    found = progress(campaign)
    assert stint(found, "1", "ann")[:3] == ("assessor", 4, 1)
    assert stint(found, "1", "bob")[:3] == ("second", 3, 0)
    assert found.topics.row(0)[2:4] == (4, 1)


def test_what_an_adjudicator_added_is_not_asked_of_assessors(campaign: Campaign) -> None:
    did(campaign, "add-document", assessor="ada", doc="outside")
    judged(campaign, "ada", "outside", (0, 5))
    assert progress(campaign).topics.row(0)[2:4] == (3, 0)


def test_time_is_counted_between_acts_and_predicts_what_is_left(campaign: Campaign) -> None:
    for at in (0, 60_000, 400_000):
        did(campaign, "open", at_client=at)
    did(campaign, "done", at_client=430_000)
    found = progress(campaign)
    assert stint(found, "1", "ann")[-1] == 90
    # Two are left to ann at 90 seconds each; bob, who has done nothing yet, is taken to be as fast.
    assert found.people["seconds_left"].to_list() == [180, 360, 0]
    assert found.seconds_left == 540
    assert stint(progress(campaign, idle=40), "1", "ann")[-1] == 30


def test_gaps_between_topics_are_part_of_the_whole(campaign: Campaign) -> None:
    did(campaign, "open", assessor="bob", at_client=0)
    did(campaign, "open", assessor="bob", topic="2", at_client=50_000)
    found = progress(campaign)
    assert [stint(found, topic, "bob")[-1] for topic in "12"] == [0, 0]
    assert found.people["seconds"].to_list() == [0, 50, 0]


def test_judgements_in_no_time_predict_nothing(campaign: Campaign) -> None:
    judged(campaign, "ann", "plain", at_client=1_000)
    assert progress(campaign).people["seconds_left"].to_list() == [None, None, 0]


def test_documents_finished_with_different_text_need_adjudication(campaign: Campaign) -> None:
    judged(campaign, "ann", "plain", (0, 10))
    judged(campaign, "bob", "plain", (0, 9))
    judged(campaign, "ann", "odd", (1, 5))
    judged(campaign, "bob", "odd", (1, 5))
    judged(campaign, "ann", "stones")
    did(campaign, "mark", assessor="bob", doc="stones", start=0, stop=6)
    found = progress(campaign)
    assert found.topics.row(0) == ("1", False, 3, 3, 2, 1, 0)
    assert found.disputed == 1
    assert stint(found, "1", "ada")[:3] == ("adjudicator", 1, 0)
    judged(campaign, "ada", "plain", (0, 10))
    found = progress(campaign)
    assert found.topics.row(0) == ("1", False, 3, 3, 2, 1, 1)
    assert found.disputed == 0
    assert stint(found, "1", "ada") == ("adjudicator", 1, 1, 1, 1, 10, 0.0)


def test_locks_are_seen_and_are_nobodys_work(campaign: Campaign) -> None:
    set_locked(campaign, ["2"], locked=True)
    found = progress(campaign)
    assert found.locked == ["2"]
    assert found.people["seconds"].to_list() == [0, 0, 0]


def test_what_one_adjudicator_has_finished_is_not_left_to_another(campaign: Campaign) -> None:
    campaign.add_person("eve", Role.ADJUDICATOR)
    for doc in ("plain", "stones"):
        judged(campaign, "ann", doc, (0, 10))
        judged(campaign, "bob", doc, (0, 9))
    judged(campaign, "eve", "stones")
    found = progress(campaign)
    assert stint(found, "1", "ada")[:3] == ("adjudicator", 1, 0)
    assert stint(found, "1", "eve")[:3] == ("adjudicator", 2, 1)
    assert found.disputed == 1
