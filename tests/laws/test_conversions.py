"""There and back again: what one format holds, another does not lose."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from foveal.choices import Like
from foveal.evaluation import evaluate
from foveal.formats import RUN_FORMATS, RunFormat, read_run
from foveal.measures import Unit, diversity
from foveal.rules import as_documents, as_elements, with_scores
from foveal.tables import Run, RunRows
from tests.articles import ELEMENTS, LENGTHS
from tests.examples import examples
from tests.held import held
from tests.laws.test_taxonomy import ATOMIC, VARIANTS
from tests.strategies import UNJUDGED_TOPIC, World, worlds

WITH_PATHS = [known for known in RUN_FORMATS.values() if known.write_paths]
LISTED = ELEMENTS.rows_of(pl.Series(list(LENGTHS))).rows()
# A document of which parts were returned has the aspects of these parts, not all of its own.
OF_DOCUMENTS = [
    str(variant.example)
    for variant in VARIANTS
    if variant.example.record.unit is Unit.DOCUMENT
    and variant.answers in {None, *ATOMIC}
    and variant.example.record.kernel.__module__ != diversity.__name__
]
HOLDING_DOCUMENTS = [known for known in RUN_FORMATS.values() if not known.needs_spans]
# Every example is written and read; its few results come from three short articles.
few = examples(50)


@st.composite
def runs(draw: st.DrawFn, *, elements: bool) -> Run:
    """Runs of elements, or of any spans in known documents."""
    rows: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 6))):
        if elements:
            name, _, start, end = draw(st.sampled_from(LISTED))
        else:
            name = draw(st.sampled_from(sorted(LENGTHS)))
            edge = st.integers(0, LENGTHS[name])
            start, end = sorted(draw(st.tuples(edge, edge)))
        rows.append({"doc": name, "start": start, "end": end, "rank": number + 1})
    topics = st.sampled_from(["1", "2"])
    frame = pl.DataFrame([{"topic": draw(topics), **row, "score": 1.0} for row in rows])
    return Run.of(RunRows(frame=frame, name="mine"), lengths_of=ELEMENTS)


def again(known: RunFormat, data: bytes) -> Run:
    return read_run(held(data), known.name, elements=ELEMENTS)


def parts(run: Run) -> list[tuple[Any, ...]]:
    return run.frame.select("topic", "doc", "start", "end").rows()


@pytest.mark.parametrize("known", WITH_PATHS, ids=lambda known: known.name)
@few
@given(run=runs(elements=True))
def test_elements_come_back_from_their_paths(known: RunFormat, run: Run) -> None:
    named, grown = as_elements(run, ELEMENTS)
    assert grown == 0
    assert known.write_paths
    assert parts(again(known, known.write_paths(named))) == parts(run)


@pytest.mark.parametrize("known", WITH_PATHS, ids=lambda known: known.name)
@few
@given(run=runs(elements=False))
def test_what_grew_to_an_element_grows_no_more(known: RunFormat, run: Run) -> None:
    widened, grown = as_elements(run, ELEMENTS)
    assert known.write_paths
    back = again(known, known.write_paths(widened))
    assert parts(back) == parts(widened)
    assert as_elements(back, ELEMENTS)[1] == 0
    around = [
        (before, after)
        for before, after in zip(parts(run), parts(widened), strict=True)
        if before != after
    ]
    assert len(around) == grown
    assert all(b[2] >= a[2] and b[3] <= a[3] for b, a in around)


@pytest.mark.parametrize("known", WITH_PATHS, ids=lambda known: known.name)
@few
@given(run=runs(elements=False))
def test_a_range_between_points_is_the_span(known: RunFormat, run: Run) -> None:
    points = ELEMENTS.points(run.frame.select("doc", "start", "end"))
    rows = run.frame.with_columns(points).filter(pl.col("path").is_not_null())
    if known.name == "inex":
        lines = [
            f"{row['topic']} Q0 {row['doc']} 1 1 mine {row['path']} {row['path_end']}\n"
            for row in rows.to_dicts()
        ]
        text = "".join(lines)
    else:
        results = "".join(
            f"<topic topic-id='{row['topic']}'><result><file>{row['doc']}</file>"
            f"<passage start='{row['path']}' end='{row['path_end']} '/></result></topic>\n"
            for row in rows.to_dicts()
        )
        text = f"<inex-submission>{results}</inex-submission>"
    if rows.height:
        assert (
            parts(again(known, text.encode())) == rows.select("topic", "doc", "start", "end").rows()
        )


def scored(world: World, run: Run) -> list[tuple[Any, ...]]:
    return evaluate(world.qrels, run, OF_DOCUMENTS).topics.rows()


@few
@given(world=worlds())
def test_measures_of_documents_do_not_need_the_parts(world: World) -> None:
    documents = as_documents(world.run)
    assert documents.whole_documents_only
    assert scored(world, documents) == scored(world, world.run)
    assert as_documents(documents).frame.equals(documents.frame)


@pytest.mark.parametrize("known", HOLDING_DOCUMENTS, ids=lambda known: known.name)
@examples(20)
@given(world=worlds())
def test_documents_keep_their_ranks_in_every_format(known: RunFormat, world: World) -> None:
    # Lines of words cannot hold its name.
    told = [result for result in world.results if result.topic != UNJUDGED_TOPIC]
    assume(told and any(result.start is not None for result in told))
    world = replace(world, results=tuple(told))
    run = as_documents(world.run)
    back = read_run(
        held(known.write(with_scores(run) if known.needs_scores else run), "mine"), known.name
    )
    assert scored(world, back) == scored(world, world.run)
    assert as_documents(back).frame.drop("line").equals(back.frame.drop("line"))
    if known.needs_scores:
        # To trec_eval 9, scores that are equal as 32-bit numbers are ties.
        nine, ten = (
            evaluate(world.qrels, back, ["AP", "RR", "nDCG"], like=like).topics.rows()
            for like in (Like.TREC_EVAL_9, Like.TREC_EVAL_10)
        )
        assert nine == ten
