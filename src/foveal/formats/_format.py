"""Records of formats: each can read, write, recognise and explain its format."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from foveal.choices import Copies, Ties, either
from foveal.errors import BadInput, DataError, Problem
from foveal.files import ENDINGS, Head, Source
from foveal.frozen import frozen
from foveal.late import pl
from foveal.registry import Registry
from foveal.tables import Qrels, QrelsRows, Run, RunRows, TextLookup, aliases
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.elements import ElementLookup

RUN_FORMATS: Registry[RunFormat] = Registry("format")
QRELS_FORMATS: Registry[QrelsFormat] = Registry("format")
TOPICS_FORMATS: Registry[TopicsFormat] = Registry("format")
Reader = TypeVar("Reader", bound=Callable[..., Any])


@frozen
class ReadOptions:
    """Options for reading a file: elements and texts of its documents, strictness, extra columns."""

    elements: ElementLookup | None = None
    lenient: bool = False
    docs: TextLookup | None = None
    copies: Copies = Copies.REFUSE
    extra_columns: tuple[str, ...] = ()
    """Columns of numbers to keep in addition to those of a run."""

    is_named: bool = False
    """True if the caller named the format, so that the lines cannot be taken for another."""


@frozen(kw_only=True)
class TopicsRows:
    """Topics of a file, and the problems with them."""

    frame: pl.DataFrame
    problems: Sequence[Problem] = ()


@frozen(kw_only=True)
class Format:
    """A format: its name and explanation, and how it is recognised.

    `shape` is what an error says was expected. A format that only guesses, by the number of
    columns, is tried after those that are sure. A gold file holds questions with their evidence, so
    it is both judgements and topics; it is recognised by keys that no other file has, and tried
    first. Without `write` a format can only be read.
    """

    name: str
    title: str
    sentence: str
    shape: str
    examples: tuple[str, ...]
    extensions: tuple[str, ...]
    recognises: Callable[[Head], bool]
    guesses: bool = False
    is_text: bool = True
    gold: bool = False
    write: Callable[..., bytes] | None = None

    @property
    def is_written(self) -> bool:
        """True if tables can be written in this format."""
        return self.write is not None


@frozen(kw_only=True)
class RunFormat(Format):
    """A format of runs; some can write parts by the paths of their elements.

    Scores and spans that the format needs and a run lacks are made by the caller. A format that
    holds a run's description of itself (`Run.about`) can read that alone: `read_about`. `ties` is
    what ranks results of equal score.
    """

    read: Callable[[Source, ReadOptions], RunRows]
    write: Callable[[Run], bytes]
    write_paths: Callable[[Run], bytes] | None = None
    read_about: Callable[[Source], dict[str, str]] | None = None
    ties: Ties = Ties.FILE
    needs_scores: bool = False
    needs_spans: bool = False


@frozen(kw_only=True)
class QrelsFormat(Format):
    """A format of judgements; some need the elements of the documents to be written.

    `write_assessors` writes those of several assessors, by name, if the format can say who judged.
    `names` reads the columns of a file whose rows could also be those of a run.
    """

    read: Callable[[Source, ReadOptions], QrelsRows]
    write: Callable[[Qrels, ElementLookup | None], bytes] | None = None
    write_assessors: Callable[[Mapping[str, Qrels]], bytes] | None = None
    holds_highlights: bool = True
    holds_aspects: bool = False
    names: Callable[[Source], Collection[str]] | None = None

    def written(self, qrels: Qrels, elements: ElementLookup | None) -> bytes:
        """Judgements in this format; refused if it cannot hold their aspects."""
        if qrels.judgements.aspects is not None and not self.holds_aspects:
            able = sorted(record.name for record in QRELS_FORMATS.values() if record.holds_aspects)
            raise DataError(f"{self.name} cannot hold aspects: use {either(able)}")
        return self.write(qrels, elements) if self.write else b""


@frozen(kw_only=True)
class TopicsFormat(Format):
    """A format of topics."""

    read: Callable[[Source, ReadOptions], TopicsRows]


AnyFormat = TypeVar("AnyFormat", RunFormat, QrelsFormat, TopicsFormat)


def run_format(**fields: Any) -> Callable[[Reader], Reader]:
    """Register the decorated reader, and the writer among the fields, as a format of runs."""
    return _registering(RUN_FORMATS, RunFormat, fields)


def qrels_format(**fields: Any) -> Callable[[Reader], Reader]:
    """Register the decorated reader, and the writer among the fields, as one of judgements."""
    return _registering(QRELS_FORMATS, QrelsFormat, fields)


def topics_format(**fields: Any) -> Callable[[Reader], Reader]:
    """Register the decorated reader as a format of topics."""
    return _registering(TOPICS_FORMATS, TopicsFormat, fields)


def _registering(
    registry: Registry[AnyFormat], kind: type[AnyFormat], fields: dict[str, Any]
) -> Callable[[Reader], Reader]:
    def register(read: Reader) -> Reader:
        registry.add(record := kind(read=read, **fields))
        ENDINGS.update(record.extensions)
        return read

    return register


def by_certainty(formats: Iterable[AnyFormat]) -> list[AnyFormat]:
    """Formats in the order in which they are tried on a file."""
    return sorted(formats, key=lambda record: (record.guesses, not record.gold))


def only_named(head: Head) -> bool:
    """False for every file: lines could be of another format, so this one must be named."""
    return False


def width(head: Head) -> int:
    """Number of fields separated by blanks or tabs; other Unicode spaces do not separate."""
    # XML has no fields.
    return 0 if head.root else len(re.findall(r"[^ \t\r]+", head.line))


def is_of_dynamic_domain(head: Head) -> bool:
    """True for a judgement of TREC Dynamic Domain: topic, subtopic, doc, passage, grade.

    INEX's judgements of five columns have Q0 in the second, and the length of a document in the last.
    """
    fields = [] if head.root else re.findall(r"[^ \t\r]+", head.line)
    has_subtopic = len(fields) == 5 and fields[1] not in {"Q0", "0"}
    return has_subtopic and bool(re.fullmatch(r"-?[0-9]", fields[4]))


def is_json(head: Head) -> bool:
    """True if a file begins with a JSON object, or with an array of them."""
    return bool(re.match(r"[ \t]*(\{|\[\s*(\{|\]|$))", head.line))


def refuse_missing(names: Collection[str], source: Source, line: int | None, noun: str) -> None:
    """Refuse a table that lacks a column that every run has, or either start or end."""
    if reason := aliases.reason_not_a_run(names, noun):
        raise BadInput(source.name, [Problem(line, reason)])


def refuse_other_than_run(
    names: Collection[str], source: Source, line: int | None, noun: str
) -> None:
    """Refuse a table of judgements, and one that lacks a column that every run has."""
    if c.HIGHLIGHTS in names and {c.START, c.RANK, c.SCORE}.isdisjoint(names):
        reason = f"{noun} {c.HIGHLIGHTS!r} belongs to judgements: were the files swapped?"
        raise BadInput(source.name, [Problem(line, reason)])
    refuse_missing(names, source, line, noun)


def looks_like_header(names: Iterable[str]) -> bool:
    """True if all fields may be names of columns, and at least one is a known name or alias."""
    fields = [name.strip() for name in names]
    return (
        len(fields) > 1
        and all(re.fullmatch(r"[^\W\d][\w .-]*", name) for name in fields)
        and any(map(aliases.is_run_column, fields))
    )
