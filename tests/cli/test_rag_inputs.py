"""Retrieved chunks on the command line: each is read as it is, refused, or told of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import foveal

QRELS = "".join(
    json.dumps({"topic": topic, "doc": "a", "length": 100, "highlights": [[0, 10]]}) + "\n"
    for topic in "12"
)
NO_OFFSETS = (
    "chunks.jsonl: 2 results have text but not both start and end: give --docs DOCUMENTS (in Python"
    " docs=foveal.read_documents(...)) to find the text"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "judged.jsonl").write_text(QRELS)
    return tmp_path


def chunks(folder: Path, *rows: dict[str, Any]) -> None:
    lines = [json.dumps({"topic": "1", "doc": "a", **row}) + "\n" for row in rows]
    (folder / "chunks.jsonl").write_text("".join(lines))


def evaluated(folder: Path, run: str, *options: str) -> Any:
    return foveal("evaluate", "judged.jsonl", run, "-m", "cR@5", *options, folder=folder)


def test_the_names_of_frameworks_are_read_and_said(folder: Path) -> None:
    (folder / "chunks.csv").write_text("query_id,source,start_index,length\n1,a,0,5\n2,a,0,10\n")
    answer = evaluated(folder, "chunks.csv", "--to", "json")
    found = json.loads(answer.out)
    assert found["settings"]["columns"] == (
        "query_id as topic, source as doc, start_index as start, length as end"
    )
    assert found["rows"][-1]["value"] == 0.75
    told = foveal("check", "chunks.csv", folder=folder)
    assert "columns: query_id as topic, source as doc, start_index as" in told.out + told.err


def test_offsets_under_unknown_names_are_refused(folder: Path) -> None:
    (folder / "chunks.csv").write_text("topic,doc,char_begin,char_stop\n1,a,0,5\n")
    answer = evaluated(folder, "chunks.csv")
    assert answer.code == 65
    assert answer.err.startswith(
        "foveal: chunks.csv:1: no columns 'start' and 'end' (found: topic, doc, char_begin, char_stop):"
        " rename 'char_begin' to 'start' and 'char_stop' to 'end'?"
    )


@pytest.mark.parametrize(
    "command",
    [
        "evaluate judged.jsonl chunks.jsonl",
        "evaluate judged.jsonl chunks.jsonl -m AP",
        "compare judged.jsonl chunks.jsonl chunks.jsonl",
        "check chunks.jsonl --fix -o out.jsonl",
        "convert chunks.jsonl out.fol",
        "convert chunks.jsonl out.trec",
        "convert chunks.jsonl out.xml",
    ],
)
def test_text_without_offsets_is_nowhere_a_whole_document(command: str, folder: Path) -> None:
    chunks(folder, {"page_content": "one"}, {"page_content": "two"})
    answer = foveal(*command.split(), folder=folder)
    assert answer.code == 65
    assert NO_OFFSETS in answer.err


def test_check_says_that_text_has_no_offsets(folder: Path) -> None:
    chunks(folder, {"text": "one"}, {"start": 0, "end": 9, "text": "two"})
    answer = foveal("check", "chunks.jsonl", folder=folder)
    assert answer.code == 65
    assert "1 result without offsets: give --docs DOCUMENTS to find the text" in answer.out
    assert "whole document" not in answer.out


def test_texts_are_converted_with_their_run(folder: Path) -> None:
    chunks(folder, {"content": "one"}, {"content": "two"})
    assert foveal("convert", "chunks.jsonl", "out.csv", folder=folder).code == 0
    assert (folder / "out.csv").read_text() == (
        "topic,doc,text,tag\n1,a,one,chunks\n1,a,two,chunks\n"
    )


def test_offsets_on_some_lines_are_refused_with_the_line(folder: Path) -> None:
    chunks(folder, {"start": 0, "end": 5}, {"start": None, "end": None})
    answer = evaluated(folder, "chunks.jsonl")
    assert answer.code == 65
    assert (
        "chunks.jsonl:2: start and end are missing on this line but present on others" in answer.err
    )


def test_minus_one_is_refused_unless_inex_is_asked_for(folder: Path) -> None:
    chunks(folder, {"start": 0, "end": 5}, {"start": -1, "end": -1})
    answer = evaluated(folder, "chunks.jsonl")
    assert answer.code == 65
    assert (
        "chunks.jsonl: no offset (-1) on 1 result, first at line 2: give the text and" in answer.err
    )
    assert evaluated(folder, "chunks.jsonl", "--like", "inex_eval").code == 0
    assert foveal("check", "chunks.jsonl", folder=folder).code == 65
    assert (
        foveal(
            "convert", "chunks.jsonl", "--kind", "run", "--to", "inex", "out.fol", folder=folder
        ).code
        == 0
    )
    assert evaluated(folder, "out.fol").code == 0


def test_distances_are_told_in_every_form(folder: Path) -> None:
    chunks(
        folder,
        {"start": 0, "end": 5, "distance": 0.1},
        {"start": 20, "end": 30, "distance": 0.2},
    )
    note = "chunks.jsonl: scores rise down the list in 1 of 1 topic: distances?"
    for form in ("json", "csv", "text"):
        answer = evaluated(folder, "chunks.jsonl", "--to", form)
        assert note in answer.out + answer.err


def test_scores_that_may_be_distances_are_told_with_the_way_out(folder: Path) -> None:
    chunks(folder, {"start": 20, "end": 30, "score": 0.1}, {"start": 0, "end": 10, "score": 0.2})
    asked = ("evaluate", "judged.jsonl", "chunks.jsonl", "-m", "cR@1", "--to", "json")
    found = json.loads(foveal(*asked, folder=folder).out)
    assert any("--order file ranks them as listed" in note for note in found["notes"])
    assert found["rows"][-1]["value"] == 0.5
    listed = json.loads(foveal(*asked, "--order", "file", folder=folder).out)
    assert listed["rows"][-1]["value"] == 0


def test_ties_are_listed_in_tables_and_by_id_in_trec_files(folder: Path) -> None:
    (folder / "judged.trec").write_text("1 0 b 1\n")
    (folder / "run.csv").write_text("topic,doc,score\n1,a,0.5\n1,b,0.5\n")
    (folder / "run.trec").write_text("1 Q0 a 1 0.5 run\n1 Q0 b 2 0.5 run\n")

    def found(run: str, *options: str) -> tuple[str, float]:
        asked = ("evaluate", "judged.trec", run, "-m", "RR", "--to", "json", *options)
        answer = json.loads(foveal(*asked, folder=folder).out)
        return answer["settings"]["ties"], answer["rows"][-1]["value"]

    assert found("run.csv") == ("file", 0.5)
    assert found("run.trec") == ("id", 1)
    assert found("run.csv", "--ties", "id") == ("id", 1)
    assert found("run.trec", "--ties", "file") == ("file", 0.5)
    assert found("run.csv", "--like", "trec_eval-9") == ("id", 1)


def test_documents_named_otherwise_and_repeated_ranks_are_told(folder: Path) -> None:
    row = {"doc": "corpora/a.md", "start": 0, "end": 5, "rank": 1}
    chunks(folder, row, {**row, "start": 20, "end": 30})
    answer = evaluated(folder, "chunks.jsonl", "--to", "json")
    notes = json.loads(answer.out)["notes"]
    assert "did you mean: 'corpora/a.md' is 'a'?" in notes[0]
    assert "ranks repeat within a topic in 1 of 1 topic" in "".join(notes)


def test_ties_that_trec_ranks_otherwise_are_told(folder: Path) -> None:
    (folder / "run.csv").write_text("topic,doc,score\n1,a,0.5\n1,b,0.5\n1,c,0.1\n2,b,1\n2,a,1\n")
    answer = foveal("convert", "run.csv", "run.trec", folder=folder)
    assert "2 results with tied scores, which trec ranks by document id\n" in answer.out
    (folder / "run.csv").write_text("topic,doc,score\n1,b,0.5\n1,a,0.5\n")
    assert "tied" not in foveal("convert", "run.csv", "run.trec", folder=folder).out


def test_parts_with_lengths_are_a_run_not_judgements(folder: Path) -> None:
    chunks(folder, {"offset": 3, "length": 6})
    assert foveal("convert", "chunks.jsonl", "--kind", "run", "out.csv", folder=folder).code == 0
    assert (folder / "out.csv").read_text() == "topic,doc,start,end,tag\n1,a,3,9,chunks\n"
