"""Notes and settings reach the reader, and stay out of pipes."""

from __future__ import annotations

import gzip
from pathlib import Path, PurePath

import pytest

from tests.cli.calling import foveal
from tests.cli.conftest import RUN


def test_one_note_for_many_runs(folder: Path) -> None:
    names = [f"run{place:02d}.fol" for place in range(20)]
    for name in names:
        (folder / name).write_text(RUN)
    answer = foveal("evaluate", "q.qrels", *names, "-m", "AiP", folder=folder)
    told = [line for line in answer.err.splitlines() if "without results" in line]
    assert told == [
        "note: 20 runs (run00.fol, run01.fol, run02.fol and 17 more): 1 judged topic without"
        " results, scored as empty lists: 2"
    ]


def test_depth_is_reported_only_where_a_measure_looks_at_it(folder: Path) -> None:
    words = ["evaluate", "q.qrels", "mine.fol", "--depth", "5"]
    assert "depth" not in foveal(*words, "-m", "AiP", "-m", "AgP", folder=folder).err
    assert "depth: 5" in foveal(*words, "-m", "AiP", "-m", "AP", folder=folder).err


def test_entry_points_scored_as_text_and_long_lists_get_a_note(folder: Path) -> None:
    (folder / "bic.fol").write_text("1 Q0 d1 1 5.0 mine 10\n")
    long = "".join(f"1 Q0 d4 {n} {-n} long {n % 200} 1\n" for n in range(1, 1602))
    (folder / "long.fol").write_text(long)
    answer = foveal("evaluate", "q.qrels", "bic.fol", "long.fol", folder=folder)
    assert answer.code == 0
    assert "note: bic.fol: every result is an entry point, which has no text" in answer.err
    assert "--task bic scores entry points" in answer.err
    assert "note: long.fol: 1 topic over INEX's limit of 1,500 results (up to 1,601)" in answer.err
    bic = foveal("evaluate", "q.qrels", "bic.fol", "--task", "bic", folder=folder)
    assert "entry point" not in bic.err


@pytest.mark.parametrize("form", ["text", "csv", "json", "latex"])
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-m", "MAgP"], "AgP scores text and is 0; for entry points ask for AgP(S=bep)"),
        (
            ["-m", "gP[5]", "-m", "gP(S=P)[5]", "-m", "MAgP(S=bep)", "--like", "inex_eval"],
            "gP@5, gP(S=P)@5 score text and are 0; for entry points ask for gP(S=bep)@5",
        ),
        (
            ["-m", "charP"],
            "charP scores text and is 0; for entry points ask for measures with S=bep",
        ),
    ],
)
def test_entry_points_get_a_note_whenever_text_is_measured(
    folder: Path, words: list[str], told: str, form: str
) -> None:
    (folder / "bic.fol").write_text("1 Q0 d1 1 5.0 mine 10\n")
    (folder / "also.fol").write_text("1 Q0 d1 1 5.0 also 20\n")
    note = f"every result is an entry point, which has no text: {told}"
    for command in (["evaluate"], ["compare", "also.fol"]):
        name, *more = command
        answer = foveal(
            name, "q.qrels", "bic.fol", *more, "--task", "bic", *words, "--to", form, folder=folder
        )
        assert answer.code == 0
        assert note in (answer.out if form == "json" else answer.err)


def test_a_result_that_lost_its_length_gets_a_note(folder: Path) -> None:
    (folder / "short.fol").write_text("1 Q0 d1 1 5.0 mine 0 50\n1 Q0 d2 2 4.0 mine 0\n")
    note = (
        "1 of 2 results without text, first at line 2: a result with no length or a length of 0 is an"
        " entry point"
    )
    assert note in foveal("evaluate", "q.qrels", "short.fol", "-m", "AiP", folder=folder).err
    assert note not in foveal("evaluate", "q.qrels", "short.fol", "-m", "AP", folder=folder).err


def test_judgements_whose_passages_were_cut_off_are_recognised(folder: Path) -> None:
    cut = "3 Q0 d3 0 40\n1 Q0 d1 62 100\n1 Q0 d2 8 50\n"
    (folder / "cut.qrels").write_text(cut)
    (folder / "partly.qrels").write_text(f"{cut}2 Q0 d1 50 100 0 0:50\n")
    why = "line 2 states 62 relevant characters, but no passages follow (were columns cut off?)"
    refused = foveal("evaluate", "cut.qrels", "mine.fol", folder=folder)
    assert refused.code == 65
    assert f"cut.qrels: no topic has anything relevant: {why}" in refused.err
    noted = foveal("evaluate", "partly.qrels", "mine.fol", folder=folder)
    told = "2 documents with relevant characters but without passages"
    assert f"note: partly.qrels: {told}: {why}" in noted.err
    assert "differs from the passages'" not in noted.err


