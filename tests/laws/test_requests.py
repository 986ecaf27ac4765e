"""Whatever is sent to the server of a campaign: it answers, and stores only what it acknowledges."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from foveal.assess import Event
from tests.asking import Answer, Page, Server, sent, serving
from tests.campaigns import act, campaign_at

REQUESTS = 1_000
ODD_TEXTS = [
    "", " ", "\x00", "\n", "../..", "%2e%2e%2f", "%00", "%ff", "'", '"', "<b>", "\u202e", "\u2603",
    "1" * 5_000, "-1", "1e999", "null", "NaN", "\ud800", "\U0001f680", ";", ",", "=", "api", "a",
]  # fmt: skip
ODD_VALUES: list[Any] = [
    *ODD_TEXTS, None, True, False, 0, -1, 1.5, 2**31, 2**53, 2**63, 2**64, 10**400, [], {}, [[[]]],
    float("nan"), float("inf"), {"id": 1}, "x" * 20_000,
]  # fmt: skip
METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "get", "BREW", ""]


@dataclass(frozen=True)
class Request:
    """A request that may be changed."""

    method: str
    address: str
    headers: dict[str, str]
    body: bytes


def valid(rng: random.Random, page: Page, known: list[str]) -> Request:
    """A request that a page makes."""
    at = rng.choice(["desk", "document", "events", "find", "post", "post", "post", "post", "page"])
    if at == "page":
        address = rng.choice(["/", f"/a/{page.number}/", "/enter/x", "/static/tokens.css"])
        return Request("GET", address, page.headers, b"")
    if at != "post":
        query = {
            "topic": "1",
            "doc": "plain",
            "text": "o",
            "after": str(page.server.campaign.last_number(page.name)),
        }
        return Request("GET", page.at(at, **query), page.headers, b"")
    events = [acted(rng, known) for _ in range(rng.randint(1, 3))]
    # Answers would grow with the log, and so would the test's time.
    after = page.server.campaign.last_number(page.name)
    body = json.dumps({"events": [sent(event) for event in events], "after": after})
    return Request("POST", page.at("events"), page.headers, body.encode())


def acted(rng: random.Random, known: list[str]) -> Event:
    kind = rng.choice(["mark", "unmark", "done", "open", "entry", "undo", "note"])
    if kind in {"mark", "unmark"}:
        start, doc = rng.randrange(20), rng.choice(["plain", "odd", "stones"])
        return act(kind, doc=doc, start=start, stop=start + 5)
    if kind == "undo":
        return act(kind, undoes=rng.choice(known or ["nothing-there"]))
    own: dict[str, dict[str, Any]] = {"entry": {"start": 3}, "note": {"value": "word"}}
    return act(kind, **own.get(kind, {}))


def other_method(rng: random.Random, request: Request) -> Request:
    return replace(request, method=rng.choice(METHODS))


def other_address(rng: random.Random, request: Request) -> Request:
    path, _, query = request.address.partition("?")
    text = rng.choice(ODD_TEXTS).encode("utf-8", "replace").decode()
    if rng.random() < 0.5 and query:
        pairs = query.split("&")
        pairs[rng.randrange(len(pairs))] = rng.choice([text, f"topic={text}", f"after={text}"])
        return replace(request, address=f"{path}?{'&'.join(pairs).encode().decode('latin-1')}")
    parts = path.split("/")
    parts[rng.randrange(len(parts))] = text
    return replace(request, address="/".join(parts))


def other_header(rng: random.Random, request: Request) -> Request:
    name = rng.choice([*request.headers, "content-length", "if-none-match", "transfer-encoding"])
    headers = dict(request.headers)
    if rng.random() < 0.3:
        headers.pop(name, None)
    else:
        text = rng.choice([*ODD_TEXTS, "http://evil.example", "cross-site", "\xff\xfe", "a=b; c"])
        headers[name] = text.encode("utf-8", "replace").decode("latin-1")
    return replace(request, headers=headers)


def other_bytes(rng: random.Random, request: Request) -> Request:
    body = bytearray(request.body or b"{}")
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(body) + 1)
        body[place : place + rng.randint(0, 3)] = rng.randbytes(rng.randint(0, 3))
    return replace(request, body=bytes(body))


def other_value(rng: random.Random, request: Request) -> Request:
    """JSON all right, but with something odd somewhere in it."""
    try:
        told = json.loads(request.body)
        owner = rng.choice([told, *told["events"]])
        owner[rng.choice([*owner, "odd"])] = rng.choice(ODD_VALUES)
    except (ValueError, TypeError, KeyError):
        return other_bytes(rng, request)
    return replace(request, body=json.dumps(told).encode())


CHANGES: list[Callable[[random.Random, Request], Request]] = [
    other_method, other_address, other_header, other_bytes, other_value, other_value,
]  # fmt: skip


@pytest.fixture
def server(tmp_path: Path) -> Any:
    with campaign_at(tmp_path) as campaign, serving(campaign) as started:
        campaign.connection.execute("PRAGMA synchronous = OFF")
        yield started


def asked(server: Server, request: Request) -> Answer:
    return server.ask(request.method, request.address, request.headers, [request.body])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_no_request_breaks_the_server_or_stores_what_is_refused(server: Server, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311  # no secret
    page = Page(server, "ann")
    acknowledged: dict[int, str] = {}
    statuses = set()
    for _ in range(REQUESTS):
        request = valid(rng, page, list(acknowledged.values())[-50:])
        for change in rng.choices(CHANGES, k=rng.randint(0, 3)):
            request = change(rng, request)
        answer = asked(server, request)
        statuses.add(answer.status)
        assert answer.status < 500, request
        if request.method == "POST" and b'"acknowledged"' in answer.body:
            acknowledged |= {told["number"]: told["id"] for told in answer.told["acknowledged"]}
        assert server.campaign.last_number("ann") == len(acknowledged), request
    assert not server.bugs
    stored = server.campaign.events()
    assert {event.number: event.id for event in stored} == acknowledged
    for event in stored:
        assert replace(Event.of(sent(event), "ann"), number=event.number) == replace(
            event, at_server=0
        )
    # Each check has been met, and has let others pass.
    assert {200, 400, 403, 404, 405, 415, 421, 422} <= statuses
    assert len(stored) > REQUESTS / 20
