"""What an INEX submission says about itself before its results: its makers, its task, its method.

Attributes of the root are kept under their names, those of <topic-fields> as `topic-fields/title`,
the text of <description> and of each <collection> (a line each) under the element's name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from foveal.errors import DataError
from foveal.formats._xml import attribute, element, refuse_unwritable, visit

if TYPE_CHECKING:
    from foveal.files import Source
    from foveal.tables import Run

SUBMISSION, TOPIC = "inex-submission", "topic"
TOPIC_FIELDS, DESCRIPTION, COLLECTION = "topic-fields", "description", "collection"
# Written from the run itself and from how its results are written.
OWN_ATTRIBUTES = {"run-id", "result-type"}
NAME = re.compile(rf"({TOPIC_FIELDS}/)?[A-Za-z_][A-Za-z0-9_.-]*")


class Header:
    """Collects what a submission says before its first topic."""

    texts: ClassVar[frozenset[str]] = frozenset([DESCRIPTION, COLLECTION])

    def __init__(self) -> None:
        self.about: dict[str, str] = {}
        self.is_over = False

    def started(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        """Keep the attributes of the root and of <topic-fields>."""
        self.is_over |= name == TOPIC
        if self.is_over or name not in {SUBMISSION, TOPIC_FIELDS}:
            return
        prefix = f"{TOPIC_FIELDS}/" if name == TOPIC_FIELDS else ""
        self.about |= {
            prefix + key: value
            for key, value in attributes.items()
            if value and key not in OWN_ATTRIBUTES
        }

    def ended(self, name: str, text: str, line: int) -> None:
        """Keep a text."""
        if self.is_over or name not in self.texts or not text:
            return
        before = f"{self.about[name]}\n" if name in self.about else ""
        self.about[name] = before + (text.replace("\n", " ") if name == COLLECTION else text)


class _HeaderRead(Exception):
    """Stops a parser that has seen the header."""


class _HeaderOnly(Header):
    """A header after which nothing is read."""

    def started(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        """Stop at the first topic."""
        super().started(name, attributes, line)
        if self.is_over:
            raise _HeaderRead


def read_about(source: Source) -> dict[str, str]:
    """What a submission says about itself, without reading its results."""
    header = _HeaderOnly()
    with suppress(_HeaderRead):
        visit(source, header)
    return header.about


def written_header(run: Run, result_type: str) -> str:
    """The beginning of a submission, up to its first topic."""
    _refuse_unwritable(run)
    fields = {name.partition("/")[2]: value for name, value in run.about.items() if "/" in name}
    texts = {DESCRIPTION, COLLECTION}
    own = {
        name: value
        for name, value in run.about.items()
        if "/" not in name and name not in texts | OWN_ATTRIBUTES
    }
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        _tag(SUBMISSION, {"run-id": run.name, **own, "result-type": result_type}) + ">",
    ]
    if fields:
        lines.append(_tag(TOPIC_FIELDS, fields) + "/>")
    if DESCRIPTION in run.about:
        lines.append(_text(DESCRIPTION, run.about[DESCRIPTION]))
    if COLLECTION in run.about:
        names = run.about[COLLECTION].split("\n")
        inside = "".join(_text(COLLECTION, name) for name in names)
        lines.append(f"<collections>{inside}</collections>")
    return "\n".join(lines) + "\n"


def _refuse_unwritable(run: Run) -> None:
    refuse_unwritable(pl.Series([run.name]), "run")
    for name, value in run.about.items():
        if not NAME.fullmatch(name):
            raise DataError(f"run {run.name!r} says {name!r} about itself, not a name in inex-xml")
        texts = value.split("\n") if name == COLLECTION else [value]
        refuse_unwritable(pl.Series(texts, dtype=pl.String), name)


def _tag(name: str, attributes: Mapping[str, str]) -> str:
    """A start tag up to its end."""
    written = (
        f"{key}={pl.select(attribute(pl.lit(value))).item()}" for key, value in attributes.items()
    )
    return " ".join([f"<{name}", *written])


def _text(name: str, text: str) -> str:
    """An element that holds nothing but text."""
    return f"<{name}>{pl.select(element(pl.lit(text))).item()}</{name}>"
