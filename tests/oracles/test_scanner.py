"""The compiled scanner against its twin, which splits lines and calls float()."""

from __future__ import annotations

import struct
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.compiled.scanner import LineLayout, Scanned, Scanner, scan_block
from tests.examples import examples
from tests.line_strategies import LAYOUTS, LONG_NUMBERS, NO_NUMBERS, NUMBERS, RANKS, texts
from tests.name_bytes import texts_of
from tests.oracles.lines_twin import TwinRow, twin
from tests.shared import needs_compiled

pytestmark = needs_compiled()


def _bits(value: float) -> bytes:
    return struct.pack("<d", value)


def _scores(rows: list[TwinRow]) -> list[bytes]:
    return [_bits(row.score) for row in rows if row.score is not None]


def _stretches(rows: list[TwinRow]) -> list[tuple[int, bytes]]:
    """The first row and the name of each topic that differs from the one before."""
    topics = groupby(enumerate(rows), lambda numbered: numbered[1].topic)
    return [(next(group)[0], topic) for topic, group in topics]


def _assert_same(scanned: Scanned, rows: list[TwinRow], layout: LineLayout) -> None:
    assert scanned.summary.rows == len(rows)
    assert texts_of(scanned.documents) == [row.document for row in rows]
    if scanned.rows.score is not None:
        assert [_bits(score) for score in scanned.rows.score.tolist()] == _scores(rows)
    if b"R" in layout.letters:
        ranks = [row.rank for row in rows]
        assert (None if scanned.rows.rank is None else scanned.rows.rank.tolist()) == (
            None if None in ranks else ranks
        )
    for place, column in enumerate(scanned.rows.integers):
        assert column.tolist() == [row.integers[place] for row in rows]
    passages = [(at, *span) for at, row in enumerate(rows) for span in row.passages]
    assert list(zip(*(column.tolist() for column in scanned.passages), strict=True)) == passages
    if b"G" in layout.letters:
        assert scanned.tag == (rows[-1].tag if rows else None)
    stretches = zip(scanned.stretches.row.tolist(), texts_of(scanned.topics), strict=True)
    assert list(stretches) == _stretches(rows)
    lines = scanned.skips.lines_before(np.arange(len(rows)))
    assert lines.tolist() == [row.line for row in rows]


@pytest.mark.parametrize("kind", LAYOUTS)
@given(data=st.data())
def test_lines_are_read_as_by_the_twin(kind: str, data: st.DataObject) -> None:
    text = data.draw(texts(kind))
    layout = LAYOUTS[kind]
    rows, problems, lines = twin(text, layout)
    found = scan_block(text, 0, len(text), layout, seed=1)
    assert (found.summary.problems, found.summary.lines) == (problems, lines)
    if not problems:
        _assert_same(found, rows, layout)


@pytest.mark.parametrize("kind", LAYOUTS)
@given(data=st.data())
def test_a_block_is_read_as_if_it_were_the_whole_file(kind: str, data: st.DataObject) -> None:
    layout = LAYOUTS[kind]
    before, text, after = (data.draw(texts(kind)) for _ in range(3))
    whole = before + text + after
    scanner = Scanner(layout, seed=1)
    scanner.scan(whole, 0, len(whole))
    block = scanner.scan(whole, len(before), len(before) + len(text))
    rows, problems, _ = twin(text, layout)
    assert block.summary.problems == problems
    if not problems:
        _assert_same(block, rows, layout)


@pytest.mark.parametrize("kind", LAYOUTS)
@given(data=st.data())
def test_any_bytes_are_read_as_by_the_twin(kind: str, data: st.DataObject) -> None:
    pieces = [b" ", b"\n", b"\t", b"1", b":", b"#", b"-", b".", b"e", b"\x00", b"\xc3", b"\xa9"]
    text = b"".join(data.draw(st.lists(st.sampled_from(pieces), max_size=60)))
    layout = LAYOUTS[kind]
    rows, problems, lines = twin(text, layout)
    found = scan_block(text, 0, len(text), layout, seed=1)
    assert (found.summary.problems, found.summary.lines) == (problems, lines)
    if not problems:
        _assert_same(found, rows, layout)


def _score(word: str) -> float | None:
    text = f"t 0 d {word}".encode()
    found = scan_block(text, 0, len(text), LAYOUTS["trec qrels"], seed=1)
    assert found.rows.score is not None
    return None if found.summary.problems else float(found.rows.score[0])


@pytest.mark.parametrize("word", [*NUMBERS, *LONG_NUMBERS[1:3], LONG_NUMBERS[4]])
def test_numbers_are_those_of_float(word: str) -> None:
    score = _score(word)
    assert score is not None
    assert _bits(score) == _bits(float(word))


@pytest.mark.parametrize("word", [*NO_NUMBERS, LONG_NUMBERS[0], LONG_NUMBERS[3]])
def test_what_is_not_a_finite_number_is_a_problem(word: str) -> None:
    assert _score(word) is None


@given(st.integers(0, 10**20), st.integers(-45, 45), st.sampled_from(["", "-", "+"]))
@examples(400)
def test_every_mantissa_and_power_is_rounded_as_by_float(
    mantissa: int, power: int, sign: str
) -> None:
    word = f"{sign}{mantissa}e{power}"
    score = _score(word)
    assert score is not None
    assert _bits(score) == _bits(float(word))


@given(st.integers(2**53, 2**64), st.integers(0, 27))
@examples(400)
def test_decimals_of_many_digits_are_rounded_as_by_float(mantissa: int, decimals: int) -> None:
    digits = str(mantissa).rjust(decimals + 1, "0")
    word = f"{digits[: len(digits) - decimals]}.{digits[len(digits) - decimals :]}"
    score = _score(word)
    assert score is not None
    assert _bits(score) == _bits(float(word))


@given(st.integers(2**52, 2**53 - 1), st.integers(0, 27), st.integers(-1, 1))
@examples(400)
def test_numbers_half_way_between_two_doubles_are_rounded_as_by_float(
    mantissa: int, halvings: int, beside: int
) -> None:
    # (2m + 1) / 2^(k + 1) lies half way, and has few enough digits if k is small.
    word = str((2 * mantissa + 1) * 5 ** (halvings % 4) * 10 ** (halvings // 4) + beside)
    decimals = halvings % 4 + halvings // 4
    score = _score(f"{word}e-{decimals}")
    assert score is not None
    assert _bits(score) == _bits(float(f"{word}e-{decimals}"))


@pytest.mark.parametrize("word", RANKS)
def test_a_rank_is_a_whole_number_of_64_bits_or_there_are_none(word: str) -> None:
    text = f"t Q0 d {word} 1 x\nt Q0 e 2 1 x\n".encode()
    layout = LAYOUTS["trec"]
    rows, problems, _ = twin(text, layout)
    assert not problems
    _assert_same(scan_block(text, 0, len(text), layout, seed=1), rows, layout)
