"""What figures show, computed without their code: from scores, from files, or by hand.

The data of a figure are asked for as a reader would: `--figure NAME -o FILE.csv`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from scipy import stats

from tests.cli import small_world
from tests.cli.small_world import QRELS, RUNS, asked, called, document, topic_values

MEASURES = ("AiP", "AP", "charP")
COMPARE = ("compare", QRELS, *RUNS, *asked(*MEASURES))
LEVELS = ("--levels", "70,30", "--samples", "5")

Row = dict[str, str]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_world.write_articles(small_world.write(tmp_path_factory.mktemp("figures")))


def data(world: Path, figure: str, *words: str) -> list[Row]:
    """The rows of a figure."""
    called(world, *words, "--figure", figure, "-o", "figure.csv")
    return list(csv.DictReader((world / "figure.csv").read_text().splitlines()))


def means(world: Path, measure: str) -> dict[str, float]:
    """Every run's mean, the best first."""
    values = topic_values(world, *MEASURES)
    found = {run: fmean(own.values()) for (run, name), own in values.items() if name == measure}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def numbers(row: Row, *keys: str) -> list[float]:
    return [float(row[key]) for key in keys]


def of_measure(rows: Sequence[Row], measure: str) -> list[Row]:
    return [row for row in rows if row["measure"] == measure]


def test_the_matrix_has_the_better_run_of_every_pair_in_its_row(world: Path) -> None:
    # Of 10 topics p is 2 of 1,024 at least, which Holm makes 20 of 1,024 for the first of 10 pairs.
    rows = data(world, "matrix", *COMPARE, "--alpha", "0.02")
    found = document(world, *COMPARE, "--alpha", "0.02")["pairs"]
    p = {(row["measure"], row["better"], row["worse"]): row["adjusted_p"] for row in found}
    labels = {run: str(rank) for rank, run in enumerate(means(world, MEASURES[0]), start=1)}
    for measure in MEASURES:
        own = of_measure(rows, measure)
        # The best run is better than all others, and they come in the order of their means.
        best_first = list(means(world, measure))
        assert [(row["better"], row["worse"]) for row in own] == list(combinations(best_first, 2))
        for row in own:
            assert means(world, measure)[row["better"]] > means(world, measure)[row["worse"]]
            # Runs are labelled by their rank under the first measure, whatever the measure.
            assert row["better_rank"] == labels[row["better"]]
            assert row["worse_rank"] == labels[row["worse"]]
            shown = p[measure, row["better"], row["worse"]]
            assert float(row["adjusted_p"]) == shown
            assert row["significant"] == str(shown <= 0.02).lower()
    assert {row["significant"] for row in rows} == {"true", "false"}
    assert list(means(world, MEASURES[0])) != list(means(world, MEASURES[2]))


@pytest.mark.parametrize("alpha", ["0.05", "0.3"])
def test_means_are_in_the_middle_of_their_t_intervals_which_end_at_1(
    world: Path, alpha: str
) -> None:
    rows = data(world, "means", *COMPARE, "--interval", "t", "--alpha", alpha)
    for measure in MEASURES:
        own = of_measure(rows, measure)
        assert [row["run"] for row in own] == list(means(world, measure))
        for row in own:
            values = list(topic_values(world, *MEASURES)[row["run"], measure].values())
            mean, error = fmean(values), stats.sem(values)
            low, high = stats.t.interval(1 - float(alpha), len(values) - 1, mean, error)
            # All of these measures are between 0 and 1, and so are their intervals.
            expected = [max(low, 0.0), mean, min(high, 1.0)]
            assert numbers(row, "low", "mean", "high") == pytest.approx(expected)


def test_differences_are_those_of_the_best_and_the_second_best_run(world: Path) -> None:
    rows = data(world, "differences", *COMPARE)
    values = topic_values(world, *MEASURES)
    for measure in MEASURES:
        own = of_measure(rows, measure)
        best, second = list(means(world, measure))[:2]
        assert {(row["better"], row["worse"]) for row in own} == {(best, second)}
        assert sorted(row["topic"] for row in own) == sorted(small_world.TOPICS)
        for row in own:
            one, other = (values[run, measure][row["topic"]] for run in (best, second))
            shown = numbers(row, "better_value", "worse_value", "difference")
            assert shown == pytest.approx([one, other, one - other])
        # Topics that favour the best run come first, and on the whole it is ahead.
        heights = [float(row["difference"]) for row in own]
        assert heights == sorted(heights, reverse=True)
        assert heights[0] > max(0.0, heights[-1])
        assert sum(heights) > 0


