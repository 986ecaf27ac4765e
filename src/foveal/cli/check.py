"""foveal check: everything wrong or suspicious in runs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from foveal.choices import Form, Task
from foveal.cli import _options as options
from foveal.cli._output import emit, remark
from foveal.cli._work import refuse_unshareable
from foveal.errors import BadInput, DataError, Problem, shortened
from foveal.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foveal.elements import ElementLookup
    from foveal.rules import Findings
    from foveal.tables import Qrels

PLACE_IN_LISTS = 70
EXAMPLES = """\b
Examples:
  foveal check mine.fol --task ric
  foveal check mine.fol --qrels inex.qrels --task focused
  foveal check mine.fol --topics-file topics.xml             also finds unknown and missing topics
  foveal check mine.xml --elements INDEX                     also finds unknown paths
  foveal check chunks.jsonl --task rag --docs corpora/       also finds offsets that do not fit
  foveal check mine.fol --to jsonl | head
  foveal check submissions/*.fol --task focused              all of them, with a summary of each
"""


@click.command(epilog=EXAMPLES)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--qrels", metavar="QRELS", help="Judgements, to find missing and unjudged topics, too."
)
@click.option(
    "--topics-file", metavar="FILE",
    help="Topics in any known format, to find unknown topics and those without results; no"
    " judgements are needed.",
)  # fmt: skip
@options.task
@options.run_format()
@options.qrels_format
@options.elements
@options.Texts.options
@options.form(without=(Form.TREC, Form.INEX))
@options.output
def command(
    runs: tuple[str, ...],
    qrels: str | None,
    topics_file: str | None,
    task: Task | None,
    run_format: str | None,
    qrels_format: str | None,
    elements: str | None,
    texts: options.Texts,
    to: Form,
    output: str | None,
) -> None:
    """List every problem in runs, each with file and line.

    The exit code is 65 if any of them is an error. Without --task the rules are those of the task
    that a run states, if it is an XML submission that states one; else of `document` if it
    returns whole documents and no text is highlighted, and of `focused` if not.
    """
    from foveal.formats import read_qrels, read_topics
    from foveal.measures import told_once
    from foveal.rendering import rendered_bytes
    from foveal.rules import Findings

    refuse_unshareable(runs, *(file for file in (qrels, topics_file) if file), shared=False)
    index = options.index_at(elements)
    judgements = None
    if qrels:
        judgements = read_qrels(
            qrels, qrels_format, elements=index, docs=texts.documents, copies=texts.copies
        )
    topics = read_topics(topics_file).names if topics_file else None
    given = _Given(judgements, topics, task, index, texts)
    each = {run: _findings(run, run_format, given) for run in runs}
    found = Findings.together({run: own for run, (own, _) in each.items()})
    notes = [note for _, own in each.values() for note in own]
    if len(each) > 1:
        notes = [*told_once((run, own) for run, (_, own) in each.items())]
    emit(rendered_bytes(found, to), output, to)
    remark(found.settings, [*notes, *(judgements.notes if judgements else ())], to)
    if found.has_errors:
        sys.exit(DataError.exit_code)


@frozen
class _Given:
    """What every run is checked with."""

    qrels: Qrels | None
    topics: Sequence[str] | None
    task: Task | None
    index: ElementLookup | None
    texts: options.Texts


def _findings(path: str, run_format: str | None, given: _Given) -> tuple[Findings, tuple[str, ...]]:
    """The problems of a run, lines that cannot be read among them, and what its reader notes."""
    from foveal.formats import read_run
    from foveal.rules import Finding, Findings, default_task, described_task, task_findings
    from foveal.tables import columns_setting

    qrels, texts, task, index = given.qrels, given.texts, given.task, given.index
    compared = texts.opened()
    try:
        run = read_run(path, run_format, elements=index)
        if (docs := compared.get("docs")) is not None:
            run = docs.audited(run, chunks=texts.chunks, copies=texts.copies, count=texts.count)
    except BadInput as error:
        unread = [
            Finding("error", "unreadable", error.source, problem.line, _message(problem))
            for problem in error.problems
        ]
        return Findings(tuple(unread), {"task": task.value if task else "unknown"}), ()
    chosen = task or default_task(run, qrels)
    found = task_findings(run, qrels, chosen, elements=index, topics=given.topics)
    taken = columns_setting(run.taken, qrels.taken if qrels else {})
    return Findings(tuple(found), {"task": described_task(chosen, run), **taken}), run.notes


def _message(problem: Problem) -> str:
    """The reason, and the line itself where it is known."""
    return f"{problem.reason} (line: {shortened(problem.text)})" if problem.text else problem.reason
