"""The stability lab: does the ranking of systems hold when judgements or topics are fewer?"""

from foveal.studies.stability._design import (
    DEPTHS,
    FUZZINESS,
    LEVELS,
    MIN_PASSAGES,
    SAMPLES,
    Design,
    design,
)
from foveal.studies.stability._draws import Draws
from foveal.studies.stability._result import Stability
from foveal.studies.stability._sampling import Each, Save
from foveal.studies.stability._study import default_measures, refuse_one_run, stability, study
from foveal.studies.stability._topics import error_rate, outcomes

__all__ = [
    "DEPTHS",
    "FUZZINESS",
    "LEVELS",
    "MIN_PASSAGES",
    "SAMPLES",
    "Design",
    "Draws",
    "Each",
    "Save",
    "Stability",
    "default_measures",
    "design",
    "error_rate",
    "outcomes",
    "refuse_one_run",
    "stability",
    "study",
]
