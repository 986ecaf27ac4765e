from __future__ import annotations

from pathlib import Path

import pytest

from foveal.choices import Count
from foveal.collection import OffsetCounter, Settings, build_index
from tests.cli.calling import Answer, foveal


def convert(folder: Path, *words: str, stdin: bytes = b"") -> Answer:
    return foveal("convert", *words, stdin=stdin, folder=folder)


def test_paths_become_offsets(collection: Path) -> None:
    answer = convert(collection, "mine.inex", "out.fol", "--elements", "INDEX")
    assert answer.out == "out.fol: 3 results of 1 topic, inex\n"
    assert (collection / "out.fol").read_text() == (
        "1 Q0 9996 1 3.0 mine 25 18\n1 Q0 9996 2 2.0 mine 7 44\n1 Q0 22478 3 1.0 mine 3 9\n"
    )


def test_offsets_become_the_paths_of_the_smallest_elements(collection: Path) -> None:
    (collection / "out.fol").write_text("1 Q0 9996 1 2 mine 25 18\n1 Q0 9996 2 1 mine 9 2\n")
    answer = convert(collection, "out.fol", "out.xml", "--elements", "INDEX", "--paths")
    assert answer.out == (
        "1 part enlarged to the smallest element around\nout.xml: 2 results of 1 topic, inex-xml\n"
    )
    back = convert(collection, "out.xml", "-", "--to", "inex", "--elements", "INDEX", "--paths")
    assert back.out == (
        "1 Q0 9996 1 2.0 mine /article[1]/bdy[1]/sec[2]\n"
        "1 Q0 9996 2 1.0 mine /article[1]/bdy[1]/sec[1]\n"
    )
    assert "-: 2 results of 1 topic, inex" in back.err


def test_a_submission_without_scores_gets_some(collection: Path) -> None:
    answer = convert(collection, "sub.xml", "sub.fol", "--elements", "INDEX")
    assert answer.out.startswith("added scores, 1/rank, because the run has none\n")
    assert (collection / "sub.fol").read_text() == (
        "1 Q0 9996 0 1.0 sub 25 18\n1 Q0 22478 1 0.5 sub 3 9\n"
    )


def test_what_a_submission_says_about_itself_goes_along_or_is_reported(collection: Path) -> None:
    words = ["--elements", "INDEX"]
    kept = convert(collection, "sub.xml", "again.xml", *words)
    assert kept.out == "again.xml: 2 results of 1 topic, inex-xml\n"
    head = '<inex-submission run-id="sub" participant-id="12" task="Focused" result-type="FOL">'
    assert head in (collection / "again.xml").read_text()
    lost = convert(collection, "sub.xml", "sub.csv", *words)
    assert "left out, because csv cannot hold it: participant-id, task\n" in lost.out


def test_whole_documents_become_spans_where_there_is_no_other_way(collection: Path) -> None:
    (collection / "d.trec").write_text("1 Q0 9996 1 2 d\n1 Q0 22478 2 1 d\n")
    refused = convert(collection, "d.trec", "d.fol")
    assert refused.code == 65
    assert not (collection / "d.fol").exists()
    answer = convert(collection, "d.trec", "d.fol", "--elements", "INDEX")
    assert answer.out.startswith("2 whole documents written with start and length\n")
    assert (collection / "d.fol").read_text() == "1 Q0 9996 1 2.0 d 0 51\n1 Q0 22478 2 1.0 d 0 12\n"


