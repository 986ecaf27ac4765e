"""What Ctrl-C does: it ends the work once, and always."""

from __future__ import annotations

import signal
import sys
import threading
import time
from types import FrameType

from foveal import late

# Seconds after Ctrl-C in which it is not heard again.
PATIENCE = 2.0
# Seconds after which Ctrl-C is raised again where Python could not raise it.
AGAIN = 0.05


def heed_ctrl_c() -> None:
    """Let Ctrl-C end this program; one that was started to ignore it goes on doing so."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        interrupt = _Interrupt()
        signal.signal(signal.SIGINT, interrupt)
        sys.unraisablehook = interrupt.raise_again
        late.on_loading.append(_let_waiting_end)


class _Interrupt:
    """Ends the work once, however often the key is pressed meanwhile.

    Pressed again while files and processes are cleared away, it would leave some of them behind.
    After a while it counts again, in case that takes forever.
    """

    def __init__(self) -> None:
        self._last = float("-inf")

    def __call__(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if now - self._last > PATIENCE:
            self._last = now
            raise KeyboardInterrupt

    def raise_again(self, lost: sys.UnraisableHookArgs) -> None:
        """Raise what came while Python cleared up an object, where it cannot end anything."""
        if lost.exc_type is not KeyboardInterrupt:
            sys.__unraisablehook__(lost)
            return
        self._last = float("-inf")
        threading.Timer(AGAIN, _interrupt_main).start()


def _let_waiting_end(module: str) -> None:
    """Undo what Polars does to Ctrl-C when it is loaded: waiting for input could not be ended."""
    if module == "polars" and sys.platform != "win32":
        signal.siginterrupt(signal.SIGINT, True)  # it has no name


def _interrupt_main() -> None:
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:
        # Only a signal of its own wakes a thread that sleeps.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
