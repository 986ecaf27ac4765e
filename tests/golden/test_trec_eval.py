"""trec_eval 9.0.8 and 10.0 printed these lines.

Two sets of inputs: small ones of our own, in `own/`, and those that come with trec_eval.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import pytest
from tests.cli.calling import foveal
from tests.shared import needs, shared

pytestmark = pytest.mark.usefixtures("scanner")

OWN = Path(__file__).parent / "own"
THEIR_TESTS = shared("data", "trec_eval")
VERSIONS = {"9": "9.0.8", "10": "10.0"}
# What C prints where it divides nothing by nothing; foveal prints the value of an empty list, 0.
UNDEFINED = "-nan"
OUR_WORDS = {
    "-q": ["--per-topic"], "-c": ["--topics", "judged"], "-l2": ["--rel", "2"], "-l": ["--rel"],
    "-J": ["--judged-only"], "-M": ["--depth"],
}  # fmt: skip


@dataclass(frozen=True)
class Call:
    """A call of one version of trec_eval, and the file that has what it printed."""

    folder: Path
    version: str
    expected: str
    words: tuple[str, ...]

    def theirs(self) -> str:
        """What trec_eval printed."""
        return (self.folder / self.expected).read_text()

    def in_our_words(self) -> list[str]:
        """The options of `foveal evaluate` that ask for the same."""
        words = [ours for word in self.words for ours in OUR_WORDS.get(word, [word])]
        return words if "-m" in words else [*words, "-m", "official"]


_TESTED = {
    "out.test": "qrels.test results.test",
    "out.test.a": "-m all_trec qrels.test results.test",
    "out.test.aq": "-m all_trec -q qrels.test results.test",
    "out.test.aqc": "-m all_trec -q -c qrels.test results.trunc",
    "out.test.aql": "-m all_trec -m relstring.20 -q -l2 qrels.rel_level results.test",
}
_OWN = {
    "q-official": "-q",
    "q-all": "-q -m all_trec",
    "qc-all": "-q -c -m all_trec",
    "l2": "-q -l 2 -m all_trec",
    "J-M10": "-q -J -M 10 -m all_trec",
}
OWN_CALLS = {
    f"own-{name}-{version}": Call(
        OWN,
        version,
        f"trec.{name}.trec_eval-{released}.txt",
        ("trec.qrels", "trec.run", *words.split()),
    )
    for name, words in _OWN.items()
    for version, released in VERSIONS.items()
}
THEIR_CALLS = {
    f"{name}-{version}": Call(THEIR_TESTS / f"v{version}", version, name, tuple(words.split()))
    for name, words in _TESTED.items()
    for version in VERSIONS
}
CALLS = [
    *(pytest.param(call, id=name) for name, call in OWN_CALLS.items()),
    *(pytest.param(call, id=name, marks=needs(THEIR_TESTS)) for name, call in THEIR_CALLS.items()),
]


def _split(line: str) -> tuple[str, str, str]:
    name, topic, value = line.split("\t")
    return name, topic, value.strip()


def _assert_reproduced(ours: str, theirs: str) -> None:
    """Every byte is the same, but for what trec_eval leaves undefined."""
    if UNDEFINED not in theirs:
        assert ours == theirs
        return
    lines = list(zip(ours.splitlines(), theirs.splitlines(), strict=True))
    assert [mine for mine, line in lines if UNDEFINED not in line] == [
        line for _, line in lines if UNDEFINED not in line
    ]
    for mine, line in lines:
        name, topic, value = _split(line)
        if value == UNDEFINED:
            known = [0.0] if topic != "all" else _by_topic(theirs, name)
            assert mine.startswith(f"{name}\t{topic}\t")
            # A mean of values with four decimals is known to four decimals.
            assert float(_split(mine)[2]) == pytest.approx(fmean(known), abs=1e-4), line


def _by_topic(text: str, name: str) -> list[float]:
    """The values of a measure on every topic, 0 where they are undefined."""
    rows = [_split(line) for line in text.splitlines()]
    return [
        0.0 if value == UNDEFINED else float(value)
        for own, topic, value in rows
        if own == name and topic != "all"
    ]


@pytest.mark.parametrize("call", CALLS)
def test_every_byte_is_reproduced(call: Call) -> None:
    answer = foveal("trec_eval", "--as", call.version, *call.words, folder=call.folder)
    assert (answer.code, answer.err) == (0, "")
    _assert_reproduced(answer.out, call.theirs())


@pytest.mark.parametrize("call", CALLS)
def test_every_byte_is_reproduced_in_our_own_words(call: Call) -> None:
    options = ["--like", f"trec_eval-{call.version}", "--to", "trec", "--lenient"]
    answer = foveal("evaluate", *call.in_our_words(), *options, folder=call.folder)
    assert answer.code == 0, answer.err
    _assert_reproduced(answer.out, call.theirs())


def test_version_9_is_the_default() -> None:
    nine, ten = OWN_CALLS["own-q-all-9"], OWN_CALLS["own-q-all-10"]
    assert foveal("trec_eval", *nine.words, folder=OWN).out == nine.theirs() != ten.theirs()


def test_every_output_of_trec_eval_is_held_against_ours() -> None:
    there = {path.name for path in OWN.glob("*.trec_eval-*.txt")}
    assert there == {call.expected for call in OWN_CALLS.values()}
