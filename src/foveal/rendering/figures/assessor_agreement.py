"""The figure of how far assessors agree."""

from __future__ import annotations

from foveal.errors import counted
from foveal.judging import AssessorAgreement, Average, Level
from foveal.late import pl
from foveal.rendering import drawing
from foveal.rendering._numbers import hundredths
from foveal.rendering.figures._figure import Figure, figure_of, source_of
from foveal.rendering.results.assessor_agreement import summary_sentence
from foveal.tables import columns as c

AVERAGES = {Average.MICRO: "all topics, pooled", Average.MACRO: "mean of the topics"}


@figure_of(AssessorAgreement, "topics")
def topics(agreement: AssessorAgreement) -> Figure:
    """α over all topics with its interval, and of every topic, the best agreement first."""
    key_columns = [c.LEVEL, c.TOPIC, c.ALPHA, c.LOW, c.HIGH]
    overall = agreement.overall.select(
        c.LEVEL,
        pl.col(c.AVERAGE)
        .replace_strict({average.value: label for average, label in AVERAGES.items()})
        .alias(c.TOPIC),
        *key_columns[2:],
    )
    null = pl.lit(None, dtype=pl.Float64)
    by_topic = agreement.topics.sort(c.ALPHA, descending=True, nulls_last=True, maintain_order=True)
    topics = by_topic.select(*key_columns[:3], null.alias(c.LOW), null.alias(c.HIGH))
    levels = overall[c.LEVEL].unique(maintain_order=True).to_list()
    data = pl.concat(
        [frame.filter(pl.col(c.LEVEL) == level) for level in levels for frame in (overall, topics)]
    )

    def draw() -> drawing.Picture:
        defined = data.filter(pl.col(c.ALPHA).is_not_null().any().over(c.LEVEL))
        by_level = (defined if defined.height else data).group_by(c.LEVEL, maintain_order=True)
        panels = [_rows(rows, Level(level)) for (level,), rows in by_level]
        key = [(drawing.dot_symbol, "f0", "over topics"), (drawing.dot_symbol, "open", "one topic")]
        return drawing.stacked([drawing.key(key, panels[0].width), drawing.grid(panels)], gap=12)

    title = summary_sentence(agreement).removesuffix(".")
    return Figure(title, data, draw, source_of(agreement.settings))


def _rows(rows: pl.DataFrame, level: Level) -> drawing.Picture:
    """One level: averages over all topics, then the topics whose α is defined."""
    defined = rows.drop_nulls(c.ALPHA)
    intervals = [
        drawing.Row(topic, alpha, low, high, hundredths(alpha), open=topic not in AVERAGES.values())
        for _, topic, alpha, low, high in defined.iter_rows()
    ]
    values = defined.select(c.ALPHA, c.LOW, c.HIGH).to_numpy().astype(float).reshape(-1)
    topic_count = rows.filter(~pl.col(c.TOPIC).is_in(AVERAGES.values())).height
    undefined_count = topic_count - sum(r.open for r in intervals)
    title = f"α over {level.value}"
    title += f"; undefined for {counted(undefined_count, 'topic')}" if undefined_count else ""
    return drawing.intervals(
        intervals,
        lambda start, stop: drawing.Linear.around(values, start, stop, zero=True, within=(-1, 1)),
        x_title=title,
    ).headed(level.value)
