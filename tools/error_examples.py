"""An example of each error: something that really raises it, and what to do about it."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from tests.cli.calling import Answer, foveal, foveal_process

from foveal import errors, evaluate
from foveal.assess import Event
from foveal.cli._main import cli
from foveal.work import streamed

# Small files, which the commands below are given.
FILES = {
    "judged.qrels": "1 Q0 a 20 100 10 10:20\n",
    "grades.qrels": "1 0 a 1\n",
    "gold.jsonl": '{"topic": "1", "doc": "a", "highlights": [[10, 30]]}\n',
    "aspects.jsonl": '{"topic": "1", "doc": "a", "aspects": ["price"]}\n',
    "mine.fol": "1 Q0 a 1 1 mine 0 30\n",
    "odd.fol": "1 Q0 a 1 2 mine 0 30\n1 Q0 b 2 high mine 5 10\n",
    "twice.fol": "1 Q0 a 1 2 mine 0 30\n1 Q0 a 2 1 mine 20 30\n",
    "whole.run": "1 Q0 a 1 1 whole\n",
    "notes/today.txt": "Buy milk.\n",
}


@dataclass(frozen=True)
class Example:
    """An error's cause: a command, or lines of Python and a function that runs the last of them."""

    advice: str
    typed: str
    call: Callable[[], object] | None = None
    apart: bool = False
    """True if a separate process runs the command, because its threads take long to end."""


@cache
def folder() -> Path:
    """A folder with the files."""
    path = Path(mkdtemp())
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    for name, text in FILES.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_text(text, encoding="utf-8")
    return path


def example_text(error: type[errors.FovealError], example: Example) -> str:
    """The example as it is typed, and the message; refused if another error is raised."""
    if example.apart:
        return _terminal_text(error, example, foveal_process)
    with _without_converter(needed=error is not errors.MissingExtra):
        try:
            _run(example)
        except errors.FovealError as raised:
            if type(raised) is not error:
                raise
            message = f"{error.__name__}: {raised}"
        else:
            raise RuntimeError(f"{error.__name__} was not raised by {example.typed}")
        if example.call:
            return f"{example.typed}\n{message}"
        return _terminal_text(error, example, foveal)


def _terminal_text(
    error: type[errors.FovealError], example: Example, run: Callable[..., Answer]
) -> str:
    """The command, its message and its exit code."""
    answer = run(*_words(example.typed), folder=folder())
    if answer.code != error.exit_code:
        raise RuntimeError(f"{example.typed}: exit code {answer.code}: {answer.err}")
    return f"$ {example.typed}\n{answer.err.rstrip()}\n$ echo $?\n{answer.code}"


def _run(example: Example) -> None:
    """Run the command or the line that raises the error."""
    if example.call:
        example.call()
    else:
        with contextlib.chdir(folder()):
            cli.main(_words(example.typed), prog_name="foveal", standalone_mode=False)


def _words(typed: str) -> list[str]:
    return typed.split()[1:]


@contextlib.contextmanager
def _without_converter(*, needed: bool) -> Iterator[None]:
    """Pretend that the converter of pictures is not installed, unless it is needed."""
    module = sys.modules.pop(CONVERTER, None)
    if not needed:
        sys.modules[CONVERTER] = None  # type: ignore[assignment]  # so that importing it fails
    try:
        yield
    finally:
        sys.modules.pop(CONVERTER, None)
        if module is not None:
            sys.modules[CONVERTER] = module


CONVERTER = "vl_convert"
SCORED = "scores = foveal.evaluate({'1': {'a': 1}}, {'1': {'b': 2.0}}, 'AP')"


def _scores() -> object:
    return evaluate({"1": {"a": 1}}, {"1": {"b": 2.0}}, "AP")