def test_an_element_without_text_is_not_called_an_entry_point(tmp_path: Path) -> None:
    (tmp_path / "articles").mkdir()
    (tmp_path / "articles" / "d1.xml").write_text("<a><p>some text</p><fig/></a>")
    assert foveal("index", "articles", "-o", "INDEX", folder=tmp_path).code == 0
    (tmp_path / "q.qrels").write_text("1 Q0 d1 9 9 0 0:9\n")
    (tmp_path / "r.inex").write_text("1 Q0 d1 1 2 x /a[1]/p[1]\n1 Q0 d1 2 1 x /a[1]/fig[1]\n")
    words = ["evaluate", "q.qrels", "r.inex", "--elements", "INDEX", "-m", "AiP"]
    err = foveal(*words, folder=tmp_path).err
    assert "1 of 2 results without text, first at line 2: an empty element finds nothing" in err


def test_judgements_in_the_place_of_a_run_are_refused(tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_text(
        '{"topic": "1", "doc": "a", "length": 9, "highlights": [[0, 5]]}\n'
    )
    (tmp_path / "run.jsonl").write_text('{"topic": "1", "doc": "a", "start": 0, "end": 5}\n')
    answer = foveal("evaluate", "run.jsonl", "gold.jsonl", "-m", "AP", folder=tmp_path)
    assert answer.code == 65
    assert (
        "gold.jsonl:1: this looks like judgements (jsonl), not a run: were they swapped?"
        in answer.err
    )


def test_judged_topics_that_the_mean_leaves_out_are_counted(folder: Path) -> None:
    words = ["evaluate", "q.qrels", "mine.fol", "-m", "AiP"]
    left_out = "1 judged topic without results, left out of the mean (topics retrieved): 2"
    assert left_out in foveal(*words, "--topics", "retrieved", folder=folder).err
    assert "left out of the mean" not in foveal(*words, folder=folder).err


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html"])
def test_all_but_text_in_a_pipe_carry_their_notes(folder: Path, form: str) -> None:
    words = ["evaluate", "q.qrels", "mine.fol", "-m", "AiP", "--to", form]
    piped = foveal(*words, folder=folder)
    saved = foveal(*words, "-o", "scores.out", folder=folder)
    written = (folder / "scores.out").read_text()
    note = "1 judged topic without results, scored as empty lists: 2"
    assert (note in piped.out) == (form != "text")
    assert note in " ".join(written.split())
    assert "task: focused" in written
    assert piped.err == saved.err
    assert note in piped.err
    assert foveal(*words, "-o", "-", folder=folder).out == piped.out


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "trec", "inex"])
def test_data_for_programs_have_no_notes_in_them(folder: Path, form: str) -> None:
    words = ["evaluate", "q.qrels", "mine.fol", "-m", "AiP", "--to", form]
    foveal(*words, "-o", "scores.out", folder=folder)
    assert (folder / "scores.out").read_text() == foveal(*words, folder=folder).out


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html"])
def test_a_file_with_a_comparison_says_that_topics_are_few(folder: Path, form: str) -> None:
    (folder / "other.fol").write_text(RUN.replace("mine", "other").replace("0 50", "20 30"))
    words = ["compare", "q.qrels", "mine.fol", "other.fol", "--to", form]
    piped = foveal(*words, folder=folder)
    foveal(*words, "-o", "table", folder=folder)
    notes = [line for line in piped.err.splitlines() if line.startswith("note: 2 topics")]
    assert len(notes) == 1
    few = notes[0].removeprefix("note: ")
    assert (few in " ".join(piped.out.split())) == (form != "text")
    assert few in " ".join((folder / "table").read_text().split())


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "q.qrels", "mine.fol", "-o", "q.qrels"],
        ["evaluate", "q.qrels", "mine.fol", "-o", "./mine.fol"],
        ["check", "--fix", "mine.fol", "-o", "mine.fol"],
        ["convert", "mine.fol", "mine.fol"],
    ],
)
def test_a_file_that_is_read_is_never_written(folder: Path, words: list[str]) -> None:
    before = {name: (folder / name).read_bytes() for name in ("q.qrels", "mine.fol")}
    answer = foveal(*words, folder=folder)
    assert answer.code == 2
    assert "is one of the files that are read" in answer.err
    assert before == {name: (folder / name).read_bytes() for name in before}


