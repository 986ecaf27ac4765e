"""Rows of the log as events, events as rows, and the query for what is to be judged."""

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
# Somebody may have added a document twice, on two machines, or one that is pooled elsewhere.
OFFERED = """
SELECT topic, doc, assessor, order_seed, 0 AS added, place, main
  FROM {asked} USING (topic) WHERE true{where}
UNION ALL
SELECT topic, doc, assessor, 0, 1, min(number), 0
  FROM event WHERE kind = 'add-document'{where} AND NOT EXISTS (
    SELECT 1 FROM pool WHERE pool.topic = event.topic AND pool.doc = event.doc
  )
  GROUP BY topic, doc, assessor
ORDER BY topic, added, place, main DESC, assessor
"""
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
