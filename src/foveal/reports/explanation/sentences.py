"""What was found, missed and wasted in words, and scores of documents with their numbers filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from foveal.errors import counted, listed
from foveal.evaluation import PassageOutcome
from foveal.late import pl
from foveal.rendering import rounded, shortest
from foveal.reports.explanation.explanation import Explanation
from foveal.tables import columns as c

LONGEST_NAME = 80
SHOWN_FAILURES = 10
SHOWN_DIFFERENCES = 5
# What is found further down is a failure of ranking.
LATE = 5
_TOLD = {
    PassageOutcome.FOUND: ("is found", "are found"),
    PassageOutcome.CUT: ("is cut by the border of a part", "are cut by the borders of parts"),
    PassageOutcome.WRONG_PLACE: (
        "is in a document of which other text was returned",
        "are in documents of which other text was returned",
    ),
    PassageOutcome.NO_TEXT: (
        "is in a document of which no text was returned",
        "are in documents of which no text was returned",
    ),
    PassageOutcome.WRONG_DOCUMENT: (
        "is in a document that was not returned",
        "are in documents that were not returned",
    ),
    PassageOutcome.COPY: ("was returned only as a copy", "were returned only as copies"),
}
Row = Mapping[str, Any]
Parameters = Mapping[str, Mapping[str, float]]
NEEDS_LENGTH = "unknown: it needs the length of the document"


def short(name: str) -> str:
    """A name that fits into a line."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def title(found: Explanation) -> str:
    """What is explained, in a line."""
    runs = " against ".join(map(short, found.runs))
    if found.topic is None:
        return f"{runs}: {counted(found.topics[c.TOPIC].n_unique(), 'topic')}"
    name = f"topic {short(found.topic)}"
    asked = found.titles.get(found.topic)
    return f"{runs}: {name}{f', {short(asked)}' if asked else ''}"


def verdict(found: Explanation) -> list[str]:
    """What was found, missed and wasted in all, by each run; then how two runs differ."""
    told = []
    for run in found.runs:
        who = f"{short(run)}: " if found.against is not None else ""
        told.append(f"{who}{_characters(found, run)} {_passages(found, run)}{_value(found, run)}")
    if found.against is not None and found.topic is not None:
        told += _differing(found)
    return told


def _characters(found: Explanation, run: str) -> str:
    own = found.topics.filter(pl.col(c.RUN) == run)
    names = (c.FOUND, c.HIGHLIGHTED, c.MISSED, c.WASTED)
    got, highlighted, missed, wasted = (own[name].sum() for name in names)
    lost = f", {wasted:,} wasted (read, but not highlighted)"
    if own[c.WASTED].null_count():
        lost = "; how many are wasted is unknown: it needs the length of every document"
    return f"{got:,} of {highlighted:,} highlighted characters are found, {missed:,} missed{lost}."


def _value(found: Explanation, run: str) -> str:
    """The score of a topic."""
    if found.topic is None:
        return ""
    own = found.topics.filter(pl.col(c.RUN) == run)
    return "".join(f" {found.called} is {rounded(value)}." for value in own[c.VALUE].drop_nulls())


def _passages(found: Explanation, run: str) -> str:
    own = found.passages.filter(pl.col(c.RUN) == run)
    count = dict(own.group_by(c.OUTCOME).len().iter_rows())
    told = [
        f"{count[outcome]:,} {words[count[outcome] > 1]}"
        for outcome, words in _TOLD.items()
        if outcome in count
    ]
    if not told:
        return "Nothing is highlighted."
    return f"Of {counted(own.height, 'passage')}, {listed(told)}."


def _differing(found: Explanation) -> list[str]:
    """The characters that one run finds and the other misses."""
    one, two = map(short, found.runs)
    only, other = (_size(found.shared[name]) for name in (c.ONLY, c.ONLY_AGAINST))
    both, none = (int(found.shared[name].sum()) for name in (c.BOTH, c.NEITHER))
    return [
        f"{one} finds {_where(only)} that {two} misses; {two} finds {_where(other)} that {one}"
        f" misses; {both:,} are found by both, {none:,} by none.",
        *(
            []
            if only[0] or other[0] or not both or found.doc is not None
            else _reading(found, both)
        ),
    ]


def _reading(found: Explanation, both: int) -> list[str]:
    """Why two runs that find the same text may differ: by how much is read, or in which order."""
    rows = [found.topics.filter(pl.col(c.RUN) == run) for run in found.runs]
    read = [int(own[c.FOUND].sum()) + int(own[c.WASTED].sum()) for own in rows]
    values = [value for own in rows for value in own[c.VALUE].drop_nulls()]
    if any(own[c.WASTED].null_count() for own in rows) or len({*values}) < 2:
        return []
    one, two = map(short, found.runs)
    if read[0] == read[1]:
        why = f"and both return {read[0]:,} to read, but not in the same order or the same places"
    else:
        why = f"but {one} returns {read[0]:,} to read and {two} {read[1]:,}"
    scored = " and ".join(map(rounded, values))
    return [f"Both find the same {counted(both, 'character')}, {why} ({found.called} {scored})."]


