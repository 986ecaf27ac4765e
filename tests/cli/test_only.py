"""Chosen topics and titles on the command line."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import kendalltau

from tests.cli import small_world
from tests.cli.calling import foveal
from tests.cli.small_world import DOCUMENT_RUNS, GRADED_QRELS, QRELS, RUNS, called, document

REPEATED = "10\n\n 2 \n2\r\n31\n31\n31\n"
TITLES = "topic\ttitle\n10\tgreen tea\n2\ta title that is by far too long to be shown on one line\n"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = small_world.write(tmp_path_factory.mktemp("only"))
    (folder / "some.txt").write_text(REPEATED)
    (folder / "some.txt.gz").write_bytes(gzip.compress(REPEATED.encode()))
    (folder / "titles.tsv").write_text(TITLES)
    names = {"10": ["10"], "2": ["2", "2+"], "31": ["31", "31+", "31++"]}
    for file in (QRELS, GRADED_QRELS, RUNS[0], DOCUMENT_RUNS[0]):
        lines = [line.split(" ", 1) for line in (folder / file).read_text().splitlines()]
        doubled = [f"{name} {rest}\n" for topic, rest in lines for name in names.get(topic, [])]
        (folder / f"twins-{file}").write_text("".join(doubled))
    return folder


def means(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for row in found["rows"] if row["topic"] == "all"]


def test_a_saved_sample_gives_the_tau_of_the_study(world: Path) -> None:
    words = ["-m", "AiP", "-m", "charF"]
    study = document(
        world, "stability", "topics", QRELS, *RUNS, *words, "--levels", "50", "--samples", "3",
        "--draw", "bootstrap", "--save-samples", "samples",
    )  # fmt: skip
    whole = document(world, "compare", QRELS, *RUNS, *words)["means"]
    for row in study["samples"]:
        only = ["--only", f"samples/topics-{row['level']}-{row['sample']:02d}.txt"]
        part = means(document(world, "evaluate", QRELS, *RUNS, *words, *only))
        alone, compared, agreed = (
            {own["run"]: own[value] for own in rows if own["measure"] == row["measure"]}
            for rows, value in (
                (part, "value"),
                (document(world, "compare", QRELS, *RUNS, *words, *only)["means"], "mean"),
                (document(world, "agree", QRELS, *RUNS, *words, *only)["means"], "mean"),
            )
        )
        assert compared == agreed == pytest.approx(alone, abs=1e-12)
        full = {own["run"]: own["mean"] for own in whole if own["measure"] == row["measure"]}
        names = sorted(full)
        tau = kendalltau([full[name] for name in names], [alone[name] for name in names])
        assert tau.statistic == pytest.approx(row["tau"], abs=1e-12)


@pytest.mark.parametrize("listed", ["some.txt", "some.txt.gz", "-", "10,2,2, 31,31,31"])
def test_topics_come_from_a_file_or_a_list(world: Path, listed: str) -> None:
    words = ["evaluate", QRELS, RUNS[0], "-m", "AiP", "--only", listed, "--to", "json"]
    answer = foveal(*words, stdin=REPEATED.encode(), folder=world)
    found = json.loads(answer.out)
    by_topic = small_world.topic_values(world, "AiP")["echo", "AiP"]
    mean = (by_topic["10"] + 2 * by_topic["2"] + 3 * by_topic["31"]) / 6
    assert means(found)[0]["value"] == pytest.approx(mean, abs=1e-12)
    source = {"-": "<stdin>", "10,2,2, 31,31,31": "10, 2, 31"}.get(listed, listed)
    assert found["settings"]["only"] == f"6 topics, 3 different ({source})"
    assert found["notes"] == [
        "2 topics listed more than once, shown once and counted as often as listed: 2 (2 times), 31"
        " (3 times)"
    ]


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_topics_with_their_times_give_the_mean_again(world: Path, form: str) -> None:
    words = ["evaluate", QRELS, RUNS[1], "-m", "AiP", "--only", "some.txt", "--per-topic"]
    out = called(world, *words, "--to", form).out
    if form == "csv":
        rows = list(csv.DictReader(out.splitlines()))
    else:
        rows = (
            json.loads(out)["rows"] if form == "json" else list(map(json.loads, out.splitlines()))
        )
    *topics, mean = rows
    times = [int(row["times"]) for row in topics]
    values = [float(row["value"]) for row in topics]
    assert sorted(times) == [1, 2, 3]
    assert not mean["times"]
    weighted = sum(map(float.__mul__, map(float, times), values)) / sum(times)
    assert float(mean["value"]) == pytest.approx(weighted, abs=1e-12)


@pytest.mark.parametrize(
    ("like", "measure"),
    [("trec_eval-9", "all_trec"), ("trec_eval-10", "all_trec"), ("paper", "AP")],
)
@pytest.mark.parametrize("more", [[], ["--topics", "judged"], ["--depth", "2"]])
def test_trec_eval_counts_topics_as_often_as_listed(
    world: Path, like: str, more: list[str], measure: str
) -> None:
    short = (world / DOCUMENT_RUNS[0]).read_text().splitlines(keepends=True)
    (world / "short.run").write_text("".join(line for line in short if not line.startswith("2 ")))
    twins = (world / f"twins-{DOCUMENT_RUNS[0]}").read_text().splitlines(keepends=True)
    without = (line for line in twins if line.split(" ")[0].rstrip("+") != "2")
    (world / "short-twins.run").write_text("".join(without))
    words = ["--like", like, "-m", measure, "--to", "trec", *more]
    found = called(world, "evaluate", GRADED_QRELS, "short.run", *words, "--only", "some.txt").out
    expected = called(world, "evaluate", f"twins-{GRADED_QRELS}", "short-twins.run", *words).out
    assert found == expected
    assert len(found.splitlines()) > (50 if measure == "all_trec" else 0)


@pytest.mark.parametrize("task", ["focused", "ric", "bic"])
def test_the_official_program_counts_topics_as_often_as_listed(world: Path, task: str) -> None:
    words = ["--like", "inex_eval", "--task", task, "--to", "inex"]
    found = called(world, "evaluate", QRELS, RUNS[0], *words, "--only", "some.txt").out
    expected = called(world, "evaluate", f"twins-{QRELS}", f"twins-{RUNS[0]}", *words).out
    numbers = [
        [float(line.split()[-1]) for line in text.splitlines() if not line.startswith("<")]
        for text in (found, expected)
    ]
    assert numbers[0] == pytest.approx(numbers[1], rel=1e-12)
    assert len(numbers[0]) > 5


def test_other_topics_of_the_run_are_no_news(world: Path) -> None:
    answer = called(world, "evaluate", QRELS, RUNS[0], "-m", "AiP", "--only", "2")
    assert "note" not in answer.err
    assert "only: 1 topic (2)" in answer.err


@pytest.mark.parametrize(
    ("listed", "said", "code"),
    [
        ("10,22,3", "2 topics not judged in q.qrels: 22, 3; did you mean 2?", 65),
        ("missing.txt", "missing.txt: no such file or folder", 66),
        ("no/where", "no/where: no such file or folder", 66),
        ("odd.txt", "odd.txt: 7 topics not judged in q.qrels: a, b, c, d, e and 2 more", 65),
        ("blank.txt", "blank.txt: no topics are listed, so none would count", 65),
        (",", "no topics are listed", 65),
    ],
)
def test_topics_that_cannot_be_chosen_are_told(
    world: Path, listed: str, said: str, code: int
) -> None:
    (world / "odd.txt").write_text("a\nb\nc\nd\ne\nf\n10\ng\n")
    (world / "blank.txt").write_text("\n \n")
    answer = foveal("evaluate", QRELS, RUNS[0], "--only", listed, folder=world)
    assert said in answer.err
    assert answer.code == code


def test_topics_with_nothing_relevant_are_named(world: Path) -> None:
    (world / "two.qrels").write_text("1 Q0 d1 0 100\n2 Q0 d1 10 100 5 5:10\n")
    answer = foveal("evaluate", "two.qrels", RUNS[0], "--only", "1", folder=world)
    assert answer.code == 65
    assert "two.qrels: none of those chosen, 1 topic (1), has anything relevant" in answer.err


def test_a_baseline_on_other_topics_is_told_apart(world: Path) -> None:
    words = [QRELS, RUNS[0], "-m", "AiP"]
    called(world, "evaluate", *words, "--per-topic", "-o", "every.json")
    answer = foveal("gate", *words, "--baseline", "every.json", "--only", "10,2", folder=world)
    assert answer.code == 65
    assert "; on all topics, now on 2 topics (10, 2)): score it again" in answer.err


@pytest.mark.parametrize("option", ["--only", "--groups", "--topics-file", "--also", "--format"])
def test_an_option_without_text_is_refused(world: Path, option: str) -> None:
    answer = foveal("evaluate", QRELS, RUNS[0], "--per-topic", option, "", folder=world)
    assert answer.code == 2
    assert f"{option} is empty: give it a value, or leave it out" in answer.err


def test_a_run_without_the_topics_chosen_is_told_so_as_by_trec_eval(world: Path) -> None:
    (world / "one.run").write_text("2 Q0 d1 1 3.0 one\n")
    words = ["evaluate", GRADED_QRELS, "one.run", "-m", "map", "--like", "trec_eval-9"]
    answer = foveal(*words, "--topics", "judged", "--only", "10,31", "--to", "trec", folder=world)
    assert answer.code == 65
    assert "one.run: none of its topics is among those chosen: 2 topics (10, 31)" in answer.err


def test_standard_input_is_read_once(world: Path) -> None:
    answer = foveal("evaluate", "-", RUNS[0], "--only", "-", folder=world)
    assert answer.code == 2
    assert "standard input (-) can be read only once" in answer.err


def test_disjoint_samples_of_repeated_topics_are_refused(world: Path) -> None:
    for words in (["swap"], ["topics", "--draw", "partition"]):
        experiment, *more = words
        answer = foveal(
            "stability", experiment, QRELS, *RUNS, *more, "--only", "some.txt", folder=world
        )
        assert answer.code == 2
        said = answer.err.rstrip().partition("topics that count more than once, such as ")[2]
        assert said.startswith("2 (2 times): list every topic once")
        # Only an experiment that has the option can be told to use it.
        assert ("--draw" in said) == bool(more)


def test_a_gate_looks_only_at_the_topics_chosen(world: Path) -> None:
    words = ["gate", QRELS, RUNS[1], "--min", "AiP>=0.1", "--only", "some.txt"]
    found = document(world, *words)
    scores = document(world, "evaluate", QRELS, RUNS[1], "-m", "AiP", "--only", "some.txt")
    assert found["demands"][0]["value"] == means(scores)[0]["value"]
    assert found["settings"]["only"] == "6 topics, 3 different (some.txt)"


@pytest.mark.parametrize(
    "words",
    [
        ["compare", QRELS, *RUNS],
        ["agree", QRELS, *RUNS, "-m", "AgP", "--resamples", "10"],
        ["gate", QRELS, RUNS[1], "--min", "AiP>=0"],
        ["fidelity", QRELS],
    ],
    ids=lambda words: words[0],
)
def test_tests_of_repeated_topics_are_said_to_be_too_sure(world: Path, words: list[str]) -> None:
    told = "repeated topics are treated as independent"
    often, once = (
        document(world, *words, "-m", "AiP", "--only", topics)["notes"]
        for topics in ("some.txt", "10,2,31")
    )
    assert [note.startswith(told) for note in often].count(True) == 1
    assert not any(told in note for note in once)


def test_a_gate_names_each_topic_that_lost_once(world: Path) -> None:
    words = ["gate", QRELS, RUNS[0], "--baseline", RUNS[1], "-m", "AiP", "--to", "json", "--only"]
    once, often = (
        json.loads(foveal(*words, topics, folder=world).out)["losses"]
        for topics in ("10,2,31,4", "10,2,31,4,4,4,4,4,4,10,10")
    )
    assert len(once) == 4
    assert often == once


def test_titles_stand_beside_topics_in_every_form_but_those_of_other_programs(world: Path) -> None:
    words = ["evaluate", QRELS, RUNS[0], "-m", "AiP", "--per-topic"]
    titles = ["--topics-file", "titles.tsv"]
    rows = document(world, *words, *titles)["rows"]
    known = {row["topic"]: row["title"] for row in rows}
    assert known["10"] == "green tea"
    assert known["2"] == "a title that is by far too long to be shown on one line"
    assert known["31"] is known["all"] is None
    table = csv.DictReader(called(world, *words, *titles, "--to", "csv").out.splitlines())
    assert {row["topic"]: row["title"] for row in table} == {
        topic: title or "" for topic, title in known.items()
    }
    text = called(world, *words, *titles).out
    assert "green tea" in text
    assert "a title that is by far too long to be sh…" in text
    for form in ("markdown", "latex", "html"):
        assert known["2"] in called(world, *words, *titles, "--to", form).out
    for form in ("trec", "inex"):
        found = called(world, *words, *titles, "--to", form).out
        assert found == called(world, *words, "--to", form).out


def test_titles_of_other_topics_are_noted_and_titles_without_topics_refused(world: Path) -> None:
    (world / "other.tsv").write_text("77\ttea\n")
    words = ["evaluate", QRELS, RUNS[0], "-m", "AiP", "--topics-file"]
    answer = called(world, *words, "other.tsv", "--per-topic")
    assert (
        "note: no topic has a title: none of those scored (1, 10, 18, 2, 31 and 5 more) is in"
        " other.tsv (77)" in answer.err
    )
    answer = foveal(*words, "other.tsv", folder=world)
    assert answer.code == 2
    assert "--topics-file has titles of topics: ask for these with --per-topic" in answer.err
