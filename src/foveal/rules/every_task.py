"""The rules that hold whatever the task."""

from __future__ import annotations

from collections.abc import Iterable

from foveal.choices import Order
from foveal.errors import Problem, counted, shortened
from foveal.late import pl
from foveal.rules._record import ELEMENTS, QRELS, Results, rule, summed_up
from foveal.tables import columns as c

TOP_DOCUMENTS = 10
SHOWN_NAMES = 5


@rule("mixed-parts", "A run returns one kind of part.", "warning")
def mixed_parts(results: Results) -> Iterable[Problem]:
    """Spans, whole documents and entry points side by side; unmapped elements may be any."""
    start, end = pl.col(c.START), pl.col(c.END)
    kind = (
        pl.when(start.is_null())
        .then(pl.lit("whole document"))
        .when(start == end)
        .then(pl.lit("entry point"))
        .otherwise(pl.lit("span"))
    )
    mapped = results.run.frame.filter(start.ne_missing(c.UNMAPPED))
    # By name where kinds begin on one line, so that the order is always the same.
    kinds = mapped.group_by(kind).agg(pl.len(), pl.col(c.LINE).min()).sort(c.LINE, pl.first())
    mixture = ", ".join(counted(count, name) for name, count, _ in kinds.iter_rows())
    return summed_up(kinds[1:], f"the run mixes {mixture}")


@rule(
    "mixed-elements", "A run returns elements or passages, not both.", "warning", needs={ELEMENTS}
)
def mixed_elements(results: Results) -> Iterable[Problem]:
    """Parts with text that are no elements, in a run that returns elements as well."""
    if results.elements is None:
        return []
    parts = results.run.frame.filter(pl.col(c.END) > pl.col(c.START))
    around = results.elements.smallest_containing(parts.select(c.DOC, c.START, c.END))
    is_element = (around[c.START] == parts[c.START]) & (around[c.END] == parts[c.END])
    passages = parts.filter(~is_element.fill_null(value=False))
    if passages.height == parts.height:
        return []
    elements = counted(parts.height - passages.height, "element")
    others = counted(passages.height, "passage")
    return summed_up(passages, f"the run mixes {elements} and {others}")


@rule("unmapped-elements", "Every element has known offsets.", "warning")
def unmapped_elements(results: Results) -> Iterable[Problem]:
    """Elements whose place in the document nobody found."""
    unmapped = results.run.frame.filter(pl.col(c.START) == c.UNMAPPED)
    return summed_up(unmapped, f"{counted(unmapped.height, 'element')} without known offsets")


@rule("rank-against-score", "A better rank never has a lower score.", "warning")
def rank_against_score(results: Results) -> Iterable[Problem]:
    """Results that score higher than the one ranked before them.

    Of equal ranks the best score comes first, so any contradiction shows between neighbours. A
    column without values contradicts nothing.
    """
    ranked = results.run.frame.sort(
        c.TOPIC, c.RANK, c.SCORE, descending=[False, False, True], maintain_order=True
    )
    score = pl.col(c.SCORE)
    rising = ranked.filter(score > score.shift(1).over(c.TOPIC))
    some = counted(rising.height, "result")
    return summed_up(
        rising, f"ranks and scores disagree: {some} scored above the one ranked before"
    )


@rule("repeated-ranks", "A rank is given once in a topic.", "warning")
def repeated_ranks(results: Results) -> Iterable[Problem]:
    """Results whose rank an earlier line of the topic already has."""
    given_before = pl.col(c.RANK).is_not_null() & ~pl.struct(c.TOPIC, c.RANK).is_first_distinct()
    again = results.run.frame.filter(given_before)
    some = counted(again.height, "result")
    return summed_up(again, f"{some} with a rank that the topic already gave")


