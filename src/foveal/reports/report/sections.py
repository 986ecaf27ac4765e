"""The sections of a report, each from its contents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from itertools import groupby
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np

from foveal.choices import Form
from foveal.errors import counted
from foveal.frozen import frozen
from foveal.late import pl
from foveal.measures import parse, record_of
from foveal.rendering import (
    NAMED_TOPICS,
    Table,
    changes_table,
    extra,
    hundredths,
    in_plain_words,
    marks_in_words,
    measure_facts,
    percent,
    result_module,
    rounded,
    rounded_p,
    shortest,
    significance_marks,
)
from foveal.rendering.drawing import LIGHT, Linear, Picture, dot, rule
from foveal.rendering.figures import Figure, figure
from foveal.reports.report.report_blocks import (
    AnyTable,
    Block,
    Board,
    BoardRow,
    Cell,
    FigureBlock,
    Legend,
    LegendEntry,
    Paragraphs,
    Section,
    TablePair,
    facts,
    table_block,
)
from foveal.reports.report.report_figures import curve_figure, recall_figure, topics_figure
from foveal.reports.report.run_summary import FindingCount
from foveal.rules import SEVERITIES, Severity
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.analysis import Comparison
    from foveal.reports.report.report import Report


# More groups are hard to read, and many runs can form exponentially many.
MAX_LETTERS = len(ascii_lowercase)
# Ranges of ranks in a cell; further ones become ….
MAX_RANGES = 3


@frozen
class Significance:
    """A column of the leaderboard: which runs differ significantly; with its header and meaning."""

    header: str
    meaning: str
    texts: Mapping[str, str]


NO_SIGNIFICANCE = Significance("", "", {})


def significance(ranks: Mapping[str, int], significant: Iterable[tuple[str, str]]) -> Significance:
    """Letters, of which two runs share one exactly if they do not differ significantly.

    If the alphabet has too few, the ranks of the runs that do not differ significantly from a run.
    `ranks` has the runs in their order.
    """
    indices = {run: index for index, run in enumerate(ranks)}
    tied_runs = [set(range(len(ranks))) for _ in ranks]
    for pair in significant:
        first, second = (indices[run] for run in pair)
        tied_runs[first].discard(second)
        tied_runs[second].discard(first)
    groups = _tied_groups(tied_runs)
    if len(groups) > MAX_LETTERS:
        numbers = list(ranks.values())
        texts = [_rank_ranges(sorted(tied), numbers) for tied in tied_runs]
        meaning = "Beside each run, the ranks from which it does not differ significantly, its own among them."
        return Significance("not told apart from", meaning, dict(zip(ranks, texts, strict=True)))
    letters = dict(zip(ascii_lowercase, sorted(map(sorted, groups)), strict=False))
    texts = [
        _letters_text([letter for letter, group in letters.items() if index in group])
        for index in range(len(ranks))
    ]
    meaning = "Runs with a letter in common do not differ significantly."
    return Significance("letters", meaning, dict(zip(ranks, texts, strict=True)))


def _tied_groups(tied_runs: Sequence[set[int]]) -> list[set[int]]:
    """The largest groups of runs that are all tied; some of them if there are more than letters.

    Runs join one by one, which never reduces the number of groups: so it stops after the alphabet.
    """
    groups: list[set[int]] = [set()]
    for index, tied in enumerate(tied_runs):
        extended = [group & tied | {index} for group in groups]
        unchanged = [group for group in groups if not group <= tied]
        largest: list[set[int]] = []
        for group in sorted(extended, key=len, reverse=True):
            if not any(group <= larger for larger in largest):
                largest.append(group)
        groups = unchanged + largest
        if len(groups) > MAX_LETTERS:
            break
    return groups


def _letters_text(letters: Sequence[str]) -> str:
    """Letters, with the first and the last for three or more consecutive ones."""
    if len(letters) > 2 and ord(letters[-1]) - ord(letters[0]) == len(letters) - 1:
        return f"{letters[0]}–{letters[-1]}"
    return " ".join(letters)


def _rank_ranges(indices: Sequence[int], ranks: Sequence[int]) -> str:
    """The ranks of runs by their indices, with the first and the last of consecutive ones."""
    sequences = groupby(enumerate(indices), key=lambda item: item[1] - item[0])
    spans = [[str(ranks[index]) for _, index in sequence] for _, sequence in sequences]
    ranges = ["–".join(dict.fromkeys((span[0], span[-1]))) for span in spans]
    return ", ".join([*ranges[:MAX_RANGES], *["…"] * (len(ranges) > MAX_RANGES)])


# Runs that are ticked at the start: as many as there are colours.
MAX_TICKED = len(LIGHT.series)
BAR = (120.0, 12.0)


def board(report: Report) -> Board:
    """The runs, best first, with every mean; intervals and letters if runs were compared."""
    scores, measure = report.scores, report.measure
    names = (measure, *(name for name in scores.columns if name != measure))
    bars, interval_meaning = _intervals(report)
    significance = _significance(report)
    shares = dict(zip(scores.runs, report.judged, strict=False))
    counts = {name for name in scores.measures if record_of(name).whole_number}
    rows = [
        BoardRow(
            rank=rank,
            run=run,
            cells=tuple(_cell(scores[run, name], is_integer=name in counts) for name in names),
            bar=bars.get(run, ""),
            significance=significance.texts.get(run, ""),
            ticked=index < MAX_TICKED,
            judged=Cell(percent(shares[run]), repr(shares[run])) if shares else None,
        )
        for index, (run, rank) in enumerate(report.ranks.items())
    ]
    return Board(
        measures=tuple(map(report.display_name, names)),
        rows=tuple(rows),
        interval=interval_meaning,
        significance_header=significance.header,
        significance_meaning=significance.meaning,
        has_curves=report.curves is not None or report.readings is not None,
    )


def _cell(value: float, *, is_integer: bool) -> Cell:
    if np.isnan(value):
        return Cell("", "")
    return Cell(rounded(value, as_integer=is_integer), repr(float(value)))


def _intervals(report: Report) -> tuple[dict[str, str], str]:
    """The bar of each run's interval, drawn to one scale, and the meaning of the bars."""
    if report.comparison is None:
        return {}, ""
    means = report.comparison.means.filter(pl.col(c.MEASURE) == report.measure).drop_nulls(c.LOW)
    if not means.height:
        return {}, ""
    width, height = BAR
    bounds = [*means[c.LOW].to_list(), *means[c.HIGH].to_list()]
    scale = Linear.around(bounds, 4, width - 4)
    bars = {}
    for run, mean, low, high_end in means.select(c.RUN, c.MEAN, c.LOW, c.HIGH).iter_rows():
        x, left, right = scale.pixels([mean, low, high_end]).tolist()
        marks = rule(left, height / 2, right, height / 2, "line s0") + dot(x, height / 2, 3.5, "f0")
        bars[run] = Picture(width, height, marks).small(f"{rounded(low)} to {rounded(high_end)}")
    kind = report.comparison.settings["interval of means"]
    meaning = (
        f"Bars: intervals of the mean {report.display_name(report.measure)} ({kind}), from {shortest(scale.low)} on the"
        f" left to {shortest(scale.high)} on the right."
    )
    return bars, meaning


