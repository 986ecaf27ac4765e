"""Reading and writing: the format is named or recognised, then the table is built."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Unpack

from foveal.choices import Assessors, Copies, OffsetUnit, Task, either
from foveal.choices import chosen as choice
from foveal.compiled import compiled
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
from foveal.formats._recognition import A_RUN, JUDGEMENTS, TOPICS, diagnosed, mistaken
from foveal.formats._run_rows import run_name
from foveal.registry import Registry
from foveal.tables import (
    TASK,
    ChunkListLike,
    Comparing,
    Origin,
    Qrels,
    QrelsLike,
    Run,
    RunLike,
    TextLookup,
    Topics,
    inex_task,
    refuse_other_docs,
    refuse_without_docs,
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
    """Write the judgements of several people, by name, to a path or stream.

    Without a format, it is the one that the path's ending names. `read_assessors` reads them back.
    """
    chosen = written_format(QRELS_FORMATS, target, format)
    if chosen.write_assessors is None:
        able = [known.name for known in QRELS_FORMATS.values() if known.write_assessors]
        raise UsageError(f"{chosen.name} cannot say who judged: use {either(sorted(able))}")
    write_bytes(chosen.write_assessors(tables), target)


# Nobody looks at more problems: after these, the line's text is left out.
TEXTS_SHOWN = 1000


class TextArguments(Comparing, total=False):
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
    """The run in a file (`-`: standard input) of the given format, or of the one recognised.

    If lenient, lines in TREC's format may have more than six columns. `elements` is the
    collection's offset index (`foveal.open_index`): it resolves element paths and gives the lengths
    of all documents; a document that is not in it is refused. `docs` (`foveal.read_documents`) are
    the documents' texts: offsets are verified by the text of each result, or found; `chunks`,
    `copies` and `count` are those of `foveal.from_hits`. `also` are further columns of numbers to
    keep, for `foveal.evaluate(..., also=...)`.
    """
    refuse_without_docs(docs, chunks, count)
    with (
        _opened(path) as source,
        source.keeping_undecoded() as undecoded,
        stage(f"reading {PurePath(source.name).name}"),
    ):
        chosen = _run_format(source, format, lenient=lenient)
        with _quoting(source, chosen, A_RUN, is_named=bool(format)):
            reading = ReadOptions(elements, lenient, also=tuple(also))
            found = chosen.read(source, reading)
            notes = _notes(elements) if found.paths is not None else ()
            rows = replace(
                found,
                name=run_name(source, found.name, found.tag),
                problems=(*undecoded.values(), *found.problems),
                notes=(*found.notes, *notes),
            )
            origin = Origin(source.name, source.stem, chosen.name)
            run = Run.of(
                rows, origin=origin, ties=chosen.ties, lengths_of=elements, also=reading.also
            )
        # What is wrong with texts is quoted with its reason; the line would say it again.
        if docs is None:
            return run
        return docs.placed(run, chunks=chunks, copies=copies, count=count)


def stated_task(path: str, format: str | None = None) -> Task | None:  # noqa: A002  # likewise
    """The task that the run in a file says it was made for, if that can be seen at its beginning.

    None if it names no known task, and for a file that is remote or cannot be read: the error is
    raised when it is read as a whole.
    """
    if REMOTE in path:
        return None
    try:
        with Source.of(path) as source:
            known = [RUN_FORMATS.named(format)] if format else RUN_FORMATS.values()
            for one in known:
                if one.read_about and one.recognises(source.head()):
                    return inex_task(one.read_about(source).get(TASK, ""))
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
    """The run in a file that stays open: its results are read while it is scored, if they can be."""
    with Source.of(path) as source:

        def read() -> Run:
            return read_run(source, format, lenient=lenient, elements=elements, also=also, **texts)

        is_trec = _run_format(source, format, lenient=lenient).name == "trec"
        is_late = is_trec and compiled() and elements is None and not also and not texts
        # The room's own files come first in its lists: importing this one earlier would change that.
        from foveal.formats.trec._run_stream import stored_run  # noqa: PLC0415

        yield stored_run(source, read) if is_late else read()


def read_qrels(
    path: Path,
    format: str | None = None,  # noqa: A002  # likewise
    *,
    elements: ElementLookup | None = None,
    docs: TextLookup | None = None,
    copies: Copies | str = Copies.REFUSE,
    assessors: str = Assessors.UNION,
) -> Qrels:
    """The judgements in a file (`-`: standard input) of the given format or the one recognised.

    `elements` is the collection's offset index (`foveal.open_index`): it resolves element paths and
    gives the lengths that the file does not have. `docs` are the documents' texts: they tell where
    evidence is that is given as text, and `copies` whether text that occurs several times is
    refused or taken to be the `first`. If several people judged, `assessors` says whose judgements
    count: `union`, `majority` (of those who judged the document) or a name.
    """
    with _judged(path, format, elements=elements, docs=docs, copies=copies) as judged:
        return judged.by(assessors)


def read_assessors(
    path: Path,
    format: str | None = None,  # noqa: A002  # likewise
    *,
    elements: ElementLookup | None = None,
    docs: TextLookup | None = None,
    copies: Copies | str = Copies.REFUSE,
) -> dict[str, Qrels]:
    """The judgements of each assessor that a file names, or those of one called like the file."""
    with _judged(path, format, elements=elements, docs=docs, copies=copies) as judged:
        # Whatever is wrong with any of the rows is raised here.
        whole = judged.by()
        apart = judged.found.by_assessor()
        own = {name: judged._replace(found=rows).by() for name, rows in apart.items()}
        return own or {judged.source.stem: whole}


class _Judged(NamedTuple):
    """Judgements as they were found in a file, to be made those of some assessors or of one."""

    source: Source
    format: str
    found: QrelsRows
    elements: ElementLookup | None
    docs: TextLookup | None

    def by(self, assessors: str = Assessors.UNION) -> Qrels:
        """The judgements that count if several people judged."""
        qrels = Qrels.of(
            self.found.documents,
            self.found.passages,
            aspects=self.found.aspects,
            source=self.source.name,
            format=self.format,
            problems=self.found.problems,
            notes=(*self.found.notes, *_notes(self.elements)),
            index=self.elements,
            taken=self.found.taken,
            assessors=assessors,
        )
        if self.docs is None or self.elements is not None:
            return qrels
        return qrels.with_lengths(self.docs.judged_lengths)


@contextmanager
def _judged(
    path: Path,
    name: str | None,
    *,
    elements: ElementLookup | None,
    docs: TextLookup | None,
    copies: Copies | str,
) -> Iterator[_Judged]:
    """The judgements in a file, whose lines are quoted if something is wrong with them."""
    refuse_other_docs(docs)
    reading = ReadOptions(elements, docs=docs, copies=choice(Copies, copies), is_named=bool(name))
    with _opened(path) as source, stage(f"reading {PurePath(source.name).name}"):
        chosen = _chosen(QRELS_FORMATS, name, source, JUDGEMENTS)
        with _quoting(source, chosen, JUDGEMENTS, is_named=bool(name)):
            found = chosen.read(source, reading)
            yield _Judged(source, found.format or chosen.name, found, elements, docs)


def read_topics(path: Path, format: str | None = None) -> Topics:  # noqa: A002  # likewise
    """The topics in a file (`-`: standard input) of the given format or the one recognised."""
    with _opened(path) as source:
        chosen = _chosen(TOPICS_FORMATS, format, source, TOPICS)
        with _quoting(source, chosen, TOPICS, is_named=bool(format)):
            found = chosen.read(source, ReadOptions())
            return Topics.of(
                found.frame, source=source.name, format=chosen.name, problems=found.problems
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
    chosen, run = written_format(RUN_FORMATS, target, format), Run.coerced(run)
    write = chosen.write
    if paths:
        if not chosen.write_paths:
            raise UsageError(f"{chosen.name} cannot hold element paths: use inex or inex-xml")
        refuse_other_parts(run)
        write = chosen.write_paths
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
    chosen = written_format(QRELS_FORMATS, target, format)
    write_bytes(chosen.written(Qrels.coerced(qrels), elements), target)


def written_format(formats: Registry[AnyFormat], target: Target, name: str | None) -> AnyFormat:
    """The format in which a table is written: the one named, or the one of the path's ending."""
    chosen = formats.named(name) if name else _by_ending(formats, target)
    if not chosen.is_written:
        raise UsageError(f"{chosen.name} can only be read: write {either(_written(formats))}")
    return chosen


