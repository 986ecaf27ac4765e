"""The measures of aspects against pyndeval, ir_measures and slow twins, on 240 random topics.

All topics are scored in one call, in which lists of every length and shape stand side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import ir_measures
import numpy as np
import pyndeval
import pytest

from foveal.evaluation import evaluate
from foveal.measures import _novelty, parse
from foveal.tables import Qrels, Run
from tests.oracles.diversity import AspectTopic, diversity_twins

TOLERANCE = 1e-9
TOPICS = 240
# Names whose order as bytes is not that of a dictionary.
NAMES = ["D2", "D10", "d1", "Zo", "zo", "é", "e\u0301", "ÿ", "\N{GRINNING FACE}", "~", "a b"]
NAMES += [f"x{number}" for number in range(9)]
PARAMETERS = [
    (Fraction(1, 2), Fraction(1, 2)),
    (Fraction(3, 10), Fraction(4, 5)),
    (Fraction(9, 10), Fraction(1, 2)),
]
OURS = {
    "alpha-DCG@{k}": "alpha_DCG(alpha={a})@{k}",
    "alpha-nDCG@{k}": "alpha_nDCG(alpha={a})@{k}",
    "ERR-IA@{k}": "ERR_IA(alpha={a})@{k}",
    "nERR-IA@{k}": "nERR_IA(alpha={a})@{k}",
    "P-IA@{k}": "P_IA@{k}",
    "strec@{k}": "StRecall@{k}",
    "NRBP": "NRBP(alpha={a},beta={b})",
    "nNRBP": "nNRBP(alpha={a},beta={b})",
    "MAP-IA": "AP_IA",
}
CUTOFFS = (2, 5, 20)


@dataclass(frozen=True)
class World:
    """Grades of documents by aspect, and ranked documents, by topic."""

    grades: dict[str, dict[str, dict[str, int]]]
    ranked: dict[str, list[str]]

    @property
    def qrels(self) -> Qrels:
        return Qrels.from_dicts([
            {"topic": topic, "doc": document, "aspects": aspects}
            for topic, documents in self.grades.items()
            for document, aspects in documents.items()
        ])  # fmt: skip

    @property
    def scores(self) -> dict[str, dict[str, float]]:
        return {
            topic: {document: -float(rank) for rank, document in enumerate(documents)}
            for topic, documents in self.ranked.items()
        }

    def shown(self, topic: str, rel: int = 1) -> AspectTopic:
        """The topic as the twins see it."""
        judged = {
            document: frozenset(name for name, grade in aspects.items() if grade >= rel)
            for document, aspects in self.grades[topic].items()
        }
        ordered = sorted(judged, key=str.encode)
        return AspectTopic(
            [judged.get(document, frozenset()) for document in self.ranked.get(topic, [])],
            [judged[document] for document in ordered],
        )

    def found(self, measures: list[str], **choices: Any) -> dict[str, dict[str, float]]:
        """What foveal says, by topic and measure as asked."""
        table = evaluate(self.qrels, Run.from_dict(self.scores), measures, **choices).topics
        canonical = {name: str(parse(name)) for name in measures}
        return {
            row["topic"]: {name: row[ours] for name, ours in canonical.items()}
            for row in table.iter_rows(named=True)
        }


@cache
def world() -> World:
    """Topics with few and many aspects, documents and ties."""
    rng = np.random.default_rng(20)
    grades: dict[str, dict[str, dict[str, int]]] = {}
    ranked = {}
    for number in range(TOPICS):
        topic, names = str(number), rng.permutation(NAMES).tolist()
        aspects = [f"s{own}" for own in range(rng.integers(1, 7))]
        judged = names[: rng.integers(1, 16)]
        density = rng.choice([0.15, 0.4, 0.8])
        grades[topic] = {
            document: {
                aspect: int(
                    rng.choice([1, 1, 2]) if rng.random() < density else rng.choice([0, -2])
                )
                for aspect in aspects
            }
            for document in judged
        }
        grades[topic][judged[0]][aspects[0]] = 2
        if rng.random() < 0.95:
            ranked[topic] = rng.permutation(names).tolist()[: rng.integers(1, len(names) + 1)]
    return World(grades, ranked)


def subtopics() -> list[tuple[str, str, str, int]]:
    """The judgements as pyndeval takes them."""
    return [
        (topic, aspect, document, grade)
        for topic, documents in world().grades.items()
        for document, aspects in documents.items()
        for aspect, grade in aspects.items()
    ]


def ranking() -> list[tuple[str, str, float]]:
    """The run as pyndeval takes it."""
    return [
        (topic, document, score)
        for topic, documents in world().scores.items()
        for document, score in documents.items()
    ]


@pytest.mark.parametrize(("alpha", "beta"), PARAMETERS)
def test_every_measure_is_that_of_pyndeval(alpha: Fraction, beta: Fraction) -> None:
    a, b = float(alpha), float(beta)
    theirs = dict.fromkeys(name.format(k=k) for name in OURS for k in CUTOFFS)
    ours = {
        name.format(k=k): own.format(a=a, b=b, k=k) for name, own in OURS.items() for k in CUTOFFS
    }
    expected = pyndeval.RelevanceEvaluator(subtopics(), [*theirs], alpha=a, beta=b).evaluate(
        ranking()
    )
    found = world().found([ours[name] for name in theirs])
    assert len(expected) > 200
    for topic, values in expected.items():
        for name, value in values.items():
            assert found[topic][ours[name]] == pytest.approx(value, abs=TOLERANCE), (topic, name)


def test_ndeval_forgets_to_divide_at_rank_1_and_so_does_its_mode() -> None:
    names = {"alpha-DCG@1": "alpha_DCG@1", "ERR-IA@1": "ERR_IA@1"}
    expected = pyndeval.ndeval(subtopics(), ranking(), [*names])
    like, ours = (
        world().found([*names.values()], like=like, order="score") for like in ("ndeval", "paper")
    )
    # Without the defect the value is never above 1; that mode leaves out what is not in the run.
    assert max(value for values in like.values() for value in values.values()) > 2
    assert max(value for values in ours.values() for value in values.values()) <= 1
    assert like.keys() == expected.keys()
    for topic, values in expected.items():
        wanted = len(world().shown(topic).relevant_aspects)
        for name, value in values.items():
            assert like[topic][names[name]] == pytest.approx(value, abs=TOLERANCE)
            assert ours[topic][names[name]] == pytest.approx(value / wanted, abs=TOLERANCE)


def test_names_and_defaults_are_those_of_ir_measures() -> None:
    asked = [
        ir_measures.StRecall @ 3,
        ir_measures.P_IA @ 3,
        ir_measures.AP_IA,
        ir_measures.alpha_DCG @ 3,
        ir_measures.alpha_nDCG @ 3,
        ir_measures.ERR_IA @ 3,
        ir_measures.nERR_IA @ 3,
        ir_measures.NRBP,
        ir_measures.nNRBP,
        # It answers 0 for one of two relevance levels that are asked for in one call.
        ir_measures.alpha_nDCG(rel=2) @ 5,
    ]
    qrels = [
        ir_measures.Qrel(topic, document, grade, aspect)
        for topic, aspect, document, grade in subtopics()
    ]
    assert Qrels.coerced(qrels).equals(world().qrels)
    run = [ir_measures.ScoredDoc(*row) for row in ranking()]
    found = world().found([str(measure) for measure in asked])
    for measure in asked:
        for value in ir_measures.iter_calc([measure], qrels, run):
            ours = found[value.query_id][str(measure)]
            assert ours == pytest.approx(value.value, abs=TOLERANCE), (value.query_id, measure)


@pytest.mark.parametrize(("alpha", "beta"), PARAMETERS)
@pytest.mark.parametrize("k", [1, 3, 40])
def test_measures_of_aspects_are_those_of_their_slow_twins(
    alpha: Fraction, beta: Fraction, k: int
) -> None:
    twins = diversity_twins(k, alpha, beta)
    found = world().found([*twins])
    # Every third topic is enough for each of nine ways to ask.
    for topic in list(found)[k % 3 :: 3]:
        for name, twin in twins.items():
            expected = twin(world().shown(topic))
            assert found[topic][name] == pytest.approx(expected, abs=TOLERANCE), (topic, name)


@pytest.mark.parametrize(("alpha", "beta"), PARAMETERS)
def test_the_ideal_list_scores_1(alpha: Fraction, beta: Fraction) -> None:
    a, b = float(alpha), float(beta)
    ranked = {}
    for topic in list(world().grades)[::3]:
        names = sorted(world().grades[topic], key=str.encode)
        ranked[topic] = [names[place] for place in world().shown(topic).ideal_indices(alpha)]
    names = [f"{name}(alpha={a})@{k}" for name in ("alpha_nDCG", "nERR_IA") for k in (1, 3, 30)]
    names += [f"nNRBP(alpha={a},beta={b})", "StRecall"]
    found = replace(world(), ranked=ranked).found(names, topics="retrieved")
    assert found.keys() == ranked.keys()
    for values in found.values():
        assert [*values.values()] == pytest.approx([1.0] * len(names), abs=1e-12)


@pytest.mark.parametrize("size", [1, 50])
def test_ideal_lists_do_not_depend_on_how_many_are_built_at_a_time(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["alpha_nDCG(alpha=0.3)@5", "nNRBP(beta=0.8)"]
    together = world().found(names)
    monkeypatch.setattr(_novelty, "ASPECTS_AT_A_TIME", size)
    assert world().found(names) == together
