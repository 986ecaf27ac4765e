"""Acts of assessors: what a campaign's log holds, and which acts it accepts."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Mapping
from dataclasses import fields, replace
from enum import StrEnum
from typing import Any, Self
from unicodedata import category

from foveal.errors import RefusedEvent, kind
from foveal.frozen import frozen
from foveal.spans import LARGEST_OFFSET

LONGEST_VALUE = 10_000
LONGEST_NAME = 1_000
LONGEST_ASPECT = 200
_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
# Control characters and separators of lines.
_NO_LINE = frozenset({"Cc", "Zl", "Zp"})
# Milliseconds since 1970; what is stored must be a whole number of SQLite.
LATEST = 2**53
# The tab of acts that were made of imported judgements, in no browser.
IMPORT_TAB = "import"


class EventKind(StrEnum):
    """Kind of an event: the act of a person."""

    MARK = "mark"
    UNMARK = "unmark"
    ENTRY = "entry"
    NO_ENTRY = "no-entry"
    DONE = "done"
    UNDONE = "undone"
    UNDO = "undo"
    OPEN = "open"
    LEAVE = "leave"
    RETURN = "return"
    POOL_SHOWN = "pool-shown"
    POOL_HIDDEN = "pool-hidden"
    KEYWORD = "keyword"
    NOTE = "note"
    ADD_DOCUMENT = "add-document"
    LOCK = "lock"
    UNLOCK = "unlock"


# What can be undone: all that changes a judgement.
UNDOABLE = frozenset(
    {
        EventKind.MARK,
        EventKind.UNMARK,
        EventKind.ENTRY,
        EventKind.NO_ENTRY,
        EventKind.DONE,
        EventKind.UNDONE,
        EventKind.UNDO,
    }
)
# What is refused while a topic is locked.
JUDGING = UNDOABLE | {EventKind.ADD_DOCUMENT, EventKind.NOTE}
# Acts of the organiser, who has no page.
ORGANISING = frozenset({EventKind.LOCK, EventKind.UNLOCK})
_ABOUT_SPANS = frozenset({EventKind.MARK, EventKind.UNMARK})
_NEED_VALUE = frozenset({EventKind.KEYWORD, EventKind.NOTE})
# Keywords are of a topic, so that they need no document.
_NEED_NO_DOCUMENT = ORGANISING | {EventKind.KEYWORD}


@frozen(kw_only=True)
class Event:
    """One act; `number` and `at_server` are given when it is stored, in order.

    `start` and `stop` count characters of the document; an entry point has `start` alone.
    `quote_sha256` is the digest of the text between them, in UTF-8. `value` is what a note or
    keyword says; of a mark, the aspect that the text has; of an unmark, the aspect that it has no
    longer, while it stays highlighted. `undoes` is the id of an earlier event. Times are
    milliseconds since 1970.
    """

    id: str
    assessor: str
    topic: str | None
    doc: str | None
    kind: EventKind
    start: int | None = None
    stop: int | None = None
    value: str | None = None
    quote_sha256: str | None = None
    undoes: str | None = None
    tab: str = ""
    at_client: int = 0
    number: int = 0
    at_server: int = 0

    @classmethod
    def of(cls, given: object, assessor: str) -> Self:
        """The event that an assessor's page sends; raises RefusedEvent where it makes no sense."""
        if not isinstance(given, Mapping):
            raise RefusedEvent(f"an event must be an object, got {kind(given)}")
        if unknown := [key for key in given if key not in SENT]:
            raise RefusedEvent(f"an event has no field {kind(unknown[0])}")
        words = {"topic": None, "doc": None, **given}
        try:
            event = cls(assessor=assessor, **{**words, "kind": EventKind(words.get("kind", ""))})
        except (TypeError, ValueError):
            raise RefusedEvent(
                "an event needs an id, a topic and a known kind, such as mark"
            ) from None
        event._refuse_nonsense()
        return event

    def _refuse_nonsense(self) -> None:
        """Raise where a field is missing, or has what this kind of event does not have."""
        for name, value in vars(self).items():
            if name in _NUMBERS:
                _refuse_number(name, value)
            else:
                _refuse_text(name, value)
        if not _ID.fullmatch(self.id):
            raise RefusedEvent("an id must be 8 to 64 letters, digits, - or _")
        for reason in filter(None, (self._odd_place(), self._odd_document(), self._odd_fields())):
            raise RefusedEvent(f"{self.kind}: {reason}")

    def _odd_place(self) -> str:
        """What is wrong with the offsets."""
        if self.kind in _ABOUT_SPANS:
            if self.start is None or self.stop is None or not 0 <= self.start < self.stop:
                return "start must be before stop"
            if self.quote_sha256 is None or not _DIGEST.fullmatch(self.quote_sha256):
                return "quote_sha256 must be the SHA-256 of the text from start to stop"
            return ""
        if self.kind is EventKind.ENTRY:
            if self.start is None or self.stop is not None:
                return "an entry point has start and no stop"
        elif self.start is not None or self.stop is not None:
            return "it has neither start nor stop"
        return "only mark and unmark have quote_sha256" if self.quote_sha256 is not None else ""

    def _odd_document(self) -> str:
        """What is wrong with the document."""
        if self.doc is None:
            return "" if self.kind in _NEED_NO_DOCUMENT else "doc is missing"
        return "doc is for acts of assessors alone" if self.kind in ORGANISING else ""

    def _odd_fields(self) -> str:
        """What is wrong with the other fields."""
        if self.topic is None and self.kind not in ORGANISING:
            return "topic is missing"
        if (self.undoes is not None) != (self.kind is EventKind.UNDO):
            return "undo needs undoes, the id of an event, and other kinds have none"
        return self._odd_value()

    def _odd_value(self) -> str:
        """What is wrong with a text that somebody wrote."""
        if self.value is None:
            return "value is missing" if self.kind in _NEED_VALUE else ""
        if self.kind in _ABOUT_SPANS:
            return odd_aspect(self.value)
        allowed = self.kind in _NEED_VALUE
        return "" if allowed else "only keyword, note, mark and unmark have a value"

    def says_the_same(self, other: Event) -> bool:
        """Whether two events of one id are one event that was sent twice."""
        # Where an act was made, and when, may differ when it is sent again.
        one, two = (
            replace(event, number=0, at_server=0, at_client=0, tab="") for event in (self, other)
        )
        return one == two

    def row(self) -> dict[str, Any]:
        """The fields by name, as the log has them."""
        return {**vars(self), "kind": self.kind.value}