EXAMPLES: dict[type[errors.FovealError], Example] = {
    errors.UsageError: Example(
        "Read the message: it says what is missing or does not go together. `--help` lists the options.",
        "foveal evaluate judged.qrels mine.fol --figure topics",
    ),
    errors.UnknownMeasure: Example(
        "Take the suggestion, or look the name up: `foveal measures` lists all names.",
        "foveal evaluate judged.qrels mine.fol -m AiPP",
    ),
    errors.NotScored: Example(
        "Name the measure when you call `foveal.evaluate`, or look at `scores.measures` and `scores.runs`.",
        f">>> {SCORED}\n>>> scores.require({{'RR': 0.5}})",
        lambda: _scores().require({"RR": 0.5}),  # type: ignore[attr-defined]  # they are scores
    ),
    errors.BadParameter: Example(
        "`foveal measures NAME` lists the parameters of a measure with their values.",
        "foveal evaluate judged.qrels mine.fol -m gP@0",
    ),
    errors.DemandNotMet: Example(
        "Look at the topics that the message names, or lower the demand. `foveal gate` prints the same verdict"
        " and exits with 1.",
        f">>> {SCORED}\n>>> scores.require({{'AP': 0.5}})",
        lambda: _scores().require({"AP": 0.5}),  # type: ignore[attr-defined]  # likewise
    ),
    errors.DataError: Example(
        "The files are readable, but what was asked for cannot be done with them. The message says what can.",
        "foveal convert aspects.jsonl aspects.csv",
    ),
    errors.BadInput: Example(
        "Correct the lines named, or name the right format (`--format`, `--qrels-format`). `foveal check` lists"
        " every problem of a run.",
        "foveal evaluate judged.qrels odd.fol",
    ),
    errors.NoHighlights: Example(
        "Give judgements with highlighted passages, or ask for measures of documents.",
        "foveal evaluate grades.qrels mine.fol -m AiP",
    ),
    errors.NoAspects: Example(
        "Give judgements that name aspects ([Aspects and diversity](../diversity.md)).",
        "foveal evaluate judged.qrels mine.fol -m alpha_nDCG@10",
    ),
    errors.UnknownLength: Example(
        "Give the offset index (`--elements`), the texts (`--docs`), or the lengths in the judgements.",
        "foveal evaluate gold.jsonl whole.run -m charP",
    ),
    errors.OverlapFound: Example(
        "Remove the overlap (`foveal check --fix`), or say how it counts ([overlap](../reference.md#overlap)).",
        "foveal evaluate judged.qrels twice.fol --overlap refuse",
    ),
    errors.BadIndex: Example(
        "Name the folder that `foveal index` wrote. If it is damaged, or older than this version, make it"
        " again.",
        "foveal locate notes a /article",
    ),
    errors.BadCampaign: Example(
        "Name the file that `foveal assess new` wrote. If it is damaged, take your last copy of it, or bring a"
        " log into a new campaign (`foveal assess import`).",
        "foveal assess status judged.qrels",
    ),
    errors.RefusedEvent: Example(
        "The page for assessors shows the reason, and reloading it shows what the campaign has. In Python,"
        " `status` is the code of HTTP.",
        ">>> foveal.assess.Event.of({'id': 'event-0001', 'kind': 'applaud'}, assessor='ann')",
        lambda: Event.of({"id": "event-0001", "kind": "applaud"}, assessor="ann"),
    ),
    errors.MissingFile: Example(
        "Check the name and your rights. A file that cannot be written is reported likewise, and nothing is"
        " left half-written.",
        "foveal evaluate nothing.qrels mine.fol",
    ),
    errors.ClusterUnreachable: Example(
        "Start the scheduler, and give its address with the port, as in `tcp://host:8786`.",
        "foveal evaluate judged.qrels mine.fol --cluster 127.0.0.1",
        apart=True,
    ),
    errors.MissingExtra: Example(
        "Install the extra that the message names ([extras](environment.md#extras)).",
        "foveal evaluate judged.qrels mine.fol -m AiP --figure topics -o topics.png",
    ),
    errors.WorkerLost: Example(
        "Give fewer `--jobs`: each needs memory of its own. Files that were finished are there.",
        ">>> list(foveal.work.streamed(os._exit, [1], jobs=2, cluster=None))",
        lambda: list(streamed(os._exit, [1], jobs=2, cluster=None)),
    ),
}  # fmt: skip
