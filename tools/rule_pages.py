"""The page of the rules: each with a run that breaks it, what `check` says, and what `check --fix` does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

import polars as pl
from tests.unit.rules.cases import CASES, Case, Row, run_of

from foveal import render
from foveal.choices import Task
from foveal.errors import DataError
from foveal.intake import Documents
from foveal.rules import EVERY_TASK, RULES, SEVERITIES, Findings, Rule, repair
from tools.making import Lines, aligned, block, code, prose, table

TITLE = "Rules of check"
HEADINGS = {"error": "Errors", "warning": "Warnings", "note": "Notes"}
MEANINGS = {
    "error": "The run cannot be scored as its task demands: the exit code is 65.",
    "warning": "The scores may not mean what you think.",
    "note": "Something to know; nothing is wrong.",
}
GIVEN = {
    "judgements": "the judgements (`--qrels`)",
    "topics": "the topics (`--topics-file`)",
    "elements": "the offset index (`--elements`)",
    "docs": "the documents' texts (`--docs`)",
}
# Changes of `check --fix` that no rule of `check` asks for.
BESIDES = {
    "ranks": "The results of each topic are numbered from 1 in their order.",
    "scores": "A topic whose scores contradict the order gets new scores, 1/rank.",
    "paths": "A step of an element's path without a number gets one: `/article/sec[2]` becomes"
    " `/article[1]/sec[2]`.",
    "characters": "With `--characters N`, a topic (in task `ric` a document) is cut after N characters.",
}
UNREADABLE = (
    "A line that cannot be read is an error, too. It is reported under the name `unreadable`; the rules are checked"
    " for all other lines, and a note says how many results these have. A file that is something else than a run,"
    " or XML that is broken, is one error."
)
CHARACTERS = "characters"
# A long run is shown by its first and last rows.
SHOWN_ROWS, SHOWN_DOCUMENTS = 6, 4
COLUMNS = ("topic", "doc", "start", "end", "rank", "score", "text", "path")


def rules_page() -> Lines:
    """Every rule, the gravest first."""
    yield from [f"# {TITLE}", ""]
    yield "`foveal check` looks for what breaks these rules; `foveal check --fix` writes a copy of a run that obeys"
    yield "them, as far as that can be done without guessing. A rule holds in every"
    yield "[task](../reference.md#tasks) or in some, and is checked if what it needs is given. The findings and"
    yield "changes below are what the program says about the runs shown."
    for severity in SEVERITIES:
        rules = [rule for _, rule in sorted(RULES.items()) if rule.severity == severity]
        yield from ["", f"## {HEADINGS[severity]}", "", MEANINGS[severity], ""]
        for rule in rules:
            yield from _entry(rule, CASES[rule.name])
    yield from ["## Lines that cannot be read", "", UNREADABLE, ""]
    yield from ["## What repair changes besides", ""]
    yield from table(["change", "what is done"], ([code(name), BESIDES[name]] for name in BESIDES))


def tasks_of(rule: Rule) -> str:
    """The tasks in which a rule holds."""
    tasks = (task for task in Task if task in rule.tasks)
    return "all" if rule.tasks == EVERY_TASK else ", ".join(map(code, tasks))


def needs_of(rule: Rule) -> str:
    """Inputs that the rule needs besides the run."""
    return " or ".join(GIVEN[need] for need in GIVEN if need in rule.needs) or "only the run"


def _entry(rule: Rule, case: Case) -> Lines:
    yield from [f"### {rule.name}", "", prose(rule.sentence), ""]
    yield from [f"* **tasks:** {tasks_of(rule)}", f"* **needs:** {needs_of(rule)}", ""]
    yield from ["A run that breaks it:", "", *block(_listed(case.breaks))]
    yield from _context(rule, case)
    findings = Findings(tuple(case.findings(rule.name, case.run(case.breaks, first=1))), {})
    # The last line counts the findings.
    text = render(findings, to="text").rstrip("\n").rpartition("\n")[0]
    yield from ["What `foveal check` says:", "", *block(text), *_fixed(rule, case)]


def _listed(rows: list[Row]) -> str:
    """The rows of a run as a table, with the numbers of their lines."""
    names = [name for name in COLUMNS if any(row.get(name) is not None for row in rows)]
    cells = [["line", *names]]
    for line, row in enumerate(rows, 1):
        if len(rows) <= SHOWN_ROWS or line < SHOWN_ROWS // 2 or line == len(rows):
            values = [row.get(name) for name in names]
            cells.append([str(line), *("" if value is None else str(value) for value in values)])
        elif line == SHOWN_ROWS // 2:
            cells.append(["⋯"])
    return aligned(cells)


def _context(rule: Rule, case: Case) -> Iterator[str]:
    """The inputs of the case besides the run."""
    if case.qrels:
        # Topics whose judged documents are the same are named together.
        topics: dict[str, list[str]] = {}
        for topic, rows in groupby(case.qrels, lambda row: row["topic"]):
            judged = _documents(list(rows), lengths="elements" in rule.needs)
            topics.setdefault(judged, []).append(code(topic))
        listed = "; ".join(
            f"{', '.join(topic_codes)} with {judged}" for judged, topic_codes in topics.items()
        )
        yield from [f"Judged topics: {listed}.", ""]
    if case.topics is not None:
        yield from [f"Topics given: {', '.join(map(code, case.topics))}.", ""]
    if case.elements is not None:
        yield "The index says that characters 25 to 43 of document 9996 are an element, and that 8 to 12 and 0 to 3"
        yield from ["are not.", ""]
    if case.docs is not None:
        texts = "; ".join(f"{code(name)}: “{text}”" for name, text in case.docs.items())
        yield from [f"The documents are {texts}", ""]
    if case.count != CHARACTERS:
        yield from [f"The offsets are taken to count {case.count} (`--count {case.count}`).", ""]


def _documents(rows: list[Row], *, lengths: bool) -> str:
    names = [
        code(row["doc"])
        + (f" ({row['length'] or 'unknown number of'} characters)" if lengths else "")
        for row in rows
    ]
    if len(names) > SHOWN_DOCUMENTS:
        names = [names[0], names[1], "…", names[-1]]
    return ", ".join(names)


def _fixed(rule: Rule, case: Case) -> Lines:
    """The changes that `check --fix` makes to the run, and whether it then obeys the rule."""
    run = run_of(case.breaks, case.order, case.format, 1, case.states)
    docs = None if case.docs is None else Documents(case.docs)
    condition = ""
    if case.qrels and "elements" in rule.needs:
        # Repair takes no judgements; an index or texts tell lengths as well.
        lengths = pl.DataFrame(case.qrels).select("doc", "length").unique("doc")
        run = replace(run, lengths=lengths)
        condition = ", if `--elements` or `--docs` tells how long the documents are"
    try:
        if docs is None:
            changed = repair(run, task=case.task, elements=case.elements)
        else:
            changed = repair(run, task=case.task, docs=docs, count=case.count)
    except DataError as error:
        yield from ["`foveal check --fix` refuses the run:", "", *block(str(error))]
        return
    checked_run = changed.run if docs is None else docs.audited(replace(changed.run, audit=None))
    if case.findings(rule.name, checked_run):
        yield from ["`foveal check --fix` leaves that as it is.", ""]
    else:
        yield from [f"`foveal check --fix` fixes it{condition}:", "", *block(str(changed))]
