"""What a page is told: the desk with its topics, a document, the own log."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from foveal.assess.campaign import Campaign, Person, Role
from foveal.assess.events import UNDOABLE, Act, Event
from foveal.assess.replay import Judgement, replayed
from foveal.errors import RefusedEvent

Told = dict[str, Any]
# A topic and a document.
Place = tuple[str, str]
# Milliseconds without an act after which nobody is taken to be at work.
IDLE = 120_000
FOUND_DOCUMENTS = 20
OPENING = 120


def desk(campaign: Campaign, person: Person) -> Told:
    """All that the first view shows: settings, topics and documents in the person's own order."""
    with _snapshot(campaign):
        meta, log = campaign.meta, campaign.events(assessor=person.name)
        said = _judgements(log)
        adjudicates = person.role is Role.ADJUDICATOR
        chosen = _disputed(campaign, said) if adjudicates else _offered(campaign, person, log)
        return {
            "campaign": meta["id"],
            "assessor": person.name,
            "role": person.role.value,
            "settings": {
                "entry": meta["entry"],
                "snap": meta["snap"],
                "show_pool": meta["show_pool"] == "1",
                "guide": meta.get("guide", ""),
            },
            "active_seconds": _active_seconds(log),
            "number": _last(log),
            "topics": _topics(campaign, chosen, said),
        }


def document(campaign: Campaign, person: Person, topic: str, doc: str) -> Told:
    """A text with its layout and what the person did to it; raises RefusedEvent unless offered."""
    with _snapshot(campaign):
        campaign.refuse_unless_offered(person.name, topic, doc)
        found = campaign.document(doc)
        if found is None:
            raise RefusedEvent(f"there is no document {doc!r}", 404)
        shows_pool = campaign.meta["show_pool"] == "1"
        pooled = campaign.passages(topic, doc) if shows_pool else []
        adjudicates = person.role is Role.ADJUDICATOR
        return {
            "topic": topic,
            "doc": doc,
            "text": found.text,
            "length": found.length,
            "sha256": found.sha256,
            "blocks": json.loads(found.blocks),
            "events": _rows(campaign.events(assessor=person.name, topic=topic, doc=doc)),
            "number": campaign.last_number(person.name),
            "passages": [[passage.start, passage.stop] for passage in pooled],
            "layers": _layers(campaign, topic, doc) if adjudicates else [],
        }


def log_after(campaign: Campaign, person: Person, after: int) -> Told:
    """The person's own acts since one that the page knows."""
    log = campaign.events(assessor=person.name, after=after)
    return {"events": _rows(log), "number": max(after, _last(log))}


def find(campaign: Campaign, person: Person, topic: str, text: str) -> Told:
    """Documents that the person may add to a topic, by a part of their name."""
    with _snapshot(campaign):
        campaign.refuse_unless_offered(person.name, topic)
        there = {pooled.doc for pooled in campaign.pool(topic)}
        there |= {
            doc for other, doc in _added(campaign.events(assessor=person.name)) if other == topic
        }
        documents = []
        for doc in campaign.documents_named(text):
            if doc not in there and (found := campaign.document(doc)):
                documents.append({"doc": doc, "opening": found.text[:OPENING]})
            if len(documents) == FOUND_DOCUMENTS:
                break
        return {"documents": documents}


@contextmanager
def _snapshot(campaign: Campaign) -> Iterator[None]:
    """Read one state of the campaign, although other programs may write to it."""
    campaign.connection.execute("BEGIN")
    try:
        yield
    finally:
        campaign.connection.execute("COMMIT")


def _judgements(log: Iterable[Event]) -> dict[Place, Judgement]:
    """What one person's log says about each document that it changes."""
    by_place: dict[Place, list[Event]] = defaultdict(list)
    for event in log:
        if event.kind in UNDOABLE:
            by_place[event.topic or "", event.doc or ""].append(event)
    return {place: replayed(events) for place, events in by_place.items()}


