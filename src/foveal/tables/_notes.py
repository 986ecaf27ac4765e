"""Notes: what a reader of a result should know, in the order of what matters most."""

from __future__ import annotations

from collections.abc import Iterable

from foveal.errors import DataError


class Alarm(str):
    """A note that a run's scores say nothing about it; a gate refuses such scores."""

    __slots__ = ()


class Ordinary(str):
    """A note on what went as it should: text that was found, columns that are not needed."""

    __slots__ = ()


def about(source: str, note: str) -> str:
    """A note that says first what it is about; it stays of its kind."""
    return type(note)(f"{source}: {note}")


def in_order(notes: Iterable[str]) -> tuple[str, ...]:
    """Alarms first, then doubts, then what is ordinary; notes of a kind stay in their order."""
    return tuple(
        sorted(notes, key=lambda note: (not isinstance(note, Alarm), isinstance(note, Ordinary)))
    )


def refuse_alarming(notes: Iterable[str]) -> None:
    """Raise if scores say nothing about a run, so that no verdict may rest on them."""
    for note in notes:
        if isinstance(note, Alarm):
            raise DataError(note)
