"""What makes a figure of a result: a record for every name, by the type of the result."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from foveal.choices import Experiment, Task
from foveal.registry import Registry
from foveal.rendering.figures._figure import Figure

Build = Callable[[Any], Figure]


@dataclass(frozen=True, eq=False)
class FigureRecord:
    """A figure of a type of result; the kernel makes it of a result."""

    name: str
    sentence: str
    kernel: Build
    experiments: tuple[Experiment, ...] = ()
    """The experiments whose results have it; empty: every result has it."""

    measures: Callable[[Task], Sequence[str]] | None = None
    """The measures that `evaluate` scores for it where the caller names none."""

    offered: bool = True
    """Whether commands offer it, or the library alone."""


FIGURES: dict[str, Registry[FigureRecord]] = defaultdict(partial(Registry, "figure"))


def figure_of(result: type, name: str, **fields: Any) -> Callable[[Build], Build]:
    """Register the decorated function as what makes a figure of a type of result."""
    return FIGURES[result.__name__].registering(FigureRecord, name=name, **fields)


def figures_of(result: str, experiment: Experiment | None = None) -> Registry[FigureRecord]:
    """The figures of a type of result, given by its name, or of one experiment's results."""
    own = FIGURES[result].values() if result in FIGURES else ()
    every = experiment is None
    return Registry(
        "figure",
        (one for one in own if every or not one.experiments or experiment in one.experiments),
    )


def figure(result: Any, name: str) -> Figure:
    """The figure of that name of a result."""
    known = figures_of(type(result).__name__, getattr(result, "experiment", None))
    return known.named(name).kernel(result)
