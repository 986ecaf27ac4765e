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

# By how much a value may exceed its bounds, as sums of shares do.
ROUNDING = 1e-9


@frozen
class UserValues:
    """The number of undefined values of a measure, and the least and greatest of the others."""

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
    """The values of a user's measure, refused unless they are a number for every topic."""
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        numbers = None
    if numbers is not None and numbers.shape == (topics,):
        return numbers
    if numbers is None or not numbers.ndim:
        word = type(values).__name__
        got = "None" if values is None else f"a{'n' * (word[0] in 'aeiou')} {word}"
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
        least=float(defined_values.min(initial=math.inf)),
        greatest=float(defined_values.max(initial=-math.inf)),
    )


def user_value_notes(runs: Sequence[tuple[UserValues, ...]]) -> Iterator[str]:
    """Notes: undefined values, and values beyond the bounds of a measure's record, over all runs."""
    for by_run in zip(*runs, strict=True):
        record, name = by_run[0].record, by_run[0].name
        undefined, topics = sum(run.undefined for run in by_run), sum(run.topics for run in by_run)
        if undefined:
            of = "topics" if len(by_run) == 1 else f"scores of {len(by_run):,} runs"
            yield (
                f"{name} is undefined (NaN) in {undefined:,} of {topics:,} {of}, where it counts as {record.undefined:g}"
            )
        low, high = record.bounds
        least, greatest = min(run.least for run in by_run), max(run.greatest for run in by_run)
        beyond = [f"down to {least:g}"] if least < low - ROUNDING else []
        beyond += [f"up to {greatest:g}"] if greatest > high + ROUNDING else []
        if beyond:
            yield (
                f"{name} gives values {' and '.join(beyond)}, but its record says {low:g} to"
                f" {high:g}: correct the measure or its bounds"
            )
