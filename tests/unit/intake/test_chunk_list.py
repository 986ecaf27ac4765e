from __future__ import annotations

import json
from pathlib import Path

import pytest

import foveal
from foveal.errors import BadInput

Row = dict[str, object]
PLACED: list[Row] = [{"doc": "a", "start": 3, "end": 9}]


@pytest.mark.parametrize(
    "rows",
    [
        PLACED,
        [{"source": "a", "start_index": 3, "end_index": 9}],
        [{"doc": "a", "offset": 3, "length": 6}],
        [{"doc": "a", "start": 3.0, "end": "9"}],
    ],
)
def test_chunks_have_the_names_of_frameworks(rows: list[Row], tmp_path: Path) -> None:
    path = tmp_path / "chunks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for given in (rows, path):
        assert foveal.read_chunks(given).frame.rows() == [("a", 3, 9)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no chunks"),
        ('{"doc": "a", "start": 3.7, "end": 9}\n', "start is 3.7, not a whole number"),
        ('{"doc": "a", "start": "x", "end": 9}\n', "start is 'x', not a whole number"),
        ('{"doc": "a", "start": 3}\n', "a chunk with neither text nor start and end"),
        ('{"start": 3, "end": 9}\n', "no column 'doc' (found: start, end)"),
        (
            '{"doc": "a", "start_pos": 3, "end_pos": 9}\n',
            "no columns 'start' and 'end' (found: doc, start_pos, end_pos): rename 'start_pos' to"
            " 'start' and 'end_pos' to 'end'?",
        ),
    ],
)
def test_a_chunk_list_that_cannot_be_read_is_refused(
    text: str, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "chunks.jsonl"
    path.write_text(text)
    with pytest.raises(BadInput) as refused:
        foveal.read_chunks(path)
    assert [problem.reason for problem in refused.value.problems] == [reason]
