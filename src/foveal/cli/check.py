"""foveal check: everything wrong or suspicious in runs, and a copy that is right."""

from __future__ import annotations

import sys
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING

import click

from foveal.choices import Form, Keep, Task
from foveal.cli import _options as options
from foveal.cli._console import emit, print_notes, refuse_overwriting
from foveal.cli._parallel import refuse_typed, refuse_unshareable
from foveal.errors import DataError, UsageError, counted

if TYPE_CHECKING:
    from foveal.tables import Run

PLACE_IN_LISTS = 70
# Options that apply to one of the two modes only.
_FINDING_OPTIONS = {"qrels", "topics_file", "qrels_format", "to"}
_FIX_OPTIONS = {"keep", "characters"}


@click.command()
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
@options.TextOptions.options
@click.option(
    "--fix", is_flag=True, is_eager=True,  # the default of --to depends on it
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
    texts: options.TextOptions,
    fix: bool,
    keep: Keep,
    characters: int | None,
    to: Form,
    output: str | None,
) -> None:
    """List every problem in runs with file and line, or write a copy without them.

    \b
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

    Lines that cannot be read are errors, and the rules are checked for all others. The exit code
    is 65 if there is any error. Without --task the rules are those of the task
    that a run states, if it is an XML submission that states one; else of `document` if it
    returns whole documents and no text is highlighted, and of `focused` if not.

    With --fix, overlap is removed (focused, ric, bic), documents are grouped (ric) or kept once
    (bic), topics are cut to 1,500 results (not in document and rag), ranks count from 1, scores fall,
    element paths are written out, and a mixture of elements and passages becomes passages. With
    --docs, offsets are found or corrected by the results' texts, parts without text are cut at the
    end of their document, and documents get the names they have there. Fixing the copy changes
    nothing.
    """
    from foveal.formats import read_qrels, read_run, read_topics
    from foveal.rendering import rendered_bytes
    from foveal.rules import Findings, check_run
    from foveal.tables import deduplicated_notes

    refuse_typed(
        _FINDING_OPTIONS if fix else _FIX_OPTIONS,
        "does not apply to --fix, which lists no findings" if fix else "needs --fix",
    )
    if fix:
        if len(runs) > 1 or output is None:
            raise UsageError(
                "--fix writes a copy of one run: name one RUN, and the copy with -o FILE"
            )
        index, docs = options.index_at(elements), texts.for_runs().get("docs")
        run = read_run(runs[0], run_format, elements=index)
        if docs is not None:
            run = docs.audited(run, chunks=texts.chunks, copies=texts.copies, count=texts.count)
        question = f"is {elements} the index" if elements else f"are {texts.docs} the documents"
        _write_fixed(run, output, task, keep, characters, question)
        return
    refuse_unshareable(runs, *(file for file in (qrels, topics_file) if file), shared=False)
    index = options.index_at(elements)
    judgements = None
    if qrels:
        judgements = read_qrels(qrels, qrels_format, elements=index, **texts.for_qrels)
    topics = read_topics(topics_file).names if topics_file else None
    compared = texts.for_runs()
    by_run = {}
    for path in runs:
        read = partial(read_run, path, run_format, elements=index)
        by_run[path] = check_run(
            read, judgements, task=task, topics=topics, elements=index, **compared
        )
    findings = Findings.together(by_run)
    notes = [note for item in by_run.values() for note in item.notes]
    if len(by_run) > 1:
        notes = [*deduplicated_notes((run, item.notes) for run, item in by_run.items())]
    emit(rendered_bytes(findings, to), output, to)
    print_notes(findings.settings, [*notes, *(judgements.notes if judgements else ())], to)
    if findings.has_errors:
        sys.exit(DataError.exit_code)


def _write_fixed(
    run: Run, output: str, task: Task | None, keep: Keep, characters: int | None, question: str
) -> None:
    """Write a copy of a run that obeys the rules of its task, and list what was changed.

    `question` asks whether the index or the documents are of the same collection.
    """
    from foveal.files import write_bytes
    from foveal.formats import write_run
    from foveal.rules import RepairOptions, default_task, described_task, repaired
    from foveal.work import stage

    decided = task or default_task(run, None)
    repair = repaired(run, RepairOptions(decided, keep=keep, characters=characters))
    if repair.run.frame.is_empty():
        raise DataError(
            f"{run.source}: nothing is left, every part starts beyond the end of its document: {question} of"
            " this collection?"
        )
    refuse_overwriting(output)
    with stage("formatting"):
        write_run(repair.run, data := BytesIO(), run.format, paths=repair.run.results.has_paths)
    write_bytes(data.getvalue(), output)
    to_errors = output == "-"
    for change in repair.changes:
        click.echo(f"{change.sentence} [{change.rule}]", err=to_errors)
    kept_count, total = repair.run.frame.height, counted(run.frame.height, "result")
    suffix = "" if repair.changes else ", nothing to change"
    click.echo(
        f"{output}: {kept_count:,} of {total}, format {run.format}, task"
        f" {described_task(decided, run)}{suffix}",
        err=to_errors,
    )
