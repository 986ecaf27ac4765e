"""The fidelity lab: does a measure measure what it should?"""

from foveal.registry import files_of

files_of(__name__)  # importing a file registers what it makes
