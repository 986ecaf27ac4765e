from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from scipy.stats import kendalltau

from foveal.choices import Experiment
from foveal.errors import counted
from foveal.formats import write_qrels, write_run
from foveal.studies import DemoWorld
from tests.cli import small_world
from tests.cli.calling import foveal
from tests.cli.small_world import DOCUMENT_RUNS, QRELS
from tests.each import each

FIVE = ["iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "AiP"]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, whole_demo: DemoWorld) -> Path:
    """The demo's judgements and runs as files."""
    folder = tmp_path_factory.mktemp("demo")
    (folder / "runs").mkdir()
    write_qrels(whole_demo.qrels, folder / "demo.qrels", "inex")
    for run in whole_demo.runs:
        write_run(run, folder / "runs" / f"{run.name}.fol", "inex")
    return folder


def runs(demo: Path, count: int | None = None) -> list[str]:
    return sorted(f"runs/{path.name}" for path in (demo / "runs").glob("*.fol"))[:count]


def studied(demo: Path, experiment: str, *words: str, count: int | None = None) -> dict[str, Any]:
    answer = foveal(
        "stability", experiment, "demo.qrels", *runs(demo, count), *words, "--to", "json",
        folder=demo,
    )  # fmt: skip
    assert answer.code == 0, answer.err
    found: dict[str, Any] = json.loads(answer.out)
    return found


def means(demo: Path, qrels: Path | str, measures: list[str]) -> pl.DataFrame:
    asked = [word for name in measures for word in ("-m", name)]
    answer = foveal("evaluate", str(qrels), *runs(demo), *asked, "--to", "jsonl", folder=demo)
    rows = [json.loads(line) for line in answer.out.splitlines()]
    return pl.DataFrame(rows).pivot("measure", index="run", values="value")


def test_samples_written_to_files_and_scored_by_evaluate_give_the_same_tau(
    demo: Path, tmp_path: Path
) -> None:
    found = studied(
        demo, "pool", "--levels", "80,20", "--samples", "2", "--seed", "7",
        "--save-samples", str(tmp_path / "samples"),
    )  # fmt: skip
    files = sorted(path.name for path in (tmp_path / "samples").iterdir())
    assert files == [
        "pool-20-01.qrels", "pool-20-02.qrels", "pool-80-01.qrels", "pool-80-02.qrels",
    ]  # fmt: skip
    whole = means(demo, "demo.qrels", FIVE)
    again = {name: means(demo, tmp_path / "samples" / name, FIVE) for name in files}
    for row in found["samples"]:
        name = row["measure"]
        sample = again[f"pool-{row['level']}-{row['sample']:02d}.qrels"][name]
        assert row["tau"] == pytest.approx(kendalltau(whole[name], sample).statistic)
    assert len(found["samples"]) == 2 * 2 * 5


def test_a_folder_of_samples_is_made_with_the_first_of_them(demo: Path, tmp_path: Path) -> None:
    folder = tmp_path / "samples"
    words = ["stability", "topics", "demo.qrels", runs(demo)[0], "--save-samples", str(folder)]
    assert foveal(*words, folder=demo).code == 2
    assert not folder.exists()


def test_topics_written_to_files_are_those_that_count(demo: Path, tmp_path: Path) -> None:
    found = studied(
        demo, "topics", "--levels", "40", "--samples", "2", "--save-samples", str(tmp_path)
    )
    whole = means(demo, "demo.qrels", FIVE)
    lines = (demo / "demo.qrels").read_text().splitlines()
    for row in found["samples"]:
        topics = (tmp_path / f"topics-40-{row['sample']:02d}.txt").read_text().split()
        assert len(topics) == len(set(topics)) == 12
        reduced = tmp_path / "reduced.qrels"
        kept = [line for line in lines if line.split()[0] in topics]
        reduced.write_text("\n".join(kept) + "\n")
        again = means(demo, reduced, FIVE)
        name = row["measure"]
        assert row["tau"] == pytest.approx(kendalltau(whole[name], again[name]).statistic)


def test_rows_have_exactly_the_names_that_others_rely_on(demo: Path) -> None:
    words = ("--samples", "2", "--levels", "60,30", "-m", "AiP")
    for experiment in ("pool", "topics"):
        found = studied(demo, experiment, *words, count=3)
        assert list(found["samples"][0]) == ["measure", "level", "sample", "tau"]
        assert list(found["curves"][0]) == ["measure", "level", "mean", "spread"]
        assert [(row["level"], row["sample"]) for row in found["samples"]] == [
            (60, 1), (60, 2), (30, 1), (30, 2),
        ]  # fmt: skip
    found = studied(demo, "error-rate", *words, count=3)
    assert list(found["curves"][0]) == ["measure", "level", "rate", "spread"]
    assert found["settings"]["seed"] == "0"


def test_all_of_the_judgements_change_nothing(demo: Path) -> None:
    for experiment in ("pool", "topics"):
        found = studied(demo, experiment, "--levels", "100", "--samples", "3")
        assert {row["tau"] for row in found["samples"]} == {1.0}
        assert {row["tau_ap"] for row in found["tau_ap_samples"]} == {1.0}
        assert {row["spread"] for row in found["curves"]} == {0.0}
    found = studied(demo, "error-rate", "--levels", "100", "--samples", "3")
    assert {row["rate"] for row in found["curves"]} == {0.0}


def test_fewer_judgements_rank_less_alike(demo: Path) -> None:
    for experiment in ("pool", "topics"):
        found = studied(demo, experiment)
        mean = {(row["measure"], row["level"]): row["mean"] for row in found["curves"]}
        assert {name for name, _ in mean} == set(FIVE)
        for name in FIVE:
            assert mean[name, 20] < mean[name, 80]


@pytest.mark.usefixtures("pools")
def test_the_same_seed_gives_the_same_on_one_process_and_on_two(demo: Path) -> None:
    words = ("--samples", "2", "--levels", "50", "--seed", "11")
    for experiment in ("pool", "error-rate"):
        alone = studied(demo, experiment, *words, "-m", "AiP", count=4)
        assert studied(demo, experiment, *words, "-m", "AiP", "--jobs", "2", count=4) == alone
    other = studied(demo, "pool", *words[:-1], "12", "-m", "AiP", count=14)
    assert other["samples"] != studied(demo, "pool", *words, "-m", "AiP", count=14)["samples"]


def test_other_levels_and_further_samples_change_no_sample(demo: Path) -> None:
    few = studied(demo, "pool", "--levels", "40", "--samples", "2", "-m", "AiP")
    many = studied(demo, "pool", "--levels", "70,40", "--samples", "3", "-m", "AiP")
    assert all(row in many["samples"] for row in few["samples"])


@pytest.mark.parametrize(
    "experiment", ["pool", "topics", "error-rate", "swap", "leave-out", "depth"]
)
def test_every_experiment_prints_a_table_and_says_what_it_shows(
    demo: Path, experiment: str
) -> None:
    words = ["-m", "AiP", "-m", "AP"]
    if experiment not in {"leave-out", "depth"}:
        words += ["--levels", "50", "--samples", "2"]
    answer = foveal("stability", experiment, "demo.qrels", *runs(demo, 4), *words, folder=demo)
    assert answer.code == 0, answer.err
    table, _, reading = answer.out.rstrip().rpartition("\n\n")
    assert "───" in table
    assert reading.endswith(".")
    assert f"experiment: {experiment}" in answer.err


@pytest.mark.parametrize(
    ("experiment", "figure"),
    [
        ("pool", "curves"), ("topics", "curves"), ("error-rate", "curves"), ("swap", "swaps"),
        ("depth", "depths"),
    ],
)  # fmt: skip
def test_figures_are_drawn_and_give_their_data(
    demo: Path, tmp_path: Path, experiment: str, figure: str
) -> None:
    words = [] if experiment == "depth" else ["--levels", "50,20", "--samples", "2"]
    for suffix in ("svg", "csv"):
        file = tmp_path / f"figure.{suffix}"
        answer = foveal(
            "stability", experiment, "demo.qrels", *runs(demo, 4), *words, "--figure", figure,
            "-o", str(file), folder=demo,
        )  # fmt: skip
        assert answer.code == 0, answer.err
    assert "<svg" in (tmp_path / "figure.svg").read_text()
    assert "AiP" in (tmp_path / "figure.svg").read_text()
    assert set(pl.read_csv(tmp_path / "figure.csv")["measure"]) == set(FIVE)


def test_a_participants_runs_are_left_out_together(demo: Path, tmp_path: Path) -> None:
    names = [Path(run).stem for run in runs(demo)]
    table = tmp_path / "who.txt"
    table.write_text("".join(f"{name} {name.split('-')[0]}\n" for name in names))
    found = studied(demo, "leave-out", "--participants", str(table), "--pool-depth", "3")
    rows = [row for row in found["finders"] if row["measure"] == "AiP"]
    assert [row["left_out"] for row in rows] == list(
        dict.fromkeys(name.split("-")[0] for name in names)
    )
    assert sum(row["runs"] for row in rows) == len(names)
    told = [f"{row['left_out']} ({counted(row['runs'], 'run')})" for row in rows]
    assert found["settings"]["participants"] == ", ".join(told)
    table.write_text(f"{names[0]} one\n{names[1]} one\n")
    found = studied(demo, "leave-out", "--participants", str(table), "--pool-depth", "3")
    others = f"one (2 runs), none given for {len(names) - 2} runs"
    assert found["settings"]["participants"] == others
    table.write_text("ideal one\nideal two\n")
    answer = foveal(
        "stability", "leave-out", "demo.qrels", *runs(demo, 3), "--participants", str(table),
        folder=demo,
    )  # fmt: skip
    assert answer.code == 65
    assert "who.txt:2: run 'ideal' already has a participant on an earlier line" in answer.err


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["pool", "demo.qrels", "runs/ideal.fol"], 2, "a single run cannot be ranked"),
        (["pool", "--levels", "0"], 2, "from 1 to 100, got 0"),
        (["topics", "--levels", "101"], 2, "from 1 to 100, got 101"),
        (["topics", "--levels", "many"], 2, "not a list of whole numbers"),
        (["pool", "--samples", "0"], 2, "0 is not in the range"),
        (["pool", "--min-passages", "1000"], 65, "no topic has 1,000 passages; the most that any has is"),
        (["error-rate", "--draw", "partition", "--levels", "60"], 2, "at most 50 % of the topics"),
        (["error-rate", "--draw", "partition", "--levels", "1"], 65, "too few topics (30)"),
        (["error-rate", "--samples", "1"], 2, "ask for two or more (--samples), got 1"),
        (["swap", "--levels", "60"], 2, "at most 50 % of the topics"),
        (["topics", "-m", "GMAP"], 2, "GMAP is not a mean over topics"),
        (["pool", "-m", "AiP", "-m", "GMAP"], 2, "GMAP is not a mean over topics"),
        (["depth", "--depths", "0"], 2, "a depth must be a whole number, 1 or more, got 0"),
        (["pool", "--like", "inex_eval", "--task", "thorough"], 2, "give --overlap once"),
        (["pool", "--figure", "curves"], 2, "a figure is written to a file"),
        (["pool", "--figure", "plane", "-o", "f.svg"], 2, "unknown figure 'plane': choose from curves, depths, swaps"),
        (["plane"], 2, "experiment must be pool, topics, error-rate, swap, leave-out or depth, got 'plane'"),
        (["leave-out", "--participants", "absent.txt"], 66, "absent.txt"),
    ],
)  # fmt: skip
def test_what_cannot_be_studied_is_told(demo: Path, words: list[str], code: int, told: str) -> None:
    experiment, *rest = words
    files = [] if "demo.qrels" in rest else ["demo.qrels", *runs(demo, 3)]
    answer = foveal("stability", experiment, *files, *rest, folder=demo)
    assert told in answer.err
    assert answer.code == code
    assert answer.out == ""


