"""The registries of the lab: what can be returned, in which order, and how it can be spoilt.

A part set or a ranking names those that are expected to be better than it; a researcher adds one
by decorating a function in a file of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from foveal.errors import UsageError
from foveal.registry import Registry
from foveal.spans import Floats, Ints
from foveal.studies.fidelity._ground import Ground, Parts

Function = TypeVar("Function", bound=Callable[..., Any])
# They become parts of the names of runs (SL.RI) and of files.
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


@dataclass(frozen=True, eq=False)
class Expected:
    """Something with a place in an order of merit: `below` are those just better than it."""

    name: str
    title: str
    sentence: str
    below: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PartSet(Expected):
    """What is returned of relevant documents; the kernel gives the parts in document order."""

    kernel: Callable[[Ground], Parts]
    needs_elements: bool = False


@dataclass(frozen=True, eq=False)
class DocumentRanking(Expected):
    """In which order documents are returned; the kernel gives their rows, topic after topic.

    One that is not used `by_default` is used where it is asked for.
    """

    kernel: Callable[[Ground], Ints]
    by_default: bool = True


@dataclass(frozen=True, eq=False)
class Draft:
    """A run in the making: documents by topic and rank, and the parts of the relevant ones."""

    documents: Ints
    parts: Parts


@dataclass(frozen=True, eq=False)
class Chances:
    """Numbers between 0 and 1, drawn once for all strengths: one per document, two per part."""

    documents: Floats
    starts: Floats
    ends: Floats


@dataclass(frozen=True, eq=False)
class Noise:
    """How a run is spoilt; at strength 0 the kernel changes nothing.

    `unit` says what the strength counts; `strengths` are those tried. A noise that is not `by_chance`
    is tried once. One that `mixes` documents gets a run in which documents without highlights follow
    the relevant ones.
    """

    name: str
    title: str
    sentence: str
    unit: str
    strengths: tuple[float, ...]
    kernel: Callable[[Ground, Draft, float, Chances], Draft]
    by_chance: bool = True
    mixes: bool = False


PART_SETS: Registry[PartSet] = Registry("part set")
RANKINGS: Registry[DocumentRanking] = Registry("ranking")
NOISES: Registry[Noise] = Registry("noise")

AnyExpected = TypeVar("AnyExpected", bound=Expected)


def part_set(**fields: Any) -> Callable[[Function], Function]:
    """Register the decorated function as a part set; its docstring is its sentence."""
    return _registering(PartSet, PART_SETS, {"below": (), **fields})


def ranking(**fields: Any) -> Callable[[Function], Function]:
    """Register the decorated function as a ranking; its docstring is its sentence."""
    return _registering(DocumentRanking, RANKINGS, {"below": (), **fields})


def noise(**fields: Any) -> Callable[[Function], Function]:
    """Register the decorated function as a noise; its docstring is its sentence."""
    return _registering(Noise, NOISES, fields)


def _registering(
    kind: type[Any], registry: Registry[Any], fields: Mapping[str, Any]
) -> Callable[[Function], Function]:
    name = fields["name"]
    if not NAME.fullmatch(name):
        raise UsageError(
            f"the name {name!r} must begin with a letter and have only letters, digits, - and _"
        )
    # What is better must be registered first, so that no order of merit runs in a circle.
    unknown = [better for better in fields.get("below", ()) if better not in registry]
    if unknown:
        raise UsageError(
            f"{name!r} is placed below {unknown[0]!r}, which is not registered: register it first"
        )
    return registry.registering(kind, **fields)


def covers(registry: Mapping[str, AnyExpected], names: Sequence[str]) -> list[tuple[str, str]]:
    """(better, worse) for every two of the names with no third of them expected in between."""
    above = {name: _above(registry, name).intersection(names) for name in names}
    return [
        (better, worse)
        for better in names
        for worse in names
        if better in above[worse] and not any(better in above[between] for between in above[worse])
    ]


def _above(registry: Mapping[str, AnyExpected], name: str) -> set[str]:
    """All that are expected to be better than one."""
    better = registry[name].below
    return set(better).union(*(_above(registry, one) for one in better))
