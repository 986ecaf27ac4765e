"""The stability lab: does the ranking of systems hold when judgements or topics are fewer?"""

from foveal.studies.stability.design import USED_BY, StabilityDesign, stability_design
from foveal.studies.stability.result import Stability, StudyFrame
from foveal.studies.stability.study import BestRuns, stability, stability_measures, stability_study
