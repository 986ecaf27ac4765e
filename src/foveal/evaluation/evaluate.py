"""From judgements and runs to scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from foveal.alignment import AlignedRun, PreparedQrels, align, align_samples, run_facts
from foveal.choices import Copies, Overlap, Task
from foveal.conventions import Choices, ChoiceWords, Conventions
from foveal.errors import DataError, NoHighlights, UsageError, and_list, counted, shortened_list
from foveal.evaluation.extra_columns import ExtraColumn, parse_extra_columns
from foveal.evaluation.groups import (
    Groups,
    GroupsLike,
    JudgedGroups,
    RunAverages,
    group_notes,
    group_setting,
    refuse_group_column_names,
    refuse_unscored_groups,
)
from foveal.evaluation.kernel_values import defined, kernel_values, user_value_notes, user_values
from foveal.evaluation.measure_names import MeasureNames
from foveal.evaluation.run_inputs import (
    text_length_notes,
    with_chunk_lists,
    with_judged_names,
    with_texts,
)
from foveal.evaluation.run_names import RunFile, distinct_names
from foveal.evaluation.run_ranks import RunRanks
from foveal.evaluation.run_scores import RunScores
from foveal.evaluation.scores import GROUPS, ScoreInputs, Scores
from foveal.evaluation.topic_facts import TopicFacts
from foveal.frozen import frozen
from foveal.measures import (
    Measure,
    MeasuresLike,
    TaskChoice,
    budget_notes,
    cutoff_notes,
    entry_point_notes,
    names_of,
    parse,
    parse_all,
    parts_notes,
    task_measures,
)
from foveal.spans import Bools, Floats
from foveal.tables import (
    ChosenTopics,
    ChunksLike,
    Qrels,
    QrelsLike,
    Run,
    RunsLike,
    TextLookup,
    Topics,
    about,
    aliases,
    coerced_runs,
    deduplicated_notes,
    in_order,
    may_be_documents,
    naming_hint,
    rows_in_order,
)

# At most this many judged documents, summed over samples, are in memory at a time.
SAMPLED_ROWS = 1_000_000
# Choices that affect only measures of graded documents, by their names in settings.
_ABOUT_GRADES = ("depth", "judged only")


@frozen(eq=False)
class Evaluation:
    """Everything but the run: prepared judgements, parsed measures, complete conventions.

    It is made once and scores one run after the other; it can be sent to other processes.
    """

    qrels: PreparedQrels
    measures: list[Measure]
    conventions: Conventions
    qrels_format: str
    notes: tuple[str, ...]
    documents_only: bool
    """No task or measure was requested and the judgements have no highlights: parts are refused."""

    task: TaskChoice
    aliases_used: Mapping[str, str]
    """Columns of the judgements under the names of other tools, by those names."""

    assessors: str = ""
    """Whose judgements these are, if several people judged."""

    extra_columns: tuple[ExtraColumn, ...] = ()
    chosen: ChosenTopics | None = None
    """The only topics that count, if topics were chosen."""
    groups: JudgedGroups | None = None
    overlap_by_default: bool = False
    """Neither the caller nor `like` chose how repeated text counts."""

    @classmethod
    def of(
        cls,
        qrels: Qrels,
        measures: Sequence[str],
        choices: Choices,
        defaults: Callable[[Task], Sequence[str]] | None = None,
        stated_tasks: Mapping[str, Task | None] | None = None,
        extra_columns: Sequence[ExtraColumn] = (),
        groups: Groups | None = None,
    ) -> Evaluation:
        """Prepare the judgements; unknown measures are refused here, before any run is read.

        Without a task, `stated_tasks` of the runs (by their source) decide it, or else the judgements:
        focused if they have highlights, else document. Without measures, those of
        `defaults` for the task are used, or the task's own. Extra columns must not have the
        name of a measure. With `groups`, means over each group of topics are computed as well.
        """
        choice = TaskChoice.of(choices, qrels, stated_tasks or {})
        task = choice.task
        conventions = choices.conventions(task)
        names = measures or (defaults(task) if defaults else task_measures(task, conventions.like))
        parsed_measures = parse_all(names, conventions)
        _refuse_measure_names(extra_columns, conventions)
        if groups:
            refuse_group_column_names(extra_columns)
        prepared_qrels = PreparedQrels.of(qrels, conventions)
        if not prepared_qrels.eligible.any():
            subject = f"none of those chosen, {qrels.chosen}," if qrels.chosen else "no topic"
            reason = qrels.judgements.missing_passages
            raise DataError(
                f"{qrels.source}: {subject} has anything relevant{f': {reason}' if reason else ''}"
            )
        documents_only = choices.task is None and not measures and not qrels.has_highlights
        return cls(
            prepared_qrels,
            parsed_measures,
            conventions,
            qrels.format,
            tuple(_notes(qrels, prepared_qrels, parsed_measures, conventions)),
            documents_only,
            choice,
            qrels.aliases_used,
            qrels.assessors,
            tuple(extra_columns),
            qrels.chosen,
            JudgedGroups.of(groups, prepared_qrels) if groups else None,
            choices.overlap is None and conventions.overlap is Conventions.overlap,
        )

    def aligned(self, run: Run) -> AlignedRun:
        """The alignment of a run with the judgements."""
        if self.documents_only and not may_be_documents(run):
            error = NoHighlights(" or ask for documents (--task document)")
            error.add_note(f"run {run.name!r} returns parts of documents ({run.source})")
            raise error
        if not run.whole_documents_only:
            for measure in self.measures:
                if measure.ambiguity:
                    raise UsageError(measure.ambiguity)
        renamed_run = with_judged_names(run, self.qrels.names)
        return self._checked_topics(align(renamed_run, self.qrels, self.conventions))

    def _checked_topics(self, alignment: AlignedRun) -> AlignedRun:
        if not len(alignment.topics):
            run = alignment.run
            run_topics = shortened_list(run.results.topics)
            judged_topics = [
                topic
                for topic, counts in zip(self.qrels.topics, self.qrels.eligible, strict=True)
                if counts
            ]
            raise DataError(
                f"{run.source}: none of its topics ({run_topics}) is among the judged topics with"
                f" something relevant ({shortened_list(judged_topics)}){naming_hint(run.results.topics, judged_topics)}"
            )
        return alignment

    def score(self, run: Run) -> RunScores:
        """One run's scores."""
        return self.scored(self.aligned(run))

    def scored(self, alignment: AlignedRun) -> RunScores:
        """The scores of an aligned run."""
        run = alignment.run
        raw_values = [kernel_values(measure, alignment) for measure in self.measures]
        values = np.vstack(list(map(defined, self.measures, raw_values)))
        indices = alignment.topics_with_rows
        topics = [self.qrels.topics[number] for number in alignment.topics[indices]]
        extra_values = self._extra_values(alignment, topics) if self.extra_columns else []
        averages = RunAverages(alignment, self.measures, values, extra_values)
        overall = averages.everywhere()
        return RunScores(
            name=run.name,
            origin=replace(run.origin, last_tag=run.tag),
            order=alignment.order_by.value,
            ties=(self.conventions.ties or run.ties).value,
            topics=topics,
            values=np.vstack([values[:, indices], *extra_values]),
            overall=overall,
            by_group=self.groups.means(averages, overall) if self.groups else {},
            tied_topics=alignment.tied_topics,
            nearly_tied_topics=alignment.nearly_tied_topics,
            # The ranking by grade is computed at its first use.
            ranks_by_grade="graded" in vars(alignment),
            notes=tuple(_run_notes(self, alignment, overall[: len(self.measures)])),
            facts=run_facts(alignment.placed_parts) if self._shows_facts(run) else None,
            user_values=user_values(self.measures, raw_values),
        )

    def _extra_values(self, alignment: AlignedRun, topics: Sequence[str]) -> list[Floats]:
        """The value of each extra column for each topic; `first` means the first result in reading order."""
        run, conventions = alignment.run, self.conventions
        single = conventions.scores_in_single_precision
        rows = rows_in_order(run, alignment.order_by, conventions.ties, single_precision=single)
        return [column.by_topic(run, topics, rows) for column in self.extra_columns]

    def _shows_facts(self, run: Run) -> bool:
        return self.task.task is Task.RAG and not run.whole_documents_only

    def samples(self, keep: Bools) -> Iterator[PreparedQrels]:
        """Samples of the judgements, several at a time; `keep` has a row each, a column per passage."""
        step = max(1, SAMPLED_ROWS // max(len(self.qrels.topic), 1))
        for start in range(0, len(keep), step):
            yield self.qrels.sampled(keep[start : start + step])

    def sample_scores(
        self, alignment: AlignedRun, keep: Bools, samples: Iterable[PreparedQrels]
    ) -> tuple[Floats, Bools]:
        """One run's values under samples of the judgements: measures × samples × topics.

        Also a mask of the topics that still have anything relevant, samples × topics. Text is not
        aligned again.
        """
        topics, values, eligible, start = len(alignment.topics), [], [], 0
        for sample in samples:
            aligned = align_samples(alignment, sample, keep[start : start + sample.sample_count])
            matrix = np.vstack([defined(m, kernel_values(m, aligned)) for m in self.measures])
            values.append(matrix.reshape(len(self.measures), sample.sample_count, topics))
            eligible.append(sample.eligible[aligned.topics].reshape(sample.sample_count, topics))
            start += sample.sample_count
        return np.concatenate(values, axis=1), np.concatenate(eligible)

    def scores(self, runs: Sequence[RunScores], judgements: Qrels | str = "") -> Scores:
        """The table of several runs' scores; `judgements` are those that `qrels` was prepared from."""
        return score_table(self, runs, judgements)


def evaluate(  # noqa: PLR0913  # one per thing that can be given
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = (),
    *,
    docs: TextLookup | None = None,
    copies: Copies | str = Copies.REFUSE,
    chunks: ChunksLike | Mapping[str, ChunksLike] | None = None,
    also: str | Iterable[str] = (),
    only: Iterable[str] | None = None,
    titles: Mapping[str, str] | Topics | None = None,
    groups: GroupsLike | None = None,
    **choices: Unpack[ChoiceWords],
) -> Scores:
    """Score runs against judgements.

    Judgements and runs are tables of foveal, frames (Polars, pandas, pyarrow), lists of dicts,
    {topic: {document: number}}, or the named tuples of ir_measures and ir_datasets; frames of
    PyTerrier need no changes. There may be one run, a list of runs, or {name: run}. Measures are
    names or objects of ir_measures; without any, the task's own are used. Choices are words: `task`,
    `like`, `topics`, `overlap`, `order` and `ties` as on the command line; `rel` is the lowest grade
    that counts as relevant; `depth` and `judged_only` limit the documents that classical measures
    consider. `docs` (`foveal.read_documents`) are the documents' texts: with them, judgements and
    results that have a `text` are located and offsets verified; text that occurs several times is
    refused unless `copies` is "first". `chunks` are all chunks that could be returned (doc, start,
    end), which cPmax needs, for runs without their own ({name of a run: chunks} if they differ).
    `also` names numeric columns of the runs that are averaged as well, such as "latency_ms" or
    "cost:sum" (mean, sum, max or first within a topic, then the mean over the topics that have
    results). `only` are the topics that count, as if no others were judged; one listed twice counts
    twice. `titles` are shown with the topics: {topic: title}, or what `read_topics` returns.
    `groups` puts topics into groups, {topic: group} or a table of topic and one other column, whose
    means are computed as well; topics that it does not list form the group "(none)".

    >>> import foveal
    >>> qrels = {"q1": {"d1": 1, "d2": 0, "d3": 2}}
    >>> runs = {"bm25": {"q1": {"d1": 9.0, "d2": 8.0}}, "dense": {"q1": {"d3": 0.9, "d1": 0.7}}}
    >>> foveal.evaluate(qrels, runs, ["AP", "RR"]).mean().rows()
    [('bm25', 0.5, 1.0), ('dense', 1.0, 1.0)]
    >>> qrels, run = {"q1": {"d1": 1}, "q2": {"d1": 1}}, {"q1": {"d1": 9.0}, "q2": {"d2": 8.0}}
    >>> foveal.evaluate(qrels, run, "AP", groups={"q1": "easy", "q2": "hard"}).by_group().rows()
    [('run1', 'easy', 1, 1.0), ('run1', 'hard', 1, 0.0), ('run1', 'all', 2, 0.5)]
    >>> docs = foveal.read_documents({"d1": "One fish. Two fish."})
    >>> gold = [{"topic": "q1", "doc": "d1", "text": "Two fish."}]
    >>> hits = [{"topic": "q1", "doc": "d1", "text": "fish. Two"}]
    >>> float(foveal.evaluate(gold, hits, "recall@5", task="rag", docs=docs))
    0.3333333333333333
    """
    extra_columns = parse_extra_columns(also)
    tables = coerced_runs(runs, [column.column for column in extra_columns])
    judgements = Qrels.coerced(qrels, docs, copies).only(only)
    tables = with_chunk_lists(with_texts(tables, docs, copies), chunks)
    evaluation = Evaluation.of(
        judgements,
        names_of(measures),
        Choices.of(choices),
        stated_tasks={run.source: run.origin.task for run in tables},
        extra_columns=extra_columns,
        groups=None if groups is None else Groups.coerced(groups),
    )
    scores = evaluation.scores([evaluation.score(run) for run in tables], judgements)
    from foveal.evaluation.breakdown import StoredRuns  # noqa: PLC0415  # the command line does not need it

    scores = replace(scores, inputs=ScoreInputs(judgements, StoredRuns(evaluation, tables)))
    return scores if titles is None else scores.titled(titles)


def _notes(
    judgements: Qrels, qrels: PreparedQrels, measures: Sequence[Measure], conventions: Conventions
) -> Iterator[str]:
    """Notes about the judgements."""
    yield from (about(judgements.source, note) for note in judgements.notes)
    if judgements.chosen:
        yield from judgements.chosen.notes()
    left_out = [t for t, counts in zip(qrels.topics, qrels.eligible, strict=True) if not counts]
    if left_out:
        topics = counted(len(left_out), "topic")
        yield f"left out {topics} with nothing relevant: {shortened_list(left_out)}"
    relevant = qrels.topic[qrels.grade >= conventions.rel]
    lacks_relevant = qrels.eligible & (np.bincount(relevant, minlength=len(qrels.topics)) == 0)
    if lacks_relevant.any() and not conventions.irrelevant_topics_count:
        names = [qrels.topics[index] for index in np.flatnonzero(lacks_relevant)]
        yield (
            f"{counted(len(names), 'topic')} without a grade of {conventions.rel:g} or more, where"
            f" classical measures find nothing relevant: {shortened_list(names)}"
        )
    arguments_of = [(measure, dict(measure.arguments)) for measure in measures]
    meaningless = [
        str(measure)
        for measure, arguments in arguments_of
        if measure.record.needs_irrelevant
        and not qrels.has_irrelevant(arguments.get("rel", conventions.rel))
    ]
    skips_unjudged = conventions.judged_only or any(
        arguments.get("judged_only") for _, arguments in arguments_of
    )
    if skips_unjudged := skips_unjudged and not qrels.has_irrelevant(conventions.rel):
        meaningless.append("--judged-only (in Python judged_only=)")
    if meaningless:
        yield (
            f"no judged document is irrelevant, so {and_list(meaningless)}"
            f" {'says' if len(meaningless) == 1 else 'say'} nothing here: use AP or nDCG@10"
            f"{' without it' if skips_unjudged else ''}, for which documents that are not listed are irrelevant"
        )


def _refuse_measure_names(extra_columns: Sequence[ExtraColumn], conventions: Conventions) -> None:
    """Refuse columns with the name of a measure."""
    for column in extra_columns:
        try:
            parse_all([column.name], conventions)
        except UsageError:
            continue
        raise UsageError(f"also cannot show the column {column.name!r}: a measure has this name")


def _run_notes(
    evaluation: Evaluation, alignment: AlignedRun, overall: Sequence[float]
) -> Iterator[str]:
    """Notes on a run that was scored, in the order in which they are shown."""
    run, measures, task = alignment.run, evaluation.measures, evaluation.conventions.task
    yield from alignment.topic_notes()
    yield from run.notes
    yield from alignment.order_notes()
    yield from alignment.aspect_notes()
    yield from alignment.whole_document_notes()
    if not (run.whole_documents_only or task is Task.DOCUMENT):
        yield from text_length_notes(run)
        yield from budget_notes(alignment, measures)
        yield from cutoff_notes(alignment, measures)
        yield from alignment.chunk_notes()
        yield from parts_notes(task, measures)
        if evaluation.conventions.overlap is Overlap.REPEAT and max(overall, default=0) > 0:
            yield (
                "text counts as often as it is returned (overlap repeat), so recall may exceed 1:"
                " --overlap once or paid finds it once"
            )
        yield from alignment.limit_notes()
        yield from entry_point_notes(alignment, measures, overall)
        by_default = evaluation.overlap_by_default
        yield from alignment.placed_parts.rule_notes(task, overlap_by_default=by_default)
    yield from evaluation.task.notes(run)


def choosing_measure(evaluation: Evaluation, top: RunRanks) -> Measure:
    """The measure that ranks runs: the one named, or the first requested."""
    if top.measure is None:
        return evaluation.measures[0]
    return parse(top.measure, evaluation.conventions)


def best_scores(
    evaluation: Evaluation, top: RunRanks, scores_of: Callable[[Evaluation], Scores]
) -> Scores:
    """The scores of the best runs, computed by `scores_of`; a measure that is not shown may rank them."""
    measure = choosing_measure(evaluation, top)
    if measure in evaluation.measures:
        return scores_of(evaluation).top(replace(top, measure=measure.name))
    extended = replace(evaluation, measures=[*evaluation.measures, measure])
    names = [measure.name for measure in evaluation.measures]
    return scores_of(extended).top(replace(top, measure=measure.name)).only(names)


def score_table(
    evaluation: Evaluation, runs: Sequence[RunScores], judgements: Qrels | str
) -> Scores:
    """The scores of runs that were evaluated against the same judgements."""
    files = [RunFile(run.name, run.origin.stem, run.origin.source) for run in runs]
    names = distinct_names(files)
    values = [replace(run, name=name) for name, run in zip(names, runs, strict=True)]
    settings = _settings(evaluation, runs)
    notes = evaluation.notes + tuple(
        deduplicated_notes([(run.origin.source, run.notes) for run in runs])
    )
    notes += tuple(user_value_notes([run.user_values for run in runs]))
    groups = evaluation.groups.groups if evaluation.groups else None
    if groups:
        scored_topics = list(dict.fromkeys(topic for run in runs for topic in run.topics))
        refuse_unscored_groups(groups, scored_topics)
        settings[GROUPS] = group_setting(groups, [run.by_group for run in runs])
        notes += tuple(group_notes(groups, scored_topics))
    sizes = sorted({len(run.topics) for run in runs})
    if any(run.topics != runs[0].topics for run in runs):
        notes += (f"the runs are scored on different topics, {sizes[0]} to {sizes[-1]} each",)
    is_rag = evaluation.task.task is Task.RAG
    plain = {measure.name: measure.plain for measure in evaluation.measures} if is_rag else {}
    times = evaluation.chosen.repeated if evaluation.chosen else {}
    return Scores(
        measures=[measure.name for measure in evaluation.measures],
        values=values,
        settings=settings,
        notes=in_order(notes),
        extra_columns=tuple(column.name for column in evaluation.extra_columns),
        measure_names=MeasureNames(evaluation.conventions, plain=plain),
        topic_facts=TopicFacts(times, groups=groups),
        inputs=ScoreInputs(judgements),
    )


def _settings(evaluation: Evaluation, runs: Sequence[RunScores]) -> dict[str, str]:
    """The choices that determine the numbers."""
    chosen = evaluation.conventions.settings()
    if not any(run.ranks_by_grade for run in runs):
        chosen = {name: word for name, word in chosen.items() if name not in _ABOUT_GRADES}
    tied = sum(run.tied_topics for run in runs)
    settings = {
        **chosen,
        "task": str(evaluation.task),
        "ties": _distinct_words(run.ties for run in runs),
        "order": _distinct_words(run.order for run in runs),
        "ties found": counted(tied, "topic") if tied else "none",
        "formats": f"{evaluation.qrels_format}, {_distinct_words(run.origin.format for run in runs)}",
        **aliases.columns_setting(
            evaluation.aliases_used, *(run.origin.aliases_used for run in runs)
        ),
    }
    if evaluation.assessors:
        settings["assessors"] = evaluation.assessors
    if evaluation.chosen:
        settings["only"] = str(evaluation.chosen)
    nearly_tied = sum(run.nearly_tied_topics for run in runs)
    if nearly_tied:
        settings["ties in single precision only"] = counted(nearly_tied, "topic")
    return settings


def _distinct_words(words: Iterable[str]) -> str:
    """Each word once, in order."""
    return "/".join(dict.fromkeys(words))
