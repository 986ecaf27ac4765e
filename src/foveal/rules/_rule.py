"""What a rule of `check` is, what it looks at, and how every breach in a run is found."""

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

# The format of runs that come from no file.
TABLE = "table"
EVERY_TASK = frozenset(Task)

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
# What a rule may need beside the run.
Asked = Literal["judgements", "topics", "elements", "docs"]
QRELS: Asked = "judgements"
TOPICS: Asked = "topics"
ELEMENTS: Asked = "elements"
DOCS: Asked = "docs"


@frozen(eq=False)
class Results:
    """What a rule looks at: a run's results in reading order, the judged documents and the topics.

    `frame` has the rows of the run sorted by topic, then by rank. Without judgements `judged` is
    empty, and without a list of topics `topics` is. With `elements`, the run has the lengths of its
    documents.
    """

    run: Run
    frame: pl.DataFrame
    judged: pl.DataFrame
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
        """The results of a run as its own order ranks them.

        Parts that are known by their text alone are as good as unmapped; so are those that have no
        place in the documents given.
        """
        run = _with_unplaced_as_unmapped(run)
        topic = run.frame[c.TOPIC].rank("dense").cast(pl.Int64).to_numpy()
        order = ReadingOrder.of(run.order, run.results, TopicColumn.of(topic), run.ties)
        rows = order.permutation
        judged = pl.DataFrame(schema=c.DOCUMENT_SCHEMA) if qrels is None else qrels.documents
        frame = run.frame if rows is None else run.frame[rows]
        return cls(run, frame, judged, elements, topics or ())

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
        """Whether each result's document occurred earlier in the topic."""
        repeats = np.ones(self.frame.height, dtype=bool)
        repeats[np.unique(self.document, return_index=True)[1]] = False
        return repeats


def goes_on(run: Run) -> pl.Series:
    """Which results are in a later block of lines of their topic; tables in memory have no lines."""
    topic = TopicColumn.of(run.results.topic.rows)
    is_later = np.ones(len(topic.topic), dtype=bool)
    is_later[np.unique(topic.topic, return_index=True)[1]] = False
    return pl.Series(np.repeat(is_later & (run.format != TABLE), topic.lengths))


def _with_unplaced_as_unmapped(run: Run) -> Run:
    """The run with -1 as offsets of results whose text, document or offsets have no known place."""
    lines = unplaced_results(run)[c.LINE]
    if run.audit is not None:
        lines = pl.concat([lines, run.audit.refused])
    if lines.is_empty():
        return run
    # What ends beyond its document has its offsets still.
    unplaced = pl.col(c.LINE).is_in(lines.implode()) & pl.any_horizontal(
        pl.col(c.START, c.END).is_null()
    )
    offsets = pl.when(unplaced).then(c.UNMAPPED).otherwise(pl.col(c.START, c.END))
    return run.with_frame(run.frame.with_columns(offsets.name.keep()))


Find = Callable[[Results], Iterable[Problem]]


@frozen
class Rule:
    """One thing `check` looks for: what is demanded, in which tasks, and what breaks it.

    One of `needs` must be given for the rule to be checked.
    """

    name: str
    sentence: str
    severity: Severity
    tasks: frozenset[Task]
    needs: frozenset[Asked]
    find: Find

    def applies(self, task: Task | None, given: AbstractSet[Asked]) -> bool:
        """Whether the rule holds in a task (None: in every task) and has what it needs."""
        holds = self.tasks == EVERY_TASK if task is None else task in self.tasks
        return holds and (not self.needs or not self.needs.isdisjoint(given))


RULES: Registry[Rule] = Registry("rule")


def rule(
    name: str,
    sentence: str,
    severity: Severity,
    *,
    tasks: AbstractSet[Task] = EVERY_TASK,
    needs: AbstractSet[Asked] = frozenset(),
) -> Callable[[Find], Find]:
    """Register the decorated function, which finds the breaches of a rule."""

    def register(find: Find) -> Find:
        RULES.add(Rule(name, sentence, severity, frozenset(tasks), frozenset(needs), find))
        return find

    return register


def on_each_line(broken: pl.DataFrame, reason: str) -> Iterable[Problem]:
    """A problem for each result, naming its topic and document."""
    for line, topic, document in broken.select(c.LINE, c.TOPIC, c.DOC).iter_rows():
        yield Problem(line, f"topic {topic!r}, document {document!r}: {reason}")


def summarised(broken: pl.DataFrame, reason: str) -> Sequence[Problem]:
    """One problem for all results together, at the first of their lines; none if there are none."""
    if broken.is_empty():
        return []
    return [Problem(int(broken[c.LINE].to_numpy().min()), reason)]


@frozen
class Finding:
    """One thing that is wrong or suspicious in a run, and its place."""

    severity: Severity
    rule: str
    file: str
    line: int | None
    message: str


@frozen(repr=False)
class Findings(Shown):
    """What `check` found, and under which settings it looked."""

    findings: tuple[Finding, ...]
    settings: Mapping[str, str]
    notes: tuple[str, ...] = ()
    of_each: tuple[str, ...] = ()
    """A summary of each run, if several were checked."""

    @classmethod
    def together(cls, of_runs: Mapping[str, Findings]) -> Findings:
        """What was found in runs, by their files."""
        every = list(of_runs.values())
        if len(every) == 1:
            return every[0]
        names = dict.fromkeys(name for own in every for name in own.settings)
        settings = {
            name: "/".join(
                dict.fromkeys(own.settings[name] for own in every if name in own.settings)
            )
            for name in names
        }
        broken = sum(own.has_errors for own in every)
        return cls(
            tuple(finding for own in every for finding in own.findings),
            settings,
            of_each=(
                *(f"{file}: {own.summary}" for file, own in of_runs.items()),
                f"{len(every):,} runs, {broken:,} with errors",
            ),
        )

    @property
    def summary(self) -> str:
        """How many problems there are of each severity."""
        counts = [
            counted(count, severity)
            for severity in SEVERITIES
            if (count := sum(finding.severity == severity for finding in self.findings))
        ]
        return ", ".join(counts) or "nothing found"

    @property
    def has_errors(self) -> bool:
        """Whether anything found is an error."""
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
    """Everything in a run that breaks a rule of the task, by line, on each line errors first.

    Findings without a line come before all others. Without a task only the rules that hold in every
    task are checked; without judgements, names of topics, elements and an audit by the documents'
    texts only those that need none of these.
    """
    there = ((QRELS, qrels), (TOPICS, topics), (ELEMENTS, elements), (DOCS, run.audit))
    given = {name for name, known in there if known is not None}
    results = Results.of(run, qrels, elements, topics)
    findings = [
        Finding(broken.severity, broken.name, run.source, problem.line, problem.reason)
        for broken in RULES.values()
        if broken.applies(task, given)
        for problem in broken.find(results)
    ]
    return by_line(findings)


def by_line(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by line, on each line errors first."""
    return sorted(
        findings, key=lambda found: (found.line or 0, SEVERITIES.index(found.severity), found.rule)
    )
