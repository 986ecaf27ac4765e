"""--groups: evaluate, compare and agree on groups of topics."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from foveal.analysis import gate
from foveal.formats import read_scores
from tests.cli import small_world
from tests.cli.calling import foveal
from tests.cli.forms import EYES
from tests.cli.odd_names import MACHINES, four, rows, shown, table_of
from tests.cli.small_world import QRELS, RUNS, asked, called, document

CO, CAS, OTHERS = ("10", "2", "31", "4", "5"), ("6", "7", "18"), ("9", "1")
# Markup, quotes, separators and ends of lines.
ODD = '<b>|_&",\n\\%$#{~^*`[1](x)'
# What a cell for eyes shows of it.
SEEN = {"text": ODD.replace("\n", "\N{REPLACEMENT CHARACTER}"), "html": ODD}
MEASURES = ("AiP", "charP")
EVALUATE = ("evaluate", QRELS, *RUNS, *asked(*MEASURES))
COMPARE = (
    "compare",
    QRELS,
    *RUNS,
    *asked(*MEASURES),
    "--seed",
    "4",
    "--test",
    "bootstrap",
    "--resamples",
    "1000",
)
AGREE = ("agree", QRELS, *RUNS, *asked(*MEASURES), "--seed", "4")
GROUPS = ("--groups", "types.csv")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = small_world.write(tmp_path_factory.mktemp("world"))
    with (folder / "types.csv").open("w", newline="") as file:
        listed = [
            ("topic", "kind"),
            *((topic, ODD) for topic in CAS),
            *((topic, "CO") for topic in CO),
        ]
        csv.writer(file).writerows([*listed, ("99", "elsewhere")])
    judged = (folder / QRELS).read_text().splitlines(keepends=True)
    for name, topics in (("CO", CO), (ODD, CAS), ("(none)", OTHERS)):
        own = [line for line in judged if line.split()[0] in topics]
        (folder / f"{len(topics)}.qrels").write_text("".join(own))
        assert _file(name) == f"{len(topics)}.qrels"
    return folder


def _file(group: str) -> str:
    """The judgements of a group's topics alone."""
    return {"CO": "5.qrels", ODD: "3.qrels", "(none)": "2.qrels", "all": QRELS}[group]


def _of(world: Path, group: str, words: tuple[str, ...]) -> dict[str, Any]:
    """What a command says of a group's topics alone."""
    return document(world, words[0], _file(group), *words[2:])


@pytest.fixture(scope="module")
def means(world: Path) -> dict[tuple[str, str, str], float]:
    """What each run scores by each measure on each group, from judgements of this group alone."""
    return {
        (row["run"], group, row["measure"]): row["value"]
        for group in (ODD, "CO", "(none)", "all")
        for row in _of(world, group, EVALUATE)["rows"]
    }


@pytest.mark.parametrize("form", MACHINES)
def test_rows_of_scores_have_a_group(
    world: Path, means: dict[tuple[str, str, str], float], form: str
) -> None:
    words = (*EVALUATE, *GROUPS, "--per-topic")
    found = document(world, *words)["rows"] if form == "json" else rows(form, world, *words)
    assert [*found[0]] == ["run", "measure", "topic", "group", "value"]
    of_all = {
        (row["run"], row["group"], row["measure"]): float(row["value"])
        for row in found
        if row["topic"] == "all"
    }
    assert of_all == means
    assert [*dict.fromkeys(group for _, group, _ in of_all)] == [ODD, "CO", "(none)", "all"]
    groups = {row["topic"]: row["group"] for row in found if row["topic"] != "all"}
    assert groups == dict.fromkeys(CO, "CO") | dict.fromkeys(CAS, ODD) | dict.fromkeys(
        OTHERS, "(none)"
    )
    plain = [row for row in found if row["topic"] != "all" or row["group"] == "all"]
    without = (
        document(world, *words[:-3], "--per-topic")["rows"]
        if form == "json"
        else rows(form, world, *words[:-3], "--per-topic")
    )
    assert [{name: row[name] for name in row if name != "group"} for row in plain] == without


