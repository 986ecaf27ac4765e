"""Import of logs and judgements: all or nothing; events that are stored already are skipped."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import takewhile
from operator import eq
from uuid import NAMESPACE_URL, UUID, uuid5

import numpy as np

from foveal.assess.campaign import Campaign
from foveal.assess.event_log import LoggedEvent
from foveal.assess.events import (
    IMPORT_TAB,
    JUDGING,
    UNDOABLE,
    Event,
    EventKind,
    aspect_problem,
    digest,
    now,
)
from foveal.assess.new_campaign import LARGEST_SEED, refuse_names
from foveal.assess.schema import Assignment, Role
from foveal.errors import BadInput, DataError, Problem, counted, shortened, shortened_list
from foveal.frozen import frozen
from foveal.late import pl
from foveal.tables import Qrels
from foveal.tables import columns as c
from foveal.web import explained
from foveal.work import tracked

_NO_DIGITS = str.maketrans("", "", "0123456789")


@frozen
class Imported:
    """Numbers of new events and of those stored already, and the people who joined."""

    new: int
    duplicates: int
    newcomers: dict[str, Role]
    notes: tuple[str, ...]


@dataclass
class Import:
    """Collects what to import into a campaign; `store` writes it."""

    campaign: Campaign
    newcomers: dict[str, Role] = field(default_factory=dict)
    assignments: list[Assignment] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Read people, topics and assignments of the campaign."""
        self._roles = {person.name: person.role for person in self.campaign.people}
        self._topics = {topic.topic for topic in self.campaign.topics}
        self._assigned = {(row.topic, row.assessor) for row in self.campaign.assignments}
        self._id = self.campaign.meta["id"]
        self._now = now()
        # The file of each event, and its line in a log.
        self._origins: list[tuple[str, int | None]] = []

    def add_log(self, logged: Sequence[LoggedEvent], source: str) -> None:
        """Add the events of a log, with their times; their assessors join if necessary."""
        unknown_topics = [
            Problem(line, f"the campaign has no topic {event.topic!r}")
            for line, event, _ in logged
            if event.topic is not None and event.topic not in self._topics
        ]
        conflicts = [
            Problem(
                line, f"{event.assessor} is an {self._roles[event.assessor]} here, not an {role}"
            )
            for line, event, role in logged
            if role is not None and self._roles.get(event.assessor, role) is not role
        ]
        if problems := unknown_topics or conflicts:
            raise BadInput(source, problems)
        for line, event, role in logged:
            if event.assessor and event.topic is not None:
                self._add_assignment(event.assessor, event.topic, role or Role.ASSESSOR)
            self._append(event, source, line)

    def add_judgements(self, qrels: Qrels, name: str, source: str) -> None:
        """Add judgements as events of a person, who joins as an assessor if necessary."""
        _refuse_unfitting(self.campaign, qrels, source)
        stored_ids: dict[tuple[str | None, str | None], set[str]] = {}
        for event in [*self.campaign.events(assessor=name), *self.events]:
            if event.assessor == name and event.kind in UNDOABLE:
                stored_ids.setdefault((event.topic, event.doc), set()).add(event.id)
        new_events, judged_before = [], []
        for judged in tracked(_documents(qrels), "reading judgements", qrels.documents.height):
            events = list(self._events_of(judged, name))
            known_ids = stored_ids.get((judged.topic, judged.doc), set())
            if known_ids and events[-1].id not in known_ids:
                judged_before.append(judged.doc)
            new_events += events
        if judged_before:
            raise DataError(
                f"{source}: {name} has judged {len(judged_before):,} of these documents already, with"
                f" another result ({shortened_list(judged_before)}): import them under another name"
            )
        for event in new_events:
            self._add_assignment(name, event.topic or "", Role.ASSESSOR)
            self._append(event, source, None)
        self.notes += [f"{source}: {note}" for note in qrels.notes]
        self.notes += [f"{source}: {note}" for note in self._judgement_notes(qrels)]

    def store(self) -> Imported:
        """Write all events, or nothing if one of them is refused."""
        refuse_names(self.newcomers, other_names=[person.name for person in self.campaign.people])
        events = tracked(self.events, "storing events", len(self.events))
        with explained(self.campaign.path):
            ids = {key for (key,) in self.campaign.connection.execute("SELECT id FROM event")}
            locked = self.campaign.locked_topics()
            new, refusals = self.campaign.store_imported(self.newcomers, self.assignments, events)
        for index in refusals:
            source = self._origins[index][0]
            problems = [
                Problem(self._origins[i][1], str(error))
                for i, error in refusals.items()
                if self._origins[i][0] == source
            ]
            error = BadInput(source, problems)
            error.lead_with(f"{self.campaign.path}: nothing is imported, because lines do not fit:")
            raise error
        added = [event for event in self.events if event.id not in ids]
        notes = (*self.notes, *self._misspelling_notes(), *self._change_notes(added, locked))
        return Imported(new, len(self.events) - new, self.newcomers, notes)

    def _misspelling_notes(self) -> Iterator[str]:
        """Notes: newcomers whose names may be misspelled names of people in the campaign."""
        by_folded = {name.casefold(): name for name in self._roles if name not in self.newcomers}
        for name, role in self.newcomers.items():
            folded = name.casefold()
            known_names = [name for name in by_folded if not _differ_in_number(name, folded)]
            # For difflib, short names with one typo are too different.
            close = [known for known in known_names if _differ_by_typo(known, folded)]
            if close := close or get_close_matches(folded, known_names, n=1, cutoff=0.7):
                yield (
                    f"adds an {role}, {name!r}, who was not in the campaign; did you mean"
                    f" {by_folded[close[0]]!r}?"
                )

    def _change_notes(self, added: Sequence[Event], locked: Set[str]) -> Iterator[str]:
        """Note: changed locked topics, and added documents outside the pool."""
        judging = [event for event in added if event.kind in JUDGING]
        changed = list(
            dict.fromkeys(event.topic for event in judging if event.topic and event.topic in locked)
        )
        added_documents = dict.fromkeys(
            (event.topic or "", event.doc or "")
            for event in judging
            if event.kind is EventKind.ADD_DOCUMENT
        )
        outside = [doc for topic, doc in added_documents if not self._is_pooled(topic, doc)]
        changes = {("locked topic", "changed"): changed, ("document", "outside the pool"): outside}
        parts = [
            f"{counted(len(names), noun)} {verb}: {shortened_list([shortened(name, 60) for name in names])}"
            for (noun, verb), names in changes.items()
            if names
        ]
        if parts:
            yield "; ".join(parts)

    def _append(self, event: Event, source: str, line: int | None) -> None:
        self.events.append(event)
        self._origins.append((source, line))

    def _add_assignment(self, name: str, topic: str, role: Role) -> None:
        """Let a person join and judge a topic, in addition to its main assessor."""
        if name not in self._roles:
            self._roles[name] = self.newcomers[name] = role
        if self._roles[name] is Role.ASSESSOR and (topic, name) not in self._assigned:
            self._assigned.add((topic, name))
            seed = 1 + _stable_id(topic, name).int % (LARGEST_SEED - 1)
            self.assignments.append(Assignment(topic, name, seed, 0))

    def _events_of(self, judged: _JudgedDocument, name: str) -> Iterator[Event]:
        """Events that give this judgement; the same judgement always gives events with the same ids."""
        document = self.campaign.document(judged.doc)
        text = document.text if document else ""

        def act(kind: EventKind, **fields: int | str) -> Event:
            parts = [self._id, name, *judged.content, kind, *fields.values()]
            return Event(
                id=str(_stable_id(*parts)), assessor=name, topic=judged.topic, doc=judged.doc, kind=kind,
                tab=IMPORT_TAB, at_client=self._now, at_server=self._now, **fields,  # type: ignore[arg-type]  # by kind
            )  # fmt: skip

        if not self._is_pooled(judged.topic, judged.doc):
            yield act(EventKind.ADD_DOCUMENT)
        for start, stop in judged.spans:
            yield act(EventKind.MARK, start=start, stop=stop, quote_sha256=digest(text[start:stop]))
        for aspect, start, stop in judged.aspects:
            quote = digest(text[start:stop])
            yield act(EventKind.MARK, start=start, stop=stop, quote_sha256=quote, value=aspect)
        if judged.entry is not None:
            yield act(EventKind.ENTRY, start=judged.entry)
        yield act(EventKind.DONE)

    def _is_pooled(self, topic: str, doc: str) -> bool:
        query = "SELECT 1 FROM pool WHERE topic = ? AND doc = ?"
        return self.campaign.connection.execute(query, (topic, doc)).fetchone() is not None

    def _judgement_notes(self, qrels: Qrels) -> Iterator[str]:
        """Notes: missing entry points, and grades of aspects that a campaign cannot store."""
        missing = sum(bool(judged.spans) and judged.entry is None for judged in _documents(qrels))
        if missing and self.campaign.meta.get("entry") == "required":
            yield (
                f"{counted(missing, 'relevant document')} without an entry point, which the campaign"
                " requires"
            )
        aspects = qrels.judgements.aspects
        if aspects is not None and (graded := int((aspects.grade != 1).sum())):
            yield (
                f"{counted(graded, 'passage')} with a grade of an aspect, which a campaign cannot hold:"
                " above 0 the text has the aspect, else it has not"
            )


