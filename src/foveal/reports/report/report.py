"""Everything that a report tells, gathered from scores, comparisons and studies."""

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
from foveal.errors import DataError, counted, listed
from foveal.evaluation import Evaluation, Groups, GroupsLike, Scores, curve_levels
from foveal.files import write_bytes
from foveal.frozen import frozen
from foveal.judging import AssessorAgreement, assessor_agreement
from foveal.late import pl
from foveal.measures import MeasuresLike, mean, names_of, overall_measure, record_of
from foveal.rendering import first_sentences, thousandths
from foveal.reports.report.report_page import drawn_page
from foveal.reports.report.run_summary import BUDGETS, FindingCount, RunSummary, RunSummaryTask
from foveal.shown import Paged
from foveal.spans import Floats
from foveal.studies import Fidelity, Stability, fidelity, stability_design, stability_study
from foveal.tables import Frame, Qrels, QrelsLike, Rows, RunsLike, Topics, coerced_runs
from foveal.tables import columns as c


def by_assessor(given: QrelsLike) -> dict[str, Qrels]:
    """The judgements of each person that rows name; those that were united are known no more."""
    return {} if isinstance(given, Qrels) else Qrels.by_assessor(cast("Frame | Rows", given))


def agreed(
    tables: Mapping[str, Qrels], topics: Collection[str], rel: float
) -> tuple[AssessorAgreement | None, tuple[str, ...]]:
    """The agreement of assessors on some topics with its notes, or a note why it is unknown."""
    own = {name: qrels.judgements.only(topics) for name, qrels in tables.items()}
    kept = {
        name: replace(tables[name], judgements=judgements)
        for name, judgements in own.items()
        if judgements.topics
    }
    if len(kept) < 2:
        return None, ()
    try:
        found = assessor_agreement(
            kept, None, rel=rel, alpha=ALPHA, resamples=INTERVAL_RESAMPLES, rng=SEED
        )
    except DataError as error:
        return None, (f"agreement of assessors is left out: {error}",)
    return found, tuple(f"assessors: {note}" for note in found.notes)


# Intervals of coefficients are not shown on the page: the fewest resamples do.
AGREEMENT_RESAMPLES = 1


class ReportWords(ChoiceWords, total=False):
    """The choices of scoring, and how runs are compared, by name."""

    test: TestName
    tail: Tail | str
    alpha: float
    correct: Correction | str
    resamples: int | str
    baseline: str | Sequence[str]
    rng: int


