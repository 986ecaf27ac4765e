"""Who is let in: links, cookies, and requests that our own pages make, no others."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from foveal.assess import Campaign
from foveal.web.guard import POLICY, hosts_of
from tests.asking import ORIGIN, Answer, Page, Server, serving
from tests.campaigns import act

HOST = {"host": "127.0.0.1:8642"}


def enter(server: Server, name: str = "ann", **headers: str) -> Answer:
    token = server.campaign.new_link(name)
    return server.ask("GET", f"/enter/{token}", HOST | headers)


def test_a_link_sets_a_strict_cookie_for_its_own_page_alone(server: Server) -> None:
    answer = enter(server)
    assert answer.status == 200
    assert b'<meta http-equiv="refresh" content="0; url=/a/1/">' in answer.body
    assert b'<a href="/a/1/">' in answer.body
    _, *words = answer.headers["set-cookie"].split("; ")
    assert {word.lower() for word in words} == {
        "httponly", "max-age=31536000", "path=/a/1/", "samesite=strict",
    }  # fmt: skip


def test_behind_a_proxy_the_cookie_travels_encrypted_alone(campaign: Campaign) -> None:
    with serving(campaign, "https://judge.example.org") as server:
        token = campaign.new_link("ann")
        answer = server.ask("GET", f"/enter/{token}", {"host": "judge.example.org"})
        assert "; Secure" in answer.headers["set-cookie"]
        assert server.ask("GET", f"/enter/{token}", HOST).status == 421


def test_campaigns_on_one_machine_keep_their_cookies_apart(
    campaign: Campaign, server: Server
) -> None:
    one = enter(server).headers["set-cookie"].partition("=")[0]
    campaign.set_meta("id", "another")
    with serving(campaign) as other:
        assert enter(other).headers["set-cookie"].partition("=")[0] != one


def test_a_name_of_markup_is_shown_as_it_is(campaign: Campaign, server: Server) -> None:
    person = campaign.people[0]._replace(name="<b>\u202eeve")
    campaign.add_person(person.name, person.role)
    page = enter(server, person.name).body.decode()
    assert "Judging as &lt;b&gt;\N{REPLACEMENT CHARACTER}eve" in page


@pytest.mark.parametrize("token", ["nonsense", "a" * 5_000, "\N{SNOWMAN}", "x\x00y"])
def test_an_unknown_link_is_refused(server: Server, token: str) -> None:
    answer = server.ask("GET", f"/enter/{token}", HOST)
    assert answer.status == 403
    assert b"ask the organiser for a new one" in answer.body
    assert "set-cookie" not in answer.headers


def test_a_link_that_has_ended_lets_nobody_in(campaign: Campaign, ann: Page) -> None:
    assert ann.get("desk").status == 200
    campaign.new_link("ann", end_others=True)
    assert ann.get("desk").status == 403
    assert ann.send(act("open")).status == 403
    assert not campaign.events()


@pytest.mark.parametrize("number", ["2", "01", "1 ", "9" * 5_000, "\u0661", "-1", "x"])
def test_a_cookie_opens_its_own_number_alone(server: Server, ann: Page, number: str) -> None:
    for address in (f"/a/{number}/", f"/a/{number}/api/desk", f"/a/{number}/api/events"):
        assert server.ask("GET", address, ann.headers).status == 403
    headers = ann.headers | {"cookie": ""}
    assert server.ask("GET", ann.at("desk"), headers).status == 403


def test_somebody_without_a_cookie_is_told_to_use_the_link(server: Server) -> None:
    answer = server.ask("GET", "/a/1/", HOST)
    assert answer.status == 403
    assert b"open the link that you were sent" in answer.body


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8642", 200), ("localhost:8642", 200), ("LOCALHOST:8642", 200),
        ("127.0.0.1", 421), ("127.0.0.1:80", 421), ("evil.example:8642", 421), ("", 421),
        ("127.0.0.1:8642.evil.example", 421), ("evil.example@127.0.0.1:8642", 421),
    ],
)  # fmt: skip
def test_a_host_that_is_not_ours_is_refused(ann: Page, host: str, status: int) -> None:
    ann.headers["host"] = host
    assert ann.get("desk").status == status


def test_a_request_names_one_host(server: Server, ann: Page) -> None:
    del ann.headers["host"]
    answer = ann.get("desk")
    assert answer.status == 421
    assert ORIGIN in answer.told["error"]


@pytest.mark.parametrize(
    ("origin", "hosts"),
    [
        ("http://127.0.0.1:80", {"127.0.0.1", "localhost", "[::1]"}),
        ("http://[::1]:8642", {"[::1]:8642", "localhost:8642"}),
        ("https://Judge.example.org", {"judge.example.org", "judge.example.org:443"}),
        ("https://judge.example.org:443", {"judge.example.org", "judge.example.org:443"}),
        ("https://[2001:db8::1]:8443", {"[2001:db8::1]:8443"}),
        ("https://judge.example.org:8443", {"judge.example.org:8443"}),
    ],
)
def test_hosts_that_are_ours(origin: str, hosts: set[str]) -> None:
    assert hosts <= hosts_of(origin)
    assert "evil.example" not in hosts_of(origin)


def test_a_proxy_at_another_port_is_another_server() -> None:
    assert hosts_of("https://judge.example.org:8443") == {"judge.example.org:8443"}


@pytest.mark.parametrize(
    "origin",
    [
        "", "null", "http://evil.example", "https://127.0.0.1:8642", "http://127.0.0.1",
        "http://127.0.0.1:8643", "127.0.0.1:8642", "http://127.0.0.1:8642/", "http://",
    ],
)  # fmt: skip
def test_acts_from_other_origins_are_refused(campaign: Campaign, ann: Page, origin: str) -> None:
    ann.headers["origin"] = origin
    assert ann.send(act("open")).status == 403
    del ann.headers["origin"]
    assert ann.send(act("open")).status == 403
    assert not campaign.events()


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none", "", None])
def test_programs_of_other_sites_get_nothing(ann: Page, site: str | None) -> None:
    del ann.headers["sec-fetch-site"]
    if site is not None:
        ann.headers["sec-fetch-site"] = site
    for name in ("desk", "events", "document", "find"):
        assert ann.get(name).status == 403
    assert ann.send(act("open")).status == 403


def test_other_sites_cannot_open_pages(server: Server, ann: Page) -> None:
    for address in ("/a/1/", "/static/tokens.css"):
        for site, status in (("cross-site", 403), ("same-site", 403), ("none", 200)):
            headers = ann.headers | {"sec-fetch-site": site}
            assert server.ask("GET", address, headers).status == status


def test_a_click_in_a_mail_enters_but_a_picture_does_not(server: Server) -> None:
    click = {
        "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document",
    }  # fmt: skip
    assert enter(server, **click).status == 200
    assert enter(server, **click | {"sec-fetch-mode": "no-cors"}).status == 403
    assert enter(server, **click | {"sec-fetch-dest": "iframe"}).status == 403


def test_every_answer_has_our_headers(server: Server, ann: Page) -> None:
    asked = [
        ("GET", "/", HOST), ("GET", "/nowhere", {}), ("GET", "/static/tokens.css", HOST),
        ("GET", ann.at("desk"), ann.headers), ("POST", ann.at("events"), ann.headers),
        ("PUT", ann.at("events"), ann.headers), ("GET", "/enter/x", HOST),
    ]  # fmt: skip
    for method, address, headers in asked:
        found = server.ask(method, address, headers).headers
        assert found["content-security-policy"] == POLICY
        assert found["x-content-type-options"] == "nosniff"
        assert found["referrer-policy"] == "no-referrer"
        assert found["cross-origin-opener-policy"] == "same-origin"
        assert found["cross-origin-resource-policy"] == "same-origin"
        assert found["x-frame-options"] == "DENY"
        stored = "no-cache" if address.startswith("/static/") else "no-store"
        assert found["cache-control"] == stored
        assert "server" not in found
        assert "access-control-allow-origin" not in found


def test_the_notices_style_comes_beside_the_pages_own(server: Server) -> None:
    for name in ("notice.css", "page.css", "icon.svg"):
        assert server.ask("GET", f"/static/{name}", HOST).status == 200


def test_sockets_are_closed(server: Server) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        await asyncio.sleep(0)

    scope = {"type": "websocket", "path": "/a/1/", "headers": []}
    server.runner.run(server.app(scope, receive, send))  # type: ignore[arg-type]
    assert sent == [{"type": "websocket.close", "code": 1008}]
