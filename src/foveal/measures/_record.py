"""The record of a measure: its meaning, its parameters and its kernel."""

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
# The overall value, of the values of evaluated topics and a mask of the judged topics that count.
Average = Callable[[Alignment, Floats, Bools], float]
Resolve = Callable[[Arguments, Conventions], dict[str, Any]]
# trec_eval's floor: a tenth of the smallest score above 0 that it can print.
LEAST_IN_GEOMETRIC_MEAN = 1e-5


class Relevance(StrEnum):
    """Relevance as a measure takes it: yes or no, or a degree (Viviani 2021)."""

    BINARY = "binary"
    GRADED = "graded"


class Unit(StrEnum):
    """The unit that a measure counts or ranks."""

    DOCUMENT = "document"
    PART = "part"


def sequential_sum(values: Floats) -> float:
    """The sum of values, added one after the other as trec_eval does.

    NumPy's sum can differ in the last digit, which shows where a mean is just between two
    printed numbers.
    """
    # trec_eval's sums start from 0 and are never -0.
    return float(np.cumsum(values)[-1]) + 0.0 if len(values) else 0.0


def mean(alignment: Alignment, values: Floats, topics: Bools) -> float:
    """The mean over the evaluated topics."""
    return sequential_sum(values) / len(values)


def total(alignment: Alignment, values: Floats, topics: Bools) -> float:
    """The sum over the evaluated topics."""
    return sequential_sum(values)


def geometric_mean(alignment: Alignment, values: Floats, topics: Bools) -> float:
    """The geometric mean over the evaluated topics; values below 0.00001 count as 0.00001."""
    return math.exp(mean(alignment, np.log(np.maximum(values, LEAST_IN_GEOMETRIC_MEAN)), topics))


def unchanged(arguments: Arguments, conventions: Conventions) -> dict[str, Any]:
    """Arguments that need no defaults."""
    return dict(arguments)


@frozen(eq=False, kw_only=True)
class Definition:
    """A value of a topic or of a document: its name, its meaning and its kernel."""

    name: str
    title: str
    sentence: str
    formula: str
    cite: str
    kernel: Kernel
    formula_with: Mapping[str, str] = field(default_factory=dict)
    """Formulas that hold when a parameter is given, by the parameter's name."""

    parameters: tuple[Parameter, ...] = ()
    resolve: Resolve = unchanged
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
    """The structure that is scored; None if no results are. See `_taxonomy.answers_of`."""

    relevance: Relevance | None
    """None if relevance does not matter."""

    unit: Unit = Unit.DOCUMENT
    by_score: bool = False
    """The document score S decides which structure is scored; `answers` is that of the default S."""

    binary_with: str = ""
    """The parameter, perhaps with a value (S=rel), that makes graded relevance binary."""

    differs: str = ""
    """How the default differs from a source that is cited, and how to get the source's form."""

    plain: str = ""
    """Its name in task rag, as people who score chunks know it."""

    aliases: tuple[str, ...] = ()
    bounds: tuple[float, float] = (0.0, 1.0)
    higher_is_better: bool = True
    undefined: float = 0.0
    needs_irrelevant: bool = False
    """True if it means nothing where every judged document is relevant."""

    average: Average = mean
    whole_number: bool = False

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the name alone: other processes have the same registry."""
        return _registered, (self.name,)

    @property
    def required(self) -> tuple[Parameter, ...]:
        """The parameters in brackets that must be given."""
        return tuple(parameter for parameter in self.parameters if parameter.example)

    @property
    def needs_suffix(self) -> bool:
        """True if a cut-off or a recall level must be given."""
        try:
            self.resolve(self._example_arguments, Conventions())
        except ValueError:
            return True
        return False

    def defaults(self, conventions: Conventions) -> dict[str, Any]:
        """The default arguments, without those that have none."""
        examples = self._example_arguments
        if self.suffix is not None and self.needs_suffix:
            examples[self.suffix.name] = self.suffix.parsed("1")
        # Any values will do: defaults do not depend on them.
        arguments = self.resolve(examples, conventions)
        return {name: value for name, value in arguments.items() if name not in examples}

    @property
    def _example_arguments(self) -> dict[str, Any]:
        return {parameter.name: parameter.parsed(parameter.example) for parameter in self.required}

    @property
    def suffix(self) -> Parameter | None:
        """The parameter written after the name, @r or [x], if there is one."""
        return next((p for p in self.parameters if isinstance(p, Cutoff | RecallLevel)), None)

    @property
    def shape(self) -> str:
        """The name with its parameters' names, for help."""
        inside = ",".join(f"{p.name}=…" for p in self.parameters if p is not self.suffix)
        return f"{self.name}{f'({inside})' if inside else ''}{self.written_suffix}"

    @property
    def written_suffix(self) -> str:
        """The suffix of the name: @k, [x] or nothing."""
        return self.suffix.in_name(self.suffix.name) if self.suffix else ""


REGISTRY: Registry[Record] = Registry("measure")


def _registered(name: str) -> Record:
    """The record of that name; if it is not registered here, one that cannot score.

    A scheduler only passes records on. A worker that failed while unpickling would die, and the
    task would go to the next one.
    """
    return REGISTRY[name] if name in REGISTRY else Record(name=name, **_UNREGISTERED)


def _unregistered(alignment: Alignment, **_: Any) -> Floats:
    """The kernel of a measure that is not registered in this process."""
    raise UsageError(
        "a worker does not know this measure: let every worker load the file that registers it, as"
        " `dask worker --preload FILE.py` does"
    )


_UNREGISTERED: dict[str, Any] = {
    **dict.fromkeys(("title", "sentence", "formula", "cite"), ""),
    **dict.fromkeys(("answers", "relevance")),
    "kernel": _unregistered,
}

# The record of every measure that only another program has.
FOREIGN = Record(name="", bounds=(-math.inf, math.inf), **_UNREGISTERED)


def measure(**fields: Any) -> Callable[[Kernel], Kernel]:
    """Register the decorated kernel as a measure; its docstring is the measure's sentence."""
    return REGISTRY.registering(Record, **fields)


class WorkedExample(NamedTuple):
    """A measure computed by hand on an example; tests compare it with the kernel's value."""

    files: str
    """Judgements, run and options, as typed in the folder docs/examples/measures."""

    measure: str
    arithmetic: str
    """Equal expressions, separated by ` = `: the formula with its numbers, …, the value."""

    explanation: str
    """Where the numbers come from."""


on_parts = partial(WorkedExample, "passages.jsonl parts.jsonl")
on_chunks = partial(WorkedExample, "passages.jsonl parts.jsonl --chunks chunks.jsonl")
on_documents = partial(WorkedExample, "grades.qrels ranking.run")
on_two_topics = partial(WorkedExample, "two-topics.qrels two-topics.run")
