from __future__ import annotations

import re
import shlex
import shutil
import sys
from html import unescape
from pathlib import Path

import pytest

from foveal.cli import command_names, main
from foveal.formats import QRELS_FORMATS, RUN_FORMATS, TOPICS_FORMATS
from foveal.measures import REGISTRY
from tests.cli.calling import Answer, foveal


@pytest.mark.parametrize("command", command_names())
def test_every_command_has_help(command: str) -> None:
    answer = foveal(command, "--help")
    assert answer.code == 0
    assert answer.out.startswith(f"Usage: foveal {command}")


def test_the_overview_lists_every_command() -> None:
    answer = foveal("--help")
    assert all(f"  {command} " in answer.out for command in command_names())


def test_every_measure_is_listed() -> None:
    listed = foveal("measures").out
    assert all(f"  {record.name}" in listed for record in REGISTRY.values())
    assert all(record.title in listed for record in REGISTRY.values())


def test_a_measure_is_explained_by_any_of_its_names() -> None:
    by_name, by_alias = foveal("measures", "AiP"), foveal("measures", "MAiP")
    assert by_name.out == by_alias.out
    assert "mean over topics is MAiP" in by_name.out
    assert foveal("measures", "AgP(S=bep)").out.startswith("AgP")


def test_an_unknown_measure_gets_a_suggestion() -> None:
    answer = foveal("measures", "AiPP")
    assert answer.code == 2
    assert "did you mean AiP" in answer.err


def test_every_format_is_listed() -> None:
    listed = foveal("formats").out
    assert all(
        known.sentence in listed
        for formats in (RUN_FORMATS, QRELS_FORMATS, TOPICS_FORMATS)
        for known in formats.values()
    )
    # What they hold is in one column, however long their names are.
    own = [known for formats in (RUN_FORMATS, QRELS_FORMATS) for known in formats.values()]
    found = {
        line.index(text)
        for known in own
        for text in (known.title, known.sentence)
        for line in listed.splitlines()
        if line.endswith(text)
    }
    assert len(found) == 1


@pytest.fixture(scope="module")
def demo_again(
    demo_told: tuple[Path, Answer], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Answer]:
    """A demo written over an older one whose files are spoilt, without the extra `report`."""
    folder = tmp_path_factory.mktemp("again") / "demo"
    shutil.copytree(demo_told[0], folder)
    (folder / "report.html").unlink()
    for path in folder.rglob("*"):
        if path.is_file() and path.name != "README.txt":  # by which an older demo is known
            path.write_bytes(b"spoilt")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "jinja2", None)
        return folder, foveal("demo", "demo", folder=folder.parent)


def test_the_demo_writes_the_same_world_twice_and_scores_it(
    demo_told: tuple[Path, Answer], demo_again: tuple[Path, Answer]
) -> None:
    folder, first = demo_told
    assert first.code == 0, first.err
    assert "parts-sections" in first.out
    assert "shared text with a better ranked one [overlap]" in first.out
    second, again = demo_again
    assert again.code == 0, again.err
    found = [path for path in folder.rglob("*.*") if path.is_file()]
    files = sorted(path.relative_to(folder) for path in found)
    assert len(files) > 300
    assert {file.suffix for file in files if file.parent.name == "runs"} == {
        ".fol",
        ".inex",
        ".jsonl",
        ".xml",
    }
    for file in files:
        if file.name != "report.html":
            assert (folder / file).read_bytes() == (second / file).read_bytes(), file


def test_the_repaired_run_of_the_demo_is_without_errors_and_scores_as_before(
    demo_told: tuple[Path, Answer], tmp_path: Path
) -> None:
    folder, _ = demo_told
    words = ["--elements", "demo.index", "--task", "focused"]
    assert foveal("check", "runs/overlapping.inex", *words, folder=folder).code == 65
    assert foveal("check", "repaired.inex", *words, folder=folder).code == 0
    written = tmp_path / "again.inex"
    again = foveal("check", "--fix", "repaired.inex", "-o", str(written), *words, folder=folder)
    assert again.out.endswith("task focused, nothing to change\n")
    assert written.read_bytes() == (folder / "repaired.inex").read_bytes()
    # Text that was read before counts nowhere, so only the measures of ranks could tell.
    scores = foveal(
        "evaluate", "demo.qrels", "runs/overlapping.inex", "repaired.inex",
        "--elements", "demo.index", "--overlap", "drop", "-m", "AiP", "--to", "csv",
        folder=folder,
    ).out  # fmt: skip
    assert len({line.split(",")[-1] for line in scores.splitlines()[1:]}) == 1


