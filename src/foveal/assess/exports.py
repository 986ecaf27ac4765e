"""Export of judgements from a campaign, with notes on unfinished documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from foveal.assess.campaign import Campaign
from foveal.assess.current_judgements import CurrentJudgements, TopicDocument
from foveal.assess.replay import Aspects, Spans, with_span
from foveal.assess.schema import Role
from foveal.assess.workload import FinishedDocument, Workload, qrels_of
from foveal.choices import ExportSource, Merging, either
from foveal.errors import DataError, UsageError, counted, did_you_mean, shortened_list
from foveal.frozen import frozen
from foveal.judging import merged
from foveal.tables import Qrels
from foveal.tables import columns as c
from foveal.work import stage


@frozen
class Export:
    """Finished documents in order, with notes."""

    rows: list[FinishedDocument]
    notes: tuple[str, ...]
    source: str

    @property
    def qrels(self) -> Qrels:
        """The rows as one table of judgements; not for rows of several assessors on one document."""
        return qrels_of(self.rows, self.source)

    @property
    def by_assessor(self) -> dict[str, Qrels]:
        """A table of judgements for each assessor."""
        names = dict.fromkeys(row.by[0] for row in self.rows)
        return {
            name: qrels_of([row for row in self.rows if row.by[0] == name], self.source)
            for name in names
        }

    @property
    def aspects(self) -> int:
        """Number of distinct aspects, counted per topic."""
        return len({(row.topic, name) for row in self.rows for name, _ in row.aspects})

    @property
    def without_aspects(self) -> Export:
        """The export without aspects."""
        return replace(self, rows=[replace(row, aspects=()) for row in self.rows])

    @property
    def summary(self) -> str:
        """The numbers of exported documents, topics and judgements."""
        documents = {(row.topic, row.doc) for row in self.rows}
        topics = counted(len({row.topic for row in self.rows}), "topic")
        summary = f"{counted(len(documents), 'judged document')} of {topics}"
        several = len(documents) < len(self.rows)
        return f"{summary}, {counted(len(self.rows), 'judgement')} in all" if several else summary


@stage("exporting")
def exported(campaign: Campaign, whose: str = ExportSource.MAIN) -> Export:
    """The finished documents of a campaign, as judged by one person or by several together.

    `main`: the topic's main assessor, or the next one who finished the document. `adjudicated`: the
    adjudicator, or the assessors where only one finished or all highlighted the same text.
    `union`, `intersection`, `majority`: the assessors who finished the document, see
    `judging.merged`; the entry point is the first assessor's, or for `majority` the middle one.
    `each`: a row for each of them. Otherwise the name of a person.
    """
    names = [person.name for person in campaign.people]
    if whose not in [*ExportSource, *names]:
        raise _unknown(whose, names)
    workload = Workload.of(CurrentJudgements(campaign))
    rows, notes = _ROWS_OF.get(whose, _person_rows)(workload, whose)
    if not rows:
        reason = f": {'; '.join(notes)}" if notes else ""
        raise DataError(f"{campaign.path}: nothing to export from {whose} yet{reason}")
    return Export(rows, notes, str(campaign.path))


def _unknown(whose: str, names: Sequence[str]) -> UsageError:
    hint = did_you_mean(whose, [*ExportSource, *names])
    person = f"somebody who takes part ({shortened_list(names)})"
    return UsageError(f"--from must be {either([*ExportSource, person])}, got {whose!r}{hint}")


def _main_rows(workload: Workload, _: str) -> tuple[list[FinishedDocument], tuple[str, ...]]:
    rows = [next(iter(by_name.values())) for by_name in workload.assessed.values()]
    replacements = [
        row
        for row in rows
        if (main := workload.main_assessors.get(row.topic))
        in workload.offered[TopicDocument(row.topic, row.doc)]
        and row.by[0] != main
    ]
    repeated = sum(len(by_name) > 1 for by_name in workload.assessed.values())
    notes = []
    if replacements:
        notes.append(
            f"{counted(len(replacements), 'document')} taken from another assessor, because the topic's main assessor"
            f" has not finished {_pronoun(replacements)}"
        )
    if repeated:
        notes.append(
            f"{counted(repeated, 'document')} finished by several assessors: --from"
            f" {either([ExportSource.ADJUDICATED, *Merging])} takes all of them into account"
        )
    return rows, (*notes, *_unfinished(workload))


def _adjudicated_rows(workload: Workload, _: str) -> tuple[list[FinishedDocument], tuple[str, ...]]:
    disputed = set(workload.disputed)
    unresolved = [key for key in workload.disputed if key not in workload.adjudicated]
    finished = {
        **{key: by_name for key, by_name in workload.assessed.items() if key not in disputed},
        **workload.adjudicated,
    }
    rows = [next(iter(finished[key].values())) for key in workload.offered if key in finished]
    notes = []
    if unresolved:
        notes.append(
            f"{counted(len(unresolved), 'document')} left out: the assessors highlighted different text,"
            f" and nobody has adjudicated {_pronoun(unresolved)}"
        )
    return rows, (*notes, *_unfinished(workload))


def _merged_rows(workload: Workload, rule: str) -> tuple[list[FinishedDocument], tuple[str, ...]]:
    tables = {name: qrels_of(workload.of_person(name), "campaign") for name in workload.finishers}
    if not tables:
        return [], _unfinished(workload)
    qrels = merged(tables, rule)
    highlights: list[list[tuple[int, int]]] = [[] for _ in range(qrels.documents.height)]
    for row, start, end in qrels.passages.iter_rows():
        highlights[row].append((start, end))
    documents = qrels.documents.select(c.TOPIC, c.DOC, c.ENTRY).iter_rows()
    by_document = {
        TopicDocument(topic, doc): (_touching_merged(spans), entry)
        for (topic, doc, entry), spans in zip(documents, highlights, strict=True)
    }
    aspects = _aspects(qrels)
    rows = []
    for key, by_name in workload.assessed.items():
        first = next(iter(by_name.values()))
        spans, entry = by_document[key]
        tags = aspects.get(key, ())
        rows.append(FinishedDocument(*key, first.length, spans, entry, tuple(by_name), tags))
    return rows, _unfinished(workload)


def _aspects(qrels: Qrels) -> dict[TopicDocument, Aspects]:
    """Aspects by document, in the order of their names in the table."""
    if qrels.judgements.aspects is None:
        return {}
    spans: dict[TopicDocument, dict[str, list[tuple[int, int]]]] = {}
    keys = [TopicDocument(*names) for names in qrels.documents.select(c.TOPIC, c.DOC).iter_rows()]
    for row, name, start, end, _ in qrels.judgements.aspects.frame.iter_rows():
        spans.setdefault(keys[row], {}).setdefault(name, []).append((start, end))
    return {
        key: tuple((name, _touching_merged(aspect_spans)) for name, aspect_spans in by_name.items())
        for key, by_name in spans.items()
    }


def _touching_merged(spans: Sequence[tuple[int, int]]) -> Spans:
    """Merge spans that touch, as marks in a campaign are; spans are in order."""
    merged_spans: Spans = ()
    for start, stop in spans:
        merged_spans = with_span(merged_spans, start, stop)
    return merged_spans


def _all_rows(workload: Workload, _: str) -> tuple[list[FinishedDocument], tuple[str, ...]]:
    rows = [row for name in workload.finishers for row in workload.of_person(name)]
    return rows, _unfinished(workload)


def _person_rows(workload: Workload, name: str) -> tuple[list[FinishedDocument], tuple[str, ...]]:
    rows = workload.of_person(name)
    done = {TopicDocument(row.topic, row.doc) for row in rows}
    keys = [key for key, names in workload.offered.items() if name in names]
    verb = "finished"
    if workload.roles[name] is Role.ADJUDICATOR:
        keys, verb = workload.disputed, "adjudicated"
    remaining = sum(key not in done for key in keys)
    note = f"{counted(remaining, 'document')} left that {name} has not {verb}"
    return rows, (note,) if remaining else ()


def _unfinished(workload: Workload) -> tuple[str, ...]:
    remaining = sum(
        key not in workload.assessed and key not in workload.adjudicated for key in workload.offered
    )
    verb = "is" if remaining == 1 else "are"
    return (f"{counted(remaining, 'document')} {verb} not finished by anyone",) if remaining else ()


def _pronoun(things: Sequence[object]) -> str:
    return "it" if len(things) == 1 else "them"


_ROWS_OF: dict[str, Callable[[Workload, str], tuple[list[FinishedDocument], tuple[str, ...]]]] = {
    ExportSource.MAIN: _main_rows,
    ExportSource.ADJUDICATED: _adjudicated_rows,
    **dict.fromkeys(Merging, _merged_rows),
    ExportSource.EACH: _all_rows,
}
