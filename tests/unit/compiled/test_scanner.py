from __future__ import annotations

from collections.abc import Callable
from mmap import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import tests.shared
from foveal.compiled import equal, find, hash_names, make_table, repeats, scanner
from foveal.compiled.scanner import (
    INEX_QRELS,
    TREC_QRELS,
    TREC_RUN,
    Scanner,
    compiled_module,
    count_lines,
    scan_block,
)
from tests.name_bytes import name_bytes, texts_of
from tests.shared import needs_compiled

TEXT = b"1 Q0 a 1 2.5 mine\n\n# x\n1 Q0 b 2 1.5 mine\n2 Q0 a 1 7 mine\n"


def _keys(values: list[int]) -> NDArray[np.uint64]:
    return np.array(values, dtype=np.uint64)


def test_tests_of_compiled_code_fail_instead_of_being_skipped_where_it_is_required(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tests.shared, "IS_BUILT", False)
    monkeypatch.delenv("FOVEAL_REQUIRE", raising=False)
    assert needs_compiled().args == (True,)
    monkeypatch.setenv("FOVEAL_REQUIRE", "browser compiler")
    assert needs_compiled().args == (False,)


@needs_compiled()
def test_compiled_code_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOVEAL_COMPILED", "0")
    assert compiled_module() is None
    monkeypatch.setenv("FOVEAL_COMPILED", "1")
    assert compiled_module() is not None


def test_without_the_module_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanner, "IS_BUILT", False)
    assert compiled_module() is None


@needs_compiled()
class TestScanning:
    @pytest.mark.parametrize(
        "made",
        [bytes, bytearray, memoryview, lambda data: np.frombuffer(data, np.uint8).data],
        ids=["bytes", "bytearray", "memoryview", "array"],
    )
    def test_reads_any_buffer(self, made: Callable[[bytes], bytes]) -> None:
        found = scan_block(made(TEXT), 0, len(TEXT), TREC_RUN, seed=1)
        assert texts_of(found.documents) == [b"a", b"b", b"a"]
        assert texts_of(found.topics) == [b"1", b"2"]
        assert found.tag == b"mine"

    def test_reads_a_mapped_file(self, tmp_path: Path) -> None:
        path = tmp_path / "a.run"
        path.write_bytes(TEXT)
        with path.open("r+b") as file, mmap(file.fileno(), 0) as data:
            found = scan_block(data, 0, len(data), TREC_RUN, seed=1)
            assert found.rows.score is not None
            assert found.rows.score.tolist() == [2.5, 1.5, 7]

    def test_nothing_has_no_rows(self) -> None:
        found = scan_block(b"", 0, 0, TREC_RUN, seed=1)
        assert found.summary[:6] == (0, 0, 0, 0, 0, 0)
        assert found.tag is None

    def test_lines_that_were_skipped_are_counted(self) -> None:
        found = scan_block(TEXT, 0, len(TEXT), TREC_RUN, seed=1)
        assert found.skips.lines_before(np.arange(3)).tolist() == [0, 3, 4]

    def test_the_tag_is_that_of_the_last_line(self) -> None:
        text = b"1 Q0 a 1 2 mine\n1 Q0 b 1 2 yours"
        found = scan_block(text, 0, len(text), TREC_RUN, seed=1)
        assert found.tag == b"yours"

    def test_says_whether_names_hold_zero_bytes(self) -> None:
        for text, expected in ((b"1 0 a 1", False), (b"1 0 a\0b 1", True)):
            assert scan_block(text, 0, 7, TREC_QRELS, seed=1).summary.has_zero_byte is expected

    def test_a_line_of_many_fields_is_one_problem(self) -> None:
        text = b"1 0 a 1" + 100_000 * b" x"
        assert scan_block(text, 0, len(text), TREC_QRELS, seed=1).summary.problems == 1

    @given(st.binary(max_size=3000), st.integers(0, 20), st.integers(0, 20))
    def test_counts_lines(self, data: bytes, before: int, behind: int) -> None:
        data = data.replace(b"a", b"\n")
        begin, end = min(before, len(data)), max(min(before, len(data)), len(data) - behind)
        piece = data[begin:end]
        expected = piece.count(b"\n") + (piece != b"" and not piece.endswith(b"\n"))
        assert count_lines(data, begin, end) == expected

    def test_a_scanner_uses_its_arrays_again(self) -> None:
        used = Scanner(TREC_RUN, seed=1)
        first = used.scan(TEXT, 0, len(TEXT))
        second = used.scan(TEXT, 0, 17)
        assert np.shares_memory(first.rows.key, second.rows.key)
        assert texts_of(second.documents) == [b"a"]


