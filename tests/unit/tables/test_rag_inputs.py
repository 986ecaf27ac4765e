"""Retrieved chunks as RAG engineers have them: other names, texts, distances, ties, other ids."""

from __future__ import annotations

import io
import itertools
import json
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]  # it ships no types
import pytest
from hypothesis import given
from hypothesis import strategies as st

import foveal
from foveal.choices import Order, Ties
from foveal.errors import BadInput, DataError, UsageError
from foveal.formats import RUN_FORMATS, read_run
from foveal.tables import Origin, Qrels, Run, RunRows, aliases, unplaced_results
from tests.held import held

Row = dict[str, Any]
QRELS = [{"topic": t, "doc": "a", "length": 100, "highlights": [[0, 10]]} for t in ("1", "2")]
CHUNK = {"query_id": "1", "source": "a", "start_index": 3, "end_index": 9, "similarity": 0.5}
OURS = ("topic", "doc", "start", "end", "score")
RUN_NAMES = (*OURS, "text")
TO_FIND = "give --docs DOCUMENTS (in Python docs=foveal.read_documents(...)) to find the text"


def lines(rows: list[Row]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def nested(rows: list[Row]) -> str:
    """One object per topic, under the key that names the topic."""
    name = next(key for key in ("topic", *aliases.BY_COLUMN["topic"]) if key in rows[0])
    topics = list(dict.fromkeys(row[name] for row in rows))
    return lines(
        [
            {
                name: topic,
                "results": [
                    {k: v for k, v in row.items() if k != name}
                    for row in rows
                    if row[name] == topic
                ],
            }
            for topic in topics
        ]
    )


def parquet(rows: list[Row]) -> bytes:
    target = io.BytesIO()
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(target)
    return target.getvalue()


def read(data: str | bytes, name: str) -> Run:
    return read_run(held(data.encode() if isinstance(data, str) else data), name)


def escaped(rows: list[Row]) -> str:
    """JSON that only the careful reader reads: a quote in a string."""
    return lines([row | {"note": 'a "b"'} for row in rows])


MADE: dict[str, Callable[[list[Row]], Run]] = {
    "jsonl": lambda rows: read(lines(rows), "jsonl"),
    "jsonl, line by line": lambda rows: read(escaped(rows), "jsonl"),
    "jsonl, nested": lambda rows: read(nested(rows), "jsonl"),
    "csv": lambda rows: read(pl.DataFrame(rows, infer_schema_length=None).write_csv(), "csv"),
    "csv, quoted": lambda rows: read(
        pl.DataFrame(rows, infer_schema_length=None).write_csv(quote_style="always"), "csv"
    ),
    "tsv": lambda rows: read(
        pl.DataFrame(rows, infer_schema_length=None).write_csv(separator="\t"), "tsv"
    ),
    "parquet": lambda rows: read(parquet(rows), "parquet"),
    "dicts": lambda rows: Run.coerced(rows, "run"),
    "polars": lambda rows: Run.coerced(pl.DataFrame(rows, infer_schema_length=None), "run"),
    "pandas": lambda rows: Run.coerced(pd.DataFrame(rows), "run"),
    "pyarrow": lambda rows: Run.coerced(pa.Table.from_pylist(rows), "run"),
    "named tuples": lambda rows: Run.coerced(
        [namedtuple("Hit", list(row))(**row) for row in rows],  # type: ignore[arg-type]  # not ours
        "run",
    ),
}
every_table = pytest.mark.parametrize(
    "made",
    [list, pl.DataFrame, pd.DataFrame, pa.Table.from_pylist],
    ids=["dicts", "polars", "pandas", "pyarrow"],
)
every_form = pytest.mark.parametrize("made", MADE.values(), ids=MADE)


def reasons(work: Callable[[], object]) -> list[str]:
    with pytest.raises(BadInput) as caught:
        work()
    return [problem.reason for problem in caught.value.problems]


@every_form
def test_the_names_of_frameworks_are_read(made: Callable[[list[Row]], Run]) -> None:
    run = made([CHUNK, CHUNK | {"start_index": 20, "end_index": 30, "similarity": 0.75}])
    assert run.frame.select(OURS).rows() == [("1", "a", 3, 9, 0.5), ("1", "a", 20, 30, 0.75)]
    assert dict(run.origin.aliases_used) == dict(zip(CHUNK, OURS, strict=True))


@every_form
def test_a_score_under_another_name_does_not_rank(made: Callable[[list[Row]], Run]) -> None:
    assert made([CHUNK]).order is Order.FILE
    assert made([CHUNK | {"rank": 1}]).order is Order.RANK


@every_form
def test_the_exact_name_wins(made: Callable[[list[Row]], Run]) -> None:
    run = made(
        [{"qid": "0", "topic": "1", "doc_id": "b", "doc": "a", "score": 1.0, "distance": 2.0}]
    )
    assert run.frame.select("topic", "doc", "score").rows() == [("1", "a", 1.0)]
    assert run.order is Order.SCORE
    assert not run.origin.aliases_used


@given(st.sets(st.sampled_from(sorted({n for o in RUN_NAMES for n in aliases.BY_COLUMN[o]}))))
def test_the_first_alias_wins(found: set[str]) -> None:
    taken = aliases.alias_by_column(RUN_NAMES, found)
    for ours in RUN_NAMES:
        there = [name for name in aliases.BY_COLUMN[ours] if name in found]
        assert taken.get(ours) == (there[0] if there else None)


@every_form
def test_a_length_gives_the_end(made: Callable[[list[Row]], Run]) -> None:
    run = made([{"topic": "1", "doc": "a", "offset": 3, "length": 6}])
    assert run.frame.select("start", "end").rows() == [(3, 9)]
    assert dict(run.origin.aliases_used) == {"offset": "start", "length": "end"}


@pytest.mark.parametrize(
    ("start", "length", "reason"),
    [
        (3, -1, "the part ends before it starts"),
        (2**62, 2**62, "an offset is larger than 10,000,000,000"),
        (3, None, "start and end must be given together"),
    ],
)
def test_a_length_that_is_none_is_refused(start: int, length: int | None, reason: str) -> None:
    rows = [{"topic": "1", "doc": "a", "start": start, "length": length}]
    good = {"topic": "1", "doc": "a", "start": 0, "length": 1}
    assert reason in reasons(lambda: Run.from_dicts([*rows, good]))


def test_a_column_without_values_is_not_there() -> None:
    row = {"topic": "1", "doc": None, "source": "a", "start": None, "start_char": 1, "end": 2}
    assert Run.from_dicts([row]).frame.select("doc", "start", "end").rows() == [("a", 1, 2)]


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("char_begin", "char_stop"),
        ("start_offset", "end_offset"),
        ("startPos", "endPos"),
        ("split_idx_start", "split_idx_end"),
        ("Start_Index", "End_Index"),
        ("span_start", "span_end"),
    ],
)
@every_form
def test_look_alikes_of_offsets_are_never_whole_documents(
    made: Callable[[list[Row]], Run], start: str, end: str
) -> None:
    (reason,) = reasons(lambda: made([{"topic": "1", "doc": "a", start: 3, end: 9}]))
    assert reason.startswith("no ")
    assert reason.endswith(f": rename {start!r} to 'start' and {end!r} to 'end'?")


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "dicts", "pandas"])
def test_from_and_to_are_never_whole_documents(form: str) -> None:
    (reason,) = reasons(lambda: MADE[form]([{"topic": "1", "doc": "a", "from": 3, "to": 9}]))
    assert reason.endswith(": rename 'from' to 'start' and 'to' to 'end'?")


