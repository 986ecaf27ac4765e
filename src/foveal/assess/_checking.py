"""Whether an event fits into its campaign: the text it quotes, the topic, the event it undoes."""

from __future__ import annotations

import sqlite3
from functools import lru_cache

from foveal.assess.events import JUDGING, ORGANISING, UNDOABLE, Act, Event, digest
from foveal.errors import RefusedEvent

_LOCKS = (
    "SELECT kind FROM event WHERE kind IN ('lock', 'unlock') AND (topic IS NULL OR topic = ?)"
    " ORDER BY number DESC LIMIT 1"
)
_OFFERED = (
    "SELECT 1 FROM pool WHERE topic = ?1 AND doc = ?2 UNION ALL SELECT 1 FROM event"
    " WHERE assessor = ?3 AND topic = ?1 AND doc = ?2 AND kind = 'add-document' UNION ALL"
    # What an assessor has added, an adjudicator may judge as well.
    " SELECT 1 FROM assessor AS own JOIN event ON event.kind = 'add-document'"
    " AND event.assessor IN (SELECT name FROM assessor) AND topic = ?1 AND doc = ?2"
    " WHERE own.name = ?3 AND own.role = 'adjudicator' LIMIT 1"
)
_MAY_JUDGE = (
    "SELECT 1 FROM assignment WHERE topic = ?1 AND assessor = ?2 UNION ALL"
    " SELECT 1 FROM assessor JOIN topic WHERE name = ?2 AND role = 'adjudicator' AND topic = ?1"
)


class Checks:
    """The checks that an event must pass before it is stored."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        # Texts never change, and an assessor works on one for a while.
        self._text = lru_cache(maxsize=64)(self._read_text)

    def refuse_unfitting(self, event: Event, *, imported: bool = False) -> None:
        """Raise RefusedEvent if the event does not fit into the campaign.

        What was done elsewhere may be imported into a locked topic; and somebody may have added the
        same document here and there.
        """
        if event.kind in ORGANISING:
            return
        self.refuse_unless_offered(event.assessor, event.topic)
        if not imported and event.kind in JUDGING and self.is_locked(event.topic or ""):
            raise RefusedEvent(f"topic {event.topic!r} is locked: the organiser can unlock it", 423)
        if event.doc is not None:
            self._refuse_document(event, event.doc, imported=imported)
        if event.kind is Act.UNDO:
            self._refuse_undo(event)

    def refuse_unless_offered(
        self, assessor: str, topic: str | None, doc: str | None = None
    ) -> None:
        """Raise RefusedEvent unless a topic, and a document of it, is somebody's to judge."""
        if not self._any(_MAY_JUDGE, topic, assessor):
            raise RefusedEvent(f"topic {topic!r} is not one of {assessor}'s", 403)
        if doc is not None and not self._any(_OFFERED, topic, doc, assessor):
            raise RefusedEvent(f"document {doc!r} is not one of topic {topic!r}", 403)

    def is_locked(self, topic: str) -> bool:
        """Whether the organiser has locked a topic, alone or with all others."""
        found = self._connection.execute(_LOCKS, (topic,)).fetchone()
        return found is not None and found[0] == Act.LOCK

    def _refuse_document(self, event: Event, doc: str, *, imported: bool) -> None:
        text = self._text(doc)
        if text is None:
            raise RefusedEvent(f"there is no document {doc!r}", 404)
        is_offered = self._any(_OFFERED, event.topic, doc, event.assessor)
        if event.kind is Act.ADD_DOCUMENT:
            if is_offered and not imported:
                raise RefusedEvent(f"document {doc!r} is there already", 409)
        elif not is_offered:
            raise RefusedEvent(f"document {doc!r} is not one of topic {event.topic!r}", 403)
        last = event.start if event.stop is None else event.stop
        if last is not None and last > len(text):
            raise RefusedEvent(
                f"{event.kind} ends at {last:,}, but the document has {len(text):,} characters", 422
            )
        if event.quote_sha256 and digest(text[event.start : event.stop]) != event.quote_sha256:
            raise RefusedEvent("the text from start to stop is not what was quoted", 422)

    def _refuse_undo(self, event: Event) -> None:
        found = self._connection.execute(
            "SELECT kind FROM event WHERE id = ? AND assessor = ? AND topic = ? AND doc = ?",
            (event.undoes, event.assessor, event.topic, event.doc),
        ).fetchone()
        if found is None:
            raise RefusedEvent("undo names no event of yours on this document", 422)
        if found[0] not in UNDOABLE:
            raise RefusedEvent(f"{found[0]} cannot be undone", 422)

    def _any(self, query: str, *values: object) -> bool:
        return self._connection.execute(query, values).fetchone() is not None

    def _read_text(self, doc: str) -> str | None:
        query = "SELECT text FROM document WHERE doc = ?"
        found = self._connection.execute(query, (doc,)).fetchone()
        return None if found is None else str(found[0])
