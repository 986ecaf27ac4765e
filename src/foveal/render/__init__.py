"""Results for eyes and for other programs: every result, every form, one function."""

from foveal.render._forms import render, rendered_bytes
from foveal.render.records import described_formats, described_measure, listed_measures

__all__ = [
    "described_formats",
    "described_measure",
    "listed_measures",
    "render",
    "rendered_bytes",
]