def test_parts_become_the_ranking_of_their_documents(collection: Path) -> None:
    (collection / "mine.fol").write_text(
        "1 Q0 9996 1 3 mine 25 18\n1 Q0 22478 2 2 mine 3 0\n1 Q0 9996 3 1 mine 7 2\n"
    )
    answer = convert(collection, "mine.fol", "mine.trec", "--documents")
    assert answer.out == "3 results → 2 documents\nmine.trec: 2 results of 1 topic, trec\n"
    listed = "1 Q0 9996 1 3.0 mine\n1 Q0 22478 2 2.0 mine\n"
    assert (collection / "mine.trec").read_text() == listed
    assert convert(collection, "mine.fol", "mine.run", "--documents").code == 0
    assert (collection / "mine.run").read_bytes() == (collection / "mine.trec").read_bytes()
    again = convert(collection, "mine.trec", "-", "--to", "trec", "--documents")
    assert again.out == listed
    assert again.err.startswith("2 results → 2 documents\n")
    scores = [
        foveal("evaluate", "q.qrels", run, "-m", "AP", "-m", "RR", "--to", "csv", folder=collection)
        for run in ("mine.fol", "mine.trec")
    ]
    assert scores[0].out == scores[1].out


def test_an_option_for_runs_says_that_a_file_is_a_run(collection: Path) -> None:
    (collection / "either.jsonl").write_text('{"topic": "1", "doc": "a", "start": 0, "end": 2}\n')
    assert convert(collection, "either.jsonl", "out.trec").code == 2
    answer = convert(collection, "either.jsonl", "out.trec", "--documents")
    assert (answer.code, answer.out.splitlines()[0]) == (0, "1 result → 1 document")
    words = ["--to", "trec", "--min-highlighted", "1"]
    answer = convert(collection, "either.jsonl", "out.qrels", *words)
    assert (answer.code, (collection / "out.qrels").read_text()) == (0, "1 0 a 1\n")


def test_documents_go_to_formats_of_text_with_their_lengths(collection: Path) -> None:
    words = ["mine.inex", "out.inex", "--documents", "--elements", "INDEX"]
    assert convert(collection, *words).out == (
        "3 results → 2 documents\n"
        "2 whole documents written with start and length\n"
        "out.inex: 2 results of 1 topic, inex\n"
    )
    assert (collection / "out.inex").read_text() == (
        "1 Q0 9996 1 3.0 mine 0 51\n1 Q0 22478 2 1.0 mine 0 12\n"
    )


def test_tied_parts_give_documents_other_scores(collection: Path) -> None:
    (collection / "tied.fol").write_text("1 Q0 a 1 7 mine 25 18\n1 Q0 b 2 7 mine 3 9\n")
    answer = convert(collection, "tied.fol", "tied.trec", "--documents")
    assert answer.out == (
        "2 results → 2 documents\n"
        "scores are 1/rank, because the scores of the first parts alone do not give this ranking\n"
        "tied.trec: 2 results of 1 topic, trec\n"
    )
    assert (collection / "tied.trec").read_text() == "1 Q0 a 1 1.0 mine\n1 Q0 b 2 0.5 mine\n"


def test_highlights_become_grades_by_a_threshold(collection: Path) -> None:
    refused = convert(collection, "q.qrels", "t.trec")
    assert refused.code == 2
    assert "--min-highlighted N" in refused.err
    answer = convert(collection, "q.qrels", "t.trec", "--min-highlighted", "20")
    assert answer.out == (
        "grade 1 for 1 of 1 document with highlights (at least 20 highlighted characters), grade 0"
        " for all others\n"
        "t.trec: 2 judged documents of 1 topic, trec\n"
    )
    assert (collection / "t.trec").read_text() == "1 0 9996 1\n1 0 22478 0\n"
    convert(collection, "q.qrels", "t.trec", "--min-highlighted", "21")
    assert (collection / "t.trec").read_text() == "1 0 9996 0\n1 0 22478 0\n"


def test_judgements_go_to_xml_and_back(collection: Path) -> None:
    assert convert(collection, "q.qrels", "q.xml", "--elements", "INDEX").code == 0
    back = convert(collection, "q.xml", "back.inex", "--elements", "INDEX")
    assert "elements with an exhaustivity: the passages" in back.out
    assert (collection / "back.inex").read_text() == (collection / "q.qrels").read_text()
    piped = (collection / "q.xml").read_bytes()
    words = ["-", "-", "--to", "inex", "--elements", "INDEX"]
    assert convert(collection, *words, stdin=piped).out == (collection / "q.qrels").read_text()


