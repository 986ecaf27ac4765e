"""How measures respond when a perfect run is spoilt step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from foveal.evaluation import Evaluation
from foveal.late import pl
from foveal.measures import record_of
from foveal.spans import Floats, Ints
from foveal.studies.fidelity._lab_documents import LabDocuments, fixed, simulated
from foveal.studies.fidelity._registries import NOISES, Noise, NoiseSource, RunDraft
from foveal.studies.fidelity._validation import by_line, checked_draft
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
    ground: LabDocuments,
    names: Sequence[str],
    samples: int,
    rng: np.random.Generator,
) -> pl.DataFrame:
    """noise, measure, strength, value and spread: the mean over samples and its deviation.

    What is spoilt is the perfect run: the highlights in ranking R. For a noise that mixes documents
    it is followed by as many whole documents without highlights.
    """
    # A generator for each, so that what one draws does not depend on which others are tried.
    streams = dict(zip(NOISES, rng.spawn(len(NOISES)), strict=True))
    frames = [pl.DataFrame(schema=RESPONSE_SCHEMA)]
    for name in tracked(names, "adding noise", len(names)):
        frames += _responses(evaluation, ground, NOISES[name], samples, streams[name])
    return pl.concat(frames)


def sensitivities(found: pl.DataFrame) -> pl.DataFrame:
    """noise, measure, loss and rise, of the measures that score anything without noise.

    The loss is the share of the score without noise that is lost, on average over the strengths
    tried; the rise is the largest gain from one strength to the next: 0 if none gains.
    """
    sign = pl.col(columns.MEASURE).map_elements(_sign, return_dtype=pl.Float64)
    value = pl.col(columns.VALUE) * sign
    start = value.first()
    step = value.diff().max().clip(lower_bound=0)
    return found.group_by(columns.NOISE, columns.MEASURE, maintain_order=True).agg(
        pl.when(start != 0).then((start - value.slice(1).mean()) / start.abs()).alias(columns.LOSS),
        step.alias(columns.RISE),
    )


def _sign(measure: str) -> float:
    return 1.0 if record_of(measure).higher_is_better else -1.0


def _mixable(ground: LabDocuments) -> Ints:
    """Ranking R, followed in each topic by as many documents without highlights."""
    relevant = np.bincount(ground.topic[ground.relevant], minlength=len(ground.topics))
    tail = ground.others[ground.places(ground.others) < relevant[ground.topic[ground.others]]]
    documents = np.concatenate([ground.relevant, tail])
    return documents[np.argsort(ground.topic[documents], kind="stable")]


def _responses(
    evaluation: Evaluation,
    ground: LabDocuments,
    noise: Noise,
    samples: int,
    rng: np.random.Generator,
) -> Iterator[pl.DataFrame]:
    owner = f"noise {noise.name!r}"
    draft = RunDraft(fixed(_mixable(ground)) if noise.mixes else ground.relevant, ground.passages)
    drawn = [
        NoiseSource(
            fixed(rng.random(len(draft.documents))), *fixed(rng.random((2, len(draft.parts.start))))
        )
        for _ in range(samples if noise.by_chance else 1)
    ]
    for strength in tracked(noise.strengths, owner, len(noise.strengths)):
        # Without noise every sample is the same.
        tried = drawn if strength else drawn[:1]
        with by_line(noise.kernel):
            spoilt = [
                checked_draft(ground, owner, noise.kernel(ground, draft, strength, one))
                for one in tried
            ]
        values = np.array([_score(evaluation, ground, one) for one in spoilt])
        spread = values.std(axis=0, ddof=1) if len(tried) > 1 else np.zeros(values.shape[1])
        yield pl.DataFrame(
            {
                columns.NOISE: noise.name,
                columns.MEASURE: [measure.name for measure in evaluation.measures],
                columns.STRENGTH: float(strength),
                columns.VALUE: values.mean(axis=0),
                columns.SPREAD: spread,
            }
        )


def _score(evaluation: Evaluation, ground: LabDocuments, draft: RunDraft) -> Floats:
    run = simulated(ground, "spoilt", draft.documents, draft.parts)
    return np.array(evaluation.score(run).overall)
