"""Files of the demo's world, for `foveal demo` and `foveal assess try`."""

from __future__ import annotations

import json
import shlex
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from foveal.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foveal.studies import ChunkCorner, DemoWorld

SEED = 2007
README_NAME = "README.txt"


def invented_world() -> DemoWorld:
    """The demo's world, which is always the same."""
    import numpy as np

    from foveal.studies import demo_world

    return demo_world(np.random.default_rng(SEED))


def demo_folder(folder: str, first_line: str) -> Path:
    """Path of a folder that is new, empty, or was made by the same command, as its README says."""
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise UsageError(f"{folder} is a file: give a folder")
    if path.is_dir() and any(path.iterdir()) and not _is_demo(path, first_line):
        raise UsageError(f"{folder} contains other files: give a new folder")
    return path


def _is_demo(folder: Path, first_line: str) -> bool:
    readme = folder / README_NAME
    return readme.is_file() and readme.read_text(encoding="utf-8").startswith(first_line)


def write_articles(world: DemoWorld, folder: Path, readme: str) -> None:
    """Write the articles, the topics and the judgements."""
    from foveal.formats import write_qrels

    # An earlier demo may have left runs of other names, and an index, which is never overwritten.
    for name in ("runs", "demo.index", "rag"):
        shutil.rmtree(folder / name, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    # Written first, so that an interrupted demo is recognised as ours.
    (folder / README_NAME).write_text(readme, encoding="utf-8")
    (folder / "articles").mkdir(exist_ok=True)
    for article in world.articles:
        (folder / "articles" / f"{article.id}.xml").write_text(article.xml, encoding="utf-8")
    topics = "".join(f"{topic.id}\t{topic.title}\n" for topic in world.topics)
    (folder / "topics.tsv").write_text(topics, encoding="utf-8")
    write_qrels(world.qrels, folder / "demo.qrels", "inex")


def write_runs(world: DemoWorld, folder: Path, elements: str) -> None:
    """Write the runs: elements by path, as text or XML, and all others by offsets."""
    from foveal.collection import open_index
    from foveal.formats import write_run
    from foveal.rules import as_elements

    (folder / "runs").mkdir(exist_ok=True)
    index = open_index(elements)
    for run in world.runs:
        path = folder / "runs" / run.name
        if run.name.startswith(("elements-", "overlapping")):
            write_run(as_elements(run, index)[0], path.with_suffix(".inex"), paths=True)
        elif run.name.startswith("parts-"):
            write_run(as_elements(run, index)[0], path.with_suffix(".xml"), paths=True)
        else:
            write_run(run, path.with_suffix(".fol"))


def write_corner(corner: ChunkCorner, folder: Path) -> None:
    """Write plain documents, questions, gold evidence, and runs of chunks."""
    from foveal.formats import write_run

    for name in ("docs", "runs"):
        (folder / name).mkdir(parents=True)
    for document, text in corner.documents.items():
        (folder / "docs" / f"{document}.txt").write_text(text, encoding="utf-8")
    questions = "".join(f"{question.id}\t{question.title}\n" for question in corner.questions)
    (folder / "questions.tsv").write_text(questions, encoding="utf-8")
    gold = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in corner.evidence)
    (folder / "gold.jsonl").write_text(gold, encoding="utf-8")
    for run in corner.runs:
        write_run(run, folder / "runs" / f"{run.name}.jsonl")


def perform(command: click.Command, args: Sequence[str], pattern: str = "*") -> None:
    """Run a command and show how to type it; several runs are shown as a pattern."""
    runs = [word for word in args if Path(word).parent.name == "runs"]
    typed = [shlex.quote(word) for word in args if len(runs) == 1 or word not in runs]
    if len(runs) > 1:
        typed.insert(2, f"{shlex.quote(str(Path(runs[0]).parent))}/{pattern}")
    click.echo(f"$ foveal {' '.join(typed)}\n")
    # A check that finds errors raises its exit code.
    with suppress(SystemExit):
        command.main(list(args[1:]), standalone_mode=False, obj=args)
    click.echo()
