"""The record of every choice that changes numbers, and the bundles that reproduce a source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from enum import StrEnum
from functools import cache
from numbers import Integral, Real
from typing import Any, Literal, Self, TypeAlias, TypedDict, get_args, get_type_hints

from foveal.choices import (
    Correction,
    Like,
    Order,
    Overlap,
    Tail,
    Task,
    Ties,
    TopicSet,
    Vocabulary,
    chosen,
)
from foveal.errors import UsageError, did_you_mean
from foveal.frozen import frozen

# Larger than any useful number, and small enough that its square times a length stays finite.
LARGEST_NUMBER = 10**9


# The significance tests, for editors and type checkers; `analysis/` registers what they do.
TestName: TypeAlias = Literal[
    "t", "wilcoxon", "sign", "tukey", "tukey-rand", "anova", "bootstrap", "randomization"
]


@frozen
class Testing:
    """Design of a comparison of runs; the defaults hold everywhere."""

    test: TestName = "randomization"
    tail: Tail | str = Tail.TWO
    alpha: float = 0.05
    correct: Correction | str | None = None
    """None: by Holm's method, unless the test holds for all pairs together."""

    resamples: int | str = 100_000
    """Number of resamples, or "all" in a randomization test."""

    baseline: str | Sequence[str] = ()
    """The only runs that others are compared with; empty means all pairs."""

    rng: int = 0


USUAL_TESTING = Testing()
# The values of `--like` that are about tests: the design of the INEX 2007 study of MAgP.
TESTING_LIKE = {
    "kamps2007": Testing("bootstrap", Tail.ONE, correct=Correction.NONE, resamples=1000)
}


class ChoiceWords(TypedDict, total=False):
    """Keyword arguments about scoring; see `Choices`."""

    task: Task | str | None
    like: Like | str
    topics: TopicSet | str | None
    overlap: Overlap | str | None
    order: Order | str | None
    ties: Ties | str | None
    rel: float
    depth: int | None
    judged_only: bool


def _option(sentence: str, **metadata: Any) -> dict[str, Any]:
    """Metadata that make a choice an option of the command line: its help, a number's bounds.

    Words that only a bundle of `like` needs are `unlisted`: understood, but not shown.
    """
    return {"help": sentence, **metadata}


