"""Judgements as long rows: CSV, TSV, Parquet and JSON."""

from __future__ import annotations

import io
import json
from typing import Any

import polars as pl
import pytest

from foveal.choices import Copies
from foveal.errors import BadInput
from foveal.formats import content_of, read_qrels, read_run, write_qrels
from foveal.tables import PlacedText, Qrels
from tests.held import held
from tests.unit.conftest import Saved

Rows = list[dict[str, Any]]
FORMATS = ["csv", "tsv", "parquet", "jsonl", "json"]
ROWS: Rows = [
    {"topic": "1", "doc": "a", "start": 5, "end": 10},
    {"topic": "1", "doc": "a", "start": 20, "end": 23},
    {"topic": "2", "doc": "b", "start": 0, "end": 4},
]


def written(rows: Rows, form: str) -> bytes:
    frame = pl.DataFrame(rows, infer_schema_length=None)
    if form == "json":
        return json.dumps(rows, indent=1).encode()
    if form == "jsonl":
        return frame.write_ndjson().encode()
    if form == "parquet":
        frame.write_parquet(target := io.BytesIO())
        return target.getvalue()
    return frame.write_csv(separator="," if form == "csv" else "\t").encode()


def passages(qrels: Qrels) -> list[tuple[str, str, int, int]]:
    rows = qrels.documents
    return [(rows["topic"][row], rows["doc"][row], a, b) for row, a, b in qrels.passages.rows()]


PASSAGES = [("1", "a", 5, 10), ("1", "a", 20, 23), ("2", "b", 0, 4)]


@pytest.mark.parametrize("form", FORMATS)
def test_a_row_is_a_passage(form: str, saved: Saved) -> None:
    qrels = read_qrels(saved(written(ROWS, form)))
    assert passages(qrels) == PASSAGES
    assert qrels.format == ("jsonl" if form == "json" else form)
    # Several rows of a document are no oddity here.
    assert qrels.notes == ()


@pytest.mark.parametrize("form", FORMATS)
def test_columns_of_frameworks_are_known_and_ours_win(form: str, saved: Saved) -> None:
    theirs = {"topic": "query_id", "doc": "source", "start": "start_index", "end": "end_char"}
    rows = [{theirs[name]: value for name, value in row.items()} for row in ROWS]
    rows = [{**row, "query": "why?", "label": 1} for row in rows]
    qrels = read_qrels(saved(written(rows, form)))
    assert passages(qrels) == PASSAGES
    assert qrels.aliases_used == {name: ours for ours, name in theirs.items()} | {"label": "grade"}
    ours = read_qrels(saved(written([{**row, "source": "x"} for row in ROWS], form)))
    assert passages(ours) == PASSAGES
    assert ours.aliases_used == {}


@pytest.mark.parametrize("form", FORMATS)
def test_an_empty_span_judges_a_document_without_highlighting_text(form: str, saved: Saved) -> None:
    rows = [*ROWS, {"topic": "2", "doc": "c", "start": 0, "end": 0}]
    qrels = read_qrels(saved(written(rows, form)))
    assert qrels.documents["doc"].to_list() == ["a", "b", "c"]
    assert passages(qrels) == PASSAGES


@pytest.mark.parametrize("form", FORMATS)
def test_a_row_that_judges_nothing_is_refused(form: str, saved: Saved) -> None:
    rows = [*ROWS, {"topic": "2", "doc": "c", "start": None, "end": None}]
    with pytest.raises(BadInput, match=r":\d+: no grade, length or highlights, and no start and"):
        read_qrels(saved(written(rows, form)))
    graded = [{**row, "grade": float(row["start"] is not None)} for row in rows]
    assert read_qrels(saved(written(graded, form))).documents["grade"].to_list() == [1, 1, 0]


@pytest.mark.parametrize("form", FORMATS)
def test_a_length_beside_an_end_is_that_of_the_document(form: str, saved: Saved) -> None:
    qrels = read_qrels(saved(written([{**row, "length": 50} for row in ROWS], form)))
    assert qrels.documents["length"].to_list() == [50, 50]
    assert passages(qrels) == PASSAGES