_NUMBERS = {"start", "stop", "at_client", "number", "at_server"}
# What a page sends.
SENT = frozenset(
    field.name for field in fields(Event) if field.name not in {"assessor", "number", "at_server"}
)


def odd_aspect(name: str) -> str:
    """What is wrong with the name of an aspect; nothing if it is one line of text."""
    if not name or name != name.strip() or any(category(sign) in _NO_LINE for sign in name):
        return "an aspect must be one line of text, without blanks at its ends"
    if len(name) > LONGEST_ASPECT:
        return f"an aspect must have at most {LONGEST_ASPECT} characters, got {len(name):,}"
    return ""


def now() -> int:
    """The time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def digest(text: str) -> str:
    """The digest that travels with offsets, of the text between them."""
    return hashlib.sha256(text.encode()).hexdigest()


def _refuse_number(name: str, value: object) -> None:
    if value is None and name in {"start", "stop"}:
        return
    limit = LARGEST_OFFSET if name in {"start", "stop"} else LATEST
    if type(value) is not int or not 0 <= value <= limit:
        raise RefusedEvent(f"{name} must be a whole number from 0, got {kind(value)}")


def _refuse_text(name: str, value: object) -> None:
    if value is None and name not in {"id", "assessor", "tab"}:
        return
    longest = LONGEST_VALUE if name == "value" else LONGEST_NAME
    if not isinstance(value, str) or len(value) > longest:
        raise RefusedEvent(f"{name} must be a text of at most {longest:,} characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise RefusedEvent(f"{name} has half of a surrogate pair") from None
