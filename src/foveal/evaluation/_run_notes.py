"""What a reader of a run's scores should know of the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from foveal.alignment import AlignedRun
from foveal.choices import Order, Overlap, Task, Ties
from foveal.errors import counted, shortened, some
from foveal.late import pl
from foveal.measures import Measure, Unit
from foveal.spans import Ints
from foveal.tables import TOPIC_RESULTS, Alarm, Names, Run, about, columns, naming_question

# Document scores, S=, that an entry point or a document alone can have.
ENTRY_POINT = "bep"
NEEDS_NO_TEXT = {ENTRY_POINT, "rel"}
# The measure of a chunk list.
OF_CHUNKS = "cPmax"
SHOWN_RUNS = 3
# A cut-off that is hardly one of chunks.
LARGE_CUTOFF = 100
WITHOUT_LENGTH = "a result with no length or a length of 0 is an entry point, which finds nothing"
EMPTY_ELEMENT = "an empty element finds nothing"
# Names among which two are looked for that mean the same.
LOOKED_AT = 10_000


def run_notes(
    alignment: AlignedRun, measures: Sequence[Measure], overall: Sequence[float]
) -> Iterator[str]:
    """What is odd about a run that was scored, given what the measures found."""
    run = alignment.run
    yield from _topic_notes(alignment)
    yield from run.notes
    yield from _order_notes(alignment)
    bare = [alignment.judged.topics[number] for number in alignment.topics_without_aspects]
    if bare:
        yield (
            f"{counted(len(bare), 'topic')} without aspects that count, where measures of aspects are"
            f" 0: {some(bare)}"
        )
    if _is_documents_scored_as_chunks(alignment):
        yield (
            "no result has a start and an end, so each is a whole document, which finds everything in"
            " it: if they are chunks, give start and end, or their text and --docs DOCUMENTS (in"
            " Python docs=)"
        )
    if run.whole_documents_only or alignment.conventions.task is Task.DOCUMENT:
        return
    yield from _text_notes(run)
    yield from _budget_notes(alignment, measures)
    yield from _cutoff_notes(alignment, measures)
    yield from _chunk_notes(alignment, measures)
    yield from _document_notes(alignment, measures)
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
    yield from _entry_point_notes(alignment, measures, overall)


def _text_notes(run: Run) -> Iterator[str]:
    """That offsets do not fit the texts beside them, where no documents were there to tell more."""
    if run.audit is not None or not run.results.has_texts:
        return
    size = pl.col(columns.END) - pl.col(columns.START)
    odd = run.frame.filter(pl.col(columns.TEXT).str.len_chars().cast(pl.Int64) != size)
    if odd.height:
        yield (
            f"end - start is not the length of the text of {counted(odd.height, 'result')}, first at"
            f" line {odd[columns.LINE][0]}: do offsets count bytes? --docs DOCUMENTS (in Python"
            " docs=) verifies them"
        )


def _budget_notes(alignment: AlignedRun, measures: Sequence[Measure]) -> Iterator[str]:
    """That lists end before a budget of characters is spent."""
    budgets = [dict(measure.arguments).get("chars") or 0 for measure in measures]
    most = max(budgets, default=0)
    if not most or alignment.laid.document_unknown.any():
        return
    read = alignment.laid.read_until(None)[alignment.counts > 0]
    short = int(np.count_nonzero(read < most))
    if short:
        yield (
            f"{short:,} of {counted(len(read), 'topic')} with results return fewer than {most:,}"
            " characters, so that a larger budget changes nothing there"
        )


def _cutoff_notes(alignment: AlignedRun, measures: Sequence[Measure]) -> Iterator[str]:
    """That a cut-off is beyond every list, and so large that characters may be meant."""
    if alignment.conventions.task is not Task.RAG:
        return
    longest = int(alignment.counts.max(initial=0))
    for measure in measures:
        record, suffix = measure.record, measure.record.suffix
        rank = dict(measure.arguments).get(suffix.name) if suffix else None
        has_budget = any(own.name == "chars" for own in record.parameters)
        if rank and has_budget and record.plain and rank >= LARGE_CUTOFF and rank > longest:
            yield (
                f"no list has {rank:,} chunks (the longest has {longest:,}): did you mean"
                f" {record.plain}@{rank}chars instead of {measure.plain}?"
            )


def _chunk_notes(alignment: AlignedRun, measures: Sequence[Measure]) -> Iterator[str]:
    """That results, or highlighted documents, are not in the chunk list: is it another system's?"""
    run, judged = alignment.run, alignment.judged
    if all(measure.record.name != OF_CHUNKS for measure in measures):
        return
    chunks = run.chunk_list
    if chunks is None:
        return
    place = [columns.DOC, columns.START, columns.END]
    first = run.frame.head(LOOKED_AT)
    # The first results tell enough, and only their chunks are looked at further.
    known = chunks.frame.select(place).join(first, on=place, how="semi")
    strange = first.join(known, on=place, how="anti").height
    if strange:
        more = "the first " if first.height < run.frame.height else ""
        yield (
            f"{strange:,} of {more}{counted(first.height, 'result')} not in the chunk list"
            f" ({chunks.source}): does it belong to another run?"
        )
    names = judged.names.series().gather(judged.passages.row).unique()
    absent = names.filter(~names.is_in(chunks.frame[columns.DOC].unique().implode())).sort()
    if len(absent):
        yield (
            f"{counted(len(absent), 'document')} with highlights but without chunks in the list"
            f" ({chunks.source}), first {absent[0]!r}: nothing can be found there"
        )


