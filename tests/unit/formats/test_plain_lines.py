from __future__ import annotations

import re

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foveal.files import Source
from foveal.formats import _plain_lines
from foveal.formats._plain_lines import Layout, fields, offsets
from tests.held import held

THREE = Layout(("topic", "", "doc"), minimum=3)
TWO_OR_THREE = Layout(("topic", "doc", "offset"), minimum=2)
REST = Layout(("topic", "doc", "more"), minimum=2, rest=True)
SCORED = Layout(("topic", "score"), minimum=2, numbers=("score",))
RANKED = Layout(("topic", "rank"), minimum=2)

# Few characters, so that odd neighbours are frequent; the last four separate nothing.
TEXTS = st.text(alphabet='ab1"#, \t\r\n\x00\x0b\u00a0é', max_size=60)


def source(text: str) -> Source:
    return held(text.encode())


def read(text: str, layout: Layout = THREE) -> list[tuple[object, ...]]:
    found = fields(source(text), layout)
    assert not found.problems
    return found.frame.rows()


def complaints(text: str, layout: Layout = THREE) -> list[tuple[int | None, str]]:
    return [(p.line, p.reason) for p in fields(source(text), layout).problems]


def split_by_hand(text: str) -> list[tuple[int, list[str]]]:
    """Every line with data, its number and its fields."""
    lines = enumerate(text.removeprefix("\ufeff").split("\n"), 1)
    split = [(number, re.findall(r"[^ \t\r]+", line)) for number, line in lines]
    return [(number, words) for number, words in split if words and words[0][0] != "#"]


def wanted(layout: Layout, words: list[str]) -> list[str | None]:
    most = len(layout.names)
    if layout.rest and len(words) > most:
        words = [*words[: most - 1], " ".join(words[most - 1 :])]
    padded = [*words, *[None] * (most - len(words))]
    return [word for name, word in zip(layout.names, padded, strict=True) if name]


@pytest.mark.parametrize("layout", [THREE, TWO_OR_THREE, REST], ids=["3", "2 or 3", "2 and more"])
@given(text=TEXTS)
@example(text="a b\na b c\n")
@example(text="a b c\na b\n")
@example(text="a b c \na  c\n\n")
@example(text="\n\na b c")
@example(text="a b\r\na b\r\n")
@example(text="\ufeffa b c\n")
def test_every_line_is_read_or_complained_about(layout: Layout, text: str) -> None:
    found = fields(source(text), layout)
    most = 10**9 if layout.rest else len(layout.names)
    lines = split_by_hand(text)
    fitting = [(line, words) for line, words in lines if layout.minimum <= len(words) <= most]
    assert found.frame.rows() == [(*wanted(layout, words), line) for line, words in fitting]
    fits = {line for line, _ in fitting}
    assert [(p.line, p.reason.split()[0]) for p in found.problems] == [
        (line, str(len(words))) for line, words in lines if line not in fits
    ]


@pytest.mark.parametrize(
    "text",
    [
        "t1 Q0 d1\nt2 Q0 d2\n",
        "t1 Q0 d1\nt2 Q0 d2",
        "t1\tQ0\td1\nt2\tQ0\td2\n",
        "t1 Q0 d1\r\nt2 Q0 d2\r\n",
        "t1  Q0 \t d1\nt2 Q0 d2\n",
        "  t1 Q0 d1\nt2 Q0 d2  \n",
        "t1\rQ0\rd1\nt2 Q0 d2\n",
    ],
)
def test_any_run_of_blanks_separates_fields(text: str) -> None:
    assert read(text) == [("t1", "d1", 1), ("t2", "d2", 2)]


def test_identifiers_are_opaque_text() -> None:
    odd = ["051", "NA", "null", "NaN", "1e5", '"quoted', "a,b", "é", "\x0b", "a\u00a0b", "\x00"]
    assert read("".join(f"{name} Q0 {name}\n" for name in odd)) == [
        (name, name, line) for line, name in enumerate(odd, 1)
    ]


def test_blank_lines_and_comments_are_skipped_but_counted() -> None:
    text = "# one\n\nt1 Q0 d1\n   \n  # x\nt2 Q0 d2\n#\n"
    assert read(text) == [("t1", "d1", 3), ("t2", "d2", 6)]


