"""Runs scored in a loop: the same values as one by one, from threads, processes and pickles."""

from __future__ import annotations

import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from random import Random

import polars as pl
import pytest

import foveal
from foveal.errors import DataError, UsageError

MEASURES = ["AP", "nDCG@3", "P@2"]
Run = dict[str, dict[str, float]]


def _world(seed: int) -> tuple[dict[str, dict[str, int]], Run]:
    random = Random(seed)  # noqa: S311  # worlds, not secrets
    names = [f"d{number}" for number in range(9)]
    qrels = {f"q{topic}": {name: random.randrange(3) for name in names} for topic in range(4)}
    run = {
        f"q{topic}": {name: random.randrange(4) / 2 for name in random.sample(names, 6)}
        for topic in range(5)
    }
    return qrels, run


def _expected(scores: foveal.Scores) -> dict[str, dict[str, float]]:
    rows = scores.topics.drop("run").to_dicts()
    return {row.pop("topic"): row for row in rows}


@pytest.mark.parametrize("seed", range(20))
def test_values_are_those_of_evaluate(seed: int) -> None:
    qrels, run = _world(seed)
    scores = foveal.evaluate(qrels, run, MEASURES)
    evaluator = foveal.Evaluator(qrels, MEASURES)
    assert evaluator.values(run) == _expected(scores)
    assert evaluator(run).topics.equals(scores.topics)
    assert (evaluator(run).settings, evaluator(run).notes) == (scores.settings, scores.notes)


def test_choices_and_topics_are_those_of_evaluate() -> None:
    qrels, run = _world(7)
    choices = {"rel": 2, "like": "trec_eval-9", "judged_only": True}
    scores = foveal.evaluate(qrels, run, MEASURES, only=["q1", "q3"], **choices)  # type: ignore[arg-type]  # words of several types
    evaluator = foveal.Evaluator(qrels, MEASURES, only=["q1", "q3"], **choices)  # type: ignore[arg-type]  # as above
    assert evaluator.values(run) == _expected(scores)


def test_every_form_of_a_run_is_taken() -> None:
    evaluator = foveal.Evaluator({"1": {"a": 1}}, ["AP"])
    rows = [{"topic": "1", "doc": "b", "score": 2.0}, {"topic": "1", "doc": "a", "score": 1.0}]
    for run in (rows, pl.DataFrame(rows), {"1": {"b": 2.0, "a": 1.0}}, foveal.Run.from_dicts(rows)):
        assert evaluator.values(run) == {"1": {"AP": 0.5}}
    assert evaluator({"one": rows, "two": rows}).runs == ["one", "two"]


def test_topics_without_results_have_values() -> None:
    evaluator = foveal.Evaluator({"1": {"a": 1}, "2": {"a": 1}}, ["AP"])
    assert evaluator.values({"1": {"a": 1.0}}) == {"1": {"AP": 1.0}, "2": {"AP": 0.0}}


def test_parts_and_texts_are_scored() -> None:
    docs = foveal.read_documents({"d1": "One fish. Two fish."})
    gold = [{"topic": "q1", "doc": "d1", "text": "Two fish."}]
    evaluator = foveal.Evaluator(gold, ["recall@5"], docs=docs, task="rag")
    values = evaluator.values([{"topic": "q1", "doc": "d1", "text": "fish. Two"}])
    assert values == {"q1": {"recall@5": pytest.approx(1 / 3)}}


def test_measures_are_under_the_names_that_were_given() -> None:
    evaluator = foveal.Evaluator({"1": {"a": 1}}, ["map", "ndcg_cut_5", "nDCG@10", "P_1"])
    names = evaluator.values({"1": {"a": 1.0}})["1"]
    assert names == {"map": 1.0, "ndcg_cut_5": 1.0, "nDCG@10": 1.0, "P_1": 1.0}


def test_a_run_of_other_documents_is_warned_of() -> None:
    evaluator = foveal.Evaluator({"1": {"a": 1}}, ["AP"])
    with pytest.warns(UserWarning, match="none of its documents"):
        assert evaluator.values({"1": {"x": 1.0}}) == {"1": {"AP": 0.0}}
    with pytest.warns(UserWarning, match="are not among the scored topics"):
        evaluator.values({"9": {"a": 1.0}})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluator.values({"1": {"a": 1.0}})


def test_what_is_wrong_is_refused_as_in_evaluate() -> None:
    with pytest.raises(UsageError, match="unknown measure"):
        foveal.Evaluator({"1": {"a": 1}}, ["nothing"])
    with pytest.raises(DataError, match="not a finite number"):
        foveal.Evaluator({"1": {"a": 1}}, ["AP"]).values({"1": {"a": float("nan")}})


def test_scores_hold_no_runs() -> None:
    scores = foveal.Evaluator({"1": {"a": 1}}, ["AP"])({"1": {"a": 1.0}})
    with pytest.raises(UsageError, match="need the runs"):
        scores.documents()


def test_threads_share_an_evaluator() -> None:
    worlds = [_world(seed)[1] for seed in range(40)]
    qrels, _ = _world(0)
    expected = [foveal.Evaluator(qrels, MEASURES).values(run) for run in worlds]
    evaluator = foveal.Evaluator(qrels, MEASURES)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(evaluator.values, worlds)) == expected


def test_an_evaluator_travels_to_other_processes() -> None:
    qrels, run = _world(3)
    evaluator = foveal.Evaluator(qrels, MEASURES)
    expected = evaluator.values(run)
    travelled = pickle.loads(pickle.dumps(evaluator))  # noqa: S301  # our own bytes
    assert travelled.values(run) == expected
