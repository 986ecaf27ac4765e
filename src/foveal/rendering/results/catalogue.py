"""The catalogue of measures and formats, from their records."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from foveal.choices import Answers, Form, either
from foveal.formats import QRELS_FORMATS, RUN_FORMATS, TOPICS_FORMATS
from foveal.measures import (
    DOCUMENT_SCORES,
    REGISTRY,
    DocumentScore,
    Measure,
    Record,
    Setting,
    Unit,
    Variant,
    geometric_mean,
    is_rank_based,
    mean,
    measure_settings,
    parse,
    record_of,
    record_settings,
    score_settings,
    variants,
)
from foveal.registry import Registry, by_file

OVER_TOPICS: dict[object, str] = {mean: "mean", geometric_mean: "geometric mean"}


def described_measure(name: str) -> str:
    """The whole record of a measure, and the values of its parameters."""
    measure = _record_or_measure(name)
    if isinstance(measure, Record):
        lines = [f"{measure.shape}: {measure.title}", "", measure.sentence, ""]
        lines += _aligned(record_facts(measure))
        lines += _parameters(record_settings(measure))
        if measure.by_score:
            lines += ["", "document scores"]
            lines += [line for score in DOCUMENT_SCORES.values() for line in _score_lines(score)]
    else:
        lines = [f"{measure.name}: {measure.record.title}", "", measure.record.sentence]
        if score := _score_of(measure):
            lines.append(f"S={score.name}: {score.sentence}")
        lines += ["", *_aligned(measure_facts(measure)), *_parameters(measure_settings(measure))]
    return "\n".join(lines) + "\n"


def record_facts(record: Record) -> dict[str, str]:
    """Facts from a measure's record besides name, title and sentence, in a fixed order."""
    relevance = str(record.relevance or "")
    if record.binary_with:
        relevance += f"; binary with {record.binary_with}"
    return _facts(record, list(variants(record)), _formulas(record), relevance)


def measure_facts(measure: Measure) -> dict[str, str]:
    """The same facts about a measure with its arguments, in the same order."""
    record, arguments = measure.record, dict(measure.arguments)
    formulas = {"formula": _formula(record, arguments)}
    if score := _score_of(measure):
        formulas["S(d)"] = _formula(score, arguments)
        assumes = f"{record.assumes} {score.assumes}".rstrip()
        record = replace(record, cite=f"{record.cite}; S: {score.cite}", assumes=assumes)
        if "S" in measure.explicit:
            advice = f"{record.advice} S={score.name}: {score.advice}"
            record = replace(record, advice=advice, worked=score.worked)
    variant = Variant(measure)
    return _facts(record, [variant], formulas, str(variant.relevance or ""))


def score_facts(score: DocumentScore) -> dict[str, str]:
    """Facts from a document score's record besides name and sentence, in a fixed order."""
    facts = {
        **_formulas(score),
        "source": score.cite,
        "answers": _kind_text(score.answers, Unit.DOCUMENT),
        "assumes": score.assumes,
        "advice": score.advice,
    }
    return {fact: text for fact, text in facts.items() if text}


def setting_texts(setting: Setting) -> list[str]:
    """The value of a parameter, or a word if it has none, then the defaults of other sources."""
    as_text = setting.parameter.formatted
    value = as_text(setting.value) if setting.has_value else setting.parameter.unset or "required"
    defaults = [
        f"{as_text(default)} with --like {like}" for like, default in setting.by_like.items()
    ]
    return [value, *defaults]


def listed_measures(answers: Answers | None = None) -> str:
    """Every measure by family, with its title; given a kind of answers, those that score it."""
    lines = []
    for family, records in by_file(REGISTRY):
        family_lines = [line for record in records for line in _measure_lines(record, answers)]
        if family_lines:
            lines += [family, "", *family_lines, ""]
    if not lines and answers:
        return f"No measure scores {answers.value} answers ({answers.sentence}).\n"
    return "\n".join([*lines, "foveal measures NAME explains one of them."]) + "\n"


def described_formats() -> str:
    """Every format with its content and example lines."""
    lines = []
    groups: list[tuple[str, Registry[Any]]] = [
        ("Runs", RUN_FORMATS), ("Judgements", QRELS_FORMATS), ("Topics", TOPICS_FORMATS),
    ]  # fmt: skip
    width = max(len(name) for _, formats in groups for name in formats)
    for title, formats in groups:
        lines += [title, ""]
        for _, file_format in sorted(formats.items()):
            examples = [line for example in file_format.examples for line in example.split("\n")]
            lines.append(f"  {file_format.name:<{width}} {file_format.title}")
            lines += [f"   {'':{width}}{line}" for line in (file_format.sentence, *examples)] + [""]
    lines.append(
        f"Scores are written as {either(f.value for f in Form if not f.is_verdict)} (--to)."
    )
    lines.append("Files may be compressed (.gz, .zst, .bz2, .xz); - is standard input.")
    return "\n".join(lines) + "\n"


def _record_or_measure(name: str) -> Record | Measure:
    """The record of a name without parameters, or a measure with its parameters."""
    # A name without marks may also be another program's name of a measure.
    is_name_only = not any(mark in name for mark in "@([")
    return record_of(name) if is_name_only and record_of(name).name else parse(name)