@pytest.mark.parametrize(("ending", "begins"), [("csv", "run,"), ("json", "{"), ("tex", "% ")])
def test_the_ending_of_a_file_tells_its_form(folder: Path, ending: str, begins: str) -> None:
    name = f"scores.{ending}"
    assert foveal("evaluate", "q.qrels", "mine.fol", "-o", name, folder=folder).code == 0
    assert (folder / name).read_text().startswith(begins)
    foveal("evaluate", "q.qrels", "mine.fol", "-o", name, "--to", "jsonl", folder=folder)
    assert (folder / name).read_text().startswith('{"run"')


@pytest.mark.parametrize("name", ["x.pdf", "x.XLSX", "x.xml"])
def test_an_ending_that_names_no_form_is_refused(folder: Path, name: str) -> None:
    ending = PurePath(name).suffix.lower()
    told = (
        f"foveal: results cannot be written as {ending}: use .csv, .tsv, .json, .jsonl, .md, .tex,"
        " .html, .parquet or .txt, or name the form with --to\n"
    )
    for words in (["evaluate"], ["compare"], ["report"]):
        answer = foveal(*words, "q.qrels", "mine.fol", "-o", name, folder=folder)
        assert (answer.code, answer.out, answer.err) == (2, "", told)
    assert not (folder / name).exists()
    foveal("evaluate", "q.qrels", "mine.fol", "-o", name, "--to", "csv", folder=folder)
    assert (folder / name).read_text().startswith("run,")


def test_a_file_without_an_ending_and_txt_are_text(folder: Path) -> None:
    for name in ("scores", "scores.txt", "scores.gz"):
        assert foveal("evaluate", "q.qrels", "mine.fol", "-o", name, folder=folder).code == 0
    written = (folder / "scores").read_bytes()
    assert written == (folder / "scores.txt").read_bytes()
    assert written == gzip.decompress((folder / "scores.gz").read_bytes())


def test_the_ending_before_that_of_a_compressed_file_tells_its_form(folder: Path) -> None:
    assert foveal("evaluate", "q.qrels", "mine.fol", "-o", "x.csv.gz", folder=folder).code == 0
    assert gzip.decompress((folder / "x.csv.gz").read_bytes()).startswith(b"run,")
    refused = foveal("evaluate", "q.qrels", "mine.fol", "-o", "x.pdf.gz", folder=folder)
    assert (refused.code, ".pdf: use .csv" in refused.err) == (2, True)


def test_other_identifiers_of_documents_are_noted(folder: Path) -> None:
    (folder / "other.fol").write_text("1 Q0 d1.xml 1 0.9 mine 0 50\n2 Q0 d1.xml 1 0.9 mine 0 50\n")
    answer = foveal("evaluate", "q.qrels", "other.fol", folder=folder)
    assert "none of its documents (d1.xml) is judged for its topic" in answer.err
    question = "did you mean: 'd1.xml' is 'd1'?"
    assert question in answer.err
    checked = foveal("check", "other.fol", "--qrels", "q.qrels", folder=folder)
    assert f"100.0 % of the documents in the top 10 are unjudged: {question}" in checked.out
    (folder / "mixed.fol").write_text("1 Q0 d1.xml 1 0.9 mine 0 50\n1 Q0 d1 2 0.8 mine 0 50\n")
    assert (
        "did you mean" not in foveal("check", "mixed.fol", "--qrels", "q.qrels", folder=folder).out
    )


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "q.qrels", "mine.fol", "-o", "a" * 300],
        ["evaluate", "q.qrels", "a" * 300],
        ["convert", "mine.fol", "a" * 300 + ".jsonl"],
        ["check", "--fix", "mine.fol", "-o", "a" * 300],
        ["evaluate", "q.qrels", "mine.fol", "-o", "loop"],
    ],
)
def test_a_name_that_no_file_can_have_is_reported(folder: Path, words: list[str]) -> None:
    (folder / "loop").symlink_to("loop")
    assert foveal(*words, folder=folder).code == 66
