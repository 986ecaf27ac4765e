"""foveal demo: a small world to try everything on."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from foveal.cli import check, compare, evaluate, explain, index, report
from foveal.cli._demo_files import (
    demo_folder,
    invented_world,
    perform,
    write_articles,
    write_corner,
    write_runs,
)
from foveal.errors import MissingExtra, MissingFile

PLACE_IN_LISTS = 140
FIRST_LINE = "A small world made by `foveal demo`. Everything in it is invented.\n"
README = f"""{FIRST_LINE}
articles/      XML documents; offsets count the characters of their text
demo.index/    the offset index: where every element begins and ends (`foveal index`)
topics.tsv     topic and title
demo.qrels     topic Q0 document highlighted-characters length entry offset:length ...
runs/*.fol     topic Q0 document rank score run offset length
runs/*.inex    topic Q0 document rank score run path-of-an-element
runs/*.xml     the same as an INEX submission

rag/           the same question for RAG: which chunks hold the text that answers?
  docs/*.txt      plain text documents
  questions.tsv   topic and question
  gold.jsonl      each sentence that answers: topic, doc, start, end, text
  runs/*.jsonl    the chunks that BM25 found, from three ways of cutting the documents

report.html    everything about runs/*-* on one page (`foveal report`; pip install "foveal[report]")
"""
SHOWN_FINDINGS = 3
REPORTED = "*-*"
REPORT_MEASURES = ("AiP", "iP[0.01]", "charP", "charR", "charF")
EXPLAINED = ("q07", "guide-06")
CHUNK_MEASURES = ("recall@5", "recall@500chars", "recall@1000chars", "recall@2000chars")


@click.command()
@click.argument("folder", metavar="[DIR]", default="foveal-demo")
def command(folder: str) -> None:
    """Build a small collection, judgements and runs, and score them.

    DIR (default: foveal-demo) receives 300 XML articles and their index, 30 topics, what a
    simulated assessor highlighted in them, and 14 runs of different quality; in its folder rag,
    ten plain documents, 30 questions, the text that answers them, and what three chunkers return.
    The same files every time. It ends with a report of the runs, report.html
    (`pip install "foveal[report]"`).
    """
    path = demo_folder(folder, FIRST_LINE)
    world = invented_world()
    try:
        write_articles(world, path, README)
    except OSError as error:
        raise MissingFile(f"{folder}: cannot be written: {error}") from error
    click.echo(
        f"{folder}: {len(world.articles)} articles, {len(world.topics)} topics,"
        f" {len(world.runs)} runs\n"
    )
    elements = str(path / "demo.index")
    perform(index.command, ["index", str(path / "articles"), "-o", elements])
    try:
        write_runs(world, path, elements)
        write_corner(world.corner, path / "rag")
    except OSError as error:
        raise MissingFile(f"{folder}: cannot be written: {error}") from error
    _play(path, elements)
    _play_corner(path / "rag")
    page = _report(path, elements)
    _suggest(path, elements)
    if page is not None:
        click.echo(
            f"\nOpen {page} in a browser: it shows who is better, where, and how sure that is."
        )


def _play(folder: Path, elements: str) -> None:
    """Score the runs, then check and fix the one that returns the same text twice."""
    qrels = str(folder / "demo.qrels")
    runs = sorted(str(path) for path in (folder / "runs").iterdir())
    measures = ["AiP", "iP[0.01]", "charF", "AgP", "AgP(S=bep)", "AP"]
    flags = [word for measure in measures for word in ("-m", measure)]
    perform(evaluate.command, ["evaluate", qrels, *runs, "--elements", elements, *flags])
    click.echo(
        "The measures see the same runs differently: the three parts-* runs rank the same\n"
        "documents (their AP, whose mean is MAP, is equal) but return different text of them.\n"
        "Which runs are really better? How many pairs of runs does each measure tell apart?\n"
    )
    perform(
        compare.command,
        ["compare", qrels, *runs, "--elements", elements, "-m", "MAgP", "-m", "MAP"],
    )
    click.echo("One run returns elements inside elements, which the Focused task forbids:\n")
    overlapping, repaired = str(folder / "runs" / "overlapping.inex"), str(folder / "repaired.inex")
    rules = ["--task", "focused", "--elements", elements]
    findings = folder / "overlapping.txt"
    perform(check.command, ["check", overlapping, *rules, "-o", str(findings)])
    *lines, total = findings.read_text(encoding="utf-8").splitlines()
    click.echo("\n".join([*lines[:SHOWN_FINDINGS], "…", total, ""]))
    perform(check.command, ["check", overlapping, "--fix", "-o", repaired, *rules])
    perform(check.command, ["check", repaired, *rules])


def _play_corner(folder: Path) -> None:
    """Score chunks by the first five and within equal budgets, which puts them in another order."""
    gold, runs = str(folder / "gold.jsonl"), sorted(map(str, (folder / "runs").iterdir()))
    flags = [word for measure in CHUNK_MEASURES for word in ("-m", measure)]
    click.echo("The same for RAG: three ways of cutting documents into chunks, ranked by BM25:\n")
    perform(evaluate.command, ["evaluate", gold, *runs, "--task", "rag", *flags])
    click.echo(
        "By recall@5 the large chunks win, because five of them are most of two documents. What a\n"
        "prompt pays for is characters: within the same number of them the small chunks find most.\n"
    )
    click.echo(
        "Why does a run score what it does? What small found, missed and wasted for a question:\n"
    )
    args = ["--task", "rag", "--topic", EXPLAINED[0], "--doc", EXPLAINED[1]]
    docs = ["--docs", str(folder / "docs")]
    perform(explain.command, ["explain", gold, str(folder / "runs" / "small.jsonl"), *args, *docs])


def _report(folder: Path, elements: str) -> Path | None:
    """Write the report of the runs that a system could have made; None without its extra."""
    page = folder / "report.html"
    qrels, topics = str(folder / "demo.qrels"), str(folder / "topics.tsv")
    runs = sorted(str(path) for path in (folder / "runs").glob(REPORTED))
    click.echo("One page about all runs but the ideal one and the one with errors:\n")
    flags = [word for measure in REPORT_MEASURES for word in ("-m", measure)]
    options = [*flags, "--elements", elements, "--topics-file", topics, "-o", str(page)]
    try:
        perform(report.command, ["report", qrels, *runs, *options], pattern=REPORTED)
    except MissingExtra as error:
        click.echo(f"There is no report: {error}\n")
        return None
    return page


def _suggest(folder: Path, elements: str) -> None:
    """Say what to try next."""
    qrels, overlapping = str(folder / "demo.qrels"), str(folder / "runs" / "overlapping.inex")
    runs = sorted(str(path) for path in (folder / "runs").iterdir())
    gold, chunks = str(folder / "rag" / "gold.jsonl"), str(folder / "rag" / "runs")
    small, large = (f"{chunks}/{size}.jsonl" for size in ("small", "large"))
    click.echo("Next:")
    for arguments in (
        [
            *("evaluate", qrels, *runs[:2], "--task", "ric", "--per-topic"),
            *("--topics-file", str(folder / "topics.tsv")),
        ],
        ["convert", overlapping, str(folder / "overlapping.fol"), "--elements", elements],
        ["fidelity", qrels, "--elements", elements, "--best"],
        ["stability", "topics", qrels, *runs[:5], "--elements", elements],
        ["evaluate", qrels, runs[-1], "--per-document", "--only", "101,102"],
        ["pool", *runs[-2:], "--depth", "20", "-o", str(folder / "pool.jsonl")],
        ["assess", "try", str(folder / "assess")],
        ["locate", elements, "A001", "/article[1]/bdy[1]/sec[1]"],
        ["measures", "AgP"],
        [
            *("explain", qrels, runs[-1], "--against", runs[-2], "--topic", "101"),
            *("--docs", str(folder / "articles"), "-o", str(folder / "explain.html")),
        ],
        ["evaluate", gold, small, large, "--task", "rag"],
        ["compare", gold, small, large, "--task", "rag", "--budgets", "500,1000,2000,4000"],
        ["check", small, "--task", "rag", "--docs", str(folder / "rag" / "docs")],
    ):
        click.echo("  " + shlex.join(["foveal", *arguments]))
