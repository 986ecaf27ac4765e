"""Rules that hold in every task."""

from __future__ import annotations

from collections.abc import Iterable

from foveal.choices import Order
from foveal.errors import Problem, counted, shortened
from foveal.late import pl
from foveal.rules._rule import DOCS, ELEMENTS, QRELS, TOPICS, Results, is_resumed, rule, summarised
from foveal.tables import DocumentNames, document_lengths
from foveal.tables import columns as c

TOP_DOCUMENTS = 10
# Of many passages, some have the span of an element by chance.
SMALLEST_SHARE = 0.05
BUT_FEW = "less than 5 % of either does not count"
SHOWN_NAMES = 5
BLOCKS_HINT = ": inex_eval does not see overlap between the blocks"


@rule("mixed-parts", "A run returns one kind of part.", "warning")
def mixed_parts(results: Results) -> Iterable[Problem]:
    """Spans, whole documents and entry points in one run; unmapped elements may be any of them."""
    start, end = pl.col(c.START), pl.col(c.END)
    kind = (
        pl.when(start.is_null())
        .then(pl.lit("whole document"))
        .when(start == end)
        .then(pl.lit("entry point"))
        .otherwise(pl.lit("span"))
    )
    mapped = results.run.frame.filter(start.ne_missing(c.UNMAPPED))
    # Sorted also by name, so that the order is fixed if two kinds start on the same line.
    kinds = mapped.group_by(kind).agg(pl.len(), pl.col(c.LINE).min()).sort(c.LINE, pl.first())
    mixture = ", ".join(counted(count, name) for name, count, _ in kinds.iter_rows())
    return summarised(kinds[1:], f"the run mixes {mixture}")


@rule(
    "mixed-elements",
    f"A run returns elements or passages, not both; {BUT_FEW}.",
    "error",
    needs={ELEMENTS},
)
def mixed_elements(results: Results) -> Iterable[Problem]:
    """Passages in a run that gives other parts as elements, by their paths (INEX 2007)."""
    parts = _with_text(results)
    if not _has_elements(results):
        return []
    passages = parts.filter(parts[c.PATH].is_null() & ~_are_elements(parts, results))
    if not _is_mixture(passages.height, parts.height):
        return []
    elements = counted(parts.height - passages.height, "element")
    mixture = f"{elements} and {counted(passages.height, 'passage')}"
    return summarised(
        passages,
        f"the run mixes {mixture}: return one kind only (`foveal check --fix` writes all as passages)",
    )


@rule(
    "partly-elements",
    f"Of parts given by offsets all are elements, or none is; {BUT_FEW}.",
    "warning",
    needs={ELEMENTS},
)
def partly_elements(results: Results) -> Iterable[Problem]:
    """Passages in a run in which other parts have the span of an element, perhaps by chance."""
    if _has_elements(results):
        return []
    parts = _with_text(results)
    passages = parts.filter(~_are_elements(parts, results))
    if not _is_mixture(passages.height, parts.height):
        return []
    elements = counted(parts.height - passages.height, "part")
    rest = counted(passages.height, "other")
    return summarised(
        passages,
        f"{elements} with the span of an element and {rest} without: does the run mix elements"
        " and passages?",
    )


@rule("unmapped-elements", "Every element has known offsets.", "warning")
def unmapped_elements(results: Results) -> Iterable[Problem]:
    """Elements whose offsets are unknown, in a format of INEX."""
    unmapped = _unmapped(results) if results.run.origin.is_inex else results.frame.clear()
    return summarised(unmapped, f"{counted(unmapped.height, 'element')} without known offsets")


@rule("no-offsets", "Every part has a start and an end.", "error")
def no_offsets(results: Results) -> Iterable[Problem]:
    """Parts with unknown offsets, given as -1 or by their text alone; they cannot be scored."""
    unmapped = results.frame.clear() if results.run.origin.is_inex else _unmapped(results)
    count = counted(unmapped.height, "result")
    return summarised(unmapped, f"{count} without offsets: give --docs DOCUMENTS to find the text")


def _unmapped(results: Results) -> pl.DataFrame:
    unmapped, audit = results.run.frame.filter(pl.col(c.START) == c.UNMAPPED), results.run.audit
    if audit is None:
        return unmapped
    # With documents, the rules about texts report the parts that could not be placed.
    return unmapped.filter(~pl.col(c.LINE).is_in(audit.refused.implode()))


