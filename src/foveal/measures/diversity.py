"""Novelty and diversity: measures of the aspects (subtopics, nuggets) that a ranking shows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from foveal.alignment import Alignment, AspectLists, AspectRule, ratio
from foveal.choices import Answers, Task
from foveal.conventions import Conventions
from foveal.errors import shortened_list
from foveal.measures._novelty import (
    Novelty,
    Weight,
    average_precision,
    by_logarithm,
    by_patience,
    by_rank,
    patient_ranks,
)
from foveal.measures._parameters import Cutoff, Number, Parameter, Share, YesNo
from foveal.measures._record import Relevance, Resolve, measure, on_parts
from foveal.measures._relevance import JUDGED_ONLY, by_default
from foveal.spans import Floats

if TYPE_CHECKING:
    from foveal.measures._grammar import Measure

PLACE_IN_LISTS = 45
ALPHA = Number("alpha", "how much of its worth an aspect loses each time it is shown", maximum=1.0)
BETA = Number("beta", "the probability that the reader goes on to the next answer", maximum=1.0)
ASPECT_RULE = (
    Number("rel", "the lowest grade from which an aspect counts"),
    JUDGED_ONLY,
    YesNo("parts", "rank parts, not documents: True or False"),
    Share(
        "cover",
        "a part has an aspect if it holds this share of one of its passages",
        unset="any text of it",
    ),
)
CUTOFF = Cutoff("k", "look at this many answers")
OPTIONAL_CUTOFF = Cutoff("k", "look only at this many answers", unset="the whole list")
HALF = 0.5
CLARKE = "Clarke et al. 2008; ndeval"
CHAPELLE = "Chapelle et al. 2009; Agrawal et al. 2009; ndeval"
NRBP_PAPER = "Clarke, Kolla & Vechtomova 2009; ndeval"
# The gain G_i of a result, given those before it.
GAIN = r", \quad G_i = \sum_{a \in A(d_i)} (1 - \alpha)^{|\{ j < i : a \in A(d_j) \}|}"
ONCE_IS_BETTER = "Users want every aspect, and an aspect is worth less each time it is shown again."
AT_RANK_1 = (
    "ndeval does not divide by the number of aspects at rank 1, so that one document with three aspects"
    " scores 3; --like ndeval reproduces it."
)
GREEDY_IDEAL = (
    "The ideal list is built greedily and need not be the best, and a part may hold more aspects than any"
    " passage: values slightly above 1 are possible for documents, larger ones with parts=True."
)


def parts_notes(task: Task | None, measures: Sequence[Measure]) -> Iterator[str]:
    """Note measures that rank documents where they could rank the chunks returned."""
    names = [str(measure) for measure in measures if dict(measure.arguments).get("parts") is False]
    if task is Task.RAG and names:
        verb = "ranks" if len(names) == 1 else "rank"
        yield f"{shortened_list(names)} {verb} documents, not chunks: with parts=True chunks are ranked"


def _resolve(needs: str = "", **defaults: Any) -> Resolve:
    """Fill in the defaults; refuse arguments about documents if parts are ranked."""
    fill = by_default(
        "rel", "judged_only", needs=needs, **{"parts": False, "cover": None, **defaults}
    )

    def resolve(explicit: Mapping[str, Any], conventions: Conventions) -> dict[str, Any]:
        arguments = fill(explicit, conventions)
        if arguments["parts"] and explicit.get("judged_only"):
            raise ValueError("judged_only is about documents: leave it out with parts=True")
        if arguments.get("alpha") == 0 and arguments.get("beta") == 1:
            raise ValueError("alpha=0 and beta=1 never stop reading: one of them must be different")
        return {**arguments, "judged_only": arguments["judged_only"] and not arguments["parts"]}

    return resolve


def _fields(*parameters: Parameter, needs: str = "", **defaults: Any) -> dict[str, Any]:
    """The fields `parameters` and `resolve` of a measure's record."""
    cutoffs = [parameter for parameter in parameters if isinstance(parameter, Cutoff)]
    others = [parameter for parameter in parameters if parameter not in cutoffs]
    return {"parameters": (*others, *ASPECT_RULE, *cutoffs), "resolve": _resolve(needs, **defaults)}


