"""Logs and judgements into a campaign: all of them or nothing, and what is there is skipped."""

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
    digest,
    now,
    odd_aspect,
)
from foveal.assess.new_campaign import LARGEST_SEED, refuse_names
from foveal.assess.schema import Assignment, Role
from foveal.errors import BadInput, DataError, Problem, counted, shortened, some
from foveal.frozen import frozen
from foveal.late import pl
from foveal.tables import Qrels
from foveal.tables import columns as c
from foveal.web import explained
from foveal.work import tracked

_NO_DIGITS = str.maketrans("", "", "0123456789")


@frozen
class Imported:
    """How many events were new and how many were there already, and who joined."""

    new: int
    known: int
    newcomers: dict[str, Role]
    notes: tuple[str, ...]


@dataclass
class Import:
    """What is to be imported into a campaign; `store` does it."""

    campaign: Campaign
    newcomers: dict[str, Role] = field(default_factory=dict)
    assignments: list[Assignment] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Look up what the campaign has."""
        self._roles = {person.name: person.role for person in self.campaign.people}
        self._topics = {topic.topic for topic in self.campaign.topics}
        self._assigned = {(own.topic, own.assessor) for own in self.campaign.assignments}
        self._id = self.campaign.meta["id"]
        self._now = now()
        # Where each event comes from: a file, and a line of a log.
        self._origins: list[tuple[str, int | None]] = []

    def add_log(self, logged: Sequence[LoggedEvent], source: str) -> None:
        """Take the events of a log, with their times; those who did them join if necessary."""
        unknown = [
            Problem(line, f"the campaign has no topic {event.topic!r}")
            for line, event, _ in logged
            if event.topic is not None and event.topic not in self._topics
        ]
        others = [
            Problem(
                line, f"{event.assessor} is an {self._roles[event.assessor]} here, not an {role}"
            )
            for line, event, role in logged
            if role is not None and self._roles.get(event.assessor, role) is not role
        ]
        if problems := unknown or others:
            raise BadInput(source, problems)
        for line, event, role in logged:
            if event.assessor and event.topic is not None:
                self._let_judge(event.assessor, event.topic, role or Role.ASSESSOR)
            self._append(event, source, line)

    def add_judgements(self, qrels: Qrels, name: str, source: str) -> None:
        """Take judgements as the acts of somebody, who joins as an assessor if necessary."""
        _refuse_unfitting(self.campaign, qrels, source)
        worked: dict[tuple[str | None, str | None], set[str]] = {}
        for event in [*self.campaign.events(assessor=name), *self.events]:
            if event.assessor == name and event.kind in UNDOABLE:
                worked.setdefault((event.topic, event.doc), set()).add(event.id)
        taken, started = [], []
        for own in tracked(_documents(qrels), "reading judgements", qrels.documents.height):
            events = list(self._acts(own, name))
            known = worked.get((own.topic, own.doc), set())
            if known and events[-1].id not in known:
                started.append(own.doc)
            taken += events
        if started:
            raise DataError(
                f"{source}: {name} has judged {len(started):,} of these documents already, with"
                f" another result ({some(started)}): import them under another name"
            )
        for event in taken:
            self._let_judge(name, event.topic or "", Role.ASSESSOR)
            self._append(event, source, None)
        self.notes += [f"{source}: {note}" for note in qrels.notes]
        self.notes += [f"{source}: {note}" for note in self._doubts(qrels)]

    def store(self) -> Imported:
        """Write it all, or nothing if a single event is refused."""
        refuse_names(self.newcomers, beside=[person.name for person in self.campaign.people])
        followed = tracked(self.events, "storing events", len(self.events))
        with explained(self.campaign.path):
            known = {own for (own,) in self.campaign.connection.execute("SELECT id FROM event")}
            locked = self.campaign.locked_topics()
            new, refused = self.campaign.take_in(self.newcomers, self.assignments, followed)
        for place in refused:
            source = self._origins[place][0]
            problems = [
                Problem(self._origins[at][1], str(error))
                for at, error in refused.items()
                if self._origins[at][0] == source
            ]
            error = BadInput(source, problems)
            error.lead_with(f"{self.campaign.path}: nothing is imported, because lines do not fit:")
            raise error
        added = [event for event in self.events if event.id not in known]
        notes = (*self.notes, *self._meant_newcomers(), *self._unexpected(added, locked))
        return Imported(new, len(self.events) - new, self.newcomers, notes)

    def _meant_newcomers(self) -> Iterator[str]:
        """Newcomers whose names may be misspelled names of people who are there."""
        there = {own.casefold(): own for own in self._roles if own not in self.newcomers}
        for name, role in self.newcomers.items():
            folded = name.casefold()
            others = [own for own in there if not _are_numbered(own, folded)]
            # Short names with one slip are too far apart for difflib.
            close = [own for own in others if _differ_by_a_slip(own, folded)]
            if close := close or get_close_matches(folded, others, n=1, cutoff=0.7):
                yield (
                    f"adds an {role}, {name!r}, who was not in the campaign; did you mean"
                    f" {there[close[0]]!r}?"
                )

    def _unexpected(self, added: Sequence[Event], locked: Set[str]) -> Iterator[str]:
        """Which locked topics have changed, and which documents are not in the pool."""
        judging = [event for event in added if event.kind in JUDGING]
        changed = list(
            dict.fromkeys(own.topic for own in judging if own.topic and own.topic in locked)
        )
        outside = dict.fromkeys(
            (own.topic or "", own.doc or "")
            for own in judging
            if own.kind is EventKind.ADD_DOCUMENT
        )
        further = [doc for topic, doc in outside if not self._is_pooled(topic, doc)]
        found = {("locked topic", "changed"): changed, ("document", "outside the pool"): further}
        parts = [
            f"{counted(len(names), noun)} {verb}: {some([shortened(own, 60) for own in names])}"
            for (noun, verb), names in found.items()
            if names
        ]
        if parts:
            yield "; ".join(parts)

    def _append(self, event: Event, source: str, line: int | None) -> None:
        self.events.append(event)
        self._origins.append((source, line))

    def _let_judge(self, name: str, topic: str, role: Role) -> None:
        """Let somebody take part and judge a topic, beside its main assessor."""
        if name not in self._roles:
            self._roles[name] = self.newcomers[name] = role
        if self._roles[name] is Role.ASSESSOR and (topic, name) not in self._assigned:
            self._assigned.add((topic, name))
            seed = 1 + _stable_id(topic, name).int % (LARGEST_SEED - 1)
            self.assignments.append(Assignment(topic, name, seed, 0))

    def _acts(self, own: _Judged, name: str) -> Iterator[Event]:
        """What somebody would have done in the browser; the same judgement gives the same events."""
        document = self.campaign.document(own.doc)
        text = document.text if document else ""

        def act(kind: EventKind, **fields: int | str) -> Event:
            made_of = [self._id, name, *own.words, kind, *fields.values()]
            return Event(
                id=str(_stable_id(*made_of)), assessor=name, topic=own.topic, doc=own.doc, kind=kind,
                tab=IMPORT_TAB, at_client=self._now, at_server=self._now, **fields,  # type: ignore[arg-type]  # by kind
            )  # fmt: skip

        if not self._is_pooled(own.topic, own.doc):
            yield act(EventKind.ADD_DOCUMENT)
        for start, stop in own.spans:
            yield act(EventKind.MARK, start=start, stop=stop, quote_sha256=digest(text[start:stop]))
        for aspect, start, stop in own.aspects:
            quote = digest(text[start:stop])
            yield act(EventKind.MARK, start=start, stop=stop, quote_sha256=quote, value=aspect)
        if own.entry is not None:
            yield act(EventKind.ENTRY, start=own.entry)
        yield act(EventKind.DONE)

    def _is_pooled(self, topic: str, doc: str) -> bool:
        query = "SELECT 1 FROM pool WHERE topic = ? AND doc = ?"
        return self.campaign.connection.execute(query, (topic, doc)).fetchone() is not None

    def _doubts(self, qrels: Qrels) -> Iterator[str]:
        """What judgements lack, or have and the campaign cannot hold."""
        missing = sum(bool(own.spans) and own.entry is None for own in _documents(qrels))
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


def _are_numbered(one: str, other: str) -> bool:
    """Whether only their numbers tell two names apart, as in judge1 and judge2."""
    stems = [name.translate(_NO_DIGITS) for name in (one, other)]
    return stems[0] == stems[1] and stems[0] not in {one, other}


def _differ_by_a_slip(one: str, other: str) -> bool:
    """Whether a letter is added, left out, replaced, or swapped with the next, but not the only one."""
    before = _beginning(one, other)
    rests = (one[before:], other[before:])
    behind = _beginning(rests[0][::-1], rests[1][::-1])
    mine, theirs = (rest[: len(rest) - behind] for rest in rests)
    if len(mine) == len(theirs) == 2:
        return mine == theirs[::-1]
    return max(len(mine), len(theirs)) == 1 and before + behind > 0


def _beginning(one: str, other: str) -> int:
    """How many letters two names have in common at their beginning."""
    return sum(takewhile(bool, map(eq, one, other)))


@frozen
class _Judged:
    """A judged document of a file."""

    topic: str
    doc: str
    spans: tuple[tuple[int, int], ...]
    entry: int | None
    aspects: tuple[tuple[str, int, int], ...]

    @property
    def words(self) -> list[object]:
        """All that it says."""
        aspects = [self.aspects] if self.aspects else []
        return [self.topic, self.doc, self.spans, self.entry, *aspects]

    @property
    def reach(self) -> int:
        """Where the last highlight ends, or the entry point is if that is later."""
        return max(self.entry or 0, *(end for _, end in self.spans), 0)


def _documents(qrels: Qrels) -> Iterator[_Judged]:
    """The judged documents in the file's order; there is no entry point where nothing is marked."""
    spans: list[list[tuple[int, int]]] = [[] for _ in range(qrels.documents.height)]
    for row, start, end in qrels.passages.filter(pl.col(c.END) > pl.col(c.START)).iter_rows():
        spans[row].append((start, end))
    rows = qrels.documents.select(c.TOPIC, c.DOC, c.ENTRY).iter_rows()
    given = qrels.judgements.aspects
    named = given.by_row(qrels.documents.height) if given is not None else [[] for _ in spans]
    for (topic, doc, entry), own, aspects in zip(rows, spans, named, strict=True):
        kept = tuple((name, start, end) for name, start, end, grade in aspects if grade > 0)
        yield _Judged(topic, doc, tuple(own), entry if own else None, kept)


