"""foveal fidelity: whole commands, whole outputs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from foveal.collection import build_index
from foveal.formats import read_run
from foveal.studies import NOISES, PART_SETS, RANKINGS
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


MINE = """from foveal.studies import LabDocuments, Parts, noise, part_set, ranking


@part_set(name="SH", title="first halves", below=("S",))
def first_halves(ground: LabDocuments) -> Parts:
    \"\"\"The first half of every passage.\"\"\"
    spans = ground.passages
    return Parts(spans.document, spans.start, (spans.start + spans.end) // 2)


@ranking(name="RX", title="as R", below=("R",))
def same(ground):
    \"\"\"As R.\"\"\"
    return ground.relevant


@noise(name="none", title="nothing", unit="times", strengths=(0, 1), by_chance=False)
def nothing(ground, draft, strength, chances):
    \"\"\"Nothing is done.\"\"\"
    return draft
"""


def test_what_a_plugin_registers_takes_part(world: Path) -> None:
    (world / "mine.py").write_text(MINE)
    words = ["fidelity", "q.qrels", "-m", "AgP", "--noise", "--to", "json"]
    answer = foveal(*words, "--plugin", "mine.py", folder=world)
    assert answer.code == 0, answer.err
    found = json.loads(answer.out)
    assert found["settings"]["part sets"] == "S SLD SH"
    assert found["settings"]["rankings"] == "R RS RI RSI RX"
    assert found["settings"]["plugin"] == "mine.py"
    verdict = {(row["first"], row["second"]): row["verdict"] for row in found["orderings"]}
    assert verdict["S.R", "SH.R"] == "kept"
    assert verdict["S.R", "S.RX"] == "not distinguished"
    assert "none" in {row["noise"] for row in found["responses"]}
    # Only that command knows them.
    alone = json.loads(foveal(*words, folder=world).out)
    assert alone["settings"]["part sets"] == "S SLD"
    assert "plugin" not in alone["settings"]
    assert "mine" not in sys.modules
    again = foveal(*words, "--plugin", "mine.py", folder=world)
    assert again.out == answer.out


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (b"x = 1\ny = x +\n", "mine.py:2: not Python: invalid syntax"),
        (b"x = 1\ny = x / 0\n", "mine.py:2: ZeroDivisionError: division by zero\n    y = x / 0"),
        (b"import nonsense_of_mine\n", "mine.py:1: ModuleNotFoundError: No module named"),
        (b"raise SystemExit(3)\n", "mine.py:1: SystemExit: 3"),
        (b"x = '\xff'\n", "mine.py:1: not Python: "),
        (b"x = 1\0\n", "mine.py: not Python: source code"),
        (
            MINE.replace('"SH"', '"SL"').encode(),
            "mine.py:4: a part set called 'SL' already exists: choose another name",
        ),
        (
            b"from foveal.studies import RANKINGS\ndel RANKINGS['R']\n",
            "mine.py: removes or replaces the ranking 'R': a plugin can only add",
        ),
        (MINE.replace('("S",)', '("SX",)').encode(), "'SH' is placed below 'SX', which is not"),
        (
            MINE.replace("spans.start + spans.end", "spans.start + spans.stop").encode(),
            "mine.py:8: AttributeError: 'Parts' object has no attribute 'stop'",
        ),
        (
            MINE.replace("spans.end) // 2", "spans.end) / 2").encode(),
            "mine.py:5: the end of the Parts that part set 'SH' gives must be a list of whole numbers, got",
        ),
    ],
)
def test_a_plugin_that_fails_is_told_by_file_and_line(world: Path, code: bytes, said: str) -> None:
    (world / "mine.py").write_bytes(code)
    before = [list(registry) for registry in (PART_SETS, RANKINGS, NOISES)]
    answer = foveal("fidelity", "q.qrels", "--plugin", "mine.py", folder=world)
    assert (answer.code, answer.out) == (65, "")
    assert said in answer.err
    assert [list(registry) for registry in (PART_SETS, RANKINGS, NOISES)] == before


def test_what_a_plugin_prints_does_not_mix_with_the_result(world: Path) -> None:
    told = MINE.replace(
        "    spans = ground.passages", '    print("called")\n    spans = ground.passages'
    )
    (world / "mine.py").write_text(f'print("loaded")\n{told}')
    answer = foveal("fidelity", "q.qrels", "--plugin", "mine.py", "--to", "json", folder=world)
    assert answer.code == 0, answer.err
    assert "SH" in json.loads(answer.out)["settings"]["part sets"]
    assert answer.err.startswith("loaded\ncalled\n")


def test_a_plugin_that_registers_nothing_is_noted(world: Path) -> None:
    (world / "idle.py").write_text("print\n")
    (world / "mine.py").write_text(MINE)
    words = ["fidelity", "q.qrels", "-m", "AgP", "--plugin", "idle.py", "--plugin", "mine.py"]
    answer = foveal(*words, folder=world)
    assert answer.code == 0
    assert "note: idle.py registers no part set, ranking or noise" in answer.err
    assert "mine.py registers" not in answer.err
    assert "SH.RX" in answer.out


def test_best_shows_what_share_the_part_sets_reach(world: Path) -> None:
    words = ["fidelity", "q.qrels", "--elements", "index", "-m", "AgP", "--best"]
    answer = foveal(*words, "--save-runs", "runs", folder=world)
    assert answer.code == 0, answer.err
    shown = answer.out.partition("What elements can reach\n\n")[2].splitlines()
    assert shown[0].split() == ["run", "AgP", "share", "maximum"]
    # F of the best elements is 8/9 and 3/4 in topic 1 and 4/7 in topic 2; whole, 8/9, 4/7 and 6/13.
    assert shown[2].split() == ["best-elements", "0.7128", "100.0", "%", "exact"]
    assert shown[3].split() == ["best-documents", "0.6355", "89.2", "%", "exact"]
    assert shown[5].split()[0] == "SL.R"
    assert "note: best-elements and best-documents are exact for AgP with S=F" in answer.err
    found = json.loads(foveal(*words, "--to", "json", folder=world).out)["best"]
    assert list(found[0]) == ["run", "measure", "value", "share", "exact"]
    assert [row["exact"] for row in found] == [True, True, None, None, None, None, None]
    files = ["runs/best-elements.fol", "runs/best-documents.fol", "runs/SL.R.fol"]
    scored = foveal("evaluate", "q.qrels", *files, "-m", "AgP", "--to", "json", folder=world)
    values = {row["run"]: row["value"] for row in json.loads(scored.out)["rows"]}
    reached = {row["run"]: row["value"] for row in found}
    assert values == pytest.approx({name: reached[name] for name in values})
    assert len(values) == 3


def test_rankings_are_named_with_commas(world: Path) -> None:
    words = ["fidelity", "q.qrels", "-m", "AgPt", "--to", "json", "--rankings"]
    found = json.loads(foveal(*words, "R, RSI2,RI2", folder=world).out)
    assert found["settings"]["rankings"] == "R RI2 RSI2"
    pairs = {(row["first"], row["second"]): row["verdict"] for row in found["orderings"]}
    assert pairs["S.RI2", "S.RSI2"] == "kept"


def test_two_measures_are_beside_one_another(world: Path) -> None:
    measures = [word for name in ("AgP", "AP", "AgPt") for word in ("-m", name)]
    answer = foveal("fidelity", "q.qrels", *measures, folder=world)
    both, alone = answer.out.partition("AgP and AP on each expected ordering\n\n")[2].split(
        "AgPt on each expected ordering\n\n"
    )
    lines = both.splitlines()
    assert lines[0].split() == [
        "better", "→", "worse",
        "AgP", "%", ">", "=", "<", "p", "verdict", "AP", "%", ">", "=", "<", "p", "verdict",
    ]  # fmt: skip
    assert max(map(len, lines)) <= 100
    assert lines[2].split() == [
        "S.R", "→", "SLD.R", "+36.45", "2", "0", "0", "0.28", "kept", "0", "0", "2", "0", "equal",
    ]  # fmt: skip
    assert "not distinguished" in alone
    assert "not distinguished" not in both


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["none.qrels"], 66, "none.qrels"),
        (["q.qrels", "--plugin", "none.py"], 66, "none.py: no such file or folder"),
        (["q.qrels", "--plugin", "articles"], 66, "articles: a folder, not a file"),
        (
            ["q.qrels", "--plugin", "https://x.org/m.py"],
            2,
            "must be a file on this machine, got 'h",
        ),
        (["q.qrels", "--rankings", "R,RQ"], 2, "unknown ranking 'RQ'"),
        (["q.qrels", "--rankings", ""], 2, "unknown ranking ''"),
        (["q.qrels", "--best"], 2, "give its offset index (--elements INDEX)"),
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
