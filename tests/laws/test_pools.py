"""A pool survives its file, and whatever bytes a file holds, reading it gives a pool or our error."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import foveal
from tests.examples import examples
from tests.oracles.test_pools import PoolWorld, pool_worlds

GOOD = (
    b'{"topic":"1","doc":"a","place":1,"runs":2,"best_rank":1,"passages":[[0,5],[7,9]]}\n'
    b'{"topic":"1","doc":"b","place":2,"runs":1,"best_rank":2,"passages":[]}\n'
)
PIECES = [b"", b"[", b"]", b"{", b"}", b'"', b",", b"null", b"-1", b"1e400", b"true", b"\n", b"\xff",
          b"99999999999999999999", b'"\\ud800"', b"#", b"[[[[", b"NaN", b'"doc":1,']  # fmt: skip


@examples(25)
@given(pool_worlds(), st.sampled_from(["priority", "random", "depth"]))
def test_what_is_written_is_read_back(world: PoolWorld, order: str) -> None:
    pool = foveal.pool(world.tables, depth=2, order=order)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pool.jsonl"
        foveal.write_pool(pool, path)
        again = foveal.read_pool(path)
    assert again.equals(pool)
    assert again.topics.equals(pool.topics)


@given(
    st.integers(0, len(GOOD)), st.integers(0, 12), st.sampled_from(PIECES) | st.binary(max_size=6)
)
def test_any_file_is_a_pool_or_refused(place: int, dropped: int, piece: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pool.jsonl"
        path.write_bytes(GOOD[:place] + piece + GOOD[place + dropped :])
        with suppress(foveal.FovealError):
            pool = foveal.read_pool(path)
            assert pool.frame.height
            assert not sum(pool.frame.null_count().row(0))
            str(pool)
