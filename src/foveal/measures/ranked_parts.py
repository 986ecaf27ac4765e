"""Ranked parts: precision and recall in characters (the Focused and Thorough tasks)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from foveal.alignment import AlignedRun, Alignment, Budget, RankedParts, ratio
from foveal.choices import Answers, Task
from foveal.conventions import Conventions
from foveal.errors import counted
from foveal.measures._parameters import Cutoff, RecallLevel, Whole, YesNo
from foveal.measures._record import Relevance, Unit, measure, on_parts
from foveal.spans import Floats, Ints

if TYPE_CHECKING:
    from foveal.measures._grammar import Measure

PLACE_IN_LISTS = 10
ASSUMES = (
    "Users read the parts in order, want highlighted text and nothing else, and none of it twice."
)
RESTRICTED = "INEX 2010, Restricted Focused"
WANTS_ALL = "Users read everything, want highlighted text and nothing else, and none of it twice."
AT_RANK = (
    Whole(
        "chars",
        "cut the list after this many characters read, within a part if necessary",
        unset="none",
    ),
    Whole(
        "tokens",
        "cut the list after this many tokens read, each part's text tokenised alone",
        unset="none",
    ),
    YesNo(
        "whole",
        "with chars or tokens, stop before the first part that does not fit, not within it",
        unset="False",
    ),
    Cutoff("r", "cut the list after this many parts", unset="none, needed without chars or tokens"),
)
# Above such a rank the user may have meant characters.
LARGE_CUTOFF = 100
LEVEL = (RecallLevel("x", "share of the topic's highlighted text that has been read"),)
text_measure = partial(measure, unit=Unit.PART, relevance=Relevance.GRADED)
ranked_measure = partial(text_measure, answers=Answers.RANKED, assumes=ASSUMES)
whole_list_measure = partial(text_measure, answers=Answers.SET, assumes=WANTS_ALL, cite=RESTRICTED)


def _exactly_one_cutoff(arguments: Mapping[str, Any], conventions: Conventions) -> dict[str, Any]:
    cutoffs = [name for name in ("r", "chars", "tokens") if name in arguments]
    if len(cutoffs) != 1:
        raise ValueError(
            "give either a rank (@10), a budget of characters (chars=1000) or one of tokens"
            " (tokens=500)"
        )
    if "whole" in arguments and "r" in arguments:
        raise ValueError("whole needs a budget: chars or tokens")
    return {name: value for name, value in arguments.items() if value is not False}


def _level(arguments: Mapping[str, Any], conventions: Conventions) -> dict[str, Any]:
    if "x" not in arguments:
        raise ValueError("give a recall level, as in [0.10]")
    return dict(arguments)


def in_reading_order(parts: RankedParts) -> tuple[Floats, Floats, Floats]:
    """The relevance of each part, rsize/size, and P[r] and R[r] after it; 0 where nothing is read."""
    relevance = ratio(parts.relevant_size, parts.placed_parts.part_size[parts.part])
    recall = ratio(parts.found, parts.topic_highlighted[parts.topic])
    return np.nan_to_num(relevance), np.nan_to_num(parts.precision), np.nan_to_num(recall)


def interpolated_in_reading_order(parts: RankedParts) -> Floats:
    """The best P[r] at or beyond the recall that each part of one topic reaches: iP there."""
    best: Floats = np.maximum.accumulate(np.nan_to_num(parts.precision)[::-1])[::-1]
    return best[np.searchsorted(parts.found, parts.found)]


def _budget(chars: int = 0, tokens: int = 0, whole: int = 0) -> Budget:
    return Budget(chars or tokens, in_tokens=not chars, whole_parts=bool(whole))


def _read_size(alignment: Alignment, r: int | None = None, **budget: int) -> Ints:
    """Characters read up to a cut-off; without one, of the whole list."""
    parts = alignment.parts
    return parts.read_within(_budget(**budget))[0] if budget else parts.read_until(r)


def _found_size(alignment: Alignment, r: int | None = None, **budget: int) -> Ints:
    """Highlighted characters read up to a cut-off; without one, of the whole list."""
    parts = alignment.parts
    return parts.read_within(_budget(**budget))[1] if budget else parts.at(parts.found, r)


def budget_notes(alignment: AlignedRun, measures: Sequence[Measure]) -> Iterator[str]:
    """Note lists that end before a budget of characters is spent."""
    largest = max((dict(m.arguments).get("chars") or 0 for m in measures), default=0)
    if not largest or alignment.placed_parts.document_unknown.any():
        return
    read = alignment.placed_parts.read_until(None)[alignment.counts > 0]
    short_count = int(np.count_nonzero(read < largest))
    if short_count:
        yield (
            f"{short_count:,} of {counted(len(read), 'topic')} with results return fewer than {largest:,}"
            " characters, so that a larger budget changes nothing there"
        )


def cutoff_notes(alignment: AlignedRun, measures: Sequence[Measure]) -> Iterator[str]:
    """Note ranks so large, and beyond every list, that the user may have meant characters."""
    if alignment.conventions.task is not Task.RAG:
        return
    longest = int(alignment.counts.max(initial=0))
    for requested in measures:
        record, suffix = requested.record, requested.record.suffix
        rank = dict(requested.arguments).get(suffix.name) if suffix else None
        has_budget = any(parameter.name == "chars" for parameter in record.parameters)
        if rank and has_budget and record.plain and rank >= LARGE_CUTOFF and rank > longest:
            yield (
                f"no list has {rank:,} chunks (the longest has {longest:,}): did you mean"
                f" {record.plain}@{rank}chars instead of {requested.plain}?"
            )


at_cutoff = partial(ranked_measure, parameters=AT_RANK, resolve=_exactly_one_cutoff)


@at_cutoff(
    name="cP",
    title="Character precision at a cut-off",
    formula=r"P[r] = \sum_{i \le r} rsize(p_i) \,/\, \sum_{i \le r} size(p_i)",
    cite="INEX 2007, eq. 1",
    plain="precision",
    advice="At a rank it favours systems that return short parts; a budget of characters is fairer.",
    worked=on_parts(
        "cP@3",
        "(30 + 0 + 20) / (50 + 80 + 20) = 50/150 = 0.3333",
        "The first three parts have 50, 80 and 20 characters, of which 30, 0 and 20 are highlighted.",
    ),
)
def precision_at(alignment: Alignment, **cutoff: int) -> Floats:
    """Share of the text read up to the cut-off that is highlighted."""
    return ratio(_found_size(alignment, **cutoff), _read_size(alignment, **cutoff))


@at_cutoff(
    name="cR",
    title="Character recall at a cut-off",
    formula=r"R[r] = \sum_{i \le r} rsize(p_i) \,/\, Trel",
    cite="INEX 2007, eq. 2",
    plain="recall",
    advice="At a rank it favours systems that return long parts; a budget of characters is fairer.",
    worked=on_parts(
        "cR@3",
        "(30 + 0 + 20) / 100 = 0.5",
        "The first three parts hold 30, 0 and 20 of the 100 highlighted characters.",
    ),
)
def recall_at(alignment: Alignment, **cutoff: int) -> Floats:
    """Share of the topic's highlighted text that was read up to the cut-off."""
    return ratio(_found_size(alignment, **cutoff), alignment.parts.topic_highlighted)


