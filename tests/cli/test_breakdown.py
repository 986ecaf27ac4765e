"""foveal evaluate --per-document and --per-result."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import polars as pl
import pytest

import foveal as library
from tests.cli.calling import foveal
from tests.cli.forms import EYES, tables

FLAGS = ["--per-document", "--per-result"]
HEADERS = {
    "--per-document": [
        "run",
        "topic",
        "doc",
        "rank",
        "relevant",
        "size",
        "rsize",
        "P",
        "R",
        "F",
        "bep",
        "t2i",
    ],
    "--per-result": [
        "run",
        "topic",
        "rank",
        "doc",
        "start",
        "end",
        "size",
        "rsize",
        "relevance",
        "P",
        "R",
    ],
}
THIRD = {
    "--per-document": ["mine", "1", "d2", "3", "true", "20", "20", *["1.0000"] * 4, "0.4000"],
    "--per-result": ["mine", "1", "3", "d2", "0", "20", "20", "20", "1.0000", "0.3333", "0.5000"],
}


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("form", EYES)
def test_forms_for_eyes_round_and_have_every_row(folder: Path, flag: str, form: str) -> None:
    answer = foveal("evaluate", "q.qrels", "mine.fol", flag, "--to", form, folder=folder)
    (table,) = tables(form, answer.out)
    assert table[0] == HEADERS[flag]
    assert table[3] == THIRD[flag]
    assert len(table) == 1 + {"--per-document": 4, "--per-result": 5}[flag]
    assert "overlap: once" in answer.err
    assert "note: left out 1 topic with nothing relevant: 3" in answer.err


@pytest.mark.parametrize("flag", FLAGS)
def test_forms_for_programs_have_the_same_numbers_in_full(folder: Path, flag: str) -> None:
    asked = ("evaluate", "q.qrels", "mine.fol", flag)
    document = json.loads(foveal(*asked, "--to", "json", folder=folder).out)
    assert list(document) == ["settings", "rows", "notes"]
    assert document["notes"][0] == "left out 1 topic with nothing relevant: 3"
    rows = document["rows"]
    assert [list(row) for row in rows] == [HEADERS[flag]] * len(rows)
    lines = foveal(*asked, "--to", "jsonl", folder=folder).out.splitlines()
    assert [json.loads(line) for line in lines] == rows
    for form, separator in (("csv", ","), ("tsv", "\t")):
        text = foveal(*asked, "--to", form, folder=folder).out
        (header, *body) = csv.reader(io.StringIO(text), delimiter=separator)
        assert header == HEADERS[flag]
        assert body == [
            [str(cell).lower() if isinstance(cell, bool) else str(cell) for cell in row.values()]
            for row in rows
        ]
    assert foveal(*asked, "-o", "rows.parquet", folder=folder).code == 0
    assert pl.read_parquet(folder / "rows.parquet").to_dicts() == rows
    scores = library.evaluate(
        library.read_qrels(folder / "q.qrels"), library.read_run(folder / "mine.fol"), "AiP"
    )
    in_python = scores.documents() if flag == "--per-document" else scores.results()
    assert in_python.to_dicts() == rows


def test_rows_of_documents_tell_the_parameters_of_their_scores(folder: Path) -> None:
    asked = ("evaluate", "q.qrels", "mine.fol", "--per-document", "--to", "json")
    official = json.loads(foveal(*asked, "--like", "inex_eval", folder=folder).out)
    assert official["settings"]["document scores"] == "F(beta=0.25), bep(n=500), t2i(irr=300)"
    assert official["rows"][3]["F"] == pytest.approx((17 / 16) / 24 / (1 / 96 + 1 / 4))
    assert official["rows"][0]["bep"] == 490 / 500


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["--per-document", "--per-result"],
            "--per-topic, --per-document and --per-result exclude each other: give one of them",
        ),
        (["--per-topic", "--per-result"], "exclude each other"),
        (["--per-topic", "--per-document"], "exclude each other"),
        (
            ["--per-result", "--to", "trec"],
            "--to trec has no lines for a result: with --per-result give another form, such as csv",
        ),
        (["--per-document", "--to", "inex"], "--to inex has no lines for a document"),
        (
            ["--per-document", "-m", "AiP"],
            "--per-document has the same columns whatever is asked for: leave out -m, or give"
            " --per-topic instead",
        ),
        (["--per-result", "--also", "latency_ms"], "leave out --also"),
        (["--per-result", "--topics-file", "titles.tsv"], "leave out --topics-file, or give"),
        (["--per-document", "--groups", "kinds.csv"], "leave out --groups, or give --per-topic"),
        (
            ["--per-result", "--figure", "curves-11", "-o", "curve.svg"],
            "--figure draws scores: leave out --per-result",
        ),
    ],
)
def test_what_means_nothing_beside_rows_is_refused(
    folder: Path, words: list[str], told: str
) -> None:
    answer = foveal("evaluate", "q.qrels", "mine.fol", *words, folder=folder)
    assert answer.code == 2
    assert told in " ".join(answer.err.split())
    assert not answer.out


@pytest.mark.parametrize("flag", FLAGS)
def test_judgements_without_highlights_are_refused(folder: Path, flag: str) -> None:
    (folder / "plain.qrels").write_text("1 0 d1 1\n1 0 d2 0\n")
    for run in ("mine.fol", "plain.run"):
        (folder / "plain.run").write_text("1 Q0 d1 1 2.0 mine\n")
        answer = foveal("evaluate", "plain.qrels", run, flag, folder=folder)
        assert answer.code == 65
        assert "the judgements have no highlights" in answer.err
        assert "(--per-topic, in Python scores.per_topic())" in answer.err


@pytest.mark.parametrize("flag", FLAGS)
def test_a_run_of_documents_that_is_not_kept_whole_has_its_rows(folder: Path, flag: str) -> None:
    lines = ["1 Q0 d3 1 3.0 whole", "1 Q0 d2 2 2.0 whole", "1 Q0 d1 3 9.0 whole"]
    (folder / "whole.run").write_text("\n".join(lines) + "\n")
    answer = foveal("evaluate", "q.qrels", "whole.run", flag, "--to", "jsonl", folder=folder)
    rows = [json.loads(line) for line in answer.out.splitlines()]
    found = [(row["rank"], row["doc"], row["size"], row["rsize"]) for row in rows]
    assert found == [(1, "d1", 100, 40), (2, "d3", 80, 0), (3, "d2", 50, 20)]


def test_documents_of_unknown_length_are_noted_but_refused_as_results(folder: Path) -> None:
    (folder / "whole.run").write_text("1 Q0 d9 1 3.0 whole\n1 Q0 d2 2 2.0 whole\n")
    answer = foveal(
        "evaluate", "q.qrels", "whole.run", "--per-document", "--to", "csv", folder=folder
    )
    assert answer.out.splitlines()[1].startswith("whole,1,d9,1,false,,0,0.0,0.0")
    assert "note: whole.run: size left empty for 1 document of unknown length, 'd9'" in answer.err
    refused = foveal("evaluate", "q.qrels", "whole.run", "--per-result", folder=folder)
    assert refused.code == 65
    assert "1 whole document of unknown length, 'd9'" in refused.err


def test_help_says_what_rows_hold() -> None:
    text = " ".join(foveal("evaluate", "--help").out.split())
    assert "--per-document Show every document returned instead" in text
    assert "takes no -m" in text
