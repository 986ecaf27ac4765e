"""The aspects of parts against slow twins, to which a part and a passage are sets of characters."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from foveal.evaluation import evaluate
from foveal.measures import parse
from foveal.tables import Qrels
from tests.inex import inex_run
from tests.oracles.diversity import Aspects, AspectTopic, diversity_twins

TOLERANCE = 1e-9
TOPICS = 60
DOCUMENTS = ("d1", "d10", "d2", "é")
LENGTH = 30
COVERS = [None, Fraction(1, 3), Fraction(1, 2), Fraction(1)]


@dataclass(frozen=True)
class Passage:
    """What has some aspects: the characters of a document from start to end, or all of it."""

    document: str
    start: int | None
    end: int | None
    aspects: Aspects

    @property
    def text(self) -> set[int]:
        return set(range(LENGTH) if self.start is None else range(self.start, self.end or 0))

    @property
    def last(self) -> tuple[bytes, int, int]:
        """What sorts last comes first in the ideal list."""
        return self.document.encode(), self.start or 0, 10**9 if self.end is None else self.end


@dataclass(frozen=True)
class Part:
    """What was returned of a document: nothing stated is all of it, -1 an unmapped element."""

    document: str
    start: int | None
    end: int | None

    @property
    def text(self) -> set[int]:
        return set(range(LENGTH) if self.start is None else range(self.start, self.end or 0))


@dataclass(frozen=True)
class Topic:
    """Passages with aspects and the parts that were returned."""

    passages: list[Passage]
    parts: list[Part]

    def aspects(self, part: Part | Passage, cover: Fraction | None) -> Aspects:
        """The aspects that a part has."""
        return frozenset(
            aspect
            for passage in self.passages
            if passage.document == part.document and has(part, passage, cover)
            for aspect in passage.aspects
        )

    def shown_parts(self, cover: Fraction | None) -> AspectTopic:
        """Parts as answers; the passages are what could be returned."""
        distinct = {passage.last: passage for passage in self.passages}
        return AspectTopic(
            [self.aspects(part, cover) for part in self.parts],
            [self.aspects(distinct[key], cover) for key in sorted(distinct)],
        )

    def as_a_whole(self, document: str) -> Aspects:
        """The aspects that a document has, whatever is returned of it."""
        whole = [own for own in self.passages if own.document == document and own.start is None]
        return frozenset().union(*(own.aspects for own in whole))

    def shown_documents(self, cover: Fraction | None) -> AspectTopic:
        """Documents by first appearance as answers, with the aspects of their parts."""
        ranked = dict.fromkeys(part.document for part in self.parts)
        known = sorted({passage.document for passage in self.passages}, key=str.encode)
        return AspectTopic(
            [
                self.as_a_whole(document).union(
                    *(self.aspects(part, cover) for part in self.parts if part.document == document)
                )
                for document in ranked
            ],
            [
                frozenset().union(
                    *(own.aspects for own in self.passages if own.document == document)
                )
                for document in known
            ],
        )


def has(part: Part | Passage, passage: Passage, cover: Fraction | None) -> bool:
    """Whether a part has the aspects of a passage of its document."""
    common = len(part.text & passage.text)
    return common > 0 and (cover is None or common >= cover * len(passage.text))


def drawn_passages(rng: np.random.Generator) -> list[Passage]:
    """Passages that overlap, nest and share aspects, and whole documents that have others."""
    found = []
    for document in DOCUMENTS[: rng.integers(1, 5)]:
        for _ in range(rng.integers(1, 5)):
            start, end = sorted(rng.choice(LENGTH + 1, size=2, replace=False).tolist())
            names = [name for name in "abcd" if rng.random() < 0.4] or ["a"]
            found.append(Passage(document, start, end, frozenset(names)))
        if rng.random() < 0.3:
            found.append(Passage(document, None, None, frozenset({"whole"})))
    return found


def drawn_parts(rng: np.random.Generator) -> list[Part]:
    """Parts that overlap and repeat each other, empty ones, elements of unknown place, documents."""
    found = []
    for _ in range(rng.integers(1, 12)):
        document = str(rng.choice([*DOCUMENTS, "unjudged"]))
        start, end = sorted(rng.integers(0, LENGTH + 1, size=2).tolist())
        if rng.random() < 0.1:
            start = end = -1
        whole = rng.random() < 0.1 and document != "unjudged"
        found.append(Part(document, None, None) if whole else Part(document, start, end))
    return [*found, Part("unjudged", 1, 2)]


@cache
def topics() -> dict[str, Topic]:
    rng = np.random.default_rng(4)
    return {f"t{n:03}": Topic(drawn_passages(rng), drawn_parts(rng)) for n in range(TOPICS)}


def judgements() -> Qrels:
    rows = []
    for topic, own in topics().items():
        for document in DOCUMENTS:
            passages = [passage for passage in own.passages if passage.document == document]
            row: dict[str, Any] = {"topic": topic, "doc": document, "length": LENGTH}
            row["highlights"] = [
                {"start": one.start, "end": one.end, "aspects": sorted(one.aspects)}
                for one in passages
                if one.start is not None
            ]
            row["aspects"] = [name for one in passages if one.start is None for name in one.aspects]
            rows.append(row)
    return Qrels.from_dicts(rows)


def found(measures: list[str]) -> dict[str, dict[str, float]]:
    run = inex_run([
        {"topic": topic, "doc": part.document, "start": part.start, "end": part.end}
        for topic, own in topics().items()
        for part in own.parts
    ])  # fmt: skip
    table = evaluate(judgements(), run, measures).topics
    canonical = {name: str(parse(name)) for name in measures}
    return {
        row["topic"]: {name: row[ours] for name, ours in canonical.items()}
        for row in table.iter_rows(named=True)
    }


@pytest.mark.parametrize("cover", COVERS)
@pytest.mark.parametrize("parts", [True, False])
def test_a_part_has_the_aspects_whose_text_it_holds(parts: bool, cover: Fraction | None) -> None:
    inside = f"parts={parts}" + (f",cover={round(float(cover), 6)}" if cover else "")
    # The share is written with six decimals.
    cover = cover and Fraction(str(round(float(cover), 6)))
    twins = diversity_twins(3, Fraction(1, 2), Fraction(1, 2), inside)
    scores = found([*twins])
    assert len(scores) == TOPICS
    for topic, own in topics().items():
        shown = own.shown_parts(cover) if parts else own.shown_documents(cover)
        for name, twin in twins.items():
            assert scores[topic][name] == pytest.approx(twin(shown), abs=TOLERANCE), (topic, name)
