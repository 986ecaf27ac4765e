"""From readings of one run or two to their explanation."""

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

# Stands between texts and in none of them.
BETWEEN = "\0"


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
    # Some texts may be missing: their documents are shown without text.
    every = None if docs is None else read_documents(docs)
    texts = None if every is None else SomeDocuments(every.texts, every.source)
    if texts is not None:
        runs = [texts.placed(own) for own in runs]
    evaluation = Evaluation.of(
        Qrels.coerced(qrels, texts),
        [] if measure is None else [measure],
        Choices.of(choices),
        overall,
        stated={own.source: own.origin.task for own in runs},
    )
    explaining = asked(evaluation, topic, doc)
    return gathered(explaining, [explaining(own) for own in runs], texts, titles or {})


def overall(task: Task) -> list[str]:
    """The measure that sorts topics if none is named."""
    return [overall_measure(task)]


def asked(evaluation: Evaluation, topic: str | None, doc: str | None) -> ExplainTask:
    """What explains runs; one measure at most sorts topics."""
    if len(evaluation.measures) > 1:
        raise UsageError("topics are sorted by one measure: give one -m, or none")
    if doc is not None and topic is None:
        raise UsageError("a document is judged for a topic: give --topic as well as --doc")
    return ExplainTask(evaluation, topic, doc)


def gathered(
    explaining: ExplainTask,
    readings: Sequence[RunExplanation],
    texts: Documents | None,
    titles: Mapping[str, str],
) -> Explanation:
    """The explanation of one run, or of one against another."""
    scores = explaining.narrowed.scores([reading.scores for reading in readings])
    names, topic = scores.runs, explaining.topic
    documents = _named(names, [reading.documents for reading in readings])
    results = _named(names, _moved(readings))
    shown, cut, notes = documents, pl.DataFrame(), [*scores.notes, *_dropped(readings)]
    own_texts: dict[str, str] = {}
    passages = [reading.passages for reading in readings]
    if topic is not None:
        shown = _asked_for(documents, explaining)
        own_texts = _texts(shown, texts)
        cut = segments(
            topic, _lengths(shown, own_texts), passages[0], [reading.pieces for reading in readings]
        )
        every = own_texts if explaining.doc is None else _texts(documents, texts)
        passages = [_with_copies(reading, every) for reading in readings]
        notes += [*_missing(shown, own_texts, texts), *_mismatched(shown, cut, own_texts)]
        results = results.filter(pl.col(c.DOC).is_in(shown[c.DOC].implode()))
    return Explanation(
        run=names[0],
        against=names[1] if len(names) > 1 else None,
        measure=scores.measures[0],
        topic=topic,
        doc=explaining.doc,
        topics=_named(names, [reading.topics for reading in readings]),
        passages=_named(names, passages),
        documents=shown,
        results=results,
        segments=cut,
        parameters={name: explaining.parameters[name] for name in explaining.shown_scores},
        differences=_differences(readings),
        rises=scores.measure_names.rises(scores.measures[0]),
        titles=titles,
        texts=own_texts,
        settings={**scores.settings, **explaining.settings},
        notes=tuple(notes),
        plain=scores.measure_names.plain,
    )


