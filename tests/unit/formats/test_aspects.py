"""Aspects in files: which formats hold them, and how they are told from others."""

from __future__ import annotations

from pathlib import Path

import pytest

from foveal.errors import BadInput, DataError
from foveal.formats import read_assessors, read_qrels, read_run, write_qrels
from foveal.formats.jsonl import write_assessors
from foveal.tables import Qrels, rows_in_order
from tests.held import held

SUBTOPICS = b"1 1 a 1\n1 1 b 2\n1 2 a 0\n1 3 c 0\n"


def _entries(qrels: Qrels) -> list[tuple[object, ...]]:
    aspects = qrels.judgements.aspects
    assert aspects is not None
    return aspects.frame.rows()


def test_a_document_that_recurs_under_another_column_2_is_judged_by_subtopic() -> None:
    qrels = read_qrels(held(SUBTOPICS))
    assert qrels.format == "trec-subtopics"
    assert len(qrels.notes) == 1
    assert "in column 2, so it is read as the subtopic (trec-subtopics)" in qrels.notes[0]
    assert [entry[:2] for entry in _entries(qrels)] == [(0, "1"), (0, "2"), (1, "1"), (2, "3")]
    assert qrels.documents["grade"].to_list() == [1.0, 2.0, 0.0]


def test_lines_named_trec_stay_trec() -> None:
    with pytest.raises(BadInput, match="document 'a' of topic '1' is judged twice"):
        read_qrels(held(SUBTOPICS), "trec")


def test_different_iterations_alone_are_no_subtopics() -> None:
    qrels = read_qrels(held(b"1 1 a 1\n1 2 b 1\n"))
    assert (qrels.format, qrels.judgements.aspects, qrels.notes) == ("trec", None, ())
    named = read_qrels(held(b"1 1 a 1\n1 2 b 1\n"), "trec-subtopics")
    assert [entry[:2] for entry in _entries(named)] == [(0, "1"), (1, "2")]


def test_a_document_twice_under_the_same_column_2_is_refused() -> None:
    with pytest.raises(BadInput, match="is judged twice"):
        read_qrels(held(b"1 0 a 1\n1 0 a 1\n"))


def test_genomics_judgements_are_latin_1_with_aspects_of_passages() -> None:
    lines = "200\t10\t40\t10\tKR\xdcPPEL|GAP GENE\n\n# more\n200\t10\t45\t20\tGAP GENE\r\n200\t9\t0\t5\t\n"
    qrels = read_qrels(held(lines.encode("latin-1")), "trecgen")
    assert _entries(qrels) == [
        (0, "KR\xdcPPEL", 40, 50, 1.0),
        (0, "GAP GENE", 40, 50, 1.0),
        (0, "GAP GENE", 45, 65, 1.0),
    ]
    assert qrels.passages.rows() == [(0, 40, 65), (1, 0, 5)]


def test_a_genomics_run_ranks_by_rank_document_offset_and_length() -> None:
    lines = [
        "200 b 1 1 10 5 mine", "200 a 1 1 20 5 mine", "200 a 1 1 3 9 mine",
        "200 a 1 1 3 4 mine", "200 z 0 1 0 1 mine",
    ]  # fmt: skip
    run = read_run(held("\n".join(lines).encode()), "trecgen")
    assert rows_in_order(run).tolist() == [4, 3, 2, 1, 0]


def test_json_mixes_highlights_with_aspects_and_without() -> None:
    text = (
        b'{"topic": 1, "doc": "a", "highlights": [[0, 5], {"start": 3, "end": 9, "aspects": ["x"]}]}\n'
        b'{"topic": 1, "doc": "b", "aspects": {"x": 2, "y": 0.5}}\n'
        b'{"topic": 1, "doc": "c", "start": 2, "end": 4, "aspects": "x|y"}\n'
    )
    qrels = read_qrels(held(text))
    assert qrels.passages.rows() == [(0, 0, 9), (2, 2, 4)]
    assert _entries(qrels) == [
        (0, "x", 3, 9, 1.0),
        (1, "x", None, None, 2.0),
        (1, "y", None, None, 0.5),
        (2, "x", 2, 4, 1.0),
        (2, "y", 2, 4, 1.0),
    ]


