"""What makes a figure of a result: a record for every name, by the type of the result."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from foveal.analysis import Comparison
from foveal.choices import Experiment, Task
from foveal.errors import UsageError
from foveal.frozen import frozen
from foveal.registry import Registry
from foveal.rendering._plain import in_plain_words
from foveal.rendering.figures._figure import Figure

if TYPE_CHECKING:
    from foveal.analysis import Agreement
    from foveal.judging import AssessorAgreement
    from foveal.studies import Fidelity, Stability
    from foveal.tables import Scores

    Drawable: TypeAlias = Agreement | AssessorAgreement | Comparison | Fidelity | Scores | Stability

Build = Callable[..., Figure]


@frozen(eq=False)
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

    takes_runs: bool = False
    """Whether it shows two runs, which can be chosen."""


FIGURES: dict[str, Registry[FigureRecord]] = defaultdict(partial(Registry, "figure"))


def figure_of(result: type | str, name: str, **fields: Any) -> Callable[[Build], Build]:
    """Register the decorated function as what makes a figure of a type of result."""
    kind = result if isinstance(result, str) else result.__name__
    return FIGURES[kind].registering(FigureRecord, name=name, **fields)


def figures_of(result: str, experiment: Experiment | None = None) -> Registry[FigureRecord]:
    """The figures of a type of result, given by its name, or of one experiment's results."""
    own = FIGURES[result].values() if result in FIGURES else ()
    every = experiment is None
    return Registry(
        "figure",
        (one for one in own if every or not one.experiments or experiment in one.experiments),
    )


def figure(result: Drawable, name: str, *, runs: tuple[str, str] | None = None) -> Figure:
    """The figure of that name of a result; `save` draws it into a file.

    Figures are named as on the command line (`--figure`); an unknown name is answered with those
    that the result has. `runs` are the two that `differences` shows, by default the two best.

    >>> import foveal
    >>> qrels = {"1": {"a": 1}, "2": {"b": 1}}
    >>> runs = {"one": {"1": {"a": 2.0}, "2": {"b": 2.0}}, "two": {"1": {"a": 2.0}, "2": {"c": 1.0}}}
    >>> scores = foveal.evaluate(qrels, runs, "AP")
    >>> means = foveal.figure(foveal.compare(scores), "means")
    >>> means.data.select("run", "mean").rows()
    [('one', 1.0), ('two', 0.5)]
    >>> means.title
    'No difference shown between one and two: AP 1.000 and 0.500 (difference 0.500, 95 % -1.000 to 1.000)'
    >>> means.save("means.svg")  # doctest: +SKIP
    """
    kind = type(result).__name__
    if kind not in FIGURES:
        raise UsageError(
            f"there is no figure of {kind}: give what evaluate, compare, agree, agree_assessors,"
            " fidelity or stability returned"
        )
    record = figures_of(kind, getattr(result, "experiment", None)).named(name)
    if runs is not None:
        _refuse_runs(record, runs)
    chosen = () if runs is None else (tuple(runs),)
    made = record.kernel(result, *chosen)
    if not isinstance(result, Comparison) or not result.plain:
        return made
    # The data keep the names that programs know.
    return replace(record.kernel(in_plain_words(result), *chosen), data=made.data)


def _refuse_runs(record: FigureRecord, runs: tuple[str, str]) -> None:
    if not record.takes_runs:
        raise UsageError(f"figure {record.name} shows all runs: only differences takes two of them")
    if len(set(runs)) != 2:
        raise UsageError(f"differences are between two runs: give two different names, got {runs}")
