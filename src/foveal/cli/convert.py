"""foveal convert: runs and judgements from one format to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from foveal.choices import Kind
from foveal.cli import _options as options
from foveal.cli._index import opened
from foveal.errors import UsageError

if TYPE_CHECKING:
    from foveal.formats import Source
    from foveal.tables import ElementLookup

# Their lines have a place for the score that must be filled.
NEEDS_SCORES = {"inex", "trec"}
EXAMPLES = """\b
Examples:
  foveal convert mine.xml mine.fol --elements INDEX          element paths to offsets
  foveal convert mine.fol mine.xml --elements INDEX --paths  parts to the elements around them
  foveal convert inex.qrels judged.jsonl
  foveal convert inex.qrels trec.qrels --to trec --min-highlighted 300
  cat topics/*.xml | foveal convert - all.qrels --to inex --elements INDEX
"""


@click.command(epilog=EXAMPLES)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@options.elements
@click.option("--format", "given", metavar="F", help="The format of IN, if not recognised.")
@click.option("--to", metavar="F", help="The format of OUT.  [default: as its ending says]")
@click.option(
    "--kind", type=options.OneOf(Kind), help="What IN holds.  [default: as its first lines say]"
)
@click.option(
    "--paths", is_flag=True,
    help="Write the path of the smallest element around each part (inex, inex-xml).",
)  # fmt: skip
@click.option(
    "--min-highlighted", type=click.IntRange(1), metavar="N",
    help="Make grades of highlights: 1 from N highlighted characters on, else 0.",
)  # fmt: skip
def command(
    source: str,
    target: str,
    elements: str | None,
    given: str | None,
    to: str | None,
    kind: Kind | None,
    paths: bool,
    min_highlighted: int | None,
) -> None:
    """Write a run or judgements in another format.

    What the other format has no place for is refused, never left out; what changes on the way is
    counted and said. `foveal formats` lists the formats.
    """
    from foveal.formats import Source, kind_of

    content = Source.of(source)
    index = opened(elements)
    if (kind or kind_of(content)) is Kind.RUN:
        if min_highlighted is not None:
            raise UsageError("--min-highlighted is for judgements, and this is a run (--kind)")
        said = _convert_run(content, target, given, to, index, paths=paths)
    else:
        if paths:
            raise UsageError("--paths is for runs, and these are judgements (--kind)")
        said = _convert_qrels(content, target, given, to, index, min_highlighted)
    for line in said:
        click.echo(line, err=target == "-")


def _convert_run(
    source: Source,
    target: str,
    given: str | None,
    to: str | None,
    index: ElementLookup | None,
    *,
    paths: bool,
) -> list[str]:
    """Write a run and say what changed."""
    from foveal.formats import read_run, run_format, write_run
    from foveal.tables import (
        as_elements,
        columns,
        counted,
        with_scores,
        with_whole_documents_as_spans,
    )

    name = run_format(target, to)
    if paths and index is None:
        raise UsageError("--paths needs the collection's offset index: --elements INDEX")
    run = read_run(source, given, elements=index)
    said = list(run.notes)
    if paths and index is not None:
        run, grown = as_elements(run, index)
        said.append(f"{counted(grown, 'part')} grew to the smallest element around")
    if name == "inex":
        whole = run.frame[columns.START].null_count()
        run = with_whole_documents_as_spans(run)
        if filled := whole - run.frame[columns.START].null_count():
            said.append(f"{counted(filled, 'whole document')} written as a span")
    if name in NEEDS_SCORES and run.frame[columns.SCORE].null_count():
        run = with_scores(run)
        said.append("without scores: 1/rank is written")
    write_run(run, target, name, paths=paths)
    topics = counted(run.frame[columns.TOPIC].n_unique(), "topic")
    return [*said, f"{target}: {counted(run.frame.height, 'result')} of {topics}, {name}"]


def _convert_qrels(
    source: Source,
    target: str,
    given: str | None,
    to: str | None,
    index: ElementLookup | None,
    least: int | None,
) -> list[str]:
    """Write judgements and say what changed."""
    from foveal.formats import qrels_format, read_qrels, write_qrels
    from foveal.tables import columns, counted, graded_by_text

    name = qrels_format(target, to)
    qrels = read_qrels(source, given, elements=index)
    said = list(qrels.notes)
    if least is None and name == "trec" and qrels.has_highlights:
        raise UsageError("trec has no place for highlights: --min-highlighted N makes grades")
    if least is not None:
        if not qrels.has_highlights:
            raise UsageError("--min-highlighted: these judgements highlight nothing")
        some = qrels.passages[columns.JUDGED].n_unique()
        qrels = graded_by_text(qrels, least)
        enough = int((qrels.documents[columns.GRADE] > 0).sum())
        said.append(
            f"{enough:,} of {some:,} documents with highlights have {least:,} highlighted characters or"
            " more: grade 1; all others: grade 0"
        )
    write_qrels(qrels, target, name, elements=index)
    topics = counted(qrels.documents[columns.TOPIC].n_unique(), "topic")
    documents = counted(qrels.documents.height, "judged document")
    return [*said, f"{target}: {documents} of {topics}, {name}"]
