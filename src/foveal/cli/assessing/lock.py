"""foveal assess lock: no more judging of some topics, or of all."""

from __future__ import annotations

import click

from foveal.cli import _campaigns

PLACE_IN_LISTS = 60
EXAMPLES = """\b
Examples:
  foveal assess lock track.campaign                        all topics, as before an export
  foveal assess lock track.campaign --topic 101 --topic 102
"""


@click.command(epilog=EXAMPLES)
@click.argument("campaign", metavar="CAMPAIGN")
@click.option(
    "--topic", "topics", multiple=True, metavar="T",
    help="A topic to lock; may be repeated.  [default: all]",
)  # fmt: skip
def command(campaign: str, topics: tuple[str, ...]) -> None:
    """Lock topics: assessors can read them, but no longer change judgements.

    It works at once, also while the campaign is served, and `foveal assess unlock` takes it back.
    `foveal assess import` still brings in what was done elsewhere.
    """
    _campaigns.lock(campaign, topics, locked=True)
