"""TREC's judgements by subtopic: whole documents judged for each aspect of a topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foveal.errors import DataError, Problem
from foveal.files import Source
from foveal.formats._format import QrelsRows, ReadOptions, only_named, qrels_format
from foveal.formats._plain_lines import Layout, exact, fields, refuse_values, word_lines
from foveal.formats._qrels_rows import required_aspects
from foveal.late import pl
from foveal.tables import Qrels
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.elements import ElementLookup

NAME = "trec-subtopics"
LINE = Layout((c.TOPIC, c.ASPECT, c.DOC, c.GRADE), minimum=4, numbers=(c.GRADE,))
RECOGNISED = (
    "documents recur under different values in column 2, so it is read as the subtopic"
    " (trec-subtopics), not as an iteration"
)


def write_qrels(qrels: Qrels, elements: ElementLookup | None = None) -> bytes:
    """Line for each document and subtopic."""
    if qrels.passages.height:
        raise DataError(f"{NAME} cannot hold highlights: use jsonl")
    refuse_values(qrels.documents, [c.LENGTH, c.ENTRY, c.STATED], NAME)
    aspects = required_aspects(qrels, NAME).frame
    rows = qrels.documents.select(c.TOPIC, c.DOC, c.GRADE).with_row_index(c.JUDGED)
    max_grades = aspects.group_by(c.JUDGED).agg(pl.col(c.GRADE).max().alias(c.HIGH))
    other_grades = rows.join(max_grades, on=c.JUDGED, how="left").filter(
        pl.col(c.GRADE).ne_missing(pl.col(c.HIGH))
    )
    if other_grades.height:
        raise DataError(
            f"{NAME} needs a grade of each document by subtopic and no other; topic"
            f" {other_grades[c.TOPIC][0]!r}, document {other_grades[c.DOC][0]!r}: use jsonl"
        )
    lines = aspects.join(rows.drop(c.GRADE), on=c.JUDGED, maintain_order="left")
    return word_lines(lines.select(c.TOPIC, c.ASPECT, c.DOC, exact(c.GRADE)))


def has_subtopics(lines: pl.DataFrame) -> bool:
    """True if a document of a topic recurs under different subtopics."""
    subtopics = lines.group_by(c.TOPIC, c.DOC).agg(pl.col(c.ASPECT).n_unique())
    return bool((subtopics[c.ASPECT] > 1).any())


def subtopic_rows(
    lines: pl.DataFrame, problems: list[Problem], notes: tuple[str, ...] = ()
) -> QrelsRows:
    """Judgements from lines of topic, subtopic, document and grade."""
    rows = lines.with_row_index(c.JUDGED)
    return QrelsRows(
        documents=lines.select(c.TOPIC, c.DOC, c.LINE),
        aspects=rows.select(c.JUDGED, c.ASPECT, c.GRADE),
        problems=problems,
        notes=notes,
        format=NAME,
    )


@qrels_format(
    name=NAME,
    title="TREC judgements by subtopic",
    sentence="Four columns, a grade for each whole document and subtopic; recognised where a document"
    " recurs under different subtopics.",
    shape="topic subtopic doc grade",
    examples=("51 2 clueweb09-en0000-00-00142 1",),
    extensions=(".subtopics",),
    recognises=only_named,
    write=write_qrels,
    holds_highlights=False,
    holds_aspects=True,
)
def read_qrels(source: Source, options: ReadOptions) -> QrelsRows:
    """Judgements in lines of four columns, of which the second is the subtopic."""
    table = fields(source, LINE)
    return subtopic_rows(table.frame, table.problems)