@frozen(eq=False, repr=False)
class Report(Paged):
    """Scores, who is really better, curves, topics, checks: what `foveal report` shows as a page.

    `save` writes the page; `comparison` and `agreement` are None where there is one run, or one
    measure. Arrays of curves and readings have a row per run of the scores, and are
    None where a size that they need is unknown.
    """

    scores: Scores
    task: Task | None
    """None if only the scores are known, and not what they were made for."""

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
    """How far those agree who made the judgements, if several are named."""

    inputs: Mapping[str, str] = field(default_factory=dict)
    """The files of the judgements and the runs, with their SHA-256."""

    command: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def measure(self) -> str:
        """The measure that the leaderboard is sorted by."""
        return leading_measure(self.scores, self.task)

    def called(self, measure: str) -> str:
        """What people read for a measure: its plain word in task rag."""
        return self.scores.plain.get(measure, measure)

    @property
    def ranking(self) -> list[str]:
        """The runs, best first by that measure."""
        if self.comparison is not None:
            return self.comparison.ranking(self.measure)
        sign = -1 if self.scores.measure_names.rises(self.measure) else 1
        return sorted(self.scores.runs, key=lambda run: sign * self.scores[run, self.measure])

    @property
    def means(self) -> dict[str, float]:
        """The mean of each run by that measure, best first; over the topics of all, if compared."""
        if self.comparison is None:
            return {run: self.scores[run, self.measure] for run in self.ranking}
        own = self.comparison.means.filter(pl.col(c.MEASURE) == self.measure)
        return dict(own.select(c.RUN, c.MEAN).iter_rows())

    @property
    def ranks(self) -> dict[str, int]:
        """The ranks of the runs, best first; means that differ by rounding alone share one."""
        values = [round(mean, DECIMALS) for mean in self.means.values()]
        return {run: 1 + values.index(value) for run, value in zip(self.means, values, strict=True)}

    @property
    def over(self) -> str:
        """The topics that the ranks are from, in words."""
        as_scores = self.scores.topics[c.TOPIC].n_unique()
        compared = as_scores if self.comparison is None else len(self.comparison.values.topics)
        if compared == as_scores:
            return f"over {counted(as_scores, 'topic')}"
        return f"over the {counted(compared, 'topic')} that all runs answer"

    @property
    def levels(self) -> Floats:
        """The levels of recall of the curves."""
        return curve_levels(self.task or Task.DOCUMENT)

    @property
    def budgets(self) -> tuple[int, ...]:
        """The characters read, of the readings."""
        return BUDGETS

    @property
    def verdict(self) -> list[str]:
        """Which run is best, or which cannot be told apart, and how that was tested."""
        measure, order = self.measure, self.ranking
        if self.comparison is not None:
            return [*first_sentences(self.comparison, measure), *_otherwise(self)]
        best, called = order[0], self.called(measure)
        if len(order) > 1:
            return [f"No measure tells which run is best: {called} is not a mean over topics."]
        told = f"{best} scores {thousandths(self.means[best])} by {called} {self.over}"
        if measure not in comparable_measures(self.scores):
            return [f"{told}."]
        values = TopicValues.of(self.scores, measure, common_topics=False)
        if ends := values.mean_interval(measure, ALPHA):
            told += f" ({100 * (1 - ALPHA):g} % {' to '.join(map(thousandths, ends))})"
        return [f"{told}."]

    @property
    def summary(self) -> str:
        """What was scored."""
        return self.scores.summary

    def with_assessors(self, tables: Mapping[str, Qrels], qrels: Qrels, rel: float) -> Report:
        """The report with how far those agree whose judgements, by name, these are.

        Counted are the topics of `qrels`. A note says why if nothing can be said.
        """
        found, why = agreed(tables, qrels.judgements.topics, rel)
        return replace(self, assessors=found, notes=(*self.notes, *why))

    def page(self) -> bytes:
        """The page, which needs nothing else."""
        return drawn_page(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, completely or not at all."""
        write_bytes(self.page(), path)


def _otherwise(report: Report) -> Iterator[str]:
    """Measures by which another run is best."""
    scores, order = report.scores, report.ranking
    other: dict[str, list[str]] = {}
    for name in scores.measures:
        record = record_of(name)
        if record.average is not mean:
            continue
        sign = 1 if record.higher_is_better else -1
        values = [sign * scores[run, name] for run in order]
        first = order[values.index(max(values))]
        if first != order[0]:
            other.setdefault(first, []).append(report.called(name))
    if other:
        told = listed([f"{run} by {listed(names)}" for run, names in other.items()])
        yield f"Other measures put another run first: {told}."


def leading_measure(scores: Scores, task: Task | None) -> str:
    """The task's overall measure if it was scored, else the first that can be compared."""
    comparable = comparable_measures(scores)
    if task and (overall := scores.measure_names.canonical(overall_measure(task))) in comparable:
        return overall
    return (comparable or scores.measures)[0]


def comparable_measures(scores: Scores) -> list[str]:
    """The measures that are means over topics, by which runs can be compared."""
    return [name for name in scores.measures if record_of(name).average is mean]


def reported(
    evaluation: Evaluation,
    qrels: Qrels,
    looks: Sequence[RunSummary],
    testing: Testing,
    *,
    studies: Sequence[Study] = (),
    elements: ElementLookup | None = None,
    titles: Mapping[str, str] | Topics | None = None,
    inputs: Mapping[str, str] | None = None,
    command: str = "",
) -> Report:
    """The report of runs that were looked at, with the studies that are asked for."""
    scores = evaluation.scores([look.scores for look in looks], qrels)
    if titles is not None:
        scores = scores.titled(titles)
    found = report_of_scores(scores, testing, evaluation.task.task)
    notes = list(found.notes)
    tested = stable = None
    if Study.FIDELITY in studies:
        tested = _tested(qrels, elements, comparable_measures(scores), notes)
    if Study.STABILITY in studies and found.comparison:
        plan = stability_design(Experiment.TOPICS, rng=testing.rng)
        stable = stability_study(qrels, evaluation, plan, _Scored(looks))
    elif Study.STABILITY in studies:
        notes.append(
            "stability is left out: it needs two runs or more, and a measure that is a mean"
        )
    curves = _all([look.curve for look in looks])
    if curves is None:
        notes.append("curves are left out: they need the length of a document, which is unknown")
    # Where only relevant documents are listed, that share says nothing.
    says = evaluation.judged.has_irrelevant(evaluation.conventions.rel)
    return replace(
        found,
        curves=curves,
        readings=_all([look.reading for look in looks]),
        judged=tuple(look.judged for look in looks) if says else (),
        findings=tuple(look.findings for look in looks),
        fidelity=tested,
        stability=stable,
        inputs=inputs or {},
        command=command,
        notes=tuple(notes),
    )


def report_of_scores(scores: Scores, testing: Testing, task: Task | None = None) -> Report:
    """What scores alone tell: who is better, by which measures, on which topics."""
    if task is None and (stated := scores.settings.get("task")):
        # A task may say behind it who chose it.
        task = Task(stated.partition(" (")[0])
    comparable = comparable_measures(scores)
    comparison = agreement = None
    if len(scores.runs) > 1 and comparable:
        comparison = _compared(scores, leading_measure(scores, task), testing)
        # Two runs are in the same order or in the other: nothing between.
        if len(comparable) > 1 and len(scores.runs) > 2:
            agreement = agree(scores, comparable, common_topics=True, resamples=AGREEMENT_RESAMPLES)
    told = comparison or scores
    return Report(scores, task, comparison, agreement, settings=told.settings, notes=told.notes)


def _tested(
    qrels: Qrels, elements: ElementLookup | None, measures: Sequence[str], notes: list[str]
) -> Fidelity | None:
    """How the measures score simulated runs; a note says why if there can be none."""
    try:
        return fidelity(qrels, elements, measures)
    except DataError as error:
        notes.append(f"fidelity is left out: {error}")
        return None


def _all(known: Sequence[Floats | None]) -> Floats | None:
    """What is known of every run, a row each; None if it is unknown of one."""
    rows = [own for own in known if own is not None]
    return np.stack(rows) if len(rows) == len(known) else None


def _compared(scores: Scores, measure: str, testing: Testing) -> Comparison:
    # The page compares runs on all topics: of groups it shows the means alone.
    return compare(replace(scores, groups=None), measure, common_topics=True, **vars(testing))


@frozen(eq=False)
class _Scored:
    """Gives a study the scores that were found already: samples of topics need no more."""

    looks: Sequence[RunSummary]

    def __call__(self, work: object, label: str) -> list[Any]:
        return [look.scores for look in self.looks]


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
    """Everything about some runs on one page: `save` writes it, and printing shows the verdict.

    Judgements, runs, measures, topics (`only`, `groups`, `titles`) and the other `choices` are those
    of `evaluate`. `studies` adds "fidelity" (with `elements`, the collection's offset index, if there
    is one) or "stability". Runs are compared by `test`, `tail`, `alpha`, `correct`, `resamples`,
    `baseline` and `rng` as in `compare`. Scores alone, which need no runs, are told without curves and checks.

    >>> import foveal
    >>> qrels = {"1": {"a": 1}, "2": {"b": 1}}
    >>> runs = {"one": {"1": {"a": 2.0}, "2": {"b": 2.0}}, "two": {"1": {"a": 2.0}}}
    >>> found = foveal.report(qrels, runs, "AP")
    >>> found.verdict[0]
    'No difference shown between one and two: AP 1.000 and 0.500 (difference 0.500, 95 % -1.000 to 1.000).'
    >>> found.save("report.html")  # doctest: +SKIP
    """
    several = [studies] if isinstance(studies, str) else studies
    asked = [chosen(Study, study) for study in several]
    words: dict[str, Any] = dict(choices)
    comparing = {one.name: words.pop(one.name) for one in fields(Testing) if one.name in words}
    if isinstance(qrels, Scores) or runs is None:
        known = as_scores(qrels)
        chosen_scores = known.only(names_of(measures)) if names_of(measures) else known
        return report_of_scores(chosen_scores, Testing(**comparing))
    # Rows are read again if they name assessors.
    given = list(qrels) if isinstance(qrels, Iterator) else qrels
    tables, judgements = coerced_runs(runs), Qrels.coerced(given).only(only)
    conventions = Choices.of(words)
    evaluation = Evaluation.of(
        judgements,
        names_of(measures),
        conventions,
        stated={run.source: run.origin.task for run in tables},
        groups=None if groups is None else Groups.coerced(groups),
    )
    looks = [RunSummaryTask(evaluation, judgements)(run) for run in tables]
    found = reported(
        evaluation,
        judgements,
        looks,
        Testing(**comparing),
        studies=asked,
        elements=elements,
        titles=titles,
    )
    if not judgements.assessors:
        return found
    return found.with_assessors(by_assessor(given), judgements, conventions.rel)
