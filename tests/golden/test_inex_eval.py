"""The official INEX program, inex_eval 3.1, printed these numbers.

Two sets of inputs: small ones of our own, in `own/`, and the real judgements of 2009 and 2010.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.cli.calling import foveal
from tests.shared import needs, shared

pytestmark = pytest.mark.usefixtures("scanner")

OWN = Path(__file__).parent / "own"
REAL = shared("data", "inex")
ENDING = ".inex_eval-3.1.txt"
RANKS = (1, 2, 3, 5, 10, 25, 50)
# The program's -i has no task of ours: it is Relevant in Context with another document score.
TOLERANCE = [
    "num_q", "num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size",
    *(name for rank in RANKS for name in (f"gP(S=t2i)@{rank}", f"gR@{rank}")),
    "AgP(S=t2i)",
    *(f"igP(S=t2i)[{level / 10:.2f}]" for level in range(11)),
]  # fmt: skip

Line = tuple[str, str]


@dataclass(frozen=True)
class Report:
    """What the official program printed, and how foveal is asked for the same."""

    folder: Path
    expected: str
    run: str
    task: str
    words: tuple[str, ...] = ()
    qrels: str = "inex.qrels"

    def theirs(self) -> str:
        """The official program's output."""
        data = (self.folder / self.expected).read_bytes()
        return (gzip.decompress(data) if self.expected.endswith(".gz") else data).decode()

    def ours(self) -> str:
        """foveal's output."""
        answer = foveal(
            "evaluate", self.qrels, self.run, "--task", self.task, *self.words,
            "--like", "inex_eval", "--per-topic", "--to", "inex", folder=self.folder,
        )  # fmt: skip
        assert answer.code == 0, answer.err
        return answer.out


def _own(name: str, run: str, task: str, *words: str) -> Report:
    return Report(OWN, f"{name}{ENDING}", f"{run}.fol", task, words)


def _real(task: str, qrels: str = "inex2009-2010.qrels.gz") -> Report:
    return Report(REAL, f"{task}.expected.txt.gz", f"{task}.run.gz", task, (), qrels)


OWN_REPORTS = {
    "focused": _own("focused", "focused", "focused"),
    "focused-all": _own("focused-all", "focused", "focused", "--topics", "judged"),
    "thorough": _own("thorough", "thorough", "thorough"),
    "ric": _own("ric", "ric", "ric"),
    "ric-all": _own("ric-all", "ric", "ric", "--topics", "judged"),
    "bic": _own("bic", "bic", "bic"),
    "t2i": _own("t2i", "ric", "ric", *(word for name in TOLERANCE for word in ("-m", name))),
}
REAL_REPORTS = {
    "focused": _real("focused"),
    "ric": _real("ric"),
    "bic": _real("bic", "inex2009-2010-bep.qrels.gz"),
}
# Sums of ranked parts are taken in another order; sums of documents in the same one.
EXACT = ("ric", "ric-all", "bic", "t2i")

REPORTS = [
    *(pytest.param(report, id=f"own-{name}") for name, report in OWN_REPORTS.items()),
    *(
        pytest.param(report, id=f"real-{name}", marks=needs(REAL))
        for name, report in REAL_REPORTS.items()
    ),
]


def _values(text: str) -> Iterator[tuple[Line, float]]:
    for line in text.splitlines():
        if not line.startswith(("<eval", "</eval")):
            measure, topic, value = line.split()
            yield (measure, topic), float(value)


@pytest.mark.parametrize("report", REPORTS)
def test_every_line_of_the_official_program_is_reproduced(report: Report) -> None:
    ours, theirs = list(_values(report.ours())), list(_values(report.theirs()))
    assert [name for name, _ in ours] == [name for name, _ in theirs]
    assert len(theirs) > (250 if report.folder == OWN else 2000)
    for (name, mine), (_, official) in zip(ours, theirs, strict=True):
        assert mine == pytest.approx(official, abs=1e-12), name


@pytest.mark.parametrize("report", REPORTS)
def test_the_lines_look_like_the_official_ones(report: Report) -> None:
    ours, theirs = report.ours().splitlines(), report.theirs().splitlines()
    pairs = list(zip(ours[1:], theirs[1:], strict=True))
    assert all(mine.rsplit("\t", 1)[0] == theirs.rsplit("\t", 1)[0] for mine, theirs in pairs)
    # Values may differ in their last digit, as sums are taken in another order.
    assert sum(mine == theirs for mine, theirs in pairs) > 0.8 * len(pairs)


@pytest.mark.parametrize("name", EXACT)
def test_every_byte_of_the_reports_on_documents_is_reproduced(name: str) -> None:
    assert OWN_REPORTS[name].ours() == OWN_REPORTS[name].theirs()


def test_every_report_of_the_official_program_is_held_against_ours() -> None:
    there = {path.name for path in OWN.glob(f"*{ENDING}")}
    assert there == {report.expected for report in OWN_REPORTS.values()}


@pytest.mark.parametrize(("name", "score"), [("ric", "F"), ("bic", "bep"), ("t2i", "t2i")])
def test_rows_of_documents_average_to_what_the_official_program_printed(
    name: str, score: str
) -> None:
    report = OWN_REPORTS[name]
    answer = foveal(
        "evaluate", report.qrels, report.run, "--task", report.task, "--like", "inex_eval",
        "--per-document", "--to", "jsonl", folder=report.folder,
    )  # fmt: skip
    rows: dict[str, list[float]] = {}
    for row in map(json.loads, answer.out.splitlines()):
        rows.setdefault(row["topic"], []).append(row[score])
    official = dict(_values(report.theirs()))
    assert {topic for _, topic in official} == {*rows, "all"}
    for topic, scores in rows.items():
        assert len(scores) == official["num_ret", topic]
        for rank in RANKS:
            # Beyond the end of a list the program keeps the last value.
            first = scores[:rank]
            assert sum(first) / len(first) == pytest.approx(official[f"gP[{rank}]", topic]), topic
