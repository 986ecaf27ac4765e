"""Results that show themselves, through hooks that `foveal/__init__` fills.

Results are defined in rooms below those that draw them, read them, or make them of other programs'
numbers; through the hooks they reach these.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from foveal.choices import Form


class _Hook:
    draw: Callable[[Shown, Form], str]
    """Draws a result as text, or in HTML that fits into a page."""

    scores: Callable[[object, Iterable[str]], Any]
    """Makes scores of a frame, rows or dicts; less is better by the measures named."""

    read_run: Callable[..., Any]
    """Reads the run in a file."""


class _Printer(Protocol):
    def text(self, text: str) -> None: ...


hook = _Hook()


class Shown(ABC):
    """A result that shows its tables, settings and notes when it is printed or in a notebook."""

    settings: Mapping[str, str]
    notes: tuple[str, ...]

    @property
    @abstractmethod
    def summary(self) -> str:
        """What was found, in a few words."""

    def __str__(self) -> str:
        return hook.draw(self, Form.TEXT).rstrip("\n")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return hook.draw(self, Form.HTML)

    def _repr_pretty_(self, printer: _Printer, cycle: bool) -> None:  # noqa: FBT001  # IPython's
        """What IPython shows in a terminal."""
        printer.text(str(self))


class Paged(Shown):
    """A result that is a page of its own in HTML."""

    @abstractmethod
    def page(self) -> bytes:
        """The page, which needs nothing else."""