@frozen
class Choices:
    """Options of scoring; `None` leaves the choice to the source that `like` names.

    A field with a help sentence is an option of every command that scores.
    """

    task: Task | None = field(default=None, metadata=_option("What the system was asked for."))
    topics: TopicSet | None = field(
        default=None,
        metadata=_option(
            "Average over every judged topic (those missing from the run score 0) or only over those in"
            " the run.  [default: judged]"
        ),
    )
    overlap: Overlap | None = field(
        default=None,
        metadata=_option(
            "Text returned twice: count it where it is first read (once); find it once but read it"
            " every time (paid); refuse the run; drop the later part; find and read it every time"
            " (repeat).  [default: once; in task rag paid]",
            unlisted=(Overlap.WASTE,),
        ),
    )
    order: Order | None = field(
        default=None,
        metadata=_option(
            "Rank results by score, rank or file order.  [default: depends on the run's format]"
        ),
    )
    ties: Ties | None = field(
        default=None,
        metadata=_option(
            "How results with equal scores are ranked: by document id, descending (id), or in file"
            " order (file).  [default: id in TREC and INEX files, the track's own in trecgen files,"
            " file in others]",
            unlisted=(Ties.PLACE,),
        ),
    )
    like: Like = field(
        default=Like.PAPER,
        metadata=_option(
            "Use the defaults of the papers, the official INEX program (3.1), trec_eval, ndeval,"
            " Chroma's chunking_evaluation, LegalBench-RAG, or TREC Genomics 2007."
            " DCG and nDCG discount as in trec_eval everywhere; DCG(log_b=2) is the papers' form."
        ),
    )
    rel: float = field(
        default=1.0,
        metadata=_option(
            "The lowest grade that counts as relevant.  [default: 1]", minimum=0, metavar="N"
        ),
    )
    depth: int | None = field(
        default=None,
        metadata=_option(
            "Classical measures look only at the first N documents of a topic.",
            minimum=1,
            metavar="N",
        ),
    )
    judged_only: bool = field(
        default=False,
        metadata=_option(
            "Classical measures skip unjudged documents; of no use where only relevant documents are"
            " listed."
        ),
    )
    collection_size: int = 0
    """Documents in the collection; measures that count those neither returned nor judged need it."""

    def __post_init__(self) -> None:
        """Refuse numbers that a measure's parameter of the same name would refuse."""
        for choice in fields(Choices):
            value, minimum = getattr(self, choice.name), choice.metadata.get("minimum")
            if choice.type == "bool" and not isinstance(value, bool):
                raise UsageError(f"{choice.name} must be True or False, got {value!r}")
            if minimum is None or value is None:
                continue
            number_type, noun = (
                (Real, "a number") if choice.type == "float" else (Integral, "a whole number")
            )
            is_number = isinstance(value, number_type) and not isinstance(value, bool)
            if not is_number or not minimum <= value <= LARGEST_NUMBER:
                bounds = f"between {minimum} and {LARGEST_NUMBER:,}"
                raise UsageError(f"{choice.name} must be {noun} {bounds}, got {value!r}")

    @classmethod
    def of(cls, words: Mapping[str, Any]) -> Self:
        """Choices from keyword arguments: words, or members of the vocabularies."""
        hints = _type_hints(cls)  # type: ignore[arg-type]  # classes are hashable
        offered = [choice.name for choice in fields(cls) if "help" in choice.metadata]
        for name in words:
            if name not in offered:
                hint = did_you_mean(name, offered)
                raise UsageError(f"unknown keyword {name!r}{hint} (known: {', '.join(offered)})")
        return cls(**{name: _member(hints[name], word) for name, word in words.items()})

    def conventions(self, task: Task) -> Conventions:
        """Conventions: the explicit choices, and for the others the defaults of the source `like`."""
        values = {choice.name: getattr(self, choice.name) for choice in fields(Choices)}
        explicit = {name: value for name, value in values.items() if value is not None}
        task_defaults = {"overlap": Overlap.PAID} if task is Task.RAG else {}
        is_inex_eval = self.like is Like.INEX_EVAL
        bundle = _inex_eval(self, task) if is_inex_eval else _BUNDLES.get(self.like, {})
        return Conventions(**{**task_defaults, **bundle, **explicit, "task": task})


class RecallCut(StrEnum):
    """Number of documents that is a share x of R relevant ones, for interpolated precision."""

    EXACT = "exact"
    """The smallest number n with n ≥ x·R."""

    PLUS_NINE_TENTHS = "plus nine tenths"
    """The integer part of x·R + 0.9, in doubles (trec_eval 9)."""

    NEAREST = "nearest"
    """x·R rounded, halves away from 0, in doubles (trec_eval 10)."""