def _differ_in_number(first: str, second: str) -> bool:
    """Whether two names differ in their numbers only, as judge1 and judge2."""
    stems = [name.translate(_NO_DIGITS) for name in (first, second)]
    return stems[0] == stems[1] and stems[0] not in {first, second}


def _differ_by_typo(first: str, second: str) -> bool:
    """Whether names differ by one letter added, omitted, replaced or swapped, and have others in common."""
    prefix = _common_prefix(first, second)
    rests = (first[prefix:], second[prefix:])
    suffix = _common_prefix(rests[0][::-1], rests[1][::-1])
    first_rest, second_rest = (rest[: len(rest) - suffix] for rest in rests)
    if len(first_rest) == len(second_rest) == 2:
        return first_rest == second_rest[::-1]
    return max(len(first_rest), len(second_rest)) == 1 and prefix + suffix > 0


def _common_prefix(first: str, second: str) -> int:
    """Length of the common prefix of two names."""
    return sum(takewhile(bool, map(eq, first, second)))


@frozen
class _JudgedDocument:
    """A judged document of a file."""

    topic: str
    doc: str
    spans: tuple[tuple[int, int], ...]
    entry: int | None
    aspects: tuple[tuple[str, int, int], ...]

    @property
    def content(self) -> list[object]:
        """All parts of the judgement, which determine the ids of its events."""
        aspects = [self.aspects] if self.aspects else []
        return [self.topic, self.doc, self.spans, self.entry, *aspects]

    @property
    def last_end(self) -> int:
        """End of the last highlight, or the entry point if that is later."""
        return max(self.entry or 0, *(end for _, end in self.spans), 0)


