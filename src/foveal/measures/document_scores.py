"""S(d): how well the text shown of one document fits its highlights.

Only relevant documents are scored: the others score 0. `PARAMETERS` and `resolved` serve every
measure that ranks documents by such a score.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from foveal.alignment import RankedDocuments, ratio
from foveal.conventions import Conventions
from foveal.errors import UnknownLength
from foveal.measures._parameters import Number, OneOf, Parameter, Whole
from foveal.measures._record import Arguments, Kernel, Resolve, as_given
from foveal.measures._relevance import by_default
from foveal.registry import Registry
from foveal.spans import Floats, Ints, gaps, united

DEFAULT = "F"


@dataclass(frozen=True, eq=False)
class DocumentScore:
    """What a measure's S= can name; `resolve` fills in the score's own parameters."""

    name: str
    sentence: str
    kernel: Kernel
    parameters: tuple[Parameter, ...] = ()
    resolve: Resolve = as_given


DOCUMENT_SCORES: Registry[DocumentScore] = Registry("document score")


def document_score(**fields: Any) -> Callable[[Kernel], Kernel]:
    """Register the decorated kernel as a document score; its docstring is its sentence."""
    return DOCUMENT_SCORES.registering(DocumentScore, **fields)


@document_score(
    name="F", parameters=(Number("beta", "weight of recall in S=F"),), resolve=by_default("beta")
)
def f_score(documents: RankedDocuments, beta: float) -> Floats:
    """F-score of the document's retrieved text; beta weighs recall."""
    precision, recall = precision_score(documents), recall_score(documents)
    weight = beta * beta
    return np.nan_to_num(ratio((1 + weight) * precision * recall, weight * precision + recall))


@document_score(name="P")
def precision_score(documents: RankedDocuments) -> Floats:
    """Share of the document's retrieved text that is highlighted."""
    documents.judged.need_highlights()
    return np.nan_to_num(ratio(documents.relevant_size, documents.size))


@document_score(name="R")
def recall_score(documents: RankedDocuments) -> Floats:
    """Share of the document's highlighted text that was retrieved."""
    return ratio(documents.relevant_size, documents.highlighted)


def _tolerance(given: Arguments, conventions: Conventions) -> dict[str, Any]:
    """A or n, whichever is given, or else what the conventions have."""
    if {"A", "n"} <= given.keys():
        raise ValueError("A and n are two ways to say one thing; give one of them")
    reach = {"A": 0.1} if conventions.reach is None else {"n": conventions.reach}
    return dict(given) | ({} if given.keys() & {"A", "n"} else reach)


@document_score(
    name="bep",
    parameters=(
        Number("A", "tolerance of S=bep, as a share of the document's length", above=True),
        Whole("n", "reach of S=bep in characters, instead of A"),
    ),
    resolve=_tolerance,
)
def entry_point_score(documents: RankedDocuments, **reach: float) -> Floats:
    """Closeness of the first-ranked part's start to the best entry point."""
    documents.judged.need_highlights()
    start, entry = documents.first_start, documents.judged.entry[documents.row]
    distance = np.abs(start - entry)
    if "n" in reach:
        score = np.maximum(0.0, (reach["n"] - distance) / reach["n"])
    else:
        tolerance: Floats = reach["A"] * _lengths(documents).astype(np.float64)
        score = ratio(tolerance, tolerance + distance)
    return np.where((start < 0) | (entry < 0), 0.0, score)


@document_score(
    name="t2i",
    parameters=(Whole("irr", "characters that are not highlighted the reader of S=t2i bears"),),
    resolve=by_default(irr=300),
)
def tolerance_score(documents: RankedDocuments, irr: int) -> Floats:
    """Precision of what is read until the reader has met too much text that is not highlighted.

    The reader takes the retrieved parts in document order, then the rest of the document.
    """
    documents.judged.need_highlights()
    documents.laid.refuse_unknown(documents.document)
    document, start, size = _reading(documents)
    row, count = documents.row[document], len(documents.row)
    relevant = documents.judged.highlights.count(row, start, start + size)
    irrelevant = size - relevant
    running = np.cumsum(irrelevant)
    opening = np.searchsorted(document, np.arange(count))
    met = running - (running - irrelevant)[opening][document]
    left = irr - (met - irrelevant)
    partly = documents.judged.highlights.met_before_irrelevant(row, start, np.maximum(left, 0))
    found = np.where(met < irr, relevant, np.where(left > 0, np.minimum(partly, relevant), 0))
    seen = np.bincount(document, weights=found, minlength=count)
    wasted = np.minimum(np.bincount(document, weights=irrelevant, minlength=count), irr)
    return np.nan_to_num(ratio(seen, seen + wasted))


@document_score(name="rel")
def relevance_score(documents: RankedDocuments) -> Floats:
    """1 for a relevant document: the classical measures."""
    return np.ones(len(documents.row))


*_FIRST, _LAST = DOCUMENT_SCORES
PARAMETERS = (
    OneOf("S", f"the document score: {', '.join(_FIRST)} or {_LAST}", words=tuple(DOCUMENT_SCORES)),
    *(parameter for score in DOCUMENT_SCORES.values() for parameter in score.parameters),
)


def resolved(given: Arguments, conventions: Conventions) -> dict[str, Any]:
    """The document score and its parameters, defaults filled in, and whatever else was given."""
    arguments = {"S": DEFAULT, **given}
    chosen = DOCUMENT_SCORES[arguments["S"]]
    foreign = {known.name for known in PARAMETERS[1:] if known not in chosen.parameters}
    for name in sorted(foreign & given.keys()):
        raise ValueError(f"{name} does not belong to S={chosen.name}")
    return chosen.resolve(arguments, conventions)


def document_scores(documents: RankedDocuments, S: str, **parameters: float) -> Floats:  # noqa: N803 (000's letter)
    """S(d) of every ranked document."""
    key = (S, *sorted(parameters.items()))
    return documents.once(key, lambda: DOCUMENT_SCORES[S].kernel(documents, **parameters))


def _lengths(documents: RankedDocuments) -> Ints:
    """The documents' lengths; refused if nobody knows some."""
    length = documents.judged.length[documents.row]
    unknown = np.flatnonzero(length < 0)
    if len(unknown):
        laid = documents.laid
        first = laid.document_names.at(documents.document[unknown[0]])
        raise UnknownLength(laid.run.name, first, len(unknown), whole=False)
    return length


def _reading(documents: RankedDocuments) -> tuple[Ints, Ints, Ints]:
    """What a patient reader reads of each document, in order: its number, start, size.

    Elements whose place is unknown come first, then the parts shown, then the rest.
    """
    laid, count = documents.laid, len(documents.row)
    number, piece = documents.shown
    shown, start, end = united(number, laid.piece_start[piece], laid.piece_end[piece], count)
    rest, rest_start, rest_end = gaps(shown, start, end, _lengths(documents))
    every = np.arange(count)
    document = np.concatenate([every, shown, rest])
    phase = np.repeat([0, 1, 2], [len(every), len(shown), len(rest)])
    # An element of unknown place is put past the end of every document: nothing is highlighted there.
    beyond = np.full(count, np.iinfo(np.int64).max // 4)
    starts = np.concatenate([beyond, start, rest_start])
    sizes = np.concatenate([documents.unmapped_size, end - start, rest_end - rest_start])
    order = np.lexsort((starts, phase, document))
    return document[order], starts[order], sizes[order]
