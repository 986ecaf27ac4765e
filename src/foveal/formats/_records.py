"""What a format is: a record that reads, writes, recognises and explains it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from foveal.formats._lines import Head, Source
from foveal.tables import Qrels, Run


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
    """A format of runs; some have a second reader for files that say more than they should."""

    read: Callable[[Source], Run]
    read_leniently: Callable[[Source], Run] | None = None
    write: Callable[[Run], bytes]


@dataclass(frozen=True, kw_only=True)
class QrelsFormat(Format):
    """A format of judgements."""

    read: Callable[[Source], Qrels]
    write: Callable[[Qrels], bytes]


def width(head: Head) -> int:
    """The number of white-space separated fields; Unicode's other blanks separate nothing."""
    return len(re.findall(r"[^ \t\r]+", head.line))
