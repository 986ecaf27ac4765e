"""The sections of a report, each from what was gathered."""

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
    drawing_file,
    extra,
    hundredths,
    in_plain_words,
    marks_in_words,
    measure_facts,
    percent,
    rounded,
    rounded_p,
    shortest,
    significance_marks,
)
from foveal.rendering.drawing import LIGHT, Linear, Picture, dot, rule
from foveal.rendering.figures import Figure, figure
from foveal.reports.report.report_blocks import (
    Beside,
    Block,
    Board,
    BoardRow,
    Cell,
    Drawn,
    Entry,
    Grid,
    Legend,
    Plain,
    Section,
    Words,
    facts,
    gridded,
)
from foveal.reports.report.report_figures import curve_figure, reading_figure, topics_figure
from foveal.reports.report.run_summary import FindingCount
from foveal.rules import SEVERITIES, Severity
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.analysis import Comparison
    from foveal.reports.report.report import Report


# More are hard to read, and with many runs there can be exponentially many.
MOST_LETTERS = len(ascii_lowercase)
# Of ranks that are not in a row.
MOST_RANGES = 3


@frozen
class Tiers:
    """What each run shows, under which head, and what that means."""

    head: str
    meaning: str
    shown: Mapping[str, str]


NO_TIERS = Tiers("", "", {})


def tiers(ranks: Mapping[str, int], significant: Iterable[tuple[str, str]]) -> Tiers:
    """Letters, which two runs share exactly where they do not differ significantly.

    If the alphabet has too few, the ranks of the runs from which a run is not told apart. `ranks`
    has the runs in their order.
    """
    places = {run: place for place, run in enumerate(ranks)}
    alike = [set(range(len(ranks))) for _ in ranks]
    for pair in significant:
        one, other = (places[run] for run in pair)
        alike[one].discard(other)
        alike[other].discard(one)
    groups = _alike_groups(alike)
    if len(groups) > MOST_LETTERS:
        numbers = list(ranks.values())
        shown = [_ranges(sorted(others), numbers) for others in alike]
        meaning = "Beside each run, the ranks from which it does not differ significantly, its own among them."
        return Tiers("not told apart from", meaning, dict(zip(ranks, shown, strict=True)))
    letters = dict(zip(ascii_lowercase, sorted(map(sorted, groups)), strict=False))
    shown = [
        _row([letter for letter, group in letters.items() if place in group])
        for place in range(len(ranks))
    ]
    meaning = "Runs with a letter in common do not differ significantly."
    return Tiers("letters", meaning, dict(zip(ranks, shown, strict=True)))


def _alike_groups(alike: Sequence[set[int]]) -> list[set[int]]:
    """The largest groups in which all are alike; where there are more than letters, some of them.

    Places join one by one, which never makes groups fewer: so the work ends with the alphabet.
    """
    groups: list[set[int]] = [set()]
    for place, others in enumerate(alike):
        joined = [group & others | {place} for group in groups]
        kept = [group for group in groups if not group <= others]
        largest: list[set[int]] = []
        for group in sorted(joined, key=len, reverse=True):
            if not any(group <= other for other in largest):
                largest.append(group)
        groups = kept + largest
        if len(groups) > MOST_LETTERS:
            break
    return groups


def _row(letters: Sequence[str]) -> str:
    """Letters one by one, or the first and the last of three or more in a row."""
    if len(letters) > 2 and ord(letters[-1]) - ord(letters[0]) == len(letters) - 1:
        return f"{letters[0]}–{letters[-1]}"
    return " ".join(letters)


def _ranges(places: Sequence[int], ranks: Sequence[int]) -> str:
    """The ranks at places, those in a row as the first and the last."""
    rows = groupby(enumerate(places), key=lambda item: item[1] - item[0])
    spans = [[str(ranks[place]) for _, place in row] for _, row in rows]
    shown = ["–".join(dict.fromkeys((span[0], span[-1]))) for span in spans]
    return ", ".join([*shown[:MOST_RANGES], *["…"] * (len(shown) > MOST_RANGES)])


# Runs ticked at the start: as many as have colours of their own.
TICKED = len(LIGHT.series)
BAR = (120.0, 12.0)


