"""Comparisons of runs: one table for a paper; for reading, which run is better, and by how much."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from itertools import groupby
from typing import Any

from foveal.analysis import TESTS, Comparison
from foveal.choices import Correction, Form
from foveal.errors import and_list, counted
from foveal.late import pl
from foveal.rendering._numbers import percent, rounded, rounded_p, signed_percent
from foveal.rendering._table import Cell, Table, in_group
from foveal.rendering._verdict_sentence import first_sentences
from foveal.rendering.plain_names import in_plain_words, legend
from foveal.tables import columns as c

# More pairs than this are only in the counts and the matrix; CSV and JSON have them all.
MAX_LISTED_PAIRS = 10
# Readers see so many of the topics that decide a pair; CSV and JSON have them all.
NAMED_TOPICS = 10
# Recall within a number of characters, by its name or its plain name.
RECALL = re.compile(r"(?:cR\(chars=|recall@)([0-9]+)(?:\)|chars)")
BETTER, NOT_BETTER, SELF = "*", "-", "\\"
# Marks of runs that differ from the first baseline, the second and so on.
MARKS, WORSE = "†‡§¶", "▾"
_KEY = [c.MEASURE, c.BETTER, c.WORSE]
PAPER = {Form.LATEX, Form.MARKDOWN}
# Decimals of scores in a paper, and elsewhere.
PAPER_DECIMALS, DECIMALS = 3, 4
CORRECTIONS = {
    Correction.HOLM: "Holm",
    Correction.BONFERRONI: "Bonferroni",
    Correction.BH: "Benjamini-Hochberg",
}


def tables(comparison: Comparison, form: Form) -> list[Table]:
    """The comparison as tables: which runs are better, then by how much; one table for a paper."""
    is_text, legends = form is Form.TEXT, legend(comparison.plain)
    lead = " ".join(first_sentences(comparison, comparison.main_measure))
    comparison = _with_decimals(in_plain_words(comparison), form)
    if form in PAPER:
        group_means = [_group_means(name, group) for name, group in comparison.groups.items()]
        return [replace(means_table(comparison), lead=lead), *group_means]
    # Recall over budgets is read across a row of budgets, which matrices do not have.
    shows_means = not is_text or comparison.baselines or len(budgets(comparison.measures)) > 1
    tables = [means_table(comparison)] if shows_means else []
    if comparison.baselines:
        tables.append(changes_table(comparison))
    else:
        star = "★" if form is Form.HTML else BETTER
        tables += [
            matrix_table(comparison, measure, narrow=is_text, star=star)
            for measure in comparison.measures
        ]
    if len(comparison.pairs) <= MAX_LISTED_PAIRS * len(comparison.measures):
        tables += [] if comparison.baselines else [pairs_table(comparison)]
        tables += [effects_table(comparison), deciding_table(comparison)]
    if TESTS[comparison.settings["test"]].shows_variance:
        tables.append(anova_table(comparison))
    for name, group in comparison.groups.items():
        tables += _group_tables(name, group, narrow=is_text)
    return [replace(tables[0], lead=lead), *tables[1:], counts_table(comparison), *legends]


def _with_decimals(comparison: Comparison, form: Form) -> Comparison:
    """The comparison with the number of decimals for a form."""
    decimals = comparison.decimals
    if decimals is None:
        decimals = PAPER_DECIMALS if form in PAPER else DECIMALS
    groups = {name: replace(group, decimals=decimals) for name, group in comparison.groups.items()}
    return replace(comparison, decimals=decimals, groups=groups)


def _group_tables(name: str, comparison: Comparison, *, narrow: bool) -> Iterator[Table]:
    """Tables of a group of topics: a matrix per measure in a terminal, else the means."""
    if not narrow:
        yield _group_means(name, comparison)
        return
    topics = counted(len(comparison.values.topics), "topic")
    if comparison.baselines:
        yield replace(changes_table(comparison), title=in_group(name, topics))
        return
    for measure in comparison.measures:
        table = matrix_table(comparison, measure, narrow=narrow)
        title = f"{topics}; {_significance_count(comparison, measure)}"
        yield replace(table, title=in_group(name, title))


def _group_means(name: str, comparison: Comparison) -> Table:
    title = in_group(name, counted(len(comparison.values.topics), "topic"))
    return replace(means_table(comparison), title=title, settings={})


def rows(comparison: Comparison) -> pl.DataFrame:
    """A row per pair with all its numbers, on all topics and then on each group."""
    return comparison.by_group(_rows)


def _rows(comparison: Comparison) -> pl.DataFrame:
    effects = comparison.effects.drop(_KEY).with_columns(pl.col(c.TOPICS).list.join(" "))
    return pl.concat([comparison.pairs, effects], how="horizontal")


def document(comparison: Comparison) -> dict[str, Any]:
    """The comparison as a JSON document."""
    return {
        "settings": comparison.settings,
        "means": comparison.by_group(lambda group: group.means),
        "pairs": comparison.by_group(lambda group: group.pairs),
        "counts": comparison.by_group(lambda group: group.counts),
        "effects": comparison.by_group(lambda group: group.effects),
        "anova": comparison.by_group(lambda group: group.anova),
        "curves": comparison.by_group(lambda group: group.curves()),
        "agreement": comparison.by_group(lambda group: group.agreement),
        "notes": comparison.notes,
    }


def budgets(measures: Sequence[str]) -> dict[str, int]:
    """Measures of recall within a budget of characters, and their budgets, smallest first."""
    budgets = {m: int(match[1]) for m in measures if (match := RECALL.fullmatch(m))}
    return dict(sorted(budgets.items(), key=lambda item: item[1]))


def means_table(comparison: Comparison) -> Table:
    """Means of all measures, the best and the second, with marks of significance after them.

    Marks are the ranks of the runs that a run is better than, or the symbols of baselines that it is
    better than or, after a triangle, worse; in brackets the change to the first baseline.
    """
    labels, measures = _labels(comparison), comparison.measures
    runs, has_ranks = list(labels), not comparison.baselines
    numbers = comparison.means.select(c.MEASURE, c.RUN, c.MEAN).iter_rows()
    means = {(measure, run): _number(mean, comparison) for measure, run, mean in numbers}
    rows = [
        [*[str(labels[run])] * has_ranks, run, *(means[measure, run] for measure in measures)]
        for run in runs
    ]
    header = [*[c.RANK] * has_ranks, c.RUN]
    strong, second = set[Cell](), set[Cell]()
    superscripts, suffixes = dict[Cell, str](), dict[Cell, str]()
    for column, measure in enumerate(measures, start=len(header)):
        distinct_means = dict.fromkeys(means[measure, run] for run in comparison.ranking(measure))
        best, runner_up, *_ = (*distinct_means, "", "")
        for row, run in enumerate(runs):
            if means[measure, run] == best:
                strong.add((row, column))
            elif means[measure, run] == runner_up and len(runs) > 2:
                second.add((row, column))
        for run, marks in significance_marks(comparison, measure).items():
            superscripts[runs.index(run), column] = marks
        for run, change in _changes(comparison, measure).items():
            suffixes[runs.index(run), column] = f"({signed_percent(change)})"
    return Table(
        [*header, *measures],
        rows,
        len(header),
        comparison.settings,
        strong=frozenset(strong),
        second=frozenset(second),
        superscripts=superscripts,
        suffixes=suffixes,
        caption=_caption(comparison),
    )


def _changes(comparison: Comparison, measure: str) -> dict[str, float]:
    """Change of each run from the mean of the first baseline, in per cent, if that is known."""
    if not comparison.baselines:
        return {}
    is_first = pl.col(c.BASELINE_RUN) == comparison.baselines[0]
    pairs = comparison.pairs.filter((pl.col(c.MEASURE) == measure) & is_first)
    return dict(pairs.select(c.RUN, c.CHANGE_PERCENT).drop_nulls().iter_rows())


def significance_marks(comparison: Comparison, measure: str) -> dict[str, str]:
    """Superscripts for the mean of each run that differs significantly from others."""
    if not comparison.baselines:
        labels = _labels(comparison)
        worse_by_run = _worse_runs(comparison, measure).items()
        return {run: _ranges(sorted(labels[name] for name in worse)) for run, worse in worse_by_run}
    marks: dict[str, str] = {}
    significant_pairs = comparison.pairs.filter(pl.col(c.MEASURE) == measure, c.SIGNIFICANT)
    for baseline, mark in _baseline_marks(comparison).items():
        rows = significant_pairs.filter(pl.col(c.BASELINE_RUN) == baseline)
        for run, better in rows.select(c.RUN, c.BETTER).iter_rows():
            marks[run] = marks.get(run, "") + (mark if run == better else WORSE + mark)
    return marks


def marks_in_words(comparison: Comparison) -> str:
    """The meaning of the marks of significance."""
    meanings = [f"{mark}: better than {run}" for run, mark in _baseline_marks(comparison).items()]
    if not meanings:
        return "Superscripts: the ranks of the runs that a run is better than"
    has_worse = any(
        WORSE in marks
        for measure in comparison.measures
        for marks in significance_marks(comparison, measure).values()
    )
    return "; ".join([*meanings, *[f"{WORSE} before it: worse"] * has_worse])


def _baseline_marks(comparison: Comparison) -> dict[str, str]:
    """The mark of each baseline; those after the fourth repeat their symbol."""
    return {
        run: MARKS[index % len(MARKS)] * (1 + index // len(MARKS))
        for index, run in enumerate(comparison.baselines)
    }


def _caption(comparison: Comparison) -> str:
    """The sentences to print under a table of means."""
    settings, topics = comparison.settings, counted(len(comparison.values.topics), "topic")
    correction = CORRECTIONS.get(Correction(settings["correct"]))
    count, test_record = comparison.family, TESTS[settings["test"]]
    family = "which holds for all pairs together" if test_record.corrected else "not corrected"
    if correction:
        family = f"{correction} over {count:,} comparisons within each measure"
    counts = settings.get("resamples", "").removeprefix("by measure ").split("; ")
    methods = {"exact" if number.startswith("all") else f"{number} resamples" for number in counts}
    test_phrases = [
        f"{settings['tail']}-tailed {settings['test']} test",
        *[" or ".join(sorted(methods))] * test_record.resampled,
        f"p ≤ {settings[c.ALPHA]}",
        *[family] * (count > 1),
    ]
    styles = "Best bold" + ", second underlined" * (len(comparison.values.runs) > 2)
    sentences = [
        f"Mean {and_list(comparison.measures)} over {topics}",
        styles,
        f"{marks_in_words(comparison)} ({', '.join(test_phrases)})",
    ]
    if comparison.baselines:
        sentences.append(f"In brackets: the change to {comparison.baselines[0]}")
    return f"{'. '.join(sentences)}. foveal {version('foveal')}."


def matrix_table(
    comparison: Comparison, measure: str, *, narrow: bool, star: str = BETTER
) -> Table:
    """Matrix of the runs, in the order of the measure's means: significantly better or not.

    Runs are labelled by their rank under the first measure. A narrow matrix is one column of text.
    """
    labels = _labels(comparison)
    means = comparison.means.filter(pl.col(c.MEASURE) == measure)
    ranking = comparison.ranking(measure)
    worse_runs = _worse_runs(comparison, measure)
    rows = []
    for index, (run, mean, low, high) in enumerate(
        means.select(c.RUN, c.MEAN, c.LOW, c.HIGH).iter_rows()
    ):
        later = [star if worse in worse_runs[run] else NOT_BETTER for worse in ranking[index + 1 :]]
        marks = [*([""] * index), SELF, *later]
        numbers = [_number(number, comparison) for number in (mean, low, high)]
        matrix_cells = ["".join(mark or " " for mark in marks)] if narrow else marks
        rows.append([str(labels[run]), run, *numbers, *matrix_cells])
    names = [str(labels[run]) for run in ranking]
    header = [c.RANK, c.RUN, measure, c.LOW, c.HIGH]
    lines = [[*[""] * 5, line] for line in _stacked(names)] if narrow else [[*header, *names]]
    upper_headers = tuple(lines[:-1])
    last_header = [*header, lines[-1][-1]] if narrow else lines[-1]
    title, first = _significance_count(comparison, measure), comparison.measures[0]
    if measure == first:
        title += f"; {star} significantly better than the run of that rank, {NOT_BETTER} not"
    elif ranking != comparison.ranking(first):
        title += f"; ranks are those by {first}"
    return Table(last_header, rows, 2, title=title, upper_headers=upper_headers)


def counts_table(comparison: Comparison) -> Table:
    """Significant pairs by each measure, and how similarly to the first it ranks the runs."""
    header = [c.MEASURE, c.SIGNIFICANT, c.PAIRS, "share"]
    if len(comparison.measures) > 1:
        header.append(f"τ with {comparison.measures[0]}")
    rows = _count_rows(comparison)
    if not comparison.groups:
        return Table(header, rows, 1)
    comparisons = {c.ALL_TOPICS: comparison, **comparison.groups}
    rows = [[name, *row] for name, group in comparisons.items() for row in _count_rows(group)]
    return Table([c.GROUP, *header], rows, 2)


def _count_rows(comparison: Comparison) -> list[list[str]]:
    main = comparison.measures[0]
    taus = {second: tau for first, second, tau in comparison.agreement.iter_rows() if first == main}
    return [
        [measure, str(significant), str(pairs), percent(significant / pairs)]
        + [_number(taus.get(measure), comparison)] * (len(comparison.measures) > 1)
        for measure, significant, pairs in comparison.counts.iter_rows()
    ]


def pairs_table(comparison: Comparison) -> Table:
    """Every pair: the difference of the means, its interval and its p."""
    is_corrected = comparison.settings.get("correct") != Correction.NONE
    numbers = [c.DIFFERENCE, c.LOW, c.HIGH]
    rows = [
        [*(pair[name] for name in _KEY), *(_number(pair[name], comparison) for name in numbers)]
        + [rounded_p(pair[c.P]) or pair[c.STATUS]]
        + [rounded_p(pair[c.ADJUSTED_P])] * is_corrected
        for pair in _rows(comparison).iter_rows(named=True)
    ]
    header = [*_KEY, *numbers, c.P] + ["adjusted p"] * is_corrected
    return Table(header, rows, len(_KEY))


def effects_table(comparison: Comparison) -> Table:
    """Every pair: the effect size, and the topics won, tied and lost."""
    numbers = [c.EFFECT, c.SUPERIORITY]
    rows = [
        [
            *(pair[name] for name in _KEY),
            *(_number(pair[name], comparison) for name in numbers),
            f"{pair[c.WINS]}/{pair[c.TIES]}/{pair[c.LOSSES]}",
        ]
        for pair in comparison.effects.iter_rows(named=True)
    ]
    return Table([*_KEY, *numbers, "won/tied/lost"], rows, len(_KEY))


def deciding_table(comparison: Comparison) -> Table:
    """The fewest topics without which the better run of each pair would not be ahead."""
    deciding_columns = [*_KEY, c.DECIDING, c.TOPICS]
    rows = [
        [*pair, str(count), " ".join(topics[:NAMED_TOPICS]) + " …" * (count > NAMED_TOPICS)]
        for *pair, count, topics in comparison.effects.select(deciding_columns).iter_rows()
    ]
    return Table(deciding_columns, rows, 5)


def _better_side(change: Mapping[str, object]) -> str:
    return c.BETTER if change[c.RUN] == change[c.BETTER] else c.WORSE


def changes_table(comparison: Comparison) -> Table:
    """Every run against a baseline: the change of the mean, its interval and its p."""
    is_corrected = comparison.settings.get("correct") != Correction.NONE
    is_better = pl.col(c.RUN) == pl.col(c.BETTER)
    low, high = pl.col(c.LOW), pl.col(c.HIGH)
    changes = _rows(comparison).with_columns(
        pl.when(is_better).then(low).otherwise(-high).alias(c.LOW),
        pl.when(is_better).then(high).otherwise(-low).alias(c.HIGH),
    )
    means = comparison.means.select(c.MEASURE, c.RUN, c.MEAN)
    changes = changes.join(means, on=[c.MEASURE, c.RUN], maintain_order="left")
    baseline_column = [c.BASELINE_RUN] * (len(comparison.baselines) > 1)
    names = [c.MEASURE, *baseline_column, c.RUN]
    sorted_changes = sorted(
        changes.iter_rows(named=True),
        key=lambda change: (
            comparison.measures.index(change[c.MEASURE]),
            comparison.baselines.index(change[c.BASELINE_RUN]),
        ),
    )
    rows = [
        [*(change[name] for name in names)]
        + [_number(change[name], comparison) for name in (c.MEAN, c.CHANGE)]
        + [signed_percent(change[c.CHANGE_PERCENT])]
        + [_number(change[name], comparison) for name in (c.LOW, c.HIGH)]
        + [rounded_p(change[c.P]) or change[c.STATUS]]
        + [rounded_p(change[c.ADJUSTED_P])] * is_corrected
        + [_better_side(change) if change[c.SIGNIFICANT] else ""]
        for change in sorted_changes
    ]
    header = [*names, c.MEAN, "Δ", "Δ %", c.LOW, c.HIGH, c.P]
    header += [*["adjusted p"] * is_corrected, c.SIGNIFICANT]
    title = f"changes to {and_list(comparison.baselines)}"
    return Table(header, rows, len(names), title=title)


def anova_table(comparison: Comparison) -> Table:
    """Sources of the variance of the scores, and the share that each explains."""
    header = [c.MEASURE, c.SOURCE, c.SQUARES, c.FREEDOM, "F", c.P, "ω²", "partial η²"]
    rows = [
        [measure, source, _number(squares, comparison), str(freedom), _number(f, comparison)]
        + [rounded_p(p)]
        + [_number(share, comparison) for share in shares]
        for measure, source, squares, freedom, f, p, *shares in comparison.anova.iter_rows()
    ]
    return Table(header, rows, 2)


def _number(number: float | None, comparison: Comparison) -> str:
    decimals = DECIMALS if comparison.decimals is None else comparison.decimals
    return "" if number is None else rounded(number, decimals=decimals)


def _labels(comparison: Comparison) -> dict[str, int]:
    """Each run's rank under the first measure."""
    ranking = comparison.ranking(comparison.measures[0])
    return {run: rank for rank, run in enumerate(ranking, start=1)}


def _worse_runs(comparison: Comparison, measure: str) -> dict[str, set[str]]:
    """For every run, those that it is significantly better than."""
    worse_runs: dict[str, set[str]] = {run: set() for run in comparison.ranking(measure)}
    significant_pairs = comparison.pairs.filter(pl.col(c.MEASURE) == measure, c.SIGNIFICANT)
    for better, worse in significant_pairs.select(c.BETTER, c.WORSE).iter_rows():
        worse_runs[better].add(worse)
    return worse_runs


def _significance_count(comparison: Comparison, measure: str) -> str:
    counts = comparison.counts.filter(pl.col(c.MEASURE) == measure)
    _, significant, pairs = counts.row(0)
    counts_text = f"{significant:,} of {counted(pairs, 'pair')}"
    return f"{measure}: {counts_text} significant ({percent(significant / pairs)})"


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
