"""Repair of a run: a copy that obeys the rules of its task, and a list of the changes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from foveal.choices import Keep, Order, Task
from foveal.errors import UnknownLength, counted
from foveal.frozen import frozen
from foveal.late import pl
from foveal.rules._rule import is_resumed
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

# Corrections of offsets by the documents' texts, and the rule of `check` that reports each.
_CORRECTIONS = (
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
    """One kind of change: the rule that demands it, the number of results, and a sentence."""

    rule: str
    count: int
    sentence: str


@frozen(eq=False)
class Repair:
    """A repaired run and its changes."""

    run: Run
    changes: tuple[Change, ...]

    def __str__(self) -> str:
        lines = [f"{change.sentence} [{change.rule}]" for change in self.changes]
        return "\n".join(lines) or "nothing to change"


@frozen
class RepairOptions:
    """Options of a repair; `characters` None means no limit."""

    task: Task
    keep: Keep = Keep.BETTER
    characters: int | None = None


@stage("repairing")
def repaired(run: Run, options: RepairOptions) -> Repair:
    """Sort a run and remove everything that the rules of the task forbid.

    Repairing the result again changes nothing.
    """
    if run.audit is not None:
        run.audit.refuse_unplaced(run.source, but_cut=True)
        run = with_document_names(run, run.audit.names)
    refuse_unplaced(run)
    repairer = _Repairer(run, options, run.frame[rows_in_order(run)])
    repairer.record_text_corrections()
    repairer.number_path_steps()
    repairer.cut_at_document_end()
    repairer.record(
        "scattered-topic",
        int(is_resumed(run).sum()),
        "{} moved to where the other results of the topic are",
    )
    if options.task in WITHOUT_OVERLAP:
        repairer.remove_overlap()
    if options.task is Task.BIC:
        repairer.keep_first_of_each_document()
    if options.task is Task.RIC:
        repairer.group_by_document()
    if options.task not in {Task.DOCUMENT, Task.RAG}:
        repairer.cut_to_results()
    if options.characters is not None:
        repairer.cut_to_characters(options.characters)
    repairer.drop_paths_of_mixed_parts()
    repairer.number_ranks()
    repairer.make_scores_decrease()
    return Repair(run.with_frame(repairer.frame, Order.RANK), tuple(repairer.changes))


def _documents(frame: pl.DataFrame) -> Ints:
    """A number for each row's topic and document, by first appearance."""
    topic, document = (numbered(frame[name]) for name in (c.TOPIC, c.DOC))
    key = pl.Series(topic * (int(document.max(initial=0)) + 1) + document)
    return numbered(key.cast(pl.String))


