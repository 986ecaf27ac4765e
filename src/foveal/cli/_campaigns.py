"""Campaigns that commands open and change."""

from __future__ import annotations

import click

from foveal.errors import counted, harmless, shortened, some


def lock(path: str, topics: tuple[str, ...], *, locked: bool) -> None:
    """Lock or unlock topics, all if none is named, and say which are locked now."""
    from foveal.assess import Campaign, set_locked

    with Campaign.open(path) as campaign:
        set_locked(campaign, topics, locked=locked)
        every, closed = len(campaign.topics), sorted(campaign.locked_topics())
    names = some([shortened(topic, 60) for topic in closed])
    if not closed:
        told = "no topic is locked"
    elif len(closed) == every:
        told = (
            f"all {counted(every, 'topic')} are locked" if every > 1 else f"topic {names} is locked"
        )
    else:
        told = f"{len(closed):,} of {counted(every, 'topic')} locked: {names}"
    click.echo(harmless(f"{path}: {told}"))