def differing_words(found: Explanation) -> str:
    """How many topics are shown of those that differ between two runs."""
    count = min(int((found.differences[c.DIFFERENCE] != 0).sum()), SHOWN_DIFFERENCES)
    if not count:
        return f"No topic differs by {found.called}"
    return f"The {counted(count, 'topic')} that {'differ' if count > 1 else 'differs'} most"


def left_out(count: int) -> str:
    """How many documents are not shown closely, and how to see them."""
    return f"{counted(count, 'more document')} left out; look at one with --doc, --to json has them all."


def _size(characters: pl.Series) -> tuple[int, int]:
    """How many characters there are, and in how many documents."""
    return int(characters.sum()), int((characters > 0).sum())


def _where(size: tuple[int, int]) -> str:
    if not size[0]:
        return "nothing"
    return f"{counted(size[0], 'character')}, in {counted(size[1], 'document')},"


def failures(found: Explanation) -> list[str]:
    """Why passages were missed, cut or found late, a line each; the most that was missed first."""
    told = []
    for run in found.runs:
        who = f"{short(run)}: " if found.against is not None else ""
        own = found.passages.filter(
            (pl.col(c.RUN) == run)
            & (pl.col(c.OUTCOME) != PassageOutcome.NO_TEXT.value)
            & ((pl.col(c.OUTCOME) != PassageOutcome.FOUND.value) | (pl.col(c.RANK) > LATE))
        )
        if found.doc is not None:
            own = own.filter(pl.col(c.DOC) == found.doc)
        lost = pl.col(c.END) - pl.col(c.START) - pl.col(c.FOUND)
        worst = own.sort(lost, descending=True, maintain_order=True)
        rows = worst.head(SHOWN_FAILURES).iter_rows(named=True)
        told += [f"{who}{_failure(found, run, row)}" for row in rows]
        more = worst.height - SHOWN_FAILURES
        if more > 0:
            told.append(f"{who}{counted(more, 'more passage')} missed, cut or found late")
    return told


def _failure(found: Explanation, run: str, row: Mapping[str, Any]) -> str:
    where = f"{short(row[c.DOC])} at {row[c.START]:,} to {row[c.END]:,}{_aspects(row)}"
    size, outcome, rank = row[c.END] - row[c.START], PassageOutcome(row[c.OUTCOME]), row[c.RANK]
    if outcome is PassageOutcome.FOUND:
        return f"{where}: found, but only at rank {rank:,}{_beyond(found, rank)}"
    if outcome is PassageOutcome.CUT:
        return (
            f"{where}: cut by the border of a part; {row[c.FOUND]:,} of"
            f" {counted(size, 'character')} found, the last at rank {rank:,}"
        )
    if outcome is PassageOutcome.COPY:
        copies = found.results.filter((pl.col(c.RUN) == run) & (pl.col(c.RANK) == rank))
        other = f" in {short(copies[c.DOC][0])}" if copies.height else ""
        return f"{where}: only a copy found, the same text{other} at rank {rank:,}"
    if outcome is PassageOutcome.WRONG_PLACE:
        return f"{where}: right document, wrong place"
    if found.of_chunks:
        return f"{where}: missed: no chunk of this document was returned"
    return f"{where}: wrong document; this one was not returned"


def _beyond(found: Explanation, rank: int) -> str:
    """That the measure does not look so far, if it has a cut-off before this rank."""
    cutoff = re.search(r"@(\d+)$", found.measure)
    return f", beyond the cut-off of {found.called}" if cutoff and rank > int(cutoff[1]) else ""


def _aspects(row: Mapping[str, Any]) -> str:
    """Which aspects a passage has, if the judgements name any."""
    names = row.get(c.ASPECTS)
    if not names:
        return ""
    return f" ({'aspect' if len(names) == 1 else 'aspects'} {', '.join(map(short, names))})"


def standing(found: Explanation, name: str) -> str:
    """Where a document is ranked, and what was found, missed and wasted in it."""
    told = []
    own = found.documents.filter(pl.col(c.DOC) == name)
    rows = {row[c.RUN]: row for row in own.iter_rows(named=True)}
    for run in found.runs:
        who = f"{short(run)}: " if found.against is not None else ""
        row = rows.get(run)
        if row is None:
            told.append(f"{who}not returned")
        elif row[c.RANK] is None:
            told.append(f"{who}{_lost(row)}")
        else:
            told.append(f"{who}{_held(found, row)}")
    return ". ".join([*told, *_shared(found, name)]) + "."


