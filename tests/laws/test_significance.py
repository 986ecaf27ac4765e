"""What every significance test keeps to."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from foveal.analysis import TESTS, Status, compare
from foveal.analysis._resamples import Resamples
from foveal.choices import Tail
from foveal.conventions import TestName
from foveal.errors import UsageError
from tests.scored import Rows, at_topics, scores_of, simulated

EVERY = [(record.name, tail) for record in TESTS.values() for tail in record.tails]
NEED_SPREAD = {"t", "tukey", "anova"}


def _p(runs: Rows, test: TestName, tail: Tail, **options: int) -> dict[frozenset[str], float]:
    found = compare(scores_of(runs), test=test, tail=tail, **options)  # type: ignore[arg-type]
    rows = found.pairs.select("better", "worse", "p").iter_rows()
    return {frozenset((better, worse)): p for better, worse, p in rows}


# All vectors of signs of the few topics are taken, of the many some are drawn.
@pytest.mark.parametrize("topics", [15, 30])
@pytest.mark.parametrize(("test", "tail"), EVERY)
def test_p_lies_above_0_and_at_most_at_1(test: TestName, tail: Tail, topics: int) -> None:
    runs = {**simulated(6, topics), "best": np.ones(topics), "worst": np.zeros(topics)}
    found = compare(scores_of(runs), test=test, tail=tail).pairs["p"].drop_nulls()
    assert len(found) >= 27
    assert ((found > 0) & (found <= 1)).all()


@pytest.mark.parametrize(("test", "tail"), EVERY)
def test_no_number_of_topics_makes_p_0(test: TestName, tail: Tail) -> None:
    gains = 0.1 + np.random.default_rng(7).random(3000) * 0.1
    runs = {"better": 0.5 + gains, "worse": np.full(3000, 0.5)}
    assert min(_p(runs, test, tail, resamples=20).values()) > 0


@pytest.mark.parametrize(("test", "tail"), EVERY)
def test_a_run_is_not_better_than_itself(test: TestName, tail: Tail) -> None:
    values = np.random.default_rng(7).random(33)
    runs = {"a": values, "b": values, "c": values * 0.5}
    assert _p(runs, test, tail)[frozenset("ab")] == 1
    assert set(_p({"a": values, "b": values}, test, tail).values()) == {1}


@pytest.mark.parametrize(("test", "tail"), EVERY)
def test_the_order_of_runs_and_of_topics_is_irrelevant(test: TestName, tail: Tail) -> None:
    runs = simulated(5, 20)
    backwards = dict(reversed(list(runs.items())))
    found = _p(runs, test, tail)
    assert _p(backwards, test, tail) == pytest.approx(found)
    scores = scores_of(runs)
    rng = np.random.default_rng(7)
    shuffled = at_topics(scores, {run: rng.permutation(20).tolist() for run in runs})
    again = compare(shuffled, test=test, tail=tail)
    assert again.pairs["p"].to_list() == compare(scores, test=test, tail=tail).pairs["p"].to_list()


@pytest.mark.parametrize(("test", "tail"), EVERY)
def test_of_tied_means_no_order_of_files_makes_one_the_better(test: TestName, tail: Tail) -> None:
    rng = np.random.default_rng(7)
    values = rng.random(20).round(1)
    runs = {name: rng.permutation(values) for name in "abc"}
    backwards = dict(reversed(list(runs.items())))
    found, again = (compare(scores_of(own), test=test, tail=tail) for own in (runs, backwards))
    assert found.ranking("AP") == ["a", "b", "c"]
    assert again.pairs.equals(found.pairs)


@pytest.mark.parametrize("test", TESTS)
def test_two_sided_p_is_the_same_for_the_mirrored_scores(test: TestName) -> None:
    runs = simulated(4, 20)
    mirrored = {name: 1 - np.asarray(values) for name, values in runs.items()}
    found = _p(runs, test, Tail.TWO)
    assert _p(mirrored, test, Tail.TWO) == pytest.approx(found)


@pytest.mark.parametrize(("test", "tail"), EVERY)
def test_a_larger_effect_has_no_larger_p(test: TestName, tail: Tail) -> None:
    rng = np.random.default_rng(7)
    base, noise = rng.random(25) * 0.3, rng.normal(0, 0.05, (3, 25))
    found = []
    for gain in (0.0, 0.01, 0.02, 0.04, 0.08, 0.16):
        runs = {"a": base + noise[0], "b": base + noise[1] - noise[1].mean() + noise[0].mean()}
        runs["b"] = runs["b"] + gain
        found.append(_p(runs, test, tail)[frozenset("ab")])
    # Equal means: one tail starts in the middle.
    assert all(later <= earlier for earlier, later in pairwise(found))
    assert found[-1] < 0.05 < found[0]


@pytest.mark.parametrize(("test", "tail"), EVERY)
def test_a_constant_difference_is_named(test: TestName, tail: Tail) -> None:
    values = np.random.default_rng(7).random(12) * 0.5
    found = compare(scores_of({"a": values + 0.1, "b": values}), test=test, tail=tail)
    assert found.effects["status"].to_list() == [Status.CONSTANT]
    p = found.pairs["p"][0]
    if test in NEED_SPREAD:
        assert p is None
        assert not found.pairs["significant"][0]
        assert any("same amount on every topic" in note for note in found.notes)
    else:
        assert p < 0.05


@pytest.mark.parametrize(("test", "tail"), EVERY)
def test_one_topic_and_two_topics_are_no_accident(test: TestName, tail: Tail) -> None:
    one = compare(scores_of({"a": [0.5], "b": [0.4], "c": [0.4]}), test=test, tail=tail)
    assert one.effects["status"].to_list() == ["one topic", "one topic", "no difference"]
    assert one.pairs["p"][2] == 1
    two = compare(scores_of({"a": [0.5, 0.3], "b": [0.4, 0.6]}), test=test, tail=tail)
    assert 0 < two.pairs["p"][0] <= 1


@pytest.mark.parametrize(("test", "tail"), EVERY)
def test_the_same_seed_gives_the_same_p_and_another_seed_another(
    test: TestName, tail: Tail
) -> None:
    runs = simulated(4, 30)
    first = _p(runs, test, tail, rng=3)
    assert _p(runs, test, tail, rng=3) == first
    if TESTS[test].resampled:
        assert _p(runs, test, tail, rng=4) != first


@pytest.mark.parametrize(("test", "tail"), EVERY)
def test_every_measure_meets_the_same_resamples(test: TestName, tail: Tail) -> None:
    runs = simulated(4, 30)
    both = compare(scores_of(runs, "AP", AgP=runs), test=test, tail=tail)
    by_first, by_second = both.pairs.partition_by("measure", include_key=False)
    assert by_first.equals(by_second)


@pytest.mark.parametrize("kind", ["bootstrap", "flips"])
def test_resamples_come_again_and_blocks_do_not_repeat(kind: str) -> None:
    topics = 3000
    drawn = Resamples(3000, (1, 2, 3, 4))
    blocks = list(getattr(drawn, kind)(topics))
    assert len(blocks) > 1
    assert sum(map(len, blocks)) == 3000
    for block, again in zip(blocks, getattr(drawn, kind)(topics), strict=True):
        assert np.array_equal(block, again)
    assert not np.array_equal(blocks[0][0], blocks[1][0])


@pytest.mark.parametrize("topics", [1, 2, 5, 11])
def test_all_flips_are_each_vector_of_signs_or_its_opposite_once(
    topics: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foveal.analysis._resamples.BLOCK", 1000)
    blocks = list(Resamples.seeded("all", 0).all_flips(topics))
    assert (len(blocks) > 1) == (topics == 11)
    taken = {tuple(signs) for signs in np.concatenate(blocks).tolist()}
    assert len(taken) == sum(map(len, blocks)) == 2 ** (topics - 1)
    opposite = {tuple(-sign for sign in signs) for signs in taken}
    assert not taken & opposite
    assert all(set(signs) <= {-1.0, 1.0} for signs in taken)


@pytest.mark.parametrize("tail", Tail)
def test_topics_on_which_nothing_differs_change_no_exact_p(tail: Tail) -> None:
    runs = simulated(4, 12)
    padded = {name: np.concatenate([np.full(25, 0.5), own]) for name, own in runs.items()}
    found = _p(runs, "randomization", tail)
    assert _p(padded, "randomization", tail) == found
    assert _p(padded, "randomization", tail, rng=5) == found


def test_a_test_of_all_runs_knows_no_tails() -> None:
    with pytest.raises(UsageError, match="tukey is two-tailed: ask for tail two"):
        compare(scores_of(simulated(3, 9)), test="tukey", tail="one")


def test_any_number_of_cores_gives_the_same_p() -> None:
    code = (
        "from tests.scored import at_topics, scores_of, simulated\nfrom foveal.analysis import compare\n"
        "for test in ('bootstrap', 'randomization', 'tukey-rand'):\n"
        "    found = compare(scores_of(simulated(12, 80)), test=test, resamples=5000, rng=7)\n"
        "    print(found.pairs['p'].to_list())"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "OPENBLAS_NUM_THREADS": cores, "POLARS_MAX_THREADS": cores},
            cwd=Path(__file__).resolve().parents[2],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for cores in ("1", "2")
    ]
    assert printed[0] == printed[1]
    assert printed[0].count("[") == 3
