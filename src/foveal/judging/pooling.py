"""Pools: the documents that are to be judged, collected from what runs returned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b

import numpy as np

from foveal.analysis import SEED, Seed, seed_numbers, shown_seed, whole_from_1
from foveal.choices import PoolOrder, PoolUnit, chosen
from foveal.errors import UsageError, counted, some
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
    """How a pool is made: first of each run what it returns within reach, then all of it together.

    `share` is the number of documents of a topic if runs take turns, else None.
    """

    reach: PoolDepth
    share: int | None
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
        """The design that the choices of `pool` make."""
        counts, by = chosen(PoolUnit, unit), chosen(PoolOrder, order)
        limit = _limit(depth, counts, documents)
        known = None if judged is None else Qrels.coerced(judged)
        names = None if known is None else known.documents.select(c.TOPIC, c.DOC)
        noun = counts.value.removesuffix("s")
        reach = {"depth": counted(limit, noun)} if documents is None else {"documents": str(limit)}
        settings = {**reach, "order": by.value}
        settings |= {"seed": shown_seed(rng)} if by is PoolOrder.RANDOM else {}
        settings |= {"judged": known.source} if known is not None else {}
        return cls(
            reach=PoolDepth(counts, limit, documents is not None and known is not None, names),
            share=None if documents is None else limit,
            order=by,
            seed=seed_numbers(rng) if by is PoolOrder.RANDOM else (),
            settings=settings,
        )

    def returned(self, run: Run) -> PoolCandidates:
        """What a run adds to the pool."""
        return self.reach.of(run)

    @stage("pooling")
    def pool(self, returned: Sequence[PoolCandidates]) -> Pool:
        """The pool of what some runs returned."""
        lists = pl.concat(one.documents for one in returned)
        found = _found(lists)
        key = [c.TOPIC, c.DOC]
        row = lists.join(found.select(*key, c.ROW), on=key, how="left", maintain_order="left")[
            c.ROW
        ]
        kept = ~found[c.JUDGED].to_numpy()
        if self.share is not None:
            kept &= _shared_fairly(found, row.to_numpy(), returned, self.share)
        passages = _passages(row.to_numpy(), returned, kept)
        ordered = self._ordered(found.with_columns(passages).filter(kept))
        judged = found.group_by(c.TOPIC).agg(pl.col(c.JUDGED).sum().cast(pl.Int64)).sort(c.TOPIC)
        settings = {"runs": str(len(returned)), **self.settings}
        return Pool(ordered, judged, settings, tuple(self._notes(returned, ordered, judged)))

    def _ordered(self, documents: pl.DataFrame) -> pl.DataFrame:
        """The documents in the order of judging, with their places in it."""
        if self.order is PoolOrder.PRIORITY:
            ordered = documents.sort(
                c.TOPIC, c.RUNS, c.RANK, c.DOC, descending=[False, True, False, False]
            )
        elif self.order is PoolOrder.DEPTH:
            ordered = documents.sort(c.TOPIC, c.BEST_RANK, c.DOC)
        else:
            ordered = documents.with_columns(self._draws(documents)).sort(c.TOPIC, c.DIGEST, c.DOC)
        place = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(c.TOPIC)
        return ordered.select(c.TOPIC, c.DOC, place.alias(c.PLACE), c.RUNS, c.BEST_RANK, c.PASSAGES)

    def _draws(self, documents: pl.DataFrame) -> pl.Series:
        """A random key for each document, made of the seed, its topic and its name.

        So what else is pooled, from which runs, does not change which of two documents comes first.
        """
        salt = blake2b(repr(self.seed).encode(), digest_size=16).digest()
        pairs = documents.select(c.TOPIC, c.DOC).iter_rows()
        keys = [
            blake2b(f"{len(topic)} {topic}{doc}".encode(), digest_size=16, key=salt).digest()
            for topic, doc in pairs
        ]
        return pl.Series(c.DIGEST, keys, dtype=pl.Binary)

    def _notes(
        self, returned: Sequence[PoolCandidates], pooled: pl.DataFrame, judged: pl.DataFrame
    ) -> Iterator[str]:
        yield from deduplicated_notes(
            (one.source, _run_notes(one, judged.height)) for one in returned
        )
        given = Counter(one.source for one in returned if one.is_file)
        if twice := [source for source, times in given.items() if times > 1]:
            yield f"given more than once, and counted as several runs: {some(twice)}"
        if self.reach.judged is not None and not judged[c.JUDGED].sum():
            yield (
                "no document of the runs is judged for its topic: are the judgements of the same"
                " topics and documents?"
            )
        if not pooled.height:
            yield "the pool is empty: every document is judged already"
        if self.share is not None:
            counts = pooled.group_by(c.TOPIC).len(c.POOLED)
            full = counts.filter(pl.col(c.POOLED) == self.share).height
            if fewer := judged.height - full:
                yield f"{counted(fewer, 'topic')} with fewer than {counted(self.share, 'document')}"


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
    return design.pool([design.returned(run) for run in coerced_runs(runs)])


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


def _found(lists: pl.DataFrame) -> pl.DataFrame:
    """Every topic and document with its numbers over all runs, in the order of their names."""
    found = lists.group_by(c.TOPIC, c.DOC).agg(
        pl.len().cast(pl.Int64).alias(c.RUNS),
        pl.col(c.RANK).min().alias(c.BEST_RANK),
        pl.col(c.RANK).sum(),
        pl.col(c.JUDGED).first(),
    )
    return found.sort(c.TOPIC, c.DOC).with_row_index(c.ROW)


def _shared_fairly(
    found: pl.DataFrame, row: Ints, returned: Sequence[PoolCandidates], share: int
) -> Bools:
    """Which documents the runs take in turns; `row` has those of all runs, one after the other."""
    topics = numbered(found[c.TOPIC])
    is_open = ~found[c.JUDGED].to_numpy()[row]
    run = np.repeat(np.arange(len(returned)), [one.documents.height for one in returned])[is_open]
    document = row[is_open]
    count = int(topics.max(initial=-1)) + 1
    list_of = run * count + topics[document]
    sizes = np.bincount(list_of, minlength=len(returned) * count).reshape(-1, count)
    by_list = np.argsort(list_of, kind="stable")
    return taken_in_turns(sizes, document[by_list], found.height, share)


def _passages(row: Ints, returned: Sequence[PoolCandidates], kept: Bools) -> pl.Series:
    """The union of the parts of each document that is kept, none of the others."""
    sizes = [one.documents.height for one in returned]
    begin = np.cumsum([0, *sizes[:-1]])
    document = np.concatenate(
        [row[first + one.document] for first, one in zip(begin, returned, strict=True)]
    )
    start, end = (
        np.concatenate([getattr(one, name) for one in returned]) for name in ("start", "end")
    )
    used = kept[document]
    document, start, end = united(
        document[used].astype(np.int64), start[used], end[used], len(kept)
    )
    return passage_lists(document, start, end, len(kept))


def _run_notes(returned: PoolCandidates, topics: int) -> Sequence[str]:
    missing = topics - returned.documents[c.TOPIC].n_unique()
    absent = [f"no results for {missing:,} of {counted(topics, 'topic')}"] if missing else []
    return [*returned.notes, *absent]


def taken_in_turns(list_sizes: Ints, document: Ints, documents: int, most: int) -> Bools:
    """Which documents are taken if the runs take turns until a topic has `most` of them.

    `list_sizes` is runs × topics: how many of the entries of `document` each list has, one run after
    the other, in each one topic after the other. A document belongs to one topic. In its turn a run
    adds the first document of its list that is not taken yet, if it has one.
    """
    runs, topics = list_sizes.shape
    end = np.cumsum(list_sizes).reshape(runs, topics)
    place = end - list_sizes
    taken = np.zeros(documents, dtype=bool)
    wanted = np.full(topics, most)
    is_growing = True
    while is_growing:
        is_growing = False
        for run in range(runs):
            topic = np.flatnonzero((wanted > 0) & (place[run] < end[run]))
            _pass_taken(place[run], end[run], topic, document, taken)
            topic = topic[place[run, topic] < end[run, topic]]
            taken[document[place[run, topic]]] = True
            wanted[topic] -= 1
            is_growing |= len(topic) > 0
    return taken


def _pass_taken(place: Ints, end: Ints, topic: Ints, document: Ints, taken: Bools) -> None:
    """Move the places in some topics' lists on to what is not taken yet, or to their ends."""
    while len(topic):
        topic = topic[taken[document[place[topic]]]]
        place[topic] += 1
        topic = topic[place[topic] < end[topic]]
