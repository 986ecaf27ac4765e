"""What a rule of `check` is, and the rules that hold whatever the task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
import polars as pl

from foveal.choices import Order, Task, Ties
from foveal.errors import Problem, shortened
from foveal.tables import _columns as c
from foveal.tables._order import reading_order
from foveal.tables._topic_column import TopicColumn

if TYPE_CHECKING:
    from foveal.spans import Bools, Ints
    from foveal.tables._elements import ElementLookup
    from foveal.tables._qrels import Qrels
    from foveal.tables._run import Run

EVERY_TASK = frozenset(Task)
TOP_DOCUMENTS = 10
SHOWN_NAMES = 5

Severity = Literal["error", "warning", "note"]
# What a rule can ask beside the run.
Source = Literal["judgements", "elements"]
QRELS: Source = "judgements"
ELEMENTS: Source = "elements"


@dataclass(frozen=True, eq=False)
class Results:
    """What a rule looks at: a run's results in reading order and the judged documents.

    `frame` has the rows of the run sorted by topic, then by rank. Without judgements `judged` is
    empty. With `elements`, the run knows the lengths of its documents.
    """

    run: Run
    frame: pl.DataFrame
    judged: pl.DataFrame
    elements: ElementLookup | None = None

    @classmethod
    def of(cls, run: Run, qrels: Qrels | None, elements: ElementLookup | None = None) -> Self:
        """The results of a run as its own order ranks them."""
        topic = run.frame[c.TOPIC].rank("dense").cast(pl.Int64).to_numpy()
        order = reading_order(run, run.frame, TopicColumn.of(topic), run.order, Ties.ID)
        rows = order.permutation
        judged = pl.DataFrame(schema=c.DOCUMENT_SCHEMA) if qrels is None else qrels.documents
        return cls(run, run.frame if rows is None else run.frame[rows], judged, elements)

    @cached_property
    def document(self) -> Ints:
        """A number for the topic and document of each result, from 0 without gaps."""
        topic, doc = (
            self.frame[name].rank("dense").cast(pl.Int64).to_numpy() for name in (c.TOPIC, c.DOC)
        )
        key = topic * (int(doc.max(initial=0)) + 1) + doc
        return np.unique(key, return_inverse=True)[1]

    @cached_property
    def repeats_document(self) -> Bools:
        """Whether each result's document was already met in the topic."""
        repeats = np.ones(self.frame.height, dtype=bool)
        repeats[np.unique(self.document, return_index=True)[1]] = False
        return repeats


Find = Callable[[Results], Iterable[Problem]]


@dataclass(frozen=True)
class Rule:
    """One thing `check` looks for: what is demanded, of which tasks, and what breaks it.

    `needs` are the sources of which one must be there to ask.
    """

    name: str
    sentence: str
    severity: Severity
    tasks: frozenset[Task]
    needs: frozenset[Source]
    find: Find

    def applies(self, task: Task | None, given: AbstractSet[Source]) -> bool:
        """Whether the rule holds in a task (None: in all of them), given what there is to ask."""
        holds = self.tasks == EVERY_TASK if task is None else task in self.tasks
        return holds and (not self.needs or not self.needs.isdisjoint(given))


def rule(
    name: str,
    sentence: str,
    severity: Severity,
    *,
    tasks: AbstractSet[Task] = EVERY_TASK,
    needs: AbstractSet[Source] = frozenset(),
) -> Callable[[Find], Rule]:
    """The rule that a function finds the breaches of."""

    def record(find: Find) -> Rule:
        return Rule(name, sentence, severity, frozenset(tasks), frozenset(needs), find)

    return record


def on_each_line(broken: pl.DataFrame, reason: str) -> Iterable[Problem]:
    """A problem for each result, naming its topic and document."""
    for line, topic, document in broken.select(c.LINE, c.TOPIC, c.DOC).iter_rows():
        yield Problem(line, f"topic {topic!r}, document {document!r}: {reason}")


def summed_up(broken: pl.DataFrame, reason: str) -> Sequence[Problem]:
    """One problem for all results together, at the first of their lines; none without results."""
    if broken.is_empty():
        return []
    return [Problem(int(broken[c.LINE].to_numpy().min()), reason)]


