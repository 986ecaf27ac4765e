"""Results that print themselves, through hooks that `foveal/__init__` fills.

The packages that define results may not import those that draw results, read runs or convert other
programs' scores; the hooks connect them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from foveal.choices import Form


class _Hook:
    draw: Callable[[Shown, Form], str]
    """Draws a result as text, or as HTML that fits into a page."""

    scores: Callable[[object, Iterable[str]], Any]
    """Makes scores of a frame, rows or dicts; less is better for the measures listed."""

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
        """The main result, in a few words."""

    def __str__(self) -> str:
        return hook.draw(self, Form.TEXT).rstrip("\n")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary}>"

    def _repr_html_(self) -> str:
        """HTML for a notebook."""
        return hook.draw(self, Form.HTML)

    def _repr_pretty_(self, printer: _Printer, cycle: bool) -> None:  # noqa: FBT001  # IPython's
        """Text for IPython in a terminal."""
        printer.text(str(self))


class Paged(Shown):
    """A result whose HTML is a complete page."""

    @abstractmethod
    def page(self) -> bytes:
        """The page, with everything it needs inside."""
