"""How far those agree who made the judgements of a report."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import cast

from foveal.analysis import ALPHA, INTERVAL_RESAMPLES, SEED
from foveal.errors import DataError
from foveal.judging import AssessorAgreement, assessor_agreement
from foveal.tables import Frame, Qrels, QrelsLike, Rows


def by_assessor(given: QrelsLike) -> dict[str, Qrels]:
    """The judgements of each person that rows name; those that were united are known no more."""
    return {} if isinstance(given, Qrels) else Qrels.by_assessor(cast("Frame | Rows", given))


def agreed(
    tables: Mapping[str, Qrels], topics: Collection[str], rel: float
) -> tuple[AssessorAgreement | None, tuple[str, ...]]:
    """The agreement of assessors on some topics with its notes, or a note why it is unknown."""
    own = {name: qrels.judgements.only(topics) for name, qrels in tables.items()}
    kept = {
        name: replace(tables[name], judgements=judgements)
        for name, judgements in own.items()
        if judgements.topics
    }
    if len(kept) < 2:
        return None, ()
    try:
        found = assessor_agreement(
            kept, None, rel=rel, alpha=ALPHA, resamples=INTERVAL_RESAMPLES, rng=SEED
        )
    except DataError as error:
        return None, (f"agreement of assessors is left out: {error}",)
    return found, tuple(f"assessors: {note}" for note in found.notes)
