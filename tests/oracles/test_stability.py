"""Samples against their obvious twins: judgements reduced and re-scored, counts in loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from foveal.choices import Draw, Experiment, Like, Overlap, TopicSet
from foveal.conventions import Choices
from foveal.errors import DataError
from foveal.evaluation import Evaluation, evaluate
from foveal.spans import Floats
from foveal.studies import DemoWorld, stability
from foveal.studies.stability.design import Sampler, stability_design
from foveal.studies.stability.study import stability_study
from foveal.studies.stability.topic_sampling import error_rate, outcomes
from foveal.tables import Qrels, Run
from tests.examples import examples
from tests.laws.test_measures import SPELLINGS
from tests.strategies import World, worlds

Result = TypeVar("Result")
Many = tuple[Qrels, list[Run]]
CHOICES = [
    Choices(overlap=Overlap.ONCE),
    Choices(overlap=Overlap.DROP, topics=TopicSet.RETRIEVED),
    Choices(overlap=Overlap.REPEAT, depth=2),
    Choices(like=Like.INEX_EVAL, overlap=Overlap.ONCE),
    Choices(like=Like.TREC_EVAL_9),
]


@pytest.fixture(scope="module")
def many_runs(whole_demo: DemoWorld) -> Many:
    """The demo's judgements and the runs of it that return text."""
    of_text = [run for run in whole_demo.runs if not run.name.startswith("entry-points")]
    return whole_demo.qrels, of_text[:8]


@st.composite
def stated_worlds(draw: st.DrawFn) -> World:
    """Worlds in which some documents state a relevant size, right or wrong."""
    world = draw(worlds())
    size = st.none() | st.integers(0, 40)
    return replace(
        world,
        judgements=tuple(replace(judged, stated_size=draw(size)) for judged in world.judgements),
    )


@pytest.mark.parametrize("choices", CHOICES, ids=lambda c: f"{c.like}-{c.overlap}")
@examples(8)
@given(world=stated_worlds(), data=st.data())
def test_samples_score_as_reduced_judgements_do(
    choices: Choices, world: World, data: st.DataObject
) -> None:
    qrels = world.stated_qrels
    try:
        evaluation = Evaluation.of(qrels, list(SPELLINGS), choices)
        aligned = evaluation.aligned(world.run)
    except DataError:
        assume(False)
        raise
    passages = len(evaluation.qrels.passages)
    marks = data.draw(
        st.lists(
            st.lists(st.booleans(), min_size=passages, max_size=passages), min_size=1, max_size=3
        )
    )
    kept = np.array(marks, dtype=bool).reshape(len(marks), passages)
    # Without any passage the judgements would speak of documents only.
    assume(kept.any(axis=1).all())
    samples = evaluation.samples(kept)
    values, eligible = evaluation.sample_scores(aligned, kept, samples)
    names = [evaluation.qrels.topics[number] for number in aligned.topics]
    for sample, own in enumerate(kept):
        marked = np.ones(qrels.passages.height, dtype=bool)
        marked[evaluation.qrels.passages.table_row] = own
        every = set(evaluation.qrels.topics)
        scored = rescored(qrels.keeping(marked, every), world.run, evaluation, choices)
        left = {name for name, counts in zip(names, eligible[sample], strict=True) if counts}
        assert set(scored) <= left
        assert set(scored) == left or not evaluation.conventions.missing_topics_have_rows
        for name, again in scored.items():
            assert values[:, sample, names.index(name)].tolist() == again.tolist()


def rescored(qrels: Qrels, run: Run, evaluation: Evaluation, choices: Choices) -> dict[str, Floats]:
    """Every topic's scores by the judgements as they are, laid anew."""
    names = [measure.name for measure in evaluation.measures]
    try:
        again = Evaluation.of(qrels, names, choices)
        scores = again.score(run)
    except DataError:
        return {}
    return dict(zip(scores.topics, scores.values.T, strict=True))


def test_pool_samples_rank_runs_as_re_scoring_every_sample_does(many_runs: Many) -> None:
    qrels, runs = many_runs
    measures = ["iP[0.01]", "AiP", "AgP", "AgP(S=t2i)", "AgP(S=ranked)", "AP"]
    files: dict[str, Qrels] = {}
    plan = stability_design(Experiment.POOL, rng=3, levels=[70, 30], samples=2, min_passages=5)
    evaluation = Evaluation.of(qrels, measures, Choices())

    def save(name: str, sample: object) -> None:
        assert isinstance(sample, Qrels)
        files[name] = sample

    def each(work: Callable[[Run], Result], label: str) -> list[Result]:
        return [work(run) for run in runs]

    found = stability_study(qrels, evaluation, plan, each, save=save)
    counts = Counter(qrels.documents["topic"].gather(qrels.passages["judged"]).to_list())
    enough = [topic for topic, count in counts.items() if count >= 5]
    every = np.ones(qrels.passages.height, dtype=bool)
    whole = evaluate(qrels.keeping(every, enough), runs, measures).mean()
    for measure, level, sample, tau in found.samples.iter_rows():
        again = evaluate(files[f"pool-{level}-{sample:02d}"], runs, measures).mean()
        assert tau == pytest.approx(kendalltau(whole[measure], again[measure]).statistic)


