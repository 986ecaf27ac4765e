"""Sets of documents: what was returned and what is relevant, in any order."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from foveal.alignment import Alignment, ratio
from foveal.choices import Answers
from foveal.conventions import LARGEST_NUMBER, Conventions
from foveal.errors import UsageError
from foveal.measures._parameters import Number
from foveal.measures._record import Relevance, measure, on_documents, on_two_topics, total
from foveal.measures._relevance import (
    BINARY,
    COLLECTION_SIZE,
    CUT_BINARY,
    JUDGED_ONLY,
    PLAIN_BINARY,
    SET_BINARY,
    by_default,
    relevant,
)
from foveal.spans import Floats

PLACE_IN_LISTS = 60
WANTS_ALL = "Users look at everything returned."
TREC = "trec_eval"
ANY_NUMBER = (-math.inf, math.inf)
count_measure = partial(measure, average=total, whole_number=True, bounds=(0, math.inf))
set_measure = partial(measure, **SET_BINARY, assumes=WANTS_ALL)


@count_measure(
    name="NumQ",
    answers=None,
    relevance=None,
    title="Topics evaluated",
    formula=r"1",
    cite=f"{TREC} num_q",
    bounds=(1, 1),
    advice="1 for each topic; only the total says something. Look at it before you compare means:"
    " they must be over the same topics.",
    worked=on_two_topics("NumQ", "1 + 1 = 2", "Both topics are evaluated."),
)
def topics(alignment: Alignment) -> Floats:
    """Number of topics over which means are taken."""
    return np.ones(len(alignment.topics))


@count_measure(
    name="NumRet",
    answers=Answers.SET,
    relevance=None,
    title="Documents returned",
    formula=r"|D|",
    cite=f"{TREC} num_ret",
    parameters=(JUDGED_ONLY,),
    resolve=by_default("judged_only"),
    advice="Says how long the lists are, not how good; use SetP.",
    worked=on_documents("NumRet", "1 + 1 + 1 + 1 + 1 + 1 = 6", "Six documents are returned."),
)
def returned(alignment: Alignment, judged_only: bool) -> Floats:
    """Number of documents returned."""
    return alignment.graded.filtered(judged_only=judged_only).count.astype(np.float64)


@count_measure(
    name="NumRel",
    answers=None,
    relevance=Relevance.BINARY,
    title="Relevant documents",
    formula=r"R",
    cite=f"{TREC} num_rel",
    parameters=BINARY[:1],
    resolve=by_default("rel"),
    advice="A property of the judgements, not of the run; for the run, use NumRelRet.",
    worked=on_documents(
        "NumRel", "1 + 1 + 1 + 1 = 4", "d2, d3, d5 and d7 have a grade of at least 1."
    ),
)
def relevant_documents(alignment: Alignment, rel: float) -> Floats:
    """Number of documents judged relevant."""
    return alignment.graded.relevant_count(rel)


@count_measure(
    name="NumRelRet",
    **SET_BINARY,
    title="Relevant documents returned",
    formula=r"\sum_r rel(d_r)",
    cite=f"{TREC} num_rel_ret",
    **CUT_BINARY,
    advice="Topics with many relevant documents dominate the total; use SetR.",
    worked=on_documents(
        "NumRelRet", "0 + 1 + 1 + 0 + 1 + 0 = 3", "d2, d3 and d5 are the relevant ones of six."
    ),
)
def relevant_returned(alignment: Alignment, rel: float, judged_only: bool, k: int | None) -> Floats:
    """Number of relevant documents returned (among the first k)."""
    return relevant(alignment, rel, judged_only=judged_only).within(k).astype(np.float64)


@count_measure(
    name="NumNonrelJudgedRet",
    **SET_BINARY,
    title="Irrelevant judged documents returned",
    formula=r"\sum_r [0 \le grade(d_r) < rel]",
    cite=f"{TREC} num_nonrel_judged_ret",
    **PLAIN_BINARY,
    higher_is_better=False,
    needs_irrelevant=True,
    advice="NumRet less NumRelRet less this is the number of unjudged documents returned. To"
    " count these as irrelevant, use NumFP; so where only relevant documents are listed.",
    worked=on_documents(
        "NumNonrelJudgedRet",
        "1 + 0 + 0 + 0 + 0 + 1 = 2",
        "d1 and d6 were judged irrelevant; d4 is unjudged.",
    ),
)
def irrelevant_returned(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Number of returned documents that were judged irrelevant."""
    judged_lists = alignment.graded.filtered(judged_only=judged_only).relevant(0.0)
    return (judged_lists.entry_count - judged_lists.relevant(rel).entry_count).astype(np.float64)


confusion_measure = partial(
    count_measure, **SET_BINARY, cite="Viviani 2021", bounds=(0, math.inf), assumes=WANTS_ALL
)


