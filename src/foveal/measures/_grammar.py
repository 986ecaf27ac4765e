"""Measures by name: many spellings are read, one canonical name is written with its parameters."""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import islice
from typing import Any, Protocol, TypeAlias

from foveal.choices import Like, Task
from foveal.conventions import Choices, Conventions
from foveal.errors import BadParameter, UnknownMeasure, UsageError, counted
from foveal.frozen import frozen
from foveal.measures._parameters import Parameter, quoted
from foveal.measures._record import FOREIGN, REGISTRY, Arguments, Record
from foveal.measures._spellings import (
    NEAR,
    ambiguity,
    of_documents,
    of_text,
    plain_name,
    probably_meant,
    translated,
)
from foveal.measures.document_scores import DOCUMENT_SCORES, PARAMETERS, DocumentScore

_SPELLING = re.compile(
    r"(?P<name>[A-Za-z0-9_.]*[A-Za-z0-9_]'?)"
    r"\s*(?:\((?P<inside>[^()]*)\))?"
    r"\s*(?:@(?P<at>[^\s@()\[\]]+)|\[(?P<level>[^\[\]()]+)\])?"
)
# Tasks that say whether text or documents are meant.
CLEAR_TASKS = {Task.RAG, Task.DOCUMENT}
_AMBIGUOUS = {"P": "cP", "R": "cR", "F": "cF"}
OF_SCORES = PARAMETERS[1:]
# Enough names to tell those of measures from those of topics and documents.
FIRST_NAMES = 100


@frozen
class Measure:
    """A measure with its arguments; prints as its canonical name, which parses back to it."""

    name: str = field(compare=False)
    record: Record
    arguments: tuple[tuple[str, Any], ...]
    given: tuple[str, ...] = field(default=(), compare=False)
    """The parameters that were spelled out; the others have their defaults."""

    ambiguity: str = field(default="", compare=False)
    """Why the spelling must not stand where results are parts, if it must not."""

    def __str__(self) -> str:
        return self.name

    @property
    def plain(self) -> str:
        """The name in the words of task rag; the canonical one if there is none."""
        return plain_name(self.record, dict(self.arguments)) or self.name


def parse(text: str, conventions: Conventions | None = None) -> Measure:
    """The measure that a spelling names; arguments left out have the conventions' defaults."""
    found = parse_all([text], conventions)
    if len(found) != 1:
        raise UsageError(
            f"{text!r} stands for {counted(len(found), 'measure')}, give one of them:"
            f" {', '.join(map(str, found))}"
        )
    return found[0]


def parse_all(texts: Sequence[str], conventions: Conventions | None = None) -> list[Measure]:
    """The measures that several spellings name, each once, in the order first named."""
    conventions = conventions or Conventions()
    spelled = [(text, ours) for text in texts for ours in _spelled(text.strip(), conventions)]
    return list(dict.fromkeys(_parse(text, ours, conventions) for text, ours in spelled))


def _spelled(text: str, conventions: Conventions) -> list[str]:
    """Our spellings of the measures that a name stands for."""
    if conventions.task is Task.RAG and (ours := of_text(text)):
        return [ours]
    return of_documents(text) or translated(text, conventions.like)


def _parse(text: str, ours: str, conventions: Conventions) -> Measure:
    """The measure that our own spelling names; `text` is what the caller wrote."""
    spelling = _SPELLING.fullmatch(ours)
    record = _record(spelling["name"]) if spelling else None
    if spelling and spelling["name"] in _AMBIGUOUS and spelling["level"]:
        name, rank = spelling["name"], spelling["level"]
        raise UsageError(
            f"{text!r} is ambiguous: {_AMBIGUOUS[name]}@{rank} or {name}@{rank}?"
            " (characters or documents)"
        )
    if spelling is None or record is None:
        raise UnknownMeasure(text, _similar(ours, conventions))
    given = _given(text, record, spelling)
    try:
        arguments = record.resolve(given, conventions)
    except ValueError as error:
        raise BadParameter(text, str(error)) from error
    canonical = _canonical(record, _needed(record, given, arguments, conventions))
    return Measure(
        canonical,
        record,
        tuple(sorted(arguments.items())),
        tuple(given),
        "" if conventions.task in CLEAR_TASKS else ambiguity(text.strip(), canonical),
    )


