from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest

import foveal as library
from tests.cli.calling import foveal, foveal_process
from tests.cli.conftest import RUN


def test_a_table_of_means_is_printed_and_the_settings_stand_apart(folder: Path) -> None:
    answer = foveal("evaluate", "q.qrels", "mine.fol", "-m", "cP@1", "-m", "AgP", folder=folder)
    assert answer.code == 0
    assert answer.out.splitlines() == [
        "run      cP@1      AgP",
        "──────────────────────",
        "mine   0.3000   0.2975",
    ]
    assert "overlap: once" in answer.err
    assert "formats: inex, inex" in answer.err
    assert "left out 1 topic with nothing relevant: 3" in answer.err
    assert "1 judged topic without results, scored as empty lists: 2" in answer.err


def test_json_lines_hold_full_precision_and_the_mean_under_all(folder: Path) -> None:
    answer = foveal(
        "evaluate", "q.qrels", "mine.fol", "-m", "AiP", "-m", "MAgP", "--per-topic",
        "--topics", "retrieved", "--to", "jsonl", folder=folder,
    )  # fmt: skip
    rows = [json.loads(line) for line in answer.out.splitlines()]
    assert [(row["run"], row["measure"], row["topic"]) for row in rows] == [
        ("mine", "AiP", "1"), ("mine", "AgP", "1"), ("mine", "AiP", "all"), ("mine", "AgP", "all"),
    ]  # fmt: skip
    assert rows[0]["value"] == pytest.approx(63013 / 197455, abs=1e-15)


def test_json_carries_settings_and_every_topic(folder: Path) -> None:
    answer = foveal("evaluate", "q.qrels", "mine.fol", "--to", "json", folder=folder)
    result = json.loads(answer.out)
    assert result["settings"]["task"] == "focused"
    assert {row["topic"] for row in result["rows"]} == {"1", "2", "all"}
    assert answer.err == ""


@pytest.mark.parametrize(("form", "separator"), [("csv", ","), ("tsv", "\t")])
def test_separated_values_have_one_row_per_score(folder: Path, form: str, separator: str) -> None:
    answer = foveal("evaluate", "q.qrels", "mine.fol", "-m", "charR", "--to", form, folder=folder)
    rows = list(csv.DictReader(io.StringIO(answer.out), delimiter=separator))
    assert rows == [{"run": "mine", "measure": "charR", "topic": "all", "value": "0.35"}]


def test_parquet_goes_to_a_file(folder: Path) -> None:
    answer = foveal(
        "evaluate", "q.qrels", "mine.fol", "-m", "charR", "--to", "parquet", "-o", "s.parquet",
        folder=folder,
    )  # fmt: skip
    assert answer.code == 0
    assert answer.out == ""
    assert pl.read_parquet(folder / "s.parquet").row(0) == ("mine", "charR", "all", 0.35)


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("markdown", "| mine | 0.3500 |"),
        ("latex", r"mine & 0.3500 \\"),
        ("html", '<tr><td class="label">mine</td><td>0.3500</td></tr>'),
        ("trec", "charR                 \tall\t0.3500"),
        ("inex", "char_rec\tall\t0.35"),
    ],
)
def test_forms_for_eyes_and_other_programs(folder: Path, form: str, line: str) -> None:
    answer = foveal("evaluate", "q.qrels", "mine.fol", "-m", "charR", "--to", form, folder=folder)
    assert line in answer.out.splitlines()


def test_names_from_files_cannot_inject_markup(folder: Path) -> None:
    (folder / "<script>&[bold]_|.fol").write_text(RUN)
    for form, shown in {
        "html": "&lt;script&gt;&amp;[bold]_|",
        "text": "<script>&[bold]_|",
        "latex": r"\textless{}script\textgreater{}\&[bold]\_\textbar{}",
        "inex": 'run-id="&lt;script&gt;&amp;[bold]_|"',
    }.items():
        answer = foveal(
            "evaluate", "q.qrels", "<script>&[bold]_|.fol", "-m", "AiP", "--to", form, folder=folder
        )
        assert shown in answer.out, form


def test_several_processes_give_the_same_scores(folder: Path) -> None:
    (folder / "other.fol").write_text(RUN.replace("mine", "other").replace(" 50\n", " 30\n"))
    words = ["evaluate", "q.qrels", "mine.fol", "other.fol", "--per-topic", "--to", "jsonl"]
    alone = foveal(*words, folder=folder)
    shared = foveal(*words, "--jobs", "2", folder=folder)
    assert alone.code == shared.code == 0
    assert alone.out == shared.out


