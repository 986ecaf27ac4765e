"""The registries of the lab: part sets, rankings of documents, and noises.

A part set or a ranking names those that are expected to be better than it; a researcher adds one
by decorating a function in a plugin file.
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
# Names become parts of the names of runs (SL.RI) and of files.
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


@frozen(eq=False)
class ExpectedOrder:
    """A record with a place in an order of merit: `below` names those just better than it."""

    name: str
    title: str
    sentence: str
    below: tuple[str, ...]


@frozen(eq=False)
class PartSet(ExpectedOrder):
    """A way to choose parts of relevant documents; the kernel gives them in document order."""

    kernel: Callable[[LabDocuments], Parts]
    needs_elements: bool = False


@frozen(eq=False)
class DocumentRanking(ExpectedOrder):
    """An order of documents; the kernel gives their rows, topic after topic.

    A ranking that is not used `by_default` is used only if it is named.
    """

    kernel: Callable[[LabDocuments], Ints]
    by_default: bool = True


@frozen(eq=False)
class RunDraft:
    """Contents of a simulated run: documents by topic and rank, and parts of the relevant ones."""

    documents: Ints
    parts: Parts


@frozen(eq=False)
class NoiseSource:
    """Random numbers between 0 and 1, the same for all strengths: one per document, two per part."""

    documents: Floats
    starts: Floats
    ends: Floats


@frozen(eq=False)
class Noise:
    """A way to spoil a run; at strength 0 the kernel changes nothing.

    `unit` says what the strength counts; `strengths` are those tested. A noise that is not `by_chance`
    is tested once. One that `mixes` documents gets a run in which documents without highlights follow
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
    return _registration(PartSet, PART_SETS, {"below": (), **fields}, ("lab",))


def ranking(**fields: Any) -> Callable[[Function], Function]:
    """Register the decorated function as a ranking; its docstring is its sentence."""
    return _registration(DocumentRanking, RANKINGS, {"below": (), **fields}, ("lab",))


def noise(**fields: Any) -> Callable[[Function], Function]:
    """Register the decorated function as a noise; its docstring is its sentence."""
    return _registration(Noise, NOISES, fields, ("lab", "draft", "strength", "chances"))


def _registration(
    cls: type[Any], registry: Registry[Any], fields: Mapping[str, Any], parameters: Sequence[str]
) -> Callable[[Function], Function]:
    _refuse_fields(cls, registry.noun, fields)
    name = fields["name"]
    if not NAME.fullmatch(name):
        raise UsageError(
            f"the name {name!r} must begin with a letter and have only letters, digits, - and _"
        )
    below = fields.get("below", ())
    if not isinstance(below, tuple | list):
        raise UsageError(
            f"below must be names in parentheses, as in below=('S',), got {below!r} for {name!r}"
        )
    # Better records must be registered first, so that the order of merit has no cycles.
    unknown = [better for better in below if better not in registry]
    if unknown:
        raise UsageError(
            f"{name!r} is placed below {unknown[0]!r}, which is not registered: register it first"
        )
    if "strengths" in fields:
        _refuse_strengths(name, fields["strengths"])
    register_record = registry.registering(cls, **fields)

    def register(function: Function) -> Function:
        _refuse_signature(f"{registry.noun} {name!r}", function, parameters)
        return register_record(function)

    return register


def _refuse_fields(cls: type[Any], noun: str, fields: Mapping[str, Any]) -> None:
    """Refuse fields that do not exist, that are missing, or that should be text."""
    expected = [field for field in fields_of(cls) if field.name not in ("kernel", "sentence")]
    names = [field.name for field in expected]
    if unknown := [name for name in fields if name not in names]:
        raise UsageError(f"a {noun} has {', '.join(names)}, but no {unknown[0]!r}")
    missing = [
        field.name for field in expected if field.name not in fields and field.default is MISSING
    ]
    if missing:
        raise UsageError(f"a {noun} needs {missing[0]}=")
    for name in ("name", "title", "unit"):
        if not isinstance(fields.get(name, ""), str):
            raise UsageError(f"the {name} of a {noun} must be text, got {fields[name]!r}")


def _refuse_strengths(name: str, strengths: object) -> None:
    """Refuse strengths that do not rise from 0; losses are relative to the score at strength 0."""
    is_list = isinstance(strengths, tuple | list) and all(
        isinstance(strength, Real) and isfinite(strength) for strength in strengths
    )
    rising = list(strengths) if is_list else []  # type: ignore[call-overload]  # checked above
    if len(rising) < 2 or rising[0] != 0 or rising != sorted(set(rising)):
        raise UsageError(
            f"the strengths of noise {name!r} must be numbers that rise from 0, as in (0, 1, 2), got"
            f" {strengths!r}"
        )


def _refuse_signature(owner: str, function: object, parameters: Sequence[str]) -> None:
    """Refuse an object that cannot be called with the lab's arguments."""
    try:
        signature(function).bind(*parameters)  # type: ignore[arg-type]  # raises TypeError if not callable
    except (TypeError, ValueError) as error:
        raise UsageError(f"{owner} must be a function of ({', '.join(parameters)})") from error


def covers(registry: Mapping[str, AnyExpected], names: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs (better, worse) of the names with none of the other names in between."""
    all_better = {name: _all_better(registry, name).intersection(names) for name in names}
    return [
        (better, worse)
        for better in names
        for worse in names
        if better in all_better[worse]
        and not any(better in all_better[between] for between in all_better[worse])
    ]


def _all_better(registry: Mapping[str, AnyExpected], name: str) -> set[str]:
    """Names of all records that are expected to be better than the named one."""
    better = registry[name].below
    return set(better).union(*(_all_better(registry, better_name) for better_name in better))
