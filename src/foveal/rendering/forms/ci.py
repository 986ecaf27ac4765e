"""A verdict: what a gate becomes before a form for programs that run checks writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from foveal.frozen import frozen


@frozen
class Check:
    """One thing demanded: what it is called, whether it holds, and why in a sentence."""

    name: str
    holds: bool
    sentence: str


@frozen
class Verdict:
    """Everything demanded of a run, and what to know about it."""

    run: str
    checks: Sequence[Check]
    summary: str
    settings: Mapping[str, str]
    notes: Sequence[str]

    @property
    def failures(self) -> list[Check]:
        """What does not hold."""
        return [check for check in self.checks if not check.holds]
