"""Names of runs, measures and topics come out of comparisons and studies beside their own numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foveal.rendering._numbers import rounded_p
from tests.cli import odd_names, small_world
from tests.cli.forms import EYES
from tests.cli.odd_names import (
    FILES,
    FORMS,
    MEASURES,
    Key,
    four,
    rows,
    run_of,
    shown,
    table_of,
    topic_of,
)
from tests.cli.small_world import QRELS, asked, document

COMPARE = (
    "compare", QRELS, *FILES, *asked("AiP", "iP[0.10]"), "--test", "t", "--tail", "two",
    "--correct", "none",
)  # fmt: skip
PAIR = ("measure", "better", "worse")
AGREE = ("agree", QRELS, *FILES, *asked("AiP", "iP[0.10]", "AgP(S=bep,n=60)"))
SIGNS = {"tau": "τ", "tau_ap": "τ_AP", "spearman": "ρ", "rbo": "RBO"}
FIDELITY = ("fidelity", QRELS, *asked(*MEASURES[1:3]))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_world.write(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def odd(plain: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return odd_names.write(plain, tmp_path_factory.mktemp("odd"))


def pairs(found: dict[str, Any], name: Callable[[str], str]) -> dict[Key, dict[str, Any]]:
    """All that is known of every pair, by the names of its measure and runs."""
    known: dict[Key, dict[str, Any]] = {}
    for frame in ("pairs", "effects"):
        for row in found[frame]:
            key = row["measure"], name(row["better"]), name(row["worse"])
            known.setdefault(key, {}).update(row)
    return known


def test_compared_runs_keep_their_names_in_json(odd: Path, plain: Path) -> None:
    expected = pairs(document(plain, *COMPARE), run_of)
    found = document(odd, *COMPARE)
    for key, row in pairs(found, str).items():
        for number in ("difference", "p", "low", "high", "effect", "wins", "losses"):
            assert row[number] == pytest.approx(expected[key][number]), (key, number)
        # Of topics that favour the better run equally, names decide which comes first.
        if row["measure"] == "AiP":
            assert row["topics"] == [topic_of(topic) for topic in expected[key]["topics"]]
    assert len(found["pairs"]) == len(expected) == 20
    means = {
        (row["measure"], run_of(row["run"])): row for row in document(plain, *COMPARE)["means"]
    }
    for row in found["means"]:
        known = means[row["measure"], row["run"]]
        assert [row[x] for x in ("mean", "low", "high")] == pytest.approx(
            [known[x] for x in ("mean", "low", "high")]
        )
    assert len(found["means"]) == len(means) == 10


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_compared_runs_keep_their_names_for_machines(odd: Path, form: str) -> None:
    expected = pairs(document(odd, *COMPARE), str)
    found = rows(form, odd, *COMPARE)
    assert len(found) == len(expected)
    for row in found:
        known = expected[tuple(row[name] for name in PAIR)]
        for number in ("difference", "p", "adjusted_p", "low", "high", "effect"):
            assert float(row[number]) == pytest.approx(known[number])
        assert row["topics"] == " ".join(known["topics"])


@pytest.mark.parametrize("form", EYES)
def test_compared_runs_keep_their_names_for_eyes(odd: Path, form: str) -> None:
    answer = document(odd, *COMPARE)
    expected = pairs(answer, str)
    found = shown(form, odd, *COMPARE)
    if form in {"latex", "markdown"}:
        mean = {(row["run"], row["measure"]): f"{row['mean']:.3f}" for row in answer["means"]}
        ((_, *rows),) = found
        assert [values for _, _, *values in rows] == [
            [mean[run, "AiP"], mean[run, "iP[0.10]"]] for _, run, *_ in rows
        ]
        assert {run for _, run, *_ in rows} == {run for run, _ in mean}
        return
    listed = {tuple(row[:3]): row[3:] for row in table_of(found, *PAIR, "difference")}
    assert listed == {
        key: [four(row[name]) for name in ("difference", "low", "high")] + [rounded_p(row["p"])]
        for key, row in expected.items()
    }
    won = {tuple(row[:3]): row[-1] for row in table_of(found, *PAIR, "effect")}
    assert won == {
        key: f"{row['wins']}/{row['ties']}/{row['losses']}" for key, row in expected.items()
    }
    decided = {tuple(row[:3]): row[-1] for row in table_of(found, *PAIR, "deciding")}
    assert decided == {key: " ".join(row["topics"]) for key, row in expected.items()}
    for measure in ("AiP", "iP[0.10]"):
        matrix = {row[1]: row[2:5] for row in table_of(found, "rank", "run", measure, "low")}
        assert matrix == {
            row["run"]: [four(row[name]) for name in ("mean", "low", "high")]
            for row in answer["means"]
            if row["measure"] == measure
        }
    counts = {row[0]: row[1:3] for row in table_of(found, "measure", "significant")}
    assert counts == {
        row["measure"]: [str(row["significant"]), str(row["pairs"])] for row in answer["counts"]
    }
    if form != "text":
        mean = {(row["run"], row["measure"]): four(row["mean"]) for row in answer["means"]}
        for _, run, *values in table_of(found, "rank", "run", "AiP", "iP[0.10]"):
            assert values == [mean[run, "AiP"], mean[run, "iP[0.10]"]]


@pytest.fixture(scope="module")
def agreed(plain: Path) -> dict[Key, float]:
    """Every coefficient of two measures; intervals depend on the order of the topics' names."""
    found: dict[Key, float] = {
        (row["first"], row["second"], coefficient): row[coefficient]
        for row in document(plain, *AGREE)["pairs"]
        for coefficient in SIGNS
    }
    assert len(found) == 12
    assert len({row for key, row in found.items() if key[2] == "tau"}) == 3
    return found


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_measures_that_agree_keep_their_names_for_machines(
    odd: Path, agreed: dict[Key, float], form: str
) -> None:
    found = rows(form, odd, *AGREE)
    named = {
        (row["first"], row["second"], row["coefficient"]): float(row["value"]) for row in found
    }
    assert named == pytest.approx(agreed)


