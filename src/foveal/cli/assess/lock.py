"""foveal assess lock: no more changes to judgements of topics."""

from __future__ import annotations

import click

from foveal.errors import counted, harmless, shortened, shortened_list

PLACE_IN_LISTS = 60


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.option(
    "--topic", "topics", multiple=True, metavar="T",
    help="A topic to lock; may be repeated.  [default: all]",
)  # fmt: skip
def command(campaign: str, topics: tuple[str, ...]) -> None:
    """Lock topics: assessors can read them, but no longer change judgements.

    \b
    Examples:
      foveal assess lock track.campaign                        all topics, as before an export
      foveal assess lock track.campaign --topic 101 --topic 102

    It works at once, also while the campaign is served, and `foveal assess unlock` takes it back.
    `foveal assess import` still brings in what was done elsewhere.
    """
    lock(campaign, topics, locked=True)


def lock(path: str, topics: tuple[str, ...], *, locked: bool) -> None:
    """Lock or unlock topics, all if none is named, and say which are locked now."""
    from foveal.assess import Campaign, set_locked

    with Campaign.open(path) as campaign:
        set_locked(campaign, topics, locked=locked)
        total, locked_topics = len(campaign.topics), sorted(campaign.locked_topics())
    names = shortened_list([shortened(topic, 60) for topic in locked_topics])
    if not locked_topics:
        state = "no topic is locked"
    elif len(locked_topics) == total:
        state = (
            f"all {counted(total, 'topic')} are locked" if total > 1 else f"topic {names} is locked"
        )
    else:
        state = f"{len(locked_topics):,} of {counted(total, 'topic')} locked: {names}"
    click.echo(harmless(f"{path}: {state}"))
