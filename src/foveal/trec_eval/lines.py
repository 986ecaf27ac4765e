"""Scores as trec_eval prints them: name, topic, value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan

from foveal.choices import Like
from foveal.frozen import frozen
from foveal.measures import record_of, trec_name
from foveal.tables import Scores, columns

# What C prints for a number that there is not: a topic without results has no latency.
UNKNOWN = "nan"


@frozen
class TrecLine:
    """A measure's lines: its printed name, and its value for each topic and for all of them.

    None where nothing is printed.
    """

    name: str
    by_topic: Sequence[str] | None
    overall: str | None


def trec_text(topics: Sequence[str], lines: Sequence[TrecLine], *, per_topic: bool) -> str:
    """Every measure of one topic after the other, then every measure for all topics."""
    printed: list[str] = []
    shown = [(f"{line.name:<22}\t", line.by_topic) for line in lines]
    if per_topic:
        for place, topic in enumerate(topics):
            printed += [
                f"{name}{topic}\t{values[place]}\n"
                for name, values in shown
                if values is not None and values[place] != UNKNOWN
            ]
    printed += [
        f"{line.name:<22}\t{columns.ALL_TOPICS}\t{line.overall}\n"
        for line in lines
        if line.overall is not None
    ]
    return "".join(printed)


def trec_lines(scores: Scores, *, per_topic: bool) -> str:
    """One line per measure and topic, then one per measure for all topics."""
    return "".join(_run_texts(scores, per_topic=per_topic))


def _run_texts(scores: Scores, *, per_topic: bool) -> Iterable[str]:
    names = {measure: trec_name(measure) for measure in scores.measures}
    measures = scores.measures
    if Like(scores.settings.get("like", Like.PAPER)).is_trec_eval:
        last = len(measures) + 100
        places = {measure: known[1] if known else last for measure, known in names.items()}
        measures = sorted(measures, key=places.__getitem__)
    for run in scores.values:
        by_measure = dict(zip(scores.columns, run.values, strict=True))
        overall = dict(zip(scores.columns, run.overall, strict=True))
        lines = []
        if len(scores.values) > 1:
            lines.append(TrecLine("runid", None, run.name))
        for measure in measures:
            known, whole = names[measure], record_of(measure).whole_number
            name = known[0] if known else measure
            by_topic = None
            if per_topic and not (known and known[2]):
                by_topic = trec_numbers(by_measure[measure].tolist(), whole=whole)
            lines.append(TrecLine(name, by_topic, as_c_prints(overall[measure], whole=whole)))
        lines += [
            TrecLine(name, trec_numbers(by_measure[name].tolist()), as_c_prints(overall[name]))
            for name in scores.also
            if not isnan(overall[name])
        ]
        yield trec_text(run.topics, lines, per_topic=per_topic)


def trec_numbers(values: Iterable[float], *, whole: bool = False) -> list[str]:
    """Values as trec_eval prints them: counts without decimals, others with four."""
    return [str(int(value)) if whole else as_c_prints(value) for value in values]


def as_c_prints(value: float, *, whole: bool = False) -> str:
    """A score as trec_eval prints it: what rounds to 0 from below keeps its sign."""
    return f"{value:.0f}" if whole else f"{value:.4f}"
