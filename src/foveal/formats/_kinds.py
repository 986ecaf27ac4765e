"""Whether a file holds results or judgements, told from how it begins."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from foveal.choices import Kind
from foveal.errors import BadInput, Problem
from foveal.formats import csv, inex_xml, parquet
from foveal.formats._json_values import objects
from foveal.formats._lines import HEAD_SIZE, Source
from foveal.tables import columns as c

if TYPE_CHECKING:
    from collections.abc import Iterator

LOOKED_AT = 1000
PASSAGE = re.compile(r"^[0-9]+:[0-9]+$")


def kind_of(source: Source) -> Kind:
    """What a source holds, as far as its first lines tell."""
    head = source.head()
    if head.root:
        if inex_xml.QRELS.recognises(head):
            return Kind.JUDGEMENTS
        return Kind.RUN
    if any(run.recognises(head) for run in (parquet.RUN, csv.RUN_CSV, csv.RUN_TSV)):
        return Kind.RUN
    if head.line.lstrip(" \t").startswith("{"):
        return _kind_of_json(source)
    return _kind_of_words(source)


def _kind_of_json(source: Source) -> Kind:
    problems: list[Problem] = []
    first = next(objects(source, problems), None)
    if first is None:
        raise BadInput(source.name, problems)
    _, item = first
    return Kind.JUDGEMENTS if any(name in item for name in c.SPEAKS_OF_RELEVANCE) else Kind.RUN


def _kind_of_words(source: Source) -> Kind:
    """Judgements have four or five columns, or a passage in the seventh; runs six, or others."""
    for fields in islice(_fields(source), LOOKED_AT):
        if len(fields) in {4, 5} or any(PASSAGE.match(field) for field in fields[6:]):
            return Kind.JUDGEMENTS
    return Kind.RUN


def _fields(source: Source) -> Iterator[list[str]]:
    for block in source.blocks(HEAD_SIZE):
        for line in block.data.decode().split("\n"):
            text = line.strip(" \t\r")
            if text and not text.startswith("#"):
                yield re.split(r"[ \t\r]+", text)