def _document_notes(alignment: AlignedRun, measures: Sequence[Measure]) -> Iterator[str]:
    """That chunks are returned, but a measure that could rank them ranks documents."""
    asked = [str(own) for own in measures if dict(own.arguments).get("parts") is False]
    if alignment.conventions.task is Task.RAG and asked:
        verb = "ranks" if len(asked) == 1 else "rank"
        yield f"{some(asked)} {verb} documents, not chunks: with parts=True chunks are ranked"


def _order_notes(alignment: AlignedRun) -> Iterator[str]:
    """What is odd about the ranks and scores: several lists in one, distances taken for scores."""
    several = int(np.count_nonzero(alignment.counts > 1))
    where = f"in {alignment.rising_topics:,} of {counted(several, 'topic')}"
    # A format that ranks equal ranks by place expects them.
    ties = alignment.conventions.ties or alignment.run.ties
    if alignment.order_by is Order.RANK and alignment.tied_topics and ties is not Ties.PLACE:
        yield (
            f"ranks repeat within a topic in {alignment.tied_topics:,} of"
            f" {counted(several, 'topic')}: are several questions under one topic?"
        )
    is_listed = alignment.order_by is Order.FILE and alignment.conventions.order is None
    if is_listed and alignment.mixed_topics:
        yield (
            f"ranked as listed, which contradicts the scores in {alignment.mixed_topics:,} of"
            f" {counted(several, 'topic')}: --order score ranks by score"
        )
    if 2 * alignment.rising_topics <= several:
        return
    if alignment.order_by is Order.SCORE:
        yield (
            f"listed by rising score {where} but ranked by falling score: distances? --order file"
            " ranks them as listed"
        )
    else:
        kept = "as listed" if alignment.order_by is Order.FILE else "by rank"
        yield f"scores rise down the list {where}: distances? (ranked {kept})"


def _topic_notes(alignment: AlignedRun) -> Iterator[str]:
    missing = [alignment.judged.topics[alignment.topics[i]] for i in alignment.missing_topics]
    if len(missing) == len(alignment.topics):
        yield Alarm(
            f"none of its topics ({some(alignment.run.results.topics)}) is among the topics that are scored"
            f" ({some(missing)}), so every score is that of an empty list"
            f"{naming_hint(alignment.run.results.topics, missing)}"
        )
        return
    # Where topics were chosen, the others are left out on purpose.
    if alignment.unjudged_topics and alignment.judged.times is None:
        yield f"ignored {counted(alignment.unjudged_topics, 'topic')} without judgements"
    if not alignment.has_judged_documents:
        yield _other_documents(alignment)
    if missing:
        topics = counted(len(missing), "judged topic")
        yield f"{topics} without results, scored as empty lists: {some(missing)}"
    skipped = _skipped_topics(alignment)
    if skipped:
        topics = counted(len(skipped), "judged topic")
        yield f"{topics} without results, left out of the mean (topics retrieved): {some(skipped)}"


def _skipped_topics(alignment: AlignedRun) -> list[str]:
    """The topics that would count if all judged ones did."""
    counts = np.array(alignment.judged.eligible, dtype=bool)
    counts[alignment.topics] = False
    return [alignment.judged.topics[number] for number in np.flatnonzero(counts)]


def naming_hint(returned: Sequence[str], judged: Sequence[str]) -> str:
    """What to do if a run names topics by their questions and the judgements by identifiers."""
    texts, others = (all(" " in name.strip() for name in names) for names in (returned, judged))
    if texts == others:
        return ""
    run, qrels = ("texts", "identifiers") if texts else ("identifiers", "texts")
    return (
        f": the run's topics are {run}, those of the judgements {qrels}; give both the same"
        " (foveal.read_topics has the identifier of each question)"
    )


