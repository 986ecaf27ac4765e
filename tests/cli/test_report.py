"""foveal report: a page, or the verdict in the terminal."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from foveal.formats import read_qrels, write_assessors
from tests.cli.calling import foveal
from tests.cli.small_world import QRELS, RUNS, called, write
from tests.report_pages import ReadPage

MEASURES = ("-m", "AiP", "-m", "iP[0.01]")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("world"))


def _page(world: Path, *words: str, file: str = "page.html") -> ReadPage:
    called(world, "report", QRELS, *RUNS, *MEASURES, *words, "-o", file)
    return ReadPage.of((world / file).read_bytes())


def test_the_page_has_its_sections_files_and_command(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["foveal", "report", QRELS, "it's a run"])
    page = _page(world)
    assert page.sections == [
        *("verdict", "leaderboard", "curves", "reading", "topics", "pairs", "measures", "checks"),
        *("settings", "legend", "notes"),
    ]
    told = "No single winner: delta and bravo share the top (AiP 0.243 to 0.267); 10 topics could"
    assert page.words("verdict").count(told) == 1
    settings = page.words("settings")
    assert """foveal report q.qrels 'it'"'"'s a run'""" in settings
    digests = re.findall(r"[0-9a-f]{64}", settings)
    assert len(digests) == len(set(digests)) == 1 + len(RUNS)
    assert "10 topics show a difference of 0.087 by AiP four times in five" in page.words("notes")


def test_the_terminal_shows_the_leaderboard_and_the_verdict(world: Path) -> None:
    answer = called(world, "report", QRELS, *RUNS, *MEASURES)
    lines = answer.out.splitlines()
    assert lines[0].split() == ["rank", "run", "AiP", "iP[0.01]", "judged"]
    assert [line.split()[:2] for line in lines[2:4]] == [["1", "delta"], ["2", "bravo"]]
    told = " ".join(answer.out.split())
    assert "No single winner: delta and bravo share the top (AiP 0.243 to 0.267); 10 topics" in told
    assert answer.err.startswith("task: focused;")


def test_rows_are_those_of_evaluate(world: Path) -> None:
    rows = called(world, "report", QRELS, *RUNS, *MEASURES, "--to", "csv").out
    words = ("evaluate", QRELS, *RUNS, *MEASURES, "--per-topic", "--to", "csv")
    read = [
        {(row["run"], row["measure"], row["topic"]): float(row["value"]) for row in table}
        for table in (
            csv.DictReader(io.StringIO(text)) for text in (rows, called(world, *words).out)
        )
    ]
    assert read[0] == read[1]


def test_json_has_everything(world: Path) -> None:
    found = json.loads(called(world, "report", QRELS, *RUNS, *MEASURES, "--to", "json").out)
    compared = json.loads(
        called(
            world, "compare", QRELS, *RUNS, "-m", "AiP", "--test", "randomization", "--tail", "two",
            "--correct", "holm", "--resamples", "100000", "--to", "json",
        ).out
    )  # fmt: skip
    assert found["pairs"] == compared["pairs"]
    # Which is also what either command does by itself.
    words = ("compare", QRELS, *RUNS, "-m", "AiP", "--to", "json")
    assert found["pairs"] == json.loads(called(world, *words).out)["pairs"]
    assert found["verdict"][0].startswith("No single winner: delta and bravo share the top (AiP ")
    assert len(found["curves"]) == 101 * len(RUNS)
    assert len(found["readings"]) == 8 * len(RUNS)
    assert set(found["inputs"]) == {QRELS, *RUNS}
    assert {"rows", "means", "agreement", "findings", "notes", "settings"} <= set(found)


def test_studies_are_in_json_and_in_the_terminal(world: Path) -> None:
    words = ("report", QRELS, *RUNS, *MEASURES, "--with", "fidelity,stability")
    found = json.loads(called(world, *words, "--to", "json").out)
    assert {"scores", "orderings", "verdicts"} <= set(found["fidelity"])
    assert {row["measure"] for row in found["stability"]["curves"]} >= {"AiP"}
    assert {row["run"] for row in found["judged"]} == {row["run"] for row in found["means"]}
    out = called(world, *words).out
    assert "violated" in out
    assert "Kendall's τ with the ranking of" in out


@pytest.mark.parametrize("form", ["markdown", "latex", "tsv", "jsonl"])
def test_other_forms_are_written(world: Path, form: str) -> None:
    assert "delta" in called(world, "report", QRELS, *RUNS, *MEASURES, "--to", form).out


def test_titles_and_groups_are_on_the_page(world: Path) -> None:
    (world / "topics.tsv").write_text("".join(f"{topic}\ttitle {topic}\n" for topic in (1, 2, 31)))
    rows = "".join(f"{topic},g{topic % 2}\n" for topic in range(1, 40))
    (world / "groups.csv").write_text(f"topic,group\n{rows}")
    page = _page(world, "--topics-file", "topics.tsv", "--groups", "groups.csv")
    assert "groups" in page.sections
    (table,) = page.tables("groups")
    assert list(table[0]) == ["run", "g1 (5)", "g0 (5)", "all (10)"]
    assert any(row["title"] for own in page.tables("topics")[1:] for row in own)
    # Groups have means alone: notes about tests within them would speak of what is not there.
    assert "10 topics show a difference of 0.087 by AiP four times in five" in page.words("notes")
    assert not re.search("g0|g1", page.words("notes"))
    (board,) = page.tables("leaderboard")
    assert {"letters", "group"} & set(board[0]) == {"letters"}


def test_studies_are_added_when_asked_for(world: Path) -> None:
    page = _page(world, "--with", "fidelity,stability")
    assert {"fidelity", "stability"} <= set(page.sections)


def test_the_test_is_the_users_choice(world: Path) -> None:
    words = _page(world, "--test", "t", "--tail", "one", "--correct", "none", "--alpha", "0.1")
    assert words.words("verdict").endswith("Test over 10 topics: t, one-tailed, alpha 0.1.")


def test_the_same_inputs_give_the_same_bytes(world: Path) -> None:
    pages = []
    # The command is on the page, so that it must be the same; --jobs is told apart below.
    for seed in ("1", "2"):
        command = [sys.executable, "-m", "foveal", "report", QRELS, *RUNS, *MEASURES]
        subprocess.run(
            [*command, "-o", "same.html"],
            cwd=world,
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        )
        pages.append((world / "same.html").read_bytes())
    assert pages[0] == pages[1]


@pytest.mark.usefixtures("pools")
def test_jobs_change_nothing(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["foveal"])
    for jobs in ("1", "2"):
        _page(world, "--jobs", jobs, file=f"{jobs}.html")
    assert (world / "1.html").read_bytes() == (world / "2.html").read_bytes()


@pytest.mark.parametrize("package", ["jinja2", "latex2mathml"])
def test_a_missing_extra_is_said_before_any_work(
    world: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(
        sys.modules, "jinja2" if package == "jinja2" else f"{package}.converter", None
    )
    answer = foveal("report", "no-such.qrels", "no-such.run", "-o", "page.html", folder=world)
    assert answer.code == 69
    assert "report" in answer.err
    assert package in answer.err
    assert foveal("report", QRELS, *RUNS, folder=world).code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["--with", "fidelty"],
            "--with must be fidelity or stability or both, got 'fidelty'; did you mean fidelity?",
        ),
        (["--test", "randomisation"], "did you mean randomization?"),
        (["-o", "echo.fol"], "echo.fol"),
        (["--alpha", "5"], "alpha"),
    ],
)
def test_a_wrong_option_is_refused(world: Path, words: list[str], told: str) -> None:
    before = (world / "echo.fol").read_bytes()
    answer = foveal("report", QRELS, *RUNS, *words, folder=world)
    assert answer.code == 2
    assert told in answer.err
    assert (world / "echo.fol").read_bytes() == before


def test_a_report_needs_a_run(world: Path) -> None:
    answer = foveal("report", QRELS, folder=world)
    assert answer.code == 2
    assert "RUN" in answer.err


def test_a_run_may_come_from_a_stream(world: Path) -> None:
    answer = foveal(
        "report", QRELS, "-", "--to", "json", stdin=(world / "echo.fol").read_bytes(), folder=world
    )
    found = json.loads(answer.out)
    assert found["verdict"][0].startswith("echo scores")
    assert set(found["inputs"]) == {QRELS}


def test_names_of_files_that_are_not_text_are_shown(world: Path) -> None:
    name = os.fsdecode(b"r\xff.fol")
    (world / name).write_bytes((world / "echo.fol").read_bytes())
    for form in ("json", "html"):
        answer = foveal("report", QRELS, name, "--to", form, "-o", f"odd.{form}", folder=world)
        assert answer.code == 0, answer.err
        assert "r\ufffd.fol" in (world / f"odd.{form}").read_text()


def test_measures_that_need_no_sizes_need_none_for_the_page(world: Path) -> None:
    (world / "whole.run").write_text("1 Q0 d1 1 9 whole\n1 Q0 strange 2 8 whole\n")
    (world / "text.qrels").write_text("1 Q0 d1 30 100 10 10:30\n")
    answer = called(world, "report", "text.qrels", "whole.run", "-m", "AP", "-o", "whole.html")
    assert answer.code == 0, answer.err
    page = (world / "whole.html").read_text(encoding="utf-8")
    assert 'id="curves"' not in page
    assert "note: curves are left out" in answer.err
    assert "1.0000" in page


def test_a_study_that_cannot_be_made_is_noted_and_the_page_is_made(world: Path) -> None:
    (world / "graded.qrels").write_text("1 0 a 1\n2 0 b 1\n")
    (world / "graded.run").write_text("1 Q0 a 1 9 mine\n2 Q0 b 1 9 mine\n")
    words = ("report", "graded.qrels", "graded.run", "--with", "fidelity", "-o", "graded.html")
    answer = called(world, *words)
    assert answer.code == 0, answer.err
    assert "fidelity is left out" in answer.err


def _with_assessors(world: Path) -> None:
    """Judgements of two people: those of the world, and others that leave out every first highlight."""
    qrels = read_qrels(world / QRELS)
    first = qrels.passages["judged"].is_first_distinct().to_numpy()
    other = qrels.keeping(~first, qrels.judgements.topics)
    write_assessors({"ann": qrels, "bob": other}, world / "gold.jsonl")


def test_assessors_who_are_named_have_their_section(world: Path) -> None:
    _with_assessors(world)
    words = ("gold.jsonl", *RUNS, *MEASURES)
    called(world, "report", *words, "-o", "gold.html")
    page = ReadPage.of((world / "gold.html").read_bytes())
    assert page.sections[7:10] == ["checks", "assessors", "settings"]
    agreed = json.loads(called(world, "assess", "agree", "gold.jsonl", "--to", "json").out)
    overall, pairs, *_ = page.tables("assessors")
    assert [row["α"] for row in overall] == [f"{row['alpha']:.4f}" for row in agreed["overall"]]
    assert (pairs[0]["first"], pairs[0]["second"]) == ("ann", "bob")
    assert pairs[0]["only second"] == "0"
    reading = f"α {agreed['overall'][0]['alpha']:.2f} over the characters of"
    assert reading in page.words("assessors")
    shown = called(world, "report", *words)
    assert reading in " ".join(shown.out.split())
    found = json.loads(called(world, "report", *words, "--to", "json").out)
    assert found["assessors"]["pairs"] == agreed["pairs"]


def test_assessors_are_compared_on_the_topics_that_count(world: Path) -> None:
    _with_assessors(world)
    (world / "some.txt").write_text("10\n2\n")
    words = ("report", "gold.jsonl", *RUNS, *MEASURES, "--only", "some.txt", "--to", "json")
    found = json.loads(called(world, *words).out)["assessors"]
    assert {row["topic"] for row in found["topics"]} == {"10", "2"}


def test_a_stream_cannot_be_read_again_for_its_assessors(world: Path) -> None:
    _with_assessors(world)
    stream = (world / "gold.jsonl").read_bytes()
    answer = foveal("report", "-", *RUNS, *MEASURES, "--to", "json", folder=world, stdin=stream)
    found = json.loads(answer.out)
    assert "assessors" not in found
    assert any("it needs a file of judgements, not a stream" in note for note in found["notes"])


def test_assessors_who_share_no_document_are_noted(world: Path) -> None:
    qrels = read_qrels(world / QRELS)
    one, other = qrels.judgements.topics[:1], qrels.judgements.topics[1:]
    write_assessors({"ann": qrels.only(one), "bob": qrels.only(other)}, world / "apart.jsonl")
    answer = called(world, "report", "apart.jsonl", *RUNS, *MEASURES)
    assert (
        "note: agreement of assessors is left out: no document of a topic was judged" in answer.err
    )
