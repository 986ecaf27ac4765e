"""The small examples on which measures are worked out by hand, as pages show them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import foveal
from foveal.measures import Unit, WorkedExample
from tools.making import Lines, code, table
from tools.pages import EXAMPLES

FOLDER = EXAMPLES / "measures"
# From a page of a measure.
LINK = "../../examples/measures"
TEXT = {"characters returned", "highlighted among them", "highlighted in the document"}
Row = dict[str, Any]


@dataclass(frozen=True)
class Example:
    """Judgements, a run and perhaps chunks, by the names of their files."""

    files: tuple[str, ...]

    @property
    def has_text(self) -> bool:
        """True if the judgements highlight text; otherwise they grade documents."""
        return self.files[0].endswith(".jsonl")

    @cached_property
    def judged(self) -> list[Row]:
        """The judgements, a row for each document."""
        if self.has_text:
            return _json_rows(self.files[0])
        return [
            {"topic": topic, "doc": doc, "grade": int(grade)}
            for topic, _, doc, grade in _columns(self.files[0])
        ]

    @cached_property
    def returned(self) -> list[Row]:
        """The run, a row for each result in its order."""
        if self.has_text:
            return _json_rows(self.files[1])
        return [
            {"topic": topic, "doc": doc, "score": float(score)}
            for topic, _, doc, _, score, _ in _columns(self.files[1])
        ]

    @cached_property
    def chunks(self) -> list[Row] | None:
        """Every chunk that could be returned, if they are listed."""
        return _json_rows(self.files[2]) if len(self.files) > 2 else None

    def lines(self, unit: Unit, *, aspects: bool = False) -> Lines:
        """A table of the run: parts or documents with their text or aspects, or grades."""
        judgements, run, *chunks = (f"[{name}]({LINK}/{name})" for name in self.files)
        if not self.has_text:
            yield from [f"{run} returns this, with grades by {judgements}:", "", *self._graded()]
            return
        highlights = f"{judgements} highlights {self._highlights()}."
        if chunks:
            yield from [f"{highlights} {chunks[0]} lists every chunk:", ""]
            yield from _table(self._parts(self.chunks or []), {"rank", "aspects"})
            return
        yield from [f"{highlights} {run} returns:", ""]
        if unit is Unit.PART:
            yield from _table(self._parts(self.returned), set() if aspects else {"aspects"})
        else:
            yield from _table(self._documents(), TEXT if aspects else {"aspects"})

    def _highlights(self) -> str:
        """The number of highlighted characters, and the passages."""
        passages_by_document = {
            row["doc"]: _passages(row) for row in self.judged if row["highlights"]
        }
        total = sum(
            end - start for passages in passages_by_document.values() for start, end, _ in passages
        )
        passages = ", ".join(
            f"{doc} {' and '.join(f'[{start}, {end})' for start, end, _ in passages)}"
            for doc, passages in passages_by_document.items()
        )
        return f"{total} characters in {len(passages_by_document)} documents: {passages}"

    def _parts(self, parts: list[Row]) -> list[Row]:
        """Parts, with what of them is highlighted."""
        run = [{"topic": self.judged[0]["topic"]} | part for part in parts]
        return [
            {
                "rank": row["rank"],
                "part": f"{row['doc']} [{row['start']}, {row['end']})",
                "characters": row["size"],
                "highlighted": row["rsize"],
                "aspects": ", ".join(self._aspects(row["doc"], row["start"], row["end"])),
            }
            for row in foveal.evaluate(self.judged, run, "charR").results().iter_rows(named=True)
        ]

    def _documents(self) -> list[Row]:
        """The documents returned, with the text and the aspects returned of them."""
        scores = foveal.evaluate(self.judged, self.returned, "charR")
        passages = {row["doc"]: _passages(row) for row in self.judged}
        return [
            {
                "rank": row["rank"],
                "document": row["doc"],
                "characters returned": row["size"],
                "highlighted among them": row["rsize"],
                "highlighted in the document": sum(
                    end - start for start, end, _ in passages[row["doc"]]
                ),
                "aspects": ", ".join(self._returned_aspects(row["doc"])),
            }
            for row in scores.documents().iter_rows(named=True)
        ]

    def _graded(self) -> Iterator[str]:
        """The documents returned with their grades, and those that were not returned."""
        grades = {(row["topic"], row["doc"]): _grade(row["grade"]) for row in self.judged}
        ranks: dict[str, int] = {}
        rows = []
        for row in self.returned:
            topic = row["topic"]
            ranks[topic] = ranks.get(topic, 0) + 1
            grade = grades.pop((topic, row["doc"]), "unjudged")
            rows.append(
                {"topic": topic, "rank": ranks[topic], "document": row["doc"], "grade": grade}
            )
        rows += [
            {"topic": topic, "rank": "not returned", "document": doc, "grade": grade}
            for (topic, doc), grade in grades.items()
        ]
        yield from _table(rows, {"topic"} if len(ranks) == 1 else set())

    def _aspects(self, document: str, start: int, end: int) -> list[str]:
        """The aspects with a passage of which a part has a character."""
        (judged,) = (row for row in self.judged if row["doc"] == document)
        return [
            aspect
            for first, last, aspects in _passages(judged)
            if first < end and start < last
            for aspect in aspects
        ]

    def _returned_aspects(self, document: str) -> list[str]:
        parts = [row for row in self.returned if row["doc"] == document]
        by_part = [self._aspects(document, row["start"], row["end"]) for row in parts]
        return sorted({aspect for aspects in by_part for aspect in aspects})


@cache
def example_of(worked: WorkedExample) -> Example:
    """The example on which a measure is worked out."""
    return _example(tuple(name for name in worked.files.split() if not name.startswith("--")))


@cache
def _example(files: tuple[str, ...]) -> Example:
    return Example(files)


def command(worked: WorkedExample) -> str:
    """The command that computes the number."""
    name = worked.measure
    return code(f"foveal evaluate {worked.files} -m {_quoted(name)}")


def _grade(grade: int) -> str:
    return str(grade) if grade >= 0 else f"unjudged ({grade})"


def _passages(judgement: Row) -> list[tuple[int, int, list[str]]]:
    """The passages of a judged document with their aspects."""
    return [
        (passage["start"], passage["end"], passage["aspects"])
        for passage in judgement["highlights"]
    ]


def _table(rows: list[Row], without: Set[str]) -> Iterator[str]:
    """Rows as a table, without some columns."""
    columns = [name for name in rows[0] if name not in without]
    return table(columns, ([str(row[name]) for name in columns] for row in rows))


def _quoted(name: str) -> str:
    return f'"{name}"' if set(name) & set("()[]") else name


def _json_rows(name: str) -> list[Row]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def _columns(name: str) -> list[Sequence[str]]:
    return [line.split() for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]