def board(report: Report) -> Board:
    """The runs, best first, with every mean; intervals and letters where runs were compared."""
    scores, measure = report.scores, report.measure
    names = (measure, *(name for name in scores.columns if name != measure))
    bars, told = _intervals(report)
    alike = _tiers(report)
    judged = dict(zip(scores.runs, report.judged, strict=False))
    whole = {name for name in scores.measures if record_of(name).whole_number}
    rows = [
        BoardRow(
            rank=rank,
            run=run,
            cells=tuple(_cell(scores[run, name], whole=name in whole) for name in names),
            bar=bars.get(run, ""),
            tier=alike.shown.get(run, ""),
            ticked=place < TICKED,
            judged=Cell(percent(judged[run]), repr(judged[run])) if judged else None,
        )
        for place, (run, rank) in enumerate(report.ranks.items())
    ]
    return Board(
        measures=tuple(map(report.called, names)),
        rows=tuple(rows),
        interval=told,
        tier_head=alike.head,
        tiers=alike.meaning,
        has_curves=report.curves is not None or report.readings is not None,
    )


def _cell(value: float, *, whole: bool) -> Cell:
    if np.isnan(value):
        return Cell("", "")
    return Cell(rounded(value, whole=whole), repr(float(value)))


def _intervals(report: Report) -> tuple[dict[str, str], str]:
    """The interval of each run's mean, drawn to one scale; and what that scale is."""
    if report.comparison is None:
        return {}, ""
    own = report.comparison.means.filter(pl.col(c.MEASURE) == report.measure).drop_nulls(c.LOW)
    if not own.height:
        return {}, ""
    wide, high = BAR
    ends = [*own[c.LOW].to_list(), *own[c.HIGH].to_list()]
    scale = Linear.around(ends, 4, wide - 4)
    drawn = {}
    for run, middle, low, top in own.select(c.RUN, c.MEAN, c.LOW, c.HIGH).iter_rows():
        at, left, right = scale.at([middle, low, top]).tolist()
        marks = rule(left, high / 2, right, high / 2, "line s0") + dot(at, high / 2, 3.5, "f0")
        drawn[run] = Picture(wide, high, marks).small(f"{rounded(low)} to {rounded(top)}")
    kind = report.comparison.settings["interval of means"]
    told = (
        f"Bars: intervals of the mean {report.called(report.measure)} ({kind}), from {shortest(scale.low)} on the"
        f" left to {shortest(scale.high)} on the right."
    )
    return drawn, told


def _tiers(report: Report) -> Tiers:
    if report.comparison is None:
        return NO_TIERS
    if baselines := report.comparison.baselines:
        marks = significance_marks(report.comparison, report.measure)
        head = baselines[0] if len(baselines) == 1 else "baselines"
        return Tiers(f"against {head}", f"{marks_in_words(report.comparison)}.", marks)
    own = report.comparison.pairs.filter(
        (pl.col(c.MEASURE) == report.measure) & pl.col(c.SIGNIFICANT)
    )
    return tiers(report.ranks, own.select(c.BETTER, c.WORSE).iter_rows())


def entries(measures: Sequence[str], plain: Mapping[str, str]) -> tuple[Entry, ...]:
    """What the records say of some measures."""
    return tuple(_entry(name, plain.get(name, name)) for name in measures if record_of(name).name)


def _entry(name: str, called: str) -> Entry:
    measure = parse(name)
    record, known = measure.record, measure_facts(measure)
    formulas = [known["formula"], *([f"S(d) = {known['S(d)']}"] if "S(d)" in known else [])]
    return Entry(
        name=name if name == called else f"{called} ({name})",
        title=record.title,
        sentence=record.sentence,
        formula="".join(map(mathml, formulas)),
        advice=record.advice,
        cite=known.get("source", record.cite),
    )


def mathml(formula: str) -> str:
    """A formula of a record, in TeX, as a browser shows it without a script or a font."""
    markup: str = extra("latex2mathml.converter", "latex2mathml").convert(formula, display="block")
    return markup


def refuse_undrawable() -> None:
    """Refuse a page before any work if what draws it is not installed."""
    extra("jinja2", "jinja2")
    extra("latex2mathml.converter", "latex2mathml")


SHOWN_TOPICS = 5


def sections(report: Report) -> list[Section]:
    """All sections that have something to say, in the order of the page."""
    made = (
        _verdict, _board, _curves, _reading, _topics, _groups, _pairs, _measures, _checks,
        _assessors, _fidelity, _stability, _settings, _legend,
    )  # fmt: skip
    return [section for make in made for section in make(report)]


def _verdict(report: Report) -> Iterator[Section]:
    blocks = (Words(tuple(report.verdict)),)
    several = len(report.scores.runs) > 1
    sentence = "Which run is best, and how sure that is." if several else "What the run scores."
    yield Section("verdict", "The verdict", sentence, blocks)