def _documents(qrels: Qrels) -> Iterator[_JudgedDocument]:
    """The judged documents in the file's order; those without highlights have no entry point."""
    spans: list[list[tuple[int, int]]] = [[] for _ in range(qrels.documents.height)]
    for row, start, end in qrels.passages.filter(pl.col(c.END) > pl.col(c.START)).iter_rows():
        spans[row].append((start, end))
    rows = qrels.documents.select(c.TOPIC, c.DOC, c.ENTRY).iter_rows()
    table = qrels.judgements.aspects
    by_row = table.by_row(qrels.documents.height) if table is not None else [[] for _ in spans]
    for (topic, doc, entry), marks, aspects in zip(rows, spans, by_row, strict=True):
        relevant = tuple((name, start, end) for name, start, end, grade in aspects if grade > 0)
        yield _JudgedDocument(topic, doc, tuple(marks), entry if marks else None, relevant)


def _refuse_unfitting(campaign: Campaign, qrels: Qrels, source: str) -> None:
    """Raise DataError unless judgements are about topics and texts of the campaign."""
    lengths = dict(campaign.connection.execute("SELECT doc, length FROM document"))
    topics = {topic.topic for topic in campaign.topics}
    documents = qrels.documents[c.DOC].unique(maintain_order=True).to_list()
    unknown_names = {
        "topic": [name for name in qrels.judgements.topics if name not in topics],
        "document": [name for name in documents if name not in lengths],
    }
    reasons = [
        f"{counted(len(names), noun)} that the campaign does not have: {shortened_list(names)}"
        for noun, names in unknown_names.items()
        if names
    ]
    if not reasons:
        reasons = [*_text_reasons(qrels, lengths), *_aspect_reasons(qrels)]
    if reasons:
        raise DataError("\n".join(f"{source}: {reason}" for reason in reasons))


def _aspect_reasons(qrels: Qrels) -> Iterator[str]:
    """Reasons why a campaign cannot store the aspects."""
    aspects = qrels.judgements.aspects
    if aspects is None:
        return
    documents = qrels.documents[c.DOC].gather(np.unique(aspects.row[aspects.is_whole])).to_list()
    if documents:
        yield (
            f"{counted(len(documents), 'document')} with aspects of the whole document: {shortened_list(documents)}; a"
            " campaign holds aspects of highlighted text, so name them on highlights"
        )
    for name in aspects.names:
        if reason := aspect_problem(name):
            yield f"{reason}: {name!r}"


def _text_reasons(qrels: Qrels, lengths: dict[str, int]) -> Iterator[str]:
    """Reasons to think that judgements are about other texts, or about whole documents."""
    table = qrels.documents
    stored = pl.Series(c.LENGTH, [lengths[doc] for doc in table[c.DOC]], dtype=pl.Int64)
    differing = table.filter(table[c.LENGTH] != stored)[c.DOC]
    if len(differing):
        yield (
            f"{counted(len(differing), 'document')} with another length in the campaign:"
            f" {shortened_list(differing.to_list())}; are these judgements about the same texts, and do they count"
            " characters?"
        )
        return
    has_grade = pl.max_horizontal(c.GRADE, c.STATED).fill_null(0) > 0
    relevant = table.select(has_grade).to_series()
    rows = list(zip(_documents(qrels), stored, relevant, strict=True))
    beyond = [row.doc for row, length, _ in rows if row.last_end > length]
    if beyond:
        yield f"{counted(len(beyond), 'document')} judged beyond the end of the text: {shortened_list(beyond)}"
    without_text = [row.doc for row, _, is_relevant in rows if is_relevant and not row.spans]
    if without_text:
        yield (
            f"{counted(len(without_text), 'document')} relevant without highlights: {shortened_list(without_text)}; a"
            " campaign holds highlighted text, so give judgements with highlights"
        )


def _stable_id(*parts: object) -> UUID:
    """An id that depends on the given parts only."""
    return uuid5(NAMESPACE_URL, json.dumps(["foveal", *parts]))
