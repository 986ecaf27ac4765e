"""Judgements by subtopic: compiled code reads a file as the plain reader does, or leaves it alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.errors import BadInput
from foveal.formats import _scanned, read_qrels
from foveal.formats.trec_subtopics import NAME
from foveal.tables import Qrels
from tests.examples import examples
from tests.scanners import COMPILED, PLAIN, scanning_by
from tests.shared import needs_compiled

pytestmark = needs_compiled()
SUBTOPICS = st.sampled_from(["0", "1", "2", "10", "9999999", "3", "3", "01", "a", "-1"])
USUAL = st.sampled_from(["1", "2", "10", "3"])
DOCUMENTS = st.sampled_from(["d1", "d2", "é", "a-rather-long-name", "7"])
GRADES = st.sampled_from(["0", "1", "2", "-2", "0.5", "1e1"])
GAPS = st.sampled_from([" ", " ", " ", "\t", "  "])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Lines by topic or mixed, some with odd subtopics, blanks or comments, some pairs twice."""
    is_odd = st.sampled_from([False, False, False, True])
    subtopics = SUBTOPICS if draw(is_odd) else USUAL
    gaps = GAPS if draw(is_odd) else st.just(" ")
    rows = draw(
        st.lists(
            st.tuples(st.sampled_from("123"), subtopics, DOCUMENTS, GRADES), min_size=1, max_size=25
        )
    )
    if not draw(is_odd):
        rows = list({row[:3]: row for row in rows}.values())
    if not draw(is_odd):
        rows.sort(key=lambda row: row[0])
    lines = [draw(gaps).join(row) for row in rows]
    if draw(st.booleans()):
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(["", "# a comment"])))
    return ("\n".join(lines) + draw(st.sampled_from(["", "\n"]))).encode()


def _read(path: Path, scanner: str, name: str | None) -> Qrels | str:
    """The judgements, or what is wrong with them."""
    with scanning_by(scanner), pytest.MonkeyPatch.context() as patch:
        # So small that even these files have several blocks.
        patch.setattr(_scanned, "PORTION", 40)
        try:
            return read_qrels(path, format=name)
        except BadInput as error:
            return str(error)


@pytest.mark.parametrize("name", [NAME, None], ids=["named", "recognised"])
@given(data=files())
@examples(150)
def test_both_readers_read_the_same(
    tmp_path_factory: pytest.TempPathFactory, name: str | None, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "judged"
    path.write_bytes(data)
    quick, plain = (_read(path, scanner, name) for scanner in (COMPILED, PLAIN))
    if isinstance(quick, str) or isinstance(plain, str):
        assert quick == plain
        return
    assert quick.equals(plain)
    assert quick.documents.equals(plain.documents)
    assert (quick.notes, quick.format, quick.sha256) == (plain.notes, plain.format, plain.sha256)
    one, other = quick.judgements.aspects, plain.judgements.aspects
    assert (one is None) == (other is None)
    if one and other:
        assert one.frame.equals(other.frame)
        assert one.names == other.names
        assert one.aspect.tolist() == other.aspect.tolist()
