"""From judgements and runs to scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from foveal.alignment import AlignedRun, Alignment, Judged, align, align_samples, align_unread
from foveal.choices import Task
from foveal.conventions import Choices, ChoiceWords, Conventions
from foveal.errors import DataError, FovealError, NoHighlights, UsageError, counted
from foveal.measures._grammar import Measure, parse_all
from foveal.measures._tasks import task_measures
from foveal.spans import Bools, Floats
from foveal.tables import Qrels, Run, RunValues, Scores, UnreadRun, columns

SHOWN_TOPICS = 5
# Judged documents, counted once for every sample, that are held at a time.
SAMPLED_ROWS = 1_000_000


@dataclass(frozen=True, eq=False)
class RunScores:
    """One run's values: a row per measure, a column per evaluated topic."""

    name: str
    stem: str
    source: str
    format: str
    order: str
    topics: list[str]
    values: Floats
    overall: list[float]
    tied_topics: int
    nearly_tied_topics: int
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Everything but the run: judgements made ready, measures parsed, conventions decided.

    Prepared once, then given one run after the other; it can be sent to other processes.
    """

    judged: Judged
    measures: list[Measure]
    conventions: Conventions
    qrels_format: str
    notes: tuple[str, ...]
    documents_only: bool
    """Nobody asked for documents, but the judgements speak of nothing else: parts are refused."""

    @classmethod
    def of(
        cls,
        qrels: Qrels,
        measures: Sequence[str],
        choices: Choices,
        otherwise: Callable[[Task], Sequence[str]] | None = None,
    ) -> Evaluation:
        """Prepare the judgements; names that are no measures fail here, before any run is read.

        Without a task, the judgements tell it. Without measures, those that `otherwise` names for
        the task are taken, or else the task's own.
        """
        task = choices.task or (Task.FOCUSED if qrels.has_highlights else Task.DOCUMENT)
        decided = choices.decided(task)
        taken = measures or (otherwise(task) if otherwise else task_measures(task, decided.like))
        parsed = parse_all(taken, decided)
        judged = Judged.of(qrels, decided)
        if not judged.eligible.any():
            raise DataError(f"{qrels.source}: no topic has anything relevant")
        notes = [f"{qrels.source}: {note}" for note in qrels.notes]
        left_out = [
            t for t, counts in zip(judged.topics, judged.eligible, strict=True) if not counts
        ]
        if left_out:
            notes.append(f"topics with nothing relevant are left out: {_some(left_out)}")
        relevant = judged.topic[judged.grade >= decided.rel]
        below = judged.eligible & (np.bincount(relevant, minlength=len(judged.topics)) == 0)
        if below.any() and not decided.irrelevant_topics_count:
            names = [judged.topics[place] for place in np.flatnonzero(below)]
            notes.append(
                f"topics without a grade of {decided.rel:g} or more, where classical measures find"
                f" nothing relevant: {_some(names)}"
            )
        unasked = choices.task is None and not measures and not qrels.has_highlights
        return cls(judged, parsed, decided, qrels.format, tuple(notes), unasked)

    def aligned(self, run: Run | UnreadRun) -> AlignedRun:
        """A run laid over the judgements."""
        if isinstance(run, UnreadRun):
            return self._with_topics(align_unread(run, self.judged, self.conventions))
        if self.documents_only and not run.whole_documents_only:
            error = NoHighlights(" or ask for documents (--task document)")
            error.add_note(f"run {run.name!r} returns parts of documents ({run.source})")
            raise error
        return self._with_topics(align(run, self.judged, self.conventions))

    def _with_topics(self, alignment: AlignedRun) -> AlignedRun:
        if not len(alignment.topics):
            source = alignment.run.source
            raise DataError(f"{source}: none of its topics is judged with anything relevant")
        return alignment

    def score(self, run: Run | UnreadRun) -> RunScores:
        """One run's scores."""
        return self.scored(self.aligned(run))

    def scored(self, alignment: AlignedRun) -> RunScores:
        """The scores of a run that is laid over the judgements."""
        run = alignment.run
        values = np.vstack([_values(measure, alignment) for measure in self.measures])
        listed = alignment.listed_topics
        return RunScores(
            name=run.name,
            stem=run.stem or run.name,
            source=run.source,
            format=run.format,
            order=(self.conventions.order or run.order).value,
            topics=[self.judged.topics[number] for number in alignment.topics[listed]],
            values=values[:, listed],
            overall=[
                measure.record.average(alignment, row)
                for measure, row in zip(self.measures, values, strict=True)
            ],
            tied_topics=alignment.tied_topics,
            nearly_tied_topics=alignment.nearly_tied_topics,
            notes=tuple(_run_notes(run, alignment)),
        )

    def samples(self, kept: Bools) -> Iterator[Judged]:
        """Samples of the judgements, some at a time; a row of `kept` each, a column per passage."""
        step = max(1, SAMPLED_ROWS // max(len(self.judged.topic), 1))
        for start in range(0, len(kept), step):
            yield self.judged.sampled(kept[start : start + step])

    def sample_scores(
        self, alignment: AlignedRun, kept: Bools, samples: Iterable[Judged]
    ) -> tuple[Floats, Bools]:
        """One run's values under samples of the judgements: measures × samples × topics.

        Also which topics have anything relevant left, samples × topics. No text is laid again.
        """
        topics, values, eligible, start = len(alignment.topics), [], [], 0
        for judged in samples:
            aligned = align_samples(alignment, judged, kept[start : start + judged.samples])
            found = np.vstack([_values(measure, aligned) for measure in self.measures])
            values.append(found.reshape(len(self.measures), judged.samples, topics))
            eligible.append(judged.eligible[aligned.topics].reshape(judged.samples, topics))
            start += judged.samples
        return np.concatenate(values, axis=1), np.concatenate(eligible)

    def scores(self, runs: Sequence[RunScores]) -> Scores:
        """The table of several runs' scores."""
        names = _distinct_names(runs)
        values = [
            RunValues(name, run.topics, run.values, run.overall)
            for name, run in zip(names, runs, strict=True)
        ]
        settings = {
            **self.conventions.settings(),
            "order": _each(run.order for run in runs),
            "ties found": counted(tied, "topic")
            if (tied := sum(run.tied_topics for run in runs))
            else "none",
            "formats": f"{self.qrels_format}, {_each(run.format for run in runs)}",
        }
        nearly_tied = sum(run.nearly_tied_topics for run in runs)
        if nearly_tied:
            settings["ties in single precision only"] = counted(nearly_tied, "topic")
        notes = self.notes + tuple(note for run in runs for note in run.notes)
        sizes = sorted({len(run.topics) for run in runs})
        if any(run.topics != runs[0].topics for run in runs):
            notes += (f"the runs are scored on different topics ({sizes[0]} to {sizes[-1]})",)
        return Scores(
            measures=[measure.name for measure in self.measures],
            values=values,
            settings=settings,
            notes=notes,
            sources=tuple(run.source for run in runs),
        )


def evaluate(qrels: Any, runs: Any, measures: Any = (), **choices: Unpack[ChoiceWords]) -> Scores:
    """Score runs against judgements.

    Judgements and runs are tables of foveal, frames (Polars, pandas, pyarrow), lists of dicts or
    {topic: {document: number}}; runs may be one or a list. Measures are names or anything that
    writes itself as one, such as the objects of ir_measures, one or several; without any the
    task's own are taken. Choices are words: `task`, `like`, `topics`, `overlap`, `order` and
    `ties` as on the command line; `rel` is the lowest grade that counts as relevant; `depth` and
    `judged_only` limit what the classical measures look at.
    """
    tables = coerced_runs(runs)
    evaluation = Evaluation.of(Qrels.coerced(qrels), named(measures), Choices.of(choices))
    return evaluation.scores([evaluation.score(run) for run in tables])


def coerced_runs(runs: Any) -> list[Run]:
    """The tables of one run or several, in any form."""
    tables = [Run.coerced(run, f"run{n}") for n, run in enumerate(_listed(runs), start=1)]
    if not tables:
        raise UsageError("no run to evaluate")
    return tables


def named(measures: Any) -> list[str]:
    """The names of one measure or of several."""
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        return [str(measures)]
    return [str(measure) for measure in measures]


def _listed(runs: Any) -> list[Any]:
    """A list of runs, whether one was given or several."""
    if isinstance(runs, list | tuple) and not all(_is_result(item) for item in runs):
        return list(runs)
    return [] if runs is None or (isinstance(runs, list | tuple) and not runs) else [runs]


def _is_result(item: Any) -> bool:
    return isinstance(item, dict) and columns.DOC in item


def _values(measure: Measure, alignment: Alignment) -> Floats:
    try:
        values = measure.record.kernel(alignment, **dict(measure.arguments))
    except FovealError as error:
        error.add_note(f"asked for by {measure.name} on run {alignment.run.name!r}")
        raise
    return np.where(np.isnan(values), measure.record.undefined, values)


def _run_notes(run: Run, alignment: AlignedRun) -> Iterable[str]:
    yield from (f"{run.source}: {note}" for note in run.notes)
    if alignment.unjudged_topics:
        yield f"{run.source}: {alignment.unjudged_topics} topics nobody judged are ignored"
    if len(alignment.missing_topics):
        names = [alignment.judged.topics[alignment.topics[i]] for i in alignment.missing_topics]
        yield f"{run.source}: judged topics without results count as empty lists: {_some(names)}"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:SHOWN_TOPICS])
    more = len(names) - SHOWN_TOPICS
    return f"{len(names)} ({shown}{f' and {more} more' if more > 0 else ''})"


def _each(words: Iterable[str]) -> str:
    """Each word once, in order."""
    return "/".join(dict.fromkeys(words))


def _distinct_names(runs: Sequence[RunScores]) -> list[str]:
    """Each run's tag; where tags clash, what its file is called; where even that does, a number."""
    names = [run.name for run in runs]
    clashing = {name for name in names if names.count(name) > 1}
    names = [run.stem if run.name in clashing else run.name for run in runs]
    seen: dict[str, int] = {}
    distinct = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        distinct.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return distinct
