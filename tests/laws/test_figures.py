"""Every figure has data, and shows what a reader would look for in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from statistics import fmean
from time import process_time
from typing import Any

import numpy as np
import polars as pl
import pytest
from tools.reference import commands

from foveal.analysis import Agreement, Comparison, agree, compare
from foveal.cli import _options as options
from foveal.evaluation import Scores
from foveal.judging import AssessorAgreement, agree_assessors
from foveal.rendering import FIGURES, Figure, FigureRecord, figure
from foveal.rendering.drawing import width
from foveal.studies import Fidelity, Stability, fidelity, stability
from tests.pictures import Drawn, Mark
from tests.scored import scores_of, simulated

EVERY = [(result, record) for result in FIGURES for record in FIGURES[result].values()]
NAMES = [f"{result} {record.name}" for result, record in EVERY]
HOSTILE = ["<script>alert(1)</script>", "a\"b'&c", "x" * 10_000, "up\u202edown\u200f😀"]
Fact = Callable[..., None]
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
        "AssessorAgreement": lambda: agree_assessors(
            {"ann": judged(), "bob": judged(7), "cem": judged(3)}
        ),
        "Fidelity": lambda: fidelity(judged(), None, ["AgP", "AP"], noise=["pad"]),
        "Stability": lambda: stability(
            judged(), returned(), ["AiP", "charP"], experiment=experiment or "", min_passages=0,
            **({"depths": [1, 9]} if experiment == "depth" else {"levels": [50, 20], "samples": 4}),
        ),
    }  # fmt: skip
    return makers[result]()


def judged(shift: int = 0) -> list[dict[str, Any]]:
    """Two passages in each of two documents of twelve topics, the second moved by a shift."""
    return [
        {
            "topic": f"{topic}",
            "doc": doc,
            "length": 100,
            "highlights": [[start, start + 9], [60 - shift, 90 - 2 * shift]],
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


def figures_of(result: str, record: FigureRecord) -> list[tuple[Any, Figure]]:
    """The figure of every result that has it, with that result."""
    results = [result_for(result, experiment) for experiment in record.experiments or (None,)]
    return [(found, figure(found, record.name)) for found in results]


@pytest.mark.parametrize(("result", "record"), EVERY, ids=NAMES)
def test_every_figure_has_data_and_shows_what_it_says(result: str, record: FigureRecord) -> None:
    asserted = FACTS[f"{result} {record.name}"]
    for found, drawn in figures_of(result, record):
        assert drawn.data.height > 1
        asserted(found, drawn.data)


@pytest.mark.parametrize(("result", "record"), EVERY, ids=NAMES)
def test_every_figure_is_drawn_inside_its_frame_with_title_and_source(
    result: str, record: FigureRecord
) -> None:
    for _, drawn in figures_of(result, record):
        svg = drawn.rendered(".svg")
        assert svg == drawn.rendered(".svg")
        picture = Drawn.of(svg)
        is_inside_its_frame(picture)
        shown = " ".join(mark.words for mark in picture.texts("title"))
        assert shown.replace("\N{NO-BREAK SPACE}", " ") == drawn.title
        assert drawn.source.partition(" ")[0] in " ".join(picture.words())
        assert len(drawn.title) > 20
        assert "nan" not in svg.decode().replace("nano", "")


def is_inside_its_frame(picture: Drawn) -> None:
    """Assert that no mark and no letter is cut off."""
    wide, high = picture.size
    for mark in picture.marks:
        left, top, right, bottom = extent(mark)
        assert min(left, top) >= 0, mark
        assert right <= wide, mark
        assert bottom <= high, mark


def extent(mark: Mark) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a mark, of a text by the widths of its letters."""
    if mark.kind != "text":
        return mark.spans
    size = 15 if "title" in mark.style else 13 if "head" in mark.style else 11
    long = width(mark.words, size)
    if mark.turned:
        return mark.x - size, mark.y, mark.x, mark.y + long
    before = {"start": 0.0, "middle": 0.5, "end": 1.0}[mark.anchor] * long
    return mark.x - before, mark.y - size * 0.8, mark.x - before + long, mark.y + 3


@pytest.mark.parametrize("suffix", [".png", ".pdf"])
def test_pictures_for_print_are_not_empty(suffix: str) -> None:
    begins = {".png": b"\x89PNG", ".pdf": b"%PDF"}[suffix]
    for kind, name in (("Comparison", "means"), ("Fidelity", "lattice"), ("Scores", "topics")):
        drawn = figure(result_for(kind, None), name).rendered(suffix)
        assert drawn.startswith(begins)
        assert len(drawn) > 5_000


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, name) for kind in ("Scores", "Comparison", "Agreement") for name in FIGURES[kind]],
)
def test_the_page_of_a_figure_needs_nothing_and_believes_no_name(kind: str, name: str) -> None:
    drawn = figure(odd_results()[kind], name)
    svg, page = drawn.rendered(".svg").decode(), drawn.rendered(".html").decode()
    assert not re.search(r"(src=|href=|https?:)", page)
    assert "default-src 'none'" in page
    for written in (svg, page):
        assert "<script" not in written
        assert "\u202e" not in svg
        assert "b'&c" not in written
    picture = Drawn.of(svg)
    assert picture.size[0] < 2_000
    assert max(len(words) for words in picture.words()) < 300
    assert pl.read_csv(drawn.rendered(".csv")).columns == drawn.data.columns


