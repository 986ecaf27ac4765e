"""A measure of our own."""

import numpy as np

from foveal.alignment import Alignment
from foveal.choices import Answers
from foveal.measures import Relevance, Unit, Whole, by_default, measure
from foveal.spans import Floats


@measure(
    name="patience",
    title="Patience left at the first highlighted character",
    formula=r"2^{-w / half}",
    cite="this page",
    unit=Unit.PART,
    answers=Answers.RANKED,
    relevance=Relevance.BINARY,
    parameters=(Whole("half", "characters that cost half of the patience"),),
    resolve=by_default(half=100),
    advice="Looks at the first highlighted character alone; cR says how much was found in all.",
)
def patience(alignment: Alignment, half: int) -> Floats:
    """Share of patience left after the characters before the first highlighted one."""
    text = alignment.highlight_pieces
    topics, first = np.unique(text.topic, return_index=True)
    left = np.zeros(len(text.highlighted))
    left[topics] = 0.5 ** (text.read[first] / half)
    return left