def _other_documents(alignment: AlignedRun) -> str:
    """That the run and the judgements share no document, and which names may mean the same."""
    returned = _first_names(alignment.laid.document_names)
    names = alignment.judged.names
    judged, known = _first_names(names.taken(_evaluated(alignment))), _first_names(names)
    if not {*known}.isdisjoint(returned):
        meant = "they are judged for other topics"
    else:
        meant = naming_question(returned, judged) or "are these the same identifiers?"
    return (
        f"none of its documents ({shortened(', '.join(returned[:SHOWN_RUNS]))}) is judged for its topic"
        f" (judged are {shortened(', '.join(judged[:SHOWN_RUNS]))}): {meant}"
    )


def _evaluated(alignment: AlignedRun) -> Ints:
    """The rows of the judgements that are of evaluated topics."""
    return np.flatnonzero(np.isin(alignment.judged.topic, alignment.topics))


def _first_names(names: Names) -> list[str]:
    return list(dict.fromkeys(names.taken(np.arange(min(len(names), LOOKED_AT))).strings()))


def _is_documents_scored_as_chunks(alignment: AlignedRun) -> bool:
    # Laid out when a measure first asked where parts are: others look at documents only.
    looked_at_text = "laid" in vars(alignment)
    of_chunks = alignment.conventions.task is Task.RAG
    return of_chunks and looked_at_text and alignment.run.whole_documents_only


def _entry_point_notes(
    alignment: AlignedRun, measures: Sequence[Measure], overall: Sequence[float]
) -> Iterator[str]:
    """That all results, or some, are parts without text; elements of unknown place may be anything."""
    run = alignment.run
    of_text = {own: value for own, value in zip(measures, overall, strict=True) if _of_text(own)}
    start, end, whole = run.results.spans
    placed = start != columns.UNMAPPED
    empty = placed & (start == end) & ~whole
    count = int(np.count_nonzero(empty))
    if not of_text or not count:
        return
    as_such = alignment.conventions.task is Task.BIC or any(map(_of_entry_points, measures))
    if count == int(np.count_nonzero(placed)):
        lost = [own for own, value in of_text.items() if not value]
        if lost and as_such:
            yield f"every result is an entry point, which has no text{_advice(lost)}"
        elif lost:
            yield (
                "every result is an entry point, which has no text, so measures of text are 0: --task"
                " bic scores entry points"
            )
        return
    first = run.frame[columns.LINE][int(np.argmax(empty))]
    some_of = f"{count:,} of {counted(len(start), 'result')}"
    reason = EMPTY_ELEMENT if run.has_paths else WITHOUT_LENGTH
    yield f"{some_of} without text, first at line {first}: {reason}"


def _of_text(measure: Measure) -> bool:
    """Whether a measure looks at the text of parts, of which an entry point has none."""
    record, arguments = measure.record, dict(measure.arguments)
    if record.by_score:
        return arguments["S"] not in NEEDS_NO_TEXT
    return (record.unit is Unit.PART and not record.whole_number) or bool(arguments.get("parts"))


def _of_entry_points(measure: Measure) -> bool:
    return measure.record.by_score and dict(measure.arguments)["S"] == ENTRY_POINT


def _advice(lost: Sequence[Measure]) -> str:
    """Which measures score text, and what to ask for where they are 0 for entry points."""
    do, be = ("scores", "is") if len(lost) == 1 else ("score", "are")
    # What follows the name and its parameters: a rank or a level of recall.
    meant = [
        f"{own.record.name}(S={ENTRY_POINT}){own.name.removeprefix(own.record.name).rpartition(')')[2]}"
        for own in lost
        if own.record.by_score
    ]
    asked = some([*dict.fromkeys(meant)]) or f"measures with S={ENTRY_POINT}"
    return f": {some([*map(str, lost)])} {do} text and {be} 0; for entry points ask for {asked}"


def told_once(notes: Iterable[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """The notes of several runs, by the runs' sources: a note that many share appears once."""
    told: dict[str, list[str]] = {}
    for source, own in notes:
        for note in own:
            told.setdefault(note, []).append(source)
    for note, sources in told.items():
        if len(sources) == 1:
            yield about(sources[0], note)
        else:
            yield about(f"{counted(len(sources), 'run')} ({some(sources, SHOWN_RUNS)})", note)
