"""The sections of a report, each from what was gathered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from foveal.choices import Form
from foveal.errors import counted
from foveal.late import pl
from foveal.measures import record_of
from foveal.rendering import fidelity as fidelity_tables
from foveal.rendering import stability as stability_tables
from foveal.rendering._numbers import hundredths, percent, rounded
from foveal.rendering.drawing import Line, Linear, Log, Picture, dot, lines, rule
from foveal.rendering.figures import Figure, figure
from foveal.rendering.report._legend import entries
from foveal.rendering.report._look import Found
from foveal.rendering.report._tiers import tiers
from foveal.rendering.report.contents import (
    Block,
    Board,
    BoardRow,
    Cell,
    Drawn,
    Legend,
    Section,
    Words,
    facts,
    gridded,
)
from foveal.rules import SEVERITIES, Severity
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.rendering.report._report import Report

SHOWN_TOPICS = 5
# Runs ticked at the start: as many as have colours of their own.
TICKED = 8
BAR = (120.0, 12.0)


def sections(report: Report) -> list[Section]:
    """All sections that have something to say, in the order of the page."""
    made = (
        _verdict, _board, _curves, _reading, _topics, _groups, _pairs, _measures, _checks,
        _fidelity, _stability, _settings, _legend,
    )  # fmt: skip
    return [section for make in made for section in make(report)]


def _verdict(report: Report) -> Iterator[Section]:
    blocks = (Words(tuple(report.verdict)),)
    yield Section("verdict", "The verdict", "Which run is best, and how sure that is.", blocks)


def _board(report: Report) -> Iterator[Section]:
    scores, measure = report.scores, report.measure
    order = report.ranking
    names = (measure, *(name for name in scores.columns if name != measure))
    found = _intervals(report)
    letters = _letters(report)
    judged = dict(zip(scores.runs, report.judged, strict=True))
    whole = {name for name in scores.measures if record_of(name).whole_number}
    rows = [
        BoardRow(
            rank=place,
            run=run,
            cells=tuple(_cell(scores[run, name], whole=name in whole) for name in names),
            bar=found.get(run, ""),
            tier=letters.get(run, ""),
            ticked=place <= TICKED,
            judged=Cell(percent(judged[run]), repr(judged[run])),
        )
        for place, run in enumerate(order, start=1)
    ]
    board = Board(
        measures=names,
        rows=tuple(rows),
        interval=f"Bars: intervals of the mean {measure}, {report.comparison.settings['interval of means']}."
        if report.comparison and found
        else "",
        tiers="Runs with a letter in common do not differ significantly." if letters else "",
    )
    sentence = (
        f"Means over topics, sorted by {measure}. Judged: the share of its first ten documents that"
        " someone judged."
    )
    yield Section("leaderboard", "Leaderboard", sentence, (board,))


def _cell(value: float, *, whole: bool) -> Cell:
    if np.isnan(value):
        return Cell("", "")
    return Cell(rounded(value, whole=whole), repr(float(value)))


def _intervals(report: Report) -> dict[str, str]:
    """The interval of each run's mean, drawn to one scale."""
    if report.comparison is None:
        return {}
    own = report.comparison.means.filter(pl.col(c.MEASURE) == report.measure).drop_nulls(c.LOW)
    if not own.height:
        return {}
    wide, high = BAR
    ends = [*own[c.LOW].to_list(), *own[c.HIGH].to_list()]
    scale = Linear.around(ends, 4, wide - 4)
    drawn = {}
    for run, middle, low, top in own.select(c.RUN, c.MEAN, c.LOW, c.HIGH).iter_rows():
        at, left, right = scale.at([middle, low, top]).tolist()
        marks = rule(left, high / 2, right, high / 2, "line s0") + dot(at, high / 2, 3.5, "f0")
        told = f"{rounded(low)} to {rounded(top)}"
        drawn[run] = Picture(wide, high, marks).small(told)
    return drawn


