"""Ranked documents with parts: the generalised measures of the in-context tasks."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from foveal.alignment import Alignment, ratio
from foveal.choices import Answers
from foveal.conventions import Conventions
from foveal.measures import document_scores as s
from foveal.measures._parameters import Cutoff, RecallLevel
from foveal.measures._record import Relevance, measure, on_parts
from foveal.spans import Floats

PLACE_IN_LISTS = 20
EQUAL = "All relevant documents are equally useful."
MORE = "A document with more highlighted text is more useful."
AT_RANK = (*s.PARAMETERS, Cutoff("r", "cut the list after this many documents"))
AT_LEVEL = (*s.PARAMETERS, RecallLevel("x", "share of what is relevant that has been found"))
scored_ranking = partial(
    measure, answers=s.DOCUMENT_SCORES[s.DEFAULT].answers, relevance=Relevance.GRADED, by_score=True
)
equal_documents = partial(scored_ranking, assumes=EQUAL, binary_with="S=rel")


def _requiring(name: str, example: str) -> Any:
    def resolve(explicit: Mapping[str, Any], conventions: Conventions) -> dict[str, Any]:
        if name not in explicit:
            raise ValueError(f"give a {example}")
        return s.resolved(explicit, conventions)

    return resolve


_at_rank = _requiring("r", "rank, as in @10")
_at_level = _requiring("x", "recall level, as in [0.10]")
WHOLE = {"parameters": s.PARAMETERS, "resolve": s.resolved}
RANKED = {"parameters": AT_RANK, "resolve": _at_rank}
LEVELLED = {"parameters": AT_LEVEL, "resolve": _at_level}
weighted_by_text = partial(scored_ranking, **WHOLE, assumes=MORE)


def _running_scores(alignment: Alignment, **score: Any) -> Floats:
    """Running sums of the document scores, at every relevant document of every list."""
    documents = alignment.documents
    key = ("gained", *sorted(score.items()))
    return documents.cached(key, lambda: documents.running(s.score_documents(documents, **score)))


def generalised_precision_at_documents(alignment: Alignment, **score: Any) -> Floats:
    """gP[r] at the rank r of every relevant document of every list."""
    return _running_scores(alignment, **score) / alignment.documents.rank


@equal_documents(
    name="gP",
    title="Generalised precision at a rank",
    formula=r"gP[r] = \frac{1}{r} \sum_{i \le r} S(d_i)",
    cite="Pehcevski & Thom 2007, eq. 4; INEX 2007, eq. 11",
    **RANKED,
    advice="Looks at the top alone and divides by r even if fewer documents were returned"
    " (inex_eval keeps the last value); use AgP to rank systems.",
    worked=on_parts(
        "gP@3", "(8/11 + 0 + 1) / 3 = 19/33 = 0.5758", "S=F gives d1 8/11, d3 0 and d2 1."
    ),
)
def generalised_precision(alignment: Alignment, r: int, **score: Any) -> Floats:
    """Mean document score over the first r documents."""
    documents = alignment.documents
    keeps_last = alignment.conventions.past_end_keeps_last
    depth = np.minimum(documents.count, r) if keeps_last else np.full(len(documents.count), r)
    return ratio(documents.at(_running_scores(alignment, **score), r), depth)


@measure(
    name="gR",
    answers=Answers.RANKED,
    relevance=Relevance.BINARY,
    assumes=EQUAL,
    title="Generalised recall at a rank",
    formula=r"gR[r] = \sum_{i \le r} rel(d_i) \,/\, Nrel",
    cite="Pehcevski & Thom 2007, eq. 5; INEX 2007, eq. 12",
    **RANKED,
    advice="Counts documents: S has no effect, and it does not matter which parts were returned."
    " Report it with gP; to count text, use cR.",
    worked=on_parts(
        "gR@3",
        "(1 + 0 + 1) / 3 = 2/3 = 0.6667",
        "d1 and d2 are two of the three relevant documents, d3 is not relevant.",
    ),
)
def generalised_recall(alignment: Alignment, r: int, **score: Any) -> Floats:
    """Share of the relevant documents found in the first r documents."""
    documents = alignment.documents
    return ratio(documents.at(documents.nth, r), documents.topic_relevant)


@measure(
    name="gRt",
    answers=Answers.RANKED,
    relevance=Relevance.GRADED,
    assumes=MORE,
    title="Generalised recall by text at a rank",
    formula=r"gR'[r] = \sum_{i \le r} Trel(d_i) \,/\, Trel",
    cite="Pehcevski & Thom 2007, eq. 6",
    **RANKED,
    aliases=("gR'",),
    advice="Counts the highlights of whole documents, not of the parts returned, and S has no"
    " effect; use charR for the text that was returned.",
    worked=on_parts(
        "gRt@3",
        "(40 + 0 + 20) / 100 = 0.6",
        "d1 has 40 of the 100 highlighted characters, d3 none, d2 20.",
    ),
)
def generalised_recall_by_text(alignment: Alignment, r: int, **score: Any) -> Floats:
    """Share of the topic's highlighted text that is in the first r documents."""
    documents = alignment.documents
    highlighted_so_far = documents.running(documents.highlighted)
    return ratio(documents.at(highlighted_so_far, r), documents.topic_highlighted)


