"""Results for eyes and for other programs: every result, every form, one function."""

from foveal.render._forms import render, rendered_bytes
from foveal.render.records import described_formats, described_measure, listed_measures
from foveal.render.trec import TrecLine, trec_numbers, trec_text

__all__ = [
    "TrecLine",
    "described_formats",
    "described_measure",
    "listed_measures",
    "render",
    "rendered_bytes",
    "trec_numbers",
    "trec_text",
]
