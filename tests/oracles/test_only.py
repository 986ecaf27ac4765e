"""Chosen topics against judgements reduced by hand, and against topics judged twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import kendalltau

import foveal
from foveal.choices import Draw, Experiment
from foveal.conventions import Choices, TestName
from foveal.errors import DataError
from foveal.evaluation import Evaluation, Scores, evaluate
from foveal.studies import DemoWorld, stability
from foveal.studies.stability import stability_design, stability_study
from foveal.tables import Qrels, Run
from tests.examples import examples
from tests.laws.test_measures import SPELLINGS
from tests.strategies import World, worlds

CHOICES: list[dict[str, Any]] = [
    {},
    {"topics": "retrieved"},
    {"like": "inex_eval", "overlap": "once"},
    {"like": "inex_eval", "task": "ric"},
    {"like": "trec_eval-9"},
]
MEASURES = list(SPELLINGS)


def scored(qrels: Qrels, run: Run, **choices: Any) -> Scores:
    """The scores of a run that can be scored at all."""
    try:
        return evaluate(qrels, run, MEASURES, **choices)
    except DataError:
        assume(False)
        raise


def listed(data: st.DataObject, world: World, most: int) -> list[str]:
    """Topics of a world, some perhaps more than once, among them the one with something relevant."""
    topics = sorted({judged.topic for judged in world.judgements})
    times = [data.draw(st.integers(topic == "t1", most), label=topic) for topic in topics]
    drawn = [topic for topic, count in zip(topics, times, strict=True) for _ in range(count)]
    return data.draw(st.permutations(drawn))


@pytest.mark.parametrize("choices", CHOICES, ids=str)
@examples(5)
@given(world=worlds(), data=st.data())
def test_chosen_topics_score_as_judgements_of_them_alone(
    choices: dict[str, Any], world: World, data: st.DataObject
) -> None:
    only = listed(data, world, 1)
    kept = tuple(judged for judged in world.judgements if judged.topic in only)
    expected = scored(replace(world, judgements=kept).qrels, world.run, **choices)
    found = scored(world.qrels, world.run, only=only, **choices)
    assert found.per_topic().equals(expected.per_topic())
    assert found.mean().equals(expected.mean())
    same = {name: word for name, word in found.settings.items() if name != "only"}
    assert same == expected.settings
    # What is odd about the file of judgements is told of all of it.
    assert [note for note in expected.notes if not re.search("without judg|^qrels:", note)] == [
        note for note in found.notes if not note.startswith("qrels:")
    ]


def twice(rows: Sequence[Any], only: Sequence[str]) -> tuple[Any, ...]:
    """Rows of the topics listed; for each further time a topic is listed, rows of another name."""
    return tuple(
        replace(row, topic=f"{row.topic}{'+' * nth}")
        for row in rows
        for nth in range(only.count(row.topic))
    )


@pytest.mark.parametrize("choices", CHOICES, ids=str)
@examples(5)
@given(world=worlds(), data=st.data())
def test_a_topic_listed_twice_counts_as_two_topics_that_are_alike(
    choices: dict[str, Any], world: World, data: st.DataObject
) -> None:
    only = listed(data, world, 3)
    doubled = replace(
        world, judgements=twice(world.judgements, only), results=twice(world.results, only)
    )
    assume(doubled.results)
    expected = scored(doubled.qrels, doubled.run, **choices)
    found = scored(world.qrels, world.run, only=only, **choices)
    assert found.mean().drop("run").row(0) == pytest.approx(
        expected.mean().drop("run").row(0), rel=1e-12, abs=1e-12, nan_ok=True
    )
    by_topic = found.topics.drop("run", "topic").to_numpy()
    repeated = np.repeat(by_topic, [only.count(name) for name in found.topics["topic"]], axis=0)
    assert repeated.tolist() == expected.topics.drop("run", "topic").to_numpy().tolist()


@pytest.fixture(scope="module")
def world(whole_demo: DemoWorld) -> tuple[Qrels, list[Run]]:
    runs = [run for run in whole_demo.runs if not run.name.startswith("entry-points")]
    return whole_demo.qrels, runs[:7]


@pytest.mark.parametrize("draw", Draw)
def test_saved_samples_give_the_rankings_of_the_study(
    draw: Draw, world: tuple[Qrels, list[Run]]
) -> None:
    qrels, runs = world
    measures, files = ["AiP", "AP", "charF"], {}
    plan = stability_design(Experiment.TOPICS, rng=5, levels=[50, 20], samples=3, draw=draw)
    evaluation = Evaluation.of(qrels, measures, Choices())

    def save(name: str, sample: object) -> None:
        files[name] = sample

    study = stability_study(
        qrels, evaluation, plan, lambda work, _: [work(run) for run in runs], save=save
    )
    whole = evaluate(qrels, runs, measures)
    known = {
        (run, measure, topic): value for run, topic, measure, value in whole.per_topic().iter_rows()
    }
    repeats = 0
    for (level, sample), rows in study.samples.group_by("level", "sample"):
        only = files[f"topics-{level}-{sample:02d}"]
        assert isinstance(only, list)
        repeats += len(only) - len(set(only))
        found = evaluate(qrels, runs, measures, only=only)
        for measure, tau in rows.select("measure", "tau").iter_rows():
            again = kendalltau(whole.mean()[measure], found.mean()[measure]).statistic
            assert again == pytest.approx(tau, abs=1e-12)
        for measure, run, mean in foveal.compare(found, test="t").means[:, :3].iter_rows():
            expected = np.mean([known[run, measure, topic] for topic in only])
            assert mean == pytest.approx(expected, abs=1e-12)
            assert found[run, measure] == pytest.approx(expected, abs=1e-12)
    assert (repeats > 0) == (draw is Draw.BOOTSTRAP)


def doubled_demo(qrels: Qrels, runs: Sequence[Run], only: Sequence[str]) -> tuple[Qrels, list[Run]]:
    """The demo's judgements and runs with the topics listed, each time under a name of its own."""

    def again(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {**row, "topic": f"{row['topic']}{'+' * nth}"}
            for row in rows
            for nth in range(only.count(row["topic"]))
        ]

    spans: dict[int, list[list[int]]] = {}
    for row, start, end in qrels.passages.iter_rows():
        spans.setdefault(row, []).append([start, end])
    judged = [
        {**row, "highlights": spans.get(place, [])}
        for place, row in enumerate(qrels.documents.drop("rel_chars", "line").to_dicts())
    ]
    tables = [
        Run.from_dicts(again(run.frame.drop("line").to_dicts()), name=run.name) for run in runs
    ]
    return Qrels.from_dicts(again(judged)), tables


