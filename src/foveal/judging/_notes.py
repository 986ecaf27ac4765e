"""What a reader must know beside the numbers of agreement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from foveal.errors import counted, listed
from foveal.judging._coefficients import COEFFICIENTS
from foveal.judging._shared import UNKNOWN, Shared
from foveal.judging._tables import Compared, Level
from foveal.tables import columns as c

SIGNS = {c.ALPHA: "α", c.KAPPA: "κ", c.F1: "F1", c.OVERLAP: "overlap"}


def notes(shared: Shared, levels: Sequence[Compared]) -> Iterator[str]:
    """Notes on what was left out, on what is unknown, and on what looks odd."""
    yield from _left_out(shared)
    yield from _text(shared, levels)
    yield from _odd(shared, levels)
    for level in levels:
        yield from _undefined(level)
    if len(shared.topics) == 1:
        yield "one topic says nothing about others: there are no intervals"


def _left_out(shared: Shared) -> Iterator[str]:
    documents, topics = shared.left_out
    if documents:
        beside = f" ({counted(topics, 'whole topic')})" if topics else ""
        yield f"left out {counted(documents, 'document')} that one assessor alone judged{beside}"
    count = len(shared.assessors)
    apart = count * (count - 1) // 2 - len(np.unique(shared.pair))
    if apart:
        yield f"{counted(apart, 'pair')} of assessors judged no document in common"


def _text(shared: Shared, levels: Sequence[Compared]) -> Iterator[str]:
    """What keeps text from being compared, or some of it."""
    if levels[0].level is not Level.CHARACTERS:
        if 0 < len(shared.documents_only) < len(shared.assessors):
            names = listed(shared.documents_only)
            yield f"{names} judged documents without highlights, so only documents are compared"
        else:
            yield "nobody highlighted text in what is compared, so only documents are compared"
        return
    wordless = len(np.unique(shared.unit[shared.wordless]))
    if wordless:
        yield (
            f"{counted(wordless, 'document')} that somebody graded relevant without highlights:"
            " compared as documents only"
        )
    unknown = len(np.unique(shared.unit[shared.length == UNKNOWN]))
    if unknown:
        yield (
            f"the length of {counted(unknown, 'document')} is unknown, so α and κ over characters are"
            " undefined where they belong: state the length in one of the judgements, or give"
            " --elements INDEX or --docs DOCUMENTS"
        )


def _odd(shared: Shared, levels: Sequence[Compared]) -> Iterator[str]:
    """What looks as if the judgements were not what they should be."""
    if shared.relevant_only:
        yield (
            f"every document that {listed(shared.relevant_only)} judged is relevant: if judgements list"
            " only what was highlighted, documents without highlights are missing, and agreement"
            " looks better than it is"
        )
    documents, counts = levels[0].counts.by_pair()
    for code, number, own in zip(levels[0].counts.pairs, documents, counts, strict=True):
        if number > 1 and own[0] and not own[1] and not own[2]:
            names = [shared.assessors[who] for who in shared.assessors_of(code)]
            yield (
                f"{listed(names)} say the same of {counted(int(number), 'document')} that both judged:"
                " is one a copy of the other?"
            )


def _undefined(level: Compared) -> Iterator[str]:
    """In how many topics coefficients are undefined because assessors make no difference."""
    told = ~np.isnan(level.counts.parts).any(axis=1)
    missing = np.isnan(level.topics[told]).sum(axis=0)
    topics = counted(len(level.topics), "topic")
    shown = [
        f"{SIGNS[name]} in {count:,} of {topics}"
        for name, count in zip(COEFFICIENTS, missing, strict=True)
        if count
    ]
    if shown:
        yield (
            f"over {level.level}, undefined where assessors chose nothing or everything:"
            f" {', '.join(shown)}; macro leaves them out"
        )
