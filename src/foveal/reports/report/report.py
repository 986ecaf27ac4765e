"""Contents of a report: scores, comparisons and studies."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from typing import Any, Unpack, cast

import numpy as np

from foveal.analysis import (
    ALPHA,
    DECIMALS,
    INTERVAL_RESAMPLES,
    SEED,
    Agreement,
    Comparison,
    TopicValues,
    agree,
    as_scores,
    compare,
)
from foveal.choices import Correction, Experiment, Study, Tail, Task, chosen
from foveal.conventions import Choices, ChoiceWords, Testing, TestName
from foveal.elements import ElementLookup
from foveal.errors import DataError, and_list, counted
from foveal.evaluation import Evaluation, Groups, GroupsLike, Scores, curve_levels
from foveal.files import write_bytes
from foveal.frozen import frozen
from foveal.judging import AssessorAgreement, assessor_agreement
from foveal.late import pl
from foveal.measures import MeasuresLike, mean, names_of, overall_measure, record_of
from foveal.rendering import first_sentences, thousandths
from foveal.reports.report.report_page import rendered_page
from foveal.reports.report.run_summary import BUDGETS, FindingCount, RunSummary, RunSummaryTask
from foveal.shown import Paged
from foveal.spans import Floats
from foveal.studies import Fidelity, Stability, fidelity, stability_design, stability_study
from foveal.tables import Frame, Qrels, QrelsLike, Rows, RunsLike, Topics, coerced_runs
from foveal.tables import columns as c


def by_assessor(qrels: QrelsLike) -> dict[str, Qrels]:
    """The judgements of each assessor that rows name; merged `Qrels` no longer have them."""
    return {} if isinstance(qrels, Qrels) else Qrels.by_assessor(cast("Frame | Rows", qrels))


def agreement_of(
    tables: Mapping[str, Qrels], topics: Collection[str], rel: float
) -> tuple[AssessorAgreement | None, tuple[str, ...]]:
    """The agreement of assessors on topics with its notes, or None and a note with the reason."""
    judgements_by_assessor = {name: qrels.judgements.only(topics) for name, qrels in tables.items()}
    used_tables = {
        name: replace(tables[name], judgements=judgements)
        for name, judgements in judgements_by_assessor.items()
        if judgements.topics
    }
    if len(used_tables) < 2:
        return None, ()
    try:
        agreement = assessor_agreement(
            used_tables, None, rel=rel, alpha=ALPHA, resamples=INTERVAL_RESAMPLES, rng=SEED
        )
    except DataError as error:
        return None, (f"agreement of assessors is left out: {error}",)
    return agreement, tuple(f"assessors: {note}" for note in agreement.notes)


# Intervals of coefficients are not on the page: the fewest resamples are enough.
AGREEMENT_RESAMPLES = 1


class ReportWords(ChoiceWords, total=False):
    """Options of scoring and of the comparison, by name."""

    test: TestName
    tail: Tail | str
    alpha: float
    correct: Correction | str
    resamples: int | str
    baseline: str | Sequence[str]
    rng: int


@frozen(eq=False, repr=False)
class Report(Paged):
    """Scores, who is really better, curves, topics, checks: the page of `foveal report`.

    `save` writes the page; `comparison` and `agreement` are None if there is only one run or one
    measure. Arrays of curves and readings have a row per run of the scores, and are None if a size
    that they need is unknown.
    """

    scores: Scores
    task: Task | None
    """None if only the scores are known, but not their task."""

    comparison: Comparison | None
    agreement: Agreement | None
    curves: Floats | None = None
    readings: Floats | None = None
    judged: tuple[float, ...] = ()
    """The share of judged documents of each run; empty, as are the findings, without the runs."""

    findings: tuple[tuple[FindingCount, ...], ...] = ()
    fidelity: Fidelity | None = None
    stability: Stability | None = None
    assessors: AssessorAgreement | None = None
    """Agreement of the assessors, if the judgements name several."""

    inputs: Mapping[str, str] = field(default_factory=dict)
    """The files of the judgements and the runs, with their SHA-256."""

    command: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def measure(self) -> str:
        """The measure that the leaderboard is sorted by."""
        return leading_measure(self.scores, self.task)

    def display_name(self, measure: str) -> str:
        """Name of a measure for readers: its plain name in task rag."""
        return self.scores.measure_names.label(measure)

    @property
    def ranking(self) -> list[str]:
        """The runs, best first by that measure."""
        if self.comparison is not None:
            return self.comparison.ranking(self.measure)
        sign = -1 if self.scores.measure_names.rises(self.measure) else 1
        return sorted(self.scores.runs, key=lambda run: sign * self.scores[run, self.measure])

    @property
    def means(self) -> dict[str, float]:
        """The mean of each run by that measure, best first; if compared, over their common topics."""
        if self.comparison is None:
            return {run: self.scores[run, self.measure] for run in self.ranking}
        means = self.comparison.means.filter(pl.col(c.MEASURE) == self.measure)
        return dict(means.select(c.RUN, c.MEAN).iter_rows())

    @property
    def ranks(self) -> dict[str, int]:
        """The ranks of the runs, best first; means that differ only by rounding share a rank."""
        values = [round(mean, DECIMALS) for mean in self.means.values()]
        return {run: 1 + values.index(value) for run, value in zip(self.means, values, strict=True)}

    @property
    def topics_clause(self) -> str:
        """The topics behind the ranks, in words."""
        total = self.scores.topics[c.TOPIC].n_unique()
        compared = total if self.comparison is None else len(self.comparison.values.topics)
        if compared == total:
            return f"over {counted(total, 'topic')}"
        return f"over the {counted(compared, 'topic')} that all runs answer"

    @property
    def levels(self) -> Floats:
        """The levels of recall of the curves."""
        return curve_levels(self.task or Task.DOCUMENT)

    @property
    def budgets(self) -> tuple[int, ...]:
        """The budgets of characters of the readings."""
        return BUDGETS

    @property
    def verdict(self) -> list[str]:
        """Sentences: the best run, or runs that do not differ significantly, and the test."""
        measure, ranking = self.measure, self.ranking
        if self.comparison is not None:
            return [*first_sentences(self.comparison, measure), *_other_winners(self)]
        best, name = ranking[0], self.display_name(measure)
        if len(ranking) > 1:
            return [f"No measure tells which run is best: {name} is not a mean over topics."]
        sentence = f"{best} scores {thousandths(self.means[best])} by {name} {self.topics_clause}"
        if measure not in comparable_measures(self.scores):
            return [f"{sentence}."]
        values = TopicValues.of(self.scores, measure, common_topics=False)
        if interval := values.mean_interval(measure, ALPHA):
            sentence += f" ({100 * (1 - ALPHA):g} % {' to '.join(map(thousandths, interval))})"
        return [f"{sentence}."]

    @property
    def summary(self) -> str:
        """Numbers of runs, topics and measures, in a few words."""
        return self.scores.summary

    def with_assessors(self, tables: Mapping[str, Qrels], qrels: Qrels, rel: float) -> Report:
        """The report with the agreement of the assessors, whose judgements `tables` has by name.

        It is computed on the topics of `qrels`; if it cannot be, a note says why.
        """
        agreement, agreement_notes = agreement_of(tables, qrels.judgements.topics, rel)
        return replace(self, assessors=agreement, notes=(*self.notes, *agreement_notes))

    def page(self) -> bytes:
        """The page in one file, without external resources."""
        return rendered_page(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, completely or not at all."""
        write_bytes(self.page(), path)