def _board(report: Report) -> Iterator[Section]:
    several = len(report.scores.runs) > 1
    ranked = f", sorted by {report.called(report.measure)} {report.over}" if several else ""
    judged = (
        " Judged: the share of a run's first ten documents that are judged."
        if report.judged
        else ""
    )
    sentence = f"Means over topics{ranked}.{judged}"
    yield Section("leaderboard", "Leaderboard", sentence, (board(report),))


def _drawn(name: str, made: Figure) -> Drawn:
    """A figure on the page: its title is the caption, its data a table."""
    names = made.data.columns
    rows = [list(map(_shown, row, names)) for row in made.data.iter_rows()]
    table = gridded(made.title, names, rows)
    return Drawn(name, made.title, made.draw().inline(name, made.title), table)


def _shown(value: object, column: str) -> str:
    """A cell of a figure's data."""
    if value is None or value != value:  # noqa: PLR0124  # no number is itself
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
    yield Section("curves", "Curves", sentence, (_drawn("curves-figure", curve_figure(report)),))


def _reading(report: Report) -> Iterator[Section]:
    if report.readings is not None:
        sentence = (
            "How much of the highlighted text a reader, or a prompt, has after so many characters."
        )
        block = _drawn("reading-figure", reading_figure(report, report.readings))
        yield Section("reading", "Recall over characters read", sentence, (block,))


