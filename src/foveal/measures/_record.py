"""What a measure is: one record with its meaning, its parameters and its kernel."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import field
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from foveal.alignment import Alignment
from foveal.choices import Answers
from foveal.conventions import Conventions
from foveal.errors import UsageError
from foveal.frozen import frozen
from foveal.measures._parameters import Cutoff, Parameter, RecallLevel
from foveal.registry import Registry
from foveal.spans import Bools, Floats

Arguments = Mapping[str, Any]
Kernel = Callable[..., Floats]
# Of the values of some evaluated topics, which are those among some judged ones.
Average = Callable[[Alignment, Floats, Bools], float]
Resolve = Callable[[Arguments, Conventions], dict[str, Any]]
# trec_eval's floor: a tenth of the smallest score above 0 that it can print.
LEAST_IN_GEOMETRIC_MEAN = 1e-5


class Relevance(StrEnum):
    """Whether an answer is relevant or not, or relevant to a degree (Viviani 2021)."""

    BINARY = "binary"
    GRADED = "graded"


class Unit(StrEnum):
    """What one answer is."""

    DOCUMENT = "document"
    PART = "part"


def in_turn(values: Floats) -> float:
    """The sum of values added one after the other, as trec_eval does.

    NumPy's sum can differ in the last digit, which shows where a mean is just between two
    printed numbers.
    """
    # trec_eval's sums start from 0 and are never -0.
    return float(np.cumsum(values)[-1]) + 0.0 if len(values) else 0.0


def mean(alignment: Alignment, values: Floats, judged: Bools) -> float:
    """The mean over the evaluated topics."""
    return in_turn(values) / len(values)


def total(alignment: Alignment, values: Floats, judged: Bools) -> float:
    """The sum over the evaluated topics."""
    return in_turn(values)


def geometric_mean(alignment: Alignment, values: Floats, judged: Bools) -> float:
    """The geometric mean over the evaluated topics; values below 0.00001 count as 0.00001."""
    return math.exp(mean(alignment, np.log(np.maximum(values, LEAST_IN_GEOMETRIC_MEAN)), judged))


def as_given(given: Arguments, conventions: Conventions) -> dict[str, Any]:
    """Arguments that need no defaults."""
    return dict(given)


@frozen(eq=False, kw_only=True)
class Definition:
    """What is computed, of topics or of documents: its name, its meaning and its kernel."""

    name: str
    title: str
    sentence: str
    formula: str
    cite: str
    kernel: Kernel
    formula_given: Mapping[str, str] = field(default_factory=dict)
    """The formula where a parameter is given that changes it, by the parameter's name."""

    parameters: tuple[Parameter, ...] = ()
    resolve: Resolve = as_given
    assumes: str = ""
    advice: str = ""
    """When it misleads, and what to use instead."""

    worked: WorkedExample | None = None


@frozen(eq=False, kw_only=True)
class Record(Definition):
    """A measure's name, meaning and kernel; help, documentation and reports read it.

    `kernel` takes an alignment and the resolved arguments and gives one value per evaluated
    topic. Where the measure is undefined it gives NaN, which the driver replaces by `undefined`.
    """

    answers: Answers | None
    """What the measure scores; None if the answers do not matter. See `_taxonomy.answers_of`."""

    relevance: Relevance | None
    """None if it does not matter what is relevant."""

    unit: Unit = Unit.DOCUMENT
    by_score: bool = False
    """The document score S decides which answers are scored; `answers` is that of the default S."""

    binary_given: str = ""
    """What makes graded relevance binary: a parameter, or one with its value (S=rel)."""

    differs: str = ""
    """How the default differs from a source that is cited, and how to get the source's form."""

    plain: str = ""
    """What people who score chunks call it: its name in task rag."""

    aliases: tuple[str, ...] = ()
    bounds: tuple[float, float] = (0.0, 1.0)
    higher_is_better: bool = True
    undefined: float = 0.0
    needs_irrelevant: bool = False
    """It says nothing where every judged document is relevant."""

    average: Average = mean
    whole_number: bool = False

    def __reduce__(self) -> tuple[object, ...]:
        """Travel between processes by name: the registry is the same everywhere."""
        return _registered, (self.name,)

    @property
    def required(self) -> tuple[Parameter, ...]:
        """The parameters in brackets that must be given."""
        return tuple(parameter for parameter in self.parameters if parameter.example)

    @property
    def needs_suffix(self) -> bool:
        """Whether a cut-off or a recall level must be given."""
        try:
            self.resolve(self._needed, Conventions())
        except ValueError:
            return True
        return False

    def defaults(self, conventions: Conventions) -> dict[str, Any]:
        """The arguments in force where none are given, other than those that must be given."""
        needed = self._needed
        if self.suffix is not None and self.needs_suffix:
            needed[self.suffix.name] = self.suffix.parsed("1")
        # Any values will do: defaults do not depend on them.
        arguments = self.resolve(needed, conventions)
        return {name: value for name, value in arguments.items() if name not in needed}

    @property
    def _needed(self) -> dict[str, Any]:
        return {own.name: own.parsed(own.example) for own in self.required}

    @property
    def suffix(self) -> Parameter | None:
        """The parameter written after the name, @r or [x], if there is one."""
        return next((p for p in self.parameters if isinstance(p, Cutoff | RecallLevel)), None)

    @property
    def shape(self) -> str:
        """The name with its parameters' names, as help shows it."""
        inside = ",".join(f"{p.name}=…" for p in self.parameters if p is not self.suffix)
        return f"{self.name}{f'({inside})' if inside else ''}{self.written_suffix}"

    @property
    def written_suffix(self) -> str:
        """What follows the name: @k, [x] or nothing."""
        return self.suffix.written(self.suffix.name) if self.suffix else ""


REGISTRY: Registry[Record] = Registry("measure")


def _registered(name: str) -> Record:
    """The record in another process.

    One that is not registered there can travel on, as a scheduler lets it, but not score: a process
    that cannot read its work would die, and another one be asked to do it.
    """
    return REGISTRY[name] if name in REGISTRY else Record(name=name, **_UNREGISTERED)


def _unregistered(alignment: Alignment, **_: Any) -> Floats:
    """What a measure computes where it is not registered."""
    raise UsageError(
        "a worker does not know this measure: let every worker load the file that registers it, as"
        " `dask worker --preload FILE.py` does"
    )


_UNREGISTERED: dict[str, Any] = {
    **dict.fromkeys(("title", "sentence", "formula", "cite"), ""),
    **dict.fromkeys(("answers", "relevance")),
    "kernel": _unregistered,
}

# What is known of a measure that only another program knows.
FOREIGN = Record(name="", bounds=(-math.inf, math.inf), **_UNREGISTERED)


def measure(**fields: Any) -> Callable[[Kernel], Kernel]:
    """Register the decorated kernel as a measure; its docstring is the measure's sentence."""
    return REGISTRY.registering(Record, **fields)


class WorkedExample(NamedTuple):
    """A measure computed by hand on an example; the tests compare with what its kernel gives."""

    files: str
    """Judgements, run and options, as they are typed in the folder docs/examples/measures."""

    measure: str
    arithmetic: str
    """Equal expressions separated by ` = `: the formula with its numbers, …, the value."""

    words: str
    """Where the numbers come from."""


on_parts = partial(WorkedExample, "passages.jsonl parts.jsonl")
on_chunks = partial(WorkedExample, "passages.jsonl parts.jsonl --chunks chunks.jsonl")
on_documents = partial(WorkedExample, "grades.qrels ranking.run")
on_two_topics = partial(WorkedExample, "two-topics.qrels two-topics.run")