@pytest.mark.parametrize("form", EYES)
def test_tables_of_scores_have_groups_with_their_sizes(
    world: Path, means: dict[tuple[str, str, str], float], form: str
) -> None:
    (table,) = shown(form, world, *EVALUATE, *GROUPS)
    sizes = {ODD: "3", "CO": "5", "(none)": "2", "all": "10"}
    expected = [
        [name, _seen(group, form), size, *(four(means[name, group, m]) for m in MEASURES)]
        for name in (run.removesuffix(".fol") for run in RUNS)
        for group, size in sizes.items()
    ]
    assert table == [["run", "group", "topics", *MEASURES], *expected]
    (table,) = shown(form, world, *EVALUATE, *GROUPS, "--per-topic")
    assert table[0] == ["run", "topic", "group", *MEASURES]
    assert [row[:3] for row in table[11:15]] == [
        ["echo", "all", _seen(group, form)] for group in sizes
    ]
    assert ["echo", "31", "CO"] in [row[:3] for row in table]


def _seen(group: str, form: str) -> str:
    """A group's name as a reader sees it: where it is set as text, ends of lines are blanks."""
    return SEEN.get(form, ODD.replace("\n", " ")) if group == ODD else group


@pytest.mark.parametrize("form", EYES)
def test_with_many_measures_groups_are_side_by_side(world: Path, form: str) -> None:
    many = [f"cP@{rank}" for rank in range(1, 12)]
    words = ("evaluate", QRELS, "echo.fol", *asked(*many), *GROUPS)
    (table,) = shown(form, world, *words)
    value = {
        (row["measure"], row["group"]): row["value"] for row in document(world, *words)["rows"]
    }
    groups = (ODD, "CO", "(none)", "all")
    assert table[0] == ["run", "measure", *(_seen(group, form) for group in groups)]
    assert table[1] == ["echo", "topics", "3", "5", "2", "10"]
    assert table[2:] == [
        ["echo", name, *(four(value[name, group]) for group in groups)] for name in many
    ]


@pytest.mark.parametrize(
    ("words", "frames"),
    [
        (COMPARE, ["means", "pairs", "counts", "effects", "anova", "curves", "agreement"]),
        (AGREE, ["pairs", "intervals", "upsets", "means"]),
    ],
    ids=["compare", "agree"],
)
def test_groups_are_what_judgements_of_their_topics_alone_give(
    world: Path, words: tuple[str, ...], frames: list[str]
) -> None:
    found = document(world, *words, *GROUPS)
    for frame in frames:
        own = found[frame]
        if frame != "upsets":
            assert [*dict.fromkeys(row["group"] for row in own)] == ["all", ODD, "CO", "(none)"]
        assert all(next(iter(row)) == "group" for row in own)
        for group in ("all", ODD, "CO", "(none)"):
            rest = [
                {name: row[name] for name in row if name != "group"}
                for row in own
                if row["group"] == group
            ]
            assert rest == _of(world, group, words)[frame]


@pytest.mark.parametrize("words", [COMPARE, AGREE], ids=["compare", "agree"])
@pytest.mark.parametrize("form", [*EYES, *(form for form in MACHINES if form != "json")])
def test_every_form_of_a_comparison_has_a_group(
    world: Path, words: tuple[str, ...], form: str
) -> None:
    groups = ("all", ODD, "CO", "(none)")
    if form in MACHINES:
        found = rows(form, world, *words, *GROUPS)
        assert next(iter(found[0])) == "group"
        assert [*dict.fromkeys(row["group"] for row in found)] == [*groups]
        plain = rows(form, world, *words)
        assert [{**row, "group": "all"} for row in plain] == found[: len(plain)]
        return
    tables = shown(form, world, *words, *GROUPS)
    output = called(world, *words, *GROUPS, "--to", form).out
    if words is COMPARE:
        assert "group CO: 5 topics" in output
        if form in {"latex", "markdown"}:
            assert len(tables) == len(groups)
            return
    own = table_of(tables, "group")
    assert [*dict.fromkeys(row[0] for row in own)] == [_seen(group, form) for group in groups]
    if form != "text":
        # Comments of LaTeX may say anything on their one line.
        read = [line for line in output.splitlines() if not line.startswith("% ")]
        assert ODD.partition("\n")[0] not in "\n".join(read)


