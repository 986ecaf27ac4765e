"""The registries of the lab: what can be returned, in which order, and how it can be spoilt.

A part set or a ranking names those that are expected to be better than it; a researcher adds one
by decorating a function in a file of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING
from dataclasses import fields as fields_of
from inspect import signature
from math import isfinite
from numbers import Real
from typing import Any, TypeVar

from foveal.errors import UsageError
from foveal.frozen import frozen
from foveal.registry import Registry
from foveal.spans import Floats, Ints
from foveal.studies.fidelity._lab_documents import LabDocuments, Parts

Function = TypeVar("Function", bound=Callable[..., Any])
# They become parts of the names of runs (SL.RI) and of files.
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


@frozen(eq=False)
class ExpectedOrder:
    """Something with a place in an order of merit: `below` are those just better than it."""

    name: str
    title: str
    sentence: str
    below: tuple[str, ...]


@frozen(eq=False)
class PartSet(ExpectedOrder):
    """What is returned of relevant documents; the kernel gives the parts in document order."""

    kernel: Callable[[LabDocuments], Parts]
    needs_elements: bool = False


@frozen(eq=False)
class DocumentRanking(ExpectedOrder):
    """In which order documents are returned; the kernel gives their rows, topic after topic.

    One that is not used `by_default` is used where it is asked for.
    """

    kernel: Callable[[LabDocuments], Ints]
    by_default: bool = True


@frozen(eq=False)
class RunDraft:
    """A run in the making: documents by topic and rank, and the parts of the relevant ones."""

    documents: Ints
    parts: Parts


@frozen(eq=False)
class NoiseSource:
    """Numbers between 0 and 1, drawn once for all strengths: one per document, two per part."""

    documents: Floats
    starts: Floats
    ends: Floats


@frozen(eq=False)
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
    kernel: Callable[[LabDocuments, RunDraft, float, NoiseSource], RunDraft]
    by_chance: bool = True
    mixes: bool = False


PART_SETS: Registry[PartSet] = Registry("part set")
RANKINGS: Registry[DocumentRanking] = Registry("ranking")
NOISES: Registry[Noise] = Registry("noise")

AnyExpected = TypeVar("AnyExpected", bound=ExpectedOrder)


def part_set(**fields: Any) -> Callable[[Function], Function]:
    """Register the decorated function as a part set; its docstring is its sentence."""
    return _registering(PartSet, PART_SETS, {"below": (), **fields}, ("ground",))


def ranking(**fields: Any) -> Callable[[Function], Function]:
    """Register the decorated function as a ranking; its docstring is its sentence."""
    return _registering(DocumentRanking, RANKINGS, {"below": (), **fields}, ("ground",))


def noise(**fields: Any) -> Callable[[Function], Function]:
    """Register the decorated function as a noise; its docstring is its sentence."""
    return _registering(Noise, NOISES, fields, ("ground", "draft", "strength", "chances"))


def _registering(
    kind: type[Any], registry: Registry[Any], given: Mapping[str, Any], takes: Sequence[str]
) -> Callable[[Function], Function]:
    _refuse_fields(kind, registry.noun, given)
    name = given["name"]
    if not NAME.fullmatch(name):
        raise UsageError(
            f"the name {name!r} must begin with a letter and have only letters, digits, - and _"
        )
    below = given.get("below", ())
    if not isinstance(below, tuple | list):
        raise UsageError(
            f"below must be names in parentheses, as in below=('S',), got {below!r} for {name!r}"
        )
    # What is better must be registered first, so that no order of merit runs in a circle.
    unknown = [better for better in below if better not in registry]
    if unknown:
        raise UsageError(
            f"{name!r} is placed below {unknown[0]!r}, which is not registered: register it first"
        )
    if "strengths" in given:
        _refuse_strengths(name, given["strengths"])
    registering = registry.registering(kind, **given)

    def register(function: Function) -> Function:
        _refuse_signature(f"{registry.noun} {name!r}", function, takes)
        return registering(function)

    return register


def _refuse_fields(kind: type[Any], noun: str, given: Mapping[str, Any]) -> None:
    """Refuse fields that do not exist, that are missing, or that should be text."""
    known = [one for one in fields_of(kind) if one.name not in ("kernel", "sentence")]
    names = [one.name for one in known]
    if unknown := [name for name in given if name not in names]:
        raise UsageError(f"a {noun} has {', '.join(names)}, but no {unknown[0]!r}")
    missing = [one.name for one in known if one.name not in given and one.default is MISSING]
    if missing:
        raise UsageError(f"a {noun} needs {missing[0]}=")
    for name in ("name", "title", "unit"):
        if not isinstance(given.get(name, ""), str):
            raise UsageError(f"the {name} of a {noun} must be text, got {given[name]!r}")


def _refuse_strengths(name: str, strengths: object) -> None:
    """Refuse strengths that do not rise from 0, where nothing is spoilt: losses are counted from it."""
    is_list = isinstance(strengths, tuple | list) and all(
        isinstance(one, Real) and isfinite(one) for one in strengths
    )
    rising = list(strengths) if is_list else []  # type: ignore[call-overload]  # checked above
    if len(rising) < 2 or rising[0] != 0 or rising != sorted(set(rising)):
        raise UsageError(
            f"the strengths of noise {name!r} must be numbers that rise from 0, as in (0, 1, 2), got"
            f" {strengths!r}"
        )


def _refuse_signature(owner: str, function: object, takes: Sequence[str]) -> None:
    """Refuse what cannot be called with the arguments that the lab gives."""
    try:
        signature(function).bind(*takes)  # type: ignore[arg-type]  # that is what is tried
    except (TypeError, ValueError) as error:
        raise UsageError(f"{owner} must be a function of ({', '.join(takes)})") from error


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