def test_sizes_that_xml_judgements_cannot_hold_are_told(collection: Path) -> None:
    (collection / "odd.qrels").write_text("1 Q0 9996 20 60 25 25:18 44:2\n1 Q0 22478 3 12\n")
    answer = convert(collection, "odd.qrels", "odd.xml", "--elements", "INDEX")
    told = "2 judged documents with other sizes than the index counts: written as counted\n"
    assert told in answer.out
    assert told not in convert(collection, "q.qrels", "q.xml", "--elements", "INDEX").out


def test_text_outside_elements_has_no_place_in_xml_judgements(collection: Path) -> None:
    (collection / "articles" / "note.txt").write_text("Some plain text.")
    build_index([str(collection / "articles")], collection / "MIXED")
    (collection / "note.jsonl").write_text(
        '{"topic": 1, "doc": "note", "highlights": [[0, 4]]}\n'
        '{"topic": 1, "doc": "9996", "highlights": [[25, 43]]}\n'
    )
    answer = convert(collection, "note.jsonl", "note.xml", "--elements", "MIXED")
    assert answer.code == 65
    assert "1 place outside the text that the index knows, first document 'note'" in answer.err
    assert not (collection / "note.xml").exists()


def test_offsets_that_count_bytes_are_told(collection: Path) -> None:
    bytes_counted = Settings(OffsetCounter(Count.BYTES))
    build_index([str(collection / "articles")], collection / "BYTES", bytes_counted)
    run = convert(collection, "mine.inex", "out.fol", "--elements", "BYTES")
    assert run.out.startswith("the index does not count characters")
    words = ["evaluate", "q.qrels", "sub.xml", "--elements", "BYTES"]
    scored = foveal(*words, folder=collection)
    assert "note: q.qrels: the index does not count characters" in scored.err


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1 0 a 1\n", "judged"),
        ("1 Q0 a 0 10\n", "judged"),
        ("# x\n\n1 Q0 a 0 10 2\n1 Q0 b 5 10 2 2:5\n", "judged"),
        ("1 Q0 a 5 10 2 2:5\n", "judged"),
        ('{"topic": 1, "doc": "a", "grade": 1}\n', "judged"),
        ("1 Q0 a 5 10 mine\n", "result"),
        ("1 Q0 a 5 10 mine 5\n", "result"),
        ("1 Q0 a 5 10 mine 5 7\n", "result"),
        ('{"topic": 1, "doc": "a"}\n', "result"),
        ("topic,doc\n1,a\n", "result"),
        ("topic\tdoc\tscore\ttag\n1\ta\t1\tmine\n", "result"),
        ("topic\tdoc\tstart\tend\trank\n1\ta\t0\t5\t1\n", "result"),
    ],
)
def test_runs_are_told_from_judgements_by_what_they_hold(
    text: str, kind: str, tmp_path: Path
) -> None:
    (tmp_path / "in").write_text(text)
    answer = convert(tmp_path, "in", "out.jsonl")
    assert answer.code == 0, answer.err
    assert kind in answer.out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (
            ["q.qrels", "out.unknown"],
            2,
            "cannot tell the format from the name 'out.unknown': name one with --to",
        ),
        (["q.qrels", "out.jsonl", "--kind", "run"], 65, "q.qrels:1"),
        (["q.qrels", "out.jsonl", "--paths"], 2, "--paths is for runs"),
        (["q.qrels", "out.jsonl", "--documents"], 2, "--documents is for runs, but these are"),
        (["mine.inex", "out.fol", "--min-highlighted", "1"], 2, "is for judgements"),
        (["mine.inex", "out.fol", "--paths"], 2, "--paths needs the collection's offset index"),
        (
            ["mine.inex", "out.jsonl", "--paths", "--elements", "INDEX"],
            2,
            "cannot hold element paths",
        ),
        (
            ["mine.inex", "out.trec", "--elements", "INDEX"],
            65,
            "trec holds whole documents only, but run",
        ),
        (["q.qrels", "out.xml"], 2, "writing inex-xml needs the collection's offset index"),
        (["nowhere", "out.fol"], 66, "nowhere"),
        (["-", "out.fol"], 65, "<stdin>: the file is empty"),
        (["articles/9996.xml", "out.fol"], 65, "XML with the root <article>"),
    ],
)
def test_what_cannot_be_converted_is_refused_and_nothing_is_written(
    words: list[str], code: int, said: str, collection: Path
) -> None:
    answer = convert(collection, *words)
    assert answer.code == code
    assert said in answer.err
    assert not (collection / words[1]).exists()