def _significance(report: Report) -> Significance:
    if report.comparison is None:
        return NO_SIGNIFICANCE
    if baselines := report.comparison.baselines:
        marks = significance_marks(report.comparison, report.measure)
        baseline = baselines[0] if len(baselines) == 1 else "baselines"
        return Significance(f"against {baseline}", f"{marks_in_words(report.comparison)}.", marks)
    pairs = report.comparison.pairs.filter(pl.col(c.MEASURE) == report.measure, c.SIGNIFICANT)
    return significance(report.ranks, pairs.select(c.BETTER, c.WORSE).iter_rows())


def entries(measures: Sequence[str], plain: Mapping[str, str]) -> tuple[LegendEntry, ...]:
    """Legend entries of measures, from their records."""
    return tuple(_entry(name, plain.get(name, name)) for name in measures if record_of(name).name)


def _entry(name: str, display_name: str) -> LegendEntry:
    measure = parse(name)
    record, facts = measure.record, measure_facts(measure)
    formulas = [facts["formula"], *([f"S(d) = {facts['S(d)']}"] if "S(d)" in facts else [])]
    return LegendEntry(
        name=name if name == display_name else f"{display_name} ({name})",
        title=record.title,
        sentence=record.sentence,
        formula="".join(map(mathml, formulas)),
        advice=record.advice,
        cite=facts.get("source", record.cite),
    )


