"""S(d): how well the text returned from a document fits its highlights.

Only relevant documents are scored: the others score 0. `PARAMETERS` and `resolved` serve every
measure that averages such scores over a ranking of documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from foveal.alignment import AlignedRun, RankedDocuments, ratio
from foveal.choices import Answers, Task, either
from foveal.conventions import Conventions
from foveal.errors import UnknownLength, counted, shortened_list
from foveal.frozen import frozen
from foveal.measures._parameters import Number, OneOf, Whole
from foveal.measures._record import Arguments, Definition, Kernel, Unit, on_parts
from foveal.measures._relevance import by_default
from foveal.registry import Registry
from foveal.spans import Floats, Ints, gaps, totals, united
from foveal.tables import columns

if TYPE_CHECKING:
    from foveal.measures._grammar import Measure

DEFAULT = "F"
# Document scores that need no text: of an entry point, and of a document as such.
ENTRY_POINT = "bep"
NEEDS_NO_TEXT = {ENTRY_POINT, "rel"}
WITHOUT_LENGTH = "a result with no length or a length of 0 is an entry point, which finds nothing"
EMPTY_ELEMENT = "an empty element finds nothing"
WANTS_HIGHLIGHTS = "Users want to read what is highlighted and nothing else."


@frozen(eq=False, kw_only=True)
class DocumentScore(Definition):
    """A document score, the S of a measure; `resolve` fills in its own parameters."""

    answers: Answers
    """The structure of a ranking whose documents have this score."""


DOCUMENT_SCORES: Registry[DocumentScore] = Registry("document score")


def document_score(**fields: Any) -> Callable[[Kernel], Kernel]:
    """Register the decorated kernel as a document score; its docstring is its sentence."""
    return DOCUMENT_SCORES.registering(DocumentScore, **fields)


@document_score(
    name="F",
    title="F-score of a document's text",
    formula=r"\frac{(1+\beta^2) \cdot P(d) \cdot R(d)}{\beta^2 \cdot P(d) + R(d)}",
    cite="Pehcevski & Thom 2007, eq. 3; INEX 2007, eq. 6",
    answers=Answers.COMPOUND_SET,
    parameters=(Number("beta", "weight of recall in S=F"),),
    resolve=by_default("beta"),
    assumes=WANTS_HIGHLIGHTS,
    advice="Say which beta: 1 in the papers of 2007, 0.25 in the official program (--like"
    " inex_eval). The order of a document's parts does not matter; with S=ranked it does.",
    worked=on_parts(
        "gP@1",
        "2 · 40/70 · 40/40 / (40/70 + 40/40) = 8/11 = 0.7273",
        "Two parts of d1 were returned, 70 characters with all 40 highlighted ones.",
    ),
)
def f_score(documents: RankedDocuments, beta: float) -> Floats:
    """F-score of the document's retrieved text."""
    precision, recall = precision_score(documents), recall_score(documents)
    weight = beta * beta
    return np.nan_to_num(ratio((1 + weight) * precision * recall, weight * precision + recall))


@document_score(
    name="P",
    title="Precision of a document's text",
    formula=r"P(d) = \sum_{p \in d} rsize(p) \,/\, \sum_{p \in d} size(p)",
    cite="Pehcevski & Thom 2007, eq. 1; INEX 2007, eq. 4",
    answers=Answers.COMPOUND_SET,
    assumes="Users want to read nothing that is not highlighted.",
    advice="One highlighted word returned scores 1; S=F also asks for the rest.",
    worked=on_parts(
        "gP(S=P)@1",
        "(30 + 10) / (50 + 20) = 0.5714",
        "The two parts of d1 have 50 and 20 characters, of which 30 and 10 are highlighted.",
    ),
)
def precision_score(documents: RankedDocuments) -> Floats:
    """Share of the document's retrieved text that is highlighted."""
    documents.qrels.need_highlights()
    return np.nan_to_num(ratio(documents.relevant_size, documents.size))