@equal_documents(
    name="igP",
    title="Interpolated generalised precision at a recall level",
    formula=r"\max_{r \,:\, gR[r] \ge x} gP[r]",
    cite="Pehcevski & Thom 2007, figure 4",
    **LEVELLED,
    advice="For curves: the best value at or beyond a level hides what comes before it. Use AgP"
    " to rank systems.",
    worked=on_parts(
        "igP[0.40]",
        "max(19/33, 53/110) = 19/33 = 0.5758",
        "gR is 1/3, 1/3, 2/3 and 1, so that 0.40 is reached at rank 3; gP is 19/33 there and 53/110"
        " at rank 4.",
    ),
)
def interpolated(alignment: Alignment, x: Fraction, **score: Any) -> Floats:
    """Best gP at or beyond the rank where a share x of the relevant documents was found."""
    documents = alignment.documents
    precision = generalised_precision_at_documents(alignment, **score)
    return documents.interpolated(precision, documents.nth, documents.topic_relevant, x)


@weighted_by_text(
    name="igPt",
    title="Interpolated generalised precision at a level of recall by text",
    formula=r"\max_{r \,:\, gR'[r] \ge x} gP[r]",
    cite="Pehcevski & Thom 2007, section 5",
    **LEVELLED,
    aliases=("igP'",),
    advice="For curves, and one document with much highlighted text can decide most levels; use"
    " AgP to rank systems.",
    worked=on_parts(
        "igPt[0.40]",
        "max(8/11, 4/11, 19/33, 53/110) = 8/11 = 0.7273",
        "d1 alone has 40 of the 100 highlighted characters, so that 0.40 is reached at rank 1, where"
        " gP is best.",
    ),
)
def interpolated_by_text(alignment: Alignment, x: Fraction, **score: Any) -> Floats:
    """Best gP at or beyond the rank whose documents hold a share x of the highlighted text."""
    documents = alignment.documents
    highlighted_so_far = documents.running(documents.highlighted)
    precision = generalised_precision_at_documents(alignment, **score)
    return documents.interpolated(precision, highlighted_so_far, documents.topic_highlighted, x)


@equal_documents(
    name="AgP",
    title="Average generalised precision",
    formula=r"\sum_r rel(d_r) \cdot gP[r] \,/\, Nrel",
    cite="Pehcevski & Thom 2007, eq. 7; INEX 2007, eq. 13",
    **WHOLE,
    aliases=("MAgP",),
    advice="The overall measure of the in-context tasks; its mean over topics is MAgP. A document"
    " with one highlighted sentence weighs as much as one highlighted throughout: to count text, use"
    " AiP.",
    worked=on_parts(
        "AgP",
        "(8/11 + 19/33 + 53/110) / 3 = 0.5949",
        "gP is 8/11, 19/33 and 53/110 at the ranks 1, 3 and 4 of the three relevant documents.",
    ),
)
def average(alignment: Alignment, **score: Any) -> Floats:
    """Mean of gP over the relevant documents, 0 for those not found."""
    documents = alignment.documents
    at_relevant = documents.total(generalised_precision_at_documents(alignment, **score))
    return ratio(at_relevant, documents.topic_relevant)


