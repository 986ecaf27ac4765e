"""foveal pool: the documents to judge, from the results of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from foveal.choices import Form, PoolOrder, PoolUnit
from foveal.cli import _options as options
from foveal.cli._console import deliver, refuse_overwriting
from foveal.cli._parallel import refuse_unshareable

if TYPE_CHECKING:
    from foveal.judging import PoolCandidates

PLACE_IN_LISTS = 65


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--depth", type=click.IntRange(1), metavar="K",
    help="How far each run is read, by topic.  [default: 100; none for characters]",
)  # fmt: skip
@click.option(
    "--unit", type=options.Word(PoolUnit), default=PoolUnit.DOCUMENTS.value, show_default=True,
    help="What the depth counts: documents by first appearance, results, or characters read, each"
    " once.",
)  # fmt: skip
@click.option(
    "--documents", type=click.IntRange(1), metavar="N",
    help="Instead of a depth: the runs take turns, in the order given, and each adds its first"
    " document that is not in the pool yet, until a topic has N.",
)  # fmt: skip
@click.option(
    "--order", type=options.Word(PoolOrder), default=PoolOrder.PRIORITY.value, show_default=True,
    help="The order of judging: what most runs returned first, then by the sum of ranks"
    " (priority); random; or by the best rank (depth).",
)  # fmt: skip
@click.option(
    "--judged", metavar="QRELS", help="Leave out the documents that these judge for the topic."
)
@options.seed
@options.run_format
@options.qrels_format
@options.elements
@options.TextOptions.options
@options.results(of_files=Form.JSONL)
def command(
    runs: tuple[str, ...],
    judged: str | None,
    run_format: str | None,
    qrels_format: str | None,
    elements: str | None,
    texts: options.TextOptions,
    to: Form,
    output: str | None,
    **choices: Any,
) -> None:
    """Collect the documents to be judged from what runs returned.

    \b
    Examples:
      foveal pool runs/*.fol -o pool.jsonl                      the first 100 documents of each run
      foveal pool runs/*.fol -o pool.jsonl --depth 1500 --unit characters
      foveal pool runs/*.fol -o pool.jsonl --documents 50       50 a topic, from each run in turn
      foveal pool runs/*.fol new.fol -o more.jsonl --judged inex.qrels
      foveal pool runs/*.fol -o pool.jsonl --order random --seed 7
      foveal pool runs/*.fol --depth 50                         only count them, by topic

    A line of the pool is {topic, doc, place, runs, best_rank, passages}: its place in the order of
    judging, how many runs returned it within the depth, its best rank as a document, and the parts
    of it that they returned within the depth, merged. Without -o, a table says how many documents
    each topic has.
    """
    from foveal.formats import read_qrels, read_run
    from foveal.judging import PoolDesign
    from foveal.work import tracked

    refuse_overwriting(output)
    refuse_unshareable(runs, *([judged] if judged else ()), shared=False)
    # Invalid options are refused before any file is read.
    design, index = PoolDesign.of(**choices), options.index_at(elements)
    if judged:
        qrels = read_qrels(judged, qrels_format, elements=index, **texts.for_qrels)
        design = PoolDesign.of(judged=qrels, **choices)

    def candidates(path: str) -> PoolCandidates:
        run = read_run(path, run_format, elements=index, **texts.for_runs())
        return design.candidates_of(run)

    pool = design.pool([*tracked(map(candidates, runs), "reading runs", len(runs))])
    deliver(pool, to, output)
    if output:
        click.echo(f"{output}: {pool.summary}", err=output == "-")
