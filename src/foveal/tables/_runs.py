"""One run or several, named or not, in any form, as a list of runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import TypeAlias, cast

from foveal.errors import UsageError, shortened
from foveal.tables import _columns as c
from foveal.tables._aliases import ALIASES
from foveal.tables._inputs import Frame, Row, ScoredDocument, is_frame, is_named_tuple
from foveal.tables.chunks import Chunks, ChunksLike
from foveal.tables.run import Run, RunLike

RunsLike: TypeAlias = (
    Run
    | Frame
    | Row
    | Iterable[Run | Frame | Row | ScoredDocument | Iterable[Row | ScoredDocument]]
    | list[object]
)
"""One run, a list of runs, or {name: run}; each run as in `RunLike`."""

_ONE_RUN = "a run is a frame, a list of dicts or {topic: {document: score}}"


def coerced_runs(runs: RunsLike, also: Collection[str] = ()) -> list[Run]:
    """The runs, each in any form; names that the caller gives replace the runs' own.

    {name: run} differs from a single run {topic: {document: score}} by its depth. `also` are further
    columns of numbers to keep.
    """
    if isinstance(runs, Mapping):
        return _of_mapping(runs, also)
    if isinstance(runs, Run | str) or is_frame(runs) or not isinstance(runs, Iterable):
        return [_coerced(runs, also)]
    items = list(runs)
    if not items:
        raise UsageError("no run to evaluate")
    results = len(items) if _are_rows(items) else sum(map(_is_result, items))
    if results == len(items):
        return [_coerced(items, also)]
    if results:
        raise UsageError(f"runs: the list mixes single results with runs: {_ONE_RUN}")
    return [_coerced(item, also, f"run{place}") for place, item in enumerate(items, start=1)]


def _coerced(data: object, also: Collection[str], name: str = "run1") -> Run:
    # Whatever is not a run is refused there, with the forms that are.
    return Run.coerced(cast("RunLike", data), name, also=also)


def _are_rows(items: list[object]) -> bool:
    """Whether all items are dicts whose first key holds text: surely results, and quickly seen."""
    if not isinstance(items[0], dict) or not items[0] or set(map(type, items)) != {dict}:
        return False
    try:
        first = map(itemgetter(next(iter(items[0]))), items)  # type: ignore[arg-type]  # all dicts
        return set(map(type, first)) == {str}
    except KeyError:
        return False


def _is_result(item: object) -> bool:
    """Whether this is meant as one result, not as a run: a dict of values, a tuple of them."""
    if isinstance(item, Mapping):
        return not item or not all(isinstance(value, Mapping) for value in item.values())
    is_plain = isinstance(item, tuple) and any(isinstance(value, str) for value in item)
    return is_plain or is_named_tuple(item)


def _of_mapping(runs: Mapping[str, object], also: Collection[str]) -> list[Run]:
    if not runs:
        raise UsageError("no run to evaluate")
    if {c.TOPIC, c.DOC} <= set(runs):
        raise UsageError("runs: a dict of columns is not a run: make a frame of it first")
    kinds = {name: _kind(name, value) for name, value in runs.items()}
    named = [name for name, kind in kinds.items() if kind == "run"]
    topics = [name for name, kind in kinds.items() if kind == "topic"]
    if named and topics:
        raise UsageError(
            f"runs: {named[0]!r} is a run, but {topics[0]!r} is {{document: score}}: give"
            " {name: run} or {topic: {document: score}}, not a mixture"
        )
    if not named:
        return [_coerced(runs, also)]
    for name in runs:
        if not isinstance(name, str):
            raise UsageError(f"runs: a run's name must be text, got {name!r}")
        # Half of a surrogate pair can be in no file and in no frame.
        if name != name.encode(errors="replace").decode():
            raise UsageError(f"runs: a run's name must be valid Unicode, got {name!r}")
        _refuse_hits(name, runs[name])
    return [replace(_coerced(run, also, name), name=name, tag=name) for name, run in runs.items()]


def _refuse_hits(name: str, given: object) -> None:
    """Refuse what a framework returned for one question where a run is expected."""
    if not isinstance(given, list) or not given or is_named_tuple(given[0]):
        return
    first = given[0]
    if not isinstance(first, Mapping) or not {*first} & {c.TOPIC, *ALIASES[c.TOPIC]}:
        raise UsageError(
            f"runs: {name!r} is a list, but its first row has no topic: if these are the hits of one"
            " question, foveal.from_hits({question: hits}) makes a run of the hits of all of them"
        )


def _kind(name: object, value: object) -> str:
    """Whether a value of a dict is a run or a topic's documents; an empty dict may be either."""
    if isinstance(value, str):
        shown = shortened(value, 40)
        raise UsageError(f"runs: {name!r} is the text {shown!r}: read a file with foveal.read_run")
    if not isinstance(value, Mapping):
        if not isinstance(value, Run | Iterable) and not is_frame(value):
            raise UsageError(f"runs: {name!r} is {value!r}, not a run: {_ONE_RUN}")
        return "run"
    deep = [isinstance(inner, Mapping) for inner in value.values()]
    if any(deep) and not all(deep):
        raise UsageError(f"runs: {name!r} mixes dicts and numbers: {_ONE_RUN}")
    return ("run" if deep[0] else "topic") if deep else "either"


def with_chunk_lists(
    runs: Sequence[Run], chunks: ChunksLike | Mapping[str, ChunksLike] | None
) -> list[Run]:
    """The runs with a chunk list, those that have none: all the same one, or each its own by name."""
    names = [run.name for run in runs]
    if not isinstance(chunks, Mapping):
        chunks = {} if chunks is None else dict.fromkeys(names, Chunks.coerced(chunks))
    for name in chunks:
        if name not in names:
            raise UsageError(
                "chunks must be a list of chunks or {name of a run: chunks}, but no run is called"
                f" {name!r} (runs: {', '.join(names)})"
            )
    return [
        run.with_chunks(Chunks.coerced(chunks[run.name]))
        if run.chunks is None and run.name in chunks
        else run
        for run in runs
    ]
