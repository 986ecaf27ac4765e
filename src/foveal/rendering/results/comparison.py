"""Runs compared: one table for a paper; for reading, who is better than whom, and by how much."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from itertools import groupby
from typing import Any

from foveal.analysis import TESTS, Comparison
from foveal.choices import Correction, Form
from foveal.errors import counted, listed
from foveal.late import pl
from foveal.rendering._first_sentence import first_sentences
from foveal.rendering._numbers import percent, rounded, rounded_p, signed_percent
from foveal.rendering._table import Cell, Table, in_group
from foveal.rendering.plain_names import in_plain_words, legend
from foveal.tables import columns

# More pairs than this are only counted and drawn in the matrix; CSV and JSON hold them all.
LISTED_PAIRS = 10
# So many of the topics that decide a pair are named for readers; CSV and JSON hold them all.
NAMED_TOPICS = 10
# As it is called, or in plain words.
RECALL = re.compile(r"(?:cR\(chars=|recall@)([0-9]+)(?:\)|chars)")
BETTER, NOT, SELF = "*", "-", "\\"
# Marks of runs that differ from the first baseline, the second and so on.
MARKS, WORSE = "†‡§¶", "▾"
_KEY = [columns.MEASURE, columns.BETTER, columns.WORSE]
PAPER = {Form.LATEX, Form.MARKDOWN}
# Decimals of scores in a paper, and elsewhere.
PAPER_DECIMALS, DECIMALS = 3, 4
CORRECTIONS = {
    Correction.HOLM: "Holm",
    Correction.BONFERRONI: "Bonferroni",
    Correction.BH: "Benjamini-Hochberg",
}


def tables(comparison: Comparison, form: Form) -> list[Table]:
    """The comparison as tables: first which runs are better, then by how much; for a paper, one."""
    text, words = form is Form.TEXT, legend(comparison.plain)
    lead = " ".join(first_sentences(comparison, comparison.main_measure))
    comparison = _to_be_rounded(in_plain_words(comparison), form)
    if form in PAPER:
        found = [means_table(comparison)]
        return [
            replace(found[0], lead=lead),
            *(_group_means(name, own) for name, own in comparison.groups.items()),
        ]
    # Recall over budgets is read across the budgets, which the matrices keep apart.
    shows_means = not text or comparison.baselines or len(budgets(comparison.measures)) > 1
    found = [means_table(comparison)] if shows_means else []
    if comparison.baselines:
        found.append(changes_table(comparison))
    else:
        found += [
            matrix_table(
                comparison, measure, narrow=text, star=r"★" if form is Form.HTML else BETTER
            )
            for measure in comparison.measures
        ]
    if len(comparison.pairs) <= LISTED_PAIRS * len(comparison.measures):
        drawn = (effects_table, deciding_table)
        found += [] if comparison.baselines else [pairs_table(comparison)]
        found += [table(comparison) for table in drawn]
    if TESTS[comparison.settings["test"]].shows_variance:
        found.append(anova_table(comparison))
    for name, own in comparison.groups.items():
        found += _of_group(name, own, narrow=text)
    return [replace(found[0], lead=lead), *found[1:], counts_table(comparison), *words]


def _to_be_rounded(comparison: Comparison, form: Form) -> Comparison:
    """The comparison with the number of decimals that tables of a form show."""
    decimals = comparison.decimals
    if decimals is None:
        decimals = PAPER_DECIMALS if form in PAPER else DECIMALS
    groups = {name: replace(own, decimals=decimals) for name, own in comparison.groups.items()}
    return replace(comparison, decimals=decimals, groups=groups)


def _of_group(name: str, comparison: Comparison, *, narrow: bool) -> Iterator[Table]:
    """What is shown of a group of topics: a matrix per measure in a terminal, else the means."""
    if not narrow:
        yield _group_means(name, comparison)
        return
    topics = counted(len(comparison.values.topics), "topic")
    if comparison.baselines:
        yield replace(changes_table(comparison), title=in_group(name, topics))
        return
    for measure in comparison.measures:
        table = matrix_table(comparison, measure, narrow=narrow)
        title = f"{topics}; {_counted(comparison, measure)}"
        yield replace(table, title=in_group(name, title))


def _group_means(name: str, comparison: Comparison) -> Table:
    title = in_group(name, counted(len(comparison.values.topics), "topic"))
    return replace(means_table(comparison), title=title, settings={})


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
    """Means of all measures, the best and the second, with marks of significance after them.

    Marks are the ranks of the runs that a run is better than, or signs of the baselines that it is
    better than or, behind a triangle, worse; in brackets the change to the first baseline.
    """
    labels, measures = _labels(comparison), comparison.measures
    runs, ranks = list(labels), not comparison.baselines
    numbers = comparison.means.select(columns.MEASURE, columns.RUN, columns.MEAN).iter_rows()
    means = {(measure, run): _number(mean, comparison) for measure, run, mean in numbers}
    rows = [
        [*[str(labels[run])] * ranks, run, *(means[measure, run] for measure in measures)]
        for run in runs
    ]
    header = [*[columns.RANK] * ranks, columns.RUN]
    strong, second = set[Cell](), set[Cell]()
    raised, beside = dict[Cell, str](), dict[Cell, str]()
    for column, measure in enumerate(measures, start=len(header)):
        in_order = dict.fromkeys(means[measure, run] for run in comparison.ranking(measure))
        best, runner_up, *_ = (*in_order, "", "")
        for row, run in enumerate(runs):
            if means[measure, run] == best:
                strong.add((row, column))
            elif means[measure, run] == runner_up and len(runs) > 2:
                second.add((row, column))
        for run, marks in significance_marks(comparison, measure).items():
            raised[runs.index(run), column] = marks
        for run, change in _changes(comparison, measure).items():
            beside[runs.index(run), column] = f"({signed_percent(change)})"
    return Table(
        [*header, *measures],
        rows,
        len(header),
        comparison.settings,
        strong=frozenset(strong),
        second=frozenset(second),
        raised=raised,
        beside=beside,
        caption=_caption(comparison),
    )


def _changes(comparison: Comparison, measure: str) -> dict[str, float]:
    """By how many per cent each run changes the mean of the first baseline, where that is known."""
    if not comparison.baselines:
        return {}
    is_first = pl.col(columns.BASELINE_RUN) == comparison.baselines[0]
    pairs = comparison.pairs.filter((pl.col(columns.MEASURE) == measure) & is_first)
    changes = pairs.select(columns.RUN, columns.CHANGE_PERCENT).drop_nulls()
    return dict(changes.iter_rows())


def significance_marks(comparison: Comparison, measure: str) -> dict[str, str]:
    """What to set after the mean of each run that differs significantly from others."""
    if not comparison.baselines:
        labels = _labels(comparison)
        beaten = _beaten(comparison, measure).items()
        return {run: _ranges(sorted(labels[name] for name in worse)) for run, worse in beaten}
    found: dict[str, str] = {}
    own = comparison.pairs.filter(
        (pl.col(columns.MEASURE) == measure) & pl.col(columns.SIGNIFICANT)
    )
    for baseline, mark in _baseline_marks(comparison).items():
        rows = own.filter(pl.col(columns.BASELINE_RUN) == baseline)
        for run, better in rows.select(columns.RUN, columns.BETTER).iter_rows():
            found[run] = found.get(run, "") + (mark if run == better else WORSE + mark)
    return found


def marks_in_words(comparison: Comparison) -> str:
    """What the marks of significance say."""
    told = [f"{mark}: better than {run}" for run, mark in _baseline_marks(comparison).items()]
    if not told:
        return "Superscripts: the ranks of the runs that a run is better than"
    worse = any(
        WORSE in marks
        for measure in comparison.measures
        for marks in significance_marks(comparison, measure).values()
    )
    return "; ".join([*told, *[f"{WORSE} before it: worse"] * worse])


def _baseline_marks(comparison: Comparison) -> dict[str, str]:
    """The mark of each baseline; those after the fourth have signs twice."""
    return {
        run: MARKS[place % len(MARKS)] * (1 + place // len(MARKS))
        for place, run in enumerate(comparison.baselines)
    }


def _caption(comparison: Comparison) -> str:
    """The sentences to print under a table of means."""
    chosen, topics = comparison.settings, counted(len(comparison.values.topics), "topic")
    correction = CORRECTIONS.get(Correction(chosen["correct"]))
    count, used = comparison.family, TESTS[chosen["test"]]
    family = "which holds for all pairs together" if used.corrected else "not corrected"
    if correction:
        family = f"{correction} over {count:,} comparisons within each measure"
    taken = chosen.get("resamples", "").removeprefix("by measure ").split("; ")
    ways = {"exact" if number.startswith("all") else f"{number} resamples" for number in taken}
    test = [
        f"{chosen['tail']}-tailed {chosen['test']} test",
        *[" or ".join(sorted(ways))] * used.resampled,
        f"p ≤ {chosen[columns.ALPHA]}",
        *[family] * (count > 1),
    ]
    best = "Best bold" + ", second underlined" * (len(comparison.values.runs) > 2)
    told = [
        f"Mean {listed(comparison.measures)} over {topics}",
        best,
        f"{marks_in_words(comparison)} ({', '.join(test)})",
    ]
    if comparison.baselines:
        told.append(f"In brackets: the change to {comparison.baselines[0]}")
    return f"{'. '.join(told)}. foveal {version('foveal')}."


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
        numbers = [_number(number, comparison) for number in (mean, low, high)]
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
        + [_number(taus.get(measure), comparison)] * (len(comparison.measures) > 1)
        for measure, significant, pairs in comparison.counts.iter_rows()
    ]


def pairs_table(comparison: Comparison) -> Table:
    """Every pair: by how much the means differ, and how sure that is."""
    is_corrected = comparison.settings.get("correct") != Correction.NONE
    numbers = [columns.DIFFERENCE, columns.LOW, columns.HIGH]
    body = [
        [*(pair[name] for name in _KEY), *(_number(pair[name], comparison) for name in numbers)]
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
            *(_number(pair[name], comparison) for name in numbers),
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


def _side(change: Mapping[str, object]) -> str:
    is_better = change[columns.RUN] == change[columns.BETTER]
    return columns.BETTER if is_better else columns.WORSE


def changes_table(comparison: Comparison) -> Table:
    """Every run beside a baseline: by how much it changes the mean, and how sure that is."""
    is_corrected = comparison.settings.get("correct") != Correction.NONE
    is_better = pl.col(columns.RUN) == pl.col(columns.BETTER)
    low, high = pl.col(columns.LOW), pl.col(columns.HIGH)
    changes = _rows(comparison).with_columns(
        pl.when(is_better).then(low).otherwise(-high).alias(columns.LOW),
        pl.when(is_better).then(high).otherwise(-low).alias(columns.HIGH),
    )
    means = comparison.means.select(columns.MEASURE, columns.RUN, columns.MEAN)
    changes = changes.join(means, on=[columns.MEASURE, columns.RUN], maintain_order="left")
    several = [columns.BASELINE_RUN] * (len(comparison.baselines) > 1)
    names = [columns.MEASURE, *several, columns.RUN]
    in_order = sorted(
        changes.iter_rows(named=True),
        key=lambda change: (
            comparison.measures.index(change[columns.MEASURE]),
            comparison.baselines.index(change[columns.BASELINE_RUN]),
        ),
    )
    body = [
        [*(change[name] for name in names)]
        + [_number(change[name], comparison) for name in (columns.MEAN, columns.CHANGE)]
        + [signed_percent(change[columns.CHANGE_PERCENT])]
        + [_number(change[name], comparison) for name in (columns.LOW, columns.HIGH)]
        + [rounded_p(change[columns.P]) or change[columns.STATUS]]
        + [rounded_p(change[columns.ADJUSTED_P])] * is_corrected
        + [_side(change) if change[columns.SIGNIFICANT] else ""]
        for change in in_order
    ]
    header = [*names, columns.MEAN, "Δ", "Δ %", columns.LOW, columns.HIGH, columns.P]
    header += [*["adjusted p"] * is_corrected, columns.SIGNIFICANT]
    title = f"changes to {listed(comparison.baselines)}"
    return Table(header, body, len(names), title=title)


def anova_table(comparison: Comparison) -> Table:
    """Where the variance of the scores comes from, and which share of it each source explains."""
    header = [
        columns.MEASURE,
        columns.SOURCE,
        columns.SQUARES,
        columns.FREEDOM,
        "F",
        columns.P,
        "ω²",
        "partial η²",
    ]
    body = [
        [
            measure,
            source,
            _number(squares, comparison),
            str(freedom),
            _number(f, comparison),
            rounded_p(p),
        ]
        + [_number(share, comparison) for share in shares]
        for measure, source, squares, freedom, f, p, *shares in comparison.anova.iter_rows()
    ]
    return Table(header, body, 2)


def _number(number: float | None, comparison: Comparison) -> str:
    decimals = DECIMALS if comparison.decimals is None else comparison.decimals
    return "" if number is None else rounded(number, decimals=decimals)


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
