"""Checking and repairing runs in any form, for callers of the library."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Unpack

from foveal.choices import Keep, OffsetUnit, Task, chosen
from foveal.errors import BadInput, Problem, UsageError, counted, shortened
from foveal.rules._rule import Finding, Findings, by_line, task_findings
from foveal.rules.repair import Repair, RepairOptions, repaired
from foveal.rules.task_rules import default_task, described_task
from foveal.shown import hook
from foveal.tables import (
    Comparing,
    Qrels,
    QrelsLike,
    Run,
    RunLike,
    TextLookup,
    Topics,
    aliases,
    refuse_wrong_docs,
)

if TYPE_CHECKING:
    from foveal.elements import ElementLookup

Path = str | os.PathLike[str]
# What lines that cannot be read, or places that lead nowhere, break without being wrong themselves.
CONSEQUENCES = {"first-rank", "unmapped-elements"}
UNREADABLE = "unreadable"


def check(
    run: RunLike | Path,
    qrels: QrelsLike | None = None,
    *,
    task: Task | str | None = None,
    topics: Topics | Iterable[str | int] | None = None,
    elements: ElementLookup | None = None,
    docs: TextLookup | None = None,
    **texts: Unpack[Comparing],
) -> Findings:
    """Everything wrong or suspicious in a run, or in the file at a path, by the rules of a task.

    Lines that cannot be read are findings, too; the rules are checked for all others. With
    judgements, missing and extra topics are found as well; so they are with `topics`
    (`foveal.read_topics`, or their names), before anything is judged; with `elements`, the collection's
    offset index (`foveal.open_index`), unknown documents and parts that end beyond theirs; with
    `docs` (`foveal.read_documents`), offsets that do not fit the results' texts, with `chunks`,
    `copies` and `count` as for `foveal.from_hits`. The task, if not given, is the one that the run
    states, else `document` where neither speaks of text, else `focused`.

    >>> import foveal
    >>> rows = [{"topic": "1", "doc": "a", "start": 0, "end": end} for end in (20, 30)]
    >>> found = foveal.check(rows, task="focused")
    >>> found.has_errors
    True
    >>> print(found.findings[0].message)
    topic '1', document 'a': overlaps an earlier result
    """
    refuse_wrong_docs(docs, texts.get("chunks"), texts.get("count", OffsetUnit.CHARACTERS))
    judgements = None if qrels is None else Qrels.coerced(qrels)
    found = check_run(
        partial(_known, run, elements),
        judgements,
        task=chosen(Task, task) if task else None,
        topics=None if topics is None else _names(topics),
        elements=elements,
        docs=docs,
        **texts,
    )
    return replace(found, notes=(*(judgements.notes if judgements else ()), *found.notes))


def check_run(
    read: Callable[[], Run],
    qrels: Qrels | None,
    *,
    task: Task | None,
    topics: Sequence[str] | None,
    elements: ElementLookup | None,
    docs: TextLookup | None,
    **texts: Unpack[Comparing],
) -> Findings:
    """Everything wrong or suspicious in a run that is read, lines that cannot be read among it."""
    run, findings = _readable(read)
    if run and docs is not None:
        run, more = _readable(partial(docs.audited, run, **texts))
        findings += more
    if run is None:
        return Findings(tuple(findings), {"task": task.value if task else "unknown"})
    decided = task or default_task(run, qrels)
    columns = aliases.columns_setting(run.origin.aliases_used, qrels.aliases_used if qrels else {})
    left = counted(len(run.results), "result")
    partly = (f"the other rules are checked for the {left} that can be read",) if findings else ()
    found = task_findings(run, qrels, decided, elements=elements, topics=topics)
    findings += [own for own in found if not (partly and own.rule in CONSEQUENCES)]
    settings = {"task": described_task(decided, run), **columns}
    return Findings(tuple(by_line(findings)), settings, (*partly, *run.notes))


def _readable(read: Callable[[], Run]) -> tuple[Run | None, list[Finding]]:
    """The run on the lines that can be read, if any, and what is wrong with the others."""
    try:
        return read(), []
    except BadInput as error:
        unread = [_unread(error.source, problem) for problem in error.problems]
        lines = {problem.line for problem in error.problems}
        run, more = _readable(error.rest) if error.rest else (None, [])
        return run, [*unread, *(own for own in more if own.line not in lines)]


def _unread(source: str, problem: Problem) -> Finding:
    """A line that cannot be read, which is shown where it is known."""
    line = f" (line: {shortened(problem.text)})" if problem.text else ""
    return Finding("error", UNREADABLE, source, problem.line, problem.reason + line)


def repair(
    run: RunLike | Path,
    *,
    task: Task | str | None = None,
    elements: ElementLookup | None = None,
    keep: Keep | str = Keep.BETTER,
    characters: int | None = None,
    docs: TextLookup | None = None,
    **texts: Unpack[Comparing],
) -> Repair:
    """A copy of a run, or of that at a path, that obeys the rules of a task, and what was changed.

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
    refuse_wrong_docs(docs, texts.get("chunks"), texts.get("count", OffsetUnit.CHARACTERS))
    table = _known(run, elements)
    if docs is not None:
        table = docs.audited(table, **texts)
    decided = chosen(Task, task) if task else default_task(table, None)
    return repaired(table, RepairOptions(decided, keep=chosen(Keep, keep), characters=characters))


def _names(topics: Topics | Iterable[str | int]) -> list[str]:
    """The names of topics, which may be numbers."""
    if isinstance(topics, Topics):
        return topics.names
    if isinstance(topics, str | bytes) or not isinstance(topics, Iterable):
        raise UsageError(
            f"topics must be what read_topics returns, or a list of names, got {topics!r}"
        )
    return list(map(str, topics))


def _known(run: RunLike | Path, elements: ElementLookup | None) -> Run:
    """The run, with the lengths of its documents if there is an index to look them up."""
    if elements is not None and not hasattr(elements, "smallest_containing"):
        raise UsageError(f"elements must be an offset index (foveal.open_index), got {elements!r}")
    if isinstance(run, str | os.PathLike):
        table: Run = hook.read_run(run, elements=elements)
        return table
    table = Run.coerced(run)
    if elements is None or table.lengths is not None:
        return table
    return table.with_lengths(elements)
