"""Sets of documents: what was returned and what is relevant, whatever the order."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from foveal.alignment import Alignment, ratio
from foveal.conventions import LARGEST_NUMBER, Conventions
from foveal.measures._parameters import Number
from foveal.measures._record import measure, total
from foveal.measures._relevance import (
    BINARY,
    CUT_BINARY,
    JUDGED_ONLY,
    PLAIN_BINARY,
    SET,
    by_default,
    relevant,
)
from foveal.spans import Floats

PLACE_IN_LISTS = 60
WANTS_ALL = "Users look at everything returned."
TREC = "trec_eval"
ANY_NUMBER = (-math.inf, math.inf)
counted = partial(measure, answers=SET, average=total, whole_number=True)
of_set = partial(measure, answers=SET)


@counted(
    name="NumQ",
    title="Topics evaluated",
    formula=r"1",
    cite=f"{TREC} num_q",
    bounds=(1, 1),
    advice="One per topic; the total is what counts.",
)
def topics(alignment: Alignment) -> Floats:
    """Number of topics over which means are taken."""
    return np.ones(len(alignment.topics))


@counted(
    name="NumRet",
    title="Documents returned",
    formula=r"|D|",
    cite=f"{TREC} num_ret",
    parameters=(JUDGED_ONLY,),
    resolve=by_default("judged_only"),
    bounds=(0, math.inf),
    advice="Says how long the lists are, not how good.",
)
def returned(alignment: Alignment, judged_only: bool) -> Floats:
    """Number of documents returned."""
    return alignment.graded.seen(judged_only=judged_only).count.astype(np.float64)


@counted(
    name="NumRel",
    title="Relevant documents",
    formula=r"R",
    cite=f"{TREC} num_rel",
    parameters=BINARY[:1],
    resolve=by_default("rel"),
    bounds=(0, math.inf),
    advice="A property of the judgements, not of the run.",
)
def relevant_documents(alignment: Alignment, rel: float) -> Floats:
    """Number of documents judged relevant."""
    return alignment.graded.wanted(rel)


@counted(
    name="NumRelRet",
    title="Relevant documents returned",
    formula=r"\sum_r rel(d_r)",
    cite=f"{TREC} num_rel_ret",
    **CUT_BINARY,
    bounds=(0, math.inf),
    advice="Over all topics it is dominated by those with much that is relevant.",
)
def relevant_returned(alignment: Alignment, rel: float, judged_only: bool, k: int | None) -> Floats:
    """Number of relevant documents returned (among the first k)."""
    return relevant(alignment, rel, judged_only=judged_only).within(k).astype(np.float64)


@counted(
    name="NumNonrelJudgedRet",
    title="Irrelevant judged documents returned",
    formula=r"\sum_r [0 \le grade(d_r) < rel]",
    cite=f"{TREC} num_nonrel_judged_ret",
    **PLAIN_BINARY,
    bounds=(0, math.inf),
    higher_is_better=False,
    advice="With NumRet and NumRelRet it tells how many documents returned were never judged.",
)
def irrelevant_returned(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Number of documents returned that were judged and found irrelevant."""
    judged = alignment.graded.seen(judged_only=judged_only).relevant(0.0)
    return (judged.held - judged.relevant(rel).held).astype(np.float64)


