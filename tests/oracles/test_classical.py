"""The classical measures against pytrec_eval, ir_measures and slow twins.

pytrec_eval wraps the C code of trec_eval 9, so it is asked under `--like trec_eval-9`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import ir_measures
import pytest
import pytrec_eval
from hypothesis import assume, given
from hypothesis import strategies as st

from foveal.choices import Like, Task
from foveal.conventions import Choices
from foveal.evaluation import evaluate
from foveal.measures import parse, trec_values
from tests.examples import examples
from tests.oracles.classical import Ranked, Twin, classical_twins, endless_twins

Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]

TOLERANCE = 1e-9
DOCUMENTS = [f"d{number}" for number in range(12)]
COMMON = [
    "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "map", "Rprec", "bpref",
    "recip_rank", "infAP", "utility", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg",
    "set_P", "set_relative_P", "set_recall", "set_map", "set_F",
    "P.1,2,3,5,10,20", "recall.1,3,5,20", "relative_P.1,2,5,20", "success.1,3,10",
    "map_cut.1,2,5,20", "ndcg_cut.1,2,3,5,20", "iprec_at_recall", "Rprec_mult",
]  # fmt: skip

# Every world is asked for some sixty values on up to three topics.
some = examples(75)


@dataclass(frozen=True)
class Judged:
    """Judgements and a run over them, with ties, unjudged documents and missing topics."""

    qrels: Grades
    run: Scores


@st.composite
def worlds(draw: st.DrawFn, *, least: int = -1) -> Judged:
    grades = st.integers(least, 4)
    scores = st.integers(0, 4).map(float) | st.sampled_from([1e-9, 1 + 1e-9, 1 + 2e-9, -3.0])
    qrels: Grades = {}
    run: Scores = {}
    for topic in ("1", "10", "2")[: draw(st.integers(1, 3))]:
        judged = draw(st.lists(st.sampled_from(DOCUMENTS), min_size=1, unique=True))
        qrels[topic] = {document: draw(grades) for document in judged}
        # pytrec_eval reads past its arrays where nothing was judged with a grade.
        qrels[topic][judged[0]] = max(qrels[topic][judged[0]], 0)
        found = draw(st.lists(st.sampled_from(DOCUMENTS), min_size=1, unique=True))
        run[topic] = {document: draw(scores) for document in found}
    if draw(st.booleans()) and len(run) > 1:
        del run[draw(st.sampled_from(sorted(run)))]
    return Judged(qrels, run)


def by_topic(
    world: Judged, measures: Sequence[str], **options: object
) -> dict[str, dict[str, float]]:
    found = evaluate(world.qrels, world.run, measures, **options)  # type: ignore[arg-type]
    return {row["topic"]: row for row in found.topics.iter_rows(named=True)}


def assert_like_pytrec_eval(world: Judged, rel: int, *, judged_only: bool) -> None:
    asked = trec_values(COMMON, Like.TREC_EVAL_9)
    theirs = pytrec_eval.RelevanceEvaluator(
        world.qrels, set(COMMON), relevance_level=rel, judged_docs_only_flag=judged_only
    ).evaluate(world.run)
    choices = Choices(like=Like.TREC_EVAL_9, rel=rel, judged_only=judged_only)
    decided = choices.conventions(Task.DOCUMENT)
    ours = by_topic(
        world,
        [value.spelling for value in asked],
        like="trec_eval-9",
        rel=rel,
        judged_only=judged_only,
    )
    assert ours.keys() == theirs.keys()
    for topic, row in ours.items():
        for value in asked:
            found, expected = (
                row[str(parse(value.spelling, decided))],
                theirs[topic][value.printed_name],
            )
            if math.isnan(expected):
                # trec_eval divides 0 by 0 where -J leaves nothing; that is not copied.
                expected = 0.0
            assert found == pytest.approx(expected, abs=TOLERANCE), (topic, value.printed_name)


@pytest.mark.slow
@given(world=worlds())
@some
def test_every_common_measure_equals_pytrec_eval(world: Judged) -> None:
    assert_like_pytrec_eval(world, 1, judged_only=False)


@given(world=worlds(), rel=st.integers(1, 3))
@some
def test_relevance_levels_are_those_of_pytrec_eval(world: Judged, rel: int) -> None:
    # Below a level that no document of a topic reaches, trec_eval counts beyond its array.
    for grades in world.qrels.values():
        grades["top"] = 4
    assert_like_pytrec_eval(world, rel, judged_only=False)


@given(world=worlds())
@some
def test_judged_documents_only_is_that_of_pytrec_eval(world: Judged) -> None:
    assert_like_pytrec_eval(world, 1, judged_only=True)


@given(world=worlds(least=0))
@some
def test_the_share_of_judged_documents_is_that_of_ir_measures(world: Judged) -> None:
    # ir_measures breaks ties the other way round, so every document gets a score of its own.
    run = {
        topic: {document: -float(place) for place, document in enumerate(sorted(found))}
        for topic, found in world.run.items()
    }
    asked = [ir_measures.Judged @ 1, ir_measures.Judged @ 3, ir_measures.Judged @ 20]
    ours = by_topic(Judged(world.qrels, run), [str(name) for name in asked], like="trec_eval-9")
    for value in ir_measures.iter_calc(asked, world.qrels, run):
        # Topics without results, which it scores 0, are left out here.
        found = ours.get(value.query_id, {}).get(str(value.measure), 0.0)
        assert found == pytest.approx(value.value, abs=TOLERANCE)


def over_topics(name: str, values: Sequence[float]) -> float:
    """What the values of topics make together: a total, a geometric mean or a mean."""
    if name.startswith("Num"):
        return sum(values)
    if name.startswith("GM"):
        return math.prod(max(value, 0.00001) for value in values) ** (1 / len(values))
    return sum(values) / len(values)


def assert_like_twins(world: Judged, twins: Mapping[str, Twin], tolerance: float) -> None:
    """Under the papers' conventions, topic by topic and over all."""
    assume(any(grade >= 1 for grades in world.qrels.values() for grade in grades.values()))
    scores = evaluate(world.qrels, world.run, list(twins))
    overall = scores.overall.row(0, named=True)
    topics = {row["topic"]: row for row in scores.topics.iter_rows(named=True)}
    ranked = {topic: Ranked.of(world, topic) for topic in topics}
    for name, twin in twins.items():
        column = str(parse(name))
        expected = {topic: twin(own) for topic, own in ranked.items()}
        found = {topic: row[column] for topic, row in topics.items()}
        assert found == pytest.approx(expected, abs=tolerance), name
        mean = over_topics(column, list(expected.values()))
        assert overall[column] == pytest.approx(mean, abs=tolerance), name


@given(
    world=worlds(),
    k=st.integers(1, 14),
    p=st.sampled_from([0.0, 0.5, 0.8, 0.95]),
    level=st.integers(0, 100).map(lambda hundredths: Fraction(hundredths, 100)),
)
@some
def test_measures_of_documents_are_those_of_their_slow_twins(
    world: Judged, k: int, p: float, level: Fraction
) -> None:
    assert_like_twins(world, classical_twins(k, p, level), TOLERANCE)


@given(world=worlds(least=0), wanted=st.sampled_from([0.75, 1.0, 2.5]))
@examples(10)
def test_inst_is_that_of_a_reader_who_goes_on_for_very_long(world: Judged, wanted: float) -> None:
    assert_like_twins(world, endless_twins(wanted), 1e-4)
