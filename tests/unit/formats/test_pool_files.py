"""Files of pools: what is read back, and what is wrong with a line."""

from __future__ import annotations

from pathlib import Path

import pytest

import foveal
from foveal.errors import BadInput

GOOD = '{"topic":"1","doc":"a","place":1,"runs":2,"best_rank":1,"passages":[[0,5],[5,9]]}\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "pool.jsonl"


def test_a_pool_is_read_as_it_was_written(file: Path) -> None:
    runs = [
        [{"topic": "2", "doc": 'é "x"', "start": 4, "end": 9}, {"topic": "2", "doc": "b", "start": 0, "end": 3}],
        [{"topic": "10", "doc": "b", "start": 2, "end": 2}, {"topic": "2", "doc": "b", "start": 3, "end": 8}],
    ]  # fmt: skip
    pool = foveal.pool(runs, order="random")
    foveal.write_pool(pool, file)
    again = foveal.read_pool(file)
    assert again.equals(pool)
    assert again.topics.equals(pool.topics)
    assert again.frame.schema == pool.frame.schema


def test_rows_may_come_in_any_order(file: Path) -> None:
    rows = [GOOD, GOOD.replace('"a","place":1', '"b","place":2'), GOOD.replace('"1"', '"0"')]
    file.write_text("".join(reversed(rows)))
    pool = foveal.read_pool(file)
    assert pool.frame["topic"].to_list() == ["0", "1", "1"]
    assert pool.frame["place"].to_list() == [1, 1, 2]


BROKEN = {
    "no topic": (GOOD.replace('"topic":"1",', ""), ":1: no topic"),
    "no place": (GOOD.replace('"place":1,', ""), ":1: no place"),
    "place 0": (GOOD.replace('"place":1', '"place":0'), ":1: place must be 1 or more, got 0"),
    "half a run": (GOOD.replace('"runs":2', '"runs":1.5'), ":1: runs is 1.5, not a whole number"),
    "a text": (GOOD.replace(':[[0,5],[5,9]]', ':"0:5"'), ":1: passages is '0:5', not a list"),
    "no passages": (GOOD.replace(',"passages":[[0,5],[5,9]]', ""), ":1: no passages"),
    "no pairs": (GOOD.replace("[0,5]", "[0,5,6]"), ":1: passages must be pairs [start, end]"),
    "no numbers": (GOOD.replace("[0,5]", "[0,true]"), ":1: passages must be pairs [start, end]"),
    "overlap": (GOOD.replace("[5,9]", "[4,9]"), ":1: passage [4, 9]: passages must have text"),
    "empty": (GOOD.replace("[5,9]", "[5,5]"), ":1: passage [5, 5]: passages must have text"),
    "negative": (GOOD.replace("[0,5]", "[-1,5]"), ":1: passage [-1, 5]: passages must have text"),
    "huge": (GOOD.replace("9]", "9" * 30 + "]"), ":1: passage [5, 99"),
    "twice": (GOOD + GOOD.replace('"place":1', '"place":2'), ":2: document 'a' of topic '1' is given twice"),
    "same place": (GOOD + GOOD.replace('"a"', '"b"'), "place 1 of topic '1' is given twice, or one before"),
    "gap": (GOOD.replace('"place":1', '"place":2'), ":1: place 2 of topic '1' is given twice, or one before"),
    "not JSON": (GOOD + "{\n", ":2: broken JSON"),
    "a run": ("1 Q0 a 1 2.5 mine\n", ":1: 1, not a JSON object"),
    "nothing": ("# nothing\n", "no documents"),
    "half a surrogate": (GOOD.replace('"a"', '"\\ud800"'), ":1: doc is"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_pool_is_refused_with_its_line(file: Path, case: str) -> None:
    text, message = BROKEN[case]
    file.write_text(text)
    with pytest.raises(BadInput) as refused:
        foveal.read_pool(file)
    assert message in str(refused.value)
