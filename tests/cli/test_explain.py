"""foveal explain: what a run found, missed and wasted."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import foveal as library
from tests.cli import small_world
from tests.cli.calling import Answer, foveal
from tests.cli.small_world import RUNS

TEXT = {
    "d1": "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et"[:100],
    "d2": "x" * 50,
    "d3": "y" * 80,
    "d4": "z" * 200,
}  # fmt: skip
OTHER = """\
1 Q0 d4 1 5.0 yours 150 40
1 Q0 d1 2 4.0 yours 0 50
1 Q0 d3 3 3.0 yours 0 10
2 Q0 d1 1 1.0 yours 5 10
"""


@pytest.fixture
def world(folder: Path) -> Path:
    """Judgements, two runs, and the documents' texts."""
    (folder / "yours.fol").write_text(OTHER)
    (folder / "docs").mkdir()
    for name, text in TEXT.items():
        (folder / "docs" / f"{name}.txt").write_text(text)
    return folder


def explained(folder: Path, *words: str, run: str = "mine.fol") -> Answer:
    answer = foveal("explain", "q.qrels", run, *words, folder=folder)
    assert answer.code == 0, answer.err
    return answer


def as_json(folder: Path, *words: str, run: str = "mine.fol") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(explained(folder, *words, "--to", "json", run=run).out)
    return found


D1 = """\
d1
rank 1, 2 results: 40 found, 0 missed, 30 wasted; starts at 0, best entry point 10.

   offset   rank
        0      1  (Lorem ipsu)
       10      1  [m dolor sit amet, consectetur ]
       40      1  (adipiscing)
       50          elit
       55      4  (, sed)
       60      4  [ do eiusmo]
       70      4  (d tem)
       75         por incididunt ut labore

results

rank   start   end   size   rsize        P        R       iP
────────────────────────────────────────────────────────────
   1       0    50     50      30   0.6000   0.3000   0.6000
   4      55    75     20      10   0.3529   0.6000   0.3529

P(d) = rsize / size = 40 / 70 = 0.5714
R(d) = rsize / Trel(d) = 40 / 40 = 1.0000
F(d) = 2·P·R / (P + R) = 2·rsize / (size + Trel(d)) = 2·40 / (70 + 40) = 0.7273
bep(d) = A·L / (A·L + |x - b|) = 0.1·100 / (0.1·100 + |0 - 10|) = 0.5000
t2i(d) = r / (r + i) = 40 / (40 + 60) = 0.4000, read until i = 300 or the end
"""


def test_a_topic_is_shown_document_by_document(world: Path) -> None:
    out = explained(world, "--topic", "1", "--docs", "docs").out
    assert out.startswith(
        "mine: topic 1\n\n70 of 100 highlighted characters are found, 30 missed, 160 wasted (read,"
        " but not\nhighlighted). Of 4 passages, 3 are found and 1 is cut by the border of a part."
        " AiP is\n0.3191.\n\n- d4 at 150 to 190: cut by the border of a part; 10 of 40 characters"
        " found, the last at\n  rank 5\n"
    )
    assert D1 in out
    assert re.findall(r"^d\d$", out, re.MULTILINE) == ["d1", "d3", "d2", "d4"]
    assert "\x1b" not in out


def test_the_worked_example_shows_every_number_worked(world: Path) -> None:
    found = as_json(world, "--topic", "1")
    results = found["results"]
    assert [row["P"] for row in results] == [3 / 5, 3 / 13, 1 / 3, 6 / 17, 7 / 23]
    assert [row["R"] for row in results] == [0.3, 0.3, 0.5, 0.6, 0.7]
    assert [row["iP"] for row in results] == [3 / 5, 3 / 5, 6 / 17, 6 / 17, 7 / 23]
    scores = {row["doc"]: row["F"] for row in found["documents"]}
    assert scores == pytest.approx({"d1": 8 / 11, "d3": 0, "d2": 1, "d4": 0.2})
    entry = {row["doc"]: row["bep"] for row in found["documents"]}
    assert entry == pytest.approx({"d1": 0.5, "d3": 0, "d2": 1, "d4": 2 / 7})
    assert [row["value"] for row in found["topics"]] == pytest.approx([63013 / 197455])
    assert [row["t2i"] for row in found["documents"]] == [0.4, 0, 0.4, 0.2]


