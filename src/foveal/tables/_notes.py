"""Notes for the reader of a result: their kinds and their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from foveal.errors import DataError, counted, shortened_list

# Of the runs that share a note, at most this many are named.
SHOWN_RUNS = 3


class AlarmNote(str):
    """A note that a run's scores are meaningless; a gate refuses such scores."""

    __slots__ = ()


class InfoNote(str):
    """A note without a problem: text was found, columns were not needed."""

    __slots__ = ()


def about(source: str, note: str) -> str:
    """The note with its source in front; its class stays the same."""
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
    """Alarms first, then other notes, then information; notes of a kind keep their order."""
    return tuple(
        sorted(
            notes, key=lambda note: (not isinstance(note, AlarmNote), isinstance(note, InfoNote))
        )
    )


def refuse_alarming(notes: Iterable[str]) -> None:
    """Raise if the scores of a run are meaningless, so that no verdict may be based on them."""
    for note in notes:
        if isinstance(note, AlarmNote):
            raise DataError(note)
