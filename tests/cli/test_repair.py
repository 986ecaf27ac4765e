from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import Answer, foveal


def repair(folder: Path, *words: str) -> Answer:
    return foveal("check", "--fix", *words, folder=folder)


def test_the_old_word_does_the_same_and_is_shown_nowhere(folder: Path) -> None:
    words = ("mine.fol", "-o", "fixed.fol", "--task", "ric")
    new = repair(folder, *words)
    written = (folder / "fixed.fol").read_bytes()
    (folder / "fixed.fol").unlink()
    assert foveal("repair", *words, folder=folder) == new
    assert (folder / "fixed.fol").read_bytes() == written
    assert "repair" not in foveal("--help", folder=folder).out
    assert "Did you mean check --fix?" in foveal("repai", folder=folder).err
    assert "No such command 'repair'" in foveal("assess", "repair", folder=folder).err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("mine.fol", "--fix"), "name one RUN, and the copy with -o FILE"),
        (("mine.fol", "other.fol", "--fix", "-o", "a.fol"), "name one RUN"),
        (("mine.fol", "--fix", "-o", "a.fol", "--qrels", "x"), "--qrels does not apply to --fix"),
        (("mine.fol", "--fix", "-o", "a.fol", "--to", "csv"), "--to does not apply to --fix"),
        (("mine.fol", "--fix", "-o", "a.fol", "--topics-file", "x"), "--topics-file does not"),
        (("mine.fol", "--keep", "better"), "--keep needs --fix"),
        (("mine.fol", "--characters", "9"), "--characters needs --fix"),
        (("mine.fol", "--fix", "-o", "a.fol", "--within", "reading"), "No such option '--within'"),
    ],
)
def test_what_means_nothing_is_refused(words: tuple[str, ...], reason: str, folder: Path) -> None:
    answer = foveal("check", *words, folder=folder)
    assert answer.code == 2
    assert reason in answer.err
    assert not (folder / "a.fol").exists()


def test_the_name_of_the_copy_tells_nothing_of_its_form(folder: Path) -> None:
    assert repair(folder, "mine.fol", "-o", "fixed.csv").code == 0
    first = (folder / "fixed.csv").read_text().splitlines()[0]
    assert first.split()[1] == "Q0"


def test_every_kind_of_change_is_counted_and_explained(collection: Path) -> None:
    answer = repair(collection, "mine.inex", "-o", "fixed.inex", "--elements", "INDEX")
    assert answer.out == (
        "1 result with a path written out in full [paths]\n"
        "1 result removed that shared text with a better ranked one [overlap]\n"
        "1 result with a new rank: ranks count from 1 [ranks]\n"
        "fixed.inex: 2 of 3 results, format inex, task focused\n"
    )
    assert (collection / "fixed.inex").read_text() == (
        "1 Q0 9996 1 3.0 mine /article[1]/bdy[1]/sec[2]\n"
        "1 Q0 22478 2 1.0 mine /article[1]/bdy[1]/sec[2]\n"
    )
    again = repair(collection, "fixed.inex", "-o", "again.inex", "--elements", "INDEX")
    assert again.out == "again.inex: 2 of 2 results, format inex, task focused, nothing to change\n"


def test_the_larger_or_the_smaller_may_be_kept(collection: Path) -> None:
    words = ["mine.inex", "-o", "fixed.inex", "--elements", "INDEX", "--keep"]
    repair(collection, *words, "ancestors")
    assert "/article[1]/bdy[1]\n" in (collection / "fixed.inex").read_text()
    repair(collection, *words, "descendants")
    assert "/article[1]/bdy[1]\n" not in (collection / "fixed.inex").read_text()


def test_elements_that_are_cut_are_written_as_offsets(collection: Path) -> None:
    words = ["--elements", "INDEX", "--characters", "20"]
    answer = repair(collection, "mine.inex", "-o", "fixed.inex", *words)
    assert "1 result cut where the topic reaches 20 characters [characters]" in answer.out
    assert (
        "1 result written as offsets, because other parts are not elements [mixed-elements]\n"
        in answer.out
    )
    assert (collection / "fixed.inex").read_text() == (
        "1 Q0 9996 1 3.0 mine 25 18\n1 Q0 22478 2 1.0 mine 3 2\n"
    )


def test_a_submission_stays_a_submission(collection: Path) -> None:
    answer = repair(collection, "sub.xml", "-o", "fixed.xml", "--elements", "INDEX")
    assert answer.out.startswith("2 results with a new rank: ranks count from 1 [ranks]\n")
    assert (
        "<path>/article[1]/bdy[1]/sec[2]</path><rank>1</rank>"
        in (collection / "fixed.xml").read_text()
    )


@pytest.mark.parametrize("task", ["focused", "thorough", "ric", "bic", "document"])
def test_a_repaired_run_passes_the_check_of_its_task(task: str, folder: Path) -> None:
    assert repair(folder, "mine.fol", "-o", "fixed.fol", "--task", task).code == 0
    assert foveal("check", "fixed.fol", "--task", task, folder=folder).code == 0


def test_to_standard_output_goes_the_run_alone(folder: Path) -> None:
    answer = repair(folder, "mine.fol", "-o", "-", "--task", "bic")
    assert [line.split()[2] for line in answer.out.splitlines()] == ["d1", "d3", "d2", "d4"]
    assert "1 result removed from documents that were already returned" in answer.err


def test_nothing_left_is_an_error(collection: Path) -> None:
    (collection / "past.fol").write_text("1 Q0 22478 1 2 d 50 5\n")
    answer = repair(collection, "past.fol", "-o", "fixed.fol", "--elements", "INDEX")
    assert answer.code == 65
    assert "nothing is left" in answer.err
    assert not (collection / "fixed.fol").exists()
