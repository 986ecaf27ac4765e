"""Scores as the official INEX program prints them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from math import isnan

from foveal.errors import UsageError
from foveal.evaluation import Scores
from foveal.measures import record_of
from foveal.rendering._numbers import as_java_prints
from foveal.tables import columns as c

_OFFICIAL = {"charP": "char_prec", "charR": "char_rec", "charF": "char_f1"}
_ON_ALL = {"AgP": "MAgP", "AiP": "MAiP"}
_TOPIC_LEVELS = {"iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]"}
_TAB = 8


def draw(scores: Scores, *, per_topic: bool) -> str:
    """The official program's lines, in its order and under its names."""
    names = _official_names(scores.measures)
    lines: list[str] = []
    for run in scores.values:
        source = run.origin.source or run.name
        lines.append(f'<eval run-id="{escape(run.name)}" file="{escape(source)}">')
        if per_topic:
            for topic, row in zip(run.topics, run.values.T.tolist(), strict=True):
                values = dict(zip(scores.columns, row, strict=True))
                lines += _topic_lines(names, topic, values)
                lines += _extra_column_lines(scores.extra_columns, topic, values)
        overall = dict(zip(scores.columns, run.overall, strict=True))
        lines += _overall_lines(names, overall)
        lines += _extra_column_lines(scores.extra_columns, c.ALL_TOPICS, overall)
        lines.append("</eval>")
    return "\n".join(lines) + "\n"


def _official_names(measures: list[str]) -> dict[str, str]:
    """The program's name of each measure; refuse two measures with the same name."""
    names = {measure: _official_name(measure) for measure in measures}
    for name in names.values():
        same_named = [measure for measure in measures if names[measure] == name]
        if len(same_named) > 1:
            raise UsageError(
                f"--to inex prints {' and '.join(same_named)} under the same name, {name}: ask for one"
                " of them"
            )
    return names


def _official_name(measure: str) -> str:
    has_score = any(parameter.name == "S" for parameter in record_of(measure).parameters)
    bare_name = re.sub(r"\([^)]*\)", "", measure) if has_score else measure
    cutoff = re.fullmatch(r"(gP|gR|gRt)@(\d+)", bare_name)
    return f"{cutoff[1]}[{cutoff[2]}]" if cutoff else _OFFICIAL.get(bare_name, bare_name)


def _curve(names: dict[str, str]) -> dict[str, str]:
    """The measures of the program's recall-precision curve, if all of them are present."""
    parts = {f"iP[{level / 100:.2f}]" for level in range(101)}
    documents = {f"igP[{level / 10:.2f}]" for level in range(11)}
    official = set(names.values())
    complete_curve = next((curve for curve in (parts, documents) if curve <= official), set())
    return {measure: name for measure, name in names.items() if name in complete_curve}


def _topic_lines(names: dict[str, str], topic: str, row: dict[str, float]) -> Iterable[str]:
    curve = _curve(names)
    for measure, name in names.items():
        if measure != "num_q" and (measure not in curve or name in _TOPIC_LEVELS):
            yield _line(name, topic, measure, row[measure])


def _overall_lines(names: dict[str, str], row: dict[str, float]) -> Iterable[str]:
    """The totals, then the in-context average, the other means, and the curve."""
    curve = _curve(names)
    counts = [measure for measure in names if record_of(measure).whole_number]
    average = [measure for measure, name in names.items() if name == "AgP"]
    leading = [*counts, *average]
    for measure in [*leading, *(measure for measure in names if measure not in leading)]:
        name = names[measure]
        if measure not in curve or name in _TOPIC_LEVELS:
            yield _line(_ON_ALL.get(name, name), c.ALL_TOPICS, measure, row[measure])
    for measure, name in sorted(curve.items(), key=lambda item: item[1]):
        level = name[name.index("[") + 1 : -1]
        yield _line(f"ircl_prn.{level}", c.ALL_TOPICS, measure, row[measure])


def _extra_column_lines(names: Iterable[str], topic: str, row: dict[str, float]) -> Iterable[str]:
    """Extra columns, in the format of the program, which does not have them."""
    values = ((name, row[name]) for name in names if not isnan(row[name]))
    return [f"{name}\t{topic}\t{as_java_prints(value)}" for name, value in values]


def _line(name: str, topic: str, measure: str, value: float) -> str:
    is_integer = record_of(measure).whole_number
    tabs = "\t\t" if len(name) < _TAB else "\t"
    return f"{name}{tabs}{topic}\t{int(value) if is_integer else as_java_prints(value)}"
