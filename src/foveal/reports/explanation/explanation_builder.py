"""Build the explanation of one run or two from the explained parts of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

import numpy as np

from foveal.choices import Task
from foveal.conventions import Choices, ChoiceWords
from foveal.errors import UsageError, counted, did_you_mean
from foveal.evaluation import (
    Evaluation,
    ExplainTask,
    PassageOutcome,
    RunExplanation,
    moves,
    segments,
)
from foveal.intake import Documents, DocumentsLike, SomeDocuments, read_documents
from foveal.late import pl
from foveal.measures import overall_measure
from foveal.reports.explanation.explanation import Explanation
from foveal.reports.explanation.sentences import short
from foveal.tables import Qrels, QrelsLike, Run, RunLike
from foveal.tables import columns as c

# Separates the texts of parts; no passage with this character is searched in them.
SEPARATOR = "\0"


def explain(
    qrels: QrelsLike,
    run: RunLike,
    *,
    topic: str | None = None,
    doc: str | None = None,
    docs: DocumentsLike | None = None,
    against: RunLike | None = None,
    measure: str | None = None,
    titles: Mapping[str, str] | None = None,
    **choices: Unpack[ChoiceWords],
) -> Explanation:
    """Show what a run found, missed and wasted, character by character.

    Without a topic, all topics are listed, the worst first by a measure (the task's overall one by
    default). With a topic, all its documents are shown, or just `doc`; `docs` are the texts, as
    `foveal.read_documents` takes them. `against` is a run to compare with. Choices are those of
    `foveal.evaluate`.

    >>> import foveal
    >>> qrels = foveal.Qrels.from_dicts(
    ...     [{"topic": "1", "doc": "a", "length": 19, "highlights": [[0, 9]]}]
    ... )
    >>> run = foveal.Run.from_dicts([{"topic": "1", "doc": "a", "start": 4, "end": 14}])
    >>> found = foveal.explain(qrels, run, topic="1", docs={"a": "One fish. Two fish."})
    >>> found.segments.select("start", "end", "kind", "rank").rows()
    [(0, 4, 'missed', None), (4, 9, 'found', 1), (9, 14, 'wasted', 1), (14, 19, 'other', None)]
    """
    runs = [Run.coerced(run), *([Run.coerced(against)] if against is not None else [])]
    # Texts may be missing: their documents are shown without text.
    all_texts = None if docs is None else read_documents(docs)
    texts = None if all_texts is None else SomeDocuments(all_texts.texts, all_texts.source)
    if texts is not None:
        runs = [texts.placed(r) for r in runs]
    evaluation = Evaluation.of(
        Qrels.coerced(qrels, texts),
        [] if measure is None else [measure],
        Choices.of(choices),
        defaults,
        stated_tasks={r.source: r.origin.task for r in runs},
    )
    task = explain_task(evaluation, topic, doc)
    return combined(task, [task(r) for r in runs], texts, titles or {})


def defaults(task: Task) -> list[str]:
    """Default measures: the one that sorts topics."""
    return [overall_measure(task)]


def explain_task(evaluation: Evaluation, topic: str | None, doc: str | None) -> ExplainTask:
    """The task that explains a run; at most one measure sorts the topics."""
    if len(evaluation.measures) > 1:
        raise UsageError("topics are sorted by one measure: give one -m, or none")
    if doc is not None and topic is None:
        raise UsageError("a document is judged for a topic: give --topic as well as --doc")
    return ExplainTask(evaluation, topic, doc)


def combined(
    task: ExplainTask,
    runs: Sequence[RunExplanation],
    texts: Documents | None,
    titles: Mapping[str, str],
) -> Explanation:
    """The explanation of one run, or of one against another."""
    scores = task.narrowed.scores([run.scores for run in runs])
    names, topic = scores.runs, task.topic
    documents = _with_run_names(names, [run.documents for run in runs])
    results = _with_run_names(names, _results_with_moves(runs))
    visible, text_segments = documents, pl.DataFrame()
    notes = [*scores.notes, *_dropped_notes(runs)]
    visible_texts: dict[str, str] = {}
    passages = [run.passages for run in runs]
    if topic is not None:
        visible = _requested_documents(documents, task)
        visible_texts = _texts(visible, texts)
        lengths, pieces = _lengths(visible, visible_texts), [run.pieces for run in runs]
        text_segments = segments(topic, lengths, passages[0], pieces)
        all_texts = visible_texts if task.doc is None else _texts(documents, texts)
        passages = [_with_copies(run, all_texts) for run in runs]
        notes += _missing_text_notes(visible, visible_texts, texts)
        notes += _mismatch_notes(visible, text_segments, visible_texts)
        results = results.filter(pl.col(c.DOC).is_in(visible[c.DOC].implode()))
    return Explanation(
        run=names[0],
        against=names[1] if len(names) > 1 else None,
        measure=scores.measures[0],
        topic=topic,
        doc=task.doc,
        topics=_with_run_names(names, [run.topics for run in runs]),
        passages=_with_run_names(names, passages),
        documents=visible,
        results=results,
        segments=text_segments,
        parameters={name: task.parameters[name] for name in task.shown_scores},
        differences=_differences(runs),
        rises=scores.measure_names.rises(scores.measures[0]),
        titles=titles,
        texts=visible_texts,
        settings={**scores.settings, **task.settings},
        notes=tuple(notes),
        plain=scores.measure_names.plain,
    )


def _with_run_names(names: Sequence[str], frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The rows of all runs, with a column for the name of the run."""
    return pl.concat(
        frame.select(pl.lit(name).alias(c.RUN), pl.all())
        for name, frame in zip(names, frames, strict=True)
    )


