"""The measures that a caller asks for, in any form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeAlias

from foveal.errors import UsageError
from foveal.measures._grammar import Measure


class OtherMeasure(Protocol):
    """A measure of ir_measures, such as nDCG @ 10; written as text it is its name."""

    def aggregator(self) -> object:
        """What averages its values, which foveal does itself."""


MeasuresLike: TypeAlias = str | Measure | OtherMeasure | Iterable[str | Measure | OtherMeasure]
"""One measure or several: names, or objects of ir_measures."""


def named(measures: MeasuresLike) -> list[str]:
    """The names of one measure or of several."""
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        measures = [measures]
    given: list[object] = list(measures)
    for measure in given:
        if measure is None or isinstance(measure, int | float):
            reason = f"a measure must be a name such as 'AiP' or 'nDCG@10', got {measure!r}"
            raise UsageError(reason)
    return [str(measure) for measure in given]
