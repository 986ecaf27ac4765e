"""A campaign from its materials: topics, a pool, texts, and who judges them."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np

from foveal.assess.blocks import blocks_of, element_blocks
from foveal.assess.events import LONGEST_NAME, digest
from foveal.assess.planning import assigned, refuse_names
from foveal.assess.records import Passage, Person, Plan, Pooled, Role, StoredDocument, StoredTopic
from foveal.choices import EntryPoints, KeptTexts, Snap
from foveal.elements import ElementLookup
from foveal.errors import DataError, UsageError, counted, shortened, some
from foveal.frozen import frozen
from foveal.intake import Documents
from foveal.late import pl
from foveal.tables import Pool, Topics
from foveal.tables import columns as c

# A guide is sent to every page.
LONGEST_GUIDE = 200_000


@frozen
class Wishes:
    """How a campaign is judged."""

    assessors: Sequence[str]
    double: float = 0.0
    entry: EntryPoints = EntryPoints.REQUIRED
    snap: Snap = Snap.SENTENCE
    show_pool: bool = False
    guide: str = ""
    texts: KeptTexts = KeptTexts.ALL

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
class Made:
    """The plan of a campaign, its size, and what its maker should know."""

    plan: Plan
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
    wishes: Wishes,
    *,
    rng: np.random.Generator,
    elements: ElementLookup | None = None,
) -> Made:
    """The plan of a campaign; raises where the materials do not fit together.

    Documents have their names in the pool, so that judgements fit the runs. Their layout is made when
    they are written.
    """
    wishes.refuse()
    own = documents.own_names(pool.frame[c.DOC])
    _refuse_topics(topics, pool)
    _refuse_documents(pool, documents, own)
    kept = _kept(documents, own, wishes.texts)
    notes = [*_unpooled(topics, pool)]
    if elements is not None:
        notes += _compared(elements, documents, kept)
    counts = Counter(pool.frame[c.TOPIC].to_list())
    assignments = assigned(counts, wishes.assessors, double=wishes.double, rng=rng)
    people = [Person(n, name, Role.ASSESSOR) for n, name in enumerate(wishes.assessors, 1)]
    plan = Plan(
        meta=wishes.meta,
        topics=list(_stored_topics(topics, counts)),
        documents=_stored(documents, kept, elements),
        pool=[Pooled(*row) for row in pool.frame.select(*c.POOL_SCHEMA).iter_rows()],
        passages=list(_passages(pool)),
        people=people,
        assignments=assignments,
    )
    characters = sum(len(documents[name]) for name in kept.values())
    return Made(plan, len(kept), characters, tuple(notes))


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


def _kept(documents: Documents, own: Mapping[str, str], texts: KeptTexts) -> dict[str, str]:
    """The names of the documents to keep, with those of their texts: pooled ones first."""
    kept = dict(own)
    if texts is KeptTexts.ALL:
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
