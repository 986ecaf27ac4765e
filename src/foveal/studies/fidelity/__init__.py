"""The fidelity lab: does a measure measure what it should?"""

from foveal.registry import files_of
from foveal.studies.fidelity._best import best_runs
from foveal.studies.fidelity._lab import Fidelity, Verdict, fidelity
from foveal.studies.fidelity._lab_documents import Ground, Parts
from foveal.studies.fidelity._plugins import plugged_in
from foveal.studies.fidelity._records import (
    NOISES,
    PART_SETS,
    RANKINGS,
    Chances,
    Draft,
    Expected,
    covers,
    noise,
    part_set,
    ranking,
)

files_of(__name__)  # importing a file registers what it makes
