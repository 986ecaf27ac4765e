"""Whether a file holds a run or judgements, as far as its first lines show."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from foveal.choices import Content
from foveal.files import HEAD_SIZE, Head, Source
from foveal.formats._judged_rows import speaks_of_relevance
from foveal.formats._records import QRELS_FORMATS, RUN_FORMATS, AnyFormat, by_certainty
from foveal.registry import Registry
from foveal.tables import ALIASES, aliased
from foveal.tables import columns as c

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

LOOKED_AT = 1000
PASSAGE = re.compile(r"^[0-9]+:[0-9]+$")


def content_of(source: Source) -> Content | None:
    """What a source holds, as far as its first lines show; None if it could be either."""
    head = source.head()
    judged, returned = _first(QRELS_FORMATS, head), _first(RUN_FORMATS, head)
    if judged and judged.names:
        return _content_of_names(judged.names(source))
    if judged and not judged.guesses:
        return Content.JUDGEMENTS
    is_run = head.root or (returned and not returned.guesses)
    return Content.RUN if is_run else _content_of_words(source)


def _content_of_names(names: Collection[str]) -> Content | None:
    """What rows with these columns are; passages without a rank, a score or a tag could be either."""
    if speaks_of_relevance(names):
        return Content.JUDGEMENTS
    said_by_runs = {c.RANK, c.SCORE, c.TAG, c.RUN, *ALIASES[c.SCORE]}
    placed = c.START in names or aliased([c.START], names)
    return None if placed and said_by_runs.isdisjoint(names) else Content.RUN


def _first(formats: Registry[AnyFormat], head: Head) -> AnyFormat | None:
    """The format that recognises a file."""
    known = (known for known in by_certainty(formats.values()) if known.recognises(head))
    return next(known, None)


def _content_of_words(source: Source) -> Content:
    """Judgements have four or five columns, or passages from the seventh on; all else is a run."""
    for fields in islice(_fields(source), LOOKED_AT):
        if len(fields) in {4, 5} or any(PASSAGE.match(field) for field in fields[6:]):
            return Content.JUDGEMENTS
    return Content.RUN


def _fields(source: Source) -> Iterator[list[str]]:
    for block in source.blocks(HEAD_SIZE):
        for line in block.data.decode().split("\n"):
            text = line.strip(" \t\r")
            if text and not text.startswith("#"):
                yield re.split(r"[ \t\r]+", text)
