"""Reads and writes tables in the format that is named or recognised."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Unpack

from foveal.choices import Assessors, Copies, OffsetUnit, Task, chosen, either
from foveal.compiled import compiled_module
from foveal.errors import BadInput, FovealError, Problem, UsageError
from foveal.files import COMPRESSION_SUFFIXES, REMOTE, Head, Source, is_file, write_bytes
from foveal.formats._format import (
    QRELS_FORMATS,
    RUN_FORMATS,
    TOPICS_FORMATS,
    AnyFormat,
    Format,
    QrelsRows,
    ReadOptions,
    RunFormat,
    by_certainty,
    width,
)
from foveal.formats._inex_parts import EXPECTED, Misplaced, refuse_other_parts
from foveal.formats._recognition import A_RUN, JUDGEMENTS, TOPICS, mistake_in, unrecognised
from foveal.formats._run_rows import run_name
from foveal.registry import Registry
from foveal.tables import (
    ChunkListLike,
    Origin,
    PlacementOptions,
    Qrels,
    QrelsLike,
    Run,
    RunLike,
    TextLookup,
    Topics,
    refuse_wrong_docs,
)
from foveal.work import stage

if TYPE_CHECKING:
    import os

    from foveal.elements import ElementLookup

    Path = str | os.PathLike[str] | Source
    Target = str | os.PathLike[str] | BinaryIO


def write_assessors(
    tables: Mapping[str, Qrels],
    target: Target,
    format: str | None = None,  # noqa: A002  # the option's name
) -> None:
    """Write the judgements of several assessors, by name, to a path or stream.

    Without a format, it is the one that the path's ending names. `read_assessors` reads them back.
    """
    record = output_format(QRELS_FORMATS, target, format)
    if record.write_assessors is None:
        able = [writer.name for writer in QRELS_FORMATS.values() if writer.write_assessors]
        raise UsageError(f"{record.name} cannot say who judged: use {either(sorted(able))}")
    write_bytes(record.write_assessors(tables), target)


# Problems beyond this number are reported without the text of their line.
MAX_QUOTED = 1000


class TextArguments(PlacementOptions, total=False):
    """Arguments of `read_run` that compare results with texts."""

    docs: TextLookup | None


def read_run(
    path: Path,
    format: str | None = None,  # noqa: A002  # the option's name
    *,
    lenient: bool = False,
    elements: ElementLookup | None = None,
    docs: TextLookup | None = None,
    chunks: ChunkListLike | None = None,
    copies: Copies | str = Copies.REFUSE,
    count: OffsetUnit | str = OffsetUnit.CHARACTERS,
    also: Iterable[str] = (),
) -> Run:
    """Read the run in a file (`-`: standard input) of the given format, or of the one recognised.

    If lenient, lines in TREC's format may have more than six columns. `elements` is the
    collection's offset index (`foveal.open_index`): it resolves element paths and gives the lengths
    of all documents; a document that is not in it is refused. `docs` (`foveal.read_documents`) are
    the documents' texts: offsets are verified by the text of each result, or found; `chunks`,
    `copies` and `count` are those of `foveal.from_hits`. `also` are further columns of numbers to
    keep, for `foveal.evaluate(..., also=...)`.
    """
    refuse_wrong_docs(docs, chunks, count)
    with (
        _opened(path) as source,
        source.keeping_undecoded() as undecoded,
        stage(f"reading {PurePath(source.name).name}"),
    ):
        record = _run_format(source, format, lenient=lenient)
        with _quoting(source, record, A_RUN, is_named=bool(format)):
            columns = tuple(also)
            options = ReadOptions(elements, lenient, extra_columns=columns)
            run_rows = record.read(source, options)
            notes = _notes(elements) if run_rows.paths is not None else ()
            rows = replace(
                run_rows,
                name=run_name(source, run_rows.name, run_rows.tag),
                problems=(*undecoded.values(), *run_rows.problems),
                notes=(*run_rows.notes, *notes),
            )
            origin = Origin(source.name, source.stem, record.name)
            run = Run.of(
                rows, origin=origin, ties=record.ties, lengths_of=elements, extra_columns=columns
            )
        # Outside the block: problems with texts quote the text, so the line is not needed.
        if docs is None:
            return run
        return docs.placed(run, chunks=chunks, copies=copies, count=count)


def stated_task(path: str, format: str | None = None) -> Task | None:  # noqa: A002  # likewise
    """Task that the run in a file states it was made for, if the beginning of the file has it.

    None if it names no known task, and for a file that is remote or cannot be read: reading the
    whole file raises the error.
    """
    if REMOTE in path:
        return None
    try:
        with Source.of(path) as source:
            records = [RUN_FORMATS.named(format)] if format else RUN_FORMATS.values()
            for record in records:
                if record.read_about and record.recognises(source.head()):
                    return Origin(about=record.read_about(source)).task
    except FovealError:
        pass
    return None


@contextmanager
def opened_run(
    path: str,
    format: str | None = None,  # noqa: A002  # likewise
    *,
    lenient: bool = False,
    elements: ElementLookup | None = None,
    also: Iterable[str] = (),
    **texts: Unpack[TextArguments],
) -> Iterator[Run]:
    """Open the run in a file; if possible, its results are read only while it is scored."""
    with Source.of(path) as source:

        def read() -> Run:
            return read_run(source, format, lenient=lenient, elements=elements, also=also, **texts)

        is_trec = _run_format(source, format, lenient=lenient).name == "trec"
        stays_in_file = is_trec and compiled_module() and elements is None and not (also or texts)
        # Imported here: registering trec's formats earlier would change the order of formats.
        from foveal.formats.trec._run_stream import stored_run  # noqa: PLC0415

        yield stored_run(source, read) if stays_in_file else read()


def read_qrels(
    path: Path,
    format: str | None = None,  # noqa: A002  # likewise
    *,
    elements: ElementLookup | None = None,
    docs: TextLookup | None = None,
    copies: Copies | str = Copies.REFUSE,
    assessors: str = Assessors.UNION,
) -> Qrels:
    """Read the judgements in a file (`-`: standard input) of the given format or the one recognised.

    `elements` is the collection's offset index (`foveal.open_index`): it resolves element paths and
    gives the lengths that the file does not have. `docs` are the documents' texts: they tell where
    evidence is that is given as text, and `copies` whether text that occurs several times is
    refused or taken to be the `first`. If several people judged, `assessors` says whose judgements
    count: `union`, `majority` (of those who judged the document) or a name.
    """
    with _read_judgements(path, format, elements=elements, docs=docs, copies=copies) as judgements:
        return judgements.table(assessors)


def read_assessors(
    path: Path,
    format: str | None = None,  # noqa: A002  # likewise
    *,
    elements: ElementLookup | None = None,
    docs: TextLookup | None = None,
    copies: Copies | str = Copies.REFUSE,
) -> dict[str, Qrels]:
    """Read the judgements of each assessor in a file; without names, of one called like the file."""
    with _read_judgements(path, format, elements=elements, docs=docs, copies=copies) as judgements:
        # All rows at once first, so that the problems of all are raised together.
        united = judgements.table()
        split = judgements.rows.by_assessor()
        tables = {name: judgements._replace(rows=rows).table() for name, rows in split.items()}
        return tables or {judgements.source.stem: united}


class _FileJudgements(NamedTuple):
    """Rows of judgements in an open file, to be made a table of all assessors or of one."""

    source: Source
    format: str
    rows: QrelsRows
    elements: ElementLookup | None
    docs: TextLookup | None

    def table(self, assessors: str = Assessors.UNION) -> Qrels:
        """Judgements that count if several assessors judged."""
        qrels = Qrels.of(
            replace(self.rows, notes=(*self.rows.notes, *_notes(self.elements))),
            source=self.source.name,
            format=self.format,
            lengths_of=self.elements,
            assessors=assessors,
        )
        if self.docs is None or self.elements is not None:
            return qrels
        return qrels.with_lengths(self.docs.judged_lengths)


@contextmanager
def _read_judgements(
    path: Path,
    name: str | None,
    *,
    elements: ElementLookup | None,
    docs: TextLookup | None,
    copies: Copies | str,
) -> Iterator[_FileJudgements]:
    """Judgements in an open file; its lines are quoted in errors about them."""
    refuse_wrong_docs(docs)
    options = ReadOptions(elements, docs=docs, copies=chosen(Copies, copies), is_named=bool(name))
    with _opened(path) as source, stage(f"reading {PurePath(source.name).name}"):
        record = _find_format(QRELS_FORMATS, name, source, JUDGEMENTS)
        with _quoting(source, record, JUDGEMENTS, is_named=bool(name)):
            rows = record.read(source, options)
            yield _FileJudgements(source, rows.format or record.name, rows, elements, docs)


def read_topics(path: Path, format: str | None = None) -> Topics:  # noqa: A002  # likewise
    """Read the topics in a file (`-`: standard input) of the given format or the one recognised."""
    with _opened(path) as source:
        record = _find_format(TOPICS_FORMATS, format, source, TOPICS)
        with _quoting(source, record, TOPICS, is_named=bool(format)):
            rows = record.read(source, ReadOptions())
            return Topics.of(
                rows.frame, source=source.name, format=record.name, problems=rows.problems
            )


def write_run(
    run: RunLike,
    target: Target,
    format: str | None = None,  # noqa: A002  # likewise
    *,
    paths: bool = False,
) -> None:
    """Write a run to a path or stream; without a format, the one the path's ending names.

    With `paths`, parts that have the path of an element are written by it.
    """
    record, run = output_format(RUN_FORMATS, target, format), Run.coerced(run)
    write = record.write
    if paths:
        if not record.write_paths:
            raise UsageError(f"{record.name} cannot hold element paths: use inex or inex-xml")
        refuse_other_parts(run)
        write = record.write_paths
    write_bytes(write(run), target)


def write_qrels(
    qrels: QrelsLike,
    target: Target,
    format: str | None = None,  # noqa: A002  # likewise
    *,
    elements: ElementLookup | None = None,
) -> None:
    """Write judgements to a path or stream; without a format, the one the path's ending names.

    For inex-xml, whose judgements name elements, the collection's offset index is needed.
    """
    record = output_format(QRELS_FORMATS, target, format)
    write_bytes(record.written(Qrels.coerced(qrels), elements), target)


def output_format(formats: Registry[AnyFormat], target: Target, name: str | None) -> AnyFormat:
    """Format in which a table is written: the one named, or the one of the path's ending."""
    record = formats.named(name) if name else _by_ending(formats, target)
    if not record.is_written:
        raise UsageError(f"{record.name} can only be read: write {either(_writable(formats))}")
    return record


