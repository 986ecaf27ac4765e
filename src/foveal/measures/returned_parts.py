"""Parts as they were returned: single parts, whole passages, and what a chunking allows.

These measures look at every part that a system returned, whatever the overlap policy.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np

from foveal.alignment import Alignment, ratio
from foveal.choices import Answers
from foveal.conventions import LARGEST_NUMBER
from foveal.measures._parameters import Cutoff, Share
from foveal.measures._record import Relevance, Unit, measure, on_chunks, on_parts
from foveal.measures._relevance import REL, by_default, relevant
from foveal.spans import Floats

PLACE_IN_LISTS = 15
EVERYTHING = Fraction(1)
ONE_IS_ENOUGH = "Users are content with one part that holds highlighted text."
NEEDS_ALL = "Users need every highlighted character."
CUTOFF = Cutoff("k", "look only at this many parts", unset="none, the whole list")
binary_parts = partial(measure, unit=Unit.PART, relevance=Relevance.BINARY, answers=Answers.RANKED)
graded_parts = partial(measure, unit=Unit.PART, relevance=Relevance.GRADED)


@binary_parts(
    name="hit",
    title="Whether a part with highlighted text was returned",
    formula=r"\max_{i \le k} [rsize(p_i) > 0]",
    formula_with={"min": r"\max_{i \le k} \max_g [|p_i \cap g| \ge min \cdot |g|]"},
    cite="hit rate of recommender systems and of RAG tools",
    plain="hit",
    answers=Answers.SET,
    assumes=ONE_IS_ENOUGH,
    parameters=(
        Share("min", "the part must hold at least this share of one passage", unset="any text"),
        CUTOFF,
    ),
    advice="One shared character is a hit: give min to ask for more, and all@k where an answer needs"
    " all of the evidence.",
    worked=on_parts(
        "hit@2",
        "max([30 > 0], [0 > 0]) = 1",
        "Part 1 holds 30 highlighted characters, part 2 none.",
    ),
)
def hit(alignment: Alignment, min: Fraction | None = None, k: int | None = None) -> Floats:  # noqa: A002  # the parameter's name
    """1 if one of the first parts holds highlighted text, or a share of one passage; else 0."""
    parts = alignment.raw_parts
    is_hit = parts.within(k) > 0 if min is None else parts.has_share(min, k)
    return is_hit.astype(np.float64)


@binary_parts(
    name="partRR",
    title="Reciprocal rank of the first part with highlighted text",
    formula=r"1 \,/\, \min \{ i : rsize(p_i) > 0 \}",
    cite="Voorhees 1999, on parts",
    plain="mrr",
    assumes=ONE_IS_ENOUGH,
    parameters=(CUTOFF,),
    advice="Looks at the first hit alone, and a long part is hit more easily than a short one;"
    " use cR with a budget of characters.",
    worked=on_parts("partRR", "1 / 1 = 1", "Part 1 already holds highlighted text."),
)
def reciprocal_rank(alignment: Alignment, k: int | None = None) -> Floats:
    """1 divided by the rank of the first part that holds highlighted text; 0 if none does."""
    parts = alignment.raw_parts
    value = np.zeros(len(parts.count))
    topics = np.flatnonzero(parts.within(k))
    value[topics] = 1 / parts.rank[parts.offsets[topics]]
    return value


@graded_parts(
    name="all",
    title="Whether all highlighted text was returned",
    formula=r"\Big[\sum_g |g \cap (p_1 \cup \dots \cup p_k)| = \sum_g |g|\Big]",
    cite="complete evidence in question answering",
    plain="all",
    answers=Answers.SET,
    assumes=NEEDS_ALL,
    parameters=(CUTOFF,),
    advice="Strict: a chunk border that cuts off one highlighted character makes it 0; passageR(min=0.9)"
    " is more tolerant.",
    worked=on_parts(
        "all",
        "[30 + 10 + 20 + 10 ≥ 30 + 10 + 20 + 40] = 0",
        "The parts hold three of the four passages, but only 10 of the 40 characters of the last.",
    ),
)
def everything(alignment: Alignment, k: int | None = None) -> Floats:
    """1 if every highlighted character is within the first parts, else 0."""
    return np.floor(passage_recall(alignment, EVERYTHING, k))


@graded_parts(
    name="passageR",
    title="Recall of passages",
    formula=r"|\{ g : |g \cap (p_1 \cup \dots \cup p_k)| \ge min \cdot |g| \}| \,/\, |\{ g \}|",
    cite="evidence recall in question answering",
    plain="span_recall",
    answers=Answers.SET,
    assumes="Every passage is equally useful, however long it is, and only if enough of it is read.",
    parameters=(Share("min", "the share of a passage that the parts must hold together"), CUTOFF),
    resolve=by_default(min=EVERYTHING),
    advice="Counts passages, not characters: a short passage weighs as much as a long one. Use cR"
    " to count characters.",
    worked=on_parts(
        "passageR(min=0.5)",
        "([30/30 ≥ 0.5] + [10/10 ≥ 0.5] + [20/20 ≥ 0.5] + [10/40 ≥ 0.5]) / 4 = 3/4 = 0.75",
        "The parts hold three passages in full and a quarter of the last.",
    ),
)
def passage_recall(alignment: Alignment, min: Fraction, k: int | None = None) -> Floats:  # noqa: A002  # likewise
    """Share of the topic's passages of which the first parts together hold at least `min`."""
    parts = alignment.raw_parts
    return ratio(parts.passage_count(parts.is_covered(min, k)), parts.passage_count())