@document_score(
    name="R",
    title="Recall of a document's text",
    formula=r"R(d) = \sum_{p \in d} rsize(p) \,/\, Trel(d)",
    cite="Pehcevski & Thom 2007, eq. 2; INEX 2007, eq. 5",
    answers=Answers.COMPOUND_SET,
    assumes="Users want to read all that is highlighted.",
    advice="Returning whole documents scores 1; S=F also asks for precision.",
    worked=on_parts(
        "gP(S=R)@4",
        "(40/40 + 0 + 20/20 + 10/40) / 4 = 0.5625",
        "All highlighted text of d1 and d2 was returned, and 10 of the 40 characters of d4; d3 has"
        " none.",
    ),
)
def recall_score(documents: RankedDocuments) -> Floats:
    """Share of the document's highlighted text that was retrieved."""
    return ratio(documents.relevant_size, documents.highlighted)


def _default_tolerance(explicit: Arguments, conventions: Conventions) -> dict[str, Any]:
    """Fill in the conventions' A or n if neither is given."""
    if {"A", "n"} <= explicit.keys():
        raise ValueError("A and n exclude each other: give one of them")
    default = {"A": 0.1} if conventions.reach is None else {"n": conventions.reach}
    return dict(explicit) | ({} if explicit.keys() & {"A", "n"} else default)


@document_score(
    name="bep",
    title="Distance from the best entry point",
    formula=r"\frac{A \cdot L(d)}{A \cdot L(d) + |x - b(d)|}",
    formula_with={"n": r"\max\left(0, \frac{n - |x - b(d)|}{n}\right)"},
    cite="INEX 2007, eq. 8 and 9",
    answers=Answers.COMPOUND_SINGLE,
    parameters=(
        Number(
            "A",
            "tolerance of S=bep, as a share of the document's length",
            unset="none, n is used",
            exclusive=True,
        ),
        Whole(
            "n",
            "distance in characters at which S=bep falls to 0, instead of A",
            unset="none, A is used",
        ),
    ),
    resolve=_default_tolerance,
    assumes="Users start reading at the entry point that they are given.",
    advice="Looks only at where the first part starts, not at the text that follows: for that,"
    " use S=F. With A, the same distance costs less in a long document.",
    worked=on_parts(
        "gP(S=bep)@1",
        "0.1 · 100 / (0.1 · 100 + 10) = 0.5",
        "d1 has 100 characters; its first part starts at 0, 10 characters before the best entry"
        " point.",
    ),
)
def entry_point_score(documents: RankedDocuments, **reach: float) -> Floats:
    """How close the start x of the first-ranked part is to the best entry point b(d)."""
    documents.qrels.need_highlights()
    start, entry = documents.first_start, documents.qrels.entry[documents.row]
    distance = np.abs(start - entry)
    if "n" in reach:
        score = np.maximum(0.0, (reach["n"] - distance) / reach["n"])
    else:
        tolerance: Floats = reach["A"] * _lengths(documents).astype(np.float64)
        score = ratio(tolerance, tolerance + distance)
    return np.where((start < 0) | (entry < 0), 0.0, score)


@document_score(
    name="t2i",
    title="Tolerance to irrelevance",
    formula=r"\frac{r}{r + i}, \quad i \le irr",
    cite="INEX 2010",
    answers=Answers.COMPOUND_SET,
    parameters=(
        Whole("irr", "characters that are not highlighted after which the reader of S=t2i stops"),
    ),
    resolve=by_default(irr=300),
    assumes="Users stop reading a document after irr characters that are not highlighted.",
    advice="In documents with fewer than irr characters that are not highlighted everything is"
    " read, whatever was returned: give an irr that fits the collection, or use S=F.",
    worked=on_parts(
        "gP(S=t2i,irr=20)@1",
        "30 / (30 + 20) = 0.6",
        "The reader of d1 meets 10 other characters, 30 highlighted ones and 10 others, and gives up.",
    ),
)
def tolerance_score(documents: RankedDocuments, irr: int) -> Floats:
    """Precision of what is read before the reader gives up.

    The reader takes the retrieved parts in document order, then the rest of the document, and stops
    at the irr-th character that is not highlighted: r characters read are highlighted, i are not.
    """
    highlighted, others = patient_reading(documents, irr)
    return np.nan_to_num(ratio(highlighted, highlighted + others))


