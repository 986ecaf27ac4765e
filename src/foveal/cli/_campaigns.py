"""Campaigns that commands open and change."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from foveal.errors import MissingFile, counted, harmless, shortened, some

if TYPE_CHECKING:
    from foveal.assess import Campaign


@contextmanager
def changed(path: str) -> Iterator[Campaign]:
    """An open campaign that a command writes to; raises MissingFile if it cannot be written."""
    import sqlite3

    from foveal.assess import Campaign

    with Campaign.open(path) as campaign:
        try:
            yield campaign
        except sqlite3.Error as error:
            raise MissingFile(f"{path}: cannot be written: {error}") from error


def lock(path: str, topics: tuple[str, ...], *, locked: bool) -> None:
    """Lock or unlock topics, all if none is named, and say which are locked now."""
    from foveal.assess import set_locked

    with changed(path) as campaign:
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
