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