def _refuse_unfitting(campaign: Campaign, qrels: Qrels, source: str) -> None:
    """Raise DataError unless the campaign has all topics and texts that are judged."""
    lengths = dict(campaign.connection.execute("SELECT doc, length FROM document"))
    topics = {topic.topic for topic in campaign.topics}
    table = qrels.documents
    documents = table[c.DOC].unique(maintain_order=True).to_list()
    lacking = {
        "topic": [name for name in qrels.judgements.topics if name not in topics],
        "document": [name for name in documents if name not in lengths],
    }
    reasons = [
        f"{counted(len(names), noun)} that the campaign does not have: {some(names)}"
        for noun, names in lacking.items()
        if names
    ]
    if not reasons:
        reasons = [*_other_texts(qrels, lengths), *_odd_aspects(qrels)]
    if reasons:
        raise DataError("\n".join(f"{source}: {reason}" for reason in reasons))


def _odd_aspects(qrels: Qrels) -> Iterator[str]:
    """What a campaign cannot hold of the aspects."""
    aspects = qrels.judgements.aspects
    if aspects is None:
        return
    whole = qrels.documents[c.DOC].gather(np.unique(aspects.row[aspects.is_whole])).to_list()
    if whole:
        yield (
            f"{counted(len(whole), 'document')} with aspects of the whole document: {some(whole)}; a"
            " campaign holds aspects of highlighted text, so name them on highlights"
        )
    for name in aspects.names:
        if reason := odd_aspect(name):
            yield f"{reason}: {name!r}"


