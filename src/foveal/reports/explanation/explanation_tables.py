"""Tables of an explanation: topics, documents and results, and moves between two runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from foveal.errors import counted
from foveal.late import pl
from foveal.rendering import Table, rounded
from foveal.reports.explanation.explanation import Explanation
from foveal.reports.explanation.sentences import MAX_DIFFERENCES, short
from foveal.tables import columns as c

MAX_DOCUMENTS = 10
MAX_TOPICS = 20
MAX_RESULTS = 20
MAX_RANKS = 20
SAME, NEW, GONE, SKIPPED = "=", "new", "gone", "⋯"


def shown_documents(explanation: Explanation) -> tuple[list[str], int]:
    """The documents to show in detail, in rank order, and the number of others.

    Relevant documents are chosen first: returned ones by rank, then the rest. In task rag they are
    also shown first.
    """
    documents = explanation.documents.group_by(c.DOC, maintain_order=True).agg(
        pl.col(c.RELEVANT).any(), pl.col(c.RANK).min()
    )
    visible_documents = (
        documents.with_row_index(c.PLACE)
        .sort(~pl.col(c.RELEVANT), c.RANK, nulls_last=True, maintain_order=True)
        .head(MAX_DOCUMENTS)
    )
    if not explanation.explains_chunks:
        visible_documents = visible_documents.sort(c.PLACE)
    return visible_documents[c.DOC].to_list(), documents.height - visible_documents.height


def text_segments(segments: pl.DataFrame, text: str | None) -> Iterator[dict[str, Any]]:
    """The segments of a document; one that extends beyond the end of the text is split there."""
    end = None if text is None else len(text)
    for row in segments.iter_rows(named=True):
        if end is not None and row[c.START] < end < row[c.END]:
            yield {**row, c.END: end}
            yield {**row, c.START: end}
        else:
            yield row


def worst_topics(explanation: Explanation) -> pl.DataFrame:
    """The topics of the run, those with the worst values first."""
    topics = explanation.topics.filter(pl.col(c.RUN) == explanation.run)
    descending = not explanation.rises
    return topics.sort(c.VALUE, descending=descending, nulls_last=True, maintain_order=True)


def cells(row: tuple[Any, ...]) -> list[str]:
    """Values formatted for readers; blank if unknown."""
    return [_cell(value) for value in row]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return rounded(value)
    return short(value) if isinstance(value, str) else f"{value:,}"


def topic_table(explanation: Explanation, max_topics: int | None = None) -> Table:
    """The topics, worst first."""
    rows = worst_topics(explanation).head(max_topics) if max_topics else worst_topics(explanation)
    rows = rows.drop(c.RUN).rename({c.VALUE: explanation.measure_name})
    cell_rows = [cells(row) for row in rows.iter_rows()]
    header = list(rows.columns)
    if explanation.titles:
        header.insert(1, c.TITLE)
        for row_cells, name in zip(cell_rows, rows[c.TOPIC], strict=True):
            row_cells.insert(1, short(explanation.titles.get(name, "")))
    return Table(header, cell_rows, 2 if explanation.titles else 1, explanation.settings)


def most_different(explanation: Explanation) -> pl.DataFrame:
    """The topics with the largest differences between two runs, without equal ones."""
    return explanation.differences.filter(pl.col(c.DIFFERENCE) != 0).head(MAX_DIFFERENCES)


def difference_table(explanation: Explanation) -> Table:
    """The topics that differ most between two runs."""
    runs = [*map(short, explanation.runs)]
    rows = most_different(explanation)
    header = [c.TOPIC, *(f"{explanation.measure_name} of {run}" for run in runs), c.DIFFERENCE]
    header += [f"found by {run}" for run in runs]
    return Table(header, [cells(row) for row in rows.iter_rows()], 1, explanation.settings)


_DOCUMENT_COLUMNS = (c.DOC, c.RANK, c.RELEVANT, c.HIGHLIGHTED, c.FOUND, c.MISSED, c.WASTED)


def document_table(explanation: Explanation, *, all_documents: bool = False) -> Table:
    """The documents of a topic by rank, of each run."""
    run = [c.RUN] if explanation.against is not None else []
    columns = [*run, *_DOCUMENT_COLUMNS, *explanation.parameters]
    rows = explanation.documents.select(columns)
    if not all_documents:
        names = shown_documents(explanation)[0]
        rows = rows.filter(pl.col(c.DOC).is_in(names))
    if explanation.explains_chunks:
        rows = rows.sort(~pl.col(c.RELEVANT), maintain_order=True)
    labels = columns.index(c.DOC) + 1
    cell_rows = [cells(row) for row in rows.iter_rows()]
    columns[labels] = explanation.document_rank
    return Table(columns, cell_rows, labels, explanation.settings)


_RESULT_COLUMNS = (c.RANK, c.START, c.END, c.SIZE, c.RSIZE, c.TEXT_P, c.TEXT_R, c.INTERPOLATED)


def result_tables(explanation: Explanation, name: str) -> Iterator[Table]:
    """A table of the results from a document, for each run that has any."""
    for run in explanation.runs:
        results = explanation.results.filter((pl.col(c.RUN) == run) & (pl.col(c.DOC) == name))
        if not results.height:
            continue
        rows = [cells(row) for row in results.head(MAX_RESULTS).select(_RESULT_COLUMNS).iter_rows()]
        header = list(_RESULT_COLUMNS)
        if explanation.against is not None:
            other_run = next(r for r in explanation.runs if r != run)
            header.append(f"in {short(other_run)}")
            ranks = results.select(c.RANK, c.AGAINST_RANK).head(MAX_RESULTS).iter_rows()
            for row, (rank, other_rank) in zip(rows, ranks, strict=True):
                row.append(move(rank, other_rank, in_first_run=run == explanation.run))
        hidden_count = results.height - MAX_RESULTS
        left_out_text = f"{counted(hidden_count, 'more result')} left out; --to json has them all."
        title = f"results of {short(run)}" if explanation.against is not None else "results"
        yield Table(header, rows, 0, title=title, below=left_out_text if hidden_count > 0 else "")


def move(rank: int, other_rank: int | None, *, in_first_run: bool) -> str:
    """The move of a result to its rank in the other run: up or down by a number of ranks.

    A result of only the first run is new, one of only the second is gone.
    """
    if other_rank is None:
        return NEW if in_first_run else GONE
    if other_rank == rank:
        return SAME
    return f"↓{other_rank - rank:,}" if other_rank > rank else f"↑{rank - other_rank:,}"


def side_by_side(explanation: Explanation) -> Table:
    """The results of two runs rank by rank, without the ranks at which neither finds anything."""
    rows_by_rank = [
        {row[c.RANK]: row for row in explanation.results.filter(pl.col(c.RUN) == run).to_dicts()}
        for run in explanation.runs
    ]
    last_rank = max((rank for run_rows in rows_by_rank for rank in run_rows), default=0)
    cell_rows: list[list[str]] = []
    skipped = shown_count = 0
    for rank in range(1, last_rank + 1):
        pair = [run_rows.get(rank) for run_rows in rows_by_rank]
        if shown_count < MAX_RANKS and any(row and row[c.RSIZE] for row in pair):
            cell_rows += _skipped_row(skipped)
            skipped = 0
            shown_count += 1
            sides = [_side_cells(row, in_first_run=not index) for index, row in enumerate(pair)]
            cell_rows.append([f"{rank:,}", sides[0][0], sides[1][0], *sides[0][1:], *sides[1][1:]])
        else:
            skipped += sum(row is not None for row in pair)
    cell_rows += _skipped_row(skipped)
    first, second = map(short, explanation.runs)
    header = [c.RANK, first, second, f"found by {first}", f"in {second}"]
    header += [f"found by {second}", f"in {first}"]
    return Table(header, cell_rows, 3, title="side by side")


def _skipped_row(count: int) -> list[list[str]]:
    if not count:
        return []
    return [[SKIPPED, f"{counted(count, 'result')} skipped", *[""] * 5]]


def _side_cells(row: dict[str, Any] | None, *, in_first_run: bool) -> list[str]:
    if row is None:
        return ["", "", ""]
    start, end = row[c.START], row[c.END]
    span = "" if start is None else f" {start:,}-{'' if end is None else f'{end:,}'}"
    return [
        f"{short(row[c.DOC])}{span}",
        f"{row[c.RSIZE]:,}",
        move(row[c.RANK], row[c.AGAINST_RANK], in_first_run=in_first_run),
    ]