@frozen
class Conventions(Choices):
    """All choices that change numbers; the defaults are those of the papers.

    If `order` or `ties` is `None`, the run's format decides.
    """

    task: Task = Task.FOCUSED
    topics: TopicSet = TopicSet.JUDGED
    overlap: Overlap = Overlap.ONCE
    beta: float = 1.0
    reach: int | None = None
    """Distance at which an entry point scores 0, in characters; `None`: the score uses A·L."""

    past_end_keeps_last: bool = False
    """gP@r of a list shorter than r is its last value, not divided by r."""

    recall_in_doubles: bool = False
    """Recall levels are floor(100·R) in floating point, not exact."""

    stated_relevant_size: bool = False
    """Trel(d) is the size stated in the judgement file, not the sum of the passages."""

    entry_point_must_be_stated: bool = False
    """A document without a stated entry point scores 0; its first highlight is not used instead."""

    past_length_allowed: bool = False
    """Text beyond a document's length counts as irrelevant and is not refused."""

    repeats_count_without_highlights: bool = False
    """`once` applies only to documents with highlights."""

    scores_in_single_precision: bool = False
    """Results are ranked by their scores as 32-bit numbers."""

    irrelevant_topics_count: bool = False
    """Topics with nothing relevant are averaged as 0, not left out."""

    missing_topics_have_rows: bool = True
    """Judged topics without results are listed, not only averaged."""

    recall_cut: RecallCut = RecallCut.EXACT

    gains_in_whole_steps: bool = False
    """Gains given to a measure count as equal in the ideal ranking if they differ by less than 1."""

    touching_counts: bool = False
    """A chunk that only touches a highlight counts as one that shares text with it (cPmax)."""

    first_rank_undivided: bool = False
    """alpha_DCG@1 and ERR_IA@1 are not divided by the number of aspects."""

    first_passage_only: bool = False
    """A part has the aspects of the first passage that it overlaps, in file order (aspectAP)."""

    residual_needs_unjudged: bool = False
    """RBPres is 0 where every returned document is judged, although the list could continue."""

    @property
    def imitated_task(self) -> Task | None:
        """Task whose official report the counts imitate; `None` if they imitate none.

        In ric and bic the official program counts the relevant documents of every judged topic,
        and in bic no retrieved text.
        """
        return self.task if self.like is Like.INEX_EVAL else None

    def settings(self) -> dict[str, str]:
        """Choices that a reader of the scores must know, by option name."""
        settings = {
            "task": self.task.value,
            "like": self.like.value,
            "topics": self.topics.value,
            "overlap": self.overlap.value
            + (" (documents with highlights)" if self.repeats_count_without_highlights else ""),
            "ties": self.ties.value if self.ties else "the run's own",
        }
        for choice in fields(Choices):
            value = getattr(self, choice.name)
            # Numbers and flags are reported only if they are not the default.
            is_offered = "help" in choice.metadata and isinstance(value, Real)
            if is_offered and value != choice.default:
                settings[choice.name.replace("_", " ")] = _setting_text(value)
        return settings


def _inex_eval(choices: Choices, task: Task) -> dict[str, Any]:
    thorough = task is Task.THOROUGH
    return {
        "topics": TopicSet.RETRIEVED,
        "overlap": Overlap.ONCE if thorough else Overlap.REFUSE,
        "order": Order.FILE,
        "beta": 0.25,
        "reach": 500,
        "past_end_keeps_last": True,
        "recall_in_doubles": True,
        "stated_relevant_size": True,
        "entry_point_must_be_stated": True,
        "past_length_allowed": True,
        "repeats_count_without_highlights": thorough and choices.overlap is None,
    }


def _trec_eval(*, nine: bool) -> dict[str, Any]:
    return {
        "topics": TopicSet.RETRIEVED,
        "ties": Ties.ID,
        "scores_in_single_precision": nine,
        "irrelevant_topics_count": True,
        "missing_topics_have_rows": not nine,
        "recall_cut": RecallCut.PLUS_NINE_TENTHS if nine else RecallCut.NEAREST,
        "gains_in_whole_steps": True,
        "residual_needs_unjudged": True,
    }


_BUNDLES: dict[Like, dict[str, Any]] = {
    Like.TREC_EVAL_9: _trec_eval(nine=True),
    Like.TREC_EVAL_10: _trec_eval(nine=False),
    Like.CHROMA: {"overlap": Overlap.PAID, "touching_counts": True},
    Like.LEGALBENCHRAG: {"overlap": Overlap.REPEAT},
    Like.NDEVAL: {
        "topics": TopicSet.RETRIEVED,
        "order": Order.RANK,
        "irrelevant_topics_count": True,
        "first_rank_undivided": True,
    },
    Like.TRECGEN_2007: {"overlap": Overlap.WASTE, "ties": Ties.PLACE, "first_passage_only": True},
}


def _setting_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


@cache
def _type_hints(cls: type) -> dict[str, Any]:
    # Evaluating them takes longer than scoring a small run.
    return get_type_hints(cls)


def _member(hint: Any, word: Any) -> Any:
    """Member of the choice's vocabulary for a word; other values are returned unchanged."""
    for kind in (hint, *get_args(hint)):
        if isinstance(kind, type) and issubclass(kind, Vocabulary) and word is not None:
            return chosen(kind, word)
    return word