def test_topic_samples_rank_runs_as_scoring_those_topics_does(many_runs: Many) -> None:
    qrels, runs = many_runs
    drawn: dict[str, list[str]] = {}
    plan = stability_design(Experiment.TOPICS, rng=3, levels=[50, 10], samples=3)
    evaluation = Evaluation.of(qrels, ["AiP", "AP"], Choices())

    def save(name: str, sample: object) -> None:
        assert isinstance(sample, list)
        drawn[name] = sample

    def each(work: Callable[[Run], Result], label: str) -> list[Result]:
        return [work(run) for run in runs]

    found = stability_study(qrels, evaluation, plan, each, save=save)
    every = np.ones(qrels.passages.height, dtype=bool)
    whole = evaluate(qrels, runs, ["AiP", "AP"]).mean()
    for measure, level, sample, tau in found.samples.iter_rows():
        chosen = drawn[f"topics-{level}-{sample:02d}"]
        again = evaluate(qrels.keeping(every, chosen), runs, ["AiP", "AP"]).mean()
        assert tau == pytest.approx(kendalltau(whole[measure], again[measure]).statistic)


@given(
    means=st.lists(
        st.lists(st.sampled_from([0.0, 0.1, 0.1049, 0.105, 0.1051, 0.2, 0.5]), min_size=4, max_size=4),
        min_size=1, max_size=6,
    ),
    fuzziness=st.sampled_from([0.0, 0.05, 0.5]),
)  # fmt: skip
def test_the_error_rate_is_counted_pair_by_pair(means: list[list[float]], fuzziness: float) -> None:
    errors = total = 0
    for one, other in combinations(range(4), 2):
        better = worse = equal = 0
        for sample in means:
            a, b = sample[one], sample[other]
            if a == b or abs(a - b) < fuzziness * max(a, b):
                equal += 1
            elif a > b:
                better += 1
            else:
                worse += 1
        errors += min(better, worse)
        total += better + worse + equal
    found = [outcome.sum(axis=0) for outcome in outcomes(np.array(means), fuzziness)]
    assert error_rate(*found) == pytest.approx(errors / total)


def test_a_run_left_out_loses_the_passages_that_it_alone_has_found(many_runs: Many) -> None:
    qrels, runs = many_runs
    found = stability(qrels, runs, ["AiP"], experiment="leave-out", pool_depth=2)
    shown = {run.name: shown_passages(qrels, run, 2) for run in runs}
    whole = evaluate(qrels, runs, ["AiP"]).mean()["AiP"]
    for row in found.frames["finders"].iter_rows(named=True):
        own = shown[row["left_out"]]
        others = set().union(*(each for name, each in shown.items() if name != row["left_out"]))
        assert row["passages"] == len(own - others)
        kept = np.array([n not in own - others for n in range(qrels.passages.height)])
        topics = set(qrels.documents["topic"])
        without = evaluate(qrels.keeping(kept, topics), runs, ["AiP"]).mean()["AiP"]
        assert row["tau"] == pytest.approx(kendalltau(whole, without).statistic)
        place = [run.name for run in runs].index(row["left_out"])
        if whole[place]:
            assert row["change"] == pytest.approx(without[place] / whole[place] - 1, abs=1e-12)


def test_a_pool_of_some_depth_holds_what_the_first_parts_show(many_runs: Many) -> None:
    qrels, runs = many_runs
    found = stability(qrels, runs, ["AiP"], experiment="depth", depths=[1, 3])
    whole = evaluate(qrels, runs, ["AiP"]).mean()["AiP"]
    for row in found.frames["depths"].iter_rows(named=True):
        pool = set().union(*(shown_passages(qrels, run, row["depth"]) for run in runs))
        assert row["passages"] == len(pool)
        kept = np.array([n in pool for n in range(qrels.passages.height)])
        reduced = evaluate(qrels.keeping(kept, set(qrels.documents["topic"])), runs, ["AiP"]).mean()
        assert row["tau"] == pytest.approx(kendalltau(whole, reduced["AiP"]).statistic)


def test_swaps_are_pairs_that_two_disjoint_halves_order_differently(many_runs: Many) -> None:
    qrels, runs = many_runs
    found = stability(qrels, runs, ["AiP"], experiment="swap", levels=[50], samples=3, rng=8)
    table = evaluate(qrels, runs, ["AiP"]).topics
    values = np.array([table.filter(table["run"] == run.name)["AiP"].to_numpy() for run in runs])
    order = np.argsort(table.filter(table["run"] == runs[0].name)["topic"].to_numpy())
    values = values[:, order]
    drawn = Sampler.of(8).topics(values.shape[1], 50, 3, Draw.PARTITION)
    pairs: Counter[int] = Counter()
    swaps: Counter[int] = Counter()
    for halves in drawn:
        assert (halves.sum(axis=0) <= 1).all()
        one, other = (values[:, half == 1].mean(axis=1) for half in halves)
        for a, b in combinations(range(len(runs)), 2):
            place = min(int(abs(one[a] - one[b]) / 0.01), 20)
            pairs[place] += 1
            swaps[place] += int((one[a] - one[b]) * (other[a] - other[b]) < 0)
    bins = found.frames["bins"]
    assert bins["pairs"].to_list() == [pairs[place] for place in range(21)]
    assert bins["swaps"].to_list() == [swaps[place] for place in range(21)]


def shown_passages(qrels: Qrels, run: Run, depth: int) -> set[int]:
    """The passages that a run shows any character of in its first parts of a topic, by loops."""
    documents = list(qrels.documents.select("topic", "doc").iter_rows())
    passages = list(qrels.passages.iter_rows())
    found = set()
    ranks: Counter[str] = Counter()
    for topic, doc, start, end in (
        run.frame.sort("rank").select("topic", "doc", "start", "end").iter_rows()
    ):
        ranks[topic] += 1
        if ranks[topic] <= depth:
            found |= {
                number
                for number, (row, first, last) in enumerate(passages)
                if documents[row] == (topic, doc) and first < end and start < last
            }
    return found
