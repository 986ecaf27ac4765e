"""foveal repair: make a run obey the rules of its task."""

from __future__ import annotations

from io import BytesIO

import click

from foveal.choices import Keep, Order, Task, Within
from foveal.cli import _options as options
from foveal.cli._output import refuse_overwriting
from foveal.errors import DataError, counted

PLACE_IN_LISTS = 80
EXAMPLES = """\b
Examples:
  foveal repair mine.fol -o fixed.fol --task focused
  foveal repair mine.fol -o fixed.fol --task focused --keep descendants
  foveal repair mine.xml -o fixed.xml --task ric --within reading --elements INDEX
  foveal repair mine.fol -o restricted.fol --task focused --characters 1000
  foveal repair chunks.jsonl -o placed.jsonl --task rag --docs corpora/
"""


@click.command(epilog=EXAMPLES)
@click.argument("path", metavar="RUN")
@click.option("-o", "--output", metavar="FILE", required=True, help="The repaired run.")
@options.task
@options.elements
@options.Texts.options
@click.option(
    "--keep", type=options.Word(Keep), default=Keep.BETTER.value, show_default=True,
    help="Which of several results that share text: the better ranked, larger or smaller.",
)  # fmt: skip
@click.option(
    "--within", type=options.Word(Within), default=Within.RANK.value, show_default=True,
    help="The order of a document's results in ric: by rank, or in reading order.",
)  # fmt: skip
@click.option(
    "--results", type=click.IntRange(1), default=1500, show_default=True, metavar="N",
    help="At most N results per topic (not in tasks document and rag).",
)  # fmt: skip
@click.option(
    "--characters", type=click.IntRange(1), metavar="N",
    help="At most N characters per topic, in ric per document; the last part is cut.",
)  # fmt: skip
@click.option(
    "--order", type=options.Word(Order),
    help="What ranks the results.  [default: decided by the run's format]",
)  # fmt: skip
@options.run_format("The run's")
def command(
    path: str,
    output: str,
    task: Task | None,
    elements: str | None,
    texts: options.Texts,
    keep: Keep,
    within: Within,
    results: int,
    characters: int | None,
    order: Order | None,
    run_format: str | None,
) -> None:
    """Write a copy of a run that obeys the rules of its task, and list what was changed.

    Overlap is removed (focused, ric, bic), documents are grouped (ric) or kept once (bic), topics
    are cut to N results, ranks count from 1, scores fall, element paths are written out, and a
    mixture of elements and passages becomes passages. With --docs, offsets are found or corrected by
    the results' texts, parts without text are cut at the end of their document, and documents get the
    names they have there. Repairing the copy changes nothing. Without
    --task the run is repaired for the task that it states, if it is an XML submission that states
    one; else for `document` if it returns whole documents only, and for `focused` if not.
    """
    from foveal.files import write_bytes
    from foveal.formats import read_run, write_run
    from foveal.rules import Wishes, default_task, described_task, repaired
    from foveal.work import stage

    compared = texts.opened()
    run = read_run(path, run_format, elements=options.index_at(elements))
    if (docs := compared.get("docs")) is not None:
        run = docs.audited(run, chunks=texts.chunks, copies=texts.copies, count=texts.count)
    chosen = task or default_task(run, None)
    wishes = Wishes(
        chosen, order=order, keep=keep, within=within, results=results, characters=characters
    )
    repair = repaired(run, wishes)
    if repair.run.frame.is_empty():
        origin = f"is {elements} the index" if elements else f"are {texts.docs} the documents"
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
