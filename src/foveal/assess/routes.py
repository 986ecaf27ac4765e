"""The server of a campaign: what each address answers."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from foveal.assess import payloads as desk
from foveal.assess.campaign import Campaign
from foveal.assess.current_judgements import CurrentJudgements
from foveal.assess.events import ORGANISING, Event, digest
from foveal.assess.schema import Person
from foveal.errors import BadCampaign, MissingExtra, RefusedEvent
from foveal.web import Application, Guard, Writer, page_file, refusal, said_of, static, welcome

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
_USE_LINK = "open the link that you were sent once more, or ask the organiser for a new one"


def app(campaign: Campaign, *, origin: str) -> Application:
    """The application of a campaign that readers reach at an origin, as http://127.0.0.1:8642.

    The campaign belongs to the thread on which it was opened, so that must be the event loop's.
    """
    desks = _Endpoints(campaign, origin)
    own = "/a/{number}"
    routes = [
        Route("/enter/{token}", desks.enter),
        Route("/static/{name}", desks.static),
        Route("/favicon.ico", desks.icon),
        Route(own, desks.slash),
        Route(f"{own}/", desks.page),
        Route(f"{own}/api/desk", desks.desk),
        Route(f"{own}/api/document", desks.document),
        Route(f"{own}/api/events", desks.log, methods=["GET"]),
        Route(f"{own}/api/events", desks.append, methods=["POST"]),
        Route(f"{own}/api/find", desks.find),
    ]
    handlers = {
        HTTPException: _refused,
        RefusedEvent: _refused_act,
        sqlite3.Error: _not_stored,
        BadCampaign: _not_stored,
        Exception: _bug,
    }
    inner = Starlette(routes=routes, exception_handlers=handlers)
    # Starlette would build such a redirect from what the request says.
    inner.router.redirect_slashes = False
    return Guard(inner, origin)


class _Endpoints:
    """The endpoints; all of them async, because a plain one would run on another thread."""

    def __init__(self, campaign: Campaign, origin: str) -> None:
        self._campaign = campaign
        self._standing = CurrentJudgements(campaign)
        self._writer = Writer(campaign)
        self._is_secure = origin.startswith("https:")
        # Browsers do not tell servers on one machine apart, so campaigns have cookies of their own.
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
        found = static(_PAGE, name)
        if found is None:
            raise HTTPException(404)
        # Asked for anew each time, so that an upgrade is seen; unchanged files are not sent again.
        headers = {"cache-control": "no-cache", "etag": found.tag}
        if found.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(found.body, media_type=found.kind, headers=headers)

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

    async def desk(self, request: Request) -> Response:
        return JSONResponse(desk.desk(self._standing, self._person(request)))

    async def document(self, request: Request) -> Response:
        person = self._person(request)
        topic, doc = (_asked(request, name) for name in ("topic", "doc"))
        return JSONResponse(desk.document(self._standing, person, topic, doc))

    async def log(self, request: Request) -> Response:
        person = self._person(request)
        after = request.query_params.get("after", "0")
        if not _NUMBER.fullmatch(after):
            raise HTTPException(400, "after must be the number of an event")
        return JSONResponse(desk.log_after(self._campaign, person, int(after)))

    async def find(self, request: Request) -> Response:
        person = self._person(request)
        topic, text = (_asked(request, name) for name in ("topic", "text"))
        return JSONResponse(desk.find(self._campaign, person, topic, text))

    async def append(self, request: Request) -> Response:
        person = self._person(request)
        sent, after = _sent(await _json(request))
        read = [_read(given, person) for given in sent]
        stored = iter(await self._writer.append([e for e in read if isinstance(e, Event)]))
        answers = [next(stored) if isinstance(e, Event) else e for e in read]
        told = _answered(sent, answers) | desk.log_after(self._campaign, person, after)
        refused = [answer.status for answer in answers if isinstance(answer, RefusedEvent)]
        return JSONResponse(told, refused[0] if refused else 200)

    def _person(self, request: Request) -> Person:
        """Who asks; raises unless the cookie is of the person whose address it is."""
        token = request.cookies.get(self._cookie, "")
        person = self._campaign.person_of(token) if token else None
        if person is None or str(person.number) != request.path_params["number"]:
            raise HTTPException(403, f"this page does not know who you are: {_USE_LINK}")
        return person


def _asked(request: Request, name: str) -> str:
    value = request.query_params.get(name)
    if value is None:
        raise HTTPException(400, f"{name} is missing in the address")
    return value


async def _json(request: Request) -> object:
    """What a request says; raises where it is too long or not JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" or "content-encoding" in request.headers:
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
        # Numbers of thousands of digits are refused as well.
        return json.loads(body.decode())
    except (ValueError, RecursionError):
        raise HTTPException(400, "this is not JSON, or it is nested too deeply") from None


