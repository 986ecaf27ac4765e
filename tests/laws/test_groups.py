"""Groups of topics: each is what an evaluation of its topics alone gives, and all of them the whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import foveal
from foveal.evaluation import Scores
from foveal.measures import geometric_mean, mean, record_of
from tests.examples import examples
from tests.strategies import TOPICS, World, worlds

MEANS = ["AiP", "iP[0.01]", "charF", "AgP", "AP", "cR@5", "nDCG@10", "art_prec"]
GEOMETRIC = ["GMAP"]
TOTALS = ["num_q", "num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size"]
CHOICES: list[dict[str, Any]] = [
    {"task": "focused"},
    {"task": "ric", "like": "inex_eval", "overlap": "once"},
    {"task": "focused", "topics": "retrieved"},
    {"task": "document", "like": "trec_eval-9"},
]
groupings = st.dictionaries(st.sampled_from(TOPICS), st.sampled_from(["b", "a", "c"])).map(
    lambda groups: {"t1": "b", **groups}
)


def _scores(world: World, choices: dict[str, Any], **options: Any) -> Scores:
    measures = [*MEANS, *GEOMETRIC, *TOTALS]
    if choices["task"] == "document":
        measures = ["AP", "nDCG@10", *GEOMETRIC, "num_q", "num_ret", "num_rel"]
    # Where only topics with results count, groups of which none does are refused.
    assume(any(result.topic == "t1" for result in world.results))
    return foveal.evaluate(world.qrels, world.run, measures, **choices, **options)


def test_the_measures_are_averaged_as_the_laws_suppose() -> None:
    assert all(record_of(name).average is mean for name in MEANS)
    assert all(record_of(name).average is geometric_mean for name in GEOMETRIC)
    assert all(record_of(name).average not in {mean, geometric_mean} for name in TOTALS)


@pytest.mark.parametrize(
    "choices", CHOICES, ids=lambda judged_in_group: " ".join(judged_in_group.values())
)
@examples(25)
@given(world=worlds(), groups=groupings)
def test_a_group_scores_what_its_topics_score_alone(
    choices: dict[str, Any], world: World, groups: dict[str, str]
) -> None:
    all_groups = _scores(world, choices, groups=groups)
    (run,) = all_groups.values
    for name, means in run.by_group.items():
        judged_in_group = [
            judged
            for judged in world.judgements
            if name in {groups.get(judged.topic, "(none)"), "all"}
        ]
        alone = _scores(replace(world, judgements=tuple(judged_in_group)), choices)
        assert list(means.overall) == list(alone.values[0].overall)
        if name != "all":
            within = all_groups.within(name).values[0]
            assert list(within.topics) == list(alone.values[0].topics)
            assert within.values.tolist() == alone.values[0].values.tolist()
            assert list(within.overall) == list(alone.values[0].overall)


@pytest.mark.parametrize("choices", CHOICES, ids=lambda means: " ".join(means.values()))
@examples(25)
@given(world=worlds(), groups=groupings)
def test_groups_add_up_to_all_topics(
    choices: dict[str, Any], world: World, groups: dict[str, str]
) -> None:
    all_groups, plain = _scores(world, choices, groups=groups), _scores(world, choices)
    (run,) = all_groups.values
    assert list(run.overall) == list(plain.values[0].overall)
    *parts, (last, all_topics) = run.by_group.items()
    assert last == "all"
    assert sum(means.topics for _, means in parts) == all_topics.topics
    for index, measure in enumerate(all_groups.measures):
        average = record_of(measure).average
        if average is mean:
            total = sum(means.topics * means.overall[index] for _, means in parts)
            assert total / all_topics.topics == pytest.approx(run.overall[index], abs=1e-12)
        elif average is not geometric_mean:
            total = sum(means.overall[index] for _, means in parts)
            # inex_eval adds what is relevant to topics that it does not score, and perhaps to a
            # group of nothing else, which is not shown.
            assert total == run.overall[index] or (
                choices.get("like") == "inex_eval" and total < run.overall[index]
            )
