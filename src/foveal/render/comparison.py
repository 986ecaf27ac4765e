"""Runs compared: means with marks, the pairwise matrix, its count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import polars as pl

from foveal.analysis import Comparison
from foveal.choices import Form
from foveal.render._numbers import percent, rounded, rounded_p
from foveal.render._table import Cell, Table
from foveal.tables import columns

# More pairs than this are counted and drawn; CSV and JSON hold them all.
LISTED_PAIRS = 15
SHOWN_TOPICS = 8
BETTER, NOT, SELF = "*", "-", "\\"


def tables(comparison: Comparison, form: Form) -> list[Table]:
    """The comparison as tables, in the order a reader asks."""
    text = form is Form.TEXT
    found = [] if text else [means_table(comparison)]
    found += [
        matrix_table(comparison, measure, narrow=text, star=r"★" if form is Form.HTML else BETTER)
        for measure in comparison.measures
    ]
    if len(comparison.pairs) <= LISTED_PAIRS * len(comparison.measures):
        found.append(pairs_table(comparison))
    if comparison.settings.get("test") == "anova":
        found.append(anova_table(comparison))
    return [*found, counts_table(comparison)]


def rows(comparison: Comparison) -> pl.DataFrame:
    """A row per pair with everything known of it."""
    key = [columns.MEASURE, "better", "worse"]
    others = comparison.effects.drop(key).with_columns(pl.col("deciding").list.join(" "))
    return pl.concat([comparison.pairs, others], how="horizontal")


def document(comparison: Comparison) -> dict[str, Any]:
    """The comparison as JSON holds it."""
    return {
        "settings": comparison.settings,
        "means": comparison.means,
        "pairs": comparison.pairs,
        "counts": comparison.counts,
        "effects": comparison.effects,
        "anova": comparison.anova,
        "curves": comparison.curves(),
        "agreement": comparison.agreement,
        "notes": comparison.notes,
    }


def means_table(comparison: Comparison) -> Table:
    """Means of all measures, the best strong, each with the labels of the runs it is better than."""
    labels = _labels(comparison)
    measures = comparison.measures
    means = {
        (measure, run): mean
        for measure, run, mean in comparison.means.select(
            columns.MEASURE, columns.RUN, "mean"
        ).iter_rows()
    }
    runs = list(labels)
    body = [[str(labels[run]), run, *(rounded(means[m, run]) for m in measures)] for run in runs]
    strong = frozenset(
        (runs.index(comparison.ranking(measure)[0]), place)
        for place, measure in enumerate(measures, start=2)
    )
    raised: dict[Cell, str] = {}
    for place, measure in enumerate(measures, start=2):
        for run, beaten in _beaten(comparison, measure).items():
            raised[runs.index(run), place] = _ranges(sorted(labels[name] for name in beaten))
    header = ["rank", columns.RUN, *measures]
    return Table(header, body, 2, comparison.settings, "", (), strong, raised)


def matrix_table(
    comparison: Comparison, measure: str, *, narrow: bool, star: str = BETTER
) -> Table:
    """Which runs are significantly better than which, in the order of the measure's means.

    Runs are labelled by their rank under the first measure. A narrow matrix is one column of text.
    """
    labels = _labels(comparison)
    own = comparison.means.filter(pl.col(columns.MEASURE) == measure)
    ranking = comparison.ranking(measure)
    beaten = _beaten(comparison, measure)
    body = []
    for place, (run, mean, low, high) in enumerate(
        own.select(columns.RUN, "mean", "low", "high").iter_rows()
    ):
        later = [star if other in beaten[run] else NOT for other in ranking[place + 1 :]]
        marks = [*([""] * place), SELF, *later]
        numbers = [rounded(mean), *("" if x is None else rounded(x) for x in (low, high))]
        drawn = ["".join(mark or " " for mark in marks)] if narrow else marks
        body.append([str(labels[run]), run, *numbers, *drawn])
    names = [str(labels[run]) for run in ranking]
    header = ["rank", columns.RUN, measure, "low", "high"]
    heads = [[*[""] * 5, line] for line in _stacked(names)] if narrow else [[*header, *names]]
    above = tuple(heads[:-1])
    last = [*header, heads[-1][-1]] if narrow else heads[-1]
    return Table(last, body, 2, title=_counted(comparison, measure), above=above)


def counts_table(comparison: Comparison) -> Table:
    """How many pairs each measure tells apart, and how alike it ranks the runs to the first."""
    taus = {
        second: tau
        for first, second, tau in comparison.agreement.iter_rows()
        if first == comparison.measures[0]
    }
    header = [columns.MEASURE, "significant", "pairs", "share"]
    body = [
        [measure, str(significant), str(pairs), percent(significant / pairs)]
        for measure, significant, pairs in comparison.counts.iter_rows()
    ]
    if taus:
        header.append(f"τ with {comparison.measures[0]}")
        for row in body:
            tau = taus.get(row[0])
            row.append("" if tau is None else rounded(tau))
    return Table(header, body, 1)


def pairs_table(comparison: Comparison) -> Table:
    """Every pair: how large the difference is, how sure, and which topics make it."""
    header = [
        columns.MEASURE, "better", "worse", "difference", "low", "high", "p", "adjusted p",
        "effect", "superiority", "won/tied/lost", "topics that decide",
    ]  # fmt: skip
    body = []
    together = comparison.pairs.hstack(comparison.effects.drop(columns.MEASURE, "better", "worse"))
    for pair in together.iter_rows(named=True):
        numbers = [
            "" if pair[key] is None else rounded(pair[key]) for key in ("difference", "low", "high")
        ]
        body.append(
            [pair[columns.MEASURE], pair["better"], pair["worse"], *numbers]
            + [rounded_p(pair["p"]) or pair["status"], rounded_p(pair["adjusted_p"])]
            + ["" if pair[key] is None else rounded(pair[key]) for key in ("effect", "superiority")]
            + [f"{pair['wins']}/{pair['ties']}/{pair['losses']}", _some(pair["deciding"])]
        )
    return Table(header, body, 3)


def anova_table(comparison: Comparison) -> Table:
    """Where the variance of the scores comes from."""
    header = [columns.MEASURE, "source", "squares", "freedom", "F", "p"]
    body = [
        [
            measure,
            source,
            rounded(squares),
            str(freedom),
            "" if f is None else rounded(f),
            rounded_p(p),
        ]
        for measure, source, squares, freedom, f, p in comparison.anova.iter_rows()
    ]
    return Table(header, body, 2)


def _labels(comparison: Comparison) -> dict[str, int]:
    """Each run's rank under the first measure."""
    ranking = comparison.ranking(comparison.measures[0])
    return {run: rank for rank, run in enumerate(ranking, start=1)}