def _sent(given: object) -> tuple[list[Any], int]:
    """The events of a request, and the number of the last event that the page knows."""
    if not isinstance(given, dict) or not set(given) <= {"events", "after"}:
        raise HTTPException(400, 'expected {"events": […], "after": number}')
    sent, after = given.get("events"), given.get("after", 0)
    if type(after) is not int or not 0 <= after < 10**15:
        raise HTTPException(400, "after must be the number of an event")
    if not isinstance(sent, list):
        raise HTTPException(400, "events must be a list")
    if len(sent) > MOST_EVENTS:
        raise HTTPException(413, f"at most {MOST_EVENTS:,} events at a time")
    return sent, after


def _read(given: object, person: Person) -> Event | RefusedEvent:
    try:
        event = Event.of(given, person.name)
    except RefusedEvent as error:
        return error
    if event.kind in ORGANISING:
        return RefusedEvent(f"{event.kind} is for the organiser: `foveal assess {event.kind}`", 403)
    return event


def _answered(sent: Sequence[Any], answers: Sequence[int | RefusedEvent]) -> dict[str, Any]:
    """What became of each event, by the id that the page gave it."""
    acknowledged: list[dict[str, Any]] = []
    refused: list[dict[str, Any]] = []
    for given, answer in zip(sent, answers, strict=True):
        if isinstance(answer, RefusedEvent):
            refused.append({"id": _id(given), "status": answer.status, "error": str(answer)})
        else:
            acknowledged.append({"id": _id(given), "number": answer})
    return {"acknowledged": acknowledged, "refused": refused}


def _id(given: Any) -> str | None:
    """The id that was sent, unless it is too odd to be repeated."""
    sent = given.get("id") if isinstance(given, dict) else None
    return sent if isinstance(sent, str) and _ID.fullmatch(sent) else None


def _refusal(request: Request, status: int, sentence: str) -> Response:
    kind, body = refusal(sentence, request.url.path)
    return Response(body, status, media_type=kind)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  # as it is registered
    usual = {
        404: f"there is nothing here: {_USE_LINK}",
        405: "this address does not accept such requests",
    }
    said = error.detail
    if error.status_code in usual and said in {"Not Found", "Method Not Allowed"}:
        said = usual[error.status_code]
    response = _refusal(request, error.status_code, said)
    response.headers.update(error.headers or {})
    return response


async def _refused_act(request: Request, error: Exception) -> Response:
    return _refusal(request, getattr(error, "status", 400), str(error))


async def _not_stored(request: Request, error: Exception) -> Response:
    assert isinstance(error, sqlite3.Error | BadCampaign)  # noqa: S101  # as it is registered
    if (said := said_of(error)) is None:
        raise error
    return _refusal(request, *said)


async def _bug(request: Request, error: Exception) -> Response:
    said = f"a bug in foveal ({type(error).__name__}): please report it; what was saved is safe"
    return _refusal(request, 500, said)