def mathml(formula: str) -> str:
    """A TeX formula as MathML, which a browser shows without a script or a font."""
    markup: str = extra("latex2mathml.converter", "latex2mathml").convert(formula, display="block")
    return markup


def refuse_undrawable() -> None:
    """Refuse a page before any work if an extra that it needs is not installed."""
    extra("jinja2", "jinja2")
    extra("latex2mathml.converter", "latex2mathml")


MAX_TOPICS = 5


def sections(report: Report) -> list[Section]:
    """All sections that have contents, in the order of the page."""
    section_functions = (
        _verdict, _board, _curves, _budget_recall, _topics, _groups, _pairs, _measures, _checks,
        _assessors, _fidelity, _stability, _settings, _legend,
    )  # fmt: skip
    return [section for make in section_functions for section in make(report)]


def _verdict(report: Report) -> Iterator[Section]:
    blocks = (Paragraphs(tuple(report.verdict)),)
    several = len(report.scores.runs) > 1
    sentence = "Which run is best, and how sure that is." if several else "What the run scores."
    yield Section("verdict", "The verdict", sentence, blocks)


def _board(report: Report) -> Iterator[Section]:
    several = len(report.scores.runs) > 1
    name = report.display_name(report.measure)
    ranked = f", sorted by {name} {report.topics_clause}" if several else ""
    judged = " Judged: the share of a run's first ten documents that are judged."
    sentence = f"Means over topics{ranked}.{judged if report.judged else ''}"
    yield Section("leaderboard", "Leaderboard", sentence, (board(report),))


def _figure(name: str, figure: Figure) -> FigureBlock:
    """A figure on the page: its title is the caption, its data a table."""
    names = figure.data.columns
    rows = [list(map(_cell_text, row, names)) for row in figure.data.iter_rows()]
    table = table_block(figure.title, names, rows)
    return FigureBlock(name, figure.title, figure.draw().inline(name, figure.title), table)


def _cell_text(value: object, column: str) -> str:
    """A cell of a figure's data."""
    if value is None or value != value:  # noqa: PLR0124  # only NaN differs from itself
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return rounded_p(value) if column in {c.P, c.ADJUSTED_P} else rounded(value)
    return str(value)


def _curves(report: Report) -> Iterator[Section]:
    if report.curves is None:
        return
    sentence = "How precise each run still is when a share of what is relevant has been found."
    yield Section("curves", "Curves", sentence, (_figure("curves-figure", curve_figure(report)),))


def _budget_recall(report: Report) -> Iterator[Section]:
    if report.readings is not None:
        sentence = (
            "How much of the highlighted text a reader, or a prompt, has after so many characters."
        )
        block = _figure("reading-figure", recall_figure(report, report.readings))
        yield Section("reading", "Recall over characters read", sentence, (block,))


