"""Half-open character spans: the only arithmetic on offsets.

Documents are placed end to end on one axis (`Axis`), so that a span is two integers and the spans
of all documents of all topics are handled in one pass; flat arrays are cut into topics by
`Segments`.
"""

from foveal.spans.axis import (
    INSIDE,
    LARGEST_OFFSET,
    Axis,
    Bools,
    Floats,
    Ints,
    boundaries,
    clipped,
    code_points,
    in_characters,
    moved,
)
from foveal.spans.best_elements import best_fitting
from foveal.spans.highlights import Highlights
from foveal.spans.layers import Layer, first_overlapping, layered, merged_neighbours
from foveal.spans.majority import chosen_by, majority
from foveal.spans.nesting import Nesting
from foveal.spans.overlap import (
    extended,
    fresh_pieces,
    gaps,
    greedily_disjoint,
    matched_greedily,
    merged,
    overlapping_pairs,
    overlaps_earlier,
    read_until,
    united,
)
from foveal.spans.segments import Segments, affordable, distinct, totals
