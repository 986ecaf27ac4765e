"""Precision and recall along a ranking of documents, and their averages."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np

from foveal.alignment import Alignment, GradedLists, ratio
from foveal.conventions import RecallCut
from foveal.measures._parameters import Number, Numbers, RecallCutoff
from foveal.measures._record import geometric_mean, measure
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
ranked = partial(measure, **RANKED_BINARY)


@ranked(
    name="P",
    title="Precision at a rank",
    formula=r"\frac{1}{k} \sum_{i \le k} rel(d_i)",
    cite="Viviani 2021; trec_eval P",
    **AT_BINARY,
    aliases=("Precision",),
    assumes="Users look at k documents, whatever they find.",
    advice="Easy to explain; treats topics with few and with many relevant documents alike.",
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
    advice="Fine for one topic; averages badly over topics with few and many relevant documents.",
)
def recall(alignment: Alignment, k: int, rel: float, judged_only: bool) -> Floats:
    """Share of the relevant documents found in the first k documents."""
    found = relevant(alignment, rel, judged_only=judged_only)
    return ratio(found.within(k), found.wanted(rel))


@ranked(
    name="RelativeP",
    title="Relative precision at a rank",
    formula=r"\sum_{i \le k} rel(d_i) \,/\, \min(k, R)",
    cite="trec_eval relative_P",
    **AT_BINARY,
    assumes="Users look at k documents and want as many relevant ones as can be among them.",
    advice="Precision up to rank R, recall from there on.",
)
def relative_precision(alignment: Alignment, k: int, rel: float, judged_only: bool) -> Floats:
    """Precision at rank k as a share of the best one possible."""
    found = relevant(alignment, rel, judged_only=judged_only)
    return ratio(found.within(k), np.minimum(found.wanted(rel), k))


@ranked(
    name="Success",
    title="Success at a rank",
    formula=r"[\exists\, i \le k : rel(d_i) = 1]",
    cite="Tomlinson; trec_eval success",
    **AT_BINARY,
    assumes="Users want one relevant document.",
    advice="For known-item search and question answering.",
)
def success(alignment: Alignment, k: int, rel: float, judged_only: bool) -> Floats:
    """1 if any of the first k documents is relevant."""
    found = relevant(alignment, rel, judged_only=judged_only)
    return (found.within(k) > 0).astype(np.float64)


@ranked(
    name="RR",
    title="Reciprocal rank",
    formula=r"1 \,/\, \min\{ i : rel(d_i) = 1 \}",
    cite="Kantor & Voorhees 2000; trec_eval recip_rank",
    **CUT_BINARY,
    aliases=("MRR",),
    assumes="Users want one relevant document and read until they find it.",
    advice="For known-item search; a mean of reciprocals is dominated by ranks 1 and 2.",
)
def reciprocal_rank(alignment: Alignment, k: int | None, rel: float, judged_only: bool) -> Floats:
    """One divided by the rank of the first relevant document; 0 if there is none."""
    found = relevant(alignment, rel, judged_only=judged_only)
    first = (found.nth == 1) & (found.rank <= (math.inf if k is None else k))
    return found.total(first / found.rank)


def _average_precision(found: GradedLists, k: int | None, rel: float) -> Floats:
    precisions = found.nth / found.rank
    if k is not None:
        precisions = np.where(found.rank <= k, precisions, 0.0)
    return ratio(found.total(precisions), found.wanted(rel))


@ranked(
    name="AP",
    title="Average precision",
    formula=r"\frac{1}{R} \sum_r rel(d_r) \cdot P@r",
    cite="Viviani 2021; trec_eval map, map_cut",
    **CUT_BINARY,
    aliases=("MAP",),
    assumes=EQUAL,
    advice="The overall measure of a ranking with full judgements; its mean over topics is MAP.",
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
    assumes=EQUAL,
    advice="Rewards improving the worst topics; the value of a single topic is its AP.",
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
    assumes=EQUAL,
    advice="A smoothed AP on a logit scale, designed for averaging; its values are not shares.",
)
def smoothed_average_precision(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Average precision, smoothed and put on an unbounded scale."""
    found = relevant(alignment, rel, judged_only=judged_only)
    expected = found.total(found.nth / found.rank)
    logit: Floats = np.log((1 + expected) / (1 + found.wanted(rel) - expected))
    return logit


@ranked(
    name="Rprec",
    title="R-precision",
    formula=r"P@R",
    cite="Viviani 2021; trec_eval Rprec, Rprec_mult",
    parameters=(*BINARY, Number("mult", "measure at this multiple of R", above=True)),
    aliases=("RPrec",),
    resolve=by_default("rel", "judged_only", mult=1.0),
    assumes="Users look at as many documents as are relevant.",
    advice="Every topic is measured where precision equals recall, so it averages well.",
)
def r_precision(alignment: Alignment, rel: float, judged_only: bool, mult: float) -> Floats:
    """Precision after as many documents as are relevant (or a multiple of that)."""
    found = relevant(alignment, rel, judged_only=judged_only)
    # trec_eval's rounding of the multiple; a multiple of 1 gives R itself.
    rank = np.floor(mult * found.wanted(rel) + 0.9).astype(np.int64)
    return ratio(found.within(rank), rank)


def _interpolated(
    alignment: Alignment, found: GradedLists, level: Fraction | float, rel: float
) -> Floats:
    """The best precision from the document on that completes a share of the relevant ones."""
    wanted = found.wanted(rel)
    cut = alignment.conventions.recall_cut
    if cut is RecallCut.EXACT:
        share = Fraction(level)
        needed = -((-share.numerator * wanted.astype(np.int64)) // share.denominator)
    elif cut is RecallCut.PLUS_NINE_TENTHS:
        needed = np.floor(float(level) * wanted + 0.9).astype(np.int64)
    else:
        needed = np.floor(float(level) * wanted + 0.5).astype(np.int64)
    needed = np.maximum(needed, 1)
    reached = np.flatnonzero(found.held >= needed)
    best = np.zeros(len(wanted))
    if len(reached):
        first, past = (
            found.offsets[reached] + needed[reached] - 1,
            found.offsets[reached + 1],
        )
        spans = np.column_stack([first, past]).ravel()
        precisions = np.append(found.nth / found.rank, 0.0)
        best[reached] = np.maximum.reduceat(precisions, spans)[::2]
    return best


@ranked(
    name="IPrec",
    title="Interpolated precision at a recall level",
    formula=r"\max_{r \,:\, R@r \ge x} P@r",
    cite="Viviani 2021; trec_eval iprec_at_recall",
    parameters=(*BINARY, LEVEL),
    resolve=by_default("rel", "judged_only", needs="x"),
    assumes=EQUAL,
    differs="trec_eval 9 and 10 round x·R, each in its own way: --like trec_eval-9 or -10.",
    advice="For curves; AP ranks systems.",
)
def interpolated_precision(
    alignment: Alignment,
    x: Fraction,
    rel: float,
    judged_only: bool,
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
    assumes=EQUAL,
    advice="Superseded by AP; only for comparison with results of the 1990s.",
)
def eleven_point_average(
    alignment: Alignment,
    rel: float,
    judged_only: bool,
    levels: tuple[float, ...],
) -> Floats:
    """Mean of the interpolated precision at recall 0.0, 0.1 … 1.0."""
    found = relevant(alignment, rel, judged_only=judged_only)
    exact = [Fraction(repr(level)) for level in levels]
    # Added one by one: the rounding of NumPy's mean depends on the number of topics.
    total = np.zeros(len(alignment.topics))
    for level in exact:
        total += _interpolated(alignment, found, level, rel)
    return total / len(exact)