@cache
def odd_results() -> dict[str, Any]:
    """Results of runs with names that nobody should believe."""
    first, second = (
        dict(zip(HOSTILE, simulated(4, 9, seed=seed).values(), strict=True)) for seed in (7, 8)
    )
    others = {"iP[0.50]": second, "cR(chars=5)": second, "cR(chars=9)": first}
    scores = scores_of(first, "iP[0.00]", **others)
    return {"Scores": scores, "Comparison": compare(scores), "Agreement": agree(scores)}


@pytest.mark.parametrize("names", [["a", "b"], HOSTILE], ids=["short", "odd"])
def test_figures_of_few_runs_and_topics_stay_inside_their_frames(names: list[str]) -> None:
    runs = dict(zip(names, simulated(len(names), 2).values(), strict=True))
    scores = scores_of(runs, "AP", RR=runs)
    results = (scores, "topics"), (compare(scores, test="t"), "matrix means differences p-values")
    for found, names_of in (*results, (agree(scores), "scatter")):
        for name in names_of.split():
            picture = Drawn.of(figure(found, name).rendered(".svg"))
            is_inside_its_frame(picture)


@pytest.mark.parametrize("runs", [30, 79])
def test_many_runs_are_drawn_with_few_marks(runs: int) -> None:
    scores = scores_of(simulated(runs, 50), "AP", RR=simulated(runs, 50, seed=8))
    comparison = compare(scores, "AP", test="t")
    for found, name in ((scores, "topics"), (comparison, "matrix")):
        picture = Drawn.of(figure(found, name).rendered(".svg"))
        assert len(picture.of_kind("path", "cell")) <= 9
        # The names of rows do not touch.
        names = sorted(mark.y for mark in picture.texts("muted", anchor="end") if not mark.turned)
        assert all(later - earlier >= 10.9 for earlier, later in pairwise(names))
    levels = {f"iP[{n / 100:.2f}]": simulated(runs, 5, seed=n) for n in range(101)}
    first = levels.pop("iP[0.00]")
    drawn = figure(scores_of(first, "iP[0.00]", **levels), "curves")
    begin = process_time()
    picture = Drawn.of(drawn.rendered(".svg"))
    assert process_time() - begin < 1
    styles = [mark.style for mark in picture.series().values()]
    assert sum("rest" in style for style in styles) == runs - 8


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
    assert offering == {record.name for record in FIGURES[result].values() if record.is_offered}


def mean_of(found: Comparison | Agreement, measure: str, run: str) -> float:
    """The mean of a run, from the table of means."""
    return float(found.means.filter(measure=measure, run=run)["mean"].item())


@shows("Scores curves", "Scores curves-11", "Scores curves-101")
def curves_pass_through_the_means_at_each_level(found: Scores, data: pl.DataFrame) -> None:
    for run, recall, precision in data.select("run", "recall", "precision").iter_rows():
        assert precision == found.overall.filter(run=run)[f"iP[{recall:.2f}]"].item()


@shows("Scores topics")
def easy_topics_come_first_and_good_runs_on_top(found: Scores, data: pl.DataFrame) -> None:
    measure = found.measures[0]
    for run, topic, value in data.select("run", "topic", "value").iter_rows():
        assert value == found.topics.filter(run=run, topic=topic)[measure].item()
    for key in ("topic", "run"):
        means = data.group_by(key, maintain_order=True).agg(pl.col("value").mean())["value"]
        assert means.to_list() == sorted(means, reverse=True)


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
            found.values.measure_index(row["measure"]), found.values.run_index(row["run"])
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
def runs_lie_at_their_two_means(agreement: Agreement, data: pl.DataFrame) -> None:
    for first, second, run, across, up in data.select(
        "first", "second", "run", "first_mean", "second_mean"
    ).iter_rows():
        assert (across, up) == (mean_of(agreement, first, run), mean_of(agreement, second, run))


@shows("AssessorAgreement topics")
def topics_on_which_assessors_agree_come_first(
    assessor_agreement: AssessorAgreement, data: pl.DataFrame
) -> None:
    for (level,), own in data.group_by("level", maintain_order=True):
        first, second, *single = own["topic"].to_list()
        assert (first, second) == ("all topics, pooled", "mean of the topics")
        told = assessor_agreement.overall.filter(level=level, average="micro").select(
            "alpha", "low", "high"
        )
        assert own.select("alpha", "low", "high").row(0) == told.row(0)
        alphas = dict(
            assessor_agreement.topics.filter(level=level).select("topic", "alpha").iter_rows()
        )
        assert own["alpha"].to_list()[2:] == [alphas[topic] for topic in single]
        known = [alphas[topic] for topic in single if alphas[topic] is not None]
        assert known == sorted(known, reverse=True)
        assert len(single) == 12


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
    least = 0 if middle == "rate" else -1
    for center, low, high, spread in known.select(middle, "low", "high", "spread").iter_rows():
        # But not beyond what is possible.
        assert high == pytest.approx(min(center + spread, 1))
        assert low == pytest.approx(max(center - spread, least))


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