def _letters(report: Report) -> dict[str, str]:
    if report.comparison is None:
        return {}
    own = report.comparison.pairs.filter(
        (pl.col(c.MEASURE) == report.measure) & pl.col(c.SIGNIFICANT)
    )
    return tiers(report.ranking, own.select(c.BETTER, c.WORSE).iter_rows())


def _drawn(name: str, made: Figure) -> Drawn:
    """A figure on the page: its title is the caption, its data a table."""
    rows = [
        [
            "" if cell is None else rounded(cell) if isinstance(cell, float) else str(cell)
            for cell in row
        ]
        for row in made.data.iter_rows()
    ]
    table = gridded(made.title, made.data.columns, rows)
    return Drawn(name, made.title, made.draw().inline(name, made.title), table)


def _in_order(report: Report, values: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """Values of runs, best run first."""
    places = [report.scores.runs.index(run) for run in report.ranking]
    return [(report.scores.runs[place], values[place]) for place in places]


def curve_figure(report: Report) -> Figure:
    """Interpolated precision over recall, one line a run."""
    levels, known = report.levels, _in_order(report, report.curves)
    data = pl.DataFrame({c.RECALL: levels, **dict(known)})

    def draw() -> Picture:
        return lines(
            [Line(run, levels, own) for run, own in known],
            partial(Linear, 0.0, 1.0),
            lambda start, stop: Linear.around(
                [0.0, *report.curves.ravel()], start, stop, within=(0, 1)
            ),
            x_title="recall",
            y_title="interpolated precision",
            size=(640, 360),
        )

    return Figure(f"Precision over recall of {counted(len(known), 'run')}", data, draw)


def reading_figure(report: Report) -> Figure:
    """Recall over characters read, one line a run."""
    assert report.readings is not None  # noqa: S101  # the section is left out otherwise
    budgets, known = report.budgets, _in_order(report, report.readings)
    data = pl.DataFrame({"characters": budgets, **dict(known)})

    def draw() -> Picture:
        return lines(
            [Line(run, budgets, own, dots=True) for run, own in known],
            lambda start, stop: Log(budgets[0], budgets[-1], start, stop, budgets),
            partial(Linear, 0.0, 1.0),
            x_title="characters read",
            y_title="recall",
            size=(640, 320),
        )

    return Figure(f"Recall over characters read of {counted(len(known), 'run')}", data, draw)


def _curves(report: Report) -> Iterator[Section]:
    sentence = "How precise each run still is when a share of what is relevant has been found."
    yield Section("curves", "Curves", sentence, (_drawn("curves-figure", curve_figure(report)),))


def _reading(report: Report) -> Iterator[Section]:
    if report.readings is not None:
        sentence = (
            "How much of the highlighted text a reader, or a prompt, has after so many characters."
        )
        block = _drawn("reading-figure", reading_figure(report))
        yield Section("reading", "Recall over characters read", sentence, (block,))


def topics_figure(report: Report) -> Figure:
    """Every run on every topic."""
    return figure(report.scores.only([report.measure]), "topics")


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
        .sort(c.MEAN, descending=scores.wording.rises(measure), maintain_order=True)
    )
    titles = scores.titles
    for name, own in (("Easy", by_topic.head(SHOWN_TOPICS)), ("Hard", by_topic.tail(SHOWN_TOPICS))):
        rows = [
            [topic, *([titles.get(topic, "")] if titles else []), *map(rounded, numbers)]
            for topic, *numbers in own.iter_rows()
        ]
        header = [c.TOPIC, *(["title"] if titles else []), f"mean {measure}", "lowest", "highest"]
        caption = f"{name} topics: over all runs, the {'highest' if name == 'Easy' else 'lowest'} mean {measure}."
        blocks.append(gridded(caption, header, rows))
    if decided := _deciding(report):
        blocks.append(Words((decided,)))
    sentence = f"Every run on every topic by {measure}: a strong column is an easy topic, a strong row a good run."
    yield Section("topics", "Topics", sentence, tuple(blocks))


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
    if count > len(names):
        return f"{best} would be ahead of {second} without any {len(names):,} of the topics."
    return (
        f"{best} would not be ahead of {second} without {counted(count, 'topic')}:"
        f" {', '.join(names)}."
    )


