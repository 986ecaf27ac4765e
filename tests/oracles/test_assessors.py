"""Agreement of assessors against loops over characters, its definition, and statsmodels."""

from __future__ import annotations

from itertools import combinations
from statistics import median
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from foveal.analysis import Resamples
from foveal.judging import AssessorAgreement, agree_assessors
from tests.examples import examples
from tests.oracles import assessors as oracle
from tests.strategies import Judgement, assessments

Judged = dict[str, tuple[Judgement, ...]]
NAMES = ("alpha", "kappa", "f1", "overlap")


def rows(judged: tuple[Judgement, ...]) -> list[dict[str, Any]]:
    return [
        {
            "topic": own.topic,
            "doc": own.doc,
            "length": own.length,
            "entry": own.entry,
            "highlights": [list(span) for span in own.passages],
        }
        for own in judged
    ]


def agreed(judged: Judged, resamples: int = 1) -> AssessorAgreement:
    return agree_assessors({name: rows(own) for name, own in judged.items()}, resamples=resamples)


def levels(assessor_agreement: AssessorAgreement) -> list[str]:
    return assessor_agreement.overall["level"].unique(maintain_order=True).to_list()


def of(frame: pl.DataFrame, **wanted: str) -> dict[str, Any]:
    """The one row with these values."""
    return frame.row(
        by_predicate=pl.all_horizontal(pl.col(k) == v for k, v in wanted.items()), named=True
    )


def same(row: dict[str, Any], expected: oracle.Coefficients) -> bool:
    return all(row[name] == pytest.approx(expected[name], abs=1e-9) for name in expected)


@given(assessments())
def test_all_numbers_are_those_of_loops_over_characters(judged: Judged) -> None:
    found = agreed(judged)
    for level in levels(found):
        units = oracle.units(judged, level)
        for average, expected in oracle.overall(units).items():
            assert same(of(found.overall, level=level, average=average), expected)
        assert sorted(units) == found.topics.filter(level=level)["topic"].to_list()
        for topic, own in units.items():
            assert same(of(found.topics, level=level, topic=topic), oracle.coefficients(own))
        every = [unit for own in units.values() for unit in own]
        for row in found.pairs.filter(level=level).iter_rows(named=True):
            check_pair(row, every)
        for row in found.topic_pairs.filter(level=level).iter_rows(named=True):
            check_pair(row, units[row["topic"]])


def check_pair(row: dict[str, Any], units: list[oracle.Unit]) -> None:
    pair = row["first"], row["second"]
    counted = tuple(row[name] for name in ("both", "only_first", "only_second", "neither"))
    assert counted == oracle.counts(units, *pair)
    assert same(row, oracle.of_pair(units, *pair))
    both_judged = [{name: unit[name] for name in pair} for unit in units if set(pair) <= set(unit)]
    assert row["alpha"] == pytest.approx(oracle.alpha_by_counting(both_judged), abs=1e-9)


@examples(40)
@given(assessments())
def test_pairs_are_all_that_judged_a_document_in_common(judged: Judged) -> None:
    found = agreed(judged)
    documents = {name: {(own.topic, own.doc) for own in rows} for name, rows in judged.items()}
    expected = {
        (one, other): len(documents[one] & documents[other])
        for one, other in combinations(judged, 2)
        if documents[one] & documents[other]
    }
    pairs = found.pairs.filter(level="documents")
    assert {
        (one, other): n for one, other, n in pairs["first", "second", "documents"].iter_rows()
    } == expected


@examples(40)
@given(assessments(longest=6, maximum=3))
def test_alpha_is_observed_over_expected_disagreement_of_all_pairs_of_values(
    judged: Judged,
) -> None:
    found = agreed(judged)
    for level in levels(found):
        units = oracle.units(judged, level)
        every = [unit for own in units.values() for unit in own]
        micro = of(found.overall, level=level, average="micro")["alpha"]
        assert micro == pytest.approx(oracle.alpha_by_definition(every), abs=1e-9)
        for topic, own in units.items():
            alpha = of(found.topics, level=level, topic=topic)["alpha"]
            assert alpha == pytest.approx(oracle.alpha_by_definition(own), abs=1e-9)


@examples(40)
@given(assessments(maximum=2))
def test_kappa_is_that_of_statsmodels(judged: Judged) -> None:
    for row in agreed(judged).pairs.iter_rows(named=True):
        if row["kappa"] is not None:
            table = [[row["both"], row["only_first"]], [row["only_second"], row["neither"]]]
            assert row["kappa"] == pytest.approx(
                cohens_kappa(np.array(table), return_results=False), abs=1e-9
            )


@examples(40)
@given(assessments(longest=8, maximum=3), st.integers(0, 99))
def test_intervals_are_the_middle_of_what_resampled_topics_give(judged: Judged, seed: int) -> None:
    found = agree_assessors(
        {name: rows(own) for name, own in judged.items()}, resamples=9, rng=seed, alpha=0.2
    )
    for level in levels(found):
        units = oracle.units(judged, level)
        topics = sorted(units)
        weights = np.concatenate(list(Resamples.seeded(9, seed).bootstrap(len(topics))))
        drawn = [
            oracle.overall(
                units, [t for t, n in zip(topics, own, strict=True) for _ in range(int(n))]
            )
            for own in weights
        ]
        for row in found.intervals.filter(level=level).iter_rows(named=True):
            values = [own[row["average"]][row["coefficient"]] for own in drawn]
            known = [value for value in values if value is not None]
            defined = [oracle.coefficients(own)[row["coefficient"]] for own in units.values()]
            lone = row["average"] == "macro" and len(defined) - defined.count(None) < 2
            told = known and len(topics) > 1 and not lone
            low, high = np.quantile(known, [0.1, 0.9]) if told else (None, None)
            assert (row["low"], row["high"]) == (
                pytest.approx(low, abs=1e-9),
                pytest.approx(high, abs=1e-9),
            )


@examples(40)
@given(assessments())
def test_entry_points_are_compared_where_both_found_the_document_relevant(judged: Judged) -> None:
    found = agreed(judged)
    known = {
        name: {
            (own.topic, own.doc): own.entry
            for own in rows
            if own.highlighted and own.entry is not None
        }
        for name, rows in judged.items()
    }
    for one, other in combinations(judged, 2):
        apart = [
            abs(known[one][key] - known[other][key]) for key in known[one].keys() & known[other]
        ]
        told = found.entry.filter(first=one, second=other)
        assert told.height == bool(apart)
        for row in told.iter_rows(named=True):
            assert row["documents"] == len(apart)
            assert row["median"] == median(apart)
            for most in (0, 100, 500):
                share = sum(way <= most for way in apart) / len(apart)
                assert row[f"within_{most}"] == pytest.approx(share)
