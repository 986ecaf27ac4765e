"""Scores as trec_eval prints them: name, topic, value."""

from __future__ import annotations

from foveal.measures import record_of
from foveal.render._numbers import rounded
from foveal.tables import Scores, columns


def draw(scores: Scores, *, per_topic: bool) -> str:
    """One line per measure and topic, then one per measure for all topics."""
    lines = []
    for place, run in enumerate(scores.runs):
        if len(scores.runs) > 1:
            lines.append(f"{'runid':<22}\t{columns.ALL_TOPICS}\t{run}")
        rows = scores.topics.filter(scores.topics[columns.RUN] == run) if per_topic else None
        for _, topic, *values in rows.iter_rows() if rows is not None else ():
            lines += _lines(scores.measures, topic, values)
        lines += _lines(scores.measures, columns.ALL_TOPICS, scores.overall.row(place)[1:])
    return "\n".join(lines) + "\n"


def _lines(measures: list[str], topic: str, values: tuple[float, ...] | list[float]) -> list[str]:
    return [
        f"{name:<22}\t{topic}\t{rounded(value, whole=record_of(name).whole_number)}"
        for name, value in zip(measures, values, strict=True)
    ]