def _written(formats: Registry[AnyFormat]) -> list[str]:
    """The names of the formats that can be written."""
    return sorted(known.name for known in formats.values() if known.is_written)


def ending(name: str) -> str:
    """The ending of file names in a format; judgements have that of the run format of this name."""
    known = QRELS_FORMATS.get(name) if name not in RUN_FORMATS else None
    return (known or RUN_FORMATS.named(name)).extensions[0]


def _opened(path: Path) -> AbstractContextManager[Source]:
    """The source at a path; one that is already open is left to the caller to close."""
    return nullcontext(path) if isinstance(path, Source) else Source.of(path)


def _chosen(
    formats: Registry[AnyFormat], name: str | None, source: Source, content: str
) -> AnyFormat:
    """The format of that name, or else the one that recognises the source."""
    if name:
        return formats.named(name)
    head = source.head()
    for known in by_certainty(formats.values()):
        if known.recognises(head):
            return known
    problem = Problem(head.number, diagnosed(source, head, content), head.line)
    raise BadInput(source.name, [*(source.undecoded or {}).values()] or [problem])


def _run_format(source: Source, name: str | None, *, lenient: bool) -> RunFormat:
    """The format of a run; read leniently, lines may be TREC's with something behind them."""
    if lenient and not name and _is_long_trec(source.head()):
        name = "trec"
    return _chosen(RUN_FORMATS, name, source, A_RUN)