def _other_winners(report: Report) -> Iterator[str]:
    """Sentence: the measures by which another run is best."""
    scores, ranking = report.scores, report.ranking
    measures_by_winner: dict[str, list[str]] = {}
    for name in scores.measures:
        record = record_of(name)
        if record.average is not mean:
            continue
        sign = 1 if record.higher_is_better else -1
        values = [sign * scores[run, name] for run in ranking]
        winner = ranking[values.index(max(values))]
        if winner != ranking[0]:
            measures_by_winner.setdefault(winner, []).append(report.display_name(name))
    if measures_by_winner:
        winners = [f"{run} by {and_list(names)}" for run, names in measures_by_winner.items()]
        yield f"Other measures put another run first: {and_list(winners)}."


def leading_measure(scores: Scores, task: Task | None) -> str:
    """The task's overall measure if it was scored, else the first that can be compared."""
    comparable = comparable_measures(scores)
    if task and (overall := scores.measure_names.canonical(overall_measure(task))) in comparable:
        return overall
    return (comparable or scores.measures)[0]


def comparable_measures(scores: Scores) -> list[str]:
    """The measures that are means over topics, by which runs can be compared."""
    return [name for name in scores.measures if record_of(name).average is mean]


def report_of_runs(
    evaluation: Evaluation,
    qrels: Qrels,
    summaries: Sequence[RunSummary],
    testing: Testing,
    *,
    studies: Sequence[Study] = (),
    elements: ElementLookup | None = None,
    titles: Mapping[str, str] | Topics | None = None,
    inputs: Mapping[str, str] | None = None,
    command: str = "",
) -> Report:
    """The report of summarised runs, with the requested studies."""
    scores = evaluation.scores([summary.scores for summary in summaries], qrels)
    if titles is not None:
        scores = scores.titled(titles)
    report = report_of_scores(scores, testing, evaluation.task.task)
    notes = list(report.notes)
    fidelity_result = stability = None
    if Study.FIDELITY in studies:
        fidelity_result = _fidelity_or_note(qrels, elements, comparable_measures(scores), notes)
    if Study.STABILITY in studies and report.comparison:
        design = stability_design(Experiment.TOPICS, rng=testing.rng)
        stability = stability_study(qrels, evaluation, design, _StoredScores(summaries))
    elif Study.STABILITY in studies:
        notes.append(
            "stability is left out: it needs two runs or more, and a measure that is a mean"
        )
    curves = _stacked([summary.curve for summary in summaries])
    if curves is None:
        notes.append("curves are left out: they need the length of a document, which is unknown")
    # If only relevant documents are listed, the share of judged ones means nothing.
    has_irrelevant = evaluation.qrels.has_irrelevant(evaluation.conventions.rel)
    return replace(
        report,
        curves=curves,
        readings=_stacked([summary.budget_recalls for summary in summaries]),
        judged=tuple(summary.judged_share for summary in summaries) if has_irrelevant else (),
        findings=tuple(summary.findings for summary in summaries),
        fidelity=fidelity_result,
        stability=stability,
        inputs=inputs or {},
        command=command,
        notes=tuple(notes),
    )


