"""What a measure is: one record with its meaning, its parameters and its kernel."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from foveal.alignment import Alignment
from foveal.conventions import Conventions
from foveal.measures._parameters import Cutoff, Parameter, RecallLevel
from foveal.registry import Registry
from foveal.spans import Floats

Arguments = Mapping[str, Any]
Kernel = Callable[..., Floats]
Average = Callable[[Alignment, Floats], float]
Resolve = Callable[[Arguments, Conventions], dict[str, Any]]
# trec_eval's floor: a tenth of the smallest score that its four decimals tell from 0.
LEAST_IN_GEOMETRIC_MEAN = 1e-5


def in_turn(values: Floats) -> float:
    """The sum of values added one after the other, as trec_eval does.

    NumPy's own sum differs in the last digit, and a mean may lie just between two printed numbers.
    """
    # Its sums begin with 0 and so are never -0.
    return float(np.cumsum(values)[-1]) + 0.0 if len(values) else 0.0


def mean(alignment: Alignment, values: Floats) -> float:
    """The mean over the evaluated topics."""
    return in_turn(values) / len(values)


def total(alignment: Alignment, values: Floats) -> float:
    """The sum over the evaluated topics."""
    return in_turn(values)


def geometric_mean(alignment: Alignment, values: Floats) -> float:
    """The geometric mean over the evaluated topics, none of them taken for worse than 0.00001."""
    return math.exp(mean(alignment, np.log(np.maximum(values, LEAST_IN_GEOMETRIC_MEAN))))


def as_given(given: Arguments, conventions: Conventions) -> dict[str, Any]:
    """Arguments that need no defaults."""
    return dict(given)


@dataclass(frozen=True, eq=False)
class Record:
    """A measure's name, meaning and kernel; help, documentation and reports read it.

    `kernel` takes an alignment and the resolved arguments and gives one value per evaluated
    topic, not a number where the measure is undefined; `undefined` stands there instead.
    """

    name: str
    title: str
    sentence: str
    formula: str
    cite: str
    kernel: Kernel
    parameters: tuple[Parameter, ...] = ()
    aliases: tuple[str, ...] = ()
    bounds: tuple[float, float] = (0.0, 1.0)
    higher_is_better: bool = True
    undefined: float = 0.0
    average: Average = mean
    resolve: Resolve = as_given
    whole_number: bool = False
    answers: str = ""
    assumes: str = ""
    advice: str = ""

    def __reduce__(self) -> tuple[object, ...]:
        """Travel between processes by name: the registry is the same everywhere."""
        return _registered, (self.name,)

    @property
    def suffix(self) -> Parameter | None:
        """The parameter written behind the name, @r or [x], if there is one."""
        behind = [p for p in self.parameters if isinstance(p, Cutoff | RecallLevel)]
        return behind[0] if behind else None

    @property
    def shape(self) -> str:
        """The name with its parameters' names, as help shows it."""
        inside = ",".join(f"{p.name}=…" for p in self.parameters if p is not self.suffix)
        return f"{self.name}{f'({inside})' if inside else ''}{self.written_suffix}"

    @property
    def written_suffix(self) -> str:
        """What stands behind the name: @k, [x] or nothing."""
        return self.suffix.written(self.suffix.name) if self.suffix else ""


REGISTRY: Registry[Record] = Registry("measure")


def _registered(name: str) -> Record:
    return REGISTRY[name]


def measure(**fields: Any) -> Callable[[Kernel], Kernel]:
    """Register the decorated kernel as a measure; its docstring is the measure's sentence."""
    return REGISTRY.registering(Record, **fields)