def _results_with_moves(runs: Sequence[RunExplanation]) -> list[pl.DataFrame]:
    """The results; with two runs, with the rank at which the other run returns text of a result."""
    if len(runs) == 1:
        return [runs[0].results]
    first, second = (run.results for run in runs)
    return [
        results.with_columns(moves(results, other_results).alias(c.AGAINST_RANK))
        for results, other_results in ((first, second), (second, first))
    ]


def _dropped_notes(runs: Sequence[RunExplanation]) -> list[str]:
    return [
        f"run {run.scores.name!r}: {counted(run.dropped, 'result')} left out, which"
        f" {'overlaps an earlier one' if run.dropped == 1 else 'overlap earlier ones'}"
        for run in runs
        if run.dropped
    ]


def _differences(runs: Sequence[RunExplanation]) -> pl.DataFrame:
    """Topics on which both runs were scored, the largest differences first."""
    if len(runs) == 1:
        return pl.DataFrame()
    first, second = (run.topics.select(c.TOPIC, c.VALUE, c.FOUND) for run in runs)
    topics = first.join(second.rename({c.VALUE: c.AGAINST, c.FOUND: c.AGAINST_FOUND}), on=c.TOPIC)
    difference = (pl.col(c.VALUE) - pl.col(c.AGAINST)).alias(c.DIFFERENCE)
    differences = topics.select(c.TOPIC, c.VALUE, c.AGAINST, difference, c.FOUND, c.AGAINST_FOUND)
    return differences.sort(pl.col(c.DIFFERENCE).abs(), descending=True, maintain_order=True)


def _requested_documents(documents: pl.DataFrame, task: ExplainTask) -> pl.DataFrame:
    """The rows of the requested document, or all rows."""
    doc = task.doc
    if doc is None:
        return documents
    rows = documents.filter(pl.col(c.DOC) == doc)
    if rows.height:
        return rows
    names = documents[c.DOC].unique(maintain_order=True).to_list()
    raise UsageError(
        f"document {doc!r} is neither returned nor judged for topic {task.topic!r}"
        f"{did_you_mean(doc, names, repr)}"
    )