def _record(name: str) -> Record | None:
    for record in REGISTRY.values():
        if name == record.name or name in record.aliases:
            return record
    return None


def _given(text: str, record: Record, spelling: re.Match[str]) -> dict[str, Any]:
    """The arguments that were spelled out, parsed."""
    known = {parameter.name: parameter for parameter in record.parameters}
    spelled: dict[str, str] = {}
    for item in filter(None, (part.strip() for part in (spelling["inside"] or "").split(","))):
        key, equals, value = (piece.strip() for piece in item.partition("="))
        if key in spelled:
            raise BadParameter(text, f"{key} is given twice")
        if key not in known or not equals or known[key] is record.suffix:
            raise BadParameter(text, _why_not(record, key, value))
        spelled[key] = value
    tail = spelling["at"] or spelling["level"]
    if tail:
        if record.suffix is None:
            raise BadParameter(text, f"it takes no cut-off or recall level, got {quoted(tail)}")
        spelled[record.suffix.name] = tail
    try:
        return {key: known[key].parsed(value) for key, value in spelled.items()}
    except ValueError as error:
        raise BadParameter(text, str(error)) from error


def _why_not(record: Record, key: str, value: str) -> str:
    """What is wrong with a parameter that is unknown, has no value or belongs after the name."""
    known = {p.name: p for p in record.parameters if p is not record.suffix}
    if key in known:
        return f"{key} needs a value, as in {key}=…"
    if record.suffix and key == record.suffix.name:
        return (
            f"write {key} after the name, as in {record.name}{record.suffix.written(value or key)}"
        )
    return f"unknown parameter {key!r}; it takes {', '.join(known) or 'none'}"


def _needed(
    record: Record, given: dict[str, Any], arguments: dict[str, Any], conventions: Conventions
) -> dict[str, Any]:
    """The given arguments without those that change nothing."""
    needed = dict(given)
    for key in given:
        without = {name: value for name, value in needed.items() if name != key}
        try:
            same = record.resolve(without, conventions) == arguments
        except ValueError:
            same = False
        if same:
            needed = without
    return needed


def _canonical(record: Record, needed: dict[str, Any]) -> str:
    inside, tail = [], ""
    for parameter in record.parameters:
        if parameter.name in needed:
            written = parameter.written(parameter.shown(needed[parameter.name]))
            if parameter is record.suffix:
                tail = written
            else:
                inside.append(written)
    return record.name + (f"({','.join(inside)})" if inside else "") + tail


def _similar(text: str, conventions: Conventions) -> list[str]:
    """Names that look like a mistyped one, with what followed it where that fits."""
    plain = probably_meant(text)
    if plain and conventions.task is Task.RAG:
        return [plain]
    if plain and (ours := of_text(plain)):
        return [ours, f"--task rag -m {plain}"]
    spellings = {
        spelling.lower(): record.name
        for record in REGISTRY.values()
        for spelling in (record.name, *record.aliases)
    }
    if conventions.task is Task.RAG:
        spellings |= {record.plain: record.plain for record in REGISTRY.values() if record.plain}
    name = re.split(r"[@(\[]", text.strip())[0]
    tail = text.strip().removeprefix(name)
    close = difflib.get_close_matches(name.lower(), spellings, n=3, cutoff=NEAR)
    names = dict.fromkeys(spellings[word] for word in close)
    return [_fitting(name, [tail, re.sub(r"\(.*\)", "", tail)], conventions) for name in names]