def _beaten(comparison: Comparison, measure: str) -> dict[str, set[str]]:
    """For every run those that it is significantly better than."""
    found: dict[str, set[str]] = {run: set() for run in comparison.ranking(measure)}
    own = comparison.pairs.filter((pl.col(columns.MEASURE) == measure) & pl.col("significant"))
    for better, worse in own.select("better", "worse").iter_rows():
        found[better].add(worse)
    return found


def _counted(comparison: Comparison, measure: str) -> str:
    counts = comparison.counts.filter(pl.col(columns.MEASURE) == measure)
    _, significant, pairs = counts.row(0)
    return f"{measure}: {significant} of {pairs} pairs significant ({percent(significant / pairs)})"


def _ranges(numbers: Sequence[int]) -> str:
    """Numbers as ranges: 2-5,7."""
    runs = groupby(enumerate(numbers), key=lambda item: item[1] - item[0])
    spans = [[number for _, number in items] for _, items in runs]
    return ",".join(f"{s[0]}-{s[-1]}" if len(s) > 1 else str(s[0]) for s in spans)


def _stacked(names: Sequence[str]) -> Iterator[str]:
    """Numbers written downwards, a line per digit."""
    width = max(map(len, names))
    padded = [name.rjust(width) for name in names]
    return ("".join(digits) for digits in zip(*padded, strict=True))


def _some(topics: Sequence[str]) -> str:
    more = len(topics) - SHOWN_TOPICS
    return " ".join(topics[:SHOWN_TOPICS]) + (f" and {more} more" if more > 0 else "")