def test_the_help_names_the_measures_that_are_taken() -> None:
    told = " ".join(foveal("stability", "pool", "--help").out.split())
    assert f"Without it {' '.join(FIVE)}" in told
    assert "task's overall one" in " ".join(foveal("compare", "--help").out.split())


def test_runs_over_different_topics_are_refused(demo: Path, tmp_path: Path) -> None:
    lines = (demo / "runs/ideal.fol").read_text().splitlines()
    short = tmp_path / "short.fol"
    short.write_text("\n".join(line for line in lines if not line.startswith("101 ")) + "\n")
    words = ("demo.qrels", str(short), "runs/elements-good.fol", "-m", "AiP", "--levels", "50")
    for experiment in ("pool", "topics"):
        answer = foveal("stability", experiment, *words, "--topics", "retrieved", folder=demo)
        assert answer.code == 65
        assert "only 29 of 30 topics are common to all" in answer.err
        assert foveal("stability", experiment, *words, folder=demo).code == 0


def test_judgements_of_documents_serve_topics_and_errors_but_not_the_pool(tmp_path: Path) -> None:
    (tmp_path / "q").write_text(
        "".join(f"{t} 0 d{d} {(t + d) % 2}\n" for t in range(9) for d in range(4))
    )
    for name, order in (("a", (0, 1, 2, 3)), ("b", (3, 1, 0, 2))):
        (tmp_path / name).write_text(
            "".join(
                f"{t} Q0 d{d} 1 {9 - r} {name}\n" for t in range(9) for r, d in enumerate(order)
            )
        )
    answer = foveal("stability", "topics", "q", "a", "b", "--to", "csv", folder=tmp_path)
    assert answer.code == 0
    assert {line.split(",")[0] for line in answer.out.splitlines()[1:]} == {
        "AP", "nDCG@10", "P@10", "RR", "Rprec",
    }  # fmt: skip
    assert foveal("stability", "error-rate", "q", "a", "b", folder=tmp_path).code == 0
    answer = foveal("stability", "pool", "q", "a", "b", folder=tmp_path)
    assert answer.code == 65
    assert "pool takes passages away, but these judgements have no highlights" in answer.err


