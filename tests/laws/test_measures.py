"""Laws that hold for every measure, with each exemption and its reason.

An exemption names a measure or, where only one of its forms is meant, the measure with its kind
of cut-off or document score: `cP@r`, `cP(chars)` or `AgP(S=ranked)`. Whatever a law does not exempt, it covers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import cycle, pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from foveal.choices import Order
from foveal.errors import NoAspects, NoHighlights, UnknownLength
from foveal.evaluation import Scores, evaluate
from foveal.measures import REGISTRY, Record, parse
from foveal.measures._parameters import Cutoff
from foveal.tables import Qrels, Run
from tests.aspects import with_document_aspects
from tests.each import each
from tests.examples import examples
from tests.strategies import LONGEST, Judgement, Result, Span, World, run_of, spans, worlds

TOLERANCE = 1e-12
IN_ORDER = "S=ranked"
SCORED = [
    "",
    "S=F,beta=0.25",
    "S=P",
    "S=R",
    "S=bep",
    "S=bep,n=20",
    "S=t2i,irr=9",
    IN_ORDER,
    "S=rel",
]
CLASSICAL_FAMILIES = {
    "diversity",
    "document_sets",
    "gains",
    "incomplete",
    "precision_recall",
    "user_models",
}
GROWS = "counts what was returned, relevant or not"
SIZE_MATTERS = "at a fixed rank a long part weighs more than the short one it replaces"
JUDGEMENTS = "a property of the judgements"
COVERAGE = "tells how much is judged, not how good it is"
LESS_IS_BETTER = "lower is better"
BY_PART = "looks at the text after every part, so it matters where parts end"
SINGLE_PARTS = "counts single parts, or matches them with passages"
FITTING = "a part is read only if it fits, so its size matters"
A_CHUNKING = "a property of the chunk list and the judgements"


@dataclass(frozen=True)
class Law:
    """Which measures a law does not hold for, and why."""

    exempt: Mapping[str, str] = field(default_factory=dict)

    @property
    def covered(self) -> list[str]:
        """The spellings the law is tried on."""
        return [name for name, form in SPELLINGS.items() if not self._exempts(form)]

    def _exempts(self, form: tuple[str, str]) -> bool:
        return bool(self.exempt.keys() & set(form))


def spelled(record: Record) -> dict[str, tuple[str, str]]:
    """Ways to ask for a measure: with every document score, at ranks or levels in turn."""
    names = {parameter.name for parameter in record.parameters}
    needed = ",".join(parameter.in_name(parameter.example) for parameter in record.required)
    inside = SCORED if "S" in names else [needed] * 3
    behind, kind = [""], ""
    if isinstance(record.suffix, Cutoff):
        behind, kind = ["@1", "@2", "@9"], "@r"
    elif record.suffix is not None:
        behind = ["[0]", "[0.25]", "[1]"]
    spellings = {
        record.name + (f"({scored})" if scored else "") + suffix: (
            record.name,
            record.name + (f"({IN_ORDER})" if record.by_score and scored == IN_ORDER else kind),
        )
        for scored, suffix in zip(inside, cycle(behind), strict=False)
    }
    if "chars" in names:
        budgets = [f"{record.name}(chars={budget})" for budget in (1, 10, 200)]
        spellings |= dict.fromkeys(budgets, (record.name, f"{record.name}(chars)"))
    if "whole" in names:
        # Budgets of tokens refuse elements of unknown place, which these worlds have.
        spellings[f"{record.name}(chars=10,whole=True)"] = (record.name, f"{record.name}(whole)")
    if "parts" in names:
        spellings[f"{record.name}(parts=True){behind[-1]}"] = (record.name, f"{record.name}(parts)")
    return spellings


SPELLINGS = {
    str(parse(name)): form for record in REGISTRY.values() for name, form in spelled(record).items()
}
LAWS = {
    "bounds": Law(),
    "topics are scored alone": Law(),
    "nothing returned scores 0": Law(
        {
            "num_q": "counts topics",
            "num_rel": "a property of the judgements",
            "rel_size": "a property of the judgements",
            "NumQ": "counts topics",
            "NumRel": JUDGEMENTS,
            "NumFN": LESS_IS_BETTER,
            "NumTN": "what is not returned and not relevant is right",
            "iDCG": JUDGEMENTS,
            "YAAP": "a logit, whose 0 is in the middle",
            "RBPres": "all of RBP is uncertain where nothing was returned",
            "ESL": LESS_IS_BETTER,
            "cPmax": A_CHUNKING,
        }
    ),
    "appending": Law(
        {
            "num_ret": GROWS,
            "ret_size": GROWS,
            "NumRet": GROWS,
            "NumNonrelJudgedRet": LESS_IS_BETTER,
            "NumFP": LESS_IS_BETTER,
            "Judged": COVERAGE,
            "Unjudged": LESS_IS_BETTER,
            "RBPres": LESS_IS_BETTER,
            "ESL": LESS_IS_BETTER,
            "Rndcg": "is also averaged over the end of the list",
        }
    ),
    "swapping": Law(
        {
            "cP@r": SIZE_MATTERS,
            "cF@r": SIZE_MATTERS,
            "cIoU@r": SIZE_MATTERS,
            "cP(whole)": FITTING,
            "cF(whole)": FITTING,
            "cIoU(whole)": FITTING,
            "Judged": COVERAGE,
            "Unjudged": LESS_IS_BETTER,
            "RBPres": LESS_IS_BETTER,
            "ESL": LESS_IS_BETTER,
        }
    ),
    "splitting": Law(
        {
            "cP@r": BY_PART,
            "cR@r": BY_PART,
            "cF@r": BY_PART,
            "iP": BY_PART,
            "AiP": BY_PART,
            "cAP": BY_PART,
            "passageAP": BY_PART,
            "aspectAP": SINGLE_PARTS,
            "cIoU@r": BY_PART,
            **{f"{name}(whole)": FITTING for name in ("cP", "cR", "cF", "cIoU")},
            "hit": SINGLE_PARTS,
            "partRR": SINGLE_PARTS,
            "all": BY_PART,
            "passageR": BY_PART,
            "partP": SINGLE_PARTS,
            "APret": SINGLE_PARTS,
            "spanP": SINGLE_PARTS,
            "spanR": SINGLE_PARTS,
            "spanF": SINGLE_PARTS,
            **{
                f"{name}(parts)": SINGLE_PARTS
                for name, record in REGISTRY.items()
                if "parts" in {parameter.name for parameter in record.parameters}
            },
            **{
                f"{name}({IN_ORDER})": BY_PART
                for name, record in REGISTRY.items()
                if record.by_score
            },
        }
    ),
}

# Every world is scored, twice in most laws, by some two hundred measures.
some = examples(20)


def by_topic(scores: Scores) -> dict[str, dict[str, float]]:
    return {row["topic"]: row for row in scores.topics.iter_rows(named=True)}


def scored(world: World, measures: Sequence[str]) -> dict[str, dict[str, float]]:
    return by_topic(evaluate(world.qrels, world.run, measures))


def assert_never_higher(
    lower: dict[str, dict[str, float]], higher: dict[str, dict[str, float]], measures: Sequence[str]
) -> None:
    broken = [
        (topic, name, lower[topic][name], higher[topic][name])
        for topic in higher
        for name in measures
        if lower[topic][name] > higher[topic][name] + TOLERANCE
    ]
    assert not broken


def highlighted(world: World, result: Result) -> set[int]:
    offsets: set[int] = set()
    for judged in world.judgements:
        if (judged.topic, judged.doc) == (result.topic, result.doc):
            offsets |= judged.highlighted
    return offsets


def length(world: World, result: Result) -> int:
    return next(
        judged.length
        for judged in world.judgements
        if (judged.topic, judged.doc) == (result.topic, result.doc)
    )


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_every_exemption_names_a_measure_and_has_a_reason(law: Law) -> None:
    names = {part for form in SPELLINGS.values() for part in form}
    assert law.exempt.keys() <= names
    assert all(law.exempt.values())


@each("name", REGISTRY)
def test_no_measure_was_forgotten(name: str) -> None:
    """Each law covers a measure or says why not, and at least half of the laws cover it."""
    forms = {form for form in SPELLINGS.values() if form[0] == name}
    assert forms
    tried = 0
    for law in LAWS.values():
        covered = {SPELLINGS[spelling] for spelling in law.covered} & forms
        assert all(form in covered or law.exempt.keys() & set(form) for form in forms)
        tried += bool(covered)
    assert tried >= len(LAWS) / 2


@given(world=worlds())
@some
def test_values_lie_within_the_bounds_of_their_records(world: World) -> None:
    names = LAWS["bounds"].covered
    for row in scored(world, names).values():
        for name in names:
            low, high = REGISTRY[SPELLINGS[name][0]].bounds
            assert low <= row[name] <= high + TOLERANCE, name


@pytest.mark.slow
@given(world=worlds(), data=st.data())
@some
def test_topics_are_scored_alone_and_in_any_order(world: World, data: st.DataObject) -> None:
    names = LAWS["topics are scored alone"].covered
    expected = evaluate(world.qrels, world.run, names)
    topics_named = [judged.topic for judged in world.judgements]
    topics_named += [result.topic for result in world.results]
    topics = list(dict.fromkeys(topics_named))
    order = data.draw(st.permutations(topics))
    moved = replace(
        world,
        judgements=tuple(sorted(world.judgements, key=lambda row: order.index(row.topic))),
        results=tuple(sorted(world.results, key=lambda row: order.index(row.topic))),
    )
    scores = evaluate(moved.qrels, moved.run, names)
    assert by_topic(scores) == by_topic(expected)
    means = zip(scores.overall.row(0)[1:], expected.overall.row(0)[1:], strict=True)
    assert all(abs(first - second) <= TOLERANCE for first, second in means)
    topic = data.draw(st.sampled_from(sorted(by_topic(expected))))
    results = tuple(result for result in world.results if result.topic == topic)
    assume(any(result.start is not None for result in results))
    judged = tuple(row for row in world.judgements if row.topic == topic)
    alone = replace(world, judgements=judged, results=results)
    assert scored(alone, names)[topic] == by_topic(expected)[topic]


@given(world=worlds())
@some
def test_a_topic_for_which_nothing_was_returned_scores_0(world: World) -> None:
    names = LAWS["nothing returned scores 0"].covered
    extra = Judgement("t9", "d1", 9, 3, ((2, 5),))
    row = scored(replace(world, judgements=(*world.judgements, extra)), names)["t9"]
    assert [name for name in names if row[name] != 0] == []


@given(world=worlds(order=Order.FILE), span=spans(), unmapped=st.booleans())
@some
def test_appending_documents_without_highlights_never_helps(
    world: World, span: Span, unmapped: bool
) -> None:
    names = LAWS["appending"].covered
    topics = dict.fromkeys(judged.topic for judged in world.judgements)
    appended = [Result(topic, "zz", *((-1, -1) if unmapped else span)) for topic in topics]
    appended += [
        Result(judged.topic, judged.doc, None, None)
        for judged in world.judgements
        if not judged.highlighted
    ]
    longer = replace(world, results=(*world.results, *appended))
    assert_never_higher(scored(longer, names), scored(world, names), names)


@given(world=worlds(order=Order.FILE), data=st.data())
@some
def test_moving_a_result_above_one_without_highlights_never_hurts(
    world: World, data: st.DataObject
) -> None:
    results = sorted(world.results, key=lambda result: result.topic)
    useless = [
        index
        for index, (first, second) in enumerate(pairwise(results))
        if first.topic == second.topic and not highlighted(world, first)
    ]
    assume(useless)
    names = LAWS["swapping"].covered
    index = data.draw(st.sampled_from(useless))
    swapped = results.copy()
    swapped[index], swapped[index + 1] = results[index + 1], results[index]
    expected = scored(replace(world, results=tuple(results)), names)
    after = scored(replace(world, results=tuple(swapped)), names)
    assert_never_higher(expected, after, names)


@given(world=worlds(order=Order.FILE), data=st.data())
@some
def test_splitting_a_part_in_two_neighbours_leaves_totals_of_text_alone(
    world: World, data: st.DataObject
) -> None:
    names = LAWS["splitting"].covered
    ends = [
        (result.start or 0, length(world, result) if result.end is None else result.end)
        for result in world.results
    ]
    long = [index for index, (start, end) in enumerate(ends) if end - max(start, 0) > 1]
    assume(long)
    index = data.draw(st.sampled_from(long))
    start, end = ends[index]
    middle = data.draw(st.integers(start + 1, end - 1))
    result = world.results[index]
    halves = (replace(result, start=start, end=middle), replace(result, start=middle, end=end))
    cut = (*world.results[:index], *halves, *world.results[index + 1 :])
    assert scored(replace(world, results=cut), names) == scored(world, names)


@given(world=worlds(order=Order.FILE), rank=st.integers(1, 8))
@some
def test_scoring_by_relevance_gives_the_classical_measures(world: World, rank: int) -> None:
    scores = scored(world, ["AgP(S=rel)", f"gP(S=rel)@{rank}", f"gR(S=rel)@{rank}"])
    for topic, row in scores.items():
        relevant = {
            judged.doc
            for judged in world.judgements
            if judged.topic == topic and judged.highlighted
        }
        ranking = list(dict.fromkeys(r.doc for r in world.results if r.topic == topic))
        hits = [sum(doc in relevant for doc in ranking[:cut]) for cut in range(len(ranking) + 1)]
        precisions = [
            Fraction(hits[cut], cut) for cut, doc in enumerate(ranking, 1) if doc in relevant
        ]
        within = hits[min(rank, len(ranking))]
        expected = [sum(precisions, Fraction(0)) / len(relevant), Fraction(within, rank)]
        expected.append(Fraction(within, len(relevant)))
        values = list(row.values())[2:]
        assert values == pytest.approx([float(value) for value in expected], abs=TOLERANCE, rel=0)


@st.composite
def one_document(draw: st.DrawFn) -> World:
    """A document and results that are its highlights, cut and shuffled, or something else."""
    size = draw(st.integers(1, LONGEST))
    passages = [(0, size), *draw(st.lists(spans(size), max_size=3))][draw(st.integers(0, 1)) :]
    passages = [(a, b) for a, b in passages if b > a] or [(0, 1)]
    parts = list(passages) if draw(st.booleans()) else draw(st.lists(spans(size), min_size=1))
    parts = [
        piece
        for start, end in draw(st.permutations(parts))
        for middle in [draw(st.integers(start, end))]
        for piece in ((start, middle), (middle, end))
    ]
    return World(
        (Judgement("t1", "d1", size, None, tuple(passages)),),
        tuple(Result("t1", "d1", *part) for part in parts),
    )


@given(world=one_document(), beta=st.sampled_from(["0.01", "0.25", "1", "3.7"]))
@some
def test_f_is_1_exactly_when_the_highlights_themselves_are_returned(
    world: World, beta: str
) -> None:
    returned = {
        place for result in world.results for place in range(result.start or 0, result.end or 0)
    }
    perfect = returned == world.judgements[0].highlighted
    names = [f"AgP(beta={beta})", f"gP(beta={beta})@1", f"AgPt(beta={beta})"]
    row = scored(world, names)["t1"]
    assert {row[str(parse(name))] == 1.0 for name in names} == {perfect}


@given(world=one_document())
@some
def test_ranked_parts_are_perfect_if_all_is_found_before_any_other_text(world: World) -> None:
    highlighted_text = world.judgements[0].highlighted
    found: set[int] = set()
    read_in_vain = False
    for result in world.results:
        if found == highlighted_text:
            break
        text = set(range(result.start or 0, result.end or 0))
        found |= text & highlighted_text
        read_in_vain |= bool(text - highlighted_text)
    names = ["AgP(S=ranked)", "gP(S=ranked)@1", "AgPt(S=ranked)"]
    row = scored(world, names)["t1"]
    assert {row[name] == 1.0 for name in names} == {found == highlighted_text and not read_in_vain}


@given(world=worlds(), data=st.data())
@some
def test_a_run_of_the_highlights_themselves_is_perfect(world: World, data: st.DataObject) -> None:
    perfect = [
        Result(judged.topic, judged.doc, *passage)
        for judged in data.draw(st.permutations(world.judgements))
        for passage in data.draw(st.permutations(judged.passages))
        if judged.highlighted
    ]
    averages = ["AiP", "cAP", "charP", "charR", "charF", "iP[1]", "igP[1]", "igPt[1]"]
    averages += ["AgP", "AgPt", "AgPt2", "iAgP", "iAgPt", "AgP(S=P)", "AgP(S=R)", "AgP(S=rel)"]
    averages += ["AgP(S=ranked)", "AgPt(S=ranked)", "igP(S=ranked)[1]", "charAP", "charRprec"]
    scores = evaluate(world.qrels, run_of(perfect), averages)
    assert scores.overall.row(0)[1:] == pytest.approx([1.0] * len(averages), abs=TOLERANCE, rel=0)


# Judgements of documents alone, and documents of unknown length

NEEDS_NO_TEXT = {
    "num_q",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "art_prec",
    "art_rec",
    "art_f1",
    "gR",
    "APret",
    *(
        name
        for name, record in REGISTRY.items()
        if record.kernel.__module__.rsplit(".", 1)[1] in CLASSICAL_FAMILIES
    ),
}
NEEDS_NO_SIZE = {
    *("rel_size", "gRt", "charR", "rel_ret_size"),
    *("hit", "partRR", "all", "passageR", "partP", "APret", "cPmax", "aspectAP"),
}


def needs_no_text(name: str) -> bool:
    of_text = SPELLINGS[name][0] in {"AgPt", "AgPt2", "igPt", "iAgPt", "gRt"}
    return SPELLINGS[name][0] in NEEDS_NO_TEXT or ("S=rel" in name and not of_text)


def test_judgements_of_documents_serve_exactly_the_measures_that_need_no_text() -> None:
    grades = Qrels.from_dict({"1": {"a": 1, "b": 0, "c": 2}})
    run = Run.from_dict({"1": {"b": 3.0, "a": 2.0}})
    served = [name for name in SPELLINGS if needs_no_text(name)]
    assert evaluate(with_document_aspects(grades), run, served).topics.height == 1

    @each("name", SPELLINGS.keys() - set(served))
    def refused(name: str) -> None:
        with pytest.raises((NoHighlights, NoAspects)):
            evaluate(grades, run, name)

    refused()


def test_a_whole_document_of_unknown_length_serves_document_measures_only() -> None:
    judged = {"topic": "1", "doc": "d1", "length": 9, "entry": 1}
    qrels = Qrels.from_dicts([
        {**judged, "highlights": [{"start": 2, "end": 5, "aspects": ["a"]}]}
    ])  # fmt: skip
    run = run_of([Result("1", "nobody knows", None, None), Result("1", "d1", 2, 5)])
    served = [
        name
        for name, (record, _) in SPELLINGS.items()
        if "S" in {own.name for own in REGISTRY[record].parameters}
        or name.startswith("cR@")
        or record in NEEDS_NO_TEXT | NEEDS_NO_SIZE
    ]
    assert evaluate(qrels, run, served).topics.height == 1

    @each("name", SPELLINGS.keys() - set(served))
    def refused(name: str) -> None:
        with pytest.raises(UnknownLength, match="1 whole document of unknown length, 'nobody"):
            evaluate(qrels, run, name)

    refused()


@pytest.mark.parametrize("score", ["F", "P", "t2i", "ranked"])
def test_a_relevant_document_of_unknown_length_has_no_score_that_needs_its_size(score: str) -> None:
    qrels = [{"topic": "1", "doc": "d1", "highlights": [[2, 5]]}]
    run = run_of([Result("1", "d1", None, None), Result("1", "d1", 2, 5)])
    with pytest.raises(UnknownLength, match="1 whole document of unknown length, 'd1'"):
        evaluate(qrels, run, f"AgP(S={score})")