@at_cutoff(
    name="cF",
    title="Character F-score at a cut-off",
    formula=r"2 \cdot P[r] \cdot R[r] \,/\, (P[r] + R[r])",
    cite="HiXEval, INEX 2005",
    plain="f1",
    advice="Mixes two faults, text wasted and text missed: report cP and cR with it, and compare"
    " runs only at the same cut-off.",
    worked=on_parts(
        "cF@3",
        "2 · 50/150 · 50/100 / (50/150 + 50/100) = 0.4",
        "After three parts 150 characters are read, 50 of the 100 highlighted ones among them.",
    ),
)
def f_at(alignment: Alignment, **cutoff: int) -> Floats:
    """Harmonic mean of character precision and recall at the cut-off."""
    read, relevant = _read_size(alignment, **cutoff), _found_size(alignment, **cutoff)
    return ratio(2 * relevant, read + alignment.parts.topic_highlighted)


@at_cutoff(
    name="cIoU",
    title="Character intersection over union at a cut-off",
    formula=r"\sum_{i \le r} rsize(p_i) \,/\, \Big(\sum_{i \le r} size(p_i) + Trel - \sum_{i \le r} rsize(p_i)\Big)",
    cite="Smith & Troynikov 2024 (with overlap paid)",
    plain="iou",
    advice="It is F/(2 - F), so it ranks the answers to one question as cF does and punishes more; "
    "compare runs only at the same cut-off.",
    worked=on_parts(
        "cIoU@3",
        "50 / (150 + 100 - 50) = 0.25",
        "After three parts 150 characters are read, 100 are highlighted, and 50 are both.",
    ),
)
def iou_at(alignment: Alignment, **cutoff: int) -> Floats:
    """Highlighted text read up to the cut-off, divided by all text that was read or highlighted."""
    read, relevant = _read_size(alignment, **cutoff), _found_size(alignment, **cutoff)
    return ratio(relevant, read + alignment.parts.topic_highlighted - relevant)


@whole_list_measure(
    name="charP",
    title="Character precision of the whole list",
    formula=r"P[|L|]",
    plain="precision",
    aliases=("char_prec",),
    advice="Says nothing about order, and a list of one good sentence scores 1: meant for lists"
    " limited to a number of characters. Use AiP for rankings.",
    worked=on_parts(
        "charP",
        "(30 + 0 + 20 + 10 + 10) / (50 + 80 + 20 + 20 + 60) = 70/230 = 0.3043",
        "The five parts have 230 characters, of which 70 are highlighted.",
    ),
)
def list_precision(alignment: Alignment) -> Floats:
    """Share of all text returned that is highlighted."""
    return precision_at(alignment)