def test_p_values_fall_from_left_to_right_and_are_those_of_all_pairs(world: Path) -> None:
    rows = data(world, "p-values", *COMPARE)
    pairs = document(world, *COMPARE)["pairs"]
    assert list(dict.fromkeys(row["measure"] for row in rows)) == list(MEASURES)
    for measure in MEASURES:
        own = of_measure(rows, measure)
        expected = sorted((row["p"] for row in pairs if row["measure"] == measure), reverse=True)
        assert [float(row["p"]) for row in own] == expected
        assert [row["place"] for row in own] == [str(place) for place in range(1, 11)]
        assert expected[0] > expected[-1]


def test_every_run_is_scattered_by_the_first_measure_across_and_the_second_up(world: Path) -> None:
    rows = data(world, "scatter", "agree", QRELS, *RUNS, *asked(*MEASURES))
    for first, second in combinations(MEASURES, 2):
        own = [row for row in rows if (row["first"], row["second"]) == (first, second)]
        across, up = means(world, first), means(world, second)
        assert sorted(row["run"] for row in own) == sorted(across)
        for row in own:
            run = row["run"]
            shown = numbers(row, "first_mean", "second_mean", "first_rank", "second_rank")
            ranks = [list(one).index(run) + 1 for one in (across, up)]
            assert shown == pytest.approx([across[run], up[run], *ranks])
    assert any(row["first_rank"] != row["second_rank"] for row in rows)
    assert len(rows) == 15


