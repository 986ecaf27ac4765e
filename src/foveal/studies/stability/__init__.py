"""The stability lab: does the ranking of systems hold when judgements or topics are fewer?"""

from foveal.studies.stability._design import StabilityDesign, stability_design
from foveal.studies.stability._draws import Draws
from foveal.studies.stability._result import Stability
from foveal.studies.stability._sampling import Each, Save
from foveal.studies.stability._study import stability, stability_measures, stability_study
from foveal.studies.stability._topics import error_rate, outcomes

__all__ = [
    "Draws",
    "Each",
    "Save",
    "Stability",
    "StabilityDesign",
    "error_rate",
    "outcomes",
    "stability",
    "stability_design",
    "stability_measures",
    "stability_study",
]
