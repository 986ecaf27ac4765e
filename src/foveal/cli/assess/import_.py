"""foveal assess import: logs and judgements into a campaign."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from foveal.choices import Copies
from foveal.cli import _options as options
from foveal.cli._completion import NameKind, names_of
from foveal.cli._parallel import refuse_unshareable
from foveal.errors import UsageError, and_list, counted, harmless

if TYPE_CHECKING:
    from foveal.files import Source
    from foveal.tables import Qrels

PLACE_IN_LISTS = 60


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--as", "name", metavar="NAME",
    help="Whose judgements these are, unless their rows name assessors; a log says it itself.",
)  # fmt: skip
@click.option(
    "--format", "format_name", metavar="F", help="The judgements' format.  [default: recognised]",
    shell_complete=names_of(NameKind.QRELS_FORMATS),
)  # fmt: skip
@options.elements
@click.option(
    "--copies", type=options.Word(Copies), default=Copies.REFUSE.value, show_default=True,
    help="Evidence given as text that has several places in its document: refuse it, or take the first.",
)  # fmt: skip
def command(
    campaign: str,
    files: tuple[str, ...],
    name: str | None,
    format_name: str | None,
    elements: str | None,
    copies: Copies,
) -> None:
    """Bring logs or judgements into a campaign.

    \b
    Examples:
      foveal assess import track.campaign other.log             what was done in a copy of the campaign
      foveal assess import track.campaign old.qrels --as ann    judgements that ann made elsewhere
      foveal assess import track.campaign gold.jsonl            of those that its rows name ("assessor")

    A log is what `foveal assess export --to log` wrote: what is not in the campaign yet is added,
    with its times, and whoever did it joins. Judgements in any format are added as what NAME did.
    Importing the same again changes nothing. If something does not fit, nothing is imported.
    """
    from foveal.assess import Campaign, Import, documents_of, is_log, read_log
    from foveal.files import Source
    from foveal.formats import read_assessors

    refuse_unshareable(files, shared=False)
    with Campaign.open(campaign) as opened:
        importer, texts = Import(opened), documents_of(opened)
        index = options.index_at(elements)
        for file in files:
            with Source.of(file) as source:
                if format_name is None and is_log(source.head()):
                    if name is not None:
                        raise UsageError(
                            f"{source.name} is a log, which says who did what: leave out --as"
                        )
                    importer.add_log(read_log(source), source.name)
                    continue
                by_assessor = read_assessors(
                    source, format_name, elements=index, docs=texts, copies=copies
                )
                for assessor, qrels in _by_name(by_assessor, source, name).items():
                    importer.add_judgements(qrels, assessor, source.name)
        summary = importer.store()
    for note in summary.notes:
        click.echo(harmless(f"note: {note}"), err=True)
    existing = f", {summary.duplicates:,} there already" if summary.duplicates else ""
    click.echo(harmless(f"{campaign}: {counted(summary.new, 'new event')}{existing}"))
    if summary.newcomers:
        names = and_list([f"{name} ({role})" for name, role in summary.newcomers.items()])
        click.echo(harmless(f"new: {names}; `foveal assess invite` makes their links"))


def _by_name(by_assessor: dict[str, Qrels], source: Source, name: str | None) -> dict[str, Qrels]:
    """Judgements in a file by assessor, named by --as or by the rows."""
    if name is None:
        if list(by_assessor) == [source.stem]:
            raise UsageError(f"{source.name}: say whose judgements these are with --as NAME")
        return by_assessor
    if len(by_assessor) > 1:
        raise UsageError(
            f"{source.name} names {counted(len(by_assessor), 'assessor')}: leave out --as to import the"
            " judgements of each"
        )
    (qrels,) = by_assessor.values()
    return {name: qrels}
