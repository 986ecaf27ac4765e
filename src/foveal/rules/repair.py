"""A run made to obey the rules of its task, and a list of the changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from foveal.choices import Keep, Order, Task
from foveal.errors import UnknownLength, counted
from foveal.frozen import frozen
from foveal.late import pl
from foveal.rules._rule import goes_on
from foveal.rules.conversions import normalised_paths
from foveal.spans import LARGEST_OFFSET, Axis, Bools, Ints, affordable, greedily_disjoint
from foveal.tables import (
    TOPIC_RESULTS,
    AuditStatus,
    Run,
    document_lengths,
    numbered,
    refuse_unplaced,
    rows_in_order,
    with_document_names,
)
from foveal.tables import columns as c
from foveal.work import stage

# What the documents' texts have changed, and under which rule of `check` it is found.
_MENDED = (
    (AuditStatus.FOUND, "missing-offsets", "{} with offsets found by the text"),
    (AuditStatus.SHIFTED, "shifted-offsets", "{} with offsets moved to where the text is"),
    (AuditStatus.BYTES, "offset-unit", "{} with offsets converted from bytes"),
    (AuditStatus.UTF16, "offset-unit", "{} with offsets converted from code units of UTF-16"),
    (AuditStatus.EDGES, "blank-edges", "{} with offsets moved by blanks at the edges of the text"),
    (
        AuditStatus.COPIES,
        "copied-text",
        "{} with offsets of the first of several places of the text",
    ),
)
WITHOUT_OVERLAP = {Task.FOCUSED, Task.RIC, Task.BIC}


@frozen
class Change:
    """One kind of change: the rule behind it, the number of results, and a sentence."""

    rule: str
    count: int
    sentence: str


@frozen(eq=False)
class Repair:
    """The repaired run and every kind of change that was made."""

    run: Run
    changes: tuple[Change, ...]

    def __str__(self) -> str:
        lines = [f"{change.sentence} [{change.rule}]" for change in self.changes]
        return "\n".join(lines) or "nothing to change"


@frozen
class RepairOptions:
    """What the caller chooses; `characters` None means no limit."""

    task: Task
    keep: Keep = Keep.BETTER
    characters: int | None = None


@stage("repairing")
def repaired(run: Run, wishes: RepairOptions) -> Repair:
    """The run sorted, without anything that the rules of the task forbid.

    Repairing it again changes nothing.
    """
    if run.audit is not None:
        run.audit.refuse_unplaced(run.source, but_cut=True)
        run = with_document_names(run, run.audit.names)
    refuse_unplaced(run)
    at_work = _AtWork(run, wishes, run.frame[rows_in_order(run)])
    at_work.take_from_the_texts()
    at_work.write_paths_out()
    at_work.end_with_the_document()
    at_work.note(
        "scattered-topic",
        int(goes_on(run).sum()),
        lambda some: f"{some} moved to where the other results of the topic are",
    )
    if wishes.task in WITHOUT_OVERLAP:
        at_work.remove_overlap()
    if wishes.task is Task.BIC:
        at_work.keep_one_of_each_document()
    if wishes.task is Task.RIC:
        at_work.group_by_document()
    if wishes.task not in {Task.DOCUMENT, Task.RAG}:
        at_work.cut_to_results()
    if wishes.characters is not None:
        at_work.cut_to_characters(wishes.characters)
    at_work.give_offsets_unless_all_are_elements()
    at_work.number_ranks()
    at_work.make_scores_fall()
    run = run.with_frame(at_work.frame, Order.RANK)
    return Repair(run, tuple(at_work.changes))


def _documents(frame: pl.DataFrame) -> Ints:
    """A number for each row's topic and document, by first appearance."""
    topic, document = (numbered(frame[name]) for name in (c.TOPIC, c.DOC))
    key = pl.Series(topic * (int(document.max(initial=0)) + 1) + document)
    return numbered(key.cast(pl.String))


