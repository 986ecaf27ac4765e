"""The web application of a campaign: an endpoint for each address."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from foveal.assess import payloads
from foveal.assess.campaign import Campaign
from foveal.assess.current_judgements import CurrentJudgements
from foveal.assess.events import ORGANISING, Event, digest
from foveal.assess.schema import Person
from foveal.errors import BadCampaign, MissingExtra, RefusedEvent
from foveal.web import Application, Guard, Writer, disk_error, page_file, refusal, static, welcome

try:
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
    from starlette.routing import Route
except ImportError as error:
    raise MissingExtra("assess", "starlette") from error

LARGEST_BODY = 1_000_000
MOST_EVENTS = 1_000
_PAGE = files("foveal.assess").joinpath("page")
_YEAR = 365 * 24 * 60 * 60
_NUMBER = re.compile(r"[0-9]{1,15}")
_ID = re.compile(r"[\x20-\x7e]{1,64}")
_LINK_ADVICE = "open the link that you were sent once more, or ask the organiser for a new one"


def app(campaign: Campaign, *, origin: str) -> Application:
    """The application of a campaign, served at an origin such as http://127.0.0.1:8642.

    The campaign belongs to the thread on which it was opened, so that must be the event loop's.
    """
    endpoints = _Endpoints(campaign, origin)
    prefix = "/a/{number}"
    routes = [
        Route("/enter/{token}", endpoints.enter),
        Route("/static/{name}", endpoints.static),
        Route("/favicon.ico", endpoints.icon),
        Route(prefix, endpoints.slash),
        Route(f"{prefix}/", endpoints.page),
        Route(f"{prefix}/api/desk", endpoints.overview),
        Route(f"{prefix}/api/document", endpoints.document),
        Route(f"{prefix}/api/events", endpoints.log, methods=["GET"]),
        Route(f"{prefix}/api/events", endpoints.append, methods=["POST"]),
        Route(f"{prefix}/api/find", endpoints.find),
    ]
    handlers = {
        HTTPException: _refused,
        RefusedEvent: _refused_event,
        sqlite3.Error: _not_stored,
        BadCampaign: _not_stored,
        Exception: _internal_error,
    }
    inner = Starlette(routes=routes, exception_handlers=handlers)
    # Starlette would build such a redirect from the header Host of the request.
    inner.router.redirect_slashes = False
    return Guard(inner, origin)


class _Endpoints:
    """The endpoints, all async because Starlette runs plain functions on other threads."""

    def __init__(self, campaign: Campaign, origin: str) -> None:
        self._campaign = campaign
        self._current = CurrentJudgements(campaign)
        self._writer = Writer(campaign)
        self._is_secure = origin.startswith("https:")
        # Cookies are shared by all ports of a machine, so each campaign has a cookie with its own name.
        self._cookie = f"foveal-{digest(campaign.meta['id'])[:12]}"

    async def enter(self, request: Request) -> Response:
        token = request.path_params["token"]
        person = self._campaign.person_of(token)
        if person is None:
            raise HTTPException(
                403, "this link is unknown, or it has ended: ask the organiser for a new one"
            )
        address = f"/a/{person.number}/"
        response = HTMLResponse(welcome(person.name, address))
        response.set_cookie(
            self._cookie, token, max_age=_YEAR, path=address, secure=self._is_secure,
            httponly=True, samesite="strict",
        )  # fmt: skip
        return response

    async def icon(self, request: Request) -> Response:
        return await self._file(request, "icon.svg")

    async def static(self, request: Request) -> Response:
        return await self._file(request, request.path_params["name"])

    async def _file(self, request: Request, name: str) -> Response:
        file = static(_PAGE, name)
        if file is None:
            raise HTTPException(404)
        # Browsers ask again each time, so they see upgrades; unchanged files are not sent again.
        headers = {"cache-control": "no-cache", "etag": file.tag}
        if file.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(file.body, media_type=file.content_type, headers=headers)

    async def slash(self, request: Request) -> Response:
        if not _NUMBER.fullmatch(number := request.path_params["number"]):
            raise HTTPException(404)
        return RedirectResponse(f"/a/{number}/", 308)

    async def page(self, request: Request) -> Response:
        self._person(request)
        body = page_file(_PAGE, "page.html")
        if body is None:
            raise HTTPException(404)
        return HTMLResponse(body)

    async def overview(self, request: Request) -> Response:
        return JSONResponse(payloads.overview(self._current, self._person(request)))

    async def document(self, request: Request) -> Response:
        person = self._person(request)
        topic, doc = (_parameter(request, name) for name in ("topic", "doc"))
        return JSONResponse(payloads.document(self._current, person, topic, doc))

    async def log(self, request: Request) -> Response:
        person = self._person(request)
        after = request.query_params.get("after", "0")
        if not _NUMBER.fullmatch(after):
            raise HTTPException(400, "after must be the number of an event")
        return JSONResponse(payloads.log_after(self._campaign, person, int(after)))

    async def find(self, request: Request) -> Response:
        person = self._person(request)
        topic, text = (_parameter(request, name) for name in ("topic", "text"))
        return JSONResponse(payloads.find(self._campaign, person, topic, text))

    async def append(self, request: Request) -> Response:
        person = self._person(request)
        sent, after = _events_and_after(await _json(request))
        parsed = [_event_of(item, person) for item in sent]
        stored = iter(await self._writer.append([e for e in parsed if isinstance(e, Event)]))
        results = [next(stored) if isinstance(e, Event) else e for e in parsed]
        payload = _event_statuses(sent, results) | payloads.log_after(self._campaign, person, after)
        refused = [result.status for result in results if isinstance(result, RefusedEvent)]
        return JSONResponse(payload, refused[0] if refused else 200)

    def _person(self, request: Request) -> Person:
        """The person who asks; raises unless the address is the person's."""
        token = request.cookies.get(self._cookie, "")
        person = self._campaign.person_of(token) if token else None
        if person is None or str(person.number) != request.path_params["number"]:
            raise HTTPException(403, f"this page does not know who you are: {_LINK_ADVICE}")
        return person