@pytest.mark.parametrize("name", ["state", "smart", "status", "trend", "send", "page_start_hint"])
def test_other_words_are_not_offsets(name: str) -> None:
    assert Run.from_dicts([{"topic": "1", "doc": "a", name: 3}]).whole_documents_only


@every_form
def test_text_without_offsets_is_kept_and_not_scored(made: Callable[[list[Row]], Run]) -> None:
    rows = [{"qid": "1", "doc": "a", "page_content": text} for text in ("some text", "more")]
    run = made(rows)
    assert run.frame.select("start", "end", "text").rows() == [
        (None, None, "some text"),
        (None, None, "more"),
    ]
    assert unplaced_results(run)["text"].to_list() == ["some text", "more"]
    assert not run.whole_documents_only
    (reason,) = reasons(lambda: foveal.evaluate(QRELS, run, "cR@5"))
    assert reason == f"2 results have text but not both start and end: {TO_FIND}"
    (reason,) = reasons(lambda: foveal.repair(run))
    assert reason == f"2 results have text but not both start and end: {TO_FIND}"
    assert [found.rule for found in foveal.check(run).findings] == ["no-offsets"]


def test_a_single_text_may_be_that_of_the_document() -> None:
    (reason,) = reasons(
        lambda: foveal.evaluate(QRELS, [{"topic": "1", "doc": "a", "text": "x"}], "AP")
    )
    documents = ", or leave out the text of whole documents"
    assert reason == f"1 result has text but not both start and end: {TO_FIND}{documents}"


