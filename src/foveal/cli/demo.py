"""foveal demo: a small world to try everything on."""

from __future__ import annotations

import shlex
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import click

from foveal.cli import compare, evaluate
from foveal.errors import MissingFile, UsageError

if TYPE_CHECKING:
    from foveal.studies import DemoWorld

SEED = 2007
SIGN = "README.txt"
FIRST_LINE = "A small world made by `foveal demo`. Everything in it is invented.\n"


@click.command()
@click.argument("folder", metavar="[DIR]", default="foveal-demo")
def command(folder: str) -> None:
    """Build a small collection, judgements and runs, and score them.

    DIR (default: foveal-demo) receives 300 XML articles, 30 topics, what a simulated assessor
    highlighted in them, and 14 runs of different quality. The same files every time.
    """
    import numpy as np

    from foveal.studies import demo_world

    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise UsageError(f"{folder} is a file: name a folder")
    if place.is_dir() and any(place.iterdir()) and not _is_ours(place):
        raise UsageError(f"{folder} holds something else: name a new folder")
    world = demo_world(np.random.default_rng(SEED))
    try:
        _write(world, place)
    except OSError as error:
        raise MissingFile(f"{folder}: cannot be written: {error}") from error
    click.echo(
        f"{folder}: {len(world.articles)} articles, {len(world.topics)} topics,"
        f" {len(world.runs)} runs\n"
    )
    qrels = str(place / "demo.qrels")
    runs = sorted(str(path) for path in (place / "runs").glob("*.fol"))
    _show(evaluate, [qrels, *runs, "-m", "AiP", "-m", "iP[0.01]", "-m", "charF", "-m", "AgP",
                     "-m", "AgP(S=bep)", "-m", "AP"])  # fmt: skip
    overlapping = str(place / "runs" / "overlapping.fol")
    click.echo(
        "The measures look at the same runs with different eyes: the three parts-* runs rank the\n"
        "same documents (equal AP, the mean of which is MAP) and differ in the text they return.\n"
        "Which runs are really better? How many pairs does each of the two tell apart?\n"
    )
    _show(compare, [qrels, *runs, "-m", "MAgP", "-m", "MAP"])
    click.echo("Next:")
    for words in (
        ["evaluate", qrels, *runs[:2], "--task", "ric", "--per-topic"],
        ["check", overlapping, "--qrels", qrels, "--task", "focused"],
        ["measures", "AgP"],
    ):
        click.echo("  " + shlex.join(["foveal", *words]))


def _is_ours(place: Path) -> bool:
    sign = place / SIGN
    return sign.is_file() and sign.read_text(encoding="utf-8").startswith(FIRST_LINE)


def _write(world: DemoWorld, place: Path) -> None:
    from foveal.formats import write_qrels, write_run

    for folder in (place / "articles", place / "runs"):
        folder.mkdir(parents=True, exist_ok=True)
    (place / SIGN).write_text(
        f"{FIRST_LINE}\n"
        "articles/    XML documents; offsets count the characters of their text\n"
        "topics.tsv   topic and title\n"
        "demo.qrels   topic Q0 document highlighted-characters length entry offset:length ...\n"
        "runs/*.fol   topic Q0 document rank score run offset length\n",
        encoding="utf-8",
    )
    for article in world.articles:
        (place / "articles" / f"{article.id}.xml").write_text(article.xml, encoding="utf-8")
    topics = "".join(f"{topic.id}\t{topic.title}\n" for topic in world.topics)
    (place / "topics.tsv").write_text(topics, encoding="utf-8")
    write_qrels(world.qrels, place / "demo.qrels", "inex")
    for run in world.runs:
        write_run(run, place / "runs" / f"{run.name}.fol", "inex")


def _show(command: ModuleType, words: list[str]) -> None:
    """Run a command on the given words and show it as one would type it."""
    runs = [word for word in words if word.endswith(".fol")]
    folder = str(Path(runs[0]).parent)
    others = [shlex.quote(word) for word in words[1:] if word not in runs]
    click.echo(
        " ".join(
            [
                f"$ foveal {command.__name__.rpartition('.')[2]}",
                shlex.quote(words[0]),
                f"{shlex.quote(folder)}/*.fol",
                *others,
            ]
        )
    )
    click.echo()
    command.command.main(words, standalone_mode=False)
    click.echo()
