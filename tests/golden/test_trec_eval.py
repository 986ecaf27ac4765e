"""trec_eval 9.0.8 and 10.0 printed these lines for the inputs that come with them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.calling import foveal

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "trec_eval"
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="trec_eval's own tests are not on this machine"
)
CALLS = {
    "out.test": ["qrels.test", "results.test"],
    "out.test.a": ["-m", "all_trec", "qrels.test", "results.test"],
    "out.test.aq": ["-m", "all_trec", "-q", "qrels.test", "results.test"],
    "out.test.aqc": ["-m", "all_trec", "-q", "-c", "qrels.test", "results.trunc"],
    "out.test.aql": [
        "-m", "all_trec", "-m", "relstring.20", "-q", "-l2", "qrels.rel_level", "results.test",
    ],
}  # fmt: skip


@pytest.mark.parametrize("expected", CALLS)
@pytest.mark.parametrize("version", ["9", "10"])
def test_every_byte_is_reproduced(version: str, expected: str) -> None:
    folder = DATA / f"v{version}"
    answer = foveal("trec_eval", "--as", version, *CALLS[expected], folder=folder)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == (folder / expected).read_text()


def test_version_9_is_the_default() -> None:
    words = ["trec_eval", *CALLS["out.test.a"]]
    answer = foveal(*words, folder=DATA / "v9")
    assert answer.out == (DATA / "v9" / "out.test.a").read_text()


OUR_WORDS = {"-q": ["--per-topic"], "-c": ["--topics", "judged"], "-l2": ["--rel", "2"]}


@pytest.mark.parametrize("expected", CALLS)
@pytest.mark.parametrize("version", ["9", "10"])
def test_every_byte_is_reproduced_in_our_own_words(version: str, expected: str) -> None:
    folder = DATA / f"v{version}"
    words = [ours for word in CALLS[expected] for ours in OUR_WORDS.get(word, [word])]
    if "-m" not in words:
        words += ["-m", "official"]
    options = ["--like", f"trec_eval-{version}", "--to", "trec", "--lenient"]
    answer = foveal("evaluate", *words, *options, folder=folder)
    assert answer.out == (folder / expected).read_text()
