"""--like kamps2007: how runs are tested, beside a source of how they are scored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli import small_world
from tests.cli.calling import foveal
from tests.cli.small_world import QRELS, RUNS, document
from tests.report_pages import ReadPage

COMPARE = ("compare", QRELS, *RUNS[:3], "-m", "AiP", "-m", "charP")
KAMPS = ("--test", "bootstrap", "--tail", "one", "--correct", "none", "--resamples", "1000")
CHOSEN = ("test", "tail", "correct", "interval", "resamples", "seed", "alpha")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = small_world.write(tmp_path_factory.mktemp("like"))
    (folder / "other.qrels").write_text((folder / QRELS).read_text())
    return folder


def chosen(found: dict[str, Any]) -> list[str | None]:
    return [found["settings"].get(name) for name in CHOSEN]


def test_it_is_the_bootstrap_one_tailed_without_a_correction(world: Path) -> None:
    found = document(world, *COMPARE, "--like", "kamps2007")
    assert chosen(found) == ["bootstrap", "one", "none", "percentile", "1,000", "0", "0.05"]
    spelled = document(world, *COMPARE, *KAMPS)
    assert found["pairs"] == spelled["pairs"]
    assert found["effects"] == spelled["effects"]
    assert found["means"] == spelled["means"]
    assert found["notes"] == spelled["notes"]
    (told,) = (note for note in found["notes"] if "this test is lenient" in note)
    assert "--tail two --correct holm" in told
    default = document(world, *COMPARE)
    assert chosen(default) == ["randomization", "two", "holm", "t", "all 1,024", None, "0.05"]
    assert default["pairs"] != found["pairs"]


@pytest.mark.parametrize(
    ("option", "value", "place", "reported"),
    [
        ("--test", "t", 0, "t"),
        ("--tail", "two", 1, "two"),
        ("--correct", "holm", 2, "holm"),
        ("--interval", "bca", 3, "bca"),
        ("--resamples", "200", 4, "200"),
        ("--resamples", "100000", 4, "100,000"),
        ("--seed", "4", 5, "4"),
        ("--alpha", "0.2", 6, "0.2"),
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_an_explicit_option_wins(
    world: Path, option: str, value: str, place: int, reported: str, *, is_first: bool
) -> None:
    like = ("--like", "kamps2007")
    words = (option, value, *like) if is_first else (*like, option, value)
    found = document(world, *COMPARE, *words)
    assert chosen(found)[place] == reported
    others = [
        word
        for name, own in zip(KAMPS[::2], KAMPS[1::2], strict=True)
        if name != option
        for word in (name, own)
    ]
    expected = document(world, *COMPARE, *others, option, value)
    assert found["pairs"] == expected["pairs"]
    assert chosen(found) == chosen(expected)


def test_it_says_nothing_about_scoring(world: Path) -> None:
    """A source of scoring may stand beside it, before or behind."""
    for words in (("inex_eval", "kamps2007"), ("kamps2007", "inex_eval")):
        like = [word for name in words for word in ("--like", name)]
        found = document(world, "compare", QRELS, *RUNS[:3], "--task", "ric", "-m", "AgP", *like)
        assert found["settings"]["like"] == "inex_eval"
        assert chosen(found)[:3] == ["bootstrap", "one", "none"]
    assert document(world, *COMPARE, "--like", "kamps2007")["settings"]["like"] == "paper"
    twice = document(world, *COMPARE, "--like", "kamps2007", "--like", "kamps2007")
    assert chosen(twice)[:3] == ["bootstrap", "one", "none"]


def test_two_sources_of_scoring_are_refused_and_one_that_is_said_twice_is_not(
    world: Path,
) -> None:
    answer = foveal(*COMPARE, "--like", "inex_eval", "--like", "chroma", folder=world)
    assert answer.code == 2
    assert "--like inex_eval and --like chroma both say how runs are scored" in answer.err
    again = document(world, *COMPARE, "--like", "paper", "--like", "paper")
    assert again["settings"]["like"] == "paper"


def test_a_report_is_tested_like_it_as_well(world: Path) -> None:
    words = (QRELS, *RUNS[:3], "-m", "AiP", "--like", "kamps2007")
    report = json.loads(foveal("report", *words, "--to", "json", folder=world).out)
    assert report["pairs"] == document(world, "compare", *words)["pairs"]
    assert report["verdict"][1] == (
        "Test over 10 topics: bootstrap, one-tailed, alpha 0.05, 1,000 resamples."
    )
    assert foveal("report", *words, "-o", "page.html", folder=world).code == 0
    page = ReadPage.of((world / "page.html").read_bytes())
    assert "bootstrap, one-tailed, alpha 0.05, 1,000 resamples." in page.words("verdict")
    assert "this test is lenient" in page.words("notes")


def test_a_figure_is_tested_like_it_as_well(world: Path) -> None:
    words = (*COMPARE, "--like", "kamps2007", "--figure", "matrix", "-o", "m.jsonl")
    answer = foveal(*words, folder=world)
    assert answer.code == 0, answer.err
    rows = list(map(json.loads, (world / "m.jsonl").read_text().splitlines()))
    expected = document(world, *COMPARE, *KAMPS)["pairs"]
    found = {(row["measure"], row["better"], row["worse"]): row["significant"] for row in rows}
    assert found == {
        (row["measure"], row["better"], row["worse"]): row["significant"] for row in expected
    }


@pytest.mark.parametrize(
    "command",
    [
        f"evaluate {QRELS} {RUNS[0]}",
        f"agree {QRELS} {RUNS[0]} {RUNS[1]} -m AP -m AiP",
        f"gate {QRELS} {RUNS[0]} --min AiP>=0",
        f"explain {QRELS} {RUNS[0]}",
        f"stability topics {QRELS} {RUNS[0]} {RUNS[1]} -m AiP",
        f"fidelity {QRELS} -m AgP",
        f"assess agree {QRELS} other.qrels --run {RUNS[0]} --run {RUNS[1]} -m AP",
    ],
    ids=lambda words: words.partition(" ")[0],
)
def test_a_command_that_tests_nothing_refuses_it(world: Path, command: str) -> None:
    answer = foveal(*command.split(), "--like", "kamps2007", folder=world)
    assert (answer.code, answer.out) == (2, "")
    assert "kamps2007" in answer.err
    usual = foveal(*command.split(), "--like", "paper", folder=world)
    assert usual.code == 0, usual.err


def test_an_unknown_source_is_told_all_of_them(world: Path) -> None:
    answer = foveal(*COMPARE, "--like", "kamps2008", folder=world)
    assert answer.code == 2
    assert "did you mean kamps2007" in answer.err
    assert "inex_eval" in answer.err
