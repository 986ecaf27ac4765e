"""What a study of stability is asked to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from foveal.analysis import SEED, Seed, told_seed
from foveal.choices import Draw, Experiment
from foveal.errors import UsageError
from foveal.studies.stability.draws import LARGEST_PARTITIONED, Draws

LEVELS = (80, 60, 40, 20)
SAMPLES = 10
MIN_PASSAGES = 10
FUZZINESS = 5.0
DEPTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
PAPER_MEASURES = ("iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "AiP")
_OF_PASSAGES = {Experiment.POOL, Experiment.PLANE, Experiment.LEAVE_OUT, Experiment.DEPTH}
_OF_MANY_PASSAGES = {Experiment.POOL, Experiment.PLANE}
_OF_DRAWN_TOPICS = {Experiment.TOPICS, Experiment.ERROR_RATE}
_WITHOUT_LEVELS = {Experiment.LEAVE_OUT, Experiment.DEPTH}


@dataclass(frozen=True)
class StabilityDesign:
    """The choices of a study, checked; levels are in per cent, largest first.

    `participants` names who sent each run, for those that are left out together; `pool_depth` is how
    many parts of a topic a run must show a passage in to have found it, None is any.
    """

    experiment: Experiment
    levels: tuple[int, ...]
    samples: int
    min_passages: int
    fuzziness: float
    draw: Draw
    draws: Draws
    seed: str
    depths: tuple[int, ...] = DEPTHS
    pool_depth: int | None = None
    participants: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def of_passages(self) -> bool:
        """Whether passages are taken away, so that judgements must have some."""
        return self.experiment in _OF_PASSAGES

    def settings(self) -> dict[str, str]:
        """What a reader of the numbers must know, by option names."""
        shown = {"experiment": self.experiment.value}
        if self.experiment not in _WITHOUT_LEVELS:
            shown["levels"] = ",".join(map(str, self.levels))
            shown["samples"] = str(self.samples)
            shown["seed"] = self.seed
        if self.experiment in _OF_DRAWN_TOPICS:
            shown["draw"] = self.draw.value
        if self.experiment is Experiment.ERROR_RATE:
            shown["fuzziness"] = f"{self.fuzziness:g}"
        if self.experiment is Experiment.DEPTH:
            shown["depths"] = ",".join(map(str, self.depths))
        if self.pool_depth:
            shown["pool depth"] = str(self.pool_depth)
        if self.min_passages:
            shown["min passages"] = str(self.min_passages)
        return shown


def stability_design(  # noqa: PLR0913  # one per choice
    experiment: Experiment,
    *,
    rng: Seed = SEED,
    levels: Sequence[int] | None = None,
    samples: int = SAMPLES,
    min_passages: int | None = None,
    fuzziness: float | None = None,
    draw: Draw | None = None,
    depths: Sequence[int] | None = None,
    pool_depth: int | None = None,
    participants: Mapping[str, str] | None = None,
) -> StabilityDesign:
    """The choices of a study; None is the experiment's own default."""
    fewest = MIN_PASSAGES if experiment in _OF_MANY_PASSAGES else 0
    notes = [
        f"{name} has no say in {experiment.value}"
        for name, given, heard in (
            ("fuzziness", fuzziness, experiment is Experiment.ERROR_RATE),
            ("draw", draw, experiment in _OF_DRAWN_TOPICS),
        )
        if given is not None and not heard
    ]
    if samples < 1:
        raise UsageError(f"at least one sample is needed, not {samples}")
    if fuzziness is not None and not 0 <= fuzziness <= 100:
        raise UsageError(f"fuzziness is a share in per cent, not {fuzziness:g}")
    drawn = draw or Draw.INDEPENDENT
    partitioned = experiment in _OF_DRAWN_TOPICS and drawn is Draw.PARTITION
    if experiment is Experiment.ERROR_RATE and not partitioned and samples < 2:
        raise UsageError("one sample cannot contradict itself: give two --samples or more")
    disjoint = partitioned or experiment is Experiment.SWAP
    if disjoint and levels is None:
        notes.append(f"disjoint samples: levels above {LARGEST_PARTITIONED} % are left out")
    return StabilityDesign(
        experiment=experiment,
        levels=_levels(levels, disjoint=disjoint),
        samples=samples,
        min_passages=fewest if min_passages is None else min_passages,
        fuzziness=FUZZINESS if fuzziness is None else fuzziness,
        draw=drawn,
        draws=Draws.of(rng),
        seed=told_seed(rng),
        depths=_ranks(DEPTHS if depths is None else depths),
        pool_depth=pool_depth,
        participants=participants or {},
        notes=tuple(notes),
    )


def _levels(levels: Sequence[int] | None, *, disjoint: bool) -> tuple[int, ...]:
    if levels is None:
        default = (level for level in LEVELS if not disjoint or level <= LARGEST_PARTITIONED)
        return tuple(default)
    if not levels:
        raise UsageError("no levels: give shares in per cent, as in 80,60,40,20")
    for level in levels:
        if level != int(level) or not 1 <= level <= 100:
            raise UsageError(f"a level is a whole number of per cent from 1 to 100, not {level:g}")
    return tuple(sorted({int(level) for level in levels}, reverse=True))


def _ranks(depths: Sequence[int]) -> tuple[int, ...]:
    for depth in depths:
        if depth != int(depth) or depth < 1:
            raise UsageError(f"a depth is a rank from 1 on, not {depth:g}")
    return tuple(sorted({int(depth) for depth in depths}, reverse=True))