def _by_ending(formats: Registry[AnyFormat], target: object) -> AnyFormat:
    path = PurePath(str(target))
    if path.suffix in COMPRESSION_SUFFIXES:
        path = path.with_suffix("")
    for known in formats.values():
        if known.is_written and path.suffix in known.extensions:
            return known
    raise UsageError(
        f"cannot tell the format from the name {path.name!r}: name one with --to (in Python format=),"
        f" {', '.join(_written(formats))}"
    )


def _is_long_trec(head: Head) -> bool:
    """Whether lines may be in TREC's format with something after the tag; so may INEX's."""
    others = (known for known in RUN_FORMATS.values() if known.name not in {"trec", "inex"})
    return width(head) >= 6 and not any(known.recognises(head) for known in others)


def _notes(elements: ElementLookup | None) -> tuple[str, ...]:
    """A warning about an index whose offsets do not count characters."""
    if elements is None or elements.counts_characters:
        return ()
    return (
        "the index does not count characters (it was made with --count bytes or --whitespace"
        " merged): its offsets fit only files that count in the same way",
    )


@contextmanager
def _quoting(source: Source, chosen: Format, content: str, *, is_named: bool) -> Iterator[None]:
    """Add to an error about a source the lines it is about, and what was expected.

    If the format was not named by the caller and the source looks like something else, the error
    says that instead.
    """
    try:
        yield
    except BadInput as error:
        # What is left of the file may be anything.
        if source.undecoded and not error.rest:
            raise BadInput(source.name, [*source.undecoded.values()]) from error
        if not is_named and (other := mistaken(source, chosen, content)):
            head = source.head()
            problem = Problem(head.number, other, head.line)
            raise BadInput(source.name, [problem]) from error
        misplaced = all(isinstance(problem, Misplaced) for problem in error.problems)
        error.expected = error.expected or (EXPECTED if misplaced else chosen.shape)
        error.quote(_texts(error, source) if chosen.is_text else {})
        raise


def quote_lines(error: BadInput, path: str, format: str) -> None:  # noqa: A002  # likewise
    """Add the lines to an error about a file that has been read.

    Lines that came through a pipe are gone and cannot be shown. An error about another file, such
    as a chunk list, is not about these lines.
    """
    if error.source != path:
        return
    known = RUN_FORMATS.get(format) or QRELS_FORMATS[format]
    if known.is_text and is_file(path):
        with Source.of(path) as source:
            error.quote(_texts(error, source))


def _texts(error: BadInput, source: Source) -> dict[int, str]:
    shown = error.problems[:TEXTS_SHOWN]
    return source.lines({problem.line for problem in shown if problem.line and not problem.text})
