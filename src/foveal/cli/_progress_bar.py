"""Progress bars in a terminal, one for each stage of long work."""

from __future__ import annotations

import io
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from foveal.errors import harmless, shortened
from foveal.work import Advance, uninterrupted, watched

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

# Seconds before a stage is shown: most end earlier, so nothing flickers.
DELAY = 0.5
# Seconds between two drawings.
TICK = 0.1
LONGEST_LABEL = 40

_bars: ContextVar[Bars | None] = ContextVar("bars", default=None)


@contextmanager
def progress_shown() -> Iterator[None]:
    """Show the stages of work in a terminal; do nothing without one."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    bars = Bars()
    token = _bars.set(bars)
    try:
        with watched(bars):
            yield
    finally:
        _bars.reset(token)
        bars.close()


def above_bars() -> AbstractContextManager[None]:
    """Hide the bars while something is printed; they come back below it."""
    bars = _bars.get()
    return nullcontext() if bars is None else bars.hidden()


class AboveBars(io.TextIOBase):
    """Standard error for code that prints while bars are shown."""

    def write(self, text: str) -> int:
        """Print above the bars."""
        with above_bars():
            return sys.stderr.write(text)

    def flush(self) -> None:
        """Flush standard error."""
        sys.stderr.flush()


@dataclass(eq=False)
class _Stage:
    """A running stage; `done` is updated by the thread that does the work."""

    label: str
    total: int | None
    in_bytes: bool
    started: float = field(default_factory=time.monotonic)
    done: int = 0
    bar: TaskID | None = None

    def advance(self, amount: int) -> None:
        self.done += amount

    @property
    def end(self) -> int | None:
        """The total, unless it is exceeded: unpacked documents are larger than their archive."""
        return None if self.total is None or self.done > self.total else self.total


class Bars:
    """Draws a bar for every stage that takes long, one below the other, until it ends.

    A separate thread draws, so that the work is not slowed down and a stage without a total visibly
    continues.
    """

    def __init__(self) -> None:
        self._stages: list[_Stage] = []
        self._closed = False
        self._working = threading.Event()
        self._lock = threading.RLock()
        self._painter: threading.Thread | None = None
        self._progress: Progress | None = None

    @contextmanager
    def __call__(self, label: str, total: int | None, *, in_bytes: bool) -> Iterator[Advance]:
        """Follow a stage, and show it if it takes long."""
        if self._painter is None:
            self._painter = threading.Thread(target=self._keep_painting, daemon=True)
            self._painter.start()
        stage = _Stage(harmless(shortened(label, LONGEST_LABEL)), total, in_bytes)
        self._stages.append(stage)
        self._working.set()
        try:
            yield stage.advance
        finally:
            self._end(stage)

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Hide the bars for a moment."""
        with self._lock:
            if self._progress is not None:
                with uninterrupted():
                    self._progress.stop()
            yield

    def close(self) -> None:
        """End all stages, also those left open by an error."""
        for stage in list(self._stages):
            self._end(stage)
        self._closed = True
        # Wake the painter, which then ends.
        self._working.set()

    def _end(self, stage: _Stage) -> None:
        with self._lock:
            if stage not in self._stages:
                # Left open by an error, and ended by `close`.
                return
            self._stages.remove(stage)
            if not self._stages:
                self._working.clear()
            if self._progress is None or stage.bar is None:
                return
            # An interrupt could leave half a bar, or hide the cursor.
            with uninterrupted():
                self._progress.remove_task(stage.bar)
                if not self._progress.tasks:
                    self._progress.stop()

    def paint(self) -> None:
        """Draw the current bars."""
        if not any(map(_is_long, self._stages)):
            return
        # Loading it takes a while, and the lock would stop the work.
        progress = self._progress or _new_progress()
        with self._lock:
            self._progress = progress
            for stage in filter(_is_long, self._stages):
                if stage.bar is None:
                    stage.bar = progress.add_task(stage.label, total=stage.total, stage=stage)
                progress.update(stage.bar, completed=stage.done)
            if progress.tasks:
                progress.start()
                progress.refresh()

    def _keep_painting(self) -> None:
        # The terminal may have been closed.
        with suppress(OSError):
            while self._working.wait() and not self._closed:
                time.sleep(TICK)
                self.paint()


def _is_long(stage: _Stage) -> bool:
    return time.monotonic() - stage.started >= DELAY


def _new_progress() -> Progress:
    """Rich's display of bars: label, bar, amount done, time left."""
    from rich.console import Console
    from rich.filesize import decimal
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.table import Column
    from rich.text import Text

    class ProgressText(ProgressColumn):
        """Amount done and time left; without a total, the elapsed time."""

        def render(self, task: Task) -> Text:
            stage: _Stage = task.fields["stage"]
            elapsed = time.monotonic() - stage.started
            if (end := stage.end) is None:
                return Text(_duration(elapsed))
            formatted = decimal if stage.in_bytes else "{:,}".format
            amount = f"{formatted(stage.done)} of {formatted(end)}"
            if not stage.done:
                return Text(amount)
            remaining = elapsed * (end - stage.done) / stage.done
            return Text(f"{amount}, {_duration(remaining)} left")

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        ProgressText(Column(no_wrap=True)),
        console=Console(stderr=True),
        auto_refresh=False,
        transient=True,
        # Output must keep its stream; rich would send all of it to standard error.
        redirect_stdout=False,
        redirect_stderr=False,
    )


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"