def _score_of(measure: Measure) -> DocumentScore | None:
    """The document score of a measure, if it depends on one."""
    return DOCUMENT_SCORES[dict(measure.arguments)["S"]] if measure.record.by_score else None


def _formulas(record: Record | DocumentScore) -> dict[str, str]:
    conditional = {f"with {name}": formula for name, formula in record.formula_with.items()}
    return {"formula": record.formula, **conditional}


def _formula(record: Record | DocumentScore, arguments: dict[str, Any]) -> str:
    """The formula for these arguments."""
    present = [name for name in record.formula_with if arguments.get(name) is not None]
    return record.formula_with[present[0]] if present else record.formula


def _facts(
    record: Record, variants: Sequence[Variant], formulas: dict[str, str], relevance: str
) -> dict[str, str]:
    worked = record.worked
    facts = {
        "also written": ", ".join(record.aliases),
        "in task rag": record.plain and f"{record.plain}{record.written_suffix}",
        **formulas,
        "source": record.cite,
        "values": f"{_bounds_text(record)}, {'higher' if record.higher_is_better else 'lower'} is better",
        "undefined": f"{record.undefined:g}",
        "over topics": OVER_TOPICS.get(record.average, "total"),
        "answers": _answers_text(record.unit, variants),
        "order": _order_text(variants),
        "relevance": relevance or "not used",
        "assumes": record.assumes,
        "differs": record.differs,
        "advice": record.advice,
        "example": worked and f"{worked.measure} = {worked.arithmetic}. {worked.explanation}",
    }
    return {fact: text for fact, text in facts.items() if text}


def _bounds_text(record: Record) -> str:
    low, high = record.bounds
    if math.isinf(low):
        return "any number"
    if low == high:
        return f"always {low:g}"
    return f"{low:g} or more" if math.isinf(high) else f"{low:g} to {high:g}"


def _answers_text(unit: Unit, variants: Sequence[Variant]) -> str:
    """Kinds of results that are scored, and the condition of each if there are several."""
    kinds = dict.fromkeys(variant.answers for variant in variants if variant.answers)
    kinds_text = [
        _kind_text(answers, unit) + (_kind_condition(variants, answers) if len(kinds) > 1 else "")
        for answers in kinds
    ]
    return "; ".join(kinds_text) or "none: it does not depend on what a run returns"


def _kind_text(answers: Answers, unit: Unit) -> str:
    return f"{answers.value}: {answers.sentence.replace('answer', unit.value)}"


def _kind_condition(variants: Sequence[Variant], answers: Answers) -> str:
    """The part of a measure's name that selects a kind of results."""
    matching = [variant for variant in variants if variant.answers is answers]
    scores = dict.fromkeys(variant.score for variant in matching if variant.score)
    if scores:
        return f" (S={either(scores)})"
    return "" if variants[0] in matching else f" ({matching[0].suffix})"


def _order_text(variants: Sequence[Variant]) -> str:
    kinds = {v.answers: is_rank_based(v.answers) for v in variants if v.answers}
    if len(set(kinds.values())) > 1:
        return "set-based; rank-based with a cut-off"
    return "rank-based" if True in kinds.values() else "set-based" if kinds else ""


def _measure_lines(record: Record, answers: Answers | None) -> Iterator[str]:
    if answers is None:
        yield f"  {record.name + record.written_suffix:<20} {record.title}"
        return
    matching = [variant for variant in variants(record) if variant.answers is answers]
    if not record.by_score:
        # A name with its cut-off shows more than the same name without.
        matching = matching[-1:]
    if matching:
        first, *other_shapes = (variant.shape for variant in matching)
        others_text = f"; also {either(other_shapes)}" if other_shapes else ""
        yield f"  {first:<20} {record.title}{others_text}"


def _aligned(facts: dict[str, str]) -> list[str]:
    return [f"{fact:<13} {text}" for fact, text in facts.items()]


def _parameters(settings: Sequence[Setting]) -> Iterator[str]:
    if settings:
        yield from ["", "parameters", *_setting_lines(settings, "  ", 11)]


def _score_lines(score: DocumentScore) -> Iterator[str]:
    yield f"  S={score.name:<9} {score.sentence}"
    yield from (f"    {fact:<9} {text}" for fact, text in score_facts(score).items())
    yield from _setting_lines(score_settings(score), "    ", 9)


def _setting_lines(settings: Sequence[Setting], indent: str, name_width: int) -> Iterator[str]:
    values = [_value_text(setting) for setting in settings]
    width = max(map(len, values), default=0)
    for setting, value in zip(settings, values, strict=True):
        name, sentence = setting.parameter.name, setting.parameter.sentence
        yield f"{indent}{name:<{name_width}} {value:<{width}}  {sentence}"


def _value_text(setting: Setting) -> str:
    value, *other_defaults = setting_texts(setting)
    origin = ["default"] * (setting.has_value and not setting.is_explicit) + other_defaults
    return f"{value} ({'; '.join(origin)})" if origin else value
