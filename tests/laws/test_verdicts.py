"""One verdict: compare, report, figures, gate and the first sentence say the same of the same runs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import combinations
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import foveal
from foveal.analysis import Comparison
from foveal.rendering._verdict_sentence import first_sentence
from tests.examples import examples
from tests.report_pages import ReadPage
from tests.scored import Rows, scores_of

DEPTH = 12
Pair = tuple[str, str]


@dataclass(frozen=True)
class World:
    """Topics with one relevant document each, and the rank at which every run returns it."""

    ranks: Mapping[str, Sequence[int]]

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        topics = range(len(next(iter(self.ranks.values()))))
        return {f"t{topic}": {"good": 1} for topic in topics}

    def run(self, name: str) -> dict[str, dict[str, float]]:
        return {
            f"t{topic}": {f"bad{place}": 100.0 - place for place in range(1, rank)}
            | {"good": 100.0 - rank}
            for topic, rank in enumerate(self.ranks[name])
        }

    @property
    def runs(self) -> dict[str, dict[str, dict[str, float]]]:
        return {name: self.run(name) for name in self.ranks}


@st.composite
def worlds(draw: st.DrawFn, most: int = 5) -> World:
    """Few runs, some far apart and some alike, now and then the same; topics that all are swapped on."""
    runs, topics = draw(st.integers(2, most)), draw(st.integers(6, 13))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    noise = draw(st.sampled_from([1, 2, 4]))
    qualities = [draw(st.sampled_from([1, 2, 3, 8])) for _ in range(runs)]
    ranks = {
        f"r{place}": (quality + rng.integers(0, noise, topics)).tolist()
        for place, quality in enumerate(qualities)
    }
    if draw(st.booleans()):
        ranks["r1"] = ranks["r0"]
    return World(ranks)


def told_apart(comparison: Comparison, measure: str) -> set[Pair]:
    own = comparison.pairs.filter(measure=measure, significant=True)
    return set(own.select("better", "worse").iter_rows())


def winner(comparison: Comparison, measure: str) -> str | None:
    """The run that is significantly better than every other, if there is one."""
    apart, names = told_apart(comparison, measure), comparison.ranking(measure)
    return next((name for name in names if {(name, x) for x in names if x != name} <= apart), None)


def assert_true(sentence: str, comparison: Comparison, measure: str) -> None:
    """What a first sentence claims is what the pairs say."""
    best, ranking = winner(comparison, measure), comparison.ranking(measure)
    assert (" is best" in sentence) == (best is not None), sentence
    if best is not None:
        assert sentence.startswith(f"{best} is best: {measure} ")
        second = re.search(r" (?:above|below) (\S+?)[. ]", sentence)
        assert second is not None
        assert second[1] == ranking[1]
        return
    beaten = {worse for better, worse in told_apart(comparison, measure) if better == ranking[0]}
    top = [name for name in ranking if name not in beaten]
    if not told_apart(comparison, measure):
        assert re.match(r"No difference shown (among|between) |.* identical on all ", sentence)
    else:
        assert sentence.startswith("No single winner: ")
        named = sentence.removeprefix("No single winner: ").split(" share the top")[0]
        listed = re.findall(r"r\d+", named)
        assert listed == top[: len(listed)]
        assert len(listed) == min(len(top), 4)
        assert (f"and {len(top) - 4} other" in named) == (len(top) > 4)


def in_file(scores: foveal.Scores) -> foveal.Scores:
    """The scores as they are read again from where they were saved."""
    with NamedTemporaryFile(suffix=".json") as file:
        file.write(foveal.render(scores, "json", per_topic=True).encode())
        file.flush()
        return foveal.read_scores(file.name)


def flat(text: str) -> str:
    """Text without the signs that keep Markdown and HTML from reading it as their own, on one line."""
    return " ".join(re.sub(r"\\(.)", r"\1", unescape(text)).split())


@examples(60)
@given(worlds())
def test_all_that_is_said_of_the_same_runs_is_one_verdict(world: World) -> None:
    scores = foveal.evaluate(world.qrels, world.runs, "RR")
    found = foveal.compare(scores)
    apart = told_apart(found, "RR")
    report = foveal.report(world.qrels, world.runs, "RR")
    assert report.comparison is not None
    assert report.comparison.pairs.equals(found.pairs)
    for given_scores in (scores.per_topic(), in_file(scores)):
        assert foveal.compare(given_scores).pairs.equals(found.pairs)
    assert foveal.report(in_file(scores)).verdict == report.verdict
    sentence = first_sentence(found, "RR")
    assert_true(sentence, found, "RR")
    assert report.verdict[0] == sentence
    assert foveal.figure(found, "means").title == sentence.removesuffix(".")
    for form in ("text", "markdown", "latex", "html"):
        assert sentence in flat(foveal.render(found, form)), form
    page = ReadPage.of(report.page())
    assert sentence in page.words("verdict")
    (board,) = page.tables("leaderboard")
    letters = {row["run"]: _spelled(row["letters"]) for row in board}
    for one, other in combinations(world.ranks, 2):
        is_apart = bool({(one, other), (other, one)} & apart)
        assert (not letters[one] & letters[other]) == is_apart
    data = foveal.figure(found, "matrix").data.filter(significant=True)
    assert set(data.select("better", "worse").iter_rows()) == apart


def _spelled(letters: str) -> set[str]:
    """All letters, those between the first and the last of a row included."""
    if "–" not in letters:
        return set(letters.split())
    first, last = letters.split("–")
    return {chr(code) for code in range(ord(first), ord(last) + 1)}


@examples(60)
@given(worlds())
def test_a_gate_fails_where_compare_calls_the_drop_significant(world: World) -> None:
    each = {
        name: foveal.evaluate(world.qrels, {name: world.run(name)}, "RR") for name in world.ranks
    }
    for one, other in combinations(world.ranks, 2):
        two = {name: world.run(name) for name in (one, other)}
        found = foveal.compare(foveal.evaluate(world.qrels, two, "RR"))
        better, worse, p, is_apart = found.pairs.select(
            "better", "worse", "adjusted_p", "significant"
        ).row(0)
        gate = foveal.gate(each[worse], baseline=each[better], significant=True)
        assert gate.drops["p"].item() == p
        assert gate.holds is not is_apart
        assert foveal.gate(each[better], baseline=each[worse], significant=True).holds
        is_best = first_sentence(found, "RR").startswith(f"{better} is best: ")
        assert is_best is is_apart


@st.composite
def rows(draw: st.DrawFn) -> Rows:
    """Scores of a few runs that are often equal on a topic, and sometimes all the same."""
    runs, topics = draw(st.integers(2, 7)), draw(st.integers(1, 14))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    gain, steps = draw(st.sampled_from([0, 0.2, 0.9])), draw(st.sampled_from([1, 4, 1000]))
    places = rng.permutation(runs) / runs
    values = rng.random((runs, topics)) * (1 - gain) + gain * places[:, None]
    return {f"r{n}": np.round(own * steps) / steps for n, own in enumerate(values)}


CHOICES = st.fixed_dictionaries(
    {
        "test": st.sampled_from(
            ["randomization", "bootstrap", "t", "wilcoxon", "sign", "tukey", "tukey-rand", "anova"]
        ),
        "correct": st.sampled_from([None, "none", "holm", "bonferroni", "bh"]),
        "alpha": st.sampled_from([0.01, 0.05, 0.4]),
    }
)


@examples(200)
@given(rows(), CHOICES, st.sampled_from(["AP", "ESL(rels=1)"]))
def test_nobody_is_called_best_who_is_not_better_than_all_others(
    runs: Rows, choices: Mapping[str, str], measure: str
) -> None:
    found = foveal.compare(scores_of(runs, measure), resamples=199, **choices)  # type: ignore[arg-type]
    sentence = first_sentence(found, measure)
    if len(found.values.topics) == 1:
        assert sentence.startswith("One topic shows nothing about others: ")
        assert " is best" not in sentence
        return
    assert_true(sentence, found, measure)
    assert "nan" not in sentence.casefold()
    assert "None" not in sentence


@examples(100)
@given(rows(), st.data())
def test_of_baselines_is_said_how_many_runs_are_better_and_how_many_worse(
    runs: Rows, data: st.DataObject
) -> None:
    assume(len(runs) > 2)
    assume(len(runs["r0"]) > 1)
    baselines = data.draw(
        st.lists(st.sampled_from([*runs]), min_size=1, max_size=len(runs) - 1, unique=True)
    )
    tail = data.draw(st.sampled_from(["one", "two"]))
    scores = scores_of(runs)
    found = foveal.compare(scores, resamples=199, baseline=baselines, tail=tail)
    sentence = first_sentence(found, "AP")
    assert " is best" not in sentence
    for baseline in baselines:
        pairs = found.pairs.filter(baseline_run=baseline)
        significant = pairs.filter(significant=True).filter(pl.col("difference").abs() > 1e-9)
        better = significant.filter(pl.col("run") == pl.col("better"))["run"].to_list()
        worse = len(significant) - len(better)
        assert tail == "two" or not worse
        count = "1 run" if len(pairs) == 1 else f"{len(pairs)} runs"
        are = "are" if len(better) > 1 else "is"
        counted = (
            f"{len(better)} of {count} {are} better" if better else f"None of {count} is shown"
        )
        assert re.search(
            rf"{counted}[a-z ]* than {baseline} by AP{f', {worse} worse' if worse else ''}[;.]",
            sentence,
        ), sentence
        assert not better or f"; the best, {better[0]}, is " in sentence
    report = foveal.report(scores, resamples=199, baseline=baselines, tail=tail)
    assert report.verdict[0] == sentence
    assert foveal.figure(found, "means").title == sentence.removesuffix(".")
    for form in ("text", "markdown", "latex", "html"):
        assert sentence in flat(foveal.render(found, form)), form


@examples(20)
@given(rows(), rows())
def test_of_several_measures_the_tasks_own_has_the_verdict(first: Rows, second: Rows) -> None:
    runs, topics = min(len(first), len(second)), min(len(first["r0"]), len(second["r0"]))
    assume(topics > 1)
    own, other = (
        {name: rows[name][:topics] for name in [*rows][:runs]} for rows in (first, second)
    )
    # AP is the measure of whole documents, wherever it was asked for.
    found = foveal.compare(scores_of(other, "RR", AP=own), resamples=199)
    assert found.main_measure == "AP"
    sentence = first_sentence(found, "AP")
    assert flat(foveal.render(found)).startswith(sentence)
    without = foveal.compare(scores_of(other, "RR", **{"P@5": own}), resamples=199)
    assert without.main_measure == "RR"
    assert flat(foveal.render(without)).startswith(first_sentence(without, "RR"))
    assert foveal.figure(without, "means").title + "." == first_sentence(without, "RR")


def test_the_title_of_means_has_the_verdict_of_the_tasks_own_measure() -> None:
    rng = np.random.default_rng(7)
    base = rng.random(10) / 2
    far, near = {"a": base, "b": base + 0.3}, {"a": base, "b": base + rng.normal(0, 0.1, 10)}
    for by_ap, by_rr in ((far, near), (near, far)):
        found = foveal.compare(scores_of(by_rr, "RR", AP=by_ap))
        sentence = first_sentence(found, "AP")
        assert sentence != first_sentence(found, "RR")
        assert foveal.figure(found, "means").title == sentence.removesuffix(".")


def chunks() -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    """Passages of eight topics, and two runs that find the same of the first 20 characters."""
    gold = [{"topic": str(n), "doc": "d", "start": 100 * n, "end": 100 * n + 50} for n in range(8)]
    runs = {
        name: [{**row, "end": 100 * n + size + n % 2} for n, row in enumerate(gold)]
        for name, size in (("half", 25), ("most", 49))
    }
    return gold, runs


@pytest.mark.parametrize("shown", ["report", "text", "markdown", "latex", "html", "figure"])
@pytest.mark.parametrize("measures", [["own", "other"], ["other", "own"]], ids=" ".join)
@pytest.mark.parametrize("task", ["document", "rag"])
def test_the_measure_of_the_verdict_is_the_same_everywhere(
    task: str, measures: list[str], shown: str
) -> None:
    if task == "rag":
        qrels, runs = chunks()
        names = {"own": "cR(chars=2000)", "other": "cR(chars=20)"}
        expected = "most is best: recall@2000chars 0.990, 0.480 above half."
    else:
        world = World({"best": [1] * 8, "worst": [2] * 8})
        qrels, runs = world.qrels, world.runs  # type: ignore[assignment]  # another form
        names = {"own": "AP", "other": "P@2"}
        expected = "best is best: AP 1.000, 0.500 above worst."
    asked = [names[measure] for measure in measures]
    found = foveal.compare(foveal.evaluate(qrels, runs, asked, task=task))
    assert first_sentence(found, found.main_measure) == expected
    if shown == "report":
        assert foveal.report(qrels, runs, asked, task=task).verdict[0] == expected
    elif shown == "figure":
        assert foveal.figure(found, "means").title + "." == expected
    else:
        assert expected in flat(foveal.render(found, shown))
