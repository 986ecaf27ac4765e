"""One writer: events that arrive together share a transaction, and so one wait for the disk."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Sequence
from typing import Any

from foveal.errors import BadCampaign, RefusedEvent
from foveal.web.database import BUSY, UNUSABLE, Database, error_code

AppendResults = list[int | RefusedEvent]
# Seconds that a request waits while another program writes.
LOCK_TIMEOUT = 5.0
_RETRY_SECONDS = 0.05
_DAMAGED_CODES = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class Writer:
    """Appends the queued events to a database's log, in one transaction after another.

    All of it happens on the thread of the event loop, to which the database belongs.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._queue: list[tuple[Sequence[Any], asyncio.Future[AppendResults]]] = []
        self._task: asyncio.Task[None] | None = None
        # SQLite's wait blocks all requests, so it is 50 ms, and `_store` tries again.
        database.connection.execute("PRAGMA busy_timeout = 50")

    async def append(self, events: Sequence[Any]) -> AppendResults:
        """Store events; when this returns, they are on disk or refused."""
        if not events:
            return []
        results: asyncio.Future[AppendResults] = asyncio.get_running_loop().create_future()
        self._queue.append((events, results))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write())
        return await results

    async def _write(self) -> None:
        while self._queue:
            # Requests that are being read at this moment join the batch.
            await asyncio.sleep(0)
            batch, self._queue = self._queue, []
            try:
                stored = await self._store([event for events, _ in batch for event in events])
            except Exception as error:  # passed on to every request
                for _, results in batch:
                    if not results.done():
                        results.set_exception(error)
                continue
            for events, results in batch:
                request_results, stored = stored[: len(events)], stored[len(events) :]
                if not results.done():
                    results.set_result(request_results)

    async def _store(self, events: Sequence[Any]) -> AppendResults:
        deadline = time.monotonic() + LOCK_TIMEOUT
        while True:
            try:
                return self._database.append(events)
            except sqlite3.OperationalError as error:
                if error_code(error) not in BUSY or time.monotonic() > deadline:
                    raise
            await asyncio.sleep(_RETRY_SECONDS)


def disk_error(error: sqlite3.Error | BadCampaign) -> tuple[int, str] | None:
    """HTTP status and sentence for an error of the disk or file, or None for other errors."""
    code = error_code(error)
    if code in BUSY:
        return 503, "another program is writing to the campaign: try again in a moment"
    if code in _DAMAGED_CODES or isinstance(error, BadCampaign):
        return 500, "the campaign file is damaged: the organiser has to restore a copy"
    if code in UNUSABLE:
        return 507, (
            f"nothing was stored, because the campaign cannot be written ({error}): the organiser"
            " has to make room on the disk; until then this browser keeps your work"
        )
    return None