def test_errors_travel_between_processes(folder: Path) -> None:
    (folder / "bad.fol").write_text("1 Q0 d1 1 x mine 0 50\n")
    answer = foveal("evaluate", "q.qrels", "mine.fol", "bad.fol", "--jobs", "2", folder=folder)
    assert answer.code == 65
    assert "bad.fol:1: " in answer.err


def test_standard_input_and_compressed_files(folder: Path) -> None:
    (folder / "q.gz").write_bytes(gzip.compress((folder / "q.qrels").read_bytes()))
    answer = foveal(
        "evaluate", "q.gz", "-", "-m", "charR", "--to", "csv", stdin=RUN.encode(), folder=folder
    )
    assert answer.out.splitlines()[1] == "mine,charR,all,0.35"


def test_a_process_of_its_own_answers_the_same(folder: Path) -> None:
    words = ["evaluate", "q.qrels", "-", "--per-topic"]
    inside = foveal(*words, stdin=RUN.encode(), folder=folder)
    assert foveal_process(*words, stdin=RUN.encode(), folder=folder) == inside
    assert inside.code == 0


def test_standard_input_is_read_only_once(folder: Path) -> None:
    answer = foveal("evaluate", "-", "-", stdin=RUN.encode(), folder=folder)
    assert answer.code == 2
    assert "only once" in answer.err


def test_a_typo_in_a_measure_gets_a_suggestion(folder: Path) -> None:
    answer = foveal("evaluate", "q.qrels", "mine.fol", "-m", "AgPP", folder=folder)
    assert answer.code == 2
    assert "did you mean" in answer.err
    assert "AgP" in answer.err
    assert answer.out == ""


def test_a_broken_line_is_shown_with_file_line_and_expectation(folder: Path) -> None:
    (folder / "bad.fol").write_text(RUN.replace("4.0", "many").replace("60\n", "-60\n"))
    answer = foveal("evaluate", "q.qrels", "bad.fol", folder=folder)
    assert answer.code == 65
    assert "bad.fol:2: " in answer.err
    assert "1 Q0 d3 2 many mine 0 80" in answer.err
    assert "bad.fol:5: " in answer.err
    assert "expected: " in answer.err


def test_a_missing_file_is_named(folder: Path) -> None:
    answer = foveal("evaluate", "q.qrels", "nowhere.fol", folder=folder)
    assert answer.code == 66
    assert "nowhere.fol" in answer.err


def test_an_unknown_option_is_a_usage_error(folder: Path) -> None:
    answer = foveal("evaluate", "q.qrels", "mine.fol", "--colour", folder=folder)
    assert answer.code == 2
    assert "Traceback" not in answer.err


def test_element_paths_are_recognised_and_answered(folder: Path) -> None:
    (folder / "paths.run").write_text("1 Q0 d1 1 0.5 mine /article[1]/sec[2]\n")
    answer = foveal("evaluate", "q.qrels", "paths.run", folder=folder)
    assert answer.code == 65
    assert "--elements INDEX" in answer.err


def test_a_failed_call_leaves_the_old_output_alone(folder: Path) -> None:
    (folder / "scores.csv").write_text("precious")
    (folder / "bad.fol").write_text("1 Q0 d1 1 x mine 0 50\n")
    words = ["evaluate", "q.qrels", "bad.fol", "--to", "csv", "-o", "scores.csv"]
    assert foveal(*words, folder=folder).code == 65
    assert (folder / "scores.csv").read_text() == "precious"
    assert sorted(path.name for path in folder.iterdir()) == [
        "bad.fol", "mine.fol", "q.qrels", "scores.csv",
    ]  # fmt: skip


def test_a_missing_cluster_package_or_scheduler_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if find_spec("distributed"):
        from distributed import Client  # noqa: PLC0415  # only those who need it have it

        # Nobody answers at that address, however long one waits.
        soon = partial(Client, timeout="100ms")
        monkeypatch.setattr("distributed.Client", lambda address, **_: soon(address))
    answer = foveal(
        "evaluate", "q.qrels", "mine.fol", "--cluster", "tcp://127.0.0.1:1", folder=folder
    )
    assert answer.code in {66, 69}
    assert "Traceback" not in answer.err


def test_two_measures_of_one_official_name_are_refused(folder: Path) -> None:
    answer = foveal(
        "evaluate", "q.qrels", "mine.fol", "-m", "AgP", "-m", "AgP(S=bep)", "--to", "inex",
        folder=folder,
    )  # fmt: skip
    assert answer.code == 2
    assert "AgP and AgP(S=bep)" in answer.err


