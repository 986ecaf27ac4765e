from __future__ import annotations

from pathlib import Path

import pytest

from foveal.errors import BadInput
from foveal.formats import read_participants


def test_each_run_has_its_participant(tmp_path: Path) -> None:
    table = tmp_path / "who.txt"
    table.write_text("# who sent what\nrun1 waterloo\nrun2\tisi\n\nrun3 waterloo\n")
    assert read_participants(table) == {"run1": "waterloo", "run2": "isi", "run3": "waterloo"}


def test_lines_that_say_too_little_or_contradict_are_told(tmp_path: Path) -> None:
    table = tmp_path / "who.txt"
    table.write_text("run1 waterloo\nrun2\nrun1 isi\n")
    with pytest.raises(BadInput) as refused:
        read_participants(table)
    assert [problem.line for problem in refused.value.problems] == [2, 3]
