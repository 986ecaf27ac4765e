"""Responses of measures to a perfect run that is spoilt step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from foveal.evaluation import Evaluation
from foveal.late import pl
from foveal.measures import record_of
from foveal.spans import Floats, Ints
from foveal.studies.fidelity._lab_documents import LabDocuments, read_only, simulated
from foveal.studies.fidelity._registries import NOISES, Noise, NoiseSource, RunDraft
from foveal.studies.fidelity._validation import checked_draft, errors_by_line
from foveal.tables import columns
from foveal.work import tracked

RESPONSE_SCHEMA: dict[str, type[pl.DataType]] = {
    columns.NOISE: pl.String,
    columns.MEASURE: pl.String,
    columns.STRENGTH: pl.Float64,
    columns.VALUE: pl.Float64,
    columns.SPREAD: pl.Float64,
}


def responses(
    evaluation: Evaluation,
    lab: LabDocuments,
    names: Sequence[str],
    samples: int,
    rng: np.random.Generator,
) -> pl.DataFrame:
    """Frame with noise, measure, strength, value (the mean over samples) and spread.

    The noise spoils the perfect run: the highlights in ranking R. For a noise that mixes documents
    it is followed by as many whole documents without highlights.
    """
    # A generator for each noise, so that its numbers do not depend on the other noises tested.
    generators = dict(zip(NOISES, rng.spawn(len(NOISES)), strict=True))
    frames = [pl.DataFrame(schema=RESPONSE_SCHEMA)]
    for name in tracked(names, "adding noise", len(names)):
        frames += _responses(evaluation, lab, NOISES[name], samples, generators[name])
    return pl.concat(frames)


def sensitivities(response_rows: pl.DataFrame) -> pl.DataFrame:
    """Frame with noise, measure, loss and rise; loss is null if the score without noise is 0.

    The loss is the share of the score without noise that is lost, on average over the strengths
    tested; the rise is the largest gain from one strength to the next: 0 if none gains.
    """
    sign = pl.col(columns.MEASURE).map_elements(_sign, return_dtype=pl.Float64)
    value = pl.col(columns.VALUE) * sign
    start = value.first()
    step = value.diff().max().clip(lower_bound=0)
    return response_rows.group_by(columns.NOISE, columns.MEASURE, maintain_order=True).agg(
        pl.when(start != 0).then((start - value.slice(1).mean()) / start.abs()).alias(columns.LOSS),
        step.alias(columns.RISE),
    )


def _sign(measure: str) -> float:
    return 1.0 if record_of(measure).higher_is_better else -1.0


def _mixed_ranking(lab: LabDocuments) -> Ints:
    """Ranking R, followed in each topic by as many documents without highlights."""
    relevant_count = np.bincount(lab.topic[lab.relevant], minlength=len(lab.topics))
    others = lab.others[lab.places(lab.others) < relevant_count[lab.topic[lab.others]]]
    documents = np.concatenate([lab.relevant, others])
    return documents[np.argsort(lab.topic[documents], kind="stable")]


def _responses(
    evaluation: Evaluation, lab: LabDocuments, noise: Noise, samples: int, rng: np.random.Generator
) -> Iterator[pl.DataFrame]:
    owner = f"noise {noise.name!r}"
    draft = RunDraft(read_only(_mixed_ranking(lab)) if noise.mixes else lab.relevant, lab.passages)
    sources = [
        NoiseSource(
            read_only(rng.random(len(draft.documents))),
            *read_only(rng.random((2, len(draft.parts.start)))),
        )
        for _ in range(samples if noise.by_chance else 1)
    ]
    for strength in tracked(noise.strengths, owner, len(noise.strengths)):
        # Without noise every sample is the same.
        used_sources = sources if strength else sources[:1]
        with errors_by_line(noise.kernel):
            spoilt_drafts = [
                checked_draft(lab, owner, noise.kernel(lab, draft, strength, source))
                for source in used_sources
            ]
        values = np.array([_score(evaluation, lab, spoilt_draft) for spoilt_draft in spoilt_drafts])
        spread = values.std(axis=0, ddof=1) if len(used_sources) > 1 else np.zeros(values.shape[1])
        yield pl.DataFrame(
            {
                columns.NOISE: noise.name,
                columns.MEASURE: [measure.name for measure in evaluation.measures],
                columns.STRENGTH: float(strength),
                columns.VALUE: values.mean(axis=0),
                columns.SPREAD: spread,
            }
        )


def _score(evaluation: Evaluation, lab: LabDocuments, draft: RunDraft) -> Floats:
    run = simulated(lab, "spoilt", draft.documents, draft.parts)
    return np.array(evaluation.score(run).overall)
