"""Whether a file holds a run or judgements, as far as its first lines show."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from foveal.choices import Content
from foveal.errors import BadInput, Problem
from foveal.files import HEAD_SIZE, Source
from foveal.formats._json_values import objects
from foveal.formats._records import QRELS_FORMATS, RUN_FORMATS, is_json
from foveal.tables import aliased
from foveal.tables import columns as c

if TYPE_CHECKING:
    from collections.abc import Iterator

LOOKED_AT = 1000
PASSAGE = re.compile(r"^[0-9]+:[0-9]+$")


def content_of(source: Source) -> Content:
    """What a source holds, as far as its first lines show."""
    head = source.head()
    if is_json(head):
        return _content_of_json(source)
    judged, returned = (
        any(known.recognises(head) for known in formats.values() if not known.guesses)
        for formats in (QRELS_FORMATS, RUN_FORMATS)
    )
    if judged:
        return Content.JUDGEMENTS
    return Content.RUN if returned or head.root else _content_of_words(source)


def _content_of_json(source: Source) -> Content:
    problems: list[Problem] = []
    first = next(objects(source, problems), None)
    if first is None:
        raise BadInput(source.name, problems)
    _, item = first
    judges = {*c.SPEAKS_OF_RELEVANCE}.intersection(item)
    # Beside a start it is the length of a part, not of a judged document.
    if c.START in item or aliased([c.START], item):
        judges.discard(c.LENGTH)
    return Content.JUDGEMENTS if judges else Content.RUN


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