def test_judgements_of_documents_do_not_ask_where_a_text_is() -> None:
    frame = pd.DataFrame(
        {"qid": ["1", "1"], "docno": ["b", "a"], "text": ["x", "y"], "score": [2.0, 1.0]}
    )
    assert foveal.evaluate({"1": {"a": 1}}, frame, "RR").overall["RR"].item() == 0.5
    assert foveal.evaluate({"1": {"a": 1}}, frame).settings["task"] == "document"
    chunks = pd.concat([frame, frame.assign(score=[0.5, 0.25])])
    assert foveal.evaluate({"1": {"a": 1}}, chunks, "P@2").overall["P@2"].item() == 0.5
    with pytest.raises(DataError, match="the judgements have no highlights"):
        foveal.evaluate({"1": {"a": 1}}, chunks)


def test_a_start_beside_a_text_waits_for_the_end() -> None:
    run = Run.from_dicts([{"topic": "1", "doc": "a", "start_index": 5, "page_content": "abc"}])
    assert unplaced_results(run).select("start", "end", "text").rows() == [(5, None, "abc")]


@every_form
def test_minus_one_beside_a_text_is_no_offset(made: Callable[[list[Row]], Run]) -> None:
    row = {"topic": "1", "doc": "a"}
    run = made(
        [
            row | {"start": -1, "end": -1, "text": "abc"},
            row | {"start": -1, "end": 2, "text": "abc"},
            row | {"start": 4, "end": 7, "text": "def"},
        ]
    )
    assert run.frame.select("start", "end").rows() == [(None, None), (None, None), (4, 7)]
    assert unplaced_results(run).height == 2


@every_form
def test_minus_one_is_not_scored(made: Callable[[list[Row]], Run]) -> None:
    row = {"topic": "1", "doc": "a"}
    run = made([row | {"start": 0, "end": 5}, *[row | {"start": -1, "end": -1}] * 2])
    line = run.frame["line"][1]
    (reason,) = reasons(lambda: foveal.evaluate(QRELS, run, "cR@5"))
    assert reason.startswith(
        f"no offset (-1) on 2 results, first at line {line}: give the text and"
    )
    like = foveal.evaluate(QRELS, run, "cR@5", like="inex_eval", overlap="once")
    assert like.overall["cR@5"].item() == 0.5


def test_minus_one_in_a_run_of_inex_is_an_element_that_counts_as_irrelevant() -> None:
    run = read("1 Q0 a 1 2 mine 0 5\n1 Q0 a 2 1 mine X 0\n", "inex")
    scores = foveal.evaluate(QRELS, run, "cP@5")
    assert scores.overall["cP@5"].item() == 5 / (5 + 18) / 2