def report_of_scores(scores: Scores, testing: Testing, task: Task | None = None) -> Report:
    """The report of scores alone: which run is better, by which measures, on which topics."""
    if task is None and (task_text := scores.settings.get("task")):
        # The setting may name who chose the task in brackets.
        task = Task(task_text.partition(" (")[0])
    comparable = comparable_measures(scores)
    comparison = agreement = None
    if len(scores.runs) > 1 and comparable:
        comparison = _comparison(scores, leading_measure(scores, task), testing)
        # Two runs have the same order or the reverse: coefficients say nothing more.
        if len(comparable) > 1 and len(scores.runs) > 2:
            agreement = agree(scores, comparable, common_topics=True, resamples=AGREEMENT_RESAMPLES)
    result = comparison or scores
    return Report(scores, task, comparison, agreement, settings=result.settings, notes=result.notes)


def _fidelity_or_note(
    qrels: Qrels, elements: ElementLookup | None, measures: Sequence[str], notes: list[str]
) -> Fidelity | None:
    """Fidelity of the measures on simulated runs, or None and a note with the reason."""
    try:
        return fidelity(qrels, elements, measures)
    except DataError as error:
        notes.append(f"fidelity is left out: {error}")
        return None


def _stacked(arrays: Sequence[Floats | None]) -> Floats | None:
    """Arrays of runs as rows; None if one is missing."""
    rows = [array for array in arrays if array is not None]
    return np.stack(rows) if len(rows) == len(arrays) else None


