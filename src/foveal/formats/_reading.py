"""Reading and writing: the format named or recognised, and the table built once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path as PathToFile
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO

from foveal.errors import BadInput, Problem, UsageError, shortened
from foveal.files import COMPRESSION_SUFFIXES, PARQUET_MAGIC, Head, Source, compiled, write_bytes
from foveal.formats._places import refuse_other_parts
from foveal.formats._records import (
    QRELS_FORMATS,
    RUN_FORMATS,
    TOPICS_FORMATS,
    AnyFormat,
    Format,
    Reading,
    RunFormat,
    by_certainty,
    width,
)
from foveal.formats._unread import UnreadFile
from foveal.registry import Registry
from foveal.tables import Qrels, Run, Topics, UnreadRun

if TYPE_CHECKING:
    import os

    from foveal.elements import ElementLookup

    Path = str | os.PathLike[str] | Source
    Target = str | os.PathLike[str] | BinaryIO

RESULTS, JUDGEMENTS, TOPICS = "results", "judgements", "topics"
# More problems than a reader will look at: beyond these, the line's text is left out.
TEXTS_SHOWN = 1000


def read_run(
    path: Path,
    format: str | None = None,  # noqa: A002  # the option's name
    *,
    lenient: bool = False,
    elements: ElementLookup | None = None,
) -> Run:
    """The run in a file (`-`: standard input) of the given format, or of the one recognised.

    Read leniently, lines in TREC's format may have more columns than six. `elements` is the
    collection's offset index (`foveal.open_index`): element paths are resolved through it, and it
    tells the lengths of all documents; a document it does not have is refused.
    """
    with _opened(path) as source:
        chosen = _run_format(source, format, lenient=lenient)
        with _quoting(source, chosen):
            found = chosen.read(source, Reading(elements, lenient))
            return Run.of(
                found.frame,
                name=found.name,
                order=found.order,
                source=source.name,
                stem=source.stem,
                format=chosen.name,
                last_tag=found.last_tag,
                problems=found.problems,
                ignored=found.ignored,
                notes=_notes(elements) if found.paths is not None else (),
                paths=found.paths,
                lengths_of=elements.lengths if elements is not None else None,
            )


@contextmanager
def opened_run(
    path: str,
    format: str | None = None,  # noqa: A002  # likewise
    *,
    lenient: bool = False,
    elements: ElementLookup | None = None,
) -> Iterator[Run | UnreadRun]:
    """The run in a file for those who score it: read while that is done, if it can be."""
    with Source.of(path) as source:

        def read() -> Run:
            return read_run(source, format, lenient=lenient, elements=elements)

        is_trec = _run_format(source, format, lenient=lenient).name == "trec"
        yield UnreadFile(source, read) if is_trec and compiled() and not elements else read()


def read_qrels(
    path: Path,
    format: str | None = None,  # noqa: A002  # likewise
    *,
    elements: ElementLookup | None = None,
) -> Qrels:
    """The judgements in a file (`-`: standard input) of the given format or the one recognised.

    `elements` is the collection's offset index (`foveal.open_index`): element paths are resolved
    through it, and it tells the lengths that the file does not.
    """
    with _opened(path) as source:
        chosen = _chosen(QRELS_FORMATS, format, source, JUDGEMENTS)
        with _quoting(source, chosen):
            found = chosen.read(source, Reading(elements))
            return Qrels.of(
                found.documents,
                found.passages,
                source=source.name,
                format=chosen.name,
                problems=found.problems,
                notes=(*found.notes, *_notes(elements)),
                lengths_of=elements.lengths if elements is not None else None,
            )


def read_topics(path: Path, format: str | None = None) -> Topics:  # noqa: A002  # likewise
    """The topics in a file (`-`: standard input) of the given format or the one recognised."""
    with _opened(path) as source:
        chosen = _chosen(TOPICS_FORMATS, format, source, TOPICS)
        with _quoting(source, chosen):
            found = chosen.read(source, Reading())
            return Topics.of(
                found.frame, source=source.name, format=chosen.name, problems=found.problems
            )


def write_run(
    run: Run,
    target: Target,
    format: str | None = None,  # noqa: A002  # likewise
    *,
    paths: bool = False,
) -> None:
    """Write a run to a path or stream; without a format, the one the path's ending names.

    With `paths`, parts that have the path of an element are written by it.
    """
    chosen = written_format(RUN_FORMATS, target, format)
    write = chosen.write
    if paths:
        if not chosen.write_paths:
            raise UsageError(f"{chosen.name} has no place for element paths: use inex or inex-xml")
        refuse_other_parts(run)
        write = chosen.write_paths
    write_bytes(write(run), target)


def write_qrels(
    qrels: Qrels,
    target: Target,
    format: str | None = None,  # noqa: A002  # likewise
    *,
    elements: ElementLookup | None = None,
) -> None:
    """Write judgements to a path or stream; without a format, the one the path's ending names.

    inex-xml speaks of elements: it needs the collection's offset index.
    """
    write_bytes(written_format(QRELS_FORMATS, target, format).write(qrels, elements), target)


def written_format(formats: Registry[AnyFormat], target: Target, name: str | None) -> AnyFormat:
    """The format in which a table is written: the one named, or the one of the path's ending."""
    return formats.named(name) if name else _by_ending(formats, target)


