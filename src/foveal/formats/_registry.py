"""The formats that exist, how one is recognised, and reading and writing with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path as PathToFile
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from foveal.errors import BadInput, Problem, UsageError, shortened
from foveal.formats import csv, inex, inex_xml, jsonl, parquet, topics, trec
from foveal.formats._lines import COMPRESSION_SUFFIXES, PARQUET_MAGIC, Head, Source
from foveal.formats._measured import measured_qrels, measured_run
from foveal.formats._output import write_bytes
from foveal.formats._places import refuse_other_parts
from foveal.formats._records import Format, QrelsFormat, RunFormat, TopicsFormat, width

if TYPE_CHECKING:
    import os

    from foveal.tables import ElementLookup, Qrels, Run, Topics

    Path = str | os.PathLike[str] | Source
    Target = str | os.PathLike[str] | BinaryIO

# In the order in which they are asked to recognise a file.
RUN_FORMATS: tuple[RunFormat, ...] = (
    parquet.RUN,
    jsonl.RUN,
    csv.RUN_CSV,
    csv.RUN_TSV,
    trec.RUN,
    inex.RUN,
    inex_xml.RUN,
)
QRELS_FORMATS: tuple[QrelsFormat, ...] = (jsonl.QRELS, trec.QRELS, inex.QRELS, inex_xml.QRELS)
TOPICS_FORMATS: tuple[TopicsFormat, ...] = (topics.INEX, topics.TREC, topics.JSONL, topics.TSV)
RESULTS, JUDGEMENTS, TOPICS = "results", "judgements", "topics"
# More problems than a reader will look at: beyond these, the line's text is left out.
TEXTS_SHOWN = 1000

AnyFormat = TypeVar("AnyFormat", RunFormat, QrelsFormat, TopicsFormat)
Table = TypeVar("Table", "Run", "Qrels", "Topics")


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
    source = Source.of(path)
    if format:
        chosen = _named(RUN_FORMATS, format)
    elif lenient and _is_long_trec(source.head()):
        chosen = trec.RUN
    else:
        chosen = _recognised(RUN_FORMATS, source, RESULTS)

    def read(source: Source) -> Run:
        if elements is not None and chosen.read_with:
            return measured_run(chosen.read_with(source, elements), elements)
        run = ((chosen.read_leniently if lenient else None) or chosen.read)(source)
        return run if elements is None else measured_run(run, elements)

    run = _read(chosen, read, source)
    return replace(run, stem=source.stem, format=chosen.name)


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
    source = Source.of(path)
    if format:
        chosen = _named(QRELS_FORMATS, format)
    else:
        chosen = _recognised(QRELS_FORMATS, source, JUDGEMENTS)

    def read(source: Source) -> Qrels:
        if elements is None:
            return chosen.read(source)
        found = chosen.read_with(source, elements) if chosen.read_with else chosen.read(source)
        return measured_qrels(found, elements)

    return replace(_read(chosen, read, source), format=chosen.name)


def read_topics(path: Path, format: str | None = None) -> Topics:  # noqa: A002  # likewise
    """The topics in a file (`-`: standard input) of the given format or the one recognised."""
    source = Source.of(path)
    if format:
        chosen = _named(TOPICS_FORMATS, format)
    else:
        chosen = _recognised(TOPICS_FORMATS, source, TOPICS)
    return replace(_read(chosen, chosen.read, source), format=chosen.name)


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
    chosen = _named(RUN_FORMATS, format) if format else _by_ending(RUN_FORMATS, target)
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
    chosen = _named(QRELS_FORMATS, format) if format else _by_ending(QRELS_FORMATS, target)
    if elements is not None and chosen.write_with:
        write_bytes(chosen.write_with(qrels, elements), target)
    else:
        write_bytes(chosen.write(qrels), target)


def _named(formats: Sequence[AnyFormat], name: str) -> AnyFormat:
    for known in formats:
        if known.name == name:
            return known
    close = get_close_matches(name, [known.name for known in formats], n=1)
    hint = f" (did you mean {close[0]}?)" if close else ""
    raise UsageError(f"unknown format {name!r}{hint}: choose from {_names(formats)}")


def run_format(target: Target, name: str | None) -> str:
    """The name of the format in which a run is written: the one given, or the ending's."""
    return (_named(RUN_FORMATS, name) if name else _by_ending(RUN_FORMATS, target)).name


def qrels_format(target: Target, name: str | None) -> str:
    """The name of the format in which judgements are written: the one given, or the ending's."""
    return (_named(QRELS_FORMATS, name) if name else _by_ending(QRELS_FORMATS, target)).name


def ending(name: str) -> str:
    """How names of files in a format end; judgements have it from the runs' format of that name."""
    return _named(RUN_FORMATS, name).extensions[0]


def _by_ending(formats: Sequence[AnyFormat], target: object) -> AnyFormat:
    path = PurePath(str(target))
    if path.suffix in COMPRESSION_SUFFIXES:
        path = path.with_suffix("")
    for known in formats:
        if path.suffix in known.extensions:
            return known
    raise UsageError(f"the name {path.name!r} tells no format: choose from {_names(formats)}")


def _recognised(formats: Sequence[AnyFormat], source: Source, content: str) -> AnyFormat:
    head = source.head()
    for known in formats:
        if known.recognises(head):
            return known
    problem = Problem(head.number, _unrecognised(head, formats, content), head.line)
    raise BadInput(source.name, [problem])


def _is_long_trec(head: Head) -> bool:
    """Whether lines can be TREC's with something behind them, which INEX's could be as well."""
    others = (known for known in RUN_FORMATS if known not in {trec.RUN, inex.RUN})
    return width(head) >= 6 and not any(known.recognises(head) for known in others)


def _unrecognised(head: Head, formats: Sequence[Format], content: str) -> str:
    if not head.line and head.magic != PARQUET_MAGIC:
        return f"no {content}"
    if head.root:
        return f"XML that begins with <{shortened(head.root, 40)}>, which holds no {content}"
    seen = "" if head.line else ", but as Parquet"
    option = "--qrels-format" if content == JUDGEMENTS else "--format"
    return f"not recognised as {content}{seen}: give {option}, one of {_names(formats)}"


def _names(formats: Sequence[Format]) -> str:
    return ", ".join(known.name for known in formats)


def _read(chosen: Format, read: Callable[[Source], Table], source: Source) -> Table:
    """What a format reads from a source; its complaints get the lines they are about."""
    try:
        return read(source)
    except BadInput as error:
        error.expected = error.expected or chosen.shape
        error.quote(_texts(error, source) if chosen.is_text else {})
        raise


def quote_lines(error: BadInput, path: str, format: str) -> None:  # noqa: A002  # likewise
    """Add to an error about a file that was read the lines it complains of.

    What came through a pipe is gone and cannot be shown again.
    """
    is_text = any(
        known.name == format and known.is_text for known in (*RUN_FORMATS, *QRELS_FORMATS)
    )
    if is_text and PathToFile(path).is_file():
        error.quote(_texts(error, Source.of(path)))


def _texts(error: BadInput, source: Source) -> dict[int, str]:
    shown = error.problems[:TEXTS_SHOWN]
    return source.texts({problem.line for problem in shown if problem.line and not problem.text})