@dataclass
class _AtWork:
    """The rows while they are repaired, in order, and the changes so far."""

    run: Run
    wishes: RepairOptions
    frame: pl.DataFrame
    changes: list[Change] = field(default_factory=list)

    def note(self, rule: str, count: int, sentence: Callable[[str], str]) -> None:
        """Record a change, if there is any; the sentence gets the number of results."""
        if count:
            self.changes.append(Change(rule, count, sentence(counted(count, "result"))))

    def keep(self, kept: Bools, rule: str, sentence: Callable[[str], str]) -> None:
        """Keep only some rows."""
        self.note(rule, int(np.count_nonzero(~kept)), sentence)
        self.frame = self.frame.filter(kept)

    def spans(self) -> tuple[Ints, Ints, Bools, Bools]:
        """Start and end of each part, which are unmapped (0 to 0), and which of unknown length."""
        length = document_lengths(self.run, self.frame[c.DOC])
        whole = self.frame[c.START].is_null().to_numpy()
        unknown = whole & length.is_null().to_numpy()
        start = self.frame[c.START].fill_null(0).to_numpy()
        end = np.where(
            whole,
            length.fill_null(LARGEST_OFFSET).to_numpy(),
            self.frame[c.END].fill_null(0).to_numpy(),
        )
        unmapped = start == c.UNMAPPED
        return np.where(unmapped, 0, start), np.where(unmapped, 0, end), unmapped, unknown

    def take_from_the_texts(self) -> None:
        """Tell what comparing the run with its documents' texts has changed, and name these alike."""
        audit = self.run.audit
        if audit is None:
            return
        for verdict, rule, told in _MENDED:
            self.note(rule, audit[verdict], told.format)
        if audit.names:
            named = pl.col(c.DOC).is_in(list(audit.names.values()))
            self.note(
                "document-names",
                self.frame.filter(named).height,
                "{} with the name that the document has among those given".format,
            )

    def write_paths_out(self) -> None:
        """Write a number at every step of a path."""
        if not self.run.results.has_paths:
            return
        paths = normalised_paths(self.frame[c.PATH])
        changed = int((paths != self.frame[c.PATH]).sum())
        self.note("paths", changed, lambda some: f"{some} with a path written out in full")
        self.frame = self.frame.with_columns(paths)

    def end_with_the_document(self) -> None:
        """Cut off text beyond the end of documents of known length."""
        length = pl.lit(document_lengths(self.run, self.frame[c.DOC]))
        start, end = pl.col(c.START), pl.col(c.END)
        past, beyond = (
            self.frame.select(over & (start != c.UNMAPPED)).to_series().fill_null(value=False)
            for over in (end > length, (end > length) & (start >= length))
        )
        cut = past & ~beyond
        self.note(
            "past-document-end",
            int(cut.sum()),
            lambda some: f"{some} cut at the end of the document",
        )
        self._cut_ends(pl.when(pl.lit(cut)).then(length).otherwise(end))
        self.keep(
            ~beyond.to_numpy(),
            "past-document-end",
            lambda some: f"{some} removed that started beyond the end of the document",
        )

    def remove_overlap(self) -> None:
        """Of results that share text keep some, so that no two share any."""
        start, end, _, _ = self.spans()
        # Even an empty document is not returned twice.
        end = np.where(self.frame[c.START].is_null().to_numpy(), LARGEST_OFFSET, end)
        document = _documents(self.frame)
        size = end - start
        preferred = {
            Keep.BETTER: np.arange(len(size)),
            Keep.ANCESTORS: np.argsort(-size, kind="stable"),
            Keep.DESCENDANTS: np.argsort(size, kind="stable"),
        }[self.wishes.keep]
        document, start, end = document[preferred], start[preferred], end[preferred]
        axis = Axis.holding(document, end, int(document.max(initial=-1)) + 1)
        kept = np.empty(len(size), dtype=bool)
        kept[preferred] = greedily_disjoint(axis.place(document, start), axis.place(document, end))
        winner = {
            Keep.BETTER: "a better ranked one",
            Keep.ANCESTORS: "a larger one",
            Keep.DESCENDANTS: "a smaller one",
        }[self.wishes.keep]
        self.keep(kept, "overlap", lambda some: f"{some} removed that shared text with {winner}")

    def keep_one_of_each_document(self) -> None:
        """Keep the best ranked result of each document."""
        first = self.frame.select(pl.struct(c.TOPIC, c.DOC).is_first_distinct()).to_series()
        self.keep(
            first.to_numpy(),
            "repeated-document",
            lambda some: f"{some} removed from documents that were already returned",
        )

    def group_by_document(self) -> None:
        """Move the results of a document to its best ranked one."""
        document = _documents(self.frame)
        topic = numbered(self.frame[c.TOPIC])
        order = np.lexsort((document, topic))
        moved = int(np.count_nonzero(order != np.arange(len(order))))
        self.note(
            "scattered-document",
            moved,
            lambda some: f"{some} moved to group documents, each in rank order",
        )
        self.frame = self.frame[order]

    def cut_to_results(self) -> None:
        """Keep the first results of each topic, as many as a submission may have."""
        place = self.frame.select(pl.int_range(pl.len()).over(c.TOPIC)).to_series()
        self.keep(
            (place < TOPIC_RESULTS).to_numpy(),
            "too-many-results",
            lambda some: f"{some} removed beyond the first {TOPIC_RESULTS:,} of a topic",
        )

    def cut_to_characters(self, most: int) -> None:
        """Keep so many characters of each topic, in ric of each document; the last part is cut."""
        start, end, unmapped, unknown = self.spans()
        if unknown.any():
            names = self.frame[c.DOC].filter(unknown)
            raise UnknownLength(self.run.name, names[0], names.n_unique(), whole_document=True)
        by_document = self.wishes.task is Task.RIC
        group = _documents(self.frame) if by_document else numbered(self.frame[c.TOPIC])
        size = np.where(unmapped, c.UNMAPPED_SIZE, end - start)
        paid = affordable(group, size, most)
        gone = ((paid == 0) & (size > 0)) | (unmapped & (paid < size))
        cut = (paid < size) & ~gone
        what = "document" if by_document else "topic"
        self.note(
            "characters",
            int(np.count_nonzero(cut)),
            lambda some: f"{some} cut where the {what} reaches {most:,} characters",
        )
        whole = pl.lit(pl.Series(cut)) & pl.col(c.START).is_null()
        self.frame = self.frame.with_columns(
            pl.when(whole).then(0).otherwise(c.START).alias(c.START)
        )
        self._cut_ends(
            pl.when(pl.lit(pl.Series(cut))).then(pl.lit(pl.Series(start + paid))).otherwise(c.END)
        )
        self.keep(
            ~gone,
            "characters",
            lambda some: f"{some} removed after the first {most:,} characters of a {what}",
        )

    def _cut_ends(self, end: pl.Expr) -> None:
        """Set the ends of parts; one that gets shorter is no longer an element."""
        before = self.frame[c.END]
        self.frame = self.frame.with_columns(end.alias(c.END))
        if self.run.results.has_paths:
            shorter = self.frame[c.END].ne_missing(before)
            path = pl.when(pl.lit(~shorter)).then(c.PATH).alias(c.PATH)
            self.frame = self.frame.with_columns(path)

    def give_offsets_unless_all_are_elements(self) -> None:
        """Drop the paths of elements if there are passages too: a run returns one kind only."""
        if not self.run.results.has_paths:
            return
        paths = self.frame.filter(pl.col(c.START) != c.UNMAPPED)[c.PATH]
        if paths.null_count():
            self.note(
                "mixed-elements",
                len(paths) - paths.null_count(),
                lambda some: f"{some} written as offsets, because other parts are not elements",
            )
            self.frame = self.frame.drop(c.PATH)

    def number_ranks(self) -> None:
        """Number the results of each topic from 1."""
        rank = self.frame.select(
            pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(c.TOPIC)
        ).to_series()
        changed = int((rank != self.frame[c.RANK]).sum())
        told = "{} with a new rank: ranks count from 1"
        if self._lines_against_ranks():
            told += (
                ", in the order of the lines, which old ranks contradict (sort the lines to keep"
                " those)"
            )
        self.note("ranks", changed, told.format)
        self.frame = self.frame.with_columns(rank.alias(c.RANK))

    def _lines_against_ranks(self) -> bool:
        """Whether the order of the lines decided, although ranks say otherwise."""
        if self.run.order is not Order.FILE:
            return False
        rank = pl.col(c.RANK)
        return bool(self.run.frame.select((rank < rank.shift(1).over(c.TOPIC)).any()).item())

    def make_scores_fall(self) -> None:
        """Give 1/rank as score to the results of topics whose scores contradict the order."""
        score = pl.col(c.SCORE)
        wrong = (score > score.shift()).over(c.TOPIC).any().over(c.TOPIC)
        contradicts = self.frame.select(wrong.fill_null(value=False)).to_series()
        if self.run.format == "trec":
            contradicts |= pl.Series(self._ranked_otherwise_by_score())
        self.note(
            "scores",
            int(contradicts.sum()),
            lambda some: (
                f"{some} with a new score, 1/rank, in topics whose scores contradict the order"
            ),
        )
        fallen = pl.when(pl.lit(contradicts)).then(1.0 / pl.col(c.RANK)).otherwise(score)
        self.frame = self.frame.with_columns(fallen.alias(c.SCORE))

    def _ranked_otherwise_by_score(self) -> Bools:
        """Whether each row is in a topic that its scores would rank differently."""
        topic = numbered(self.frame[c.TOPIC])
        now = self.run.with_frame(self.frame)
        moved = rows_in_order(now, Order.SCORE) != np.arange(len(topic))
        return np.isin(topic, topic[moved])
