"""Acts that arrive together share a transaction; a full disk or a busy file stores nothing."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Coroutine
from contextlib import closing

import pytest

from foveal.assess import Campaign, Event
from foveal.web.writer import disk_error
from tests.asking import Answer, Page, Server, sent
from tests.campaigns import act


def posting(page: Page, *events: Event) -> Coroutine[None, None, Answer]:
    """A request that may be under way with others."""
    body = json.dumps({"events": [sent(event) for event in events]}).encode()
    return page.server.asking("POST", page.at("events"), page.headers, [body])


def together(server: Server, pages: list[Page], count: int) -> list[Answer]:
    """The answers to requests that are under way at the same time."""

    async def all_at_once() -> list[Answer]:
        asked = [posting(page, act("open")) for _ in range(count) for page in pages]
        return await asyncio.gather(*asked)

    return server.runner.run(all_at_once())


def test_requests_that_wait_share_a_transaction(
    campaign: Campaign, server: Server, ann: Page, bob: Page
) -> None:
    commits: list[str] = []
    campaign.connection.set_trace_callback(commits.append)
    answers = together(server, [ann, bob], 20)
    campaign.connection.set_trace_callback(None)
    numbers = [answer.told["acknowledged"][0]["number"] for answer in answers]
    assert sorted(numbers) == list(range(1, 41))
    assert commits.count("BEGIN IMMEDIATE") < 5
    owners = {event.number: event.assessor for event in campaign.events()}
    assert [owners[number] for number in numbers] == ["ann", "bob"] * 20


def test_nothing_is_written_for_a_request_without_acts(campaign: Campaign, ann: Page) -> None:
    said: list[str] = []
    campaign.connection.set_trace_callback(said.append)
    assert ann.send().told == {"acknowledged": [], "refused": [], "events": [], "number": 0}
    assert ann.post({"events": [{}]}).status == 400
    campaign.connection.set_trace_callback(None)
    assert "BEGIN IMMEDIATE" not in said
    assert "BEGIN" in said


def test_a_refusal_goes_to_the_one_who_sent_the_act(server: Server, ann: Page, bob: Page) -> None:
    ann.send(opened := act("open"))
    bob.send(own := act("mark", start=0, stop=4))

    async def both() -> tuple[Answer, Answer]:
        of_ann = posting(ann, act("undo", undoes=opened.id), act("done"))
        return await asyncio.gather(of_ann, posting(bob, act("undo", undoes=own.id)))

    of_ann, of_bob = server.runner.run(both())
    assert (of_ann.status, of_bob.status) == (422, 200)
    assert len(of_ann.told["acknowledged"]) == 1
    assert [event["kind"] for event in of_bob.told["events"]] == ["mark", "undo"]


@pytest.fixture
def fill(campaign: Campaign) -> Callable[[], None]:
    """Let the campaign grow no further, as on a full disk."""

    def filled() -> None:
        (pages,) = campaign.connection.execute("PRAGMA page_count").fetchone()
        campaign.connection.execute(f"PRAGMA max_page_count = {pages}")

    return filled


def test_a_full_disk_stores_nothing_and_is_said(
    campaign: Campaign, ann: Page, fill: Callable[[], None]
) -> None:
    fill()
    notes = [act("note", value="long " * 1_500) for _ in range(20)]
    answer = ann.send(*notes)
    assert answer.status == 507
    assert set(answer.told) == {"error"}
    assert "make room on the disk" in answer.told["error"]
    assert not campaign.events()
    assert ann.get("desk").status == 200
    campaign.connection.execute("PRAGMA max_page_count = 100000")
    assert len(ann.send(*notes).told["acknowledged"]) == 20


def test_a_busy_file_is_waited_for(campaign: Campaign, server: Server, ann: Page) -> None:
    with closing(sqlite3.connect(campaign.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        async def sending() -> Answer:
            asked = asyncio.create_task(posting(ann, act("open")))
            await asyncio.sleep(0.1)
            # Others are answered meanwhile.
            assert (await server.asking("GET", ann.at("desk"), ann.headers)).status == 200
            assert not asked.done()
            other.execute("COMMIT")
            return await asked

        assert server.runner.run(sending()).status == 200
    assert len(campaign.events()) == 1


def test_a_file_that_stays_busy_is_said_to_be(
    campaign: Campaign, ann: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foveal.web.writer.LOCK_TIMEOUT", 0.1)
    with closing(sqlite3.connect(campaign.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        answer = ann.send(act("open"))
        assert answer.status == 503
        assert "try again" in answer.told["error"]
    assert not campaign.events()
    assert ann.send(act("open")).status == 200


def test_a_bug_in_writing_reaches_everybody_who_waits(
    campaign: Campaign, server: Server, ann: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise sqlite3.ProgrammingError

    with monkeypatch.context() as patched:
        patched.setattr(campaign, "append", fail)
        assert {answer.status for answer in together(server, [ann], 3)} == {500}
    assert ann.send(act("open")).status == 200


def test_damage_is_told_from_a_full_disk() -> None:
    error = sqlite3.DatabaseError("malformed")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    said = disk_error(error)
    assert said is not None
    assert said[0] == 500
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR | 3 << 8
    said = disk_error(error)
    assert said is not None
    assert said[0] == 507