@pytest.mark.parametrize("test", ["t", "wilcoxon", "anova"])
def test_repeated_topics_are_as_many_observations_of_a_test(
    test: TestName, world: tuple[Qrels, list[Run]]
) -> None:
    qrels, runs = world
    only = ["101", "102", "102", "105", "109", "105", "105", "111"]
    twins = doubled_demo(qrels, runs[:3], only)
    expected = foveal.compare(evaluate(*twins, "AiP"), test=test)
    found = foveal.compare(evaluate(qrels, runs[:3], "AiP", only=only), test=test)
    for frame in ("means", "pairs", "anova"):
        one, two = (getattr(own, frame) for own in (found, expected))
        for column in one.columns:
            assert one[column].to_list() == [
                value if isinstance(value, str) or value is None else pytest.approx(value, abs=1e-9)
                for value in two[column].to_list()
            ]


@pytest.mark.parametrize("experiment", ["pool", "leave-out", "depth"])
def test_studies_of_passages_weigh_topics_as_twins_do(
    experiment: str, world: tuple[Qrels, list[Run]]
) -> None:
    """Only where every passage stays can twins, which have samples of their own, be compared."""
    qrels, runs = world
    only = ["101", "102", "102", "105", "109", "105", "105", "111"]
    some: dict[str, Any] = {"min_passages": 0}
    if experiment == "pool":
        some |= {"levels": [100], "samples": 1}
    twins = doubled_demo(qrels, runs, only)
    expected = stability(*twins, ["AiP", "AP"], experiment=experiment, **some)
    found = stability(qrels, runs, ["AiP", "AP"], experiment=experiment, only=only, **some)
    assert found.topics == expected.topics == len(only)
    for name, frame in found.frames.items():
        kept = [column for column in frame.columns if column not in {"passages", "topics"}]
        assert frame[kept].equals(expected.frames[name][kept]), name


def test_the_lab_weighs_topics_as_twins_do(world: tuple[Qrels, list[Run]]) -> None:
    qrels, runs = world
    only = ["101", "102", "102", "105", "105", "105", "111"]
    expected = foveal.fidelity(doubled_demo(qrels, runs[:1], only)[0], measures=["AgP", "AP"])
    found = foveal.fidelity(qrels, measures=["AgP", "AP"], only=only)
    assert found.scores["value"].to_list() == pytest.approx(expected.scores["value"].to_list())
    kept = ["better", "equal", "worse", "verdict"]
    assert found.orderings[kept].equals(expected.orderings[kept])


def test_saved_scores_of_repeated_topics_are_a_baseline(
    world: tuple[Qrels, list[Run]], tmp_path: Path
) -> None:
    qrels, runs = world
    only = ["101", "102", "102", "105", "109", "105", "105", "111"]
    own, other = (evaluate(qrels, run, "AiP", only=only) for run in runs[:2])
    path = tmp_path / "saved.json"
    path.write_text(foveal.render(other, to="json", per_topic=True))
    saved = foveal.read_scores(path)
    assert saved.topic_facts.times == {"102": 2, "105": 3}
    again, direct = (foveal.gate(own, baseline=baseline) for baseline in (saved, other))
    assert again.drops.equals(direct.drops)
    assert direct.drops["value"].item() == pytest.approx(own["AiP"])
    with pytest.raises(DataError, match="other judgements"):
        foveal.gate(own, baseline=evaluate(qrels, runs[1], "AiP", only=set(only)))
