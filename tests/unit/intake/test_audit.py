from __future__ import annotations

import json
import time
from typing import Any

import polars as pl
import pytest

import foveal
from foveal.choices import OffsetUnit
from foveal.errors import BadInput, FovealError, UsageError
from foveal.spans import Ints, boundaries
from foveal.tables import Audit, Run, document_lengths

TEXT = "One fish. Two fish. Red fish. One fish. Zwölf Fische 🐟 im Meer."
DOCS = foveal.read_documents({"fish": TEXT})


def row(text: str | None, start: int | None = None, end: int | None = None) -> dict[str, Any]:
    return {"topic": "1", "doc": "fish", "start": start, "end": end, "text": text}


def audited(*rows: dict[str, Any], **more: Any) -> tuple[Run, Audit]:
    run = DOCS.audited([*rows], **more)
    assert run.audit is not None
    return run, run.audit


def test_every_result_has_its_verdict_in_the_order_of_the_file() -> None:
    rows = [
        row("Two fish.", 10, 19),
        row("Red fish."),
        row("Red fish.", 25, 34),
        row("Two fish.", 9, 19),
        row("im Meer", 59, 66),
        row("im Meer", 56, 63),
        row("One fish."),
        row("Green fish."),
        row(None, 0, 9),
        row(None, 0, 900),
    ]
    run, audit = audited(*rows)
    assert audit.rows["verdict"].to_list() == [
        "agreed", "found", "shifted", "blank edges", "bytes", "utf16", "copies", "lost", "unchecked",
        "beyond",
    ]  # fmt: skip
    assert run.frame["start"].to_list() == [10, 20, 20, 10, 55, 55, None, None, 0, 0]
    assert audit.shifts == "5 characters"
    assert audit["shifted"] == 1
    assert audit.repeats == 3
    assert repr(audit) == (
        "<Audit: 1 agreed, 1 found, 1 shifted, 1 blank edges, 1 bytes, 1 utf16, 1 copies, 1 lost,"
        " 1 beyond, 1 unchecked>"
    )


def test_a_document_is_counted_once_however_many_parts_leave_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted: list[str] = []

    def count(text: str, unit: OffsetUnit) -> Ints:
        counted.append(unit)
        return boundaries(text, unit)

    monkeypatch.setattr("foveal.intake._placement.boundaries", count)
    _, audit = audited(*(row(None, 0, len(TEXT) + more) for more in range(1, 9)))
    assert (audit["beyond"], audit.convertible) == (8, 4)
    assert counted == ["utf16", "bytes"]


def test_an_audit_shows_itself_in_plain_words() -> None:
    _, audit = audited(row("Two fish.", 13, 22), row("Red fish.", 25, 34), row("Two  fish."))
    assert str(audit).splitlines()[:3] == [
        "       1  found: no offsets were stated; the text has one place in the document",
        "       2  shifted: the text is elsewhere than stated, by 3 to 5 characters",
        "       1  repeated: the topic has already returned the same part",
    ]
    assert "the text is elsewhere than stated, by 3 to 5 characters" in audit._repr_html_()
    told = json.loads(foveal.render(audit, to="json"))
    assert told["counts"]["shifted"] == 2
    assert [result["shift"] for result in told["results"]] == [-3, -5, 0]


def test_scores_that_rise_are_counted_by_topic() -> None:
    rows = [
        {**row("Two fish."), "topic": topic, "rank": rank, "score": score}
        for topic, scores in {
            "a": [1, 2, 3],
            "b": [1, 1, 2],
            "c": [1, 1, 1],
            "d": [2, 1, 3],
        }.items()
        for rank, score in enumerate(scores, 1)
    ]
    _, audit = audited(*rows)
    assert (audit.rising, audit.topics) == (2, 4)


def test_without_a_chunk_list_an_agreeing_copy_is_not_proven() -> None:
    run, audit = audited(row("One fish.", 30, 39), row("Two fish.", 10, 19))
    assert audit.repeated == 1
    assert run.notes == (
        "the text of 1 result occurs more than once in its document: the stated offsets are used;"
        " the list of all chunks (--chunks) would prove them",
    )


def test_the_order_of_the_chunk_list_counts_more_than_a_stated_copy() -> None:
    cuts = [(0, 29), (30, 39), (40, len(TEXT))]
    chunks = [{"doc": "fish", "text": TEXT[start:end]} for start, end in cuts]
    run, audit = audited(row("One fish.", 0, 9), chunks=chunks)
    assert audit.rows["verdict"].to_list() == ["shifted"]
    assert run.frame["start"].to_list() == [30]


def test_a_text_of_several_chunks_is_a_copy() -> None:
    cuts = [(0, 9), (10, 29), (30, 39), (40, len(TEXT))]
    chunks = [{"doc": "fish", "text": TEXT[start:end]} for start, end in cuts]
    _, audit = audited(row("One fish."), chunks=chunks)
    assert audit["copies"] == 1
    _, audit = audited(row("One fish.", 30, 39), chunks=chunks)
    assert audit["agreed"] == 1


def test_chunks_may_be_given_by_offsets_alone() -> None:
    cuts = [(10, 29), (30, 39), (40, len(TEXT))]
    chunks = pl.DataFrame([{"doc": "fish", "start": start, "end": end} for start, end in cuts])
    run, audit = audited(row("One fish."), chunks=chunks)
    assert audit["found"] == 1
    assert run.frame["start"].to_list() == [30]


