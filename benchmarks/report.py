"""The report of a large campaign: what it takes beyond scoring, how large it is, how fast it sorts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

from benchmarks._measured import foveal, measured
from benchmarks._worlds import write_inex_qrels, write_inex_run
from tests.shared import installed_browser

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
    """What was measured, the figure, the target."""
    files = write_world(folder)
    asked = [word for name in MEASURES for word in ("-m", name)]
    page = folder / "report.html"
    scoring = measured(foveal("evaluate", *files, *asked, "--to", "json"), repeats=2)
    whole = measured(foveal("report", *files, *asked, "-o", str(page)), repeats=2)
    beyond = whole.processor - scoring.processor
    label = f"report, {RUNS} runs × {TOPICS} topics × {len(MEASURES)} measures, beyond scoring"
    yield label, f"{beyond:.2f} s", "≤ 1 s of processor"
    yield "… scoring alone", f"{scoring.processor:.2f} s", ""
    yield "… size", f"{page.stat().st_size / 1e6:.2f} MB", "≤ 3 MB"
    path = installed_browser()
    if path is None:
        yield "… in the browser", "no chromium", ""
        return
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield from _in_the_browser(browser.new_page(), page)
        browser.close()


def _in_the_browser(opened: Page, page: Path) -> Iterator[tuple[str, str, str]]:
    opened.goto(page.as_uri())
    nodes = opened.evaluate("document.querySelectorAll('*').length")
    yield "… nodes", f"{nodes:,}", "≤ 5,000"
    yield "… slowest sort of the leaderboard", f"{opened.evaluate(SORTED):.0f} ms", "≤ 100 ms"


def write_world(folder: Path) -> list[str]:
    """Judgements and runs of different quality, as files."""
    rng = np.random.default_rng(2009)
    qrels = folder / "report.qrels"
    write_inex_qrels(qrels, rng, topics=TOPICS)
    runs = [folder / f"run{number:02d}.fol" for number in range(RUNS)]
    for run, judged in zip(runs, np.linspace(0.2, 0.8, RUNS), strict=True):
        write_inex_run(run, rng, topics=TOPICS, judged=float(judged))
    return [str(qrels), *map(str, runs)]