diverse = partial(measure, answers=Answers.RANKED, relevance=Relevance.BINARY)


def _lists(alignment: Alignment, **rule: Any) -> AspectLists:
    return alignment.aspects(AspectRule(**rule))


@measure(
    name="StRecall",
    title="Recall of aspects",
    formula=r"|\{ a : a \in A(d_i), i \le k \}| \,/\, M",
    cite="Zhai, Cohen & Lafferty 2003 (subtopic recall); ndeval strec",
    answers=Answers.SET,
    relevance=Relevance.BINARY,
    **_fields(OPTIONAL_CUTOFF, k=None),
    assumes="Users want every aspect once, wherever it is ranked.",
    advice="The plainest measure of diversity, and nugget recall where aspects are nuggets. It ignores the"
    " order above the cut-off; alpha_nDCG does not.",
    worked=on_parts(
        "StRecall@3",
        "(2 + 0 + 1) / 4 = 0.75",
        "d1 shows a and b, d3 nothing, and d2 a again and c; d is missing.",
    ),
)
def aspect_recall(alignment: Alignment, k: int | None, **rule: Any) -> Floats:
    """Share of the topic's aspects that the first k answers show."""
    lists = _lists(alignment, **rule)
    is_new = lists.earlier_count == 0
    if k is not None:
        is_new &= lists.rank <= k
    return ratio(lists.total(is_new.astype("int64")), lists.aspect_count)


@diverse(
    name="P_IA",
    title="Intent-aware precision",
    formula=r"\frac{1}{k \cdot M} \sum_{i \le k} |A(d_i)|",
    cite="Agrawal et al. 2009; ndeval P-IA",
    **_fields(CUTOFF, needs="k"),
    assumes="Users want one aspect, each of them equally likely, and all about it.",
    advice="Does not reward novelty: the same aspect counts each time it is shown. Use alpha_nDCG.",
    worked=on_parts(
        "P_IA@3",
        "(2 + 0 + 2) / (3 · 4) = 0.3333",
        "The first three documents show 2, 0 and 2 of the four aspects.",
    ),
)
def intent_aware_precision(alignment: Alignment, k: int, **rule: Any) -> Floats:
    """Mean over the aspects of the share of the first k answers that show the aspect."""
    lists = _lists(alignment, **rule)
    return ratio(lists.within(k), k * lists.aspect_count)


@diverse(
    name="AP_IA",
    title="Intent-aware average precision",
    formula=r"\frac{1}{M} \sum_a AP_a",
    cite="Agrawal et al. 2009; ndeval MAP-IA",
    aliases=("MAP_IA",),
    **_fields(),
    bounds=(0, math.inf),
    assumes="Users want one aspect, each of them equally likely, and all answers about it.",
    advice="Does not reward novelty, and rare aspects weigh as much as common ones; use"
    " alpha_nDCG. With parts=True several parts can share one passage, so that values above 1 are"
    " possible.",
    worked=on_parts(
        "AP_IA",
        "((1/1 + 2/3) / 2 + 1/1 + 1/3 + 1/4) / 4 = 0.6042",
        "Aspect a is shown at ranks 1 and 3, b at rank 1, c at rank 3, d at rank 4.",
    ),
)
def intent_aware_average_precision(alignment: Alignment, **rule: Any) -> Floats:
    """Mean over the aspects of average precision, where only that aspect is relevant."""
    return average_precision(_lists(alignment, **rule))


def _share(alignment: Alignment, weight: Weight, alpha: float, k: int, **rule: Any) -> Floats:
    """Weighted gains as a share of those of a list whose every result has all aspects."""
    novelty = Novelty(_lists(alignment, **rule), alpha)
    if k == 1 and alignment.conventions.first_rank_undivided:
        return novelty.total(weight, k)
    return novelty.share(weight, k)


def _normalised(alignment: Alignment, weight: Weight, alpha: float, k: int, **rule: Any) -> Floats:
    """Weighted gains as a share of those of the greedy ideal list."""
    return Novelty(_lists(alignment, **rule), alpha).normalised(weight, k)


