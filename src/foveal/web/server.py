"""The server: it serves an application until Ctrl-C, one server per file."""

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
_PROXY_ORIGIN = re.compile(
    r"https://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:(?P<port>[0-9]{1,5}))?/?", re.IGNORECASE
)
# Bytes of a request's line and headers.
_MAX_HEADER_BYTES = 16_384
# Fewer than the open files that systems allow a process.
_MAX_CONNECTIONS = 900
# Seconds that a connection may be idle; a reader pauses less, so that few are opened again.
_IDLE_SECONDS = 75
# Seconds that open requests have to finish when the server stops.
_SHUTDOWN_SECONDS = 5


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

    The application is made for that origin, once its extra has been imported. Other machines
    reach it only through a proxy that speaks TLS, whose address is `behind`. Port 0 takes a free one.
    """
    refuse_unsafe(host, behind)
    # A missing extra is reported before anything is printed.
    uvicorn, _ = _import_extra("uvicorn"), _import_extra("starlette")
    with single_server(database), closing(_listening_socket(host, port)) as listener:
        local_origin = f"http://{_url_host(host)}:{listener.getsockname()[1]}"
        origin = behind.lower().rstrip("/") if behind else local_origin
        settings = uvicorn.Config(
            application(origin),
            http="h11", ws="none", loop="asyncio", lifespan="off", interface="asgi3",
            access_log=False, log_config=None, log_level="error", server_header=False,
            proxy_headers=False, h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
            limit_concurrency=_MAX_CONNECTIONS, timeout_keep_alive=_IDLE_SECONDS,
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        )  # fmt: skip
        server = uvicorn.Server(settings)
        # Before `ready` announces the server: people may press Ctrl-C at once.
        with _signals_handled_by(server.handle_exit):
            with explained(database.path):
                database.set_meta("address", origin)
                ready(origin)
            server.run(sockets=[listener])


@contextmanager
def _signals_handled_by(handle: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Let Ctrl-C, and the signal that stops services, end a server after its open requests."""
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread may set signal handlers.
        yield
        return
    previous = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def entry_address(origin: str, token: str) -> str:
    """The address that signs in the holder of a token."""
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
    match = _PROXY_ORIGIN.fullmatch(behind)
    if not match or not 0 < int(match["port"] or 443) < 2**16:
        raise UsageError(f"--behind must be https://NAME or https://NAME:PORT, got {behind!r}")


@contextmanager
def single_server(database: Database) -> Iterator[None]:
    """Hold a lock so that a file has one server; the system frees it if the process is killed."""
    lock_path = f"{database.path}-serving"
    try:
        lock = sqlite3.connect(lock_path, timeout=0, isolation_level=None)
    except sqlite3.OperationalError as error:
        raise MissingFile(f"{lock_path}: cannot be written: {error}") from error
    with closing(lock):
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as error:
            if error_code(error) != sqlite3.SQLITE_BUSY:
                raise MissingFile(f"{lock_path}: cannot be written: {error}") from error
            address = database.meta.get("address", "another address")
            raise UsageError(
                f"{database.path} is served already, at {address}: use that server, or stop it first"
                f" (`foveal assess invite {Path(database.path).name} NAME` makes a new link)"
            ) from error
        yield


def _import_extra(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtra("assess", name) from error


def _listening_socket(host: str, port: int) -> socket.socket:
    """A socket that accepts connections."""
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=512
        )
    except OSError as error:
        address = f"{_url_host(host)}:{port}"
        if error.errno == errno.EADDRINUSE:
            raise UsageError(
                f"another program listens at {address} already: choose another port with --port (0 takes"
                " a free one)"
            ) from error
        raise UsageError(f"cannot listen at {address}: {error.strerror or error}") from error


def _is_loopback(host: str) -> bool:
    with suppress(ValueError):
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    return False


def _url_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host
