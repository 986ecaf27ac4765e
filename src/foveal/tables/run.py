"""A run: what one system returned."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field, replace
from functools import cached_property, partial
from operator import itemgetter
from typing import Self, TypeAlias, cast

from foveal.choices import Order, Task, Ties
from foveal.errors import BadInput, Problem, UsageError, counted, did_you_mean, shortened
from foveal.frozen import frozen
from foveal.late import pl
from foveal.tables import _columns as c
from foveal.tables._aliases import ALIASES, OF_RUNS, not_a_run
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
from foveal.tables._names import may_repeat
from foveal.tables._notes import InfoNote
from foveal.tables._run_columns import (
    RunColumns,
    broken_rules,
    ends_by_length,
    is_unplaced,
    several_runs,
    table_notes,
    typed_results,
    without_gaps,
)
from foveal.tables._text_lookup import KnownDocuments, TokenCounter, meant_documents
from foveal.tables.audit import Audit
from foveal.tables.chunks import Chunks, ChunksLike

TASK = "task"
# INEX's limit for the results of a topic.
TOPIC_RESULTS = 1500
# Their runs may mix whole documents with parts, and have elements that were not found.
INEX_FORMATS = {"inex", "inex-xml"}
# As letters only, in lower case. The tasks without a retrieval strategy in their name (2002-2005)
# ranked elements that may overlap, as Thorough did later. Fetch and Browse (2005) and All in Context
# (2006) group results by article; Relevant in Context took their place.
_INEX_NAMES = {
    Task.FOCUSED: ("focused", "focussed"),
    Task.THOROUGH: (
        *("thorough", "co", "cos", "cas"),
        *("scas", "vcas", "sscas", "svcas", "vscas", "vvcas"),
    ),
    Task.RIC: ("relevantincontext", "ric", "allincontext", "fetchbrowse", "fetchandbrowse"),
    Task.BIC: ("bestincontext", "bic"),
    Task.DOCUMENT: ("document", "article"),
    Task.RAG: ("rag",),
}

_TASK_OF = {name: task for task, names in _INEX_NAMES.items() for name in names}
# Before the name: the kind of topics (2005), or the limit on what is shown (2010).
_PREFIX = re.compile(r"^(cos?|cas|restricted)")


@frozen(eq=False, repr=False)
class Run:
    """Ranked results by topic, in the order of the file they came from.

    `frame` has the columns topic, doc, start, end, rank, score and line. A result without start
    and end is a whole document; start = end is an entry point, a part without text; -1 is an
    element whose offsets are unknown. If parts were given by element paths, the column path has
    those of single elements; if they were given with their text, the column text has it, and a
    part without start and end is one that is still to be found in its document (`unplaced`).
    `order` is what ranks the results unless the caller says otherwise, `ties` what ranks those of
    equal score; `taken` are columns under the names of other tools, by those names;
    `source`, `stem` and `format` are the file it came from, its bare name and how it was read;
    `tag` is what TREC's formats call it, on the last line of a file, or else its name; `lengths` are
    the documents' lengths (doc, length), if an offset index was there to look them up;
    `about` is what an INEX submission says about itself: participant-id, task, query, description …;
    `chunks` are all chunks that the system could have returned, and `tokens` counts those of a part's
    text, if they are known; `audit` is what comparing the run with the texts of its documents has
    shown, if that was done.
    """

    name: str
    rows: RunColumns | StoredResults
    order: Order
    source: str = "run"
    stem: str = ""
    format: str = "table"
    tag: str = ""
    notes: tuple[str, ...] = ()
    lengths: pl.DataFrame | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    chunks: Chunks | Callable[[], Chunks] | None = None
    tokens: TokenCounter | None = None
    ties: Ties = Ties.FILE
    taken: Mapping[str, str] = field(default_factory=dict)
    audit: Audit | None = None

    @classmethod
    def of(  # noqa: PLR0913  # one per fact about a run
        cls,
        frame: pl.DataFrame | RunColumns | StoredResults,
        *,
        name: str,
        order: Order | None = None,
        ties: Ties = Ties.FILE,
        source: str = "run",
        stem: str = "",
        format: str = "table",  # noqa: A002  # the field's name
        tag: str = "",
        problems: Sequence[Problem] = (),
        ignored: Collection[str] = (),
        notes: tuple[str, ...] = (),
        paths: pl.Series | None = None,
        index: KnownDocuments | None = None,
        about: Mapping[str, str] | None = None,
        taken: Mapping[str, str] | None = None,
        also: Collection[str] = (),
    ) -> Self:
        """The run in a frame; everything wrong with the frame is raised at once.

        Columns were checked by their reader, and those in a file are when it is read.
        `problems` are those its reader has found, `ignored` the columns it has skipped, `paths` the
        element paths by which parts were given, `also` further columns of numbers to keep. A document
        that the `index` does not know is refused.
        """
        complaints = ProblemList(source, problems)
        if isinstance(frame, RunColumns) and problems:
            frame = frame.frame
        if isinstance(frame, RunColumns | StoredResults):
            refuse_absent(also, c.RUN_COLUMNS, source)
            order = order or Order.FILE
            return cls(name, frame, order, source, stem, format, tag or name, notes, ties=ties)
        complaints.add(several_runs(frame))
        if not complaints.problems:
            refuse_absent(also, [*frame.columns, *sorted(ignored)], source)
        table = typed_results(frame, complaints, also)
        if paths is not None:
            table = table.with_columns(paths.alias(c.PATH))
        may_mix = format in INEX_FORMATS
        complaints.add(broken_rules(table, may_mix=may_mix))
        theirs = {**(taken or {}), **({c.LENGTH: c.END} if ends_by_length(frame) else {})}
        empty = cls(
            name=name,
            rows=RunColumns.of_frame(table.clear()),
            order=order or Order.FILE,
            source=source,
            stem=stem,
            format=format,
            tag=tag or name,
            notes=(*table_notes(frame, ignored, also), *notes),
            about=about or {},
            ties=ties,
            taken=theirs,
        )
        filled = partial(empty._filled, order=order, index=index)
        complaints.refuse(
            table, "results", lambda sound: filled(without_gaps(sound, may_mix=may_mix))
        )
        return filled(table)

    def _filled(
        self, table: pl.DataFrame, order: Order | None, index: KnownDocuments | None
    ) -> Self:
        """The run with the results in a table, ranked by its columns unless an order is given."""
        run = self.with_frame(table, order or _ranked_by(table, self.taken.values()))
        return run if index is None else run.with_lengths(index)

    @classmethod
    def from_frame(cls, frame: Frame, name: str = "run", *, also: Collection[str] = ()) -> Self:
        """The run in a Polars, pandas or pyarrow frame.

        Columns: topic, doc, and any of start, end (or length), rank, score and text; the names that
        retrieval frameworks give them (query_id, source, start_index, page_content …) are known as
        well, see `taken`. A score that is called similarity or distance does not rank. `also` are
        further columns of numbers to keep.
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
        return cls.of(frame, name=name, source=name, order=Order.SCORE, ties=Ties.ID)

    @classmethod
    def _of_table(cls, data: object, name: str, also: Collection[str]) -> Self:
        frame, taken = as_frame(data, OF_RUNS, name, also)
        judges = [said for said in (c.HIGHLIGHTS, c.GRADE) if said in frame.columns]
        if judges and {c.START, c.RANK, c.SCORE}.isdisjoint(frame.columns):
            reason = (
                f"this looks like judgements (column {judges[0]!r}), not a run: were they swapped?"
                " Judgements come first, then runs"
            )
            raise BadInput(name, [Problem(None, reason)])
        if frame.columns and (lacking := not_a_run(frame.columns)):
            raise BadInput(name, [Problem(None, lacking)])
        return cls.of(frame, name=name, source=name, taken=taken, also=also)

    def __repr__(self) -> str:
        results, topics = len(self.results), len(self.results.topics)
        return f"<Run {self.name!r}: {counted(results, 'result')}, {counted(topics, 'topic')}>"

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
        return iter([lambda: RunBlock(rows, self.name, self.tag)])

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

    @cached_property
    def unplaced(self) -> pl.DataFrame:
        """The results whose text is known, but not where it is in the document."""
        if not self.results.has_texts:
            return pl.DataFrame(schema=c.RUN_SCHEMA)
        return self.frame.filter(is_unplaced(self.frame))

    @property
    def may_be_documents(self) -> bool:
        """Whether no result says where in its document it is, and no document is returned twice.

        The texts beside such results may be those of the whole documents.
        """
        if self.whole_documents_only:
            return True
        return self.unplaced.height == len(self.results) and not may_repeat(self.frame)

    def refuse_unplaced(self) -> None:
        """Raise if the text of some results is still to be found in the documents."""
        # A run without texts needs no frame to answer this.
        if not self.results.has_texts or not (count := self.unplaced.height):
            return
        have = f"{counted(count, 'result')} {'has' if count == 1 else 'have'}"
        documents = ", or leave out the text of whole documents" if self.may_be_documents else ""
        reason = (
            f"{have} text but not both start and end: give --docs DOCUMENTS (in Python"
            f" docs=foveal.read_documents(...)) to find the text{documents}"
        )
        raise BadInput(self.source, [Problem(None, reason)])

    @property
    def is_inex(self) -> bool:
        """Whether the run is in a format of INEX, where -1 is an element that is not found."""
        return self.format in INEX_FORMATS

    @property
    def has_paths(self) -> bool:
        """Whether some parts were given by element paths."""
        return self.results.has_paths

    @property
    def task(self) -> Task | None:
        """The task that the run says it was made for; None if it names none that is known."""
        return inex_task(self.about.get(TASK, ""))

    def document_lengths(self, documents: pl.Series) -> pl.Series:
        """The lengths of some documents from the offset index; null where unknown."""
        if self.lengths is None:
            return pl.repeat(None, len(documents), dtype=pl.Int64, eager=True)
        asked = pl.DataFrame({c.DOC: documents})
        return asked.join(self.lengths, on=c.DOC, how="left", maintain_order="left")[c.LENGTH]

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

    def named_as(self, known: Set[str]) -> Run:
        """The run with documents under names in `known`, the judgements', as far as those can be meant.

        A judged name means a document that the run was compared with as a name in the run does. Names
        that mean none of these are compared with each other.
        """
        meant, documents = (self.audit.names, self.audit.documents) if self.audit else ({}, ())
        judged = meant_documents(known, documents)
        # A document's own name is the last, so it is taken if it is judged.
        under = {own: name for name, own in judged.items()}
        under |= {name: name for name in known if name in documents}
        own_names = dict.fromkeys(self.frame[c.DOC].unique().sort())
        homes = {name: meant.get(name, name) for name in own_names if name not in known}
        names = {name: under[own] for name, own in homes.items() if own in under}
        others = [name for name, own in homes.items() if own not in documents]
        free = known - own_names.keys() - {*under.values()}
        names |= meant_documents(others, free)
        alike = {
            name: other
            for name, other in names.items()
            if meant.get(name) != other and meant.get(other) != name
        }
        if alike:
            first, other = next(iter(alike.items()))
            note = InfoNote(
                f"{counted(len(alike), 'document')} named otherwise than in the judgements:"
                f" {first!r} is {other!r}{', …' if len(alike) > 1 else ''}"
            )
            return replace(self, notes=(*self.notes, note)).renamed(names)
        return self.renamed(names) if names else self

    def renamed(self, names: Mapping[str, str]) -> Run:
        """The run with other names for some documents, their lengths included."""
        doc = pl.col(c.DOC).replace(dict(names))
        lengths = self.lengths
        if lengths is not None:
            # Two names may mean one document.
            lengths = lengths.with_columns(doc).unique(c.DOC, maintain_order=True)
        return replace(self.with_frame(self.frame.with_columns(doc)), lengths=lengths)

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


def text_length_notes(run: Run) -> Iterator[str]:
    """Note that offsets do not fit the results' texts, unless documents were given to verify them."""
    if run.audit is not None or not run.results.has_texts:
        return
    size = pl.col(c.END) - pl.col(c.START)
    misfits = run.frame.filter(pl.col(c.TEXT).str.len_chars().cast(pl.Int64) != size)
    if misfits.height:
        yield (
            f"end - start is not the length of the text of {counted(misfits.height, 'result')}, first"
            f" at line {misfits[c.LINE][0]}: do offsets count bytes? --docs DOCUMENTS (in Python"
            " docs=) verifies them"
        )


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


def inex_task(name: str) -> Task | None:
    """The task that a name of INEX's means (`CO.Focussed`, `All In Context`); None if unknown."""
    letters = re.sub(r"[^a-z]", "", name.lower())
    return _TASK_OF.get(letters) or _TASK_OF.get(_PREFIX.sub("", letters))


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
