"""Sentences on text found, missed and wasted, and formulas of document scores with numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from foveal.errors import and_list, counted
from foveal.evaluation import PassageOutcome
from foveal.late import pl
from foveal.rendering import rounded, shortest
from foveal.reports.explanation.explanation import Explanation
from foveal.tables import columns as c

MAX_NAME = 80
MAX_FAILURES = 10
MAX_DIFFERENCES = 5
# A passage first found below this rank is a failure of ranking.
LATE_RANK = 5
_OUTCOME_PHRASES = {
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
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"


def title(explanation: Explanation) -> str:
    """The explained run and topic, in a line."""
    runs = " against ".join(map(short, explanation.runs))
    if explanation.topic is None:
        return f"{runs}: {counted(explanation.topics[c.TOPIC].n_unique(), 'topic')}"
    name = f"topic {short(explanation.topic)}"
    topic_title = explanation.titles.get(explanation.topic)
    return f"{runs}: {name}{f', {short(topic_title)}' if topic_title else ''}"


def verdict(explanation: Explanation) -> list[str]:
    """Totals found, missed and wasted by each run; then the differences of two runs."""
    sentences = []
    for run in explanation.runs:
        prefix = f"{short(run)}: " if explanation.against is not None else ""
        totals = f"{_characters_sentence(explanation, run)} {_passages_sentence(explanation, run)}"
        sentences.append(f"{prefix}{totals}{_value_sentence(explanation, run)}")
    if explanation.against is not None and explanation.topic is not None:
        sentences += _difference_sentences(explanation)
    return sentences


def _characters_sentence(explanation: Explanation, run: str) -> str:
    topics = explanation.topics.filter(pl.col(c.RUN) == run)
    names = (c.FOUND, c.HIGHLIGHTED, c.MISSED, c.WASTED)
    found, highlighted, missed, wasted = (topics[name].sum() for name in names)
    wasted_clause = f", {wasted:,} wasted (read, but not highlighted)"
    if topics[c.WASTED].null_count():
        wasted_clause = "; how many are wasted is unknown: it needs the length of every document"
    return f"{found:,} of {highlighted:,} highlighted characters are found, {missed:,} missed{wasted_clause}."


def _value_sentence(explanation: Explanation, run: str) -> str:
    """The score of a topic."""
    if explanation.topic is None:
        return ""
    topics = explanation.topics.filter(pl.col(c.RUN) == run)
    name = explanation.measure_name
    return "".join(f" {name} is {rounded(value)}." for value in topics[c.VALUE].drop_nulls())


def _passages_sentence(explanation: Explanation, run: str) -> str:
    passages = explanation.passages.filter(pl.col(c.RUN) == run)
    counts = dict(passages.group_by(c.OUTCOME).len().iter_rows())
    clauses = [
        f"{counts[outcome]:,} {phrases[counts[outcome] > 1]}"
        for outcome, phrases in _OUTCOME_PHRASES.items()
        if outcome in counts
    ]
    if not clauses:
        return "Nothing is highlighted."
    return f"Of {counted(passages.height, 'passage')}, {and_list(clauses)}."


def _difference_sentences(explanation: Explanation) -> list[str]:
    """Sentences: the characters that one run finds and the other misses."""
    first, second = map(short, explanation.runs)
    first_only, second_only = (_size(explanation.shared[name]) for name in (c.ONLY, c.ONLY_AGAINST))
    both, neither = (int(explanation.shared[name].sum()) for name in (c.BOTH, c.NEITHER))
    sentence = (
        f"{first} finds {_size_text(first_only)} that {second} misses; {second} finds"
        f" {_size_text(second_only)} that {first} misses; {both:,} are found by both, {neither:,}"
        " by none."
    )
    if first_only[0] or second_only[0] or not both or explanation.doc is not None:
        return [sentence]
    return [sentence, *_same_text_sentence(explanation, both)]


def _same_text_sentence(explanation: Explanation, both: int) -> list[str]:
    """Sentence: why the values differ although both runs find the same text."""
    rows = [explanation.topics.filter(pl.col(c.RUN) == run) for run in explanation.runs]
    characters_read = [int(topics[c.FOUND].sum()) + int(topics[c.WASTED].sum()) for topics in rows]
    values = [value for topics in rows for value in topics[c.VALUE].drop_nulls()]
    if any(topics[c.WASTED].null_count() for topics in rows) or len({*values}) < 2:
        return []
    first, second = map(short, explanation.runs)
    if characters_read[0] == characters_read[1]:
        reason = f"and both return {characters_read[0]:,} to read, but not in the same order or the same places"
    else:
        reason = f"but {first} returns {characters_read[0]:,} to read and {second} {characters_read[1]:,}"
    scores = f"{explanation.measure_name} {' and '.join(map(rounded, values))}"
    return [f"Both find the same {counted(both, 'character')}, {reason} ({scores})."]


def differing_words(explanation: Explanation) -> str:
    """Title: the number of topics shown that differ between two runs."""
    count = min(int((explanation.differences[c.DIFFERENCE] != 0).sum()), MAX_DIFFERENCES)
    if not count:
        return f"No topic differs by {explanation.measure_name}"
    return f"The {counted(count, 'topic')} that {'differ' if count > 1 else 'differs'} most"


def left_out_sentence(count: int) -> str:
    """The number of documents without details, and how to see them."""
    return f"{counted(count, 'more document')} left out; look at one with --doc, --to json has them all."


def _size(characters: pl.Series) -> tuple[int, int]:
    """Number of characters, and of documents that have any."""
    return int(characters.sum()), int((characters > 0).sum())


def _size_text(size: tuple[int, int]) -> str:
    if not size[0]:
        return "nothing"
    return f"{counted(size[0], 'character')}, in {counted(size[1], 'document')},"


def failures(explanation: Explanation) -> list[str]:
    """Reasons why passages were missed, cut or found late, a line each; the largest losses first."""
    lines = []
    for run in explanation.runs:
        prefix = f"{short(run)}: " if explanation.against is not None else ""
        passages = explanation.passages.filter(
            (pl.col(c.RUN) == run)
            & (pl.col(c.OUTCOME) != PassageOutcome.NO_TEXT.value)
            & ((pl.col(c.OUTCOME) != PassageOutcome.FOUND.value) | (pl.col(c.RANK) > LATE_RANK))
        )
        if explanation.doc is not None:
            passages = passages.filter(pl.col(c.DOC) == explanation.doc)
        missed = pl.col(c.END) - pl.col(c.START) - pl.col(c.FOUND)
        worst_first = passages.sort(missed, descending=True, maintain_order=True)
        rows = worst_first.head(MAX_FAILURES).iter_rows(named=True)
        lines += [f"{prefix}{_failure_line(explanation, run, row)}" for row in rows]
        hidden = worst_first.height - MAX_FAILURES
        if hidden > 0:
            lines.append(f"{prefix}{counted(hidden, 'more passage')} missed, cut or found late")
    return lines


def _failure_line(explanation: Explanation, run: str, row: Mapping[str, Any]) -> str:
    passage = f"{short(row[c.DOC])} at {row[c.START]:,} to {row[c.END]:,}{_aspects_clause(row)}"
    size, outcome, rank = row[c.END] - row[c.START], PassageOutcome(row[c.OUTCOME]), row[c.RANK]
    if outcome is PassageOutcome.FOUND:
        return f"{passage}: found, but only at rank {rank:,}{_cutoff_clause(explanation, rank)}"
    if outcome is PassageOutcome.CUT:
        return (
            f"{passage}: cut by the border of a part; {row[c.FOUND]:,} of"
            f" {counted(size, 'character')} found, the last at rank {rank:,}"
        )
    if outcome is PassageOutcome.COPY:
        copies = explanation.results.filter((pl.col(c.RUN) == run) & (pl.col(c.RANK) == rank))
        copy_document = f" in {short(copies[c.DOC][0])}" if copies.height else ""
        return f"{passage}: only a copy found, the same text{copy_document} at rank {rank:,}"
    if outcome is PassageOutcome.WRONG_PLACE:
        return f"{passage}: right document, wrong place"
    if explanation.explains_chunks:
        return f"{passage}: missed: no chunk of this document was returned"
    return f"{passage}: wrong document; this one was not returned"


def _cutoff_clause(explanation: Explanation, rank: int) -> str:
    """Clause: the measure has a cutoff before this rank."""
    cutoff = re.search(r"@(\d+)$", explanation.measure)
    is_beyond = cutoff and rank > int(cutoff[1])
    return f", beyond the cut-off of {explanation.measure_name}" if is_beyond else ""


def _aspects_clause(row: Mapping[str, Any]) -> str:
    """The aspects of a passage, if the judgements name any."""
    names = row.get(c.ASPECTS)
    if not names:
        return ""
    return f" ({'aspect' if len(names) == 1 else 'aspects'} {', '.join(map(short, names))})"


def document_summary(explanation: Explanation, name: str) -> str:
    """The rank of a document, and the text found, missed and wasted in it."""
    clauses = []
    documents = explanation.documents.filter(pl.col(c.DOC) == name)
    rows = {row[c.RUN]: row for row in documents.iter_rows(named=True)}
    for run in explanation.runs:
        prefix = f"{short(run)}: " if explanation.against is not None else ""
        row = rows.get(run)
        if row is None:
            clauses.append(f"{prefix}not returned")
        elif row[c.RANK] is None:
            clauses.append(f"{prefix}{_not_returned_clause(row)}")
        else:
            clauses.append(f"{prefix}{_returned_clause(explanation, row)}")
    return ". ".join([*clauses, *_shared_clauses(explanation, name)]) + "."


def _shared_clauses(explanation: Explanation, name: str) -> list[str]:
    """Highlighted characters of a document by the runs that find them, if there are two runs."""
    if explanation.against is None:
        return []
    first, second = map(short, explanation.runs)
    rows = explanation.shared.filter(pl.col(c.DOC) == name).to_dicts()
    return [
        f"Found by both {row[c.BOTH]:,}, only by {first} {row[c.ONLY]:,}, only by {second}"
        f" {row[c.ONLY_AGAINST]:,}, by none {row[c.NEITHER]:,}"
        for row in rows
        if any(row[kind] for kind in (c.BOTH, c.ONLY, c.ONLY_AGAINST, c.NEITHER))
    ]


def _not_returned_clause(row: Mapping[str, Any]) -> str:
    if not row[c.RELEVANT]:
        return "not returned; judged, and nothing in it is highlighted"
    return f"missed: not returned; {counted(row[c.MISSED], 'character')} highlighted"


def _returned_clause(explanation: Explanation, row: Mapping[str, Any]) -> str:
    wasted = "unknown" if row[c.WASTED] is None else f"{row[c.WASTED]:,}"
    x, b = row[c.FIRST_START], row[c.ENTRY]
    has_entry_points = c.BEP in explanation.parameters and x is not None and b is not None
    entry_clause = "" if not has_entry_points else f"; starts at {x:,}, best entry point {b:,}"
    return (
        f"{explanation.document_rank} {row[c.RANK]:,}, {counted(row[c.RESULTS], 'result')}: {row[c.FOUND]:,} found,"
        f" {row[c.MISSED]:,} missed, {wasted} wasted{entry_clause}"
    )


def workings(row: Row, parameters: Parameters) -> list[str]:
    """The calculation of each score of a document, a line each."""
    if row[c.RANK] is None:
        return ["Every score is 0: the document was not returned."]
    if not row[c.RELEVANT]:
        return ["Every score is 0: nothing in the document is highlighted."]
    return [
        _precision_line(row),
        f"R(d) = rsize / Trel(d) = {row[c.RSIZE]} / {row[c.HIGHLIGHTED]} = {rounded(row[c.TEXT_R])}",
        _f_line(row, parameters[c.TEXT_F]["beta"]),
        *([_entry_point_line(row, parameters[c.BEP])] if c.BEP in parameters else []),
        *([_tolerance_line(row, parameters[c.T2I]["irr"])] if c.T2I in parameters else []),
    ]


def _precision_line(row: Row) -> str:
    if row[c.SIZE] is None:
        return f"P(d) is {NEEDS_LENGTH}"
    if not row[c.SIZE]:
        return "P(d) = 0: no text of the document was read"
    return f"P(d) = rsize / size = {row[c.RSIZE]} / {row[c.SIZE]} = {rounded(row[c.TEXT_P])}"


def _f_line(row: Row, beta: float) -> str:
    precision = row[c.TEXT_P]
    if precision is None:
        return f"F(d) is {NEEDS_LENGTH}"
    if not precision:
        return "F(d) = 0: nothing highlighted was read"
    # From integers, since P and R are rounded: a reader can recompute the score exactly.
    rsize, size, trel = row[c.RSIZE], row[c.SIZE], row[c.HIGHLIGHTED]
    if beta == 1:
        formula = f"2·P·R / (P + R) = 2·rsize / (size + Trel(d)) = 2·{rsize} / ({size} + {trel})"
    else:
        b = shortest(beta)
        formula = (
            "(1 + β²)·P·R / (β²·P + R) = (1 + β²)·rsize / (size + β²·Trel(d)) ="
            f" (1 + {b}²)·{rsize} / ({size} + {b}²·{trel})"
        )
    return f"F(d) = {formula} = {rounded(row[c.TEXT_F])}"


def _entry_point_line(row: Row, parameters: Mapping[str, float]) -> str:
    x, b, score = row[c.FIRST_START], row[c.ENTRY], row[c.BEP]
    if score is None:
        return f"bep(d) is {NEEDS_LENGTH}"
    if x is None:
        return "bep(d) = 0: the place of the first part is unknown"
    if b is None:
        return "bep(d) = 0: the judgements have no best entry point"
    if "n" in parameters:
        n = shortest(parameters["n"])
        formula = f"max(0, (n - |x - b|) / n) = max(0, ({n} - |{x} - {b}|) / {n})"
    else:
        a, length = shortest(parameters["A"]), row[c.LENGTH]
        formula = f"A·L / (A·L + |x - b|) = {a}·{length} / ({a}·{length} + |{x} - {b}|)"
    return f"bep(d) = {formula} = {rounded(score)}"


def _tolerance_line(row: Row, irr: float) -> str:
    r, i = row[c.T2I_FOUND], row[c.T2I_WASTED]
    if r is None:
        return f"t2i(d) is {NEEDS_LENGTH}"
    if r + i == 0:
        return "t2i(d) = 0: there is nothing to read"
    return (
        f"t2i(d) = r / (r + i) = {r} / ({r} + {i}) = {rounded(row[c.T2I])}, read until i ="
        f" {shortest(irr)} or the end"
    )
