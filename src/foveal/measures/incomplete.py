"""Incomplete judgements: how much of a ranking is judged, and measures that allow for gaps."""

from __future__ import annotations

from functools import partial

import numpy as np

from foveal.alignment import Alignment, ratio
from foveal.choices import Answers
from foveal.measures._record import geometric_mean, measure, on_documents, on_two_topics
from foveal.measures._relevance import (
    CUTOFF,
    OPTIONAL_CUTOFF,
    PLAIN_BINARY,
    RANKED_BINARY,
    by_default,
)
from foveal.spans import Bools, Floats, Ints

PLACE_IN_LISTS = 70
# trec_eval's constant: infAP is defined even if nothing above a document was judged.
SMOOTHING = 0.00001
INCOMPLETE = "Unjudged documents are no worse than judged ones."
LISTED = (
    "Means nothing where only relevant documents are listed (INEX, MS MARCO, BEIR): there it is"
)
ranked = partial(measure, **RANKED_BINARY, **PLAIN_BINARY, assumes=INCOMPLETE)


@measure(
    name="Judged",
    answers=Answers.SET,
    relevance=None,
    title="Judged documents at a rank",
    formula=r"\frac{1}{\min(k,|D|)} \sum_{i \le k} judged(d_i)",
    cite="ir_measures Judged",
    parameters=(OPTIONAL_CUTOFF,),
    resolve=by_default(k=None),
    needs_irrelevant=True,
    advice="Says nothing about quality: below about 0.9 the other measures say more about the"
    f" judgements than about the run. {LISTED} the share of relevant documents.",
    worked=on_documents(
        "Judged@5",
        "(1 + 1 + 1 + 0 + 1) / 5 = 0.8",
        "Of the first five documents, only d4 is unjudged.",
    ),
)
def judged(alignment: Alignment, k: int | None) -> Floats:
    """Share of the first k documents that are in the judgements."""
    lists = alignment.graded
    return ratio(lists.within(k), lists.depth(k))


@measure(
    name="Unjudged",
    answers=Answers.RANKED,
    relevance=None,
    title="Unjudged documents at a rank",
    formula=r"\frac{1}{k} \sum_{i \le k} (1 - judged(d_i))",
    cite="trec_eval 10 unj",
    parameters=(CUTOFF,),
    resolve=by_default(needs="k"),
    higher_is_better=False,
    needs_irrelevant=True,
    advice="Documents picked for judging but not judged (grade -1) are unjudged; divides by k. It"
    " says how far to trust other measures, not how good a run is."
    f" {LISTED} the share of unlisted documents.",
    worked=on_documents(
        "Unjudged@5",
        "(0 + 0 + 0 + 1 + 0) / 5 = 0.2",
        "Of the first five documents, only d4 is unjudged.",
    ),
)
def unjudged(alignment: Alignment, k: int) -> Floats:
    """Share of the first k ranks that hold an unjudged document."""
    lists = alignment.graded.filtered(judged_only=alignment.conventions.judged_only)
    return (lists.depth(k) - lists.relevant(0.0).within(k)) / k


def _count_before(is_marked: Bools, nth: Ints) -> Ints:
    """Number of marked documents of the topic before each document of its list."""
    running: Ints = np.cumsum(is_marked) - is_marked
    first_index = np.arange(len(nth)) - nth + 1
    count: Ints = running - running[first_index]
    return count


def _binary_preference(alignment: Alignment, rel: float, *, judged_only: bool) -> Floats:
    lists = alignment.graded.filtered(judged_only=judged_only).relevant(0.0)
    relevant_count = lists.relevant_count(rel)
    is_relevant = lists.grade >= rel
    irrelevant = _count_before(~is_relevant, lists.nth)
    limit = np.minimum(lists.irrelevant_count(rel), relevant_count)[lists.topic]
    penalty = np.nan_to_num(ratio(np.minimum(irrelevant, relevant_count[lists.topic]), limit))
    return ratio(lists.total(is_relevant * (1 - penalty)), relevant_count)