@confusion_measure(
    name="NumTP",
    title="True positives",
    formula=r"|D \cap Rel|",
    **PLAIN_BINARY,
    advice="The same as NumRelRet; NumTP, NumFP, NumFN and NumTN make up the confusion matrix."
    " Use SetF to compare systems.",
    worked=on_documents("NumTP", "1 + 1 + 1 = 3", "d2, d3 and d5 are relevant and returned."),
)
def true_positives(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Number of documents that are relevant and returned."""
    return relevant(alignment, rel, judged_only=judged_only).entry_count.astype(np.float64)


@confusion_measure(
    name="NumFP",
    title="False positives",
    formula=r"|D \setminus Rel|",
    **PLAIN_BINARY,
    higher_is_better=False,
    advice="Unjudged documents count as irrelevant, unless judged_only is True. Use SetP to"
    " compare systems.",
    worked=on_documents(
        "NumFP",
        "6 - 3 = 3",
        "Six documents are returned, and three of them are relevant; d4 is unjudged and counts.",
    ),
)
def false_positives(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Number of documents that are returned and not relevant."""
    lists = relevant(alignment, rel, judged_only=judged_only)
    return (lists.count - lists.entry_count).astype(np.float64)


@confusion_measure(
    name="NumFN",
    title="False negatives",
    formula=r"|Rel \setminus D|",
    **PLAIN_BINARY,
    higher_is_better=False,
    advice="Counts documents known to be relevant; most documents are unjudged. Use SetR to"
    " compare systems.",
    worked=on_documents(
        "NumFN", "4 - 3 = 1", "Three of the four relevant documents are returned; d7 is missing."
    ),
)
def false_negatives(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Number of documents that are relevant and not returned."""
    lists = relevant(alignment, rel, judged_only=judged_only)
    return lists.relevant_count(rel) - lists.entry_count


@confusion_measure(
    name="NumTN",
    title="True negatives",
    formula=r"N - |D \cup Rel|",
    parameters=(COLLECTION_SIZE, *BINARY),
    resolve=by_default("rel", "judged_only", needs="N"),
    advice="Nearly the whole collection for every system, so it hardly tells systems apart; use"
    " SetF.",
    worked=on_documents(
        "NumTN(N=100)",
        "100 - (6 + 4 - 3) = 93",
        "In a collection of 100 documents, 6 are returned, 4 are relevant, and 3 are both.",
    ),
)
def true_negatives(alignment: Alignment, N: int, rel: float, judged_only: bool) -> Floats:  # noqa: N803 (the usual letter)
    """Number of documents of the collection that are neither relevant nor returned."""
    counts = _returned_or_relevant(alignment, rel, judged_only=False)
    largest = int(np.argmax(counts))
    if counts[largest] > N:
        topic = alignment.qrels.topics[alignment.topics[largest]]
        raise UsageError(
            f"N must be the number of documents in the collection, got {N:,}: topic {topic!r} alone"
            f" has {counts[largest]:,.0f} that are returned or relevant"
        )
    return N - _returned_or_relevant(alignment, rel, judged_only=judged_only)


def _returned_or_relevant(alignment: Alignment, rel: float, *, judged_only: bool) -> Floats:
    """The number of documents of each topic that are returned, relevant or both."""
    lists = relevant(alignment, rel, judged_only=judged_only)
    return lists.count + lists.relevant_count(rel) - lists.entry_count


@set_measure(
    name="SetP",
    title="Set precision",
    formula=r"\sum_r rel(d_r) \,/\, |D|",
    cite=f"Viviani 2021; {TREC} set_P",
    **PLAIN_BINARY,
    advice="For systems that decide how much to return; use P@k for those that rank.",
    worked=on_documents("SetP", "3 / 6 = 0.5", "Three of the six documents returned are relevant."),
)
def set_precision(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Share of the documents returned that are relevant."""
    lists = relevant(alignment, rel, judged_only=judged_only)
    return ratio(lists.entry_count, lists.count)


@set_measure(
    name="SetRelP",
    title="Relative set precision",
    formula=r"\sum_r rel(d_r) \,/\, \min(|D|, R)",
    cite=f"{TREC} set_relative_P",
    **PLAIN_BINARY,
    advice="The larger of SetP and SetR: generous to sets that are far too small or too large."
    " Use SetF.",
    worked=on_documents(
        "SetRelP",
        "3 / min(6, 4) = 0.75",
        "Three of the six documents returned are relevant, and no more than four can be.",
    ),
)
def set_relative_precision(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Set precision as a share of the best one possible for a set of this size."""
    lists = relevant(alignment, rel, judged_only=judged_only)
    return ratio(lists.entry_count, np.minimum(lists.count, lists.relevant_count(rel)))


@set_measure(
    name="SetR",
    title="Set recall",
    formula=r"\sum_r rel(d_r) \,/\, R",
    cite=f"Viviani 2021; {TREC} set_recall",
    **PLAIN_BINARY,
    advice="A system that returns everything has recall 1: report SetP with it, or use SetF.",
    worked=on_documents(
        "SetR", "3 / 4 = 0.75", "Three of the four relevant documents are returned."
    ),
)
def set_recall(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Share of the relevant documents that were returned."""
    lists = relevant(alignment, rel, judged_only=judged_only)
    return ratio(lists.entry_count, lists.relevant_count(rel))


@set_measure(
    name="SetF",
    title="Set F-score",
    formula=r"\frac{(1+\beta^2) \cdot P \cdot R}{\beta^2 \cdot P + R}",
    cite=f"van Rijsbergen 1979; Viviani 2021; {TREC} set_F",
    parameters=(*BINARY, Number("beta", "weight of recall against precision")),
    resolve=by_default("rel", "judged_only", beta=1.0),
    differs="The parameter of trec_eval's set_F.x is the square of beta: set_F.4 is SetF(beta=2).",
    advice="Say which beta; above 1 it favours recall. The order does not matter: use AP for"
    " rankings.",
    worked=on_documents(
        "SetF", "2 · 3/6 · 3/4 / (3/6 + 3/4) = 0.6", "Precision is 3/6 and recall 3/4."
    ),
)
def set_f(alignment: Alignment, rel: float, judged_only: bool, beta: float) -> Floats:
    """Weighted harmonic mean of set precision and set recall."""
    lists = relevant(alignment, rel, judged_only=judged_only)
    # trec_eval gets the square itself; the square of its root can be off by the last digit.
    weight = float(f"{beta * beta:.15g}")
    precision = ratio(lists.entry_count, lists.count)
    recall = ratio(lists.entry_count, lists.relevant_count(rel))
    # In trec_eval's order of operations: a mean can be just between two printed numbers.
    return ratio((weight + 1) * precision * recall, weight * precision + recall)


@set_measure(
    name="SetAP",
    title="Unranked average precision",
    formula=r"P \cdot R",
    cite=f"{TREC} set_map",
    **PLAIN_BINARY,
    advice="Every relevant document returned counts with the precision of the whole set. The"
    " order does not matter: use AP for rankings.",
    worked=on_documents("SetAP", "3/6 · 3/4 = 0.375", "Precision is 3/6 and recall 3/4."),
)
def set_average_precision(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Set precision times set recall."""
    lists = relevant(alignment, rel, judged_only=judged_only)
    hits = lists.entry_count.astype(np.float64)
    return ratio(hits * hits, lists.count * lists.relevant_count(rel))


def _value(name: str, noun: str) -> Number:
    return Number(name, f"what each {noun} is worth", minimum=-LARGEST_NUMBER)


def _utility_defaults(explicit: Mapping[str, Any], conventions: Conventions) -> dict[str, Any]:
    fill = by_default("rel", "judged_only", a=1.0, b=-1.0, c=0.0, d=0.0)
    arguments = fill(explicit, conventions)
    # trec_eval treats a collection of unknown size as empty.
    has_size = conventions.collection_size or conventions.like.is_trec_eval
    if arguments["d"] and not has_size:
        raise ValueError("d needs the size of the collection: use `foveal trec_eval -N`")
    return arguments


@set_measure(
    name="Utility",
    title="Set utility",
    formula=r"a \cdot |D \cap Rel| + b \cdot |D \setminus Rel| + c \cdot |Rel \setminus D| + d \cdot |rest|",
    cite=f"{TREC} utility",
    parameters=(
        *BINARY,
        _value("a", "relevant document returned"),
        _value("b", "irrelevant document returned"),
        _value("c", "relevant document not returned"),
        _value("d", "irrelevant document not returned (needs the size of the collection)"),
    ),
    resolve=_utility_defaults,
    bounds=ANY_NUMBER,
    assumes="Every document returned or not returned has a fixed value.",
    advice="Not a share: topics with long lists dominate the mean. Without known values of right"
    " and wrong documents, use SetF.",
    worked=on_documents(
        "Utility(a=2)",
        "2 · 3 - 1 · 3 + 0 · 1 = 3",
        "Three relevant documents are worth 2 each, three others -1 each, and the relevant one that"
        " is missing nothing.",
    ),
)
def utility(alignment: Alignment, rel: float, judged_only: bool, **values: float) -> Floats:
    """Sum of the values of the documents returned and not returned."""
    lists = relevant(alignment, rel, judged_only=judged_only)
    hits, relevant_count = lists.entry_count, lists.relevant_count(rel)
    others = alignment.conventions.collection_size + hits - lists.count - relevant_count
    return (
        values["a"] * hits
        + values["b"] * (lists.count - hits)
        + values["c"] * (relevant_count - hits)
        + values["d"] * others
    )
