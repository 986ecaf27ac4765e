"""Dictionaries of topics and documents: the compiled walk and its twin in Python give the same."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.compiled.dicts import plain_scan_dicts, scan_dicts
from foveal.compiled.scanner import compiled_module

NAMES = st.text(max_size=12) | st.sampled_from(["a", "b" * 40, "\x00", "d\n1", "é", "\ud800", ""])
NUMBERS: st.SearchStrategy[Any] = (
    st.floats()
    | st.integers()
    | st.sampled_from([True, None, "1.5", 10**400, np.float64(2.5), np.float32(2.5), -1, -1.0])
)
PLAIN = st.dictionaries(NAMES, st.floats(allow_nan=False, allow_infinity=False), max_size=6)
DOCUMENTS = PLAIN | st.dictionaries(NAMES | st.integers(), NUMBERS, max_size=3)


class Text(str):
    """Text of a type of its own, which may compare as it likes."""

    __slots__ = ()


@pytest.mark.skipif(compiled_module() is None, reason="the scanner is not compiled here")
@given(numbers=st.dictionaries(NAMES, DOCUMENTS, max_size=4), seed=st.integers(0, 2**64 - 1))
def test_both_ways_give_the_same(numbers: dict[str, Any], seed: int) -> None:
    module = compiled_module()
    assert module is not None
    assert _whole(module.scan_dicts(numbers, seed)) == _whole(plain_scan_dicts(numbers, seed))


def _whole(scanned: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    """What was scanned, with as many counts as there are topics."""
    if scanned is None:
        return None
    topics, counts, *columns = scanned
    return topics, counts[: 8 * len(topics)], *columns


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


@pytest.mark.parametrize("use_compiled", ["0", "1"])
@pytest.mark.parametrize("numbers", NOT_PLAIN.values(), ids=NOT_PLAIN)
def test_what_is_not_plain_is_left_to_others(
    numbers: object, use_compiled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOVEAL_COMPILED", use_compiled)
    assert scan_dicts(numbers, 7) is None


@pytest.mark.parametrize("use_compiled", ["0", "1"])
def test_columns(use_compiled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOVEAL_COMPILED", use_compiled)
    scanned = scan_dicts({"1": {"é": 2, "a": -1.0}, "2": {}, "3": {"é": np.float64(0.5)}}, 7)
    assert scanned is not None
    assert scanned.topics == ["1", "3"]
    assert scanned.counts.tolist() == [2, 1]
    assert scanned.number.tolist() == [2.0, -1.0, 0.5]
    data, offset, length = scanned.names
    names = [
        bytes(data[start : start + size]).decode()
        for start, size in zip(offset.astype(int), length.astype(int), strict=True)
    ]
    assert names == ["é", "a", "é"]
    # The same name under another topic has another key.
    assert len(set(scanned.key.tolist())) == 3