@ranked(
    name="Bpref",
    title="Binary preference",
    formula=r"\frac{1}{R} \sum_r rel(d_r) \left( 1 - \frac{\min(n_r, R)}{\min(N, R)} \right)",
    cite="Buckley & Voorhees 2004; trec_eval bpref",
    aliases=("BPref",),
    differs="Buckley & Voorhees divide by R, trec_eval and foveal by min(N, R).",
    needs_irrelevant=True,
    advice="Looks only at judged documents: judgements pooled from other systems harm it less."
    " Coarse where few documents were judged irrelevant; with full judgements use AP."
    f" {LISTED} SetR.",
    worked=on_documents(
        "Bpref",
        "((1 - 1/min(3, 4)) + (1 - 1/min(3, 4)) + (1 - 1/min(3, 4))) / 4 = 0.5",
        "d1, judged irrelevant, is above d2, d3 and d5. Three documents were judged irrelevant and four"
        " relevant, one of which, d7, was not returned.",
    ),
)
def binary_preference(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """How rarely documents judged irrelevant are ranked above relevant ones."""
    return _binary_preference(alignment, rel, judged_only=judged_only)


@ranked(
    name="GMBpref",
    title="Geometric mean binary preference",
    formula=r"\exp \operatorname{mean} \log \max(Bpref, 0.00001)",
    cite="trec_eval gm_bpref",
    average=geometric_mean,
    needs_irrelevant=True,
    advice="Rewards improving the worst topics; the value of a single topic is its Bpref. Topics"
    " near 0 decide it: report Bpref as well."
    f" {LISTED} the geometric mean of SetR.",
    worked=on_two_topics(
        "GMBpref",
        "exp((ln(1) + ln(((1 - 1/min(2, 2)) + (1 - 1/min(2, 2))) / 2)) / 2) = sqrt(1 · 1/2) = 0.7071",
        "Topic 1 has Bpref 1. In topic 2, d1, one of two documents judged irrelevant, is above both"
        " relevant ones; d3 is unjudged.",
    ),
)
def geometric_binary_preference(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Binary preference, averaged over topics by the geometric mean."""
    return _binary_preference(alignment, rel, judged_only=judged_only)


@ranked(
    name="infAP",
    title="Inferred average precision",
    formula=r"\frac{1}{R} \sum_r rel(d_r) \left( \frac{1}{r} + \frac{r-1}{r} \cdot \frac{pool_r}{r-1}"
    r" \cdot \frac{rel_r + \epsilon}{rel_r + nonrel_r + 2\epsilon} \right)",
    cite="Yilmaz & Aslam 2006; trec_eval infAP",
    needs_irrelevant=True,
    advice="For pools of which only a random sample was judged: grade -1 marks the rest. With"
    f" full judgements use AP. {LISTED} close to AP.",
    worked=on_two_topics(
        "infAP",
        "(1/1 + (1/2 + 1/2 · 1/1 · 0.00001/1.00002 + 1/4 + 3/4 · 3/3 · 1.00001/2.00002) / 2) / 2 ="
        " 0.7813",
        "Topic 1 has 1. In topic 2, d3 is in the pool but unjudged (-1). One of the two judged documents"
        " above d4 is relevant, so each of the three counts as half relevant.",
    ),
)
def inferred_average_precision(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Average precision, estimated from a judged sample of the pool."""
    lists = alignment.graded.filtered(judged_only=judged_only)
    is_relevant = lists.grade >= max(rel, 0.0)
    relevant_before = _count_before(is_relevant, lists.nth)
    irrelevant_before = _count_before((lists.grade >= 0) & ~is_relevant, lists.nth)
    share = (relevant_before + SMOOTHING) / (relevant_before + irrelevant_before + 2 * SMOOTHING)
    ranks_above = lists.rank - 1
    pooled_share = np.nan_to_num(ratio(lists.nth - 1, ranks_above))
    expected = 1 / lists.rank + ranks_above / lists.rank * pooled_share * share
    return ratio(lists.total(np.where(is_relevant, expected, 0.0)), lists.relevant_count(rel))
