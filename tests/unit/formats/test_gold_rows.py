"""Gold files of other tools: Chroma's questions, LegalBench-RAG's tests, SQuAD."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foveal.errors import BadInput, UsageError
from foveal.formats import QRELS_FORMATS, read_qrels, read_run, read_topics, write_qrels
from foveal.tables import Qrels
from tests.held import held
from tests.unit.conftest import Saved

Json = dict[str, Any]
INDENTS = [None, 2]


def chroma(*rows: tuple[str, Any, str]) -> str:
    target = io.StringIO()
    out = csv.writer(target)
    out.writerow(["question", "references", "corpus_id"])
    out.writerows((asked, json.dumps(found), corpus) for asked, found, corpus in rows)
    return target.getvalue()


def reference(content: str, start: int) -> Json:
    return {"content": content, "start_index": start, "end_index": start + len(content)}


def benchmark(*tests: tuple[str, list[Json]]) -> Json:
    return {"tests": [{"query": q, "snippets": found, "tags": ["x"]} for q, found in tests]}


def snippet(file: str, start: int, end: int, **more: Any) -> Json:
    return {"file_path": file, "span": [start, end], **more}


CONTEXT = "Oslo is in Norway."


def question(name: str, *answers: tuple[int, str], **more: Any) -> Json:
    found = [{"answer_start": start, "text": text} for start, text in answers]
    return {"id": name, "question": f"{name}?", "answers": found, **more}


def squad(*questions: Json, context: str = CONTEXT) -> Json:
    paragraphs = [{"context": "Nobody asks.", "qas": []}, {"context": context, "qas": questions}]
    return {"version": "v2.0", "data": [{"title": "Oslo", "paragraphs": paragraphs}]}


def judged(qrels: Qrels) -> list[tuple[str, str, list[tuple[int, int]]]]:
    rows = qrels.documents.select("topic", "doc").rows()
    spans: list[list[tuple[int, int]]] = [[] for _ in rows]
    for row, start, end in qrels.passages.rows():
        spans[row].append((start, end))
    return [(*row, found) for row, found in zip(rows, spans, strict=True)]


def test_chromas_questions_are_named_by_row(saved: Saved) -> None:
    twice = "Where is it?\nExactly?"
    path = saved(
        chroma(
            (twice, [reference("Norwäy", 11), reference("Oslo", 0)], "atlas"),
            (twice, [reference("no", 4)], "other"),
            ("Why?", [], "atlas"),
        )
    )
    qrels = read_qrels(path)
    assert qrels.format == "chroma"
    assert judged(qrels) == [
        ("c000", "atlas", [(0, 4), (11, 17)]),
        ("c001", "other", [(4, 6)]),
        ("c002", "atlas", []),
    ]
    assert qrels.notes[0].startswith("the questions have no identifiers: they are called c000 to")
    topics = read_topics(path)
    assert topics.format == "chroma"
    assert topics.titles == {"c000": twice, "c001": twice, "c002": "Why?"}


@pytest.mark.parametrize(
    ("count", "last"), [(1, "c000"), (1000, "c999"), (1001, "c1000"), (10001, "c10000")]
)
def test_made_identifiers_have_as_many_digits_as_are_needed(
    count: int, last: str, saved: Saved
) -> None:
    qrels = read_qrels(saved(chroma(*[("Why?", [reference("x", 0)], "a")] * count)))
    topics = qrels.documents["topic"].to_list()
    assert (topics[-1], len({*map(len, topics)}), len(topics)) == (last, 1, count)


REFERENCES = st.lists(st.builds(reference, st.text(max_size=5), st.integers(0, 50)), max_size=3)
QUESTIONS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), min_size=1)


@example([("# of people?", [reference("x", 1)]), ("Why?", [])])
@given(st.lists(st.tuples(QUESTIONS, REFERENCES), min_size=1, max_size=4))
def test_every_reference_of_chroma_is_highlighted(rows: list[tuple[str, list[Json]]]) -> None:
    data = chroma(*((asked, found, "a") for asked, found in rows)).encode()
    for (topic, _, spans), (_, found) in zip(
        judged(read_qrels(held(data), "chroma")), rows, strict=True
    ):
        wanted = {at for one in found for at in range(one["start_index"], one["end_index"])}
        assert topic.startswith("c")
        assert {at for start, end in spans for at in range(start, end)} == wanted
    titles = list(read_topics(held(data), "chroma").titles.values())
    assert titles == [asked for asked, _ in rows]


@pytest.mark.parametrize("indent", INDENTS)
def test_legalbenchrags_tests_are_named_by_place(indent: int | None, saved: Saved) -> None:
    path = saved(
        json.dumps(
            benchmark(
                ("May I?", [snippet("a/b.txt", 3, 6, answer="yes"), snippet("c.txt", 0, 9)]),
                ("Never?", []),
                ("May I?", [snippet("c.txt", 4, 5)]),
            ),
            indent=indent,
        )
    )
    qrels = read_qrels(path)
    assert qrels.format == "legalbenchrag"
    assert judged(qrels) == [
        ("l000", "a/b.txt", [(3, 6)]),
        ("l000", "c.txt", [(0, 9)]),
        ("l002", "c.txt", [(4, 5)]),
    ]
    assert qrels.notes[1:] == ("left out 1 question without snippets",)
    assert read_topics(path).titles == {"l000": "May I?", "l001": "Never?", "l002": "May I?"}


@pytest.mark.parametrize("indent", INDENTS)
def test_squads_answers_are_those_of_assessors(indent: int | None, saved: Saved) -> None:
    path = saved(
        json.dumps(
            squad(
                question("q1", (11, "Norway"), (8, "in Norway"), (11, "Norway")),
                question("q2", is_impossible=True, plausible_answers=[{"text": "x"}]),
                question("q3"),
                question("q4", (0, "Oslo")),
            ),
            indent=indent,
        )
    )
    union = [
        ("q1", "Oslo#1", [(8, 17)]),
        ("q2", "Oslo#1", []),
        ("q3", "Oslo#1", []),
        ("q4", "Oslo#1", [(0, 4)]),
    ]
    qrels = read_qrels(path)
    assert (qrels.format, qrels.assessors) == ("squad", "union of 3")
    assert judged(qrels) == union
    assert {*qrels.documents["length"]} == {len(CONTEXT)}
    majority = judged(read_qrels(path, assessors="majority"))
    assert majority == [("q1", "Oslo#1", [(11, 17)]), *union[1:]]
    assert judged(read_qrels(path, assessors="2")) == union[:1]
    assert read_topics(path).titles["q1"] == "q1?"


def test_squads_articles_may_have_no_title_or_several_pieces() -> None:
    file = squad(question("q1", (0, "Oslo")))
    (article,) = file["data"]
    again = {**article, "paragraphs": [{"context": "Oslo", "qas": [question("q2", (0, "Oslo"))]}]}
    nameless = {"paragraphs": [{"context": "Rome", "qas": [question("q3", (0, "Rome"))]}]}
    file["data"] = [article, again, nameless]
    names = read_qrels(held(json.dumps(file).encode())).documents["doc"].to_list()
    assert names == ["Oslo#1", "Oslo#2", "2#0"]


@pytest.mark.parametrize(
    "text",
    [
        chroma(("Why?", [reference("x", 0)], "a")),
        json.dumps(benchmark(("May I?", [snippet("a", 3, 6)])), indent=1),
        json.dumps(squad(question("q1", (0, "Oslo")))),
    ],
)
def test_gold_files_are_not_runs(text: str, saved: Saved) -> None:
    with pytest.raises(BadInput, match=r"this looks like judgements \((chroma|legal|squad)"):
        read_run(saved(text))


@pytest.mark.parametrize("name", ["chroma", "legalbenchrag", "squad"])
def test_gold_formats_are_only_read(name: str) -> None:
    assert not QRELS_FORMATS[name].is_written
    qrels = Qrels.from_dict({"1": {"a": 1}})
    with pytest.raises(UsageError, match=f"^{name} can only be read: write csv, inex, .* or tsv$"):
        write_qrels(qrels, io.BytesIO(), name)
    with pytest.raises(UsageError, match=r"cannot tell the format from the name 'gold\.json'"):
        write_qrels(qrels, "gold.json")


def test_what_is_wrong_in_a_document_is_named_by_line_and_place(saved: Saved) -> None:
    tests = benchmark(("May I?", [snippet("a", 3, 6)]), ("Why?", [snippet("b", 3, 6, answer="x")]))
    text = json.dumps(tests, indent=1)
    line = text.split("\n").index('   "query": "Why?",') + 1
    with pytest.raises(BadInput) as caught:
        read_qrels(saved(text))
    (problem,) = caught.value.problems
    assert (problem.line, problem.text) == (line, '   "query": "Why?",')
    reason = ".tests[1].snippets[0]: answer has 1 character, but end - start is 3"
    assert problem.reason == reason
    # In one line, the place alone says where.
    with pytest.raises(BadInput, match=r":1: \.tests\[1\]\.snippets\[0\]: answer has 1"):
        read_qrels(saved(json.dumps(tests)))


def test_a_question_with_other_keys_of_its_name_still_has_its_place(saved: Saved) -> None:
    file = squad(question("q1", (3, "Oslo")))
    file["question"] = "not one"
    with pytest.raises(BadInput) as caught:
        read_qrels(saved(json.dumps(file, indent=1)))
    (problem,) = caught.value.problems
    assert problem.line is None
    assert problem.reason == (
        ".data[0].paragraphs[1].qas[0].answers[0]: 'Oslo' is not at character 3 of the context"
    )
