"""Cumulated gain: measures of graded relevance along a ranking of documents."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from foveal.alignment import Alignment, ratio
from foveal.choices import Answers
from foveal.measures._ideal_gain import Discount, GainLists, GainScale
from foveal.measures._parameters import Gains, Number, OneOf
from foveal.measures._record import Relevance, measure, on_documents
from foveal.measures._relevance import (
    JUDGED_ONLY,
    OPTIONAL_CUTOFF,
    PLAIN_BINARY,
    RANKED_BINARY,
    RANKED_GRADED,
    by_default,
    relevant,
)
from foveal.measures._relevance import REL as LOWEST_RELEVANT
from foveal.spans import Floats, Ints

PLACE_IN_LISTS = 40
REL = Number("rel", "the lowest grade that has a gain")
GAINS = Gains(
    "gains",
    "gains of grades where they differ from the grade itself, as in 1:3.5/2:9",
    unset="a grade is its own gain",
)
PLAIN = (REL, JUDGED_ONLY, GAINS)
PLAIN_AT = (*PLAIN, OPTIONAL_CUTOFF)
DISCOUNTED = (
    OneOf("dcg", "log2: gain = grade; exp-log2: gain = 2^grade - 1", words=("log2", "exp-log2")),
    Number(
        "log_b",
        "discount by max(1, log_b rank) instead of log2(rank + 1)",
        unset="none, log2(rank + 1) is used",
        minimum=1,
        exclusive=True,
    ),
    *PLAIN_AT,
)
GRADED = "A document is worth its grade, and less the lower it is ranked."
ANYWHERE = "A document is worth its grade at any rank."
JARVELIN = "Järvelin & Kekäläinen 2002; Viviani 2021"
LOG_B_DISCOUNT = (
    "By default it discounts by log2(rank + 1) as trec_eval does, also with --like paper. Järvelin"
    " & Kekäläinen and Viviani discount by max(1, log_b rank): {}(log_b=2)@k."
)
FLAT = Discount(flat=True)

PLAIN_GAINS = {"parameters": PLAIN, "resolve": by_default("judged_only", rel=0.0, gains=())}
AT_GAINS = {"parameters": PLAIN_AT, "resolve": by_default("judged_only", rel=0.0, gains=(), k=None)}
DISCOUNTED_GAINS = {
    "parameters": DISCOUNTED,
    "resolve": by_default("judged_only", rel=0.0, gains=(), k=None, dcg="log2", log_b=None),
}
set_measure = partial(measure, answers=Answers.SET, relevance=Relevance.GRADED)
ranked_measure = partial(measure, **RANKED_GRADED, assumes=GRADED)


def _gain_lists(alignment: Alignment, *, judged_only: bool, **options: Any) -> GainLists:
    steps = alignment.conventions.gains_in_whole_steps
    lists = alignment.graded.filtered(judged_only=judged_only)
    return GainLists.of(lists, GainScale(whole_steps=steps, **options))


@set_measure(
    name="CG",
    title="Cumulated gain",
    formula=r"\sum_{i \le k} g(d_i)",
    cite=JARVELIN,
    **AT_GAINS,
    bounds=(0, math.inf),
    assumes=ANYWHERE,
    advice="Ignores order, and topics with many relevant documents dominate the mean; use nDCG.",
    worked=on_documents(
        "CG@5",
        "0 + 1 + 3 + 0 + 2 = 6",
        "The grades of the first five documents; d4 is unjudged and gains nothing.",
    ),
)
def cumulated_gain(alignment: Alignment, k: int | None, **options: Any) -> Floats:
    """Sum of the gains of the first k documents."""
    return _gain_lists(alignment, **options).discounted(FLAT, k)


@set_measure(
    name="nCG",
    title="Normalised cumulated gain",
    formula=r"CG@k \,/\, iCG@k",
    cite=JARVELIN,
    **AT_GAINS,
    assumes=ANYWHERE,
    advice="Ignores the order above the cut-off; nDCG does not.",
    worked=on_documents(
        "nCG@5",
        "(0 + 1 + 3 + 0 + 2) / (3 + 2 + 1 + 1) = 6/7 = 0.8571",
        "The grades of the first five documents, and those of the four relevant ones.",
    ),
)
def normalised_cumulated_gain(alignment: Alignment, k: int | None, **options: Any) -> Floats:
    """Cumulated gain as a share of the best one possible."""
    gains = _gain_lists(alignment, **options)
    return ratio(gains.discounted(FLAT, k), gains.best(FLAT, k))


def _dcg(
    alignment: Alignment, dcg: str, log_b: float | None, **options: Any
) -> tuple[GainLists, Discount]:
    return _gain_lists(alignment, exponential=dcg == "exp-log2", **options), Discount(log_b)


@ranked_measure(
    name="DCG",
    title="Discounted cumulated gain",
    formula=r"\sum_{i \le k} \frac{g(d_i)}{\log_2(i + 1)}",
    formula_with={"log_b": r"\sum_{i \le k} \frac{g(d_i)}{\max(1, \log_b i)}"},
    cite=JARVELIN,
    **DISCOUNTED_GAINS,
    bounds=(0, math.inf),
    differs=LOG_B_DISCOUNT.format("DCG"),
    advice="Not comparable between topics: those with many relevant documents, or high grades,"
    " dominate the mean. Use nDCG.",
    worked=on_documents(
        "DCG@5",
        "0/log2(2) + 1/log2(3) + 3/log2(4) + 0/log2(5) + 2/log2(6) = 2.9046",
        "The grades of the first five documents are 0, 1, 3, unjudged and 2.",
    ),
)
def discounted_cumulated_gain(alignment: Alignment, k: int | None, **options: Any) -> Floats:
    """Sum of the gains of the first k documents, each divided by a logarithm of its rank."""
    gains, discount = _dcg(alignment, **options)
    return gains.discounted(discount, k)


@measure(
    name="iDCG",
    title="Ideal discounted cumulated gain",
    formula=r"\max DCG@k",
    cite=JARVELIN,
    answers=None,
    relevance=Relevance.GRADED,
    **DISCOUNTED_GAINS,
    bounds=(0, math.inf),
    assumes=GRADED,
    differs=LOG_B_DISCOUNT.format("iDCG"),
    advice="A property of the judgements, not of the run: it is what nDCG divides by.",
    worked=on_documents(
        "iDCG@5",
        "3/log2(2) + 2/log2(3) + 1/log2(4) + 1/log2(5) = 5.1925",
        "The relevant documents have the grades 3, 2, 1 and 1.",
    ),
)
def ideal_discounted_cumulated_gain(alignment: Alignment, k: int | None, **options: Any) -> Floats:
    """The best DCG that the judgements allow."""
    gains, discount = _dcg(alignment, **options)
    return gains.best(discount, k)


@ranked_measure(
    name="nDCG",
    title="Normalised discounted cumulated gain",
    formula=r"DCG@k \,/\, iDCG@k",
    cite=JARVELIN + "; trec_eval ndcg, ndcg_cut",
    **DISCOUNTED_GAINS,
    aliases=("NDCG",),
    differs=LOG_B_DISCOUNT.format("nDCG"),
    advice="The usual measure for graded judgements. Values with another gain (dcg='exp-log2' favours"
    " high grades), discount or cut-off are not comparable. Where users stop at the first good document,"
    " use ERR.",
    worked=on_documents(
        "nDCG@5",
        "(1/log2(3) + 3/log2(4) + 2/log2(6)) / (3/log2(2) + 2/log2(3) + 1/log2(4) + 1/log2(5)) ="
        " 0.5594",
        "The grades returned are 0, 1, 3, unjudged and 2; in the best order they would be 3, 2, 1 and"
        " 1.",
    ),
)
def normalised_discounted_cumulated_gain(
    alignment: Alignment, k: int | None, **options: Any
) -> Floats:
    """Discounted cumulated gain as a share of the best one possible."""
    gains, discount = _dcg(alignment, **options)
    return ratio(gains.discounted(discount, k), gains.best(discount, k))


@ranked_measure(
    name="nDCGrel",
    title="nDCG averaged over the relevant documents",
    formula=r"\frac{1}{N} \sum_r [g(d_r) > 0] \cdot nDCG@r",
    cite="trec_eval ndcg_rel",
    **PLAIN_GAINS,
    advice="Experimental. A document not found counts with the nDCG at the end of the list. Use"
    " nDCG for numbers that others can compare with.",
    worked=on_documents(
        "nDCGrel",
        "((1/log2(3)) / (3 + 2/log2(3)) + (1/log2(3) + 3/2) / (3 + 2/log2(3) + 1/2) + 2 · (1/log2(3)"
        " + 3/2 + 2/log2(6)) / (3 + 2/log2(3) + 1/2 + 1/log2(5))) / 4 = 0.4286",
        "nDCG at the ranks 2, 3 and 5 of the documents with a gain, and once more at the end of the"
        " list for d7, which is missing.",
    ),
)
def ndcg_over_relevant(alignment: Alignment, **options: Any) -> Floats:
    """Mean of nDCG at the rank of each document that has a gain."""
    gains, discount = _gain_lists(alignment, **options), Discount()
    lists, ideal = gains.lists, gains.ideal
    running = lists.running(gains.gain / discount.of(lists.rank))
    best = ideal.upto(ideal.discounted(discount), lists.topics[lists.topic], lists.rank)
    has_gain = gains.gain > 0
    at_gains = lists.total(np.where(has_gain, np.nan_to_num(ratio(running, best)), 0.0))
    ideal_count = ideal.count[lists.topics]
    missed_count = ideal_count - lists.total(has_gain.astype(np.float64))
    at_end = ratio(gains.discounted(discount, None), gains.best(discount, None))
    return ratio(at_gains + missed_count * np.nan_to_num(at_end), ideal_count)


@ranked_measure(
    name="Rndcg",
    title="nDCG averaged over the changes of grade",
    formula=r"\operatorname{mean} nDCG@r \text{ over } r = N_{top}, \ldots, N, |D|",
    cite="trec_eval Rndcg",
    parameters=(
        replace(LOWEST_RELEVANT, sentence="topics without a document of this grade score 0"),
        JUDGED_ONLY,
        GAINS,
    ),
    resolve=by_default("rel", "judged_only", gains=()),
    advice="Experimental. As in trec_eval, rel only decides which topics score 0. Use nDCG for"
    " numbers that others can compare with.",
    worked=on_documents(
        "Rndcg",
        "(0/3 + (1/log2(3)) / (3 + 2/log2(3)) + (1/log2(3) + 3/2) / (3 + 2/log2(3) + 1/2 + 1/log2(5))"
        " + (1/log2(3) + 3/2 + 2/log2(6)) / (3 + 2/log2(3) + 1/2 + 1/log2(5))) / 4 = 0.2795",
        "In the best order, 3, 2, 1 and 1, a grade ends at ranks 1, 2 and 4; nDCG there and at rank"
        " 6, the end of the list.",
    ),
)
def ndcg_at_changes(alignment: Alignment, rel: float, **options: Any) -> Floats:
    """Mean of nDCG at the ranks where the gain of the ideal ranking drops, and at the list's end."""
    gains, discount = _gain_lists(alignment, **options), Discount()
    lists, ideal = gains.lists, gains.ideal
    ends = np.flatnonzero(
        np.append(
            (ideal.gain[1:] != ideal.gain[:-1]) | (ideal.topic[1:] != ideal.topic[:-1]),
            [True] * bool(len(ideal.gain)),
        )
    )
    list_index = np.full(len(lists.qrels.topics), -1, dtype=np.int64)
    list_index[lists.topics] = np.arange(len(lists.topics))
    ends = ends[list_index[ideal.topic[ends]] >= 0]
    topic, rank = list_index[ideal.topic[ends]], ideal.rank[ends]
    gain = _gain_at(gains, lists.running(gains.gain / discount.of(lists.rank)), topic, rank)
    best = ideal.discounted(discount)[ends]
    size = len(lists.topics)
    total = np.bincount(topic, weights=gain / best, minlength=size)
    points = np.bincount(topic, minlength=size)
    # trec_eval adds the end of the list, but not if it is the rank after the last change.
    is_longer = (lists.count > ideal.count[lists.topics] + 1) & (points > 0)
    at_end = ratio(gains.discounted(discount, None), gains.best(discount, None))
    mean = ratio(total + np.where(is_longer, np.nan_to_num(at_end), 0.0), points + is_longer)
    return np.where(lists.relevant_count(rel) > 0, mean, np.nan)


