"""Both readers of text formats, compiled and plain, give the same tables and the same complaints."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foveal.choices import Order, Ties
from foveal.conventions import Choices
from foveal.errors import FovealError
from foveal.evaluation import Evaluation
from foveal.formats import _compiled_lines as _scanned
from foveal.formats import opened_run, read_qrels, read_run
from foveal.formats.trec import _run_stream as _unread
from foveal.tables import Chunks, Qrels, Run
from tests.scanners import PLAIN, scanning_by
from tests.shared import needs_compiled

pytestmark = needs_compiled()

blanks = st.sampled_from([" ", " ", " ", "  ", "\t", " \t", "\r "])
ends = st.sampled_from(["\n", "\n", "\r\n", " \n", "\n\n", "\n# a comment\n", "\n  #x y\n"])
topics = st.sampled_from(["1", "2", "10", "t-é", "all"])
documents = st.sampled_from(["d1", "d2", "d10", "D" * 70, "ü", "x\u2028y"])
numbers = st.one_of(
    st.integers(-3, 40).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["0.1", "1e-320", "-0.0", "1E5", ".5", "5.", "+1", "12345678901234567890"]),
)
odd = st.sampled_from(["nan", "inf", "0x10", "1_0", "abc", "1e999", "--1", "９", "1,5", ""])
offsets = st.one_of(st.integers(0, 300).map(str), st.sampled_from(["X", "-1", "-2", "9" * 11]))
passages = st.tuples(st.integers(0, 90), st.integers(0, 40)).map(lambda p: f"{p[0]}:{p[1]}")


def mostly(good: st.SearchStrategy[str], other: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.integers(0, 30).flatmap(lambda draw: other if draw == 0 else good)


tags = st.sampled_from(["mine", "mine", "mine", "other"])
trec_run = [topics, st.just("Q0"), documents, st.just("1"), mostly(numbers, odd), tags]
inex_run = [*trec_run, mostly(offsets, odd), mostly(st.integers(0, 50).map(str), odd)]
trec_qrels = [topics, st.just("0"), documents, mostly(st.integers(-1, 3).map(str), odd)]
inex_qrels = [
    topics, st.just("Q0"), documents, st.integers(0, 60).map(str), st.integers(0, 200).map(str),
    st.sampled_from(["-1", "0", "12"]), passages, passages,
]  # fmt: skip
LAYOUTS = {
    "trec run": (trec_run, [6, 6, 6, 6, 6, 5, 7]),
    "inex run": (inex_run, [8, 8, 8, 7, 6]),
    "trec qrels": (trec_qrels, [4, 4, 4, 4, 4, 3]),
    "inex qrels": (inex_qrels, [5, 7, 7, 8, 6]),
}


@st.composite
def files(draw: st.DrawFn, kind: str) -> str:
    fields, widths = LAYOUTS[kind]
    text = draw(st.sampled_from(["", "", "\ufeff", "# first\n"]))
    for _ in range(draw(st.integers(0, 8))):
        width = draw(st.sampled_from(widths[: None if draw(st.integers(0, 9)) == 0 else 3]))
        row = [draw((fields * 2)[place]) for place in range(width)]
        text += row[0] + "".join(draw(blanks) + word for word in row[1:]) + draw(ends)
    return text if draw(st.booleans()) else text.rstrip("\n")


def outcome(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except FovealError as error:
        return str(error), getattr(error, "__notes__", [])


def comparable(table: Run | Qrels | Any) -> Any:
    if isinstance(table, Run):
        rows = table.frame.to_dict(as_series=False)
        return table.name, table.tag, table.order, table.notes, table.frame.schema, rows
    if isinstance(table, Qrels):
        frames = [table.documents, table.passages]
        return table.notes, *((f.schema, f.to_dict(as_series=False)) for f in frames)
    return table


@pytest.mark.parametrize("kind", LAYOUTS)
@given(data=st.data())
def test_both_readers_read_the_same(
    kind: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "drawn.txt"
    path.write_text(data.draw(files(kind)), newline="")
    layout, content = kind.split()
    read = read_run if content == "run" else read_qrels
    found = outcome(lambda: read(path, layout))
    with scanning_by(PLAIN):
        assert comparable(found) == comparable(outcome(lambda: read(path, layout)))


def scores_of(path: Path, evaluation: Evaluation, *, streamed: bool) -> Any:
    def work() -> tuple[Any, ...]:
        with opened_run(str(path)) if streamed else nullcontext(read_run(path)) as run:
            aligned = evaluation.aligned(run)
            scores = evaluation.scores([evaluation.scored(aligned)])
        tag = aligned.run.tag
        return (
            tag,
            scores.settings,
            scores.notes,
            scores.values[0].origin.source,
            scores.rows().rows(),
        )

    return outcome(work)


QRELS = Qrels.from_dict(
    {"1": {"d1": 1, "d2": 0, "d10": 2}, "2": {"d1": 1, "ü": 1}, "t-é": {"d1": 0}}
)


@given(
    text=files("trec run"),
    size=st.sampled_from([16, 60, 200, 4 << 20]),
    like=st.sampled_from(["paper", "trec_eval-9", "trec_eval-10"]),
    ties=st.sampled_from(Ties),
    order=st.sampled_from([None, None, None, *Order]),
    topics=st.sampled_from([None, "judged", "retrieved"]),
)
@example(
    text="t-é Q0 d1 1 0.5 a\n1 Q0 d1 1 0.5 a\n",
    size=200,
    like="paper",
    ties=Ties.ID,
    order=None,
    topics=None,
)
@example(
    text="1 Q0 d1 1 0.5 a\n2 Q0 d1 1 0.5 a\n10 Q0 d1 1 0.5 the-last-tag\n",
    size=16,
    like="paper",
    ties=Ties.ID,
    order=None,
    topics=None,
)
@example(
    text="1 Q0 d1 1 0.5 a\n2 Q0 d1 1 0.5 a\n1 Q0 d2 1 0.5 a\n",
    size=16,
    like="paper",
    ties=Ties.ID,
    order=None,
    topics=None,
)
def test_a_run_scores_the_same_block_by_block_and_whole(
    text: str,
    size: int,
    like: str,
    ties: Ties,
    order: Order | None,
    topics: str | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.getbasetemp() / "drawn.run"
    path.write_text(text, newline="")
    choices = Choices.of({"like": like, "ties": ties, "order": order, "topics": topics})
    evaluation = Evaluation.of(
        QRELS, ["AP", "nDCG@2", "P@2", "Judged@2", "NumRet", "AgP(S=rel)"], choices
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_unread, "PORTION", size)
        patch.setattr(_unread, "MAX_TOPIC_SIZE", 4 * size)
        patch.setattr(_scanned, "PORTION", size)
        streamed = scores_of(path, evaluation, streamed=True)
        whole = scores_of(path, evaluation, streamed=False)
    with scanning_by(PLAIN):
        assert streamed == whole == scores_of(path, evaluation, streamed=False)


def test_whole_documents_taken_for_chunks_are_noted_however_they_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("1 Q0 d1 1 2 a\n1 Q0 d2 2 1 a\n")
    gold = Qrels.from_dicts([{"topic": "1", "doc": "d1", "highlights": [[0, 9]], "length": 90}])
    evaluation = Evaluation.of(gold, ["cR@5"], Choices.of({"task": "rag"}))
    streamed, whole = (
        scores_of(tmp_path / "a.run", evaluation, streamed=streamed) for streamed in (True, False)
    )
    assert streamed == whole
    assert any("so each is a whole document" in note for note in streamed[2])


def test_a_run_in_its_file_is_read_whole_with_the_chunks_it_was_given(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("1 Q0 d1 1 2 a\n1 Q0 d2 2 1 a\n2 Q0 d1 1 1 b\n")
    chunks = Chunks.coerced([{"doc": "d1", "start": 0, "end": 9}])
    with opened_run(str(tmp_path / "a.run")) as run:
        given = run.with_chunks(chunks)
        blocks = [block for read in given.blocks() if (block := read())]
        whole = given.whole()
    # The last topic may go on in the next portion of a longer file.
    assert [block.results.topics for block in blocks] == [["1"], ["2"]]
    assert (blocks[-1].name, blocks[-1].tag) == ("a", "b")
    assert (whole.chunk_list, whole.name, whole.tag) == (chunks, "a", "b")
    assert whole.whole() is whole


def test_a_run_from_another_process_is_scored_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("1 Q0 d1 1 2 a\n1 Q0 d2 2 1 a\n2 Q0 \u00fc 1 1 a\n")
    run = read_run(tmp_path / "a.run", "trec")
    evaluation = Evaluation.of(QRELS, ["AP", "AgP(S=rel)"], Choices())
    expected = evaluation.score(run).values.tolist()
    for other in (pickle.loads(pickle.dumps(run)), copy.deepcopy(run)):  # noqa: S301  # our own
        assert evaluation.score(other).values.tolist() == expected
        assert other.equals(run)


def test_a_stretch_of_blank_lines_does_not_slow_reading_down(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("1 Q0 d1 1 1 a" + "\n" * 300_000 + "2 Q0 d1 1 1 a\n")
    searches = 0

    def counted(*where: Any) -> bytes:
        nonlocal searches
        searches += 1
        return first_topic(*where)

    first_topic = _unread._first_topic
    evaluation = Evaluation.of(QRELS, ["NumRet"], Choices())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_unread, "_first_topic", counted)
        with opened_run(str(path), "trec") as run:
            assert evaluation.score(run).overall == [2.0]
    assert searches < 100