def test_tables_name_aspects_in_a_column() -> None:
    qrels = read_qrels(held(b"topic,doc,start,end,aspects\n1,a,2,4,x|y\n1,a,3,9,y\n"))
    assert [entry[1:4] for entry in _entries(qrels)] == [("x", 2, 4), ("y", 2, 4), ("y", 3, 9)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            b'{"topic": 1, "doc": "a", "aspects": 5}\n',
            "odd:1: aspects is 5, must be a list of names",
        ),
        (b'{"topic": 1, "doc": "a", "aspects": [null]}\n', "an aspect is None, must be a name"),
        (b'{"topic": 1, "doc": "a", "highlights": [{"start": 1}]}\n', "must have start and end"),
        (
            b'{"topic": 1, "doc": "a", "highlights": [{"start": 1, "end": 1.5, "aspects": ["x"]}]}\n',
            "end is 1.5, not a whole number",
        ),
    ],
)
def test_aspects_that_cannot_be_read_are_named_with_their_line(
    text: bytes, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "odd"
    path.write_bytes(text)
    with pytest.raises(BadInput, match=reason):
        read_qrels(path)


@pytest.mark.parametrize("name", ["trec", "csv", "tsv", "parquet", "inex", "inex-xml"])
def test_formats_without_aspects_refuse_to_lose_them(name: str, tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match="cannot hold aspects: use jsonl, trec-subtopics or trecgen"
    ):
        write_qrels(read_qrels(held(SUBTOPICS)), tmp_path / "out", name)


@pytest.mark.parametrize(
    ("rows", "name", "reason"),
    [
        ([{"topic": "1", "doc": "a", "grade": 1}], "trec-subtopics", "needs aspects, and these"),
        ([{"topic": "1", "doc": "a", "grade": 1}], "trecgen", "cannot hold grade"),
        (
            [{"topic": "1", "doc": "a", "highlights": [{"start": 1, "end": 2, "aspects": ["x"]}]}],
            "trec-subtopics",
            "cannot hold highlights",
        ),
        (
            [{"topic": "1", "doc": "a", "grade": 3, "aspects": ["x"]}],
            "trec-subtopics",
            "needs a grade of each document by subtopic and no other",
        ),
        ([{"topic": "1", "doc": "a", "aspects": ["x y"]}], "trec-subtopics", "not a single word"),
        (
            [
                {
                    "topic": "1",
                    "doc": "a",
                    "highlights": [{"start": 1, "end": 2, "aspects": ["x|y"]}],
                }
            ],
            "trecgen",
            "would be read back as another name",
        ),
        (
            [{"topic": "1", "doc": "a", "highlights": [{"start": 1, "end": 2, "aspects": ["€"]}]}],
            "trecgen",
            "is Latin-1, which has no '€'",
        ),
        (
            [
                {
                    "topic": "1",
                    "doc": "a",
                    "highlights": [{"start": 1, "end": 2, "aspects": {"x": 2}}],
                }
            ],
            "trecgen",
            "cannot hold grades of aspects",
        ),
    ],
)
def test_what_a_format_cannot_hold_is_refused(
    rows: list[dict[str, object]], name: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=reason):
        write_qrels(Qrels.from_dicts(rows), tmp_path / "out", name)


def test_a_file_whose_passages_have_no_aspects_names_none() -> None:
    assert read_qrels(held(b"200\t9\t0\t5\t\n"), "trecgen").judgements.aspects is None


def test_assessors_are_written_with_their_aspects(tmp_path: Path) -> None:
    rows = [
        {"topic": "1", "doc": "a", "assessor": "ann", "aspects": ["x"]},
        {"topic": "1", "doc": "a", "assessor": "bob", "highlights": [[0, 5]]},
    ]
    tables = Qrels.by_assessor(rows)
    (tmp_path / "both.jsonl").write_bytes(write_assessors(tables))
    again = read_assessors(tmp_path / "both.jsonl")
    assert all(again[name].equals(tables[name]) for name in tables)
    assert [own.judgements.aspects is None for own in again.values()] == [False, True]
