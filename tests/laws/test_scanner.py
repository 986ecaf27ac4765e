"""The compiled scanner and the reader agree: what the scanner calls good, the reader reads so."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.compiled.scanner import ABSENT, Scanned, scan_block
from foveal.errors import BadInput
from foveal.formats import QRELS_FORMATS, RUN_FORMATS
from foveal.formats._format import QrelsRows, ReadOptions, RunRows
from foveal.spans import LARGEST_OFFSET
from foveal.tables import columns as c
from tests.held import held
from tests.line_strategies import LAYOUTS, lines, texts
from tests.name_bytes import texts_of
from tests.scanners import PLAIN, scanning_by
from tests.shared import needs_compiled

pytestmark = needs_compiled()


def _read(kind: str, text: bytes) -> RunRows | QrelsRows | None:
    """What the reader of a format finds, or None if anything is wrong."""
    name = "inex" if "inex" in kind else "trec"
    formats = QRELS_FORMATS if "qrels" in kind else RUN_FORMATS
    try:
        with scanning_by(PLAIN):
            # No beginning of a compressed file or of one in another encoding can start like this.
            found = formats[name].read(held(b"\n" + text), ReadOptions())
    except BadInput:
        return None
    assert isinstance(found, RunRows | QrelsRows)
    return None if found.problems else found


def _scanned(kind: str, text: bytes) -> Scanned:
    data = b"\n" + text
    return scan_block(data, 0, len(data), LAYOUTS[kind], seed=1)


def _names(names: list[bytes]) -> list[str]:
    return [name.decode() for name in names]


def _assert_same_rows(scanned: Scanned, frame: pl.DataFrame) -> None:
    assert _names(texts_of(scanned.documents)) == frame[c.DOC].to_list()
    sizes = np.diff(scanned.stretches.row, append=scanned.summary.rows)
    topics = zip(_names(texts_of(scanned.topics)), sizes.tolist(), strict=True)
    assert [topic for topic, size in topics for _ in range(size)] == frame[c.TOPIC].to_list()
    lines_before = scanned.skips.lines_before(np.arange(scanned.summary.rows))
    assert (lines_before + 1).tolist() == frame[c.LINE].to_list()
    for name in (c.SCORE, c.GRADE):
        if name in frame.columns:
            assert scanned.rows.score is not None
            assert scanned.rows.score.tobytes() == frame[name].to_numpy().tobytes()
    assert (scanned.rows.rank is None) == (c.RANK not in frame.columns)
    if scanned.rows.rank is not None:
        assert scanned.rows.rank.tolist() == frame[c.RANK].to_list()


def _assert_same_parts(scanned: Scanned, frame: pl.DataFrame) -> None:
    offset, length = scanned.rows.integers
    assert offset.tolist() == frame[c.START].to_list()
    assert (offset + np.where(length == ABSENT, 0, length)).tolist() == frame[c.END].to_list()


def _assert_same_judgements(scanned: Scanned, read: QrelsRows) -> None:
    assert isinstance(read.documents, pl.DataFrame)
    assert read.passages is not None
    stated, length, entry = scanned.rows.integers
    assert stated.tolist() == read.documents[c.STATED].to_list()
    assert length.tolist() == read.documents[c.LENGTH].to_list()
    assert np.maximum(entry, -1).tolist() == read.documents[c.ENTRY].fill_null(-1).to_list()
    columns = (read.passages[name].to_list() for name in (c.JUDGED, c.START, c.END))
    assert [column.tolist() for column in scanned.passages] == list(columns)


@pytest.mark.parametrize("kind", LAYOUTS)
@given(data=st.data())
def test_what_the_scanner_calls_good_is_read_the_same(kind: str, data: st.DataObject) -> None:
    text = data.draw(texts(kind))
    read, found = _read(kind, text), _scanned(kind, text)
    if read is None:
        assert found.summary.problems
    if read is None or found.summary.problems:
        return
    if isinstance(read, QrelsRows):
        assert isinstance(read.documents, pl.DataFrame)
        _assert_same_rows(found, read.documents)
        if "inex" in kind:
            _assert_same_judgements(found, read)
        return
    assert isinstance(read.frame, pl.DataFrame)
    _assert_same_rows(found, read.frame)
    assert read.tag == (found.tag or b"").decode()
    if "inex" in kind:
        _assert_same_parts(found, read.frame)


@pytest.mark.parametrize("kind", sorted(LAYOUTS))
@given(data=st.data())
def test_a_usual_line_is_good_for_both_or_for_neither(kind: str, data: st.DataObject) -> None:
    layout = LAYOUTS[kind]
    line = data.draw(lines(layout.letters.decode(), layout.min_fields))
    # What the scanner leaves to the reader or to the table: paths, long and very large numbers.
    words = line.split()
    if any(word.startswith(b"/") or len(word) > 100 for word in words):
        return
    numbers = (int(word) for part in words for word in part.split(b":") if word.isdigit())
    if not any(number >= LARGEST_OFFSET for number in numbers):
        assert (_read(kind, line) is None) == bool(_scanned(kind, line).summary.problems)
