"""Which topics, documents and results are shown, and how moves between runs are written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from foveal.errors import counted
from foveal.late import pl
from foveal.rendering import Table, rounded
from foveal.reports.explanation.explanation import Explanation
from foveal.reports.explanation.sentences import SHOWN_DIFFERENCES, short
from foveal.tables import columns as c

SHOWN_DOCUMENTS = 10
SHOWN_TOPICS = 20
SHOWN_RESULTS = 20
SHOWN_RANKS = 20
SAME, NEW, GONE, SKIPPED = "=", "new", "gone", "⋯"


def shown_documents(found: Explanation) -> tuple[list[str], int]:
    """The documents that are shown closely, in rank order, and how many are left out.

    Relevant documents go before others: those that were returned, by rank, then those that were
    not. In task rag they are also shown before them.
    """
    every = found.documents.group_by(c.DOC, maintain_order=True).agg(
        pl.col(c.RELEVANT).any(), pl.col(c.RANK).min()
    )
    chosen = (
        every.with_row_index(c.PLACE)
        .sort(~pl.col(c.RELEVANT), c.RANK, nulls_last=True, maintain_order=True)
        .head(SHOWN_DOCUMENTS)
    )
    if not found.of_chunks:
        chosen = chosen.sort(c.PLACE)
    return chosen[c.DOC].to_list(), every.height - chosen.height


def stretches(own: pl.DataFrame, text: str | None) -> Iterator[dict[str, Any]]:
    """The segments of a document; one that goes beyond the end of its text is two."""
    end = None if text is None else len(text)
    for row in own.iter_rows(named=True):
        if end is not None and row[c.START] < end < row[c.END]:
            yield {**row, c.END: end}
            yield {**row, c.START: end}
        else:
            yield row


def worst_topics(found: Explanation) -> pl.DataFrame:
    """The topics of the run, those with the worst values first."""
    own = found.topics.filter(pl.col(c.RUN) == found.run)
    return own.sort(c.VALUE, descending=not found.rises, nulls_last=True, maintain_order=True)


def cells(row: tuple[Any, ...]) -> list[str]:
    """Numbers as people read them; blank where one is unknown."""
    return [_cell(value) for value in row]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return rounded(value)
    return short(value) if isinstance(value, str) else f"{value:,}"


def topic_table(found: Explanation, most: int | None = None) -> Table:
    """The topics, worst first."""
    rows = worst_topics(found).head(most) if most else worst_topics(found)
    rows = rows.drop(c.RUN).rename({c.VALUE: found.called})
    body = [cells(row) for row in rows.iter_rows()]
    header = list(rows.columns)
    if found.titles:
        header.insert(1, c.TITLE)
        for own, name in zip(body, rows[c.TOPIC], strict=True):
            own.insert(1, short(found.titles.get(name, "")))
    return Table(header, body, 2 if found.titles else 1, found.settings)


def differing(found: Explanation) -> pl.DataFrame:
    """The topics that differ most between two runs, those that do not differ left out."""
    return found.differences.filter(pl.col(c.DIFFERENCE) != 0).head(SHOWN_DIFFERENCES)


def difference_table(found: Explanation) -> Table:
    """The topics that differ most between two runs."""
    one, two = map(short, found.runs)
    rows = differing(found)
    header = [
        *(c.TOPIC, f"{found.called} of {one}", f"{found.called} of {two}", c.DIFFERENCE),
        *(f"found by {one}", f"found by {two}"),
    ]
    return Table(header, [cells(row) for row in rows.iter_rows()], 1, found.settings)


_DOCUMENT_COLUMNS = (c.DOC, c.RANK, c.RELEVANT, c.HIGHLIGHTED, c.FOUND, c.MISSED, c.WASTED)


def document_table(found: Explanation, *, every: bool = False) -> Table:
    """The documents of a topic that are shown, by rank; with two runs, of each."""
    run = [c.RUN] if found.against is not None else []
    columns = [*run, *_DOCUMENT_COLUMNS, *found.parameters]
    rows = found.documents.select(columns)
    if not every:
        names = shown_documents(found)[0]
        rows = rows.filter(pl.col(c.DOC).is_in(names))
    if found.of_chunks:
        rows = rows.sort(~pl.col(c.RELEVANT), maintain_order=True)
    labels = columns.index(c.DOC) + 1
    body = [cells(row) for row in rows.iter_rows()]
    columns[labels] = found.document_rank
    return Table(columns, body, labels, found.settings)


_RESULT_COLUMNS = (
    *(c.RANK, c.START, c.END, c.SIZE, c.RSIZE),
    *(c.TEXT_P, c.TEXT_R, c.INTERPOLATED),
)


def result_tables(found: Explanation, name: str) -> Iterator[Table]:
    """The results from a document, of each run that has any."""
    for run in found.runs:
        own = found.results.filter((pl.col(c.RUN) == run) & (pl.col(c.DOC) == name))
        if not own.height:
            continue
        body = [cells(row) for row in own.head(SHOWN_RESULTS).select(_RESULT_COLUMNS).iter_rows()]
        header = list(_RESULT_COLUMNS)
        if found.against is not None:
            other = next(word for word in found.runs if word != run)
            header.append(f"in {short(other)}")
            ranks = own.select(c.RANK, c.AGAINST_RANK).head(SHOWN_RESULTS).iter_rows()
            for row, (rank, elsewhere) in zip(body, ranks, strict=True):
                row.append(move(rank, elsewhere, first=run == found.run))
        more = own.height - SHOWN_RESULTS
        left_out = f"{counted(more, 'more result')} left out; --to json has them all."
        who = f"results of {short(run)}" if found.against is not None else "results"
        yield Table(header, body, 0, title=who, below=left_out if more > 0 else "")


def move(rank: int, elsewhere: int | None, *, first: bool) -> str:
    """Where a result of one run is in the other: so many ranks further down or up there.

    What only the first run returns is new, what only the second does is gone.
    """
    if elsewhere is None:
        return NEW if first else GONE
    if elsewhere == rank:
        return SAME
    return f"↓{elsewhere - rank:,}" if elsewhere > rank else f"↑{rank - elsewhere:,}"


def side_by_side(found: Explanation) -> Table:
    """The results of two runs rank by rank, without the ranks at which neither finds anything."""
    lists = [
        {row[c.RANK]: row for row in found.results.filter(pl.col(c.RUN) == run).to_dicts()}
        for run in found.runs
    ]
    last = max((rank for own in lists for rank in own), default=0)
    body: list[list[str]] = []
    skipped = shown = 0
    for rank in range(1, last + 1):
        pair = [own.get(rank) for own in lists]
        if shown < SHOWN_RANKS and any(row and row[c.RSIZE] for row in pair):
            body += _skipped(skipped)
            skipped = 0
            shown += 1
            sides = [_side(row, first=not place) for place, row in enumerate(pair)]
            body.append([f"{rank:,}", sides[0][0], sides[1][0], *sides[0][1:], *sides[1][1:]])
        else:
            skipped += sum(row is not None for row in pair)
    body += _skipped(skipped)
    one, two = map(short, found.runs)
    header = [c.RANK, one, two, f"found by {one}", f"in {two}", f"found by {two}", f"in {one}"]
    return Table(header, body, 3, title="side by side")


def _skipped(count: int) -> list[list[str]]:
    if not count:
        return []
    return [[SKIPPED, f"{counted(count, 'result')} skipped", *[""] * 5]]


def _side(row: dict[str, Any] | None, *, first: bool) -> list[str]:
    if row is None:
        return ["", "", ""]
    start, end = row[c.START], row[c.END]
    where = "" if start is None else f" {start:,}-{'' if end is None else f'{end:,}'}"
    return [
        f"{short(row[c.DOC])}{where}",
        f"{row[c.RSIZE]:,}",
        move(row[c.RANK], row[c.AGAINST_RANK], first=first),
    ]
