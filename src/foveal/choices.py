"""The named choices of a call, and the bundles of them that reproduce a source's numbers.

This module imports nothing heavy, so that the command line can offer the choices without loading
the rooms that act on them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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


class Kind(StrEnum):
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


class RecallCut(StrEnum):
    """How many of R relevant documents make a share x of them, for interpolated precision."""

    EXACT = "exact"
    """The smallest number n with n ≥ x·R."""

    PLUS_NINE_TENTHS = "plus nine tenths"
    """The whole part of x·R + 0.9, in doubles (trec_eval 9)."""

    NEAREST = "nearest"
    """x·R rounded, halves away from 0, in doubles (trec_eval 10)."""


class Test(StrEnum):
    """A test of whether one run is better than another."""

    __test__ = False  # Not a test of ours, whatever pytest thinks of the name.

    BOOTSTRAP = "bootstrap"
    T = "t"
    WILCOXON = "wilcoxon"
    SIGN = "sign"
    RANDOMIZATION = "randomization"
    TUKEY = "tukey"
    TUKEY_RAND = "tukey-rand"
    ANOVA = "anova"


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


@dataclass(frozen=True)
class Conventions:
    """Every choice that changes numbers, decided.

    The defaults are those of the papers. `order` None leaves it to the run's format.
    """

    like: Like = Like.PAPER
    topics: TopicSet = TopicSet.JUDGED
    overlap: Overlap = Overlap.ONCE
    order: Order | None = None
    ties: Ties = Ties.ID
    beta: float = 1.0
    reach: int | None = None
    """Characters over which an entry point's score falls to 0; None scores by A·L instead."""

    past_end_keeps_last: bool = False
    """gP@r of a list shorter than r: its last value instead of a division by r."""

    recall_in_doubles: bool = False
    """Recall levels are floor(100·R) in floating point instead of exact."""

    stated_relevant_size: bool = False
    """Trel(d) is what the judgement file states instead of what its passages add up to."""

    entry_point_must_be_stated: bool = False
    """A document without an entry point scores 0 instead of taking its first highlight."""

    past_length_allowed: bool = False
    """Text beyond a document's length counts as irrelevant instead of being refused."""

    repeats_count_without_highlights: bool = False
    """`once` holds only in documents with highlights."""

    rel: float = 1.0
    """The lowest grade that counts as relevant, unless a measure says otherwise."""

    depth: int | None = None
    """How many documents of a ranking the classical measures look at; None is all."""

    judged_only: bool = False
    """The classical measures pass over documents without a judgement."""

    scores_in_single_precision: bool = False
    """Results rank by their score as a 32-bit number."""

    irrelevant_topics_count: bool = False
    """Topics with nothing relevant are averaged, as 0, instead of being left out."""

    missing_topics_have_rows: bool = True
    """Judged topics without results are listed, not only averaged."""

    recall_cut: RecallCut = RecallCut.EXACT

    gains_in_whole_steps: bool = False
    """Gains that a measure is given count as equal in the ideal ranking if less than 1 apart."""

    residual_needs_unjudged: bool = False
    """RBPres is 0 where every document returned is judged, though the list could go on."""

    collection_size: int = 0
    """Documents in the collection, for the documents that nobody returned or judged."""

    lines_of: Task | None = None
    """The task whose report the counts imitate: in ric and bic the official program counts the
    relevant documents of every judged topic, and in bic no retrieved text."""

    def settings(self) -> dict[str, str]:
        """The choices a reader of the numbers must know, by their option names."""
        shown = {
            "like": self.like.value,
            "topics": self.topics.value,
            "overlap": self.overlap.value
            + (" (documents with highlights)" if self.repeats_count_without_highlights else ""),
            "ties": self.ties.value,
        }
        if self.rel != 1:
            shown["rel"] = f"{self.rel:g}"
        if self.depth is not None:
            shown["depth"] = str(self.depth)
        if self.judged_only:
            shown["judged only"] = "yes"
        return shown


def conventions(  # noqa: PLR0913  # one per choice
    like: Like = Like.PAPER,
    *,
    task: Task = Task.FOCUSED,
    topics: TopicSet | None = None,
    overlap: Overlap | None = None,
    order: Order | None = None,
    ties: Ties = Ties.ID,
    rel: float = 1.0,
    depth: int | None = None,
    judged_only: bool = False,
    collection_size: int = 0,
) -> Conventions:
    """The bundle `like` names, with every choice made explicitly winning over it."""
    bundle = Conventions(like=like)
    if like is Like.INEX_EVAL:
        bundle = _inex_eval(task, overlap)
    elif like.is_trec_eval:
        bundle = _trec_eval(like)
    return replace(
        bundle,
        topics=topics or bundle.topics,
        overlap=overlap or bundle.overlap,
        order=order or bundle.order,
        ties=ties,
        rel=rel,
        depth=depth,
        judged_only=judged_only,
        collection_size=collection_size,
    )


def _inex_eval(task: Task, overlap: Overlap | None) -> Conventions:
    thorough = task is Task.THOROUGH
    return Conventions(
        like=Like.INEX_EVAL,
        topics=TopicSet.RETRIEVED,
        overlap=Overlap.ONCE if thorough else Overlap.REFUSE,
        order=Order.FILE,
        beta=0.25,
        reach=500,
        past_end_keeps_last=True,
        recall_in_doubles=True,
        stated_relevant_size=True,
        entry_point_must_be_stated=True,
        past_length_allowed=True,
        repeats_count_without_highlights=thorough and overlap is None,
        lines_of=task,
    )


def _trec_eval(like: Like) -> Conventions:
    nine = like is Like.TREC_EVAL_9
    return Conventions(
        like=like,
        topics=TopicSet.RETRIEVED,
        scores_in_single_precision=nine,
        irrelevant_topics_count=True,
        missing_topics_have_rows=not nine,
        recall_cut=RecallCut.PLUS_NINE_TENTHS if nine else RecallCut.NEAREST,
        gains_in_whole_steps=True,
        residual_needs_unjudged=True,
    )