@binary_parts(
    name="partP",
    title="Precision of parts at a rank",
    formula=r"\frac{1}{k} \sum_{i \le k} [rsize(p_i) > 0]",
    cite="precision at k, on parts",
    plain="chunk_precision",
    assumes="Any part with highlighted text is equally useful, even the same one again.",
    parameters=(Cutoff("k", "look at this many parts"),),
    resolve=by_default(needs="k"),
    advice="A chunk counts in full for one highlighted character, and repeated chunks count each time;"
    " cP tells how much of the text was worth reading.",
    worked=on_parts(
        "partP@3",
        "([30 > 0] + [0 > 0] + [20 > 0]) / 3 = 2/3 = 0.6667",
        "The first and the third part hold highlighted text, the second does not.",
    ),
)
def part_precision(alignment: Alignment, k: int) -> Floats:
    """Share of the first k parts that hold highlighted text; missing parts hold none."""
    return alignment.raw_parts.within(k) / k


@graded_parts(
    name="cPmax",
    title="The best precision that a chunking allows",
    formula=r"|G \cap C| \,/\, |G \cup C|, \quad C = \bigcup \{ c : |c \cap G| > 0 \}",
    cite="Smith & Troynikov 2024 (precision omega)",
    plain="omega",
    aliases=("omega", "precision_omega"),
    answers=None,
    assumes=NEEDS_ALL,
    differs="Chroma also takes chunks that only touch a highlight, which lowers the value and can"
    " reorder chunkers; --like chroma does so.",
    advice="A property of the chunker alone, an upper bound for the precision of any retriever"
    " that finds everything; it says nothing about retrieval: report it beside cP and cR.",
    worked=on_chunks(
        "cPmax",
        "100 / (100 + 20 + 40 + 30 + 10) = 0.5",
        "Four of the chunks of 50 characters share text with a highlight; besides the 100 highlighted"
        " characters they hold 20, 40, 30 and 10 others.",
    ),
)
def best_precision(alignment: Alignment) -> Floats:
    """Intersection over union of the ideal run: every chunk that shares text with a highlight."""
    relevant_size, size = alignment.best_chunk_run
    return ratio(relevant_size, size)


IOU = (Share("iou", "the least intersection over union of a matched pair"),)
matching_measure = partial(
    graded_parts,
    cite="after ERASER (DeYoung et al. 2020), matched one to one",
    answers=Answers.SET,
    parameters=IOU,
    resolve=by_default(iou=Fraction(1, 2)),
)


