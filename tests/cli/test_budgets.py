"""compare --budgets: recall over the characters read."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli import small_world
from tests.cli.calling import foveal
from tests.cli.small_world import QRELS, RUNS

COMPARE = ("compare", QRELS, *RUNS)
BUDGETS = ("--budgets", "40,80,160")
MEASURES = [f"cR(chars={size})" for size in (40, 80, 160)]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_world.write(tmp_path_factory.mktemp("budgets"))


def test_budgets_stand_for_measures_of_recall(world: Path) -> None:
    asked = [word for measure in MEASURES for word in ("-m", measure)]
    one, other = (
        foveal(*COMPARE, *words, "--to", "json", folder=world) for words in (BUDGETS, asked)
    )
    assert one.code == 0, one.err
    assert one.out == other.out
    means = json.loads(one.out)["means"]
    assert list(dict.fromkeys(row["measure"] for row in means)) == MEASURES


def test_a_table_has_a_row_per_run_and_a_column_per_budget(world: Path) -> None:
    answer = foveal(*COMPARE, *BUDGETS, folder=world).out
    # The finding comes first, and an empty line after it.
    lead, _, tables = answer.partition("\n\n")
    assert " topics: randomization, two-tailed, alpha 0.05, " in " ".join(lead.split())
    lines = tables.lstrip("\n").splitlines()
    assert lines[0].split() == ["rank", "run", *MEASURES]
    assert len(lines[2:7]) == len(RUNS)
    for line in lines[2:7]:
        recall = [float(cell) for cell in line.split()[2:]]
        assert recall == sorted(recall)
    best = foveal(*COMPARE, *BUDGETS, "--to", "markdown", folder=world).out
    assert best.count("**0.") >= len(MEASURES)


def test_the_figure_draws_recall_over_budgets(world: Path) -> None:
    done = foveal(*COMPARE, *BUDGETS, "--figure", "budget", "-o", "b.csv", folder=world)
    assert done.code == 0, done.err
    rows = list(csv.DictReader((world / "b.csv").read_text().splitlines()))
    assert {row["budget"] for row in rows} == {"40", "80", "160"}
    means = json.loads(foveal(*COMPARE, *BUDGETS, "--to", "json", folder=world).out)["means"]
    known = {(row["run"], row["measure"]): row["mean"] for row in means}
    for row in rows:
        assert float(row["recall"]) == known[row["run"], f"cR(chars={row['budget']})"]


@pytest.mark.parametrize("words", ["", "x", "500,", "500,-1", "0", "1.5", "५"])
def test_budgets_are_numbers_of_characters(world: Path, words: str) -> None:
    done = foveal(*COMPARE, "--budgets", words, folder=world)
    assert done.code == 2
    assert "--budgets must be numbers of characters, such as 500,1000,2000" in done.err


def test_one_budget_is_no_curve(world: Path) -> None:
    done = foveal(*COMPARE, "--budgets", "40", "--figure", "budget", "-o", "b.csv", folder=world)
    assert done.code == 2
    assert "recall over budgets needs two or more of them" in done.err
