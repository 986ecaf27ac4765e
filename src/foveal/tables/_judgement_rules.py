"""What judgements must keep, and what is odd about those that do."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from foveal.errors import BadInput, Problem, counted
from foveal.late import pl
from foveal.spans import LARGEST_OFFSET, Ints, totals
from foveal.tables import _columns as c
from foveal.tables._judgement_columns import JudgementColumns
from foveal.tables._misnamed import missing_and_meant, renaming
from foveal.tables._notes import Ordinary

# Beyond any scale, and small enough that no sum of gains overflows.
LARGEST_GRADE = 1e9


def ignored(columns: Collection[str]) -> tuple[str, ...]:
    """The columns ignored: highlights under another name would be judgements of documents."""
    known = {*c.DOCUMENT_SCHEMA, *c.SPEAKS_OF_RELEVANCE, *c.PASSAGE_SCHEMA, c.ASSESSOR, c.ITERATION}
    # What a passage says is known by where it is.
    others = sorted(set(columns) - known - ({c.TEXT} if c.START in columns else set()))
    if not others:
        return ()
    noun = "column" if len(others) == 1 else "columns"
    return (Ordinary(f"ignored {noun} {', '.join(others)}: not part of judgements"),)


def refuse_silence(frame: pl.DataFrame) -> None:
    """Raise if rows do not say what they judge; a grade that is missing is not a grade of 0."""
    says = [name for name in (*c.SPEAKS_OF_RELEVANCE, c.START) if name in frame.columns]
    if not frame.columns:
        raise BadInput("qrels", [Problem(None, "no judgements")])
    if not says:
        absent = [name for name in (c.TOPIC, c.DOC) if name not in frame.columns]
        found = ", ".join(frame.columns) or "none"
        meant = renaming([c.GRADE, c.HIGHLIGHTS, c.START, c.END], frame.columns)
        reasons = [missing_and_meant(absent, frame.columns)] if absent else []
        reasons.append(
            "no column says what is relevant, 'grade', 'length', 'highlights' or 'start' and 'end',"
            f" or 'text' with docs= (found: {found}){meant}"
        )
        error = BadInput("qrels", [Problem(None, reason) for reason in reasons])
        if not {c.SCORE, c.RANK}.isdisjoint(frame.columns):
            error.lead_with("this looks like a run, but judgements come first: were they swapped?")
        raise error
    silent = frame.select(pl.all_horizontal(pl.col(name).is_null() for name in says)).to_series()
    rows = silent.arg_true().to_list()
    if rows:
        reason = "grade, length and highlights are all missing"
        raise BadInput("qrels", [Problem(row + 1, reason) for row in rows])


def broken_rules(table: pl.DataFrame, passages: pl.DataFrame) -> list[Problem]:
    """Offsets, lengths, grades and names that cannot be."""
    start, end = pl.col(c.START), pl.col(c.END)
    rules = [
        (start < 0, "a passage has a negative offset"),
        (end < start, "a passage ends before it starts"),
        (end > LARGEST_OFFSET, f"an offset is larger than {LARGEST_OFFSET:,}"),
    ]
    problems = [
        Problem(table[c.LINE][row], reason)
        for broken, reason in rules
        for row in passages.filter(broken)[c.JUDGED].unique().to_list()
    ]
    reserved = table.filter(pl.col(c.TOPIC) == c.ALL_TOPICS).head(1)[c.LINE].to_list()
    reason = f"a topic cannot be called {c.ALL_TOPICS!r}, which is the name of the means' row"
    problems += [Problem(line, reason) for line in reserved]
    bounds = dict.fromkeys((c.LENGTH, c.ENTRY, c.STATED), (0, LARGEST_OFFSET))
    for name, (least, most) in {**bounds, c.GRADE: (-LARGEST_GRADE, LARGEST_GRADE)}.items():
        wrong = table.filter(~pl.col(name).is_between(least, most)).select(c.LINE, name)
        problems += [
            Problem(line, f"{name} must be from {least:,.0f} to {most:,.0f}, got {value:g}")
            for line, value in wrong.iter_rows()
        ]
    return problems


def oddities(judgements: JudgementColumns, repeated: int) -> tuple[str, ...]:
    """What a reader of the judgements should know."""
    notes = []
    if repeated:
        notes.append(
            f"{counted(repeated, 'repeated document')}: the passages are united, the first entry point"
            " is used"
        )
    sizes = _sizes(judgements)
    irrelevant = int(np.count_nonzero((judgements.grade <= 0) & (sizes > 0)))
    if irrelevant:
        notes.append(
            f"{counted(irrelevant, 'document')} with highlighted text and a grade of 0 or less: the text"
            " counts as relevant; leave out passages that are not"
        )
    stated = judgements.stated
    bare = (stated > 0) & (sizes == 0)
    if bare.any():
        documents = counted(int(np.count_nonzero(bare)), "document")
        notes.append(
            f"{documents} with relevant characters but without passages: {cut_off(judgements)}"
        )
    disagreeing = int(np.count_nonzero((stated >= 0) & (stated != sizes) & ~bare))
    if disagreeing:
        notes.append(
            f"{counted(disagreeing, 'document')} with a stated relevant size that differs from the"
            " passages': the passages are used, except with --like inex_eval"
        )
    return tuple(notes)


def cut_off(judgements: JudgementColumns) -> str:
    """Where relevant characters are first stated but no passages follow; empty if nowhere."""
    rows = np.flatnonzero((judgements.stated > 0) & (_sizes(judgements) == 0))
    if not len(rows):
        return ""
    stated = counted(int(judgements.stated[rows[0]]), "relevant character")
    return (
        f"line {judgements.line[rows[0]]} states {stated}, but no passages follow (were columns cut"
        " off?)"
    )


def _sizes(judgements: JudgementColumns) -> Ints:
    """The characters in the passages of each document."""
    return totals(
        judgements.passage_row,
        judgements.passage_end - judgements.passage_start,
        len(judgements.stated),
    )
