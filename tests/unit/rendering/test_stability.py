from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

from foveal.choices import Experiment, Form
from foveal.rendering import render, rendered_bytes
from foveal.studies import DemoWorld, Stability, stability

UNSAMPLED = {Experiment.LEAVE_OUT, Experiment.DEPTH}
FORMS = [form for form in Form if form not in {Form.TREC, Form.INEX} and not form.is_verdict]


@pytest.fixture(scope="module")
def studies(whole_demo: DemoWorld) -> dict[Experiment, Stability]:
    """Every experiment on some of the demo's runs."""
    few: dict[str, Any] = {"levels": [50, 20], "samples": 3}
    return {
        experiment: stability(
            whole_demo.qrels, whole_demo.runs[1:6], ["AiP", "AP"], experiment=experiment,
            **({} if experiment in UNSAMPLED else few),
        )
        for experiment in Experiment
    }  # fmt: skip


def made(experiment: Experiment, frames: dict[str, pl.DataFrame]) -> Stability:
    return Stability(experiment, frames, runs=5, topics=9)


def curves(rows: Sequence[tuple[str, int, float | None]], value: str = "mean") -> pl.DataFrame:
    frame = pl.DataFrame(rows, ["measure", "level", value], orient="row")
    return frame.with_columns(pl.lit(0.01).alias("spread"))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("experiment", Experiment)
def test_every_experiment_has_every_form(
    studies: dict[Experiment, Stability], experiment: Experiment, form: Form
) -> None:
    drawn = rendered_bytes(studies[experiment], form)
    assert b"AiP" in drawn
    if form is Form.JSON:
        found = json.loads(drawn)
        assert set(studies[experiment].frames) <= set(found)
        assert found["reading"]


def test_the_reading_of_rank_correlations() -> None:
    frame = curves(
        [("AiP", 80, 0.97), ("AiP", 20, 0.91), ("iP[0.00]", 80, 0.93), ("iP[0.00]", 20, 0.7)]
    )
    found = made(Experiment.POOL, {"curves": frame, "tau_ap_curves": frame})
    text = " ".join(render(found).split())
    assert (
        "By τ averaged over the levels, AiP holds best: 0.94 (0.97 at 80 % and 0.91 at 20 % of the"
        " passages). iP[0.00] holds least: 0.81 (0.93 at 80 % and 0.70 at 20 %). τ stays at 0.9 or"
        " more from 20 % of the passages on with AiP, from 80 % on with iP[0.00]."
    ) in text


def test_the_reading_quotes_the_average_that_it_ranks_by() -> None:
    # Better at both ends, which alone were quoted, and worse on average.
    rows = [("AiP", 80, 0.99), ("AiP", 50, 0.1), ("AiP", 20, 0.7),
            ("AP", 80, 0.9), ("AP", 50, 0.8), ("AP", 20, 0.6)]  # fmt: skip
    frame = curves(rows)
    found = made(Experiment.TOPICS, {"curves": frame, "tau_ap_curves": frame})
    text = " ".join(render(found).split())
    assert "AP holds best: 0.77 (0.90 at 80 % and 0.60 at 20 % of the topics)." in text
    assert "AiP holds least: 0.60 (0.99 at 80 % and 0.70 at 20 %)." in text
    rates = made(Experiment.ERROR_RATE, {"curves": curves(rows, "rate")})
    text = " ".join(render(rates).split())
    assert (
        "By the error rate averaged over the levels, AiP errs least: 59.7 % (99.0 % at 80 %" in text
    )
    assert "AP errs most: 76.7 % (90.0 % at 80 % and 60.0 % at 20 %)." in text


def test_averages_that_look_the_same_are_not_ranked() -> None:
    frame = curves([("AiP", 80, 0.951), ("AiP", 20, 0.92), ("AP", 80, 0.95), ("AP", 20, 0.92)])
    found = made(Experiment.TOPICS, {"curves": frame, "tau_ap_curves": frame})
    told = "By τ averaged over the levels, the measures are alike: 0.94."
    assert told in " ".join(render(found).split())