@rule("rank-against-score", "A better rank never has a lower score.", "warning")
def rank_against_score(results: Results) -> Iterable[Problem]:
    """Results that score higher than the one ranked before them.

    Results of equal rank are sorted by score, so that every contradiction is between neighbours. An
    empty column contradicts nothing.
    """
    ranked = results.run.frame.sort(
        c.TOPIC, c.RANK, c.SCORE, descending=[False, False, True], maintain_order=True
    )
    score = pl.col(c.SCORE)
    rising = ranked.filter(score > score.shift(1).over(c.TOPIC))
    count = counted(rising.height, "result")
    return summarised(
        rising, f"ranks and scores disagree: {count} scored higher than the one ranked before"
    )


@rule("repeated-ranks", "No two results of a topic have the same rank.", "warning")
def repeated_ranks(results: Results) -> Iterable[Problem]:
    """Results with the rank of an earlier line of the topic."""
    is_repeated = pl.col(c.RANK).is_not_null() & ~pl.struct(c.TOPIC, c.RANK).is_first_distinct()
    repeated = results.run.frame.filter(is_repeated)
    count = counted(repeated.height, "result")
    return summarised(repeated, f"{count} with the same rank as an earlier result of the topic")


@rule("first-rank", "The ranks of a topic count from 1.", "note")
def first_rank(results: Results) -> Iterable[Problem]:
    """Topics whose lowest rank is not 1."""
    rank = pl.col(c.RANK)
    first = results.run.frame.filter((rank == rank.min().over(c.TOPIC)) & (rank != 1))
    ranks = _few(first[c.RANK].unique().sort().cast(pl.String))
    topics = counted(first[c.TOPIC].n_unique(), "topic")
    return summarised(
        first,
        f"ranks begin at {ranks} instead of 1 in {topics}, which changes no score; `foveal check --fix`"
        " counts from 1",
    )


@rule("file-order", "A file that ranks by line is sorted by rank and score.", "warning")
def file_order(results: Results) -> Iterable[Problem]:
    """Results after a line of the topic with a worse rank or a lower score."""
    if results.run.order is not Order.FILE:
        return []
    rank, score = pl.col(c.RANK), pl.col(c.SCORE)
    misplaced = results.frame.filter(
        (rank < rank.shift(1).over(c.TOPIC)) | (score > score.shift(1).over(c.TOPIC))
    )
    count = counted(misplaced.height, "result")
    return summarised(
        misplaced, f"results are ranked by line, which contradicts the rank or score of {count}"
    )


@rule("scattered-topic", "The results of a topic are next to each other in the file.", "warning")
def scattered_topic(results: Results) -> Iterable[Problem]:
    """Topics whose results continue after those of another one; runs in memory have no blocks."""
    later = results.run.frame.filter(pl.lit(is_resumed(results.run)))
    names = later[c.TOPIC].unique(maintain_order=True)
    verb = "comes" if len(names) == 1 else "come"
    hint = BLOCKS_HINT if results.run.origin.is_inex else ""
    return summarised(
        later,
        f"{counted(len(names), 'topic')} {verb} in several blocks of lines ({_few(names)}){hint}",
    )


@rule("tied-scores", "No two results of a topic have the same score.", "warning")
def tied_scores(results: Results) -> Iterable[Problem]:
    """Results with the same score as another one of the topic."""
    ties = results.run.frame.filter(
        pl.col(c.SCORE).is_not_null() & pl.struct(c.TOPIC, c.SCORE).is_duplicated()
    )
    topics = counted(ties[c.TOPIC].n_unique(), "topic")
    return summarised(ties, f"{counted(ties.height, 'result')} with tied scores in {topics}")


@rule("unknown-topic", "Every topic is among the topics given.", "error", needs={TOPICS})
def unknown_topic(results: Results) -> Iterable[Problem]:
    """Topics that are not in the list of topics, each at its first line."""
    topics = pl.Series(results.topics, dtype=pl.String)
    unknown = results.run.frame.filter(~pl.col(c.TOPIC).is_in(topics.implode()))
    problem = f"is not among the {counted(len(topics), 'topic')} given ({_few(topics)})"
    for line, topic in unknown.unique(c.TOPIC, keep="first").select(c.LINE, c.TOPIC).iter_rows():
        yield Problem(line, f"topic {topic!r} {problem}")


@rule(
    "missing-topics",
    "Every judged topic has results, and every one of the topics given.",
    "warning",
    needs={QRELS, TOPICS},
)
def missing_topics(results: Results) -> Iterable[Problem]:
    """Topics without results; there is no line to name."""
    topics = pl.Series(c.TOPIC, results.topics, dtype=pl.String)
    names = pl.concat([topics, results.judgements[c.TOPIC]]).unique(maintain_order=True).to_frame()
    missing = names.join(results.frame, on=c.TOPIC, how="anti", maintain_order="left")[c.TOPIC]
    if missing.is_empty():
        return []
    noun = "topic" if results.topics else "judged topic"
    return [Problem(None, f"{counted(len(missing), noun)} without results: {_few(missing)}")]


