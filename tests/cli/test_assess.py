"""`foveal assess agree`: files in, numbers of their assessors out, in every form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foveal.tables import columns
from tests.cli import small_world
from tests.cli.calling import foveal
from tests.cli.forms import EYES, tables
from tests.cli.small_world import RUNS, asked, called

ANN = """\
1 Q0 a 20 100 0 0:20
1 Q0 b 0 100
2 Q0 a 10 100 50 50:10
3 Q0 c 0 100
"""
BOB = """\
1 Q0 a 20 100 10 10:20
1 Q0 b 15 100 0 0:15
2 Q0 a 10 100 50 50:10
3 Q0 c 0 100
"""
ALPHA = 1 - 799 * 35 / (75 * 725)
AGREE = ("assess", "agree")
BOTH = (*AGREE, "ann.qrels", "bob.qrels")


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    (tmp_path / "ann.qrels").write_text(ANN)
    (tmp_path / "bob.qrels").write_text(BOB)
    return tmp_path


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small world, and judgements of another who takes another half of the highlights."""
    folder = small_world.write(tmp_path_factory.mktemp("assessed"))
    lines = []
    for place, line in enumerate((folder / small_world.QRELS).read_text().splitlines()):
        topic, run, doc, _, length, *rest = line.split()
        spans = rest[1 + place % 2 :]
        entry = [spans[0].split(":")[0]] if spans else []
        lines.append(" ".join([topic, run, doc, str(10 * len(spans)), length, *entry, *spans]))
    (folder / "other.qrels").write_text("\n".join(lines) + "\n")
    return folder


def json_of(folder: Path, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(called(folder, *words, "--to", "json").out)
    return found


def test_json_has_the_lists_that_others_read(judged: Path) -> None:
    found = json_of(judged, *BOTH)
    assert set(found) == {
        "settings", "overall", "intervals", "pairs", "topics", "topic_pairs", "entry", "rankings",
        "means", "notes",
    }  # fmt: skip
    first = found["overall"][0]
    assert list(first) == [
        "level", "average", "alpha", "low", "high", "kappa", "f1", "overlap",
    ]  # fmt: skip
    assert (first["level"], first["average"]) == ("characters", "micro")
    assert first["alpha"] == pytest.approx(ALPHA)
    pair = found["pairs"][0]
    assert list(pair)[:8] == [
        "first", "second", "level", "documents", "both", "only_first", "only_second", "neither",
    ]  # fmt: skip
    assert list(pair.values())[:8] == ["ann", "bob", "characters", 4, 20, 10, 25, 345]
    assert found["entry"] == [
        {
            "first": "ann", "second": "bob", "documents": 2, "median": 5.0,
            "within_0": 0.5, "within_100": 1.0, "within_500": 1.0,
        }
    ]  # fmt: skip
    third = [row for row in found["topics"] if row["topic"] == "3"]
    assert [row["alpha"] for row in third] == [None, None]


@pytest.mark.parametrize("form", EYES)
def test_every_form_for_reading_shows_the_same_numbers(judged: Path, form: str) -> None:
    overall, pairs, entry = tables(form, called(judged, *BOTH, "--to", form).out)
    assert overall[0] == ["level", "average", "α", "low", "high", "κ", "F1", "overlap"]
    assert overall[1][:3] == ["characters", "micro", f"{ALPHA:.4f}"]
    assert pairs[1] == ["ann", "bob", "characters", "4", "20", "10", "25", "345"]
    assert entry[1] == ["ann", "bob", "2", "5", "50 %", "100 %", "100 %"]


def test_rows_hold_every_coefficient_with_its_interval(judged: Path) -> None:
    found = json_of(judged, *BOTH)
    lines = called(judged, *BOTH, "--to", "jsonl").out.splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) == 16
    expected = {(own["level"], own["average"]): own for own in found["overall"]}
    for row in rows:
        assert row["value"] == expected[row["level"], row["average"]][row["coefficient"]]
    assert (rows[0]["low"], rows[0]["high"]) == (
        found["overall"][0]["low"],
        found["overall"][0]["high"],
    )


def test_undefined_is_a_dash_and_counted(judged: Path) -> None:
    (judged / "cat.qrels").write_text("3 Q0 c 0 100\n")
    answer = called(judged, *AGREE, "ann.qrels", "cat.qrels")
    assert "–" in answer.out
    assert (
        "undefined where assessors chose nothing, or (α and κ) everything: α in 1 of 1 topic"
        in answer.err
    )


def test_seed_and_resamples_change_the_intervals_and_nothing_else(judged: Path) -> None:
    first, again, other = (
        json_of(judged, *BOTH, "--resamples", "40", "--seed", seed) for seed in ("1", "1", "2")
    )
    assert first == again
    assert first["intervals"] != other["intervals"]
    assert first["pairs"] == other["pairs"]
    assert (other["settings"]["seed"], other["settings"]["resamples"]) == ("2", "40")


