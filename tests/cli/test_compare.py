from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from foveal.analysis import TESTS
from tests.cli.calling import Answer, foveal

FORMS = ["text", "markdown", "latex", "html", "csv", "tsv", "json", "jsonl"]
MEANS = {"measure", "run", "mean", "low", "high"}
PAIRS = {
    "measure", "better", "worse", "difference", "p", "adjusted_p", "p_error", "significant",
}  # fmt: skip


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """Judgements of twelve topics and three document runs: good, fair, poor."""
    rng = np.random.default_rng(7)
    judged = {(t, d): int(d % 3 == 0) for t in range(1, 13) for d in range(1, 10)}
    lines = [f"{topic} 0 d{doc} {grade}" for (topic, doc), grade in judged.items()]
    (tmp_path / "q.qrels").write_text("\n".join(lines) + "\n")
    for name, quality in (("good", 2.0), ("fair", 1.0), ("poor", 0.2)):
        lines = [
            f"{topic} Q0 d{doc} 0 {quality * grade + rng.normal():.6f} {name}"
            for (topic, doc), grade in judged.items()
        ]
        (tmp_path / f"{name}.run").write_text("\n".join(lines) + "\n")
    return tmp_path


RUNS = ("good.run", "fair.run", "poor.run")


def test_json_holds_the_rows_that_scripts_rely_on(world: Path) -> None:
    answer = foveal(
        "compare", "q.qrels", *RUNS, "-m", "AP", "-m", "P@2", "--to", "json", folder=world
    )
    assert answer.code == 0, answer.err
    found = json.loads(answer.out)
    assert all(set(row) == MEANS for row in found["means"])
    assert all(set(row) == PAIRS for row in found["pairs"])
    assert [set(row) for row in found["counts"]] == [{"measure", "significant", "pairs"}] * 2
    assert len(found["pairs"]) == 6
    chosen = ("test", "tail", "correct", "resamples", "seed")
    # Of 12 topics all vectors of signs; on some the three have the same P@2.
    assert [found["settings"].get(name) for name in chosen] == [
        "randomization", "two", "holm", found["settings"]["resamples"], None,
    ]  # fmt: skip
    assert re.fullmatch(
        r"all 4,096 \(AP\), all [\d,]+ \(P@2\)|all 4,096", found["settings"]["resamples"]
    )
    assert [row["p_error"] for row in found["pairs"]] == [0.0] * 6
    assert [row["tau"] for row in found["agreement"]] == [found["agreement"][0]["tau"]]
    evaluated = foveal("evaluate", "q.qrels", *RUNS, "-m", "AP", "--to", "json", folder=world)
    means = {row["run"]: row["value"] for row in json.loads(evaluated.out)["rows"]}
    for row in found["means"]:
        if row["measure"] == "AP":
            assert row["mean"] == pytest.approx(means[row["run"]])
            assert row["low"] <= row["mean"] <= row["high"]


def test_without_a_measure_the_overall_one_of_the_task_is_taken(world: Path) -> None:
    found = json.loads(foveal("compare", "q.qrels", *RUNS, "--to", "json", folder=world).out)
    assert {row["measure"] for row in found["means"]} == {"AP"}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_tells_of_every_run(world: Path, form: str) -> None:
    answer = foveal("compare", "q.qrels", *RUNS, "--to", form, folder=world)
    assert answer.code == 0, answer.err
    assert all(name in answer.out for name in ("good", "fair", "poor"))
    agreed = foveal("agree", "q.qrels", *RUNS, "-m", "AP", "-m", "RR", "--to", form, folder=world)
    assert agreed.code == 0, agreed.err
    assert all(name in agreed.out for name in ("AP", "RR"))


def test_parquet_has_a_row_per_pair(world: Path) -> None:
    foveal("compare", "q.qrels", *RUNS, "--to", "parquet", "-o", "c.parquet", folder=world)
    found = pl.read_parquet(world / "c.parquet")
    assert len(found) == 3
    assert PAIRS | {"effect", "superiority", "wins", "ties", "losses", "status"} <= set(
        found.columns
    )


def test_the_same_seed_prints_the_same_and_another_differs(world: Path) -> None:
    def rows(seed: str, *test: str) -> str:
        words = ("compare", "q.qrels", *RUNS, *test, "--seed", seed, "--to", "csv")
        return foveal(*words, folder=world).out

    drawn = ("--test", "bootstrap", "--resamples", "200")
    assert rows("1", *drawn) == rows("1", *drawn)
    assert rows("1", *drawn) != rows("2", *drawn)
    # All vectors of 12 signs are the same whatever the seed.
    assert rows("1") == rows("2")


def test_few_topics_are_remarked_on(world: Path) -> None:
    told = " ".join(foveal("compare", "q.qrels", *RUNS, folder=world).err.split())
    assert re.search(
        r"note: 12 topics show a difference of 0\.\d+ by AP four times in five, and smaller ones less often:"
        " with fewer than 50 a test misses real differences and overstates those it finds",
        told,
    )


