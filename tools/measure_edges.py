"""Scores of measures in edge cases: computed on variations of the examples, never by hand."""

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
class MeasureCase:
    """A measure with its example; on the page of a document score, one that uses the score."""

    name: str
    record: Record
    example: Example
    score: DocumentScore | None = None

    @classmethod
    def of(cls, worked: WorkedExample, score: DocumentScore | None = None) -> MeasureCase:
        """The measure of a worked example."""
        example = example_of(worked)
        files = SINGLE_TOPIC.get(example.files, example.files)
        return cls(worked.measure, parse(worked.measure).record, Example(files), score)

    def with_argument(self, word: str) -> str:
        """The measure with one more argument."""
        match = SPELLING.fullmatch(self.name)
        if match is None:
            raise ValueError(f"{self.name} is not the name of a measure")
        inside = ",".join(filter(None, [match["inside"], word]))
        return f"{match['name']}({inside}){match['suffix']}"

    def takes(self, name: str) -> bool:
        """True if the measure has this parameter."""
        return name in {parameter.name for parameter in self.record.parameters}

    @property
    def deeper(self) -> str:
        """The measure with a cut-off beyond the end of the list; empty if it has none."""
        name, separator, _ = self.name.partition("@")
        return name + DEEP if separator and self.record.written_suffix in CUT_OFFS else ""


class Trials:
    """Scores of many measures on variations of one example, each computed once for all of them.

    A score is NaN where the formula divides by 0.
    """

    def __init__(self, example: Example, cases: Sequence[MeasureCase]) -> None:
        self.example = example
        self.measures = {name: parse(name) for case in cases for name in _forms(case)}

    def _scored(
        self, judged: list[Row], returned: list[Row], topic: str = TOPIC, ties: Ties | None = None
    ) -> dict[str, float]:
        """The values of a topic by measure; empty if it is left out."""
        choices = Choices.of({"ties": ties}) if ties else Choices()
        evaluation = Evaluation.of(foveal.Qrels.from_dicts(judged), ["NumQ"], choices)
        run = replace(_run_of(returned, self.example), chunks=self._chunks)
        alignment = evaluation.aligned(run)
        topics = [evaluation.qrels.topics[number] for number in alignment.topics]
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
    def tied_scores(self) -> dict[str, float]:
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
            {"topic": TOPIC, "doc": doc, "start": passage["start"], "end": passage["end"]}
            for doc in BEST_ORDER
            for passage in passages[doc]
        ]
    return [row | {"score": row["grade"]} for row in example.judged if row["grade"] > 0]


def number(value: float) -> str:
    """A score as pages show it: four decimals, or a whole number."""
    return f"{value:.0f}" if abs(value - round(value)) < SAME else f"{value:.4f}"


@dataclass(frozen=True)
class ScoreWords:
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


def edge_cases(case: MeasureCase, trials: Trials) -> Iterator[Cells]:
    """Cases in plain words, each with the score of the measure."""
    name, usual = case.name, trials.as_returned
    in_words = ScoreWords(usual[name], case.record.undefined)
    if case.record.answers is None:
        yield "any run, and even an empty list", in_words(trials.nothing_returned[name])
    else:
        yield f"{code(case.example.files[1])} as it is", in_words(usual[name])
        yield "nothing is returned", in_words(trials.nothing_returned[name])
        yield from (_of_text if case.example.has_text else _of_documents)(case, trials, in_words)
    if case.takes("rel") and (none := usual[case.with_argument(NO_GRADE)]) != usual[name]:
        yield (
            f"nothing has the grade asked for ({code(case.with_argument(NO_GRADE))})",
            in_words(none),
        )
    relevant = "highlighted" if case.example.has_text else "relevant"
    yield (
        f"nothing is {relevant} in the topic",
        in_words(trials.nothing_relevant[name]) if trials.nothing_relevant else LEFT_OUT,
    )


def _of_text(case: MeasureCase, trials: Trials, in_words: ScoreWords) -> Iterator[Cells]:
    name = case.name
    yield "exactly the highlighted passages, of d2, d1 and d4", in_words(trials.best[name])
    if case.score:
        yield (
            "a document without highlights, d3, comes first",
            in_words(trials.irrelevant_first[name]),
        )
        yield "only the best entry point of d1, without text", in_words(trials.entry_only[name])
    yield "d3 is unjudged", in_words.compared(trials.unjudged[name])
    yield "the first part is returned again at the end", in_words.compared(trials.repeated[name])
    yield from _beyond(case, trials, in_words)


def _of_documents(case: MeasureCase, trials: Trials, in_words: ScoreWords) -> Iterator[Cells]:
    name = case.name
    yield "exactly the relevant documents, highest grade first", in_words(trials.best[name])
    yield (
        "all scores are tied, so that the last id comes first",
        in_words.compared(trials.tied_scores[name]),
    )
    yield "all scores are tied, with `--ties file`", in_words.compared(trials.tied_in_file[name])
    if case.takes("judged_only"):
        skipping = case.with_argument(SKIPPING)
        skipped = trials.as_returned[skipping]
        yield f"d4, unjudged, is skipped ({code(skipping)})", in_words.compared(skipped)
    yield from _beyond(case, trials, in_words)


def _beyond(case: MeasureCase, trials: Trials, in_words: ScoreWords) -> Iterator[Cells]:
    if case.deeper:
        beyond = trials.as_returned[case.deeper]
        yield f"the list ends before the cut-off ({code(case.deeper)})", in_words(beyond)


def _forms(case: MeasureCase) -> Iterator[str]:
    """The forms of a measure that are tried."""
    yield case.name
    if case.deeper:
        yield case.deeper
    if case.takes("judged_only"):
        yield case.with_argument(SKIPPING)
    if case.takes("rel"):
        yield case.with_argument(NO_GRADE)


def cases_with_trials() -> dict[str, tuple[MeasureCase, Trials]]:
    """The measure of each page and the trials of its example, by the page's name."""
    cases = {
        **{
            name: MeasureCase.of(record.worked)
            for name, record in REGISTRY.items()
            if record.worked
        },
        **{
            f"S={name}": MeasureCase.of(score.worked, score)
            for name, score in DOCUMENT_SCORES.items()
            if score.worked
        },
    }
    cases_by_files: dict[tuple[str, ...], list[MeasureCase]] = {}
    for case in cases.values():
        cases_by_files.setdefault(case.example.files, []).append(case)
    trials = {
        files: Trials(same_files[0].example, same_files)
        for files, same_files in cases_by_files.items()
    }
    return {name: (case, trials[case.example.files]) for name, case in cases.items()}
