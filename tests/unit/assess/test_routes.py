"""What each address answers: acts are stored once, nonsense never, and nobody sees another's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from foveal.assess import Campaign
from foveal.assess.routes import LARGEST_BODY, MOST_EVENTS
from foveal.rendering import page_style
from tests.asking import Page, Server, sent
from tests.campaigns import ODD, act

HOST = {"host": "127.0.0.1:8642"}


def test_acts_are_acknowledged_by_id_and_come_back(ann: Page) -> None:
    mark, done = act("mark", start=0, stop=4), act("done")
    told = ann.send(mark, done).told
    assert told["acknowledged"] == [{"id": mark.id, "number": 1}, {"id": done.id, "number": 2}]
    assert (told["refused"], told["number"]) == ([], 2)
    first, _ = told["events"]
    assert first["kind"] == "mark"
    assert (first["number"], first["assessor"]) == (1, "ann")
    assert first["at_server"] > 1_600_000_000_000
    assert set(first) == set(mark.row())


def test_acts_sent_twice_are_stored_once(campaign: Campaign, ann: Page) -> None:
    mark = act("mark", start=0, stop=4)
    assert ann.send(mark).told["acknowledged"] == ann.send(mark).told["acknowledged"]
    assert len(campaign.events()) == 1


def test_refusals_do_not_hold_back_the_others(campaign: Campaign, ann: Page) -> None:
    good, wrong = act("mark", start=0, stop=4), act("mark", start=0, stop=4, quote_sha256="0" * 64)
    answer = ann.send(wrong, good)
    assert answer.status == 422
    assert answer.told["acknowledged"] == [{"id": good.id, "number": 1}]
    (refused,) = answer.told["refused"]
    assert (refused["id"], refused["status"]) == (wrong.id, 422)
    assert "not what was quoted" in refused["error"]
    assert [event.id for event in campaign.events()] == [good.id]


def test_an_id_with_other_content_is_a_conflict(ann: Page) -> None:
    mark = act("mark", start=0, stop=4)
    ann.send(mark)
    other = act("mark", start=0, stop=5, id=mark.id)
    assert ann.send(other).status == 409


def test_another_assessor_cannot_take_an_id(campaign: Campaign, ann: Page, bob: Page) -> None:
    opened = act("open")
    ann.send(opened)
    answer = bob.send(opened)
    assert answer.status == 409
    assert answer.told["events"] == []
    assert [event.assessor for event in campaign.events()] == ["ann"]


@pytest.mark.parametrize(
    ("event", "status"),
    [
        (act("open", topic="2"), 403),
        (act("open", topic="9"), 403),
        (act("open", doc="outside"), 403),
        (act("open", doc="nowhere"), 404),
        (act("undo", undoes="nothing-there"), 422),
        (act("lock", topic=None, doc=None), 403),
        (act("unlock", doc=None), 403),
    ],
)
def test_what_is_not_an_assessors_is_refused(
    campaign: Campaign, ann: Page, event: Any, status: int
) -> None:
    assert ann.send(event).status == status
    assert not campaign.events()


def test_a_locked_topic_is_said_to_be(campaign: Campaign, ann: Page) -> None:
    campaign.append([act("lock", assessor="", doc=None)])
    assert ann.send(act("mark", start=0, stop=4)).status == 423
    assert [topic["locked"] for topic in ann.get("desk").told["topics"]] == [True]


def test_one_gets_own_acts_since_a_number(ann: Page, bob: Page) -> None:
    acts = [act("open"), act("mark", start=0, stop=4), act("done")]
    ann.send(acts[0])
    bob.send(act("open"))
    assert ann.send(*acts[1:], after=1).told["number"] == 4
    news = ann.get("events", after=1).told
    assert [event["id"] for event in news["events"]] == [acts[1].id, acts[2].id]
    assert ann.get("events", after=4).told == {"events": [], "number": 4}
    assert [event["assessor"] for event in bob.get("events").told["events"]] == ["bob"]


def test_a_page_ahead_of_the_log_learns_where_the_log_ends(ann: Page) -> None:
    ann.send(act("open"))
    assert ann.get("events", after=10**14).told == {"events": [], "number": 1}


@pytest.mark.parametrize("after", ["-1", "x", "", "1.0", "9" * 30, "\u0661"])
def test_after_is_a_number(ann: Page, after: str) -> None:
    assert ann.get("events", after=after).status == 400


NESTED = b"[" * 200_000 + b"]" * 200_000
NONSENSE = {
    "nothing": b"",
    "no object": b"[]",
    "words": b"hello",
    "not UTF-8": b'{"events": ["\xff"]}',
    "UTF-16": '{"events": []}'.encode("utf-16"),
    "a number that is not one": b'{"events": [], "after": NaN}',
    "infinity": b'{"events": [], "after": Infinity}',
    "a huge number": b'{"events": [], "after": ' + b"9" * 5_000 + b"}",
    "a large number": b'{"events": [], "after": 99999999999999999999}',
    "a fraction": b'{"events": [], "after": 1.5}',
    "a truth": b'{"events": [], "after": true}',
    "a negative number": b'{"events": [], "after": -1}',
    "nesting": NESTED,
    "nesting inside": b'{"events": ' + NESTED + b"}",
    "no list": b'{"events": {}}',
    "other words": b'{"events": [], "assessor": "bob"}',
    "half": b'{"events": [',
}


@pytest.mark.parametrize("body", NONSENSE.values(), ids=NONSENSE)
def test_nonsense_is_refused(campaign: Campaign, ann: Page, body: bytes) -> None:
    answer = ann.post(body)
    assert answer.status == 400
    assert answer.told["error"]
    assert not campaign.events()


@pytest.mark.parametrize(
    "fields",
    [
        {"id": "short"}, {"id": 7}, {"id": None}, {"id": "x" * 65}, {"id": "snow\u2603man"},
        {"kind": "bribe"}, {"kind": []}, {"kind": {}}, {"topic": 1}, {"doc": ["plain"]},
        {"topic": "\ud800"}, {"doc": "\udfff"}, {"tab": "\ud800"}, {"value": "x" * 10_001},
        {"start": 0.5}, {"start": 10**400}, {"start": -1}, {"start": True}, {"stop": 0},
        {"stop": 10**18}, {"at_client": -1}, {"at_client": 2**70}, {"at_client": "now"},
        {"number": 5}, {"at_server": 5}, {"assessor": "bob"}, {"quote_sha256": "f" * 63},
        {"\ud800": 1}, {"__class__": 1}, {"undoes": "event-00000001"}, {"doc": "x" * 1_001},
    ],
    ids=lambda fields: str(fields)[:30],
)  # fmt: skip
def test_malformed_acts_are_refused(campaign: Campaign, ann: Page, fields: dict[str, Any]) -> None:
    answer = ann.post({"events": [sent(act("mark", start=0, stop=4)) | fields]})
    assert answer.status == 400
    assert len(answer.told["refused"]) == 1
    assert not campaign.events()


@pytest.mark.parametrize("event", [None, 1, "mark", [], [[]], {}])
def test_acts_are_objects_with_an_id(ann: Page, event: object) -> None:
    answer = ann.post({"events": [event]})
    assert answer.status == 400
    assert [refused["id"] for refused in answer.told["refused"]] == [None]


@pytest.mark.parametrize(
    "headers",
    [
        {"content-type": "text/plain"},
        {"content-type": ""},
        {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": "application/jsonp"},
        {"content-encoding": "gzip"},
    ],
)
def test_acts_come_as_json_alone(campaign: Campaign, ann: Page, headers: dict[str, str]) -> None:
    body = {"events": [sent(act("open"))]}
    assert ann.post(body, **headers).status == 415
    assert ann.post(body, **{"content-type": "Application/JSON; charset=utf-8"}).status == 200
    assert len(campaign.events()) == 1


def test_a_body_is_counted_as_it_comes(campaign: Campaign, ann: Page) -> None:
    body = json.dumps({"events": [sent(act("open"))]}).encode().ljust(LARGEST_BODY)
    pieces = [body[place : place + 50_000] for place in range(0, len(body), 50_000)]
    address = ann.at("events")
    assert ann.server.ask("POST", address, ann.headers, pieces).status == 200
    assert ann.server.ask("POST", address, ann.headers, [*pieces, b" "]).status == 413
    endless = [b" " * 100_000] * 1_000
    lying = ann.headers | {"content-length": "10"}
    assert ann.server.ask("POST", address, lying, endless).status == 413
    assert len(campaign.events()) == 1


def test_so_many_acts_at_a_time_and_no_more(campaign: Campaign, ann: Page) -> None:
    acts = [act("open") for _ in range(MOST_EVENTS)]
    assert ann.send(*acts, act("open")).status == 413
    assert not campaign.events()
    assert len(ann.send(*acts).told["acknowledged"]) == MOST_EVENTS


def test_a_document_comes_as_it_is_stored(ann: Page) -> None:
    mark = act("mark", doc="odd", start=0, stop=4)
    ann.send(act("open"), mark)
    told = ann.get("document", topic="1", doc="odd").told
    assert (told["text"], told["length"]) == (ODD, len(ODD))
    assert told["blocks"] == {"kind": "plain", "blocks": [["p", 0, len(ODD)]]}
    assert [event["id"] for event in told["events"]] == [mark.id]
    assert told["number"] == 2
    assert (told["passages"], told["layers"]) == ([], [])


def test_pooled_passages_are_shown_where_the_organiser_wants(campaign: Campaign, ann: Page) -> None:
    assert ann.get("document", topic="1", doc="plain").told["passages"] == []
    campaign.set_meta("show_pool", "1")
    assert ann.get("document", topic="1", doc="plain").told["passages"] == [[0, 10]]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"topic": "2", "doc": "plain"}, 403), ({"topic": "9", "doc": "plain"}, 403),
        ({"topic": "1", "doc": "outside"}, 403), ({"topic": "1", "doc": "nowhere"}, 403),
        ({"topic": "1"}, 400), ({"doc": "plain"}, 400), ({"topic": "1\x00", "doc": "\n"}, 403),
    ],
)  # fmt: skip
def test_other_documents_are_not_shown(ann: Page, query: dict[str, str], status: int) -> None:
    answer = ann.get("document", **query)
    assert answer.status == status
    assert set(answer.told) == {"error"}


def test_documents_that_were_added_are_shown_to_who_added_them(ann: Page, bob: Page) -> None:
    asked = {"topic": "1", "text": "OUT"}
    assert [found["doc"] for found in ann.get("find", **asked).told["documents"]] == ["outside"]
    ann.send(act("add-document", doc="outside"))
    assert ann.get("find", **asked).told["documents"] == []
    assert ann.get("document", topic="1", doc="outside").status == 200
    assert bob.get("document", topic="1", doc="outside").status == 403
    (topic,) = ann.get("desk").told["topics"]
    assert topic["documents"][-1] == {
        "doc": "outside", "done": False, "relevant": False, "added": True,
    }  # fmt: skip


def test_static_files_are_checked_for_changes(server: Server) -> None:
    answer = server.ask("GET", "/static/tokens.css", HOST)
    assert answer.body.decode() == page_style()
    assert answer.headers["content-type"].startswith("text/css")
    again = HOST | {"if-none-match": f'"other", {answer.headers["etag"]}'}
    assert server.ask("GET", "/static/tokens.css", again).status == 304
    changed = HOST | {"if-none-match": '"other"'}
    assert server.ask("GET", "/static/tokens.css", changed).status == 200


@pytest.mark.parametrize(
    "name",
    ["page.html", "nothing.js", "../server.py", "..%2fserver.py", ".css", "", "a/b.js", "x.css\n"],
)
def test_other_files_are_not_served(server: Server, name: str) -> None:
    assert server.ask("GET", f"/static/{name}", HOST).status == 404


def test_unknown_addresses_and_methods_get_a_sentence(server: Server, ann: Page) -> None:
    page = server.ask("GET", "/nowhere", HOST)
    assert page.status == 404
    assert page.headers["content-type"].startswith("text/html")
    assert ann.get("nowhere").status == 404
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        answer = server.ask(method, ann.at("events"), ann.headers)
        assert answer.status == 405
        assert set(answer.told) == {"error"}
    assert server.ask("POST", ann.at("desk"), ann.headers).status == 405


def test_an_address_without_its_slash_leads_to_the_page(server: Server) -> None:
    answer = server.ask("GET", "/a/1", HOST)
    assert (answer.status, answer.headers["location"]) == (308, "/a/1/")
    assert server.ask("GET", "/a/evil.example", HOST).status == 404


def test_a_bug_is_said_to_be_one(ann: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("foveal.assess.payloads.overview", fail)
    answer = ann.get("desk")
    assert answer.status == 500
    assert "a bug in foveal (ZeroDivisionError)" in answer.told["error"]
    assert [type(bug) for bug in ann.server.bugs] == [ZeroDivisionError]