def _parameter(request: Request, name: str) -> str:
    value = request.query_params.get(name)
    if value is None:
        raise HTTPException(400, f"{name} is missing in the address")
    return value


async def _json(request: Request) -> object:
    """Parse the body of a request; raises if it is too long or not JSON."""
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != "application/json" or "content-encoding" in request.headers:
        raise HTTPException(415, "acts are sent as application/json")
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > LARGEST_BODY:
                raise HTTPException(413, f"at most {LARGEST_BODY:,} bytes at a time")
    except ClientDisconnect:
        raise HTTPException(400, "the connection ended too early") from None
    try:
        # ValueError: not JSON, or a number with thousands of digits.
        return json.loads(body.decode())
    except (ValueError, RecursionError):
        raise HTTPException(400, "this is not JSON, or it is nested too deeply") from None


def _events_and_after(body: object) -> tuple[list[Any], int]:
    """The events of a request, and the number of the last event that the page knows."""
    if not isinstance(body, dict) or not set(body) <= {"events", "after"}:
        raise HTTPException(400, 'expected {"events": […], "after": number}')
    events, after = body.get("events"), body.get("after", 0)
    if type(after) is not int or not 0 <= after < 10**15:
        raise HTTPException(400, "after must be the number of an event")
    if not isinstance(events, list):
        raise HTTPException(400, "events must be a list")
    if len(events) > MOST_EVENTS:
        raise HTTPException(413, f"at most {MOST_EVENTS:,} events at a time")
    return events, after


def _event_of(item: object, person: Person) -> Event | RefusedEvent:
    try:
        event = Event.of(item, person.name)
    except RefusedEvent as error:
        return error
    if event.kind in ORGANISING:
        return RefusedEvent(f"{event.kind} is for the organiser: `foveal assess {event.kind}`", 403)
    return event


def _event_statuses(sent: Sequence[Any], results: Sequence[int | RefusedEvent]) -> dict[str, Any]:
    """Status of each event, by the id from the page."""
    acknowledged: list[dict[str, Any]] = []
    refused: list[dict[str, Any]] = []
    for item, result in zip(sent, results, strict=True):
        if isinstance(result, RefusedEvent):
            refused.append({"id": _id(item), "status": result.status, "error": str(result)})
        else:
            acknowledged.append({"id": _id(item), "number": result})
    return {"acknowledged": acknowledged, "refused": refused}


def _id(item: Any) -> str | None:
    """The id of an event from the page, or None if it is not valid."""
    event_id = item.get("id") if isinstance(item, dict) else None
    return event_id if isinstance(event_id, str) and _ID.fullmatch(event_id) else None


def _refusal(request: Request, status: int, sentence: str) -> Response:
    content_type, body = refusal(sentence, request.url.path)
    return Response(body, status, media_type=content_type)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  # as it is registered
    sentences = {
        404: f"there is nothing here: {_LINK_ADVICE}",
        405: "this address does not accept such requests",
    }
    sentence = error.detail
    if error.status_code in sentences and sentence in {"Not Found", "Method Not Allowed"}:
        sentence = sentences[error.status_code]
    response = _refusal(request, error.status_code, sentence)
    response.headers.update(error.headers or {})
    return response


async def _refused_event(request: Request, error: Exception) -> Response:
    return _refusal(request, getattr(error, "status", 400), str(error))


async def _not_stored(request: Request, error: Exception) -> Response:
    assert isinstance(error, sqlite3.Error | BadCampaign)  # noqa: S101  # as it is registered
    if (failure := disk_error(error)) is None:
        raise error
    return _refusal(request, *failure)


async def _internal_error(request: Request, error: Exception) -> Response:
    sentence = f"a bug in foveal ({type(error).__name__}): please report it; what was saved is safe"
    return _refusal(request, 500, sentence)
