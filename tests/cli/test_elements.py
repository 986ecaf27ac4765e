"""--elements wherever it is offered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import foveal as library
from tests.cli.calling import foveal

# Every test runs with both scanners.
pytestmark = pytest.mark.usefixtures("scanner")


@pytest.mark.usefixtures("pools")
@pytest.mark.parametrize("jobs", [[], ["--jobs", "2"]])
def test_element_runs_are_scored_through_the_index(collection: Path, jobs: list[str]) -> None:
    words = ["evaluate", "q.qrels", "mine.inex", "sub.xml", "--elements", "INDEX", *jobs]
    answer = foveal(*words, "-m", "charP", "-m", "charR", "--to", "csv", folder=collection)
    assert answer.code == 0, answer.err
    assert answer.out.splitlines()[1:] == [
        f"mine,charP,all,{20 / 53}", "mine,charR,all,1.0", f"sub,charP,all,{18 / 27}",
        "sub,charR,all,0.9",
    ]  # fmt: skip


def test_without_the_index_paths_are_refused_with_a_hint(collection: Path) -> None:
    answer = foveal("evaluate", "q.qrels", "mine.inex", folder=collection)
    assert answer.code == 65
    assert "mine.inex:1: an element path (3 lines like this) needs" in answer.err
    assert "--elements INDEX" in answer.err


def test_whole_documents_get_their_length_from_the_index(collection: Path) -> None:
    (collection / "d.trec").write_text("1 Q0 9996 1 2 d\n1 Q0 22478 2 1 d\n")
    (collection / "q.jsonl").write_text('{"topic": 1, "doc": "9996", "highlights": [[25, 45]]}\n')
    words = ["evaluate", "q.jsonl", "d.trec", "-m", "charP", "--to", "csv"]
    assert "--elements INDEX" in foveal(*words, folder=collection).err
    answer = foveal(*words, "--elements", "INDEX", folder=collection)
    assert answer.out.splitlines()[1] == f"d,charP,all,{20 / 63}"


def test_spans_past_the_end_of_unjudged_documents_are_refused(collection: Path) -> None:
    (collection / "past.fol").write_text("1 Q0 22478 1 2 d 5 5\n1 Q0 22478 2 1 d 10 5\n")
    (collection / "q.jsonl").write_text('{"topic": 1, "doc": "9996", "highlights": [[25, 45]]}\n')
    words = ["evaluate", "q.jsonl", "past.fol", "-m", "charP", "--elements", "INDEX"]
    answer = foveal(*words, folder=collection)
    assert answer.code == 65
    assert "past.fol:2: the part ends at 15, beyond the end of its document at 12" in answer.err
    assert foveal(*words, "--like", "inex_eval", folder=collection).code == 0


def test_check_finds_unknown_paths_and_documents(collection: Path) -> None:
    (collection / "odd.inex").write_text(
        "1 Q0 9996 1 3 mine /article[1]/bdy[1]/sec[9]\n"
        "1 Q0 nobody 2 2 mine /article[1]\n"
        "1 Q0 9996 3 1 mine article\n"
    )
    words = ["check", "odd.inex", "--elements", "INDEX", "--to", "json"]
    answer = foveal(*words, folder=collection)
    assert answer.code == 65
    found = json.loads(answer.out)["findings"]
    assert [row["line"] for row in found] == [1, 2, 3]
    assert found[0]["message"] == (
        "document '9996' has no element /article[1]/bdy[1]/sec[9]: the path is right up to"
        " /article[1]/bdy[1], which has no sec[9] (line: 1 Q0 9996 1 3 mine /article[1]/bdy[1]/sec[9])"
    )
    assert found[1]["message"].startswith("document 'nobody' is not in the index (line: ")


def test_check_tells_elements_from_passages_and_knows_lengths(collection: Path) -> None:
    (collection / "mixed.fol").write_text(
        "1 Q0 9996 1 3 mine 25 18\n1 Q0 9996 2 2 mine 0 3\n1 Q0 22478 3 1 mine 10 9\n"
    )
    answer = foveal("check", "mixed.fol", "--elements", "INDEX", folder=collection)
    assert answer.code == 65
    assert "mixed.fol:2: warning: 1 part with the span of an element and 2 others" in answer.out
    assert "the part ends at 19, but document '22478' at 12 [past-document-end]" in answer.out


MIXED = """\
1 Q0 9996 1 3 mine /article[1]/bdy[1]/sec[2]
1 Q0 9996 2 2 mine /article[1]/name[1]/text()[1].0 /article[1]/name[1]/text()[1].3
"""


def test_a_run_of_elements_and_passages_is_an_error_until_it_is_repaired(collection: Path) -> None:
    (collection / "mixed.inex").write_text(MIXED)
    answer = foveal("check", "mixed.inex", "--elements", "INDEX", folder=collection)
    assert answer.code == 65
    assert "mixed.inex:2: error: the run mixes 1 element and 1 passage: return one" in answer.out
    words = ["check", "--fix", "mixed.inex", "-o", "fixed.inex", "--elements", "INDEX"]
    assert "[mixed-elements]" in foveal(*words, folder=collection).out
    again = foveal("check", "fixed.inex", "--elements", "INDEX", folder=collection)
    assert again.code == 0
    assert "error" not in again.out


def test_passages_that_happen_to_be_elements_are_no_error(collection: Path) -> None:
    passages = MIXED.replace("sec[2]\n", "sec[2]/p[1]/text()[1].0 /article[1]/bdy[1]/sec[2]\n")
    (collection / "passages.inex").write_text(passages)
    answer = foveal("check", "passages.inex", "--elements", "INDEX", folder=collection)
    assert answer.code == 0
    assert "[partly-elements]" in answer.out


def test_a_missing_index_is_a_missing_file(collection: Path) -> None:
    answer = foveal("check", "mine.inex", "--elements", "NOWHERE", folder=collection)
    assert answer.code == 66


def test_the_library_reads_with_an_opened_index(collection: Path) -> None:
    index = library.open_index(collection / "INDEX")
    run = library.read_run(collection / "mine.inex", elements=index)
    qrels = library.read_qrels(collection / "q.qrels", elements=index)
    scores = library.evaluate(qrels, [run], ["charR"])
    assert scores.mean()["charR"].to_list() == [1.0]