@of_set(
    name="SetP",
    title="Set precision",
    formula=r"\sum_r rel(d_r) \,/\, |D|",
    cite=f"Viviani 2021; {TREC} set_P",
    **PLAIN_BINARY,
    assumes=WANTS_ALL,
    advice="For systems that decide how much to return; P@k for those that rank.",
)
def set_precision(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Share of the documents returned that are relevant."""
    found = relevant(alignment, rel, judged_only=judged_only)
    return ratio(found.held, found.count)


@of_set(
    name="SetRelP",
    title="Relative set precision",
    formula=r"\sum_r rel(d_r) \,/\, \min(|D|, R)",
    cite=f"{TREC} set_relative_P",
    **PLAIN_BINARY,
    assumes=WANTS_ALL,
    advice="The better of SetP and SetR: generous to sets that are far too small or too large.",
)
def set_relative_precision(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Set precision as a share of the best one possible for a set of this size."""
    found = relevant(alignment, rel, judged_only=judged_only)
    return ratio(found.held, np.minimum(found.count, found.wanted(rel)))


@of_set(
    name="SetR",
    title="Set recall",
    formula=r"\sum_r rel(d_r) \,/\, R",
    cite=f"Viviani 2021; {TREC} set_recall",
    **PLAIN_BINARY,
    assumes=WANTS_ALL,
    advice="A system that returns everything has recall 1.",
)
def set_recall(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Share of the relevant documents that were returned."""
    found = relevant(alignment, rel, judged_only=judged_only)
    return ratio(found.held, found.wanted(rel))


@of_set(
    name="SetF",
    title="Set F-score",
    formula=r"\frac{(1+\beta^2) \cdot P \cdot R}{\beta^2 \cdot P + R}",
    cite=f"van Rijsbergen 1979; Viviani 2021; {TREC} set_F",
    parameters=(*BINARY, Number("beta", "weight of recall against precision")),
    resolve=by_default("rel", "judged_only", beta=1.0),
    assumes=WANTS_ALL,
    advice="trec_eval's parameter (set_F.x) is the square of beta.",
)
def set_f(alignment: Alignment, rel: float, judged_only: bool, beta: float) -> Floats:
    """Weighted harmonic mean of set precision and set recall."""
    found = relevant(alignment, rel, judged_only=judged_only)
    # The square of a root is off by its last digit; trec_eval is given the square itself.
    weight = float(f"{beta * beta:.15g}")
    precision, recall = ratio(found.held, found.count), ratio(found.held, found.wanted(rel))
    # Rounded as trec_eval does: a mean may lie just between two printed numbers.
    return ratio((weight + 1) * precision * recall, weight * precision + recall)


@of_set(
    name="SetAP",
    title="Unranked average precision",
    formula=r"P \cdot R",
    cite=f"{TREC} set_map",
    **PLAIN_BINARY,
    assumes=WANTS_ALL,
    advice="Every relevant document returned counts with the precision of the whole set.",
)
def set_average_precision(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Set precision times set recall."""
    found = relevant(alignment, rel, judged_only=judged_only)
    hits = found.held.astype(np.float64)
    return ratio(hits * hits, found.count * found.wanted(rel))


def _worth(name: str, what: str) -> Number:
    return Number(name, f"what each {what} is worth", least=-LARGEST_NUMBER)


def _priced(given: Mapping[str, Any], conventions: Conventions) -> dict[str, Any]:
    fill = by_default("rel", "judged_only", a=1.0, b=-1.0, c=0.0, d=0.0)
    arguments = fill(given, conventions)
    # trec_eval takes the collection for empty if nobody says how large it is.
    is_known = conventions.collection_size or conventions.like.is_trec_eval
    if arguments["d"] and not is_known:
        raise ValueError("d needs the size of the collection, which `foveal trec_eval -N` takes")
    return arguments


@of_set(
    name="Utility",
    title="Set utility",
    formula=r"a \cdot |D \cap Rel| + b \cdot |D \setminus Rel| + c \cdot |Rel \setminus D| + d \cdot |rest|",
    cite=f"{TREC} utility",
    parameters=(
        *BINARY,
        _worth("a", "relevant document returned"),
        _worth("b", "irrelevant document returned"),
        _worth("c", "relevant document not returned"),
        _worth("d", "irrelevant document not returned (needs the size of the collection)"),
    ),
    resolve=_priced,
    bounds=ANY_NUMBER,
    assumes="Every document has a price.",
    advice="Not a share: topics with long lists dominate the mean.",
)
def utility(alignment: Alignment, rel: float, judged_only: bool, **worth: float) -> Floats:
    """Sum of what the documents returned and not returned are worth."""
    found = relevant(alignment, rel, judged_only=judged_only)
    hits, wanted = found.held, found.wanted(rel)
    rest = alignment.conventions.collection_size + hits - found.count - wanted
    return (
        worth["a"] * hits
        + worth["b"] * (found.count - hits)
        + worth["c"] * (wanted - hits)
        + worth["d"] * rest
    )
