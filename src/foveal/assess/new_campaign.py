"""A new campaign from topics, a pool, texts and assessors."""

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
from foveal.errors import DataError, UsageError, counted, shortened, shortened_list, value_text
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
        """Raise UsageError for invalid parameters, before any file is read."""
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
        """The settings as a campaign stores them, with an id that browsers know it by."""
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
    """Contents of a new campaign, its size, and notes for the organiser."""

    contents: CampaignContents
    documents: int
    characters: int
    notes: tuple[str, ...]

    @property
    def pooled(self) -> Counter[str]:
        """Number of documents of each topic."""
        return Counter(row.topic for row in self.contents.pool)


def prepare(
    topics: Topics,
    pool: Pool,
    documents: Documents,
    design: CampaignDesign,
    *,
    rng: np.random.Generator,
    elements: ElementLookup | None = None,
) -> NewCampaign:
    """Prepare the contents of a campaign; raises if topics, pool and texts do not fit together.

    Documents have their names in the pool, so that judgements fit the runs. Their layouts are made
    when they are written.
    """
    design.refuse()
    text_names = documents.ids_by_name(pool.frame[c.DOC])
    _refuse_topics(topics, pool)
    _refuse_documents(pool, documents, text_names)
    stored_names = _stored_names(documents, text_names, design.texts)
    notes = [*_unpooled_note(topics, pool)]
    if elements is not None:
        notes += _check_index(elements, documents, stored_names)
    counts = Counter(pool.frame[c.TOPIC].to_list())
    assignments = assign_topics(counts, design.assessors, double=design.double, rng=rng)
    people = [Person(n, name, Role.ASSESSOR) for n, name in enumerate(design.assessors, 1)]
    contents = CampaignContents(
        meta=design.meta,
        topics=list(_stored_topics(topics, counts)),
        documents=_stored_documents(documents, stored_names, elements),
        pool=[PoolEntry(*row) for row in pool.frame.select(*c.POOL_SCHEMA).iter_rows()],
        passages=list(_passages(pool)),
        people=people,
        assignments=assignments,
    )
    characters = sum(len(documents[name]) for name in stored_names.values())
    return NewCampaign(contents, len(stored_names), characters, tuple(notes))


def _refuse_topics(topics: Topics, pool: Pool) -> None:
    if c.ALL_TOPICS in pool.frame[c.TOPIC]:
        # Judgements of such a topic could not be exported.
        raise DataError(
            f"a topic of the pool is called {c.ALL_TOPICS!r}, which is the name of the means' row:"
            " rename it in the topics, the runs and the pool"
        )
    names = set(topics.frame[c.TOPIC])
    if missing := [
        topic for topic in pool.frame[c.TOPIC].unique(maintain_order=True) if topic not in names
    ]:
        raise DataError(
            f"{topics.source}: {counted(len(missing), 'topic')} of the pool {_verb(missing)} missing:"
            f" {_names(missing)}"
        )


def _refuse_documents(pool: Pool, documents: Documents, text_names: Mapping[str, str]) -> None:
    """Raise DataError if a pooled document has no text, or passages beyond its end."""
    names = pool.frame[c.DOC].unique(maintain_order=True).to_list()
    if missing := [name for name in names if name not in text_names]:
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
    beyond = [row for row in _passages(pool) if row.stop > len(documents[text_names[row.doc]])]
    if beyond:
        first = beyond[0]
        raise DataError(
            f"{counted(len(beyond), 'passage')} of the pool {_verb(beyond)} beyond the text, first"
            f" [{first.start}, {first.stop}] of {shortened(first.doc, 60)!r}, which has"
            f" {counted(len(documents[text_names[first.doc]]), 'character')}: are these the texts that the"
            " runs searched?"
        )


def _unpooled_note(topics: Topics, pool: Pool) -> Iterator[str]:
    pooled = set(pool.frame[c.TOPIC])
    if unpooled := [topic for topic in topics.frame[c.TOPIC] if topic not in pooled]:
        yield (
            f"{counted(len(unpooled), 'topic')} of {topics.source} not in the pool, and left out:"
            f" {_names(unpooled)}"
        )


