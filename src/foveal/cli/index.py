"""foveal index: an offset index of all elements of a collection."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from foveal.choices import Count, Whitespace
from foveal.cli import _options as options
from foveal.cli._parallel import cluster_option, jobs_option
from foveal.errors import counted, shortened

if TYPE_CHECKING:
    from foveal.collection import BuiltIndex, MakeShard, Member, Shard

PLACE_IN_LISTS = 100
SHOWN_FILES = 20


@click.command()
@click.argument("collections", metavar="COLLECTION...", nargs=-1, required=True)
@click.option(
    "-o", "--output", "target", metavar="INDEX", required=True,
    help="The folder to make; an interrupted call continues where it stopped.",
)  # fmt: skip
@click.option(
    "--count", type=options.Word(Count), default=Count.CHARACTERS.value, show_default=True,
    help="What offsets count: characters, or bytes in UTF-8.",
)  # fmt: skip
@click.option(
    "--whitespace", type=options.Word(Whitespace), default=Whitespace.KEEP.value,
    show_default=True,
    help="Count every blank, or each run of blanks in a text node as one.",
)  # fmt: skip
@click.option(
    "--id", "rule", metavar="RULE", default="",
    help="Where a document's id is: @ATTRIBUTE of its root, ELEMENT (or JSON field), or"
    " re:EXPRESSION with one group, matched in the file's path.  [default: the file's name without"
    " its ending; in TREC's SGML the element DOCNO; in JSON the field id]",
)  # fmt: skip
@click.option(
    "--strict",
    is_flag=True,
    help="Refuse a collection with malformed documents instead of leaving them out.",
)
@jobs_option("Read N batches of documents at a time.")
@cluster_option("Read")
def command(
    collections: tuple[str, ...],
    target: str,
    count: Count,
    whitespace: Whitespace,
    rule: str,
    strict: bool,
    jobs: int,
    cluster: str | None,
) -> None:
    """Index collections of documents.

    \b
    Examples:
      foveal index wikipedia/ -o wikipedia.index --jobs 4
      foveal index inex-1.9.tar.gz -o ieee.index --id 're:(\\w+/\\d+/\\w+)[.]xml$'
      foveal index dump.xml -o dump.index --id @id              several documents in one file
      foveal index s3://bucket/articles -o articles.index --cluster tcp://head:8786

    COLLECTION is a folder, a tar or zip archive, or a file of documents: XML, TREC's SGML, lines
    of JSON with id and text, or plain text; compressed or not. Malformed documents are listed
    and left out. The offset index turns element paths into offsets, for `foveal locate` and every
    command that takes --elements INDEX.
    """
    from foveal.collection import Identifier, OffsetCounter, Settings, build_index
    from foveal.files import collection_size
    from foveal.work import stage, streamed

    settings = Settings(OffsetCounter(count, whitespace), Identifier(rule))
    with stage("indexing", lambda: collection_size(collections), in_bytes=True) as advance:
        sizes: deque[int] = deque()

        def recorded(batches: Iterable[list[Member]]) -> Iterator[list[Member]]:
            for batch in batches:
                sizes.append(sum(member.size for member in batch))
                yield batch

        def mapped(make: MakeShard, batches: Iterable[list[Member]]) -> Iterator[Shard]:
            for shard in streamed(make, recorded(batches), jobs=jobs, cluster=cluster):
                yield shard
                advance(sizes.popleft())

        index = build_index(collections, target, settings, strict=strict, mapped=mapped)
    _report(index, target)


def _report(index: BuiltIndex, target: str) -> None:
    for skipped in index.skipped[:SHOWN_FILES]:
        location = shortened(f"{skipped.file}:{skipped.line}")
        click.echo(f"{location}: left out: {shortened(skipped.reason)}", err=True)
    if len(index.skipped) > SHOWN_FILES:
        hidden = len(index.skipped) - SHOWN_FILES
        click.echo(f"and {hidden:,} more (all in {target}/malformed.jsonl)", err=True)
    if index.resumed:
        shards = counted(index.shards, "shard")
        click.echo(f"continued: {index.resumed:,} of {shards} already finished", err=True)
    documents, elements = counted(index.documents, "document"), counted(index.elements, "element")
    click.echo(f"{target}: {documents}, {elements}, {len(index.skipped):,} left out")
