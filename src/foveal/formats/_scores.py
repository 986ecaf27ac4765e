"""Scores as `foveal evaluate --per-topic --to json` saves them, read back."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from foveal.conventions import Conventions
from foveal.errors import BadInput, Problem, UsageError, counted, kind, shortened
from foveal.files import Source
from foveal.formats._format import is_json
from foveal.formats._json_values import DECODER
from foveal.measures import MeasureWording, record_of
from foveal.tables import GROUPS, QRELS_SHA256, RunValues, Scores
from foveal.tables import columns as c

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    Path = str | os.PathLike[str]

# More than any resample of topics holds one of them.
MOST_TIMES = 1_000_000
SETTINGS, ROWS = "settings", "rows"
SAVED = "what `foveal evaluate QRELS RUN --per-topic --to json -o FILE` writes"


def holds_scores(path: Path) -> bool:
    """Whether a file is one JSON object of saved scores, not a run."""
    with Source.of(path) as source:
        head = source.head()
        if not is_json(head):
            return False
        # A run has an object on its first line: the rest, which may be long, need not be read.
        found = _decoded(head.line) or _decoded(source.whole())
    return isinstance(found, dict) and {SETTINGS, ROWS} <= found.keys()


def read_scores(path: Path) -> Scores:
    """The scores in a file that `foveal evaluate --per-topic --to json -o FILE` has written.

    They serve as the baseline of a gate: `foveal.gate(scores, baseline=foveal.read_scores(FILE))`.
    The means of groups of topics are not read.
    """
    with Source.of(path) as source:
        found, name = _decoded(source.whole()), source.name
    if not isinstance(found, dict) or not {SETTINGS, ROWS} <= found.keys():
        raise BadInput(name, [Problem(None, "these are not saved scores")], SAVED)
    settings, rows = found[SETTINGS], found[ROWS]
    if not isinstance(settings, dict) or not _are_texts(settings.values()):
        raise BadInput(name, [Problem(None, f"{SETTINGS} must be an object of texts")], SAVED)
    if not isinstance(rows, list):
        raise BadInput(name, [Problem(None, f"{ROWS} is {kind(rows)}, not a list")], SAVED)
    rows = [row for row in rows if not _is_of_group(row)]
    settings.pop(GROUPS, None)
    problems = list(_problems(rows))
    if problems:
        raise BadInput(name, problems, SAVED)
    judged = settings.pop(QRELS_SHA256, "")
    names = list(dict.fromkeys(row[c.MEASURE] for row in rows))
    measures = list(filter(_is_measure, names))
    also = [column for column in names if column not in measures]
    runs = list(dict.fromkeys(row[c.RUN] for row in rows))
    return Scores(
        measures=measures,
        values=[_run_values(run, measures, also, rows, name) for run in runs],
        settings=settings,
        sources=(name,) * len(runs),
        also=tuple(also),
        judgements=judged,
        wording=MeasureWording(Conventions()),
        times={row[c.TOPIC]: row[c.TIMES] for row in rows if (row.get(c.TIMES) or 1) > 1},
    )


def _decoded(text: str | bytes) -> Any:
    """The value of a text in JSON; None if it is not one."""
    try:
        return DECODER.decode((text if isinstance(text, str) else text.decode()).strip())
    except (ValueError, RecursionError):
        return None


def _is_measure(name: str) -> bool:
    """Whether a name is a measure's; a column that rode along has none."""
    try:
        record_of(name)
    except UsageError:
        return False
    return True


def _is_of_group(row: Any) -> bool:
    """Whether a row has a mean over a group of topics, not over all of them."""
    is_mean = isinstance(row, dict) and row.get(c.TOPIC) == c.ALL_TOPICS
    return is_mean and row.get(c.GROUP, c.ALL_TOPICS) != c.ALL_TOPICS


def _are_texts(values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


def _problems(rows: list[Any]) -> Iterator[Problem]:
    """What is wrong with rows, which are counted from 1."""
    if not rows:
        yield Problem(None, "no scores")
    seen = set()
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict) or not row.keys() >= set(c.SCORE_ROW):
            yield Problem(None, f"row {number} must have {', '.join(c.SCORE_ROW)}")
            continue
        *names, value = (row[name] for name in c.SCORE_ROW)
        if not _are_texts(names):
            yield Problem(None, f"row {number}: run, measure and topic must be texts")
        elif not isinstance(value, int | float) or isinstance(value, bool) or not _is_finite(value):
            shown = shortened(repr(value), 40)
            yield Problem(None, f"row {number}: {c.VALUE} is {shown}, not a finite number")
        elif not _is_count(row.get(c.TIMES)):
            shown = shortened(repr(row[c.TIMES]), 40)
            yield Problem(None, f"row {number}: {c.TIMES} is {shown}, not a whole number from 1")
        elif tuple(names) in seen:
            yield Problem(None, f"row {number} gives {' '.join(names)} a second time")
        else:
            seen.add(tuple(names))


def _is_count(times: object) -> bool:
    """Whether a row says how often its topic counts, or nothing of it."""
    return times is None or (type(times) is int and 1 <= times <= MOST_TIMES)


def _is_finite(value: float) -> bool:
    try:
        return isfinite(value)
    except OverflowError:
        return False


def _run_values(
    run: str, measures: list[str], also: list[str], rows: list[Any], source: str
) -> RunValues:
    """The values of one run, every measure on every topic; what rode along may be absent."""
    known = {(row[c.MEASURE], row[c.TOPIC]): row[c.VALUE] for row in rows if row[c.RUN] == run}
    topics = list(dict.fromkeys(topic for _, topic in known if topic != c.ALL_TOPICS))
    if not topics:
        reason = f"run {run!r} has no values by topic: save the scores with --per-topic"
        raise BadInput(source, [Problem(None, reason)], SAVED)
    wanted = [(measure, topic) for measure in measures for topic in (*topics, c.ALL_TOPICS)]
    absent = [place for place in wanted if place not in known]
    if absent:
        measure, topic = absent[0]
        reason = f"run {run!r} lacks {counted(len(absent), 'value')}, first {measure} on {topic!r}"
        raise BadInput(source, [Problem(None, reason)], SAVED)
    values = [
        [float(known.get((name, topic), "nan")) for topic in (*topics, c.ALL_TOPICS)]
        for name in (*measures, *also)
    ]
    table = np.array(values)
    return RunValues(run, topics, table[:, :-1], table[:, -1].tolist())
