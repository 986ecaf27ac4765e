"""`foveal assess serve`: links for everybody, and nothing that was acknowledged is lost."""

from __future__ import annotations

import random
import signal
import socket
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from foveal.assess import Campaign, Role
from foveal.cli.assess import serve
from foveal.web import PORT
from tests.asking import sent
from tests.campaigns import act, campaign_at
from tests.cli.calling import Answer, foveal

SERVE = ("assess", "serve")
PATIENCE = 60.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with campaign_at(tmp_path) as campaign:
        return campaign.path


@dataclass
class Served:
    """A server in a process of its own, and the links that it printed."""

    process: subprocess.Popen[str]
    links: dict[str, str]

    @property
    def origin(self) -> str:
        return next(iter(self.links.values())).partition("/enter/")[0]

    @contextmanager
    def page(self, name: str, number: int) -> Iterator[httpx2.Client]:
        """A client that has entered by somebody's link."""
        headers = {"origin": self.origin, "sec-fetch-site": "same-origin"}
        with httpx2.Client(
            base_url=f"{self.origin}/a/{number}/", headers=headers, timeout=PATIENCE
        ) as client:
            assert client.get(self.links[name]).status_code == 200
            yield client


@contextmanager
def serving(path: Path, *words: str) -> Iterator[Served]:
    command = [sys.executable, "-m", "foveal", *SERVE, str(path), "--port", "0", *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            with Campaign.open(path) as campaign:
                count = len(campaign.people)
            rows = [process.stdout.readline().rstrip("\n").split("\t") for _ in range(count)]
            assert all(len(row) == 3 for row in rows), process.stderr and process.stderr.read()
            yield Served(process, {name: url for name, _, url in rows})
        finally:
            process.kill()


def stubbed(monkeypatch: pytest.MonkeyPatch, path: Path, *words: str) -> tuple[Answer, list[Any]]:
    """What the command prints at a terminal, and what it opens, without a server."""
    opened: list[Any] = []

    def ready_at_once(*_: object, ready: Any, **words: Any) -> None:
        opened.append(words)
        ready("http://127.0.0.1:8642")

    class AtOnce(threading.Thread):
        def start(self) -> None:
            self.run()

    monkeypatch.setattr("foveal.web.serve", ready_at_once)
    monkeypatch.setattr(serve, "_at_terminal", lambda: True)
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(threading, "Thread", AtOnce)
    return foveal(*SERVE, str(path), *words), opened


def test_people_see_a_table_and_the_browser_opens_the_first_link(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Campaign.open(path) as campaign:
        campaign.add_person("eve\t\x1b[31m\u202e\n", Role.ASSESSOR)
    answer, opened = stubbed(monkeypatch, path)
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert [line.split()[:2] for line in lines[:3]] == [
        ["ann", "assessor"], ["bob", "assessor"], ["ada", "adjudicator"],
    ]  # fmt: skip
    assert {line.index("http://127.0.0.1:8642/enter/") for line in lines[:4]} == {
        lines[0].index("http")
    }
    assert "\x1b" not in answer.out
    assert "\u202e" not in answer.out
    words, address = opened
    assert words == {"host": "127.0.0.1", "port": PORT, "behind": None}
    assert lines[0].endswith(address)
    assert "Ctrl-C" in answer.err


def test_no_browser_is_opened_where_none_is_wanted(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, opened = stubbed(monkeypatch, path, "--no-browser", "--behind", "https://name")
    assert opened == [{"host": "127.0.0.1", "port": PORT, "behind": "https://name"}]


def test_earlier_links_stay_valid(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = [stubbed(monkeypatch, path)[0].out for _ in range(2)]
    tokens = [output.split()[2].rpartition("/")[2] for output in outputs]
    assert tokens[0] != tokens[1]
    with Campaign.open(path) as campaign:
        for token in tokens:
            person = campaign.person_of(token)
            assert person is not None
            assert person.name == "ann"
    assert all(token.encode() not in path.read_bytes() for token in tokens)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--host", "192.0.2.1"), 2, "would let other machines in without encryption"),
        (("--behind", "http://name"), 2, "--behind must be https://NAME"),
        (("--port", "70000"), 2, "0<=x<=65535"),
    ],
)
def test_what_makes_no_sense_is_refused(
    path: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    answer = foveal(*SERVE, str(path), *words)
    assert (answer.code, answer.out) == (code, "")
    assert said in answer.err


def test_a_campaign_that_is_not_there_is_named(tmp_path: Path) -> None:
    answer = foveal(*SERVE, str(tmp_path / "none.campaign"))
    assert answer.code == 66
    assert "none.campaign: no such campaign" in answer.err


@pytest.mark.slow
def test_one_server_at_a_time_until_ctrl_c(path: Path) -> None:
    with serving(path) as served:
        with served.page("ann", 1) as page:
            told = page.post("api/events", json={"events": [sent(act("open"))]}).json()
            assert told["number"] == 1
            # Other commands work meanwhile, and are seen.
            with Campaign.open(path) as other:
                assert other.meta["address"] == served.origin
                other.append([act("lock", assessor="", doc=None)])
            assert page.get("api/desk").json()["topics"][0]["locked"] is True
            answer = foveal(*SERVE, str(path), "--port", "0")
            assert (answer.code, answer.out) == (2, "")
            assert f"is served already, at {served.origin}" in answer.err
            _send_noise(served.origin)
            assert page.get("api/desk").headers.get("server") is None
            served.process.send_signal(signal.SIGINT)
            _, said = served.process.communicate(timeout=PATIENCE)
        assert served.process.returncode == 0
        assert said == f"foveal: stopped; all that was acknowledged is in {path}\n"


@pytest.mark.slow
def test_a_service_is_stopped_in_good_order(path: Path) -> None:
    with serving(path) as served:
        with served.page("ann", 1) as page:
            page.get("api/desk")
        served.process.send_signal(signal.SIGTERM)
        _, said = served.process.communicate(timeout=PATIENCE)
        assert served.process.returncode == 0
        assert said == f"foveal: stopped; all that was acknowledged is in {path}\n"
    # What SQLite keeps beside a file that is open.
    assert not path.with_name(f"{path.name}-wal").exists()


def _send_noise(origin: str) -> None:
    """Bytes that are not HTTP, or hardly."""
    rng = random.Random(1)  # noqa: S311  # no secret
    host = origin.removeprefix("http://")
    head = f"GET /a/1/ HTTP/1.1\r\nHost: {host}\r\n"
    noises = [
        rng.randbytes(2_000), b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 1_000, head.encode("utf-16"),
        f"{head}X: {'x' * 100_000}\r\n\r\n".encode(), f"{head}Host: evil\r\n\r\n".encode(),
        f"GET /{'%ff' * 500} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode(),
        f"POST /a/1/api/events HTTP/1.1\r\nHost: {host}\r\nContent-Length: -5\r\n\r\n".encode(),
        f"POST /a/1/api/events HTTP/1.1\r\nHost: {host}\r\nContent-Length: 50\r\n\r\n{{".encode(),
    ]  # fmt: skip
    name, _, port = host.partition(":")
    for noise in noises:
        with socket.create_connection((name, int(port)), timeout=PATIENCE) as line:
            line.sendall(noise)
            line.shutdown(socket.SHUT_WR)
            while answer := line.recv(65_536):
                assert b"HTTP/1.1 500" not in answer


@pytest.mark.slow
def test_what_was_acknowledged_survives_kill_9(path: Path) -> None:
    acknowledged: dict[str, int] = {}
    for round_ in range(3):
        with serving(path) as served, served.page("ann", 1) as page:
            killer = threading.Timer(0.3, served.process.kill)
            answered = 0
            again = [sent(act("open", id=name)) for name in list(acknowledged)[-3:]]
            try:
                while True:
                    events = [sent(act("open")), *again]
                    told = page.post("api/events", json={"events": events}).json()
                    answered += 1
                    if answered == 5:
                        killer.start()
                    for answer in told["acknowledged"]:
                        number = acknowledged.setdefault(answer["id"], answer["number"])
                        assert number == answer["number"]
            except httpx2.TransportError:
                killer.join()
            assert served.process.wait() == -signal.SIGKILL
        with Campaign.open(path) as campaign:
            stored = {event.id: event.number for event in campaign.events()}
        # At most what was under way is there beyond what was acknowledged.
        assert acknowledged.items() <= stored.items()
        assert len(stored) <= len(acknowledged) + round_ + 1
    assert len(acknowledged) > 10
