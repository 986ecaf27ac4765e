"""How far a campaign of judging has come: what is done, what is left, and how long it takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from foveal.errors import counted, shortened, some
from foveal.frozen import frozen
from foveal.late import pl
from foveal.shown import Shown
from foveal.tables import columns as c

# Seconds without an act after which somebody is taken to have left.
IDLE = 120.0


def active_seconds(times_ms: Iterable[int], idle_seconds: float = IDLE) -> float:
    """How long somebody worked: the gaps between acts, in any order, that are not too long.

    >>> from foveal.judging import active_seconds
    >>> active_seconds([0, 30_000, 600_000, 601_000])
    31.0
    """
    gaps = (later - earlier for earlier, later in pairwise(sorted(times_ms)))
    return sum(gap for gap in gaps if gap <= idle_seconds * 1000) / 1000


class TopicProgress(NamedTuple):
    """A person's progress on a topic; relevant, passages and characters count finished documents.

    The role is assessor (the main one), second or adjudicator.
    """

    topic: str
    assessor: str
    role: str
    documents: int
    done: int
    relevant: int
    passages: int
    characters: int
    seconds: float


class AssessorProgress(NamedTuple):
    """A person in a campaign, and the time they have worked on all topics together.

    `imported` counts the documents that are finished because their judgements were imported, which
    took no time.
    """

    assessor: str
    role: str
    seconds: float
    imported: int = 0


class TopicStatus(NamedTuple):
    """Status of a topic, whoever judged it.

    `done` counts the documents that at least one assessor has finished, `finished_twice` those that
    two or more have; `disputed` ones have different highlights, and `adjudicated` ones of these are
    finished by an adjudicator.
    """

    topic: str
    locked: bool
    documents: int
    done: int
    finished_twice: int
    disputed: int
    adjudicated: int


class AssessorNote(NamedTuple):
    """A note of an assessor on a document, for the organiser."""

    assessor: str
    topic: str
    doc: str
    note: str


@frozen(eq=False, repr=False)
class CampaignProgress(Shown):
    """How far a campaign of judging has come.

    `stints` has a row per topic and assessor, `people` a row per assessor with the sums, what is
    left and about how many seconds that takes (null if nobody has finished anything), `topics` a
    row per topic. `remarks` are the notes that people wrote, `notes` what foveal says itself.
    """

    stints: pl.DataFrame
    people: pl.DataFrame
    topics: pl.DataFrame
    settings: Mapping[str, str]
    notes: tuple[str, ...] = ()
    remarks: tuple[AssessorNote, ...] = ()

    @classmethod
    def of(
        cls,
        stints: Sequence[TopicProgress],
        workers: Iterable[AssessorProgress],
        topics: Sequence[TopicStatus],
        settings: Mapping[str, str],
        remarks: Iterable[AssessorNote] = (),
    ) -> CampaignProgress:
        """The progress that these make, with sums and what is left."""
        work = pl.DataFrame(stints, schema=c.STINT_SCHEMA, orient="row")
        states = pl.DataFrame(topics, schema=c.TOPIC_STATE_SCHEMA, orient="row")
        everybody = pl.DataFrame(list(workers), schema=c.PERSON_SCHEMA, orient="row")
        notes = tuple(_notes(work, states))
        people = _people(work, everybody)
        return cls(work, people, states, settings, notes, tuple(remarks))

    @property
    def done(self) -> int:
        """How many documents are finished, those of two assessors counted twice."""
        return int(self.people[c.DONE].sum())

    @property
    def documents(self) -> int:
        """How many documents are to be judged, those of two assessors counted twice."""
        return int(self.people[c.DOCUMENTS].sum())

    @property
    def seconds_left(self) -> float | None:
        """About how long all assessors together need for the rest; None if unknown."""
        if self.people[c.SECONDS_LEFT].null_count():
            return None
        return float(self.people[c.SECONDS_LEFT].sum())

    @property
    def disputed(self) -> int:
        """How many documents two assessors finished differently and no adjudicator has finished."""
        return int((self.topics[c.DISPUTED] - self.topics[c.ADJUDICATED]).sum())

    @property
    def locked(self) -> list[str]:
        """The topics that are locked."""
        return self.topics.filter(c.LOCKED)[c.TOPIC].to_list()

    @property
    def summary(self) -> str:
        """How many documents are finished."""
        return f"{self.done:,} of {counted(self.documents, 'document')} finished"


def _people(work: pl.DataFrame, everybody: pl.DataFrame) -> pl.DataFrame:
    """The sums of each person, who need not have a topic, and what is left."""
    counts = [c.DOCUMENTS, c.DONE, c.RELEVANT, c.PASSAGES, c.CHARACTERS]
    sums = work.group_by(c.ASSESSOR).agg(
        pl.len().cast(pl.Int64).alias(c.TOPICS), *(pl.col(name).sum() for name in counts)
    )
    joined = everybody.join(sums, on=c.ASSESSOR, how="left", maintain_order="left")
    numbers = joined.with_columns(pl.col(name).fill_null(0) for name in (c.TOPICS, *counts))
    left = (pl.col(c.DOCUMENTS) - pl.col(c.DONE)).alias(c.LEFT)
    return numbers.with_columns(left).select(
        c.ASSESSOR, c.ROLE, c.TOPICS, c.DOCUMENTS, c.DONE, c.LEFT, *counts[2:], c.SECONDS,
        _seconds_left(numbers),
    )  # fmt: skip


def _seconds_left(people: pl.DataFrame) -> pl.Expr:
    """How long the rest takes at a person's own pace, or at everybody's if that is unknown."""
    left, seconds = pl.col(c.LEFT), pl.col(c.SECONDS)
    # Judgements imported from a file took no time here, so they show no pace.
    judged = pl.col(c.DONE) - pl.col(c.IMPORTED)
    finished, worked = int(people.select(judged.sum()).item()), float(people[c.SECONDS].sum())
    common = worked / finished if finished and worked else None
    pace = pl.when((judged > 0) & (seconds > 0)).then(seconds / judged)
    estimate = left * pace.otherwise(pl.lit(common, pl.Float64))
    return pl.when(left == 0).then(0.0).otherwise(estimate).alias(c.SECONDS_LEFT)


def _notes(work: pl.DataFrame, topics: pl.DataFrame) -> Iterator[str]:
    taken = set(work.filter(pl.col(c.ROLE) != "adjudicator")[c.TOPIC])
    if orphans := [topic for topic in topics[c.TOPIC] if topic not in taken]:
        names = some([shortened(topic, 60) for topic in orphans])
        yield f"{counted(len(orphans), 'topic')} without an assessor: {names}"
