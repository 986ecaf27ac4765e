"""Names of measures: many spellings are read, one canonical name is written."""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import partial
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
    from_doc_name,
    from_plain,
    plain_name,
    probable_name,
    translated,
)
from foveal.measures.document_scores import DOCUMENT_SCORES, PARAMETERS, DocumentScore

_SPELLING = re.compile(
    r"(?P<name>[A-Za-z0-9_.]*[A-Za-z0-9_]'?)"
    r"\s*(?:\((?P<inside>[^()]*)\))?"
    r"\s*(?:@(?P<cutoff>[^\s@()\[\]]+)|\[(?P<level>[^\[\]()]+)\])?"
)
# In these tasks P, R and the like are not ambiguous: they mean text, or documents.
CLEAR_TASKS = {Task.RAG, Task.DOCUMENT}
_AMBIGUOUS = {"P": "cP", "R": "cR", "F": "cF"}
S_PARAMETERS = PARAMETERS[1:]
# So many names show whether they are those of measures, or of topics and documents.
FIRST_NAMES = 100


@frozen
class Measure:
    """A measure with its arguments; prints as its canonical name, which parses back to it."""

    name: str = field(compare=False)
    record: Record
    arguments: tuple[tuple[str, Any], ...]
    explicit: tuple[str, ...] = field(default=(), compare=False)
    """The parameters that the name gives; the others have their defaults."""

    ambiguity: str = field(default="", compare=False)
    """Error message where results are parts and the spelling means documents; else empty."""

    def __str__(self) -> str:
        return self.name

    @property
    def plain(self) -> str:
        """The name in task rag; the canonical one if it has none there."""
        return plain_name(self.record, dict(self.arguments)) or self.name


def parse(text: str, conventions: Conventions | None = None) -> Measure:
    """The measure of that name; arguments left out have the conventions' defaults."""
    measures = parse_all([text], conventions)
    if len(measures) != 1:
        raise UsageError(
            f"{text!r} means {counted(len(measures), 'measure')} here, choose one:"
            f" {', '.join(map(str, measures))}"
        )
    return measures[0]


def parse_all(texts: Sequence[str], conventions: Conventions | None = None) -> list[Measure]:
    """The measures of those names, each once, in the order first named."""
    conventions = conventions or Conventions()
    pairs = [(text, name) for text in texts for name in _spellings(text.strip(), conventions)]
    return list(dict.fromkeys(_parse(text, name, conventions) for text, name in pairs))


def _spellings(text: str, conventions: Conventions) -> list[str]:
    """Foveal's spellings of the measures that a name means."""
    if conventions.task is Task.RAG and (spelling := from_plain(text)):
        return [spelling]
    return from_doc_name(text) or translated(text, conventions.like)


def _parse(text: str, spelling: str, conventions: Conventions) -> Measure:
    """The measure of a spelling of foveal's; messages quote `text`, as the caller wrote it."""
    match = _SPELLING.fullmatch(spelling)
    record = _record(match["name"]) if match else None
    if match and match["name"] in _AMBIGUOUS and match["level"]:
        name, rank = match["name"], match["level"]
        raise UsageError(
            f"{text!r} is ambiguous: {_AMBIGUOUS[name]}@{rank} or {name}@{rank}?"
            " (characters or documents)"
        )
    if match is None or record is None:
        raise UnknownMeasure(text, _similar(spelling, conventions))
    explicit = _explicit_arguments(text, record, match)
    try:
        arguments = record.resolve(explicit, conventions)
    except ValueError as error:
        raise BadParameter(text, str(error)) from error
    canonical = _canonical(record, _without_redundant(record, explicit, arguments, conventions))
    return Measure(
        canonical,
        record,
        tuple(sorted(arguments.items())),
        tuple(explicit),
        "" if conventions.task in CLEAR_TASKS else ambiguity(text.strip(), canonical),
    )


def _record(name: str) -> Record | None:
    for record in REGISTRY.values():
        if name == record.name or name in record.aliases:
            return record
    return None


def _explicit_arguments(text: str, record: Record, match: re.Match[str]) -> dict[str, Any]:
    """The arguments that a name gives, parsed."""
    parameters = {parameter.name: parameter for parameter in record.parameters}
    texts: dict[str, str] = {}
    for item in filter(None, (part.strip() for part in (match["inside"] or "").split(","))):
        key, equals, value = (piece.strip() for piece in item.partition("="))
        if key in texts:
            raise BadParameter(text, f"{key} is given twice")
        if key not in parameters or not equals or parameters[key] is record.suffix:
            raise BadParameter(text, _parameter_problem(record, key, value))
        texts[key] = value
    tail = match["cutoff"] or match["level"]
    if tail:
        if record.suffix is None:
            raise BadParameter(text, f"it takes no cut-off or recall level, got {quoted(tail)}")
        texts[record.suffix.name] = tail
    try:
        return {key: parameters[key].parsed(value) for key, value in texts.items()}
    except ValueError as error:
        raise BadParameter(text, str(error)) from error


def _parameter_problem(record: Record, key: str, value: str) -> str:
    """Message about a parameter that is unknown, has no value or belongs after the name."""
    parameters = {p.name: p for p in record.parameters if p is not record.suffix}
    if key in parameters:
        return f"{key} needs a value, as in {key}=…"
    if record.suffix and key == record.suffix.name:
        return (
            f"write {key} after the name, as in {record.name}{record.suffix.in_name(value or key)}"
        )
    return f"unknown parameter {key!r}; it takes {', '.join(parameters) or 'none'}"


