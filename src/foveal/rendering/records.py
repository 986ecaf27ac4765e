"""What exists, told from the records: measures and formats."""

from __future__ import annotations

import math
from typing import Any

from foveal.choices import Form
from foveal.errors import UnknownMeasure
from foveal.formats import QRELS_FORMATS, RUN_FORMATS, TOPICS_FORMATS
from foveal.measures import REGISTRY, Record, geometric_mean, mean, parse, record_of
from foveal.registry import Registry, by_file

OVER_TOPICS: dict[object, str] = {mean: "mean", geometric_mean: "geometric mean"}


def described_measure(name: str) -> str:
    """Everything a measure's record says."""
    record = _looked_up(name)
    lines = [f"{record.shape}: {record.title}", "", record.sentence, ""]
    lines += [f"{fact:<13} {told}" for fact, told in measure_facts(record).items()]
    if record.parameters:
        lines += ["", "parameters"]
        lines += [f"  {parameter.name:<11} {parameter.sentence}" for parameter in record.parameters]
    return "\n".join(lines) + "\n"


def measure_facts(record: Record) -> dict[str, str]:
    """What a measure's record says beside its name, title and sentence."""
    low, high = record.bounds
    facts = {
        "also written": ", ".join(record.aliases),
        "formula": record.formula,
        "source": record.cite,
        "values": f"{low:g} to {'any number' if math.isinf(high) else f'{high:g}'}"
        f", {'higher' if record.higher_is_better else 'lower'} is better",
        "undefined": f"{record.undefined:g}",
        "over topics": OVER_TOPICS.get(record.average, "total"),
        "answers": record.answers,
        "assumes": record.assumes,
        "advice": record.advice,
    }
    return {fact: told for fact, told in facts.items() if told}


def listed_measures() -> str:
    """Every measure by family, with its title."""
    lines = []
    for family, records in by_file(REGISTRY):
        lines += [family, ""]
        lines += [
            f"  {record.name + record.written_suffix:<20} {record.title}" for record in records
        ]
        lines.append("")
    return "\n".join(lines)


def described_formats() -> str:
    """Every format with what it holds and how a line of it looks."""
    lines = []
    groups: list[tuple[str, Registry[Any]]] = [
        ("Runs", RUN_FORMATS), ("Judgements", QRELS_FORMATS), ("Topics", TOPICS_FORMATS),
    ]  # fmt: skip
    for title, formats in groups:
        lines += [title, ""]
        for _, known in sorted(formats.items()):
            lines += [f"  {known.name:<8} {known.title}", f"           {known.sentence}"]
            lines += [f"           {example}" for example in known.examples] + [""]
    lines.append(f"Scores leave as {', '.join(form.value for form in Form)} (--to).")
    lines.append("Files may be compressed (.gz, .zst, .bz2, .xz); - is standard input.")
    return "\n".join(lines) + "\n"


def _looked_up(name: str) -> Record:
    """The record of a bare name, or of a measure with its parameters."""
    if any(mark in name for mark in "@(["):
        return parse(name).record
    try:
        return record_of(name)
    except UnknownMeasure:
        return parse(name).record
