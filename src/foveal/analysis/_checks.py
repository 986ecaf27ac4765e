"""Numbers that a caller gives: refused where they make no sense."""

from __future__ import annotations

from foveal.errors import UsageError


def between_0_and_1(name: str, number: float) -> float:
    """A number strictly between 0 and 1."""
    if not 0 < number < 1:
        raise UsageError(f"{name} must be between 0 and 1, got {number:g}")
    return number


def whole_from_1(name: str, number: float) -> int:
    """A whole number, 1 or more."""
    if number < 1 or number != int(number):
        raise UsageError(f"{name} must be a whole number, 1 or more, got {number:g}")
    return int(number)