def test_equal_runs_have_no_order_to_keep(demo: Path) -> None:
    answer = foveal(
        "stability", "pool", "demo.qrels", "runs/ideal.fol", "runs/ideal.fol", "-m", "AiP",
        folder=demo,
    )  # fmt: skip
    assert answer.code == 0
    assert "undefined" in answer.out
    assert "nothing but ties" in answer.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["pool", "--draw", "bootstrap"], "--draw does not apply to pool, only to topics and error-rate"),
        (["topics", "--fuzziness", "3"], "--fuzziness does not apply to topics, only to error-rate"),
        (["leave-out", "--seed", "3"],
         "--seed does not apply to leave-out, only to pool, topics, error-rate and swap"),
        (["swap", "--save-samples", "out"],
         "--save-samples does not apply to swap, only to pool, topics and error-rate"),
        (["pool", "--participants", "who"], "--participants does not apply to pool, only to leave-out"),
        (["depth", "--figure", "curves"],
         "--figure curves does not apply to depth, only to pool, topics and error-rate"),
        (["leave-out", "--figure", "swaps"], "--figure swaps does not apply to leave-out, only to swap"),
    ],
)  # fmt: skip
def test_an_option_of_other_experiments_is_refused_with_their_names(
    demo: Path, words: list[str], told: str
) -> None:
    answer = foveal("stability", *words, "demo.qrels", *runs(demo, 2), folder=demo)
    assert (answer.code, answer.err) == (2, f"foveal: {told}\n")