def _texts(documents: pl.DataFrame, texts: Documents | None) -> dict[str, str]:
    """The known texts of documents, by their names in the runs."""
    if texts is None:
        return {}
    return {name: texts[own_name] for name, own_name in texts.ids_by_name(documents[c.DOC]).items()}


def _lengths(documents: pl.DataFrame, texts: Mapping[str, str]) -> pl.DataFrame:
    """Each document once, with its length, if that is stated or its text is known."""
    lengths = documents.group_by(c.DOC, maintain_order=True).agg(pl.col(c.LENGTH).max())
    sizes = {name: len(text) for name, text in texts.items()}
    text_lengths = pl.Series([sizes.get(name) for name in lengths[c.DOC]], dtype=pl.Int64)
    return lengths.with_columns(pl.col(c.LENGTH).fill_null(text_lengths))


def _missing_text_notes(
    documents: pl.DataFrame, visible_texts: Mapping[str, str], texts: Documents | None
) -> list[str]:
    """Note: documents that are shown without text although texts were given."""
    names = documents[c.DOC].unique(maintain_order=True)
    missing = [name for name in names if name not in visible_texts]
    if texts is None or not missing:
        return []
    name = repr(short(missing[0]))
    first = f"first {name}" if len(missing) > 1 else name
    verb = "is" if len(missing) == 1 else "are"
    return [
        f"{counted(len(missing), 'document')} {verb} not among the texts of {texts.source}, {first}:"
        " shown without text"
    ]


def _mismatch_notes(
    documents: pl.DataFrame, segments: pl.DataFrame, texts: Mapping[str, str]
) -> list[str]:
    """Note: texts whose length differs from that of the judgements and runs."""
    ends = dict(segments.group_by(c.DOC, maintain_order=True).agg(pl.col(c.END).max()).iter_rows())
    stated_lengths = dict(documents.drop_nulls(c.LENGTH).select(c.DOC, c.LENGTH).iter_rows())
    expected = {name: max(end, stated_lengths.get(name, 0)) for name, end in ends.items()}
    mismatched = [name for name in expected if name in texts and len(texts[name]) != expected[name]]
    if not mismatched:
        return []
    first = mismatched[0]
    verb, name = ("is", "") if len(mismatched) == 1 else ("are", "first ")
    return [
        f"{counted(len(mismatched), 'text')} {verb} not as long as the judgements and the runs say,"
        f" {name}{short(first)!r}: {len(texts[first]):,} characters, not {expected[first]:,}; the text"
        " shown may not be what the offsets mean"
    ]


def _with_copies(run: RunExplanation, texts: Mapping[str, str]) -> pl.DataFrame:
    """The passages; a missed one may have been returned as a copy of its text elsewhere."""
    passages = run.passages
    parts = run.results.drop_nulls(c.START).filter(pl.col(c.DOC).is_in(list(texts)))
    part_texts = [
        texts[doc][start:end] for doc, start, end in parts.select(c.DOC, c.START, c.END).iter_rows()
    ]
    # Searching one joined text is many times faster than searching part after part.
    joined_text = SEPARATOR.join(part_texts)
    ends = np.cumsum([len(text) + len(SEPARATOR) for text in part_texts])
    missed_outcomes = (PassageOutcome.WRONG_PLACE.value, PassageOutcome.WRONG_DOCUMENT.value)
    ranks, outcomes = passages[c.RANK].to_list(), passages[c.OUTCOME].to_list()
    for row, (doc, start, end) in enumerate(passages.select(c.DOC, c.START, c.END).iter_rows()):
        text = texts.get(doc, "")[start:end].strip() if outcomes[row] in missed_outcomes else ""
        offset = joined_text.find(text) if text and SEPARATOR not in text else -1
        if offset >= 0:
            ranks[row] = parts[c.RANK][int(np.searchsorted(ends, offset, side="right"))]
            outcomes[row] = PassageOutcome.COPY.value
    return passages.with_columns(
        pl.Series(c.RANK, ranks, dtype=pl.Int64), pl.Series(c.OUTCOME, outcomes, dtype=pl.String)
    )
