"""Highlights as annotations of the W3C's model, which other tools for annotation read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from foveal.assess.campaign import Campaign
from foveal.assess.work import Finished

CONTEXT = "http://www.w3.org/ns/anno.jsonld"
# Characters before and after a quote that help to find it in a text that has changed.
AROUND = 32
# Of the year 9999.
LAST_SECOND = 253_402_300_799


def annotation_page(campaign: Campaign, rows: Iterable[Finished]) -> dict[str, Any]:
    """A page with an annotation for each highlight and each entry point, in order.

    Positions count characters (code points). The same judgements get the same ids every time.
    """
    own_id = campaign.meta["id"]
    items = [item for row in rows for item in _items(campaign, own_id, row)]
    return {
        "@context": CONTEXT,
        "id": _urn(own_id, [item["id"] for item in items]),
        "type": "AnnotationPage",
        "items": items,
    }


def _items(campaign: Campaign, own_id: str, row: Finished) -> Iterator[dict[str, Any]]:
    document = campaign.document(row.doc)
    text = document.text if document else ""
    for start, stop in row.spans:
        quote = {
            "type": "TextQuoteSelector",
            "exact": text[start:stop],
            "prefix": text[max(0, start - AROUND) : start],
            "suffix": text[stop : stop + AROUND],
        }
        yield _annotation(own_id, row, "highlighting", start, stop, [quote])
    if row.entry is not None:
        yield _annotation(own_id, row, "bookmarking", row.entry, row.entry, [])


def _annotation(
    own_id: str, row: Finished, motivation: str, start: int, stop: int, more: list[dict[str, Any]]
) -> dict[str, Any]:
    position = {"type": "TextPositionSelector", "start": start, "end": stop}
    creators = [{"type": "Person", "name": name} for name in row.by]
    return {
        "id": _urn(own_id, [motivation, row.topic, row.doc, start, stop, *row.by]),
        "type": "Annotation",
        "motivation": motivation,
        "creator": creators[0] if len(creators) == 1 else creators,
        "created": _time(row.at),
        "body": {"type": "TextualBody", "purpose": "tagging", "value": row.topic},
        "target": {
            "source": row.doc,
            "selector": [position, *more] if more else position,
        },
    }


def _time(milliseconds: int) -> str:
    # The log holds any whole number; the calendar does not go that far.
    seconds = min(milliseconds // 1000, LAST_SECOND)
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _urn(own_id: str, words: list[Any]) -> str:
    return stable_id(own_id, *words).urn


def stable_id(*words: object) -> UUID:
    """An id that is the same whenever it is made of the same words."""
    return uuid5(NAMESPACE_URL, json.dumps(["foveal", *words]))