def test_json_has_settings_and_lists_of_rows_with_fixed_names(world: Path) -> None:
    found = as_json(world, "--topic", "1", "--docs", "docs")
    assert list(found) == [
        "settings", "topics", "passages", "documents", "results", "segments", "notes",
    ]  # fmt: skip
    assert list(found["segments"][0]) == ["topic", "doc", "start", "end", "kind", "rank"]
    assert found["segments"][1] == {
        "topic": "1", "doc": "d1", "start": 10, "end": 40, "kind": "found", "rank": 1,
    }  # fmt: skip
    assert {row["kind"] for row in found["segments"]} == {"found", "missed", "wasted", "other"}
    assert list(found["topics"][0]) == [
        "run", "topic", "value", "results", "highlighted", "found", "missed", "wasted",
    ]  # fmt: skip
    assert list(found["results"][0]) == [
        "run", "topic", "rank", "doc", "start", "end", "size", "rsize", "relevance", "P", "R", "iP",
    ]  # fmt: skip
    assert list(found["documents"][0]) == [
        "run", "topic", "doc", "rank", "relevant", "results", "length", "highlighted", "found",
        "missed", "wasted", "size", "rsize", "P", "R", "F", "bep", "t2i", "entry", "first_start",
        "t2i_found", "t2i_wasted",
    ]  # fmt: skip
    assert found["passages"][3] == {
        "run": "mine", "topic": "1", "doc": "d4", "start": 150, "end": 190, "found": 10,
        "rank": 5, "outcome": "cut",
    }  # fmt: skip
    assert found["settings"]["measure"] == "AiP"


def test_rows_of_other_forms_are_segments_or_topics(world: Path) -> None:
    lines = explained(world, "--topic", "1", "--to", "csv").out.splitlines()
    assert lines[0] == "topic,doc,start,end,kind,rank"
    assert lines[2] == "1,d1,10,40,found,1"
    header = "run,topic,value,results,highlighted,found,missed,wasted"
    assert explained(world, "--to", "csv").out.splitlines()[0] == header
    for form in ("markdown", "latex"):
        assert "0.7273" in explained(world, "--topic", "1", "--to", form).out


def test_the_library_gives_what_the_command_prints(world: Path) -> None:
    qrels, run, other = (
        library.read_qrels(world / "q.qrels"),
        library.read_run(world / "mine.fol"),
        library.read_run(world / "yours.fol"),
    )
    found = library.explain(qrels, run, topic="1", docs=world / "docs", against=other)
    words = ("--topic", "1", "--docs", "docs", "--against", "yours.fol")
    assert library.render(found, "json") == explained(world, *words, "--to", "json").out
    assert library.render(found).startswith(explained(world, *words).out)
    found.save(world / "saved.html")
    explained(world, *words, "-o", "page.html")
    assert (world / "saved.html").read_bytes() == (world / "page.html").read_bytes()
    assert '<span style="background:' in found._repr_html_()


def test_without_texts_lengths_are_shown_in_their_place(world: Path) -> None:
    out = explained(world, "--topic", "1", "--doc", "d4").out
    assert "      100      5  (50 characters)\n      150      5  [10 characters]\n" in out
    assert "      160         {30 characters}\n      190         10 characters\n" in out


def test_without_a_topic_the_worst_are_listed_first(tmp_path: Path) -> None:
    small_world.write(tmp_path)
    out = explained(tmp_path, "-m", "charF", run=RUNS[0]).out
    table = [line.split() for line in out.splitlines() if re.match(r"\d+ +0\.\d{4}", line)]
    values = [float(row[1]) for row in table]
    assert len(values) == 10
    assert values == sorted(values)
    assert "Worst first by charF; look at one with --topic." in out
    for row in table:
        own = as_json(tmp_path, "--topic", row[0], "-m", "charF", run=RUNS[0])["topics"][0]
        names = ("results", "highlighted", "found", "missed", "wasted")
        assert [int(cell.replace(",", "")) for cell in row[2:]] == [own[name] for name in names]