@document_score(
    name="ranked",
    title="Average precision of a document's parts",
    formula=r"R(d) \cdot \sum_r rel(p_r) \cdot P(d)[r] \,/\, \sum_r rel(p_r)",
    cite="Pehcevski & Thom 2007, section 2 (ranked answer parts); INEX 2007, eq. 3",
    answers=Answers.COMPOUND_RANKED,
    assumes="Users read a document's parts in the order in which they are given.",
    advice="Depends on how the text of a document is cut into parts; S=F does not.",
    worked=on_parts(
        "gP(S=ranked)@1",
        "40/40 · (30/50 + 40/70) / 2 = 41/70 = 0.5857",
        "After the first part of d1 30 of 50 characters are highlighted, after the second 40 of 70,"
        " and none is missing.",
    ),
)
def ranked_score(documents: RankedDocuments) -> Floats:
    """Mean precision at the document's parts that add highlighted text, times the recall of all.

    P(d)[r] is the highlighted share of the document's first r parts in the order returned.
    """
    documents.qrels.need_highlights()
    index, precision = documents.precisions
    count = len(documents.row)
    mean = ratio(totals(index, precision, count), np.bincount(index, minlength=count))
    return np.nan_to_num(mean) * recall_score(documents)


@document_score(
    name="rel",
    title="Relevance of a document",
    formula=r"rel(d)",
    cite="Pehcevski & Thom 2007, section 3",
    answers=Answers.RANKED,
    advice="Does not look at the text: any part of a relevant document scores 1. Use S=F where"
    " parts matter.",
    worked=on_parts(
        "gP(S=rel)@3", "(1 + 0 + 1) / 3 = 0.6667", "d1 and d2 are relevant, d3 is not."
    ),
)
def relevance_score(documents: RankedDocuments) -> Floats:
    """1 for a relevant document, whatever was returned from it: gives the classical measures."""
    return np.ones(len(documents.row))


PARAMETERS = (
    OneOf("S", f"the document score: {either(DOCUMENT_SCORES)}", words=tuple(DOCUMENT_SCORES)),
    *(parameter for score in DOCUMENT_SCORES.values() for parameter in score.parameters),
)


def resolved(explicit: Arguments, conventions: Conventions) -> dict[str, Any]:
    """The arguments with S and the defaults of its parameters filled in."""
    arguments = {"S": DEFAULT, **explicit}
    score = DOCUMENT_SCORES[arguments["S"]]
    foreign = {p.name for p in PARAMETERS[1:] if p not in score.parameters}
    for name in sorted(foreign & explicit.keys()):
        raise ValueError(f"{name} does not belong to S={score.name}")
    return score.resolve(arguments, conventions)


def score_documents(documents: RankedDocuments, S: str, **parameters: float) -> Floats:  # noqa: N803 (000's letter)
    """S(d) of every ranked document."""
    key = (S, *sorted(parameters.items()))
    return documents.cached(key, lambda: DOCUMENT_SCORES[S].kernel(documents, **parameters))


def patient_reading(documents: RankedDocuments, irr: int) -> tuple[Ints, Ints]:
    """Numbers of highlighted and of other characters that the reader of S=t2i reads per document."""
    documents.qrels.need_highlights()
    documents.placed_parts.refuse_unknown_lengths(documents.document)
    document, start, size = _reading_order(documents)
    row, count = documents.row[document], len(documents.row)
    highlights = documents.qrels.highlights
    relevant = highlights.count(row, start, start + size)
    irrelevant = size - relevant
    running = np.cumsum(irrelevant)
    first_piece = np.searchsorted(document, np.arange(count))
    cost = running - (running - irrelevant)[first_piece][document]
    patience = irr - (cost - irrelevant)
    at_stop = highlights.highlighted_before_irrelevant(row, start, np.maximum(patience, 0))
    read = np.where(cost < irr, relevant, np.where(patience > 0, np.minimum(at_stop, relevant), 0))
    return totals(document, read, count), np.minimum(totals(document, irrelevant, count), irr)


