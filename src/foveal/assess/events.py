"""Events: the acts of assessors in a campaign's log, and the rules for valid ones."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Mapping
from dataclasses import fields, replace
from enum import StrEnum
from typing import Any, Self
from unicodedata import category

from foveal.errors import RefusedEvent, value_text
from foveal.frozen import frozen
from foveal.spans import LARGEST_OFFSET

LONGEST_VALUE = 10_000
LONGEST_NAME = 1_000
LONGEST_ASPECT = 200
_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
# Categories of control characters and line separators.
_NO_LINE = frozenset({"Cc", "Zl", "Zp"})
# Milliseconds since 1970; the log stores integers of SQLite.
LATEST = 2**53
# The tab of events from imported judgements, which no browser sent.
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


_ABOUT_SPANS = frozenset({EventKind.MARK, EventKind.UNMARK})
# Events that can be undone: all that change a judgement.
UNDOABLE = _ABOUT_SPANS | {
    EventKind.ENTRY, EventKind.NO_ENTRY, EventKind.DONE, EventKind.UNDONE, EventKind.UNDO,
}  # fmt: skip
# Events that are refused while a topic is locked.
JUDGING = UNDOABLE | {EventKind.ADD_DOCUMENT, EventKind.NOTE}
# Events of the organiser, who has no page.
ORGANISING = frozenset({EventKind.LOCK, EventKind.UNLOCK})
_NEED_VALUE = frozenset({EventKind.KEYWORD, EventKind.NOTE})
# Keywords belong to a topic, so they need no document.
_NEED_NO_DOCUMENT = ORGANISING | {EventKind.KEYWORD}


@frozen(kw_only=True)
class Event:
    """One act; `number` and `at_server` are set when it is stored, in order.

    `start` and `stop` count characters of the document; an entry point has `start` alone.
    `quote_sha256` is the digest of the text between them, in UTF-8. `value` is the text of a note or
    keyword; of a mark, the aspect that the text gets; of an unmark, the aspect that it loses, while
    it stays highlighted. `undoes` is the id of an earlier event. Times are
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
    def of(cls, payload: object, assessor: str) -> Self:
        """The event that an assessor's page sends; raises RefusedEvent if it is invalid."""
        if not isinstance(payload, Mapping):
            raise RefusedEvent(f"an event must be an object, got {value_text(payload)}")
        if unknown := [key for key in payload if key not in PAGE_FIELDS]:
            raise RefusedEvent(f"an event has no field {value_text(unknown[0])}")
        values = {"topic": None, "doc": None, **payload}
        try:
            event = cls(assessor=assessor, **{**values, "kind": EventKind(values.get("kind", ""))})
        except (TypeError, ValueError):
            raise RefusedEvent(
                "an event needs an id, a topic and a known kind, such as mark"
            ) from None
        event._refuse_invalid()
        return event

    def _refuse_invalid(self) -> None:
        """Raise RefusedEvent if a field is missing, invalid, or not allowed for this kind of event."""
        for name, value in vars(self).items():
            if name in _NUMBERS:
                _refuse_number(name, value)
            else:
                _refuse_text(name, value)
        if not _ID.fullmatch(self.id):
            raise RefusedEvent("an id must be 8 to 64 letters, digits, - or _")
        for reason in filter(None, (self._bad_offsets(), self._bad_document(), self._bad_fields())):
            raise RefusedEvent(f"{self.kind}: {reason}")

    def _bad_offsets(self) -> str:
        """Problem with the offsets, or an empty string."""
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

    def _bad_document(self) -> str:
        """Problem with the document, or an empty string."""
        if self.doc is None:
            return "" if self.kind in _NEED_NO_DOCUMENT else "doc is missing"
        return "doc is for acts of assessors alone" if self.kind in ORGANISING else ""

    def _bad_fields(self) -> str:
        """Problem with the other fields, or an empty string."""
        if self.topic is None and self.kind not in ORGANISING:
            return "topic is missing"
        if (self.undoes is not None) != (self.kind is EventKind.UNDO):
            return "undo needs undoes, the id of an event, and other kinds have none"
        return self._bad_value()

    def _bad_value(self) -> str:
        """Problem with the text of a note, keyword or aspect, or an empty string."""
        if self.value is None:
            return "value is missing" if self.kind in _NEED_VALUE else ""
        if self.kind in _ABOUT_SPANS:
            return aspect_problem(self.value)
        allowed = self.kind in _NEED_VALUE
        return "" if allowed else "only keyword, note, mark and unmark have a value"

    def is_copy_of(self, other: Event) -> bool:
        """Whether two events with the same id are one event that was sent twice."""
        # An event that is sent again may have another tab and time.
        first, second = (
            replace(event, number=0, at_server=0, at_client=0, tab="") for event in (self, other)
        )
        return first == second

    def row(self) -> dict[str, Any]:
        """The fields by name, as in the log."""
        return {**vars(self), "kind": self.kind.value}


_NUMBERS = {"start", "stop", "at_client", "number", "at_server"}
# The fields that a page sends.
PAGE_FIELDS = frozenset(
    field.name for field in fields(Event) if field.name not in {"assessor", "number", "at_server"}
)


def aspect_problem(name: str) -> str:
    """Problem with the name of an aspect, or an empty string if it is one line of text."""
    if not name or name != name.strip() or any(category(char) in _NO_LINE for char in name):
        return "an aspect must be one line of text, without blanks at its ends"
    if len(name) > LONGEST_ASPECT:
        return f"an aspect must have at most {LONGEST_ASPECT} characters, got {len(name):,}"
    return ""


def now() -> int:
    """The time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def digest(text: str) -> str:
    """Digest of the text between two offsets, which is sent with them as a check."""
    return hashlib.sha256(text.encode()).hexdigest()


def _refuse_number(name: str, value: object) -> None:
    if value is None and name in {"start", "stop"}:
        return
    limit = LARGEST_OFFSET if name in {"start", "stop"} else LATEST
    if type(value) is not int or not 0 <= value <= limit:
        raise RefusedEvent(f"{name} must be a whole number from 0, got {value_text(value)}")


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