@diverse(
    name="alpha_DCG",
    title="Discounted cumulated gain of novel aspects",
    formula=r"\sum_{i \le k} \frac{G_i}{\log_2(i + 1)}"
    r" \,/\, \sum_{i \le k} \frac{M (1 - \alpha)^{i - 1}}{\log_2(i + 1)}" + GAIN,
    cite=CLARKE,
    **_fields(ALPHA, CUTOFF, needs="k", alpha=HALF),
    assumes=ONCE_IS_BETTER,
    differs="The paper's sum is not divided; ndeval divides it by that of a list whose every answer has all"
    f" aspects, and so does foveal. {AT_RANK_1}",
    advice="The divisor is out of reach where no answer has all aspects; alpha_nDCG is 1 for the ideal list.",
    worked=on_parts(
        "alpha_DCG@3",
        "(2/log2(2) + 0/log2(3) + 1.5/log2(4)) / (4/log2(2) + 2/log2(3) + 1/log2(4)) = 0.4773",
        "d1 gains 2, d3 nothing, and d2 1.5, as a is shown again; three documents with all four"
        " aspects would gain 4, 2 and 1.",
    ),
)
def novel_gain(alignment: Alignment, alpha: float, k: int, **rule: Any) -> Floats:
    """Discounted gain of novel aspects, as a share of what answers with all aspects would gain."""
    return _share(alignment, by_logarithm, alpha, k, **rule)


@diverse(
    name="alpha_nDCG",
    title="Normalised discounted cumulated gain of novel aspects",
    formula=r"\sum_{i \le k} \frac{G_i}{\log_2(i + 1)}"
    r" \,/\, \sum_{i \le k} \frac{G^*_i}{\log_2(i + 1)}" + GAIN,
    cite=CLARKE,
    **_fields(ALPHA, CUTOFF, needs="k", alpha=HALF),
    bounds=(0, math.inf),
    assumes=ONCE_IS_BETTER,
    advice=f"The usual measure of diversity; for topics with one aspect use nDCG. {GREEDY_IDEAL}",
    worked=on_parts(
        "alpha_nDCG@3",
        "(2/log2(2) + 0/log2(3) + 1.5/log2(4)) / (2/log2(2) + 1.5/log2(3) + 1/log2(4)) = 0.7979",
        "d1, d3 and d2 gain 2, 0 and 1.5, as a is shown again; the ideal list d2, d1, d4 gains 2, 1.5"
        " and 1.",
    ),
)
def normalised_novel_gain(alignment: Alignment, alpha: float, k: int, **rule: Any) -> Floats:
    """Discounted gain of novel aspects, as a share of that of the greedy ideal list."""
    return _normalised(alignment, by_logarithm, alpha, k, **rule)


@diverse(
    name="ERR_IA",
    title="Intent-aware expected reciprocal rank",
    formula=r"\sum_{i \le k} \frac{G_i}{i} \,/\, \sum_{i \le k} \frac{M (1 - \alpha)^{i - 1}}{i}"
    + GAIN,
    cite=CHAPELLE,
    **_fields(ALPHA, CUTOFF, needs="k", alpha=HALF),
    assumes="Users want one aspect and stop at an answer that shows it with probability alpha.",
    differs="The paper's stopping probability depends on the grade; here, as in ndeval, it is alpha, and the"
    f" sum is divided by that of a list whose every answer has all aspects. {AT_RANK_1}",
    advice="Looks at the first ranks more than alpha_nDCG does. The divisor is out of reach where"
    " no answer has all aspects; nERR_IA is 1 for the ideal list.",
    worked=on_parts(
        "ERR_IA@3",
        "(2/1 + 0/2 + 1.5/3) / (4/1 + 2/2 + 1/3) = 0.4688",
        "d1 gains 2, d3 nothing, and d2 1.5, as a is shown again; three documents with all four"
        " aspects would gain 4, 2 and 1.",
    ),
)
def intent_aware_err(alignment: Alignment, alpha: float, k: int, **rule: Any) -> Floats:
    """Gain of novel aspects divided by rank, as a share of what answers with all aspects would gain."""
    return _share(alignment, by_rank, alpha, k, **rule)


