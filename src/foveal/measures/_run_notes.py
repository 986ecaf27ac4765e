"""What a reader of a run's scores should know of the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from foveal.alignment import AlignedRun
from foveal.choices import Overlap, Task
from foveal.errors import counted
from foveal.measures._grammar import Measure
from foveal.tables import TOPIC_RESULTS, Run, columns

# Document scores, S=, that an entry point or a document alone can have.
NEEDS_NO_TEXT = {"bep", "rel"}
SHOWN_NAMES = 5
SHOWN_RUNS = 3


def run_notes(
    alignment: AlignedRun, measures: Sequence[Measure], overall: Sequence[float]
) -> Iterator[str]:
    """What is odd about a run that was scored, given what the measures found."""
    run = alignment.run
    yield from run.notes
    yield from _topic_notes(alignment, overall)
    if run.whole_documents_only or alignment.conventions.task is Task.DOCUMENT:
        return
    if alignment.conventions.overlap is Overlap.REPEAT and max(overall, default=0) > 0:
        yield (
            "text counts as often as it is returned (overlap repeat), so recall may exceed 1: --overlap"
            " once or paid finds it once"
        )
    over = alignment.counts[alignment.counts > TOPIC_RESULTS]
    if len(over) and alignment.conventions.task is not Task.RAG:
        yield (
            f"{counted(len(over), 'topic')} over INEX's limit of {TOPIC_RESULTS:,} results (up to"
            f" {over.max():,}): all of them are scored"
        )
    if _is_entry_points_scored_as_text(alignment, measures) and not all(overall):
        yield (
            "every result is an entry point, which has no text, so measures of text are 0: --task bic"
            " scores entry points"
        )


def _topic_notes(alignment: AlignedRun, overall: Sequence[float]) -> Iterator[str]:
    missing = [alignment.judged.topics[alignment.topics[i]] for i in alignment.missing_topics]
    if len(missing) == len(alignment.topics):
        yield (
            f"none of its topics ({some(alignment.run.results.topics)}) is among the topics that are scored"
            f" ({some(missing)}), so every score is that of an empty list"
        )
        return
    if alignment.unjudged_topics:
        yield f"ignored {counted(alignment.unjudged_topics, 'topic')} without judgements"
    if not any(overall) and not alignment.has_judged_documents:
        yield (
            f"none of its documents ({some(alignment.run.results.documents_shown(SHOWN_RUNS))}) is"
            f" judged for its topic (judged are {some(_judged_names(alignment))}): are these the"
            " same identifiers?"
        )
    if missing:
        topics = counted(len(missing), "judged topic")
        yield f"{topics} without results, scored as empty lists: {some(missing)}"


def _judged_names(alignment: AlignedRun) -> list[str]:
    names = alignment.judged.names
    first = names.taken(np.arange(min(len(names), SHOWN_RUNS))).strings()
    return list(dict.fromkeys(first))


def _is_entry_points_scored_as_text(alignment: AlignedRun, measures: Sequence[Measure]) -> bool:
    scores = {dict(measure.arguments).get("S") for measure in measures}
    if alignment.conventions.task is Task.BIC or not scores.isdisjoint(NEEDS_NO_TEXT):
        return False
    # Worked out when a measure first asked for them: others look at documents only.
    looked_at_text = "parts" in vars(alignment) or "documents" in vars(alignment)
    return looked_at_text and _is_entry_points(alignment.run)


def _is_entry_points(run: Run) -> bool:
    """Whether every result is an empty part; elements of unknown place may be anything."""
    start, end, whole = run.results.spans
    placed = start != columns.UNMAPPED
    return bool(placed.any() and np.all((start == end)[placed] & ~whole[placed]))


def told_once(notes: Iterable[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """The notes of several runs, by the runs' sources: a note that many share appears once."""
    told: dict[str, list[str]] = {}
    for source, own in notes:
        for note in own:
            told.setdefault(note, []).append(source)
    for note, sources in told.items():
        if len(sources) == 1:
            yield f"{sources[0]}: {note}"
        else:
            yield f"{counted(len(sources), 'run')} ({some(sources, SHOWN_RUNS)}): {note}"


def some(names: Sequence[str], shown: int = SHOWN_NAMES) -> str:
    """The first of some names, and how many more there are."""
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more:,} more" if more > 0 else "")
