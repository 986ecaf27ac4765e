"""foveal assess export: judgements out of a campaign."""

from __future__ import annotations

from io import BytesIO
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from foveal.choices import ExportSource, either
from foveal.cli import _options as options
from foveal.cli._completion import NameKind, names_of
from foveal.cli._console import refuse_overwriting
from foveal.errors import DataError, UsageError, counted, did_you_mean, harmless, shortened_list
from foveal.work import stage

if TYPE_CHECKING:
    from foveal.assess import Export
    from foveal.elements import ElementLookup
    from foveal.tables import Qrels

PLACE_IN_LISTS = 50
LOG, INEX_XML, TRECGEN = "log", "inex-xml", "trecgen"
# Endings in addition to those of the formats of judgements.
FORMAT_OF_ENDING = {".qrels": "inex", ".log": LOG}


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.option(
    "-o", "--output", metavar="FILE", required=True,
    help="Write to a file, completely or not at all (- is standard output).",
)  # fmt: skip
@click.option(
    "--from", "whose", metavar=f"{'|'.join(ExportSource)}|NAME",
    help="Whose judgements: the topic's main assessor's, or the next one's who finished the document"
    " (main); the adjudicator's, or the assessors' where they highlighted the same (adjudicated); what"
    " anyone, all or more than half of the assessors highlighted (union, intersection, majority); each"
    " assessor's under their names (each); or those of one person.  [default: main]",
)  # fmt: skip
@click.option(
    "--to", metavar="F", shell_complete=names_of(NameKind.EXPORTS),
    help="The format: one of judgements (`foveal formats`) or log (everything that was done, for"
    " `foveal assess import`).  [default: as the ending of FILE says, .qrels is inex]",
)  # fmt: skip
@click.option(
    "--elements", metavar="INDEX",
    help="The collection's offset index (`foveal index`), which inex-xml needs.",
)  # fmt: skip
def command(
    campaign: str, output: str, whose: str | None, to: str | None, elements: str | None
) -> None:
    """Write the judgements of a campaign.

    \b
    Examples:
      foveal assess export track.campaign -o track.qrels                      the main assessors', for scoring
      foveal assess export track.campaign -o track.qrels --from adjudicated
      foveal assess export track.campaign -o gold.jsonl --from each           with the names of assessors
      foveal assess export track.campaign -o ann.qrels --from ann
      foveal assess export track.campaign -o grades.trec --from majority      whole documents, 1 or 0
      foveal assess export track.campaign -o track.xml --elements INDEX       INEX assessments
      foveal assess export track.campaign -o track.log                        everything that was done

    Only documents that are finished are written, and notes say how many are left. A document that
    is finished without highlights is judged not relevant.
    """
    from foveal.assess import Campaign, exported, log_bytes
    from foveal.files import write_bytes

    refuse_overwriting(output)
    form = _format(output, to)
    if elements and form != INEX_XML:
        raise UsageError(f"--elements is for inex-xml, not for {form}")
    with Campaign.open(campaign) as opened:
        if form == LOG:
            if whose is not None:
                raise UsageError("a log holds what everybody did: leave out --from")
            data, notes = log_bytes(opened), []
            summary = counted(data.count(b"\n"), "event")
        else:
            export = exported(opened, whose or ExportSource.MAIN)
            notes, summary = list(export.notes), export.summary
            is_each = whose == ExportSource.EACH
            data = _written(export, form, options.index_at(elements), notes, is_each=is_each)
    write_bytes(data, output)
    for note in notes:
        click.echo(harmless(f"note: {note}"), err=True)
    click.echo(harmless(f"{output}: {summary}, {form}"), err=output == "-")


def _format(output: str, to: str | None) -> str:
    """Name of the format: the value of --to, or from the file's ending."""
    from foveal.files import COMPRESSION_SUFFIXES
    from foveal.formats import QRELS_FORMATS, output_format

    path = PurePath(output)
    if path.suffix in COMPRESSION_SUFFIXES:
        path = path.with_suffix("")
    name = to or FORMAT_OF_ENDING.get(path.suffix)
    if name == LOG:
        return name
    names = [form.name for form in QRELS_FORMATS.values()]
    if name and name not in names:
        hint = did_you_mean(name, [*names, LOG])
        written_names = sorted(form.name for form in QRELS_FORMATS.values() if form.is_written)
        raise UsageError(f"--to must be {either([*written_names, LOG])}, got {name!r}{hint}")
    try:
        return output_format(QRELS_FORMATS, output, name).name
    except UsageError as error:
        if name:
            raise
        raise UsageError(f"{error}, {LOG}") from error


@stage("formatting")
def _written(
    export: Export, form: str, elements: ElementLookup | None, notes: list[str], *, is_each: bool
) -> bytes:
    """Judgements in a format; notes are added about parts that it cannot hold."""
    from foveal.formats import QRELS_FORMATS, write_assessors, write_qrels

    if export.aspects and not QRELS_FORMATS.named(form).holds_aspects:
        notes.append(
            f"{counted(export.aspects, 'aspect')} left out: {form} cannot hold aspects, jsonl can"
        )
        export = export.without_aspects
    data = BytesIO()
    if is_each:
        write_assessors(export.by_assessor, data, form)
        return data.getvalue()
    qrels = export.qrels
    if not QRELS_FORMATS.named(form).holds_highlights:
        qrels, note = _of_documents(qrels, form)
        notes.append(note)
    elif form == TRECGEN and export.aspects:
        qrels, note = _of_passages(qrels, form)
        notes.append(note)
    if elements is not None:
        _refuse_other_lengths(qrels, elements)
    write_qrels(qrels, data, form, elements=elements)
    return data.getvalue()


def _of_documents(qrels: Qrels, form: str) -> tuple[Qrels, str]:
    """Judgements of whole documents for a format without highlights, and a note."""
    from foveal.formats import QRELS_FORMATS
    from foveal.rules import graded_by_aspect, graded_by_text

    if not QRELS_FORMATS.named(form).holds_aspects or qrels.judgements.aspects is None:
        note = f"{form} holds only grades: 1 for documents with highlights, 0 for all others"
        return graded_by_text(qrels, 1), note
    graded = graded_by_aspect(qrels)
    note = f"{form} holds only documents by aspect: 1 for each aspect of a document"
    if dropped := len(qrels.judgements.topic) - len(graded.judgements.topic):
        note += f"; {counted(dropped, 'document')} without aspects left out"
    return graded, note


def _of_passages(qrels: Qrels, form: str) -> tuple[Qrels, str]:
    """Judgements for a format of passages with aspects, and a note about the parts left out."""
    from foveal.rules import only_passages

    passages = only_passages(qrels)
    rest = counted(len(qrels.judgements.topic) - len(passages.judgements.topic), "document")
    parts = "lengths of documents, entry points and"
    return (passages, f"{form} holds only passages: {parts} {rest} without highlights left out")


def _refuse_other_lengths(qrels: Qrels, elements: ElementLookup) -> None:
    """Raise if the lengths in an index differ from those of the judged texts."""
    from foveal.tables import columns as c

    documents = qrels.documents
    same = documents[c.LENGTH] == elements.lengths(documents[c.DOC])
    if names := documents.filter(~same.fill_null(value=False))[c.DOC].unique().sort().to_list():
        raise DataError(
            f"{counted(len(names), 'document')} of another length, or unknown, in the index:"
            f" {shortened_list(names)}; is it the index of these documents, and does it count characters?"
        )
