"""Documents to an offset index, and opening one: element paths to spans and back."""

from foveal.collection._scanner import Count, Measure, Whitespace
from foveal.collection._tree import elements_of

__all__ = ["Count", "Measure", "Whitespace", "elements_of"]