@dataclass
class _Repairer:
    """Rows under repair, in reading order, and the changes so far."""

    run: Run
    options: RepairOptions
    frame: pl.DataFrame
    changes: list[Change] = field(default_factory=list)

    def record(self, rule: str, count: int, template: str) -> None:
        """Record a change unless the count is 0; the template takes the number of results."""
        if count:
            self.changes.append(Change(rule, count, template.format(counted(count, "result"))))

    def keep_rows(self, keep: Bools, rule: str, template: str) -> None:
        """Drop the rows outside a mask, and record their number."""
        self.record(rule, int(np.count_nonzero(~keep)), template)
        self.frame = self.frame.filter(keep)

    def bounds(self) -> tuple[Ints, Ints, Bools, Bools]:
        """Starts and ends of parts, and masks of unmapped ones (0 to 0) and of unknown length."""
        length = document_lengths(self.run, self.frame[c.DOC])
        is_whole = self.frame[c.START].is_null().to_numpy()
        unknown = is_whole & length.is_null().to_numpy()
        start = self.frame[c.START].fill_null(0).to_numpy()
        end = np.where(
            is_whole,
            length.fill_null(LARGEST_OFFSET).to_numpy(),
            self.frame[c.END].fill_null(0).to_numpy(),
        )
        unmapped = start == c.UNMAPPED
        return np.where(unmapped, 0, start), np.where(unmapped, 0, end), unmapped, unknown

    def record_text_corrections(self) -> None:
        """Record the changes already made by the audit of the documents' texts."""
        audit = self.run.audit
        if audit is None:
            return
        for status, rule, template in _CORRECTIONS:
            self.record(rule, audit[status], template)
        if audit.names:
            is_renamed = pl.col(c.DOC).is_in(list(audit.names.values()))
            self.record(
                "document-names",
                self.frame.filter(is_renamed).height,
                "{} with the name that the document has among those given",
            )

    def number_path_steps(self) -> None:
        """Write a number at every step of a path."""
        if not self.run.results.has_paths:
            return
        paths = normalised_paths(self.frame[c.PATH])
        changed_count = int((paths != self.frame[c.PATH]).sum())
        self.record("paths", changed_count, "{} with a path written out in full")
        self.frame = self.frame.with_columns(paths)

    def cut_at_document_end(self) -> None:
        """Cut off text beyond the end of documents of known length."""
        length = pl.lit(document_lengths(self.run, self.frame[c.DOC]))
        start, end = pl.col(c.START), pl.col(c.END)
        ends_beyond, starts_beyond = (
            self.frame.select(condition & (start != c.UNMAPPED)).to_series().fill_null(value=False)
            for condition in (end > length, (end > length) & (start >= length))
        )
        is_cut = ends_beyond & ~starts_beyond
        self.record("past-document-end", int(is_cut.sum()), "{} cut at the end of the document")
        self._cut_ends(pl.when(pl.lit(is_cut)).then(length).otherwise(end))
        self.keep_rows(
            ~starts_beyond.to_numpy(),
            "past-document-end",
            "{} removed that started beyond the end of the document",
        )

    def remove_overlap(self) -> None:
        """Drop results so that no two share text."""
        start, end, _, _ = self.bounds()
        # Even an empty document is not returned twice.
        end = np.where(self.frame[c.START].is_null().to_numpy(), LARGEST_OFFSET, end)
        document = _documents(self.frame)
        size = end - start
        preferred, winner = {
            Keep.BETTER: (np.arange(len(size)), "a better ranked one"),
            Keep.ANCESTORS: (np.argsort(-size, kind="stable"), "a larger one"),
            Keep.DESCENDANTS: (np.argsort(size, kind="stable"), "a smaller one"),
        }[self.options.keep]
        document, start, end = document[preferred], start[preferred], end[preferred]
        axis = Axis.of_ends(document, end, int(document.max(initial=-1)) + 1)
        keep = np.empty(len(size), dtype=bool)
        keep[preferred] = greedily_disjoint(*axis.span_positions(document, start, end))
        self.keep_rows(keep, "overlap", f"{{}} removed that shared text with {winner}")

    def keep_first_of_each_document(self) -> None:
        """Keep the best ranked result of each document."""
        first = self.frame.select(pl.struct(c.TOPIC, c.DOC).is_first_distinct()).to_series()
        self.keep_rows(
            first.to_numpy(),
            "repeated-document",
            "{} removed from documents that were already returned",
        )

    def group_by_document(self) -> None:
        """Move the results of each document next to its best ranked one."""
        document = _documents(self.frame)
        order = np.lexsort((document, numbered(self.frame[c.TOPIC])))
        moved_count = int(np.count_nonzero(order != np.arange(len(order))))
        self.record(
            "scattered-document", moved_count, "{} moved to group documents, each in rank order"
        )
        self.frame = self.frame[order]

    def cut_to_results(self) -> None:
        """Keep the first results of each topic, as many as a submission may have."""
        index = self.frame.select(pl.int_range(pl.len()).over(c.TOPIC)).to_series()
        self.keep_rows(
            (index < TOPIC_RESULTS).to_numpy(),
            "too-many-results",
            f"{{}} removed beyond the first {TOPIC_RESULTS:,} of a topic",
        )

    def cut_to_characters(self, maximum: int) -> None:
        """Keep the first characters of each topic, in ric of each document; the last part is cut."""
        start, end, unmapped, unknown = self.bounds()
        if unknown.any():
            names = self.frame[c.DOC].filter(unknown)
            raise UnknownLength(self.run.name, names[0], names.n_unique(), whole_document=True)
        by_document = self.options.task is Task.RIC
        group = _documents(self.frame) if by_document else numbered(self.frame[c.TOPIC])
        size = np.where(unmapped, c.UNMAPPED_SIZE, end - start)
        within = affordable(group, size, maximum)
        is_removed = ((within == 0) & (size > 0)) | (unmapped & (within < size))
        is_cut = (within < size) & ~is_removed
        noun = "document" if by_document else "topic"
        self.record(
            "characters",
            int(np.count_nonzero(is_cut)),
            f"{{}} cut where the {noun} reaches {maximum:,} characters",
        )
        cut, new_end = pl.lit(pl.Series(is_cut)), pl.lit(pl.Series(start + within))
        new_start = pl.when(cut & pl.col(c.START).is_null()).then(0).otherwise(c.START)
        self.frame = self.frame.with_columns(new_start.alias(c.START))
        self._cut_ends(pl.when(cut).then(new_end).otherwise(c.END))
        self.keep_rows(
            ~is_removed,
            "characters",
            f"{{}} removed after the first {maximum:,} characters of a {noun}",
        )

    def _cut_ends(self, end: pl.Expr) -> None:
        """Set the ends of parts; one that gets shorter is no longer an element."""
        old_end = self.frame[c.END]
        self.frame = self.frame.with_columns(end.alias(c.END))
        if self.run.results.has_paths:
            is_shorter = self.frame[c.END].ne_missing(old_end)
            path = pl.when(pl.lit(~is_shorter)).then(c.PATH).alias(c.PATH)
            self.frame = self.frame.with_columns(path)

    def drop_paths_of_mixed_parts(self) -> None:
        """Drop the paths of elements if there are passages too: a run returns one kind only."""
        if not self.run.results.has_paths:
            return
        paths = self.frame.filter(pl.col(c.START) != c.UNMAPPED)[c.PATH]
        if paths.null_count():
            self.record(
                "mixed-elements",
                len(paths) - paths.null_count(),
                "{} written as offsets, because other parts are not elements",
            )
            self.frame = self.frame.drop(c.PATH)

    def number_ranks(self) -> None:
        """Number the results of each topic from 1."""
        rank = self.frame.select(
            pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(c.TOPIC)
        ).to_series()
        changed_count = int((rank != self.frame[c.RANK]).sum())
        template = "{} with a new rank: ranks count from 1"
        if self._lines_against_ranks():
            template += (
                ", in the order of the lines, which old ranks contradict (sort the lines to keep"
                " those)"
            )
        self.record("ranks", changed_count, template)
        self.frame = self.frame.with_columns(rank.alias(c.RANK))

    def _lines_against_ranks(self) -> bool:
        """True if the run is ordered by lines and its ranks contradict that order."""
        if self.run.order is not Order.FILE:
            return False
        rank = pl.col(c.RANK)
        return bool(self.run.frame.select((rank < rank.shift(1).over(c.TOPIC)).any()).item())

    def make_scores_decrease(self) -> None:
        """Give 1/rank as score to the results of topics whose scores contradict the order."""
        score = pl.col(c.SCORE)
        has_rise = (score > score.shift()).over(c.TOPIC).any().over(c.TOPIC)
        contradicts = self.frame.select(has_rise.fill_null(value=False)).to_series()
        if self.run.format == "trec":
            contradicts |= pl.Series(self._ranked_otherwise_by_score())
        self.record(
            "scores",
            int(contradicts.sum()),
            "{} with a new score, 1/rank, in topics whose scores contradict the order",
        )
        new_score = pl.when(pl.lit(contradicts)).then(1.0 / pl.col(c.RANK)).otherwise(score)
        self.frame = self.frame.with_columns(new_score.alias(c.SCORE))

    def _ranked_otherwise_by_score(self) -> Bools:
        """Mask of the rows in topics that their scores would rank differently."""
        topic = numbered(self.frame[c.TOPIC])
        run = self.run.with_frame(self.frame)
        is_moved = rows_in_order(run, Order.SCORE) != np.arange(len(topic))
        return np.isin(topic, topic[is_moved])
