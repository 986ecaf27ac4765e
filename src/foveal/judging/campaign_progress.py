"""Progress of a campaign of judging: finished documents, remaining ones, and the time they need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from foveal.errors import counted, shortened, shortened_list
from foveal.frozen import frozen
from foveal.late import pl
from foveal.shown import Shown
from foveal.tables import columns as c

# Seconds without an event after which a person is assumed to have paused.
IDLE = 120.0


def active_seconds(times_ms: Iterable[int], idle_seconds: float = IDLE) -> float:
    """Time that a person worked: the sum of the gaps between events, in any order, without long ones.

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
    """Status of a topic over all its assessors.

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
    """Progress of a campaign of judging.

    `stints` has a row per topic and assessor, `people` a row per assessor with sums, the
    number of remaining documents and an estimate of the seconds they need (null if no document is
    finished), `topics` a row per topic. `assessor_notes` are notes by people, `notes` those of foveal.
    """

    stints: pl.DataFrame
    people: pl.DataFrame
    topics: pl.DataFrame
    settings: Mapping[str, str]
    notes: tuple[str, ...] = ()
    assessor_notes: tuple[AssessorNote, ...] = ()

    @classmethod
    def of(
        cls,
        topic_progress: Sequence[TopicProgress],
        assessors: Iterable[AssessorProgress],
        topics: Sequence[TopicStatus],
        settings: Mapping[str, str],
        assessor_notes: Iterable[AssessorNote] = (),
    ) -> CampaignProgress:
        """Progress with sums and remaining work, from the rows of all topics and assessors."""
        progress = pl.DataFrame(topic_progress, schema=c.STINT_SCHEMA, orient="row")
        statuses = pl.DataFrame(topics, schema=c.TOPIC_STATE_SCHEMA, orient="row")
        persons = pl.DataFrame(list(assessors), schema=c.PERSON_SCHEMA, orient="row")
        notes = tuple(_notes(progress, statuses))
        people = _people(progress, persons)
        return cls(progress, people, statuses, settings, notes, tuple(assessor_notes))

    @property
    def done(self) -> int:
        """Number of finished documents; those of two assessors count twice."""
        return int(self.people[c.DONE].sum())

    @property
    def documents(self) -> int:
        """Number of documents to judge; those of two assessors count twice."""
        return int(self.people[c.DOCUMENTS].sum())

    @property
    def seconds_left(self) -> float | None:
        """Estimate of the seconds that all assessors together still need; None if unknown."""
        if self.people[c.SECONDS_LEFT].null_count():
            return None
        return float(self.people[c.SECONDS_LEFT].sum())

    @property
    def disputed(self) -> int:
        """Number of documents that assessors finished differently and no adjudicator has finished."""
        return int((self.topics[c.DISPUTED] - self.topics[c.ADJUDICATED]).sum())

    @property
    def locked(self) -> list[str]:
        """The topics that are locked."""
        return self.topics.filter(c.LOCKED)[c.TOPIC].to_list()

    @property
    def summary(self) -> str:
        """The number of finished documents."""
        return f"{self.done:,} of {counted(self.documents, 'document')} finished"


def _people(progress: pl.DataFrame, persons: pl.DataFrame) -> pl.DataFrame:
    """Sums and remaining work of each person, also of those without a topic."""
    counts = [c.DOCUMENTS, c.DONE, c.RELEVANT, c.PASSAGES, c.CHARACTERS]
    sums = progress.group_by(c.ASSESSOR).agg(
        pl.len().cast(pl.Int64).alias(c.TOPICS), *(pl.col(name).sum() for name in counts)
    )
    with_sums = persons.join(sums, on=c.ASSESSOR, how="left", maintain_order="left")
    numbers = with_sums.with_columns(pl.col(name).fill_null(0) for name in (c.TOPICS, *counts))
    remaining = (pl.col(c.DOCUMENTS) - pl.col(c.DONE)).alias(c.LEFT)
    return numbers.with_columns(remaining).select(
        c.ASSESSOR, c.ROLE, c.TOPICS, c.DOCUMENTS, c.DONE, c.LEFT, *counts[2:], c.SECONDS,
        _seconds_left(numbers),
    )  # fmt: skip


def _seconds_left(people: pl.DataFrame) -> pl.Expr:
    """Time for the remaining documents at a person's pace, or at the mean pace if it is unknown."""
    remaining, seconds = pl.col(c.LEFT), pl.col(c.SECONDS)
    # Judgements imported from a file took no time, so they do not count for the pace.
    judged = pl.col(c.DONE) - pl.col(c.IMPORTED)
    count, total = (int(people.select(judged.sum()).item()), float(people[c.SECONDS].sum()))
    mean_pace = total / count if count and total else None
    pace = pl.when((judged > 0) & (seconds > 0)).then(seconds / judged)
    estimate = remaining * pace.otherwise(pl.lit(mean_pace, pl.Float64))
    return pl.when(remaining == 0).then(0.0).otherwise(estimate).alias(c.SECONDS_LEFT)


def _notes(progress: pl.DataFrame, topics: pl.DataFrame) -> Iterator[str]:
    assigned = set(progress.filter(pl.col(c.ROLE) != "adjudicator")[c.TOPIC])
    if unassigned := [topic for topic in topics[c.TOPIC] if topic not in assigned]:
        names = shortened_list([shortened(topic, 60) for topic in unassigned])
        yield f"{counted(len(unassigned), 'topic')} without an assessor: {names}"
