"""What a shell gets when somebody presses the tab key, by click's protocol."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tools.completion import completion_names

from foveal.choices import Form, Like, Task
from foveal.cli import command_names
from foveal.cli._completion import NAMES
from foveal.measures import REGISTRY
from tests.cli.calling import foveal

FILE = ["file,"]
# What a key press cannot wait for.
HEAVY = ("numpy", "polars", "scipy", "foveal.measures", "foveal.formats", "foveal.rendering")


@pytest.fixture
def completed(monkeypatch: pytest.MonkeyPatch) -> Completed:
    return Completed(monkeypatch)


class Completed:
    """The answers to a line with the cursor at its end, as bash gets them."""

    def __init__(self, environment: pytest.MonkeyPatch) -> None:
        self.environment = environment

    def __call__(self, line: str, shell: str = "bash") -> list[str]:
        self.environment.setenv("_FOVEAL_COMPLETE", f"{shell}_complete")
        self.environment.setenv("COMP_WORDS", line)
        self.environment.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        return foveal().out.strip().splitlines()


def _plain(*words: str) -> list[str]:
    return [f"plain,{word}" for word in words]


def test_commands_are_completed(completed: Completed) -> None:
    assert completed("foveal ") == _plain(*command_names())
    assert completed("foveal st") == _plain("stability")
    assert completed("foveal assess un") == _plain("unlock")
    assert completed("foveal stability l") == _plain("leave-out")


def test_options_are_completed(completed: Completed) -> None:
    assert completed("foveal evaluate q r --per-") == _plain(
        "--per-topic", "--per-document", "--per-result"
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("evaluate --task ", list(Task)),
        ("fidelity --like ", list(Like)),
        ("gate --to j", [Form.JSON, Form.JSONL, Form.JUNIT]),
        ("evaluate -m AiP --measure gP", ["gP"]),
        ("compare q a b -m cIo", ["cIoU"]),
        ("measures Ai", ["AiP"]),
        ("evaluate --format inex", ["inex", "inex-xml"]),
        ("check --qrels-format squ", ["squad"]),
        ("convert --format squ", ["squad"]),
        ("convert --to squ", []),
        ("convert --to trec", ["trec", "trecgen", "trec-subtopics"]),
        ("assess export c --to lo", ["log"]),
        ("compare --test tu", ["tukey", "tukey-rand"]),
        ("compare --test t --figure m", ["matrix", "means"]),
        ("evaluate --figure t", ["topics"]),
        ("stability pool --figure ", ["curves", "depths", "swaps"]),
    ],
)
def test_values_are_completed(completed: Completed, line: str, words: list[str]) -> None:
    assert completed(f"foveal {line}") == _plain(*words)


@pytest.mark.parametrize(
    "line", ["evaluate ", "evaluate q.qrels --top 3 ", "trec_eval -q ", "index docs -o ", "assess serve "]
)  # fmt: skip
def test_free_text_is_left_to_the_shell_as_a_file(completed: Completed, line: str) -> None:
    assert completed(f"foveal {line}") == FILE


def test_other_shells_get_the_meaning_too(completed: Completed) -> None:
    assert completed("foveal evaluate -m AiP", "zsh") == ["plain", "AiP", REGISTRY["AiP"].title]
    for shell in ("bash", "zsh", "fish"):
        completed.environment.setenv("_FOVEAL_COMPLETE", f"{shell}_source")
        assert "_FOVEAL_COMPLETE" in foveal().out


def test_completing_leaves_the_commands_as_they_are(completed: Completed) -> None:
    completed("foveal compare --top 3 --test t -m A")
    monkeypatch = completed.environment
    monkeypatch.delenv("_FOVEAL_COMPLETE")
    answer = foveal("compare", "q", "a", "b", "--test", "no-such-test")
    assert (answer.code, "no-such-test" in answer.err) == (2, True)


@pytest.mark.parametrize(
    "line", ["foveal evaluate -m A", "foveal compare q a b --test t --top 3 --figure m"]
)
def test_nothing_heavy_is_loaded(line: str) -> None:
    words = line.split(" ")
    code = f"""
import os, sys
os.environ |= dict(_FOVEAL_COMPLETE="bash_complete", COMP_WORDS={line!r}, COMP_CWORD="{len(words) - 1}")
from foveal.cli import main
try:
    main([])
finally:
    print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("plain,")
    assert done.stderr == "[]\n"


def test_the_names_are_those_of_the_records() -> None:
    assert NAMES.read_text(encoding="utf-8") == completion_names(), "run `make docs`"
    assert set(REGISTRY) <= set(json.loads(completion_names())["measures"])


def test_help_says_how_to_switch_it_on() -> None:
    shown = foveal("--help").out
    for line in (
        'bash   eval "$(_FOVEAL_COMPLETE=bash_source foveal)"',
        'zsh    eval "$(_FOVEAL_COMPLETE=zsh_source foveal)"',
        "fish   _FOVEAL_COMPLETE=fish_source foveal | source",
    ):
        assert f"    {line}\n" in shown
