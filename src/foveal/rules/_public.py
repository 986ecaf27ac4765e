"""Checking and repairing runs in any form, for callers of the library."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Unpack

from foveal.choices import Keep, OffsetUnit, Task, chosen
from foveal.errors import BadInput, UsageError
from foveal.rules._record import Finding, Findings, task_findings
from foveal.rules.repair import Repair, Wishes, repaired
from foveal.rules.tasks import default_task
from foveal.tables import (
    Comparing,
    Qrels,
    QrelsLike,
    Run,
    RunLike,
    TextLookup,
    Topics,
    columns_setting,
    refuse_without_docs,
)

if TYPE_CHECKING:
    from foveal.elements import ElementLookup

UNREADABLE = "unreadable"


def check(
    run: RunLike,
    qrels: QrelsLike | None = None,
    *,
    task: Task | str | None = None,
    topics: Topics | Iterable[str | int] | None = None,
    elements: ElementLookup | None = None,
    docs: TextLookup | None = None,
    **texts: Unpack[Comparing],
) -> Findings:
    """Everything wrong or suspicious in a run, by the rules of a task.

    With judgements, missing and extra topics are found as well; so they are with `topics`
    (`foveal.read_topics`, or their names), before anything is judged; with `elements`, the collection's
    offset index (`foveal.open_index`), unknown documents and parts that end beyond theirs; with
    `docs` (`foveal.read_documents`), offsets that do not fit the results' texts, with `chunks`,
    `copies` and `count` as for `foveal.from_hits`. The task, if not given, is `document` where
    neither speaks of text, else `focused`.

    >>> import foveal
    >>> rows = [{"topic": "1", "doc": "a", "start": 0, "end": end} for end in (20, 30)]
    >>> found = foveal.check(rows, task="focused")
    >>> found.has_errors
    True
    >>> print(found.findings[0].message)
    topic '1', document 'a': overlaps an earlier result
    """
    refuse_without_docs(docs, texts.get("chunks"), texts.get("count", OffsetUnit.CHARACTERS))
    judgements = None if qrels is None else Qrels.coerced(qrels)
    names = None if topics is None else _names(topics)
    asked = chosen(Task, task) if task else None
    notes = judgements.notes if judgements else ()
    try:
        table = _known(run, elements)
        if docs is not None:
            table = docs.audited(table, **texts)
    except BadInput as error:
        unread = [
            Finding("error", UNREADABLE, error.source, problem.line, problem.reason)
            for problem in error.problems
        ]
        return Findings(tuple(unread), {"task": asked.value if asked else "unknown"}, notes)
    decided = asked or default_task(table, judgements)
    found = task_findings(table, judgements, decided, elements=elements, topics=names)
    taken = columns_setting(table.taken, judgements.taken if judgements else {})
    return Findings(tuple(found), {"task": decided.value, **taken}, (*notes, *table.notes))


def repair(
    run: RunLike,
    *,
    task: Task | str | None = None,
    elements: ElementLookup | None = None,
    keep: Keep | str = Keep.BETTER,
    characters: int | None = None,
    docs: TextLookup | None = None,
    **texts: Unpack[Comparing],
) -> Repair:
    """A copy of a run that obeys the rules of a task, and what was changed.

    Overlap is removed (focused, ric, bic), documents are grouped (ric) or kept once (bic), topics
    are cut to 1,500 results (not in document and rag) and, if asked for, to `characters`; ranks count
    from 1 and scores fall. With `docs` (`foveal.read_documents`), offsets are found or corrected by
    the results' texts, with `chunks`, `copies` and `count` as for `foveal.from_hits`; parts without
    text are cut at the end of their document. The other choices are those of `foveal check --fix`.
    The task, if not given, is `document` for a run of whole documents, else `focused`.

    >>> import foveal
    >>> rows = [{"topic": "1", "doc": "a", "start": 0, "end": end} for end in (20, 30)]
    >>> repair = foveal.repair(rows, task="focused")
    >>> repair.run
    <Run 'run': 1 result, 1 topic>
    >>> print(repair)
    1 result removed that shared text with a better ranked one [overlap]
    """
    refuse_without_docs(docs, texts.get("chunks"), texts.get("count", OffsetUnit.CHARACTERS))
    table = _known(run, elements)
    if docs is not None:
        table = docs.audited(table, **texts)
    decided = chosen(Task, task) if task else default_task(table, None)
    return repaired(table, Wishes(decided, keep=chosen(Keep, keep), characters=characters))


def _names(topics: Topics | Iterable[str | int]) -> list[str]:
    """The names of topics, which may be numbers."""
    if isinstance(topics, Topics):
        return topics.names
    if isinstance(topics, str | bytes) or not isinstance(topics, Iterable):
        raise UsageError(
            f"topics must be what read_topics returns, or a list of names, got {topics!r}"
        )
    return list(map(str, topics))


def _known(run: RunLike, elements: ElementLookup | None) -> Run:
    """The run, with the lengths of its documents if there is an index to look them up."""
    table = Run.coerced(run)
    if elements is not None and not hasattr(elements, "smallest_containing"):
        raise UsageError(f"elements must be an offset index (foveal.open_index), got {elements!r}")
    if elements is None or table.lengths is not None:
        return table
    return table.with_lengths(elements.lengths)
