"""Rules of `check`: their records, their input, and the search for all breaches in a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Self, get_args

import numpy as np

from foveal.choices import Task
from foveal.errors import Problem, counted
from foveal.frozen import frozen
from foveal.late import pl
from foveal.registry import Registry
from foveal.shown import Shown
from foveal.tables import Qrels, ReadingOrder, Run, TopicColumn, unplaced_results
from foveal.tables import columns as c
from foveal.work import stage

if TYPE_CHECKING:
    from foveal.elements import ElementLookup
    from foveal.spans import Bools, Ints

# The format of runs in memory.
TABLE = "table"
EVERY_TASK = frozenset(Task)

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
# The inputs other than the run that a rule may need.
Input = Literal["judgements", "topics", "elements", "docs"]
QRELS: Input = "judgements"
TOPICS: Input = "topics"
ELEMENTS: Input = "elements"
DOCS: Input = "docs"


@frozen(eq=False)
class Results:
    """Input of a rule: a run's results in reading order, judged documents, topics and elements.

    `frame` has the rows of the run sorted by topic, then by rank. `judgements` has a row for each
    judged document and is empty if there are none; `topics` is empty if none are listed. With
    `elements`, the run has the lengths of its documents.
    """

    run: Run
    frame: pl.DataFrame
    judgements: pl.DataFrame
    elements: ElementLookup | None = None
    topics: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        run: Run,
        qrels: Qrels | None,
        elements: ElementLookup | None = None,
        topics: Sequence[str] | None = None,
    ) -> Self:
        """Results of a run, ranked by the order that the run itself defines.

        Parts known by their text alone become unmapped; so do those not found in the documents.
        """
        run = _with_unplaced_as_unmapped(run)
        topic = run.frame[c.TOPIC].rank("dense").cast(pl.Int64).to_numpy()
        order = ReadingOrder.of(run.order, run.results, TopicColumn.of(topic), run.ties)
        rows = order.permutation
        judgements = pl.DataFrame(schema=c.DOCUMENT_SCHEMA) if qrels is None else qrels.documents
        frame = run.frame if rows is None else run.frame[rows]
        return cls(run, frame, judgements, elements, topics or ())

    @cached_property
    def document(self) -> Ints:
        """A number for the topic and document of each result, from 0 without gaps."""
        topic, doc = (
            self.frame[name].cast(pl.Categorical).to_physical().cast(pl.Int64).to_numpy()
            for name in (c.TOPIC, c.DOC)
        )
        key = topic * (int(doc.max(initial=0)) + 1) + doc
        return np.unique(key, return_inverse=True)[1]

    @cached_property
    def repeats_document(self) -> Bools:
        """Mask of the results whose document occurred earlier in the topic."""
        repeats = np.ones(self.frame.height, dtype=bool)
        repeats[np.unique(self.document, return_index=True)[1]] = False
        return repeats


def is_resumed(run: Run) -> pl.Series:
    """Mask of results in a later block of lines of their topic; runs in memory have no lines."""
    topic = TopicColumn.of(run.results.topic.rows)
    is_later = np.ones(len(topic.topic), dtype=bool)
    is_later[np.unique(topic.topic, return_index=True)[1]] = False
    return pl.Series(np.repeat(is_later & (run.format != TABLE), topic.lengths))


def _with_unplaced_as_unmapped(run: Run) -> Run:
    """The run with offsets -1 for results whose text, document or offsets could not be placed."""
    lines = unplaced_results(run)[c.LINE]
    if run.audit is not None:
        lines = pl.concat([lines, run.audit.refused])
    if lines.is_empty():
        return run
    # Results that end beyond their document keep their offsets.
    is_unplaced = pl.col(c.LINE).is_in(lines.implode()) & pl.any_horizontal(
        pl.col(c.START, c.END).is_null()
    )
    offsets = pl.when(is_unplaced).then(c.UNMAPPED).otherwise(pl.col(c.START, c.END))
    return run.with_frame(run.frame.with_columns(offsets.name.keep()))


Find = Callable[[Results], Iterable[Problem]]


@frozen
class Rule:
    """A demand of `check`, the tasks it holds in, and the function that finds its breaches.

    The rule is checked only if one of `needs` is available.
    """

    name: str
    sentence: str
    severity: Severity
    tasks: frozenset[Task]
    needs: frozenset[Input]
    find: Find

    def applies(self, task: Task | None, available: AbstractSet[Input]) -> bool:
        """True if the rule holds in a task (`None`: in every task) and has an input it needs."""
        holds = self.tasks == EVERY_TASK if task is None else task in self.tasks
        return holds and (not self.needs or not self.needs.isdisjoint(available))


RULES: Registry[Rule] = Registry("rule")


def rule(
    name: str,
    sentence: str,
    severity: Severity,
    *,
    tasks: AbstractSet[Task] = EVERY_TASK,
    needs: AbstractSet[Input] = frozenset(),
) -> Callable[[Find], Find]:
    """Register the decorated function, which finds the breaches of a rule."""

    def register(find: Find) -> Find:
        RULES.add(Rule(name, sentence, severity, frozenset(tasks), frozenset(needs), find))
        return find

    return register


def on_each_line(results: pl.DataFrame, reason: str) -> Iterable[Problem]:
    """A problem for each result, naming its topic and document."""
    for line, topic, document in results.select(c.LINE, c.TOPIC, c.DOC).iter_rows():
        yield Problem(line, f"topic {topic!r}, document {document!r}: {reason}")


def summarised(results: pl.DataFrame, reason: str) -> Sequence[Problem]:
    """One problem for all results together, at the first of their lines; none without results."""
    if results.is_empty():
        return []
    return [Problem(int(results[c.LINE].to_numpy().min()), reason)]


@frozen
class Finding:
    """Something wrong or suspicious in a run, with its file and line."""

    severity: Severity
    rule: str
    file: str
    line: int | None
    message: str


@frozen(repr=False)
class Findings(Shown):
    """Findings of `check`, with its settings."""

    findings: tuple[Finding, ...]
    settings: Mapping[str, str]
    notes: tuple[str, ...] = ()
    run_summaries: tuple[str, ...] = ()
    """A summary of each run, if several were checked."""

    @classmethod
    def together(cls, findings_by_file: Mapping[str, Findings]) -> Findings:
        """Combine the findings of several files."""
        several = list(findings_by_file.values())
        if len(several) == 1:
            return several[0]
        names = dict.fromkeys(name for item in several for name in item.settings)
        settings = {
            name: "/".join(
                dict.fromkeys(item.settings[name] for item in several if name in item.settings)
            )
            for name in names
        }
        error_count = sum(item.has_errors for item in several)
        return cls(
            tuple(finding for item in several for finding in item.findings),
            settings,
            run_summaries=(
                *(f"{file}: {item.summary}" for file, item in findings_by_file.items()),
                f"{len(several):,} runs, {error_count:,} with errors",
            ),
        )

    @property
    def summary(self) -> str:
        """Number of findings of each severity."""
        counts = [
            counted(count, severity)
            for severity in SEVERITIES
            if (count := sum(finding.severity == severity for finding in self.findings))
        ]
        return ", ".join(counts) or "nothing found"

    @property
    def has_errors(self) -> bool:
        """True if any finding is an error."""
        return any(finding.severity == "error" for finding in self.findings)

    def rows(self) -> pl.DataFrame:
        """A frame of severity, rule, file, line, message."""
        names = [field.name for field in fields(Finding)]
        return pl.DataFrame(
            {name: [getattr(finding, name) for finding in self.findings] for name in names},
            schema={name: pl.Int64 if name == c.LINE else pl.String for name in names},
        )


@stage("checking")
def task_findings(
    run: Run,
    qrels: Qrels | None,
    task: Task | None,
    *,
    elements: ElementLookup | None = None,
    topics: Sequence[str] | None = None,
) -> list[Finding]:
    """Find all breaches of the task's rules in a run, by line, on each line errors first.

    Findings without a line come first. Without a task only the rules that hold in every task are
    checked. Rules that need judgements, topics, elements or an audit of the texts are checked only
    if these are available.
    """
    inputs = ((QRELS, qrels), (TOPICS, topics), (ELEMENTS, elements), (DOCS, run.audit))
    available = {name for name, value in inputs if value is not None}
    results = Results.of(run, qrels, elements, topics)
    findings = [
        Finding(record.severity, record.name, run.source, problem.line, problem.reason)
        for record in RULES.values()
        if record.applies(task, available)
        for problem in record.find(results)
    ]
    return by_line(findings)


def by_line(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by line, on each line errors first."""
    return sorted(
        findings,
        key=lambda finding: (finding.line or 0, SEVERITIES.index(finding.severity), finding.rule),
    )
