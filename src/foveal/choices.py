"""The vocabularies of options: the words that a caller can choose from.

This module imports nothing heavy, so that the command line can offer the words without loading
the rooms that act on them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from foveal.errors import UsageError

Choice = TypeVar("Choice", bound=StrEnum)


def chosen(kind: type[Choice], word: str) -> Choice:
    """The member of an enumeration that a word names."""
    try:
        return kind(word)
    except ValueError as error:
        known = ", ".join(kind)
        raise UsageError(f"no {kind.__name__.lower()} {word!r}: choose from {known}") from error


class Task(StrEnum):
    """What the system was asked for; picks default measures and the rules of `check`."""

    FOCUSED = "focused"
    THOROUGH = "thorough"
    RIC = "ric"
    BIC = "bic"
    DOCUMENT = "document"


class Count(StrEnum):
    """What offsets count."""

    CHARACTERS = "characters"
    BYTES = "bytes"


class Whitespace(StrEnum):
    """Whether every blank counts, or a run of blanks in a text node counts as one."""

    KEEP = "keep"
    MERGED = "merged"


class TopicSet(StrEnum):
    """Which eligible topics are averaged."""

    JUDGED = "judged"
    RETRIEVED = "retrieved"


class Overlap(StrEnum):
    """What becomes of text that a run returns more than once."""

    ONCE = "once"
    REFUSE = "refuse"
    DROP = "drop"
    REPEAT = "repeat"


class Order(StrEnum):
    """What ranks the results of a topic."""

    SCORE = "score"
    RANK = "rank"
    FILE = "file"


class Ties(StrEnum):
    """What ranks results of equal score."""

    ID = "id"
    FILE = "file"


class Content(StrEnum):
    """What a file can hold that others can be made of."""

    RUN = "run"
    JUDGEMENTS = "judgements"


class Keep(StrEnum):
    """Which of overlapping results `repair` keeps."""

    BETTER = "better"
    """The better ranked."""

    ANCESTORS = "ancestors"
    """The larger, as an element is around those inside it."""

    DESCENDANTS = "descendants"
    """The smaller."""


class Within(StrEnum):
    """In which order the results of a document stand when `repair` groups them."""

    RANK = "rank"
    READING = "reading"


class Like(StrEnum):
    """A source whose numbers are reproduced."""

    PAPER = "paper"
    INEX_EVAL = "inex_eval"
    TREC_EVAL_9 = "trec_eval-9"
    TREC_EVAL_10 = "trec_eval-10"

    @property
    def is_trec_eval(self) -> bool:
        """Whether the source is trec_eval, whichever version."""
        return self in {Like.TREC_EVAL_9, Like.TREC_EVAL_10}


class Experiment(StrEnum):
    """What is made fewer, or taken away, to see whether the ranking of systems holds."""

    POOL = "pool"
    """Fewer judged passages of every topic."""

    TOPICS = "topics"
    """Fewer topics."""

    ERROR_RATE = "error-rate"
    """Fewer topics: how often two systems change places."""

    SWAP = "swap"
    """Two disjoint sets of topics: how often they disagree, by how far two systems are apart."""

    PLANE = "plane"
    """Fewer topics and fewer passages of each."""

    LEAVE_OUT = "leave-out"
    """The passages that only one system, or one participant, has found."""

    DEPTH = "depth"
    """The passages that nobody has found early."""


class Draw(StrEnum):
    """How samples of topics are drawn."""

    INDEPENDENT = "independent"
    """Random subsets; samples share topics."""

    PARTITION = "partition"
    """Disjoint subsets of a shuffle, shuffle after shuffle."""

    BOOTSTRAP = "bootstrap"
    """With replacement: a sample may hold a topic twice."""


class Tail(StrEnum):
    """Whether a test asks for better (one) or for different (two)."""

    ONE = "one"
    TWO = "two"


class Correction(StrEnum):
    """How p-values are corrected for the number of pairs tested."""

    NONE = "none"
    HOLM = "holm"
    BONFERRONI = "bonferroni"
    BH = "bh"


class Interval(StrEnum):
    """How confidence intervals are made."""

    T = "t"
    ANOVA = "anova"
    PERCENTILE = "percentile"
    BCA = "bca"


class ApTies(StrEnum):
    """What tied systems mean to AP correlation (Urbano and Marrero, 2017)."""

    A = "a"
    """The first ranking is the truth: the mean over every way of breaking ties."""

    B = "b"
    """Neither ranking is the truth: ties are compared as ties, in both directions."""


class RboTies(StrEnum):
    """What tied items mean to rank-biased overlap (Corsi and Urbano, 2024)."""

    A = "a"
    """An unknown order: the mean over every way of breaking ties."""

    B = "b"
    """An unknown order, and the overlap is corrected for what ties hide."""

    W = "w"
    """Equality: tied items share the rank."""


class Form(StrEnum):
    """A form in which results leave."""

    TEXT = "text"
    CSV = "csv"
    TSV = "tsv"
    JSON = "json"
    JSONL = "jsonl"
    MARKDOWN = "markdown"
    LATEX = "latex"
    HTML = "html"
    PARQUET = "parquet"
    TREC = "trec"
    INEX = "inex"
