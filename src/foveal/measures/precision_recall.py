"""Precision and recall along a ranking of documents, and their averages."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np

from foveal.alignment import Alignment, GradedLists, ratio
from foveal.conventions import RecallCut
from foveal.measures._parameters import Number, Numbers, RecallCutoff
from foveal.measures._record import geometric_mean, measure, on_documents, on_two_topics
from foveal.measures._relevance import (
    AT_BINARY,
    BINARY,
    CUT_BINARY,
    PLAIN_BINARY,
    RANKED_BINARY,
    by_default,
    relevant,
)
from foveal.spans import Floats

PLACE_IN_LISTS = 30
LEVEL = RecallCutoff("x", "share of the relevant documents that has been found")
ELEVEN = tuple(level / 10 for level in range(11))
EQUAL = "All relevant documents are equally useful."
ranked = partial(measure, **RANKED_BINARY, assumes=EQUAL)


@ranked(
    name="P",
    title="Precision at a rank",
    formula=r"\frac{1}{k} \sum_{i \le k} rel(d_i)",
    cite="Viviani 2021; trec_eval P",
    **AT_BINARY,
    aliases=("Precision",),
    assumes="Users look at k documents, whatever they find.",
    advice="Easy to explain, but the order above k does not matter, and topics with fewer than k"
    " relevant documents cannot reach 1; use AP or nDCG to rank systems.",
    worked=on_documents(
        "P@5",
        "(0 + 1 + 1 + 0 + 1) / 5 = 0.6",
        "d2, d3 and d5 are relevant; d4 is unjudged and counts as irrelevant.",
    ),
)
def precision(alignment: Alignment, k: int, rel: float, judged_only: bool) -> Floats:
    """Share of the first k documents that are relevant; shorter lists are divided by k, too."""
    return relevant(alignment, rel, judged_only=judged_only).within(k) / k


@ranked(
    name="R",
    title="Recall at a rank",
    formula=r"\sum_{i \le k} rel(d_i) \,/\, R",
    cite="Viviani 2021; trec_eval recall",
    **AT_BINARY,
    aliases=("Recall",),
    assumes="Users look at k documents and want all that is relevant.",
    advice="Averages badly: a topic with more than k relevant documents cannot reach 1. Use AP to"
    " rank systems.",
    worked=on_documents(
        "R@5",
        "(0 + 1 + 1 + 0 + 1) / 4 = 0.75",
        "The first five documents are three of the four relevant ones; d7 is missing.",
    ),
)
def recall(alignment: Alignment, k: int, rel: float, judged_only: bool) -> Floats:
    """Share of the relevant documents found in the first k documents."""
    lists = relevant(alignment, rel, judged_only=judged_only)
    return ratio(lists.within(k), lists.relevant_count(rel))


@ranked(
    name="RelativeP",
    title="Relative precision at a rank",
    formula=r"\sum_{i \le k} rel(d_i) \,/\, \min(k, R)",
    cite="trec_eval relative_P",
    **AT_BINARY,
    assumes="Users look at k documents and want as many relevant ones as can be among them.",
    advice="Precision up to rank R and recall from there on, so that a mean over topics mixes the"
    " two; use Rprec, where both are equal.",
    worked=on_documents(
        "RelativeP@5",
        "(0 + 1 + 1 + 0 + 1) / min(5, 4) = 0.75",
        "Three of the first five documents are relevant, and no more than four can be.",
    ),
)
def relative_precision(alignment: Alignment, k: int, rel: float, judged_only: bool) -> Floats:
    """Precision at rank k as a share of the best one possible."""
    lists = relevant(alignment, rel, judged_only=judged_only)
    return ratio(lists.within(k), np.minimum(lists.relevant_count(rel), k))


@ranked(
    name="Success",
    title="Success at a rank",
    formula=r"[\exists\, i \le k : rel(d_i) = 1]",
    cite="Tomlinson; trec_eval success",
    **AT_BINARY,
    assumes="Users want one relevant document.",
    advice="For known-item search and question answering. It cannot tell rank 1 from rank k, or"
    " one relevant document from many; use RR or AP.",
    worked=on_documents("Success@2", "max(0, 1) = 1", "d1 is not relevant, d2 is."),
)
def success(alignment: Alignment, k: int, rel: float, judged_only: bool) -> Floats:
    """1 if any of the first k documents is relevant."""
    lists = relevant(alignment, rel, judged_only=judged_only)
    return (lists.within(k) > 0).astype(np.float64)


@ranked(
    name="RR",
    title="Reciprocal rank",
    formula=r"1 \,/\, \min\{ i : rel(d_i) = 1 \}",
    cite="Kantor & Voorhees 2000; trec_eval recip_rank",
    **CUT_BINARY,
    aliases=("MRR",),
    assumes="Users want one relevant document and read until they find it.",
    advice="For known-item search; a mean of reciprocals is dominated by ranks 1 and 2. Where"
    " several documents are relevant, use AP.",
    worked=on_documents("RR", "1 / 2 = 0.5", "The first relevant document is d2, at rank 2."),
)
def reciprocal_rank(alignment: Alignment, k: int | None, rel: float, judged_only: bool) -> Floats:
    """One divided by the rank of the first relevant document; 0 if there is none."""
    lists = relevant(alignment, rel, judged_only=judged_only)
    is_first = (lists.nth == 1) & (lists.rank <= (math.inf if k is None else k))
    return lists.total(is_first / lists.rank)


def _average_precision(lists: GradedLists, k: int | None, rel: float) -> Floats:
    precisions = lists.nth / lists.rank
    if k is not None:
        precisions = np.where(lists.rank <= k, precisions, 0.0)
    return ratio(lists.total(precisions), lists.relevant_count(rel))


@ranked(
    name="AP",
    title="Average precision",
    formula=r"\frac{1}{R} \sum_r rel(d_r) \cdot P@r",
    cite="Viviani 2021; trec_eval map, map_cut",
    **CUT_BINARY,
    aliases=("MAP",),
    advice="The overall measure of a ranking with full judgements; its mean over topics is MAP."
    " Unjudged documents count as irrelevant: with incomplete judgements use Bpref or infAP (not"
    " where only relevant documents are listed), with grades nDCG.",
    worked=on_documents(
        "AP",
        "(1/2 + 2/3 + 3/5) / 4 = 0.4417",
        "The relevant documents d2, d3 and d5 are at ranks 2, 3 and 5; d7 was not returned and counts"
        " as 0.",
    ),
)
def average_precision(alignment: Alignment, k: int | None, rel: float, judged_only: bool) -> Floats:
    """Mean of the precision at each relevant document, 0 for those not found."""
    return _average_precision(relevant(alignment, rel, judged_only=judged_only), k, rel)


@ranked(
    name="GMAP",
    title="Geometric mean average precision",
    formula=r"\exp \operatorname{mean} \log \max(AP, 0.00001)",
    cite="Robertson 2006; trec_eval gm_map",
    **PLAIN_BINARY,
    average=geometric_mean,
    advice="Rewards improving the worst topics; the value of a single topic is its AP. Topics"
    " near 0 decide it: report AP as well.",
    worked=on_two_topics(
        "GMAP",
        "exp((ln(1/1) + ln((1/2 + 2/4) / 2)) / 2) = sqrt(1 · 1/2) = 0.7071",
        "Topic 1 has AP 1; topic 2, with relevant documents at ranks 2 and 4, has 1/2. Their arithmetic"
        " mean would be 0.75.",
    ),
)
def geometric_average_precision(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Average precision, averaged over topics by the geometric mean."""
    return _average_precision(relevant(alignment, rel, judged_only=judged_only), None, rel)


