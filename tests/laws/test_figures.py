"""Every figure has data, and shows what a reader would look for in it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from statistics import fmean
from typing import Any

import numpy as np
import polars as pl
import pytest
from tools.reference import commands

from foveal.analysis import Agreement, Comparison, agree, compare
from foveal.cli import _options as options
from foveal.rendering import FIGURES, FigureRecord, figure
from foveal.studies import Fidelity, Stability, fidelity, stability
from foveal.tables import Scores
from tests.scored import scores_of, simulated

EVERY = [(result, record) for result in FIGURES for record in FIGURES[result].values()]
NAMES = [f"{result} {record.name}" for result, record in EVERY]
Fact = Callable[[Any, pl.DataFrame], None]
FACTS: dict[str, Fact] = {}


def shows(*figures: str) -> Callable[[Fact], Fact]:
    """Say that a function asserts what the figures show, each by its result and name."""

    def register(fact: Fact) -> Fact:
        FACTS.update(dict.fromkeys(figures, fact))
        return fact

    return register


@cache
def result_for(result: str, experiment: str | None) -> Any:
    """A small result that has the figure."""
    first, second = simulated(4, 30), simulated(4, 30, seed=8)
    makers: dict[str, Callable[[], Any]] = {
        "Scores": lambda: scores_of(first, "iP[0.00]", **{"iP[0.50]": second}),
        "Comparison": lambda: compare(
            scores_of(first, "AP", RR=second, **{"cR(chars=10)": first, "cR(chars=9)": second}),
            alpha=0.2,
        ),
        "Agreement": lambda: agree(scores_of(first, "AP", RR=second)),
        "Fidelity": lambda: fidelity(judged(), None, ["AgP", "AP"], noise=["pad"]),
        "Stability": lambda: stability(
            judged(), returned(), ["AiP", "charP"], experiment=experiment or "", min_passages=0,
            **({"depths": [1, 9]} if experiment == "depth" else {"levels": [50, 20], "samples": 4}),
        ),
    }  # fmt: skip
    return makers[result]()


def judged() -> list[dict[str, Any]]:
    """Two passages in each of two documents of twelve topics."""
    return [
        {
            "topic": f"{topic}",
            "doc": doc,
            "length": 100,
            "highlights": [[start, start + 9], [60, 90]],
        }
        for topic in range(12)
        for doc, start in (("a", topic), ("b", 2 * topic))
    ]


def returned() -> list[list[dict[str, Any]]]:
    """Runs that return more and more text around the passages, some of them only of one document."""
    rng = np.random.default_rng(7)
    return [
        [
            {"run": f"run{run}", "topic": f"{topic}", "doc": doc, "start": start, "end": start + 30}
            for topic in range(12)
            for doc in ("ab" if run else "a")
            for start in (int(rng.integers(0, 10 + 10 * run)), 50 + 5 * run)
        ]
        for run in range(4)
    ]


@pytest.mark.parametrize(("result", "record"), EVERY, ids=NAMES)
def test_every_figure_has_data_shows_what_it_says_and_is_drawn(
    result: str, record: FigureRecord
) -> None:
    asserted = FACTS.get(f"{result} {record.name}")
    assert asserted, "write what a reader sees in it: @shows in tests/laws/test_figures.py"
    assert record.sentence.endswith(".")
    for experiment in record.experiments or (None,):
        found = result_for(result, experiment)
        drawn = figure(found, record.name)
        assert drawn.data.height > 1
        asserted(found, drawn.data)
        assert drawn.rendered(".svg").startswith(b"<svg")


@pytest.mark.parametrize("result", FIGURES)
def test_commands_offer_every_figure_of_their_result(result: str) -> None:
    offering = {
        record.name
        for _, command in commands()
        for option in command.params
        if isinstance(option.type, options.Name) and option.name == "figure"
        for record in option.type.registry().values()
        if record in FIGURES[result].values()
    }
    assert offering == {record.name for record in FIGURES[result].values() if record.offered}


def mean_of(found: Comparison | Agreement, measure: str, run: str) -> float:
    """The mean of a run, from the table of means."""
    return float(found.means.filter(measure=measure, run=run)["mean"].item())


@shows("Scores curves", "Scores curves-11", "Scores curves-101")
def curves_pass_through_the_means_at_each_level(found: Scores, data: pl.DataFrame) -> None:
    for run, recall, precision in data.select("run", "recall", "precision").iter_rows():
        assert precision == found.overall.filter(run=run)[f"iP[{recall:.2f}]"].item()


@shows("Comparison matrix")
def rows_of_the_matrix_are_better_than_columns(found: Comparison, data: pl.DataFrame) -> None:
    for row in data.iter_rows(named=True):
        one, other = (mean_of(found, row["measure"], row[side]) for side in ("better", "worse"))
        assert one >= other
        assert row["significant"] == (row["adjusted_p"] <= 0.2)
        ranking = found.ranking("AP")
        labels = [ranking.index(row[side]) + 1 for side in ("better", "worse")]
        assert labels == [row["better_rank"], row["worse_rank"]]
    assert set(data["significant"]) == {True, False}


@shows("Comparison means")
def means_stand_within_their_intervals(found: Comparison, data: pl.DataFrame) -> None:
    for row in data.iter_rows(named=True):
        values = found.values.values[
            found.values.of_measure(row["measure"]), found.values.of_run(row["run"])
        ]
        assert row["mean"] == pytest.approx(fmean(values))
        assert row["low"] < row["mean"] < row["high"]


@shows("Comparison differences")
def bars_are_the_best_run_less_the_second(found: Comparison, data: pl.DataFrame) -> None:
    for (measure,), own in data.group_by("measure", maintain_order=True):
        best, second = found.ranking(str(measure))[:2]
        assert set(own.select("better", "worse").iter_rows()) == {(best, second)}
        ahead = mean_of(found, str(measure), best) - mean_of(found, str(measure), second)
        assert own["difference"].mean() == pytest.approx(ahead)
        assert (own["better_value"] - own["worse_value"]).equals(own["difference"])


@shows("Comparison p-values")
def p_falls_from_place_to_place(found: Comparison, data: pl.DataFrame) -> None:
    for (measure,), own in data.group_by("measure", maintain_order=True):
        tested = found.pairs.filter(measure=measure)["p"].sort(descending=True)
        assert own["p"].to_list() == tested.to_list()
        assert own["place"].to_list() == list(range(1, 7))


@shows("Comparison budget")
def recall_is_drawn_over_growing_budgets(found: Comparison, data: pl.DataFrame) -> None:
    assert data["budget"].to_list() == [9] * 4 + [10] * 4
    for run, size, recall in data.select("run", "budget", "recall").iter_rows():
        assert recall == mean_of(found, f"cR(chars={size})", run)


@shows("Agreement scatter")
def runs_lie_at_their_two_means(found: Agreement, data: pl.DataFrame) -> None:
    for first, second, run, across, up in data.select(
        "first", "second", "run", "first_mean", "second_mean"
    ).iter_rows():
        assert (across, up) == (mean_of(found, first, run), mean_of(found, second, run))


@shows("Fidelity lattice")
def better_runs_stand_above_worse_ones(found: Fidelity, data: pl.DataFrame) -> None:
    assert (data["y"] > data["y2"]).all()
    assert data.height == found.orderings.height


@shows("Fidelity curves")
def perfect_text_is_perfect_at_every_level(found: Fidelity, data: pl.DataFrame) -> None:
    assert data.filter(run="S.R")["value"].to_list() == pytest.approx([1.0] * 11)
    assert (data.filter(run="SLD.R")["value"] < 1).all()


@shows("Fidelity responses")
def responses_start_at_the_perfect_run_and_fall(found: Fidelity, data: pl.DataFrame) -> None:
    own = data.filter(measure="AgP").sort("strength")["value"]
    assert own[0] == found.scores.filter(run="S.R", measure="AgP")["value"].item()
    assert (own.diff().drop_nulls() <= 0).all()
    assert own[-1] < own[0]


@shows("Stability curves")
def bars_reach_one_spread_up_and_down(found: Stability, data: pl.DataFrame) -> None:
    middle = "rate" if "rate" in data.columns else "mean"
    known = data.drop_nulls("spread")
    assert known.height
    for center, low, high, spread in known.select(middle, "low", "high", "spread").iter_rows():
        assert (high - center, center - low) == pytest.approx((spread, spread))


@shows("Stability plane")
def cells_are_every_share_of_topics_with_every_share_of_passages(
    found: Stability, data: pl.DataFrame
) -> None:
    shares = {100, 50, 20}
    for (_,), own in data.group_by("measure"):
        cells = set(own.select("topics", "passages").iter_rows())
        assert cells == {(topics, passages) for topics in shares for passages in shares}
        assert own.filter(topics=100, passages=100)["tau"].item() == pytest.approx(1)


@shows("Stability depths")
def deeper_pools_hold_more_passages(found: Stability, data: pl.DataFrame) -> None:
    for (_,), own in data.group_by("measure"):
        held = own.sort("depth")["passages"]
        assert held[0] < held[-1]
        assert own.sort("depth")["tau"][-1] == pytest.approx(1)


@shows("Stability swaps")
def rates_are_swaps_per_pair(found: Stability, data: pl.DataFrame) -> None:
    known = data.drop_nulls("rate")
    assert known.height
    assert (known["swaps"] / known["pairs"]).to_list() == pytest.approx(known["rate"].to_list())
