"""--docs, --chunks, --copies and --count on the commands that take them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import Answer, foveal

TEXT = "One fish. Two fish. Rød fisk. One fish. Blå fisk 🐟 in the sea."
QRELS = [{"topic": "q", "doc": "fish", "length": len(TEXT), "highlights": [[10, 19], [40, 48]]}]


@pytest.fixture
def world(tmp_path: Path) -> Path:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "fish.txt").write_text(TEXT, encoding="utf-8")
    lines(tmp_path / "qrels.jsonl", QRELS)
    return tmp_path


def lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def scored(world: Path, rows: list[dict[str, Any]], *words: str) -> Answer:
    lines(world / "run.jsonl", [{"topic": "q", "doc": "fish", **row} for row in rows])
    asked = ("evaluate", "qrels.jsonl", "run.jsonl", "-m", "charR", "-m", "charP", "--to", "json")
    return foveal(*asked, *words, folder=world)


def values(answer: Answer) -> list[float]:
    return [row["value"] for row in json.loads(answer.out)["rows"] if row["topic"] == "all"]


def test_a_text_without_offsets_is_found_and_every_form_says_so(world: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"text": "Two fish."},
        {"text": "Blå  fisk", "start": 20, "end": 28},
    ]
    answer = scored(world, rows, "--docs", "texts")
    assert values(answer) == [1.0, 1.0]
    notes = json.loads(answer.out)["notes"]
    assert "run.jsonl: 1 result placed by the text: no offsets were stated" in notes
    assert [note for note in notes if "offsets of 1 result corrected by 20 characters" in note]
    for form in ("text", "markdown", "html", "latex"):
        path = world / f"scores.{form}"
        foveal(
            "evaluate", "qrels.jsonl", "run.jsonl", "--docs", "texts", "--to", form, "-o", str(path),
            folder=world,
        )  # fmt: skip
        assert "corrected by 20" in " ".join(path.read_text(encoding="utf-8").split())


def test_a_text_without_a_place_is_refused_with_its_line(world: Path) -> None:
    answer = scored(world, [{"text": "Two fish."}, {"text": "One fish."}], "--docs", "texts")
    assert answer.code == 65
    assert answer.err.splitlines() == [
        "foveal: run.jsonl: 1 of 2 results cannot be placed: 1 in several places",
        "run.jsonl:2: topic 'q': the text occurs 2 times in document 'fish' (at 0 and 30): give all"
        " chunks in document order (--chunks FILE, in Python chunks= of from_hits), or take the first place"
        ' (--copies first, in Python copies="first")',
    ]


def test_the_first_of_several_places_is_taken_if_asked_for(world: Path) -> None:
    answer = scored(world, [{"text": "One fish."}], "--docs", "texts", "--copies", "first")
    assert answer.code == 0
    told = "run.jsonl: 1 result placed at the first of several places of the text (--copies first)"
    assert told in json.loads(answer.out)["notes"]


def test_a_chunk_list_tells_copies_apart(world: Path) -> None:
    cuts = [(0, 9), (10, 29), (30, 48), (49, len(TEXT))]
    lines(world / "chunks.jsonl", [{"doc": "fish", "text": TEXT[a:b]} for a, b in cuts])
    rows = [{"text": TEXT[30:48]}, {"text": "One fish."}]
    answer = scored(world, rows, "--docs", "texts", "--chunks", "chunks.jsonl")
    assert answer.code == 0
    # 8 of 17 highlighted characters, in 18 + 9 characters.
    assert values(answer) == pytest.approx([8 / 17, 8 / 27])


@pytest.mark.parametrize(
    ("count", "encoding", "width"), [("bytes", "utf-8", 1), ("utf16", "utf-16-le", 2)]
)
def test_offsets_in_other_units_are_converted(
    world: Path, count: str, encoding: str, width: int
) -> None:
    start, end = (len(TEXT[:at].encode(encoding)) // width for at in (40, len(TEXT)))
    rows = [{"start": start, "end": end}]
    answer = scored(world, rows, "--docs", "texts", "--count", count)
    assert values(answer) == pytest.approx([8 / 17, 8 / (len(TEXT) - 40)])
    refused = scored(world, rows, "--docs", "texts")
    assert refused.code == 65
    assert f"--count {count} converts such offsets" in refused.err


@pytest.mark.parametrize("words", [("--count", "bytes"), ("--tokens", "tokenizer.json")])
def test_what_needs_the_texts_says_so(world: Path, words: tuple[str, ...]) -> None:
    answer = scored(world, [{"start": 0, "end": 3}], *words)
    assert answer.code == 2
    assert "needs the documents' texts: give --docs DOCUMENTS" in answer.err


def test_whole_documents_have_a_length(world: Path) -> None:
    lines(world / "qrels.jsonl", [{**QRELS[0], "length": None}])
    answer = scored(world, [{}], "--docs", "texts")
    assert values(answer) == pytest.approx([1.0, 17 / len(TEXT)])


def test_check_lists_what_does_not_fit(world: Path) -> None:
    rows = [
        {"text": "Two fish.", "start": 13, "end": 22},
        {"text": "Green fish.", "start": 0, "end": 11},
        {"text": "fisk 🐟", "start": 46, "end": 55},
    ]
    lines(world / "run.jsonl", [{"topic": "q", "doc": "texts/fish.txt", **row} for row in rows])
    answer = foveal("check", "run.jsonl", "--task", "rag", "--docs", "texts", folder=world)
    assert answer.code == 65
    assert answer.out.splitlines() == [
        "run.jsonl:1: error: in document 'texts/fish.txt' the text is 3 characters earlier than"
        " stated [shifted-offsets]",
        "run.jsonl:1: warning: 1 document named otherwise: 'texts/fish.txt' for 'fish'"
        " [document-names]",
        "run.jsonl:2: error: the text is not in document 'fish': is this the version that was split?"
        " 'Green fish.' [lost-text]",
        "run.jsonl:3: error: the offsets of 1 result count bytes, not characters: --count bytes"
        " converts them [offset-unit]",
        "3 errors, 1 warning",
    ]


def test_overlap_is_no_error_in_task_rag(world: Path) -> None:
    rows = [{"start": 0, "end": 19}, {"start": 10, "end": 29}]
    lines(world / "run.jsonl", [{"topic": "q", "doc": "fish", **row} for row in rows])
    assert foveal("check", "run.jsonl", "--task", "rag", folder=world).code == 0
    assert foveal("check", "run.jsonl", "--task", "focused", folder=world).code == 65


def test_repair_writes_the_offsets_that_fit(world: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"text": "Two fish.", "start": 13, "end": 22},
        {"text": "Blå fisk"},
    ]
    lines(world / "run.jsonl", [{"topic": "q", "doc": "fish.txt", **row} for row in rows])
    words = ("--task", "rag", "--docs", "texts", "-o", "fixed.jsonl")
    answer = foveal("check", "--fix", "run.jsonl", *words, folder=world)
    assert answer.out.splitlines()[:3] == [
        "1 result with offsets found by the text [missing-offsets]",
        "1 result with offsets moved to where the text is [shifted-offsets]",
        "2 results with the name that the document has among those given [document-names]",
    ]
    fixed = [json.loads(line) for line in (world / "fixed.jsonl").read_text().splitlines()]
    assert [(row["doc"], row["start"], row["end"]) for row in fixed] == [
        ("fish", 10, 19),
        ("fish", 40, 48),
    ]


def repaired(world: Path, *places: tuple[int, int], doc: str = "plain") -> Answer:
    (world / "texts" / "plain.txt").write_text("One fish. Two fish.")
    given = [{"topic": "q", "doc": doc, "start": start, "end": end} for start, end in places]
    lines(world / "run.jsonl", given)
    words = ("--task", "focused", "--docs", "texts", "-o", "fixed.jsonl")
    return foveal("check", "--fix", "run.jsonl", *words, folder=world)


@pytest.mark.parametrize("doc", ["plain", "plain.txt"])
def test_repair_cuts_parts_without_text_at_the_end_of_their_document(world: Path, doc: str) -> None:
    answer = repaired(world, (0, 8), (10, 40), (30, 50), doc=doc)
    assert (answer.code, answer.err) == (0, "")
    told = [line for line in answer.out.splitlines() if line.endswith("[past-document-end]")]
    assert told == [
        "1 result cut at the end of the document [past-document-end]",
        "1 result removed that started beyond the end of the document [past-document-end]",
    ]
    fixed = [json.loads(line) for line in (world / "fixed.jsonl").read_text().splitlines()]
    assert [(row["doc"], row["start"], row["end"]) for row in fixed] == [
        ("plain", 0, 8),
        ("plain", 10, 19),
    ]
    check = ("check", "fixed.jsonl", "--task", "focused", "--docs", "texts")
    assert foveal(*check, folder=world).code == 0


def test_repair_takes_two_names_of_a_document_in_one_run(world: Path) -> None:
    given = [{"topic": "q", "doc": "fish", "start": 0, "end": 3}]
    lines(world / "run.jsonl", [*given, {"topic": "q", "doc": "fish.txt", "start": 5, "end": 9}])
    words = ("--task", "focused", "--docs", "texts", "-o", "fixed.jsonl")
    assert foveal("check", "--fix", "run.jsonl", *words, folder=world).code == 0
    fixed = [json.loads(line) for line in (world / "fixed.jsonl").read_text().splitlines()]
    assert [(row["doc"], row["start"]) for row in fixed] == [("fish", 0), ("fish", 5)]


def test_repair_says_what_to_do_about_an_unknown_document(world: Path) -> None:
    answer = repaired(world, (0, 8), doc="elsewhere")
    assert answer.code == 65
    advice = "1 of unknown documents (remove them, or add their documents to --docs)"
    assert f"1 of 1 result cannot be placed: {advice}" in answer.err


def test_repair_cuts_nothing_if_offsets_seem_to_count_bytes(world: Path) -> None:
    size = len(TEXT.encode())
    answer = repaired(world, (0, 8), (10, size), doc="fish")
    assert answer.code == 65
    assert "1 of 2 results cannot be placed: 1 beyond the end of their document" in answer.err
    assert f"it has {size} bytes: --count bytes converts such offsets" in answer.err
    assert repaired(world, (0, 8), (10, size + 1), doc="fish").code == 0


def test_repair_says_which_documents_leave_nothing(world: Path) -> None:
    answer = repaired(world, (30, 50))
    assert answer.code == 65
    assert "nothing is left" in answer.err
    assert "are texts the documents of this collection?" in answer.err


@pytest.mark.usefixtures("pools")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_documents_are_read_in_every_process(world: Path, jobs: str) -> None:
    lines(world / "run.jsonl", [{"topic": "q", "doc": "fish", "text": "Two fish."}])
    lines(world / "other.jsonl", [{"topic": "q", "doc": "fish", "text": "Blå fisk"}])
    answer = foveal(
        "evaluate", "qrels.jsonl", "run.jsonl", "other.jsonl", "-m", "charP", "--docs", "texts",
        "--jobs", jobs, "--to", "json", folder=world,
    )  # fmt: skip
    assert values(answer) == [1.0, 1.0]


@pytest.mark.parametrize("command", [("evaluate",), ("gate", "--min", "charR>=1")])
def test_judgements_given_as_text_are_found_in_the_documents(
    world: Path, command: tuple[str, ...]
) -> None:
    lines(world / "gold.jsonl", [{"topic": "q", "doc": "fish", "text": "Two fish."}])
    lines(world / "run.jsonl", [{"topic": "q", "doc": "fish", "start": 10, "end": 19}])
    asked = (*command, "gold.jsonl", "run.jsonl", "-m", "charR", "--docs", "texts", "--to", "json")
    answer = foveal(*asked, folder=world)
    assert answer.code == 0, answer.err
    told = "gold.jsonl: 1 passage placed by the text: no offsets were stated"
    assert told in json.loads(answer.out)["notes"]


def test_judged_offsets_that_the_text_corrects_are_told(world: Path) -> None:
    gold = {"topic": "q", "doc": "fish", "start": 3, "end": 12, "text": "Two fish."}
    lines(world / "qrels.jsonl", [gold])
    answer = scored(world, [{"start": 10, "end": 19}], "--docs", "texts")
    assert values(answer) == [1.0, 1.0]
    assert [
        note for note in json.loads(answer.out)["notes"] if "of 1 passage corrected by 7" in note
    ]


def test_judged_documents_that_the_folder_lacks_are_scored(world: Path) -> None:
    lines(world / "qrels.jsonl", [*QRELS, {"topic": "q", "doc": "else", "start": 0, "end": 18}])
    answer = scored(world, [{"start": 10, "end": 19}], "--docs", "texts")
    assert values(answer) == [9 / 35, 1.0]


def test_the_best_precision_of_a_chunking_is_found_with_documents(world: Path) -> None:
    cuts = [(0, 9), (10, 29), (30, 48), (49, len(TEXT))]
    lines(world / "chunks.jsonl", [{"doc": "fish", "text": TEXT[a:b]} for a, b in cuts])
    lines(world / "run.jsonl", [{"topic": "q", "doc": "fish", "start": 10, "end": 29}])
    asked = ("evaluate", "qrels.jsonl", "run.jsonl", "-m", "cPmax", "--to", "json")
    answer = foveal(*asked, "--docs", "texts", "--chunks", "chunks.jsonl", folder=world)
    assert answer.code == 0, answer.err
    assert values(answer) == [17 / 37]


def test_an_error_in_the_chunk_list_does_not_quote_the_run(world: Path) -> None:
    lines(world / "chunks.jsonl", [{"doc": "fish", "start": 9, "end": 3}])
    lines(world / "run.jsonl", [{"topic": "q", "doc": "fish", "start": 10, "end": 29}])
    asked = ("evaluate", "qrels.jsonl", "run.jsonl", "-m", "cPmax", "--chunks", "chunks.jsonl")
    assert foveal(*asked, folder=world).err.splitlines() == [
        "foveal: chunks.jsonl:1: a chunk ends before it starts",
        "needed by cPmax for run 'run'",
    ]


def test_documents_named_otherwise_are_scored_under_the_judged_name(world: Path) -> None:
    rows = [{"doc": "texts/fish.txt", "start": 10, "end": 19, "text": "Two fish."}]
    answer = scored(world, rows, "--docs", "texts")
    assert values(answer) == values(scored(world, [{**rows[0], "doc": "fish"}], "--docs", "texts"))
    assert values(answer)[0] > 0
    (named,) = [note for note in json.loads(answer.out)["notes"] if "named otherwise" in note]
    assert "'texts/fish.txt' is 'fish'" in named


@pytest.mark.parametrize("name", ["fish", "data/fish.txt", "texts/fish.txt"])
def test_judgements_may_name_documents_in_a_third_way(world: Path, name: str) -> None:
    lines(world / "qrels.jsonl", [{**row, "doc": "fish.txt"} for row in QRELS])
    rows = [{"doc": name, "start": 10, "end": 19, "text": "Two fish."}]
    answer = scored(world, rows, "--docs", "texts")
    assert values(answer)[0] > 0
    assert f"{name!r} is 'fish.txt'" in "\n".join(json.loads(answer.out)["notes"])


def test_documents_of_the_same_name_in_other_folders_stay_apart(world: Path) -> None:
    texts = {"en/fish.txt": TEXT, "no/fish.txt": TEXT.upper()}
    lines(world / "docs.jsonl", [{"id": name, "text": text} for name, text in texts.items()])
    lines(world / "qrels.jsonl", [{**row, "doc": "en/fish.txt"} for row in QRELS])
    answer = scored(world, [{"doc": "no/fish.txt", "text": "TWO FISH."}], "--docs", "docs.jsonl")
    assert values(answer) == [0.0, 0.0]
    assert "named otherwise" not in answer.out


def test_names_that_are_judged_stay(world: Path) -> None:
    lines(world / "qrels.jsonl", [{**row, "doc": "texts/fish.txt"} for row in QRELS])
    rows = [{"doc": "texts/fish.txt", "start": 10, "end": 19, "text": "Two fish."}]
    assert values(scored(world, rows, "--docs", "texts"))[0] > 0


@pytest.mark.parametrize("words", [(), ("--fix", "-o", "fixed.jsonl")])
def test_chunks_are_compared_only_with_documents(world: Path, words: tuple[str, ...]) -> None:
    lines(world / "run.jsonl", [{"topic": "q", "doc": "fish", "start": 0, "end": 3}])
    answer = foveal("check", "run.jsonl", *words, "--chunks", "chunks.jsonl", folder=world)
    assert answer.code == 2
    assert "--chunks needs the documents' texts: give --docs DOCUMENTS" in answer.err


def test_convert_writes_the_offsets_of_texts(world: Path) -> None:
    row = {"topic": "q", "doc": "fish", "text": "Two fish."}
    lines(world / "gold.jsonl", [row])
    lines(world / "run.jsonl", [{**row, "rank": 1}])
    for name, kind, key in (("gold", "judgements", "highlights"), ("run", "run", "start")):
        words = (f"{name}.jsonl", f"new-{name}.jsonl", "--kind", kind, "--docs", "texts")
        answer = foveal("convert", *words, folder=world)
        assert answer.code == 0, answer.err
        (written,) = (world / f"new-{name}.jsonl").read_text().splitlines()
        assert json.loads(written)[key] == {"highlights": [[10, 19]], "start": 10}[key]