def test_a_file_whose_rows_name_assessors_is_enough(judged: Path) -> None:
    rows = [
        {"topic": topic, "doc": doc, "length": 100, "highlights": spans, "assessor": name}
        for name, own in (
            ("ann", [("1", "a", [[0, 20]]), ("1", "b", []), ("2", "a", [[50, 60]]), ("3", "c", [])]),
            ("bob", [("1", "a", [[10, 30]]), ("1", "b", [[0, 15]]), ("2", "a", [[50, 60]]), ("3", "c", [])]),
        )
        for topic, doc, spans in own
    ]  # fmt: skip
    (judged / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found, expected = json_of(judged, *AGREE, "gold.jsonl"), json_of(judged, *BOTH)
    assert found["pairs"] == expected["pairs"]
    assert found["overall"] == expected["overall"]


def test_a_name_in_two_files_is_refused(judged: Path) -> None:
    row = '{"topic": "1", "doc": "a", "length": 100, "highlights": [], "assessor": "bob"}\n'
    (judged / "one.jsonl").write_text(row)
    answer = foveal(*BOTH, "one.jsonl", folder=judged)
    assert answer.code == 2
    assert "bob.qrels and one.jsonl both name the assessor 'bob'" in answer.err


def test_files_of_one_name_are_told_apart_by_their_folders(judged: Path) -> None:
    (judged / "other").mkdir()
    (judged / "other" / "ann.qrels").write_text(BOB)
    found = json_of(judged, *AGREE, "ann.qrels", "other/ann.qrels")
    assert found["settings"]["assessors"] == "ann.qrels, other/ann.qrels"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("ann.qrels",), 2, "only ann judged: agreement needs the judgements of two assessors"),
        (("ann.qrels", "ann.qrels"), 2, "ann.qrels is given twice"),
        (("ann.qrels", "none.qrels"), 66, "none.qrels"),
        (("ann.qrels", "bob.qrels", "-m", "AiP"), 2, "-m is about runs, and there are none: name two"),
        (("ann.qrels", "bob.qrels", "--overlap", "once"), 2, "--overlap is about runs"),
        (("ann.qrels", "bob.qrels", "--tokens", "none.json"), 2, "--tokens is about runs"),
        (("ann.qrels", "bob.qrels", "--run", "a.fol"), 2, "a single run cannot be ranked"),
        (("ann.qrels", "bob.qrels", "--run", "a.fol", "--run", "b.fol", "-m", "AiP", "-m", "NumQ"), 2, "NumQ is not a mean"),
        (("ann.qrels", "a.fol"), 65, "a.fol looks like a run, not like judgements"),
        (("ann.qrels", "bob.qrels", "--assessors", "ann"), 2, "No such option"),
        (("ann.qrels", "bob.qrels", "--only", "1"), 2, "No such option"),
        (("ann.qrels", "far.qrels"), 65, "no document of a topic was judged by two assessors"),
        (("ann.qrels", "long.qrels"), 65, "has a length of 100 in the judgements of ann and of 90"),
        (("-", "-"), 2, "standard input (-) can be read only once"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(
    judged: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    (judged / "a.fol").write_text("1 Q0 a 1 5.0 mine 0 50\n")
    (judged / "b.fol").write_text("1 Q0 a 1 5.0 yours 10 20\n")
    (judged / "far.qrels").write_text("7 Q0 a 0 100\n")
    (judged / "long.qrels").write_text("1 Q0 a 0 90\n")
    answer = foveal(*AGREE, *words, folder=judged)
    assert (answer.code, answer.out) == (code, "")
    assert message in answer.err


@pytest.mark.usefixtures("pools")
def test_runs_are_ranked_as_evaluate_ranks_them_by_each(world: Path) -> None:
    given = [word for run in RUNS for word in ("--run", run)]
    words = (*AGREE, "q.qrels", "other.qrels", *given, *asked("AiP", "charP"))
    found = json_of(world, *words)
    assert [row["measure"] for row in found["rankings"]] == ["AiP", "charP"]
    assert found["rankings"][0]["topics"] == len(small_world.TOPICS)
    for side, file in (("first_mean", "q.qrels"), ("second_mean", "other.qrels")):
        scored = called(world, "evaluate", file, *RUNS, *asked("AiP", "charP"), "--to", "jsonl")
        rows = map(json.loads, scored.out.splitlines())
        means = {(row["run"], row["measure"]): row["value"] for row in rows}
        for row in found["means"]:
            assert row[side] == pytest.approx(means[row["run"], row["measure"]])
    assert json_of(world, *words, "--jobs", "2") == found
    shown = tables("text", called(world, *words).out)[-1]
    assert shown[1][:4] == ["q", "other", "AiP", "10"]
    assert shown[1][4] == f"{found['rankings'][0][columns.TAU]:.4f}"


def test_the_default_measure_ranks_systems_at_the_task(world: Path) -> None:
    given = [word for run in RUNS[:2] for word in ("--run", run)]
    words = (*AGREE, "q.qrels", "other.qrels", *given)
    assert json_of(world, *words)["rankings"][0]["measure"] == "AiP"
    assert json_of(world, *words, "--task", "ric")["rankings"][0]["measure"] == "AgP"


def test_three_assessors_have_coefficients_by_pair(judged: Path) -> None:
    (judged / "cat.qrels").write_text(ANN.replace("0:20", "5:15"))
    _, counts, pairs, _ = tables("text", called(judged, *BOTH, "cat.qrels").out)
    assert [row[:3] for row in pairs[1:4]] == [
        ["ann", "bob", "characters"],
        ["ann", "cat", "characters"],
        ["bob", "cat", "characters"],
    ]
    assert counts[2] == ["ann", "cat", "characters", "4", "25", "5", "0", "370"]