def test_measures_and_runs_that_agree_keep_their_names_in_json(
    odd: Path, plain: Path, agreed: dict[Key, float]
) -> None:
    found = document(odd, *AGREE)
    for row in found["pairs"]:
        for coefficient in SIGNS:
            key = row["first"], row["second"], coefficient
            assert row[coefficient] == pytest.approx(agreed[key])
    ranks = {(row["measure"], run_of(row["run"])): row for row in document(plain, *AGREE)["means"]}
    for row in found["means"]:
        known = ranks[row["measure"], row["run"]]
        assert (row["mean"], row["rank"]) == pytest.approx((known["mean"], known["rank"]))
    assert len(found["means"]) == len(ranks) == 15


@pytest.mark.parametrize("form", EYES)
def test_measures_and_runs_that_agree_keep_their_names_for_eyes(
    odd: Path, plain: Path, agreed: dict[Key, float], form: str
) -> None:
    found = shown(form, odd, *AGREE)
    listed = {tuple(row[:3]): row[3] for row in table_of(found, "first", "second", "coefficient")}
    assert listed == {
        (first, second, SIGNS[key]): four(value) for (first, second, key), value in agreed.items()
    }
    ranks = {(row["measure"], run_of(row["run"])): row for row in document(plain, *AGREE)["means"]}
    moved = 0
    for first, second in dict.fromkeys(key[:2] for key in agreed):
        for run, one, other in table_of(found, "run", f"by {first}", f"by {second}"):
            places = [str(ranks[measure, run]["rank"]) for measure in (first, second)]
            assert [word.rstrip("sndrth") for word in (one, other)] == places
            moved += 1
    assert moved > 3


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_measures_under_test_keep_their_names_for_machines(plain: Path, form: str) -> None:
    expected = {
        tuple(row[name] for name in ("measure", "first", "second")): row
        for row in document(plain, *FIDELITY)["orderings"]
    }
    found = rows(form, plain, *FIDELITY)
    assert len(found) == len(expected) == 24
    for row in found:
        known = expected[row["measure"], row["first"], row["second"]]
        assert float(row["difference"]) == pytest.approx(known["difference"])
        assert row["verdict"] == known["verdict"]


@pytest.mark.parametrize("form", EYES)
def test_measures_under_test_keep_their_names_for_eyes(plain: Path, form: str) -> None:
    answer = document(plain, *FIDELITY)
    found = shown(form, plain, *FIDELITY)
    score = {(row["run"], row["measure"]): four(row["value"]) for row in answer["scores"]}
    table = table_of(found, "run", *MEASURES[1:3])
    assert {row[0] for row in table} == {run for run, _ in score}
    for run, *values in table:
        assert values == [score[run, measure] for measure in MEASURES[1:3]]
    for measure, *counts in table_of(found, "measure", "kept"):
        (known,) = [row for row in answer["verdicts"] if row["measure"] == measure]
        numbers = [str(known[name]) for name in ("kept", "violated", "not_distinguished", "pairs")]
        assert counts[:4] == numbers
    ((header, *ordered),) = [table for table in found if "worse" in table[0][0]]
    assert [name for name in header if name.endswith(" %")] == [f"{x} %" for x in MEASURES[1:3]]
    pairs_of = [
        [row for row in answer["orderings"] if row["measure"] == measure]
        for measure in MEASURES[1:3]
    ]
    for cells, *known in zip(ordered, *pairs_of, strict=True):
        # Text has no cell where p is blank.
        pair, *numbers = [cell for cell in cells if cell]
        for row in known:
            own, numbers = numbers[: 5 + bool(row["p"])], numbers[5 + bool(row["p"]) :]
            assert pair == f"{row['first']} → {row['second']}"
            assert own[1:4] == [str(row[x]) for x in ("better", "equal", "worse")]
            assert own[-1] == row["verdict"].replace("not distinguished", "equal")
        assert not numbers


