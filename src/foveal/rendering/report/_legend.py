"""The legend of a report: the records of its measures, with formulas as MathML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from foveal.measures import parse
from foveal.rendering._pages import extra
from foveal.rendering.records import measure_facts
from foveal.rendering.report.contents import Entry


def entries(measures: Sequence[str], plain: Mapping[str, str]) -> tuple[Entry, ...]:
    """What the records say of some measures."""
    return tuple(_entry(name, plain.get(name, name)) for name in measures)


def _entry(name: str, called: str) -> Entry:
    measure = parse(name)
    record, known = measure.record, measure_facts(measure)
    formulas = [known["formula"], *([f"S(d) = {known['S(d)']}"] if "S(d)" in known else [])]
    return Entry(
        name=name if name == called else f"{called} ({name})",
        title=record.title,
        sentence=record.sentence,
        formula="".join(map(mathml, formulas)),
        advice=record.advice,
        cite=known.get("source", record.cite),
    )


def mathml(formula: str) -> str:
    """A formula of a record, in TeX, as a browser shows it without a script or a font."""
    markup: str = extra("latex2mathml.converter", "latex2mathml").convert(formula, display="block")
    return markup


def refuse_undrawable() -> None:
    """Refuse a page before any work if what draws it is not installed."""
    extra("jinja2", "jinja2")
    extra("latex2mathml.converter", "latex2mathml")