@weighted_by_text(
    name="AgPt",
    title="Average generalised precision by text",
    formula=r"\sum_r \frac{Trel(d_r)}{Trel} \cdot rel(d_r) \cdot gP[r]",
    cite="Pehcevski & Thom 2007, eq. 8",
    aliases=("AgP'", "MAgPt", "MAgP'"),
    advice="Rewards an irrelevant document at the top when the best document comes later; use AgP.",
    worked=on_parts(
        "AgPt",
        "40/100 · 8/11 + 20/100 · 19/33 + 40/100 · 53/110 = 0.5988",
        "gP at the relevant documents d1, d2 and d4, weighted by their 40, 20 and 40 of the 100"
        " highlighted characters.",
    ),
)
def average_by_text(alignment: Alignment, **score: Any) -> Floats:
    """Mean of gP over the relevant documents, weighted by their highlighted text."""
    documents = alignment.documents
    weighted = generalised_precision_at_documents(alignment, **score) * documents.highlighted
    return ratio(documents.total(weighted), documents.topic_highlighted)


@weighted_by_text(
    name="AgPt2",
    title="Average generalised precision by text, redefined",
    formula=r"gR'[|D|] \cdot \sum_r rel(d_r) \cdot gP[r] \,/\, \sum_r rel(d_r)",
    cite="Pehcevski & Thom 2007, eq. 11",
    advice="A proposal to repair AgPt; no evaluation campaign has used it. Use AgP.",
    worked=on_parts(
        "AgPt2",
        "100/100 · (8/11 + 19/33 + 53/110) / 3 = 0.5949",
        "All 100 highlighted characters are in the documents returned, and three of these are"
        " relevant.",
    ),
)
def average_by_text_redefined(alignment: Alignment, **score: Any) -> Floats:
    """Mean of gP over the relevant documents found, times the recall by text of the whole list."""
    documents = alignment.documents
    precision = generalised_precision_at_documents(alignment, **score)
    mean_precision = ratio(documents.total(precision), documents.entry_count)
    return mean_precision * ratio(
        documents.total(documents.highlighted), documents.topic_highlighted
    )


@equal_documents(
    name="iAgP",
    title="Interpolated average generalised precision",
    formula=r"\frac{1}{101} \sum_{x = 0.00, 0.01, \ldots, 1.00} igP[x]",
    cite="Pehcevski & Thom 2007, section 5",
    **WHOLE,
    advice="Averages over recall levels instead of relevant documents; AgP is the one in use.",
    worked=on_parts(
        "iAgP",
        "(34 · 8/11 + 33 · 19/33 + 34 · 53/110) / 101 = 0.5951",
        "gR reaches 1/3 at rank 1, 2/3 at rank 3 and 1 at rank 4: 34, 33 and 34 of the 101 levels.",
    ),
)
def interpolated_average(alignment: Alignment, **score: Any) -> Floats:
    """Mean of igP at 101 recall levels."""
    documents = alignment.documents
    precision = generalised_precision_at_documents(alignment, **score)
    return documents.interpolated_mean(precision, documents.nth, documents.topic_relevant)


@weighted_by_text(
    name="iAgPt",
    title="Interpolated average generalised precision by text",
    formula=r"\frac{1}{101} \sum_{x = 0.00, 0.01, \ldots, 1.00} igP'[x]",
    cite="Pehcevski & Thom 2007, section 5",
    aliases=("iAgP'",),
    advice="Interpolation is one of the two repairs proposed for AgPt; AgPt2 is the other. AgP is"
    " the one in use.",
    worked=on_parts(
        "iAgPt",
        "(41 · 8/11 + 20 · 19/33 + 40 · 53/110) / 101 = 0.6001",
        "Recall by text reaches 0.40 at rank 1, 0.60 at rank 3 and 1 at rank 4: 41, 20 and 40 of the"
        " 101 levels.",
    ),
)
def interpolated_average_by_text(alignment: Alignment, **score: Any) -> Floats:
    """Mean of igPt at 101 levels of recall by text."""
    documents = alignment.documents
    highlighted_so_far = documents.running(documents.highlighted)
    precision = generalised_precision_at_documents(alignment, **score)
    return documents.interpolated_mean(precision, highlighted_so_far, documents.topic_highlighted)
