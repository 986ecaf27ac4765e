"""Texts in the formats of lines: well-formed, odd and malformed ones."""

from __future__ import annotations

from hypothesis import strategies as st

from foveal.compiled.scanner import INEX_QRELS, INEX_RUN, TREC_QRELS, TREC_RUN
from foveal.spans import LARGEST_OFFSET

LAYOUTS = {
    "trec": TREC_RUN,
    "trec qrels": TREC_QRELS,
    "inex": INEX_RUN,
    "inex qrels": INEX_QRELS,
}


def _words(text: str) -> list[str]:
    return text.split()


NUMBERS = _words("""
0 1 -1 +1 007 1.5 .5 5. -.5 +.5 5.e3 .5e3 1e5 1E5 1e+5 1e-5 -0.0 -0 12.345678 0.1 1e22 1e23 8.5e22
1e-320 5e-324 2.4703282292062328e-324 1e-400 0e999999999999999999999 1e00000000000000000000005
1.7976931348623157e308 9007199254740993 9007199254740992.5 9007199254740993.0000000000000000001
12345678901234567890 1234567890123456789 18446744073709551615 18446744073709551616
0.12345678901234567 0.123456789012345678901234 9.313225746154785e-10 123456789.12345679e-19
123456789012345678e-27 9999999999999999999e-27 1e-27 1e-28 3e27 6.02214076e23 123456e-30
6793263496578632145e-27 1936310806025102395e-25 9020183995188993501e-23 7557603169481989184e-21
1106731105824898323e-19 1980610070738517159e-17 5924494285889501498e-15
""")
# The last two lines are just above the middle between two doubles, by less than 64 bits can tell.
NO_NUMBERS = _words("""
. + - e5 1e 1e+ inf nan -inf Infinity 0x10 1_0 1,5 1f --1 +-1 1.2.3 1e5.5 1e400 -1e400
1.7976931348623159e308 1e99999999999999999999 ٣ １ 1- ++ .e5 e 1e5e5 1:2
""")
NO_NUMBERS += ["1\x00", "1\x0b", "\xa01", "1\x1c", "1\x85"]
RANKS = _words("""
1 2 +3 -4 007 -0 9223372036854775807 -9223372036854775808 9223372036854775808 99999999999999999999
-9223372036854775809 00000000000000000000000001 x 1.0 1e3 + - --1 1_0 ٣
""")
WHOLE = ["0", "1", "007", "400", "33144", str(LARGEST_OFFSET), str(LARGEST_OFFSET + 1), "-1", "X"]
NOT_WHOLE = ["-2", "+1", "1.0", "x", "-", "9" * 18, "9" * 19, "9" * 40, "/article[1]", "1:2", "٣"]
PASSAGES = ["0:5", "3:0", "007:1", "133:538", f"{LARGEST_OFFSET}:0", f"{LARGEST_OFFSET - 1}:1"]
NO_PASSAGES = ["5", ":", "1:", ":1", "1:2:3", "-1:2", "1:-2", "+1:2", "a:b", f"{LARGEST_OFFSET}:1"]
NO_PASSAGES += ["9" * 19 + ":1", "1:" + "9" * 30, "1:2x", "1.0:2"]

LONG_NUMBERS = ["9" * 400, "0." + "3" * 400, "0" * 500 + "1", "1" * 5000, "0." + "0" * 400 + "1"]

NAMES = st.one_of(
    st.sampled_from(["1", "301", "t", "Q0", "FR940202-2-00150", "clueweb09-en0000-00-00000", "#a"]),
    st.text(st.characters(exclude_characters=" \t\r\n", exclude_categories=["Cs"]), min_size=1),
)
GAPS = st.one_of(st.just(b" "), st.text(" \t\r", min_size=1, max_size=3).map(str.encode))
ENDS = st.sampled_from([b"\n", b"\r\n", b" \n", b"\t\r\n"])
SKIPPED = st.sampled_from([b"", b" ", b"\t", b"\r", b"#", b"# Q0 x", b" #\xc3\xa9 1", b"#\x00"])
BROKEN = st.sampled_from(
    [b"\xff", b"\xc3", b"# \xed\xa0\x80", b"a \xc0\x80", b"\xf4\x90\x80\x80 b"]
)


def _mostly(good: list[str], bad: list[str]) -> st.SearchStrategy[str]:
    return st.one_of(st.sampled_from(good), st.sampled_from(good), st.sampled_from(good + bad))


FIELDS = {
    "T": NAMES.filter(lambda name: not name.startswith("#")),
    "D": NAMES,
    "G": st.sampled_from(["mine", "mine", "yours", "é"]),
    "-": st.sampled_from(["Q0", "0", "x"]),
    "R": st.one_of(st.integers(1, 2000).map(str), st.sampled_from(RANKS)),
    "S": st.one_of(
        st.floats(allow_nan=False, allow_infinity=False).map(repr),
        st.decimals(-100, 100, places=6).map(str),
        _mostly(NUMBERS, NO_NUMBERS + LONG_NUMBERS),
    ),
    "N": _mostly(WHOLE[:5], WHOLE + NOT_WHOLE),
    "O": _mostly(WHOLE[:5], WHOLE + NOT_WHOLE),
    "L": _mostly(WHOLE[:5], WHOLE + NOT_WHOLE),
    "E": _mostly([*WHOLE[:5], "-1"], WHOLE + NOT_WHOLE),
    "P": _mostly(PASSAGES, NO_PASSAGES),
}


@st.composite
def lines(draw: st.DrawFn, letters: str, least: int) -> bytes:
    """A line for a layout; now and then it is blank, a comment, too short or too long."""
    odd = draw(st.integers(0, 30))
    if odd in {1, 2, 3}:
        return draw(SKIPPED) + draw(ENDS)
    if odd == 4:
        return draw(BROKEN) + draw(ENDS)
    named, beyond = letters.rstrip("P"), letters[-1]
    kinds = named[: draw(st.integers(least, len(named)))] if least < len(named) else named
    if beyond == "P" and kinds == named:
        kinds += "P" * draw(st.integers(0, 3))
    if odd == 5:
        kinds = kinds[: draw(st.integers(1, len(kinds)))]
    if odd == 6:
        kinds += "T"
    before = draw(st.sampled_from([b"", b"", b"", b" ", b"\t "]))
    fields = [draw(FIELDS[kind]).encode() for kind in kinds]
    return before + b"".join(field + draw(GAPS) for field in fields[:-1]) + fields[-1] + draw(ENDS)


def texts(kind: str) -> st.SearchStrategy[bytes]:
    """Some lines for a layout; the last one may lack its end."""
    layout = LAYOUTS[kind]
    line = lines(layout.letters.decode(), layout.min_fields)
    whole = st.lists(line, max_size=8).map(b"".join)
    return st.one_of(whole, whole.map(lambda text: text.rstrip(b"\r\n")))
