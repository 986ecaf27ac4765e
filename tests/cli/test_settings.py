"""Settings are reported as they were chosen, and are those that made the numbers.

Every choice is made twice: spelled out at its default, which must change nothing, and otherwise,
which must change the numbers and the report alike.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.cli import small_world
from tests.cli.calling import foveal
from tests.cli.small_world import QRELS, RUNS, called, document, topic_values

# File order, ranks and scores disagree; two parts overlap, two scores are tied, topic 2 is missing.
ODD_QRELS = """\
1 Q0 d1 40 100 10 10:30 60:10
1 Q0 d2 20 50 0 0:20
1 Q0 d3 0 80
2 Q0 d1 10 100 5 5:10
"""
ODD_RUN = """\
1 Q0 d3 3 2.0 odd 0 20
1 Q0 d1 1 1.0 odd 0 50
1 Q0 d1 4 3.0 odd 40 30
1 Q0 d2 2 3.0 odd 0 20
"""
# Grades 1 to 3, a document that was not judged in between, relevant ones beyond rank 2.
GRADED = "1 0 a 1\n1 0 b 3\n1 0 c 0\n1 0 d 2\n"
RANKED = "1 Q0 a 1 5 docs\n1 Q0 x 2 4 docs\n1 Q0 c 3 3 docs\n1 Q0 b 4 2 docs\n1 Q0 d 5 1 docs\n"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = small_world.write(tmp_path_factory.mktemp("settings"))
    (folder / "odd.qrels").write_text(ODD_QRELS)
    (folder / "odd.fol").write_text(ODD_RUN)
    (folder / "graded.qrels").write_text(GRADED)
    (folder / "docs.run").write_text(RANKED)
    lines = (folder / RUNS[0]).read_text().splitlines(keepends=True)
    (folder / "short.fol").write_text("".join(x for x in lines if not x.startswith("9 ")))
    small_world.write_articles(folder)
    _write_thirty(folder)
    return folder


def _write_thirty(folder: Path) -> None:
    """Judgements of thirty topics and three runs that return documents in another order."""
    rng = np.random.default_rng(7)
    topics, documents = range(1, 31), range(9)
    judged = [f"{topic} 0 d{doc} {int(doc % 3 == 0)}\n" for topic in topics for doc in documents]
    (folder / "thirty.qrels").write_text("".join(judged))
    for name, quality in (("one", 1.5), ("two", 1.0), ("three", 0.7)):
        results = [
            f"{topic} Q0 d{doc} 0 {quality * (doc % 3 == 0) + rng.normal():.6f} {name}\n"
            for topic in topics
            for doc in documents
        ]
        (folder / f"{name}.run").write_text("".join(results))


@dataclass(frozen=True)
class Choice:
    """An option of a command: how its default and another value are written and reported."""

    command: str
    option: str
    key: str
    default: str
    default_reported: str | None
    other: str
    other_reported: str

    def __str__(self) -> str:
        files = {QRELS, *RUNS}
        words = [word for word in self.command.split() if word not in files]
        return " ".join([*words, self.option, self.other]).strip()


def _choices(command: str, *rows: tuple[str, str, str, str | None, str, str]) -> list[Choice]:
    return [Choice(command, *row) for row in rows]


# A default that has no spelling.
FLAG = "(not given)"
MANY = " ".join((QRELS, *RUNS))
FEW = " ".join((QRELS, *RUNS[:3]))
EVALUATE = "evaluate odd.qrels odd.fol -m AiP"
GRADES = "evaluate graded.qrels docs.run -m AP"
COMPARE = f"compare {FEW} -m AiP -m charP"
# More topics than vectors of signs are always all taken of.
COMPARE_30 = "compare thirty.qrels one.run two.run three.run -m AP -m P@2"
AGREE = f"agree {MANY} -m AiP -m iP[0.01]"
FIDELITY = "fidelity xml.qrels -m AgP"

CHOICES = [
    *_choices(
        EVALUATE,
        ("--topics", "topics", "judged", "judged", "retrieved", "retrieved"),
        ("--overlap", "overlap", "once", "once", "repeat", "repeat"),
        ("--overlap", "overlap", "once", "once", "drop", "drop"),
        ("--order", "order", "file", "file", "rank", "rank"),
        ("--order", "order", "file", "file", "score", "score"),
    ),
    *_choices(f"{EVALUATE} --order score", ("--ties", "ties", "id", "id", "file", "file")),
    *_choices("evaluate odd.qrels odd.fol", ("--task", "task", "focused", "focused", "ric", "ric")),
    *_choices(
        "evaluate odd.qrels odd.fol -m AgP --overlap once --topics judged --order file",
        ("--like", "like", "paper", "paper", "inex_eval", "inex_eval"),
    ),
    *_choices(
        GRADES,
        ("--rel", "rel", "1", None, "2", "2"),
        ("--rel", "rel", "1", None, "2.5", "2.5"),
        ("--depth", "depth", "1000", "1000", "2", "2"),
        ("--judged-only", "judged only", FLAG, None, "", "yes"),
    ),
    *_choices(
        COMPARE,
        ("--test", "test", "randomization", "randomization", "bootstrap", "bootstrap"),
        ("--test", "test", "randomization", "randomization", "wilcoxon", "wilcoxon"),
        ("--tail", "tail", "two", "two", "one", "one"),
        ("--alpha", "alpha", "0.05", "0.05", "0.2", "0.2"),
        ("--correct", "correct", "holm", "holm", "bonferroni", "bonferroni"),
        ("--correct", "correct", "holm", "holm", "none", "none"),
        ("--interval", "interval", "t", "t", "bca", "bca"),
    ),
    # Of ten topics all vectors of signs are taken, which no number and no seed changes.
    *_choices(
        f"{COMPARE} --test bootstrap",
        ("--tail", "tail", "two", "two", "one", "one"),
        ("--interval", "interval", "percentile", "percentile", "bca", "bca"),
        ("--correct", "correct", "holm", "holm", "none", "none"),
        ("--resamples", "resamples", "100000", "100,000", "200", "200"),
        ("--seed", "seed", "0", "0", "5", "5"),
    ),
    *_choices(
        f"{COMPARE_30} --test randomization",
        ("--resamples", "resamples", "100000", "100,000", "200", "200"),
        ("--seed", "seed", "0", "0", "5", "5"),
    ),
    *_choices(
        f"{COMPARE} --test tukey-rand",
        ("--correct", "correct", "none", "none", "holm", "holm"),
        ("--resamples", "resamples", "100000", "100,000", "200", "200"),
        ("--seed", "seed", "0", "0", "5", "5"),
    ),
    *_choices(
        f"{COMPARE} --test t",
        ("--tail", "tail", "two", "two", "one", "one"),
        ("--correct", "correct", "holm", "holm", "none", "none"),
        ("--interval", "interval", "t", "t", "percentile", "percentile"),
    ),
    *_choices(
        f"{COMPARE} --test t --interval percentile",
        ("--seed", "seed", "0", "0", "5", "5"),
        ("--resamples", "resamples", "100000", "100,000", "200", "200"),
    ),
    *_choices(f"{COMPARE} --test anova", ("--interval", "interval", "anova", "anova", "t", "t")),
    *_choices(
        AGREE,
        ("--alpha", "alpha", "0.05", "0.05", "0.5", "0.5"),
        ("--resamples", "resamples", "1000", "1000", "30", "30"),
    ),
    *_choices(
        EVALUATE,
        ("--only", "only", FLAG, None, "1", "1 topic (1)"),
        ("--only", "only", FLAG, None, "1,2,1", "3 topics, 2 different (1, 2)"),
    ),
    *_choices(
        COMPARE,
        ("--only", "only", FLAG, None, "10,2,31", "3 topics (10, 2, 31)"),
        ("--top", "top", FLAG, None, "2", "2 of 3 runs by AiP"),
        ("--top", "top", FLAG, None, "2:iP[0.01]", "2 of 3 runs by iP[0.01]"),
    ),
    *_choices(
        f"{AGREE} --resamples 15",
        ("--only", "only", FLAG, None, "10,2,31", "3 topics (10, 2, 31)"),
        ("--top", "top", FLAG, None, "3", "3 of 5 runs by AiP"),
    ),
    *_choices(FIDELITY, ("--only", "only", FLAG, None, "1", "1 topic (1)")),
    *_choices(
        f"stability topics {MANY} -m AiP",
        ("--only", "only", FLAG, None, "10,2,31,4", "4 topics (10, 2, 31, 4)"),
        ("--top", "top", FLAG, None, "3", "3 of 5 runs by AiP"),
    ),
    *_choices(f"{AGREE} --resamples 15", ("--seed", "seed", "0", "0", "5", "5")),
    *_choices(FIDELITY, ("--like", "like", "paper", "paper", "inex_eval", "inex_eval")),
    *_choices(
        f"stability pool {FEW} -m AiP",
        ("--levels", "levels", "80,60,40,20", "80,60,40,20", "30,70,30", "70,30"),
        ("--samples", "samples", "10", "10", "4", "4"),
        ("--seed", "seed", "0", "0", "5", "5"),
        ("--min-passages", "min passages", "10", "10", "18", "18"),
    ),
    *_choices(
        f"stability topics {FEW} -m AiP",
        ("--seed", "seed", "0", "0", "5", "5"),
        ("--min-passages", "min passages", "0", None, "18", "18"),
        ("--draw", "draw", "independent", "independent", "bootstrap", "bootstrap"),
    ),
    *_choices(
        f"stability error-rate {FEW} -m AiP --levels 40",
        ("--samples", "samples", "10", "10", "4", "4"),
        ("--draw", "draw", "independent", "independent", "partition", "partition"),
        ("--fuzziness", "fuzziness", "5", "5", "30", "30"),
    ),
    *_choices(
        f"stability swap {FEW} -m AiP",
        ("--levels", "levels", "40,20", "40,20", "30,50", "50,30"),
        ("--samples", "samples", "10", "10", "4", "4"),
        ("--seed", "seed", "0", "0", "5", "5"),
    ),

]  # fmt: skip


def _numbers(found: dict[str, Any]) -> dict[str, Any]:
    """All that is no word about the numbers."""
    return {key: rows for key, rows in found.items() if key not in {"settings", "notes", "reading"}}


def _asked(choice: Choice, value: str) -> list[str]:
    return [*choice.command.split(), choice.option, *value.split()]


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_another_choice_changes_the_numbers_and_the_report(world: Path, choice: Choice) -> None:
    without = document(world, *choice.command.split())
    found = document(world, *_asked(choice, choice.other))
    assert found["settings"][choice.key] == choice.other_reported
    assert _numbers(found) != _numbers(without)


@pytest.mark.parametrize(
    "choice", [choice for choice in CHOICES if choice.default != FLAG], ids=str
)
def test_the_default_is_reported_and_spelling_it_out_changes_no_number(
    world: Path, choice: Choice
) -> None:
    without = document(world, *choice.command.split())
    spelled = document(world, *_asked(choice, choice.default))
    assert spelled["settings"].get(choice.key) == choice.default_reported
    assert without["settings"].get(choice.key, choice.default_reported) == choice.default_reported
    assert _numbers(spelled) == _numbers(without)


COMMANDS = [
    EVALUATE, f"{GRADES} --rel 2 --depth 3 --judged-only", f"{COMPARE} --alpha 0.1", AGREE,
    FIDELITY, f"stability pool {FEW} -m AiP", f"stability error-rate {FEW} -m AiP",
    f"stability leave-out {FEW} -m AiP --pool-depth 3",
    f"stability depth {FEW} -m AiP --min-passages 9", "check mine.fol --task thorough",
    "gate odd.qrels odd.fol --min AiP>=0 --seed 3",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: " ".join(words.split()[:2]))
def test_every_other_form_is_accompanied_by_the_settings_that_json_holds(
    world: Path, command: str
) -> None:
    words = command.replace("mine.fol", RUNS[0]).split()
    inside = called(world, *words, "--to", "json")
    assert inside.err == ""
    settings = json.loads(inside.out)["settings"]
    # It identifies the judgements for programs; nobody reads it.
    settings.pop("qrels_sha256", None)
    assert settings
    reported = "; ".join(f"{key}: {value}" for key, value in settings.items())
    assert called(world, *words).err.splitlines()[0] == reported
    assert reported in html.unescape(called(world, *words, "--to", "html").out)
    markdown = called(world, *words, "--to", "markdown").out.splitlines()
    assert reported in [re.sub(r"\\(.)", r"\1", line) for line in markdown]
    comments = called(world, *words, "--to", "latex").out.splitlines()[: len(settings)]
    assert comments == [f"% {key}: {value}" for key, value in settings.items()]


def test_a_figure_is_accompanied_by_the_settings_of_its_numbers(world: Path) -> None:
    words = [*COMPARE_30.split(), "--alpha", "0.3", "--seed", "4"]
    reported = called(world, *words, "--figure", "means", "-o", "m.csv").err.splitlines()[0]
    said = {"alpha: 0.3", "seed: 4", "test: randomization", "tail: two", "resamples: 100,000"}
    assert said <= set(reported.split("; "))


@pytest.mark.parametrize("words", ["", "--resamples 37", "--resamples all", "--tail one"])
def test_an_exact_p_counts_as_many_vectors_of_signs_as_are_reported(
    world: Path, words: str
) -> None:
    found = document(world, *COMPARE.split(), *words.split())
    assert found["settings"]["resamples"] == "all 1,024"
    assert "seed" not in found["settings"]
    counted = [row["p"] * 1024 for row in found["pairs"]]
    assert counted == [round(count) for count in counted]
    assert any(0 < count < 1024 for count in counted)
    assert {row["p_error"] for row in found["pairs"]} == {0.0}


def test_all_resamples_that_cannot_be_taken_are_refused(world: Path) -> None:
    for command, told in (
        # On one of the thirty the three have the same AP.
        (COMPARE_30, "runs differ on 29 topics, and all resamples can be taken of 24 at most"),
        (f"{COMPARE} --test bootstrap", "all resamples can be taken of the test randomization"),
        ("gate odd.qrels odd.fol --min AiP>=0", "resamples"),
    ):
        answer = foveal(*command.split(), "--resamples", "all", folder=world)
        assert (answer.code, told in answer.err) == (2, True), answer.err


@pytest.mark.parametrize("wrong", ["every", "0", "-1", "2.5", "ALL "])
def test_resamples_are_a_number_or_all(world: Path, wrong: str) -> None:
    answer = foveal(*COMPARE.split(), "--resamples", wrong, folder=world)
    assert answer.code == 2
    assert "--resamples" in answer.err
    assert wrong in answer.err


@pytest.mark.parametrize("test", ["bootstrap", "randomization", "tukey-rand"])
@pytest.mark.parametrize("resamples", [1000, 37])
def test_p_counts_as_many_resamples_as_are_reported(world: Path, test: str, resamples: int) -> None:
    words = ["--test", test, "--resamples", str(resamples)]
    found = document(world, *COMPARE_30.split(), *words)
    settings = found["settings"]
    assert (settings["test"], settings["resamples"]) == (test, f"{resamples:,}")
    # What was observed counts as one resample more. 38 and 1001 have no common divisor.
    counted = [row["p"] * (resamples + 1) for row in found["pairs"]]
    assert counted == pytest.approx([round(count) for count in counted], abs=1e-6)
    assert any(0 < count < resamples for count in counted)


@pytest.mark.parametrize("tail", ["one", "two"])
def test_the_reported_test_and_tail_are_those_of_the_p_values(world: Path, tail: str) -> None:
    found = document(world, *COMPARE.split(), "--test", "t", "--tail", tail)
    assert (found["settings"]["test"], found["settings"]["tail"]) == ("t", tail)
    values = topic_values(world, "AiP", "charP")
    assert len(found["pairs"]) == 6
    for row in found["pairs"]:
        one, other = (values[row[side], row["measure"]] for side in ("better", "worse"))
        pairs = [(one[topic], other[topic]) for topic in one]
        alternative = {"one": "greater", "two": "two-sided"}[tail]
        expected = stats.ttest_rel(*zip(*pairs, strict=True), alternative=alternative).pvalue
        assert row["p"] == pytest.approx(expected)
    assert found["settings"]["compared topics"] == str(len(small_world.TOPICS))


@pytest.mark.parametrize("alpha", ["0.003", "0.05", "0.3"])
def test_pairs_are_significant_at_the_reported_alpha(world: Path, alpha: str) -> None:
    words = [*COMPARE.split(), "--test", "t", "--alpha", alpha, "--correct", "bonferroni"]
    found = document(world, *words)
    assert (found["settings"]["alpha"], found["settings"]["correct"]) == (alpha, "bonferroni")
    for row in found["pairs"]:
        # Three pairs by each of the two measures, and each measure is a family of its own.
        assert row["adjusted_p"] == pytest.approx(min(1.0, 3 * row["p"]))
        assert row["significant"] == (row["adjusted_p"] <= float(alpha))
    for count in found["counts"]:
        own = [row for row in found["pairs"] if row["measure"] == count["measure"]]
        assert count["significant"] == sum(row["significant"] for row in own)
        assert count["pairs"] == len(own) == 3
    assert len({row["significant"] for row in found["pairs"]}) == 2


def test_the_topics_compared_are_counted_after_those_that_not_all_runs_have(world: Path) -> None:
    words = ["compare", QRELS, "short.fol", RUNS[1], "--topics", "retrieved", "--common-topics"]
    assert document(world, *words)["settings"]["compared topics"] == "9"
    agreed = ["agree", *words[1:], "-m", "AiP", "-m", "AP"]
    assert document(world, *agreed)["settings"]["compared topics"] == "9"


@pytest.mark.parametrize("experiment", ["pool", "topics"])
def test_levels_and_samples_are_those_that_were_drawn(world: Path, experiment: str) -> None:
    words = ["stability", experiment, *FEW.split(), "-m", "AiP", "--levels", "25,75,50"]
    found = document(world, *words, "--samples", "3")
    settings = found["settings"]
    assert settings["experiment"] == experiment
    levels = [int(level) for level in settings["levels"].split(",")]
    assert [row["level"] for row in found["curves"]] == levels == [75, 50, 25]
    drawn = Counter(row["level"] for row in found["samples"])
    assert drawn == dict.fromkeys(levels, int(settings["samples"]))


@pytest.mark.parametrize("experiment", ["pool", "topics", "leave-out", "depth"])
@pytest.mark.parametrize("least", [16, 19])
def test_the_topics_studied_have_as_many_passages_as_reported(
    world: Path, experiment: str, least: int
) -> None:
    words = ["stability", experiment, *FEW.split(), "-m", "AiP", "--min-passages", str(least)]
    settings = document(world, *words)["settings"]
    passages: Counter[str] = Counter()
    for line in (world / QRELS).read_text().splitlines():
        passages[line.split()[0]] += len(line.split()[6:])
    enough = [topic for topic, count in passages.items() if count >= least]
    assert 1 < len(enough) < len(small_world.TOPICS)
    assert (settings["min passages"], settings["studied topics"]) == (str(least), str(len(enough)))


def test_runs_find_in_as_many_parts_as_the_reported_depth_of_the_pool(world: Path) -> None:
    words = ["stability", "leave-out", *MANY.split(), "-m", "AiP", "--pool-depth"]
    few, many = (document(world, *words, depth) for depth in ("1", "30"))
    assert few["settings"]["pool depth"] == "1"
    assert many["settings"]["pool depth"] == "30"
    without = document(world, *words[:-1])
    assert "pool depth" not in without["settings"]
    # Nobody returns more than 30 parts of a topic.
    assert many["finders"] == without["finders"] != few["finders"]


def test_the_depths_that_were_tried_are_reported(world: Path) -> None:
    words = ["stability", "depth", *FEW.split(), "-m", "AiP", "--depths", "5,1,2"]
    found = document(world, *words)
    depths = [int(depth) for depth in found["settings"]["depths"].split(",")]
    assert [row["depth"] for row in found["depths"]] == depths
    assert set(depths) == {1, 2, 5}


def test_the_fidelity_lab_reports_the_sets_rankings_and_noises_it_tried(world: Path) -> None:
    plain = document(world, *FIDELITY.split())
    assert plain["settings"]["part sets"] == "S SLD"
    assert "noise" not in plain["settings"]
    found = document(world, *FIDELITY.split(), "--elements", "INDEX")
    sets, rankings = (found["settings"][key].split() for key in ("part sets", "rankings"))
    runs = {row["run"] for row in found["scores"]}
    assert runs == {f"{one}.{other}" for one in sets for other in rankings}
    assert len(runs) == 20
    assert found["settings"]["task"] == "ric"


def test_noise_is_reported_with_its_samples_and_seed(world: Path) -> None:
    words = [*FIDELITY.split(), "--noise"]
    usual, fewer = document(world, *words), document(world, *words, "--samples", "2")
    other = document(world, *words, "--samples", "2", "--seed", "5")
    reported = [
        [found["settings"][key] for key in ("samples", "seed")] for found in (usual, fewer, other)
    ]
    assert reported == [["5", "0"], ["2", "0"], ["2", "5"]]
    assert usual["responses"] != fewer["responses"] != other["responses"]
    tried = list(dict.fromkeys(row["noise"] for row in usual["responses"]))
    assert usual["settings"]["noise"].split() == tried


@pytest.mark.parametrize("task", ["focused", "thorough", "ric", "bic"])
def test_check_reports_the_task_whose_rules_it_applied(world: Path, task: str) -> None:
    answer = foveal("check", "odd.fol", "--task", task, "--to", "json", folder=world)
    assert f'"task": "{task}"' in answer.out
    # Overlap is an error but in the thorough task.
    assert answer.code == (0 if task == "thorough" else 65)
    rules = set(re.findall(r'"rule": "([^"]*)"', answer.out))
    assert ("overlap" in rules) == (task != "thorough")


def test_files_are_reported_as_what_they_were_read(world: Path) -> None:
    (world / "docs.jsonl").write_text('{"topic": "1", "doc": "a", "score": 1}\n')
    words = ["evaluate", "graded.qrels", "docs.run", "docs.jsonl", "-m", "AP"]
    settings = document(world, *words)["settings"]
    assert settings["formats"] == "trec, trec/jsonl"
    assert settings["order"] == "score"
    assert settings["ties found"] == "none"
    tied = document(world, "evaluate", "odd.qrels", "odd.fol", "-m", "AiP", "--order", "score")
    assert tied["settings"]["ties found"].startswith("1 topic")
    assert tied["settings"]["formats"] == "inex, inex"
