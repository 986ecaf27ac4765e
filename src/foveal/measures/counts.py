"""Counts: what was returned, what is relevant, and the shares of relevant articles.

Names and totals over topics are those of the official INEX program.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from foveal.alignment import Alignment, ratio
from foveal.choices import Answers, Task
from foveal.measures._record import (
    Average,
    Relevance,
    Unit,
    measure,
    on_parts,
    on_two_topics,
    total,
)
from foveal.measures._relevance import SET_BINARY
from foveal.spans import Bools, Floats, Ints

PLACE_IN_LISTS = 80
CITE = "inex_eval 3.1"
count_measure = partial(measure, cite=CITE, whole_number=True, average=total, bounds=(0, math.inf))
article_measure = partial(measure, cite=CITE, **SET_BINARY)


def _sum_over_judged(field: str) -> Average:
    """The sum over evaluated topics, or over all judged ones where the official program does so."""

    def average(alignment: Alignment, values: Floats, topics: Bools) -> float:
        if alignment.conventions.imitated_task in {Task.RIC, Task.BIC}:
            counts = getattr(alignment.qrels, field)[topics]
            times = alignment.qrels.times
            return float(np.sum(counts if times is None else counts * times[topics]))
        return total(alignment, values, topics)

    return average


def _text_totals(alignment: Alignment, totals: Ints) -> Floats:
    """Totals of returned text; 0 in the Best in Context task of inex_eval."""
    if alignment.conventions.imitated_task is Task.BIC:
        return np.zeros(len(alignment.topics))
    return totals.astype(np.float64)


@count_measure(
    name="num_q",
    answers=None,
    relevance=None,
    title="Topics evaluated",
    formula=r"1",
    bounds=(1, 1),
    advice="1 for each topic; only the total says something. Look at it before you compare means:"
    " they must be over the same topics.",
    worked=on_two_topics("num_q", "1 + 1 = 2", "Both topics are evaluated."),
)
def topics(alignment: Alignment) -> Floats:
    """Number of topics over which means are taken."""
    return np.ones(len(alignment.topics))


@count_measure(
    name="num_ret",
    answers=Answers.SET,
    relevance=None,
    title="Documents returned",
    formula=r"|D|",
    advice="A document counts once, however many of its parts were returned. It says how long the"
    " lists are, not how good; use art_prec.",
    worked=on_parts("num_ret", "1 + 1 + 1 + 1 = 4", "The five parts come from d1, d3, d2 and d4."),
)
def returned(alignment: Alignment) -> Floats:
    """Number of documents from which anything was returned."""
    return alignment.documents.count.astype(np.float64)


@count_measure(
    name="num_rel",
    answers=None,
    relevance=Relevance.BINARY,
    title="Relevant documents",
    formula=r"Nrel",
    average=_sum_over_judged("topic_relevant"),
    bounds=(1, math.inf),
    advice="A property of the judgements, not of the run; for the run, use num_rel_ret.",
    worked=on_parts("num_rel", "1 + 1 + 1 = 3", "d1, d2 and d4 have highlights."),
)
def relevant(alignment: Alignment) -> Floats:
    """Number of relevant documents of the topic."""
    return alignment.documents.topic_relevant.astype(np.float64)


@count_measure(
    name="num_rel_ret",
    **SET_BINARY,
    title="Relevant documents returned",
    formula=r"\sum_r rel(d_r)",
    advice="Says nothing about the parts returned, and topics with many relevant documents"
    " dominate the total; use rel_ret_size for text, art_rec for a share.",
    worked=on_parts("num_rel_ret", "1 + 0 + 1 + 1 = 3", "d1, d2 and d4 are relevant, d3 is not."),
)
def relevant_returned(alignment: Alignment) -> Floats:
    """Number of relevant documents from which anything was returned."""
    return alignment.documents.entry_count.astype(np.float64)


@count_measure(
    name="ret_size",
    answers=Answers.SET,
    relevance=None,
    unit=Unit.PART,
    title="Characters returned",
    formula=r"\sum_r size(p_r)",
    advice="Says how much was returned, not how good it is; use charP. inex_eval reports 0 in the"
    " Best in Context task.",
    worked=on_parts("ret_size", "50 + 80 + 20 + 20 + 60 = 230", "The sizes of the five parts."),
)
def returned_size(alignment: Alignment) -> Floats:
    """Number of characters returned."""
    return _text_totals(alignment, alignment.parts.read_until(None))


@count_measure(
    name="rel_size",
    answers=None,
    relevance=Relevance.GRADED,
    title="Highlighted characters",
    formula=r"Trel",
    average=_sum_over_judged("topic_highlighted"),
    bounds=(1, math.inf),
    advice="A property of the judgements, not of the run; for the run, use rel_ret_size.",
    worked=on_parts(
        "rel_size", "40 + 20 + 0 + 40 = 100", "The highlighted characters of d1, d2, d3 and d4."
    ),
)
def relevant_size(alignment: Alignment) -> Floats:
    """Number of highlighted characters of the topic."""
    return alignment.documents.topic_highlighted.astype(np.float64)


@count_measure(
    name="rel_ret_size",
    answers=Answers.SET,
    relevance=Relevance.GRADED,
    unit=Unit.PART,
    title="Highlighted characters returned",
    formula=r"\sum_r rsize(p_r)",
    advice="Topics with much highlighted text dominate the total; use charR. inex_eval reports 0"
    " in the Best in Context task.",
    worked=on_parts(
        "rel_ret_size",
        "30 + 0 + 20 + 10 + 10 = 70",
        "The highlighted characters of the five parts.",
    ),
)
def relevant_returned_size(alignment: Alignment) -> Floats:
    """Number of highlighted characters returned."""
    parts = alignment.parts
    return _text_totals(alignment, parts.total(parts.relevant_size))


@article_measure(
    name="art_prec",
    title="Article precision",
    formula=r"\sum_r rel(d_r) \,/\, |D|",
    advice="Counts whole documents; charP is the counterpart that counts characters.",
    worked=on_parts(
        "art_prec", "3 / 4 = 0.75", "Three of the four documents returned are relevant."
    ),
)
def article_precision(alignment: Alignment) -> Floats:
    """Share of the documents returned that are relevant."""
    return ratio(alignment.documents.entry_count, alignment.documents.count)


@article_measure(
    name="art_rec",
    title="Article recall",
    formula=r"\sum_r rel(d_r) \,/\, Nrel",
    advice="Counts whole documents; charR is the counterpart that counts characters.",
    worked=on_parts("art_rec", "3 / 3 = 1", "All three relevant documents are returned."),
)
def article_recall(alignment: Alignment) -> Floats:
    """Share of the relevant documents from which anything was returned."""
    return ratio(alignment.documents.entry_count, alignment.documents.topic_relevant)


@article_measure(
    name="art_f1",
    title="Article F-score",
    formula=r"2 \cdot P \cdot R \,/\, (P + R)",
    advice="Counts whole documents; charF is the counterpart that counts characters.",
    worked=on_parts(
        "art_f1", "2 · 3/4 · 3/3 / (3/4 + 3/3) = 6/7 = 0.8571", "Precision is 3/4 and recall 3/3."
    ),
)
def article_f(alignment: Alignment) -> Floats:
    """Harmonic mean of article precision and recall."""
    documents = alignment.documents
    return ratio(2 * documents.entry_count, documents.count + documents.topic_relevant)