GAPS: list[Row] = [
    {"topic": "1", "doc": "a", "start": 0, "end": 5},
    {"topic": "1", "doc": "b", "start": None, "end": None},
    {"topic": "1", "doc": "c", "start": None, "end": None},
]


@every_form
def test_offsets_on_some_lines_only_are_refused(made: Callable[[list[Row]], Run]) -> None:
    assert reasons(lambda: made(GAPS)) == [
        "start and end are missing on this line but present on others (2 lines like this)"
    ]


@every_form
def test_lines_without_offsets_may_have_text(made: Callable[[list[Row]], Run]) -> None:
    texts: list[str | None] = [None, "x", "y"]
    run = made([row | {"text": text} for row, text in zip(GAPS, texts, strict=True)])
    assert unplaced_results(run)["doc"].to_list() == ["b", "c"]
    texts[2] = None
    assert reasons(lambda: made([r | {"text": t} for r, t in zip(GAPS, texts, strict=True)])) == [
        "start and end are missing on this line but present on others"
    ]


def test_text_on_some_lines_only_is_refused() -> None:
    rows = [{"topic": "1", "doc": "a", "text": "x"}, {"topic": "1", "doc": "b", "text": ""}]
    assert reasons(lambda: Run.from_dicts(rows)) == [
        "text is missing on this line but present on others"
    ]


@pytest.mark.parametrize("value", [1.5, True, ["a"]])
def test_a_text_is_text(value: object) -> None:
    rows = [{"topic": "1", "doc": "a", "text": value}]
    assert reasons(lambda: Run.from_dicts(rows))[0].endswith("not text")
    assert reasons(lambda: read(lines(rows), "jsonl"))[0].endswith("not text")


@pytest.mark.parametrize("name", ["jsonl", "csv", "tsv", "parquet"])
def test_texts_are_written_and_read_back(name: str) -> None:
    rows: list[Row] = [
        {"topic": "1", "doc": "a", "start": 3, "end": 9, "text": 'a,"b"\tc\nd'},
        {"topic": "1", "doc": "a", "text": " \u00e9 "},
    ]
    run = Run.from_dicts(rows, "mine")
    again = read(RUN_FORMATS[name].write(run), name)
    assert again.equals(run)
    assert unplaced_results(again).height == 1
    assert not again.equals(run.with_frame(run.frame.drop("text")))


@pytest.mark.parametrize("name", ["trec", "inex", "inex-xml"])
def test_other_formats_cannot_hold_texts(name: str) -> None:
    run = Run.from_dicts([{"topic": "1", "doc": "a", "text": "x", "score": 1.0}])
    with pytest.raises(BadInput, match="1 result has text but not both start and end"):
        RUN_FORMATS[name].write(run)


@pytest.mark.parametrize("name", ["jsonl", "csv", "tsv", "parquet"])
def test_tables_do_not_hold_whole_documents_beside_parts(name: str) -> None:
    run = Run.of(RunRows(frame=pl.DataFrame(GAPS), name="mine"), origin=Origin(format="inex-xml"))
    with pytest.raises(DataError, match="run 'mine' mixes 2 whole documents with parts"):
        RUN_FORMATS[name].write(run)


# Distances, ties and ranks.


def ranked(topic: str, *more: Row) -> list[Row]:
    return [
        {"topic": topic, "doc": "a", "start": 20 * place, "end": 20 * place + 10, **row}
        for place, row in enumerate(more)
    ]


def notes(rows: list[Row], **choices: Any) -> list[str]:
    scores = foveal.evaluate(QRELS, rows, "cR@1", **choices)
    return [note.removeprefix("run1: ") for note in scores.notes if "without results" not in note]


def scored(topic: str, *scores: float, name: str = "score") -> list[Row]:
    return ranked(topic, *({name: score} for score in scores))


RISING = scored("1", 0.1, 0.2, 0.2) + scored("2", 0.1, 0.3)


