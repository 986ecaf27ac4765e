"""Small campaigns of judging, with texts that browsers and databases like to change."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

from foveal.assess import (
    Assignment,
    Campaign,
    CampaignContents,
    Event,
    EventKind,
    Passage,
    Person,
    PoolEntry,
    Role,
    StoredDocument,
    StoredTopic,
    digest,
)

# Emoji, joined emoji, combining marks, right-to-left text, CRLF, a leading newline, NUL.
ODD = (
    "\nThe 👩‍🚀 astronaut 🚀 flew. Cafe\u0301 is e\u0301crit so.\r\n\r\n"
    "שלום עולם. مرحبا بالعالم.\r\n\r\nNUL\x00 is a character. <b>So is markup</b> &amp; all."
)
TEXTS = {
    "plain": "Fish swim. Fish sleep at night.\n\nBirds fly far. Some birds swim too.\n\nThe end.",
    "odd": ODD,
    "stones": "Stones lie still. Nothing here is about fish.",
    "outside": "A document that no run returned. It is about fish all the same.",
}
TOPICS = {
    "1": StoredTopic("1", "fish", "What do fish do?", "Text about what fish do is relevant."),
    "2": StoredTopic("2", "birds", "What do birds do?", ""),
}
POOL = {"1": ["plain", "odd", "stones"], "2": ["plain"]}
META = {"id": "test-campaign", "entry": "required", "snap": "word", "show_pool": "0", "guide": ""}


def stored(doc: str, text: str) -> StoredDocument:
    """A text in one block."""
    blocks = {"kind": "plain", "blocks": [["p", 0, len(text)]]}
    return StoredDocument(doc, text, len(text), digest(text), json.dumps(blocks))


def plan(texts: dict[str, str] | None = None, **meta: str) -> CampaignContents:
    """Topic 1 is judged by ann, then bob; topic 2 by bob alone; ada adjudicates."""
    own = TEXTS if texts is None else TEXTS | texts
    pool = {"1": [*POOL["1"], *(doc for doc in own if doc not in TEXTS)], "2": POOL["2"]}
    return CampaignContents(
        meta=META | meta,
        topics=list(TOPICS.values()),
        documents=[stored(doc, text) for doc, text in own.items()],
        pool=[
            PoolEntry(topic, doc, place, 1, place)
            for topic, docs in pool.items()
            for place, doc in enumerate(docs, 1)
        ],
        passages=[Passage("1", "plain", 0, 10, 1, 1)],
        people=[
            Person(1, "ann", Role.ASSESSOR),
            Person(2, "bob", Role.ASSESSOR),
            Person(3, "ada", Role.ADJUDICATOR),
        ],
        assignments=[
            Assignment("1", "ann", 0, 1),
            Assignment("1", "bob", 7, 0),
            Assignment("2", "bob", 0, 1),
        ],
    )


def campaign_at(folder: Path, texts: dict[str, str] | None = None, **meta: str) -> Campaign:
    """A new campaign, open."""
    return Campaign.create(folder / "small.campaign", plan(texts, **meta))


_numbers = count(1)


def act(kind: EventKind | str, **fields: Any) -> Event:
    """An event of ann's on document `plain` of topic 1, unless other fields say otherwise.

    Marks quote the text between their offsets.
    """
    given: dict[str, Any] = {
        "id": f"event-{next(_numbers):08d}", "assessor": "ann", "topic": "1", "doc": "plain",
        "kind": EventKind(kind), **fields,
    }  # fmt: skip
    if given["kind"] in {EventKind.MARK, EventKind.UNMARK} and "quote_sha256" not in given:
        text = TEXTS[given["doc"]]
        given["quote_sha256"] = digest(text[given["start"] : given["stop"]])
    return Event(**given)
