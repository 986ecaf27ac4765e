"""Dictionaries of topics and documents: the compiled walk gives the columns that a frame gives."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.choices import Order
from foveal.compiled import compiled_module, scan_dicts
from foveal.tables import Qrels, QrelsColumns, QrelsRows, Run, RunColumns, RunRows
from foveal.tables import columns as c
from foveal.tables._inputs import frame_of_topics

NAMES = st.text(max_size=12) | st.sampled_from(["a", "b" * 40, "\x00", "d\n1", "é", "\ud800", ""])
NUMBERS: st.SearchStrategy[Any] = (
    st.floats()
    | st.integers()
    | st.sampled_from([True, None, "1.5", 10**400, np.float64(2.5), np.float32(2.5), -1, -1.0])
)
PLAIN = st.dictionaries(NAMES, st.floats(allow_nan=False, allow_infinity=False), max_size=6)
DOCUMENTS = PLAIN | st.dictionaries(NAMES | st.integers(), NUMBERS, max_size=3)
PLAIN_WORLDS: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    st.text(min_size=1), st.dictionaries(st.text(min_size=1), st.floats(-9, 9), max_size=6)
)


class Text(str):
    """Text of a type of its own, which may compare as it likes."""

    __slots__ = ()


NEEDS_COMPILED = pytest.mark.skipif(
    compiled_module() is None, reason="the scanner is not compiled here"
)


@NEEDS_COMPILED
@given(numbers=PLAIN_WORLDS | st.dictionaries(NAMES, DOCUMENTS, max_size=4))
def test_columns_are_those_of_a_frame(numbers: dict[str, Any]) -> None:
    results, judgements = RunColumns.of_topics(numbers), QrelsColumns.of_topics(numbers)
    if results is None:
        return
    frame = frame_of_topics(numbers, c.SCORE, "run")
    run = Run.of(RunRows(frame=frame, name="run", order=Order.SCORE)).results
    assert results.topics == run.topics
    assert results.frame.equals(run.frame)
    assert results.line.dtype == run.line.dtype
    if judgements is None:
        assert c.ALL_TOPICS in numbers or abs(run.score).max() > c.LARGEST_GRADE  # type: ignore[arg-type]  # it has scores
        return
    frame = frame_of_topics(numbers, c.GRADE, "qrels")
    qrels = Qrels.of(QrelsRows(documents=frame)).judgements
    assert judgements.topics == qrels.topics
    assert judgements.documents.equals(qrels.documents)
    assert judgements.passages.equals(qrels.passages)


NOT_PLAIN: dict[str, object] = {
    "no topics": {},
    "no documents": {"1": {}},
    "a document without a name": {"1": {"": 1.0}},
    "a topic without a name": {"": {"a": 1.0}},
    "names of another type": {"1": {Text("a"): 1.0}},
    "topics of another type": {Text("1"): {"a": 1.0}},
    "a truth value": {"1": {"a": True}},
    "a number of NumPy that is no float": {"1": {"a": np.float32(1)}},
    "not a number": {"1": {"a": float("nan")}},
    "a number beyond floats": {"1": {"a": 10**400}},
    "half a character": {"1": {"\ud800": 1.0}},
    "documents in order": {"1": OrderedDict(a=1.0)},
    "topics in order": OrderedDict({"1": {"a": 1.0}}),
    "a name that is a number": {"1": {"a": 1.0}, "2": {3: 1.0}},
    "pairs": [("1", {"a": 1.0})],
}


@pytest.mark.parametrize("numbers", NOT_PLAIN.values(), ids=NOT_PLAIN)
def test_what_is_not_plain_is_left_to_frames(numbers: object) -> None:
    assert scan_dicts(numbers, 7) is None


@NEEDS_COMPILED
def test_columns() -> None:
    scanned = scan_dicts({"1": {"é": 2, "a": -1.0}, "2": {}, "3": {"é": np.float64(0.5)}}, 7)
    assert scanned is not None
    topics, counts, (data, offset, length), key, number = scanned
    assert (topics, counts.tolist(), number.tolist()) == (["1", "3"], [2, 1], [2.0, -1.0, 0.5])
    assert (bytes(data), offset.tolist(), length.tolist()) == ("éaé".encode(), [0, 2, 3], [2, 1, 2])
    # The same name under another topic has another key.
    assert len(set(key.tolist())) == 3


def test_without_the_extension_a_frame_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOVEAL_COMPILED", "0")
    assert scan_dicts({"1": {"a": 1.0}}, 7) is None
