"""TREC Genomics 2006 and 2007: passages ranked, passages judged with their aspects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from foveal.choices import Order, Ties
from foveal.errors import DataError, Problem, counted
from foveal.files import Source
from foveal.formats._format import (
    QrelsRows,
    ReadOptions,
    RunRows,
    only_named,
    qrels_format,
    run_format,
)
from foveal.formats._plain_lines import (
    Layout,
    fields,
    offsets,
    problems_where,
    refuse_nulls,
    refuse_values,
    word_lines,
)
from foveal.formats._qrels_rows import passages_with_aspects, required_aspects
from foveal.formats._run_rows import ranked_by_place
from foveal.late import pl
from foveal.tables import Qrels, Run, refuse_unplaced
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.elements import ElementLookup

NAME = "trecgen"
LATIN_1 = "latin-1"
RUN_LINE = Layout(
    (c.TOPIC, c.DOC, c.PLACE, c.SCORE, c.OFFSET, c.LENGTH, c.TAG), minimum=7, numbers=(c.SCORE,)
)
QRELS_LINE = (c.TOPIC, c.DOC, c.OFFSET, c.LENGTH, c.ASPECTS)
SEPARATOR = "|"
UNWRITABLE = ("\t", "\n", "\r")


def write_run(run: Run) -> bytes:
    """Lines of a run of parts."""
    refuse_unplaced(run)
    frame = ranked_by_place(run)
    refuse_nulls(frame, [c.SCORE, c.START], NAME)
    if (frame[c.START] == c.UNMAPPED).any():
        raise DataError(f"{NAME} cannot hold elements of unknown offsets: use inex")
    size, tag = pl.col(c.END) - pl.col(c.START), pl.lit(run.tag).alias(c.TAG)
    lines = frame.select(c.TOPIC, c.DOC, c.RANK, c.SCORE, c.START, size.alias(c.LENGTH), tag)
    return word_lines(lines)


@run_format(
    name=NAME,
    title="TREC Genomics run",
    sentence="Seven columns: rank, score, offset and length; ranked by rank, then by document, offset"
    " and length. Read only if named.",
    shape="topic pmid rank score offset length tag",
    examples=("200 10662869 1 42.957 40348 1860 mine",),
    extensions=(".trecgen",),
    recognises=only_named,
    write=write_run,
    ties=Ties.PLACE,
    needs_scores=True,
    needs_spans=True,
)
def read_run(source: Source, options: ReadOptions) -> RunRows:
    """Run in lines of seven columns."""
    table = fields(source, RUN_LINE)
    frame, problems = _with_spans(table.frame, table.problems)
    rank_text = frame[c.PLACE].alias(c.RANK)
    rank = rank_text.cast(pl.Int64, strict=False)
    reason = "rank is {}, not a whole number"
    problems += problems_where(rank.is_null(), frame[c.LINE], rank_text, reason)
    frame = frame.drop(c.PLACE).with_columns(rank)
    return RunRows(frame=frame, tag=table.tag, order=Order.RANK, problems=problems)


def write_qrels(qrels: Qrels, elements: ElementLookup | None = None) -> bytes:
    """Line for each passage, with its aspects."""
    refuse_values(qrels.documents, [c.GRADE, c.LENGTH, c.ENTRY, c.STATED], NAME)
    required_aspects(qrels, NAME)
    passages, document_aspects = passages_with_aspects(qrels)
    documents = zip(qrels.documents.select(c.TOPIC, c.DOC).iter_rows(), passages, strict=True)
    lines = []
    for (topic, document), document_passages in documents:
        if not document_passages:
            raise DataError(
                f"{NAME} needs a passage of each document; topic {topic!r}, document"
                f" {document!r} has none: use jsonl"
            )
        for start, end, graded in document_passages:
            if any(grade != 1 for grade in graded.values()):
                raise DataError(f"{NAME} cannot hold grades of aspects: use jsonl")
            aspects = SEPARATOR.join(_writable(name) for name in graded)
            names = (_writable(topic, "#"), _writable(document))
            lines.append("\t".join([*names, str(start), str(end - start), aspects]) + "\n")
    if any(document_aspects):
        raise DataError(f"{NAME} cannot hold aspects of whole documents: use jsonl")
    try:
        return "".join(lines).encode(LATIN_1)
    except UnicodeEncodeError as error:
        character = error.object[error.start]
        raise DataError(f"{NAME} is Latin-1, which has no {character!r}: use jsonl") from error


def _writable(name: str, comment: str = "") -> str:
    """The name if it is read back as it is; other names are refused."""
    is_changed = any(mark in name for mark in (*UNWRITABLE, SEPARATOR)) or name != name.strip(" ")
    if is_changed or not name or (comment and name.startswith(comment)):
        raise DataError(f"{name!r} would be read back as another name in {NAME}: use jsonl")
    return name


@qrels_format(
    name=NAME,
    title="TREC Genomics judgements",
    sentence="Five columns separated by tabs, a passage and its aspects; Latin-1. Read only if named.",
    shape="topic, pmid, offset, length and aspects joined by |, separated by tabs",
    examples=("200\t10662869\t40671\t1038\tSFAS|ICAM-1",),
    extensions=(".trecgen",),
    recognises=only_named,
    write=write_qrels,
    holds_aspects=True,
)
def read_qrels(source: Source, options: ReadOptions) -> QrelsRows:
    """Judgements in lines of five columns."""
    problems: list[Problem] = []
    rows = list(_lines(source, problems))
    schema = {**dict.fromkeys(QRELS_LINE, pl.String), c.LINE: pl.UInt32}
    frame, problems = _with_spans(pl.DataFrame(rows, schema, orient="row"), problems)
    numbered = frame.with_row_index(c.JUDGED)
    names = pl.col(c.ASPECTS).str.split(SEPARATOR).alias(c.ASPECT)
    aspects = numbered.select(c.JUDGED, names, c.START, c.END).explode(c.ASPECT)
    stripped = pl.col(c.ASPECT).str.strip_chars(" ")
    aspects = aspects.with_columns(stripped).filter(pl.col(c.ASPECT) != "")
    spans = numbered.select(c.JUDGED, c.START, c.END)
    return QrelsRows(documents=frame, passages=spans, aspects=aspects, problems=problems)


def _lines(source: Source, problems: list[Problem]) -> Iterator[tuple[str | int, ...]]:
    """Fields of each line and its number; lines of another width go to `problems`."""
    for block in source.blocks(unchecked=True):
        for number, line in enumerate(block.data.decode(LATIN_1).split("\n"), block.first_line):
            if not line.strip(" \t\r") or line.startswith("#"):
                continue
            cells = [cell.strip(" ") for cell in line.rstrip("\r").split("\t")]
            if len(cells) == len(QRELS_LINE):
                yield (*cells, number)
            else:
                columns = counted(len(cells), "column")
                problems.append(Problem(number, f"{columns} separated by tabs, expected 5"))


def _with_spans(frame: pl.DataFrame, problems: list[Problem]) -> tuple[pl.DataFrame, list[Problem]]:
    """The rows with start and end instead of offset and length, and all problems."""
    start, start_problems = offsets(frame[c.OFFSET], frame[c.LINE])
    length, length_problems = offsets(frame[c.LENGTH], frame[c.LINE])
    spans = [start.alias(c.START), (start + length).alias(c.END)]
    problems = [*problems, *start_problems, *length_problems]
    return frame.drop(c.OFFSET, c.LENGTH).with_columns(spans), problems
