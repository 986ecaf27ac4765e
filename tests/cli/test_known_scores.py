"""Commands that take scores instead of judgements and runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import foveal

QRELS = "".join(f"q{topic} 0 d{topic} 1\n" for topic in range(1, 9))
RUNS = {"good": (1,) * 8, "fair": (1, 2, 1, 2, 1, 2, 1, 1), "poor": (2,) * 8}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Judgements, three runs and their scores, in JSON and as trec_eval prints them."""
    (tmp_path / "q.qrels").write_text(QRELS)
    (tmp_path / "groups.csv").write_text("topic,kind\nq7,late\nq1,early\nq2,early\n")
    (tmp_path / "only.txt").write_text("q1\nq2\nq3\nq3\nq5\nq7\n")
    for name, ranks in RUNS.items():
        lines = [
            f"q{topic} Q0 {doc} {rank} {9 - rank} {name}\n"
            for topic, best in enumerate(ranks, start=1)
            for rank, doc in enumerate(("d", "x") if best == 1 else ("x", "d"), start=1)
            for doc in [f"{doc}{topic}"]
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
        done = foveal("trec_eval", "-q", "q.qrels", f"{name}.run", folder=tmp_path)
        (tmp_path / f"{name}.eval").write_text(done.out)
    words = ("evaluate", "q.qrels", *(f"{name}.run" for name in RUNS), "-m", "AP", "-m", "RR")
    assert foveal(*words, "-o", "scores.json", folder=tmp_path).code == 0
    return tmp_path


def measured(folder: Path, *words: str) -> dict[str, object]:
    """What a command gives as JSON, without what says where the scores came from."""
    done = foveal(*words, "-m", "AP", "-m", "RR", "--to", "json", folder=folder)
    assert done.code == 0, done.err
    found: dict[str, object] = json.loads(done.out)
    return {
        name: rows for name, rows in found.items() if name not in {"settings", "notes", "inputs"}
    }


LONG = ("q.qrels", "good.run", "fair.run", "poor.run")


@pytest.mark.parametrize("command", ["compare", "agree"])
def test_scores_give_what_judgements_and_runs_give(folder: Path, command: str) -> None:
    expected = measured(folder, command, *LONG)
    assert measured(folder, command, "scores.json") == expected
    if command == "compare":
        printed = measured(folder, command, "good.eval", "fair.eval", "poor.eval")
        # trec_eval prints four decimals.
        assert [row["run"] for row in printed["means"]] == [row["run"] for row in expected["means"]]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "options", ["--groups groups.csv", "--only only.txt", "--topics retrieved"]
)
@pytest.mark.parametrize("command", ["compare", "agree", "report"])
def test_what_scores_were_made_with_is_kept(folder: Path, command: str, options: str) -> None:
    chosen = (*options.split(), "-m", "AP", "-m", "RR", "--to", "json")
    assert foveal("evaluate", *LONG, *chosen, "-o", "made.json", folder=folder).code == 0
    long = json.loads(foveal(command, *LONG, *chosen, folder=folder).out)
    short = json.loads(foveal(command, "made.json", *chosen[2:], folder=folder).out)
    # What says where the runs are, or needs them.
    for name in ("inputs", "command", "curves", "judged", "findings"):
        assert (long.pop(name, 0) == 0) == (short.pop(name, 0) == 0)
    assert short == long


def test_without_measures_the_one_of_the_task_is_compared(folder: Path) -> None:
    long, short = (
        foveal("compare", *words, "--to", "json", folder=folder)
        for words in (LONG, ["scores.json"])
    )
    assert json.loads(long.out)["means"] == json.loads(short.out)["means"]
    assert json.loads(long.out)["settings"] == json.loads(short.out)["settings"]


def test_scores_of_several_programs_are_compared_by_what_they_share(folder: Path) -> None:
    (folder / "other.csv").write_text("topic,AP\n" + "".join(f"q{n},0.5\n" for n in range(1, 9)))
    for command in ("compare", "report"):
        done = foveal(command, "scores.json", "other.csv", folder=folder)
        assert (done.code, "other" in done.out) == (0, True)
        assert "RR: left out, as not every run has a value" in done.err
        assert "(task: document / not stated; like: paper / not stated; " in done.err