@pytest.mark.parametrize(
    ("rates", "told"),
    [
        ([0.01, 0.02, 0.01, 0.04], "from 20 % of the topics on, whatever the measure."),
        ([0.01, 0.02, 0.01, 0.05], "from 20 % of the topics on with AiP, from 80 % on with AP."),
        (
            [0.01, 0.02, 0.06, 0.04],
            "from 20 % of the topics on with AiP; not even at 80 % with AP.",
        ),
        ([0.05, 0.5, 0.06, 0.9], "with none of the measures, not even at 80 % of the topics."),
    ],
)
def test_the_reading_of_error_rates(rates: list[float], told: str) -> None:
    places = [("AiP", 80), ("AiP", 20), ("AP", 80), ("AP", 20)]
    rows = [(*place, rate) for place, rate in zip(places, rates, strict=True)]
    text = render(made(Experiment.ERROR_RATE, {"curves": curves(rows, "rate")}))
    assert f"The error stays under 5 % {told}" in " ".join(text.split())


@pytest.mark.parametrize(
    ("rate", "told"),
    [(0.01, "from 20 % of the topics on."), (0.3, "at no level, not even at 80 % of the topics.")],
)
def test_the_reading_of_one_measure_does_not_speak_of_others(rate: float, told: str) -> None:
    rows = [("AiP", 80, rate), ("AiP", 20, rate)]
    text = render(made(Experiment.ERROR_RATE, {"curves": curves(rows, "rate")}))
    assert f"The error stays under 5 % {told}" in " ".join(text.split())


def test_what_is_undefined_is_said_to_be() -> None:
    frame = curves([("AiP", 50, None)]).cast({"mean": pl.Float64, "spread": pl.Float64})
    found = made(Experiment.TOPICS, {"curves": frame, "tau_ap_curves": frame})
    assert "undefined" in render(found)
    assert "nothing but ties" in render(found)


@pytest.mark.parametrize(
    ("rates", "told"),
    [
        ([0.0, 0.0, 0.0], "AiP, AP and RR: 0.0 % at 80 % of the topics."),
        (
            [0.0, 0.0, 0.2],
            "AiP and AP err least: 0.0 % at 80 % of the topics. RR errs most: 20.0 % at 80 %.",
        ),
    ],
)
def test_measures_that_err_alike_are_named_together(rates: list[float], told: str) -> None:
    rows = [(name, 80, rate) for name, rate in zip(("AiP", "AP", "RR"), rates, strict=True)]
    text = render(made(Experiment.ERROR_RATE, {"curves": curves(rows, "rate")}))
    assert told in " ".join(text.split())


def test_one_measure_is_not_called_the_best() -> None:
    frame = curves([("AiP", 80, 0.97), ("AP", 80, None)])
    found = made(Experiment.TOPICS, {"curves": frame, "tau_ap_curves": frame})
    text = " ".join(render(found).split())
    assert "AiP: the mean τ is 0.97 at 80 % of the topics." in text
    assert "AP ranks nothing: all runs are tied." in text


def test_a_measure_whose_differences_all_hold_needs_none() -> None:
    frame = pl.DataFrame({"measure": ["AiP", "AP"], "level": [50, 50], "difference": [0.0, 0.07]})
    text = " ".join(render(made(Experiment.SWAP, {"needed": frame})).split())
    assert "two runs must differ by 0.07 in AP. Every difference" in text
    assert "is enough in AiP." in text


@pytest.mark.parametrize(
    ("longest", "said"),
    [("10", "No depth can be judged by this: even the pool of everything"),
     ("11", "None of the pools tried keeps τ at 0.9 or more.")],
)  # fmt: skip
def test_depths_are_not_judged_by_runs_that_show_too_little(longest: str, said: str) -> None:
    rows = [("AiP", 10, 4, 2, 0.7), ("AiP", 5, 3, 2, 0.6)]
    frame = pl.DataFrame(rows, ["measure", "depth", "passages", "topics", "tau"], orient="row")
    settings = {"longest run": longest}
    found = Stability(Experiment.DEPTH, {"depths": frame}, runs=5, topics=9, settings=settings)
    assert said in " ".join(render(found).split())
