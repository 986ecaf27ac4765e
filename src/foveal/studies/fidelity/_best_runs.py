"""The best that elements, and whole documents, can do: the runs that maximise AgP."""

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
from foveal.studies.fidelity._lab_documents import LabDocuments, Parts, ground_of, simulated, usable
from foveal.tables import QrelsLike, Run, columns

# What the best runs maximise, with the document score F of the conventions.
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

    Elements are those of the collection's offset index. Evaluate your own runs beside these two to
    see how much of what was possible they reach.

    >>> import foveal
    >>> qrels = [{"topic": "1", "doc": "a", "length": 10, "highlights": [[1, 5]]}]
    >>> elements = foveal.open_index("INDEX")  # a.xml is <a>0<p>12</p>3<p>4<b>5</b></p>6789</a>
    >>> best, _ = best_runs(qrels, elements)
    >>> best.frame.select("doc", "start", "end").rows()
    [('a', 1, 3), ('a', 4, 6)]
    """
    judgements = usable(qrels, needs_elements(elements))
    choices = Choices(task=Task.RIC, like=chosen(Like, like))
    evaluation = Evaluation.of(judgements, [BEST_IN], choices)
    return best_of(evaluation, ground_of(judgements, evaluation.judged, elements))


def needs_elements(elements: ElementLookup | None) -> ElementLookup:
    """The elements, without which nothing is known of what they can reach."""
    if elements is None:
        raise UsageError(
            "the best run of elements needs the elements of the collection: give its offset index"
            " (--elements INDEX)"
        )
    return elements


def best_of(evaluation: Evaluation, ground: LabDocuments) -> tuple[Run, Run]:
    """The best run of elements and the best of whole documents.

    AgP is a sum over the relevant documents of F(d) times a weight that falls with the rank and does
    not depend on the other documents, if nothing else is returned. So it is largest where every F(d)
    is, with the documents in falling order of it.
    """
    weight = Fraction(evaluation.conventions.beta) ** 2
    parts, fits = _best_parts(ground, evaluation.judged, weight)
    whole = ground.whole(ground.relevant)
    found = evaluation.judged.highlights.count(whole.document, whole.start, whole.end)
    size = whole.end - whole.start + float(weight) * ground.highlighted[ground.relevant]
    return (
        simulated(ground, BEST_ELEMENTS, _falling(ground, fits), parts),
        simulated(ground, BEST_DOCUMENTS, _falling(ground, found / size), whole),
    )


def best_note(evaluation: Evaluation) -> str:
    """Whether the best runs are exactly that, for a reader."""
    return EXACT_NOTE if _is_exact(evaluation) else BOUND_NOTE


def _is_exact(evaluation: Evaluation) -> bool:
    """Whether to return text twice never helps, so that the best run is one of disjoint parts."""
    return evaluation.conventions.overlap is not Overlap.REPEAT


def shares(evaluation: Evaluation, best: Sequence[Run], others: Sequence[Run]) -> pl.DataFrame:
    """What the best runs and others score, and what share of the best run of elements that is."""
    evaluation = replace(evaluation, measures=parse_all([BEST_IN], evaluation.conventions))
    tried = (*best, *others) if best else ()
    value = pl.Series([evaluation.score(run).overall[0] for run in tried], dtype=pl.Float64)
    return pl.DataFrame(
        {
            columns.RUN: pl.Series([run.name for run in tried], dtype=pl.String),
            columns.MEASURE: pl.Series([BEST_IN] * len(tried), dtype=pl.String),
            columns.VALUE: value,
            columns.SHARE: value / value[0] if best else value,
            columns.EXACT: pl.Series(
                [_is_exact(evaluation)] * len(best) + [None] * len(tried[len(best) :]),
                dtype=pl.Boolean,
            ),
        }
    )


def _falling(ground: LabDocuments, fits: Floats) -> Ints:
    """The relevant documents, topic after topic, those that fit best first."""
    documents = ground.relevant
    return documents[np.lexsort((documents, -fits, ground.topic[documents]))]


def _best_parts(
    ground: LabDocuments, judged: PreparedQrels, weight: Fraction
) -> tuple[Parts, Floats]:
    """The elements that fit the highlights of each relevant document best, and how well."""
    every = _nesting(ground, ground.relevant)
    found = judged.highlights.count(ground.relevant[every.document], every.start, every.end)
    # What has nothing highlighted is of no use, and neither is what is inside it.
    useful = found > 0
    nesting, found = every.only(useful), found[useful]
    rows, fits = best_fitting(nesting, found, ground.highlighted[ground.relevant], weight)
    return Parts(
        ground.relevant[nesting.document[rows]], nesting.start[rows], nesting.end[rows]
    ), fits


def _nesting(ground: LabDocuments, documents: Ints) -> Nesting:
    """The elements of documents; one that is relevant to several topics has them several times."""
    names = ground.name.gather(documents)
    distinct = names.unique(maintain_order=True)
    every = needs_elements(ground.elements).nesting_of(distinct)
    place = pl.DataFrame({columns.DOC: distinct}).with_row_index(columns.ROW)
    asked = names.to_frame(columns.DOC).join(
        place, on=columns.DOC, how="left", maintain_order="left"
    )
    which = asked[columns.ROW].to_numpy()
    count = np.diff(every.first)[which]
    segments = Segments.sized(count)
    row = np.repeat(every.first[which], count) + segments.nth - 1
    return Nesting(
        segments.offsets, every.length[which], every.depth[row], every.start[row], every.end[row]
    )
