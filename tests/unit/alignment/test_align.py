"""What laying a run over the judgements works out, and when."""

from __future__ import annotations

import pytest

from foveal.conventions import Choices
from foveal.measures import Evaluation
from foveal.tables import Qrels, Run

QRELS = Qrels.from_dicts([{"topic": "1", "doc": "d1", "length": 100, "highlights": [[10, 40]]}])
RUN = Run.from_dicts([{"topic": "1", "doc": "d1", "start": 0, "end": 40}])


@pytest.mark.parametrize("measure", ["AiP", "iP[0.10]", "cP@1", "cF(chars=20)", "charR"])
def test_measures_of_parts_rank_no_documents(measure: str) -> None:
    evaluation = Evaluation.of(QRELS, [measure], Choices())
    alignment = evaluation.aligned(RUN)
    evaluation.scored(alignment)
    assert "parts" in vars(alignment)
    assert "documents" not in vars(alignment)
    assert "graded" not in vars(alignment)