def ending(name: str) -> str:
    """How names of files in a format end; judgements have it from the runs' format of that name."""
    return RUN_FORMATS.named(name).extensions[0]


def _opened(path: Path) -> AbstractContextManager[Source]:
    """The source at a path; one that is open already is left to whoever opened it."""
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
    problem = Problem(head.number, _unrecognised(head, formats, content), head.line)
    raise BadInput(source.name, [problem])


def _run_format(source: Source, name: str | None, *, lenient: bool) -> RunFormat:
    """The format of a run; read leniently, lines may be TREC's with something behind them."""
    if lenient and not name and _is_long_trec(source.head()):
        name = "trec"
    return _chosen(RUN_FORMATS, name, source, RESULTS)


def _by_ending(formats: Registry[AnyFormat], target: object) -> AnyFormat:
    path = PurePath(str(target))
    if path.suffix in COMPRESSION_SUFFIXES:
        path = path.with_suffix("")
    for known in formats.values():
        if path.suffix in known.extensions:
            return known
    raise UsageError(
        f"the name {path.name!r} tells no format: choose from {', '.join(sorted(formats))}"
    )


def _is_long_trec(head: Head) -> bool:
    """Whether lines can be TREC's with something behind them, which INEX's could be as well."""
    others = (known for known in RUN_FORMATS.values() if known.name not in {"trec", "inex"})
    return width(head) >= 6 and not any(known.recognises(head) for known in others)


def _unrecognised(head: Head, formats: Iterable[str], content: str) -> str:
    if not head.line and head.magic != PARQUET_MAGIC:
        return f"no {content}"
    if head.root:
        return f"XML that begins with <{shortened(head.root, 40)}>, which holds no {content}"
    seen = "" if head.line else ", but as Parquet"
    option = "--qrels-format" if content == JUDGEMENTS else "--format"
    return f"not recognised as {content}{seen}: give {option}, one of {', '.join(sorted(formats))}"


def _notes(elements: ElementLookup | None) -> tuple[str, ...]:
    """What must be known of an index whose offsets are not those of others."""
    if elements is None or elements.counts_characters:
        return ()
    return (
        "the index does not count characters (it was made with --count bytes or --whitespace"
        " merged): offsets from it fit only others counted so",
    )


@contextmanager
def _quoting(source: Source, chosen: Format) -> Iterator[None]:
    """Show with complaints about a source the lines they are about, and what was expected."""
    try:
        yield
    except BadInput as error:
        error.expected = error.expected or chosen.shape
        error.quote(_texts(error, source) if chosen.is_text else {})
        raise


def quote_lines(error: BadInput, path: str, format: str) -> None:  # noqa: A002  # likewise
    """Add to an error about a file that was read the lines it complains of.

    What came through a pipe is gone and cannot be shown again.
    """
    known = RUN_FORMATS.get(format) or QRELS_FORMATS[format]
    if known.is_text and PathToFile(path).is_file():
        with Source.of(path) as source:
            error.quote(_texts(error, source))


def _texts(error: BadInput, source: Source) -> dict[int, str]:
    shown = error.problems[:TEXTS_SHOWN]
    return source.texts({problem.line for problem in shown if problem.line and not problem.text})