def test_rising_scores_may_be_distances() -> None:
    assert notes(RISING) == [
        "listed by rising score in 2 of 2 topics but ranked by falling score: distances? --order"
        " file ranks them as listed"
    ]
    rising = "scores rise down the list in 2 of 2 topics: distances? (ranked {})"
    assert notes(RISING, order="file") == [rising.format("as listed")]
    distances = scored("1", 0.1, 0.2, name="distance") + scored("2", 0.1, 0.3, name="distance")
    assert notes(distances) == [rising.format("as listed")]
    by_rank = [row | {"rank": rank} for rank, row in enumerate(distances)]
    assert notes(by_rank) == [rising.format("by rank")]


@pytest.mark.parametrize(
    "rows",
    [
        scored("1", 0.1, 0.2) + scored("2", 0.3, 0.1),
        scored("1", 0.1, 0.2, 0.1) + scored("2", 0.1),
        scored("1", 0.1, 0.1) + scored("2", 0.1, 0.1),
        scored("1", 0.2, 0.1) + scored("2", 0.3),
        scored("1", 0.1) + scored("2", 0.3),
    ],
    ids=["half", "falls", "equal", "falling", "single results"],
)
def test_other_scores_are_not(rows: list[Row]) -> None:
    assert notes(rows) == notes(rows, order="file") == []


@given(st.lists(st.tuples(st.sampled_from("12"), st.integers(0, 3)), min_size=1, max_size=8))
def test_rising_topics_are_those_of_a_loop(drawn: list[tuple[str, int]]) -> None:
    lists = {t: [score for topic, score in drawn if topic == t] for t in "12"}
    several = [found for found in lists.values() if len(found) > 1]
    rising = [found for found in several if found == sorted(found) and found[0] < found[-1]]
    rows = [row for topic, score in drawn for row in scored(topic, score)]
    said = [note for note in notes(rows, overlap="once") if "distances" in note]
    expected = 2 * len(rising) > len(several)
    assert bool(said) is expected
    if expected:
        topics = f"{len(several)} topic" + "s" * (len(several) > 1)
        assert f"in {len(rising)} of {topics}" in said[0]


@every_form
def test_equal_scores_keep_the_order_of_the_list(made: Callable[[list[Row]], Run]) -> None:
    row = {"topic": "1", "score": 0.5}
    run = made([row | {"doc": doc, "start": 0, "end": 10} for doc in "bac"])
    qrels = [{"topic": "1", "doc": "b", "length": 100, "highlights": [[0, 10]]}]
    scores = foveal.evaluate(qrels, run, "cR@1")
    assert scores.overall["cR@1"].item() == 1
    assert scores.settings["ties"] == "file"
    by_id = foveal.evaluate(qrels, run, "cR@1", ties="id")
    assert by_id.overall["cR@1"].item() == 0
    assert by_id.settings["ties"] == "id"


@pytest.mark.parametrize(
    ("run", "ties"),
    [
        ({"1": {"a": 0.5, "b": 0.5}}, "id"),
        ([{"topic": "1", "doc": doc, "score": 0.5} for doc in "ab"], "file"),
    ],
)
def test_dicts_of_scores_and_trec_eval_break_ties_by_id(run: Any, ties: str) -> None:
    qrels = {"1": {"b": 1}}
    scores = foveal.evaluate(qrels, run, "RR")
    assert scores.settings["ties"] == ties
    assert scores.overall["RR"].item() == (1 if ties == "id" else 0.5)
    trec = foveal.evaluate(qrels, run, "RR", like="trec_eval-10")
    assert (trec.overall["RR"].item(), trec.settings["ties"]) == (1, "id")
    chosen = foveal.evaluate(qrels, run, "RR", like="trec_eval-10", ties="file")
    assert (chosen.overall["RR"].item(), chosen.settings["ties"]) == (0.5, "file")


