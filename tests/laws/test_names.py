"""Names are the same wherever they are kept, and whether compiled code or NumPy works on them."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from foveal.compiled import equal, find, hash_names, make_table, repeats, words
from foveal.spans import Ints, Segments
from foveal.tables import SEED, Lookup, Names
from tests.name_bytes import name_bytes
from tests.scanners import COMPILED, PLAIN, scanning_by
from tests.shared import needs_compiled

TOPICS = ["1", "2", "3"]
# Few different ones, so that names are equal; on both sides of the lengths of words.
BYTES = st.binary(max_size=40) | st.text("ab\0\n", max_size=18).map(str.encode)
TEXTS = st.text("ab\0\n\u00e9\U0001f600", max_size=10) | st.text(st.characters(codec="utf-8"))
DOCUMENTS = st.lists(st.tuples(st.integers(0, 2), TEXTS), max_size=30)


def of_file(strings: list[str], topic: Ints) -> Names:
    """Names as a scanner leaves them: among other bytes, with their keys."""
    data, offset, length = name_bytes([b"x" + text.encode() + b"\n" for text in strings])
    names = data, offset + np.uint64(1), length - np.uint32(2)
    topic_hash = hash_names(name_bytes([name.encode() for name in TOPICS]), SEED)
    return Names(names, hash_names(names, topic_hash[topic]))


def kinds_of(strings: list[str], topic: Ints) -> list[Names]:
    """The same names from a frame, as text, from a file, and from another process."""
    column = Names(pl.Series(strings, dtype=pl.String))
    file = of_file(strings, topic)
    copied = pickle.loads(pickle.dumps(file))  # noqa: S301  # our own bytes
    return [column, Names.of_strings(strings), file, copied]


@needs_compiled()
@given(st.lists(st.tuples(BYTES, BYTES, st.integers(0, 2**64 - 1)), max_size=30))
def test_hashes_and_comparisons_are_those_of_compiled_code(
    pairs: list[tuple[bytes, bytes, int]],
) -> None:
    firsts = name_bytes([first for first, _, _ in pairs])
    seconds = name_bytes([second for _, second, _ in pairs])
    start = np.array([pair[2] for pair in pairs], dtype=np.uint64)
    found = []
    for which in (COMPILED, PLAIN):
        with scanning_by(which):
            found.append((hash_names(firsts, start).tolist(), equal(firsts, seconds).tolist()))
    assert found[0] == found[1]


@needs_compiled()
@given(st.lists(st.integers(1, 99) | st.integers(1, 2**64 - 1), unique=True, max_size=99))
def test_a_table_that_one_makes_is_searched_by_the_other(values: list[int]) -> None:
    keys = np.array(values, dtype=np.uint64)
    wanted = np.append(keys[::2], keys + np.uint64(1))
    found = []
    for maker, seeker in ((COMPILED, COMPILED), (COMPILED, PLAIN), (PLAIN, COMPILED)):
        with scanning_by(maker):
            table = make_table(keys[: len(keys) // 2])
        assert table is not None
        with scanning_by(seeker):
            found.append([column.tolist() for column in find(wanted, table)])
    assert found[0] == found[1] == found[2]


@needs_compiled()
@given(st.lists(st.integers(1, 9), max_size=60), st.lists(st.integers(0, 60), max_size=5))
def test_repeats_are_those_of_compiled_code(values: list[int], cuts: list[int]) -> None:
    keys = np.array(values, dtype=np.uint64)
    offsets = np.sort(np.minimum([*cuts, 0, 60], len(values)))
    found = []
    for which in (COMPILED, PLAIN):
        with scanning_by(which):
            found.append([column.tolist() for column in repeats(keys, offsets)])
    assert found[0] == found[1]


@given(st.lists(BYTES, max_size=20))
def test_words_are_ordered_as_bytes_are(texts: list[bytes]) -> None:
    rows = list(zip(*(column.tolist() for column in words(*name_bytes(texts))), strict=True))
    longest = max(map(len, texts), default=0)
    padded = [text.ljust(longest, b"\0") for text in texts]
    order = sorted(range(len(rows)), key=rows.__getitem__)
    assert order == sorted(range(len(rows)), key=padded.__getitem__)


@given(DOCUMENTS, DOCUMENTS)
def test_names_of_all_kinds_are_found_by_the_same_look_up(
    judged: list[tuple[int, str]], returned: list[tuple[int, str]]
) -> None:
    judged = list(dict.fromkeys(judged))
    topic, own = (np.array([pair[0] for pair in rows], np.int64) for rows in (returned, judged))
    expected = [(at, judged.index(row)) for at, row in enumerate(returned) if row in judged]
    for names in kinds_of([name for _, name in judged], own):
        lookup = Lookup.of(names, own, TOPICS)
        for which in kinds_of([name for _, name in returned], topic):
            for start in (0, len(returned) // 2):
                rows, row = lookup.rows_of(topic[start:], which, start)
                assert list(zip(rows.tolist(), row.tolist(), strict=True)) == [
                    pair for pair in expected if pair[0] >= start
                ]


@given(DOCUMENTS)
def test_first_rows_and_order_do_not_depend_on_where_names_are(
    documents: list[tuple[int, str]],
) -> None:
    documents.sort(key=lambda pair: pair[0])
    topic = np.array([topic for topic, _ in documents], np.int64)
    strings, rows = [name for _, name in documents], np.arange(len(documents))
    falling = sorted(rows.tolist(), key=lambda row: strings[row].encode(), reverse=True)
    for names in kinds_of(strings, topic):
        first = names.first_rows(Segments.grouped(topic, len(TOPICS)))
        assert first.tolist() == [documents.index(pair) for pair in documents]
        order = names.descending(rows, topic)
        assert [strings[row] for row in order] == [
            strings[row] for row in sorted(falling, key=topic.__getitem__)
        ]
        assert names.take(order).series().to_list() == [strings[row] for row in order]
        assert names.take(topic == 1).strings() == [name for n, name in documents if n == 1]
