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


def test_evaluate_prints_the_same_names_numbers_and_order() -> None:
    folder = DATA / "v9"
    answer = foveal(
        "evaluate", "qrels.test", "results.test", "-m", "official", "--like", "trec_eval-9",
        "--to", "trec", folder=folder,
    )  # fmt: skip
    expected = (folder / "out.test").read_text().splitlines(keepends=True)
    assert answer.out == "".join(line for line in expected if not line.startswith("runid"))