def test_the_files_of_trec_break_ties_by_id_and_several_runs_say_both() -> None:
    trec = read("1 Q0 a 1 0.5 mine\n1 Q0 b 2 0.5 mine\n", "trec")
    table = [{"topic": "1", "doc": doc, "score": 0.5} for doc in "ab"]
    scores = foveal.evaluate({"1": {"b": 1}}, {"trec": trec, "table": table}, "RR")
    assert scores.overall["RR"].to_list() == [1, 0.5]
    assert scores.settings["ties"] == "id/file"


def test_a_run_of_trec_keeps_its_order_in_a_table() -> None:
    trec = read("1 Q0 a 1 0.5 mine\n1 Q0 b 2 0.5 mine\n", "trec")
    table = read(RUN_FORMATS["jsonl"].write(trec), "jsonl")
    assert trec.ties is Ties.ID
    assert (table.order, table.frame["rank"].to_list()) == (Order.RANK, [2, 1])
    assert foveal.evaluate({"1": {"b": 1}}, [trec, table], "RR").overall["RR"].to_list() == [1, 1]


def test_repeated_ranks_are_told() -> None:
    rows = ranked("1", {"rank": 1}, {"rank": 1}) + ranked("2", {"rank": 1}, {"rank": 2})
    assert notes(rows) == [
        "ranks repeat within a topic in 1 of 2 topics: are several questions under one topic?"
    ]
    assert notes(ranked("1", {"rank": 1}, {"rank": 2}) + ranked("2", {"rank": 1})) == []
    assert notes(rows, order="file") == []


# Documents named otherwise, and what was taken for what.


@pytest.mark.parametrize(
    ("returned", "judged", "end"),
    [
        (
            "corpora/wikitexts.md",
            "wikitexts",
            "did you mean: 'corpora/wikitexts.md' is 'wikitexts'?",
        ),
        ("wikitexts", "/data/wikitexts.txt", "did you mean: 'wikitexts' is '/data/wikitexts.txt'?"),
        (r"C:\x\wikitexts.md", "y/wikitexts.txt", r"'C:\\x\\wikitexts.md' is 'y/wikitexts.txt'?"),
        ("wiki-texts", "wikitexts", "did you mean: 'wiki-texts' is 'wikitexts'?"),
        ("doc.1", "xyz.1", "are these the same identifiers?"),
    ],
)
def test_documents_named_otherwise_are_told_whatever_is_measured(
    returned: str, judged: str, end: str
) -> None:
    qrels = [{"topic": "1", "doc": judged, "start": 0, "end": 10}]
    run = [{"topic": "1", "doc": returned, "start": 0, "end": 10}]
    for measures in ("cR@5", "NumRet", "AP"):
        (note,) = foveal.evaluate(qrels, run, measures).notes
        assert note.startswith(
            f"run1: none of its documents ({returned}) is judged for its topic (judged are {judged}): "
        )
        assert note.endswith(end)


def test_documents_of_other_topics_have_no_other_name() -> None:
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    run = {"1": {"b": 1.0}, "2": {"a": 1.0}}
    (note,) = foveal.evaluate(qrels, run, "NumRet").notes
    assert note.endswith("they are judged for other topics")
    assert foveal.evaluate(qrels, {"1": {"a": 1.0}, "2": {"a": 1.0}}, "NumRet").notes == ()


def test_settings_say_what_was_taken_for_what_once() -> None:
    qrels = [{"query_id": "1", "document_id": "a", "start_char": 0, "end_char": 10}]
    runs = {"one": [CHUNK], "two": [CHUNK | {"score": 0.5}], "three": [{"topic": "1", "doc": "a"}]}
    settings = foveal.evaluate(qrels, runs, "AP").settings
    assert settings["columns"] == (
        "query_id as topic, document_id as doc, start_char as start, end_char as end, source as doc,"
        " start_index as start, end_index as end, similarity as score"
    )
    assert "columns" not in foveal.evaluate(QRELS, [{"topic": "1", "doc": "a"}], "AP").settings