def _stored_names(
    documents: Documents, text_names: Mapping[str, str], texts: StoredTexts
) -> dict[str, str]:
    """Names of the documents to store, with the names of their texts; pooled ones first."""
    stored_names = dict(text_names)
    if texts is StoredTexts.ALL:
        pooled_texts = set(text_names.values())
        stored_names |= {name: name for name in documents if name not in pooled_texts}
    return stored_names


def _check_index(
    elements: ElementLookup, documents: Documents, stored_names: Mapping[str, str]
) -> Iterator[str]:
    """Raise DataError if an offset index is of other texts; notes the documents it lacks."""
    if not elements.counts_characters:
        raise DataError(
            "the offset index counts bytes, or several blanks as one character: make one that counts"
            " every character, with `foveal index --count characters --whitespace keep`"
        )
    names = list(stored_names.values())
    lengths = elements.lengths(pl.Series(c.DOC, names, dtype=pl.String)).to_list()
    different = [
        (name, length)
        for name, length in zip(names, lengths, strict=True)
        if length is not None and length != len(documents[name])
    ]
    if different:
        name, length = different[0]
        raise DataError(
            f"the offset index is of other texts: {counted(len(different), 'document')} with another"
            f" length, first {shortened(name, 60)!r} ({length:,} characters in the index,"
            f" {len(documents[name]):,} in {documents.source}): make it from the same documents"
        )
    missing_count = lengths.count(None)
    if missing_count == len(names):
        raise DataError(
            f"the offset index has none of the documents in {documents.source}: make it from the same"
            " documents"
        )
    if missing_count:
        yield f"{counted(missing_count, 'document')} not in the offset index: shown as plain text"


def _stored_topics(topics: Topics, pooled: Mapping[str, int]) -> Iterator[StoredTopic]:
    rows = topics.frame.select(c.TOPIC, c.TITLE, c.DESCRIPTION, c.NARRATIVE).iter_rows()
    for topic, *texts in rows:
        if topic in pooled:
            yield StoredTopic(topic, *(text or "" for text in texts))


def _stored_documents(
    documents: Documents, stored_names: Mapping[str, str], elements: ElementLookup | None
) -> Iterator[StoredDocument]:
    """The documents with their layouts, generated one after the other."""
    texts = ((name, documents[name]) for name in stored_names.values())
    layouts = (
        element_blocks(elements, texts)
        if elements is not None
        else ((name, blocks_of(text)) for name, text in texts)
    )
    for name, (text_name, blocks) in zip(stored_names, layouts, strict=True):
        text = documents[text_name]
        yield StoredDocument(name, text, len(text), digest(text), blocks)


def _passages(pool: Pool) -> Iterator[Passage]:
    columns = (c.TOPIC, c.DOC, c.RUNS, c.BEST_RANK, c.PASSAGES)
    for topic, doc, runs, best_rank, passages in pool.frame.select(*columns).iter_rows():
        for start, stop in passages:
            yield Passage(topic, doc, start, stop, runs, best_rank)


def _names(names: Iterable[str]) -> str:
    return shortened_list([shortened(name, 60) for name in names])


def _verb(things: Sequence[object]) -> str:
    return "is" if len(things) == 1 else "are"


def refuse_names(names: Iterable[str], *, other_names: Iterable[str] = ()) -> None:
    """Raise UsageError unless names are valid, distinct, and different from other names."""
    used_names = {normalize("NFC", name) for name in other_names}
    for name in names:
        name_text = value_text(name)
        if not name.strip() or name != name.strip():
            raise UsageError(
                f"the name of an assessor must not be empty nor begin or end with a blank, got {name_text}"
            )
        if len(name) > LONGEST_PERSON:
            raise UsageError(
                f"the name of an assessor must have at most {LONGEST_PERSON} characters, got"
                f" {len(name):,}: {shortened(name, 30)}"
            )
        if not name.isprintable():
            raise UsageError(f"the name of an assessor must be printable, got {name_text}")
        if name in set(ExportSource):
            raise UsageError(
                f"{name!r} cannot be the name of an assessor: `foveal assess export --from {name}`"
                " means something else"
            )
        # Different code points of the same letters look the same.
        if (composed := normalize("NFC", name)) in used_names:
            raise UsageError(
                f"assessor {name_text} is named twice, perhaps with other code points for the same"
                " letters: give every name once"
            )
        used_names.add(composed)