def test_what_is_not_returned_is_missed(world: Path) -> None:
    (world / "little.fol").write_text("1 Q0 d9 1 5.0 little 0 50\n")
    out = explained(world, "--topic", "1", run="little.fol").out
    assert "Of 4 passages, 4 are in documents that were not returned." in out
    assert "- d4 at 150 to 190: wrong document; this one was not returned" in out
    assert "d4\nmissed: not returned; 40 characters highlighted.\n" in out
    assert "Every score is 0: the document was not returned." in out
    nothing = as_json(world, "--topic", "2", run="little.fol")
    assert nothing["results"] == []
    assert [row["kind"] for row in nothing["segments"]] == ["other", "missed", "other"]


def test_failures_are_told_in_words(world: Path) -> None:
    run = [f"1 Q0 d3 {rank} {99 - rank} late {rank} 1\n" for rank in range(1, 12)]
    run += ["1 Q0 d2 12 9.0 late 0 20\n", "1 Q0 d1 13 8.0 late 0 9\n", "1 Q0 d4 14 7.0 late 0 0\n"]
    (world / "late.fol").write_text("".join(run))
    out = explained(world, "--topic", "1", run="late.fol").out
    assert "- d2 at 0 to 20: found, but only at rank 12" in out
    assert "- d1 at 10 to 40: right document, wrong place" in out
    assert "1 is in a document of which no text was returned" in out
    (world / "docs" / "d3.txt").write_text("a" * 20 + TEXT["d1"][10:40] + "b" * 30)
    (world / "copy.fol").write_text("1 Q0 d3 1 9.0 copy 0 10\n1 Q0 d3 2 8.0 copy 10 60\n")
    copied = explained(world, "--topic", "1", "--docs", "docs", run="copy.fol").out
    assert "- d1 at 10 to 40: only a copy found, the same text in d3 at rank 2" in copied
    assert "1 was returned only as a copy" in " ".join(copied.split())
    # Two parts that hold the text only together hold no copy of it.
    (world / "halves.fol").write_text("1 Q0 d3 1 9.0 halves 0 30\n1 Q0 d3 2 8.0 halves 30 50\n")
    assert "copy" not in explained(world, "--topic", "1", "--docs", "docs", run="halves.fol").out