def _offered(campaign: Campaign, person: Person, log: Sequence[Event]) -> dict[str, list[Told]]:
    """An assessor's documents by topic: pooled ones in the own order, then those that were added."""
    pooled: dict[str, list[str]] = defaultdict(list)
    for row in campaign.pool():
        pooled[row.topic].append(row.doc)
    own = [row for row in campaign.assignments if row.assessor == person.name]
    chosen = {
        row.topic: [
            {"doc": doc, "added": False}
            for doc in own_order(pooled[row.topic], row.topic, row.order_seed)
        ]
        for row in own
    }
    for topic, doc in _added(log):
        chosen[topic].append({"doc": doc, "added": True})
    return chosen


def own_order(docs: Sequence[str], topic: str, seed: int) -> list[str]:
    """Documents in the order of an assignment: the pool's for seed 0, else shuffled by the seed."""
    if not seed:
        return list(docs)

    def key(doc: str) -> bytes:
        return hashlib.blake2b(f"{seed}\n{topic}\n{doc}".encode(), digest_size=16).digest()

    return sorted(docs, key=key)


def _added(log: Iterable[Event]) -> list[Place]:
    return [(e.topic or "", e.doc or "") for e in log if e.kind is Act.ADD_DOCUMENT]


def _disputed(campaign: Campaign, said: dict[Place, Judgement]) -> dict[str, list[Told]]:
    """Documents that assessors finished with different text, or that are adjudicated already."""
    finished = _finished(campaign)
    chosen: dict[str, list[Told]] = defaultdict(list)
    places = {(row.topic, row.doc): row.place for row in campaign.pool()}
    last = len(places)
    for place in sorted({*finished, *said}, key=lambda p: (p[0], places.get(p, last), p[1])):
        by_name = finished.get(place, {})
        disputed = len({judgement.spans for judgement in by_name.values()}) > 1
        if disputed or place in said:
            topic, doc = place
            told = {"doc": doc, "added": place not in places, "disputed": disputed}
            chosen[topic].append({**told, "assessors": list(by_name)})
    return chosen


def _finished(campaign: Campaign) -> dict[Place, dict[str, Judgement]]:
    """The finished judgements of assessors, by document and name."""
    finished: dict[Place, dict[str, Judgement]] = defaultdict(dict)
    for person in campaign.people:
        if person.role is Role.ASSESSOR:
            for place, judgement in _judgements(campaign.events(assessor=person.name)).items():
                if judgement.done:
                    finished[place][person.name] = judgement
    return finished


def _layers(campaign: Campaign, topic: str, doc: str) -> list[Told]:
    """What each assessor who finished a document says about it."""
    layers = []
    for person in campaign.people:
        judgement = campaign.judgement(person.name, topic, doc)
        if person.role is Role.ASSESSOR and judgement.done:
            spans = [list(span) for span in judgement.spans]
            layers.append({"assessor": person.name, "spans": spans, "entry": judgement.entry})
    return layers


def _topics(
    campaign: Campaign, chosen: dict[str, list[Told]], said: dict[Place, Judgement]
) -> list[Told]:
    """The chosen topics with their documents, and what the person has said about each."""
    nothing = Judgement()
    found = []
    for row in campaign.topics:
        if row.topic not in chosen:
            continue
        documents = []
        for told in chosen[row.topic]:
            judgement = said.get((row.topic, told["doc"]), nothing)
            state = {"done": judgement.done, "relevant": bool(judgement.spans)}
            documents.append({**told, **state})
        locked = campaign.is_locked(row.topic)
        found.append({**row._asdict(), "locked": locked, "documents": documents})
    return found


def _active_seconds(log: Sequence[Event]) -> int:
    times = sorted(event.at_client for event in log)
    gaps = (after - before for before, after in pairwise(times))
    return sum(gap for gap in gaps if gap <= IDLE) // 1_000


def _last(log: Sequence[Event]) -> int:
    return log[-1].number if log else 0


def _rows(log: Iterable[Event]) -> list[Told]:
    return [event.row() for event in log]
