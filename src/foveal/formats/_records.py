"""What a format is: a record that reads, writes, recognises and explains it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from foveal.formats._lines import Head, Source
from foveal.tables import ElementLookup, Qrels, Run, Topics


@dataclass(frozen=True, kw_only=True)
class Format:
    """A name, an explanation, and how the format is told from others.

    `shape` is the line that an error says it expected. A registry's formats are asked in turn
    whether they recognise the head of a file.
    """

    name: str
    title: str
    sentence: str
    shape: str
    examples: tuple[str, ...]
    extensions: tuple[str, ...]
    recognises: Callable[[Head], bool]
    is_text: bool = True


@dataclass(frozen=True, kw_only=True)
class RunFormat(Format):
    """A format of runs.

    Some have a second reader for files that say more than they should, one that resolves element
    paths, and a writer of paths for runs whose parts have one.
    """

    read: Callable[[Source], Run]
    read_leniently: Callable[[Source], Run] | None = None
    read_with: Callable[[Source, ElementLookup], Run] | None = None
    write: Callable[[Run], bytes]
    write_paths: Callable[[Run], bytes] | None = None


@dataclass(frozen=True, kw_only=True)
class QrelsFormat(Format):
    """A format of judgements; some need the elements of the documents to be read or written."""

    read: Callable[[Source], Qrels]
    read_with: Callable[[Source, ElementLookup], Qrels] | None = None
    write: Callable[[Qrels], bytes]
    write_with: Callable[[Qrels, ElementLookup], bytes] | None = None


@dataclass(frozen=True, kw_only=True)
class TopicsFormat(Format):
    """A format of topics."""

    read: Callable[[Source], Topics]


def width(head: Head) -> int:
    """The number of white-space separated fields; Unicode's other blanks separate nothing."""
    # Whatever stands in a tag is no field.
    return 0 if head.root else len(re.findall(r"[^ \t\r]+", head.line))
