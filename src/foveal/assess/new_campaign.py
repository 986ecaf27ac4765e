"""A campaign from its materials: topics, a pool, texts, and who judges what."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from unicodedata import normalize

import numpy as np

from foveal.assess.blocks import blocks_of, element_blocks
from foveal.assess.events import LONGEST_NAME, digest
from foveal.assess.schema import (
    Assignment,
    CampaignContents,
    Passage,
    Person,
    PoolEntry,
    Role,
    StoredDocument,
    StoredTopic,
)
from foveal.choices import EntryPoints, ExportSource, Snap, StoredTexts
from foveal.elements import ElementLookup
from foveal.errors import DataError, UsageError, counted, kind, shortened, some
from foveal.frozen import frozen
from foveal.intake import Documents
from foveal.late import pl
from foveal.tables import Pool, Topics
from foveal.tables import columns as c

# A guide is sent to every page.
LONGEST_GUIDE = 200_000
LONGEST_PERSON = 100
# Seeds begin at 1: 0 keeps the pool's order.
LARGEST_SEED = 2**31


@frozen
class CampaignDesign:
    """Checked parameters of a campaign."""

    assessors: Sequence[str]
    double: float = 0.0
    entry: EntryPoints = EntryPoints.REQUIRED
    snap: Snap = Snap.SENTENCE
    show_pool: bool = False
    guide: str = ""
    texts: StoredTexts = StoredTexts.ALL

    def refuse(self) -> None:
        """Raise UsageError for what makes no sense, before anything is read."""
        refuse_names(self.assessors)
        if self.double and len(self.assessors) < 2:
            raise UsageError("--double needs two assessors or more: name another with --assessor")
        if len(self.guide) > LONGEST_GUIDE:
            raise UsageError(
                f"the guide has {len(self.guide):,} characters, at most {LONGEST_GUIDE:,} are shown"
                " beside the documents: shorten it"
            )

    @property
    def meta(self) -> dict[str, str]:
        """The settings as a campaign keeps them, with an id that names it in browsers."""
        return {
            "id": secrets.token_urlsafe(12),
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "entry": self.entry.value,
            "snap": self.snap.value,
            "show_pool": "1" if self.show_pool else "0",
            "guide": self.guide,
        }


@frozen
class NewCampaign:
    """Contents of a new campaign, its size, and notes for its maker."""

    plan: CampaignContents
    documents: int
    characters: int
    notes: tuple[str, ...]

    @property
    def pooled(self) -> Counter[str]:
        """How many documents each topic has."""
        return Counter(row.topic for row in self.plan.pool)


def planned(
    topics: Topics,
    pool: Pool,
    documents: Documents,
    design: CampaignDesign,
    *,
    rng: np.random.Generator,
    elements: ElementLookup | None = None,
) -> NewCampaign:
    """The plan of a campaign; raises where the materials do not fit together.

    Documents have their names in the pool, so that judgements fit the runs. Their layout is made when
    they are written.
    """
    design.refuse()
    own = documents.ids_by_name(pool.frame[c.DOC])
    _refuse_topics(topics, pool)
    _refuse_documents(pool, documents, own)
    kept = _kept(documents, own, design.texts)
    notes = [*_unpooled(topics, pool)]
    if elements is not None:
        notes += _compared(elements, documents, kept)
    counts = Counter(pool.frame[c.TOPIC].to_list())
    assignments = assigned(counts, design.assessors, double=design.double, rng=rng)
    people = [Person(n, name, Role.ASSESSOR) for n, name in enumerate(design.assessors, 1)]
    plan = CampaignContents(
        meta=design.meta,
        topics=list(_stored_topics(topics, counts)),
        documents=_stored(documents, kept, elements),
        pool=[PoolEntry(*row) for row in pool.frame.select(*c.POOL_SCHEMA).iter_rows()],
        passages=list(_passages(pool)),
        people=people,
        assignments=assignments,
    )
    characters = sum(len(documents[name]) for name in kept.values())
    return NewCampaign(plan, len(kept), characters, tuple(notes))


def _refuse_topics(topics: Topics, pool: Pool) -> None:
    if c.ALL_TOPICS in pool.frame[c.TOPIC]:
        # Judgements could not be exported.
        raise DataError(
            f"a topic of the pool is called {c.ALL_TOPICS!r}, which is the name of the means' row:"
            " rename it in the topics, the runs and the pool"
        )
    known = set(topics.frame[c.TOPIC])
    if missing := [
        topic for topic in pool.frame[c.TOPIC].unique(maintain_order=True) if topic not in known
    ]:
        raise DataError(
            f"{topics.source}: {counted(len(missing), 'topic')} of the pool {_is(missing)} missing:"
            f" {_names(missing)}"
        )


def _refuse_documents(pool: Pool, documents: Documents, own: Mapping[str, str]) -> None:
    """Raise if a pooled document has no text, or one that is shorter than what was returned of it."""
    names = pool.frame[c.DOC].unique(maintain_order=True).to_list()
    if missing := [name for name in names if name not in own]:
        raise DataError(
            f"{documents.source}: no text of {counted(len(missing), 'pooled document')}:"
            f" {_names(missing)}"
        )
    long = [name for name in (*names, *pool.frame[c.TOPIC].unique()) if len(name) > LONGEST_NAME]
    if long:
        raise DataError(
            f"names of topics and documents must have at most {LONGEST_NAME:,} characters, got"
            f" {shortened(long[0], 40)}"
        )
    beyond = [row for row in _passages(pool) if row.stop > len(documents[own[row.doc]])]
    if beyond:
        first = beyond[0]
        raise DataError(
            f"{counted(len(beyond), 'passage')} of the pool {_is(beyond)} beyond the text, first"
            f" [{first.start}, {first.stop}] of {shortened(first.doc, 60)!r}, which has"
            f" {counted(len(documents[own[first.doc]]), 'character')}: are these the texts that the"
            " runs searched?"
        )


def _unpooled(topics: Topics, pool: Pool) -> Iterator[str]:
    pooled = set(pool.frame[c.TOPIC])
    if left_out := [topic for topic in topics.frame[c.TOPIC] if topic not in pooled]:
        yield (
            f"{counted(len(left_out), 'topic')} of {topics.source} not in the pool, and left out:"
            f" {_names(left_out)}"
        )


def _kept(documents: Documents, own: Mapping[str, str], texts: StoredTexts) -> dict[str, str]:
    """The names of the documents to keep, with those of their texts: pooled ones first."""
    kept = dict(own)
    if texts is StoredTexts.ALL:
        taken = set(own.values())
        kept |= {name: name for name in documents if name not in taken}
    return kept


def _compared(
    elements: ElementLookup, documents: Documents, kept: Mapping[str, str]
) -> Iterator[str]:
    """Raise if an offset index is of other texts; tell how many documents it lacks."""
    if not elements.counts_characters:
        raise DataError(
            "the offset index counts bytes, or several blanks as one character: make one that counts"
            " every character, with `foveal index --count characters --whitespace keep`"
        )
    names = list(kept.values())
    lengths = elements.lengths(pl.Series(c.DOC, names, dtype=pl.String)).to_list()
    other = [
        (name, length)
        for name, length in zip(names, lengths, strict=True)
        if length is not None and length != len(documents[name])
    ]
    if other:
        name, length = other[0]
        raise DataError(
            f"the offset index is of other texts: {counted(len(other), 'document')} with another"
            f" length, first {shortened(name, 60)!r} ({length:,} characters in the index,"
            f" {len(documents[name]):,} in {documents.source}): make it from the same documents"
        )
    lacking = lengths.count(None)
    if lacking == len(names):
        raise DataError(
            f"the offset index has none of the documents in {documents.source}: make it from the same"
            " documents"
        )
    if lacking:
        yield f"{counted(lacking, 'document')} not in the offset index: shown as plain text"


def _stored_topics(topics: Topics, pooled: Mapping[str, int]) -> Iterator[StoredTopic]:
    rows = topics.frame.select(c.TOPIC, c.TITLE, c.DESCRIPTION, c.NARRATIVE).iter_rows()
    for topic, *words in rows:
        if topic in pooled:
            yield StoredTopic(topic, *(word or "" for word in words))


def _stored(
    documents: Documents, kept: Mapping[str, str], elements: ElementLookup | None
) -> Iterator[StoredDocument]:
    """The documents with their layouts, made as they are asked for."""
    texts = ((name, documents[name]) for name in kept.values())
    layouts = (
        element_blocks(elements, texts)
        if elements is not None
        else ((name, blocks_of(text)) for name, text in texts)
    )
    for name, (own, blocks) in zip(kept, layouts, strict=True):
        text = documents[own]
        yield StoredDocument(name, text, len(text), digest(text), blocks)


def _passages(pool: Pool) -> Iterator[Passage]:
    columns = (c.TOPIC, c.DOC, c.RUNS, c.BEST_RANK, c.PASSAGES)
    for topic, doc, runs, best_rank, passages in pool.frame.select(*columns).iter_rows():
        for start, stop in passages:
            yield Passage(topic, doc, start, stop, runs, best_rank)


def _names(names: Iterable[str]) -> str:
    return some([shortened(name, 60) for name in names])


def _is(found: Sequence[object]) -> str:
    return "is" if len(found) == 1 else "are"


def refuse_names(names: Iterable[str], *, beside: Iterable[str] = ()) -> None:
    """Raise UsageError unless these can be the names of different people, beside others."""
    seen = {normalize("NFC", name) for name in beside}
    for name in names:
        shown = kind(name)
        if not name.strip() or name != name.strip():
            raise UsageError(
                f"the name of an assessor must not be empty nor begin or end with a blank, got {shown}"
            )
        if len(name) > LONGEST_PERSON:
            raise UsageError(
                f"the name of an assessor must have at most {LONGEST_PERSON} characters, got"
                f" {len(name):,}: {shortened(name, 30)}"
            )
        if not name.isprintable():
            raise UsageError(f"the name of an assessor must be printable, got {shown}")
        if name in set(ExportSource):
            raise UsageError(
                f"{name!r} cannot be the name of an assessor: `foveal assess export --from {name}`"
                " means something else"
            )
        # Two ways of writing the same letters cannot be told apart.
        if (composed := normalize("NFC", name)) in seen:
            raise UsageError(
                f"assessor {shown} is named twice, perhaps with other code points for the same"
                " letters: give every name once"
            )
        seen.add(composed)


def assigned(
    documents: Mapping[str, int],
    assessors: Sequence[str],
    *,
    double: float,
    rng: np.random.Generator,
) -> list[Assignment]:
    """Who judges each topic, given with its number of documents.

    A share `double` of the topics, at least one unless it is 0, is drawn to be judged by another
    assessor too, in another order. Topics that are judged once are given out first, then the
    others, large ones before small ones, to whoever has the fewest documents so far: totals differ
    by the largest topic at most, those of main assessors by twice as much.
    """
    if double and len(assessors) < 2:
        raise UsageError("topics judged twice need two assessors: name another one with --assessor")
    order = sorted(documents, key=lambda topic: (-documents[topic], topic))
    drawn = set(rng.permutation(len(order))[: _count(double, len(order))].tolist())
    once = [topic for place, topic in enumerate(order) if place not in drawn]
    twice = [topic for place, topic in enumerate(order) if place in drawn]
    load = dict.fromkeys(assessors, 0)
    main = {topic: _least_loaded(load, documents[topic], 1)[0] for topic in once}
    as_main = load.copy()
    pairs = {topic: _least_loaded(load, documents[topic], 2) for topic in twice}
    main |= _main_assessors(pairs, documents, as_main)
    second = [(topic, name) for topic in twice for name in pairs[topic] if name != main[topic]]
    return [
        *sorted(Assignment(topic, name, 0, 1) for topic, name in main.items()),
        *(Assignment(topic, name, int(rng.integers(1, LARGEST_SEED)), 0) for topic, name in second),
    ]


def _least_loaded(load: dict[str, int], documents: int, count: int) -> list[str]:
    """The assessors with the fewest documents, whose load grows by those of a topic."""
    chosen = sorted(load, key=load.__getitem__)[:count]
    for name in chosen:
        load[name] += documents
    return chosen


def _main_assessors(
    pairs: Mapping[str, Sequence[str]], documents: Mapping[str, int], as_main: dict[str, int]
) -> dict[str, str]:
    """The main assessor of each topic that two judge: everybody is that of every other one of theirs.

    An assessor's topics are taken two by two, and a walk goes from topic to topic: whoever is the
    second assessor of one is the main assessor of the next, which always works out. Topics come in
    order of size, so everybody is the main assessor of half of their documents, give or take half
    of the largest topic.
    """
    neighbour: dict[tuple[str, str], str] = {}
    waiting: dict[str, str] = {}
    for topic, pair in pairs.items():
        for name in pair:
            if (other := waiting.pop(name, None)) is None:
                waiting[name] = topic
            else:
                neighbour |= {(topic, name): other, (other, name): topic}
    main: dict[str, str] = {}
    # A walk that is not a circle begins at its end, where an assessor has no other topic.
    for start in sorted(
        pairs, key=lambda topic: all((topic, name) in neighbour for name in pairs[topic])
    ):
        topic = start
        name = min(pairs[topic], key=lambda name: ((topic, name) in neighbour, as_main[name]))
        while topic not in main:
            main[topic] = name
            as_main[name] += documents[topic]
            [name] = (other for other in pairs[topic] if other != name)
            topic = neighbour.get((topic, name), topic)
    return main


def _count(share: float, topics: int) -> int:
    """How many topics a share is, rounded, and at least one unless the share is 0."""
    return max(1, round(share * topics)) if share else 0


def described(
    assignments: Sequence[Assignment], documents: Mapping[str, int], assessors: Sequence[str]
) -> list[str]:
    """What each assessor is to do, in words."""
    lines = []
    for name in assessors:
        own = [row for row in assignments if row.assessor == name]
        second = sum(not row.main for row in own)
        beside = f", {second:,} of them as the second assessor" if second else ""
        total = sum(documents[row.topic] for row in own)
        lines.append(
            f"{name}: {counted(total, 'document')} of {counted(len(own), 'topic')}{beside}"
        )
    return lines
