"""The vocabularies of options: the words that a caller can choose from.

This module imports nothing heavy: the command line offers the words before it loads a room.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import ClassVar, Self, TypeVar

from foveal.errors import UsageError


class Vocabulary(StrEnum):
    """The words of one option; `option` is the option's name, as a keyword of the library."""

    option: ClassVar[str]

    def __init_subclass__(cls, *, option: str) -> None:
        """Name the option that takes these words."""
        super().__init_subclass__()
        cls.option = option


Choice = TypeVar("Choice", bound=Vocabulary)


def either(words: Iterable[str]) -> str:
    """The words as a choice in a sentence: a, b or c."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def chosen(vocabulary: type[Choice], word: str) -> Choice:
    """The member of a vocabulary that a word names."""
    try:
        return vocabulary(word)
    except ValueError as error:
        wanted = either(vocabulary)
        raise UsageError(f"{vocabulary.option} must be {wanted}, got {word!r}") from error


class Task(Vocabulary, option="task"):
    """What the system was asked for; picks default measures and the rules of `check`."""

    FOCUSED = "focused"
    """Ranked parts that do not overlap, to be read from the top."""

    THOROUGH = "thorough"
    """Ranked parts that may overlap."""

    RIC = "ric"
    """Relevant in context: ranked documents, each with its relevant parts."""

    BIC = "bic"
    """Best in context: ranked documents, each with the best place to start reading."""

    DOCUMENT = "document"
    """Ranked whole documents."""

    RAG = "rag"
    """Ranked chunks of text for the prompt of a language model."""


class ExplainedVocabulary(Vocabulary, option=""):
    """Vocabulary in which each word has a sentence that says what it means."""

    sentence: str

    def __new__(cls, word: str, sentence: str) -> Self:
        """A word and what it means."""
        member = str.__new__(cls, word)
        member._value_ = word
        member.sentence = sentence
        return member


class Answers(ExplainedVocabulary, option="answers"):
    """The structure of what a system returns for a topic (Pehcevski & Thom 2007, figure 1).

    An answer is a document or a part of one.
    """

    SINGLE = "single", "one answer"
    SET = "set", "answers in no particular order"
    RANKED = "ranked", "a ranked list of answers"
    COMPOUND_SINGLE = "compound-single", "ranked documents, each with one part or entry point"
    COMPOUND_SET = "compound-set", "ranked documents, each with a set of parts"
    COMPOUND_RANKED = "compound-ranked", "ranked documents, each with a ranked list of parts"


class Count(Vocabulary, option="count"):
    """What the offsets of an index count."""

    CHARACTERS = "characters"
    BYTES = "bytes"


class OffsetUnit(Vocabulary, option="count"):
    """What the offsets of a run count: code points, bytes of UTF-8, or code units of UTF-16."""

    CHARACTERS = "characters"
    BYTES = "bytes"
    UTF16 = "utf16"


class Copies(Vocabulary, option="copies"):
    """What to do about a text that occurs several times in its document."""

    REFUSE = "refuse"
    FIRST = "first"


class Whitespace(Vocabulary, option="whitespace"):
    """Whether every blank counts, or consecutive blanks in a text node count as one."""

    KEEP = "keep"
    MERGED = "merged"


class TopicSet(Vocabulary, option="topics"):
    """Which eligible topics are averaged."""

    JUDGED = "judged"
    RETRIEVED = "retrieved"


class Overlap(Vocabulary, option="overlap"):
    """How text counts that a run returns more than once."""

    ONCE = "once"
    """It counts where it is first read; later it is neither read nor found."""

    PAID = "paid"
    """It is found once, but read every time."""

    WASTE = "waste"
    """Highlighted text counts once; other text is read every time."""

    REFUSE = "refuse"
    """The run is refused."""

    DROP = "drop"
    """A part that overlaps an earlier one is left out."""

    REPEAT = "repeat"
    """It is found and read every time, so that recall may exceed 1."""


class Assessors(Vocabulary, option="assessors"):
    """Whose judgements count where several people judged; the name of one of them is a third choice."""

    UNION = "union"
    """What anyone highlighted."""

    MAJORITY = "majority"
    """What more than half of those who judged the document highlighted."""


class Merging(Vocabulary, option="how"):
    """What anyone, all, or more than half of those who judged a document highlighted."""

    UNION = "union"
    INTERSECTION = "intersection"
    MAJORITY = "majority"


class ExportSource(Vocabulary, option="from"):
    """Whose judgements leave a campaign, see `assess.exported`; somebody's name is another choice."""

    MAIN = "main"
    ADJUDICATED = "adjudicated"
    UNION = Merging.UNION.value
    INTERSECTION = Merging.INTERSECTION.value
    MAJORITY = Merging.MAJORITY.value
    EACH = "each"


class Order(Vocabulary, option="order"):
    """What ranks the results of a topic."""

    SCORE = "score"
    RANK = "rank"
    FILE = "file"


class Ties(Vocabulary, option="ties"):
    """What ranks results of equal score; `place`, rising id, offset and length, also equal ranks."""

    ID = "id"
    FILE = "file"
    PLACE = "place"


