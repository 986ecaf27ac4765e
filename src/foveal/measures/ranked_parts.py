"""Ranked parts: precision and recall in characters (the Focused and Thorough tasks)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from foveal.alignment import Alignment, ratio
from foveal.choices import Answers
from foveal.conventions import Conventions
from foveal.measures._parameters import Cutoff, RecallLevel, Whole
from foveal.measures._record import Relevance, Unit, measure
from foveal.spans import Floats, Ints

PLACE_IN_LISTS = 10
ASSUMES = (
    "Users read the parts in order, want highlighted text and nothing else, and none of it twice."
)
WANTS_ALL = "Users read everything, want highlighted text and nothing else, and none of it twice."
AT_RANK = (
    Whole(
        "chars",
        "cut the list after this many characters read, within a part if necessary",
        unset="none",
    ),
    Cutoff("r", "cut the list after this many parts", unset="none, needed without chars"),
)
LEVEL = (RecallLevel("x", "share of the topic's highlighted text that has been read"),)
of_text = partial(measure, unit=Unit.PART, relevance=Relevance.GRADED)
ranked = partial(of_text, answers=Answers.RANKED, assumes=ASSUMES)
of_whole_list = partial(of_text, answers=Answers.SET, assumes=WANTS_ALL)


def _one_cutoff(given: Mapping[str, Any], conventions: Conventions) -> dict[str, Any]:
    if len(given) != 1:
        raise ValueError("give either a rank (@10) or a budget of characters (chars=1000)")
    return dict(given)


def _level(given: Mapping[str, Any], conventions: Conventions) -> dict[str, Any]:
    if "x" not in given:
        raise ValueError("give a recall level, as in [0.10]")
    return dict(given)


def _read(alignment: Alignment, r: int | None = None, chars: int | None = None) -> Ints:
    parts = alignment.parts
    return parts.read_until(r) if chars is None else parts.spending(chars)[0]


def _found(alignment: Alignment, r: int | None = None, chars: int | None = None) -> Ints:
    parts = alignment.parts
    return parts.at(parts.found, r) if chars is None else parts.spending(chars)[1]


@ranked(
    name="cP",
    title="Character precision at a cut-off",
    formula=r"P[r] = \sum_{i \le r} rsize(p_i) \,/\, \sum_{i \le r} size(p_i)",
    cite="INEX 2007, eq. 1",
    parameters=AT_RANK,
    resolve=_one_cutoff,
    advice="At a rank it favours systems that return short parts; a budget of characters is fairer.",
)
def precision_at(alignment: Alignment, **cutoff: int) -> Floats:
    """Share of the text read up to the cut-off that is highlighted."""
    return ratio(_found(alignment, **cutoff), _read(alignment, **cutoff))


@ranked(
    name="cR",
    title="Character recall at a cut-off",
    formula=r"R[r] = \sum_{i \le r} rsize(p_i) \,/\, Trel",
    cite="INEX 2007, eq. 2",
    parameters=AT_RANK,
    resolve=_one_cutoff,
    advice="At a rank it favours systems that return long parts; a budget of characters is fairer.",
)
def recall_at(alignment: Alignment, **cutoff: int) -> Floats:
    """Share of the topic's highlighted text that was read up to the cut-off."""
    return ratio(_found(alignment, **cutoff), alignment.parts.topic_highlighted)


@ranked(
    name="cF",
    title="Character F-score at a cut-off",
    formula=r"2 \cdot P[r] \cdot R[r] \,/\, (P[r] + R[r])",
    cite="HiXEval, INEX 2005",
    parameters=AT_RANK,
    resolve=_one_cutoff,
    advice="Compare runs only at the same cut-off.",
)
def f_at(alignment: Alignment, **cutoff: int) -> Floats:
    """Harmonic mean of character precision and recall at the cut-off."""
    read, found = _read(alignment, **cutoff), _found(alignment, **cutoff)
    return ratio(2 * found, read + alignment.parts.topic_highlighted)


@of_whole_list(
    name="charP",
    title="Character precision of the whole list",
    formula=r"P[|L|]",
    cite="INEX 2010, Restricted Focused",
    aliases=("char_prec",),
    advice="Says nothing about order; meant for lists limited to a number of characters.",
)
def list_precision(alignment: Alignment) -> Floats:
    """Share of all text returned that is highlighted."""
    return precision_at(alignment)


@of_whole_list(
    name="charR",
    title="Character recall of the whole list",
    formula=r"R[|L|]",
    cite="INEX 2010, Restricted Focused",
    aliases=("char_rec",),
    advice="Says nothing about order and grows with the length of the list.",
)
def list_recall(alignment: Alignment) -> Floats:
    """Share of the topic's highlighted text that was returned."""
    return recall_at(alignment)


@of_whole_list(
    name="charF",
    title="Character F-score of the whole list",
    formula=r"2 \cdot P[|L|] \cdot R[|L|] \,/\, (P[|L|] + R[|L|])",
    cite="INEX 2010, Restricted Focused",
    aliases=("char_f1",),
    advice="Says nothing about order; meant for lists limited to a number of characters.",
)
def list_f(alignment: Alignment) -> Floats:
    """Harmonic mean of character precision and recall of all text returned."""
    return f_at(alignment)


@ranked(
    name="iP",
    title="Interpolated precision at a recall level",
    formula=r"\max_{r \,:\, R[r] \ge x} P[r]",
    cite="INEX 2007, section 4.2",
    parameters=LEVEL,
    resolve=_level,
    differs="At x = 0 it is the best precision at any rank. Pal, Mitra & Chakraborty 2008 describe"
    " iP[0.00] as the precision of the first part; the formula decides.",
    advice="Early levels (0.01) are what users feel and the least stable; use AiP to rank systems.",
)
def interpolated_precision(alignment: Alignment, x: Fraction) -> Floats:
    """Best precision at or beyond the point where a share x of the highlighted text was read."""
    parts = alignment.parts
    return parts.interpolated(parts.precision, parts.found, parts.topic_highlighted, x)


@ranked(
    name="AiP",
    title="Average interpolated precision",
    formula=r"\frac{1}{101} \sum_{x = 0.00, 0.01, \ldots, 1.00} iP[x]",
    cite="INEX 2007, section 4.2",
    aliases=("MAiP", "iAP", "iMAP"),
    advice="The overall measure of the Focused task; its mean over topics is MAiP.",
)
def average_interpolated_precision(alignment: Alignment) -> Floats:
    """Mean of the interpolated precision at 101 recall levels."""
    parts = alignment.parts
    return parts.interpolated_mean(parts.precision, parts.found, parts.topic_highlighted)


@ranked(
    name="cAP",
    title="Average character precision",
    formula=r"R[|L|] \cdot \sum_r rel(p_r) \cdot P[r] \,/\, \sum_r rel(p_r)",
    cite="INEX 2007, eq. 3",
    advice="Depends on how text is cut into parts; AiP does not.",
)
def average_precision(alignment: Alignment) -> Floats:
    """Mean precision at the parts that add highlighted text, times the recall of the list."""
    parts = alignment.parts
    return ratio(parts.total(parts.precision), parts.held) * recall_at(alignment)
