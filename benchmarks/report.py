"""The report of a large campaign: what it takes beyond scoring, how large it is, how fast it sorts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright
from tests.shared import installed_browser

from benchmarks._worlds import write_inex_qrels, write_inex_run
from foveal.choices import Task
from foveal.conventions import Choices, Testing
from foveal.evaluation import Evaluation
from foveal.formats import read_qrels, read_run
from foveal.reports import RunSummaryTask, report_of_runs
from foveal.reports.report import RunSummary
from foveal.rules import task_findings
from foveal.tables import Qrels

RUNS, TOPICS = 79, 120
MEASURES = ["AiP", "iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "charP", "charR", "charF"]
SORTED = """() => {
  const taken = [...document.querySelectorAll("#board button")].map(button => {
    const started = performance.now();
    button.click();
    document.body.getBoundingClientRect();
    return performance.now() - started;
  });
  return Math.max(...taken);
}"""


def figures(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Rows: the subject measured, its figure and the target."""
    judgements, runs = write_world(folder)
    qrels = read_qrels(judgements)
    evaluation = Evaluation.of(qrels, MEASURES, Choices.of({}))
    seconds, summaries = _summarised(evaluation, qrels, runs)
    page = folder / "report.html"
    drawing = _seconds(lambda: report_of_runs(evaluation, qrels, summaries, Testing()).save(page))
    scoring, checking, looking = seconds
    yield (
        f"{RUNS} runs × {TOPICS} topics × {len(MEASURES)} measures, scoring",
        f"{scoring:.2f} s",
        "",
    )
    yield "… checking, as `foveal check` does", f"{checking:.2f} s", ""
    yield "… curves and recall over characters read", f"{looking:.2f} s", ""
    yield "… comparing and drawing", f"{drawing:.2f} s", ""
    label = "report, processor beyond scoring and checking"
    yield label, f"{looking + drawing:.2f} s", "≤ 1 s"
    yield "… size", f"{page.stat().st_size / 1e6:.2f} MB", "≤ 3 MB"
    path = installed_browser()
    if path is None:
        yield "… in the browser", "no chromium", ""
        return
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield from _in_the_browser(browser.new_page(), page)
        browser.close()


def _summarised(
    evaluation: Evaluation, qrels: Qrels, runs: Sequence[Path]
) -> tuple[tuple[float, float, float], list[RunSummary]]:
    """Seconds of scoring, of checking and of the rest of the summaries; and the summaries."""
    scoring = checking = all_at_once = 0.0
    summarise, summaries = RunSummaryTask(evaluation, qrels), []
    for path in runs:
        # A separate run for each, as runs cache what was computed from them.
        first, second, third = (read_run(path) for _ in range(3))
        scoring += _seconds(lambda run=first: evaluation.scored(evaluation.aligned(run)))  # type: ignore[misc]
        checking += _seconds(lambda run=second: task_findings(run, qrels, Task.FOCUSED))  # type: ignore[misc]
        all_at_once += _seconds(lambda run=third: summaries.append(summarise(run)))  # type: ignore[misc]
    return (scoring, checking, all_at_once - scoring - checking), summaries


def _seconds(work: Callable[[], object]) -> float:
    """Of the processor, because what else runs on the machine must not decide."""
    started = time.process_time()
    work()
    return time.process_time() - started


def _in_the_browser(opened: Page, page: Path) -> Iterator[tuple[str, str, str]]:
    opened.goto(page.as_uri())
    nodes = opened.evaluate("document.querySelectorAll('*').length")
    yield "… nodes", f"{nodes:,}", "≤ 5,000"
    yield "… slowest sort of the leaderboard", f"{opened.evaluate(SORTED):.0f} ms", "≤ 100 ms"


def write_world(folder: Path) -> tuple[Path, list[Path]]:
    """Judgements and runs of different quality, as files."""
    rng = np.random.default_rng(2009)
    qrels = folder / "report.qrels"
    write_inex_qrels(qrels, rng, topics=TOPICS)
    runs = [folder / f"run{number:02d}.fol" for number in range(RUNS)]
    for run, judged in zip(runs, np.linspace(0.2, 0.8, RUNS), strict=True):
        write_inex_run(run, rng, topics=TOPICS, judged=float(judged))
    return qrels, runs
