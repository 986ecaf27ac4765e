"""Rows of the log as events, and events as rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foveal.assess.events import Act, Event

COLUMNS = (
    "id, assessor, topic, doc, kind, start, stop, value, quote_sha256, undoes, tab, at_client,"
    " number, at_server"
)
INSERT = (
    f"INSERT INTO event ({COLUMNS.replace(' number,', '')})"  # noqa: S608  # fixed words
    " VALUES (:id, :assessor, :topic, :doc, :kind, :start, :stop, :value, :quote_sha256, :undoes,"
    " :tab, :at_client, :at_server)"
)
_FIELDS = COLUMNS.split(", ")
_KIND = _FIELDS.index("kind")
_ACTS = {act.value: act for act in Act}


def event_of(row: Sequence[Any]) -> Event:
    """The event that a row of the log holds.

    What the log holds was checked before, and `Event(...)` takes several times as long.
    """
    event = Event.__new__(Event)
    vars(event).update(zip(_FIELDS, row, strict=True), kind=_ACTS[row[_KIND]])
    return event