def _gain_at(gains: GainLists, running: Floats, topic: Ints, rank: Ints) -> Floats:
    """The running sum of a list at any rank, not only at those of documents with a gain."""
    lists = gains.lists
    step = int(lists.count.max(initial=0)) + 2
    keys = topic * step + np.minimum(rank, step - 1)
    index = np.searchsorted(lists.topic * step + lists.rank, keys, side="right")
    padded = np.append(running, 0.0)
    return padded[np.where(index > lists.offsets[topic], index - 1, len(running))]


@ranked_measure(
    name="G",
    title="Normalised gain",
    formula=r"\frac{1}{iCG} \sum_r \frac{g(d_r)}{\log_2(2 + cost_r - CG@r)}",
    cite="trec_eval G",
    **PLAIN_GAINS,
    assumes="A document is worth less the more gain the ranking has missed above it.",
    advice="Experimental: between AP and nDCG. Use nDCG for numbers that others can compare with.",
    worked=on_documents(
        "G",
        "(1/log2(2 + 5 - 1) + 3/log2(2 + 6 - 4) + 2/log2(2 + 8 - 6)) / (3 + 2 + 1 + 1) = 0.4124",
        "Ranks cost 3, 2, 1, 1, 1 and 1: by ranks 2, 3 and 5 that is 5, 6 and 8, of which 1, 4 and 6"
        " are gained.",
    ),
)
def normalised_gain(alignment: Alignment, **options: Any) -> Floats:
    """Gains discounted by the gain missed above them, as a share of all possible gain."""
    gains = _gain_lists(alignment, **options)
    lists, ideal = gains.lists, gains.ideal
    # A rank costs the ideal gain there, and at least 1.
    costs: Floats = ideal.segments.running(np.maximum(ideal.gain, 1.0))
    topics = lists.topics[lists.topic]
    cost = ideal.upto(costs, topics, lists.rank) + np.maximum(0, lists.rank - ideal.count[topics])
    missed = cost - lists.running(gains.gain)
    return ratio(lists.total(gains.gain / np.log2(2.0 + missed)), gains.best(FLAT, None))


@measure(
    name="binG",
    title="Binary normalised gain",
    formula=r"\frac{1}{R} \sum_r \frac{rel(d_r)}{\log_2(2 + nonrel_r)}",
    cite="trec_eval binG",
    **RANKED_BINARY,
    **PLAIN_BINARY,
    assumes="A relevant document is worth less the more irrelevant ones are ranked above it.",
    advice="Experimental: between AP and nDCG. Use AP for numbers that others can compare with.",
    worked=on_documents(
        "binG",
        "(1/log2(2 + 1) + 1/log2(2 + 1) + 1/log2(2 + 2)) / 4 = 0.4405",
        "Above the relevant documents at ranks 2, 3 and 5 there are 1, 1 and 2 others.",
    ),
)
def binary_gain(alignment: Alignment, rel: float, judged_only: bool) -> Floats:
    """Mean over the relevant documents of 1 / log2(2 + number of irrelevant documents above)."""
    lists = relevant(alignment, rel, judged_only=judged_only)
    irrelevant_above = lists.rank - lists.nth
    return ratio(lists.total(1 / np.log2(2.0 + irrelevant_above)), lists.relevant_count(rel))
