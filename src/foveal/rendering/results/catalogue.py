"""What exists, as the records say: measures and formats."""

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
    """Everything the record of a measure says, and the values of its parameters."""
    found = _looked_up(name)
    if isinstance(found, Record):
        lines = [f"{found.shape}: {found.title}", "", found.sentence, ""]
        lines += _aligned(record_facts(found))
        lines += _parameters(record_settings(found))
        if found.by_score:
            lines += ["", "document scores"]
            lines += [line for score in DOCUMENT_SCORES.values() for line in _score(score)]
    else:
        lines = [f"{found.name}: {found.record.title}", "", found.record.sentence]
        if score := _score_of(found):
            lines.append(f"S={score.name}: {score.sentence}")
        lines += ["", *_aligned(measure_facts(found)), *_parameters(measure_settings(found))]
    return "\n".join(lines) + "\n"


def record_facts(record: Record) -> dict[str, str]:
    """What a measure's record says besides its name, title and sentence, in a fixed order."""
    relevance = str(record.relevance or "")
    if record.binary_with:
        relevance += f"; binary with {record.binary_with}"
    return _facts(record, list(variants(record)), _formulas(record), relevance)


def measure_facts(measure: Measure) -> dict[str, str]:
    """What the record of a measure says of it as it is asked for, in the same order."""
    record, arguments = measure.record, dict(measure.arguments)
    formulas = {"formula": _formula(record, arguments)}
    if score := _score_of(measure):
        formulas["S(d)"] = _formula(score, arguments)
        assumes = f"{record.assumes} {score.assumes}".rstrip()
        record = replace(record, cite=f"{record.cite}; S: {score.cite}", assumes=assumes)
        if "S" in measure.explicit:
            advice = f"{record.advice} S={score.name}: {score.advice}"
            record = replace(record, advice=advice, worked=score.worked)
    way = Variant(measure)
    return _facts(record, [way], formulas, str(way.relevance or ""))


def score_facts(score: DocumentScore) -> dict[str, str]:
    """What a document score's record says besides its name and sentence, in a fixed order."""
    facts = {
        **_formulas(score),
        "source": score.cite,
        "answers": _described(score.answers, Unit.DOCUMENT),
        "assumes": score.assumes,
        "advice": score.advice,
    }
    return {fact: told for fact, told in facts.items() if told}


def setting_words(setting: Setting) -> list[str]:
    """The value of a parameter or what holds without one, then the defaults of other sources."""
    shown = setting.parameter.formatted
    value = shown(setting.value) if setting.has_value else setting.parameter.unset or "required"
    others = [f"{shown(other)} with --like {like}" for like, other in setting.by_like.items()]
    return [value, *others]


def listed_measures(answers: Answers | None = None) -> str:
    """Every measure by family, with its title; given a kind of answers, those that score it."""
    lines = []
    for family, records in by_file(REGISTRY):
        found = [line for record in records for line in _listed(record, answers)]
        if found:
            lines += [family, "", *found, ""]
    if not lines and answers:
        return f"No measure scores {answers.value} answers ({answers.sentence}).\n"
    return "\n".join([*lines, "foveal measures NAME explains one of them."]) + "\n"


def described_formats() -> str:
    """Every format with what it holds and how a line of it looks."""
    lines = []
    groups: list[tuple[str, Registry[Any]]] = [
        ("Runs", RUN_FORMATS), ("Judgements", QRELS_FORMATS), ("Topics", TOPICS_FORMATS),
    ]  # fmt: skip
    width = max(len(name) for _, formats in groups for name in formats)
    for title, formats in groups:
        lines += [title, ""]
        for _, known in sorted(formats.items()):
            examples = [line for example in known.examples for line in example.split("\n")]
            lines.append(f"  {known.name:<{width}} {known.title}")
            lines += [f"   {'':{width}}{line}" for line in (known.sentence, *examples)] + [""]
    lines.append(
        f"Scores are written as {either(f.value for f in Form if not f.is_verdict)} (--to)."
    )
    lines.append("Files may be compressed (.gz, .zst, .bz2, .xz); - is standard input.")
    return "\n".join(lines) + "\n"


def _looked_up(name: str) -> Record | Measure:
    """The record of a bare name, or a measure with its parameters."""
    # Without marks it may also be another program's name for one of ours.
    is_bare = not any(mark in name for mark in "@([")
    return record_of(name) if is_bare and record_of(name).name else parse(name)


def _score_of(measure: Measure) -> DocumentScore | None:
    """The document score of a measure, if it depends on one."""
    return DOCUMENT_SCORES[dict(measure.arguments)["S"]] if measure.record.by_score else None