def test_document_judgements_refuse_measures_of_text(folder: Path) -> None:
    (folder / "docs.qrels").write_text("1 0 d1 1\n1 0 d2 0\n")
    refused = foveal("evaluate", "docs.qrels", "mine.fol", "-m", "AiP", folder=folder)
    assert refused.code == 65
    assert "have no highlights" in refused.err
    assert "or score documents only (-m AP or --task document)" in refused.err
    assert "AiP" in refused.err
    fine = foveal(
        "evaluate", "docs.qrels", "mine.fol", "-m", "AgP(S=rel)", "--to", "csv", folder=folder
    )
    assert fine.out.splitlines()[1] == "mine,AgP(S=rel),all,1.0"


@pytest.mark.parametrize("runs", [["whole.run", "parts.fol"], ["parts.fol", "whole.run"]])
def test_measures_that_are_named_take_runs_of_any_kind_in_any_order(
    folder: Path, runs: list[str]
) -> None:
    (folder / "trec.qrels").write_text("1 0 a 1\n")
    (folder / "whole.run").write_text("1 Q0 a 1 1 whole\n")
    (folder / "parts.fol").write_text("1 Q0 b 1 2 parts 0 9\n1 Q0 a 2 1 parts 0 9\n")
    answer = foveal("evaluate", "trec.qrels", *runs, "-m", "AP", "--to", "csv", folder=folder)
    assert sorted(answer.out.splitlines()[1:]) == ["parts,AP,all,0.5", "whole,AP,all,1.0"]


def test_all_problems_of_a_file_are_gathered_whoever_finds_them(folder: Path) -> None:
    (folder / "bad.fol").write_text(
        "1 Q0 d1 1 5.0 mine 0\n1 Q0 d1 2 x mine 0 5\n1 Q0\n1 Q0 d1 3 1 mine -7 5\n"
        "1 Q0 d1 4 1 mine /article[1] 5\n"
    )
    answer = foveal("evaluate", "q.qrels", "bad.fol", folder=folder)
    assert answer.code == 65
    for line in (2, 3, 4, 5):
        assert f"bad.fol:{line}: " in answer.err
    (folder / "bad.csv").write_text("topic,doc,start,end\n1,d1,a,5\n1,d1,9,5\n1,d1\n1,d1,5,\n")
    answer = foveal("evaluate", "q.qrels", "bad.csv", folder=folder)
    for line in (2, 3, 4, 5):
        assert f"bad.csv:{line}: " in answer.err


def test_lines_refused_while_scoring_are_shown_too(folder: Path) -> None:
    (folder / "long.fol").write_text(RUN.replace("d1 1 5.0 mine 0 50", "d1 1 5.0 mine 0 500"))
    answer = foveal("evaluate", "q.qrels", "long.fol", folder=folder)
    assert answer.code == 65
    assert "long.fol:1: the part ends at 500, beyond the end of its document at 100" in answer.err
    assert "1 Q0 d1 1 5.0 mine 0 500" in answer.err
    twice = foveal(
        "evaluate", "q.qrels", "-", "--overlap", "refuse", stdin=2 * RUN.encode(), folder=folder
    )
    assert twice.code == 65
    assert "<stdin>:6: overlaps" in twice.err


@pytest.mark.parametrize(
    "text", ["", "{}", '{"tests": []}', '{"topic": "1", "doc": "d1", "text": "fish"}']
)
def test_judgements_that_cannot_be_read_are_not_called_a_run(folder: Path, text: str) -> None:
    (folder / "gold.jsonl").write_text(text)
    answer = foveal("evaluate", "gold.jsonl", "mine.fol", folder=folder)
    assert answer.code == 65
    assert "swapped" not in answer.err


def test_swapped_files_get_a_hint(folder: Path) -> None:
    answer = foveal("evaluate", "mine.fol", "q.qrels", folder=folder)
    assert answer.code == 65
    first = "foveal: mine.fol looks like a run, but judgements come first: were the files swapped?"
    assert answer.err.splitlines()[0] == first
    assert "mine.fol:1:" in answer.err


def test_judgements_with_a_broken_line_are_not_called_a_run(folder: Path) -> None:
    (folder / "broken.qrels").write_text("1 Q0 d1 x 100\n")
    answer = foveal("evaluate", "broken.qrels", "mine.fol", folder=folder)
    assert answer.code == 65
    assert answer.err.startswith("foveal: broken.qrels:1:")


