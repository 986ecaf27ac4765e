"""foveal check: everything wrong or suspicious in runs, and a copy that is right."""

from __future__ import annotations

import sys
from io import BytesIO
from typing import TYPE_CHECKING

import click

from foveal.choices import Form, Keep, Task
from foveal.cli import _options as options
from foveal.cli._output import emit, refuse_overwriting, remark
from foveal.cli._work import refuse_typed, refuse_unshareable
from foveal.errors import BadInput, DataError, Problem, UsageError, counted, shortened
from foveal.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foveal.elements import ElementLookup
    from foveal.rules import Findings
    from foveal.tables import Qrels, Run, TextLookup

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
  foveal check mine.fol --fix -o fixed.fol --task focused
  foveal check mine.fol --fix -o fixed.fol --task focused --keep descendants --characters 1000
  foveal check chunks.jsonl --fix -o placed.jsonl --task rag --docs corpora/
"""
# Options of one of the two modes alone.
_OF_FINDINGS = {"qrels", "topics_file", "qrels_format", "to"}
_OF_FIXING = {"keep", "characters"}


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
@options.run_format
@options.qrels_format
@options.elements
@options.Texts.options
@click.option(
    "--fix", is_flag=True, is_eager=True,  # known before the default of --to is chosen
    help="Write a copy of the run that obeys the rules of its task to -o FILE, and list what was"
    " changed.",
)  # fmt: skip
@click.option(
    "--keep", type=options.Word(Keep), default=Keep.BETTER.value, show_default=True,
    help="With --fix, which of several results that share text: the better ranked, larger or"
    " smaller.",
)  # fmt: skip
@click.option(
    "--characters", type=click.IntRange(1), metavar="N",
    help="With --fix, at most N characters per topic, in ric per document; the last part is cut.",
)  # fmt: skip
@options.results()
def command(
    runs: tuple[str, ...],
    qrels: str | None,
    topics_file: str | None,
    task: Task | None,
    run_format: str | None,
    qrels_format: str | None,
    elements: str | None,
    texts: options.Texts,
    fix: bool,
    keep: Keep,
    characters: int | None,
    to: Form,
    output: str | None,
) -> None:
    """List every problem in runs with file and line, or write a copy without them.

    The exit code is 65 if any of them is an error. Without --task the rules are those of the task
    that a run states, if it is an XML submission that states one; else of `document` if it
    returns whole documents and no text is highlighted, and of `focused` if not.

    With --fix, overlap is removed (focused, ric, bic), documents are grouped (ric) or kept once
    (bic), topics are cut to 1,500 results (not in document and rag), ranks count from 1, scores fall,
    element paths are written out, and a mixture of elements and passages becomes passages. With
    --docs, offsets are found or corrected by the results' texts, parts without text are cut at the
    end of their document, and documents get the names they have there. Fixing the copy changes
    nothing.
    """
    from foveal.formats import read_qrels, read_topics
    from foveal.measures import told_once
    from foveal.rendering import rendered_bytes
    from foveal.rules import Findings

    refuse_typed(
        _OF_FINDINGS if fix else _OF_FIXING,
        "does not apply to --fix, which lists no findings" if fix else "needs --fix",
    )
    if fix:
        if len(runs) > 1 or output is None:
            raise UsageError(
                "--fix writes a copy of one run: name one RUN, and the copy with -o FILE"
            )
        docs = texts.opened().get("docs")
        given = _Given(run_format, task, options.index_at(elements), texts, docs)
        origin = f"is {elements} the index" if elements else f"are {texts.docs} the documents"
        _write_fixed(runs[0], output, given, keep, characters, origin)
        return
    refuse_unshareable(runs, *(file for file in (qrels, topics_file) if file), shared=False)
    index = options.index_at(elements)
    judgements = None
    if qrels:
        judgements = read_qrels(qrels, qrels_format, elements=index, **texts.evidence)
    topics = read_topics(topics_file).names if topics_file else None
    docs = texts.opened().get("docs")
    given = _Given(run_format, task, index, texts, docs, judgements, topics)
    each = {run: _findings(run, given) for run in runs}
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
    """What every run is read and checked with."""

    run_format: str | None
    task: Task | None
    index: ElementLookup | None
    texts: options.Texts
    docs: TextLookup | None
    qrels: Qrels | None = None
    topics: Sequence[str] | None = None

    def run(self, path: str) -> Run:
        """A run, compared with the texts of its documents if they are given."""
        from foveal.formats import read_run

        run, texts = read_run(path, self.run_format, elements=self.index), self.texts
        if self.docs is None:
            return run
        return self.docs.audited(run, chunks=texts.chunks, copies=texts.copies, count=texts.count)


def _findings(path: str, given: _Given) -> tuple[Findings, tuple[str, ...]]:
    """The problems of a run, lines that cannot be read among them, and what its reader notes."""
    from foveal.rules import Finding, Findings, default_task, described_task, task_findings
    from foveal.tables import columns_setting

    qrels, task = given.qrels, given.task
    try:
        run = given.run(path)
    except BadInput as error:
        unread = [
            Finding("error", "unreadable", error.source, problem.line, _message(problem))
            for problem in error.problems
        ]
        return Findings(tuple(unread), {"task": task.value if task else "unknown"}), ()
    chosen = task or default_task(run, qrels)
    found = task_findings(run, qrels, chosen, elements=given.index, topics=given.topics)
    taken = columns_setting(run.taken, qrels.taken if qrels else {})
    return Findings(tuple(found), {"task": described_task(chosen, run), **taken}), run.notes


def _message(problem: Problem) -> str:
    """The reason, and the line itself where it is known."""
    return f"{problem.reason} (line: {shortened(problem.text)})" if problem.text else problem.reason


def _write_fixed(
    path: str, output: str, given: _Given, keep: Keep, characters: int | None, origin: str
) -> None:
    """Write a copy of a run that obeys the rules of its task, and list what was changed.

    `origin` asks whether what the run was compared with is of the same collection.
    """
    from foveal.files import write_bytes
    from foveal.formats import write_run
    from foveal.rules import Wishes, default_task, described_task, repaired
    from foveal.work import stage

    run = given.run(path)
    chosen = given.task or default_task(run, None)
    repair = repaired(run, Wishes(chosen, keep=keep, characters=characters))
    if repair.run.frame.is_empty():
        raise DataError(
            f"{path}: nothing is left, every part starts beyond the end of its document: {origin} of"
            " this collection?"
        )
    refuse_overwriting(output)
    with stage("formatting"):
        write_run(repair.run, data := BytesIO(), run.format, paths=repair.run.has_paths)
    write_bytes(data.getvalue(), output)
    to_errors = output == "-"
    for change in repair.changes:
        click.echo(f"{change.sentence} [{change.rule}]", err=to_errors)
    kept, before = repair.run.frame.height, counted(run.frame.height, "result")
    nothing = "" if repair.changes else ", nothing to change"
    click.echo(
        f"{output}: {kept:,} of {before}, format {run.format}, task"
        f" {described_task(chosen, run)}{nothing}",
        err=to_errors,
    )
