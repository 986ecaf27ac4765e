"""Asking the server of a campaign without a network, as a page in a browser does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from foveal.assess import Campaign, Event, app

ORIGIN = "http://127.0.0.1:8642"
Headers = Mapping[str, str]
Chunks = Sequence[bytes]


@dataclass(frozen=True)
class Answer:
    """What the server answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def told(self) -> Any:
        """The answer to a program."""
        assert self.headers["content-type"] == "application/json", self.body
        return json.loads(self.body)


class Server:
    """An application and the loop on which it runs, which is this thread's."""

    def __init__(self, campaign: Campaign, runner: asyncio.Runner, origin: str = ORIGIN) -> None:
        self.campaign = campaign
        self.runner = runner
        self.app = app(campaign, origin=origin)
        # What a bug raises, after it was answered.
        self.bugs: list[Exception] = []

    def ask(
        self, method: str, address: str, headers: Headers | None = None, chunks: Chunks = ()
    ) -> Answer:
        """One request, whose body comes in pieces."""
        return self.runner.run(self.asking(method, address, headers or {}, chunks))

    async def asking(
        self, method: str, address: str, headers: Headers, chunks: Chunks = ()
    ) -> Answer:
        """One of several requests at a time."""
        path, _, query = address.partition("?")
        raw = [(n.lower().encode("latin-1"), v.encode("latin-1")) for n, v in headers.items()]
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
            "scheme": "http", "path": path, "raw_path": quote(path).encode(),
            "query_string": query.encode("latin-1"), "root_path": "", "headers": raw,
            "client": ("127.0.0.1", 50_000), "server": ("127.0.0.1", 8642),
        }  # fmt: skip
        coming = iter(_pieces(chunks))
        sent: list[Any] = []

        async def receive() -> Any:
            return next(coming, {"type": "http.disconnect"})

        async def send(message: Any) -> None:
            sent.append(message)

        try:
            await self.app(scope, receive, send)
        except Exception as error:  # whatever it is, the answer was sent before
            self.bugs.append(error)
        start, *rest = sent
        named = {n.decode("latin-1"): v.decode("latin-1") for n, v in start["headers"]}
        return Answer(start["status"], named, b"".join(part["body"] for part in rest))


def _pieces(chunks: Chunks) -> Iterator[dict[str, Any]]:
    for place, chunk in enumerate(chunks or [b""], 1):
        yield {"type": "http.request", "body": chunk, "more_body": place < len(chunks)}


@dataclass
class Page:
    """Somebody's page, open in a browser."""

    server: Server
    name: str
    number: int = 0
    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        token = self.server.campaign.new_link(self.name)
        found = self.server.ask("GET", f"/enter/{token}", {"host": "127.0.0.1:8642"})
        cookie = found.headers["set-cookie"].partition(";")[0]
        people = self.server.campaign.people
        self.number = next(person.number for person in people if person.name == self.name)
        self.headers = {
            "host": "127.0.0.1:8642", "cookie": cookie, "origin": ORIGIN,
            "sec-fetch-site": "same-origin", "content-type": "application/json",
        }  # fmt: skip

    def at(self, name: str, **query: object) -> str:
        """The address of something that this page asks for."""
        return f"/a/{self.number}/api/{name}" + (f"?{urlencode(query)}" if query else "")

    def get(self, name: str, **query: object) -> Answer:
        """Ask for something."""
        return self.server.ask("GET", self.at(name, **query), self.headers)

    def post(self, body: object, **headers: str) -> Answer:
        """Send acts, or whatever else."""
        given = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.server.ask("POST", self.at("events"), self.headers | headers, [given])

    def send(self, *events: Event, after: int = 0) -> Answer:
        """Send acts."""
        return self.post({"events": [sent(event) for event in events], "after": after})


def sent(event: Event) -> dict[str, Any]:
    """An event as a page sends it, without what the server adds."""
    row = event.row()
    return {name: row[name] for name in row if name not in {"assessor", "number", "at_server"}}


@contextmanager
def serving(campaign: Campaign, origin: str = ORIGIN) -> Iterator[Server]:
    """A server of a campaign, for a while."""
    with asyncio.Runner() as runner:
        yield Server(campaign, runner, origin)
