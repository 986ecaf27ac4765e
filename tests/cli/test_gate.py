"""foveal gate: exit codes, baselines, forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from junitparser import JUnitXml

import foveal
from tests.cli.calling import Answer
from tests.cli.calling import foveal as run_foveal

TOPICS = 60


def write(folder: Path, name: str, rows: list[dict[str, Any]]) -> None:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gold spans of 100 characters, and runs that find more or less of them.

    `noise` is a little worse than `old` on the mean, by chance; `worse` is so on every topic, most
    of all on q07.
    """
    folder, rng = tmp_path_factory.mktemp("gate"), np.random.default_rng(5)
    names = [f"q{number:02d}" for number in range(TOPICS)]
    gold = [{"topic": t, "doc": "d", "length": 1000, "highlights": [[100, 200]]} for t in names]
    write(folder, "gold.jsonl", gold)
    write(folder, "other.jsonl", [*gold[:-1], {**gold[-1], "highlights": [[100, 201]]}])
    found = rng.integers(40, 90, TOPICS)
    worse = found - rng.integers(5, 15, TOPICS)
    worse[7] = 0
    for run, ends in {
        "old": found,
        "noise": found - 4 + rng.integers(-35, 36, TOPICS).clip(-35, 100 - found),
        "worse": worse,
    }.items():
        parts = [
            {"topic": t, "doc": "d", "start": 100, "end": 100 + max(int(n), 1), "rank": 1}
            for t, n in zip(names, ends, strict=True)
        ]
        write(folder, f"{run}.jsonl", parts)
    return folder


def gate(folder: Path, *words: str) -> Answer:
    return run_foveal("gate", "gold.jsonl", *words, folder=folder)


def test_a_demand_that_holds_exits_with_0(world: Path) -> None:
    done = gate(world, "old.jsonl", "--min", "cR@5>=0.5")
    assert done.code == 0
    assert "holds" in done.out
    assert "interval of means: t, 95 %" in done.err


def test_a_demand_that_fails_exits_with_1_and_names_the_questions(world: Path) -> None:
    done = gate(world, "worse.jsonl", "--min", "cR@5>=0.9", "--min", "cP@5>=0.5")
    assert done.code == 1
    table = [line.split() for line in done.out.splitlines()]
    assert done.out.startswith("1 of 2 demands does not hold.")
    assert (table[4][0], table[4][-1]) == ("cR@5>=0.9", "FAILS")
    assert table[5][-1] == "holds"
    assert ["q07", "cR@5", "0.0100"] in table


def test_noise_passes_with_a_note_where_significance_is_asked_for(world: Path) -> None:
    words = ("noise.jsonl", "--baseline", "old.jsonl", "-m", "cR@5", "--max-drop", "0.01")
    done = gate(world, *words, "--significant")
    assert done.code == 0
    assert "which may be chance (p = 0." in done.err
    assert done.err.rstrip().endswith("so it passes")
    without = gate(world, *words)
    assert without.code == 1
    assert "--significant lets such drops pass" in without.err


def test_a_run_on_other_topics_is_bad_data(world: Path) -> None:
    write(world, "strange.jsonl", [{"topic": "x", "doc": "d", "start": 1, "end": 9, "rank": 1}])
    for words in (("--min", "cR@5>=0"), ("-m", "cR@5", "--baseline", "old.jsonl")):
        done = gate(world, "strange.jsonl", *words)
        assert done.code == 65
        assert "strange.jsonl: its topics (x) are not among the scored topics" in done.err


def test_github_is_told_of_bad_data_but_not_of_what_is_ordinary(world: Path) -> None:
    rows = [json.loads(line) for line in (world / "old.jsonl").read_text().splitlines()]
    write(world, "extra.jsonl", [{**row, "colour": "red", "type": "Document"} for row in rows])
    done = gate(world, "extra.jsonl", "--min", "cR@5>=0.1", "--to", "github")
    assert done.out == "::notice title=foveal gate::extra: the demand holds\n"
    assert "note: extra.jsonl: ignored column colour: not part of a run" in done.err
    (world / "cut.jsonl").write_text((world / "old.jsonl").read_text()[:-20])
    done = gate(world, "cut.jsonl", "--min", "cR@5>=0.1", "--to", "github")
    assert done.code == 65
    assert done.out.startswith("::error title=foveal::cut.jsonl:")
    assert done.out.count("\n") == 1


def test_a_real_drop_fails_and_names_the_questions(world: Path) -> None:
    done = gate(
        world, "worse.jsonl", "--baseline", "old.jsonl", "-m", "cR@5", "--max-drop", "0.02",
        "--significant",
    )  # fmt: skip
    assert done.code == 1
    lost = done.out.split("the topics that lost most")[1].splitlines()
    assert lost[4].startswith("q07 ")


def save(folder: Path, *words: str) -> str:
    asked = ("--per-topic", "-o", "old.json")
    done = run_foveal("evaluate", *words, *asked, folder=folder)
    assert done.code == 0, done.err
    return "old.json"


def test_saved_scores_serve_as_a_baseline_and_say_the_same(world: Path) -> None:
    save(world, "gold.jsonl", "old.jsonl", "-m", "cR@5", "-m", "cP@5")
    words = ("worse.jsonl", "-m", "cR@5", "--max-drop", "0.02", "--to", "json")
    saved, fresh = (
        json.loads(gate(world, *words, "--baseline", name).out)
        for name in ("old.json", "old.jsonl")
    )
    assert saved["drops"] == fresh["drops"]
    assert saved["losses"] == fresh["losses"]
    assert not saved["holds"]


