"""Every character an answer, and every passage and aspect one (TREC Genomics, HARD)."""

from __future__ import annotations

from functools import partial

import numpy as np

from foveal.alignment import Alignment, ratio
from foveal.choices import Answers
from foveal.measures._record import Relevance, Unit, measure, on_parts
from foveal.spans import Floats, Ints

# Above it, the series of _remainder is exact to the last digit of a double.
TABULATED = 64
HARMONIC: Floats = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, TABULATED + 1))])

PLACE_IN_LISTS = 12
GENOMICS_2006 = "Hersh et al. 2006, TREC Genomics"
GENOMICS_2007 = "Hersh et al. 2007, TREC Genomics"
ranked_parts = partial(measure, unit=Unit.PART, answers=Answers.RANKED)
graded_parts = partial(ranked_parts, relevance=Relevance.GRADED)
binary_parts = partial(ranked_parts, relevance=Relevance.BINARY)


@graded_parts(
    name="charAP",
    title="Average precision of characters",
    formula=r"\frac{1}{Trel} \sum_{c \in new} n(c) \,/\, d(c)",
    cite=f"{GENOMICS_2007} (PASSAGE2)",
    assumes="Users read character by character, and every highlighted one is an answer, once.",
    differs="TREC Genomics reads other text again each time it is returned; --like trecgen2007 does so.",
    advice="Rewards long relevant parts early and punishes text around them; whether text is cut"
    " into many parts or few makes no difference. One long passage can decide a topic: where"
    " documents count the same, use AgP.",
    worked=on_parts(
        "charAP",
        "(1/11 + 2/12 + … + 30/40 + 31/131 + … + 50/150 + 51/156 + … + 60/165 + 61/221 + … + 70/230)"
        " / 100 = 0.2860",
        "Part 1 opens with 10 other characters before its 30 highlighted ones; part 3 starts after"
        " 130 characters, and so on. The 30 characters never read count as 0.",
    ),
)
def average_precision_of_characters(alignment: Alignment) -> Floats:
    """Mean precision at every highlighted character; those that are not read count as 0."""
    text = alignment.highlight_pieces
    # The sum of (n + j) / (d + j) over j = 1 … m.
    irrelevant = text.read - text.found
    gained = text.size - irrelevant * harmonic_between(text.read, text.size)
    return ratio(text.total(gained), text.highlighted)


@graded_parts(
    name="charRprec",
    title="R-precision of characters",
    formula=r"\frac{1}{Trel} \, |\{ c \in new : d(c) \le Trel \}|",
    cite="Allan 2003, TREC HARD",
    assumes="Users read as many characters as are highlighted.",
    advice="Like cP(chars=Trel), but a list that ends earlier is divided by Trel all the same."
    " Looks at one place of the list, which differs from topic to topic; use charAP to rank systems.",
    worked=on_parts(
        "charRprec",
        "(30 + 0) / 100 = 0.3",
        "The first 100 characters are part 1, with 30 highlighted ones, and 50 characters of part 2,"
        " with none.",
    ),
)
def r_precision_of_characters(alignment: Alignment) -> Floats:
    """Share of highlighted characters among as many characters read as are highlighted in all."""
    text = alignment.highlight_pieces
    within = np.clip(text.highlighted[text.topic] - text.read, 0, text.size)
    return ratio(text.total(within.astype(np.float64)), text.highlighted)


