"""Notes: what a reader of a result should know, in the order of what matters most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from foveal.errors import DataError, counted, shortened_list

# How many of the runs that share a note are named.
SHOWN_RUNS = 3


class AlarmNote(str):
    """A note that a run's scores say nothing about it; a gate refuses such scores."""

    __slots__ = ()


class InfoNote(str):
    """A note on what went as it should: text that was found, columns that are not needed."""

    __slots__ = ()


def about(source: str, note: str) -> str:
    """A note that says first what it is about; it stays of its kind."""
    return type(note)(f"{source}: {note}")


def deduplicated_notes(notes: Iterable[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Notes on several runs, by the runs' sources: a note that many share appears once."""
    sources_of: dict[str, list[str]] = {}
    for source, run_notes in notes:
        for note in run_notes:
            sources_of.setdefault(note, []).append(source)
    for note, sources in sources_of.items():
        if len(sources) == 1:
            yield about(sources[0], note)
        else:
            runs = f"{counted(len(sources), 'run')} ({shortened_list(sources, SHOWN_RUNS)})"
            yield about(runs, note)


def in_order(notes: Iterable[str]) -> tuple[str, ...]:
    """Alarms first, then doubts, then what is ordinary; notes of a kind stay in their order."""
    return tuple(
        sorted(
            notes, key=lambda note: (not isinstance(note, AlarmNote), isinstance(note, InfoNote))
        )
    )


def refuse_alarming(notes: Iterable[str]) -> None:
    """Raise if scores say nothing about a run, so that no verdict may rest on them."""
    for note in notes:
        if isinstance(note, AlarmNote):
            raise DataError(note)