@diverse(
    name="nERR_IA",
    title="Normalised intent-aware expected reciprocal rank",
    formula=r"\sum_{i \le k} \frac{G_i}{i} \,/\, \sum_{i \le k} \frac{G^*_i}{i}" + GAIN,
    cite=CHAPELLE,
    **_fields(ALPHA, CUTOFF, needs="k", alpha=HALF),
    bounds=(0, math.inf),
    assumes="Users want one aspect and stop at an answer that shows it with probability alpha.",
    advice=f"Looks at the first ranks more than alpha_nDCG does. {GREEDY_IDEAL}",
    worked=on_parts(
        "nERR_IA@3",
        "(2/1 + 0/2 + 1.5/3) / (2/1 + 1.5/2 + 1/3) = 0.8108",
        "d1, d3 and d2 gain 2, 0 and 1.5, as a is shown again; the ideal list d2, d1, d4 gains 2, 1.5"
        " and 1.",
    ),
)
def normalised_intent_aware_err(alignment: Alignment, alpha: float, k: int, **rule: Any) -> Floats:
    """Gain of novel aspects divided by rank, as a share of that of the greedy ideal list."""
    return _normalised(alignment, by_rank, alpha, k, **rule)


@diverse(
    name="NRBP",
    title="Novelty- and rank-biased precision",
    formula=r"\frac{1 - (1 - \alpha) \beta}{M} \sum_i G_i \beta^{i - 1}" + GAIN,
    cite=NRBP_PAPER,
    **_fields(ALPHA, BETA, alpha=HALF, beta=HALF),
    assumes="Users want one aspect, go on with probability beta, and stop at an answer that shows it with"
    " probability alpha.",
    advice="Has no cut-off: the whole list counts, the first ranks most. A patient reader has a"
    " beta near 1. Low for every system where answers have few of many aspects; nNRBP is not.",
    worked=on_parts(
        "NRBP",
        "(1 - (1 - 0.5) · 0.5) / 4 · (2 + 0 · 0.5 + 1.5 · 0.5^2 + 1 · 0.5^3) = 0.4688",
        "d1, d3, d2 and d4 gain 2, 0, 1.5 and 1, and each rank weighs half as much as the one before.",
    ),
)
def novelty_biased_precision(
    alignment: Alignment, alpha: float, beta: float, **rule: Any
) -> Floats:
    """Gain of novel aspects, each rank weighing beta times the one before."""
    lists = _lists(alignment, **rule)
    total = Novelty(lists, alpha).total(by_patience(beta), None)
    return ratio((1 - (1 - alpha) * beta) * total, lists.aspect_count)


@diverse(
    name="nNRBP",
    title="Normalised novelty- and rank-biased precision",
    formula=r"\sum_i G_i \beta^{i - 1} \,/\, \sum_i G^*_i \beta^{i - 1}" + GAIN,
    cite=NRBP_PAPER,
    **_fields(ALPHA, BETA, alpha=HALF, beta=HALF),
    bounds=(0, math.inf),
    assumes="Users want one aspect, go on with probability beta, and stop at an answer that shows it with"
    " probability alpha.",
    advice="The ideal list goes to its end, as the run does; where users see k answers, use"
    f" alpha_nDCG@k. {GREEDY_IDEAL}",
    worked=on_parts(
        "nNRBP",
        "(2 + 0 · 0.5 + 1.5 · 0.5^2 + 1 · 0.5^3) / (2 + 1.5 · 0.5 + 1 · 0.5^2) = 0.8333",
        "d1, d3, d2 and d4 gain 2, 0, 1.5 and 1; the ideal list d2, d1, d4 gains 2, 1.5 and 1.",
    ),
)
def normalised_novelty_biased_precision(
    alignment: Alignment, alpha: float, beta: float, **rule: Any
) -> Floats:
    """Gain of novel aspects, as a share of that of the greedy ideal list; beta weighs the ranks."""
    novelty = Novelty(_lists(alignment, **rule), alpha)
    return novelty.normalised(by_patience(beta), None, patient_ranks(beta))