def _writable(formats: Registry[AnyFormat]) -> list[str]:
    """Names of the formats that can be written."""
    return sorted(record.name for record in formats.values() if record.is_written)


def ending(name: str) -> str:
    """Ending of file names in a format; if runs have a format of this name, its ending."""
    qrels_format = QRELS_FORMATS.get(name) if name not in RUN_FORMATS else None
    return (qrels_format or RUN_FORMATS.named(name)).extensions[0]


def _opened(path: Path) -> AbstractContextManager[Source]:
    """Open the file at a path; a source that is already open stays open afterwards."""
    return nullcontext(path) if isinstance(path, Source) else Source.of(path)


def _find_format(
    formats: Registry[AnyFormat], name: str | None, source: Source, content: str
) -> AnyFormat:
    """Format with this name; without a name, the one that recognises the source."""
    if name:
        return formats.named(name)
    head = source.head()
    for record in by_certainty(formats.values()):
        if record.recognises(head):
            return record
    problem = Problem(head.number, unrecognised(source, head, content), head.line)
    raise BadInput(source.name, [*(source.undecoded or {}).values()] or [problem])


def _run_format(source: Source, name: str | None, *, lenient: bool) -> RunFormat:
    """Format of a run; if lenient, lines may be TREC's with more after the tag."""
    if lenient and not name and _is_long_trec(source.head()):
        name = "trec"
    return _find_format(RUN_FORMATS, name, source, A_RUN)


