from __future__ import annotations

import json
from pathlib import Path

from tests.cli.calling import foveal


def test_a_clean_run_passes(folder: Path) -> None:
    answer = foveal("check", "mine.fol", "--task", "thorough", folder=folder)
    assert answer.code == 0
    assert answer.out == "nothing found\n"


def test_errors_are_listed_with_file_and_line_and_set_the_exit_code(folder: Path) -> None:
    answer = foveal("check", "mine.fol", "--task", "ric", folder=folder)
    assert answer.code == 65
    assert "mine.fol:4: error: " in answer.out


def test_unreadable_lines_are_findings(folder: Path) -> None:
    (folder / "bad.fol").write_text("1 Q0 d1 1 x mine 0 50\n1 Q0 d1 1 2 mine 0 y\n")
    answer = foveal("check", "bad.fol", "--to", "json", folder=folder)
    assert answer.code == 65
    found = json.loads(answer.out)["findings"]
    assert [(row["severity"], row["line"]) for row in found] == [("error", 1), ("error", 2)]
    assert set(found[0]) == {"severity", "rule", "file", "line", "message"}


def test_what_the_reader_notes_is_shown(folder: Path) -> None:
    (folder / "odd.csv").write_text("topic,doc,position\n1,d1,5\n")
    answer = foveal("check", "odd.csv", folder=folder)
    assert answer.code == 0
    assert "note: ignored column 'position': rename it to 'rank'?\n" in answer.err


def test_judgements_add_missing_and_extra_topics(folder: Path) -> None:
    answer = foveal("check", "mine.fol", "--qrels", "q.qrels", "--task", "thorough", folder=folder)
    assert answer.code == 0
    assert "[missing-topics]" in answer.out


def test_topics_find_a_topic_that_was_never_given_out(folder: Path) -> None:
    text = (folder / "mine.fol").read_text()
    topics = dict.fromkeys(line.split()[0] for line in text.splitlines())
    (folder / "topics.tsv").write_text(
        "topic\ttitle\n" + "".join(f"{own}\twhy\n" for own in topics)
    )
    (folder / "wrong.fol").write_text(text.replace(f"{next(iter(topics))} Q0", "999 Q0"))
    words = ("--topics-file", "topics.tsv", "--task", "thorough")
    assert foveal("check", "mine.fol", *words, folder=folder).out == "nothing found\n"
    answer = foveal("check", "wrong.fol", *words, folder=folder)
    assert answer.code == 65
    assert "wrong.fol:1: error: topic '999' is not among the" in answer.out
    assert "wrong.fol: warning: 1 topic without results: 1 [missing-topics]" in answer.out


def test_several_runs_have_a_summary_each(folder: Path) -> None:
    (folder / "bad.fol").write_text("1 Q0 d1 1 x mine 0 50\n")
    (folder / "odd.csv").write_text("topic,doc,start,end,position\n1,d1,0,5,5\n")
    answer = foveal("check", "mine.fol", "bad.fol", "odd.csv", "--task", "thorough", folder=folder)
    assert answer.code == 65
    first, *summaries = answer.out.splitlines()
    assert first.startswith("bad.fol:1: error: score is 'x'")
    assert summaries == [
        "mine.fol: nothing found",
        "bad.fol: 1 error",
        "odd.csv: nothing found",
        "3 runs, 1 with errors",
    ]
    assert "note: odd.csv: ignored column 'position': rename it to 'rank'?\n" in answer.err
    assert answer.err.startswith("task: thorough\n")
    one = foveal("check", "bad.fol", "--task", "thorough", folder=folder)
    assert one.out == f"{first}\n1 error\n"


def test_several_clean_runs_pass(folder: Path) -> None:
    (folder / "copy.fol").write_text((folder / "mine.fol").read_text())
    answer = foveal("check", "mine.fol", "copy.fol", "--task", "thorough", folder=folder)
    assert answer.code == 0
    assert answer.out.splitlines()[-1] == "2 runs, 0 with errors"


def test_findings_of_several_runs_are_one_list(folder: Path) -> None:
    (folder / "bad.fol").write_text("1 Q0 d1 1 x mine 0 50\n")
    answer = foveal("check", "bad.fol", "mine.fol", "--task", "ric", "--to", "json", folder=folder)
    assert answer.code == 65
    found = json.loads(answer.out)["findings"]
    assert list(dict.fromkeys(row["file"] for row in found)) == ["bad.fol", "mine.fol"]


def test_standard_input_is_checked_once(folder: Path) -> None:
    for words in (["-", "-"], ["mine.fol", "-", "--qrels", "-"]):
        answer = foveal("check", *words, folder=folder)
        assert (answer.code, "can be read only once" in answer.err) == (2, True)
