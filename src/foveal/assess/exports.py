"""Judgements out of a campaign: whose they are, and how many documents are left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from foveal.assess.campaign import Campaign
from foveal.assess.current_judgements import CurrentJudgements, TopicDocument
from foveal.assess.replay import Aspects, Spans, marked
from foveal.assess.schema import Role
from foveal.assess.workload import FinishedDocument, Workload, table
from foveal.choices import ExportSource, Merging, either
from foveal.errors import DataError, UsageError, counted, did_you_mean, some
from foveal.frozen import frozen
from foveal.judging import merged
from foveal.tables import Qrels
from foveal.tables import columns as c
from foveal.work import stage


@frozen
class Export:
    """Finished documents in order, and what a reader of them should know."""

    rows: list[FinishedDocument]
    notes: tuple[str, ...]
    source: str

    @property
    def qrels(self) -> Qrels:
        """The rows as judgements; not for those of each assessor."""
        return table(self.rows, self.source)

    @property
    def by_assessor(self) -> dict[str, Qrels]:
        """The rows of each assessor as judgements."""
        names = dict.fromkeys(row.by[0] for row in self.rows)
        return {
            name: table([row for row in self.rows if row.by[0] == name], self.source)
            for name in names
        }

    @property
    def aspects(self) -> int:
        """How many aspects the rows name, each once a topic."""
        return len({(row.topic, name) for row in self.rows for name, _ in row.aspects})

    @property
    def without_aspects(self) -> Export:
        """The same text, of which nothing has an aspect."""
        return replace(self, rows=[replace(row, aspects=()) for row in self.rows])

    @property
    def summary(self) -> str:
        """How much is exported."""
        documents = {(row.topic, row.doc) for row in self.rows}
        topics = counted(len({row.topic for row in self.rows}), "topic")
        told = f"{counted(len(documents), 'judged document')} of {topics}"
        several = len(documents) < len(self.rows)
        return f"{told}, {counted(len(self.rows), 'judgement')} in all" if several else told


@stage("exporting")
def exported(campaign: Campaign, whose: str = ExportSource.MAIN) -> Export:
    """The finished documents of a campaign, as somebody judged them or several together.

    `main`: the topic's main assessor, or the next one who finished the document. `adjudicated`: the
    adjudicator, or the assessors where only one finished or all highlighted the same text.
    `union`, `intersection`, `majority`: the assessors who finished the document, see
    `judging.merged`; the entry point is the first assessor's, or for `majority` the middle one.
    `each`: a row for each of them. Or the name of an assessor or adjudicator.
    """
    names = [person.name for person in campaign.people]
    if whose not in [*ExportSource, *names]:
        raise _unknown(whose, names)
    work = Workload.of(CurrentJudgements(campaign))
    rows, notes = _OF.get(whose, _of_person)(work, whose)
    if not rows:
        why = f": {'; '.join(notes)}" if notes else ""
        raise DataError(f"{campaign.path}: nothing to export from {whose} yet{why}")
    return Export(rows, notes, str(campaign.path))


def _unknown(whose: str, names: Sequence[str]) -> UsageError:
    hint = did_you_mean(whose, [*ExportSource, *names])
    taking_part = f"somebody who takes part ({some(names)})"
    return UsageError(f"--from must be {either([*ExportSource, taking_part])}, got {whose!r}{hint}")


def _of_main(work: Workload, _: str) -> tuple[list[FinishedDocument], tuple[str, ...]]:
    rows = [next(iter(answers.values())) for answers in work.assessed.values()]
    others = [
        row
        for row in rows
        if (main := work.mains.get(row.topic)) in work.asked[TopicDocument(row.topic, row.doc)]
        and row.by[0] != main
    ]
    several = sum(len(answers) > 1 for answers in work.assessed.values())
    notes = []
    if others:
        notes.append(
            f"{counted(len(others), 'document')} taken from another assessor, because the topic's main assessor"
            f" has not finished {_them(others)}"
        )
    if several:
        notes.append(
            f"{counted(several, 'document')} finished by several assessors: --from"
            f" {either([ExportSource.ADJUDICATED, *Merging])} takes all of them into account"
        )
    return rows, (*notes, *_unfinished(work))


def _of_adjudicators(work: Workload, _: str) -> tuple[list[FinishedDocument], tuple[str, ...]]:
    disputed = set(work.disputed)
    open_ones = [key for key in work.disputed if key not in work.adjudicated]
    found = {
        **{key: answers for key, answers in work.assessed.items() if key not in disputed},
        **work.adjudicated,
    }
    rows = [next(iter(found[key].values())) for key in work.asked if key in found]
    notes = []
    if open_ones:
        notes.append(
            f"{counted(len(open_ones), 'document')} left out: the assessors highlighted different text,"
            f" and nobody has adjudicated {_them(open_ones)}"
        )
    return rows, (*notes, *_unfinished(work))


def _of_several(work: Workload, how: str) -> tuple[list[FinishedDocument], tuple[str, ...]]:
    tables = {name: table(work.of_person(name), "campaign") for name in work.finishers}
    if not tables:
        return [], _unfinished(work)
    found = merged(tables, how)
    highlights: list[list[tuple[int, int]]] = [[] for _ in range(found.documents.height)]
    for row, start, end in found.passages.iter_rows():
        highlights[row].append((start, end))
    said = found.documents.select(c.TOPIC, c.DOC, c.ENTRY).iter_rows()
    by_document = {
        TopicDocument(topic, doc): (_joined(own), entry)
        for (topic, doc, entry), own in zip(said, highlights, strict=True)
    }
    aspects = _aspects(found)
    rows = []
    for key, answers in work.assessed.items():
        first = next(iter(answers.values()))
        spans, entry = by_document[key]
        named = aspects.get(key, ())
        rows.append(FinishedDocument(*key, first.length, spans, entry, tuple(answers), named))
    return rows, _unfinished(work)


def _aspects(qrels: Qrels) -> dict[TopicDocument, Aspects]:
    """The aspects of documents that have some, in the order in which they are named."""
    if qrels.judgements.aspects is None:
        return {}
    spans: dict[TopicDocument, dict[str, list[tuple[int, int]]]] = {}
    places = [TopicDocument(*names) for names in qrels.documents.select(c.TOPIC, c.DOC).iter_rows()]
    for row, name, start, end, _ in qrels.judgements.aspects.frame.iter_rows():
        spans.setdefault(places[row], {}).setdefault(name, []).append((start, end))
    return {
        place: tuple((name, _joined(own)) for name, own in by_name.items())
        for place, by_name in spans.items()
    }


def _joined(spans: Sequence[tuple[int, int]]) -> Spans:
    """Spans in order, those that touch as one: in a campaign, too, touching marks are one."""
    joined: Spans = ()
    for start, stop in spans:
        joined = marked(joined, start, stop)
    return joined


def _of_each(work: Workload, _: str) -> tuple[list[FinishedDocument], tuple[str, ...]]:
    rows = [row for name in work.finishers for row in work.of_person(name)]
    return rows, _unfinished(work)


def _of_person(work: Workload, name: str) -> tuple[list[FinishedDocument], tuple[str, ...]]:
    rows = work.of_person(name)
    done = {TopicDocument(row.topic, row.doc) for row in rows}
    given = [key for key, names in work.asked.items() if name in names]
    verb = "finished"
    if work.roles[name] is Role.ADJUDICATOR:
        given, verb = work.disputed, "adjudicated"
    left = sum(key not in done for key in given)
    return rows, (f"{counted(left, 'document')} left that {name} has not {verb}",) if left else ()


def _unfinished(work: Workload) -> tuple[str, ...]:
    left = sum(key not in work.assessed and key not in work.adjudicated for key in work.asked)
    return (f"{counted(left, 'document')} left that nobody has finished",) if left else ()


def _them(things: Sequence[object]) -> str:
    return "it" if len(things) == 1 else "them"


_OF: dict[str, Callable[[Workload, str], tuple[list[FinishedDocument], tuple[str, ...]]]] = {
    ExportSource.MAIN: _of_main,
    ExportSource.ADJUDICATED: _of_adjudicators,
    ExportSource.UNION: _of_several,
    ExportSource.INTERSECTION: _of_several,
    ExportSource.MAJORITY: _of_several,
    ExportSource.EACH: _of_each,
}
