"""S(d): how well the text shown of one document fits its highlights.

Each score is 0 for a document without highlights. `PARAMETERS` and `resolved` serve every
measure that ranks documents by such a score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from foveal.alignment import Floats, RankedDocuments, ratio
from foveal.choices import Conventions
from foveal.errors import UnknownLength
from foveal.measures._parameters import Number, OneOf, Whole
from foveal.spans import Ints, gaps, united


def f_score(documents: RankedDocuments, beta: float) -> Floats:
    """F-score of the document's retrieved text; beta weighs recall."""
    precision, recall = precision_score(documents), recall_score(documents)
    weight = beta * beta
    return np.nan_to_num(ratio((1 + weight) * precision * recall, weight * precision + recall))


def precision_score(documents: RankedDocuments) -> Floats:
    """Share of the document's retrieved text that is highlighted."""
    documents.unknown.refuse(documents.highlighted > 0)
    return _for_relevant(documents, ratio(documents.relevant_size, documents.size))


def recall_score(documents: RankedDocuments) -> Floats:
    """Share of the document's highlighted text that was retrieved."""
    return _for_relevant(documents, ratio(documents.relevant_size, documents.highlighted))


def entry_point_score(documents: RankedDocuments, **reach: float) -> Floats:
    """Closeness of the first-ranked part's start to the best entry point."""
    places = documents.relevant_places
    row = documents.row[places]
    start, entry = documents.first_start[places], documents.judged.entry[row]
    distance = np.abs(start - entry)
    if "n" in reach:
        score = np.maximum(0.0, (reach["n"] - distance) / reach["n"])
    else:
        _need_lengths(documents, places)
        tolerance: Floats = reach["A"] * documents.judged.length[row].astype(np.float64)
        score = ratio(tolerance, tolerance + distance)
    scores = np.zeros(len(documents.row))
    scores[places] = np.where((start < 0) | (entry < 0), 0.0, score)
    return scores


def tolerance_score(documents: RankedDocuments, irr: int) -> Floats:
    """Precision of what is read until the reader has met too much text that is not highlighted.

    The reader takes the retrieved parts in document order, then the rest of the document.
    """
    places = documents.relevant_places
    documents.unknown.refuse(documents.relevant)
    _need_lengths(documents, places)
    document, start, size, row = _reading(documents, places)
    relevant = documents.judged.highlights.count(row, start, start + size)
    irrelevant = size - relevant
    running = np.cumsum(irrelevant)
    opening = np.searchsorted(document, np.arange(len(places)))
    met = running - (running - irrelevant)[opening][document]
    left = irr - (met - irrelevant)
    partly = documents.judged.highlights.met_before_irrelevant(row, start, np.maximum(left, 0))
    found = np.where(met < irr, relevant, np.where(left > 0, np.minimum(partly, relevant), 0))
    seen = np.bincount(document, weights=found, minlength=len(places))
    wasted = np.minimum(np.bincount(document, weights=irrelevant, minlength=len(places)), irr)
    scores = np.zeros(len(documents.row))
    scores[places] = np.nan_to_num(ratio(seen, seen + wasted))
    return scores


def relevance_score(documents: RankedDocuments) -> Floats:
    """1 for a relevant document: the classical measures."""
    return documents.relevant.astype(np.float64)


SCORES: dict[str, Callable[..., Floats]] = {
    "F": f_score,
    "P": precision_score,
    "R": recall_score,
    "bep": entry_point_score,
    "t2i": tolerance_score,
    "rel": relevance_score,
}
PARAMETERS = (
    OneOf("S", "the document score: F, P, R, bep, t2i or rel", words=tuple(SCORES)),
    Number("beta", "weight of recall in S=F"),
    Number("A", "tolerance of S=bep, as a share of the document's length", above=True),
    Whole("n", "reach of S=bep in characters, instead of A"),
    Whole("irr", "characters that are not highlighted the reader of S=t2i bears"),
)
_OWN_PARAMETERS = {"F": {"beta"}, "bep": {"A", "n"}, "t2i": {"irr"}}


def resolved(given: Mapping[str, Any], conventions: Conventions) -> dict[str, Any]:
    """The document score and its parameters, defaults filled in, and whatever else was given."""
    arguments = {"S": "F"} | dict(given)
    chosen = arguments["S"]
    foreign = set().union(*_OWN_PARAMETERS.values()) - _OWN_PARAMETERS.get(chosen, set())
    for name in sorted(foreign & arguments.keys()):
        raise ValueError(f"{name} does not belong to S={chosen}")
    if "A" in arguments and "n" in arguments:
        raise ValueError("A and n are two ways to say one thing; give one of them")
    if chosen == "F":
        arguments.setdefault("beta", conventions.beta)
    elif chosen == "t2i":
        arguments.setdefault("irr", 300)
    elif chosen == "bep" and arguments.keys().isdisjoint({"A", "n"}):
        arguments |= {"A": 0.1} if conventions.reach is None else {"n": conventions.reach}
    return arguments


def document_scores(documents: RankedDocuments, S: str, **parameters: float) -> Floats:  # noqa: N803 (000's letter)
    """S(d) of every ranked document."""
    key = (S, *sorted(parameters.items()))
    return documents.once(key, lambda: SCORES[S](documents, **parameters))


def _for_relevant(documents: RankedDocuments, values: Floats) -> Floats:
    return np.where(documents.relevant, np.nan_to_num(values), 0.0)


def _need_lengths(documents: RankedDocuments, places: Ints) -> None:
    unknown = places[documents.judged.length[documents.row[places]] < 0]
    if len(unknown):
        first = documents.names[int(unknown[0])]
        raise UnknownLength(documents.unknown.run, first, len(unknown), whole=False)


def _reading(documents: RankedDocuments, places: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """What a patient reader of each relevant document reads, in order: its number, start, size, row.

    Elements whose place is unknown come first, then the parts shown, then the rest.
    """
    number = np.full(len(documents.row), -1, dtype=np.int64)
    number[places] = np.arange(len(places))
    shown, start, end = united(
        number[documents.shown_document], documents.shown_start, documents.shown_end, len(places)
    )
    length = documents.judged.length[documents.row[places]]
    rest, rest_start, rest_end = gaps(shown, start, end, length)
    every = np.arange(len(places))
    document = np.concatenate([every, shown, rest])
    phase = np.repeat([0, 1, 2], [len(every), len(shown), len(rest)])
    # An element of unknown place is put past the end of every document: nothing is highlighted there.
    beyond = np.full(len(every), np.iinfo(np.int64).max // 4)
    starts = np.concatenate([beyond, start, rest_start])
    sizes = np.concatenate([documents.unmapped_size[places], end - start, rest_end - rest_start])
    order = np.lexsort((starts, phase, document))
    document = document[order]
    return document, starts[order], sizes[order], documents.row[places][document]
