"""A run: what one system returned."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from operator import itemgetter
from typing import Self, TypeAlias, cast

from foveal.choices import Order, Ties
from foveal.errors import BadInput, Problem, UsageError, counted, did_you_mean, shortened
from foveal.frozen import frozen
from foveal.late import pl
from foveal.tables import _columns as c
from foveal.tables._aliases import BY_COLUMN, OF_RUNS, not_a_run
from foveal.tables._blocks import RunBlock, StoredResults, UnreadBlock
from foveal.tables._frames import ProblemList, measured
from foveal.tables._inputs import (
    Frame,
    NumbersByTopic,
    Row,
    Rows,
    ScoredDocument,
    as_frame,
    is_frame,
    is_named_tuple,
    of_topics,
)
from foveal.tables._origin import IN_MEMORY, Origin, RunRows
from foveal.tables._run_columns import (
    RunColumns,
    broken_rules,
    ends_by_length,
    several_runs,
    table_notes,
    typed_results,
    without_gaps,
)
from foveal.tables._text_lookup import KnownDocuments, TokenCounter
from foveal.tables.audit import Audit
from foveal.tables.chunks import Chunks

# INEX's limit for the results of a topic.
TOPIC_RESULTS = 1500


@frozen(eq=False, repr=False)
class Run:
    """Ranked results by topic, in the order of the file they came from.

    `frame` has the columns topic, doc, start, end, rank, score and line. A result without start
    and end is a whole document; start = end is an entry point, a part without text; -1 is an
    element whose offsets are unknown. If parts were given by element paths, the column path has
    those of single elements; if they were given with their text, the column text has it, and a
    part without start and end is one that is still to be found in its document.
    `order` is what ranks the results unless the caller says otherwise, `ties` what ranks those of
    equal score; `origin` is where the run came from; `lengths` are the documents' lengths (doc, length), if an offset index was there to
    look them up; `chunks` are all chunks that the system could have returned, and `tokens` counts
    those of a part's text, if they are known; `audit` is what comparing the run with the texts of its
    documents has shown, if that was done.
    """

    name: str
    rows: RunColumns | StoredResults
    order: Order
    origin: Origin
    notes: tuple[str, ...] = ()
    lengths: pl.DataFrame | None = None
    chunks: Chunks | Callable[[], Chunks] | None = None
    tokens: TokenCounter | None = None
    ties: Ties = Ties.FILE
    audit: Audit | None = None

    @classmethod
    def of(
        cls,
        rows: RunRows,
        *,
        origin: Origin = IN_MEMORY,
        ties: Ties = Ties.FILE,
        lengths_of: KnownDocuments | None = None,
        also: Collection[str] = (),
    ) -> Self:
        """The run in the rows of a reader; everything wrong with them is raised at once.

        Columns were checked by their reader. `also` are further columns of numbers to keep. A document
        that `lengths_of` does not know is refused.
        """
        frame = rows.frame
        complaints = ProblemList(origin.source, rows.problems)
        origin = replace(
            origin, last_tag=rows.tag, about=rows.about, aliases_used=rows.aliases_used
        )
        if isinstance(frame, RunColumns) and rows.problems:
            frame = frame.frame
        if isinstance(frame, RunColumns):
            refuse_absent(also, c.RUN_COLUMNS, origin.source)
            return cls(rows.name, frame, rows.order or Order.FILE, origin, rows.notes, ties=ties)
        complaints.add(several_runs(frame))
        if not complaints.problems:
            refuse_absent(also, [*frame.columns, *sorted(rows.ignored)], origin.source)
        table = typed_results(frame, complaints, also)
        if rows.paths is not None:
            table = table.with_columns(rows.paths.alias(c.PATH))
        complaints.add(broken_rules(table, may_mix=origin.is_inex))
        if ends_by_length(frame):
            origin = replace(origin, aliases_used={**origin.aliases_used, c.LENGTH: c.END})
        empty = cls(
            name=rows.name,
            rows=RunColumns.of_frame(table.clear()),
            order=rows.order or Order.FILE,
            origin=origin,
            notes=(*table_notes(frame, rows.ignored, also), *rows.notes),
            ties=ties,
        )
        filled = partial(empty._filled, order=rows.order, index=lengths_of)
        complaints.refuse(
            table, "results", lambda sound: filled(without_gaps(sound, may_mix=origin.is_inex))
        )
        return filled(table)

    def _filled(
        self, table: pl.DataFrame, order: Order | None, index: KnownDocuments | None
    ) -> Self:
        """The run with the results in a table, ranked by its columns unless an order is given."""
        run = self.with_frame(table, order or _ranked_by(table, self.origin.aliases_used.values()))
        return run if index is None else run.with_lengths(index)

    @classmethod
    def from_frame(cls, frame: Frame, name: str = "run", *, also: Collection[str] = ()) -> Self:
        """The run in a Polars, pandas or pyarrow frame.

        Columns: topic, doc, and any of start, end (or length), rank, score and text; the names that
        retrieval frameworks give them (query_id, source, start_index, page_content …) are known as
        well, see `origin.aliases_used`. A score that is called similarity or distance does not rank.
        `also` are further columns of numbers to keep.
        """
        return cls._of_table(frame, name, also)

    @classmethod
    def from_dicts(cls, rows: Rows, name: str = "run", *, also: Collection[str] = ()) -> Self:
        """The run in a list of dicts, one per result, with the keys of `from_frame`."""
        return cls._of_table(rows, name, also)

    @classmethod
    def from_dict(cls, scores: NumbersByTopic, name: str = "run") -> Self:
        """The run of whole documents in {topic: {document: score}}."""
        return cls._of_topics(scores, name)

    @classmethod
    def coerced(cls, data: RunLike, name: str = "run", *, also: Collection[str] = ()) -> Self:
        """A run as it is, or made from any of the forms above or from named tuples."""
        if isinstance(data, cls):
            return data
        if isinstance(data, Mapping):
            refuse_absent(also, [c.TOPIC, c.DOC, c.SCORE], name)
            return cls._of_topics(data, name)
        return cls._of_table(data, name, also)

    @classmethod
    def _of_topics(cls, data: Mapping[str, object], name: str) -> Self:
        frame = of_topics(data, c.SCORE, name)
        rows = RunRows(frame=frame, name=name, order=Order.SCORE)
        return cls.of(rows, origin=Origin(name), ties=Ties.ID)

    @classmethod
    def _of_table(cls, data: object, name: str, also: Collection[str]) -> Self:
        frame, aliases_used = as_frame(data, OF_RUNS, name, also)
        judges = [said for said in (c.HIGHLIGHTS, c.GRADE) if said in frame.columns]
        if judges and {c.START, c.RANK, c.SCORE}.isdisjoint(frame.columns):
            reason = (
                f"this looks like judgements (column {judges[0]!r}), not a run: were they swapped?"
                " Judgements come first, then runs"
            )
            raise BadInput(name, [Problem(None, reason)])
        if frame.columns and (lacking := not_a_run(frame.columns)):
            raise BadInput(name, [Problem(None, lacking)])
        rows = RunRows(frame=frame, name=name, aliases_used=aliases_used)
        return cls.of(rows, origin=Origin(name), also=also)

    def __repr__(self) -> str:
        results, topics = len(self.results), len(self.results.topics)
        return f"<Run {self.name!r}: {counted(results, 'result')}, {counted(topics, 'topic')}>"

    @property
    def source(self) -> str:
        """The file that the run came from, or its name."""
        return self.origin.source

    @property
    def format(self) -> str:
        """How the run was read."""
        return self.origin.format

    @property
    def about(self) -> Mapping[str, str]:
        """What an INEX submission says about itself."""
        return self.origin.about

    @property
    def tag(self) -> str:
        """What TREC's formats call the run."""
        return self.origin.last_tag or self.name

    @cached_property
    def results(self) -> RunColumns:
        """The results as columns."""
        rows = self.rows
        return rows if isinstance(rows, RunColumns) else rows.whole().results

    def blocks(self) -> Iterator[UnreadBlock]:
        """Readers of the results, block by block: those in memory are one block."""
        rows = self.rows
        if not isinstance(rows, RunColumns):
            return rows.blocks()
        return iter([lambda: RunBlock(rows, self.name, self.origin.last_tag)])

    def whole(self) -> Run:
        """The run with all its results in memory."""
        if isinstance(self.rows, RunColumns):
            return self
        return replace(self.rows.whole(), chunks=self.chunks, tokens=self.tokens)

    @property
    def frame(self) -> pl.DataFrame:
        """The results as a frame, made when it is first asked for."""
        return self.results.frame

    def with_frame(self, frame: pl.DataFrame, order: Order | None = None) -> Self:
        """The run with other results, ranked as before or by another order."""
        return replace(self, rows=RunColumns.of_frame(frame), order=order or self.order)

    @property
    def whole_documents_only(self) -> bool:
        """Whether every result is a whole document."""
        # Only runs of whole documents stay in their files.
        return isinstance(self.rows, StoredResults) or self.rows.start is None

    def with_lengths(self, index: KnownDocuments) -> Self:
        """The run with the lengths of its documents, all of which must be known."""
        complaints = ProblemList(self.source, ())
        run = replace(self, lengths=measured(self.frame, index, complaints))
        # What `check` looks for is in the lines of unknown documents, too.
        if complaints.problems:
            complaints.refuse(self.frame, "results", lambda _: run)
        return run

    @cached_property
    def chunk_list(self) -> Chunks | None:
        """All chunks that the system could have returned, read when they are first asked for."""
        return self.chunks() if callable(self.chunks) else self.chunks

    def with_chunks(self, chunks: Chunks | Callable[[], Chunks]) -> Self:
        """The run of a system that could have returned these chunks, or what reads them."""
        return replace(self, chunks=chunks)

    def equals(self, other: Run) -> bool:
        """Whether two runs hold the same results in the same order."""
        texts = [c.TEXT] if self.results.has_texts else []
        kept = [name for name in (*c.RUN_SCHEMA, *texts) if name != c.LINE]
        if self.results.has_texts != other.results.has_texts:
            return False
        return self.frame[kept].equals(other.frame[kept])


