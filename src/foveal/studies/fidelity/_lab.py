"""The lab: simulated runs with a known order of merit, and the expected orderings that a measure keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum

import numpy as np

from foveal.analysis import (
    SEED,
    Seed,
    TopicValues,
    generator_of,
    paired_t,
    repeat_note,
    shown_seed,
    whole_from_1,
)
from foveal.choices import Like, Task, chosen
from foveal.conventions import Choices
from foveal.elements import ElementLookup
from foveal.errors import counted
from foveal.evaluation import Evaluation, Scores
from foveal.frozen import frozen
from foveal.late import pl
from foveal.measures import WITHOUT_LENGTH, MeasuresLike, names_of, parse_all
from foveal.shown import Shown
from foveal.studies.fidelity._best_runs import best_note, best_of, needs_elements, shares
from foveal.studies.fidelity._lab_documents import LabDocuments, Parts, lab_of, lab_qrels, simulated
from foveal.studies.fidelity._registries import NOISES, PART_SETS, RANKINGS, covers
from foveal.studies.fidelity._robustness import responses, sensitivities
from foveal.studies.fidelity._validation import checked_documents, checked_parts, errors_by_line
from foveal.tables import EQUAL_WITHIN, Qrels, QrelsLike, Run, columns
from foveal.work import tracked

# TABLE: the measures of Table 1 of Pehcevski & Thom 2007; OVERALL: those reported pair by pair.
OVERALL = ("AgP", "AgPt", "AP")
TABLE = (
    "gP@1", "gP@2", "gP@10", "gR@1", "gR@2", "gR@10", "AgP",
    "gRt@1", "gRt@2", "gRt@10", "AgPt", "AP",
)  # fmt: skip
CURVE = [f"igP[{level / 10:.2f}]" for level in range(11)]
SAMPLES = 5
Pair = tuple[str, str]


@frozen(eq=False, repr=False)
class Fidelity(Shown):
    """Test of measures on simulated runs whose order of merit is known.

    `scores` has run, measure, value; `orderings` a row per measure and expected ordering:
    measure, first, second, difference (of the means, in percentage points), better, equal, worse
    (topics), p, verdict; `verdicts` their counts by measure; `curves` run, level and value of
    interpolated gP for each part set in ranking R, or else in the first ranking used. `responses`
    (noise, measure, strength, value, spread) and `sensitivities` (noise, measure, loss, rise) are
    empty unless noise was asked for.
    `best` (run, measure, value, share, exact) is empty unless it was asked for: the scores of the best
    runs of elements and of whole documents and of every part set, with their shares of the former's;
    `exact` is true of a run that no other of its kind beats. `shown` are the measures that are shown
    pair by pair; `runs` are the simulated runs, `best_runs` the two best.
    """

    scores: pl.DataFrame
    orderings: pl.DataFrame
    verdicts: pl.DataFrame
    curves: pl.DataFrame
    responses: pl.DataFrame
    sensitivities: pl.DataFrame
    best: pl.DataFrame
    runs: tuple[Run, ...]
    best_runs: tuple[Run, ...]
    shown: tuple[str, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def measures(self) -> list[str]:
        """The measures tested, in the order asked for."""
        return self.verdicts[columns.MEASURE].to_list()

    @property
    def summary(self) -> str:
        """The numbers of measures and of simulated runs."""
        measures = counted(len(self.measures), "measure")
        return f"{measures} tested on {counted(len(self.runs), 'simulated run')}"


def fidelity(  # noqa: PLR0913  # one per choice
    qrels: QrelsLike,
    elements: ElementLookup | None = None,
    measures: MeasuresLike = (),
    *,
    like: Like | str = Like.PAPER,
    rankings: str | Sequence[str] = (),
    best: bool = False,
    noise: str | Sequence[str] = (),
    samples: int = SAMPLES,
    only: Iterable[str] | None = None,
    rng: Seed = SEED,
) -> Fidelity:
    """Test whether measures rank simulated runs by their known order of merit.

    Judgements need highlights; they are a table of foveal, a frame or a list of dicts. `elements` is
    the collection's offset index; without it only the part sets that need no elements are used.
    Without measures, those of the source's first table are tested. `rankings` names those to use
    (RANKINGS); without it, the source's four and your own. `best` also finds the best run
    of elements (see `best_runs`), and what share of its score the simulated runs reach. `noise`
    names the kinds of noise (NOISES) to add as well, each `samples` times at every strength, with
    chances drawn from `rng`.
    `only` are the topics that count, as if no others were judged; one listed twice counts twice.

    >>> import foveal
    >>> qrels = [
    ...     {"topic": "1", "doc": "a", "length": 100, "highlights": [[10, 40]]},
    ...     {"topic": "1", "doc": "b", "length": 80, "highlights": [[0, 20]]},
    ... ]
    >>> foveal.fidelity(qrels, measures=["AgP", "AP"]).verdicts.rows()
    [('AgP', 10, 0, 2, 12), ('AP', 4, 0, 8, 12)]
    """
    noises, requested = _noises(noise, samples), names_of(measures)
    ranking_names = _rankings(rankings)
    if best:
        needs_elements(elements)
    judgements = lab_qrels(Qrels.coerced(qrels).only(only), elements)
    choices = Choices(task=Task.RIC, like=chosen(Like, like))
    evaluation = Evaluation.of(judgements, requested or TABLE, choices)
    lab = lab_of(judgements, evaluation.qrels, elements)
    parts = _part_sets(lab)
    runs = _runs(lab, parts, ranking_names)
    scores, curves = _scored(evaluation, runs, ranking_names[0])
    pairs = expected_orderings(list(parts), ranking_names)
    ordering_rows = orderings(TopicValues.of(scores, scores.measures, common_topics=False), pairs)
    response_rows = responses(evaluation, lab, noises, samples, generator_of(rng))
    best_runs = best_of(evaluation, lab) if best else ()
    settings = {"part sets": " ".join(parts), "rankings": " ".join(ranking_names)}
    if noises:
        settings |= {"noise": " ".join(noises), "samples": str(samples), "seed": shown_seed(rng)}
    return Fidelity(
        scores=scores.rows(per_topic=False).drop(columns.TOPIC),
        orderings=ordering_rows,
        verdicts=verdicts(ordering_rows),
        curves=curves,
        responses=response_rows,
        sensitivities=sensitivities(response_rows),
        best=shares(evaluation, best_runs, [run for run in runs if _is_in(run, ranking_names[0])]),
        runs=runs,
        best_runs=best_runs,
        shown=tuple(scores.measures if requested else OVERALL),
        settings={**scores.settings, **settings},
        notes=(
            # A document without parts has an empty one on purpose; `_notes` says so.
            *(note for note in scores.notes if WITHOUT_LENGTH not in note),
            *repeat_note(scores),
            *_notes(lab, parts),
            *[best_note(evaluation)] * best,
        ),
    )


def _rankings(rankings: str | Sequence[str]) -> list[str]:
    """Names of the rankings to use, in the order of the registry."""
    names = {rankings} if isinstance(rankings, str) else set(rankings)
    for name in names:
        RANKINGS.named(name)
    return [
        name for name, record in RANKINGS.items() if (name in names if names else record.by_default)
    ]


def _part_sets(lab: LabDocuments) -> dict[str, Parts]:
    """The parts of every part set that can be used."""
    parts = {}
    for name, record in tracked(PART_SETS.items(), "simulating runs", len(PART_SETS)):
        if lab.elements is not None or not record.needs_elements:
            with errors_by_line(record.kernel):
                parts[name] = checked_parts(lab, f"part set {name!r}", record.kernel(lab))
    return parts


def _noises(noise: str | Sequence[str], samples: int) -> list[str]:
    names = [noise] if isinstance(noise, str) else list(noise)
    for name in names:
        NOISES.named(name)
    whole_from_1("samples", samples)
    return list(dict.fromkeys(names))


def _runs(lab: LabDocuments, parts: Mapping[str, Parts], names: Sequence[str]) -> tuple[Run, ...]:
    orders = {}
    for name in names:
        kernel = RANKINGS[name].kernel
        with errors_by_line(kernel):
            orders[name] = checked_documents(lab, f"ranking {name!r}", kernel(lab))
    return tuple(
        simulated(lab, simulated_name(part_set, ranking), documents, chosen_parts)
        for part_set, chosen_parts in parts.items()
        for ranking, documents in orders.items()
    )


def _is_in(run: Run, ranking: str) -> bool:
    return run.name.endswith(f".{ranking}")


def _scored(evaluation: Evaluation, runs: Sequence[Run], first: str) -> tuple[Scores, pl.DataFrame]:
    """The scores of all runs, and the interpolated curves of those in the first ranking."""
    curve_evaluation = replace(evaluation, measures=parse_all(CURVE, evaluation.conventions))
    run_scores, curves = [], []
    for run in tracked(runs, "scoring simulated runs", len(runs)):
        alignment = evaluation.aligned(run)
        run_scores.append(evaluation.scored(alignment))
        if _is_in(run, first):
            curves.append(
                pl.DataFrame(
                    {
                        columns.RUN: run.name,
                        columns.LEVEL: [level / 10 for level in range(11)],
                        columns.VALUE: curve_evaluation.scored(alignment).overall,
                    }
                )
            )
    return evaluation.scores(run_scores), pl.concat(curves)


def _notes(lab: LabDocuments, parts: Mapping[str, Parts]) -> Iterator[str]:
    """Notes about the simulated runs."""
    unused_sets = [name for name in PART_SETS if name not in parts]
    if unused_sets:
        yield (
            f"without the elements of the collection only {' and '.join(parts)} are tried:"
            f" {', '.join(unused_sets)} need an offset index (--elements INDEX)"
        )
    made_up_count = int((lab.intruders >= lab.judged_count).sum())
    if made_up_count:
        verb = "has" if made_up_count == 1 else "have"
        yield (
            f"{made_up_count} of {counted(len(lab.intruders), 'topic')} {verb} no judged document"
            " without highlights to insert: one of the topic's median length is made up"
            f" ({lab.name[int(lab.intruders.max())]!r})"
        )
    for name, chosen_parts in parts.items():
        without_parts = len(np.setdiff1d(lab.relevant, chosen_parts.document))
        if without_parts:
            yield (
                f"{name} has no parts in {without_parts} of"
                f" {counted(len(lab.relevant), 'relevant document')}, which keep their rank with"
                " an empty part"
            )


class OrderingVerdict(StrEnum):
    """Outcome of comparing two runs by a measure with their expected order."""

    KEPT = "kept"
    VIOLATED = "violated"
    NOT_DISTINGUISHED = "not distinguished"


def simulated_name(part_set: str, ranking: str) -> str:
    """Name of the run of a part set in a ranking."""
    return f"{part_set}.{ranking}"


def expected_orderings(part_sets: Sequence[str], rankings: Sequence[str]) -> list[Pair]:
    """Pairs (better run, worse run) in which the part set or the ranking is one step worse."""
    set_steps, ranking_steps = covers(PART_SETS, part_sets), covers(RANKINGS, rankings)
    return [
        (simulated_name(part_set, ranking), simulated_name(worse_set, worse_ranking))
        for part_set in part_sets
        for ranking in rankings
        for worse_set, worse_ranking in (
            *((worse, ranking) for better, worse in set_steps if better == part_set),
            *((part_set, worse) for better, worse in ranking_steps if better == ranking),
        )
    ]


def orderings(values: TopicValues, pairs: Sequence[Pair]) -> pl.DataFrame:
    """Comparison of every pair of runs by every measure.

    Columns: measure, first, second, difference (of the means, in percentage points), the topics
    on which the first is better, equal and worse, p (null without a spread), verdict.
    """
    first, second = (np.array([values.runs.index(pair[side]) for pair in pairs]) for side in (0, 1))
    differences = values.values[:, first] - values.values[:, second]
    gains = values.signs[:, None, None] * differences
    test = paired_t(differences)
    better, worse = ((sign * gains > EQUAL_WITHIN).sum(axis=2, dtype=np.int64) for sign in (1, -1))
    mean = gains.mean(axis=2)
    undecided = OrderingVerdict.NOT_DISTINGUISHED.value
    verdict = np.select(
        [better + worse == 0, mean > EQUAL_WITHIN, mean < -EQUAL_WITHIN],
        [undecided, OrderingVerdict.KEPT.value, OrderingVerdict.VIOLATED.value],
        undecided,
    )
    equal = len(values.topics) - better - worse
    p = np.where(better + worse == 0, np.nan, test.p)
    return pl.DataFrame(
        {
            columns.MEASURE: np.repeat(values.measures, len(pairs)),
            columns.FIRST: [pair[0] for pair in pairs] * len(values.measures),
            columns.SECOND: [pair[1] for pair in pairs] * len(values.measures),
            columns.DIFFERENCE: (100 * differences.mean(axis=2)).ravel(),
            columns.BETTER: better.ravel(),
            columns.EQUAL: equal.ravel(),
            columns.WORSE: worse.ravel(),
            columns.P: p.ravel(),
            columns.VERDICT: verdict.ravel(),
        }
    ).with_columns(pl.col(columns.P).fill_nan(None))


def verdicts(ordering_rows: pl.DataFrame) -> pl.DataFrame:
    """Counts of the orderings that each measure keeps, violates and does not distinguish."""
    return ordering_rows.group_by(columns.MEASURE, maintain_order=True).agg(
        *(
            (pl.col(columns.VERDICT) == verdict).sum().alias(verdict.replace(" ", "_"))
            for verdict in OrderingVerdict
        ),
        pl.len().alias(columns.PAIRS),
    )
