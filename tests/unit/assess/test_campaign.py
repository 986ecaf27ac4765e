"""The file of a campaign: what it takes, what it refuses, and that it only grows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from foveal.assess import Campaign, Event, StoredDocument
from foveal.errors import BadCampaign, MissingFile, RefusedEvent, UsageError
from tests.campaigns import TEXTS, act, campaign_at, plan


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[Campaign]:
    with campaign_at(tmp_path) as opened:
        yield opened


def refusal(campaign: Campaign, event: Event) -> RefusedEvent:
    (answer,) = campaign.append([event])
    assert isinstance(answer, RefusedEvent)
    assert event not in campaign.events()
    return answer


def test_texts_come_back_as_they_were(campaign: Campaign) -> None:
    for doc, text in TEXTS.items():
        found = campaign.document(doc)
        assert found is not None
        assert (found.text, found.length) == (text, len(text))


def test_an_event_sent_twice_is_there_once(campaign: Campaign) -> None:
    event = act("mark", start=0, stop=4)
    assert campaign.append([event, event]) == [1, 1]
    assert campaign.append([replace(event, at_client=7, tab="other")]) == [1]
    assert len(campaign.events()) == 1
    assert refusal(campaign, replace(event, doc="odd")).status == 409


def test_quotes_must_be_the_text(campaign: Campaign) -> None:
    assert refusal(campaign, act("mark", start=0, stop=4, quote_sha256="0" * 64)).status == 422
    assert refusal(campaign, act("mark", start=0, stop=4_000)).status == 422


def test_text_and_entry_points_may_reach_the_end_and_no_further(campaign: Campaign) -> None:
    end = len(TEXTS["plain"])
    assert campaign.append([act("mark", start=0, stop=end), act("entry", start=end)]) == [1, 2]
    assert refusal(campaign, act("mark", start=0, stop=end + 1)).status == 422
    assert refusal(campaign, act("entry", start=end + 1)).status == 422


def test_an_assessor_judges_own_topics_and_documents(campaign: Campaign) -> None:
    assert refusal(campaign, act("done", topic="2")).status == 403
    assert refusal(campaign, act("done", topic="9")).status == 403
    assert refusal(campaign, act("done", doc="outside")).status == 403
    assert refusal(campaign, act("done", doc="nowhere")).status == 404
    assert campaign.append([act("add-document", doc="outside"), act("done", doc="outside")]) == [
        1,
        2,
    ]
    assert refusal(campaign, act("done", doc="outside", assessor="bob")).status == 403
    assert campaign.append([act("done", assessor="ada", topic="2")]) == [3]


def test_one_undoes_own_acts_on_the_same_document(campaign: Campaign) -> None:
    mark, opened = act("mark", start=0, stop=4), act("open")
    assert campaign.append([mark, opened]) == [1, 2]
    assert refusal(campaign, act("undo", undoes=mark.id, assessor="bob")).status == 422
    assert refusal(campaign, act("undo", undoes=mark.id, doc="odd")).status == 422
    assert refusal(campaign, act("undo", undoes=opened.id)).status == 422
    assert refusal(campaign, act("undo", undoes="nothing-there")).status == 422
    assert campaign.append([act("undo", undoes=mark.id)]) == [3]
    assert campaign.judgement("ann", "1", "plain").spans == ()


def test_a_locked_topic_takes_no_judgements(campaign: Campaign) -> None:
    campaign.append([act("lock", assessor="", topic=None, doc=None)])
    assert refusal(campaign, act("mark", start=0, stop=4)).status == 423
    campaign.append([act("unlock", assessor="", doc=None)])
    assert campaign.append([act("mark", start=0, stop=4)]) == [3]
    assert refusal(campaign, act("done", assessor="bob", topic="2")).status == 423


@pytest.mark.parametrize("change", ["UPDATE event SET start = 1", "DELETE FROM event"])
def test_the_log_only_grows(campaign: Campaign, change: str) -> None:
    campaign.append([act("mark", start=0, stop=4)])
    with pytest.raises(sqlite3.IntegrityError, match="the log can only grow"):
        campaign.connection.execute(change)


def test_a_link_lets_one_person_in_until_another_ends_it(campaign: Campaign) -> None:
    first, second = campaign.new_link("ann"), campaign.new_link("ann")
    assert campaign.person_of(first) == campaign.person_of(second) == campaign.people[0]
    third = campaign.new_link("ann", end_others=True)
    assert campaign.person_of(first) is campaign.person_of(second) is None
    assert campaign.person_of(third) == campaign.people[0]
    stored = campaign.connection.execute("SELECT * FROM link").fetchall()
    assert third not in str(stored)


def test_a_campaign_is_never_overwritten_nor_left_half_made(tmp_path: Path) -> None:
    with campaign_at(tmp_path), pytest.raises(UsageError, match="exists already"):
        campaign_at(tmp_path)
    broken = replace(plan(), pool=[*plan().pool, *plan().pool])
    with pytest.raises(BadCampaign):
        Campaign.create(tmp_path / "other.campaign", broken)
    assert not [path for path in tmp_path.iterdir() if "other" in path.name]


def test_a_disk_that_is_too_small_is_left_as_it_was(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="not on Windows")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    try:
        with pytest.raises(MissingFile, match="cannot be opened or written"):
            # More than SQLite keeps in memory before it writes.
            campaign_at(tmp_path, {f"long {n}": "x" * 1_000_000 for n in range(4)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("has_links", [True, False])
def test_of_two_that_are_made_at_once_the_first_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_links: bool
) -> None:
    def missing(*_: object) -> None:
        raise PermissionError("this disk has no links")

    if not has_links:
        monkeypatch.setattr(Path, "hardlink_to", missing)

    def documents() -> Iterator[StoredDocument]:
        """Texts that take so long that another campaign is made meanwhile."""
        with campaign_at(tmp_path):
            yield from plan().documents

    with pytest.raises(UsageError, match="exists already"):
        Campaign.create(
            tmp_path / "small.campaign", replace(plan(id="later"), documents=documents())
        )
    with Campaign.open(tmp_path / "small.campaign") as campaign:
        assert campaign.meta["id"] == "test-campaign"
    assert [path.name for path in tmp_path.iterdir()] == ["small.campaign"]


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="no such campaign"):
        Campaign.open(tmp_path / "none.campaign")
    for name, data in {"empty": b"", "text": b"1 Q0 a 1\n" * 1000}.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(BadCampaign, match="not a campaign of judging"):
            Campaign.open(tmp_path / name)
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE t (x)")
    with pytest.raises(BadCampaign, match="not a campaign of judging"):
        Campaign.open(other)
