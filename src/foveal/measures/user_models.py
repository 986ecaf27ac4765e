"""User models: what a reader gains who goes down a ranking and stops somewhere."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from foveal.alignment import Alignment, GradedLists, ratio
from foveal.choices import Answers
from foveal.conventions import Conventions
from foveal.measures._parameters import Number, TopGrade, Whole
from foveal.measures._record import measure, on_documents
from foveal.measures._relevance import (
    BINARY,
    CUTOFF,
    JUDGED_ONLY,
    OPTIONAL_CUTOFF,
    RANKED_BINARY,
    RANKED_GRADED,
    REL,
    by_default,
    relevant,
)
from foveal.spans import Floats

PLACE_IN_LISTS = 50
MAX_REL = TopGrade(
    "max_rel",
    "the highest grade of the scale, or `topic` for the topic's highest grade",
    unset="the highest grade in the judgements",
)
PERSISTENCE = Number("p", "the probability that the reader goes on to the next document")
WANTED_GAIN = Number("T", "the gain that the reader wants", minimum=0.5, exclusive=True)
SAME_GAIN = 1e-9
# The probability nearest to 1: the logarithm of 1 minus it must be finite.
ALMOST_SURE = np.nextafter(1.0, 0.0)
RBP = "Moffat & Zobel 2008; trec_eval"
ranked_measure = partial(measure, **RANKED_GRADED)


def _top_grade(lists: GradedLists, max_rel: float | str | None, minimum: float = 0.0) -> Floats:
    """The highest grade of the scale for each topic."""
    if isinstance(max_rel, str):
        top = lists.of_topics("top grade", lambda: _highest_grade(lists))
    elif max_rel is None:
        top = np.full(len(lists.topics), float(np.max(lists.qrels.grade)))
    else:
        return np.full(len(lists.topics), max_rel)
    return np.maximum(top, minimum)


def _highest_grade(lists: GradedLists) -> Floats:
    qrels = lists.qrels
    return qrels.grade[qrels.by_grade[qrels.segments.offsets[:-1]]]


def _gain_shares(lists: GradedLists, max_rel: float | str | None) -> Floats:
    """The gain of each document between 0 and 1: its grade as a share of the highest.

    Where the highest grade is below 1, grades are gains already.
    """
    top = _top_grade(lists, max_rel, minimum=1.0)[lists.topic]
    return np.clip(lists.grade / top, 0.0, 1.0)


def _persistent(**defaults: Any) -> Any:
    fill = by_default("judged_only", **defaults)

    def resolve(explicit: Mapping[str, Any], conventions: Conventions) -> dict[str, Any]:
        arguments = fill(explicit, conventions)
        if arguments["p"] >= 1:
            raise ValueError(
                f"p must be less than 1, got {arguments['p']:g}: no reader goes on for ever"
            )
        if arguments.get("rel") is not None and arguments.get("max_rel") is not None:
            raise ValueError(
                "rel (binary relevance) and max_rel (scaled grades) exclude each other: give one"
            )
        return arguments

    return resolve


@ranked_measure(
    name="RBP",
    title="Rank-biased precision",
    formula=r"(1-p) \sum_{i \le k} g(d_i) \cdot p^{i-1}",
    cite=f"{RBP} 10 rbp",
    parameters=(
        PERSISTENCE,
        replace(REL, unset="none, relevance is graded"),
        JUDGED_ONLY,
        replace(MAX_REL, unset=f"{MAX_REL.unset}, unless rel is given"),
        OPTIONAL_CUTOFF,
    ),
    binary_with="rel",
    resolve=_persistent(p=0.8, rel=None, max_rel=None, k=None),
    assumes="Readers go on to the next document with probability p, whatever they have found.",
    differs="trec_eval's rbp is RBP(p=0.9,max_rel=topic).",
    advice="Report RBPres with it. With rel, relevance is binary; without, gain = grade/max_rel."
    " Even the best list scores below 1 where few documents are relevant: compare runs on the same"
    " topics only.",
    worked=on_documents(
        "RBP",
        "(1 - 0.8) · (0 + 1/3 · 0.8 + 3/3 · 0.8^2 + 0 + 2/3 · 0.8^4) = 0.2359",
        "The gains at ranks 2, 3 and 5 are the grades 1, 3 and 2 as shares of the highest, 3.",
    ),
)
def rank_biased_precision(
    alignment: Alignment,
    p: float,
    rel: float | None,
    judged_only: bool,
    max_rel: float | str | None,
    k: int | None,
) -> Floats:
    """Gain per document of a reader who goes on with probability p."""
    lists = alignment.graded.filtered(judged_only=judged_only)
    gain = _gain_shares(lists, max_rel) if rel is None else (lists.grade >= rel).astype(np.float64)
    gains: Floats = gain * p ** (lists.rank - 1.0)
    return (1 - p) * lists.total(gains if k is None else np.where(lists.rank <= k, gains, 0.0))


@measure(
    name="RBPres",
    answers=Answers.RANKED,
    relevance=None,
    title="Residual of rank-biased precision",
    formula=r"1 - (1-p) \sum_{i \le k} judged(d_i) \cdot p^{i-1}",
    cite=f"{RBP} 10 rbp_resid",
    parameters=(PERSISTENCE, OPTIONAL_CUTOFF),
    resolve=_persistent(p=0.8, k=None),
    higher_is_better=False,
    undefined=1.0,
    differs="trec_eval's rbp_resid is RBPres(p=0.9), and 0 where every returned document is judged:"
    " --like trec_eval-10.",
    advice="With complete judgements RBP would be between RBP and RBP + RBPres. It says how far"
    " to trust RBP, not how good a run is.",
    worked=on_documents(
        "RBPres",
        "1 - (1 - 0.8) · (1 + 0.8 + 0.8^2 + 0 + 0.8^4 + 0.8^5) = 0.3645",
        "All of the six documents are judged but d4, at rank 4; what comes after them is unknown,"
        " too.",
    ),
)
def residual(alignment: Alignment, p: float, k: int | None, judged_only: bool) -> Floats:
    """How much RBP would grow if all documents unjudged or not returned had the best grade."""
    lists = alignment.graded.filtered(judged_only=judged_only).relevant(0.0)
    weight = (p ** (lists.rank - 1.0)).astype(np.float64)
    certain = lists.total(weight if k is None else np.where(lists.rank <= k, weight, 0.0))
    remaining: Floats = np.maximum(0.0, 1 - (1 - p) * certain)
    if alignment.conventions.residual_needs_unjudged:
        return np.where(lists.depth(k) > lists.within(k), remaining, 0.0)
    return remaining


@ranked_measure(
    name="ERR",
    title="Expected reciprocal rank",
    formula=r"\sum_{i \le k} \frac{1}{i} \, G_i \prod_{j < i} (1 - G_j), \quad"
    r" G_i = \frac{2^{g(d_i)} - 1}{2^{g_{max}}}",
    cite="Chapelle et al. 2009",
    parameters=(MAX_REL, JUDGED_ONLY, OPTIONAL_CUTOFF),
    resolve=by_default("judged_only", max_rel=None, k=None),
    assumes="The better a document is, the more likely readers stop there.",
    differs="gdeval fixes the scale at five grades: max_rel=4.",
    advice="Depends on the scale: give max_rel where the highest grade was never assigned. One"
    " very good document at the top decides it: where users want several, use nDCG.",
    worked=on_documents(
        "ERR",
        "1/2 · 1/8 + 1/3 · 7/8 · (1 - 1/8) + 1/5 · 3/8 · (1 - 1/8) · (1 - 7/8) = 0.3259",
        "Grades 1, 3 and 2, at ranks 2, 3 and 5, satisfy with probability 1/8, 7/8 and 3/8.",
    ),
)
def expected_reciprocal_rank(
    alignment: Alignment, max_rel: float | str | None, judged_only: bool, k: int | None
) -> Floats:
    """Expected value of 1 / the rank at which the reader is satisfied."""
    lists = alignment.graded.filtered(judged_only=judged_only).relevant(0.0)
    top = _top_grade(lists, max_rel)[lists.topic]
    # (2^g - 1) / 2^top, without powers that overflow.
    probability = np.exp2(np.minimum(lists.grade, top) - top) - np.exp2(-top)
    log_unsatisfied = np.log1p(-np.minimum(probability, ALMOST_SURE))
    # The logarithm of the probability that no document above satisfied the reader.
    log_reached = lists.running(log_unsatisfied) - log_unsatisfied
    value = probability * np.exp(log_reached) / lists.rank
    return lists.total(value if k is None else np.where(lists.rank <= k, value, 0.0))


@ranked_measure(
    name="INST",
    title="INST",
    formula=r"\sum_i W_i \, g_i, \quad \frac{W_{i+1}}{W_i} ="
    r" \left( \frac{i - 1 + T + T_i}{i + T + T_i} \right)^2, \quad T_i = T - \sum_{j \le i} g_j",
    cite="Bailey, Moffat, Scholer & Thomas 2015",
    parameters=(WANTED_GAIN, MAX_REL, JUDGED_ONLY),
    resolve=by_default("judged_only", T=1.0, max_rel=None),
    assumes="Readers want a gain of T and grow impatient with rank and with what they have got.",
    advice="The list is taken to continue for ever with nothing relevant. Without an estimate of"
    " T, the gain that readers want, use RBP.",
    worked=on_documents(
        "INST",
        "((2/3)^2 · 1/3 + (16/33)^2 · 1 + (64/231)^2 · 2/3) / (1 + (2/3)^2 + (16/33)^2 + (128/363)^2"
        " + (64/231)^2 · (1 + 16 · (pi^2/6 - 1 - 1/4 - 1/9 - 1/16))) = 0.2018",
        "Relative to rank 1, ranks 2 to 5 weigh (2/3)², (16/33)², (128/363)² and (64/231)²; after the last gain"
        " weights fall as 4²/5², 4²/6² …, which adds up to 16 times what π²/6 has left after four terms."
        " The gains at ranks 2, 3 and 5 are 1/3, 1 and 2/3.",
    ),
)
def inst(
    alignment: Alignment,
    T: float,  # noqa: N803 (the paper's letter)
    max_rel: float | str | None,
    judged_only: bool,
) -> Floats:
    """Gain per document of a reader who wants a gain of T and adapts to what was found."""
    all_lists = alignment.graded.filtered(judged_only=judged_only)
    share = _gain_shares(all_lists, max_rel)
    lists, gain = all_lists.where(share > 0), share[share > 0]
    # Between two gains the weights fall as an inverse square, whose sums are trigamma functions.
    rank = lists.rank.astype(np.float64)
    ahead = rank + 2 * T - lists.running(gain) - 1
    after_last = np.where(lists.nth == 1, 2 * T, np.roll(ahead, 1))
    gap = rank - np.where(lists.nth == 1, 1.0, np.roll(rank, 1))
    fall = 2 * (np.log(after_last) - np.log(after_last + gap))
    weight = np.exp(lists.running(fall))
    start_weight = np.exp(lists.running(fall) - fall)
    # The first gap starts at rank 1, the others after a gain.
    start = np.where(lists.nth == 1, after_last, after_last + 1)
    gap_weight = start_weight * after_last**2 * (_trigamma(start) - _trigamma(after_last + gap + 1))
    is_last = lists.nth == lists.entry_count[lists.topic]
    tail = np.where(is_last, weight * ahead**2 * _trigamma(ahead + 1), 0.0)
    return ratio(lists.total(weight * gain), lists.total(gap_weight + tail))


def _trigamma(x: Floats) -> Floats:
    """The sum of 1/(x+i)² over i = 0, 1, 2 …, for x > 0."""
    total = np.zeros(len(x))
    # Ten terms one by one; then the asymptotic series is exact to the last digit.
    for step in range(10):
        total += 1 / (x + step) ** 2
    z = x + 10
    series = 1 / 6 - (1 / 30 - (1 / 42 - (1 / 30 - (5 / 66) / z**2) / z**2) / z**2) / z**2
    return total + 1 / z + 1 / (2 * z**2) + series / z**3


@ranked_measure(
    name="BPM",
    title="Bejeweled player model",
    formula=r"\frac{1}{L} \sum_{i \le L} g_i, \quad L = \min(k, \min\{ i : \sum_{j \le i} g_j \ge T \})",
    cite="Zhang et al. 2017",
    parameters=(WANTED_GAIN, MAX_REL, JUDGED_ONLY, CUTOFF),
    resolve=by_default("judged_only", T=1.0, max_rel=None, k=10),
    assumes="Readers stop when they have gained T or have read k documents.",
    advice="The static form of the model: neither T nor k changes while reading, and nothing"
    " after the reader has stopped counts. Use RBP for readers who may go on.",
    worked=on_documents(
        "BPM",
        "(0 + 1/3 + 3/3) / 3 = 0.4444",
        "The reader wants a gain of 1 and has it at rank 3, by grades 0, 1 and 3 as shares of the"
        " highest, 3.",
    ),
)
def bejeweled_player(
    alignment: Alignment,
    T: float,  # noqa: N803 (the paper's letter)
    max_rel: float | str | None,
    judged_only: bool,
    k: int,
) -> Floats:
    """Gain per document of a reader who stops once satisfied or out of patience."""
    lists = alignment.graded.filtered(judged_only=judged_only)
    gain = _gain_shares(lists, max_rel)
    running = lists.running(gain)
    # The sum of three thirds may be less than 1 by its last digit.
    is_satisfied = (running >= T - SAME_GAIN) & (running - gain < T - SAME_GAIN)
    depth = np.full(len(lists.topics), k, dtype=np.int64)
    depth[lists.topic[is_satisfied]] = np.minimum(lists.rank[is_satisfied], k)
    return lists.total(np.where(lists.rank <= depth[lists.topic], gain, 0.0)) / depth


@measure(
    name="ESL",
    **RANKED_BINARY,
    title="Expected search length",
    formula=r"r_n - n, \quad r_n \text{ the rank of the } n\text{-th relevant document}",
    cite="Cooper 1968; Viviani 2021",
    parameters=(*BINARY, Whole("rels", "how many relevant documents are wanted")),
    resolve=by_default("rel", "judged_only", rels=1),
    bounds=(0, math.inf),
    higher_is_better=False,
    assumes="Readers want n relevant documents and go on until they have them.",
    differs="Cooper takes the expectation over the orders of tied documents; here ties are broken"
    " first (--ties), and the length is that of one order.",
    advice="Lower is better. A few long searches dominate the mean: look at the topics one by"
    " one, or use RR.",
    worked=on_documents(
        "ESL(rels=3)",
        "5 - 3 = 2",
        "The third relevant document is at rank 5, so that two others are read on the way.",
    ),
)
def search_length(alignment: Alignment, rel: float, judged_only: bool, rels: int) -> Floats:
    """Number of irrelevant documents read before n relevant ones, or all there are, are found.

    If the list holds fewer, everything known to be irrelevant is read.
    """
    lists = relevant(alignment, rel, judged_only=judged_only)
    judged_lists = alignment.graded.filtered(judged_only=judged_only).relevant(0.0)
    not_returned = lists.irrelevant_count(rel) - (judged_lists.entry_count - lists.entry_count)
    length = (lists.count - lists.entry_count + not_returned).astype(np.float64)
    is_target = lists.nth == np.minimum(rels, lists.relevant_count(rel))[lists.topic]
    length[lists.topic[is_target]] = (lists.rank - lists.nth)[is_target]
    return length
