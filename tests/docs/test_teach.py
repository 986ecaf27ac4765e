"""The exercises: every task has a solution, which folds, and which a handout is without."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from tools.pages import DOCS, ROOT

README = DOCS / "teach" / "README.md"
EXERCISES = sorted(set((DOCS / "teach").glob("*.md")) - {README})
TASK = re.compile(r"^\*\*Task (\d+)(?:\.\*\*|\*\* )", re.MULTILINE)
# GitHub and the site render Markdown between the tags if blank lines are around it.
SOLUTION = re.compile(
    r'^<details markdown="1"><summary>Solution</summary>\n\n.*?\n\n</details>\n\n',
    re.DOTALL | re.MULTILINE,
)
every_exercise = pytest.mark.parametrize("page", EXERCISES, ids=lambda page: page.stem)


@every_exercise
def test_every_task_has_one_solution(page: Path) -> None:
    _, _, tasks = page.read_text(encoding="utf-8").partition("\n## Tasks\n")
    numbers = [int(number) for number in TASK.findall(tasks)]
    assert numbers == list(range(1, len(numbers) + 1))
    for text in TASK.split(tasks)[2::2]:
        assert len(SOLUTION.findall(text)) == text.count("<details") == 1, text[:80]


@every_exercise
def test_the_command_for_lecturers_takes_out_the_solutions_alone(page: Path) -> None:
    typed = re.search(r"`(sed .+?) docs/teach/\S+`", README.read_text(encoding="utf-8"))
    assert typed is not None
    command = [*shlex.split(typed[1]), str(page.relative_to(ROOT))]
    handout = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    expected = SOLUTION.sub("", page.read_text(encoding="utf-8")).split()
    assert handout.stdout.split() == expected


def test_every_exercise_is_in_the_table_for_lecturers() -> None:
    linked = re.findall(r"^\| \[.+?\]\((.+?)\)", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert linked == [page.name for page in EXERCISES]
