"""Questions with evidence from other tools, and judgements of several people, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import Answer, foveal

GOLD = """\
topic,doc,start,end,assessor
1,a,0,10,anna
1,a,5,15,bob
1,a,5,10,carl
2,a,30,40,anna
2,a,20,20,bob
2,a,20,20,carl
2,b,0,10,bob
"""
RUN = '{"topic": "1", "doc": "a", "start": 0, "end": 10}\n{"topic": "2", "doc": "b", "start": 0, "end": 5}\n'
QUESTIONS = """\
question,references,corpus_id
Where is Oslo?,"[{""content"": ""Norway"", ""start_index"": 11, ""end_index"": 17}]",atlas
Why?,"[{""content"": ""so"", ""start_index"": 0, ""end_index"": 2}]",atlas
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "gold.csv").write_text(GOLD)
    (tmp_path / "mine.jsonl").write_text(RUN)
    (tmp_path / "questions.csv").write_text(QUESTIONS)
    return tmp_path


def settings(answer: Answer) -> dict[str, str]:
    found: dict[str, str] = json.loads(answer.out)["settings"]
    return found


def values(answer: Answer) -> dict[str, float]:
    return {row["topic"]: row["value"] for row in json.loads(answer.out)["rows"]}


def evaluated(folder: Path, *words: str) -> Answer:
    words = ("evaluate", "gold.csv", "mine.jsonl", "-m", "cR@5", "--per-topic", *words)
    return foveal(*words, "--to", "json", folder=folder)


@pytest.mark.parametrize(
    ("words", "said", "recall"),
    [
        ([], "union of 3", {"1": 10 / 15, "2": 5 / 20}),
        (["--assessors", "union"], "union of 3", {"1": 10 / 15, "2": 5 / 20}),
        # Only bob judged document b of topic 2.
        (["--assessors", "majority"], "majority of 3", {"1": 1.0, "2": 5 / 10}),
        (["--assessors", "anna"], "anna (of 3)", {"1": 1.0, "2": 0.0}),
        (["--assessors", "bob"], "bob (of 3)", {"1": 5 / 10, "2": 5 / 10}),
    ],
)
def test_one_chooses_whose_judgements_count(
    words: list[str], said: str, recall: dict[str, float], folder: Path
) -> None:
    answer = evaluated(folder, *words)
    assert settings(answer)["assessors"] == said
    found = values(answer)
    assert {topic: found[topic] for topic in recall} == pytest.approx(recall, abs=1e-12)


def test_one_assessor_is_not_in_the_settings(folder: Path) -> None:
    lines = GOLD.splitlines(keepends=True)
    (folder / "gold.csv").write_text(
        "".join(x for x in lines if "bob" not in x and "carl" not in x)
    )
    assert "assessors" not in settings(evaluated(folder))


def test_an_unknown_assessor_is_answered_with_the_known_ones(folder: Path) -> None:
    answer = evaluated(folder, "--assessors", "dora")
    assert answer.code == 2
    assert "an assessor in gold.csv (anna, bob, carl), got 'dora'" in answer.err


def test_a_choice_among_assessors_whom_nobody_names_is_refused(folder: Path) -> None:
    (folder / "gold.csv").write_text("1 0 a 1\n")
    answer = evaluated(folder, "--assessors", "majority")
    assert answer.code == 2
    assert "gold.csv names no assessors" in answer.err


@pytest.mark.parametrize("command", ["evaluate", "fidelity", "convert"])
def test_help_shows_whose_judgements_can_be_chosen(command: str) -> None:
    assert "--assessors union|majority|NAME" in foveal(command, "--help").out


def test_gold_is_converted_with_the_names_of_its_topics(folder: Path) -> None:
    answer = foveal("convert", "questions.csv", "rows.csv", folder=folder)
    assert answer.code == 0
    assert "the questions have no identifiers: they are called c000 to c001" in answer.out
    assert (folder / "rows.csv").read_text() == (
        "topic,doc,start,end\nc000,atlas,11,17\nc001,atlas,0,2\n"
    )
    asked = foveal("convert", "rows.csv", "rows.jsonl", folder=folder)
    assert asked.code == 2
    assert "rows.csv could be a run or judgements: give --kind run or --kind judgem" in asked.err
    told = foveal("convert", "rows.csv", "rows.jsonl", "--kind", "judgements", folder=folder)
    assert told.code == 0
    assert (
        (folder / "rows.jsonl")
        .read_text()
        .startswith('{"topic":"c000","doc":"atlas","highlights":[[11,17]]}\n')
    )


def test_convert_says_whose_judgements_it_writes(folder: Path) -> None:
    answer = foveal("convert", "gold.csv", "out.csv", "--assessors", "majority", folder=folder)
    assert "assessors: majority of 3\n" in answer.out
    assert (folder / "out.csv").read_text() == (
        "topic,doc,start,end\n1,a,5,10\n2,a,0,0\n2,b,0,10\n"
    )


def test_gold_cannot_be_written(folder: Path) -> None:
    answer = foveal("convert", "gold.csv", "out.csv", "--to", "chroma", folder=folder)
    assert answer.code == 2
    assert "chroma can only be read: write csv, inex, inex-xml, jsonl, parquet" in answer.err


@pytest.mark.parametrize("topics", ["judged", "retrieved"])
def test_questions_instead_of_identifiers_are_reported(topics: str, folder: Path) -> None:
    line = {"topic": "Where is Oslo?", "doc": "atlas", "start": 0, "end": 20}
    (folder / "mine.jsonl").write_text(json.dumps(line) + "\n")
    words = ("evaluate", "questions.csv", "mine.jsonl", "-m", "cR@5", "--topics", topics)
    answer = foveal(*words, folder=folder)
    assert "the run's topics are texts, those of the judgements identifiers; give" in answer.err
    (folder / "mine.jsonl").write_text(json.dumps({**line, "topic": "q7"}) + "\n")
    assert "are texts" not in foveal(*words, folder=folder).err


@pytest.mark.parametrize(
    ("gold", "run", "reasons"),
    [
        ({"quote": "x"}, {"doc": "a"}, ["or text (with --docs", "rename 'quote' to 'text'?"]),
        ({"grade": 1}, {"documents": [{"page_content": "x"}]}, ["but 'documents': ", '"results"']),
        ({"grade": 1}, {"id": ["lc"], "kwargs": {}}, ["but 'kwargs': give the hits", '"results"']),
    ],
)
def test_keys_of_other_tools_lead_to_ours(
    tmp_path: Path, gold: dict[str, object], run: dict[str, object], reasons: list[str]
) -> None:
    (tmp_path / "gold.jsonl").write_text(json.dumps({"topic": "1", "doc": "a", **gold}))
    (tmp_path / "run.jsonl").write_text(json.dumps({"topic": "1", **run}))
    done = foveal("evaluate", "gold.jsonl", "run.jsonl", folder=tmp_path)
    assert done.code == 65
    assert [reason for reason in reasons if reason not in done.err] == []