# One `Iterable`, and dicts of anything: type checkers see {"1": {"a": 1}, "2": {"a": 0.5}} as a dict
# of objects, and what is not a run is refused in plain words when it is read.
RunLike: TypeAlias = Run | Frame | Row | Iterable[Row | ScoredDocument] | list[object]

"""One run: `Run`, a frame, a list of dicts, {topic: {document: score}}, or named tuples."""


def refuse_absent(also: Collection[str], columns: Collection[str], source: str) -> None:
    """Refuse a table without a column that was asked for beside those of a run."""
    found = [name for name in columns if name != c.LINE]
    problems = []
    for name in also:
        if name not in found:
            meant = did_you_mean(name, found, repr)
            shown = ", ".join(found)
            problems.append(Problem(None, f"column {name!r} is missing{meant} (found: {shown})"))
    if problems:
        raise BadInput(source, problems)


def _ranked_by(table: pl.DataFrame, taken: Collection[str]) -> Order:
    """What ranks a table: a score under another name may be a distance, so it never does."""
    for column, order in ((c.RANK, Order.RANK), (c.SCORE, Order.SCORE)):
        if not table[column].null_count() and column not in taken:
            return order
    return Order.FILE


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
    return [_renamed(_coerced(run, also, name), name) for name, run in runs.items()]


def _renamed(run: Run, name: str) -> Run:
    return replace(run, name=name, origin=replace(run.origin, last_tag=""))


def _refuse_hits(name: str, given: object) -> None:
    """Refuse what a framework returned for one question where a run is expected."""
    if not isinstance(given, list) or not given or is_named_tuple(given[0]):
        return
    first = given[0]
    if not isinstance(first, Mapping) or not {*first} & {c.TOPIC, *BY_COLUMN[c.TOPIC]}:
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