def _topics(report: Report) -> Iterator[Section]:
    scores, measure = report.scores, report.measure
    blocks: list[Block] = [_drawn("topics-figure", topics_figure(report))]
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
    shown = min(SHOWN_TOPICS, by_topic.height // 2)
    if shown:
        easy, hard = by_topic.head(shown), by_topic.tail(shown).reverse()
        blocks.append(Beside((_extremes(report, easy, "Easy"), _extremes(report, hard, "Hard"))))
    if decided := _deciding(report):
        blocks.append(Words((decided,)))
    sentence = f"Every run on every topic by {report.called(measure)}: a strong column is an easy topic, a strong row a good run."
    yield Section("topics", "Topics", sentence, tuple(blocks))


def _extremes(report: Report, topics: pl.DataFrame, kind: str) -> Grid | Plain:
    """A table of easy or of hard topics, the most extreme first."""
    measure, titles = report.measure, report.scores.topic_facts.titles
    columns = topics.columns[1:]
    rows = [
        [topic, *([titles.get(topic, "")] if titles else []), *map(_shown, numbers, columns)]
        for topic, *numbers in topics.iter_rows()
    ]
    header = [
        c.TOPIC,
        *(["title"] if titles else []),
        f"mean {report.called(measure)}",
        "lowest",
        "highest",
    ]
    is_high = (kind == "Easy") == report.scores.measure_names.rises(measure)
    extreme = "highest" if is_high else "lowest"
    return gridded(
        f"{kind} topics: over all runs, the {extreme} mean {report.called(measure)}.", header, rows
    )


def _deciding(report: Report) -> str:
    """The topics without which the best run would not be ahead of the second."""
    if report.comparison is None:
        return ""
    best, second = report.ranking[:2]
    own = report.comparison.effects.filter(
        (pl.col(c.MEASURE) == report.measure)
        & (pl.col(c.BETTER) == best)
        & (pl.col(c.WORSE) == second)
    )
    if not own.height or not own[c.DECIDING][0]:
        return ""
    count, names = own[c.DECIDING][0], own[c.TOPICS][0].to_list()
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
    sizes = {name: means.topics for own in by_run.values() for name, means in own.items()}
    row = scores.columns.index(report.measure)
    rows = [
        [run, *(rounded(own[name].overall[row]) if name in own else "" for name in sizes)]
        for run, own in ((run, by_run[run]) for run in report.ranking)
    ]
    header = [c.RUN, *(f"{name} ({size:,})" for name, size in sizes.items())]
    block = gridded(
        f"Mean {report.called(report.measure)} over each group; in brackets its topics.",
        header,
        rows,
    )
    yield Section("groups", "Groups of topics", "Means over the topics of each group.", (block,))


def _pairs(report: Report) -> Iterator[Section]:
    if report.comparison is not None:
        sentence = "Which runs are significantly better than which."
        yield Section("pairs", "Pairs", sentence, (_compared(in_plain_words(report.comparison)),))


def _compared(comparison: Comparison) -> Block:
    """All pairs at a glance; of a single one, its numbers."""
    if comparison.baselines:
        table = changes_table(comparison)
        caption = f"Change to a baseline, {comparison.settings['interval of differences']}."
        return gridded(caption, table.header, table.rows)
    if comparison.pairs.height > 1:
        return _drawn("pairs-figure", figure(comparison, "matrix"))
    names = [c.BETTER, c.WORSE, c.DIFFERENCE, c.LOW, c.HIGH, c.ADJUSTED_P, c.SIGNIFICANT]
    own = comparison.pairs.join(comparison.effects, on=[c.MEASURE, c.BETTER, c.WORSE])
    rows = [list(map(_shown, row, names)) for row in own.select(names).iter_rows()]
    return gridded(
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
        [
            report.called(first),
            report.called(second),
            *("–" if value is None else hundredths(value) for value in values),
        ]
        for first, second, *values in agreement.pairs.select(
            c.FIRST, c.SECOND, c.TAU, c.TAU_AP, c.SPEARMAN, c.RBO
        ).iter_rows()
    ]
    block = gridded(
        (
            "1: the same ranking of runs. The reverse ranking: -1 by τ, τ_AP and Spearman. RBO is never"
            " below 0."
        ),
        header,
        rows,
    )
    yield Section(
        "measures", "Agreement of measures", "How alike the measures rank the runs.", (block,)
    )


def _checks(report: Report) -> Iterator[Section]:
    """The rules that runs break, each once, the gravest first."""
    if not report.findings:
        return
    broken: dict[tuple[Severity, str], list[tuple[str, FindingCount]]] = {}
    for run, found in zip(report.scores.runs, report.findings, strict=True):
        for one in found:
            broken.setdefault((one.severity, one.rule), []).append((run, one))
    rows = [
        [
            severity,
            rule,
            f"{len(own):,}",
            f"{sum(one.count for _, one in own):,}",
            f"{own[0][0]}: {own[0][1].first}",
        ]
        for (severity, rule), own in sorted(
            broken.items(), key=lambda item: SEVERITIES.index(item[0][0])
        )
    ]
    block: Block = (
        gridded(
            "Each rule that runs break: in how many of them, how often, and the first time.",
            ["severity", "rule", "runs", "times", "first"],
            rows,
        )
        if rows
        else Words(("Nothing: every run keeps the rules of its task.",))
    )
    yield Section("checks", "Checks", "What foveal check finds in the runs.", (block,))


def _assessors(report: Report) -> Iterator[Section]:
    if report.assessors is not None:
        tables = drawing_file(report.assessors).tables(report.assessors, Form.HTML)
        grids = [gridded(table.below or table.title, table.header, table.rows) for table in tables]
        drawn = _drawn("assessors-figure", figure(report.assessors, "topics"))
        sentence = "How far those agree who judged the same documents, about text and documents."
        yield Section("assessors", "Assessors", sentence, (*grids, drawn))


def _first(tables: Sequence[Table]) -> Block:
    """The first table of a study, under what it shows in words."""
    return gridded(tables[0].below or tables[0].title, tables[0].header, tables[0].rows)


def _fidelity(report: Report) -> Iterator[Section]:
    if report.fidelity is not None:
        first = _first(drawing_file(report.fidelity).tables(report.fidelity, Form.HTML))
        own = replace(report.fidelity, shown=(report.measure,))
        drawn = _drawn("lattice-figure", figure(own, "lattice"))
        sentence = "Whether the measures score simulated runs in their known order of merit."
        yield Section("fidelity", "Fidelity", sentence, (first, drawn))


def _stability(report: Report) -> Iterator[Section]:
    if report.stability is not None:
        first = _first(drawing_file(report.stability).tables(report.stability, Form.HTML))
        drawn = _drawn("stability-figure", figure(report.stability, "curves"))
        sentence = "How far the ranking of the runs holds when topics are fewer."
        yield Section("stability", "Stability", sentence, (first, drawn))


def _settings(report: Report) -> Iterator[Section]:
    blocks: list[Block] = [facts("Choices that made the numbers what they are.", report.settings)]
    programs = {name: version(name) for name in ("foveal", "numpy", "polars", "scipy")}
    blocks.append(facts("Versions.", programs))
    if report.inputs:
        blocks.append(facts("The judgements and the runs, with their SHA-256.", report.inputs))
    if report.command:
        blocks.append(facts("The command.", {"command": report.command}))
    yield Section(
        "settings", "Settings", "What a colleague needs to make this page again.", tuple(blocks)
    )


def _legend(report: Report) -> Iterator[Section]:
    sentence = "What each measure tells, and when to trust it."
    yield Section(
        "legend",
        "Measures",
        sentence,
        (Legend(entries(report.scores.measures, report.scores.measure_names.plain)),),
    )
