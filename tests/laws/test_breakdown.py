"""Rows per document and per result add up to the measures."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.choices import Overlap
from foveal.evaluation import Scores, evaluate
from tests.examples import examples
from tests.strategies import World, worlds

COUNTED = [overlap for overlap in Overlap if overlap is not Overlap.REFUSE]
RANKS = (1, 2, 3, 5, 9)
SCORES = ("P", "R", "F", "bep", "t2i")


def by_topic(scores: Scores, rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The rows of every topic that is scored, none for a topic without results."""
    return {name: rows.filter(pl.col("topic") == name) for name in scores.topics["topic"]}


def value(scores: Scores, topic: str, measure: str) -> Any:
    return scores.topics.filter(pl.col("topic") == topic)[measure].item()


@given(world=worlds(), overlap=st.sampled_from(COUNTED))
@examples(60)
def test_the_mean_over_the_first_documents_is_generalised_precision(
    world: World, overlap: Overlap
) -> None:
    names = {
        (score, rank): f"gP@{rank}" if score == "F" else f"gP(S={score})@{rank}"
        for score in SCORES
        for rank in RANKS
    }
    scores = evaluate(world.qrels, world.run, list(names.values()), overlap=overlap)
    for topic, rows in by_topic(scores, scores.documents()).items():
        for (score, rank), name in names.items():
            mean = rows.head(rank)[score].sum() / rank
            assert mean == pytest.approx(value(scores, topic, name), abs=1e-12), name


@given(world=worlds(), overlap=st.sampled_from(COUNTED))
@examples(60)
def test_the_sums_over_the_first_results_are_precision_and_recall(
    world: World, overlap: Overlap
) -> None:
    at_ranks = [f"{letter}@{rank}" for letter in ("cP", "cR") for rank in range(1, 9)]
    measures = [*at_ranks, "charP", "charR", "rel_size"]
    scores = evaluate(world.qrels, world.run, measures, overlap=overlap)
    for topic, rows in by_topic(scores, scores.results()).items():
        relevant = value(scores, topic, "rel_size")
        for row in rows.head(8).iter_rows(named=True):
            assert row["P"] == value(scores, topic, f"cP@{row['rank']}")
            assert row["R"] == value(scores, topic, f"cR@{row['rank']}")
            first = rows.head(row["rank"])
            assert row["R"] == pytest.approx(first["rsize"].sum() / relevant)
            assert row["P"] * first["size"].sum() == pytest.approx(first["rsize"].sum())
        size, found = (sum(rows[name].to_list()) for name in ("size", "rsize"))
        assert value(scores, topic, "charP") == pytest.approx(found / size if size else 0)
        assert value(scores, topic, "charR") == pytest.approx(found / relevant)


@given(world=worlds(), overlap=st.sampled_from(COUNTED))
@examples(40)
def test_the_results_of_a_document_add_up_to_the_document(world: World, overlap: Overlap) -> None:
    scores = evaluate(world.qrels, world.run, "charR", overlap=overlap)
    added = (
        scores.results()
        .group_by("topic", "doc", maintain_order=True)
        .agg(pl.sum("size"), pl.sum("rsize"))
    )
    assert added.equals(scores.documents().select("topic", "doc", "size", "rsize"))