def _groups(report: Report) -> Iterator[Section]:
    scores = report.scores
    if scores.groups is None:
        return
    by_run = {run.name: run.by_group for run in scores.values}
    sizes = {name: means.topics for own in by_run.values() for name, means in own.items()}
    row = scores.columns.index(report.measure)
    rows = [
        [run, *(rounded(own[name].overall[row]) if name in own else "" for name in sizes)]
        for run, own in ((run, by_run[run]) for run in report.ranking)
    ]
    header = [c.RUN, *(f"{name} ({size:,})" for name, size in sizes.items())]
    block = gridded(f"Mean {report.measure} over each group; in brackets its topics.", header, rows)
    yield Section("groups", "Groups of topics", "Means over the topics of each group.", (block,))


def _pairs(report: Report) -> Iterator[Section]:
    if report.comparison is not None:
        blocks = [_drawn("pairs-figure", figure(report.comparison, "matrix"))]
        sentence = "Which runs are significantly better than which."
        yield Section("pairs", "Pairs", sentence, tuple(blocks))


def _measures(report: Report) -> Iterator[Section]:
    agreement = report.agreement
    if agreement is None:
        return
    header = ["first", "second", "τ", "τ_AP", "Spearman", "RBO"]
    rows = [
        [first, second, *("–" if value is None else hundredths(value) for value in values)]
        for first, second, *values in agreement.pairs.select(
            c.FIRST, c.SECOND, c.TAU, c.TAU_AP, c.SPEARMAN, c.RBO
        ).iter_rows()
    ]
    block = gridded("1: the same ranking of runs; 0: none in common.", header, rows)
    yield Section(
        "measures", "Agreement of measures", "How alike the measures rank the runs.", (block,)
    )


def _checks(report: Report) -> Iterator[Section]:
    """The rules that runs break, each once, the gravest first."""
    broken: dict[tuple[Severity, str], list[tuple[str, Found]]] = {}
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
            broken.items(),
            key=lambda item: SEVERITIES.index(item[0][0]),
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


def _fidelity(report: Report) -> Iterator[Section]:
    if report.fidelity is not None:
        tables = fidelity_tables.tables(report.fidelity, Form.HTML)[:1]
        blocks: list[Block] = [
            gridded(table.below or table.title, table.header, table.rows) for table in tables
        ]
        blocks.append(
            _drawn(
                "lattice-figure",
                figure(replace(report.fidelity, shown=(report.measure,)), "lattice"),
            )
        )
        sentence = "Whether the measures score simulated runs in their known order of merit."
        yield Section("fidelity", "Fidelity", sentence, tuple(blocks))


def _stability(report: Report) -> Iterator[Section]:
    if report.stability is not None:
        tables = stability_tables.tables(report.stability, Form.HTML)[:1]
        blocks: list[Block] = [
            gridded(table.below or table.title, table.header, table.rows) for table in tables
        ]
        blocks.append(_drawn("stability-figure", figure(report.stability, "curves")))
        sentence = "How far the ranking of the runs holds when topics are fewer."
        yield Section("stability", "Stability", sentence, tuple(blocks))


def _settings(report: Report) -> Iterator[Section]:
    settings = report.comparison.settings if report.comparison else report.settings
    blocks: list[Block] = [facts("Choices that made the numbers what they are.", settings)]
    programs = {name: version(name) for name in ("foveal", "numpy", "polars", "scipy")}
    blocks.append(facts("Versions.", programs))
    if report.inputs:
        blocks.append(facts("Files that were read, with their SHA-256.", report.inputs))
    if report.command:
        blocks.append(facts("The command.", {"command": report.command}))
    yield Section(
        "settings", "Settings", "What a colleague needs to make this page again.", tuple(blocks)
    )


def _legend(report: Report) -> Iterator[Section]:
    sentence = "What each measure tells, and when to trust it."
    yield Section("legend", "Measures", sentence, (Legend(entries(report.scores.measures)),))
