"""Pools: the documents to judge, collected from the results of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b

import numpy as np

from foveal.analysis import SEED, Seed, seed_numbers, shown_seed, whole_from_1
from foveal.choices import PoolOrder, PoolUnit, chosen
from foveal.errors import UsageError, counted, shortened_list
from foveal.frozen import frozen
from foveal.judging._pool_candidates import PoolCandidates, PoolDepth
from foveal.late import pl
from foveal.spans import Bools, Ints, united
from foveal.tables import (
    Pool,
    Qrels,
    QrelsLike,
    Run,
    RunsLike,
    coerced_runs,
    deduplicated_notes,
    numbered,
    passage_lists,
)
from foveal.tables import columns as c
from foveal.work import stage

DEPTH = 100


@frozen(eq=False)
class PoolDesign:
    """The checked choices for a pool: candidates are read from each run, then pooled together.

    `per_topic` is the size of the pool if runs take turns, else None.
    """

    depth: PoolDepth
    per_topic: int | None
    order: PoolOrder
    seed: tuple[int, ...]
    settings: Mapping[str, str]

    @classmethod
    def of(
        cls,
        *,
        depth: int | None = None,
        unit: PoolUnit | str = PoolUnit.DOCUMENTS,
        documents: int | None = None,
        order: PoolOrder | str = PoolOrder.PRIORITY,
        judged: QrelsLike | None = None,
        rng: Seed = SEED,
    ) -> PoolDesign:
        """The design with the choices of `pool`, which are checked here."""
        unit, order = chosen(PoolUnit, unit), chosen(PoolOrder, order)
        limit = _limit(depth, unit, documents)
        qrels = None if judged is None else Qrels.coerced(judged)
        judged_frame = None if qrels is None else qrels.documents.select(c.TOPIC, c.DOC)
        noun = unit.value.removesuffix("s")
        size = {"depth": counted(limit, noun)} if documents is None else {"documents": str(limit)}
        settings = {**size, "order": order.value}
        settings |= {"seed": shown_seed(rng)} if order is PoolOrder.RANDOM else {}
        settings |= {"judged": qrels.source} if qrels is not None else {}
        return cls(
            depth=PoolDepth(unit, limit, documents is not None and qrels is not None, judged_frame),
            per_topic=None if documents is None else limit,
            order=order,
            seed=seed_numbers(rng) if order is PoolOrder.RANDOM else (),
            settings=settings,
        )

    def candidates_of(self, run: Run) -> PoolCandidates:
        """Candidates of a run for the pool."""
        return self.depth.of(run)

    @stage("pooling")
    def pool(self, candidates: Sequence[PoolCandidates]) -> Pool:
        """Pool the candidates of all runs."""
        rows = pl.concat(run.documents for run in candidates)
        joint = _joint_documents(rows)
        key = [c.TOPIC, c.DOC]
        row = rows.join(joint.select(*key, c.ROW), on=key, how="left", maintain_order="left")[c.ROW]
        keep = ~joint[c.JUDGED].to_numpy()
        if self.per_topic is not None:
            keep &= _taken_from_lists(joint, row.to_numpy(), candidates, self.per_topic)
        passages = _passages(row.to_numpy(), candidates, keep)
        ordered = self._ordered(joint.with_columns(passages).filter(keep))
        judged = joint.group_by(c.TOPIC).agg(pl.col(c.JUDGED).sum().cast(pl.Int64)).sort(c.TOPIC)
        settings = {"runs": str(len(candidates)), **self.settings}
        return Pool(ordered, judged, settings, tuple(self._notes(candidates, ordered, judged)))

    def _ordered(self, documents: pl.DataFrame) -> pl.DataFrame:
        """The documents in the order of judging, numbered within each topic."""
        if self.order is PoolOrder.PRIORITY:
            ordered = documents.sort(
                c.TOPIC, c.RUNS, c.RANK, c.DOC, descending=[False, True, False, False]
            )
        elif self.order is PoolOrder.DEPTH:
            ordered = documents.sort(c.TOPIC, c.BEST_RANK, c.DOC)
        else:
            ordered = documents.with_columns(self._hashes(documents)).sort(c.TOPIC, c.DIGEST, c.DOC)
        place = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(c.TOPIC)
        return ordered.select(c.TOPIC, c.DOC, place.alias(c.PLACE), c.RUNS, c.BEST_RANK, c.PASSAGES)

    def _hashes(self, documents: pl.DataFrame) -> pl.Series:
        """A random key for each document, from the seed, its topic and its name.

        So the order of two documents does not depend on the other documents and runs.
        """
        salt = blake2b(repr(self.seed).encode(), digest_size=16).digest()
        pairs = documents.select(c.TOPIC, c.DOC).iter_rows()
        keys = [
            blake2b(f"{len(topic)} {topic}{doc}".encode(), digest_size=16, key=salt).digest()
            for topic, doc in pairs
        ]
        return pl.Series(c.DIGEST, keys, dtype=pl.Binary)

    def _notes(
        self, candidates: Sequence[PoolCandidates], pooled: pl.DataFrame, judged: pl.DataFrame
    ) -> Iterator[str]:
        yield from deduplicated_notes(
            (run.source, _run_notes(run, judged.height)) for run in candidates
        )
        times_given = Counter(run.source for run in candidates if run.is_file)
        if repeated := [source for source, times in times_given.items() if times > 1]:
            yield f"given more than once, and counted as several runs: {shortened_list(repeated)}"
        if self.depth.judged is not None and not judged[c.JUDGED].sum():
            yield (
                "no document of the runs is judged for its topic: are the judgements of the same"
                " topics and documents?"
            )
        if not pooled.height:
            yield "the pool is empty: every document is judged already"
        if self.per_topic is not None:
            counts = pooled.group_by(c.TOPIC).len(c.POOLED)
            full_topics = counts.filter(pl.col(c.POOLED) == self.per_topic).height
            if short_topics := judged.height - full_topics:
                yield f"{counted(short_topics, 'topic')} with fewer than {counted(self.per_topic, 'document')}"


def pool(
    runs: RunsLike,
    *,
    depth: int | None = None,
    unit: PoolUnit | str = PoolUnit.DOCUMENTS,
    documents: int | None = None,
    order: PoolOrder | str = PoolOrder.PRIORITY,
    judged: QrelsLike | None = None,
    rng: Seed = SEED,
) -> Pool:
    """The documents that the runs return within a depth, to be judged in an order.

    `depth` counts for each run and topic, by `unit`, documents by first appearance (100 unless
    given), results (likewise) or characters: results are read until so many characters have been
    read, each once. With `documents` instead, the runs take turns in the order given, and each
    adds its first document that is not in the pool yet, until a topic has so many. `order` puts
    first what most runs returned, and among those the smallest sum of ranks (`priority`), the best
    ranks (`depth`), or is `random`, drawn from `rng`; ties are broken by the document's name. What
    is `judged` for its topic is left out.

    >>> import foveal
    >>> runs = {"one": {"1": {"a": 3.0, "b": 2.0}}, "two": {"1": {"b": 3.0, "c": 2.0}}}
    >>> print(foveal.pool(runs).frame["doc"].to_list())
    ['b', 'a', 'c']
    >>> foveal.pool(runs, documents=2)
    <Pool: 2 documents of 1 topic>
    """
    design = PoolDesign.of(
        depth=depth, unit=unit, documents=documents, order=order, judged=judged, rng=rng
    )
    return design.pool([design.candidates_of(run) for run in coerced_runs(runs)])


def _limit(depth: int | None, unit: PoolUnit, documents: int | None) -> int:
    """The depth, or the number of documents of a topic."""
    if documents is not None:
        if depth is not None:
            raise UsageError("give --depth K or --documents N, not both")
        if unit is not PoolUnit.DOCUMENTS:
            raise UsageError(f"--documents N counts documents: leave out --unit {unit.value}")
        return whole_from_1("documents", documents)
    if depth is None and unit is PoolUnit.CHARACTERS:
        raise UsageError(
            "--unit characters has no default depth: give --depth K, the characters that are read of"
            " each run and topic"
        )
    return DEPTH if depth is None else whole_from_1("depth", depth)


def _joint_documents(lists: pl.DataFrame) -> pl.DataFrame:
    """Each topic and document with the number of its runs and its ranks, in order of names."""
    documents = lists.group_by(c.TOPIC, c.DOC).agg(
        pl.len().cast(pl.Int64).alias(c.RUNS),
        pl.col(c.RANK).min().alias(c.BEST_RANK),
        pl.col(c.RANK).sum(),
        pl.col(c.JUDGED).first(),
    )
    return documents.sort(c.TOPIC, c.DOC).with_row_index(c.ROW)


def _taken_from_lists(
    documents: pl.DataFrame, row: Ints, candidates: Sequence[PoolCandidates], per_topic: int
) -> Bools:
    """Mask of the documents taken in turns; `row` has those of all runs, one after the other."""
    topics = numbered(documents[c.TOPIC])
    is_open = ~documents[c.JUDGED].to_numpy()[row]
    heights = [run.documents.height for run in candidates]
    run_index = np.repeat(np.arange(len(heights)), heights)[is_open]
    document = row[is_open]
    count = int(topics.max(initial=-1)) + 1
    list_index = run_index * count + topics[document]
    sizes = np.bincount(list_index, minlength=len(candidates) * count).reshape(-1, count)
    by_list = np.argsort(list_index, kind="stable")
    return taken_in_turns(sizes, document[by_list], documents.height, per_topic)


def _passages(row: Ints, candidates: Sequence[PoolCandidates], keep: Bools) -> pl.Series:
    """Lists of passages: the union of the parts of each kept document, empty for the others."""
    sizes = [run.documents.height for run in candidates]
    first_rows = np.cumsum([0, *sizes[:-1]])
    document = np.concatenate(
        [row[first + run.document] for first, run in zip(first_rows, candidates, strict=True)]
    )
    start, end = (
        np.concatenate([getattr(run, name) for run in candidates]) for name in ("start", "end")
    )
    use = keep[document]
    document, start, end = united(document[use].astype(np.int64), start[use], end[use], len(keep))
    return passage_lists(document, start, end, len(keep))


def _run_notes(candidates: PoolCandidates, topic_count: int) -> Sequence[str]:
    missing = topic_count - candidates.documents[c.TOPIC].n_unique()
    notes = [f"no results for {missing:,} of {counted(topic_count, 'topic')}"] if missing else []
    return [*candidates.notes, *notes]


def taken_in_turns(list_sizes: Ints, document: Ints, document_count: int, maximum: int) -> Bools:
    """Mask of the documents taken if the runs take turns until a topic has `maximum` of them.

    `list_sizes` is runs × topics: the size of each list in `document`, which has the lists run after
    run, and within a run topic after topic. A document belongs to one topic. In its turn a run adds
    the first document of its list that is not taken yet, if it has one.
    """
    runs, topics = list_sizes.shape
    list_end = np.cumsum(list_sizes).reshape(runs, topics)
    index = list_end - list_sizes
    is_taken = np.zeros(document_count, dtype=bool)
    free_slots = np.full(topics, maximum)
    is_growing = True
    while is_growing:
        is_growing = False
        for run in range(runs):
            topic = np.flatnonzero((free_slots > 0) & (index[run] < list_end[run]))
            _skip_taken(index[run], list_end[run], topic, document, is_taken)
            topic = topic[index[run, topic] < list_end[run, topic]]
            is_taken[document[index[run, topic]]] = True
            free_slots[topic] -= 1
            is_growing |= len(topic) > 0
    return is_taken


def _skip_taken(index: Ints, list_end: Ints, topic: Ints, document: Ints, is_taken: Bools) -> None:
    """Advance the indices into lists of the given topics to a document not taken yet, or the end."""
    while len(topic):
        topic = topic[is_taken[document[index[topic]]]]
        index[topic] += 1
        topic = topic[index[topic] < list_end[topic]]
