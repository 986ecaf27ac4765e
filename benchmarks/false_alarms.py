"""Runs with equal means: how often each test calls some of them different; and what it finds of a real difference.

`python -m benchmarks false_alarms` writes the tables into the page about significance. The kernels and the
corrections are those that `foveal.compare` uses; what it makes beside them is left out, as it takes longer.
The row of TREC-3 needs the folder `shared`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from math import ceil, floor
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple, get_args

import numpy as np
from tests.shared import ROOT, shared
from tools.making import table

from foveal.analysis import ALPHA, DECIMALS, TESTS
from foveal.analysis._compare import corrected
from foveal.analysis._resamples import Resamples
from foveal.analysis._significance_test import ScoreMatrix
from foveal.choices import Correction, Tail
from foveal.conventions import TESTING_LIKE, USUAL_TESTING, Testing, TestName
from foveal.frozen import frozen
from foveal.spans import Bools, Floats, Ints

SEED = 2007
RUNS, TOPICS = (2, 5, 10), (25, 50, 100)
FEW, MANY = min(RUNS), max(RUNS)
# Simulated experiments of a cell, by runs.
WORLDS = {2: 2000, 5: 1000, 10: 1000}
RESAMPLES = 10_000
# The shuffles of a range depend on the scores, so every world needs its own; p ≤ 0.05 is as rare with fewer.
SHUFFLES = 500
# So many worlds share a set of resamples.
SHARING = 50
POWER_TOPICS = 50
EFFECT_TOPICS = 200_000
# What is allowed: so many standard errors beyond alpha in a cell, and a percentage point on average.
ERRORS, ON_AVERAGE = 3, 0.01
OLD, NEW = "as in 2007", USUAL_TESTING.test
SETTINGS: dict[str, Testing] = {OLD: TESTING_LIKE["kamps2007"]} | {
    name: Testing(name, resamples=SHUFFLES if TESTS[name].joint else RESAMPLES)
    for name in get_args(TestName)
}
SHOWN = (OLD, NEW, "t", "wilcoxon", "bootstrap", "tukey-rand")
# The t-test is as randomization there.
SHOWN_WEAK = (OLD, NEW, "wilcoxon", "sign", "bootstrap", "tukey-rand")
WIDTH = 120
PAGE = ROOT / "docs" / "why" / "significance.md"
MARKED = re.compile(
    r"(?P<begin><!-- python -m benchmarks false_alarms -->\n).*?(?P<end><!-- end -->)", re.DOTALL
)
TREC_3 = shared("data", "stats", "adhoc3.csv")
Size = tuple[int, int, int]
"""Worlds, runs, topics."""


class World(NamedTuple):
    """Scores of runs with equal means, or of which the first gains something."""

    draw: Callable[[np.random.Generator, Size, float], Floats]
    gain: float = 0.0
    """With it, the first run is better by an effect of about 0.4."""

    runs: tuple[int, ...] = RUNS


def _gains(size: Size, gain: float) -> Floats:
    """The gain of each run: that of the first, 0 for the others."""
    return np.asarray(gain * (np.arange(size[1]) == 0)[:, None])


def _abilities(rng: np.random.Generator, size: Size, gain: float) -> Floats:
    """Expected scores of runs: topics differ in difficulty for all of them."""
    worlds, _, topics = size
    easiness = rng.beta(1.5, 3, (worlds, 1, topics))
    return np.asarray(easiness + _gains(size, gain) * (1 - easiness))


def _beta(rng: np.random.Generator, size: Size, gain: float) -> Floats:
    abilities = _abilities(rng, size, gain)
    return rng.beta(5 * abilities, 5 * (1 - abilities))


def _normal(rng: np.random.Generator, size: Size, gain: float) -> Floats:
    worlds, _, topics = size
    easiness = rng.normal(0.4, 0.2, (worlds, 1, topics))
    return np.asarray(easiness + _gains(size, gain) + rng.normal(0, 0.1, size))


def _zero_inflated(rng: np.random.Generator, size: Size, gain: float) -> Floats:
    return np.asarray(_beta(rng, size, gain) * (rng.random(size) > 0.4))


def _tied(rng: np.random.Generator, size: Size, gain: float) -> Floats:
    return rng.binomial(5, _abilities(rng, size, gain)) / 5


def _variants(rng: np.random.Generator, size: Size, gain: float) -> Floats:
    worlds, _, topics = size
    base = _beta(rng, (worlds, 1, topics), 0)
    differ = rng.random((worlds, 1, topics)) < 0.25
    return np.where(differ, _beta(rng, size, gain), base)


def _other_shape(rng: np.random.Generator, size: Size, _: float) -> Floats:
    # Every second run scores much on few topics and next to nothing on the others.
    narrow = np.where(np.arange(size[1]) % 2, 0.05, 1.0)[:, None]
    return rng.beta(4 * narrow, 20 * narrow, size)


def _two_noisy(rng: np.random.Generator, size: Size, _: float) -> Floats:
    return rng.normal(0.4, 0.05 * np.where(np.arange(size[1]) < 2, 4.0, 1.0)[:, None], size)


def _trec_3(rng: np.random.Generator, size: Size, _: float) -> Floats:
    worlds, runs, topics = size
    scores = np.genfromtxt(TREC_3, delimiter=",", skip_header=1)[:, 1:].T
    equal = scores - scores.mean(axis=1, keepdims=True)
    chosen = rng.permuted(np.tile(np.arange(len(equal)), (worlds, 1)), axis=1)[:, :runs, None]
    return np.asarray(equal[chosen, rng.integers(equal.shape[1], size=(worlds, 1, topics))])


BOUNDED = {
    "normal": World(_normal, 0.057),
    "beta, as of AP": World(_beta, 0.16),
    "many zeros": World(_zero_inflated, 0.41),
    "tied, as of P@5": World(_tied, 0.17),
}
EXCEPTIONS = {
    "variants: differ on one topic in four": World(_variants),
    "same mean, other shape": World(_other_shape),
    "two noisy runs among quiet ones": World(_two_noisy, runs=(MANY,)),
    "TREC-3, made equal": World(_trec_3, runs=(MANY,)),
}


@frozen
class HeldResamples(Resamples):
    """Resamples that stay in memory: worlds share them, as the measures of a comparison do."""

    def bootstrap(self, topics: int) -> Iterator[Floats]:
        return iter(_held(Resamples.bootstrap, self, topics))

    def flips(self, topics: int) -> Iterator[Floats]:
        return iter(_held(Resamples.flips, self, topics))

    def all_flips(self, topics: int) -> Iterator[Floats]:
        return iter(_all_flips(topics))


@lru_cache(maxsize=4)
def _held(
    make: Callable[[Resamples, int], Iterator[Floats]], resamples: Resamples, topics: int
) -> list[Floats]:
    return list(make(resamples, topics))


@lru_cache(maxsize=32)
def _all_flips(topics: int) -> list[Floats]:
    return list(Resamples(1, (0,)).all_flips(topics))


class Shares(NamedTuple):
    """Of simulated experiments: those with a star, pairs with one, pairs of the first run that it wins."""

    experiments: float
    pairs: float
    found: float


Cell = Mapping[tuple[str, Correction], Shares]


def corrections(setting: Testing) -> list[Correction]:
    """The corrections that a setting is tried with, its own or usual one first."""
    if setting.correct or TESTS[setting.test].corrected:
        return [Correction.NONE]
    return [Correction.HOLM, Correction.NONE, Correction.BONFERRONI, Correction.BH]


def verdicts(
    values: Floats, resamples_by_count: Mapping[int | str, Resamples]
) -> Iterator[tuple[tuple[str, Correction], Ints, Bools]]:
    """Of every setting and correction, the better run of each pair and whether it has a star."""
    order = np.argsort(-values.mean(axis=1).round(DECIMALS), kind="stable")
    trials: dict[tuple[Tail | str, int | str], ScoreMatrix] = {}
    for name, setting in SETTINGS.items():
        key = setting.tail, setting.resamples
        if key not in trials:
            trials[key] = ScoreMatrix(
                values[order],
                Tail(setting.tail),
                resamples_by_count[setting.resamples],
                np.argsort(order),
            )
        p = TESTS[setting.test].kernel(trials[key])
        better = order[trials[key].pairs[0]]
        for correction in corrections(setting):
            adjusted, _ = corrected(p, np.zeros_like(p), correction)
            yield (name, correction), better, adjusted <= ALPHA


def simulated(world: World, gain: float, size: Size, rng: np.random.Generator) -> Cell:
    """The shares of stars in so many worlds."""
    worlds, runs, topics = size
    sums: dict[tuple[str, Correction], Floats] = defaultdict(lambda: np.zeros(3))
    for start in range(0, worlds, SHARING):
        counts = {setting.resamples for setting in SETTINGS.values()}
        resamples_by_count = {count: HeldResamples.seeded(count, rng) for count in sorted(counts)}
        for values in world.draw(rng, (min(SHARING, worlds - start), runs, topics), gain):
            for key, better, star in verdicts(values, resamples_by_count):
                won = star[better == 0].sum() / (runs - 1)
                sums[key] += star.any(), star.mean(), won
    return {key: Shares(*(total / worlds)) for key, total in sums.items()}


def largest_allowed(worlds: int) -> float:
    """The share of experiments with a false star that chance allows a test at alpha in so many worlds."""
    return ALPHA + ERRORS * _error(worlds)


def beyond_bounds(shares: Mapping[str, tuple[float, int]]) -> list[str]:
    """Cells that raise more alarms than allowed, and the mean if that does; each with its worlds."""
    beyond = [
        f"{name}: {100 * share:.1f} % > {100 * largest_allowed(worlds):.1f} %"
        for name, (share, worlds) in shares.items()
        if share > largest_allowed(worlds)
    ]
    average = np.mean([share for share, _ in shares.values()])
    if average > ALPHA + ON_AVERAGE:
        beyond.append(f"mean: {100 * average:.1f} % > {100 * (ALPHA + ON_AVERAGE):.0f} %")
    return beyond


class SimulationResults(NamedTuple):
    """All cells: false alarms by world, runs and topics; power by world and runs; the effects."""

    alarms: dict[tuple[str, int, int], Cell]
    power: dict[tuple[str, int], Cell]
    effects: list[float]

    def bounded(self, runs: int) -> list[Cell]:
        """The cells of the four worlds whose false alarms are bounded."""
        return [
            cell
            for (name, cell_runs, _), cell in self.alarms.items()
            if cell_runs == runs and name in BOUNDED
        ]


def figures(folder: Path, divisor: int = 1, page: Path = PAGE) -> Iterator[tuple[str, str, str]]:
    """Rows: the subject measured, its figure and the target; the tables go into the page.

    A divisor reduces the number of worlds.
    """
    results = SimulationResults({}, {}, [])
    for number, (name, world) in enumerate((BOUNDED | EXCEPTIONS).items()):
        if world.draw is _trec_3 and not TREC_3.exists():
            continue
        for runs in world.runs:
            worlds = _worlds(name, runs, divisor)
            for topics in TOPICS:
                rng = np.random.default_rng([SEED, number, runs, topics])
                size = (worlds, runs, topics)
                results.alarms[name, runs, topics] = simulated(world, 0.0, size, rng)
            allowed = f"≤ {100 * largest_allowed(worlds):.1f} %" if name in BOUNDED else ""
            yield f"{runs} runs, {name}", _alarms_by_topics(results, name, runs, NEW), allowed
    for number, (name, world) in enumerate(BOUNDED.items()):
        rng = np.random.default_rng([SEED, number])
        (better, worse), *_ = world.draw(rng, (1, 2, EFFECT_TOPICS), world.gain)
        results.effects.append(float((better - worse).mean() / (better - worse).std()))
        for runs in (FEW, MANY):
            rng = np.random.default_rng([SEED, number, runs])
            size = (_worlds(name, runs, divisor), runs, POWER_TOPICS)
            results.power[name, runs] = cell = simulated(world, world.gain, size, rng)
            share = _percent(cell[NEW, Correction.HOLM].found)
            yield f"{runs} runs, {name}, found of effect {results.effects[-1]:.2f}", share, ""
    bounded = {
        f"{runs} runs, {name}, {topics} topics": (
            cell[NEW, Correction.HOLM].experiments,
            _worlds(name, runs, divisor),
        )
        for (name, runs, topics), cell in results.alarms.items()
        if name in BOUNDED
    }
    beyond = beyond_bounds(bounded)
    shares = [share for share, _ in bounded.values()]
    yield "… mean of all that are bounded", _percent(np.mean(shares)), "≤ 6 %"
    yield "… beyond their bound", f"{len(beyond)} of {len(shares)}", "0"
    lines = "\n".join(_lines(results, shares, beyond, divisor))
    text = page.read_text(encoding="utf-8")
    page.write_text(
        MARKED.sub(lambda marks: f"{marks['begin']}\n{lines}\n{marks['end']}", text),
        encoding="utf-8",
    )
    if beyond:
        raise RuntimeError(f"more false alarms than allowed: {'; '.join(beyond)}")


def _worlds(name: str, runs: int, divisor: int) -> int:
    """The number of simulated experiments of a cell; the known exceptions get half as many."""
    return max(1, WORLDS[runs] // (2 * divisor if name in EXCEPTIONS else divisor))


def _lines(
    results: SimulationResults, shares: list[float], beyond: list[str], divisor: int
) -> Iterator[str]:
    """The tables, what they mean, and what was simulated."""
    topics = f"{', '.join(map(str, TOPICS[:-1]))} and {TOPICS[-1]} topics"
    yield from _prose(f"Experiments with at least one false star, in per cent, with {topics}:")
    yield from _alarm_table(results, BOUNDED, SHOWN)
    yield ""
    within = (
        f"More than chance allows: {'; '.join(beyond)}."
        if beyond
        else f"All {len(shares)} of its cells are at most three standard errors above 5 %."
    )
    old, new = (_range(results.bounded(MANY), name) for name in (OLD, NEW))
    yield from _prose(
        f"The default raises an alarm in {_percent(np.mean(shares))} of experiments on average, and in"
        f" {_percent(max(shares))} at most. {within}"
    )
    yield from _prose(
        f"**In plain words.** Ten groups of students hand in systems that are equally good. By the test of"
        f" 2007, the report shows that some group has beaten another in {old} of 100 such classes; by the"
        f" default in {new}. So among equals the default rarely shows a star, and a star or two among the"
        f" {MANY * (MANY - 1) // 2} pairs by the old test is what chance alone gives."
    )
    yield from _prose("The same where tests have known weaknesses:")
    yield from _alarm_table(results, EXCEPTIONS, SHOWN_WEAK)
    yield ""
    yield from _prose(
        "All tests and corrections, on average over all rows and numbers of topics of the first table:"
        " experiments with a false star in per cent, and in brackets the pairs that have one. The last"
        " two columns show what each test finds, as it is corrected by default, where one run is truly better"
        " (the test of 2007 finds most, as it also finds what is not there):"
    )
    yield from _test_table(results)
    yield ""
    effects = f"{min(results.effects):.2f} to {max(results.effects):.2f}"
    few, many = (_worlds(NEW, runs, divisor) for runs in (FEW, MANY))
    errors = f"{100 * _error(few):.1f} and {100 * _error(many):.1f} points"
    yield from _prose(
        f"**What was simulated.** For each number of the first table, {few:,} experiments with two runs and"
        f" {many:,} with five and ten (standard errors at 5 %: {errors}); half as many for the known"
        f" weaknesses. Seed {SEED}; {RESAMPLES:,} resamples, {SHUFFLES} shuffles for `tukey-rand`, and"
        " 1,000 resamples as in 2007. Tests and corrections are the code of `foveal compare`; all are"
        " two-tailed but that of 2007. *Found* is the share of the better run's pairs that have a star for it,"
        f" with {POWER_TOPICS} topics and an effect of {effects}. The scores are invented, but for those of"
        " TREC-3: average precision of its ad hoc runs, moved so that all means are equal, ten runs chosen and"
        " topics drawn anew in each experiment."
    )
    yield from _prose(
        "`python -m benchmarks false_alarms` in a clone makes these tables anew, in about eight minutes."
    )


def _prose(text: str) -> list[str]:
    return [*wrap(text, WIDTH, break_on_hyphens=False, break_long_words=False), ""]


def _error(worlds: int) -> float:
    """The standard error of a share that is alpha."""
    return float(np.sqrt(ALPHA * (1 - ALPHA) / worlds))


def _range(cells: list[Cell], name: str) -> str:
    """From the smallest to the largest share of experiments with a false star, in whole per cent."""
    key = name, corrections(SETTINGS[name])[0]
    shares = [100 * cell[key].experiments for cell in cells]
    return f"{floor(min(shares))} to {ceil(max(shares))}"


def _alarm_table(
    results: SimulationResults, worlds: Mapping[str, World], settings: tuple[str, ...]
) -> Iterator[str]:
    heads = ["runs", "scores", *(_head(name) for name in settings)]
    rows = [
        [
            str(runs),
            name,
            *(_alarms_by_topics(results, name, runs, setting) for setting in settings),
        ]
        for runs in RUNS
        for name in worlds
        if (name, runs, TOPICS[0]) in results.alarms
    ]
    return table(heads, rows)


def _head(name: str) -> str:
    if name == OLD:
        return name
    usual = corrections(SETTINGS[name])[0]
    corrected_by = f" + {usual.value.title()}" if usual is not Correction.NONE else ""
    return f"**{name}{corrected_by}**" if name == NEW else f"{name}{corrected_by}"


def _alarms_by_topics(results: SimulationResults, name: str, runs: int, setting: str) -> str:
    """Experiments with a false star, by topics."""
    key = setting, corrections(SETTINGS[setting])[0]
    return ", ".join(
        _number(results.alarms[name, runs, topics][key].experiments) for topics in TOPICS
    )


def _test_table(results: SimulationResults) -> Iterator[str]:
    ways = [Correction.NONE, Correction.BONFERRONI, Correction.HOLM, Correction.BH]
    heads = ["test", f"{FEW} runs", *(f"{MANY} runs, {way.value}" for way in ways)]
    rows = []
    for name in dict.fromkeys((OLD, NEW, *SETTINGS)):
        setting = SETTINGS[name]
        usual = corrections(setting)[0]
        cells = [_number(_mean(results.bounded(FEW), name, usual).experiments)]
        for way in ways:
            if way in corrections(setting):
                mean_shares = _mean(results.bounded(MANY), name, way)
                cells.append(f"{_number(mean_shares.experiments)} ({_number(mean_shares.pairs)})")
            else:
                cells.append("–")
        for runs in (FEW, MANY):
            of_runs = [cell for (_, cell_runs), cell in results.power.items() if cell_runs == runs]
            cells.append(f"{100 * _mean(of_runs, name, usual).found:.0f}")
        rows.append([name, *cells])
    return table([*heads, f"found, {FEW} runs", f"found, {MANY} runs"], rows)


def _mean(cells: list[Cell], name: str, way: Correction) -> Shares:
    return Shares(*np.mean([cell[name, way] for cell in cells], axis=0))


def _number(share: float | np.floating) -> str:
    """In per cent, with a decimal below ten."""
    number = 100 * share
    return f"{number:.1f}" if number < 9.95 else f"{number:.0f}"


def _percent(share: float | np.floating) -> str:
    return f"{_number(share)} %"