def test_two_runs_are_shown_side_by_side(world: Path) -> None:
    out = explained(world, "--topic", "1", "--against", "yours.fol", "--docs", "docs").out
    flowing = " ".join(out.split())
    assert flowing.startswith("mine against yours: topic 1")
    assert (
        "mine finds 30 characters, in 2 documents, that yours misses; yours finds 30 characters, in"
        " 1 document, that mine misses; 40 are found by both, 0 by none." in flowing
    )
    table = out.split("side by side\n\n")[1].split("\n\n")[0].splitlines()
    assert [re.split(" {2,}", line) for line in table[2:]] == [
        ["1", "d1 0-50", "d4 150-190", "30", "↓1", "40", "↓4"],
        ["2", "d3 0-80", "d1 0-50", "0", "↓1", "30", "↑1"],
        ["3", "d2 0-20", "d3 0-10", "20", "new", "0", "↑1"],
        ["4", "d1 55-75", "10", "new"],
        ["5", "d4 100-160", "10", "↑4"],
    ]
    assert "      150      5      1  [zzzzzzzzzz]\n      160             1  [zz" in out
    found = as_json(world, "--topic", "1", "--against", "yours.fol")
    assert list(found["segments"][0])[-2:] == ["against_kind", "against_rank"]
    assert found["shared"] == [
        {"topic": "1", "doc": "d1", "both": 30, "only": 10, "only_against": 0, "neither": 0},
        {"topic": "1", "doc": "d3", "both": 0, "only": 0, "only_against": 0, "neither": 0},
        {"topic": "1", "doc": "d2", "both": 0, "only": 20, "only_against": 0, "neither": 0},
        {"topic": "1", "doc": "d4", "both": 10, "only": 0, "only_against": 30, "neither": 0},
    ]
    assert "Found by both 10, only by mine 0, only by yours 30, by none 0." in flowing
    moved = [(row["run"], row["rank"], row["against_rank"]) for row in found["results"]]
    assert moved == [
        ("mine", 1, 2), ("mine", 2, 3), ("mine", 3, None), ("mine", 4, None), ("mine", 5, 1),
        ("yours", 1, 5), ("yours", 2, 1), ("yours", 3, 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("one", "two", "told"),
    [
        (["d1 0 90"], ["d1 0 75"], "40 characters, but one returns 90 to read and two 75 (AiP"),
        (["d3 0 9", "d1 0 50"], ["d1 0 50", "d3 0 9"],
         "30 characters, and both return 59 to read, but not in the same order or the same places (AiP"),
        (["d1 0 50"], ["d1 0 50"], None),
        (["d1 0 50"], ["d1 0 35"], None),
    ],
    ids=["more to read", "another order", "same results", "other text"],
)  # fmt: skip
def test_what_differs_between_runs_that_find_the_same_text_is_told(
    world: Path, one: list[str], two: list[str], told: str | None
) -> None:
    for name, parts in (("one", one), ("two", two)):
        lines = [
            f"1 Q0 {doc} {rank} {9 - rank} {name} {at} {size}\n"
            for rank, (doc, at, size) in enumerate(map(str.split, parts), 1)
        ]
        (world / f"{name}.fol").write_text("".join(lines))
    words = ["--topic", "1", "--against", "two.fol"]
    out = " ".join(explained(world, *words, run="one.fol").out.split())
    values = re.findall(r"AiP is (0\.\d{4})\.", out)
    said = re.findall(r"Both find the same ([^)]*\))", out)
    assert said == ([] if told is None else [f"{told} {values[0]} and {values[1]})"])


def test_ranks_at_which_neither_run_finds_anything_are_skipped(world: Path) -> None:
    for name in ("one", "two"):
        lines = [f"1 Q0 d3 {rank} {99 - rank} {name} {rank} 1\n" for rank in range(1, 8)]
        (world / f"{name}.fol").write_text("".join([*lines, f"1 Q0 d2 8 9.0 {name} 0 20\n"]))
    out = explained(world, "--topic", "1", "--against", "two.fol", run="one.fol").out
    assert re.search(r"⋯ +14 results skipped\n8 +d2 0-20 +d2 0-20 +20 +=", out)


def test_the_five_topics_that_differ_most_are_named(tmp_path: Path) -> None:
    small_world.write(tmp_path)
    answer = explained(tmp_path, "--against", "delta.fol", run="echo.fol")
    assert "The 5 topics that differ most" in answer.out
    shown = re.findall(r"^(\d+) +(0\.\d+) +(0\.\d+) +(-?0\.\d+)", answer.out, re.MULTILINE)
    values = small_world.topic_values(tmp_path, "AiP")
    gaps = {
        topic: values["echo", "AiP"][topic] - values["delta", "AiP"][topic]
        for topic in small_world.TOPICS
    }
    worst = sorted(gaps, key=lambda topic: -abs(gaps[topic]))[:5]
    assert [row[0] for row in shown] == worst
    assert [row[3] for row in shown] == [f"{gaps[topic]:.4f}" for topic in worst]
    found = as_json(tmp_path, "--against", "delta.fol", run="echo.fol")
    assert [row["topic"] for row in found["differences"]][:5] == worst
    assert list(found["differences"][0]) == [
        "topic", "value", "against", "difference", "found", "against_found",
    ]  # fmt: skip


def test_titles_of_topics_are_shown(world: Path) -> None:
    (world / "topics.tsv").write_text("1\tstring theory\n2\tother things\n")
    out = explained(world, "--topics-file", "topics.tsv").out
    assert re.search(r"^1 +string theory +0\.3191", out, re.MULTILINE)
    close = explained(world, "--topics-file", "topics.tsv", "--topic", "1").out
    assert close.startswith("mine: topic 1, string theory\n")


@pytest.mark.parametrize(
    ("words", "told", "code"),
    [
        (["--topic", "11"], "topic '11' is not judged; did you mean '1'? (judged: 1, 2, 3)", 2),
        (["--topic", "3"], "topic '3' has nothing relevant", 2),
        (["--topic", "1", "--only", "2"], "topic '1' is not chosen (chosen: 2)", 2),
        (["--doc", "d1"], "give --topic as well as --doc", 2),
        (["--topic", "1", "--doc", "d11"], "document 'd11' is neither returned nor judged for topic '1'; did you mean 'd1'?", 2),
        (["-m", "AiP", "-m", "AgP"], "topics are sorted by one measure: give one -m, or none", 2),
        (["--to", "trec"], "--to must be", 2),
        (["yours.fol"], "explain takes one run, but got 'yours.fol' as well: to compare with it, give --against yours.fol", 2),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_is_refused(
    world: Path, words: list[str], told: str, code: int
) -> None:
    answer = foveal("explain", "q.qrels", "mine.fol", *words, folder=world)
    assert answer.code == code
    assert told in " ".join(answer.err.split())
    assert not answer.out


def test_judgements_without_highlights_are_refused(world: Path) -> None:
    (world / "plain.qrels").write_text("1 0 d1 1\n")
    answer = foveal("explain", "plain.qrels", "mine.fol", folder=world)
    assert answer.code == 65
    assert "highlights" in answer.err


def test_documents_without_texts_are_told_and_shown_without(world: Path) -> None:
    (world / "docs" / "d2.txt").unlink()
    (world / "docs" / "d3.txt").unlink()
    answer = explained(world, "--topic", "1", "--docs", "docs")
    note = "note: 2 documents are not among the texts of docs, first 'd3': shown without text"
    assert note in answer.err
    assert "(80 characters)" in answer.out
    assert "(Lorem ipsu)" in answer.out
    assert note[6:] in as_json(world, "--topic", "1", "--docs", "docs")["notes"]


def test_a_text_that_is_too_short_for_its_offsets_is_told(world: Path) -> None:
    (world / "docs" / "d4.txt").write_text("z" * 165)
    answer = explained(world, "--topic", "1", "--doc", "d4", "--docs", "docs")
    assert "165 characters, not 200" in answer.err
    assert "{zzzzz}" in answer.out
    assert "10 characters beyond the text\n" in answer.out


def test_a_result_beyond_the_end_of_its_text_is_refused(world: Path) -> None:
    (world / "docs" / "d4.txt").write_text("z" * 155)
    words = ("explain", "q.qrels", "mine.fol", "--topic", "1", "--docs", "docs")
    refused = foveal(*words, folder=world)
    assert refused.code == 65
    assert "the part ends at 160, but document 'd4' at 155" in refused.err


def test_an_unmapped_element_is_wasted_but_nowhere(world: Path) -> None:
    (world / "odd.fol").write_text(
        "1 Q0 d1 1 5.0 odd X X\n1 Q0 d1 2 4.0 odd 10 0\n1 Q0 d2 3 3.0 odd 0 50\n"
    )
    found = as_json(world, "--topic", "1", "--docs", "docs", run="odd.fol")
    rows = {row["doc"]: row for row in found["documents"]}
    assert (rows["d1"]["found"], rows["d1"]["wasted"]) == (0, 18)
    assert [row["kind"] for row in found["segments"] if row["doc"] == "d1"] == [
        "other", "missed", "other", "missed", "other",
    ]  # fmt: skip
    assert (rows["d2"]["found"], rows["d2"]["wasted"]) == (20, 30)
    out = explained(world, "--topic", "1", "--doc", "d1", run="odd.fol").out
    assert "bep(d) = 0: the place of the first part is unknown" in out


def test_whole_documents_of_unknown_length_leave_numbers_blank(world: Path) -> None:
    (world / "long.run").write_text("1 Q0 d9 1 5.0 long\n1 Q0 d1 2 4.0 long\n")
    found = as_json(world, "--topic", "1", "-m", "charR", run="long.run")
    d9, d1 = found["documents"][:2]
    assert (d9["wasted"], d9["size"], d1["wasted"]) == (None, None, 60)
    assert [row["R"] for row in found["results"]] == [0.0, 0.4]
    assert [row["P"] for row in found["results"]] == [None, None]
    out = explained(world, "--topic", "1", "-m", "charR", run="long.run").out
    assert "wasted is unknown" in " ".join(out.split("Of 4 passages")[0].split())
    assert "d9\nrank 1, 1 result: 0 found, 0 missed, unknown wasted.\n" in out


def test_dropped_results_are_told(world: Path) -> None:
    (world / "twice.fol").write_text("1 Q0 d1 1 5.0 two 0 50\n1 Q0 d1 2 4.0 two 40 20\n")
    words = ("--topic", "1", "--overlap", "drop")
    assert (
        "1 result left out, which overlaps an earlier one"
        in explained(world, *words, run="twice.fol").err
    )
    assert len(as_json(world, *words, run="twice.fol")["results"]) == 1


def test_element_paths_are_shown_through_the_index(tmp_path: Path) -> None:
    small_world.write_articles(tmp_path)
    (tmp_path / "mine.inex").write_text(
        "1 Q0 d1 1 3 mine /a[1]/p[1]\n1 Q0 d2 2 2 mine /a[1]\n1 Q0 d1 3 1 mine /a[1]/p[2]/b[1]\n"
    )
    words = ["explain", "xml.qrels", "mine.inex", "--elements", "INDEX", "--docs", "articles"]
    out = small_world.called(tmp_path, *words, "--topic", "1").out
    assert "        1      1  [12]\n        3         {34}\n        5      3  (5)\n" in out


def test_official_conventions_fill_in_their_own_formulas(world: Path) -> None:
    answer = explained(world, "--topic", "1", "--doc", "d1", "--like", "inex_eval")
    out = " ".join(answer.out.split())
    filled = "(1 + 0.25²)·40 / (70 + 0.25²·40) = 0.5862"
    assert f"(1 + β²)·P·R / (β²·P + R) = (1 + β²)·rsize / (size + β²·Trel(d)) = {filled}" in out
    assert "bep(d) = max(0, (n - |x - b|) / n) = max(0, (500 - |0 - 10|) / 500) = 0.9800" in out


@pytest.mark.parametrize(
    ("count", "told"), [(21, "1 more result left out"), (22, "2 more results left out")]
)
def test_results_that_are_left_out_are_counted(world: Path, count: int, told: str) -> None:
    lines = [f"1 Q0 d1 {rank} {99 - rank} many {rank} 1\n" for rank in range(1, count + 1)]
    (world / "many.fol").write_text("".join(lines))
    out = explained(world, "--topic", "1", "--doc", "d1", run="many.fol").out
    assert f"\n{told}; --to json has them all.\n" in out


def test_many_documents_are_left_out_but_relevant_ones_stay(world: Path) -> None:
    lines = [f"1 Q0 x{rank:02} {rank} {99 - rank} many 0 5\n" for rank in range(1, 31)]
    (world / "many.fol").write_text("".join([*lines, "1 Q0 d2 31 1.0 many 0 20\n"]))
    out = explained(world, "--topic", "1", run="many.fol").out
    assert "23 more documents left out; look at one with --doc" in out
    shown = re.findall(r"^(?:x\d\d|d\d)$", out, re.MULTILINE)
    assert shown == [*(f"x{rank:02}" for rank in range(1, 8)), "d2", "d1", "d4"]
    assert len(as_json(world, "--topic", "1", run="many.fol")["documents"]) == 33


HOSTILE = '<script>alert("1")</script>&\u202e\u0007'


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A world whose every name and text is an attack."""
    long = "n" * 10_000
    text = "\x1b[31mred\x1b]0;title\x07 </mark></div><script>alert(2)</script>\u202e\r\n\x00 end"
    judged = {"topic": HOSTILE, "doc": HOSTILE, "length": len(text), "highlights": [[0, 30]]}
    other = {"topic": HOSTILE, "doc": long, "length": 9, "highlights": [[1, 2]]}
    (tmp_path / "q.jsonl").write_text(f"{json.dumps(judged)}\n{json.dumps(other)}\n")
    result = {"topic": HOSTILE, "doc": HOSTILE, "start": 3, "end": 50, "tag": HOSTILE}
    (tmp_path / "r.jsonl").write_text(f"{json.dumps(result)}\n")
    (tmp_path / "s.jsonl").write_text(f"{json.dumps({**result, 'tag': long, 'start': 0})}\n")
    (tmp_path / "t.jsonl").write_text(json.dumps({"topic": HOSTILE, "title": HOSTILE}) + "\n")
    (tmp_path / "docs.jsonl").write_text(json.dumps({"doc": HOSTILE, "text": text}) + "\n")
    return tmp_path


HOSTILE_WORDS = (
    *("explain", "q.jsonl", "r.jsonl", "--topic", HOSTILE, "--docs", "docs.jsonl"),
    *("--against", "s.jsonl", "--topics-file", "t.jsonl"),
)


def test_nothing_in_a_name_or_text_reaches_the_terminal_raw(hostile: Path) -> None:
    for words in (HOSTILE_WORDS, ("explain", "q.jsonl", "r.jsonl", "--topics-file", "t.jsonl")):
        answer = foveal(*words, folder=hostile)
        assert answer.code == 0, answer.err
        assert all(sign.isprintable() or sign == "\n" for sign in answer.out + answer.err)
        assert max(map(len, answer.out.splitlines())) < 1000


def test_no_name_reaches_the_terminal_raw_in_an_error(hostile: Path) -> None:
    asked = (["--topic", "t\x1b[31m"], ["--topic", HOSTILE, "--doc", "d\x1b[31m"])
    for words in asked:
        answer = foveal("explain", "q.jsonl", "r.jsonl", *words, folder=hostile)
        assert answer.code == 2
        assert all(sign.isprintable() or sign == "\n" for sign in answer.err)


class Shape(HTMLParser):
    """The tags and ids of a page, and the text between tags."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.ids += [value or "" for name, value in attrs if name == "id"]
        assert not [name for name, _ in attrs if name.startswith("on") or name in {"src", "style"}]
        links = [value or "" for name, value in attrs if name == "href"]
        assert all(link.startswith("#") for link in links)

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.mark.parametrize("overview", [False, True])
def test_a_page_is_markup_of_our_own_only(hostile: Path, overview: bool) -> None:
    words = HOSTILE_WORDS[:3] if overview else HOSTILE_WORDS
    answer = foveal(*words, "-o", "page.html", folder=hostile)
    assert answer.code == 0, answer.err
    page = (hostile / "page.html").read_text()
    shape = Shape(page)
    assert not {"script", "iframe", "object", "img", "link", "form"} & set(shape.tags)
    assert len(shape.ids) == len(set(shape.ids))
    assert '<script>alert("1")</script>&\N{REPLACEMENT CHARACTER}' in shape.words
    for sign in ("\u202e", "\x07", "\x1b", "\x00"):
        assert sign not in page
    (style,) = re.findall("<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src &#39;none&#39;; style-src &#39;sha256-{digest}&#39;" in page
    assert page.count("n" * 81) == 0


def test_a_page_says_what_its_colours_say(world: Path) -> None:
    explained(world, "--topic", "1", "--docs", "docs", "-o", "page.html")
    page = (world / "page.html").read_text()
    assert (
        '<mark class="found"><span class="hidden">[found at rank 1: </span><sup aria-hidden="true">1'
        '</sup>m dolor sit amet, consectetur <span class="hidden">]</span></mark>' in page
    )
    assert page.count('<mark class="missed"><span class="hidden">[missed: </span>z') == 1
    shape = Shape(page)
    assert shape.tags.count("svg") == 4
    for number in ("0.7273", "0.2857", "AiP is 0.3191."):
        assert number in shape.words
    explained(world, "--topic", "1", "--docs", "docs", "-o", "again.html")
    assert page == (world / "again.html").read_text()


def test_a_page_of_two_runs_tells_who_found_what(world: Path) -> None:
    explained(world, "--topic", "1", "--docs", "docs", "--against", "yours.fol", "-o", "page.html")
    page = (world / "page.html").read_text()
    words = '<mark class="{}"><span class="hidden">[{}: </span>'
    assert words.format("second", "found by yours at rank 1") in page
    assert words.format("first", "found by mine at rank 3") in page
    assert words.format("found", "found by mine at rank 1 and by yours at rank 2") in page


def test_long_text_in_which_nothing_happens_is_folded(world: Path) -> None:
    (world / "long.qrels").write_text("1 Q0 big 10 9000 4000 4000:10\n")
    (world / "big.fol").write_text("1 Q0 big 1 5.0 big 4000 20\n")
    (world / "docs" / "big.txt").write_text("word " * 1800)
    words = ("explain", "long.qrels", "big.fol", "--topic", "1", "--docs", "docs")
    out = foveal(*words, folder=world).out
    assert "… 3,880 characters …" in out
    assert "… 4,860 characters …" in out
    foveal(*words, "-o", "page.html", folder=world)
    page = (world / "page.html").read_text()
    assert "<details><summary>… 3,880 characters …</summary>word " in page
    assert Shape(page).words.count("word ") == 1800


def test_colours_are_for_terminals_that_want_them(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foveal.cli.explain._has_colours", lambda: True)
    out = explained(world, "--topic", "1", "--docs", "docs").out
    assert "\x1b[32m[m dolor sit amet, consectetur ]\x1b[0m" in out
    assert "\x1b[1;33m{zzz" in out
    assert re.sub(r"\x1b\[[\d;]*m", "", out).count("\x1b") == 0
    monkeypatch.undo()
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    from foveal.cli import explain  # noqa: PLC0415  # the command is loaded late

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert explain._has_colours()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not explain._has_colours()
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not explain._has_colours()


def test_help_has_examples_that_say_what_they_do() -> None:
    text = foveal("explain", "--help").out
    assert "Examples:" in text
    assert "the five topics that differ most" in text


def test_the_worst_topics_come_first_where_less_is_better(world: Path) -> None:
    (world / "late.fol").write_text(
        "1 Q0 d1 1 1 late 0 9\n2 Q0 d3 1 2 late 0 9\n2 Q0 d1 2 1 late 5 9\n"
    )
    out = explained(world, "-m", "ESL(rels=1)", "--only", "1,2", run="late.fol").out
    assert re.findall(r"^(\d) +(\d\S+)", out, re.MULTILINE) == [("2", "1.0000"), ("1", "0.0000")]


def test_what_cannot_be_counted_is_not_called_nothing(world: Path) -> None:
    (world / "whole.trec").write_text("1 Q0 d1 1 2 whole\n1 Q0 unjudged 2 1 whole\n")
    words = ["-m", "AP", "--only", "1"]
    out = " ".join(explained(world, *words, run="whole.trec").out.split())
    assert (
        "60 missed; how many are wasted is unknown: it needs the length of every document." in out
    )
    explained(world, *words, "-o", "page.html", run="whole.trec")
    page = (world / "page.html").read_text(encoding="utf-8")
    assert 'aria-label="40 found, 60 missed, wasted unknown"' in page


def test_topics_that_do_not_differ_are_not_among_those_that_differ_most(world: Path) -> None:
    same = explained(world, "--against", "mine.fol").out
    assert "No topic differs by AiP\n\nLook at one" in same
    assert "differ most" not in same
    lines = (world / "mine.fol").read_text().splitlines(keepends=True)
    (world / "less.fol").write_text(
        "".join(line for line in lines if not line.startswith("1 Q0 d4"))
    )
    other = explained(world, "--against", "less.fol")
    assert "The 1 topic that differs most\n" in other.out
    assert len(re.findall(r"^\d  .*0\.\d", other.out, re.MULTILINE)) == 1


def test_a_note_about_one_topic_names_only_its_documents(world: Path) -> None:
    (world / "elsewhere.fol").write_text("1 Q0 d1 1 1 mine 0 50\n2 Q0 d4 1 1 mine 0 9\n")
    err = " ".join(explained(world, "--topic", "2", run="elsewhere.fol").err.split())
    assert "none of its documents (d4) is judged for its topic (judged are d1): they are" in err


def test_a_stretch_that_goes_beyond_the_text_says_how_far(world: Path) -> None:
    (world / "docs" / "d1.txt").write_text(TEXT["d1"][:65])
    words = ["--topic", "1", "--doc", "d1", "--docs", "docs"]
    (world / "some.fol").write_text("1 Q0 d1 1 1 some 0 50\n")
    out = explained(world, *words, run="some.fol").out
    assert f"       60         {{{TEXT['d1'][60:65]}}}\n" in out
    assert "       65         {5 characters beyond the text}\n" in out
    explained(world, *words, "-o", "page.html", run="some.fol")
    assert "5 characters beyond the text" in (world / "page.html").read_text(encoding="utf-8")


def test_chunks_are_explained_in_the_words_of_task_rag(tmp_path: Path) -> None:
    docs = [*(f"d{number}" for number in range(1, 8)), "late"]
    tables: dict[str, list[dict[str, Any]]] = {
        "gold": [{"topic": "1", "doc": doc, "start": 0, "end": 5} for doc in ("late", "lost")],
        "hits": [{"topic": "1", "doc": doc, "start": 0, "end": 9} for doc in docs],
    }
    for name, rows in tables.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["explain", "gold.jsonl", "hits.jsonl", "--task", "rag", "--topic", "1"]
    out = foveal(*words, "-m", "recall@5", folder=tmp_path).out
    assert "- lost at 0 to 5: missed: no chunk of this document was returned" in out
    assert "- late at 0 to 5: found, but only at rank 8, beyond the cut-off of recall@5" in out
    table = out[out.index("document rank") :].splitlines()
    assert [row.split()[0] for row in table[2:5]] == ["late", "lost", "d1"]
    assert "document rank 8, 1 result: 5 found" in out
