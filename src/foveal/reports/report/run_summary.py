"""What a report tells of each run, computed where the run is read: in any process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from foveal.alignment import AlignedRun
from foveal.choices import Task
from foveal.errors import UnknownLength
from foveal.evaluation import Evaluation, RunScores, curve, recall_within
from foveal.frozen import frozen
from foveal.measures import parse
from foveal.rules import SEVERITIES, Finding, Severity, task_findings
from foveal.spans import Floats
from foveal.tables import Qrels, Run

# Characters read, over which recall is drawn.
BUDGETS = (500, 1000, 2000, 4000, 8000, 16000, 32000, 64000)
# As far as readers look.
JUDGED = "Judged@10"


@frozen
class FindingCount:
    """What a rule of `check` says of a run: how often, and the first time."""

    severity: Severity
    rule: str
    count: int
    first: str


@frozen(eq=False)
class RunSummary:
    """A run's scores, and its means at recall levels and within budgets of characters."""

    scores: RunScores
    curve: Floats | None
    """None where sizes are unknown: other measures may not need them."""

    reading: Floats | None
    """None where documents are scored, not text, or where sizes are unknown."""

    judged: float
    """The share of its first ten documents that are judged."""

    findings: tuple[FindingCount, ...]


@frozen(eq=False)
class RunSummaryTask:
    """Makes the summary of a run; it can be sent to other processes."""

    evaluation: Evaluation
    qrels: Qrels

    def __call__(self, run: Run) -> RunSummary:
        """The summary of a run."""
        run = run.whole()
        aligned = self.evaluation.aligned(run)
        task = self.evaluation.task.task
        return RunSummary(
            scores=self.evaluation.scored(aligned),
            curve=self._curve(aligned, task),
            reading=self._reading(aligned, task),
            judged=_mean(aligned, JUDGED),
            findings=_counted(task_findings(run, self.qrels, task)),
        )

    def _curve(self, aligned: AlignedRun, task: Task) -> Floats | None:
        try:
            mean: Floats = curve(aligned, task).mean(axis=0)
        except UnknownLength:
            return None
        return mean

    def _reading(self, aligned: AlignedRun, task: Task) -> Floats | None:
        if task in {Task.DOCUMENT, Task.BIC} or not self.qrels.has_highlights:
            return None
        if aligned.placed_parts.document_unknown.any():
            return None
        mean: Floats = recall_within(aligned, BUDGETS).mean(axis=0)
        return mean


def _mean(aligned: AlignedRun, name: str) -> float:
    measure = parse(name, aligned.conventions)
    values = measure.record.kernel(aligned, **dict(measure.arguments))
    return float(np.mean(np.nan_to_num(values)))


def _counted(findings: Sequence[Finding]) -> tuple[FindingCount, ...]:
    """The findings by rule, the gravest first."""
    first: dict[str, Finding] = {}
    for finding in findings:
        first.setdefault(finding.rule, finding)
    count = Counter(finding.rule for finding in findings)
    found = [
        FindingCount(one.severity, rule, count[rule], one.message) for rule, one in first.items()
    ]
    return tuple(sorted(found, key=lambda one: SEVERITIES.index(one.severity)))