def test_one_run_is_refused(world: Path) -> None:
    answer = foveal("compare", "q.qrels", "good.run", folder=world)
    assert answer.code == 2
    assert "one run cannot be compared" in answer.err


def test_the_same_run_twice_is_told_apart_by_name_and_by_nothing_else(world: Path) -> None:
    answer = foveal("compare", "q.qrels", "good.run", "good.run", "--to", "csv", folder=world)
    (row,) = csv.DictReader(io.StringIO(answer.out))
    assert (row["better"], row["worse"]) == ("good", "good#2")
    assert float(row["p"]) == 1
    assert row["status"] == "no difference"


def test_a_number_that_tells_runs_apart_is_no_other_runs_name(world: Path) -> None:
    (world / "good#2.run").write_text((world / "poor.run").read_text())
    runs = ("good.run", "good.run", "good#2.run")
    answer = foveal("compare", "q.qrels", *runs, "-m", "AP", "--to", "json", folder=world)
    assert answer.code == 0, answer.err
    means = {row["run"]: row["mean"] for row in json.loads(answer.out)["means"]}
    assert means.keys() == {"good", "good#2", "good#3"}
    assert means["good"] == means["good#3"] > means["good#2"]


def test_different_topics_are_refused_unless_the_common_ones_are_asked_for(world: Path) -> None:
    lines = (world / "fair.run").read_text().splitlines()
    (world / "fair.run").write_text(
        "\n".join(line for line in lines if line.split()[0] != "7") + "\n"
    )
    words = ("compare", "q.qrels", *RUNS, "--topics", "retrieved")
    answer = foveal(*words, folder=world)
    assert answer.code == 65
    assert "run 'fair' has no score on 1 of 12 topics (7)" in answer.err
    assert "--common-topics" in answer.err
    common = foveal(*words, "--common-topics", "--to", "json", folder=world)
    assert json.loads(common.out)["settings"]["compared topics"] == "11"
    judged = foveal("compare", "q.qrels", *RUNS, "--to", "json", folder=world)
    assert json.loads(judged.out)["settings"]["compared topics"] == "12"


def test_means_over_topics_that_are_not_listed_are_refused(world: Path) -> None:
    lines = (world / "poor.run").read_text().splitlines(keepends=True)
    (world / "poor.run").write_text("".join(line for line in lines if not line.startswith("3 ")))
    words = ["-m", "AP", "--topics", "judged", "--like"]
    commands = (["compare", "q.qrels", *RUNS], ["gate", "q.qrels", "poor.run", "--min", "AP>0.1"])
    for command in commands:
        answer = foveal(*command, *words, "trec_eval-9", folder=world)
        assert answer.code == 65
        assert "the means of run 'poor' are not those of the topics listed" in answer.err
        assert foveal(*command, *words, "trec_eval-10", folder=world).code == 0


def test_what_is_no_mean_is_refused(world: Path) -> None:
    answer = foveal("compare", "q.qrels", *RUNS, "-m", "NumRet", folder=world)
    assert answer.code == 2
    assert "not a mean over topics" in answer.err


@pytest.mark.parametrize("test", TESTS)
def test_every_test_can_be_asked_for(world: Path, test: str) -> None:
    words = ("compare", "q.qrels", *RUNS, "--test", test, "--correct", "holm", "--to", "json")
    answer = foveal(*words, folder=world)
    assert answer.code == 0, answer.err
    found = json.loads(answer.out)
    assert found["settings"]["tail"] == "two"
    assert all(row["adjusted_p"] >= row["p"] > 0 for row in found["pairs"])


def test_an_unknown_test_gets_a_suggestion(world: Path) -> None:
    answer = foveal("compare", "q.qrels", *RUNS, "--test", "boostrap", folder=world)
    assert answer.code == 2
    assert "'boostrap' (did you mean bootstrap?): choose from anova, bootstrap" in answer.err


def test_agree_lists_coefficients_and_upsets(world: Path) -> None:
    words = ("agree", "q.qrels", *RUNS, "-m", "AP", "-m", "RR", "-m", "P@2", "--to", "json")
    found = json.loads(foveal(*words, folder=world).out)
    keys = {"first", "second", "tau", "tau_ap", "spearman", "rbo"}
    assert [set(row) for row in found["pairs"]] == [keys] * 3
    for row in found["upsets"]:
        assert row["first_rank"] != row["second_rank"]


@pytest.mark.parametrize("command", ["compare", "agree"])
def test_what_is_printed_fits_a_narrow_terminal(world: Path, command: str) -> None:
    answer = foveal(command, "q.qrels", *RUNS, "-m", "AP", "-m", "P@2", folder=world)
    tables = [line for line in answer.out.splitlines() if "significantly" not in line]
    assert tables
    assert max(map(len, tables)) <= 80


