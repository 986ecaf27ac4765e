"""The parameters of a measure with the values in force: those given, and the defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from foveal.choices import Like, Task
from foveal.conventions import Choices, Conventions
from foveal.frozen import frozen
from foveal.measures._grammar import Measure
from foveal.measures._parameters import Parameter
from foveal.measures._record import Arguments, Record
from foveal.measures.document_scores import DOCUMENT_SCORES, PARAMETERS, DocumentScore

OF_SCORES = PARAMETERS[1:]


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
