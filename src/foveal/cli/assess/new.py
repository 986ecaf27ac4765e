"""foveal assess new: a campaign from topics, a pool and texts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from foveal.choices import EntryPoints, Snap, StoredTexts
from foveal.cli import _options as options
from foveal.cli._parallel import is_stream, refuse_unshareable
from foveal.cli._scoring import looks_like_run
from foveal.errors import BadInput, DataError, counted, harmless

if TYPE_CHECKING:
    from foveal.assess import CampaignDesign, NewCampaign, StoredDocument
    from foveal.tables import Pool, Topics

PLACE_IN_LISTS = 10


class ShareOption(click.ParamType[float]):
    """A percentage, converted to a number from 0 to 1."""

    name = "P%"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Convert text such as 20%."""
        if isinstance(value, float):
            return value
        match = re.fullmatch(r"(\d{1,3}(?:\.\d{1,6})?) ?%", value, re.ASCII)
        if match is None or float(match[1]) > 100:
            raise click.UsageError(
                f"{param.opts[0]} must be a share of the topics from 0% to 100%, such as 20%, got"
                f" {harmless(value)!r}",
                ctx,
            )
        return float(match[1]) / 100


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.option("--topics", required=True, metavar="FILE", help="The topics, in any topic format.")
@click.option(
    "--pool", required=True, metavar="FILE", help="The documents to judge, from `foveal pool`."
)
@click.option(
    "--docs", required=True, metavar="DOCUMENTS",
    help="The texts that the runs searched: a folder, an archive, or JSON, CSV or Parquet with doc"
    " and text.",
)  # fmt: skip
@click.option(
    "--elements", metavar="INDEX",
    help="The documents' offset index (`foveal index`), for headings, lists and tables.",
)  # fmt: skip
@click.option(
    "--assessor", "assessors", required=True, multiple=True, metavar="NAME",
    help="Who judges; may be repeated.",
)  # fmt: skip
@click.option(
    "--double", type=ShareOption(), default="0%", show_default=True, metavar="P%",
    help="The share of topics that two assessors judge, so that agreement can be measured.",
)  # fmt: skip
@click.option(
    "--entry", type=options.Word(EntryPoints), default=EntryPoints.REQUIRED.value,
    show_default=True, help="Whether a relevant document needs a best entry point.",
)  # fmt: skip
@click.option(
    "--snap", type=options.Word(Snap), default=Snap.SENTENCE.value, show_default=True,
    help="Extend a selection to whole sentences, words or characters.",
)  # fmt: skip
@click.option(
    "--show-pool", is_flag=True,
    help="Let assessors see which text the runs returned. It changes what they highlight.",
)  # fmt: skip
@click.option("--guide", metavar="FILE", help="Guidelines to show beside the documents (Markdown).")
@click.option(
    "--texts", type=options.Word(StoredTexts), default=StoredTexts.ALL.value, show_default=True,
    help="Copy all texts, so that assessors can add a document that no run returned, or pooled ones.",
)  # fmt: skip
@options.seed
def command(
    campaign: str,
    topics: str,
    pool: str,
    docs: str,
    elements: str | None,
    guide: str | None,
    rng: int,
    **choices: Any,
) -> None:
    """Make a campaign: one file that has all that assessors need.

    \b
    Examples:
      foveal pool runs/*.fol -o pool.jsonl --depth 50         first: what is to be judged
      foveal assess new track.campaign --topics topics.xml --pool pool.jsonl --docs corpus/ \\
          --assessor ann --assessor bob
      foveal assess new track.campaign --topics topics.xml --pool pool.jsonl --docs corpus/ \\
          --elements corpus.index --assessor ann --assessor bob --double 20% --guide guide.md

    Topics are given to the assessors in turn, so that all have about as many documents. The texts
    are copied into the file: a campaign needs nothing else, and what was judged cannot change.
    """
    import numpy as np

    from foveal.assess import Campaign, CampaignDesign, prepare
    from foveal.intake import read_documents

    # Invalid options are refused before any file is read.
    Campaign.refuse_path(campaign)
    refuse_unshareable((), *(file for file in (topics, pool, docs, guide) if file), shared=False)
    design = CampaignDesign(**choices)
    design.refuse()
    design = replace(design, guide=_text_of(guide) if guide else "")
    new_campaign = prepare(
        *_read_topics_and_pool(topics, pool),
        read_documents(docs),
        design,
        rng=np.random.default_rng(rng),
        elements=options.index_at(elements),
    )
    write(campaign, new_campaign)
    _report(campaign, new_campaign, design)


def write(campaign: str, new_campaign: NewCampaign) -> None:
    """Write a campaign, with a progress bar for the texts."""
    from foveal.assess import Campaign
    from foveal.work import stage

    with stage("copying texts", new_campaign.characters, in_bytes=True) as advance:

        def copied() -> Iterator[StoredDocument]:
            for document in new_campaign.contents.documents:
                yield document
                advance(document.length)

        with Campaign.create(campaign, replace(new_campaign.contents, documents=copied())):
            pass


def _text_of(guide: str) -> str:
    from foveal.files import Source

    with Source.of(guide) as source:
        return source.text().decode()


def _report(campaign: str, new_campaign: NewCampaign, design: CampaignDesign) -> None:
    """Print a summary of the campaign, its assignments, and the next command."""
    from foveal.assess import assignment_lines

    for note in new_campaign.notes:
        click.echo(harmless(f"note: {note}"), err=True)
    pooled = new_campaign.pooled
    second_count = len(new_campaign.contents.assignments) - len(pooled)
    total = counted(pooled.total(), "document")
    click.echo(harmless(
        f"{campaign}: {counted(len(pooled), 'topic')}, {total} to judge,"
        f" {counted(new_campaign.documents, 'text')}, {counted(len(design.assessors), 'assessor')};"
        f" {counted(second_count, 'topic')} judged twice"
    ))  # fmt: skip
    for line in assignment_lines(new_campaign.contents.assignments, pooled, design.assessors):
        click.echo(harmless(f"  {line}"))
    click.echo(harmless(f"Next: {shlex.join(['foveal', 'assess', 'serve', campaign])}"))


def _read_topics_and_pool(topics: str, pool: str) -> tuple[Topics, Pool]:
    from foveal.formats import read_topics

    try:
        return read_topics(topics), _read_pool(pool)
    except BadInput:
        if _is_pool(topics):
            raise DataError(
                f"{topics} looks like a pool, not topics: were the files of --topics and --pool swapped?"
            ) from None
        raise


def _is_pool(path: str) -> bool:
    from foveal.formats import read_pool

    if is_stream(path):
        return False
    try:
        read_pool(path)
    except BadInput:
        return False
    return True


def _read_pool(path: str) -> Pool:
    from foveal.formats import read_pool

    try:
        return read_pool(path)
    except BadInput as error:
        if looks_like_run(path):
            error.lead_with(f"{path} looks like a run: make a pool of it with `foveal pool`")
        raise