def _formulas(record: Record | DocumentScore) -> dict[str, str]:
    given = {f"with {name}": formula for name, formula in record.formula_with.items()}
    return {"formula": record.formula, **given}


def _formula(record: Record | DocumentScore, arguments: dict[str, Any]) -> str:
    """The formula in the form that the arguments ask for."""
    given = [name for name in record.formula_with if arguments.get(name) is not None]
    return record.formula_with[given[0]] if given else record.formula


def _facts(
    record: Record, ways: Sequence[Variant], formulas: dict[str, str], relevance: str
) -> dict[str, str]:
    worked = record.worked
    facts = {
        "also written": ", ".join(record.aliases),
        "in task rag": record.plain and f"{record.plain}{record.written_suffix}",
        **formulas,
        "source": record.cite,
        "values": f"{_bounds(record)}, {'higher' if record.higher_is_better else 'lower'} is better",
        "undefined": f"{record.undefined:g}",
        "over topics": OVER_TOPICS.get(record.average, "total"),
        "answers": _answers(record.unit, ways),
        "order": _order(ways),
        "relevance": relevance or "not used",
        "assumes": record.assumes,
        "differs": record.differs,
        "advice": record.advice,
        "example": worked and f"{worked.measure} = {worked.arithmetic}. {worked.explanation}",
    }
    return {fact: told for fact, told in facts.items() if told}


def _bounds(record: Record) -> str:
    low, high = record.bounds
    if math.isinf(low):
        return "any number"
    if low == high:
        return f"always {low:g}"
    return f"{low:g} or more" if math.isinf(high) else f"{low:g} to {high:g}"


def _answers(unit: Unit, ways: Sequence[Variant]) -> str:
    """Which answers are scored, and what asks for each kind if there are several."""
    kinds = dict.fromkeys(way.answers for way in ways if way.answers)
    told = [
        _described(answers, unit) + (_asking(ways, answers) if len(kinds) > 1 else "")
        for answers in kinds
    ]
    return "; ".join(told) or "none: it does not depend on what a run returns"


def _described(answers: Answers, unit: Unit) -> str:
    return f"{answers.value}: {answers.sentence.replace('answer', unit.value)}"


def _asking(ways: Sequence[Variant], answers: Answers) -> str:
    """What in a measure's name asks for a kind of answers."""
    asking = [way for way in ways if way.answers is answers]
    scores = dict.fromkeys(way.score for way in asking if way.score)
    if scores:
        return f" (S={either(scores)})"
    return "" if ways[0] in asking else f" ({asking[0].suffix})"


def _order(ways: Sequence[Variant]) -> str:
    kinds = {way.answers: is_rank_based(way.answers) for way in ways if way.answers}
    if len(set(kinds.values())) > 1:
        return "set-based; rank-based with a cut-off"
    return "rank-based" if True in kinds.values() else "set-based" if kinds else ""


def _listed(record: Record, answers: Answers | None) -> Iterator[str]:
    if answers is None:
        yield f"  {record.name + record.written_suffix:<20} {record.title}"
        return
    asking = [way for way in variants(record) if way.answers is answers]
    if not record.by_score:
        # A name with its cut-off shows more than the same name without.
        asking = asking[-1:]
    if asking:
        first, *others = (way.shape for way in asking)
        also = f"; also {either(others)}" if others else ""
        yield f"  {first:<20} {record.title}{also}"


def _aligned(facts: dict[str, str]) -> list[str]:
    return [f"{fact:<13} {told}" for fact, told in facts.items()]


def _parameters(settings: Sequence[Setting]) -> Iterator[str]:
    if settings:
        yield from ["", "parameters", *_settings(settings, "  ", 11)]


def _score(score: DocumentScore) -> Iterator[str]:
    yield f"  S={score.name:<9} {score.sentence}"
    yield from (f"    {fact:<9} {told}" for fact, told in score_facts(score).items())
    yield from _settings(score_settings(score), "    ", 9)


def _settings(settings: Sequence[Setting], indent: str, width: int) -> Iterator[str]:
    values = [_state(setting) for setting in settings]
    wide = max(map(len, values), default=0)
    for setting, value in zip(settings, values, strict=True):
        name, sentence = setting.parameter.name, setting.parameter.sentence
        yield f"{indent}{name:<{width}} {value:<{wide}}  {sentence}"


def _state(setting: Setting) -> str:
    value, *others = setting_words(setting)
    origin = ["default"] * (setting.has_value and not setting.is_explicit) + others
    return f"{value} ({'; '.join(origin)})" if origin else value
