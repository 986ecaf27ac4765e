"""Facts about topics that are shown with their scores: counts, titles and groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from foveal.errors import UsageError, shortened_list, value_text
from foveal.frozen import frozen
from foveal.tables import Topics
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.evaluation.groups import Groups


@frozen(eq=False)
class TopicFacts:
    """Counts of topics that count more than once; titles and groups, if there are any."""

    times: Mapping[str, int] = field(default_factory=dict)
    titles: Mapping[str, str] | None = None
    groups: Groups | None = None

    def count(self, topic: str) -> int:
        """The number of times that a topic counts."""
        return self.times.get(topic, 1)

    def columns(self, topics: Sequence[str]) -> dict[str, Mapping[str, str | int | None]]:
        """Further columns of topics by name, each with a value by topic."""
        columns: dict[str, Mapping[str, str | int | None]] = {}
        if self.times:
            columns[c.TIMES] = {topic: self.count(topic) for topic in topics}
        if self.titles is not None:
            columns[c.TITLE] = {topic: self.titles.get(topic) for topic in topics}
        return columns


def titles_by_topic(titles: Mapping[str, str] | Topics) -> dict[str, str]:
    """The title of each topic that has one; topics may be numbers."""
    if isinstance(titles, Topics):
        return titles.titles
    if not isinstance(titles, Mapping):
        raise UsageError(
            f"titles must be {{topic: title}}, or what read_topics returns, got {value_text(titles)}"
        )
    by_topic: Mapping[Any, Any] = titles
    # A title that is missing from a frame is NaN.
    return {str(topic): str(t) for topic, t in by_topic.items() if isinstance(t, str | int)}


def title_notes(scored: Sequence[str], titles: Mapping[str, str] | Topics) -> Iterator[str]:
    """Note: none of the scored topics has a title."""
    if isinstance(titles, Topics):
        source, names = titles.source, titles.names
    else:
        source, names = "the titles given", list(map(str, titles))
    if set(scored).isdisjoint(names):
        yield (
            f"no topic has a title: none of those scored ({shortened_list(scored)}) is in {source}"
            f" ({shortened_list(names) or 'empty'})"
        )
