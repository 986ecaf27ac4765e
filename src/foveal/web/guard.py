"""Who may ask the server: our own addresses, and requests that our own pages make."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from foveal.web.responses import is_api, refusal

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    # Static files have their own.
    "cache-control": "no-store",
}
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_USUAL_PORTS = {"http": 80, "https": 443}
_READING = {"GET", "HEAD"}


class Guard:
    """An application behind checks of where a request comes from; every answer gets our headers."""

    def __init__(self, inner: Application, origin: str) -> None:
        self._inner = inner
        self._origin = origin
        self._hosts = hosts_of(origin)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; nothing but HTTP is spoken."""
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
        elif scope["type"] == "http":
            sending = _with_headers(send)
            if problem := self._problem(scope):
                await _answer(scope, sending, *problem)
            else:
                await self._inner(scope, receive, sending)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _problem(self, scope: Scope) -> tuple[int, str] | None:
        """Why a request is refused: the status of HTTP and a sentence."""
        headers = [(name.lower(), value) for name, value in scope["headers"]]
        hosts = [value.decode("latin-1").lower() for name, value in headers if name == b"host"]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 421, (
                f"this server answers only at {self._origin}: use that address (a proxy must pass"
                " on the header Host)"
            )
        given = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}
        if scope["method"] not in _READING and not self._is_ours(given.get("origin", "")):
            return 403, "only the pages of this server may send judgements"
        if not _is_from_our_page(scope["path"], given):
            return 403, "this address answers only our own pages: open the link that you were sent"
        return None

    def _is_ours(self, origin: str) -> bool:
        scheme, _, host = origin.lower().partition("://")
        return scheme == urlsplit(self._origin).scheme and host in self._hosts


def hosts_of(origin: str) -> frozenset[str]:
    """The headers Host that name a server; one on this machine has several names."""
    parts = urlsplit(origin.lower())
    usual = _USUAL_PORTS[parts.scheme]
    port = parts.port or usual
    own = parts.netloc.removesuffix(f":{parts.port}")
    names = [own] if parts.scheme == "https" else [own, *_LOOPBACK]
    # Browsers leave out the usual port.
    bare = names if port == usual else []
    return frozenset([*bare, *(f"{name}:{port}" for name in names)])


def _is_from_our_page(path: str, given: Mapping[str, str]) -> bool:
    """Whether the browser says that one of our pages asks, or that the reader went there."""
    site = given.get("sec-fetch-site")
    if is_api(path):
        return site == "same-origin"
    if path.startswith("/enter/"):
        # A click in a mail comes from another site; a picture or frame in the mail is no click.
        navigates = given.get("sec-fetch-mode", "navigate") == "navigate"
        return navigates and given.get("sec-fetch-dest", "document") == "document"
    return site in {None, "none", "same-origin"}


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = list(message.get("headers", []))
            there = {name.lower().decode("latin-1") for name, _ in own}
            more = [(n.encode(), v.encode()) for n, v in _HEADERS.items() if n not in there]
            message = {**message, "headers": [*own, *more]}
        await send(message)

    return sending


async def _answer(scope: Scope, send: Send, status: int, sentence: str) -> None:
    kind, body = refusal(sentence, scope["path"])
    headers = [
        (b"content-type", kind.encode()),
        (b"content-length", str(len(body)).encode()),
        # What the sender still has to say is not read.
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    shown = b"" if scope["method"] == "HEAD" else body
    await send({"type": "http.response.body", "body": shown})