@every_table
def test_judgements_have_the_names_of_frameworks(made: Callable[[Any], Any]) -> None:
    rows = [{"qid": "1", "source": "a", "begin": 3, "end_index": 9, "label": 2, "passage": "abc"}]
    qrels = Qrels.coerced(made(rows))
    assert qrels.documents.select("topic", "doc", "grade").rows() == [("1", "a", 2)]
    assert qrels.passages.select("start", "end").rows() == [(3, 9)]
    assert dict(qrels.aliases_used) == {
        "qid": "topic", "source": "doc", "begin": "start", "end_index": "end", "label": "grade",
        "passage": "text",
    }  # fmt: skip
    assert qrels.notes == ()


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"doc": "a", "start": 0, "end": 5}, "no column 'topic' (found: doc, start, end)"),
        (
            {"topic": "1", "docu": "a", "start": 0, "end": 5},
            "no column 'doc' (found: topic, docu, start, end): rename 'docu' to 'doc'?",
        ),
        (
            {"topic": "1", "doc": "a", "char_start": 0, "char_end": 5},
            "no column says what is relevant, 'grade', 'length', 'highlights' or 'start' and 'end',"
            " or 'text' with docs= (found: topic, doc, char_start, char_end): rename 'char_start' to 'start' and 'char_end'"
            " to 'end'?",
        ),
    ],
)
@every_table
def test_judgements_without_a_column_are_refused_in_words(
    made: Callable[[Any], Any], row: Row, reason: str
) -> None:
    assert reasons(lambda: foveal.evaluate(made([row]), [{"topic": "1", "doc": "a"}])) == [reason]


@pytest.mark.parametrize("row", [{}, {"start": None, "end": None}, {"chunk_id": 7}])
@pytest.mark.parametrize(
    ("measure", "task", "is_told"),
    [
        ("cR@5", "rag", True),
        ("hit@5", "rag", True),
        ("doc_recall@5", "rag", False),
        ("cR@5", "focused", False),
    ],
)
def test_whole_documents_scored_as_chunks_are_told(
    row: Row, measure: str, task: str, is_told: bool
) -> None:
    gold = [{"topic": "q", "doc": "a", "start": 10, "end": 19, "length": 40}]
    scores = foveal.evaluate(gold, [{"topic": "q", "doc": "a", **row}], measure, task=task)
    told = [note for note in scores.notes if "so each is a whole document" in note]
    assert bool(told) is is_told


@pytest.mark.parametrize(
    ("ours", "first", "second"),
    [
        (ours, *pair)
        for ours in aliases.RUN_FIELDS
        for pair in itertools.pairwise([ours, *aliases.BY_COLUMN[ours]])
    ],
)
def test_of_two_names_for_a_column_the_first_is_taken(ours: str, first: str, second: str) -> None:
    row: Row = {"topic": "t", "doc": "d", "start": 1, "end": 5, "text": "abcd", "score": 2.0}
    wanted = row.pop(ours)
    other = wanted + 1 if isinstance(wanted, int | float) else "abce"
    run = Run.from_dicts([{second: other, **row, first: wanted}])
    assert run.frame[ours].to_list() == [wanted]


@pytest.mark.parametrize(
    "hit", [object(), "text", {"page_content": "x", "metadata": {"source": "a"}}, ("text", 0.5)]
)
def test_hits_by_question_lead_to_from_hits(hit: Any) -> None:
    gold = [{"topic": "1", "doc": "a", "start": 0, "end": 5}]
    with pytest.raises(UsageError, match=r"foveal\.from_hits\({question: hits}\)"):
        foveal.evaluate(gold, {"1": [hit]}, task="rag")


def test_texts_that_need_their_documents_are_one_problem() -> None:
    gold = [{"topic": str(number), "doc": "a", "text": "x"} for number in range(25)]
    (reason,) = reasons(lambda: foveal.evaluate(gold, [{"topic": "1", "doc": "a"}]))
    assert reason.startswith("text without start and end: give --docs DOCUMENTS")
    assert reason.endswith("(25 rows lack them)")
