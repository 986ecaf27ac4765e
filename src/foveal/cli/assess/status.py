"""foveal assess status: the progress of a campaign."""

from __future__ import annotations

import click

from foveal.choices import Form
from foveal.cli import _options as options
from foveal.cli._console import deliver, refuse_overwriting

PLACE_IN_LISTS = 30


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.option(
    "--idle", type=click.IntRange(0, 86_400), default=120, show_default=True, metavar="SECONDS",
    help="Longer gaps between two acts are not counted as work.",
)  # fmt: skip
@options.results()
def command(campaign: str, idle: int, to: Form, output: str | None) -> None:
    """Say who has judged how much, what is left, and what needs adjudication.

    \b
    Examples:
      foveal assess status track.campaign
      foveal assess status track.campaign --idle 300         longer pauses count as work
      foveal assess status track.campaign -o progress.csv    a line per topic and assessor
      foveal assess status track.campaign --to json

    Relevant documents, passages and characters are those of finished documents. Time is measured
    between acts, such as highlighting or opening a document.
    """
    from foveal.assess import Campaign, progress_of

    refuse_overwriting(output)
    with Campaign.open(campaign) as opened:
        progress = progress_of(opened, idle_seconds=idle)
    deliver(progress, to, output)
