"""Runs that stay in their files: they are scored block by block, and never read whole without need."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

import foveal
from foveal.conventions import Choices
from foveal.evaluation import Evaluation
from foveal.formats import opened_run
from foveal.tables import StoredResults
from tests.shared import needs_compiled

pytestmark = needs_compiled()
LINES = "".join(
    f"{topic} Q0 d{rank} {rank} {9 - rank} t\n" for topic in (1, 2) for rank in (1, 2, 3)
)


def _read_whole() -> NoReturn:
    raise AssertionError("the run was read whole")


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "P@5", "bpref", "RBP"])
def test_scoring_reads_no_run_whole(measure: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.run"
    path.write_text(LINES)
    qrels = foveal.Qrels.from_dict({"1": {"d2": 1, "d9": 0}, "2": {"d1": 2}, "3": {"d1": 1}})
    evaluation = Evaluation.of(qrels, [measure], Choices())
    with opened_run(str(path)) as run:
        assert isinstance(run.rows, StoredResults)
        stored = replace(run, rows=replace(run.rows, read_all=_read_whole))
        scores = evaluation.score(stored)
    expected = foveal.evaluate(qrels, foveal.read_run(path), measure).values[0]
    assert scores.values.tolist() == expected.values.tolist()
    assert scores.notes == expected.notes
