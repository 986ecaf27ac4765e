"""What measures give in edge cases: computed on variations of the examples, never written by hand."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import foveal
from foveal.choices import Ties
from foveal.conventions import Choices
from foveal.evaluation import Evaluation
from foveal.measures import DOCUMENT_SCORES, REGISTRY, DocumentScore, Record, WorkedExample, parse
from foveal.tables import Chunks
from tools.making import code
from tools.measure_examples import Example, Row, example_of

SPELLING = re.compile(r"(?P<name>\w+)(?:\((?P<inside>.*)\))?(?P<suffix>.*)")
TOPIC, OTHER = "1", "2"
# Beyond the end of every list.
DEEP = "@10"
CUT_OFFS = {"@k", "@r"}
SKIPPING, NO_GRADE = "judged_only=True", "rel=4"
SAME = 1e-12
LEFT_OUT = "the topic is left out, and a note says so"
# Two topics serve measures that average over topics in another way; their edge cases need only one.
SINGLE_TOPIC: dict[tuple[str, ...], tuple[str, ...]] = {
    ("two-topics.qrels", "two-topics.run"): ("grades.qrels", "ranking.run"),
}
# The relevant passages, d2 first: the order that the greedy ideal list of aspects has, too.
BEST_ORDER = ["d2", "d1", "d4"]
Cells = tuple[str, str]


@dataclass(frozen=True)
class Asked:
    """A measure that is asked for on a page; on that of a document score it shows the score."""

    name: str
    record: Record
    example: Example
    score: DocumentScore | None = None

    @classmethod
    def of(cls, worked: WorkedExample, score: DocumentScore | None = None) -> Asked:
        """The measure of a worked example."""
        example = example_of(worked)
        files = SINGLE_TOPIC.get(example.files, example.files)
        return cls(worked.measure, parse(worked.measure).record, Example(files), score)

    def given(self, word: str) -> str:
        """The measure with one more argument."""
        found = SPELLING.fullmatch(self.name)
        if found is None:
            raise ValueError(f"{self.name} is not the name of a measure")
        inside = ",".join(filter(None, [found["inside"], word]))
        return f"{found['name']}({inside}){found['suffix']}"

    def takes(self, parameter: str) -> bool:
        """Whether the measure has such a parameter."""
        return parameter in {own.name for own in self.record.parameters}

    @property
    def deeper(self) -> str:
        """The measure with a cut-off beyond the end of the list; empty if it has none."""
        name, at, _ = self.name.partition("@")
        return name + DEEP if at and self.record.written_suffix in CUT_OFFS else ""


class Trials:
    """Scores of many measures on variations of one example, each computed once for all of them.

    A score is NaN where the formula divides by 0.
    """

    def __init__(self, example: Example, asked: Sequence[Asked]) -> None:
        self.example = example
        self.measures = {name: parse(name) for one in asked for name in _forms(one)}

    def _scored(
        self, judged: list[Row], returned: list[Row], topic: str = TOPIC, ties: Ties | None = None
    ) -> dict[str, float]:
        """The values of a topic by measure; empty if it is left out."""
        choices = Choices.of({"ties": ties}) if ties else Choices()
        evaluation = Evaluation.of(foveal.Qrels.from_dicts(judged), ["NumQ"], choices)
        run = replace(_run_of(returned, self.example), chunks=self._chunks)
        alignment = evaluation.aligned(run)
        topics = [evaluation.judged.topics[number] for number in alignment.topics]
        if topic not in topics:
            return {}
        return {
            name: float(
                measure.record.kernel(alignment, **dict(measure.arguments))[topics.index(topic)]
            )
            for name, measure in self.measures.items()
        }

    @cached_property
    def _chunks(self) -> Chunks | None:
        rows = self.example.chunks
        return Chunks.coerced(rows) if rows else None

    @cached_property
    def as_returned(self) -> dict[str, float]:
        """The run of the example itself."""
        return self._scored(self.example.judged, self.example.returned)

    @cached_property
    def nothing_returned(self) -> dict[str, float]:
        """A second topic with the same judgements, of which the run has no results."""
        judged = [*self.example.judged, *_moved(self.example.judged)]
        return self._scored(judged, self.example.returned, OTHER)

    @cached_property
    def nothing_relevant(self) -> dict[str, float]:
        """A second topic in which nothing is relevant."""
        empty: Row = {"highlights": []} if self.example.has_text else {"grade": 0}
        judged = [*self.example.judged, *(row | empty for row in _moved(self.example.judged))]
        returned = [*self.example.returned, *_moved(self.example.returned)]
        return self._scored(judged, returned, OTHER)

    @cached_property
    def best(self) -> dict[str, float]:
        """A run that returns exactly what is relevant, the best first."""
        return self._scored(self.example.judged, _best_run(self.example))

    @cached_property
    def unjudged(self) -> dict[str, float]:
        """The run with an unjudged document instead of the one without highlights."""
        rows = [row | {"doc": "d9"} if row["doc"] == "d3" else row for row in self.example.returned]
        return self._scored(self.example.judged, rows)

    @cached_property
    def repeated(self) -> dict[str, float]:
        """The run with its first part again at the end."""
        return self._scored(self.example.judged, [*self.example.returned, self.example.returned[0]])

    @cached_property
    def entry_only(self) -> dict[str, float]:
        """A run that returns the best entry point of d1 and no text."""
        return self._scored(
            self.example.judged, [{"topic": TOPIC, "doc": "d1", "start": 10, "end": 10}]
        )

    @cached_property
    def irrelevant_first(self) -> dict[str, float]:
        """The run with its document without highlights moved to the top."""
        rows = sorted(self.example.returned, key=lambda row: bool(row["doc"] != "d3"))
        return self._scored(self.example.judged, rows)

    @cached_property
    def tied(self) -> dict[str, float]:
        """The run with equal scores, ordered by document."""
        return self._scored(self.example.judged, self._with_equal_scores, ties=Ties.ID)

    @cached_property
    def tied_in_file(self) -> dict[str, float]:
        """The run with equal scores, ordered as in the file."""
        return self._scored(self.example.judged, self._with_equal_scores, ties=Ties.FILE)

    @property
    def _with_equal_scores(self) -> list[Row]:
        return [row | {"score": 1.0} for row in self.example.returned]


def _run_of(returned: list[Row], example: Example) -> foveal.Run:
    """Parts rank in the order given, documents by their scores as in a TREC run."""
    if example.has_text:
        return foveal.Run.from_dicts(returned)
    scores: dict[str, dict[str, float]] = {}
    for row in returned:
        scores.setdefault(row["topic"], {})[row["doc"]] = row["score"]
    return foveal.Run.from_dict(scores)


def _moved(rows: list[Row]) -> list[Row]:
    """The rows as those of another topic."""
    return [row | {"topic": OTHER} for row in rows]


def _best_run(example: Example) -> list[Row]:
    if example.has_text:
        passages = {row["doc"]: row["highlights"] for row in example.judged}
        return [
            {"topic": TOPIC, "doc": doc, "start": one["start"], "end": one["end"]}
            for doc in BEST_ORDER
            for one in passages[doc]
        ]
    return [row | {"score": row["grade"]} for row in example.judged if row["grade"] > 0]


def number(value: float) -> str:
    """A score as pages show it: four decimals, or a whole number."""
    return f"{value:.0f}" if abs(value - round(value)) < SAME else f"{value:.4f}"


@dataclass(frozen=True)
class Telling:
    """Scores in words."""

    usual: float
    """The score of the example's own run."""

    undefined: float

    def __call__(self, value: float) -> str:
        """A score; NaN is where the formula divides by 0."""
        if math.isnan(value):
            return f"{number(self.undefined)}, as the formula divides by 0"
        return number(value)

    def compared(self, value: float) -> str:
        """A score of nearly the same run."""
        return f"{self(value)}{', unchanged' if abs(value - self.usual) < SAME else ''}"