@matching_measure(
    name="spanP",
    title="Precision of matched parts",
    formula=r"|M| \,/\, |L|",
    assumes="Users want parts that are passages, each once.",
    advice="Strict about borders: meant for systems that cut out answers. Use cP for fixed chunks.",
    worked=on_parts(
        "spanP",
        "([30/50 ≥ 0.5] + [20/20 ≥ 0.5] + [10/20 ≥ 0.5] + [10/90 ≥ 0.5]) / 5 = 3/5 = 0.6",
        "Parts 1, 3 and 4 each match a passage of their own; part 5 and its passage share 10 of 90"
        " characters, and part 2 meets none.",
    ),
)
def matched_precision(alignment: Alignment, iou: Fraction) -> Floats:
    """Share of the parts that match a passage of their own; the best pairs are matched first."""
    parts = alignment.raw_parts
    return ratio(parts.matched_count(iou), parts.count)


@matching_measure(
    name="spanR",
    title="Recall of matched passages",
    formula=r"|M| \,/\, |\{ g \}|",
    assumes="Users want every passage as a part of its own.",
    advice="Strict about borders: a part that holds two passages matches one of them at most. Use"
    " cR for fixed chunks.",
    worked=on_parts(
        "spanR",
        "([30/50 ≥ 0.5] + [20/20 ≥ 0.5] + [10/20 ≥ 0.5] + [10/90 ≥ 0.5]) / 4 = 3/4 = 0.75",
        "Three of the four passages match a part of their own; the last shares only 10 of 90"
        " characters with part 5.",
    ),
)
def matched_recall(alignment: Alignment, iou: Fraction) -> Floats:
    """Share of the passages that match a part of their own; the best pairs are matched first."""
    parts = alignment.raw_parts
    return ratio(parts.matched_count(iou), parts.passage_count())


@matching_measure(
    name="spanF",
    title="F-score of matched parts and passages",
    formula=r"2 \cdot |M| \,/\, (|L| + |\{ g \}|)",
    assumes="Users want the passages as parts, each once and nothing else.",
    advice="Strict about borders, and it depends on how evidence was cut into passages; cF does"
    " not.",
    worked=on_parts(
        "spanF", "2 · 3 / (5 + 4) = 0.6667", "Three pairs match, of five parts and four passages."
    ),
)
def matched_f(alignment: Alignment, iou: Fraction) -> Floats:
    """Harmonic mean of the precision and recall of matched parts and passages."""
    parts = alignment.raw_parts
    return ratio(2 * parts.matched_count(iou), parts.count + parts.passage_count())


@binary_parts(
    name="APret",
    title="Average precision over what was retrieved",
    formula=r"\sum_{i \le k} rel_i \cdot P@i \,/\, \sum_{i \le k} rel_i",
    cite="context precision of ragas and DeepEval",
    plain="context_precision",
    assumes="Users want what was retrieved to be in the right order, and do not miss the rest.",
    parameters=(REL, CUTOFF),
    resolve=by_default("rel"),
    advice="Cannot see what was missed: a list with one relevant part first scores 1 even if nine were"
    " not found. Report it with a recall.",
    worked=on_parts(
        "APret",
        "(1/1 + 2/3 + 3/4 + 4/5) / 4 = 0.8042",
        "Parts 1, 3, 4 and 5 hold highlighted text.",
    ),
)
def average_precision_retrieved(alignment: Alignment, rel: float, k: int | None = None) -> Floats:
    """Mean precision at the parts that hold highlighted text; in runs of documents, at relevant ones."""
    whole_documents = alignment.run.whole_documents_only
    lists = relevant(alignment, rel, judged_only=False) if whole_documents else alignment.raw_parts
    is_counted = lists.rank <= (k or LARGEST_NUMBER)
    return ratio(lists.total(lists.nth / lists.rank * is_counted), lists.within(k))
