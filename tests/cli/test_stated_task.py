"""The task that a submission states is the one it is scored, checked and repaired for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import foveal as library
from foveal.errors import UsageError
from tests.cli.calling import foveal

SUBMISSION = """\
<inex-submission run-id="{name}" task="{task}"><topic topic-id="1">
<result><file>d1</file><fol offset="0" length="50"/><rank>1</rank></result>
<result><file>d2</file><fol offset="0" length="20"/><rank>2</rank></result>
<result><file>d1</file><fol offset="55" length="20"/><rank>3</rank></result>
</topic></inex-submission>
"""


@pytest.fixture
def stated(folder: Path) -> Path:
    """The folder with submissions that state several tasks."""
    for name, task in (("ric", "RelevantInContext"), ("focused", "CO.Focussed"), ("odd", "Odd")):
        (folder / f"{name}.xml").write_text(SUBMISSION.format(name=name, task=task))
    return folder


def settings(folder: Path, *words: str) -> dict[str, str]:
    answer = foveal("evaluate", "q.qrels", *words, "--to", "json", folder=folder)
    assert answer.code == 0, answer.err
    found: dict[str, str] = json.loads(answer.out)["settings"]
    return found


def test_the_stated_task_is_the_default_and_is_reported(stated: Path) -> None:
    as_stated = foveal("evaluate", "q.qrels", "ric.xml", folder=stated)
    assert as_stated.err.startswith("task: ric (stated by the run); ")
    asked = foveal("evaluate", "q.qrels", "ric.xml", "--task", "ric", folder=stated)
    assert as_stated.out == asked.out
    assert asked.err.startswith("task: ric; ")
    assert "states task" not in as_stated.err


def test_some_runs_may_state_no_task(stated: Path) -> None:
    found = settings(stated, "ric.xml", "mine.fol")
    assert found["task"] == "ric (stated by 1 of 2 runs)"
    assert settings(stated, "mine.fol")["task"] == "focused"


def test_the_option_wins_and_a_note_says_so(stated: Path) -> None:
    answer = foveal("evaluate", "q.qrels", "ric.xml", "--task", "focused", folder=stated)
    assert answer.err.startswith("task: focused; ")
    assert (
        "note: ric.xml: states task 'RelevantInContext' (ric) but is scored as focused;"
        " --task ric scores it as stated\n" in answer.err
    )


def test_different_tasks_are_refused_without_the_option(stated: Path) -> None:
    words = ["evaluate", "q.qrels", "ric.xml", "focused.xml"]
    answer = foveal(*words, folder=stated)
    assert answer.code == 2
    assert "choose a task with --task" in answer.err
    assert "ric.xml ric, focused.xml focused" in answer.err
    assert foveal(*words, "--task", "ric", folder=stated).code == 0


def test_an_unknown_task_is_named_in_a_note(stated: Path) -> None:
    answer = foveal("evaluate", "q.qrels", "odd.xml", folder=stated)
    assert "odd.xml: states task 'Odd', which is unknown; scored as focused" in answer.err


def test_standard_input_is_not_looked_into_but_noted(stated: Path) -> None:
    data = (stated / "ric.xml").read_bytes()
    answer = foveal("evaluate", "q.qrels", "-", stdin=data, folder=stated)
    assert answer.err.startswith("task: focused; ")
    assert "<stdin>: states task 'RelevantInContext' (ric)" in answer.err


def test_judgements_of_documents_leave_no_other_task(stated: Path) -> None:
    (stated / "trec.qrels").write_text("1 0 d1 1\n")
    (stated / "whole.xml").write_text(
        '<inex-submission task="Focused"><topic topic-id="1"><result><file>d1</file></result>'
        "</topic></inex-submission>"
    )
    answer = foveal("evaluate", "trec.qrels", "whole.xml", folder=stated)
    assert answer.err.startswith("task: document; ")
    assert "(focused) but is scored as document" in answer.err


def test_check_and_repair_take_the_stated_task(stated: Path) -> None:
    answer = foveal("check", "ric.xml", folder=stated)
    assert "[scattered-document]" in answer.out
    assert answer.err == "task: ric (stated by the run)\n"
    other = foveal("check", "ric.xml", "--task", "focused", folder=stated)
    assert other.err == "task: focused (the run states 'RelevantInContext')\n"
    repaired = foveal("check", "--fix", "ric.xml", "-o", "fixed.xml", folder=stated)
    assert "task ric (stated by the run)" in repaired.out
    assert 'task="RelevantInContext"' in (stated / "fixed.xml").read_text()


def test_the_library_takes_the_stated_task(stated: Path) -> None:
    qrels = library.read_qrels(stated / "q.qrels")
    runs = [library.read_run(stated / f"{name}.xml") for name in ("ric", "focused")]
    assert library.evaluate(qrels, runs[:1]).settings["task"] == "ric (stated by the run)"
    with pytest.raises(UsageError, match="state different ones"):
        library.evaluate(qrels, runs)