def _without_redundant(
    record: Record, explicit: dict[str, Any], arguments: dict[str, Any], conventions: Conventions
) -> dict[str, Any]:
    """The explicit arguments without those that equal their defaults."""
    needed = dict(explicit)
    for key in explicit:
        without = {name: value for name, value in needed.items() if name != key}
        try:
            is_redundant = record.resolve(without, conventions) == arguments
        except ValueError:
            is_redundant = False
        if is_redundant:
            needed = without
    return needed


def _canonical(record: Record, arguments: dict[str, Any]) -> str:
    inside, tail = [], ""
    for parameter in record.parameters:
        if parameter.name in arguments:
            text = parameter.in_name(parameter.formatted(arguments[parameter.name]))
            if parameter is record.suffix:
                tail = text
            else:
                inside.append(text)
    return record.name + (f"({','.join(inside)})" if inside else "") + tail


def _similar(text: str, conventions: Conventions) -> list[str]:
    """Names similar to a mistyped one, with its arguments where they fit."""
    plain = probable_name(text)
    if plain and conventions.task is Task.RAG:
        return [plain]
    if plain and (spelling := from_plain(plain)):
        return [spelling, f"--task rag -m {plain}"]
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
    names = dict.fromkeys(spellings[spelling] for spelling in close)
    return [_with_tail(name, [tail, re.sub(r"\(.*\)", "", tail)], conventions) for name in names]


def _with_tail(name: str, tails: Iterable[str], conventions: Conventions) -> str:
    """The name with the first tail that makes it a measure, or the name alone."""
    for tail in tails:
        if _SPELLING.fullmatch(name + tail):
            with contextlib.suppress(UsageError):
                if _record(name):
                    return str(_parse(name + tail, name + tail, conventions))
                if spelling := from_plain(name + tail):
                    return _parse(spelling, spelling, conventions).plain
    return name


def record_of(canonical: str) -> Record:
    """The record of a canonical name; FOREIGN for another program's measure."""
    return _record(re.split(r"[@(\[]", canonical)[0]) or FOREIGN


def is_measure(name: str) -> bool:
    """True if a name means one measure, in any spelling."""
    with contextlib.suppress(UsageError):
        spellings = _spellings(name.strip(), Conventions())
        match = _SPELLING.fullmatch(spellings[0]) if len(spellings) == 1 else None
        # parse would search names similar to an unknown one, which is slow.
        return bool(match and _record(match["name"]) and parse(name))
    return False


def share_of_measures(names: Iterable[str]) -> float:
    """Share of the first names that are measures, from 0 to 1."""
    first = list(islice(names, FIRST_NAMES))
    return sum(map(is_measure, first)) / max(len(first), 1)


class OtherMeasure(Protocol):
    """A measure of ir_measures, such as nDCG @ 10; written as text it is its name."""

    def aggregator(self) -> object:
        """The aggregator of its values, which foveal does not use."""


MeasuresLike: TypeAlias = str | Measure | OtherMeasure | Iterable[str | Measure | OtherMeasure]
"""One measure or several: names, or objects of ir_measures."""


def names_of(measures: MeasuresLike) -> list[str]:
    """The names of one measure or of several."""
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        measures = [measures]
    items: list[object] = list(measures)
    for item in items:
        if item is None or isinstance(item, int | float):
            reason = f"a measure must be a name such as 'AiP' or 'nDCG@10', got {item!r}"
            raise UsageError(reason)
    return [str(item) for item in items]


@frozen
class Setting:
    """A parameter and its value; `by_like` has the values with another --like that differ.

    Without a value, the parameter's `unset` describes what is done instead.
    """

    parameter: Parameter
    value: Any
    is_explicit: bool
    by_like: Mapping[Like, Any]

    @property
    def has_value(self) -> bool:
        """True if there is a value, explicit or by default."""
        return _is_value(self.value)


def record_settings(record: Record) -> list[Setting]:
    """Settings of a measure at their defaults, without the parameters of document scores."""
    parameters = [parameter for parameter in record.parameters if parameter not in S_PARAMETERS]
    return _settings(parameters, record.defaults, ())


def score_settings(score: DocumentScore) -> list[Setting]:
    """Settings of a document score at their defaults."""
    return _settings(score.parameters, partial(score.resolve, {}), ())


def measure_settings(measure: Measure) -> list[Setting]:
    """Settings of a measure with its arguments; of document scores, only those of its S."""
    record, arguments = measure.record, dict(measure.arguments)
    score_parameters = DOCUMENT_SCORES[arguments["S"]].parameters if "S" in arguments else ()
    parameters = [p for p in record.parameters if p not in S_PARAMETERS or p in score_parameters]
    explicit = {name: arguments[name] for name in measure.explicit}
    return _settings(parameters, partial(record.resolve, explicit), measure.explicit)


def _settings(
    parameters: Sequence[Parameter],
    resolve: Callable[[Conventions], Arguments],
    explicit: Sequence[str],
) -> list[Setting]:
    arguments = resolve(Conventions())
    by_program = {like: resolve(Choices(like=like).conventions(Task.FOCUSED)) for like in Like}
    return [
        Setting(
            parameter,
            arguments.get(parameter.name),
            parameter.name in explicit,
            {
                like: other_arguments[parameter.name]
                for like, other_arguments in by_program.items()
                if _is_value(other_arguments.get(parameter.name))
                and other_arguments[parameter.name] != arguments.get(parameter.name)
            },
        )
        for parameter in parameters
    ]


def _is_value(value: Any) -> bool:
    return value is not None and value != ()