@pytest.mark.parametrize(
    ("points", "task", "measure", "level"),
    [
        (11, "focused", "iP", "[{:.2f}]"),
        (101, "focused", "iP", "[{:.2f}]"),
        (11, "ric", "igP", "[{:.2f}]"),
        (11, "bic", "igP(S=bep)", "[{:.2f}]"),
        (11, "document", "IPrec", "@{:.1f}"),
    ],
)
def test_curves_pass_through_the_precision_at_every_level_of_recall(
    world: Path, points: int, task: str, measure: str, level: str
) -> None:
    command = ("evaluate", QRELS, *RUNS, "--task", task)
    rows = data(world, f"curves-{points}", *command)
    levels = [round(place / (points - 1), 2) for place in range(points)]
    # Every tenth of the levels is asked for on its own.
    some = levels[:: (points - 1) // 10]
    named = {f"{measure}{level.format(x)}": x for x in some}
    scored = document(world, *command, *asked(*named))["rows"]
    expected = {(row["run"], named[row["measure"]]): row["value"] for row in scored}
    assert len(expected) == 11 * len(RUNS)
    for name in RUNS:
        run = name.removesuffix(".fol")
        curve = [row for row in rows if row["run"] == run]
        assert {row["measure"] for row in curve} == {measure}
        assert [float(row["recall"]) for row in curve] == levels
        heights = {float(row["recall"]): float(row["precision"]) for row in curve}
        assert [heights[x] for x in some] == [expected[run, x] for x in some]
        # What is interpolated never rises, and no run finds everything at once.
        falling = list(heights.values())
        assert falling == sorted(falling, reverse=True)
        assert falling[0] > falling[-1]


@pytest.mark.parametrize("elements", [[], ["--elements", "INDEX"]], ids=["without", "with"])
def test_the_lattice_has_better_runs_above_worse_ones(world: Path, elements: list[str]) -> None:
    words = ("fidelity", "xml.qrels", *elements, *asked("AgP", "AP"))
    rows = data(world, "lattice", *words)
    scores = {
        (row["measure"], row["run"]): row["value"] for row in document(world, *words)["scores"]
    }
    places: dict[str, set[tuple[str, str]]] = {}
    for row in rows:
        places.setdefault(row["first"], set()).add((row["x"], row["y"]))
        places.setdefault(row["second"], set()).add((row["x2"], row["y2"]))
        assert float(row["y"]) > float(row["y2"])
        ahead = 100 * (scores[row["measure"], row["first"]] - scores[row["measure"], row["second"]])
        assert float(row["difference"]) == pytest.approx(ahead, abs=1e-9)
        if abs(ahead) > 1e-9:
            assert row["verdict"] == ("kept" if ahead > 0 else "violated")
        else:
            assert row["verdict"] == "not distinguished"
        # Either the parts get worse or the ranking does, never both.
        parts, ranking = zip(row["first"].split("."), row["second"].split("."), strict=True)
        assert (parts[0] == parts[1]) != (ranking[0] == ranking[1])
    # Every run has one place, and no two share one.
    assert set(places) == {run for _, run in scores}
    assert all(len(own) == 1 for own in places.values())
    assert len({place for own in places.values() for place in own}) == len(places)
    assert max(places, key=lambda run: float(next(iter(places[run]))[1])) == "S.R"
    assert len(rows) == 2 * (36 if elements else 12)
    assert len({row["verdict"] for row in rows}) > 1


def test_curves_of_part_sets_are_those_of_the_saved_runs(world: Path) -> None:
    words = ("fidelity", QRELS, "-m", "AgP")
    rows = data(world, "curves", *words)
    called(world, *words, "--save-runs", "simulated")
    named = {f"igP[{place / 10:.2f}]": place / 10 for place in range(11)}
    files = ("simulated/S.R.fol", "simulated/SLD.R.fol")
    scored = document(world, "evaluate", QRELS, *files, "--task", "ric", *asked(*named))["rows"]
    expected = {(row["run"], named[row["measure"]]): row["value"] for row in scored}
    shown = {(row["run"], float(row["level"])): float(row["value"]) for row in rows}
    assert shown == pytest.approx(expected)
    # Perfect text in the perfect order is perfect at every level; whole documents are not.
    assert {shown["S.R", level] for level in named.values()} == {1.0}
    assert shown["SLD.R", 0.0] < 1


def test_responses_start_at_the_perfect_run_and_padding_is_as_done_by_hand(world: Path) -> None:
    words = ("fidelity", QRELS, *asked("AgP", "charP"), "--samples", "2")
    rows = data(world, "responses", *words)
    found = document(world, *words, "--noise")
    score = {row["measure"]: row["value"] for row in found["scores"] if row["run"] == "S.R"}
    shown = {
        (row["noise"], row["measure"], float(row["strength"])): numbers(row, "value", "spread")
        for row in rows
    }
    assert {noise for noise, _, _ in shown} == {"shift", "pad", "drop", "shuffle"}
    for noise in ("shift", "pad", "drop"):
        for measure, value in score.items():
            assert shown[noise, measure, 0.0] == pytest.approx([value, 0.0])
    for reach in (10, 50):
        padded = f"padded-{reach}.jsonl"
        (world / padded).write_text("".join(_padded(world, reach)))
        scored = document(world, "evaluate", QRELS, padded, "--task", "ric", *asked(*score))["rows"]
        for row in (row for row in scored if row["topic"] == "all"):
            assert shown["pad", row["measure"], reach] == pytest.approx([row["value"], 0.0])
    assert shown["drop", "AgP", 1.0] == [0.0, 0.0]
    assert shown["shift", "AgP", 10.0][1] > 0
    for row in found["responses"]:
        key = row["noise"], row["measure"], row["strength"]
        assert shown[key] == pytest.approx([row["value"], row["spread"]])


def _padded(world: Path, reach: int) -> list[str]:
    """The highlights, longer at both ends, documents with most highlighted text first."""
    judged = small_world.highlights(world)
    # All passages are equally long, and sorting leaves equals in the order of the file.
    most_first = sorted(judged, key=lambda key: -len(judged[key]))
    lines = []
    for topic, doc in most_first:
        parts: list[tuple[int, int]] = []
        for start, end in judged[topic, doc]:
            first, last = max(0, start - reach), min(small_world.LENGTH, end + reach)
            if parts and first < parts[-1][1]:
                first = parts.pop()[0]
            parts.append((first, last))
        lines += [
            json.dumps({"topic": topic, "doc": doc, "start": first, "end": last}) + "\n"
            for first, last in parts
        ]
    return lines


@pytest.mark.parametrize("experiment", ["pool", "topics"])
def test_bars_of_stability_are_one_deviation_of_the_samples_long(
    world: Path, experiment: str
) -> None:
    words = ("stability", experiment, QRELS, *RUNS, *asked("AiP", "charP"), *LEVELS)
    rows = data(world, "curves", *words)
    samples = document(world, *words)["samples"]
    assert [(row["measure"], row["level"]) for row in rows] == [
        ("AiP", "70"), ("AiP", "30"), ("charP", "70"), ("charP", "30"),
    ]  # fmt: skip
    for row in rows:
        own = [
            sample["tau"]
            for sample in samples
            if (sample["measure"], str(sample["level"])) == (row["measure"], row["level"])
        ]
        mean, spread = np.mean(own), np.std(own, ddof=1)
        shown = numbers(row, "mean", "spread", "low", "high")
        # No τ is greater than 1, however far the samples spread.
        assert shown == pytest.approx([mean, spread, mean - spread, min(mean + spread, 1)])
    assert any(float(row["spread"]) > 0 for row in rows)


def test_bars_of_error_rates_reach_as_far_as_their_spread(world: Path) -> None:
    words = ("stability", "error-rate", QRELS, *RUNS, *asked("AiP", "charP"), *LEVELS)
    rows = data(world, "curves", *words)
    curves = document(world, *words)["curves"]
    for row, expected in zip(rows, curves, strict=True):
        rate, spread = expected["rate"], expected["spread"]
        assert (row["measure"], row["level"]) == (expected["measure"], str(expected["level"]))
        shown = numbers(row, "rate", "spread", "low", "high")
        assert shown == pytest.approx([rate, spread, max(rate - spread, 0), rate + spread])
    assert any(row["spread"] > 0 for row in curves)


def test_topics_are_drawn_from_easy_to_hard(world: Path) -> None:
    rows = data(world, "topics", "evaluate", QRELS, *RUNS, *asked("AiP", "charP"))
    values = topic_values(world, *MEASURES)
    assert {row["measure"] for row in rows} == {"AiP"}
    for row in rows:
        assert float(row["value"]) == values[row["run"], "AiP"][row["topic"]]
    assert list(dict.fromkeys(row["run"] for row in rows)) == list(means(world, "AiP"))
    topics = list(dict.fromkeys(row["topic"] for row in rows))
    easy = [
        fmean(own[topic] for (_, name), own in values.items() if name == "AiP") for topic in topics
    ]
    assert easy == sorted(easy, reverse=True)
    assert len(rows) == len(RUNS) * len(small_world.TOPICS)


def test_the_pool_of_a_depth_has_the_passages_that_the_first_parts_show(world: Path) -> None:
    words = ("stability", "depth", QRELS, *RUNS, *asked("AiP", "charP"), "--depths", "1,4,30")
    rows = data(world, "depths", *words)
    expected = {
        (row["measure"], row["depth"]): row["tau"] for row in document(world, *words)["depths"]
    }
    assert len(rows) == len(expected) == 6
    for row in rows:
        depth = int(row["depth"])
        assert int(row["passages"]) == len(_shown(world, depth))
        assert float(row["tau"]) == expected[row["measure"], depth]
    taus = {row["depth"]: float(row["tau"]) for row in of_measure(rows, "AiP")}
    assert taus["1"] < taus["30"] == 1


def _shown(world: Path, depth: int) -> set[tuple[str, str, int]]:
    """The passages that some run shows in its first parts of a topic."""
    spans = small_world.highlights(world)
    found = set()
    for line in (line for name in RUNS for line in (world / name).read_text().splitlines()):
        topic, _, doc, rank, _, _, offset, length = line.split()
        start, end = int(offset), int(offset) + int(length)
        if int(rank) <= depth:
            own = spans[topic, doc]
            found |= {(topic, doc, first) for first, last in own if first < end and start < last}
    return found


def test_swaps_are_counted_by_how_far_the_first_of_two_sets_of_topics_has_runs_apart(
    world: Path,
) -> None:
    choices = (QRELS, *RUNS, *asked("AiP", "charP"), "--levels", "40", "--samples", "4")
    rows = data(world, "swaps", "stability", "swap", *choices)
    # Disjoint samples of the same seed: two of a level of 40 %, written sample after sample.
    called(
        world, "stability", "error-rate", *choices, "--draw", "partition", "--save-samples", "sets"
    )
    sets = [(world / "sets" / f"topics-40-{n:02d}.txt").read_text().split() for n in range(1, 9)]
    values = topic_values(world, *MEASURES)
    for measure in ("AiP", "charP"):
        pairs, swaps = np.zeros(21, dtype=int), np.zeros(21, dtype=int)
        for one, other in zip(sets[::2], sets[1::2], strict=True):
            for left, right in combinations(means(world, measure), 2):
                first, second = (
                    fmean(values[left, measure][topic] for topic in chosen)
                    - fmean(values[right, measure][topic] for topic in chosen)
                    for chosen in (one, other)
                )
                place = min(int(abs(first) / 0.01 + 1e-9), 20)
                pairs[place] += 1
                swaps[place] += first * second < -1e-15
        own = of_measure(rows, measure)
        assert [int(row["pairs"]) for row in own] == pairs.tolist()
        assert [int(row["swaps"]) for row in own] == swaps.tolist()
        assert [float(row["low"]) for row in own] == pytest.approx(np.arange(21) / 100)
        for row in own:
            counted = int(row["pairs"])
            rate = "" if not counted else pytest.approx(int(row["swaps"]) / counted)
            assert (float(row["rate"]) if row["rate"] else "") == rate
    assert {row["level"] for row in rows} == {"40"}
    assert any(float(row["rate"] or 0) > 0 for row in rows)
