"""Summary of a run for a report, computed in the process that reads the run."""

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

# Budgets of characters at which recall is drawn.
BUDGETS = (500, 1000, 2000, 4000, 8000, 16000, 32000, 64000)
# Readers look at about ten documents.
JUDGED = "Judged@10"


@frozen
class FindingCount:
    """Findings of one rule of `check` in a run: their number and the first message."""

    severity: Severity
    rule: str
    count: int
    first: str


@frozen(eq=False)
class RunSummary:
    """A run's scores, and its means at recall levels and within budgets of characters."""

    scores: RunScores
    curve: Floats | None
    """None if sizes are unknown, which other measures may not need."""

    budget_recalls: Floats | None
    """None if documents are scored, not text, or if sizes are unknown."""

    judged_share: float
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
            budget_recalls=self._budget_recalls(aligned, task),
            judged_share=_mean(aligned, JUDGED),
            findings=_counts_by_rule(task_findings(run, self.qrels, task)),
        )

    def _curve(self, aligned: AlignedRun, task: Task) -> Floats | None:
        try:
            return _means(curve(aligned, task))
        except UnknownLength:
            return None

    def _budget_recalls(self, aligned: AlignedRun, task: Task) -> Floats | None:
        if task in {Task.DOCUMENT, Task.BIC} or not self.qrels.has_highlights:
            return None
        if aligned.placed_parts.document_unknown.any():
            return None
        return _means(recall_within(aligned, BUDGETS))


def _means(values: Floats) -> Floats:
    """Means over topics; a topic counts as 0 where a value is undefined, as it does in scores."""
    means: Floats = np.nan_to_num(values).mean(axis=0)
    return means


def _mean(aligned: AlignedRun, name: str) -> float:
    measure = parse(name, aligned.conventions)
    values = measure.record.kernel(aligned, **dict(measure.arguments))
    return float(np.mean(np.nan_to_num(values)))


def _counts_by_rule(findings: Sequence[Finding]) -> tuple[FindingCount, ...]:
    """The findings by rule, the gravest first."""
    first_findings: dict[str, Finding] = {}
    for finding in findings:
        first_findings.setdefault(finding.rule, finding)
    count_by_rule = Counter(finding.rule for finding in findings)
    counts = [
        FindingCount(finding.severity, rule, count_by_rule[rule], finding.message)
        for rule, finding in first_findings.items()
    ]
    return tuple(sorted(counts, key=lambda count: SEVERITIES.index(count.severity)))