@pytest.mark.usefixtures("pools")
def test_groups_of_several_runs_are_shared_among_processes(world: Path) -> None:
    one, two = (called(world, *EVALUATE, *GROUPS, "--jobs", jobs) for jobs in "12")
    assert one == two


def test_notes_and_settings_tell_of_groups(world: Path) -> None:
    done = called(world, *EVALUATE, *GROUPS)
    assert "\n" not in done.err.split("note:")[0].rstrip("\n")
    assert "2 scored topics are not listed and form the group (none): 1, 9" in done.err
    done = called(world, *COMPARE, *GROUPS)
    assert "'CO' (5 topics) and '(none)' (2 topics) have few topics" in done.err


def test_a_field_of_topics_gives_groups(world: Path) -> None:
    lines = "".join(f'<topic id="{topic}"><title>CO</title></topic>' for topic in CO)
    (world / "topics.xml").write_text(f"<topics>{lines}</topics>")
    found = document(world, *EVALUATE, "--groups", "topics.xml:title")
    assert {(row["group"], row["topics"]) for row in found["groups"]} == {
        ("CO", 5), ("(none)", 5), ("all", 10),
    }  # fmt: skip


def test_saved_scores_with_groups_are_a_baseline(world: Path) -> None:
    for name, more in (("grouped.json", GROUPS), ("plain.json", ())):
        called(world, *EVALUATE, *more, "--per-topic", "--to", "json", "-o", name)
    one, other = (read_scores(world / name) for name in ("grouped.json", "plain.json"))
    assert one.topics.equals(other.topics)
    assert one.overall.equals(other.overall)
    baselines = [gate(read.top(1), baseline=read.top(1)).drops for read in (one, other)]
    assert baselines[0].equals(baselines[1])


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        ((*EVALUATE, *GROUPS, "--to", "trec"), 2, "trec has no place for groups"),
        ((*EVALUATE, *GROUPS, "--to", "inex"), 2, "inex has no place for groups"),
        ((*EVALUATE, "--groups", "gone.csv:kind"), 66, "gone.csv: no such file"),
        ((*EVALUATE, "--groups", "types.csv:kid"), 2, "did you mean 'kind'?"),
        ((*EVALUATE, "--groups", "strangers.csv"), 65, "strangers.csv: none of its topics (010, x) is"
         " scored (scored are 1, 10, 18, 2, 31 and 5 more)"),
        ((*EVALUATE, "--groups", "twice.csv"), 65, "twice.csv:3: topic '10' is listed a second time"),
        (("evaluate", "-", *RUNS, "--groups", "-:kind"), 2, "standard input (-) can be read only once"),
        ((*EVALUATE, *GROUPS, "-o", "types.csv"), 2, "types.csv is one of the files that are read"),
        ((*EVALUATE, "--groups", "types.csv:kind", "-o", "types.csv"), 2, "is one of the files"),
        ((*EVALUATE, *GROUPS, "--figure", "curves-11", "-o", "x.csv"), 2, "a figure shows all topics"),
        (("compare", QRELS, *RUNS, *GROUPS, "--figure", "means", "-o", "x.csv"), 2, "leave out --groups"),
        (("agree", QRELS, *RUNS, "-m", "AiP", "-m", "AgP", *GROUPS, "--figure", "scatter", "-o", "x.csv"),
         2, "or draw the topics of one group with --only TOPICS"),
        (("gate", QRELS, RUNS[0], *GROUPS), 2, "No such option"),
        (("stability", "topics", QRELS, *RUNS, *GROUPS), 2, "No such option"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(
    world: Path, words: tuple[str, ...], code: int, reason: str
) -> None:
    (world / "strangers.csv").write_text("topic,kind\n010,a\nx,b\n")
    (world / "twice.csv").write_text("topic,kind\n10,a\n10,a\n")
    done = foveal(*words, folder=world)
    assert (done.code, done.out) == (code, "")
    assert reason in done.err


def test_groups_come_through_standard_input(world: Path) -> None:
    table = (world / "types.csv").read_bytes()
    done = foveal(
        *EVALUATE, "--groups", "-:kind", "--per-topic", "--to", "jsonl", folder=world, stdin=table
    )
    found = [json.loads(line) for line in done.out.splitlines()]
    assert found == document(world, *EVALUATE, *GROUPS)["rows"]