@pytest.mark.parametrize("form", FORMATS)
def test_a_length_that_is_always_end_minus_start_is_that_of_the_passage(
    form: str, saved: Saved
) -> None:
    rows = [{**row, "length": row["end"] - row["start"]} for row in ROWS]
    qrels = read_qrels(saved(written(rows, form)))
    assert qrels.documents["length"].to_list() == [None, None]
    assert passages(qrels) == PASSAGES
    assert "length is end - start on every row" in qrels.notes[0]


def with_lengths(rows: Rows) -> Rows:
    """Rows with lengths of passages instead of ends."""
    return [
        {name: row[name] for name in ("topic", "doc", "start")}
        | {"length": row["end"] - row["start"]}
        for row in rows
    ]


@pytest.mark.parametrize("form", FORMATS)
def test_a_length_without_an_end_is_that_of_the_passage(form: str, saved: Saved) -> None:
    qrels = read_qrels(saved(written(with_lengths(ROWS), form)))
    assert passages(qrels) == PASSAGES
    assert qrels.notes == ("start and length without end: end = start + length",)


@pytest.mark.parametrize("form", FORMATS)
def test_a_length_that_may_be_the_documents_is_not_guessed_at(form: str, saved: Saved) -> None:
    rows = [{**row, "length": 50} for row in with_lengths(ROWS)]
    with pytest.raises(BadInput, match="all rows of a document have the same length"):
        read_qrels(saved(written(rows, form)))
    stop = [{**row, "stop": row["start"] + 3} for row in with_lengths(ROWS)]
    with pytest.raises(BadInput, match=r"'end' .*: rename 'stop' to 'end'"):
        read_qrels(saved(written(stop, form)))


@pytest.mark.parametrize("form", FORMATS)
def test_ranks_and_scores_are_those_of_a_run(form: str, saved: Saved) -> None:
    rows = [{**row, "score": 1.5} for row in ROWS]
    with pytest.raises(BadInput, match=r"this looks like a run .*: were they swapped"):
        read_qrels(saved(written(rows, form)))
    with pytest.raises(BadInput, match="score but no grades or highlights: this is a run"):
        read_qrels(saved(written(rows, form)), format="jsonl" if form == "json" else form)
    graded = [{**row, "grade": 1} for row in rows]
    assert passages(read_qrels(saved(written(graded, form)))) == PASSAGES


@pytest.mark.parametrize("form", FORMATS)
def test_broken_passages_are_not_taken_for_a_run(form: str, saved: Saved) -> None:
    rows = [*ROWS, {"topic": "2", "doc": "b", "start": 9, "end": 4}]
    for read in (read_qrels, read_run):
        with pytest.raises(BadInput) as caught:
            read(saved(written(rows, form)))
        assert "looks like" not in str(caught.value)


@pytest.mark.parametrize("form", FORMATS)
def test_several_assessors_may_have_judged(form: str, saved: Saved) -> None:
    rows = [
        {**ROWS[0], "assessor": "x"},
        {**ROWS[0], "start": 7, "end": 12, "assessor": "y"},
    ]
    path = saved(written(rows, form))
    assert passages(read_qrels(path)) == [("1", "a", 5, 12)]
    assert read_qrels(path).assessors == "union of 2"
    assert passages(read_qrels(path, assessors="majority")) == [("1", "a", 7, 10)]
    assert passages(read_qrels(path, assessors="y")) == [("1", "a", 7, 12)]


class Texts:
    """Documents whose texts are known, in each of which a text occurs once or not at all."""

    def __init__(self, **texts: str) -> None:
        self.texts = texts
        self.copies: Copies | str | None = None

    def judged_lengths(self, documents: pl.Series) -> pl.Series:
        return pl.Series([len(self.texts[name]) for name in documents], dtype=pl.Int64)

    def spans(self, parts: pl.DataFrame, *, copies: Copies | str = Copies.REFUSE) -> PlacedText:
        self.copies = copies
        starts = [self.texts[doc].find(text) for doc, text in parts.select("doc", "text").rows()]
        ends = [at + len(text) for at, text in zip(starts, parts["text"], strict=True)]
        lost = [None if at >= 0 else "the text is not in its document" for at in starts]
        return PlacedText(
            pl.Series(starts), pl.Series(ends), pl.Series(lost, dtype=pl.String), ("a note",)
        )


