"""The guard of the server: only requests to its address, and made by its own pages, pass."""

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
    # Static files set their own value.
    "cache-control": "no-store",
}
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_USUAL_PORTS = {"http": 80, "https": 443}
_SAFE_METHODS = {"GET", "HEAD"}


class Guard:
    """An application behind checks of each request's origin; adds headers to every response."""

    def __init__(self, inner: Application, origin: str) -> None:
        self._inner = inner
        self._origin = origin
        self._hosts = hosts_of(origin)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to one request; only HTTP is supported."""
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
        elif scope["type"] == "http":
            guarded_send = _with_headers(send)
            if problem := self._problem(scope):
                await _respond(scope, guarded_send, *problem)
            else:
                await self._inner(scope, receive, guarded_send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _problem(self, scope: Scope) -> tuple[int, str] | None:
        """HTTP status and sentence of a refusal, or None."""
        headers = [(name.lower(), value) for name, value in scope["headers"]]
        hosts = [value.decode("latin-1").lower() for name, value in headers if name == b"host"]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 421, (
                f"this server answers only at {self._origin}: use that address (a proxy must pass"
                " on the header Host)"
            )
        header = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}
        if scope["method"] not in _SAFE_METHODS and not self._is_own(header.get("origin", "")):
            return 403, "only the pages of this server may send judgements"
        if not _is_from_our_page(scope["path"], header):
            return 403, "this address answers only our own pages: open the link that you were sent"
        return None

    def _is_own(self, origin: str) -> bool:
        scheme, _, host = origin.lower().partition("://")
        return scheme == urlsplit(self._origin).scheme and host in self._hosts


def hosts_of(origin: str) -> frozenset[str]:
    """Values of the header Host that name this server; on a loopback address there are several."""
    url = urlsplit(origin.lower())
    usual_port = _USUAL_PORTS[url.scheme]
    port = url.port or usual_port
    hostname = url.netloc.removesuffix(f":{url.port}")
    names = [hostname] if url.scheme == "https" else [hostname, *_LOOPBACK]
    # Browsers leave out the usual port of a scheme.
    names_without_port = names if port == usual_port else []
    return frozenset([*names_without_port, *(f"{name}:{port}" for name in names)])


def _is_from_our_page(path: str, header: Mapping[str, str]) -> bool:
    """Whether the browser sends the request from our page or because its user opened the address."""
    site = header.get("sec-fetch-site")
    if is_api(path):
        return site == "same-origin"
    if path.startswith("/enter/"):
        # A click in a mail comes from another site; a picture or frame in the mail is no click.
        navigates = header.get("sec-fetch-mode", "navigate") == "navigate"
        return navigates and header.get("sec-fetch-dest", "document") == "document"
    return site in {None, "none", "same-origin"}


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", []))
            header_names = {name.lower().decode("latin-1") for name, _ in headers}
            added = [(n.encode(), v.encode()) for n, v in _HEADERS.items() if n not in header_names]
            message = {**message, "headers": [*headers, *added]}
        await send(message)

    return send_with_headers


async def _respond(scope: Scope, send: Send, status: int, sentence: str) -> None:
    content_type, body = refusal(sentence, scope["path"])
    headers = [
        (b"content-type", content_type.encode()),
        (b"content-length", str(len(body)).encode()),
        # The rest of the request is not read.
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    sent_body = b"" if scope["method"] == "HEAD" else body
    await send({"type": "http.response.body", "body": sent_body})