def edge_cases(asked: Asked, trials: Trials) -> Iterator[Cells]:
    """Cases in plain words, each with the score of the measure."""
    name, usual = asked.name, trials.as_returned
    told = Telling(usual[name], asked.record.undefined)
    if asked.record.answers is None:
        yield "any run, and even an empty list", told(trials.nothing_returned[name])
    else:
        yield f"{code(asked.example.files[1])} as it is", told(usual[name])
        yield "nothing is returned", told(trials.nothing_returned[name])
        yield from (_of_text if asked.example.has_text else _of_documents)(asked, trials, told)
    if asked.takes("rel") and (none := usual[asked.given(NO_GRADE)]) != usual[name]:
        yield f"nothing has the grade asked for ({code(asked.given(NO_GRADE))})", told(none)
    relevant = "highlighted" if asked.example.has_text else "relevant"
    yield (
        f"nothing is {relevant} in the topic",
        told(trials.nothing_relevant[name]) if trials.nothing_relevant else LEFT_OUT,
    )


def _of_text(asked: Asked, trials: Trials, told: Telling) -> Iterator[Cells]:
    name = asked.name
    yield "exactly the highlighted passages, of d2, d1 and d4", told(trials.best[name])
    if asked.score:
        yield "a document without highlights, d3, comes first", told(trials.irrelevant_first[name])
        yield "only the best entry point of d1, without text", told(trials.entry_only[name])
    yield "d3 is unjudged", told.compared(trials.unjudged[name])
    yield "the first part is returned again at the end", told.compared(trials.repeated[name])
    yield from _beyond(asked, trials, told)


def _of_documents(asked: Asked, trials: Trials, told: Telling) -> Iterator[Cells]:
    name = asked.name
    yield "exactly the relevant documents, highest grade first", told(trials.best[name])
    yield "all scores are tied, so that the last id comes first", told.compared(trials.tied[name])
    yield "all scores are tied, with `--ties file`", told.compared(trials.tied_in_file[name])
    if asked.takes("judged_only"):
        skipping = asked.given(SKIPPING)
        without = trials.as_returned[skipping]
        yield f"d4, unjudged, is skipped ({code(skipping)})", told.compared(without)
    yield from _beyond(asked, trials, told)


def _beyond(asked: Asked, trials: Trials, told: Telling) -> Iterator[Cells]:
    if asked.deeper:
        beyond = trials.as_returned[asked.deeper]
        yield f"the list ends before the cut-off ({code(asked.deeper)})", told(beyond)


def _forms(asked: Asked) -> Iterator[str]:
    """The forms of a measure that are tried."""
    yield asked.name
    if asked.deeper:
        yield asked.deeper
    if asked.takes("judged_only"):
        yield asked.given(SKIPPING)
    if asked.takes("rel"):
        yield asked.given(NO_GRADE)


def every_trial() -> dict[str, tuple[Asked, Trials]]:
    """What each page asks for, and the trials of its example, by the page's name."""
    asked = {
        **{name: Asked.of(record.worked) for name, record in REGISTRY.items() if record.worked},
        **{
            f"S={name}": Asked.of(score.worked, score)
            for name, score in DOCUMENT_SCORES.items()
            if score.worked
        },
    }
    by_files: dict[tuple[str, ...], list[Asked]] = {}
    for one in asked.values():
        by_files.setdefault(one.example.files, []).append(one)
    trials = {files: Trials(ones[0].example, ones) for files, ones in by_files.items()}
    return {name: (one, trials[one.example.files]) for name, one in asked.items()}
