"""Rules of single tasks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from foveal.choices import Task
from foveal.errors import Problem, counted
from foveal.late import pl
from foveal.rules._rule import EVERY_TASK, Results, on_each_line, rule, summarised
from foveal.spans import LARGEST_OFFSET, Axis, overlaps_earlier
from foveal.tables import TOPIC_RESULTS, Qrels, Run, document_lengths
from foveal.tables import columns as c

RESTRICTED_TOPIC = 1000
RESTRICTED_DOCUMENT = 500


def default_task(run: Run, qrels: Qrels | None) -> Task:
    """The task that the run states, else `document` if neither file has text, else `focused`."""
    if run.origin.task:
        return run.origin.task
    if (qrels and qrels.has_highlights) or not run.whole_documents_only:
        return Task.FOCUSED
    return Task.DOCUMENT


def described_task(task: Task, run: Run) -> str:
    """The task for the settings, with the task that the run states."""
    if run.origin.task is task:
        return f"{task.value} (stated by the run)"
    return (
        f"{task.value} (the run states {run.origin.task_name!r})" if run.origin.task else task.value
    )


@rule(
    "too-many-results",
    f"A topic has at most {TOPIC_RESULTS:,} results.",
    "error",
    tasks=EVERY_TASK - {Task.DOCUMENT, Task.RAG},
)
def too_many_results(results: Results) -> Iterable[Problem]:
    """The first result beyond the limit of each topic that has too many."""
    index, count = pl.int_range(pl.len()).over(c.TOPIC), pl.len().over(c.TOPIC)
    beyond = results.frame.select(c.LINE, c.TOPIC, count).filter(index == TOPIC_RESULTS)
    for line, topic, total in beyond.iter_rows():
        yield Problem(line, f"topic {topic!r} has {total:,} results, more than {TOPIC_RESULTS:,}")


@rule(
    "overlap",
    "No two results of a topic share text.",
    "error",
    tasks={Task.FOCUSED, Task.RIC, Task.BIC},
)
def overlap(results: Results) -> Iterable[Problem]:
    """Results that share text with an earlier one."""
    document = results.document
    # A whole document overlaps every part of it that has text.
    start = results.frame[c.START].fill_null(0).to_numpy()
    end = results.frame[c.END].fill_null(LARGEST_OFFSET).to_numpy()
    is_mapped = start != c.UNMAPPED
    start, end = np.where(is_mapped, start, 0), np.where(is_mapped, end, 0)
    axis = Axis.of_ends(document, end, int(document.max(initial=-1)) + 1)
    overlapping = overlaps_earlier(*axis.span_positions(document, start, end))
    return on_each_line(results.frame.filter(overlapping), "overlaps an earlier result")


@rule(
    "scattered-document",
    "The results of a document are next to each other.",
    "error",
    tasks={Task.RIC},
)
def scattered_document(results: Results) -> Iterable[Problem]:
    """Results of a document that come after those of another one."""
    document = results.document
    changes = np.ones(len(document), dtype=bool)
    changes[1:] = document[1:] != document[:-1]
    returning = results.frame.filter(changes & results.repeats_document)
    return on_each_line(returning, "its results are not next to each other")


@rule("repeated-document", "A topic returns a document once.", "error", tasks={Task.BIC})
def repeated_document(results: Results) -> Iterable[Problem]:
    """Results from a document that the topic has already returned."""
    repeated = results.frame.filter(results.repeats_document)
    return on_each_line(repeated, "the document has already been returned")


@rule(
    "restricted-topic",
    f"In the restricted task, a topic returns at most {RESTRICTED_TOPIC:,} characters.",
    "warning",
    tasks={Task.FOCUSED},
)
def restricted_topic(results: Results) -> Iterable[Problem]:
    """Topics that return more text than the restricted task allows."""
    return _over_limit(results, [c.TOPIC], RESTRICTED_TOPIC, "topic")


@rule(
    "restricted-document",
    f"In the restricted task, a document returns at most {RESTRICTED_DOCUMENT} characters.",
    "warning",
    tasks={Task.RIC},
)
def restricted_document(results: Results) -> Iterable[Problem]:
    """Documents that return more text than the restricted task allows."""
    return _over_limit(results, [c.TOPIC, c.DOC], RESTRICTED_DOCUMENT, "document")


def _over_limit(results: Results, group: Sequence[str], limit: int, noun: str) -> Iterable[Problem]:
    """One problem for all groups that exceed the limit, if the run states the restricted task."""
    if "restricted" not in results.run.origin.task_name.lower():
        return []
    # A whole document of unknown length counts as 0: its length may be in an offset index.
    length = document_lengths(results.run, results.frame[c.DOC]).fill_null(0)
    frame = results.frame.with_columns(length.alias(c.LENGTH))
    start, end = pl.col(c.START), pl.col(c.END)
    size = (
        pl.when(start.is_null())
        .then(c.LENGTH)
        .when(start == c.UNMAPPED)
        .then(pl.lit(c.UNMAPPED_SIZE))
        .otherwise(end - start)
    )
    over = frame.filter(size.cum_sum().over(group) > limit)
    groups = counted(over.select(group).n_unique(), noun)
    return summarised(
        over,
        f"{groups} with more than {limit:,} characters, the limit of the restricted task, which the"
        " run states (`foveal check --fix --characters N` cuts)",
    )