def _by_ending(formats: Registry[AnyFormat], target: object) -> AnyFormat:
    path = PurePath(str(target))
    if path.suffix in COMPRESSION_SUFFIXES:
        path = path.with_suffix("")
    for record in formats.values():
        if record.is_written and path.suffix in record.extensions:
            return record
    raise UsageError(
        f"cannot tell the format from the name {path.name!r}: name one with --to (in Python format=),"
        f" {', '.join(_writable(formats))}"
    )


def _is_long_trec(head: Head) -> bool:
    """True if lines may be TREC's with more after the tag; INEX's look the same."""
    records = (record for record in RUN_FORMATS.values() if record.name not in {"trec", "inex"})
    return width(head) >= 6 and not any(record.recognises(head) for record in records)


def _notes(elements: ElementLookup | None) -> tuple[str, ...]:
    """A warning about an index whose offsets do not count characters."""
    if elements is None or elements.counts_characters:
        return ()
    return (
        "the index does not count characters (it was made with --count bytes or --whitespace"
        " merged): its offsets fit only files that count in the same way",
    )


@contextmanager
def _quoting(source: Source, record: Format, content: str, *, is_named: bool) -> Iterator[None]:
    """Add to an error about a source the lines that it concerns, and what was expected.

    If the format was not named by the caller and the source looks like something else, the error
    says that instead.
    """
    try:
        yield
    except BadInput as error:
        # Lines that are not UTF-8 come first: without them the file may look like anything.
        if source.undecoded and not error.rest:
            raise BadInput(source.name, [*source.undecoded.values()]) from error
        if not is_named and (mistake := mistake_in(source, record, content)):
            head = source.head()
            problem = Problem(head.number, mistake, head.line)
            raise BadInput(source.name, [problem]) from error
        misplaced = all(isinstance(problem, Misplaced) for problem in error.problems)
        error.expected = error.expected or (EXPECTED if misplaced else record.shape)
        error.quote(_line_texts(error, source) if record.is_text else {})
        raise


def quote_lines(error: BadInput, path: str, format: str) -> None:  # noqa: A002  # likewise
    """Add the lines to an error about a file that has been read.

    Lines that came through a pipe cannot be read again. An error about another file, such as a
    chunk list, is left as it is.
    """
    if error.source != path:
        return
    record = RUN_FORMATS.get(format) or QRELS_FORMATS[format]
    if record.is_text and is_file(path):
        with Source.of(path) as source:
            error.quote(_line_texts(error, source))


def _line_texts(error: BadInput, source: Source) -> dict[int, str]:
    problems = error.problems[:MAX_QUOTED]
    return source.lines({problem.line for problem in problems if problem.line and not problem.text})