def counted(count: int, noun: str) -> str:
    """A number and its noun, which takes an s in the plural."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


@rule("mixed-parts", "A run returns one kind of part.", "warning")
def mixed_parts(results: Results) -> Iterable[Problem]:
    """Spans, whole documents and entry points side by side; unmapped elements may be any."""
    start, end = pl.col(c.START), pl.col(c.END)
    kind = (
        pl.when(start.is_null())
        .then(pl.lit("whole document"))
        .when(start == end)
        .then(pl.lit("entry point"))
        .otherwise(pl.lit("span"))
        .alias("kind")
    )
    mapped = results.run.frame.filter(start.ne_missing(c.UNMAPPED)).with_columns(kind)
    kinds = mapped.group_by("kind").agg(pl.len(), pl.col(c.LINE).min()).sort(c.LINE)
    mixture = ", ".join(
        counted(count, name) for name, count in kinds.select("kind", "len").iter_rows()
    )
    return summed_up(kinds[1:], f"the run mixes {mixture}")


@rule(
    "mixed-elements", "A run returns elements or passages, not both.", "warning", needs={ELEMENTS}
)
def mixed_elements(results: Results) -> Iterable[Problem]:
    """Parts with text that are no elements, in a run that returns elements as well."""
    if results.elements is None:
        return []
    parts = results.run.frame.filter(pl.col(c.END) > pl.col(c.START))
    around = results.elements.smallest_containing(parts.select(c.DOC, c.START, c.END))
    is_element = (around[c.START] == parts[c.START]) & (around[c.END] == parts[c.END])
    passages = parts.filter(~is_element.fill_null(value=False))
    if passages.height == parts.height:
        return []
    elements = counted(parts.height - passages.height, "element")
    others = counted(passages.height, "passage")
    return summed_up(passages, f"the run mixes {elements} and {others}")


@rule("unmapped-elements", "Every element has known offsets.", "warning")
def unmapped_elements(results: Results) -> Iterable[Problem]:
    """Elements whose place in the document nobody found."""
    unmapped = results.run.frame.filter(pl.col(c.START) == c.UNMAPPED)
    return summed_up(unmapped, f"{counted(unmapped.height, 'element')} without known offsets")


@rule("rank-against-score", "A better rank never has a lower score.", "warning")
def rank_against_score(results: Results) -> Iterable[Problem]:
    """Results that score higher than the one ranked before them.

    Of equal ranks the best score comes first, so any contradiction shows between neighbours. A
    column without values contradicts nothing.
    """
    ranked = results.run.frame.sort(
        c.TOPIC, c.RANK, c.SCORE, descending=[False, False, True], maintain_order=True
    )
    score = pl.col(c.SCORE)
    rising = ranked.filter(score > score.shift(1).over(c.TOPIC))
    some = counted(rising.height, "result")
    return summed_up(
        rising, f"ranks and scores disagree: {some} scored above the one ranked before"
    )


@rule("repeated-ranks", "A rank is given once in a topic.", "warning")
def repeated_ranks(results: Results) -> Iterable[Problem]:
    """Results whose rank an earlier line of the topic already has."""
    given_before = pl.col(c.RANK).is_not_null() & ~pl.struct(c.TOPIC, c.RANK).is_first_distinct()
    again = results.run.frame.filter(given_before)
    some = counted(again.height, "result")
    return summed_up(again, f"{some} with a rank that the topic already gave")


@rule("file-order", "Lines that rank by their place stand in order of rank and score.", "warning")
def file_order(results: Results) -> Iterable[Problem]:
    """Results below a line of the topic with a worse rank or a lower score."""
    if results.run.order is not Order.FILE:
        return []
    rank, score = pl.col(c.RANK), pl.col(c.SCORE)
    misplaced = results.frame.filter(
        (rank < rank.shift(1).over(c.TOPIC)) | (score > score.shift(1).over(c.TOPIC))
    )
    some = counted(misplaced.height, "result")
    return summed_up(
        misplaced, f"results are read in line order, against the rank or score of {some}"
    )


@rule("tied-scores", "The results of a topic differ in score.", "warning")
def tied_scores(results: Results) -> Iterable[Problem]:
    """Results that share their score with another one of the topic."""
    tied = results.run.frame.filter(
        pl.col(c.SCORE).is_not_null() & pl.struct(c.TOPIC, c.SCORE).is_duplicated()
    )
    topics = counted(tied[c.TOPIC].n_unique(), "topic")
    return summed_up(tied, f"{counted(tied.height, 'result')} of equal score in {topics}")


@rule("missing-topics", "Every judged topic has results.", "warning", needs={QRELS})
def missing_topics(results: Results) -> Iterable[Problem]:
    """Judged topics that the run says nothing about, which stands on no line."""
    names = results.judged.select(pl.col(c.TOPIC).unique(maintain_order=True))
    missing = names.join(results.frame, on=c.TOPIC, how="anti", maintain_order="left")[c.TOPIC]
    if missing.is_empty():
        return []
    return [
        Problem(None, f"{counted(len(missing), 'judged topic')} without results: {_few(missing)}")
    ]


@rule("unjudged-topics", "Every topic with results was judged.", "warning", needs={QRELS})
def unjudged_topics(results: Results) -> Iterable[Problem]:
    """Results of topics that nobody judged."""
    extra = results.run.frame.join(results.judged, on=c.TOPIC, how="anti", maintain_order="left")
    names = extra[c.TOPIC].unique(maintain_order=True)
    return summed_up(extra, f"{counted(len(names), 'topic')} that nobody judged: {_few(names)}")


@rule(
    "unjudged-documents",
    f"The first {TOP_DOCUMENTS} documents of a topic were judged.",
    "note",
    needs={QRELS},
)
def unjudged_documents(results: Results) -> Iterable[Problem]:
    """Documents near the top of judged topics that nobody judged."""
    judged = results.judged.select(c.TOPIC, c.DOC, unjudged=pl.lit(value=False))
    top = (
        results.frame.filter(~results.repeats_document)
        .group_by(c.TOPIC, maintain_order=True)
        .head(TOP_DOCUMENTS)
        .join(judged, on=c.TOPIC, how="semi")
        .join(judged, on=[c.TOPIC, c.DOC], how="left")
        .with_columns(pl.col("unjudged").fill_null(value=True))
    )
    unjudged = top.filter("unjudged")
    if unjudged.is_empty():
        return []
    # Sorted, so that the mean does not depend on the order in which groups happen to come.
    shares = top.group_by(c.TOPIC).agg(pl.col("unjudged").mean()).sort(c.TOPIC)
    share = 100 * float(shares["unjudged"].to_numpy().mean())
    return summed_up(
        unjudged, f"{share:.1f} % of the documents in the top {TOP_DOCUMENTS} are unjudged"
    )


@rule("past-document-end", "A part ends within its document.", "error", needs={QRELS, ELEMENTS})
def past_document_end(results: Results) -> Iterable[Problem]:
    """Parts that end beyond the length of the document, as the judgements or the index have it."""
    frame = results.run.frame
    judged = results.judged.select(c.TOPIC, c.DOC, c.LENGTH)
    lengths = frame.join(judged, on=[c.TOPIC, c.DOC], how="left", maintain_order="left")
    told = results.run.document_lengths(frame[c.DOC])
    past = lengths.with_columns(pl.coalesce(c.LENGTH, pl.lit(told)).alias(c.LENGTH)).filter(
        (pl.col(c.START) != c.UNMAPPED) & (pl.col(c.END) > pl.col(c.LENGTH))
    )
    for line, document, end, length in past.select(c.LINE, c.DOC, c.END, c.LENGTH).iter_rows():
        yield Problem(line, f"the part ends at {end}, document {document!r} at {length}")


def _few(names: pl.Series) -> str:
    """The first few names, fit to be shown."""
    shown = ", ".join(shortened(name) for name in names.head(SHOWN_NAMES))
    return f"{shown}, …" if len(names) > SHOWN_NAMES else shown