class Content(Vocabulary, option="kind"):
    """What a file to be converted holds."""

    RUN = "run"
    JUDGEMENTS = "judgements"


class ColumnAverage(Vocabulary, option="also"):
    """How the numbers of a topic's results become one; the words are Polars' own."""

    MEAN = "mean"
    SUM = "sum"
    MAX = "max"
    FIRST = "first"


class Keep(Vocabulary, option="keep"):
    """Which of overlapping results `check --fix` keeps: the one ranked higher, the larger or the smaller."""

    BETTER = "better"
    ANCESTORS = "ancestors"
    DESCENDANTS = "descendants"


class Like(Vocabulary, option="like"):
    """A source whose defaults are taken."""

    PAPER = "paper"
    """The papers that define the measures."""

    INEX_EVAL = "inex_eval"
    """The official program of INEX, version 3.1."""

    TREC_EVAL_9 = "trec_eval-9"
    """trec_eval 9.0.8."""

    TREC_EVAL_10 = "trec_eval-10"
    """trec_eval 10.0."""

    CHROMA = "chroma"
    """Chroma's chunking_evaluation."""

    LEGALBENCHRAG = "legalbenchrag"
    """LegalBench-RAG."""

    NDEVAL = "ndeval"
    """ndeval, of TREC's Web track."""

    TRECGEN_2007 = "trecgen2007"
    """The program of TREC Genomics 2007."""

    @property
    def is_trec_eval(self) -> bool:
        """Whether the source is trec_eval, whichever version."""
        return self in {Like.TREC_EVAL_9, Like.TREC_EVAL_10}

    @property
    def is_of_chunks(self) -> bool:
        """Whether the source is a program that scores the chunks of RAG systems."""
        return self in {Like.CHROMA, Like.LEGALBENCHRAG}


class Experiment(Vocabulary, option="experiment"):
    """What is reduced or removed to see whether the ranking of systems stays the same."""

    POOL = "pool"
    """Fewer judged passages of every topic."""

    TOPICS = "topics"
    """Fewer topics."""

    ERROR_RATE = "error-rate"
    """Fewer topics: how often two systems change places."""

    SWAP = "swap"
    """Two disjoint sets of topics: how often they disagree on two systems, by their difference."""

    LEAVE_OUT = "leave-out"
    """Without the passages that only one system, or one participant, has found."""

    DEPTH = "depth"
    """Without the passages that no system has found early."""


class Study(Vocabulary, option="studies"):
    """A study that a report can have beside its other sections."""

    FIDELITY = "fidelity"
    """Whether the measures rank simulated runs rightly."""

    STABILITY = "stability"
    """Whether the ranking of the runs holds with fewer topics."""


class Draw(Vocabulary, option="draw"):
    """How samples of topics are drawn."""

    INDEPENDENT = "independent"
    """Random subsets; two samples may share topics."""

    PARTITION = "partition"
    """Disjoint subsets of the shuffled topics, for one shuffle after the other."""

    BOOTSTRAP = "bootstrap"
    """With replacement: a topic may be in a sample twice."""


class PoolUnit(Vocabulary, option="unit"):
    """What the depth of a pool counts in each run and topic."""

    DOCUMENTS = "documents"
    """Documents, by first appearance."""

    RESULTS = "results"
    CHARACTERS = "characters"
    """Characters read; text that was read before is not read again."""


class PoolOrder(Vocabulary, option="order"):
    """The order in which the documents of a pool are judged."""

    PRIORITY = "priority"
    """Those first that many runs returned, and at better ranks."""

    RANDOM = "random"
    DEPTH = "depth"
    """By the best rank that any run gave them."""


class Tail(Vocabulary, option="tail"):
    """Whether a test asks if a run is better (one) or if two runs differ (two)."""

    ONE = "one"
    TWO = "two"


class Correction(Vocabulary, option="correct"):
    """How p-values are corrected for the number of pairs tested."""

    NONE = "none"
    HOLM = "holm"
    BONFERRONI = "bonferroni"
    BH = "bh"


class Interval(Vocabulary, option="interval"):
    """How confidence intervals are computed."""

    T = "t"
    ANOVA = "anova"
    PERCENTILE = "percentile"
    BCA = "bca"


class EntryPoints(Vocabulary, option="entry"):
    """Whether assessors set a best entry point in a relevant document before it is finished."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    NONE = "none"


class Snap(Vocabulary, option="snap"):
    """What an assessor's selection of text is widened to."""

    SENTENCE = "sentence"
    WORD = "word"
    CHARACTER = "character"


class StoredTexts(Vocabulary, option="texts"):
    """Which texts a campaign of judging keeps."""

    ALL = "all"
    POOLED = "pooled"


class Form(Vocabulary, option="to"):
    """A form in which results are written."""

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
    JUNIT = "junit"
    GITHUB = "github"

    @property
    def is_verdict(self) -> bool:
        """Whether it is for programs that run checks, and so for gates alone."""
        return self in {Form.JUNIT, Form.GITHUB}
