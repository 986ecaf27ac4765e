"""foveal fidelity: whole commands, whole outputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foveal.collection import build_index
from foveal.formats import read_run
from tests.cli.calling import foveal

XML = "<a>0<p>12</p>3<p>4<b>5</b></p>6789</a>"


@pytest.fixture
def world(tmp_path: Path) -> Path:
    (tmp_path / "articles").mkdir()
    for name in ("d1", "d2", "d3"):
        (tmp_path / "articles" / f"{name}.xml").write_text(XML)
    (tmp_path / "q.qrels").write_text(
        "1 Q0 d1 4 10 1 1:4\n1 Q0 d2 8 10 0 0:8\n1 Q0 d3 0 10\n2 Q0 d1 3 10 2 2:3\n"
    )
    build_index([str(tmp_path / "articles")], tmp_path / "index")
    return tmp_path


def test_text_begins_with_the_verdict_and_goes_on_with_what_it_rests_on(world: Path) -> None:
    answer = foveal("fidelity", "q.qrels", "-m", "AgP", folder=world)
    assert answer.code == 0
    assert answer.out.splitlines()[:9] == [
        "Verdicts on the expected orderings",
        "",
        "measure   kept   violated   not distinguished   pairs   violates",
        "────────────────────────────────────────────────────────────────",
        "AgP         10          0                   2      12",
        "",
        "Scores of the simulated runs",
        "",
        "run          AgP",
    ]
    assert "SLD.R → SLD.RS" in answer.out.partition("AgP on each expected ordering")[2]
    assert (
        "only S and SLD are tried: SL, SS, SST need an offset index (--elements INDEX)"
        in answer.err
    )
    assert "1 of 2 topics has no judged document without highlights to insert" in answer.err
    assert "is made up ('made-up-1')" in answer.err


def test_json_holds_the_fixed_rows(world: Path) -> None:
    answer = foveal("fidelity", "q.qrels", "--elements", "index", "--to", "json", folder=world)
    assert answer.code == 0, answer.err
    found = json.loads(answer.out)
    assert found["settings"]["part sets"] == "S SL SLD SS SST"
    assert list(found["scores"][0]) == ["run", "measure", "value"]
    assert len(found["scores"]) == 20 * 12
    assert "SL.RI" in {row["run"] for row in found["scores"]}
    assert list(found["orderings"][0]) == [
        "measure", "first", "second", "difference", "better", "equal", "worse", "p", "verdict",
    ]  # fmt: skip
    assert len(found["orderings"]) == 36 * 12
    assert len(found["curves"]) == 5 * 11
    assert "responses" not in found
    assert any("made-up-1" in note for note in found["notes"])


def test_noise_adds_responses(world: Path) -> None:
    answer = foveal("fidelity", "q.qrels", "-m", "AgP", "--noise", "--to", "json", folder=world)
    found = json.loads(answer.out)
    assert {row["noise"] for row in found["responses"]} == {"shift", "pad", "drop", "shuffle"}
    assert list(found["sensitivities"][0]) == ["noise", "measure", "loss", "rise"]
    text = foveal("fidelity", "q.qrels", "-m", "AgP", "--noise", "--samples", "2", folder=world)
    assert "Noise: parts dropped, in share of the parts" in text.out


def test_saved_runs_score_as_the_lab_says(world: Path) -> None:
    words = ["fidelity", "q.qrels", "--elements", "index", "-m", "AgP", "--to", "json"]
    lab = json.loads(foveal(*words, "--save-runs", "out/runs", folder=world).out)
    files = sorted((world / "out" / "runs").iterdir())
    assert len(files) == 20
    assert (world / "out" / "runs" / "SL.RSI.fol").read_text().splitlines() == [
        "1 Q0 d3 1 3.0 SL.RSI 0 10",
        "1 Q0 d1 2 2.0 SL.RSI 0 10",
        "1 Q0 d2 3 1.0 SL.RSI 0 10",
        "2 Q0 made-up-1 1 2.0 SL.RSI 0 10",
        "2 Q0 d1 2 1.0 SL.RSI 0 10",
    ]
    assert all(read_run(path).name == path.stem for path in files)
    scored = foveal(
        "evaluate", "q.qrels", *map(str, files), "-m", "AgP", "--to", "json", folder=world
    )
    expected = {row["run"]: row["value"] for row in json.loads(scored.out)["rows"]}
    assert {row["run"]: row["value"] for row in lab["scores"]} == pytest.approx(expected)


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "markdown", "latex", "html"])
def test_every_form(world: Path, form: str) -> None:
    answer = foveal("fidelity", "q.qrels", "-m", "AgP", "--to", form, folder=world)
    assert answer.code == 0, answer.err
    assert "SLD.RSI" in answer.out


def test_a_figure_goes_to_a_file(world: Path) -> None:
    words = ["fidelity", "q.qrels", "-m", "AgP", "--figure"]
    assert foveal(*words, "lattice", "-o", "l.svg", folder=world).code == 0
    assert (world / "l.svg").read_bytes().startswith(b"<svg")
    # Responses are drawn of noise, which is then tried without being asked for.
    assert foveal(*words, "responses", "-o", "r.csv", folder=world).code == 0
    assert (world / "r.csv").read_text().startswith("noise,measure,strength,value,spread\n")
    assert foveal(*words, "lattice", folder=world).code == 2


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["none.qrels"], 66, "none.qrels"),
        (["q.qrels", "--elements", "none"], 66, "none"),
        (["q.qrels", "-m", "AgX"], 2, "did you mean"),
        (
            ["past.qrels"],
            65,
            "past.qrels:1: the passage from 1 to 19 goes beyond the end of its document at 10",
        ),
        (
            ["plain.qrels", "-m", "AP"],
            65,
            "give judgements with highlights (formats inex, jsonl)\n",
        ),
        (["q.qrels", "--save-runs", "q.qrels/runs"], 66, "cannot make this folder"),
    ],
)
def test_what_cannot_be_done_is_said(world: Path, words: list[str], code: int, said: str) -> None:
    (world / "past.qrels").write_text("1 Q0 d1 18 10 1 1:18\n")
    (world / "plain.qrels").write_text("1 0 d1 1\n")
    answer = foveal("fidelity", *words, folder=world)
    assert (answer.code, answer.out) == (code, "")
    assert said in answer.err


def test_as_the_official_program_scores(world: Path) -> None:
    answer = foveal("fidelity", "past.qrels", "--like", "inex_eval", folder=world)
    assert answer.code == 66
    (world / "past.qrels").write_text("1 Q0 d1 9 10 1 1:18\n")
    answer = foveal("fidelity", "past.qrels", "--like", "inex_eval", "-m", "AgP", folder=world)
    assert answer.code == 0, answer.err
    assert "like: inex_eval" in answer.err
