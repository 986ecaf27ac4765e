"""INEX's text formats: offsets and lengths ranked, passages judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foveal.choices import Order, Ties
from foveal.compiled import INEX_QRELS, INEX_RUN
from foveal.errors import DataError, Problem, counted
from foveal.files import Source
from foveal.formats._compiled_lines import CompiledLines, part_results, text_judgements
from foveal.formats._format import (
    QrelsRows,
    ReadOptions,
    RunRows,
    is_of_dynamic_domain,
    qrels_format,
    run_format,
    width,
)
from foveal.formats._inex_parts import with_spans
from foveal.formats._plain_lines import (
    Layout,
    fields,
    offsets,
    refuse_nulls,
    refuse_values,
    word_lines,
)
from foveal.formats._run_rows import in_file_order
from foveal.late import pl
from foveal.spans import LARGEST_OFFSET
from foveal.tables import Qrels, Run, refuse_unplaced
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.elements import ElementLookup

RUN_LINE = Layout(
    (c.TOPIC, "", c.DOC, c.RANK, c.SCORE, c.TAG, c.OFFSET, c.LENGTH), minimum=7, numbers=(c.SCORE,)
)
QRELS_LINE = Layout(
    (c.TOPIC, "", c.DOC, c.STATED, c.LENGTH, c.ENTRY, c.PASSAGES), minimum=5, rest=True
)


def write_run(run: Run) -> bytes:
    """Lines of a run of parts: offset and length, `X 0` for unmapped elements."""
    _refuse_unwritable(run)
    unmapped = pl.col(c.START) == c.UNMAPPED
    offset = pl.when(unmapped).then(pl.lit("X")).otherwise(pl.col(c.START).cast(pl.String))
    size = pl.when(unmapped).then(0).otherwise(pl.col(c.END) - pl.col(c.START))
    return _run_lines(run, offset.alias(c.OFFSET), size.alias(c.LENGTH))


def write_run_paths(run: Run) -> bytes:
    """Lines of a run of elements: their paths; entry points and `X` are written as they are."""
    _refuse_unwritable(run)
    start = pl.col(c.START)
    offset = pl.when(start == c.UNMAPPED).then(pl.lit("X")).otherwise(start.cast(pl.String))
    return _run_lines(run, pl.coalesce(c.PATH, offset).alias(c.OFFSET))


def _refuse_unwritable(run: Run) -> None:
    """Refuse results without scores, offsets, or the length of their whole document."""
    refuse_unplaced(run)
    if count := run.frame[c.START].null_count():
        results = counted(count, "whole document")
        raise DataError(
            f"inex needs start and length, but run {run.name!r} returns {results} of unknown length:"
            " give the collection's offset index (--elements INDEX), or use trec"
        )
    refuse_nulls(run.frame, [c.SCORE], "inex")


def _run_lines(run: Run, *columns: pl.Expr) -> bytes:
    frame, tag = in_file_order(run), pl.lit(run.tag).alias(c.TAG)
    return word_lines(frame.select(c.TOPIC, pl.lit("Q0"), c.DOC, c.RANK, c.SCORE, tag, *columns))


def _passages(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Problem]]:
    """Passages of all lines by row, and a problem for each malformed one."""
    tokens = (
        frame.select(pl.col(c.PASSAGES).str.split(" "), c.LINE)
        .with_row_index(c.JUDGED)
        .drop_nulls(c.PASSAGES)
        .explode(c.PASSAGES)
    )
    # Larger numbers are refused later as well; clipped, the sum of both cannot overflow.
    groups = pl.col(c.PASSAGES).str.extract_groups(r"^([0-9]+):([0-9]+)$")
    offset, length = (
        groups.struct.field(group).cast(pl.Int64, strict=False).clip(upper_bound=LARGEST_OFFSET + 1)
        for group in ("1", "2")
    )
    spans = tokens.with_columns(offset.alias(c.START), (offset + length).alias(c.END))
    malformed = spans.filter(pl.col(c.END).is_null())
    problems = [
        Problem(line, f"passage is {token!r}, not offset:length")
        for line, token in malformed.select(c.LINE, c.PASSAGES).iter_rows()
    ]
    return spans.select(c.JUDGED, c.START, c.END), problems


def write_qrels(qrels: Qrels, elements: ElementLookup | None = None) -> bytes:
    """Lines of judged text: sizes, entry point (-1 if absent) and passages."""
    refuse_values(qrels.documents, [c.GRADE], "inex")
    refuse_nulls(qrels.documents, [c.LENGTH], "inex")
    size = pl.col(c.END) - pl.col(c.START)
    passages = qrels.passages.group_by(c.JUDGED).agg(
        size.sum().alias(c.SIZE),
        pl.concat_str(c.START, size, separator=":").str.join(" ").alias(c.PASSAGES),
    )
    rows = qrels.documents.with_row_index(c.JUDGED).join(
        passages, on=c.JUDGED, how="left", maintain_order="left"
    )
    relevant_size = pl.coalesce(c.STATED, c.SIZE, 0)
    if rows.filter(
        pl.col(c.PASSAGES).is_null() & pl.col(c.ENTRY).is_not_null() & (relevant_size > 0)
    ).height:
        raise DataError(
            "inex cannot hold an entry point in a relevant document without passages: use jsonl"
        )
    absent = pl.when(pl.col(c.PASSAGES).is_not_null()).then(c.UNMAPPED)
    rest = [pl.col(c.LENGTH), pl.coalesce(c.ENTRY, absent), pl.col(c.PASSAGES)]
    numbers = pl.concat_str(relevant_size, *rest, separator=" ", ignore_nulls=True)
    return word_lines(rows.select(c.TOPIC, pl.lit("Q0"), c.DOC, numbers.alias(c.STATED)))


@run_format(
    name="inex",
    title="INEX run",
    sentence="Seven or eight columns: offset and length, an entry point, an element, or the first and"
    " last element of a passage; ranked by line.",
    shape="topic Q0 doc rank score tag offset [length], or paths of elements (--elements INDEX)",
    examples=(
        "2009001 Q0 1528075 1 0.93 mine 35336 1877",
        "2009001 Q0 21201 1 1499 mine 133",
        "2009001 Q0 22478 1 9.37 mine /article[1]/bdy[1]/sec[2]",
        "2009001 Q0 9996 1 0.99 mine /article[1]/bdy[1]/sec[1] /article[1]/bdy[1]/sec[3]",
    ),
    extensions=(".inex", ".fol"),
    recognises=lambda head: width(head) in {7, 8},
    guesses=True,
    write=write_run,
    write_paths=write_run_paths,
    ties=Ties.ID,
    needs_scores=True,
    needs_spans=True,
)
def read_run(source: Source, options: ReadOptions) -> RunRows:
    """Run in lines of seven or eight columns, in the order of the lines."""
    lines = CompiledLines.of(source, INEX_RUN) if options.elements is None else None
    if lines and (results := part_results(lines)):
        return RunRows(frame=results, tag=lines.tag, order=Order.FILE)
    table = fields(source, RUN_LINE)
    parts, paths, path_problems = with_spans(table.frame, options.elements)
    problems = [*table.problems, *path_problems]
    return RunRows(frame=parts, tag=table.tag, order=Order.FILE, problems=problems, paths=paths)


@qrels_format(
    name="inex",
    title="INEX judgements",
    sentence="Relevant and total characters, best entry point and passages of each document.",
    shape="topic Q0 doc rel-chars doc-chars [bep offset:length ...]",
    examples=("2009001 Q0 21201 2409 33144 133 133:538 700:1871", "2009001 Q0 33 0 912"),
    extensions=(".inex",),
    recognises=lambda head: width(head) >= 5 and not is_of_dynamic_domain(head),
    guesses=True,
    write=write_qrels,
)
def read_qrels(source: Source, options: ReadOptions) -> QrelsRows:
    """Judgements in lines of five columns or more."""
    compiled_lines = CompiledLines.of(source, INEX_QRELS) if options.elements is None else None
    if compiled_lines and (judgements := text_judgements(compiled_lines)):
        return QrelsRows(documents=judgements)
    table = fields(source, QRELS_LINE)
    frame, lines = table.frame, table.frame[c.LINE]
    no_entry = frame[c.ENTRY].is_null() | (frame[c.ENTRY] == str(c.UNMAPPED)).fill_null(value=False)
    problems = list(table.problems)
    numbers = []
    for name, skipped in ((c.STATED, None), (c.LENGTH, None), (c.ENTRY, no_entry)):
        number, more_problems = offsets(frame[name], lines, skipped=skipped)
        numbers.append(number)
        problems += more_problems
    documents = frame.with_columns(numbers)
    without_passages = documents.filter(
        pl.lit(frame[c.ENTRY].is_not_null()) & pl.col(c.PASSAGES).is_null() & (pl.col(c.STATED) > 0)
    )
    problems += [
        Problem(
            line,
            "an entry point but no passage: give the passages as offset:length, or 0 relevant characters",
        )
        for line in without_passages[c.LINE].to_list()
    ]
    passages, more_problems = _passages(frame)
    return QrelsRows(
        documents=documents.drop(c.PASSAGES), passages=passages, problems=problems + more_problems
    )