def _lengths(documents: RankedDocuments) -> Ints:
    """The documents' lengths; raises UnknownLength if any is unknown."""
    length = documents.qrels.length[documents.row]
    unknown = np.flatnonzero(length < 0)
    if len(unknown):
        placed_parts = documents.placed_parts
        name = placed_parts.document_names.name_at(documents.document[unknown[0]])
        raise UnknownLength(placed_parts.run.name, name, len(unknown), whole_document=False)
    return length


def _reading_order(documents: RankedDocuments) -> tuple[Ints, Ints, Ints]:
    """Pieces of text in the order of the reader of S=t2i: document, start and size.

    Elements with unknown offsets come first, then the parts returned, then the rest.
    """
    pieces, count = documents.placed_parts.pieces, len(documents.row)
    index, piece = documents.read_pieces
    returned, start, end = united(index, pieces.start[piece], pieces.end[piece], count)
    remaining, remaining_start, remaining_end = gaps(returned, start, end, _lengths(documents))
    all_documents = np.arange(count)
    document = np.concatenate([all_documents, returned, remaining])
    phase = np.repeat([0, 1, 2], [len(all_documents), len(returned), len(remaining)])
    # Unknown offsets are set beyond the end of every document, where nothing is highlighted.
    beyond = np.full(count, np.iinfo(np.int64).max // 4)
    starts = np.concatenate([beyond, start, remaining_start])
    sizes = np.concatenate([documents.unmapped_size, end - start, remaining_end - remaining_start])
    order = np.lexsort((starts, phase, document))
    return document[order], starts[order], sizes[order]


def entry_point_notes(
    alignment: AlignedRun, measures: Sequence[Measure], overall: Sequence[float]
) -> Iterator[str]:
    """Note results without text; elements with unknown offsets are not counted as such."""
    run = alignment.run
    text_values = {m: value for m, value in zip(measures, overall, strict=True) if _scores_text(m)}
    start, end, is_whole = run.results.spans
    is_placed = start != columns.UNMAPPED
    is_empty = is_placed & (start == end) & ~is_whole
    count = int(np.count_nonzero(is_empty))
    if not text_values or not count:
        return
    by_entry = alignment.conventions.task is Task.BIC or any(map(_scores_entry_points, measures))
    if count == int(np.count_nonzero(is_placed)):
        zero_measures = [measure for measure, value in text_values.items() if not value]
        if zero_measures and by_entry:
            yield f"every result is an entry point, which has no text{_advice(zero_measures)}"
        elif zero_measures:
            yield (
                "every result is an entry point, which has no text, so measures of text are 0: --task"
                " bic scores entry points"
            )
        return
    line = run.frame[columns.LINE][int(np.argmax(is_empty))]
    results = f"{count:,} of {counted(len(start), 'result')}"
    reason = EMPTY_ELEMENT if run.results.has_paths else WITHOUT_LENGTH
    yield f"{results} without text, first at line {line}: {reason}"


def _scores_text(measure: Measure) -> bool:
    """True if a measure scores the text of parts; entry points have none."""
    record, arguments = measure.record, dict(measure.arguments)
    if record.by_score:
        return arguments["S"] not in NEEDS_NO_TEXT
    return (record.unit is Unit.PART and not record.whole_number) or bool(arguments.get("parts"))


def _scores_entry_points(measure: Measure) -> bool:
    return measure.record.by_score and dict(measure.arguments)["S"] == ENTRY_POINT


def _advice(measures: Sequence[Measure]) -> str:
    """Text on measures that are 0 for entry points, and what to use instead."""
    do, be = ("scores", "is") if len(measures) == 1 else ("score", "are")
    # The suffix, a rank or a recall level, is kept.
    alternatives = [
        f"{m.record.name}(S={ENTRY_POINT}){m.name.removeprefix(m.record.name).rpartition(')')[2]}"
        for m in measures
        if m.record.by_score
    ]
    names = shortened_list([*dict.fromkeys(alternatives)]) or f"measures with S={ENTRY_POINT}"
    return f": {shortened_list([*map(str, measures)])} {do} text and {be} 0; for entry points ask for {names}"
