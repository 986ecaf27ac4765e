"""Figures: one decorated function each, saved as SVG, PNG, PDF, HTML or data."""

from foveal.registry import files_of
from foveal.rendering.figures._figure import (
    FIGURES,
    Figure,
    FigureRecord,
    figure,
    figure_of,
    figures_of,
    refuse_unless_drawable,
    source_of,
)

files_of(__name__)  # importing a file registers its figures