def test_the_demo_shows_why_chunks_are_compared_within_equal_budgets(
    demo_told: tuple[Path, Answer],
) -> None:
    folder, told = demo_told
    rows = re.findall(r"^(large|small) +(0\.\d+).*? (0\.\d+)$", told.out, re.MULTILINE)
    recall, within_2000 = ({run: float(row[at]) for run, *row in rows} for at in (0, 1))
    assert recall["large"] > recall["small"]
    assert within_2000["large"] < within_2000["small"]
    assert "within the same number of them the small chunks find most" in told.out
    readme = (folder / "README.txt").read_text()
    assert all(f"  {path.name}" in readme for path in (folder / "rag").iterdir() if path.is_file())
    run = str(folder / "rag" / "runs" / "overlapping.jsonl")
    checked = foveal("check", run, "--task", "rag", "--docs", str(folder / "rag" / "docs"))
    assert checked.code == 0, checked.out


def test_what_the_demo_suggests_can_be_typed(demo_told: tuple[Path, Answer]) -> None:
    folder, told = demo_told
    lines = told.out.partition("Next:\n")[2].partition("\n\n")[0].splitlines()
    suggested = [shlex.split(line) for line in lines]
    assert len(suggested) == 13
    for program, *words in suggested:
        assert program == "foveal"
        assert foveal(*words, "--help").code == 0
        if {"rag", "pool", "--only", "explain"} & {*words}:
            assert foveal(*words, folder=folder.parent).code == 0


def test_the_demo_explains_a_document_and_ends_with_a_report(
    demo_told: tuple[Path, Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, told = demo_told
    assert "{Visitors to the valley still ask abo}" in told.out
    assert told.out.rstrip().splitlines()[-1].startswith("Open demo/report.html in a browser")
    page = (folder / "report.html").read_text()
    typed = re.search(r"foveal report demo/demo\.qrels [^<]*", page)
    assert typed is not None, "the page says how it was made, not that a demo made it"
    words = shlex.split(unescape(typed[0]))
    monkeypatch.setattr(sys, "argv", words)
    assert foveal(*words[1:], folder=folder.parent).code == 0
    assert (folder / "report.html").read_text() == page
    assert (
        "No single winner: passages-good, elements-good and parts-sections share the top (AiP 0.433"
        " to 0.490)"
    ) in page
    assert "ideal" not in page


def test_the_demo_goes_on_without_the_extra_that_draws_pages(
    demo_again: tuple[Path, Answer],
) -> None:
    folder, answer = demo_again
    assert answer.code == 0, answer.err
    assert 'There is no report: this needs jinja2: pip install "foveal[report]"' in answer.out
    assert "Next:\n" in answer.out
    assert "report.html in a browser" not in answer.out
    assert not (folder / "report.html").exists()


def test_the_demo_leaves_other_folders_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    answer = foveal("demo", "mine", folder=tmp_path)
    assert answer.code == 2
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_a_bug_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_: object) -> str:
        raise RuntimeError("boom")

    monkeypatch.setattr("foveal.rendering.listed_measures", broken)
    with pytest.raises(SystemExit) as left:
        main(["measures"])
    assert left.value.code == 70
    assert "a bug in foveal: RuntimeError: boom" in capsys.readouterr().err


def test_a_command_that_is_none_gets_a_suggestion() -> None:
    answer = foveal("evalute")
    assert answer.code == 2
    assert "No such command 'evalute'. Did you mean evaluate?" in answer.err
    assert "mean" not in foveal("xyzzy").err
