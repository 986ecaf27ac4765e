"""The best runs on the command line, against a loop over what `evaluate` prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli import small_world
from tests.cli.calling import foveal
from tests.cli.small_world import QRELS, RUNS, document

MEASURES = ["-m", "iP[0.01]", "-m", "charF"]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = small_world.write(tmp_path_factory.mktemp("top"))
    for twin in ("zulu", "able"):
        text = (folder / "bravo.fol").read_text()
        (folder / f"{twin}.fol").write_text(text.replace("bravo", twin))
    return folder


def best(folder: Path, measure: str, ranks: set[int]) -> list[str]:
    """The files of the runs of some ranks, looked for one by one, in the order given."""
    rows = document(folder, "evaluate", QRELS, *RUNS, "-m", measure)["rows"]
    means = {row["run"]: row["value"] for row in rows}
    ranked = sorted(means, key=lambda run: (-means[run], run))
    kept = [run for rank, run in enumerate(ranked, 1) if rank in ranks]
    return [file for file in RUNS if file.removesuffix(".fol") in kept]


def numbers(found: dict[str, Any]) -> dict[str, Any]:
    return {key: rows for key, rows in found.items() if key not in {"settings", "notes"}}


@pytest.mark.parametrize(
    "command",
    [
        ["compare"],
        ["agree", "--resamples", "20"],
        ["stability", "topics"],
        ["stability", "pool", "--min-passages", "2"],
        ["stability", "leave-out"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize(
    ("top", "measure", "ranks", "told"),
    [
        ("3", "iP[0.01]", {1, 2, 3}, ""),
        ("3:AiP", "AiP", {1, 2, 3}, ""),
        ("2:charF", "charF", {1, 2}, ""),
        ("2-3,5-5:charF", "charF", {2, 3, 5}, ", ranks 2-3,5-5"),
    ],
)
def test_the_best_runs_are_those_of_a_loop(
    world: Path, command: list[str], top: str, measure: str, ranks: set[int], told: str
) -> None:
    name = command[:2] if command[0] == "stability" else command[:1]
    options = command[len(name) :]
    found = document(world, *name, QRELS, *RUNS, *MEASURES, *options, "--top", top)
    kept = best(world, measure, ranks)
    assert numbers(found) == numbers(document(world, *name, QRELS, *kept, *MEASURES, *options))
    assert found["settings"]["top"] == f"{len(ranks)} of 5 runs by {measure}{told}"


@pytest.mark.parametrize("reverse", [False, True])
def test_names_decide_between_runs_tied_at_the_cut(world: Path, reverse: bool) -> None:
    files = sorted([*RUNS, "zulu.fol", "able.fol"], reverse=reverse)
    found = document(world, "compare", QRELS, *files, "-m", "AiP", "--top", "3")
    ranked = [row["run"] for row in found["means"]]
    assert ranked == ["delta", "able", "bravo"]
    note = "3 runs tie for rank 3 by AiP; ranked in order of name (able, bravo, zulu)"
    assert note in found["notes"]
    assert found["settings"]["top"] == "3 of 7 runs by AiP"


def test_all_runs_are_kept_where_more_are_asked_for(world: Path) -> None:
    found = document(world, "compare", QRELS, *RUNS, "-m", "AiP", "--top", "9")
    assert numbers(found) == numbers(document(world, "compare", QRELS, *RUNS, "-m", "AiP"))
    assert "runs of ranks up to 9 were asked for, and there are 5" in found["notes"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["compare", QRELS, *RUNS, "--top", "1"], "--top must be 2 or more, got 1"),
        (["agree", QRELS, *RUNS, *MEASURES, "--top", "0"], "--top must be 2 or more, got 0"),
        (["compare", QRELS, *RUNS, "--top", "best"], "--top must be a number of runs"),
        (["compare", QRELS, *RUNS, "--top", "3:"], "--top must be a number of runs"),
        (["compare", QRELS, *RUNS, "--top", "-3"], "--top must be a number of runs"),
        (["compare", QRELS, *RUNS, "--top", "1-2,2-3"], "--top must have ranks that rise from 1"),
        (["compare", QRELS, *RUNS, "--top", "3-2"], "--top must have ranks that rise from 1"),
        (
            ["agree", QRELS, *RUNS, *MEASURES, "--top", "4-5,1-2"],
            "ranks that rise from 1 on, got 4-",
        ),
        (["compare", QRELS, *RUNS, "--top", "0-3"], "--top must have ranks that rise from 1"),
        (["compare", QRELS, *RUNS, "--top", "3-3"], "--top must be 2 or more, got 1"),
        (["compare", QRELS, *RUNS, "--top", "1,3"], "--top must be a number of runs or ranges"),
        (
            ["compare", QRELS, *RUNS, "--top", "6-8:AiP"],
            "no run has rank 6-8 by AiP: there are 5 runs",
        ),
        (["compare", QRELS, *RUNS, "--top", "5-8"], "one run cannot be compared"),
        (["stability", "topics", QRELS, *RUNS, "--top", "5-8"], "a single run cannot be ranked"),
        (["compare", QRELS, *RUNS, "--top", "3:AiPP"], "unknown measure 'AiPP'; did you mean AiP"),
        (
            ["stability", "topics", QRELS, "-", *RUNS, "--top", "3"],
            "--top reads every run twice: give files, not a stream (-)",
        ),
    ],
)
def test_what_cannot_be_the_best_is_refused(world: Path, words: list[str], said: str) -> None:
    answer = foveal(*words, folder=world)
    assert answer.code == 2
    assert said in answer.err


def test_a_measure_that_only_chooses_is_not_shown(world: Path) -> None:
    words = ["agree", QRELS, *RUNS, *MEASURES, "--resamples", "5", "--top", "3:AiP"]
    found = json.loads(foveal(*words, "--to", "json", folder=world).out)
    assert {row["measure"] for row in found["means"]} == {"iP[0.01]", "charF"}