def test_a_chunk_list_is_placed_or_refused() -> None:
    cuts = [(0, 29), (30, 39), (40, len(TEXT))]
    chunks = [{"doc": "fish", "text": TEXT[start:end]} for start, end in cuts]
    placed = DOCS.placed_chunks(chunks)
    assert placed.select("start", "end").rows() == cuts
    strange = [{"doc": "fish", "text": "Green fish."}, {"doc": "x", "text": "One"}]
    several = [{"doc": "fish", "text": "fish"}]
    with pytest.raises(BadInput) as refused:
        DOCS.placed_chunks([*chunks, *strange])
    assert [(problem.line, problem.reason) for problem in refused.value.problems] == [
        (4, "the chunk's text is not in its document"),
        (5, "the chunk's document is not among the documents given"),
    ]
    with pytest.raises(BadInput, match="has 4 places in document 'fish': --copies first takes"):
        DOCS.placed_chunks(several)
    assert DOCS.placed_chunks(several, copies="first")["start"].to_list() == [4]


@pytest.mark.parametrize(
    ("chunks", "reason"),
    [
        ([{"text": "One"}], "doc is None, not an identifier"),
        ([{"doc": "fish", "start": 3}], "start is 3, and there is no text"),
    ],
)
def test_a_chunk_without_a_document_or_place_is_refused(chunks: Any, reason: str) -> None:
    with pytest.raises(FovealError, match=reason):
        audited(row("One fish."), chunks=chunks)


def test_spans_of_judgements_are_found_too() -> None:
    parts = pl.DataFrame(
        {"doc": ["fish", "fish", "x"], "text": ["Two fish.", "One fish.", "One fish."]}
    )
    placed = DOCS.spans(parts)
    assert placed.start.to_list() == [10, None, None]
    assert placed.end.to_list() == [19, None, None]
    problems = placed.problem.to_list()
    assert problems[0] is None
    assert problems[1].startswith("the text occurs 2 times in document 'fish' (at 0 and 30)")
    assert problems[2] == "document 'x' is not one of the 1 document given"


def test_whole_documents_stay_whole_and_have_a_length() -> None:
    run = DOCS.placed([{"topic": "1", "doc": "fish"}])
    assert run.frame["start"].to_list() == [None]
    assert document_lengths(run, pl.Series(["fish"])).to_list() == [len(TEXT)]


def test_the_ranking_is_that_of_the_file_again() -> None:
    rows = [{**row("Two fish."), "rank": 2}, {**row("Red fish."), "rank": 1}]
    assert DOCS.placed(rows).frame["start"].to_list() == [10, 20]


def test_a_wrong_word_is_refused() -> None:
    with pytest.raises(UsageError, match="count must be characters, bytes or utf16, got 'words'"):
        DOCS.placed([row("Two fish.")], count="words")


def test_stated_places_of_a_chunk_list_are_verified_by_its_texts() -> None:
    chunks = [{"doc": "fish", "start": 0, "end": 9, "text": "Two fish."}]
    (place,) = foveal.read_chunks(chunks, docs=DOCS).frame.select("start", "end").rows()
    assert DOCS["fish"][slice(*place)] == "Two fish."
    assert foveal.read_chunks(chunks).frame.select("start", "end").rows() == [(0, 9)]


def test_chunks_without_text_are_where_they_say() -> None:
    text = DOCS["fish"]
    listed = [{"doc": "fish", "start": 0, "end": 3}, {"doc": "fish", "start": 3, "end": 4}]
    assert text[3].isspace()
    found = foveal.read_chunks(listed, docs=DOCS).frame
    assert found.select("start", "end").rows() == [(0, 3), (3, 4)]
    beyond = f"0 to 5,000 is not a place in document 'fish', which has {len(text)} characters"
    with pytest.raises(BadInput, match=beyond):
        foveal.read_chunks([{"doc": "fish", "start": 0, "end": 5000}], docs=DOCS)


def test_a_stated_place_holds_for_a_text_that_is_not_in_the_chunk_list() -> None:
    docs = foveal.read_documents({"a": "xy. " * 150 + "The end."})
    run = [{"topic": "q", "doc": "a", "start": 480, "end": 483, "text": "xy."}]
    listed = [{"doc": "a", "text": "The end."}]
    placed = docs.placed(run, chunks=listed, copies="first")
    assert placed.frame.select("start", "end").rows() == [(480, 483)]


def test_many_replacement_characters_are_searched_for_in_reasonable_time() -> None:
    text = "\u4e00" + "\ufffd\ufffd\u4e00" * 40 + "Z"
    docs = foveal.read_documents({"a": "\u4e00" * 400})
    started = time.perf_counter()
    audit = docs.audited([{"topic": "q", "doc": "a", "text": text}]).audit
    assert audit is not None
    assert audit["lost"] == 1
    # Trying one way after the other would take hours.
    assert time.perf_counter() - started < 20


@pytest.mark.parametrize(
    "words", [{"count": "bytes"}, {"chunks": [{"doc": "fish", "text": "One"}]}]
)
def test_words_about_texts_need_the_documents(words: Any) -> None:
    run = [{"topic": "q", "doc": "fish", "start": 0, "end": 3}]
    for command in (foveal.check, foveal.repair):
        with pytest.raises(UsageError, match="needs the texts of the documents: give docs"):
            command(run, **words)


def test_a_renamed_document_keeps_its_length() -> None:
    mended = foveal.repair(
        [{"topic": "q", "doc": "x/fish.txt"}], docs=DOCS, task="rag", characters=5
    )
    assert mended.run.frame.select("doc", "start", "end").rows() == [("fish", 0, 5)]