@graded_parts(
    name="passageAP",
    title="Average precision of passages",
    formula=r"\frac{\sum_{i : met_i > 0} \sum_{j \le i} met_j \,/\, \sum_{j \le i} size_j}"
    r"{|\{ i : met_i > 0 \}| + |\{ g : \text{never met} \}|}",
    cite=f"{GENOMICS_2006} (PASSAGE)",
    assumes="Users want every passage, read what is returned again, and take each part for one answer.",
    advice="Rises when a run cuts a passage into many parts, which is why TREC Genomics replaced it in 2007;"
    " charAP does not.",
    worked=on_parts(
        "passageAP",
        "(30/50 + 50/150 + 60/170 + 70/230) / (4 + 0) = 0.3977",
        "Parts 1, 3, 4 and 5 meet a passage, and every passage is met.",
    ),
)
def average_precision_of_passages(alignment: Alignment) -> Floats:
    """Mean precision in characters after each part that meets a passage; one never met counts as 0.

    Each part meets the first passage, in the order of the judgements, with which it shares text.
    """
    alignment.qrels.need_highlights()
    parts = alignment.passage_pairs
    is_first = parts.is_first
    part, topic = parts.pair_part[is_first], parts.part_topic[parts.pair_part[is_first]]
    overlap = np.zeros(len(parts.part_topic), dtype=np.int64)
    overlap[part] = parts.pair_common_size[is_first]
    precision = ratio(parts.lists.running(overlap), parts.lists.running(parts.part_size))[part]
    meeting_parts = np.bincount(topic, minlength=len(parts.topics))
    missed_passages = parts.passage_count() - parts.passage_count(parts.pair_passage[is_first])
    return ratio(np.bincount(topic, precision, len(parts.topics)), meeting_parts + missed_passages)


@binary_parts(
    name="aspectAP",
    title="Average precision of aspects",
    formula=r"\frac{1}{M} \sum_i new_i \cdot gainful_i \,/\, counted_i",
    cite=f"{GENOMICS_2006} (ASPECT)",
    assumes="Users want every aspect once, and do not mind parts that only repeat aspects.",
    differs="TREC Genomics takes only the first passage that a part meets; --like trecgen2007 does so.",
    advice="Parts that only repeat aspects cost nothing, so returning more of the same is not"
    " punished, and one character of a passage is enough. Use alpha_nDCG(parts=True)@k.",
    worked=on_parts(
        "aspectAP",
        "(1 · 1/1 + 0 · 1/2 + 1 · 2/3 + 1 · 3/4 + 1 · 4/5) / 4 = 0.8042",
        "Part 2 has no aspect; each of the others is the first with one of the four: a, c, b and d.",
    ),
)
def average_precision_of_aspects(alignment: Alignment) -> Floats:
    """Mean share of parts with a new aspect, at each new aspect, among those and parts without any."""
    conventions = alignment.conventions
    parts = alignment.passage_pairs
    part, aspect, count = parts.aspects(conventions.rel, first_only=conventions.first_passage_only)
    # Parts come in reading order, so an aspect's first entry is that of its first part.
    first_entries = np.unique(aspect, return_index=True)[1]
    new_aspects = np.bincount(part[first_entries], minlength=len(parts.part_topic))
    is_counted = new_aspects > 0
    is_counted[np.bincount(part, minlength=len(new_aspects)) == 0] = True
    gainful_so_far = parts.lists.running((new_aspects > 0).astype(np.int64))
    counted_so_far = parts.lists.running(is_counted.astype(np.int64))
    share = np.nan_to_num(ratio(new_aspects * gainful_so_far, counted_so_far))
    return ratio(np.bincount(parts.part_topic, share, len(parts.topics)), count)


def harmonic_between(start: Ints, terms: Ints) -> Floats:
    """The sum of 1 / (start + j) over j = 1 … terms: ψ(start + terms + 1) - ψ(start + 1)."""
    end = start + terms
    tabulated = HARMONIC[np.minimum(end, TABULATED)] - HARMONIC[np.minimum(start, TABULATED)]
    low, high = np.maximum(start, TABULATED), np.maximum(end, TABULATED)
    # H(n) = ln n + γ + r(n): log1p subtracts the logarithms before they are rounded.
    series = np.log1p((high - low) / low) + (_remainder(high) - _remainder(low))
    between: Floats = tabulated + series
    return between


def _remainder(number: Ints) -> Floats:
    """The n-th harmonic number less ln n + γ."""
    square = 1.0 / number.astype(np.float64) ** 2
    return 0.5 / number - square * (1 / 12 - square * (1 / 120 - square / 252))