def _other_texts(qrels: Qrels, lengths: dict[str, int]) -> Iterator[str]:
    """What shows that judgements are about other texts, or about whole documents."""
    table = qrels.documents
    known = pl.Series(c.LENGTH, [lengths[doc] for doc in table[c.DOC]], dtype=pl.Int64)
    differing = table.filter(table[c.LENGTH] != known)[c.DOC]
    if len(differing):
        yield (
            f"{counted(len(differing), 'document')} with another length in the campaign:"
            f" {some(differing.to_list())}; are these judgements about the same texts, and do they count"
            " characters?"
        )
        return
    says = pl.max_horizontal(c.GRADE, c.STATED).fill_null(0) > 0
    relevant = table.select(says).to_series()
    rows = list(zip(_documents(qrels), known, relevant, strict=True))
    beyond = [own.doc for own, length, _ in rows if own.reach > length]
    if beyond:
        yield f"{counted(len(beyond), 'document')} judged beyond the end of the text: {some(beyond)}"
    wordless = [own.doc for own, _, is_relevant in rows if is_relevant and not own.spans]
    if wordless:
        yield (
            f"{counted(len(wordless), 'document')} relevant without highlights: {some(wordless)}; a"
            " campaign holds highlighted text, so give judgements with highlights"
        )


def _stable_id(*words: object) -> UUID:
    """An id that is the same whenever it is made of the same words."""
    return uuid5(NAMESPACE_URL, json.dumps(["foveal", *words]))
