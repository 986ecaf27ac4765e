"""JSON payloads for the page: topics, one document, a person's log."""

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
MAX_MATCHES = 20
EXCERPT_LENGTH = 120


def overview(current: CurrentJudgements, person: Person) -> Payload:
    """Payload of the first view: settings, and topics with documents in the person's order."""
    campaign = current.campaign
    with campaign.snapshot():
        meta = campaign.meta
        adjudicates = person.role is Role.ADJUDICATOR
        documents = _disputed(current, person) if adjudicates else _offered(current, person)
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
                    "documents": documents[row.topic],
                }
                for row in campaign.topics
                if row.topic in documents
            ],
        }


def document(current: CurrentJudgements, person: Person, topic: str, doc: str) -> Payload:
    """Payload of a document with the person's events; raises RefusedEvent unless it is offered."""
    campaign = current.campaign
    with campaign.snapshot():
        campaign.refuse_unless_offered(person.name, topic, doc)
        stored = campaign.document(doc)
        if stored is None:
            raise RefusedEvent(f"there is no document {doc!r}", 404)
        shows_pool = campaign.meta["show_pool"] == "1"
        passages = campaign.passages(topic, doc) if shows_pool else []
        adjudicates = person.role is Role.ADJUDICATOR
        return {
            "topic": topic,
            **stored._asdict(),
            "blocks": json.loads(stored.blocks),
            "events": _rows(campaign.events(assessor=person.name, topic=topic, doc=doc)),
            "number": campaign.last_number(person.name),
            "passages": [[passage.start, passage.stop] for passage in passages],
            "layers": _layers(current, TopicDocument(topic, doc)) if adjudicates else [],
        }


def log_after(campaign: Campaign, person: Person, after: int) -> Payload:
    """The person's events after the last one that the page has."""
    with campaign.snapshot():
        log = campaign.events(assessor=person.name, after=after)
        # The number is below `after` if an older copy was restored: the page then asks for all events.
        return {"events": _rows(log), "number": campaign.last_number(person.name)}


def find(campaign: Campaign, person: Person, topic: str, text: str) -> Payload:
    """Documents that the person may add to a topic, found by a part of their names."""
    with campaign.snapshot():
        campaign.refuse_unless_offered(person.name, topic)
        adjudicates = person.role is Role.ADJUDICATOR
        offered = {
            offer.doc
            for offer in campaign.offered(topic=topic)
            # Documents that others added are offered to adjudicators only.
            if not offer.added or offer.assessor == person.name or adjudicates
        }
        documents = []
        for doc in campaign.documents_named(text):
            if doc not in offered and (document := campaign.document(doc)):
                documents.append({"doc": doc, "opening": document.text[:EXCERPT_LENGTH]})
            if len(documents) == MAX_MATCHES:
                break
        return {"documents": documents}


def _aspects(current: CurrentJudgements, person: Person) -> dict[str, set[str]]:
    """Names of aspects in each topic: those of a person, for adjudicators also of assessors."""
    judgements = list(current.of(person.name).items())
    if person.role is Role.ADJUDICATOR:
        finished = current.finished().items()
        judgements += [(key, item) for key, by_name in finished for item in by_name.values()]
    names_by_topic: dict[str, set[str]] = defaultdict(set)
    for key, judgement in judgements:
        names_by_topic[key.topic].update(name for name, _ in judgement.aspects)
    return names_by_topic


def _offered(current: CurrentJudgements, person: Person) -> dict[str, list[Payload]]:
    """An assessor's documents by topic: pooled ones in their order, then added ones."""
    campaign = current.campaign
    judgements: dict[str, dict[str, Judgement]] = defaultdict(dict)
    for key, judgement in current.of(person.name).items():
        judgements[key.topic][key.doc] = judgement
    documents: dict[str, list[Payload]] = {
        row.topic: [] for row in campaign.assignments if row.assessor == person.name
    }
    offers = campaign.offered(assessor=person.name)
    for (topic, added, seed), rows in groupby(offers, attrgetter("topic", "added", "order_seed")):
        docs = assignment_order([row.doc for row in rows], topic, seed)
        of_topic = judgements[topic]
        documents[topic] += [_entry(doc, of_topic.get(doc), added=bool(added)) for doc in docs]
    return documents


def assignment_order(docs: Sequence[str], topic: str, seed: int) -> list[str]:
    """Documents in the order of an assignment: the pool's for seed 0, else shuffled by the seed."""
    if not seed:
        return list(docs)

    def key(doc: str) -> bytes:
        return hashlib.blake2b(f"{seed}\n{topic}\n{doc}".encode(), digest_size=16).digest()

    return sorted(docs, key=key)


def _disputed(current: CurrentJudgements, person: Person) -> dict[str, list[Payload]]:
    """Documents that assessors finished with different highlights, then others adjudicated."""
    # A person who only opened a document has not judged it.
    judgements = {key: item for key, item in current.of(person.name).items() if item != Judgement()}
    finished = current.finished()
    disputes = set(disputed(finished))
    rows = [(topic, (topic, doc) not in disputes, doc) for topic, doc in {*disputes, *judgements}]
    documents: dict[str, list[Payload]] = defaultdict(list)
    for topic, is_agreed, doc in sorted(rows):
        entry = _entry(doc, judgements.get(TopicDocument(topic, doc)), added=False)
        names = list(finished.get(TopicDocument(topic, doc), {}))
        documents[topic].append({**entry, "disputed": not is_agreed, "assessors": names})
    return documents


def _entry(doc: str, judgement: Judgement | None, *, added: bool) -> Payload:
    """Entry of a document in a list, with the state of the person's judgement."""
    current = judgement or Judgement()
    return {"doc": doc, "done": current.done, "relevant": bool(current.spans), "added": added}


def _layers(current: CurrentJudgements, document: TopicDocument) -> list[Payload]:
    """Highlights and entry point of each assessor who finished a document."""
    return [
        {"assessor": name, "spans": [list(span) for span in item.spans], "entry": item.entry}
        for name, item in current.finished().get(document, {}).items()
    ]


def _rows(log: Iterable[Event]) -> list[Payload]:
    return [event.row() for event in log]