def samples_of(folder: Path, form: str) -> tuple[dict[Key, str], list[Any]]:
    words = (
        "stability",
        "leave-out",
        QRELS,
        *FILES,
        *asked("AiP", "iP[0.10]"),
        "--pool-depth",
        "3",
    )
    if form in EYES:
        (table,) = shown(form, folder, *words)
        assert table[0][:4] == ["measure", "left out", "runs", "passages"]
        return {(row[0], row[1]): row[3] for row in table[1:]}, table
    found = document(folder, *words)["finders"] if form == "json" else rows(form, folder, *words)
    return {(row["measure"], row["left_out"]): str(row["passages"]) for row in found}, found


@pytest.mark.parametrize("form", FORMS)
def test_runs_that_are_left_out_keep_their_names(odd: Path, plain: Path, form: str) -> None:
    expected, _ = samples_of(plain, "json")
    assert len(set(expected.values())) > 3
    found, listed = samples_of(odd, form)
    if form in EYES:
        # Who found nothing alone is not shown to eyes.
        expected = {key: count for key, count in expected.items() if count != "0"}
        assert len(listed) == len(expected) + 1
    assert found == {(measure, run_of(run)): count for (measure, run), count in expected.items()}


@pytest.mark.parametrize("form", FORMS)
def test_measures_of_stability_keep_their_names(plain: Path, form: str) -> None:
    names = MEASURES[1:3]
    words = ("stability", "topics", QRELS, *FILES, *asked(*names), "--levels", "60,20")
    curves = document(plain, *words)["curves"]
    expected = {(row["measure"], row["level"]): (row["mean"], row["spread"]) for row in curves}
    assert len(set(expected.values())) == 4
    if form in EYES:
        tau, _ = [
            own for own in shown(form, plain, *words) if own[0] == ["measure", "60 %", "20 %"]
        ]
        assert tau[1:] == [
            [name, *(" ± ".join(map(four, expected[name, level])) for level in (60, 20))]
            for name in names
        ]
        return
    found = curves if form == "json" else rows(form, plain, *words)
    for row in found:
        known = expected[row["measure"], int(row["level"])]
        assert (float(row["mean"]), float(row["spread"])) == pytest.approx(known)
    assert len(found) == 4


@pytest.mark.parametrize("form", EYES)
def test_tables_of_every_experiment_name_the_measure_of_their_numbers(
    plain: Path, form: str
) -> None:
    first, second = MEASURES[1:3]
    command = (QRELS, *FILES, *asked(first, second))
    drawn = ("--levels", "50,20", "--samples", "4")

    def study(experiment: str, *words: str) -> tuple[dict[str, Any], list[list[list[str]]]]:
        asked_for = ("stability", experiment, *command, *words)
        return document(plain, *asked_for), shown(form, plain, *asked_for)

    answer, (rates,) = study("error-rate", *drawn)
    assert rates[1:] == [
        [name, *(_percents(row) for row in answer["curves"] if row["measure"] == name)]
        for name in (first, second)
    ]
    answer, (needed,) = study("swap", *drawn)
    assert needed[1:] == [
        [name, *(_needed(row) for row in answer["needed"] if row["measure"] == name)]
        for name in (first, second)
    ]
    answer, (depths,) = study("depth", "--depths", "1,3,30")
    assert depths[0] == ["parts", "passages", "topics", first, second]
    taus = {(row["measure"], row["depth"]): four(row["tau"]) for row in answer["depths"]}
    assert [row[3:] for row in depths[1:]] == [
        [taus[first, depth], taus[second, depth]] for depth in (30, 3, 1)
    ]


def _percents(row: dict[str, Any]) -> str:
    return f"{100 * row['rate']:.1f} % ± {100 * row['spread']:.1f} %"


def _needed(row: dict[str, Any]) -> str:
    return "more" if row["difference"] is None else f"{row['difference']:.2f}"
