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
    *other_words, last_word = words
    return f"{', '.join(other_words)} or {last_word}" if other_words else last_word


def chosen(vocabulary: type[Choice], word: str) -> Choice:
    """The member of a vocabulary that a word names."""
    try:
        return vocabulary(word)
    except ValueError as error:
        words = either(vocabulary)
        raise UsageError(f"{vocabulary.option} must be {words}, got {word!r}") from error


class Task(Vocabulary, option="task"):
    """The task of a system; picks default measures and the rules of `check`."""

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
    """A vocabulary with a sentence that explains each word."""

    sentence: str

    def __new__(cls, word: str, sentence: str) -> Self:
        """Make a member of a word and the sentence that explains it."""
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
    """Unit of the offsets in an index."""

    CHARACTERS = "characters"
    BYTES = "bytes"


class OffsetUnit(Vocabulary, option="count"):
    """Unit of a run's offsets: code points, bytes of UTF-8, or code units of UTF-16."""

    CHARACTERS = "characters"
    BYTES = "bytes"
    UTF16 = "utf16"


class Copies(Vocabulary, option="copies"):
    """Placement of a text that occurs several times in its document: refused, or the first place."""

    REFUSE = "refuse"
    FIRST = "first"


class Whitespace(Vocabulary, option="whitespace"):
    """Count of blanks: every one, or consecutive ones in a text node as one."""

    KEEP = "keep"
    MERGED = "merged"


class TopicSet(Vocabulary, option="topics"):
    """The eligible topics over which values are averaged."""

    JUDGED = "judged"
    RETRIEVED = "retrieved"


class Overlap(Vocabulary, option="overlap"):
    """Treatment of text that a run returns more than once."""

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
    """Judgements to use if several assessors judged; an assessor's name is a third choice."""

    UNION = "union"
    """Text that any assessor highlighted."""

    MAJORITY = "majority"
    """Text that more than half of the assessors who judged the document highlighted."""


class Merging(Vocabulary, option="how"):
    """Merged highlights: of any, of all, or of more than half of a document's assessors."""

    UNION = "union"
    INTERSECTION = "intersection"
    MAJORITY = "majority"


class ExportSource(Vocabulary, option="from"):
    """Judgements to export from a campaign, see `assess.exported`; a person's name also works."""

    MAIN = "main"
    ADJUDICATED = "adjudicated"
    UNION = Merging.UNION.value
    INTERSECTION = Merging.INTERSECTION.value
    MAJORITY = Merging.MAJORITY.value
    EACH = "each"


class Order(Vocabulary, option="order"):
    """Ranking of the results of a topic: by score, by rank, or as in the file."""

    SCORE = "score"
    RANK = "rank"
    FILE = "file"


class Ties(Vocabulary, option="ties"):
    """Ranking of results of equal score; `place` (rising id, offset, length) also of equal ranks."""

    ID = "id"
    FILE = "file"
    PLACE = "place"


class Content(Vocabulary, option="kind"):
    """Content of a file to be converted."""

    RUN = "run"
    JUDGEMENTS = "judgements"


class ColumnAverage(Vocabulary, option="also"):
    """Aggregation of an extra column within a topic; the words are Polars expressions."""

    MEAN = "mean"
    SUM = "sum"
    MAX = "max"
    FIRST = "first"


class Keep(Vocabulary, option="keep"):
    """Result that `check --fix` keeps of several that overlap: the better ranked, larger or smaller."""

    BETTER = "better"
    ANCESTORS = "ancestors"
    DESCENDANTS = "descendants"


class Like(Vocabulary, option="like"):
    """A source whose defaults are used."""

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
        """True for every version of trec_eval."""
        return self in {Like.TREC_EVAL_9, Like.TREC_EVAL_10}

    @property
    def is_of_chunks(self) -> bool:
        """True for programs that score the chunks of RAG systems."""
        return self in {Like.CHROMA, Like.LEGALBENCHRAG}


class Experiment(Vocabulary, option="experiment"):
    """Experiment of a stability study, by what it reduces or removes."""

    POOL = "pool"
    """Fewer judged passages of every topic."""

    TOPICS = "topics"
    """Fewer topics."""

    ERROR_RATE = "error-rate"
    """Fewer topics: how often two systems swap ranks."""

    SWAP = "swap"
    """Two disjoint sets of topics: how often they disagree on two systems, by their difference."""

    LEAVE_OUT = "leave-out"
    """Without the passages that only one system, or one participant, has found."""

    DEPTH = "depth"
    """Without the passages that no system has found early."""


class Study(Vocabulary, option="studies"):
    """A study that a report can include."""

    FIDELITY = "fidelity"
    """Whether the measures rank simulated runs rightly."""

    STABILITY = "stability"
    """Whether the ranking of the runs holds with fewer topics."""


class Draw(Vocabulary, option="draw"):
    """Sampling of topics."""

    INDEPENDENT = "independent"
    """Random subsets; two samples may share topics."""

    PARTITION = "partition"
    """Disjoint subsets of the shuffled topics, for one shuffle after the other."""

    BOOTSTRAP = "bootstrap"
    """With replacement: a topic may be in a sample twice."""


class PoolUnit(Vocabulary, option="unit"):
    """Unit of a pool's depth, in each run and topic."""

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
    """Tails of a test: one asks if a run is better, two ask if the runs differ."""

    ONE = "one"
    TWO = "two"


class Correction(Vocabulary, option="correct"):
    """Correction of p-values for the number of pairs tested."""

    NONE = "none"
    HOLM = "holm"
    BONFERRONI = "bonferroni"
    BH = "bh"


class Interval(Vocabulary, option="interval"):
    """Method for confidence intervals."""

    T = "t"
    ANOVA = "anova"
    PERCENTILE = "percentile"
    BCA = "bca"


class EntryPoints(Vocabulary, option="entry"):
    """Need for a best entry point before an assessor finishes a relevant document."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    NONE = "none"


class Snap(Vocabulary, option="snap"):
    """Units to which an assessor's selection of text is extended."""

    SENTENCE = "sentence"
    WORD = "word"
    CHARACTER = "character"


class StoredTexts(Vocabulary, option="texts"):
    """Texts that a campaign of judging stores: all, or those of its pool."""

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
        """True for forms read by programs that run checks; only a gate has them."""
        return self in {Form.JUNIT, Form.GITHUB}
