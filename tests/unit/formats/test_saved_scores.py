"""Saved scores are read back as they were, and whatever else a file holds is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import foveal
from foveal.errors import BadInput, UsageError
from foveal.formats import has_scores

QRELS = {"1": {"a": 1}, "2": {"b": 1}}
ROWS = [{"topic": "1", "doc": "a", "score": 1, "ms": 5}, {"topic": "1", "doc": "b", "score": 0}]


def saved(folder: Path, **changes: Any) -> Path:
    scores = foveal.evaluate(QRELS, {"mine": ROWS}, ["AP", "ESL"], also="ms")
    document = json.loads(foveal.render(scores, to="json", per_topic=True)) | changes
    path = folder / "scores.json"
    path.write_text(json.dumps(document))
    return path


def test_scores_are_read_back_as_they_were(tmp_path: Path) -> None:
    scores = foveal.evaluate(QRELS, {"mine": ROWS}, ["AP", "ESL"], also="ms")
    path = saved(tmp_path)
    back = foveal.read_scores(path)
    assert has_scores(path)
    assert back.columns == scores.columns == ["AP", "ESL", "ms"]
    assert (back.measures, back.runs) == (scores.measures, scores.runs)
    assert back.topics.equals(scores.topics)
    assert back.overall.equals(scores.overall)
    assert back.settings == scores.settings
    assert back.inputs.qrels_sha256 == scores.inputs.qrels_sha256
    assert foveal.gate(scores, baseline=back)
    assert foveal.gate(back, {"ESL": 1.0}, baseline=scores)
    assert back["map"] == scores["AP"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"settings": []}, "settings must be an object of texts"),
        ({"settings": {"rel": 1}}, "settings must be an object of texts"),
        ({"rows": {}}, "rows must be a list of objects"),
        ({"rows": float("nan")}, "rows must be a list of objects"),
        ({"rows": []}, "no scores"),
        ({"rows": [1]}, "rows must be a list of objects"),
        (
            {"rows": [{"run": "a", "measure": "AP", "topic": "1"}]},
            "no scores: scores have the columns",
        ),
        (
            {"rows": [{"run": 1.5, "measure": "AP", "topic": "1", "value": 1}]},
            "row 1: run is 1.5, not an identifier",
        ),
        (
            {"rows": [{"run": "a", "measure": "AP", "topic": "1", "value": True}]},
            "row 1: value is True, not a finite number",
        ),
        (
            {"rows": [{"run": "a", "measure": "AP", "topic": "1", "value": 10**400}]},
            "not a finite number",
        ),
        (
            {"rows": [{"run": "a", "measure": "AP", "topic": "1", "value": 1}] * 2},
            "row 2: AP of run 'a' on topic '1' is there a second time",
        ),
        (
            {"rows": [{"run": "a", "measure": "AP", "topic": "all", "value": 1}]},
            "no scores of topics: save them with --per-topic, or as JSON",
        ),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    path = saved(tmp_path, **changes)
    with pytest.raises(BadInput) as error:
        foveal.read_scores(path)
    assert f"scores.json: {reason}" in str(error.value) or reason in str(error.value)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", "{}", '{"topic": "1"}\n{"topic": "2"}\n', "1 Q0 a 1 2.0 tag\n",
             "[" * 100_000],
)  # fmt: skip
def test_other_files_are_not_scores(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises((BadInput, UsageError)):
        foveal.read_scores(path)
    if text:
        assert not has_scores(path)