OPTIONS: dict[str, tuple[str, set[str]]] = {
    "--levels": ("50", {"pool", "topics", "error-rate", "swap"}),
    "--samples": ("3", {"pool", "topics", "error-rate", "swap"}),
    "--seed": ("3", {"pool", "topics", "error-rate", "swap"}),
    "--save-samples": ("out", {"pool", "topics", "error-rate"}),
    "--draw": ("independent", {"topics", "error-rate"}),
    "--fuzziness": ("3", {"error-rate"}),
    "--depths": ("3", {"depth"}),
    "--pool-depth": ("3", {"leave-out"}),
    "--participants": ("who", {"leave-out"}),
    "--min-passages": ("1", {*Experiment}),
}


@each("case", [(experiment, option) for experiment in Experiment for option in OPTIONS])
def test_an_option_means_something_for_the_experiment_or_is_refused(
    case: tuple[Experiment, str],
) -> None:
    experiment, option = case
    value, used_by = OPTIONS[option]
    # What an experiment uses is found only after its files are missed.
    answer = foveal("stability", experiment, "absent.qrels", "a", "b", option, value)
    assert answer.code == (66 if experiment in used_by else 2)
    assert (f"{option} does not apply to {experiment}" in answer.err) == (answer.code == 2)


def test_an_option_of_no_experiment_is_unknown() -> None:
    answer = foveal("stability", "pool", "--nonsense", "q", "a", "b")
    assert answer.code == 2
    assert "No such option" in answer.err


def test_bootstrap_samples_hold_topics_twice(demo: Path, tmp_path: Path) -> None:
    studied(
        demo, "error-rate", "--draw", "bootstrap", "--levels", "100", "--samples", "2",
        "--save-samples", str(tmp_path), count=2,
    )  # fmt: skip
    topics = (tmp_path / "topics-100-01.txt").read_text().split()
    assert len(topics) == 30
    assert len(set(topics)) < 30


def test_partitions_are_disjoint_and_cover_what_they_can(demo: Path, tmp_path: Path) -> None:
    studied(
        demo, "error-rate", "--draw", "partition", "--levels", "40", "--samples", "2",
        "--save-samples", str(tmp_path), count=2,
    )  # fmt: skip
    drawn = [(tmp_path / f"topics-40-{n:02d}.txt").read_text().split() for n in (1, 2, 3, 4)]
    assert [len(topics) for topics in drawn] == [12] * 4
    assert not set(drawn[0]) & set(drawn[1])
    assert not set(drawn[2]) & set(drawn[3])
    assert set(drawn[0]) & set(drawn[2])


@pytest.mark.parametrize("experiment", ["leave-out", "depth"])
def test_a_run_that_stays_in_its_file_is_read_to_find_passages(
    tmp_path: Path, experiment: str
) -> None:
    small_world.write(tmp_path)
    words = ("stability", experiment, QRELS, *DOCUMENT_RUNS, "-m", "AP", "--to", "json")
    answer = foveal(*words, folder=tmp_path)
    assert answer.code == 0, answer.err
