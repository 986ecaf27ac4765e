"""What kernels give; those that are defined outside of foveal may give anything."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from foveal.alignment import Alignment
from foveal.errors import FovealError, counted
from foveal.frozen import frozen
from foveal.measures import Measure, Record
from foveal.registry import is_user_code, user_code_error, user_code_errors
from foveal.spans import Floats

# By how much a value may exceed its bounds, as sums of shares do.
ROUNDING = 1e-9


@frozen
class UserValues:
    """How many values of a measure are undefined, and the least and the greatest of the others."""

    name: str
    record: Record
    topics: int
    undefined: int
    least: float
    greatest: float


def kernel_values(measure: Measure, alignment: Alignment) -> Floats:
    """A value per evaluated topic; NaN where the measure is undefined."""
    kernel = measure.record.kernel
    try:
        with user_code_errors(kernel):
            values = kernel(alignment, **dict(measure.arguments))
    except FovealError as error:
        error.add_note(f"needed by {measure.name} for run {alignment.run.name!r}")
        raise
    return _checked(measure, values, len(alignment.topics)) if is_user_code(kernel) else values


def _checked(measure: Measure, values: object, topics: int) -> Floats:
    """What a measure of a user's own gives, if it is a number for every topic."""
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        found = None
    if found is not None and found.shape == (topics,):
        return found
    if found is None or not found.ndim:
        word = type(values).__name__
        got = "None" if values is None else f"a{'n' * (word[0] in 'aeiou')} {word}"
    else:
        got = counted(len(found), "number") if found.ndim == 1 else f"an array of {found.shape}"
    reason = (
        f"measure {measure.record.name!r} must give one number per topic ({topics:,}), got {got}"
    )
    raise user_code_error(measure.record.kernel, reason)


def defined(measure: Measure, values: Floats) -> Floats:
    """The values, with what the measure's record says where it is undefined."""
    return np.where(np.isnan(values), measure.record.undefined, values)


def user_values(measures: Sequence[Measure], values: Sequence[Floats]) -> tuple[UserValues, ...]:
    """The values of the measures that are defined outside of foveal, summarised."""
    return tuple(
        _seen(measure, given)
        for measure, given in zip(measures, values, strict=True)
        if is_user_code(measure.record.kernel)
    )


def _seen(measure: Measure, values: Floats) -> UserValues:
    known = values[~np.isnan(values)]
    return UserValues(
        measure.name,
        measure.record,
        topics=len(values),
        undefined=len(values) - len(known),
        least=float(known.min(initial=math.inf)),
        greatest=float(known.max(initial=-math.inf)),
    )


def user_value_notes(runs: Sequence[tuple[UserValues, ...]]) -> Iterator[str]:
    """What the record of a measure does not lead one to expect of its values, over all runs."""
    for seen in zip(*runs, strict=True):
        record, name = seen[0].record, seen[0].name
        undefined = sum(own.undefined for own in seen)
        if undefined:
            of = "topics" if len(seen) == 1 else f"scores of {len(seen):,} runs"
            yield (
                f"{name} is undefined (NaN) in {undefined:,} of {sum(own.topics for own in seen):,}"
                f" {of}, where it counts as {record.undefined:g}"
            )
        low, high = record.bounds
        least, greatest = min(own.least for own in seen), max(own.greatest for own in seen)
        beyond = [f"down to {least:g}"] if least < low - ROUNDING else []
        beyond += [f"up to {greatest:g}"] if greatest > high + ROUNDING else []
        if beyond:
            yield (
                f"{name} gives values {' and '.join(beyond)}, but its record says {low:g} to"
                f" {high:g}: correct the measure or its bounds"
            )
