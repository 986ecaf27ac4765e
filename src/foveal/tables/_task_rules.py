"""The rules a run must obey in each task, and everything in a run that breaks them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from foveal.choices import Task
from foveal.errors import Problem
from foveal.spans import LARGEST_OFFSET, Axis, overlaps_earlier
from foveal.tables import _columns as c
from foveal.tables._run_rules import (
    ELEMENTS,
    EVERY_TASK,
    QRELS,
    Results,
    Rule,
    Severity,
    counted,
    file_order,
    missing_topics,
    mixed_elements,
    mixed_parts,
    on_each_line,
    past_document_end,
    rank_against_score,
    repeated_ranks,
    rule,
    summed_up,
    tied_scores,
    unjudged_documents,
    unjudged_topics,
    unmapped_elements,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from foveal.tables._elements import ElementLookup
    from foveal.tables._qrels import Qrels
    from foveal.tables._run import Run

__all__ = ["RULES", "Finding", "Findings", "Rule", "task_findings"]

TOPIC_RESULTS = 1500
RESTRICTED_TOPIC = 1000
RESTRICTED_DOCUMENT = 500


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong or suspicious in a run, and where."""

    severity: Severity
    rule: str
    file: str
    line: int | None
    message: str


@dataclass(frozen=True)
class Findings:
    """What `check` found, and under which settings it looked."""

    findings: tuple[Finding, ...]
    settings: Mapping[str, str]

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


def task_findings(
    run: Run, qrels: Qrels | None, task: Task | None, *, elements: ElementLookup | None = None
) -> list[Finding]:
    """Everything in a run that breaks a rule of the task, by line; what has no line comes first.

    Without a task only the rules that all tasks share are looked at; without judgements and
    elements only those that need none.
    """
    results = Results.of(run, qrels, elements)
    given = {name for name, there in ((QRELS, qrels), (ELEMENTS, elements)) if there is not None}
    findings = [
        Finding(broken.severity, broken.name, run.source, problem.line, problem.reason)
        for broken in RULES
        if broken.applies(task, given)
        for problem in broken.find(results)
    ]
    return sorted(findings, key=lambda finding: finding.line or 0)


@rule(
    "too-many-results",
    f"A topic has at most {TOPIC_RESULTS:,} results.",
    "error",
    tasks=EVERY_TASK - {Task.DOCUMENT},
)
def too_many_results(results: Results) -> Iterable[Problem]:
    """The first result beyond the limit of each topic that has too many."""
    place, count = pl.int_range(pl.len()).over(c.TOPIC), pl.len().over(c.TOPIC)
    beyond = results.frame.with_columns(count=count).filter(place == TOPIC_RESULTS)
    for line, topic, total in beyond.select(c.LINE, c.TOPIC, "count").iter_rows():
        yield Problem(line, f"topic {topic!r} has {total:,} results, more than {TOPIC_RESULTS:,}")


@rule(
    "overlap",
    "No two results of a topic share text.",
    "error",
    tasks={Task.FOCUSED, Task.RIC, Task.BIC},
)
def overlap(results: Results) -> Iterable[Problem]:
    """Results that share text with one read before them."""
    document = results.document
    # A whole document shares text with every part of it that has any.
    start = results.frame[c.START].fill_null(0).to_numpy()
    end = results.frame[c.END].fill_null(LARGEST_OFFSET).to_numpy()
    mapped = start != c.UNMAPPED
    start, end = np.where(mapped, start, 0), np.where(mapped, end, 0)
    axis = Axis.holding(document, end, int(document.max(initial=-1)) + 1)
    overlapping = overlaps_earlier(axis.place(document, start), axis.place(document, end))
    return on_each_line(results.frame.filter(overlapping), "overlaps an earlier result")


@rule(
    "scattered-document",
    "The results of a document stand together.",
    "error",
    tasks={Task.RIC},
)
def scattered_document(results: Results) -> Iterable[Problem]:
    """The results with which a document returns after another one."""
    document = results.document
    changes = np.ones(len(document), dtype=bool)
    changes[1:] = document[1:] != document[:-1]
    returning = results.frame.filter(changes & results.repeats_document)
    return on_each_line(returning, "the document returns after other documents")


@rule(
    "repeated-document",
    "A topic returns a document once.",
    "error",
    tasks={Task.BIC},
)
def repeated_document(results: Results) -> Iterable[Problem]:
    """Results from a document that the topic already returned."""
    again = results.frame.filter(results.repeats_document)
    return on_each_line(again, "the document was already returned")


@rule(
    "restricted-topic",
    f"In the restricted task a topic has at most {RESTRICTED_TOPIC:,} characters.",
    "note",
    tasks={Task.FOCUSED},
)
def restricted_topic(results: Results) -> Iterable[Problem]:
    """Topics that return more text than the restricted task allows."""
    return _over_limit(results.frame, [c.TOPIC], RESTRICTED_TOPIC, "topic")


@rule(
    "restricted-document",
    f"In the restricted task a document has at most {RESTRICTED_DOCUMENT} characters.",
    "note",
    tasks={Task.RIC},
)
def restricted_document(results: Results) -> Iterable[Problem]:
    """Documents that return more text than the restricted task allows."""
    return _over_limit(results.frame, [c.TOPIC, c.DOC], RESTRICTED_DOCUMENT, "document")


def _over_limit(
    frame: pl.DataFrame, group: Sequence[str], limit: int, noun: str
) -> Iterable[Problem]:
    """One problem for all groups whose results add up to more characters than the limit."""
    start, end = pl.col(c.START), pl.col(c.END)
    size = (
        pl.when(start.is_null())
        # Nobody knows how long a whole document is, so it is taken to be too long.
        .then(pl.lit(limit + 1))
        .when(start == c.UNMAPPED)
        .then(pl.lit(c.UNMAPPED_SIZE))
        .otherwise(end - start)
    )
    over = frame.filter(size.cum_sum().over(group) > limit)
    groups = counted(over.select(group).n_unique(), noun)
    return summed_up(
        over, f"not within the limit of the restricted task: {groups} over {limit:,} characters"
    )


RULES: tuple[Rule, ...] = (
    too_many_results,
    overlap,
    scattered_document,
    repeated_document,
    restricted_topic,
    restricted_document,
    mixed_parts,
    mixed_elements,
    unmapped_elements,
    rank_against_score,
    repeated_ranks,
    file_order,
    tied_scores,
    missing_topics,
    unjudged_topics,
    unjudged_documents,
    past_document_end,
)