@needs_compiled()
class TestKeys:
    @given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30)), max_size=30))
    def test_are_equal_where_topic_and_document_are(self, pairs: list[tuple[int, int]]) -> None:
        # Lengths on both sides of those at which a name is read in other pieces.
        names = [(b"t" * (7 + topic), b"d" * document + b".") for topic, document in pairs]
        text = b"".join(b"%s 0 %s 1\n" % name for name in names)
        keys = scan_block(text, 0, len(text), TREC_QRELS, seed=5).rows.key.tolist()
        assert len(set(zip(keys, names, strict=True))) == len(set(keys)) == len(set(names))

    def test_of_names_are_those_of_the_scan(self) -> None:
        text = b"".join(b"%d 0 %s 1\n" % (n // 3, b"x" * n + b"y") for n in range(40))
        found = scan_block(text, 0, len(text), TREC_QRELS, seed=2**64 - 1)
        topics = hash_names(found.topics, 2**64 - 1)
        assert topics.tolist() == found.stretches.hash.tolist()
        sizes = np.diff(found.stretches.row, append=40)
        documents = hash_names(found.documents, np.repeat(topics, sizes))
        assert documents.tolist() == found.rows.key.tolist()

    def test_depend_on_the_seed(self) -> None:
        first, second = (
            scan_block(TEXT, 0, len(TEXT), TREC_RUN, seed=seed) for seed in (1, 1 << 40)
        )
        assert not set(first.rows.key.tolist()) & set(second.rows.key.tolist())

    def test_differ_for_many_names_alike(self) -> None:
        text = b"".join(b"%d 0 %d 1\n" % (n % 7, n) for n in range(100_000))
        keys = scan_block(text, 0, len(text), TREC_QRELS, seed=3).rows.key
        assert len(np.unique(keys)) == 100_000
        # Half of all bits are set, each by itself.
        bits = np.unpackbits(keys.view(np.uint8)).reshape(-1, 64).mean(axis=0)
        assert np.all(np.abs(bits - 0.5) < 0.02)


def _columns(count: int, *kinds: type[np.generic]) -> tuple[NDArray[Any], ...]:
    """Arrays inside larger ones, so that what is written behind them is seen."""
    return tuple(np.full(count + 8, 99, kind)[:count] for kind in kinds)


def _is_untouched(column: NDArray[Any]) -> bool:
    whole = column.base
    assert whole is not None
    return bool(np.all(whole[len(column) :] == 99))


ROWS: tuple[type[np.generic], ...] = (np.uint32, np.uint32, np.uint64, np.float64, *[np.int64] * 5)
STRETCHES = (np.int64, np.uint32, np.uint32, np.uint64)
JUDGED = b"#\n1 Q0 a 5 9 1 1:2 3:4\n\n2 Q0 a 5 9 1 1:2\n\n\n3 Q0 b 0 9\n"


@needs_compiled()
class TestArguments:
    def _scan(
        self, *, rows: int = 3, stretches: int = 3, skips: int = 3, passages: int = 3
    ) -> None:
        module = compiled_module()
        assert module is not None
        groups = (
            _columns(rows, *ROWS),
            _columns(stretches, *STRETCHES),
            _columns(skips, np.int64, np.int64),
            _columns(passages, np.int64, np.int64, np.int64),
        )
        try:
            found = module.scan(JUDGED, 0, len(JUDGED), *INEX_QRELS, 1, *groups)
            assert found[:6] == (3, 7, 0, 3, 3, 3)
        finally:
            assert all(_is_untouched(column) for group in groups for column in group)

    def test_arrays_of_the_right_size_are_filled_to_their_ends(self) -> None:
        self._scan()

    @pytest.mark.parametrize("which", ["rows", "stretches", "skips", "passages"])
    @pytest.mark.parametrize("size", [0, 1, 2])
    def test_arrays_too_small_are_refused_and_not_written_beyond(
        self, which: str, size: int
    ) -> None:
        with pytest.raises(ValueError, match=f"the arrays of {which} are too small"):
            self._scan(**{which: size})

    def test_nothing_need_be_wanted(self) -> None:
        module = compiled_module()
        assert module is not None
        found = module.scan(JUDGED, 0, len(JUDGED), *INEX_QRELS, 1, None, None, None, None)
        assert found[:6] == (3, 7, 0, 3, 3, 3)

    @pytest.mark.parametrize(
        ("letters", "least"),
        [
            (b"", 0),
            (b"D", 1),
            (b"DT", 2),
            (b"TT", 2),
            (b"TDD", 3),
            (b"TDx", 3),
            (b"TD\0", 3),
            (b"TDL", 3),
            (b"TDPP", 2),
            (b"TDSS", 3),
            (b"TD", 3),
            (b"TD", -1),
            (b"TDNNNNN", 2),
            (b"TD" + b"-" * 15, 2),
        ],
    )
    def test_a_layout_that_makes_no_sense_is_refused(self, letters: bytes, least: int) -> None:
        with pytest.raises(ValueError, match="not a layout"):
            scan_block(TEXT, 0, len(TEXT), scanner.LineLayout(letters, least), seed=1)

    @pytest.mark.parametrize(("begin", "end"), [(-1, 3), (2, 1), (0, len(TEXT) + 1), (0, -1)])
    def test_places_outside_the_data_are_refused(self, begin: int, end: int) -> None:
        module = compiled_module()
        assert module is not None
        with pytest.raises(ValueError, match="must lie in the data"):
            count_lines(TEXT, begin, end)
        with pytest.raises(ValueError, match="must lie in the data"):
            module.scan(TEXT, begin, end, *TREC_RUN, 1, None, None, None, None)

    def test_buffers_are_free_again_after_a_call_and_after_an_error(self) -> None:
        data = bytearray(TEXT)
        scan_block(data, 0, len(data), TREC_RUN, seed=1)
        with pytest.raises(ValueError, match="must lie in the data"):
            count_lines(data, 0, len(data) + 1)
        # A buffer that someone still holds cannot grow.
        data.append(0)

    @pytest.mark.parametrize("seed", [-1, 2**64])
    def test_a_seed_has_64_bits(self, seed: int) -> None:
        with pytest.raises(OverflowError):
            scan_block(TEXT, 0, len(TEXT), TREC_RUN, seed=seed)

    @pytest.mark.parametrize(
        "offsets",
        [
            np.zeros(2),
            np.zeros(2, np.int32),
            np.zeros(2, np.uint64),
            np.zeros(2, ">i8"),
            np.zeros((2, 4), np.int64)[:, 0],
            np.frombuffer(bytes(17), np.uint8)[1:].view(np.int64),
        ],
        ids=["floats", "short", "unsigned", "swapped", "strided", "misaligned"],
    )
    def test_other_arrays_are_refused(self, offsets: NDArray[Any]) -> None:
        with pytest.raises(ValueError, match=r"expected an aligned array of int64|contiguous"):
            repeats(_keys([1, 2, 3]), offsets)

    @pytest.mark.parametrize("offsets", [[0, 4], [2, 1, 3], [-1, 2], [2**62, 2**62 + 1]], ids=str)
    def test_offsets_rise_up_to_the_last_key(self, offsets: list[int]) -> None:
        with pytest.raises(ValueError, match="outside"):
            repeats(_keys([1, 2, 3]), np.array(offsets))

    def test_there_is_one_offset_at_least(self) -> None:
        with pytest.raises(ValueError, match="one offset more than segments"):
            repeats(_keys([1, 2, 3]), np.zeros(0, np.int64))

    def test_arrays_that_cannot_be_written_are_refused(self) -> None:
        module = compiled_module()
        assert module is not None
        out = np.zeros(3, np.int64)
        out.flags.writeable = False
        with pytest.raises((ValueError, BufferError)):
            module.repeats(_keys([1, 1]), np.array([0, 2]), out, np.zeros(3, np.int64))

    def test_what_is_found_must_fit(self) -> None:
        module = compiled_module()
        assert module is not None
        out, first = _columns(1, np.int64, np.int64)
        with pytest.raises(ValueError, match="too small"):
            module.repeats(_keys([1, 1, 1]), np.array([0, 3]), out, first)
        assert _is_untouched(out)
        assert _is_untouched(first)
        table = make_table(_keys([7, 8]))
        assert table is not None
        at, row = _columns(1, np.int64, np.int64)
        with pytest.raises(ValueError, match="too small"):
            module.find(_keys([7, 8]), *table, at, row)
        assert _is_untouched(at)
        assert _is_untouched(row)

    def test_no_key_of_a_table_is_0(self) -> None:
        with pytest.raises(ValueError, match="no key may be 0"):
            make_table(_keys([1, 0]))

    @pytest.mark.parametrize(("size", "rows"), [(0, 0), (3, 3), (4, 8), (2, 2)])
    def test_a_table_is_larger_than_its_keys_and_a_power_of_two(self, size: int, rows: int) -> None:
        module = compiled_module()
        assert module is not None
        with pytest.raises(ValueError, match="table"):
            module.make_table(_keys([5, 6]), np.empty(size, np.uint64), np.empty(rows, np.int64))

    def test_a_table_that_is_full_is_searched_once(self) -> None:
        full = _keys([1, 2, 3, 4]), np.arange(4)
        assert find(_keys([9, 0]), full)[0].tolist() == []

    @pytest.mark.parametrize(("place", "length"), [(3, 1), (0, 4), (2**64 - 1, 2), (1, 2**32 - 1)])
    def test_names_outside_their_buffer_are_refused(self, place: int, length: int) -> None:
        names = b"abc", _keys([place]), np.array([length], dtype=np.uint32)
        with pytest.raises(ValueError, match="outside"):
            hash_names(names, 1)
        with pytest.raises(ValueError, match="outside"):
            equal(names, name_bytes([b"x"]))
        with pytest.raises(ValueError, match="outside"):
            equal(name_bytes([b"x"]), names)
