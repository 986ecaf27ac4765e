"""A run: the results of one system."""

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
from foveal.tables._aliases import BY_COLUMN, RUN_FIELDS, reason_not_a_run
from foveal.tables._blocks import BlockReader, RunBlock, StoredResults
from foveal.tables._frames import ProblemList, length_table
from foveal.tables._inputs import (
    Frame,
    NumbersByTopic,
    Row,
    Rows,
    ScoredDocument,
    as_frame,
    frame_of_topics,
    is_frame,
    is_named_tuple,
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
    part without start and end is still to be located in its document.
    `order` is the default order of results, `ties` that of results with equal scores; `origin` is
    where the run came from; `lengths` are the documents' lengths (doc, length), if an offset index
    was given; `chunks` are all chunks that the system could have returned, and `tokens` counts the
    tokens of parts, if they are known; `audit` is the comparison of the run with the texts of its
    documents, if that was done.
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
        extra_columns: Collection[str] = (),
    ) -> Self:
        """The run in the rows of a reader; all their problems are raised at once.

        Rows in `RunColumns` were checked by their reader. `extra_columns` are further columns of numbers
        to keep. A document that `lengths_of` does not know is refused.
        """
        frame = rows.frame
        problem_list = ProblemList(origin.source, rows.problems)
        origin = replace(
            origin, last_tag=rows.tag, about=rows.about, aliases_used=rows.aliases_used
        )
        if isinstance(frame, RunColumns) and rows.problems:
            frame = frame.frame
        if isinstance(frame, RunColumns):
            require_columns(extra_columns, c.RUN_COLUMNS, origin.source)
            return cls(rows.name, frame, rows.order or Order.FILE, origin, rows.notes, ties=ties)
        problem_list.add(several_runs(frame))
        if not problem_list.problems:
            require_columns(extra_columns, [*frame.columns, *sorted(rows.ignored)], origin.source)
        table = typed_results(frame, problem_list, extra_columns)
        if rows.paths is not None:
            table = table.with_columns(rows.paths.alias(c.PATH))
        problem_list.add(broken_rules(table, may_mix=origin.is_inex))
        if ends_by_length(frame):
            origin = replace(origin, aliases_used={**origin.aliases_used, c.LENGTH: c.END})
        empty = cls(
            name=rows.name,
            rows=RunColumns.of_frame(table.clear()),
            order=rows.order or Order.FILE,
            origin=origin,
            notes=(*table_notes(frame, rows.ignored, extra_columns), *rows.notes),
            ties=ties,
        )
        with_rows = partial(empty._with_rows, order=rows.order, index=lengths_of)
        problem_list.refuse(
            table, "results", lambda valid: with_rows(without_gaps(valid, may_mix=origin.is_inex))
        )
        return with_rows(table)

    def _with_rows(
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
        well, see `origin.aliases_used`. A score called similarity or distance is not used to rank.
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
            require_columns(also, [c.TOPIC, c.DOC, c.SCORE], name)
            return cls._of_topics(data, name)
        return cls._of_table(data, name, also)

    @classmethod
    def _of_topics(cls, data: Mapping[str, object], name: str) -> Self:
        results = RunColumns.of_topics(data)
        frame = frame_of_topics(data, c.SCORE, name) if results is None else results
        rows = RunRows(frame=frame, name=name, order=Order.SCORE)
        return cls.of(rows, origin=Origin(name), ties=Ties.ID)

    @classmethod
    def _of_table(cls, data: object, name: str, extra_columns: Collection[str]) -> Self:
        frame, aliases_used = as_frame(data, RUN_FIELDS, name, extra_columns)
        qrels_columns = [column for column in (c.HIGHLIGHTS, c.GRADE) if column in frame.columns]
        if qrels_columns and {c.START, c.RANK, c.SCORE}.isdisjoint(frame.columns):
            reason = (
                f"this looks like judgements (column {qrels_columns[0]!r}), not a run: were they swapped?"
                " Judgements come first, then runs"
            )
            raise BadInput(name, [Problem(None, reason)])
        if frame.columns and (refusal := reason_not_a_run(frame.columns)):
            raise BadInput(name, [Problem(None, refusal)])
        rows = RunRows(frame=frame, name=name, aliases_used=aliases_used)
        return cls.of(rows, origin=Origin(name), extra_columns=extra_columns)

    def __repr__(self) -> str:
        results, topics = len(self.results), len(self.results.topics)
        return f"<Run {self.name!r}: {counted(results, 'result')}, {counted(topics, 'topic')}>"

    @property
    def source(self) -> str:
        """The file that the run came from, or its name."""
        return self.origin.source

    @property
    def format(self) -> str:
        """The format that the run was read in."""
        return self.origin.format

    @property
    def about(self) -> Mapping[str, str]:
        """An INEX submission's statements about itself."""
        return self.origin.about

    @property
    def tag(self) -> str:
        """The name of the run in TREC's formats."""
        return self.origin.last_tag or self.name

    @cached_property
    def results(self) -> RunColumns:
        """The results as columns."""
        rows = self.rows
        return rows if isinstance(rows, RunColumns) else rows.read_all().results

    def blocks(self) -> Iterator[BlockReader]:
        """Readers of the results, block by block: those in memory are one block."""
        rows = self.rows
        if not isinstance(rows, RunColumns):
            return rows.blocks()
        return iter([lambda: RunBlock(rows, self.name, self.origin.last_tag)])

    def whole(self) -> Run:
        """The run with all its results in memory."""
        if isinstance(self.rows, RunColumns):
            return self
        return replace(self.rows.read_all(), chunks=self.chunks, tokens=self.tokens)

    @property
    def frame(self) -> pl.DataFrame:
        """The results as a frame, made at its first use."""
        return self.results.frame

    def with_frame(self, frame: pl.DataFrame, order: Order | None = None) -> Self:
        """The run with other results, ranked as before or by another order."""
        return replace(self, rows=RunColumns.of_frame(frame), order=order or self.order)

    @property
    def whole_documents_only(self) -> bool:
        """Whether every result is a whole document."""
        # Only runs of whole documents are stored in files.
        return isinstance(self.rows, StoredResults) or self.rows.start is None

    def with_lengths(self, index: KnownDocuments) -> Self:
        """The run with the lengths of its documents, all of which must be known."""
        problem_list = ProblemList(self.source, ())
        run = replace(self, lengths=length_table(self.frame, index, problem_list))
        # `check` examines the lines of unknown documents, too.
        if problem_list.problems:
            problem_list.refuse(self.frame, "results", lambda _: run)
        return run

    @cached_property
    def chunk_list(self) -> Chunks | None:
        """All chunks that the system could have returned, read at their first use."""
        return self.chunks() if callable(self.chunks) else self.chunks

    def with_chunks(self, chunks: Chunks | Callable[[], Chunks]) -> Self:
        """The run with these chunks, or a function that reads them, as all that its system could return."""
        return replace(self, chunks=chunks)

    def equals(self, other: Run) -> bool:
        """Whether two runs hold the same results in the same order."""
        texts = [c.TEXT] if self.results.has_texts else []
        columns = [name for name in (*c.RUN_SCHEMA, *texts) if name != c.LINE]
        if self.results.has_texts != other.results.has_texts:
            return False
        return self.frame[columns].equals(other.frame[columns])


# One `Iterable`, and dicts of anything: type checkers see {"1": {"a": 1}, "2": {"a": 0.5}} as a dict
# of objects, and anything but a run is refused with an explanation when it is read.
RunLike: TypeAlias = Run | Frame | Row | Iterable[Row | ScoredDocument] | list[object]

"""One run: `Run`, a frame, a list of dicts, {topic: {document: score}}, or named tuples."""


def require_columns(extra_columns: Collection[str], columns: Collection[str], source: str) -> None:
    """Refuse a table that lacks a requested extra column."""
    names = [name for name in columns if name != c.LINE]
    problems = []
    for name in extra_columns:
        if name not in names:
            hint = did_you_mean(name, names, repr)
            present = ", ".join(names)
            problems.append(Problem(None, f"column {name!r} is missing{hint} (found: {present})"))
    if problems:
        raise BadInput(source, problems)


def _ranked_by(table: pl.DataFrame, aliased_columns: Collection[str]) -> Order:
    """The order of a table's results; a score under an alias may be a distance, so it is not used."""
    for column, order in ((c.RANK, Order.RANK), (c.SCORE, Order.SCORE)):
        if not table[column].null_count() and column not in aliased_columns:
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


def coerced_runs(runs: RunsLike, extra_columns: Collection[str] = ()) -> list[Run]:
    """The runs, each in any form; names given by the caller replace the runs' own.

    {name: run} differs from a single run {topic: {document: score}} by its depth. `extra_columns` are
    further columns of numbers to keep.
    """
    if isinstance(runs, Mapping):
        return _of_mapping(runs, extra_columns)
    if isinstance(runs, Run | str) or is_frame(runs) or not isinstance(runs, Iterable):
        return [_coerced(runs, extra_columns)]
    items = list(runs)
    if not items:
        raise UsageError("no run to evaluate")
    result_count = len(items) if _are_rows(items) else sum(map(_is_result, items))
    if result_count == len(items):
        return [_coerced(items, extra_columns)]
    if result_count:
        raise UsageError(f"runs: the list mixes single results with runs: {_ONE_RUN}")
    return [_coerced(run, extra_columns, f"run{index}") for index, run in enumerate(items, start=1)]


def _coerced(data: object, extra_columns: Collection[str], name: str = "run1") -> Run:
    # Anything but a run is refused there, with a list of the valid forms.
    return Run.coerced(cast("RunLike", data), name, also=extra_columns)


def _are_rows(items: list[object]) -> bool:
    """Whether all items are dicts whose first value is text, so certainly results; a quick check."""
    if not isinstance(items[0], dict) or not items[0] or set(map(type, items)) != {dict}:
        return False
    try:
        first_values = map(itemgetter(next(iter(items[0]))), items)  # type: ignore[arg-type]  # all dicts
        return set(map(type, first_values)) == {str}
    except KeyError:
        return False


def _is_result(item: object) -> bool:
    """Whether this is one result, not a run: a dict or tuple of plain values."""
    if isinstance(item, Mapping):
        return not item or not all(isinstance(value, Mapping) for value in item.values())
    is_plain = isinstance(item, tuple) and any(isinstance(value, str) for value in item)
    return is_plain or is_named_tuple(item)


def _of_mapping(runs: Mapping[str, object], extra_columns: Collection[str]) -> list[Run]:
    if not runs:
        raise UsageError("no run to evaluate")
    if {c.TOPIC, c.DOC} <= set(runs):
        raise UsageError("runs: a dict of columns is not a run: make a frame of it first")
    kinds = {name: _kind(name, value) for name, value in runs.items()}
    run_names = [name for name, kind in kinds.items() if kind == "run"]
    topics = [name for name, kind in kinds.items() if kind == "topic"]
    if run_names and topics:
        raise UsageError(
            f"runs: {run_names[0]!r} is a run, but {topics[0]!r} is {{document: score}}: give"
            " {name: run} or {topic: {document: score}}, not a mixture"
        )
    if not run_names:
        return [_coerced(runs, extra_columns)]
    for name in runs:
        if not isinstance(name, str):
            raise UsageError(f"runs: a run's name must be text, got {name!r}")
        # Files and frames cannot contain half of a surrogate pair.
        if name != name.encode(errors="replace").decode():
            raise UsageError(f"runs: a run's name must be valid Unicode, got {name!r}")
        _refuse_hits(name, runs[name])
    return [_renamed(_coerced(run, extra_columns, name), name) for name, run in runs.items()]


def _renamed(run: Run, name: str) -> Run:
    return replace(run, name=name, origin=replace(run.origin, last_tag=""))


def _refuse_hits(name: str, value: object) -> None:
    """Refuse the hits of a framework for one question where a run is expected."""
    if not isinstance(value, list) or not value or is_named_tuple(value[0]):
        return
    first = value[0]
    if not isinstance(first, Mapping) or not {*first} & {c.TOPIC, *BY_COLUMN[c.TOPIC]}:
        raise UsageError(
            f"runs: {name!r} is a list, but its first row has no topic: if these are the hits of one"
            " question, foveal.from_hits({question: hits}) makes a run of the hits of all of them"
        )


def _kind(name: object, value: object) -> str:
    """The kind of a dict's value: run, topic (with its documents), or either if it is empty."""
    if isinstance(value, str):
        text = shortened(value, 40)
        raise UsageError(f"runs: {name!r} is the text {text!r}: read a file with foveal.read_run")
    if not isinstance(value, Mapping):
        if not isinstance(value, Run | Iterable) and not is_frame(value):
            raise UsageError(f"runs: {name!r} is {value!r}, not a run: {_ONE_RUN}")
        return "run"
    # A set of types is made faster than every score is looked at.
    is_nested = {issubclass(kind, Mapping) for kind in {*map(type, value.values())}}
    if len(is_nested) > 1:
        raise UsageError(f"runs: {name!r} mixes dicts and numbers: {_ONE_RUN}")
    return ("run" if True in is_nested else "topic") if is_nested else "either"
