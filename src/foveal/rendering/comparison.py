"""Runs compared: means with marks, the pairwise matrix, its count."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from foveal.analysis import TESTS, Comparison
from foveal.choices import Correction, Form
from foveal.errors import counted
from foveal.late import pl
from foveal.rendering._first_sentence import first_sentences
from foveal.rendering._numbers import percent, rounded, rounded_p
from foveal.rendering._plain import in_plain_words, legend
from foveal.rendering._table import Cell, Table, in_group
from foveal.tables import columns

# More pairs than this are only counted and drawn in the matrix; CSV and JSON hold them all.
LISTED_PAIRS = 10
# So many of the topics that decide a pair are named for readers; CSV and JSON hold them all.
NAMED_TOPICS = 10
# As it is called, or in plain words.
RECALL = re.compile(r"(?:cR\(chars=|recall@)([0-9]+)(?:\)|chars)")
BETTER, NOT, SELF = "*", "-", "\\"
_KEY = [columns.MEASURE, columns.BETTER, columns.WORSE]


def tables(comparison: Comparison, form: Form) -> list[Table]:
    """The comparison as tables: first which runs are better, then by how much."""
    text, words = form is Form.TEXT, legend(comparison.plain)
    lead = " ".join(first_sentences(comparison, comparison.main_measure))
    comparison = in_plain_words(comparison)
    # Recall over budgets is read across the budgets, which the matrices keep apart.
    found = [means_table(comparison)] if not text or len(budgets(comparison.measures)) > 1 else []
    found += [
        matrix_table(comparison, measure, narrow=text, star=r"★" if form is Form.HTML else BETTER)
        for measure in comparison.measures
    ]
    if len(comparison.pairs) <= LISTED_PAIRS * len(comparison.measures):
        drawn = (pairs_table, effects_table, deciding_table)
        found += [table(comparison) for table in drawn]
    if TESTS[comparison.settings["test"]].shows_variance:
        found.append(anova_table(comparison))
    for name, own in comparison.groups.items():
        found += _of_group(name, own, narrow=text)
    return [replace(found[0], lead=lead), *found[1:], counts_table(comparison), *words]


def _of_group(name: str, comparison: Comparison, *, narrow: bool) -> Iterator[Table]:
    """What is shown of a group of topics: a matrix per measure in a terminal, else the means."""
    topics = counted(len(comparison.values.topics), "topic")
    if not narrow:
        yield replace(means_table(comparison), title=in_group(name, topics), settings={})
        return
    for measure in comparison.measures:
        table = matrix_table(comparison, measure, narrow=narrow)
        title = f"{topics}; {_counted(comparison, measure)}"
        yield replace(table, title=in_group(name, title))


def rows(comparison: Comparison) -> pl.DataFrame:
    """A row per pair with everything known about it, on all topics and then on each group."""
    return comparison.by_group(_rows)


def _rows(comparison: Comparison) -> pl.DataFrame:
    others = comparison.effects.drop(_KEY).with_columns(pl.col(columns.TOPICS).list.join(" "))
    return pl.concat([comparison.pairs, others], how="horizontal")


def document(comparison: Comparison) -> dict[str, Any]:
    """The comparison as JSON holds it."""
    return {
        "settings": comparison.settings,
        "means": comparison.by_group(lambda own: own.means),
        "pairs": comparison.by_group(lambda own: own.pairs),
        "counts": comparison.by_group(lambda own: own.counts),
        "effects": comparison.by_group(lambda own: own.effects),
        "anova": comparison.by_group(lambda own: own.anova),
        "curves": comparison.by_group(lambda own: own.curves()),
        "agreement": comparison.by_group(lambda own: own.agreement),
        "notes": comparison.notes,
    }


def budgets(measures: Sequence[str]) -> dict[str, int]:
    """The measures of recall within a number of characters, and these numbers, in their order."""
    found = {
        measure: int(budget[1]) for measure in measures if (budget := RECALL.fullmatch(measure))
    }
    return dict(sorted(found.items(), key=lambda item: item[1]))


def means_table(comparison: Comparison) -> Table:
    """Means of all measures, the best in bold, each with the ranks of the runs it is better than."""
    labels = _labels(comparison)
    measures = comparison.measures
    means = {
        (measure, run): mean
        for measure, run, mean in comparison.means.select(
            columns.MEASURE, columns.RUN, columns.MEAN
        ).iter_rows()
    }
    runs = list(labels)
    body = [[str(labels[run]), run, *(rounded(means[m, run]) for m in measures)] for run in runs]
    strong: set[Cell] = set()
    raised: dict[Cell, str] = {}
    for place, measure in enumerate(measures, start=2):
        best = rounded(means[measure, comparison.ranking(measure)[0]])
        strong |= {(row, place) for row, cells in enumerate(body) if cells[place] == best}
        for run, beaten in _beaten(comparison, measure).items():
            raised[runs.index(run), place] = _ranges(sorted(labels[name] for name in beaten))
    return Table(
        [columns.RANK, columns.RUN, *measures],
        body,
        2,
        comparison.settings,
        strong=frozenset(strong),
        raised=raised,
    )


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
        own.select(columns.RUN, columns.MEAN, columns.LOW, columns.HIGH).iter_rows()
    ):
        later = [star if other in beaten[run] else NOT for other in ranking[place + 1 :]]
        marks = [*([""] * place), SELF, *later]
        numbers = [rounded(mean), _known(low), _known(high)]
        drawn = ["".join(mark or " " for mark in marks)] if narrow else marks
        body.append([str(labels[run]), run, *numbers, *drawn])
    names = [str(labels[run]) for run in ranking]
    header = [columns.RANK, columns.RUN, measure, columns.LOW, columns.HIGH]
    heads = [[*[""] * 5, line] for line in _stacked(names)] if narrow else [[*header, *names]]
    above = tuple(heads[:-1])
    last = [*header, heads[-1][-1]] if narrow else heads[-1]
    title, first = _counted(comparison, measure), comparison.measures[0]
    if measure == first:
        title += f"; {star} significantly better than the run of that rank, {NOT} not"
    elif ranking != comparison.ranking(first):
        title += f"; ranks are those by {first}"
    return Table(last, body, 2, title=title, above=above)


def counts_table(comparison: Comparison) -> Table:
    """How many pairs each measure tells apart, and how alike it ranks the runs to the first."""
    header = [columns.MEASURE, columns.SIGNIFICANT, columns.PAIRS, "share"]
    if len(comparison.measures) > 1:
        header.append(f"τ with {comparison.measures[0]}")
    body = _count_rows(comparison)
    if not comparison.groups:
        return Table(header, body, 1)
    every = {columns.ALL_TOPICS: comparison, **comparison.groups}
    body = [[name, *row] for name, own in every.items() for row in _count_rows(own)]
    return Table([columns.GROUP, *header], body, 2)


def _count_rows(comparison: Comparison) -> list[list[str]]:
    first = comparison.measures[0]
    taus = {second: tau for one, second, tau in comparison.agreement.iter_rows() if one == first}
    return [
        [measure, str(significant), str(pairs), percent(significant / pairs)]
        + [_known(taus.get(measure))] * (len(comparison.measures) > 1)
        for measure, significant, pairs in comparison.counts.iter_rows()
    ]


def pairs_table(comparison: Comparison) -> Table:
    """Every pair: by how much the means differ, and how sure that is."""
    is_corrected = comparison.settings.get("correct") != Correction.NONE
    numbers = [columns.DIFFERENCE, columns.LOW, columns.HIGH]
    body = [
        [*(pair[name] for name in _KEY), *(_known(pair[name]) for name in numbers)]
        + [rounded_p(pair[columns.P]) or pair[columns.STATUS]]
        + [rounded_p(pair[columns.ADJUSTED_P])] * is_corrected
        for pair in _rows(comparison).iter_rows(named=True)
    ]
    header = [*_KEY, *numbers, columns.P] + ["adjusted p"] * is_corrected
    return Table(header, body, len(_KEY))


def effects_table(comparison: Comparison) -> Table:
    """Every pair: how large the difference is, and on how many topics."""
    numbers = [columns.EFFECT, columns.SUPERIORITY]
    body = [
        [
            *(pair[name] for name in _KEY),
            *(_known(pair[name]) for name in numbers),
            f"{pair[columns.WINS]}/{pair[columns.TIES]}/{pair[columns.LOSSES]}",
        ]
        for pair in comparison.effects.iter_rows(named=True)
    ]
    return Table([*_KEY, *numbers, "won/tied/lost"], body, len(_KEY))


def deciding_table(comparison: Comparison) -> Table:
    """The fewest topics without which the better run of each pair would not be ahead."""
    body = [
        [*pair, str(count), " ".join(topics[:NAMED_TOPICS]) + " …" * (count > NAMED_TOPICS)]
        for *pair, count, topics in comparison.effects.select(
            *_KEY, columns.DECIDING, columns.TOPICS
        ).iter_rows()
    ]
    return Table([*_KEY, columns.DECIDING, columns.TOPICS], body, 5)


def anova_table(comparison: Comparison) -> Table:
    """Where the variance of the scores comes from."""
    header = [columns.MEASURE, columns.SOURCE, columns.SQUARES, columns.FREEDOM, "F", columns.P]
    body = [
        [
            measure,
            source,
            rounded(squares),
            str(freedom),
            _known(f),
            rounded_p(p),
        ]
        for measure, source, squares, freedom, f, p in comparison.anova.iter_rows()
    ]
    return Table(header, body, 2)


def _known(number: float | None) -> str:
    return "" if number is None else rounded(number)


def _labels(comparison: Comparison) -> dict[str, int]:
    """Each run's rank under the first measure."""
    ranking = comparison.ranking(comparison.measures[0])
    return {run: rank for rank, run in enumerate(ranking, start=1)}


def _beaten(comparison: Comparison, measure: str) -> dict[str, set[str]]:
    """For every run, those that it is significantly better than."""
    found: dict[str, set[str]] = {run: set() for run in comparison.ranking(measure)}
    own = comparison.pairs.filter(
        (pl.col(columns.MEASURE) == measure) & pl.col(columns.SIGNIFICANT)
    )
    for better, worse in own.select(columns.BETTER, columns.WORSE).iter_rows():
        found[better].add(worse)
    return found


def _counted(comparison: Comparison, measure: str) -> str:
    counts = comparison.counts.filter(pl.col(columns.MEASURE) == measure)
    _, significant, pairs = counts.row(0)
    some = f"{significant:,} of {counted(pairs, 'pair')}"
    return f"{measure}: {some} significant ({percent(significant / pairs)})"


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