def test_a_baseline_on_other_gold_is_refused(world: Path) -> None:
    save(world, "other.jsonl", "old.jsonl", "-m", "cR@5")
    done = gate(world, "old.jsonl", "--baseline", "old.json", "-m", "cR@5")
    assert done.code == 65
    assert "the baseline was scored against other judgements" in done.err
    assert "the offsets of quoted passages move when a document is edited" in done.err
    document = json.loads((world / "old.json").read_text())
    del document["settings"]["qrels_sha256"]
    (world / "old.json").write_text(json.dumps(document))
    done = gate(world, "old.jsonl", "--baseline", "old.json", "-m", "cR@5")
    assert done.code == 65
    assert "(qrels_sha256 unknown, now " in done.err


def test_the_hash_is_the_same_in_python_and_on_the_command_line(world: Path) -> None:
    save(world, "gold.jsonl", "old.jsonl", "-m", "cR@5")
    document = json.loads((world / "old.json").read_text())
    rows = [json.loads(line) for line in (world / "gold.jsonl").read_text().splitlines()]
    assert document["settings"]["qrels_sha256"] == foveal.Qrels.from_dicts(rows[::-1]).sha256
    run = foveal.read_run(world / "old.jsonl")
    scores = foveal.evaluate(rows, run, "cR@5")
    assert foveal.gate(scores, baseline=foveal.read_scores(world / "old.json"))


def test_a_baseline_scored_otherwise_is_refused(world: Path) -> None:
    save(world, "gold.jsonl", "old.jsonl", "-m", "cR@5", "--overlap", "drop")
    done = gate(world, "old.jsonl", "--baseline", "old.json", "-m", "cR@5")
    assert done.code == 65
    assert "with overlap: drop, the run with overlap: once: score both in the same way" in done.err


def test_a_baseline_without_topics_or_measures_says_how_to_save_it(world: Path) -> None:
    run_foveal("evaluate", "gold.jsonl", "old.jsonl", "-m", "cP@5", "-o", "old.json", folder=world)
    saved = json.loads((world / "old.json").read_text())
    saved["rows"] = [row for row in saved["rows"] if row["topic"] == "all"]
    (world / "old.json").write_text(json.dumps(saved))
    done = gate(world, "old.jsonl", "--baseline", "old.json", "-m", "cR@5")
    assert (done.code, "no scores of topics: save them with --per-topic" in done.err) == (65, True)
    save(world, "gold.jsonl", "old.jsonl", "-m", "cP@5")
    done = gate(world, "old.jsonl", "--baseline", "old.json", "-m", "cR@5")
    assert done.code == 65
    assert "the baseline has no cR@5, only cP@5: score it again with the same measures" in done.err


def test_drops_are_of_the_measures_named_else_of_the_tasks_own(world: Path) -> None:
    base = ("worse.jsonl", "--baseline", "old.jsonl", "--to", "json")

    def dropped(*words: str) -> list[str]:
        return [row["measure"] for row in json.loads(gate(world, *base, *words).out)["drops"]]

    assert dropped("-m", "cR@5", "--min", "cP@3>=0.1") == ["cR@5", "cP@3"]
    assert dropped("--min", "cP@3>=0.1") == ["cP@3"]
    assert "AiP" in dropped()


@pytest.mark.parametrize("words", [("--to", "junit", "-o", "gate.xml"), ("-o", "gate.xml")])
def test_junit_is_read_by_a_junit_parser(world: Path, words: tuple[str, ...]) -> None:
    (world / "gate.xml").unlink(missing_ok=True)
    demands = ("--min", "cR@5>=0.9", "--min", "cP@5>=0.5")
    done = gate(world, "worse.jsonl", *demands, "--baseline", "old.jsonl", *words)
    assert (done.code, done.out) == (1, "")
    (suite,) = JUnitXml.fromfile(str(world / "gate.xml"))
    assert (suite.tests, suite.failures) == (4, 2)


def test_github_gets_annotations(world: Path) -> None:
    done = gate(world, "worse.jsonl", "--min", "cR@5>=0.9", "--to", "github")
    assert done.code == 1
    assert done.out.startswith("::error title=cR@5>=0.9::worse: cR@5 is 0.")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "nothing is demanded"),
        (("--min", "cR@5"), "a demand is a measure, >="),
        (("--min", "cr@@5>=0.8"), "unknown measure 'cr@@5'"),
        (("--min", "cR@5>=80"), "write 0.8?"),
        (("--min", "cR@5>=0.8", "--max-drop", "0.1"), "give one"),
        (("--min", "cR@5>=0.8", "--significant"), "give one"),
        (("--baseline", "worse.jsonl", "-m", "cR@5", "--max-drop", "2"), "write 0.02?"),
        (("--min", "cR@5>=0.8", "--to", "trec"), "--to must be"),
    ],
)
def test_calls_that_make_no_sense_exit_with_2(
    world: Path, words: tuple[str, ...], reason: str
) -> None:
    done = gate(world, "old.jsonl", *words)
    assert done.code == 2
    assert reason in done.err


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_other_commands_do_not_take_the_forms_of_gates(world: Path, command: str) -> None:
    done = run_foveal(
        command, "gold.jsonl", "old.jsonl", "worse.jsonl", "--to", "junit", folder=world
    )
    assert done.code == 2
    assert "junit" not in done.err.split(", got")[0].split("must be")[1]


def test_a_gate_does_not_overwrite_its_baseline(world: Path) -> None:
    save(world, "gold.jsonl", "old.jsonl", "-m", "cR@5")
    done = gate(world, "old.jsonl", "--baseline", "old.json", "-m", "cR@5", "-o", "old.json")
    assert done.code == 2
    assert "is one of the files that are read" in done.err