def _topics(report: Report) -> Iterator[Section]:
    scores, measure = report.scores, report.measure
    blocks: list[Block] = [_figure("topics-figure", topics_figure(report))]
    by_topic = (
        scores.topics.group_by(c.TOPIC, maintain_order=True)
        .agg(
            pl.col(measure).mean().alias(c.MEAN),
            pl.col(measure).min().alias(c.LOW),
            pl.col(measure).max().alias(c.HIGH),
        )
        .sort(c.MEAN, descending=scores.measure_names.rises(measure), maintain_order=True)
    )
    # A topic is not both easy and hard.
    count = min(MAX_TOPICS, by_topic.height // 2)
    if count:
        easy, hard = by_topic.head(count), by_topic.tail(count).reverse()
        blocks.append(TablePair((_extremes(report, easy, "Easy"), _extremes(report, hard, "Hard"))))
    if deciding_topics := _deciding(report):
        blocks.append(Paragraphs((deciding_topics,)))
    sentence = f"Every run on every topic by {report.display_name(measure)}: a strong column is an easy topic, a strong row a good run."
    yield Section("topics", "Topics", sentence, tuple(blocks))


def _extremes(report: Report, topics: pl.DataFrame, kind: str) -> AnyTable:
    """A table of easy or of hard topics, the most extreme first."""
    titles = report.scores.topic_facts.titles
    columns = topics.columns[1:]
    rows = [
        [topic, *([titles.get(topic, "")] if titles else []), *map(_cell_text, numbers, columns)]
        for topic, *numbers in topics.iter_rows()
    ]
    mean = f"mean {report.display_name(report.measure)}"
    header = [c.TOPIC, *["title"] * bool(titles), mean, "lowest", "highest"]
    is_high = (kind == "Easy") == report.scores.measure_names.rises(report.measure)
    extreme = "highest" if is_high else "lowest"
    return table_block(f"{kind} topics: over all runs, the {extreme} {mean}.", header, rows)


def _deciding(report: Report) -> str:
    """The topics without which the best run would not be ahead of the second."""
    if report.comparison is None:
        return ""
    best, second = report.ranking[:2]
    effect_rows = report.comparison.effects.filter(
        pl.col(c.MEASURE) == report.measure, pl.col(c.BETTER) == best, pl.col(c.WORSE) == second
    )
    if not effect_rows.height or not effect_rows[c.DECIDING][0]:
        return ""
    count, names = effect_rows[c.DECIDING][0], effect_rows[c.TOPICS][0].to_list()
    if count > NAMED_TOPICS:
        return (
            f"Even without the {NAMED_TOPICS} topics that favour it most, {best} would be ahead of"
            f" {second}."
        )
    return (
        f"{best} would not be ahead of {second} without {counted(count, 'topic')}:"
        f" {', '.join(names)}."
    )


def _groups(report: Report) -> Iterator[Section]:
    scores = report.scores
    if scores.topic_facts.groups is None:
        return
    by_run = {run.name: run.by_group for run in scores.values}
    sizes = {name: means.topics for groups in by_run.values() for name, means in groups.items()}
    row = scores.columns.index(report.measure)
    rows = [
        [run, *(rounded(groups[name].overall[row]) if name in groups else "" for name in sizes)]
        for run, groups in ((run, by_run[run]) for run in report.ranking)
    ]
    header = [c.RUN, *(f"{name} ({size:,})" for name, size in sizes.items())]
    name = report.display_name(report.measure)
    block = table_block(f"Mean {name} over each group; in brackets its topics.", header, rows)
    yield Section("groups", "Groups of topics", "Means over the topics of each group.", (block,))


def _pairs(report: Report) -> Iterator[Section]:
    if report.comparison is not None:
        sentence = "Which runs are significantly better than which."
        yield Section("pairs", "Pairs", sentence, (_compared(in_plain_words(report.comparison)),))


def _compared(comparison: Comparison) -> Block:
    """All pairs as a matrix; of a single pair, its numbers."""
    if comparison.baselines:
        table = changes_table(comparison)
        caption = f"Change to a baseline, {comparison.settings['interval of differences']}."
        return table_block(caption, table.header, table.rows)
    if comparison.pairs.height > 1:
        return _figure("pairs-figure", figure(comparison, "matrix"))
    names = [c.BETTER, c.WORSE, c.DIFFERENCE, c.LOW, c.HIGH, c.ADJUSTED_P, c.SIGNIFICANT]
    pairs = comparison.pairs.join(comparison.effects, on=[c.MEASURE, c.BETTER, c.WORSE])
    rows = [list(map(_cell_text, row, names)) for row in pairs.select(names).iter_rows()]
    return table_block(
        f"{comparison.measures[0]}: the difference of the means, {comparison.settings['interval of differences']}.",
        ["better", "worse", "difference", "from", "to", "p", "significant"],
        rows,
    )


def _measures(report: Report) -> Iterator[Section]:
    agreement = report.agreement
    if agreement is None:
        return
    header = ["first", "second", "τ", "τ_AP", "Spearman", "RBO"]
    rows = [
        [*map(report.display_name, (first, second))]
        + ["–" if value is None else hundredths(value) for value in values]
        for first, second, *values in agreement.pairs.select(
            c.FIRST, c.SECOND, c.TAU, c.TAU_AP, c.SPEARMAN, c.RBO
        ).iter_rows()
    ]
    caption = (
        "1: the same ranking of runs. The reverse ranking: -1 by τ, τ_AP and Spearman. RBO is never"
        " below 0."
    )
    block = table_block(caption, header, rows)
    sentence = "How alike the measures rank the runs."
    yield Section("measures", "Agreement of measures", sentence, (block,))


def _checks(report: Report) -> Iterator[Section]:
    """The rules that runs break, each once, the most severe first."""
    if not report.findings:
        return
    findings_by_rule: dict[tuple[Severity, str], list[tuple[str, FindingCount]]] = {}
    for run, findings in zip(report.scores.runs, report.findings, strict=True):
        for finding in findings:
            findings_by_rule.setdefault((finding.severity, finding.rule), []).append((run, finding))
    rows = [
        [
            severity,
            rule,
            f"{len(run_findings):,}",
            f"{sum(finding.count for _, finding in run_findings):,}",
            f"{run_findings[0][0]}: {run_findings[0][1].first}",
        ]
        for (severity, rule), run_findings in sorted(
            findings_by_rule.items(), key=lambda item: SEVERITIES.index(item[0][0])
        )
    ]
    block: Block = Paragraphs(("Nothing: every run keeps the rules of its task.",))
    if rows:
        caption = "Each rule that runs break: in how many of them, how often, and the first time."
        block = table_block(caption, ["severity", "rule", "runs", "times", "first"], rows)
    yield Section("checks", "Checks", "What foveal check finds in the runs.", (block,))


def _assessors(report: Report) -> Iterator[Section]:
    if report.assessors is not None:
        tables = result_module(report.assessors).tables(report.assessors, Form.HTML)
        table_blocks = map(_table, tables)
        figure_block = _figure("assessors-figure", figure(report.assessors, "topics"))
        sentence = "How far those agree who judged the same documents, about text and documents."
        yield Section("assessors", "Assessors", sentence, (*table_blocks, figure_block))


def _table(table: Table) -> Block:
    """A table of a study, with its summary as caption."""
    return table_block(table.below or table.title, table.header, table.rows)


def _fidelity(report: Report) -> Iterator[Section]:
    if report.fidelity is not None:
        first = _table(result_module(report.fidelity).tables(report.fidelity, Form.HTML)[0])
        main_measure_fidelity = replace(report.fidelity, shown=(report.measure,))
        figure_block = _figure("lattice-figure", figure(main_measure_fidelity, "lattice"))
        sentence = "Whether the measures score simulated runs in their known order of merit."
        yield Section("fidelity", "Fidelity", sentence, (first, figure_block))


def _stability(report: Report) -> Iterator[Section]:
    if report.stability is not None:
        first = _table(result_module(report.stability).tables(report.stability, Form.HTML)[0])
        figure_block = _figure("stability-figure", figure(report.stability, "curves"))
        sentence = "How far the ranking of the runs holds when topics are fewer."
        yield Section("stability", "Stability", sentence, (first, figure_block))


def _settings(report: Report) -> Iterator[Section]:
    blocks: list[Block] = [facts("Choices that made the numbers what they are.", report.settings)]
    programs = {name: version(name) for name in ("foveal", "numpy", "polars", "scipy")}
    blocks.append(facts("Versions.", programs))
    if report.inputs:
        blocks.append(facts("The judgements and the runs, with their SHA-256.", report.inputs))
    if report.command:
        blocks.append(facts("The command.", {"command": report.command}))
    sentence = "What a colleague needs to make this page again."
    yield Section("settings", "Settings", sentence, tuple(blocks))


def _legend(report: Report) -> Iterator[Section]:
    sentence = "What each measure means and when to trust it."
    legend = Legend(entries(report.scores.measures, report.scores.measure_names.plain))
    yield Section("legend", "Measures", sentence, (legend,))
