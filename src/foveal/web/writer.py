"""One writer: acts that arrive together share a transaction, and with it a wait for the disk."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Sequence
from typing import Any

from foveal.errors import BadCampaign, RefusedEvent
from foveal.web.database import BUSY, UNUSABLE, Database, error_code

Answers = list[int | RefusedEvent]
# Seconds that a request waits while another program writes.
PATIENCE = 5.0
_PAUSE = 0.05
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class Writer:
    """Appends to a database's log whatever waits, in one transaction after another.

    All of it happens on the thread of the event loop, to which the database belongs.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[tuple[Sequence[Any], asyncio.Future[Answers]]] = []
        self._task: asyncio.Task[None] | None = None
        # While SQLite waits, nobody is answered: it waits 50 ms, and `_stored` tries again.
        database.connection.execute("PRAGMA busy_timeout = 50")

    async def append(self, events: Sequence[Any]) -> Answers:
        """Store events; when this returns, they are on disk or refused."""
        if not events:
            return []
        answers: asyncio.Future[Answers] = asyncio.get_running_loop().create_future()
        self._waiting.append((events, answers))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write())
        return await answers

    async def _write(self) -> None:
        while self._waiting:
            # Requests that are being read at this moment join in.
            await asyncio.sleep(0)
            batch, self._waiting = self._waiting, []
            try:
                found = await self._stored([event for events, _ in batch for event in events])
            except Exception as error:  # every request learns what went wrong
                for _, answers in batch:
                    if not answers.done():
                        answers.set_exception(error)
                continue
            for events, answers in batch:
                own, found = found[: len(events)], found[len(events) :]
                if not answers.done():
                    answers.set_result(own)

    async def _stored(self, events: Sequence[Any]) -> Answers:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return self._database.append(events)
            except sqlite3.OperationalError as error:
                if error_code(error) not in BUSY or time.monotonic() > deadline:
                    raise
            await asyncio.sleep(_PAUSE)


def said_of(error: sqlite3.Error | BadCampaign) -> tuple[int, str] | None:
    """What the disk did not allow, as a status of HTTP and a sentence with what to do next."""
    code = error_code(error)
    if code in BUSY:
        return 503, "another program is writing to the campaign: try again in a moment"
    if code in _DAMAGED or isinstance(error, BadCampaign):
        return 500, "the campaign file is damaged: the organiser has to restore a copy"
    if code in UNUSABLE:
        return 507, (
            f"nothing was stored, because the campaign cannot be written ({error}): the organiser"
            " has to make room on the disk; until then this browser keeps your work"
        )
    return None
