"""Values of kernels; those defined outside of foveal may return anything."""

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

# Values may exceed their bounds by this much, as sums of shares do.
ROUNDING = 1e-9


@frozen
class UserValues:
    """The number of undefined values of a measure, and the minimum and maximum of the others."""

    name: str
    record: Record
    topics: int
    undefined: int
    minimum: float
    maximum: float


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
    """Check that a user's measure gave one number for every topic, and return the numbers."""
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        numbers = None
    if numbers is not None and numbers.shape == (topics,):
        return numbers
    if numbers is None or not numbers.ndim:
        type_name = type(values).__name__
        got = "None" if values is None else f"a{'n' * (type_name[0] in 'aeiou')} {type_name}"
    else:
        got = (
            counted(len(numbers), "number") if numbers.ndim == 1 else f"an array of {numbers.shape}"
        )
    reason = (
        f"measure {measure.record.name!r} must give one number per topic ({topics:,}), got {got}"
    )
    raise user_code_error(measure.record.kernel, reason)


def defined(measure: Measure, values: Floats) -> Floats:
    """The values, with the record's default where the measure is undefined."""
    return np.where(np.isnan(values), measure.record.undefined, values)


def user_values(measures: Sequence[Measure], values: Sequence[Floats]) -> tuple[UserValues, ...]:
    """The values of the measures that are defined outside of foveal, summarised."""
    return tuple(
        _summary(measure, numbers)
        for measure, numbers in zip(measures, values, strict=True)
        if is_user_code(measure.record.kernel)
    )


def _summary(measure: Measure, values: Floats) -> UserValues:
    defined_values = values[~np.isnan(values)]
    return UserValues(
        measure.name,
        measure.record,
        topics=len(values),
        undefined=len(values) - len(defined_values),
        minimum=float(defined_values.min(initial=math.inf)),
        maximum=float(defined_values.max(initial=-math.inf)),
    )


def user_value_notes(runs: Sequence[tuple[UserValues, ...]]) -> Iterator[str]:
    """Notes: undefined values, and values beyond the bounds of a measure's record, over all runs."""
    for by_run in zip(*runs, strict=True):
        record, name = by_run[0].record, by_run[0].name
        undefined, topics = sum(run.undefined for run in by_run), sum(run.topics for run in by_run)
        if undefined:
            unit = "topics" if len(by_run) == 1 else f"scores of {len(by_run):,} runs"
            yield (
                f"{name} is undefined (NaN) in {undefined:,} of {topics:,} {unit}, where it counts as {record.undefined:g}"
            )
        low, high = record.bounds
        minimum, maximum = min(run.minimum for run in by_run), max(run.maximum for run in by_run)
        limits = [f"down to {minimum:g}"] if minimum < low - ROUNDING else []
        limits += [f"up to {maximum:g}"] if maximum > high + ROUNDING else []
        if limits:
            yield (
                f"{name} gives values {' and '.join(limits)}, but its record says {low:g} to"
                f" {high:g}: correct the measure or its bounds"
            )
