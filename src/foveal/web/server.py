"""Serving an application: where to listen, one server per file, until Ctrl-C."""

from __future__ import annotations

import errno
import importlib
import ipaddress
import re
import signal
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from foveal.errors import MissingExtra, MissingFile, UsageError
from foveal.web.database import Database, error_code, explained

if TYPE_CHECKING:
    from foveal.web.guard import Application

HOST = "127.0.0.1"
PORT = 8642
_BEHIND = re.compile(
    r"https://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:(?P<port>[0-9]{1,5}))?/?", re.IGNORECASE
)
# Bytes of a request's line and headers.
_LONGEST_HEAD = 16_384
# Fewer than the files that systems let a process open.
_MOST_CONNECTIONS = 900
# Seconds that a connection may be idle: longer than a reader thinks, so that few are made anew.
_KEPT_OPEN = 75
# Seconds that answers under way have to end.
_LAST_ANSWERS = 5


def serve(
    database: Database,
    application: Callable[[str], Application],
    *,
    host: str = HOST,
    port: int = PORT,
    behind: str | None = None,
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve until Ctrl-C; `ready` is called with the origin once it can be reached.

    The application is made for that origin, once the extra is known to be there. Other machines
    reach it only through a proxy that speaks TLS, whose address is `behind`. Port 0 takes a free one.
    """
    refuse_unsafe(host, behind)
    # A missing extra is reported before anything is printed.
    uvicorn, _ = _extra("uvicorn"), _extra("starlette")
    with only_server(database), closing(_listening(host, port)) as listener:
        own = f"http://{_in_address(host)}:{listener.getsockname()[1]}"
        origin = behind.lower().rstrip("/") if behind else own
        settings = uvicorn.Config(
            application(origin),
            http="h11", ws="none", loop="asyncio", lifespan="off", interface="asgi3",
            access_log=False, log_config=None, log_level="error", server_header=False,
            proxy_headers=False, h11_max_incomplete_event_size=_LONGEST_HEAD,
            limit_concurrency=_MOST_CONNECTIONS, timeout_keep_alive=_KEPT_OPEN,
            timeout_graceful_shutdown=_LAST_ANSWERS,
        )  # fmt: skip
        running = uvicorn.Server(settings)
        # Before `ready` tells people that it runs: they may press Ctrl-C at once.
        with _ended_by_signals(running.handle_exit):
            with explained(database.path):
                database.set_meta("address", origin)
                ready(origin)
            running.run(sockets=[listener])


@contextmanager
def _ended_by_signals(end: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Let Ctrl-C, and the signal by which services are stopped, end a server in good order.

    It ends when answers under way have been given.
    """
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread may say what a signal does.
        yield
        return
    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def entry_address(origin: str, token: str) -> str:
    """The address that lets the holder of a token in."""
    return f"{origin}/enter/{token}"


def refuse_unsafe(host: str, behind: str | None) -> None:
    """Raise UsageError where links would travel in clear text."""
    if behind is None:
        if not _is_loopback(host):
            raise UsageError(
                f"--host {host} would let other machines in without encryption: put a proxy that"
                " speaks https in front and give its address with --behind https://NAME"
            )
        return
    match = _BEHIND.fullmatch(behind)
    if not match or not 0 < int(match["port"] or 443) < 2**16:
        raise UsageError(f"--behind must be https://NAME or https://NAME:PORT, got {behind!r}")


@contextmanager
def only_server(database: Database) -> Iterator[None]:
    """Hold a lock that one server of a file can have; the system frees it if we are killed."""
    beside = f"{database.path}-serving"
    try:
        lock = sqlite3.connect(beside, timeout=0, isolation_level=None)
    except sqlite3.OperationalError as error:
        raise MissingFile(f"{beside}: cannot be written: {error}") from error
    with closing(lock):
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as error:
            if error_code(error) != sqlite3.SQLITE_BUSY:
                raise MissingFile(f"{beside}: cannot be written: {error}") from error
            address = database.meta.get("address", "another address")
            raise UsageError(
                f"{database.path} is served already, at {address}: use that server, or stop it first"
                f" (`foveal assess invite {Path(database.path).name} NAME` makes a new link)"
            ) from error
        yield


def _extra(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtra("assess", name) from error


def _listening(host: str, port: int) -> socket.socket:
    """A socket that takes connections from now on."""
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=512
        )
    except OSError as error:
        at = f"{_in_address(host)}:{port}"
        if error.errno == errno.EADDRINUSE:
            raise UsageError(
                f"another program listens at {at} already: choose another port with --port (0 takes"
                " a free one)"
            ) from error
        raise UsageError(f"cannot listen at {at}: {error.strerror or error}") from error


def _is_loopback(host: str) -> bool:
    with suppress(ValueError):
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    return False


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host