def _comparison(scores: Scores, measure: str, testing: Testing) -> Comparison:
    # The page compares runs on all topics; for groups it shows only means.
    ungrouped = replace(scores, topic_facts=replace(scores.topic_facts, groups=None))
    return compare(ungrouped, measure, common_topics=True, **vars(testing))


@frozen(eq=False)
class _StoredScores:
    """Passes known scores to a study: samples of topics need nothing else."""

    summaries: Sequence[RunSummary]

    def __call__(self, work: object, label: str) -> list[Any]:
        return [summary.scores for summary in self.summaries]


def report(
    qrels: QrelsLike | Scores,
    runs: RunsLike | None = None,
    measures: MeasuresLike = (),
    *,
    studies: str | Sequence[str] = (),
    elements: ElementLookup | None = None,
    only: Iterable[str] | None = None,
    groups: GroupsLike | None = None,
    titles: Mapping[str, str] | Topics | None = None,
    **choices: Unpack[ReportWords],
) -> Report:
    """Everything about runs on one page: `save` writes it, and printing shows the verdict.

    Judgements, runs, measures, topics (`only`, `groups`, `titles`) and the other `choices` are those
    of `evaluate`. `studies` adds "fidelity" (with `elements`, the collection's offset index, if there
    is one) or "stability". Runs are compared by `test`, `tail`, `alpha`, `correct`, `resamples`,
    `baseline` and `rng` as in `compare`. Scores alone, which need no runs, have no curves and checks.

    >>> import foveal
    >>> qrels = {"1": {"a": 1}, "2": {"b": 1}}
    >>> runs = {"one": {"1": {"a": 2.0}, "2": {"b": 2.0}}, "two": {"1": {"a": 2.0}}}
    >>> found = foveal.report(qrels, runs, "AP")
    >>> found.verdict[0]
    'No difference shown between one and two: AP 1.000 and 0.500 (difference 0.500, 95 % -1.000 to 1.000).'
    >>> found.save("report.html")  # doctest: +SKIP
    """
    study_names = [studies] if isinstance(studies, str) else studies
    chosen_studies = [chosen(Study, study) for study in study_names]
    options: dict[str, Any] = dict(choices)
    names = {setting.name for setting in fields(Testing)}
    testing_options = {name: options.pop(name) for name in names & options.keys()}
    if isinstance(qrels, Scores) or runs is None:
        scores = as_scores(qrels)
        chosen_scores = scores.only(names_of(measures)) if names_of(measures) else scores
        return report_of_scores(chosen_scores, Testing(**testing_options))
    # Rows are read twice if they name assessors.
    rows_or_qrels = list(qrels) if isinstance(qrels, Iterator) else qrels
    tables, judgements = coerced_runs(runs), Qrels.coerced(rows_or_qrels).only(only)
    conventions = Choices.of(options)
    evaluation = Evaluation.of(
        judgements,
        names_of(measures),
        conventions,
        stated_tasks={run.source: run.origin.task for run in tables},
        groups=None if groups is None else Groups.coerced(groups),
    )
    summaries = [RunSummaryTask(evaluation, judgements)(run) for run in tables]
    result = report_of_runs(
        evaluation,
        judgements,
        summaries,
        Testing(**testing_options),
        studies=chosen_studies,
        elements=elements,
        titles=titles,
    )
    if not judgements.assessors:
        return result
    return result.with_assessors(by_assessor(rows_or_qrels), judgements, conventions.rel)