def test_a_gate_and_a_report_take_scores(folder: Path) -> None:
    done = foveal("gate", "fair.eval", "--baseline", "good.eval", "-m", "AP", folder=folder)
    assert (done.code, "0.1875" in done.out) == (1, True)
    words = ("gate", "fair.eval", "--baseline", "good.eval", "-m", "AP", "--min", "map>0.5")
    assert foveal(*words, folder=folder).code == 1
    long = json.loads(foveal("report", *LONG, "-m", "AP", "--to", "json", folder=folder).out)
    short = foveal("report", "scores.json", "-m", "AP", "--to", "json", folder=folder)
    assert json.loads(short.out)["verdict"] == long["verdict"]
    assert json.loads(short.out)["inputs"].keys() == {"scores.json"}
    assert foveal("report", "scores.json", "-o", "page.html", folder=folder).code == 0
    page = (folder / "page.html").read_text()
    assert "Leaderboard" in page
    assert 'data-column="judged"' not in page
    assert 'id="checks"' not in page
    assert 'type="checkbox"' not in page


def test_scores_from_a_pipe_are_read(folder: Path) -> None:
    data = (folder / "scores.json").read_bytes()
    piped = foveal("compare", "-", stdin=data, folder=folder)
    assert (piped.code, piped.out) == (0, foveal("compare", "scores.json", folder=folder).out)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("compare", "scores.json", "--rel", "2"), "--rel needs judgements and runs"),
        (("compare", "scores.json", "--docs", "x"), "--docs needs judgements and runs"),
        (("report", "scores.json", "--count", "bytes"), "--count needs judgements and runs"),
        (("compare", "scores.json", "--like", "inex_eval"), "--like needs judgements and runs"),
        (("report", "scores.json", "--with", "stability"), "--with needs judgements and runs"),
        (("compare", "q.qrels"), "q.qrels has no scores, and judgements need runs"),
        (("compare", *LONG, "--lower", "AP"), "--lower is for scores of other programs"),
        (("compare", "scores.json", "-m", "P@5"), "P@5"),
        (
            ("evaluate", "scores.json", "good.run"),
            "scores.json has scores: compare, agree, gate and",
        ),
        (("compare", "scores.json", "good.run"), "good.run has no scores, which every file must"),
        (
            ("compare", "q.qrels", "scores.json", "good.run"),
            "scores.json has scores: compare, agree",
        ),
        (("report", "q.qrels", "good.eval"), "good.eval has scores: compare, agree"),
        (("stability", "topics", "scores.json", "good.run", "fair.run"), "scores.json has scores"),
        (
            ("gate", "good.eval", "fair.eval", "-m", "AP", "--min", "AP>0"),
            "is fair.eval the --baseline",
        ),
        (
            ("compare", "scores.json", "--baseline", "scores.json"),
            "no run 'scores.json' was scored",
        ),
    ],
)
def test_what_scores_cannot_answer_is_refused(
    folder: Path, words: tuple[str, ...], told: str
) -> None:
    done = foveal(*words, folder=folder)
    assert done.code in {2, 65}
    assert told in done.err


def test_judgements_in_latin_1_are_not_taken_for_scores(folder: Path) -> None:
    named = ("--format", "trecgen", "--qrels-format", "trecgen")
    (folder / "gen.run").write_text("1\tété\t1\t1\t0\t5\tgen\n", encoding="utf-8")
    (folder / "gen.qrels").write_bytes("1\tété\t0\t5\tA\n".encode("latin-1"))
    done = foveal("gate", "gen.qrels", "gen.run", *named, "--min", "charAP>=1", folder=folder)
    assert done.code == 0, done.err
    (folder / "gen.qrels").write_bytes("1\tété\tx\t5\tA\n".encode("latin-1"))
    done = foveal("evaluate", "gen.qrels", "gen.run", *named, folder=folder)
    assert "offset is 'x'" in done.err


def test_the_baseline_of_a_gate_may_be_a_run_of_results_by_topic(folder: Path) -> None:
    results = [{"doc": "d1", "score": 1}]
    line = json.dumps({"topic": "q1", "run": "nested", "results": results})
    (folder / "nested.jsonl").write_text(line)
    words = ("--baseline", "nested.jsonl", "-m", "AP")
    done = foveal("gate", "q.qrels", "good.run", *words, folder=folder)
    assert done.code == 0, done.err


def test_a_test_as_published_works_on_scores(folder: Path) -> None:
    done = foveal("compare", "scores.json", "--like", "kamps2007", folder=folder)
    assert (done.code, "bootstrap, one-tailed" in done.out) == (0, True)


@pytest.mark.parametrize("to", ["json", "jsonl", "csv"])
def test_totals_that_nobody_stated_have_no_row(folder: Path, to: str) -> None:
    topics = {"q1": {"map": 0.5, "num_ret": 5}, "q2": {"map": 0.25, "num_ret": 7}}
    (folder / "dicts.json").write_text(json.dumps({"one": topics, "two": topics}))
    done = foveal("report", "dicts.json", "--to", to, folder=folder)
    assert (done.code, "nan" in done.out.lower()) == (0, False)