@whole_list_measure(
    name="charR",
    title="Character recall of the whole list",
    formula=r"R[|L|]",
    plain="recall",
    aliases=("char_rec",),
    advice="Says nothing about order and grows with the length of the list: returning everything"
    " scores 1. Use cR with a budget of characters.",
    worked=on_parts(
        "charR",
        "(30 + 0 + 20 + 10 + 10) / 100 = 0.7",
        "The five parts hold 70 of the 100 highlighted characters.",
    ),
)
def list_recall(alignment: Alignment) -> Floats:
    """Share of the topic's highlighted text that was returned."""
    return recall_at(alignment)


@whole_list_measure(
    name="charF",
    title="Character F-score of the whole list",
    formula=r"2 \cdot P[|L|] \cdot R[|L|] \,/\, (P[|L|] + R[|L|])",
    plain="f1",
    aliases=("char_f1",),
    advice="Says nothing about order; meant for lists limited to a number of characters. Use AiP"
    " for rankings.",
    worked=on_parts(
        "charF",
        "2 · 70/230 · 70/100 / (70/230 + 70/100) = 0.4242",
        "230 characters are returned, 70 of the 100 highlighted ones among them.",
    ),
)
def list_f(alignment: Alignment) -> Floats:
    """Harmonic mean of character precision and recall of all text returned."""
    return f_at(alignment)


@whole_list_measure(
    name="charIoU",
    title="Character intersection over union of the whole list",
    formula=r"\sum_i rsize(p_i) \,/\, \Big(\sum_i size(p_i) + Trel - \sum_i rsize(p_i)\Big)",
    cite="Smith & Troynikov 2024 (with overlap paid)",
    plain="iou",
    advice="Says nothing about order and falls with every part that adds nothing; use cIoU with a"
    " cut-off for rankings.",
    worked=on_parts(
        "charIoU",
        "70 / (230 + 100 - 70) = 0.2692",
        "230 characters are returned, 100 are highlighted, and 70 are both.",
    ),
)
def list_iou(alignment: Alignment) -> Floats:
    """Highlighted text returned, divided by all text that was returned or highlighted."""
    return iou_at(alignment)


@ranked_measure(
    name="iP",
    title="Interpolated precision at a recall level",
    formula=r"\max_{r \,:\, R[r] \ge x} P[r]",
    cite="INEX 2007, section 4.2",
    parameters=LEVEL,
    resolve=_level,
    differs="At x = 0 it is the best precision at any rank. Pal, Mitra & Chakraborty 2008 describe"
    " iP[0.00] as the precision of the first part; the formula decides.",
    advice="Early levels (0.01) are what users feel and the least stable; use AiP to rank systems.",
    worked=on_parts(
        "iP[0.50]",
        "max(50/150, 60/170, 70/230) = 60/170 = 0.3529",
        "Half of the 100 highlighted characters are read at rank 3; the best precision from there on"
        " is that of rank 4.",
    ),
)
def interpolated_precision(alignment: Alignment, x: Fraction) -> Floats:
    """Best precision at or beyond the point where a share x of the highlighted text was read."""
    parts = alignment.parts
    return parts.interpolated(parts.precision, parts.found, parts.topic_highlighted, x)


@ranked_measure(
    name="AiP",
    title="Average interpolated precision",
    formula=r"\frac{1}{101} \sum_{x = 0.00, 0.01, \ldots, 1.00} iP[x]",
    cite="INEX 2007, section 4.2",
    aliases=("MAiP", "iAP", "iMAP"),
    advice="A list that ends early scores 0 at every recall level it does not reach, and the first"
    " results decide only the first levels: report iP[0.01] for the top. AiP is the overall measure of"
    " the Focused task; its mean over topics is MAiP.",
    worked=on_parts(
        "AiP",
        "(31 · 30/50 + 30 · 60/170 + 10 · 70/230 + 30 · 0) / 101 = 0.3191",
        "The 31 levels up to 0.30 have the precision of rank 1, the next 30 that of rank 4, the next"
        " 10 that of rank 5, and the last 30 are not reached.",
    ),
)
def average_interpolated_precision(alignment: Alignment) -> Floats:
    """Mean of the interpolated precision at 101 recall levels."""
    parts = alignment.parts
    return parts.interpolated_mean(parts.precision, parts.found, parts.topic_highlighted)


@ranked_measure(
    name="cAP",
    title="Average character precision",
    formula=r"R[|L|] \cdot \sum_r rel(p_r) \cdot P[r] \,/\, \sum_r rel(p_r)",
    cite="INEX 2007, eq. 3",
    advice="Depends on how text is cut into parts: each part that adds highlighted text weighs"
    " the same, however short. Use AiP, or charAP, for which it makes no difference.",
    worked=on_parts(
        "cAP",
        "70/100 · (30/50 + 50/150 + 60/170 + 70/230) / 4 = 0.2784",
        "Four parts add highlighted text, at ranks 1, 3, 4 and 5, and the list holds 70 of the 100"
        " highlighted characters.",
    ),
)
def average_precision(alignment: Alignment) -> Floats:
    """Mean precision at the parts that add highlighted text, times the recall of the list."""
    parts = alignment.parts
    return ratio(parts.total(parts.precision), parts.entry_count) * recall_at(alignment)
