"""The best runs of elements and of whole documents: those that maximise AgP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from foveal.alignment import PreparedQrels
from foveal.choices import Like, Overlap, Task, chosen
from foveal.conventions import Choices
from foveal.elements import ElementLookup
from foveal.errors import UsageError
from foveal.evaluation import Evaluation
from foveal.late import pl
from foveal.measures import parse_all
from foveal.spans import Floats, Ints, Nesting, Segments, best_fitting
from foveal.studies.fidelity._lab_documents import LabDocuments, Parts, lab_of, lab_qrels, simulated
from foveal.tables import QrelsLike, Run, columns

# The best runs maximise this measure, with the document score F of the conventions.
BEST_IN = "AgP"
BEST_ELEMENTS, BEST_DOCUMENTS = "best-elements", "best-documents"
_BOTH = f"{BEST_ELEMENTS} and {BEST_DOCUMENTS}"
EXACT_NOTE = (
    f"{_BOTH} are exact for {BEST_IN} with S=F: on no topic does a run of elements, or of whole"
    " documents, score more; by other measures some may"
)
BOUND_NOTE = (
    f"{_BOTH} are bounds: where text counts every time it is returned (overlap repeat), a run that"
    " returns text again may score more"
)


def best_runs(
    qrels: QrelsLike, elements: ElementLookup, *, like: Like | str = Like.PAPER
) -> tuple[Run, Run]:
    """The run of elements and the run of whole documents that no other such run beats in AgP.

    Elements are those of the collection's offset index. Evaluate your own runs with these two to
    see what share of the possible score they reach.

    >>> import foveal
    >>> qrels = [{"topic": "1", "doc": "a", "length": 10, "highlights": [[1, 5]]}]
    >>> elements = foveal.open_index("INDEX")  # a.xml is <a>0<p>12</p>3<p>4<b>5</b></p>6789</a>
    >>> best, _ = best_runs(qrels, elements)
    >>> best.frame.select("doc", "start", "end").rows()
    [('a', 1, 3), ('a', 4, 6)]
    """
    judgements = lab_qrels(qrels, needs_elements(elements))
    choices = Choices(task=Task.RIC, like=chosen(Like, like))
    evaluation = Evaluation.of(judgements, [BEST_IN], choices)
    return best_of(evaluation, lab_of(judgements, evaluation.qrels, elements))


def needs_elements(elements: ElementLookup | None) -> ElementLookup:
    """The elements, or an error: without an offset index the best run of elements is unknown."""
    if elements is None:
        raise UsageError(
            "the best run of elements needs the elements of the collection: give its offset index"
            " (--elements INDEX)"
        )
    return elements


def best_of(evaluation: Evaluation, lab: LabDocuments) -> tuple[Run, Run]:
    """The best run of elements and the best of whole documents.

    If only relevant documents are returned, AgP is the sum of F(d) times a weight that falls with the
    rank and does not depend on the other documents. So it is largest if every F(d) is largest and the
    documents are in falling order of it.
    """
    weight = Fraction(evaluation.conventions.beta) ** 2
    parts, fits = _best_parts(lab, evaluation.qrels, weight)
    docs = lab.whole(lab.relevant)
    highlighted = evaluation.qrels.highlights.count(docs.document, docs.start, docs.end)
    size = docs.end - docs.start + float(weight) * lab.highlighted[lab.relevant]
    return (
        simulated(lab, BEST_ELEMENTS, _falling(lab, fits), parts),
        simulated(lab, BEST_DOCUMENTS, _falling(lab, highlighted / size), docs),
    )


def best_note(evaluation: Evaluation) -> str:
    """Note: the best runs are exact, or only bounds."""
    return EXACT_NOTE if _is_exact(evaluation) else BOUND_NOTE


def _is_exact(evaluation: Evaluation) -> bool:
    """Whether returning text twice never helps, so that the best run has disjoint parts only."""
    return evaluation.conventions.overlap is not Overlap.REPEAT


def shares(evaluation: Evaluation, best: Sequence[Run], other_runs: Sequence[Run]) -> pl.DataFrame:
    """Scores of the best runs and of others, and their shares of the best run of elements' score."""
    evaluation = replace(evaluation, measures=parse_all([BEST_IN], evaluation.conventions))
    runs = (*best, *other_runs) if best else ()
    value = pl.Series([evaluation.score(run).overall[0] for run in runs], dtype=pl.Float64)
    return pl.DataFrame(
        {
            columns.RUN: pl.Series([run.name for run in runs], dtype=pl.String),
            columns.MEASURE: pl.Series([BEST_IN] * len(runs), dtype=pl.String),
            columns.VALUE: value,
            columns.SHARE: value / value[0] if best else value,
            columns.EXACT: pl.Series(
                [_is_exact(evaluation)] * len(best) + [None] * len(runs[len(best) :]),
                dtype=pl.Boolean,
            ),
        }
    )


def _falling(lab: LabDocuments, fits: Floats) -> Ints:
    """The relevant documents of each topic in falling order of fit."""
    documents = lab.relevant
    return documents[np.lexsort((documents, -fits, lab.topic[documents]))]


def _best_parts(lab: LabDocuments, qrels: PreparedQrels, weight: Fraction) -> tuple[Parts, Floats]:
    """The elements that fit the highlights of each relevant document best, and how well they fit.

    `weight` is the square of beta in the F that measures the fit.
    """
    nesting = _nesting(lab, lab.relevant)
    highlighted = qrels.highlights.count(lab.relevant[nesting.document], nesting.start, nesting.end)
    # An element without highlights is of no use, nor are the elements inside it.
    useful = highlighted > 0
    nesting, highlighted = nesting.only(useful), highlighted[useful]
    rows, fits = best_fitting(nesting, highlighted, lab.highlighted[lab.relevant], weight)
    return Parts(lab.relevant[nesting.document[rows]], nesting.start[rows], nesting.end[rows]), fits


def _nesting(lab: LabDocuments, documents: Ints) -> Nesting:
    """The elements of documents, repeated for a document that is relevant to several topics."""
    names = lab.name.gather(documents)
    distinct = names.unique(maintain_order=True)
    nested = needs_elements(lab.elements).nesting_of(distinct)
    rows = pl.DataFrame({columns.DOC: distinct}).with_row_index(columns.ROW)
    requested = names.to_frame(columns.DOC).join(
        rows, on=columns.DOC, how="left", maintain_order="left"
    )
    index = requested[columns.ROW].to_numpy()
    count = np.diff(nested.first)[index]
    segments = Segments.sized(count)
    row = np.repeat(nested.first[index], count) + segments.nth - 1
    return Nesting(
        segments.offsets,
        nested.length[index],
        nested.depth[row],
        nested.start[row],
        nested.end[row],
    )