def test_lines_with_the_wrong_number_of_fields_are_all_named() -> None:
    text = "t1 Q0 d1\nt2\n\nt2 Q0\nt3 Q0 d3 x\n"
    assert complaints(text) == [
        (2, "1 column, expected 3"),
        (4, "2 columns, expected 3"),
        (5, "4 columns, expected 3"),
    ]


def test_a_short_line_does_not_hide_behind_a_long_one() -> None:
    # The number of blanks is right in all; only the lines are not.
    assert complaints("t1 Q0\nt2 Q0 d x\n") == [
        (1, "2 columns, expected 3"),
        (2, "4 columns, expected 3"),
    ]


def test_an_irregular_block_after_a_regular_one_keeps_its_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_plain_lines, "BLOCK_SIZE", 16)
    text = "t1 Q0 d1\nt2 Q0 d2\nt3  Q0 d3\nt4 Q0\n\nt5 Q0 a-document-of-a-long-name\nt6 Q0 d6\n"
    found = fields(source(text), THREE)
    assert found.frame["line"].to_list() == [1, 2, 3, 6, 7]
    assert [problem.line for problem in found.problems] == [4]


@pytest.mark.parametrize(
    ("spelled", "number"),
    [("+1", 1), (".5", 0.5), ("1.", 1), ("1e-5", 1e-5), ("1E5", 1e5), ("-0", 0), ("-2.5", -2.5)],
)
@pytest.mark.parametrize("neighbour", ["1", "x"], ids=["as numbers", "as text"])
def test_numbers_may_be_spelled_as_computers_do(
    spelled: str, number: float, neighbour: str
) -> None:
    found = fields(source(f"t {spelled}\nt {neighbour}\n"), SCORED)
    assert found.frame["score"][0] == number


@pytest.mark.parametrize(
    "text", ["nan", "NaN", "inf", "-inf", "1e999", "abc", "1_000", "0x10", "1,5", "--1", "1e", "١"]
)
@pytest.mark.parametrize("gap", [" ", "  "], ids=["regular", "irregular"])
def test_what_is_no_finite_number_is_named_by_line(text: str, gap: str) -> None:
    hint = " (write a decimal point, not a comma)" if "," in text else ""
    assert complaints(f"t 1\nt{gap}{text}\nt 2\n", SCORED) == [
        (2, f"score is {text!r}, not a finite number{hint}")
    ]


def test_a_header_is_named_as_the_reason() -> None:
    (found,) = complaints("topic score\nt 2\n", SCORED)
    assert found == (1, "score is 'score', not a finite number (remove the header)")


def test_ranks_are_kept_if_all_are_whole_numbers() -> None:
    assert read("t 1\nt +2\nt -3\n", RANKED) == [("t", 1, 1), ("t", 2, 2), ("t", -3, 3)]


@pytest.mark.parametrize("rank", ["-", "1.0", "first", "99999999999999999999"])
def test_one_rank_that_is_none_leaves_the_column_out(rank: str) -> None:
    assert read(f"t 1\nt {rank}\n", RANKED) == [("t", 1), ("t", 2)]


def test_numbers_are_read_to_the_last_bit() -> None:
    values = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, 123456789.123456789, -1e-310]
    text = "".join(f"t {value!r}\n" for value in values)
    assert fields(source(text), SCORED).frame["score"].to_list() == values


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x", "offset is 'x', not a whole number"),
        ("+5", "offset is '+5', not a whole number"),
        ("1.5", "offset is '1.5', not a whole number"),
        ("-2", "offset is '-2', must not be negative"),
        ("-" + "9" * 30, f"offset is '-{'9' * 30}', must not be negative"),
        ("10000000001", "offset is '10000000001', must be at most 10,000,000,000"),
        ("9" * 30, f"offset is '{'9' * 30}', must be at most 10,000,000,000"),
        ("9" * 90, f"offset is '{'9' * 40}…', must be at most 10,000,000,000"),
    ],
)
def test_offsets_are_plain_whole_numbers(text: str, reason: str) -> None:
    column = pl.Series("offset", ["0", text, None])
    number, problems = offsets(column, pl.Series([4, 5, 6]))
    assert number[0] == 0
    assert [(problem.line, problem.reason) for problem in problems] == [(5, reason)]
