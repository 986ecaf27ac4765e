"""A run is called like its file, whatever runs are beside it."""

from __future__ import annotations

import csv
import io
import os
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

import foveal as library
from tests.cli.calling import foveal
from tests.cli.conftest import RUN as PARTS
from tests.cli.small_world import document

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 c 1\n"
RUN = "1 Q0 a 1 2 same\n1 Q0 b 2 1 same\n2 Q0 c 1 2 same\n"
WORSE = "1 Q0 b 1 2 same\n1 Q0 a 2 1 same\n"
SUBMISSION = (
    '<inex-submission participant-id="1" run-id="given" task="Focused"><topic topic-id="1">'
    "<result><file>a</file><rank>1</rank></result></topic></inex-submission>"
)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    (tmp_path / "q").write_text(QRELS)
    (tmp_path / "bm25-0.5.run").write_text(RUN)
    (tmp_path / "dense.v1.2").write_text(WORSE)
    for folder in ("a", "b", "b/a"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.run.txt").write_text(WORSE)
        (tmp_path / folder / "x.trec").write_text(WORSE)
    return tmp_path


def rows(folder: Path, *files: str) -> list[dict[str, str]]:
    answer = foveal("evaluate", "q", *files, "--per-topic", "--to", "csv", folder=folder)
    assert answer.code == 0, answer.err
    return list(csv.DictReader(io.StringIO(answer.out)))


def names(folder: Path, *files: str) -> list[str]:
    return list(dict.fromkeys(row["run"] for row in rows(folder, *files)))


def test_rows_of_one_call_are_those_of_two(runs: Path) -> None:
    one, other = "bm25-0.5.run", "dense.v1.2"
    both = rows(runs, one, other)
    assert both == rows(runs, one) + rows(runs, other)
    assert {row["run"] for row in both} == {"bm25-0.5", "dense.v1.2"}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["a/x.run.txt"], ["x"]),
        (["a/x.run.txt", "bm25-0.5.run"], ["x", "bm25-0.5"]),
        (["a/x.run.txt", "b/x.run.txt", "bm25-0.5.run"], ["a/x", "b/x", "bm25-0.5"]),
        (["a/x.run.txt", "b/x.run.txt", "b/a/x.run.txt"], ["a/x", "b/x", "b/a/x"]),
        (["a/x.run.txt", "a/x.run.txt"], ["x", "x#2"]),
        (["a/x.run.txt", "a/x.trec"], ["x.run.txt", "x.trec"]),
        (["a/x.trec", "a/x.run.txt"], ["x.trec", "x.run.txt"]),
    ],
)
def test_equal_stems_get_as_many_folders_as_tell_them_apart(
    runs: Path, files: Sequence[str], expected: list[str]
) -> None:
    assert names(runs, *files) == expected


def test_what_is_read_has_the_name_that_is_scored(runs: Path) -> None:
    (runs / "s.xml").write_text(SUBMISSION)
    (runs / "named.jsonl").write_text('{"topic": "1", "doc": "a", "run": "told"}\n')
    (runs / "tagged.csv").write_text("topic,doc,tag\n1,a,mine\n")
    files = ["s.xml", "named.jsonl", "tagged.csv", "bm25-0.5.run", "a/x.run.txt"]
    expected = ["given", "told", "tagged", "bm25-0.5", "x"]
    assert [library.read_run(runs / file).name for file in files] == expected
    assert names(runs, *files) == expected
    read = [library.read_run(runs / file) for file in files]
    assert library.evaluate(library.read_qrels(runs / "q"), read, "AP").runs == expected


def test_standard_input_is_called_by_its_tag(runs: Path) -> None:
    for text, name in ((RUN, "same"), ('{"topic": "1", "doc": "a", "score": 1}', "stdin")):
        answer = foveal("evaluate", "q", "-", "--to", "csv", stdin=text.encode(), folder=runs)
        assert answer.out.splitlines()[1].startswith(f"{name},")


def test_a_pipe_is_called_by_its_tag(runs: Path) -> None:
    os.mkfifo(runs / "63")
    writing = threading.Thread(target=(runs / "63").write_text, args=(RUN,))
    writing.start()
    assert names(runs, "63") == ["same"]
    writing.join()


def test_the_tag_goes_where_trec_eval_and_other_formats_have_it(runs: Path) -> None:
    printed = foveal("trec_eval", "q", "bm25-0.5.run", folder=runs).out
    assert printed.split()[:3] == ["runid", "all", "same"]
    words = ("evaluate", "q", "bm25-0.5.run", "dense.v1.2", "-m", "AP", "--to", "trec")
    assert foveal(*words, folder=runs).out.count("runid                 \tall\tsame\n") == 2
    for form, expected in (("trec", " same\n"), ("jsonl", '"tag":"same"}\n')):
        foveal("convert", "bm25-0.5.run", f"copy.{form}", folder=runs)
        assert (runs / f"copy.{form}").read_text().endswith(expected)
    assert names(runs, "copy.jsonl") == ["copy"]


@pytest.mark.parametrize("baseline", ["b/x", "b/x.run.txt"])
def test_a_baseline_is_named_or_given_as_its_file(runs: Path, baseline: str) -> None:
    words = ("compare", "q", "a/x.run.txt", "b/x.run.txt", "bm25-0.5.run", "-m", "AP")
    found = document(runs, *words, "--baseline", baseline)
    assert {row["baseline_run"] for row in found["pairs"]} == {"b/x"}
    assert {row["run"] for row in found["pairs"]} == {"a/x", "bm25-0.5"}


def test_every_command_calls_runs_alike(folder: Path) -> None:
    for place in ("a", "b"):
        (folder / place).mkdir()
        (folder / place / "x.fol").write_text(PARTS)
    files = ("a/x.fol", "b/x.fol", "mine.fol")
    expected = {"a/x", "b/x", "mine"}
    compared = document(folder, "compare", "q.qrels", *files, "-m", "AiP")
    assert {row["run"] for row in compared["means"]} == expected
    agreed = document(folder, "agree", "q.qrels", *files, "-m", "AiP", "-m", "charP")
    assert {row["run"] for row in agreed["means"]} == expected
    explained = document(folder, "explain", "q.qrels", files[0], "--against", files[1])
    assert {row["run"] for row in explained["topics"]} == {"a/x", "b/x"}
    gated = document(folder, "gate", "q.qrels", files[0], "--min", "AiP>=0")
    assert {row["run"] for row in gated["demands"]} == {"x"}
    (folder / "who").write_text("a/x one\nb/x one\nmine two\n")
    words = ("stability", "leave-out", "q.qrels", *files, "-m", "AiP", "--participants", "who")
    assert document(folder, *words)["settings"]["participants"] == "one (2 runs), two (1 run)"
    assert foveal("report", "q.qrels", *files, "-o", "r.html", folder=folder).code == 0
    page = (folder / "r.html").read_text()
    assert all(f">{name}<" in page for name in expected)