def _shared(found: Explanation, name: str) -> list[str]:
    """Who finds the highlighted characters of a document, if there are two runs and any."""
    if found.against is None:
        return []
    one, two = map(short, found.runs)
    own = found.shared.filter(pl.col(c.DOC) == name).to_dicts()
    return [
        f"Found by both {row[c.BOTH]:,}, only by {one} {row[c.ONLY]:,}, only by {two}"
        f" {row[c.ONLY_AGAINST]:,}, by none {row[c.NEITHER]:,}"
        for row in own
        if any(row[kind] for kind in (c.BOTH, c.ONLY, c.ONLY_AGAINST, c.NEITHER))
    ]


def _lost(row: Mapping[str, Any]) -> str:
    if not row[c.RELEVANT]:
        return "not returned; judged, and nothing in it is highlighted"
    return f"missed: not returned; {counted(row[c.MISSED], 'character')} highlighted"


def _held(found: Explanation, row: Mapping[str, Any]) -> str:
    wasted = "unknown" if row[c.WASTED] is None else f"{row[c.WASTED]:,}"
    x, b = row[c.FIRST_START], row[c.ENTRY]
    known = c.BEP in found.parameters and x is not None and b is not None
    entry = "" if not known else f"; starts at {x:,}, best entry point {b:,}"
    return (
        f"{found.document_rank} {row[c.RANK]:,}, {counted(row[c.RESULTS], 'result')}: {row[c.FOUND]:,} found,"
        f" {row[c.MISSED]:,} missed, {wasted} wasted{entry}"
    )


def workings(row: Row, parameters: Parameters) -> list[str]:
    """How each score of a document comes about, a line each."""
    if row[c.RANK] is None:
        return ["Every score is 0: the document was not returned."]
    if not row[c.RELEVANT]:
        return ["Every score is 0: nothing in the document is highlighted."]
    return [
        _precision(row),
        f"R(d) = rsize / Trel(d) = {row[c.RSIZE]} / {row[c.HIGHLIGHTED]} = {rounded(row[c.TEXT_R])}",
        _f(row, parameters[c.TEXT_F]["beta"]),
        *([_entry_point(row, parameters[c.BEP])] if c.BEP in parameters else []),
        *([_tolerance(row, parameters[c.T2I]["irr"])] if c.T2I in parameters else []),
    ]


def _precision(row: Row) -> str:
    if row[c.SIZE] is None:
        return f"P(d) is {NEEDS_LENGTH}"
    if not row[c.SIZE]:
        return "P(d) = 0: no text of the document was read"
    return f"P(d) = rsize / size = {row[c.RSIZE]} / {row[c.SIZE]} = {rounded(row[c.TEXT_P])}"


def _f(row: Row, beta: float) -> str:
    precision = row[c.TEXT_P]
    if precision is None:
        return f"F(d) is {NEEDS_LENGTH}"
    if not precision:
        return "F(d) = 0: nothing highlighted was read"
    # Of whole numbers, so that a reader who computes it finds the score: P and R are rounded.
    rsize, size, trel = row[c.RSIZE], row[c.SIZE], row[c.HIGHLIGHTED]
    if beta == 1:
        told = f"2·P·R / (P + R) = 2·rsize / (size + Trel(d)) = 2·{rsize} / ({size} + {trel})"
    else:
        b = shortest(beta)
        told = (
            "(1 + β²)·P·R / (β²·P + R) = (1 + β²)·rsize / (size + β²·Trel(d)) ="
            f" (1 + {b}²)·{rsize} / ({size} + {b}²·{trel})"
        )
    return f"F(d) = {told} = {rounded(row[c.TEXT_F])}"


def _entry_point(row: Row, reach: Mapping[str, float]) -> str:
    x, b, score = row[c.FIRST_START], row[c.ENTRY], row[c.BEP]
    if score is None:
        return f"bep(d) is {NEEDS_LENGTH}"
    if x is None:
        return "bep(d) = 0: the place of the first part is unknown"
    if b is None:
        return "bep(d) = 0: the judgements have no best entry point"
    if "n" in reach:
        n = shortest(reach["n"])
        told = f"max(0, (n - |x - b|) / n) = max(0, ({n} - |{x} - {b}|) / {n})"
    else:
        a, length = shortest(reach["A"]), row[c.LENGTH]
        told = f"A·L / (A·L + |x - b|) = {a}·{length} / ({a}·{length} + |{x} - {b}|)"
    return f"bep(d) = {told} = {rounded(score)}"


def _tolerance(row: Row, irr: float) -> str:
    r, i = row[c.T2I_FOUND], row[c.T2I_WASTED]
    if r is None:
        return f"t2i(d) is {NEEDS_LENGTH}"
    if r + i == 0:
        return "t2i(d) = 0: there is nothing to read"
    return (
        f"t2i(d) = r / (r + i) = {r} / ({r} + {i}) = {rounded(row[c.T2I])}, read until i ="
        f" {shortest(irr)} or the end"
    )