def _fitting(name: str, tails: Iterable[str], conventions: Conventions) -> str:
    """The name with the first of the tails that makes it a measure, or the name alone."""
    for tail in tails:
        if _SPELLING.fullmatch(name + tail):
            with contextlib.suppress(UsageError):
                if _record(name):
                    return str(_parse(name + tail, name + tail, conventions))
                if ours := of_text(name + tail):
                    return _parse(ours, ours, conventions).plain
    return name


def record_of(canonical: str) -> Record:
    """The record of a canonical name, under any conventions; FOREIGN for another program's measure."""
    return _record(re.split(r"[@(\[]", canonical)[0]) or FOREIGN


def is_measure(name: str) -> bool:
    """Whether a name is that of one measure, in any spelling."""
    with contextlib.suppress(UsageError):
        ours = _spelled(name.strip(), Conventions())
        spelling = _SPELLING.fullmatch(ours[0]) if len(ours) == 1 else None
        # Of other names similar ones would be looked for, which takes long.
        return bool(spelling and _record(spelling["name"]) and parse(name))
    return False


def share_of_measures(names: Iterable[str]) -> float:
    """How many of the first names are those of measures, from 0 to 1."""
    first = list(islice(names, FIRST_NAMES))
    return sum(map(is_measure, first)) / max(len(first), 1)


class OtherMeasure(Protocol):
    """A measure of ir_measures, such as nDCG @ 10; written as text it is its name."""

    def aggregator(self) -> object:
        """What averages its values, which foveal does itself."""


MeasuresLike: TypeAlias = str | Measure | OtherMeasure | Iterable[str | Measure | OtherMeasure]
"""One measure or several: names, or objects of ir_measures."""


def named(measures: MeasuresLike) -> list[str]:
    """The names of one measure or of several."""
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        measures = [measures]
    given: list[object] = list(measures)
    for measure in given:
        if measure is None or isinstance(measure, int | float):
            reason = f"a measure must be a name such as 'AiP' or 'nDCG@10', got {measure!r}"
            raise UsageError(reason)
    return [str(measure) for measure in given]


@frozen
class Setting:
    """A parameter and its value; `elsewhere` has the defaults of sources that differ.

    Without a value, the parameter's `unset` says what holds instead.
    """

    parameter: Parameter
    value: Any
    given: bool
    elsewhere: Mapping[Like, Any]

    @property
    def has_value(self) -> bool:
        """Whether there is a value, given or by default."""
        return _is_value(self.value)


def record_settings(record: Record) -> list[Setting]:
    """The parameters of a measure, none of them given; those of document scores are apart."""
    own = [parameter for parameter in record.parameters if parameter not in OF_SCORES]
    return _settings(own, record.defaults, ())


def score_settings(score: DocumentScore) -> list[Setting]:
    """The parameters of a document score, none of them given."""
    return _settings(score.parameters, lambda decided: score.resolve({}, decided), ())


def measure_settings(measure: Measure) -> list[Setting]:
    """The parameters of a measure as it is asked for; of document scores, only those of its own."""
    record, arguments = measure.record, dict(measure.arguments)
    of_score = DOCUMENT_SCORES[arguments["S"]].parameters if "S" in arguments else ()
    taken = [p for p in record.parameters if p not in OF_SCORES or p in of_score]
    given = {name: arguments[name] for name in measure.given}
    return _settings(taken, lambda decided: record.resolve(given, decided), measure.given)


def _settings(
    parameters: Sequence[Parameter],
    resolve: Callable[[Conventions], Arguments],
    given: Sequence[str],
) -> list[Setting]:
    here = resolve(Conventions())
    others = {like: resolve(Choices(like=like).decided(Task.FOCUSED)) for like in Like}
    return [
        Setting(
            parameter,
            here.get(parameter.name),
            parameter.name in given,
            {
                like: other[parameter.name]
                for like, other in others.items()
                if _is_value(other.get(parameter.name))
                and other[parameter.name] != here.get(parameter.name)
            },
        )
        for parameter in parameters
    ]


def _is_value(value: Any) -> bool:
    return value is not None and value != ()