def assign_topics(
    documents: Mapping[str, int],
    assessors: Sequence[str],
    *,
    double: float,
    rng: np.random.Generator,
) -> list[Assignment]:
    """Assign topics, given with their numbers of documents, to assessors.

    A share `double` of the topics, at least one unless it is 0, is drawn at random to be judged by
    another assessor too, in another order. Topics that are judged once are assigned first, then the
    others, large ones before small ones, to the assessor with the fewest documents so far: totals
    differ by the largest topic at most, those of main assessors by twice as much.
    """
    if double and len(assessors) < 2:
        raise UsageError("topics judged twice need two assessors: name another one with --assessor")
    order = sorted(documents, key=lambda topic: (-documents[topic], topic))
    double_indices = set(rng.permutation(len(order))[: _count(double, len(order))].tolist())
    once = [topic for index, topic in enumerate(order) if index not in double_indices]
    twice = [topic for index, topic in enumerate(order) if index in double_indices]
    load = dict.fromkeys(assessors, 0)
    main = {topic: _least_loaded(load, documents[topic], 1)[0] for topic in once}
    main_load = load.copy()
    pairs = {topic: _least_loaded(load, documents[topic], 2) for topic in twice}
    main |= _main_assessors(pairs, documents, main_load)
    second = [(topic, name) for topic in twice for name in pairs[topic] if name != main[topic]]
    return [
        *sorted(Assignment(topic, name, 0, 1) for topic, name in main.items()),
        *(Assignment(topic, name, int(rng.integers(1, LARGEST_SEED)), 0) for topic, name in second),
    ]


def _least_loaded(load: dict[str, int], documents: int, count: int) -> list[str]:
    """The assessors with the fewest documents; adds the documents of a topic to their load."""
    chosen = sorted(load, key=load.__getitem__)[:count]
    for name in chosen:
        load[name] += documents
    return chosen


def _main_assessors(
    pairs: Mapping[str, Sequence[str]], documents: Mapping[str, int], main_load: dict[str, int]
) -> dict[str, str]:
    """The main assessor of each topic that two judge, so that each is it in every other topic.

    Each assessor's topics are paired, and a walk goes from topic to topic: the second assessor of
    one is the main assessor of the next in the pair, which is always possible. Topics come in order
    of size, so each assessor is the main one of half of their documents, give or take half of the
    largest topic.
    """
    neighbour: dict[tuple[str, str], str] = {}
    unpaired: dict[str, str] = {}
    for topic, pair in pairs.items():
        for name in pair:
            if (other_topic := unpaired.pop(name, None)) is None:
                unpaired[name] = topic
            else:
                neighbour |= {(topic, name): other_topic, (other_topic, name): topic}
    main: dict[str, str] = {}
    # A walk that is not a cycle starts at a topic that an assessor has no partner for.
    for start in sorted(
        pairs, key=lambda topic: all((topic, name) in neighbour for name in pairs[topic])
    ):
        topic = start
        name = min(pairs[topic], key=lambda name: ((topic, name) in neighbour, main_load[name]))
        while topic not in main:
            main[topic] = name
            main_load[name] += documents[topic]
            [name] = (partner for partner in pairs[topic] if partner != name)
            topic = neighbour.get((topic, name), topic)
    return main


def _count(share: float, topics: int) -> int:
    """Number of topics in a share, rounded, and at least one unless the share is 0."""
    return max(1, round(share * topics)) if share else 0


def assignment_lines(
    assignments: Sequence[Assignment], documents: Mapping[str, int], assessors: Sequence[str]
) -> list[str]:
    """A line for each assessor with the numbers of documents and topics."""
    lines = []
    for name in assessors:
        rows = [row for row in assignments if row.assessor == name]
        second_count = sum(not row.main for row in rows)
        tail = f", {second_count:,} of them as the second assessor" if second_count else ""
        total = sum(documents[row.topic] for row in rows)
        lines.append(f"{name}: {counted(total, 'document')} of {counted(len(rows), 'topic')}{tail}")
    return lines
