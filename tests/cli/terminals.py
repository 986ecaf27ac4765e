"""Commands whose standard error is a terminal: what they draw, and what is left when they end."""

from __future__ import annotations

import io
import os
import pty
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from foveal.cli import main
from tests.cli.calling import Answer

TOKEN = re.compile(r"\x1b\[(?P<number>[0-9;?]*)(?P<command>[A-Za-z])|(?P<letter>.)", re.DOTALL)


@dataclass
class Terminal:
    """The bytes that a terminal received."""

    fd: int
    received: bytearray = field(default_factory=bytearray)

    @property
    def text(self) -> str:
        """What was drawn in the course of time, without colours."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.received.decode())

    @property
    def screen(self) -> str:
        """What is to be seen at the end."""
        lines, row, column = [""], 0, 0
        for token in TOKEN.finditer(self.received.decode()):
            match token["command"], token["letter"]:
                case "A", _:
                    row -= int(token["number"])
                case "K", _:
                    lines[row] = ""
                case _, "\r":
                    column = 0
                case _, "\n":
                    row += 1
                    lines += [""] * (row == len(lines))
                case None, letter:
                    line = lines[row].ljust(column)
                    lines[row] = line[:column] + letter + line[column + 1 :]
                    column += 1
        # Below the cursor there may be lines that were erased.
        while len(lines) > row + 1 and not lines[-1]:
            lines.pop()
        return "\n".join(lines)

    @property
    def shows_cursor(self) -> bool:
        """Whether the cursor is to be seen at the end."""
        return self.received.rfind(b"\x1b[?25h") >= self.received.rfind(b"\x1b[?25l")

    def read(self) -> None:
        """Receive until nobody can write any more."""
        while True:
            try:
                data = os.read(self.fd, 1 << 16)
            except OSError:
                # What Linux says at the end.
                return
            if not data:
                return
            self.received += data


@contextmanager
def opened_terminal() -> Iterator[tuple[Terminal, int]]:
    """A terminal that is read by a thread, and the file descriptor to write to it."""
    own, other = pty.openpty()
    terminal = Terminal(own)
    reader = threading.Thread(target=terminal.read)
    reader.start()
    try:
        yield terminal, other
    finally:
        os.close(other)
        reader.join()
        os.close(own)


@contextmanager
def terminal_error() -> Iterator[Terminal]:
    """Let standard error be a terminal."""
    with (
        opened_terminal() as (terminal, fd),
        io.TextIOWrapper(io.FileIO(fd, "w", closefd=False), "utf-8", write_through=True) as error,
        redirect_stderr(error),
    ):
        yield terminal


def on_terminal(*words: str, folder: Path) -> tuple[Answer, Terminal]:
    """Run `foveal` here with a terminal as its standard error; what it leaves there is the error."""
    out = io.BytesIO()
    with terminal_error() as terminal, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "stdout", io.TextIOWrapper(out, encoding="utf-8", write_through=True))
        with pytest.raises(SystemExit) as left:
            main(words)
        sys.stdout.detach()  # type: ignore[union-attr]  # so that it does not close what it wrote to
    assert isinstance(left.value.code, int)
    return Answer(out.getvalue().decode(), terminal.screen, left.value.code), terminal
