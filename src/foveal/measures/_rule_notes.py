"""Which results of a run break the rules of the task that it is scored at, and how they count."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from foveal.alignment import AlignedRun
from foveal.choices import Task
from foveal.errors import counted
from foveal.spans import Bools


def rule_notes(alignment: AlignedRun, *, overlap_by_default: bool) -> Iterator[str]:
    """A note for each rule of the task that results break; `check` lists them one by one.

    Overlap is not noted where the caller, or the source that `like` names, chose how it counts.
    """
    task = alignment.conventions.task
    if task not in {Task.FOCUSED, Task.RIC, Task.BIC} or alignment.run.whole_documents_only:
        return
    laid = alignment.laid
    if overlap_by_default and task is not Task.BIC:
        # By default text counts where it is first read: what is read again is not part of a size.
        again = laid.part_size < laid.returned_size
        how = "text counts once, where it is first read (overlap once)"
        yield from _note(alignment, again, "with text of an earlier result", how)
    document = laid.returned.document
    if task is Task.FOCUSED or len(document) == len(laid.document_row):
        return
    # Documents are numbered as they first appear.
    returns = np.zeros(len(document), dtype=bool)
    returns[1:] = document[1:] <= np.maximum.accumulate(document[:-1])
    if task is Task.BIC:
        how = "a document counts once, with the entry point of its first result"
        yield from _note(alignment, returns, "from a document already returned", how)
        return
    returns[1:] &= document[1:] != document[:-1]
    how = "a document is ranked where its first result is, with all its results"
    yield from _note(alignment, returns, "apart from earlier results of the same document", how)


def _note(alignment: AlignedRun, breaks: Bools, what: str, how: str) -> Iterator[str]:
    """How many results break a rule, in how many topics, and how they are scored."""
    results = np.flatnonzero(breaks)
    if not len(results):
        return
    laid, task = alignment.laid, alignment.conventions.task
    per_topic = np.bincount(laid.document_topic[laid.returned.document[results]])
    topics = int(np.count_nonzero(per_topic))
    yield (
        f"{counted(len(results), 'result')} in {counted(topics, 'topic')} {what}, which task"
        f" {task.value} does not allow: {how}; foveal check --task {task.value} lists them"
    )