@pytest.mark.usefixtures("pools")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_several_files_go_into_a_folder(collection: Path, jobs: str) -> None:
    words = ["mine.inex", "sub.xml", "out", "--to", "inex", "--elements", "INDEX", "--jobs", jobs]
    answer = convert(collection, *words)
    assert answer.out == (
        "out/mine.inex: 3 results of 1 topic, inex\n"
        "added scores, 1/rank, because the run has none\n"
        "left out, because inex cannot hold it: participant-id, task\n"
        "out/sub.inex: 2 results of 1 topic, inex\n"
    )
    alone = convert(collection, "mine.inex", "-", "--to", "inex", "--elements", "INDEX")
    assert (collection / "out" / "mine.inex").read_text() == alone.out
    again = convert(collection, "q.qrels", "out", "--to", "jsonl")
    assert again.out == "out/q.jsonl: 2 judged documents of 1 topic, jsonl\n"


@pytest.mark.usefixtures("pools")
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["mine.inex", "sub.xml", "out"], 2, "give the format of the files in this folder with --to F"),
        (["mine.inex", "sub.xml", "out", "--to", "fol"], 2, "unknown format 'fol'"),
        (["q.qrels", "./q.qrels", "out", "--to", "jsonl"], 2, "several files would be called q.jsonl"),
        (["q.qrels", "-", "out", "--to", "jsonl"], 2, "has no name"),
        (["q.qrels", "nowhere", "out", "--to", "jsonl", "--jobs", "2"], 66, "nowhere: no such file"),
        (["q.qrels", "sub.xml", "mine.inex", "--to", "jsonl"], 66, "mine.inex: cannot make this folder"),
        (["-", "out.jsonl", "--jobs", "2"], 2, "cannot be shared among processes"),
    ],
)  # fmt: skip
def test_several_files_that_cannot_go_into_a_folder(
    words: list[str], code: int, said: str, collection: Path
) -> None:
    answer = convert(collection, *words)
    assert (answer.code, said in answer.err) == (code, True), answer.err


def test_files_are_read_wherever_fsspec_reaches(collection: Path) -> None:
    pytest.importorskip("fsspec", reason="in the extra `cluster`")
    here = f"file://{collection}"
    run = convert(collection, f"{here}/mine.inex", "far.fol", "--elements", "INDEX")
    assert run.out == "far.fol: 3 results of 1 topic, inex\n"
    words = ["evaluate", f"{here}/q.qrels", f"{here}/far.fol", "-m", "charP", "--to", "csv"]
    near = foveal("evaluate", "q.qrels", "far.fol", "-m", "charP", "--to", "csv", folder=collection)
    for jobs in ("1", "2"):
        assert foveal(*words, "--jobs", jobs, folder=collection).out == near.out != ""
    lost = foveal("evaluate", f"{here}/nowhere", "far.fol", folder=collection)
    assert (lost.code, "nowhere: no such file" in lost.err) == (66, True)
