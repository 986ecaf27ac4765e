"""What is shown beside the topics of scores: how often they count, and their titles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from foveal.errors import UsageError, kind, some
from foveal.late import pl
from foveal.tables import _columns as c
from foveal.tables.topics import Topics

Beside = Mapping[str, Mapping[str, str | int | None]]


def beside(
    topics: Sequence[str], times: Mapping[str, int], titles: Mapping[str, str] | None
) -> dict[str, Mapping[str, str | int | None]]:
    """Columns by name, each with a value by topic; none where there is nothing to show."""
    shown: dict[str, Mapping[str, str | int | None]] = {}
    if times:
        shown[c.TIMES] = {topic: times.get(topic, 1) for topic in topics}
    if titles is not None:
        shown[c.TITLE] = {topic: titles.get(topic) for topic in topics}
    return shown


def with_beside(frame: pl.DataFrame, shown: Beside) -> pl.DataFrame:
    """Rows by topic with what is shown beside topics; the means have none of it."""
    types = {c.TIMES: pl.Int64, c.TITLE: pl.String}
    return frame.with_columns(
        pl.col(c.TOPIC)
        .replace_strict(list(known), list(known.values()), default=None, return_dtype=types[name])
        .alias(name)
        for name, known in shown.items()
    )


def known_titles(titles: Mapping[str, str] | Topics) -> dict[str, str]:
    """The title of each topic that has one; topics may be numbers."""
    if isinstance(titles, Topics):
        return titles.titles
    if not isinstance(titles, Mapping):
        raise UsageError(
            f"titles must be {{topic: title}}, or what read_topics returns, got {kind(titles)}"
        )
    given: Mapping[Any, Any] = titles
    # The title that a frame lacks is not a number.
    return {str(topic): str(own) for topic, own in given.items() if isinstance(own, str | int)}


def untitled(scored: Sequence[str], titles: Mapping[str, str] | Topics) -> Iterator[str]:
    """That the titles are those of other topics."""
    if isinstance(titles, Topics):
        place, known = titles.source, titles.names
    else:
        place, known = "the titles given", list(map(str, titles))
    if set(scored).isdisjoint(known):
        yield (
            f"no topic has a title: none of those scored ({some(scored)}) is in {place}"
            f" ({some(known) or 'empty'})"
        )
