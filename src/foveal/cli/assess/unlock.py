"""foveal assess unlock: topics can be judged again."""

from __future__ import annotations

import click

from foveal.cli.assess.lock import lock

PLACE_IN_LISTS = 61


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.option(
    "--topic", "topics", multiple=True, metavar="T",
    help="A topic to unlock; may be repeated.  [default: all]",
)  # fmt: skip
def command(campaign: str, topics: tuple[str, ...]) -> None:
    """Unlock topics: assessors can change judgements again.

    \b
    Examples:
      foveal assess unlock track.campaign                      all topics
      foveal assess unlock track.campaign --topic 101
    """
    lock(campaign, topics, locked=False)
