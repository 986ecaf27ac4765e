"""What a page is told: the desk with its topics, a document, the person's own log."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from foveal.assess.campaign import Campaign
from foveal.assess.current_judgements import CurrentJudgements, TopicDocument, disputed
from foveal.assess.events import Event
from foveal.assess.replay import Judgement
from foveal.assess.schema import Person, Role
from foveal.errors import RefusedEvent
from foveal.judging import active_seconds

Payload = dict[str, Any]
FOUND_DOCUMENTS = 20
OPENING = 120


def desk(current: CurrentJudgements, person: Person) -> Payload:
    """All that the first view shows: settings, topics and documents in the person's own order."""
    campaign = current.campaign
    with campaign.snapshot():
        meta = campaign.meta
        adjudicates = person.role is Role.ADJUDICATOR
        chosen = _disputed(current, person) if adjudicates else _offered(current, person)
        locked, keywords = campaign.locked_topics(), current.keywords(person.name)
        aspects = _aspects(current, person)
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
            "active_seconds": round(active_seconds(current.times(person.name))),
            "number": campaign.last_number(person.name),
            "topics": [
                {
                    **row._asdict(),
                    "locked": row.topic in locked,
                    "keywords": keywords.get(row.topic, ""),
                    "aspects": sorted(aspects[row.topic], key=str.casefold),
                    "documents": chosen[row.topic],
                }
                for row in campaign.topics
                if row.topic in chosen
            ],
        }


def document(current: CurrentJudgements, person: Person, topic: str, doc: str) -> Payload:
    """A text with its layout and what the person did to it; raises RefusedEvent unless offered."""
    campaign = current.campaign
    with campaign.snapshot():
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
            "layers": _layers(current, TopicDocument(topic, doc)) if adjudicates else [],
        }


def log_after(campaign: Campaign, person: Person, after: int) -> Payload:
    """The person's own acts since one that the page knows."""
    with campaign.snapshot():
        log = campaign.events(assessor=person.name, after=after)
        # Below `after` once the organiser has restored an older copy: the page then asks for all.
        return {"events": _rows(log), "number": campaign.last_number(person.name)}


def find(campaign: Campaign, person: Person, topic: str, text: str) -> Payload:
    """Documents that the person may add to a topic, by a part of their name."""
    with campaign.snapshot():
        campaign.refuse_unless_offered(person.name, topic)
        adjudicates = person.role is Role.ADJUDICATOR
        there = {
            row.doc
            for row in campaign.offered(topic=topic)
            # What others have added is there for adjudicators alone.
            if not row.added or row.assessor == person.name or adjudicates
        }
        documents = []
        for doc in campaign.documents_named(text):
            if doc not in there and (found := campaign.document(doc)):
                documents.append({"doc": doc, "opening": found.text[:OPENING]})
            if len(documents) == FOUND_DOCUMENTS:
                break
        return {"documents": documents}


def _aspects(current: CurrentJudgements, person: Person) -> dict[str, set[str]]:
    """The aspects that a person has named in each topic, for adjudicators also those of assessors."""
    said = list(current.of(person.name).items())
    if person.role is Role.ADJUDICATOR:
        finished = current.finished().items()
        said += [(place, own) for place, by_name in finished for own in by_name.values()]
    named: dict[str, set[str]] = defaultdict(set)
    for place, judgement in said:
        named[place.topic].update(name for name, _ in judgement.aspects)
    return named


def _offered(current: CurrentJudgements, person: Person) -> dict[str, list[Payload]]:
    """An assessor's documents by topic: pooled ones in their order, then added ones."""
    campaign = current.campaign
    said: dict[str, dict[str, Judgement]] = defaultdict(dict)
    for place, judgement in current.of(person.name).items():
        said[place.topic][place.doc] = judgement
    chosen: dict[str, list[Payload]] = {
        row.topic: [] for row in campaign.assignments if row.assessor == person.name
    }
    offers = campaign.offered(assessor=person.name)
    for (topic, added, seed), rows in groupby(offers, attrgetter("topic", "added", "order_seed")):
        docs = own_order([row.doc for row in rows], topic, seed)
        own = said[topic]
        chosen[topic] += [_told(doc, own.get(doc), added=bool(added)) for doc in docs]
    return chosen


def own_order(docs: Sequence[str], topic: str, seed: int) -> list[str]:
    """Documents in the order of an assignment: the pool's for seed 0, else shuffled by the seed."""
    if not seed:
        return list(docs)

    def key(doc: str) -> bytes:
        return hashlib.blake2b(f"{seed}\n{topic}\n{doc}".encode(), digest_size=16).digest()

    return sorted(docs, key=key)


def _disputed(current: CurrentJudgements, person: Person) -> dict[str, list[Payload]]:
    """Documents that assessors finished with different text, then others that are adjudicated."""
    # Whoever has only looked has said nothing.
    said = {place: own for place, own in current.of(person.name).items() if own != Judgement()}
    finished = current.finished()
    disputes = set(disputed(finished))
    rows = [(topic, (topic, doc) not in disputes, doc) for topic, doc in {*disputes, *said}]
    chosen: dict[str, list[Payload]] = defaultdict(list)
    for topic, agreed, doc in sorted(rows):
        told = _told(doc, said.get(TopicDocument(topic, doc)), added=False)
        names = list(finished.get(TopicDocument(topic, doc), {}))
        chosen[topic].append({**told, "disputed": not agreed, "assessors": names})
    return chosen


def _told(doc: str, judgement: Judgement | None, *, added: bool) -> Payload:
    """A document in a list, and what the person has said about it."""
    own = judgement or Judgement()
    return {"doc": doc, "done": own.done, "relevant": bool(own.spans), "added": added}


def _layers(current: CurrentJudgements, place: TopicDocument) -> list[Payload]:
    """What each assessor who finished a document says about it."""
    return [
        {"assessor": name, "spans": [list(span) for span in own.spans], "entry": own.entry}
        for name, own in current.finished().get(place, {}).items()
    ]


def _rows(log: Iterable[Event]) -> list[Payload]:
    return [event.row() for event in log]
