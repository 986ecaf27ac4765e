"""Measures worked out by hand: a small example each, and the arithmetic that gives its number."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple


class Worked(NamedTuple):
    """A measure computed by hand on an example; the tests compare with what its kernel gives."""

    files: str
    """Judgements, run and options, as they are typed in the folder docs/examples/measures."""

    measure: str
    arithmetic: str
    """Equal expressions separated by ` = `: the formula with its numbers, …, the value."""

    words: str
    """Where the numbers come from."""


on_parts = partial(Worked, "passages.jsonl parts.jsonl")
on_chunks = partial(Worked, "passages.jsonl parts.jsonl --chunks chunks.jsonl")
on_documents = partial(Worked, "grades.qrels ranking.run")
on_two_topics = partial(Worked, "two-topics.qrels two-topics.run")
