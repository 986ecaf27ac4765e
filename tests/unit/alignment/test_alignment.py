"""What laying a run over the judgements works out, and when."""

from __future__ import annotations

import pytest

from foveal.choices import Overlap
from foveal.conventions import Choices
from foveal.errors import OverlapFound
from foveal.evaluation import Evaluation
from foveal.tables import Qrels, Run
from tests.inex import inex_run

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


def test_a_whole_document_of_unknown_length_overlaps_its_parts() -> None:
    qrels = Qrels.from_dicts([{"topic": "1", "doc": "d1", "highlights": [[10, 40]]}])
    whole: dict[str, object] = {"topic": "1", "doc": "d1"}
    rows = [whole, {**whole, "start": 0, "end": 5}]
    evaluation = Evaluation.of(qrels, ["AP"], Choices(overlap=Overlap.REFUSE))
    with pytest.raises(OverlapFound, match="overlaps an earlier part of document 'd1'"):
        evaluation.aligned(inex_run(rows))