@pytest.mark.parametrize(
    ("output", "code"),
    [("| true", 0), (">&-", 0), ("2>&-", 0), (">&- 2>&-", 0), ("> /dev/full", 66)],
)
def test_a_pipe_that_closes_early_is_no_failure_but_a_full_disk_is(
    folder: Path, output: str, code: int
) -> None:
    words = f"{sys.executable} -m foveal evaluate q.qrels mine.fol --per-topic --to jsonl"
    done = subprocess.run(
        ["/bin/bash", "-c", f"set -o pipefail; {words} {output}"],
        cwd=folder, capture_output=True, check=False,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    assert done.returncode == code


FULL = """
import io, sys
from foveal.cli._main import program
class Full(io.StringIO):
    def flush(self):
        raise OSError(28, "no space")
sys.stdout, sys.argv = Full(), ["foveal", "evaluate", "absent.qrels", "absent.run"]
program()
"""


def test_the_exit_code_of_an_error_survives_a_full_disk() -> None:
    done = subprocess.run([sys.executable, "-c", FULL], capture_output=True, check=False)
    assert done.returncode == 66


def test_output_that_cannot_be_written_is_told(folder: Path) -> None:
    answer = foveal("evaluate", "q.qrels", "mine.fol", "-o", "no/such/folder.csv", folder=folder)
    assert answer.code == 66
    assert "cannot be written" in answer.err


def test_processes_share_files_only(folder: Path) -> None:
    answer = foveal(
        "evaluate", "q.qrels", "mine.fol", "-", "--jobs", "2", stdin=RUN.encode(), folder=folder
    )
    assert answer.code == 2


def test_recall_needs_no_length_of_the_documents_nobody_judged(folder: Path) -> None:
    (folder / "docs.run").write_text("1 Q0 d1 1 2.0 mine\n1 Q0 d9 2 1.0 mine\n")
    words = ["evaluate", "q.qrels", "docs.run", "--topics", "retrieved", "--to", "csv"]
    assert "charR,all,0.4" in foveal(*words, "-m", "charR", folder=folder).out
    refused = foveal(*words, "-m", "charP", folder=folder)
    assert refused.code == 65
    assert "unknown length, 'd9'" in refused.err


def test_runs_scored_on_different_topics_are_told(folder: Path) -> None:
    (folder / "other.fol").write_text("1 Q0 d1 1 5.0 other 0 50\n2 Q0 d1 1 5.0 other 0 50\n")
    words = ["evaluate", "q.qrels", "mine.fol", "other.fol", "--topics", "retrieved"]
    assert "scored on different topics, 1 to 2 each" in foveal(*words, folder=folder).err


@pytest.mark.parametrize("whole_first", [True, False])
@pytest.mark.parametrize("measures", [["AP"], []])
def test_the_task_is_the_same_in_the_library_and_on_the_command_line(
    folder: Path, measures: list[str], whole_first: bool
) -> None:
    """Judgements without highlights, a run of documents and one of parts, in either order."""
    (folder / "trec.qrels").write_text("1 0 d1 1\n1 0 d2 0\n")
    (folder / "whole.run").write_text("1 Q0 d1 1 2.0 whole\n")
    runs = ["whole.run", "mine.fol"] if whole_first else ["mine.fol", "whole.run"]
    words = [word for measure in measures for word in ("-m", measure)]
    answer = foveal("evaluate", "trec.qrels", *runs, *words, "--to", "json", folder=folder)
    qrels = library.read_qrels(folder / "trec.qrels")
    tables = [library.read_run(folder / run) for run in runs]
    if measures:
        scores = library.evaluate(qrels, tables, measures)
        judged = {"qrels_sha256": qrels.sha256}
        assert json.loads(answer.out)["settings"] == {**scores.settings, **judged}
        assert scores.settings["task"] == "document"
        return
    # Nobody asked for documents, and parts cannot be scored without highlights.
    assert answer.code == 65
    with pytest.raises(library.FovealError, match="have no highlights") as caught:
        library.evaluate(qrels, tables)
    assert str(caught.value) in answer.err


@pytest.mark.parametrize(
    ("word", "ours"), [("-q", "--per-topic"), ("-c", "--topics judged"), ("-l", "--rel")]
)
def test_an_option_of_trec_eval_is_refused_with_ours(folder: Path, word: str, ours: str) -> None:
    answer = foveal("evaluate", word, "q.qrels", "mine.fol", folder=folder)
    assert answer.code == 2
    assert f"Did you mean {ours}" in answer.err.replace("'", "")
    words = ["evaluate", "q.qrels", "mine.fol", *ours.split(), *(["1"] if ours == "--rel" else [])]
    assert foveal(*words, folder=folder).code == 0
