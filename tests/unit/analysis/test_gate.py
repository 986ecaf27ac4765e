"""Gates: what is demanded, what may drop, and what is said about both."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import foveal
from foveal.analysis import compare, gate
from foveal.errors import DataError, NotScored, UsageError
from foveal.evaluation import Scores
from foveal.evaluation.scores import ScoreInputs
from tests.examples import examples
from tests.scored import Rows, scores_of
from tests.shared import needs, shared

RAG = shared("data", "rag")
RNG = np.random.default_rng(3)
BEFORE = np.clip(RNG.normal(0.6, 0.2, 60), 0, 1)
NOISE = np.clip(BEFORE + RNG.normal(-0.02, 0.3, 60), 0, 1)
WORSE = np.clip(BEFORE - RNG.uniform(0, 0.12, 60), 0, 1)


def one(values: Sequence[float] | np.ndarray, measure: str = "AP", **others: Rows) -> Scores:
    return scores_of({"mine": values}, measure, **others)


def test_every_demand_is_a_row_with_its_interval() -> None:
    scores = one(BEFORE, RR={"mine": NOISE})
    found = gate(scores, ["AP>=0.5", "RR<=0.1", "RR>0.2"])
    assert found.demands.columns == ["measure", "run", "value", "low", "high", "demand", "holds"]
    assert found.demands["demand"].to_list() == ["AP>=0.5", "RR<=0.1", "RR>0.2"]
    assert found.demands["holds"].to_list() == [True, False, True]
    assert found.demands["value"].to_list() == [scores["AP"], scores["RR"], scores["RR"]]
    assert not found
    assert not found.holds
    assert found.summary == "1 of 3 demands does not hold"
    assert (found.demands["low"] < found.demands["value"]).all()
    assert (found.demands["high"] > found.demands["value"]).all()
    two = scores_of({"mine": BEFORE, "other": BEFORE / 2}, RR={"mine": NOISE, "other": NOISE})
    means = compare(two, interval="t").means.filter(run="mine")
    assert found.demands["low"].to_list()[:2] == pytest.approx(means["low"].to_list())
    assert found.demands["high"].to_list()[:2] == pytest.approx(means["high"].to_list())


def test_a_dict_asks_for_at_least_or_where_less_is_better_for_at_most() -> None:
    scores = one([1.0, 3.0], "ESL", AP={"mine": [0.5, 0.7]})
    found = gate(scores, {"ESL": 2.0, "AP": 0.6})
    assert found.demands["demand"].to_list() == ["ESL<=2", "AP>=0.6"]
    assert found


def test_the_worst_topics_of_a_demand_that_fails_are_named() -> None:
    found = gate(one([0.9, 0.1, 0.8, 0.3, 0.2, 0.7, 0.05, 0.0]), "AP>=0.5")
    assert found.worst.columns == ["topic", "measure", "value"]
    names = [f"t{place:04d}" for place in (7, 6, 1, 4, 3)]
    assert found.worst.rows() == [
        (name, "AP", value) for name, value in zip(names, [0.0, 0.05, 0.1, 0.2, 0.3], strict=True)
    ]
    assert gate(one([0.9, 0.1]), "AP>=0.5").worst.is_empty()


def test_a_demand_inside_the_interval_is_told() -> None:
    scores = one(BEFORE)
    low, value, high = gate(scores, "AP>=0").demands.select("low", "value", "high").row(0)
    (told,) = gate(scores, f"AP>={(low + value) / 2}").notes
    assert "holds, but with other topics it might fail: the 95 % interval of the mean is" in told
    (told,) = gate(scores, f"AP>={(high + value) / 2}").notes
    assert "does not hold, but with other topics it might hold" in told
    assert not gate(scores, f"AP>={low - 0.01}").notes
    assert not gate(scores, f"AP>={high + 0.01}").notes


def test_a_demand_between_the_steps_of_so_few_topics_is_told() -> None:
    hits = [1.0] * 6 + [0.0]
    (told,) = [note for note in gate(one(hits), "AP>=0.95").notes if "0 or 1" in note]
    assert told == (
        "every topic scores 0 or 1 by AP, so with 7 topics the mean cannot be exactly 0.95:"
        " AP>=0.95 asks for 7 of 7 (1)"
    )
    (told,) = [note for note in gate(one(hits), "AP<=0.2").notes if "0 or 1" in note]
    assert told.endswith("AP<=0.2 allows at most 1 of 7 (0.1429)")
    assert not any("0 or 1" in note for note in gate(one([*hits[:6], 0.5]), "AP>=0.95").notes)
    assert not any("0 or 1" in note for note in gate(one([1.0, 0, 0, 1]), "AP>=0.75").notes)
    assert not any("0 or 1" in note for note in gate(one([*hits * 10]), "AP>=0.95").notes)


def test_one_topic_has_no_interval() -> None:
    found = gate(one([0.5]), "AP>=0.4")
    assert found.demands.select("low", "high").row(0) == (None, None)
    assert found.notes == ("one topic says nothing about others, so means have no interval",)


def test_a_number_that_a_measure_never_reaches_is_refused() -> None:
    with pytest.raises(UsageError, match=r"AP is between 0 and 1, .* with 80: write 0.8\?"):
        gate(one(BEFORE), "AP>=80")
    with pytest.raises(UsageError, match="it cannot be compared with -1"):
        gate(one(BEFORE), "AP>=-1")


def test_a_drop_that_may_be_chance_passes_with_a_note() -> None:
    drop = BEFORE.mean() - NOISE.mean()
    assert drop > 0.01
    found = gate(one(NOISE), baseline=one(BEFORE), max_drop=0.01, significant=True)
    assert found
    row = found.drops.row(0, named=True)
    assert row["drop"] == pytest.approx(drop)
    assert row["p"] > 0.05
    assert row["low"] < 0 < row["high"]
    (told,) = found.notes
    assert told.startswith(f"AP is {drop:.4g} below the baseline, more than 0.01, which may be")
    assert told.endswith("60 topics), so it passes")
    assert found.losses.is_empty()


def test_without_asking_for_significance_a_larger_drop_fails() -> None:
    found = gate(one(NOISE), baseline=one(BEFORE), max_drop=0.01)
    assert not found
    assert found.notes[0].endswith("but it fails (--significant lets such drops pass)")
    assert gate(one(NOISE), baseline=one(BEFORE), max_drop=0.5)
    # Where --significant would be refused it is not advised.
    assert gate(one([0.0] * 5), baseline=one([1.0] * 5)).notes[0].endswith("but it fails")


def test_a_real_drop_fails_and_names_the_topics_that_lost_most() -> None:
    found = gate(one(WORSE), baseline=one(BEFORE), max_drop=0.02, significant=True)
    assert not found
    assert found.notes == ()
    row = found.drops.row(0, named=True)
    assert row["p"] < 0.05
    assert (row["run"], row["value"]) == ("mine", pytest.approx(WORSE.mean()))
    assert row["baseline"] == pytest.approx(BEFORE.mean())
    lost = np.argsort(WORSE - BEFORE)[:5]
    assert found.losses["topic"].to_list() == [f"t{place:04d}" for place in lost]
    assert found.losses["difference"].to_list() == pytest.approx((WORSE - BEFORE)[lost].tolist())


def test_a_rise_is_no_drop_whatever_its_size() -> None:
    found = gate(one(BEFORE), baseline=one(WORSE))
    assert found
    assert found.drops["drop"].item() == pytest.approx(WORSE.mean() - BEFORE.mean())


def test_where_less_is_better_a_rise_is_a_drop() -> None:
    found = gate(one([2.0, 3.0], "ESL"), baseline=one([1.0, 1.0], "ESL"))
    row = found.drops.row(0, named=True)
    assert (row["drop"], row["holds"]) == (1.5, False)
    assert row["low"] <= 1.5 <= row["high"]
    assert found.losses["topic"].to_list() == ["t0001", "t0000"]


VALUES = st.lists(st.tuples(*[st.sampled_from([0, 0.25, 0.5, 1])] * 2), min_size=6, max_size=9)


@examples(20)
@given(VALUES, st.sampled_from([0.0, 0.1, 0.25]), st.booleans())
def test_drops_fail_as_every_way_of_swapping_says(
    pairs: list[tuple[float, float]], max_drop: float, significant: bool
) -> None:
    own, other = (list(values) for values in zip(*pairs, strict=True))
    differences = [b - a for a, b in pairs]
    drop = fmean(differences)
    swaps = [
        abs(fmean(s * d for s, d in zip(signs, differences, strict=True))) >= abs(drop) - 1e-12
        for signs in product((1, -1), repeat=len(pairs))
    ]
    p = fmean(swaps)
    found = gate(
        one(own), baseline=one(other), max_drop=max_drop, significant=significant, resamples=4000
    )
    row = found.drops.row(0, named=True)
    assert row["drop"] == pytest.approx(drop)
    # So few topics are swapped in all ways.
    assert row["p"] == pytest.approx(p, abs=1e-12)
    too_large = drop > max_drop + 1e-9
    if not significant or not too_large:
        assert found.holds == (not too_large)
    else:
        assert found.holds == (p > 0.05)


@pytest.mark.parametrize(("measure", "sign"), [("AP", -1), ("ESL", 1)])
@pytest.mark.parametrize("significant", [False, True])
# In binary an eighth is exact, and what is left of a drop by a tenth is a little more or less.
@pytest.mark.parametrize("largest", [0.1, 0.125])
def test_a_drop_of_exactly_the_largest_allowed_holds(
    largest: float, significant: bool, measure: str, sign: int
) -> None:
    best = [0.25, 0.5, 0.75, 0.875, 0.625, 0.375, 0.3]
    for drop, holds in ((largest, True), (largest + 1e-6, False)):
        worse = [value + sign * drop for value in best]
        found = gate(
            one(worse, measure),
            baseline=one(best, measure),
            max_drop=largest,
            significant=significant,
        )
        assert found.holds == holds, found.drops


def test_so_few_topics_that_no_drop_is_significant_are_refused() -> None:
    with pytest.raises(DataError, match=r"5 topics cannot show a significant drop \(p is at least"):
        gate(one([0.0] * 5), baseline=one([1.0] * 5), significant=True)
    assert not gate(one([0.0] * 6), baseline=one([1.0] * 6), significant=True)
    with pytest.raises(
        UsageError, match=r"18 resamples cannot make p 0\.05 or less: ask for 19 or more"
    ):
        gate(one(WORSE), baseline=one(BEFORE), significant=True, resamples=18)
    # p of all 60 topics that differ is 1 of 20, which is alpha.
    found = gate(one(WORSE), baseline=one(BEFORE), significant=True, resamples=19)
    assert found.drops["p"].item() == 0.05
    assert not found


@pytest.mark.parametrize(("alpha", "fails"), [(0.0625, True), (0.0624, False)])
def test_a_drop_whose_p_is_alpha_fails_as_compare_calls_it_significant(
    alpha: float, fails: bool
) -> None:
    # All five topics that differ lost: p is 2 of 32.
    own, other = [0.25] * 5 + [0.5] * 4, [0.5] * 9
    found = gate(one(own), baseline=one(other), significant=True, alpha=alpha)
    assert found.drops["p"].item() == 0.0625
    assert found.holds is not fails
    told = [note for note in found.notes if "may be chance (p = 0.0625, 9 topics)" in note]
    assert bool(told) is not fails
    pair = compare(scores_of({"own": own, "other": other}), alpha=alpha).pairs.row(0, named=True)
    assert (pair["p"], pair["significant"]) == (0.0625, fails)


def test_the_default_test_of_a_drop_is_that_of_compare() -> None:
    found = gate(one(NOISE), baseline=one(BEFORE)).drops.row(0, named=True)
    pairs = compare(scores_of({"run": NOISE, "baseline": BEFORE})).pairs
    assert pairs.select("better", "worse").row(0) == ("baseline", "run")
    assert pairs["p"].item() == found["p"]
    assert "100,000 resamples" in gate(one(NOISE), baseline=one(BEFORE)).settings["test"]


def test_all_resamples_can_be_taken_and_are_said_to_be() -> None:
    found = gate(one(NOISE[:12]), baseline=one(BEFORE[:12]), resamples="all")
    pairs = compare(scores_of({"run": NOISE[:12], "baseline": BEFORE[:12]}), resamples="all").pairs
    assert found.drops["p"].item() == pairs["p"].item()
    assert "all 4,096 resamples" in found.settings["test"]


def test_few_topics_are_told_where_the_test_decides() -> None:
    scores = one([0.5] * 10)
    (told,) = gate(scores, baseline=one([0.5] * 10), significant=True).notes
    assert told == "10 topics are few: with fewer than 50 the test misses real drops"
    assert gate(scores, baseline=one([0.5] * 10)).notes == ()


def told(**settings: str) -> Scores:
    return replace(one(BEFORE), settings={"task": "document", "ties found": "none", **settings})


@pytest.mark.parametrize(
    ("baseline", "reason"),
    [
        (replace(one(BEFORE), inputs=ScoreInputs("0123456789abcdef")), "against other judgements"),
        (one(BEFORE, "RR"), "the baseline has no AP, only RR"),
        (one(BEFORE[:9]), "scored on other topics"),
        (told(overlap="paid"), "with overlap: paid, the run with"),
        (told(task="rag"), "with task: rag, the run with task: document"),
        (told(ties="id", **{"ties found": "1 topic"}), "with ties: id, the run with ties: file"),
    ],
)
def test_baselines_that_say_something_else_are_refused(baseline: Scores, reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        gate(told(task="document (as told)", ties="file"), baseline=baseline)


def test_scores_of_other_programs_are_a_baseline_with_a_note() -> None:
    before = foveal.Scores.from_dicts({f"t{n}": {"map": value} for n, value in enumerate(BEFORE)})
    scores = replace(one(BEFORE), inputs=ScoreInputs("0123456789abcdef"))
    topics = [replace(run, topics=[f"t{n}" for n in range(len(BEFORE))]) for run in scores.values]
    found = gate(replace(scores, values=topics), baseline=before)
    assert found.holds
    unknown = "which judgements these scores are from is not known"
    assert unknown in found.notes
    assert gate(before, baseline=before).notes.count(unknown) == 1


def test_a_limit_that_no_drop_can_exceed_is_refused() -> None:
    reason = r"AP is between 0 and 1, so no drop can be more than 2 \(.*\): write 0.02\?"
    with pytest.raises(UsageError, match=reason):
        gate(one(WORSE), baseline=one(BEFORE), max_drop=2)
    # Other measures have no greatest value.
    assert gate(one([7.0, 8.0], "ESL"), baseline=one([6.0, 7.0], "ESL"), max_drop=2)


def test_ways_to_break_ties_matter_only_where_there_are_some() -> None:
    assert gate(told(ties="file"), baseline=told(ties="id")).holds


def test_calls_that_make_no_sense_are_refused() -> None:
    scores, two = one(BEFORE), scores_of({"a": BEFORE, "b": BEFORE})
    with pytest.raises(UsageError, match="nothing is demanded"):
        gate(scores)
    with pytest.raises(UsageError, match=r"a gate looks at one run, got 2 runs \(a, b\)"):
        gate(two, "AP>=0.5")
    with pytest.raises(UsageError, match=r"a baseline is one run, but these are scores of 2 runs"):
        gate(scores, baseline=two)
    with pytest.raises(UsageError, match="max_drop must be 0 or more, got -1"):
        gate(scores, baseline=scores, max_drop=-1)
    with pytest.raises(NotScored, match="no measure 'RR' was scored"):
        gate(scores, "RR>=0.5")
    with pytest.raises(UsageError, match="cannot drop: name a measure that is a mean"):
        gate(one(BEFORE, "num_ret"), baseline=one(BEFORE, "num_ret"))


@needs(RAG)
def test_two_chunkers_of_real_questions() -> None:
    """Recall is lower by chance, IoU is really lower (472 questions of Chroma's set)."""
    with gzip.open(RAG / "questions_df.csv.gz", "rt", encoding="utf-8") as lines:
        gold = [
            {"topic": f"c{n:03}", "doc": row["corpus_id"], "start": span["start_index"],
             "end": span["end_index"]}
            for n, row in enumerate(csv.DictReader(lines))
            for span in json.loads(row["references"])
        ]  # fmt: skip
    fixed, recursive = (
        foveal.evaluate(
            gold, foveal.read_run(RAG / f"{name}.run.jsonl.gz"), ["cR@5", "cIoU@5"], task="rag"
        )
        for name in ("fixed_500-250", "langchain_recursive_500-100")
    )
    noise = gate(recursive, baseline=fixed, max_drop=0.01, significant=True)
    assert noise
    assert noise.drops["drop"].to_list()[0] > 0.01
    assert any(note.startswith("recall@5 is 0.01039 below the baseline") for note in noise.notes)
    real = gate(fixed, baseline=recursive, max_drop=0.005, significant=True)
    assert real.drops["holds"].to_list() == [True, False]
    assert set(real.losses["measure"]) == {"cIoU@5"}
    assert (real.losses["value"] < real.losses["baseline"]).all()


def test_the_same_seed_gives_the_same_gate() -> None:
    first, second, other = (
        gate(one(NOISE), "AP>=0.5", baseline=one(BEFORE), rng=seed) for seed in (1, 1, 2)
    )
    assert first.demands.equals(second.demands)
    assert first.drops.equals(second.drops)
    assert first.demands.equals(other.demands)
    assert not first.drops.equals(other.drops)
    assert first.settings["seed"] == "1"


def test_settings_say_when_a_drop_fails() -> None:
    for significant, said in ((True, "if significant"), (False, "if larger")):
        found = gate(
            one(WORSE), baseline=one(BEFORE), max_drop=0.25, significant=significant, alpha=0.01
        )
        assert found.settings["a drop fails"] == said
        assert found.settings["max drop"] == "0.25"
        assert found.settings["test"] == "randomization, two-tailed, alpha 0.01, 100,000 resamples"
