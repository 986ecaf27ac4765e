"""The figures of the documentation: each drawn by the command that the page shows."""

from __future__ import annotations

import atexit
import json
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from tests.cli.calling import foveal

from foveal import Qrels, read_documents, read_qrels, write_qrels
from foveal.assess import varied_spans
from foveal.formats import QRELS_FORMATS
from tools.making import DRAWINGS
from tools.pages import demo

FOLDER = "images/figures"
# Elements as offsets, so that the commands on the page are short and need no index.
CONVERTED = "foveal convert runs/elements-* runs/pa* fol --to inex --elements demo.index"
RUNS = "demo.qrels fol/*"
STUDY = f"{RUNS} -m AiP -m 'iP[0.01]'"
LAB = "demo.qrels --elements demo.index"
# The second assessor misses the text of every document of this number.
MISSES = 7


@dataclass(frozen=True)
class Drawing:
    """A figure: the command that has it, on which files and with which options, and how to read it."""

    command: str
    figure: str
    words: str
    look: str

    @property
    def name(self) -> str:
        """The name of the file."""
        return f"{self.command.replace(' ', '-')}-{self.figure}.svg"

    @property
    def typed(self) -> str:
        """The command as it is typed in the demo's folder."""
        words = f"{self.command} {self.words}".rstrip()
        return f"foveal {words} --figure {self.figure} -o {self.name}"

    def draw(self) -> bytes:
        """The picture, drawn by that command."""
        _run(self.typed, world())
        return (world() / self.name).read_bytes()


def _run(typed: str, folder: Path) -> None:
    """Run a command in a folder, without its output."""
    words = [name for word in typed.split()[1:] for name in _expanded(word, folder)]
    answer = foveal(*words, folder=folder)
    if answer.code:
        raise RuntimeError(f"{typed}: {answer.err}")


def _expanded(word: str, folder: Path) -> list[str]:
    """The words that a shell expands a word to."""
    if "*" not in word:
        return [word.strip("'")]
    return sorted(str(path.relative_to(folder)) for path in folder.glob(word))


@cache
def world() -> Path:
    """A folder with the demo's files and the judgements of two assessors."""
    folder = Path(mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copytree(demo(), folder, dirs_exist_ok=True)
    _run(CONVERTED, folder)
    shutil.copy(folder / "demo.qrels", folder / "ann.qrels")
    write_qrels(_second_opinion(folder), folder / "bob.qrels", "inex")
    return folder


def _second_opinion(folder: Path) -> Qrels:
    """The demo's judgements with passages that are a sentence longer or shorter, and some missing."""
    texts = read_documents(str(folder / "articles"))
    first = QRELS_FORMATS["jsonl"].written(read_qrels(folder / "demo.qrels"), None).decode()
    rows: list[dict[str, Any]] = [json.loads(line) for line in first.splitlines()]
    for turn, row in enumerate(rows):
        spans = [] if turn % MISSES == 0 else row["highlights"]
        row["highlights"] = varied_spans(texts[row["doc"]], spans, turn)
        row["entry"] = None
    return Qrels.from_dicts(rows)


ALL = [
    Drawing(
        "evaluate", "curves-11", RUNS,
        "A line that starts high and falls early is a run that is right at the top and then stops; one that"
        " starts lower and falls slowly finds more in the end. Where two lines cross, the better run depends"
        " on how far one reads.",
    ),
    Drawing(
        "evaluate", "curves-101", RUNS,
        "The same at the 101 levels over which AiP is averaged. Choose it to see what happens at early levels"
        " such as 0.01.",
    ),
    Drawing(
        "evaluate", "topics", f"{RUNS} -m AiP",
        "Rows are runs, the best on top; columns are topics, the easiest on the left. A light cell in a dark"
        " row is a topic on which a good run fails: look at it with `foveal explain`.",
    ),
    Drawing(
        "compare", "matrix", f"{RUNS} -m AiP",
        "A dark cell says that the run of the row is significantly better than the run of the column. Light"
        " cells are pairs that the test does not tell apart: claim no order for these.",
    ),
    Drawing(
        "compare", "means", f"{RUNS} -m AiP",
        "Open dots are significantly worse than the best run. Overlapping intervals do not show that two runs"
        " are alike: the test compares them topic by topic.",
    ),
    Drawing(
        "compare", "differences", f"{RUNS} -m AiP",
        "A few tall bars: the difference of the means hangs on a few topics. Many bars on one side: a steady"
        " advantage. `--pair RUN RUN` chooses the runs.",
    ),
    Drawing(
        "compare", "p-values", f"{RUNS} -m AiP -m 'iP[0.01]' -m charF",
        "One line per measure, over all pairs of runs. The sooner a line drops below α, the more pairs the"
        " measure tells apart. No line can fall below 1 / (resamples + 1): more `--resamples` lower that"
        " floor.",
    ),
    Drawing(
        "compare", "budget",
        "rag/gold.jsonl rag/runs/*.jsonl --task rag --budgets 500,1000,2000,4000",
        "Recall over how much a reader, or a prompt, takes in. Compare the runs at the budget that you have.",
    ),
    Drawing(
        "agree", "scatter", f"{RUNS} -m AiP -m 'iP[0.01]'",
        "The dashed line joins the means of equal rank. A run on it has the same rank by both measures; the"
        " measures disagree about a run that is far from it.",
    ),
    Drawing(
        "fidelity", "lattice", f"{LAB} -m AgP",
        "Better runs are above worse ones. Dashed red arrows are orderings that the measure gets wrong; grey"
        " ones it does not see. [Fidelity](../fidelity.md) explains the names.",
    ),
    Drawing(
        "fidelity", "curves", LAB,
        "The perfect run, S.R, is at 1 everywhere. The lower another line, the more the measure takes off for"
        " that choice of parts.",
    ),
    Drawing(
        "fidelity", "responses", f"{LAB} -m AiP -m AgP --noise --samples 2",
        "A good measure falls steadily as noise grows. A flat line means that the measure does not notice"
        " this kind of error.",
    ),
    Drawing(
        "stability pool", "curves", STUDY,
        "All passages are on the left, fewer to the right. While a line stays above 0.9, the rankings count as"
        " the same. Bars are the spread over samples.",
    ),
    Drawing(
        "stability topics", "curves", STUDY,
        "The same for fewer topics. The line that stays high longest belongs to the measure that needs the"
        " fewest topics.",
    ),
    Drawing(
        "stability error-rate", "curves", STUDY,
        "How often two runs change places between two samples of so many topics. Look for the number of topics"
        " beyond which the line stays below 5 %.",
    ),
    Drawing(
        "stability depth", "depths", STUDY,
        "How deep must a pool be? Look for the depth beyond which the line stays above 0.9.",
    ),
    Drawing(
        "stability swap", "swaps", STUDY,
        "Read it from the right: how far apart must two means be for changes of place to be rarer than 5 %? A"
        " smaller difference between two runs may be chance.",
    ),
    Drawing(
        "assess agree", "topics", "ann.qrels bob.qrels",
        "α is 1 where assessors agree in everything and 0 where they agree as by chance. Talk about the topics"
        " at the bottom: assessors understand them differently.",
    ),
]  # fmt: skip
DRAWINGS[FOLDER] = {drawing.name: drawing.draw for drawing in ALL}