@ranked(
    name="YAAP",
    title="Yet another average precision",
    formula=r"\log \frac{1 + R \cdot AP}{1 + R - R \cdot AP}",
    cite="Robertson 2012; trec_eval yaap",
    **PLAIN_BINARY,
    bounds=(-math.inf, math.inf),
    advice="A smoothed AP on a logit scale, designed for averaging. Its values are not shares:"
    " give readers AP as well.",
    worked=on_documents(
        "YAAP",
        "ln((1 + 1/2 + 2/3 + 3/5) / (1 + 4 - 1/2 - 2/3 - 3/5)) = ln(83/97) = -0.1559",
        "R · AP is 1/2 + 2/3 + 3/5, for relevant documents at ranks 2, 3 and 5.",
    ),
)
def smoothed_average_precision(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Average precision, smoothed and put on an unbounded scale."""
    lists = relevant(alignment, rel, judged_only=judged_only)
    expected = lists.total(lists.nth / lists.rank)
    return np.log((1 + expected) / (1 + lists.relevant_count(rel) - expected))


@ranked(
    name="Rprec",
    title="R-precision",
    formula=r"P@R",
    cite="Viviani 2021; trec_eval Rprec, Rprec_mult",
    parameters=(*BINARY, Number("mult", "measure at this multiple of R", exclusive=True)),
    aliases=("RPrec",),
    resolve=by_default("rel", "judged_only", mult=1.0),
    assumes="Users look at as many documents as are relevant.",
    advice="Every topic is measured where precision equals recall, so it averages well. It looks"
    " at one rank alone: use AP to rank systems.",
    worked=on_documents(
        "Rprec",
        "(0 + 1 + 1 + 0) / 4 = 0.5",
        "Four documents are relevant, and two of the first four returned are among them.",
    ),
)
def r_precision(alignment: Alignment, rel: float, judged_only: bool, mult: float) -> Floats:
    """Precision after as many documents as are relevant (or a multiple of that)."""
    lists = relevant(alignment, rel, judged_only=judged_only)
    # trec_eval's rounding of the multiple; a multiple of 1 gives R itself.
    rank = np.floor(mult * lists.relevant_count(rel) + 0.9).astype(np.int64)
    return ratio(lists.within(rank), rank)


def _interpolated(
    alignment: Alignment, lists: GradedLists, level: Fraction | float, rel: float
) -> Floats:
    """The best precision from the rank on where the recall level is reached."""
    relevant_count = lists.relevant_count(rel)
    rounding = alignment.conventions.recall_cut
    if rounding is RecallCut.EXACT:
        share = Fraction(level)
        needed = -((-share.numerator * relevant_count.astype(np.int64)) // share.denominator)
    elif rounding is RecallCut.PLUS_NINE_TENTHS:
        needed = np.floor(float(level) * relevant_count + 0.9).astype(np.int64)
    else:
        needed = np.floor(float(level) * relevant_count + 0.5).astype(np.int64)
    needed = np.maximum(needed, 1)
    topics = np.flatnonzero(lists.entry_count >= needed)
    best = np.zeros(len(relevant_count))
    if len(topics):
        start, end = (lists.offsets[topics] + needed[topics] - 1, lists.offsets[topics + 1])
        spans = np.column_stack([start, end]).ravel()
        precisions = np.append(lists.nth / lists.rank, 0.0)
        best[topics] = np.maximum.reduceat(precisions, spans)[::2]
    return best


@ranked(
    name="IPrec",
    title="Interpolated precision at a recall level",
    formula=r"\max_{r \,:\, R@r \ge x} P@r",
    cite="Viviani 2021; trec_eval iprec_at_recall",
    parameters=(*BINARY, LEVEL),
    resolve=by_default("rel", "judged_only", needs="x"),
    differs="trec_eval 9 and 10 round x·R, each in its own way: --like trec_eval-9 or -10.",
    advice="For curves: the best value at or beyond a level hides what comes before it. Use AP to"
    " rank systems.",
    worked=on_documents(
        "IPrec@0.5",
        "max(2/3, 3/5) = 2/3 = 0.6667",
        "Two of four relevant documents are found at rank 3, where precision is 2/3, and three at"
        " rank 5.",
    ),
)
def interpolated_precision(
    alignment: Alignment, x: Fraction, rel: float, judged_only: bool
) -> Floats:
    """Best precision at or beyond the rank where a share x of the relevant documents was found."""
    return _interpolated(alignment, relevant(alignment, rel, judged_only=judged_only), x, rel)


@ranked(
    name="11ptAvg",
    title="Interpolated precision averaged over eleven recall levels",
    formula=r"\frac{1}{11} \sum_{x = 0.0, 0.1, \ldots, 1.0} IPrec@x",
    cite="trec_eval 11pt_avg",
    parameters=(*BINARY, Numbers("levels", "the recall levels, as in 0.2/0.5/0.8")),
    resolve=by_default("rel", "judged_only", levels=ELEVEN),
    advice="Superseded by AP; only for comparison with results of the 1990s.",
    worked=on_documents(
        "11ptAvg",
        "(6 · 2/3 + 2 · 3/5 + 3 · 0) / 11 = 0.4727",
        "The six levels up to 0.5 have the precision of rank 3, the next two that of rank 5, and 0.8,"
        " 0.9 and 1.0 are not reached.",
    ),
)
def eleven_point_average(
    alignment: Alignment, rel: float, judged_only: bool, levels: tuple[float, ...]
) -> Floats:
    """Mean of the interpolated precision at recall 0.0, 0.1 … 1.0."""
    lists = relevant(alignment, rel, judged_only=judged_only)
    exact = [Fraction(repr(level)) for level in levels]
    # Added one by one, as the rounding of NumPy's mean depends on the number of topics.
    total = np.zeros(len(alignment.topics))
    for level in exact:
        total += _interpolated(alignment, lists, level, rel)
    return total / len(exact)
