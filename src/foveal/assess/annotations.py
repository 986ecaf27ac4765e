"""Highlights as annotations of the W3C's model, which other tools for annotation read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from foveal.assess.campaign import Campaign
from foveal.assess.work import Finished
from foveal.work import tracked

CONTEXT = "http://www.w3.org/ns/anno.jsonld"
# Characters before and after a quote that help to find it in a text that has changed.
AROUND = 32
# Of the year 9999.
LAST_SECOND = 253_402_300_799


def annotation_page(campaign: Campaign, rows: Sequence[Finished]) -> dict[str, Any]:
    """A page with an annotation for each highlight and each entry point, in order.

    An aspect of a whole highlight is a further body of it; one of a part of it, or of more, is an
    annotation of its own. Positions count characters (code points). The same judgements get the
    same ids every time.
    """
    own_id = campaign.meta["id"]
    followed = tracked(rows, "writing annotations", len(rows))
    items = [item for row in followed for item in _items(campaign, own_id, row)]
    return {
        "@context": CONTEXT,
        "id": _urn(own_id, [item["id"] for item in items]),
        "type": "AnnotationPage",
        "items": items,
    }


def _items(campaign: Campaign, own_id: str, row: Finished) -> Iterator[dict[str, Any]]:
    document = campaign.document(row.doc)
    text = document.text if document else ""
    for span in row.spans:
        names = [name for name, own in row.aspects if span in own]
        made = _annotation(own_id, row, "highlighting", span, _quote(text, *span))
        if names:
            made["body"] = [made["body"], *(_body("classifying", name) for name in names)]
        yield made
    for name, spans in row.aspects:
        for span in spans:
            if span not in row.spans:
                made = _annotation(own_id, row, "classifying", span, _quote(text, *span), name)
                yield {**made, "body": [made["body"], _body("classifying", name)]}
    if row.entry is not None:
        yield _annotation(own_id, row, "bookmarking", (row.entry, row.entry))


def _quote(text: str, start: int, stop: int) -> dict[str, Any]:
    return {
        "type": "TextQuoteSelector",
        "exact": text[start:stop],
        "prefix": text[max(0, start - AROUND) : start],
        "suffix": text[stop : stop + AROUND],
    }


def _body(purpose: str, value: str) -> dict[str, Any]:
    return {"type": "TextualBody", "purpose": purpose, "value": value}


def _annotation(
    own_id: str,
    row: Finished,
    motivation: str,
    span: tuple[int, int],
    quote: dict[str, Any] | None = None,
    *more: str,
) -> dict[str, Any]:
    """An annotation of a span; `more` are words that set it apart from others there."""
    position = {"type": "TextPositionSelector", "start": span[0], "end": span[1]}
    creators = [{"type": "Person", "name": name} for name in row.by]
    return {
        "id": _urn(own_id, [motivation, row.topic, row.doc, *span, *row.by, *more]),
        "type": "Annotation",
        "motivation": motivation,
        "creator": creators[0] if len(creators) == 1 else creators,
        "created": _time(row.at),
        "body": _body("tagging", row.topic),
        "target": {
            "source": row.doc,
            "selector": [position, quote] if quote else position,
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