@rule("file-order", "Lines that rank by their place stand in order of rank and score.", "warning")
def file_order(results: Results) -> Iterable[Problem]:
    """Results below a line of the topic with a worse rank or a lower score."""
    if results.run.order is not Order.FILE:
        return []
    rank, score = pl.col(c.RANK), pl.col(c.SCORE)
    misplaced = results.frame.filter(
        (rank < rank.shift(1).over(c.TOPIC)) | (score > score.shift(1).over(c.TOPIC))
    )
    some = counted(misplaced.height, "result")
    return summed_up(
        misplaced, f"results are read in line order, against the rank or score of {some}"
    )


@rule("tied-scores", "The results of a topic differ in score.", "warning")
def tied_scores(results: Results) -> Iterable[Problem]:
    """Results that share their score with another one of the topic."""
    tied = results.run.frame.filter(
        pl.col(c.SCORE).is_not_null() & pl.struct(c.TOPIC, c.SCORE).is_duplicated()
    )
    topics = counted(tied[c.TOPIC].n_unique(), "topic")
    return summed_up(tied, f"{counted(tied.height, 'result')} of equal score in {topics}")


@rule("missing-topics", "Every judged topic has results.", "warning", needs={QRELS})
def missing_topics(results: Results) -> Iterable[Problem]:
    """Judged topics that the run says nothing about, which stands on no line."""
    names = results.judged.select(pl.col(c.TOPIC).unique(maintain_order=True))
    missing = names.join(results.frame, on=c.TOPIC, how="anti", maintain_order="left")[c.TOPIC]
    if missing.is_empty():
        return []
    return [
        Problem(None, f"{counted(len(missing), 'judged topic')} without results: {_few(missing)}")
    ]


@rule("unjudged-topics", "Every topic with results was judged.", "warning", needs={QRELS})
def unjudged_topics(results: Results) -> Iterable[Problem]:
    """Results of topics that nobody judged."""
    extra = results.run.frame.join(results.judged, on=c.TOPIC, how="anti", maintain_order="left")
    names = extra[c.TOPIC].unique(maintain_order=True)
    return summed_up(extra, f"{counted(len(names), 'topic')} that nobody judged: {_few(names)}")


@rule(
    "unjudged-documents",
    f"The first {TOP_DOCUMENTS} documents of a topic were judged.",
    "note",
    needs={QRELS},
)
def unjudged_documents(results: Results) -> Iterable[Problem]:
    """Documents near the top of judged topics that nobody judged."""
    judged = results.judged.select(c.TOPIC, c.DOC, pl.lit(value=True).alias(c.JUDGED))
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
    # Sorted, so that the mean does not depend on the order in which groups happen to come.
    shares = top.group_by(c.TOPIC).agg(is_unjudged.mean()).sort(c.TOPIC)
    share = 100 * float(shares[c.JUDGED].to_numpy().mean())
    return summed_up(
        unjudged, f"{share:.1f} % of the documents in the top {TOP_DOCUMENTS} are unjudged"
    )


@rule("past-document-end", "A part ends within its document.", "error", needs={QRELS, ELEMENTS})
def past_document_end(results: Results) -> Iterable[Problem]:
    """Parts that end beyond the length of the document, as the judgements or the index have it."""
    frame = results.run.frame
    judged = results.judged.select(c.TOPIC, c.DOC, c.LENGTH)
    lengths = frame.join(judged, on=[c.TOPIC, c.DOC], how="left", maintain_order="left")
    told = results.run.document_lengths(frame[c.DOC])
    past = lengths.with_columns(pl.coalesce(c.LENGTH, pl.lit(told)).alias(c.LENGTH)).filter(
        (pl.col(c.START) != c.UNMAPPED) & (pl.col(c.END) > pl.col(c.LENGTH))
    )
    for line, document, end, length in past.select(c.LINE, c.DOC, c.END, c.LENGTH).iter_rows():
        yield Problem(line, f"the part ends at {end}, document {document!r} at {length}")


def _few(names: pl.Series) -> str:
    """The first few names, fit to be shown."""
    shown = ", ".join(shortened(name) for name in names.head(SHOWN_NAMES))
    return f"{shown}, …" if len(names) > SHOWN_NAMES else shown
