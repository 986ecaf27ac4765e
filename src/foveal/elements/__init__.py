"""Element paths, ranges of them and points in text, to spans and back."""

from foveal.elements.elements import ElementLookup, Elements
from foveal.elements.location import Location, explained, located
from foveal.elements.paths import DEEPEST, References