@rule("unjudged-topics", "Every topic with results is judged.", "warning", needs={QRELS})
def unjudged_topics(results: Results) -> Iterable[Problem]:
    """Results of unjudged topics."""
    rows = results.run.frame.join(results.judgements, on=c.TOPIC, how="anti", maintain_order="left")
    names = rows[c.TOPIC].unique(maintain_order=True)
    return summarised(rows, f"{counted(len(names), 'unjudged topic')}: {_few(names)}")


@rule(
    "unjudged-documents",
    f"The first {TOP_DOCUMENTS} documents of a topic are judged.",
    "note",
    needs={QRELS},
)
def unjudged_documents(results: Results) -> Iterable[Problem]:
    """Unjudged documents near the top of judged topics."""
    judged = results.judgements.select(c.TOPIC, c.DOC, pl.lit(value=True).alias(c.JUDGED))
    is_unjudged = pl.col(c.JUDGED).is_null()
    top = (
        results.frame.filter(~results.repeats_document)
        .group_by(c.TOPIC, maintain_order=True)
        .head(TOP_DOCUMENTS)
        .join(judged, on=c.TOPIC, how="semi")
        .join(judged, on=[c.TOPIC, c.DOC], how="left")
    )
    unjudged = top.filter(is_unjudged)
    if unjudged.is_empty():
        return []
    # Sorted, so that the mean does not depend on the order of the groups.
    shares = top.group_by(c.TOPIC).agg(is_unjudged.mean()).sort(c.TOPIC)
    share = 100 * float(shares[c.JUDGED].to_numpy().mean())
    hint = f": {question}" if (question := _naming_question(unjudged, top, judged)) else ""
    return summarised(
        unjudged, f"{share:.1f} % of the documents in the top {TOP_DOCUMENTS} are unjudged{hint}"
    )


def _naming_question(unjudged: pl.DataFrame, top: pl.DataFrame, judged: pl.DataFrame) -> str:
    """Question about names that may mean one document, if no document is judged for any topic."""
    returned, names = unjudged[c.DOC].unique(maintain_order=True), judged[c.DOC]
    if unjudged.height < top.height or returned.is_in(names.implode()).any():
        return ""
    judged_names = DocumentNames(names.unique(maintain_order=True).to_list())
    return judged_names.hint(returned.to_list())


@rule(
    "past-document-end", "A part ends within its document.", "error", needs={QRELS, ELEMENTS, DOCS}
)
def past_document_end(results: Results) -> Iterable[Problem]:
    """Parts that end beyond their document's length in the judgements, the index or the texts."""
    frame = results.run.frame
    judged = results.judgements.select(c.TOPIC, c.DOC, c.LENGTH)
    lengths = frame.join(judged, on=[c.TOPIC, c.DOC], how="left", maintain_order="left")
    indexed = document_lengths(results.run, frame[c.DOC])
    past = lengths.with_columns(pl.coalesce(c.LENGTH, pl.lit(indexed)).alias(c.LENGTH)).filter(
        (pl.col(c.START) != c.UNMAPPED) & (pl.col(c.END) > pl.col(c.LENGTH))
    )
    for line, document, end, length in past.select(c.LINE, c.DOC, c.END, c.LENGTH).iter_rows():
        yield Problem(line, f"the part ends at {end:,}, but document {document!r} at {length:,}")


def _with_text(results: Results) -> pl.DataFrame:
    return results.run.frame.filter(pl.col(c.END) > pl.col(c.START))


def _is_mixture(passages: int, parts: int) -> bool:
    """True if neither passages nor elements are a negligible share of all parts."""
    return min(passages, parts - passages) >= SMALLEST_SHARE * parts > 0


def _has_elements(results: Results) -> bool:
    """True if any part was given as an element, by its path."""
    run = results.run
    return run.results.has_paths and run.frame[c.PATH].null_count() < run.frame.height


def _are_elements(parts: pl.DataFrame, results: Results) -> pl.Series:
    """Mask of the parts with exactly the span of an element."""
    if results.elements is None:
        return pl.repeat(False, parts.height, dtype=pl.Boolean, eager=True)  # noqa: FBT003  # the value
    smallest = results.elements.smallest_containing(parts.select(c.DOC, c.START, c.END))
    has_same_span = (smallest[c.START] == parts[c.START]) & (smallest[c.END] == parts[c.END])
    return has_same_span.fill_null(value=False)


def _few(names: pl.Series) -> str:
    """The first few names, without control characters."""
    text = ", ".join(shortened(name) for name in names.head(SHOWN_NAMES))
    return f"{text}, …" if len(names) > SHOWN_NAMES else text