def test_long_work_on_resamples_is_shared_and_has_a_bar(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foveal.analysis._agree.PORTION", 3 * 3 * 100)
    asked = []

    def mapped(work: Any, items: Any, **options: Any) -> Any:
        asked.append((len(items), options))
        return map(work, items)

    monkeypatch.setattr("foveal.cli.agree.mapped", mapped)
    words = ("agree", "q.qrels", *RUNS, "-m", "AP", "-m", "RR", "--jobs", "2")
    assert foveal(*words, folder=world).code == 0
    assert asked == [(10, {"jobs": 2, "cluster": None, "label": "correlating"})]


def test_rankings_that_are_the_same_are_said_to_be(world: Path) -> None:
    answer = foveal("agree", "q.qrels", *RUNS, "-m", "AP", "-m", "AP@1000", folder=world)
    assert f"0 of {len(RUNS)} runs change places between AP and AP@1000" in answer.out


def test_agree_needs_two_measures(world: Path) -> None:
    assert foveal("agree", "q.qrels", *RUNS, folder=world).code == 2
    answer = foveal("agree", "q.qrels", *RUNS, "-m", "AP", folder=world)
    assert answer.code == 2
    assert "two or more" in answer.err


@pytest.mark.parametrize("figure", ["matrix", "means", "differences", "p-values"])
def test_figures_go_to_files(world: Path, figure: str) -> None:
    words = ("compare", "q.qrels", *RUNS, "-m", "AP", "-m", "RR", "--figure", figure, "-o")
    assert foveal(*words, "f.svg", folder=world).code == 0
    assert (world / "f.svg").read_text().startswith("<svg")
    assert foveal(*words, "f.csv", folder=world).code == 0
    assert len((world / "f.csv").read_text().splitlines()) >= 6


def test_the_scatter_of_measures_and_the_curves_of_runs_are_drawn(world: Path) -> None:
    agreed = foveal("agree", "q.qrels", *RUNS, "-m", "AP", "-m", "RR", "--figure", "scatter",
                    "-o", "f.png", folder=world)  # fmt: skip
    assert agreed.code == 0, agreed.err
    assert (world / "f.png").read_bytes().startswith(b"\x89PNG")
    for points in (11, 101):
        figure = f"curves-{points}"
        words = ("evaluate", "q.qrels", *RUNS, "--figure", figure, "-o", "c.csv")
        assert foveal(*words, folder=world).code == 0
        rows = list(csv.DictReader((world / "c.csv").read_text().splitlines()))
        assert len(rows) == 3 * points
        assert {row["measure"] for row in rows} == {"IPrec"}


def test_a_figure_without_a_file_or_into_an_unknown_one_is_refused_at_once(world: Path) -> None:
    words = ("compare", "missing.qrels", *RUNS, "--figure", "matrix")
    assert "give -o FILE.svg" in foveal(*words, folder=world).err
    assert ".gif" in foveal(*words, "-o", "f.gif", folder=world).err


def test_without_the_extra_a_figure_says_what_to_install(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    words = ("compare", "q.qrels", *RUNS, "--figure", "matrix", "-o")
    for suffix in ("png", "pdf"):
        answer = foveal(*words, f"f.{suffix}", folder=world)
        assert answer.code == 69
        assert 'vl-convert-python: pip install "foveal[figures]"' in answer.err
    for suffix in ("svg", "html", "csv"):
        assert foveal(*words, f"f.{suffix}", folder=world).code == 0


def test_the_runs_of_differences_can_be_chosen(world: Path) -> None:
    names = [Path(run).stem for run in RUNS]
    words = ("compare", "q.qrels", *RUNS, "-m", "AP", "--figure")
    done = foveal(*words, "differences", "--pair", names[2], names[0], "-o", "f.csv", folder=world)
    assert done.code == 0, done.err
    rows = list(csv.DictReader((world / "f.csv").read_text().splitlines()))
    assert {(row["better"], row["worse"]) for row in rows} == {(names[2], names[0])}
    other = foveal(*words, "means", "--pair", names[2], names[0], "-o", "f.csv", folder=world)
    assert "only differences takes two of them" in other.err
    alone = foveal("compare", "q.qrels", *RUNS, "--pair", names[2], names[0], folder=world)
    assert "give --figure differences as well" in alone.err


def test_the_demo_counts_pairs_by_two_measures_and_their_agreement(
    demo_told: tuple[Path, Answer],
) -> None:
    folder, _ = demo_told
    runs = sorted(str(path) for path in (folder / "runs").glob("*.fol"))
    answer = foveal("compare", str(folder / "demo.qrels"), *runs, "-m", "MAgP", "-m", "MAP",
                    "--to", "json")  # fmt: skip
    found = json.loads(answer.out)
    pairs = len(runs) * (len(runs) - 1) // 2
    assert [(row["measure"], row["pairs"]) for row in found["counts"]] == [
        ("AgP", pairs),
        ("AP", pairs),
    ]
    assert all(0 < row["significant"] < pairs for row in found["counts"])
    assert -1 < found["agreement"][0]["tau"] < 1