def _texts(**texts: str) -> Any:
    """The texts of documents, as far as judgements ask for them."""
    return Texts(**texts)


@pytest.mark.parametrize("form", FORMATS)
def test_evidence_may_be_text_if_there_are_documents(form: str, saved: Saved) -> None:
    rows: Rows = [
        {"topic": "1", "doc": "a", "content": "lo"},
        {"topic": "1", "doc": "b", "content": "lo, w"},
    ]
    path, docs = saved(written(rows, form)), _texts(a="hello", b="hello, world")
    with pytest.raises(BadInput, match=r"text without start and end: give --docs .* to find it"):
        read_qrels(path)
    qrels = read_qrels(path, docs=docs, copies="first")
    assert passages(qrels) == [("1", "a", 3, 5), ("1", "b", 3, 8)]
    assert qrels.documents["length"].to_list() == [5, 12]
    assert (qrels.notes, docs.copies) == (("a note",), Copies.FIRST)
    docs.texts["b"] = "nothing"
    with pytest.raises(BadInput, match=r":\d+: the text is not in its document"):
        read_qrels(path, docs=docs)


@pytest.mark.parametrize("form", FORMATS)
def test_text_must_be_as_long_as_its_span(form: str, saved: Saved) -> None:
    rows = [{**ROWS[0], "text": "héllo"}]
    assert passages(read_qrels(saved(written(rows, form)))) == PASSAGES[:1]
    rows[0]["text"] = "hello!"
    with pytest.raises(BadInput, match="text has 6 characters, but end - start is 5"):
        read_qrels(saved(written(rows, form)))
    del rows[0]["end"]
    assert passages(read_qrels(saved(written(rows, form)))) == [("1", "a", 5, 11)]


def test_parquet_may_have_lists_of_highlights(saved: Saved) -> None:
    rows: Rows = [{"topic": "1", "doc": "a", "highlights": [[5, 10], [20, 23]]}]
    assert passages(read_qrels(saved(written(rows, "parquet")))) == PASSAGES[:2]
    for odd in ([[5.5, 10.0]], [[5, 10, 11]], [5, 10]):
        with pytest.raises(BadInput, match="highlights must be a list of pairs"):
            read_qrels(saved(written([{**rows[0], "highlights": odd}], "parquet")))


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet"])
def test_what_a_document_states_is_kept(form: str, saved: Saved) -> None:
    inex = saved("1 Q0 a 8 50 5 5:5 20:3\n1 Q0 b 0 70\n2 Q0 c 4 9 0 0:4\n", "inex.qrels")
    qrels = read_qrels(inex)
    write_qrels(qrels, target := io.BytesIO(), form)
    again = read_qrels(held(target.getvalue()))
    assert again.documents.drop("line").equals(qrels.documents.drop("line"))
    assert again.passages.equals(qrels.passages)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("topic,doc,start,end\n1,a,0,5\n", None),
        ("qid,source,begin,end_index\n1,a,0,5\n", None),
        ("topic,doc,start,end,tag\n1,a,0,5,x\n", "run"),
        ("topic,doc,start,end,distance\n1,a,0,5,1\n", "run"),
        ("topic,doc\n1,a\n", "run"),
        ("topic,doc,start,length,rank\n1,a,0,5,1\n", "run"),
        ("topic,doc,grade\n1,a,0\n", "judgements"),
        ("topic\tdoc\tlabel\n1\ta\t0\n", "judgements"),
        ("topic,doc,start,end,assessor\n1,a,0,5,x\n", "judgements"),
        ('[{"topic": 1, "doc": "a", "start": 0, "end": 5}]', None),
        ('{"topic": 1, "doc": "a", "highlights": []}', "judgements"),
        ('question,references,corpus_id\n"a",[],b\n', "judgements"),
    ],
)
def test_rows_are_told_apart_by_their_columns(text: str, content: str | None) -> None:
    assert content_of(held(text.encode())) == content
