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
    PlacementOptions,
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
# Rules that lines which cannot be read, or references without a span, break as a consequence.
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
    **texts: Unpack[PlacementOptions],
) -> Findings:
    """Find everything wrong or suspicious in a run, or in the file at a path, by a task's rules.

    Lines that cannot be read are findings, too; the rules are checked for all others. With
    judgements, missing and extra topics are found as well; so they are with `topics`
    (`foveal.read_topics`, or their names), before anything is judged; with `elements`, the collection's
    offset index (`foveal.open_index`), unknown documents and parts that end beyond theirs; with
    `docs` (`foveal.read_documents`), offsets that do not fit the results' texts, with `chunks`,
    `copies` and `count` as for `foveal.from_hits`. The task, if not given, is the one that the run
    states, else `document` if neither run nor judgements have text, else `focused`.

    >>> import foveal
    >>> rows = [{"topic": "1", "doc": "a", "start": 0, "end": end} for end in (20, 30)]
    >>> findings = foveal.check(rows, task="focused")
    >>> findings.has_errors
    True
    >>> print(findings.findings[0].message)
    topic '1', document 'a': overlaps an earlier result
    """
    refuse_wrong_docs(docs, texts.get("chunks"), texts.get("count", OffsetUnit.CHARACTERS))
    judgements = None if qrels is None else Qrels.coerced(qrels)
    findings = check_run(
        partial(_with_lengths, run, elements),
        judgements,
        task=chosen(Task, task) if task else None,
        topics=None if topics is None else _names(topics),
        elements=elements,
        docs=docs,
        **texts,
    )
    return replace(findings, notes=(*(judgements.notes if judgements else ()), *findings.notes))


def check_run(
    read: Callable[[], Run],
    qrels: Qrels | None,
    *,
    task: Task | None,
    topics: Sequence[str] | None,
    elements: ElementLookup | None,
    docs: TextLookup | None = None,
    **texts: Unpack[PlacementOptions],
) -> Findings:
    """Find everything wrong or suspicious in a run to be read, and the lines that cannot be read."""
    run, findings = _readable_run(read)
    if run and docs is not None:
        run, text_findings = _readable_run(partial(docs.audited, run, **texts))
        findings += text_findings
    if run is None:
        return Findings(tuple(findings), {"task": task.value if task else "unknown"})
    decided = task or default_task(run, qrels)
    aliases_used = aliases.columns_setting(
        run.origin.aliases_used, qrels.aliases_used if qrels else {}
    )
    count = counted(len(run.results), "result")
    notes = (f"the other rules are checked for the {count} that can be read",) if findings else ()
    breaches = task_findings(run, qrels, decided, elements=elements, topics=topics)
    findings += [breach for breach in breaches if not (notes and breach.rule in CONSEQUENCES)]
    settings = {"task": described_task(decided, run), **aliases_used}
    return Findings(tuple(by_line(findings)), settings, (*notes, *run.notes))


def _readable_run(read: Callable[[], Run]) -> tuple[Run | None, list[Finding]]:
    """The run on the lines that can be read, if any, and findings about the others."""
    try:
        return read(), []
    except BadInput as error:
        unreadable = [_unreadable_finding(error.source, problem) for problem in error.problems]
        lines = {problem.line for problem in error.problems}
        run, rest = _readable_run(error.rest) if error.rest else (None, [])
        return run, [*unreadable, *(finding for finding in rest if finding.line not in lines)]


def _unreadable_finding(source: str, problem: Problem) -> Finding:
    """Finding about a line that cannot be read, with its text if it is known."""
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
    **texts: Unpack[PlacementOptions],
) -> Repair:
    """A copy of a run, or of the file at a path, that obeys the rules of a task, and the changes.

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
    table = _with_lengths(run, elements)
    if docs is not None:
        table = docs.audited(table, **texts)
    decided = chosen(Task, task) if task else default_task(table, None)
    return repaired(table, RepairOptions(decided, keep=chosen(Keep, keep), characters=characters))


def _names(topics: Topics | Iterable[str | int]) -> list[str]:
    """Names of topics, given as names or numbers."""
    if isinstance(topics, Topics):
        return topics.names
    if isinstance(topics, str | bytes) or not isinstance(topics, Iterable):
        raise UsageError(
            f"topics must be what read_topics returns, or a list of names, got {topics!r}"
        )
    return list(map(str, topics))


def _with_lengths(run: RunLike | Path, elements: ElementLookup | None) -> Run:
    """The run, with the lengths of its documents if an index is given."""
    if elements is not None and not hasattr(elements, "smallest_containing"):
        raise UsageError(f"elements must be an offset index (foveal.open_index), got {elements!r}")
    if isinstance(run, str | os.PathLike):
        table: Run = hook.read_run(run, elements=elements)
        return table
    table = Run.coerced(run)
    if elements is None or table.lengths is not None:
        return table
    return table.with_lengths(elements)
