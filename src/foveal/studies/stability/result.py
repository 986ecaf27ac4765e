"""The result of a study of stability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Any

from foveal.choices import Experiment
from foveal.errors import counted
from foveal.frozen import frozen
from foveal.late import pl
from foveal.shown import Shown
from foveal.spans import Floats, Ints
from foveal.tables import columns as c

# The setting with the largest number of parts that a run returns for a topic.
LONGEST_RUN = "longest run"


class StudyFrame(StrEnum):
    """The frames that an experiment may have."""

    CURVES = "curves"
    SAMPLES = "samples"
    BANDS = "bands"
    TAU_AP_CURVES = "tau_ap_curves"
    TAU_AP_SAMPLES = "tau_ap_samples"
    TIES = "ties"
    NEEDED = "needed"
    BINS = "bins"
    FINDERS = "finders"
    DEPTHS = "depths"


@frozen(eq=False, repr=False)
class Stability(Shown):
    """The outcome of one experiment as frames by name, the most important first.

    `pool` and `topics` have `curves` (measure, level, mean, spread of τ), `samples` (measure, level,
    sample, tau), `bands` and the same for τ_AP; `error-rate` has `curves` (measure, level, rate,
    spread) and `ties`. `runs` and `topics` are their numbers.
    """

    experiment: Experiment
    frames: Mapping[str, pl.DataFrame]
    runs: int
    topics: int
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def samples(self) -> pl.DataFrame:
        """τ of every sample: measure, level, sample, tau."""
        return self.frames[StudyFrame.SAMPLES]

    @property
    def curves(self) -> pl.DataFrame:
        """τ or the error rate of every level, with its spread over samples."""
        return self.frames[StudyFrame.CURVES]

    @property
    def measures(self) -> list[str]:
        """The measures, in the order asked for."""
        first = next(iter(self.frames.values()))
        return first[c.MEASURE].unique(maintain_order=True).to_list()

    @property
    def covers_the_runs(self) -> bool:
        """Whether the deepest pool of `depth` includes everything that the runs return."""
        deepest = max(self.frames[StudyFrame.DEPTHS][c.DEPTH].to_list())
        return LONGEST_RUN in self.settings and deepest >= int(self.settings[LONGEST_RUN])

    @property
    def summary(self) -> str:
        """The experiment with its numbers of runs and topics."""
        runs, topics = counted(self.runs, "run"), counted(self.topics, "topic")
        return f"{self.experiment.value}, {runs}, {topics}"


def frame_of(
    measures: Sequence[str], rows: Mapping[str, Sequence[Any]], values: Mapping[str, Floats | Ints]
) -> pl.DataFrame:
    """A frame with a row for every measure and every entry of `rows`.

    Values are arrays, measures first; NaN becomes null.
    """
    count = len(next(iter(rows.values())))
    measure_column = {c.MEASURE: [name for name in measures for _ in range(count)]}
    row_columns = {name: [*entries] * len(measures) for name, entries in rows.items()}
    value_columns = {name: array.reshape(-1) for name, array in values.items()}
    return pl.DataFrame({**measure_column, **row_columns, **value_columns}).with_columns(
        pl.col(pl.Float64).fill_nan(None)
    )
