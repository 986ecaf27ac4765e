"""Progress of a judging campaign: by assessor, then by topic."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from foveal.choices import Form
from foveal.errors import counted, shortened, shortened_list
from foveal.judging import CampaignProgress
from foveal.late import pl
from foveal.rendering._numbers import duration, duration_or_dash, percent
from foveal.rendering._table import Table, fields_of
from foveal.tables import columns as c

ACTIVE = "active time"
ABOUT_LEFT = "about left"
LONGEST_NOTE = 80


def tables(progress: CampaignProgress, form: Form) -> list[Table]:
    """A row per assessor with a summary, a row per topic and assessor, then disputes and notes."""
    return [_people(progress), _topics(progress), *_disputes(progress), *_notes(progress)]


def rows(progress: CampaignProgress) -> pl.DataFrame:
    """A row per topic and assessor."""
    return progress.stints


def document(progress: CampaignProgress) -> dict[str, Any]:
    """The progress as a JSON document."""
    return {
        **fields_of(progress, "settings people topics stints"),
        "remarks": [remark._asdict() for remark in progress.assessor_notes],
        "notes": progress.notes,
    }


def _people(progress: CampaignProgress) -> Table:
    counts = [c.TOPICS, c.DOCUMENTS, c.DONE, c.LEFT, c.RELEVANT, c.PASSAGES, c.CHARACTERS]
    header = [c.ASSESSOR, c.ROLE, *counts, ACTIVE, ABOUT_LEFT]
    frame = progress.people
    rows = [*frame.iter_rows()]
    if frame.height > 1:
        sums = [int(frame[name].sum()) for name in counts[1:]]
        seconds = float(frame[c.SECONDS].sum())
        rows.append(("all", "", progress.topics.height, *sums, seconds, progress.seconds_left))
    cells = [
        [name, role, *map("{:,}".format, numbers), duration(seconds), duration_or_dash(left)]
        for name, role, *numbers, seconds, left in rows
    ]
    return Table(header, cells, 2, progress.settings, below=_in_words(progress))


def _topics(progress: CampaignProgress) -> Table:
    locked = set(progress.locked)
    rows = [
        [topic, name, role, *map("{:,}".format, numbers), duration(seconds)]
        + ["locked" if topic in locked else ""] * bool(locked)
        for topic, name, role, *numbers, seconds in progress.stints.iter_rows()
    ]
    *names, _ = c.STINT_SCHEMA
    return Table([*names, ACTIVE, *[c.LOCKED] * bool(locked)], rows, 3, title="By topic")


def _disputes(progress: CampaignProgress) -> Iterator[Table]:
    frame = progress.topics.filter(pl.col(c.FINISHED_TWICE) > 0)
    if frame.height:
        header = [c.TOPIC, "finished by two or more", "with different text", c.ADJUDICATED]
        disputes = frame.select(c.TOPIC, c.FINISHED_TWICE, c.DISPUTED, c.ADJUDICATED)
        rows = [[topic, *map("{:,}".format, counts)] for topic, *counts in disputes.iter_rows()]
        yield Table(header, rows, 1, title="Documents that two or more assessors have finished")


def _notes(progress: CampaignProgress) -> Iterator[Table]:
    if progress.assessor_notes:
        header = [c.ASSESSOR, c.TOPIC, c.DOC, "note"]
        rows = [
            [name, topic, doc, shortened(" ".join(note.split()), LONGEST_NOTE)]
            for name, topic, doc, note in progress.assessor_notes
        ]
        yield Table(header, rows, len(header), title="Notes on documents")


def _in_words(progress: CampaignProgress) -> str:
    """The progress in words."""
    if not progress.documents:
        return "There is nothing to judge."
    remaining = progress.documents - progress.done
    share = percent(progress.done / progress.documents)
    text = f"{progress.summary} ({share})"
    if remaining:
        seconds = progress.seconds_left
        time_clause = (
            "" if seconds is None else f", about {duration(seconds)} of work at the pace so far"
        )
        text += f"; {remaining:,} {'is' if remaining == 1 else 'are'} left{time_clause}"
    sentences = [f"{text}."]
    if disputed := progress.disputed:
        verb = "needs" if disputed == 1 else "need"
        sentences.append(f"{counted(disputed, 'document')} {verb} adjudication.")
    sentences += _locks(progress)
    if notes := len(progress.assessor_notes):
        sentences.append(f"{counted(notes, 'note')} for you {'is' if notes == 1 else 'are'} below.")
    return " ".join(sentences)


def _locks(progress: CampaignProgress) -> Iterator[str]:
    locked = progress.locked
    names = shortened_list([shortened(topic, 60) for topic in locked])
    if len(locked) > 1 and len(locked) == progress.topics.height:
        yield "All topics are locked."
    elif locked:
        yield f"Topic {names} is locked." if len(locked) == 1 else f"Topics {names} are locked."
