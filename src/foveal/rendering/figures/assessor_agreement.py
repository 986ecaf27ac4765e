"""The figure of how far assessors agree."""

from __future__ import annotations

from foveal.errors import counted
from foveal.judging import AssessorAgreement, Average, Level
from foveal.late import pl
from foveal.rendering import drawing
from foveal.rendering._numbers import hundredths
from foveal.rendering.figures._figure import Figure, figure_of, source_of
from foveal.rendering.results.assessor_agreement import reading
from foveal.tables import columns as c

AVERAGES = {Average.MICRO: "all topics, pooled", Average.MACRO: "mean of the topics"}


@figure_of(AssessorAgreement, "topics")
def topics(agreement: AssessorAgreement) -> Figure:
    """α over all topics with its interval, and of every topic, the best agreement first."""
    key_columns = [c.LEVEL, c.TOPIC, c.ALPHA, c.LOW, c.HIGH]
    overall = agreement.overall.select(
        c.LEVEL,
        pl.col(c.AVERAGE)
        .replace_strict({one.value: told for one, told in AVERAGES.items()})
        .alias(c.TOPIC),
        *key_columns[2:],
    )
    nothing = pl.lit(None, dtype=pl.Float64)
    single = agreement.topics.sort(c.ALPHA, descending=True, nulls_last=True, maintain_order=True)
    own = single.select(*key_columns[:3], nothing.alias(c.LOW), nothing.alias(c.HIGH))
    levels = overall[c.LEVEL].unique(maintain_order=True).to_list()
    data = pl.concat(
        [frame.filter(pl.col(c.LEVEL) == level) for level in levels for frame in (overall, own)]
    )

    def draw() -> drawing.Picture:
        drawn = data.filter(pl.col(c.ALPHA).is_not_null().any().over(c.LEVEL))
        parts = [
            _rows(own, Level(level))
            for (level,), own in (drawn if drawn.height else data).group_by(
                c.LEVEL, maintain_order=True
            )
        ]
        words = [(drawing.dotted, "f0", "over topics"), (drawing.dotted, "open", "one topic")]
        return drawing.stacked([drawing.key(words, parts[0].width), drawing.beside(parts)], gap=12)

    title = reading(agreement).removesuffix(".")
    return Figure(title, data, draw, source_of(agreement.settings))


def _rows(own: pl.DataFrame, level: Level) -> drawing.Picture:
    """One level: what is known of all topics, then the topics whose α is defined."""
    known = own.drop_nulls(c.ALPHA)
    rows = [
        drawing.Row(topic, alpha, low, high, hundredths(alpha), open=topic not in AVERAGES.values())
        for _, topic, alpha, low, high in known.iter_rows()
    ]
    values = known.select(c.ALPHA, c.LOW, c.HIGH).to_numpy().astype(float).reshape(-1)
    lost = own.filter(~pl.col(c.TOPIC).is_in(AVERAGES.values())).height - sum(r.open for r in rows)
    title = f"α over {level.value}"
    title += f"; undefined for {counted(lost, 'topic')}" if lost else ""
    return drawing.intervals(
        rows,
        lambda start, stop: drawing.Linear.around(values, start, stop, zero=True, within=(-1, 1)),
        x_title=title,
    ).headed(level.value)