def _named(names: Sequence[str], frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The rows of the runs under one another, with the name of the run in front."""
    return pl.concat(
        own.select(pl.lit(name).alias(c.RUN), pl.all())
        for name, own in zip(names, frames, strict=True)
    )


def _moved(readings: Sequence[RunExplanation]) -> list[pl.DataFrame]:
    """The results; with two runs, each with the rank at which the other returns text of it."""
    if len(readings) == 1:
        return [readings[0].results]
    one, two = (reading.results for reading in readings)
    return [
        own.with_columns(moves(own, other).alias(c.AGAINST_RANK))
        for own, other in ((one, two), (two, one))
    ]


def _dropped(readings: Sequence[RunExplanation]) -> list[str]:
    return [
        f"run {reading.scores.name!r}: {counted(reading.dropped, 'result')} left out, which"
        f" {'overlaps an earlier one' if reading.dropped == 1 else 'overlap earlier ones'}"
        for reading in readings
        if reading.dropped
    ]


def _differences(readings: Sequence[RunExplanation]) -> pl.DataFrame:
    """Topics that two runs were both scored on, those that differ most first."""
    if len(readings) == 1:
        return pl.DataFrame()
    one, two = (reading.topics.select(c.TOPIC, c.VALUE, c.FOUND) for reading in readings)
    both = one.join(two.rename({c.VALUE: c.AGAINST, c.FOUND: c.AGAINST_FOUND}), on=c.TOPIC)
    difference = (pl.col(c.VALUE) - pl.col(c.AGAINST)).alias(c.DIFFERENCE)
    shown = both.select(c.TOPIC, c.VALUE, c.AGAINST, difference, c.FOUND, c.AGAINST_FOUND)
    return shown.sort(pl.col(c.DIFFERENCE).abs(), descending=True, maintain_order=True)


def _asked_for(documents: pl.DataFrame, explaining: ExplainTask) -> pl.DataFrame:
    """The rows of the one document that was asked for, or all."""
    doc = explaining.doc
    if doc is None:
        return documents
    own = documents.filter(pl.col(c.DOC) == doc)
    if own.height:
        return own
    known = documents[c.DOC].unique(maintain_order=True).to_list()
    raise UsageError(
        f"document {doc!r} is neither returned nor judged for topic {explaining.topic!r}"
        f"{did_you_mean(doc, known, repr)}"
    )


def _texts(documents: pl.DataFrame, texts: Documents | None) -> dict[str, str]:
    """The texts of the documents that have one, by the names that the runs use."""
    if texts is None:
        return {}
    return {name: texts[own] for name, own in texts.ids_by_name(documents[c.DOC]).items()}


def _lengths(documents: pl.DataFrame, texts: Mapping[str, str]) -> pl.DataFrame:
    """Each document once, with its length if it is stated or its text is known."""
    every = documents.group_by(c.DOC, maintain_order=True).agg(pl.col(c.LENGTH).max())
    sizes = {name: len(text) for name, text in texts.items()}
    told = pl.Series([sizes.get(name) for name in every[c.DOC]], dtype=pl.Int64)
    return every.with_columns(pl.col(c.LENGTH).fill_null(told))


def _missing(
    documents: pl.DataFrame, known: Mapping[str, str], texts: Documents | None
) -> list[str]:
    """Which documents are shown without text although texts were given."""
    names = documents[c.DOC].unique(maintain_order=True)
    missing = [name for name in names if name not in known]
    if texts is None or not missing:
        return []
    name = repr(short(missing[0]))
    first = f"first {name}" if len(missing) > 1 else name
    are = "is" if len(missing) == 1 else "are"
    return [
        f"{counted(len(missing), 'document')} {are} not among the texts of {texts.source}, {first}:"
        " shown without text"
    ]


def _mismatched(documents: pl.DataFrame, cut: pl.DataFrame, texts: Mapping[str, str]) -> list[str]:
    """Which texts do not have the length that offsets count on."""
    ends = dict(cut.group_by(c.DOC, maintain_order=True).agg(pl.col(c.END).max()).iter_rows())
    stated = dict(documents.drop_nulls(c.LENGTH).select(c.DOC, c.LENGTH).iter_rows())
    expected = {name: max(end, stated.get(name, 0)) for name, end in ends.items()}
    wrong = [name for name in expected if name in texts and len(texts[name]) != expected[name]]
    if not wrong:
        return []
    first = wrong[0]
    are, name = ("is", "") if len(wrong) == 1 else ("are", "first ")
    return [
        f"{counted(len(wrong), 'text')} {are} not as long as the judgements and the runs say,"
        f" {name}{short(first)!r}: {len(texts[first]):,} characters, not {expected[first]:,}; the text"
        " shown may not be what the offsets mean"
    ]


def _with_copies(reading: RunExplanation, texts: Mapping[str, str]) -> pl.DataFrame:
    """The passages; one that was missed may have been returned as the same text elsewhere."""
    passages = reading.passages
    parts = reading.results.drop_nulls(c.START).filter(pl.col(c.DOC).is_in(list(texts)))
    returned = [
        texts[doc][start:end] for doc, start, end in parts.select(c.DOC, c.START, c.END).iter_rows()
    ]
    # All parts as one text, which is searched many times faster than part after part.
    every = BETWEEN.join(returned)
    ends = np.cumsum([len(text) + len(BETWEEN) for text in returned])
    lost = (PassageOutcome.WRONG_PLACE.value, PassageOutcome.WRONG_DOCUMENT.value)
    ranks, outcomes = passages[c.RANK].to_list(), passages[c.OUTCOME].to_list()
    for row, (doc, start, end) in enumerate(passages.select(c.DOC, c.START, c.END).iter_rows()):
        text = texts.get(doc, "")[start:end].strip() if outcomes[row] in lost else ""
        place = every.find(text) if text and BETWEEN not in text else -1
        if place >= 0:
            ranks[row] = parts[c.RANK][int(np.searchsorted(ends, place, side="right"))]
            outcomes[row] = PassageOutcome.COPY.value
    return passages.with_columns(
        pl.Series(c.RANK, ranks, dtype=pl.Int64), pl.Series(c.OUTCOME, outcomes, dtype=pl.String)
    )
