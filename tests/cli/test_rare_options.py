"""Options of scoring that few people set: every command that scores obeys them, one help shows them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tools.command_pages import contexts

from foveal.cli._scoring import RARE, UNDERSTOOD, ScoringCommand
from tests.cli import small_world
from tests.cli.calling import foveal
from tests.cli.small_world import QRELS, RUNS
from tests.each import each

SCORING = {
    "evaluate": f"evaluate {QRELS} {RUNS[0]} -m AP",
    "explain": f"explain {QRELS} {RUNS[0]} -m AP",
    "compare": f"compare {QRELS} {RUNS[0]} {RUNS[1]} -m AP",
    "agree": f"agree {QRELS} {RUNS[0]} {RUNS[1]} -m AP -m AiP --resamples 10",
    "gate": f"gate {QRELS} {RUNS[0]} --min AP>=0",
    "report": f"report {QRELS} {RUNS[0]} -m AP",
    "stability": f"stability topics {QRELS} {RUNS[0]} {RUNS[1]} -m AP",
    "assess agree": f"assess agree {QRELS} other.qrels --run {RUNS[0]} --run {RUNS[1]} -m AP",
}
# What shows that an option is obeyed: a setting in the output, or what is refused because of it.
OBEYED = {
    "--topics retrieved": "topics: retrieved",
    "--overlap paid": "overlap: paid",
    "--overlap waste": "overlap: waste",
    "--order file": "order: file",
    "--ties file": "ties: file",
    "--ties place": "ties: place",
    "--rel 0.5": "rel: 0.5",
    "--depth 3": "depth: 3",
    "--judged-only": "judged only: yes",
    "--format trec": "8 columns, expected 6",
    "--format trec --lenient": "is already in the results of topic",
    "--qrels-format csv": "no columns 'topic' and 'doc'",
    "--assessors majority": "names no assessors",
    "--chunks none.jsonl --docs docs": "none.jsonl: no such file",
    "--copies all": "--copies must be refuse or first",
    "--count bytes": "--count bytes needs the documents' texts",
    "--tokens none.json": "--tokens needs the documents' texts",
    "--cluster nowhere --jobs 2": "give --jobs or --cluster, not both",
}
# Assessors are compared, so that nobody's judgements are chosen.
WITHOUT = {("assess agree", "--assessors majority")}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = small_world.write(tmp_path_factory.mktemp("rare"))
    (folder / "other.qrels").write_text((folder / QRELS).read_text())
    (folder / "docs").mkdir()
    (folder / "docs" / "d1.txt").write_text("text")
    return folder


def test_every_rare_option_and_every_command_that_scores_is_tried() -> None:
    assert {word for words in OBEYED for word in words.split()} >= RARE
    assert set(SCORING) - {"evaluate"} == {
        name.removeprefix("foveal ")
        for name, command, _ in contexts()
        if isinstance(command, ScoringCommand)
    }


@each(
    "case", [(name, words) for name in SCORING for words in OBEYED if (name, words) not in WITHOUT]
)
def test_rare_options_are_obeyed(world: Path, case: tuple[str, str]) -> None:
    name, words = case
    answer = foveal(*SCORING[name].split(), *words.split(), folder=world)
    assert OBEYED[words] in answer.out + answer.err


@each("name", SCORING)
def test_help_shows_rare_options_in_one_place(name: str) -> None:
    shown = foveal(*name.split(), "--help").out
    options = {word for word in RARE if re.search(rf"^  {word}(?![\w-])", shown, re.MULTILINE)}
    if name == "evaluate":
        assert options == RARE
    else:
        assert options == ({"--cluster"} if name == "stability" else set())
        (command,) = (own for title, own, _ in contexts() if title == f"foveal {name}")
        assert isinstance(command, ScoringCommand)
        assert " ".join(shown.split()).endswith(f" {command.understood}")
        if name == "assess agree":
            # Nobody's judgements are chosen there, and runs need not be scored.
            assert command.understood.startswith(
                "With --run, rare options of scoring work here too"
            )
            assert "--assessors" in command.understood
        else:
            assert command.understood == UNDERSTOOD


def test_words_that_only_a_bundle_needs_are_understood_but_not_listed(world: Path) -> None:
    shown = foveal("evaluate", "--help").out
    assert "[once|paid|refuse|drop|repeat]" in shown
    assert "[id|file]" in shown
    assert not re.search(r"\bwaste\b|\bplace\b", shown)
    refused = foveal(*SCORING["evaluate"].split(), "--ties", "no", folder=world)
    assert (refused.code, "--ties must be id or file, got 'no'" in refused.err) == (2, True)
