"""What trec_eval prints: scores by name, topic and value, and the lines around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isnan

import numpy as np

from foveal.alignment import AlignedRun
from foveal.choices import Like, TopicSet
from foveal.errors import BadParameter, DataError
from foveal.evaluation import Evaluation, RunScores, Scores
from foveal.formats import read_norms
from foveal.frozen import frozen
from foveal.measures import (
    LEAST_IN_GEOMETRIC_MEAN,
    Measure,
    TrecValue,
    geometric_mean,
    in_turn,
    parse,
    record_of,
    total,
    trec_name,
)
from foveal.spans import Floats
from foveal.tables import Run, columns

# What C prints for a number that there is not: a topic without results has no latency.
UNKNOWN = "nan"
Norms = dict[tuple[str, str], tuple[float, float]]
# What trec_eval prints where the mean of a score is unknown.
MISSING = -1000000.0


@frozen
class TrecLine:
    """A measure's lines: its printed name, and its value for each topic and for all of them.

    None where nothing is printed.
    """

    name: str
    by_topic: Sequence[str] | None
    overall: str | None


def trec_text(topics: Sequence[str], lines: Sequence[TrecLine], *, per_topic: bool) -> str:
    """Every measure of one topic after the other, then every measure for all topics."""
    printed: list[str] = []
    shown = [(f"{line.name:<22}\t", line.by_topic) for line in lines]
    if per_topic:
        for place, topic in enumerate(topics):
            printed += [
                f"{name}{topic}\t{values[place]}\n"
                for name, values in shown
                if values is not None and values[place] != UNKNOWN
            ]
    printed += [
        f"{line.name:<22}\t{columns.ALL_TOPICS}\t{line.overall}\n"
        for line in lines
        if line.overall is not None
    ]
    return "".join(printed)


def trec_lines(scores: Scores, *, per_topic: bool) -> str:
    """One line per measure and topic, then one per measure for all topics."""
    return "".join(_run_texts(scores, per_topic=per_topic))


def _run_texts(scores: Scores, *, per_topic: bool) -> Iterable[str]:
    names = {measure: trec_name(measure) for measure in scores.measures}
    measures = scores.measures
    if Like(scores.settings.get("like", Like.PAPER)).is_trec_eval:
        last = len(measures) + 100
        places = {measure: known[1] if known else last for measure, known in names.items()}
        measures = sorted(measures, key=places.__getitem__)
    for run in scores.values:
        by_measure = dict(zip(scores.columns, run.values, strict=True))
        overall = dict(zip(scores.columns, run.overall, strict=True))
        lines = []
        if len(scores.values) > 1:
            lines.append(TrecLine("runid", None, run.tag or run.name))
        for measure in measures:
            known, whole = names[measure], record_of(measure).whole_number
            name = known[0] if known else measure
            by_topic = None
            if per_topic and not (known and known[2]):
                by_topic = trec_numbers(by_measure[measure].tolist(), whole=whole)
            lines.append(TrecLine(name, by_topic, as_c_prints(overall[measure], whole=whole)))
        lines += [
            TrecLine(name, trec_numbers(by_measure[name].tolist()), as_c_prints(overall[name]))
            for name in scores.also
            if not isnan(overall[name])
        ]
        yield trec_text(run.topics, lines, per_topic=per_topic)


def trec_numbers(values: Iterable[float], *, whole: bool = False) -> list[str]:
    """Values as trec_eval prints them: counts without decimals, others with four."""
    return [str(int(value)) if whole else as_c_prints(value) for value in values]


def as_c_prints(value: float, *, whole: bool = False) -> str:
    """A score as trec_eval prints it: what rounds to 0 from below keeps its sign."""
    return f"{value:.0f}" if whole else f"{value:.4f}"


def norms(path: str) -> Norms:
    """Mean and standard deviation by topic and printed name."""
    return {
        (topic, measure): (mean, deviation)
        for topic, measure, mean, deviation in read_norms(path).iter_rows()
    }


def printed_measures(asked: Sequence[TrecValue]) -> tuple[str, ...]:
    """The measures whose scores are needed to print these values; always at least one."""
    return tuple(value.ours for value in asked if value.ours) or ("NumRet",)


@frozen
class Printed:
    """A run's scores and the text that trec_eval prints of them."""

    scores: RunScores
    text: str


@frozen
class Printer:
    """What trec_eval prints of one run after the other; can be sent to other processes."""

    evaluation: Evaluation
    asked: tuple[TrecValue, ...]
    per_topic: bool
    summary: bool = True
    norms: Norms | None = None

    def __call__(self, run: Run) -> Printed:
        """The text for a run."""
        alignment = self.evaluation.aligned(run)
        if not len(alignment.topics_with_rows):
            chosen = self.evaluation.chosen
            which = f"among those chosen: {chosen}" if chosen else "judged"
            raise DataError(f"{alignment.run.source}: none of its topics is {which}")
        scores = self.evaluation.scored(alignment)
        report = _Report(self.evaluation, alignment, scores, self.norms)
        lines = [report.line(value) for value in self.asked]
        if not self.summary:
            lines = [replace(line, overall=None) for line in lines]
        return Printed(scores, trec_text(scores.topics, lines, per_topic=self.per_topic))


@frozen
class _Report:
    """A run's scores as trec_eval prints them, measure by measure."""

    evaluation: Evaluation
    alignment: AlignedRun
    scores: RunScores
    norms: Norms | None

    def line(self, value: TrecValue) -> TrecLine:
        """What is printed of one measure."""
        if value.known.name == "runid":
            return TrecLine(value.printed, None, self.alignment.run.tag)
        if value.known.name == "relstring":
            return TrecLine(value.printed, self._grades(value), None)
        measure = parse(value.ours, self.evaluation.conventions)
        values = self.scores.values[self.evaluation.measures.index(measure)]
        extra = self._left_over(value, measure)
        # Adding 0 would turn -0.0, which trec_eval prints as -0.0000, into 0.
        values = np.where(extra == 0, values, values + extra)
        if measure.record.average is geometric_mean:
            # Averaged, and therefore normalised, as logarithms.
            values = np.log(np.maximum(values, LEAST_IN_GEOMETRIC_MEAN))
        name, whole = value.printed, measure.record.whole_number
        if self.norms is not None:
            values = self._normed(name, values)
            # A Z before the name marks deviations; those of counts are fractions.
            name, whole = f"Z{name:<22}", False
        by_topic = None if value.known.only_all else trec_numbers(values, whole=whole)
        overall = self._overall(value, measure, values)
        return TrecLine(name, by_topic, *trec_numbers([overall], whole=whole))

    def _grades(self, value: TrecValue) -> list[str]:
        try:
            length = int(float(value.parameters or 10))
        except (ValueError, OverflowError):
            raise BadParameter(f"relstring.{value.parameters}", "give a number") from None
        strings = _relevance_strings(self.alignment, max(length, 0))
        if value.parameters and length > 0:
            for place in self._stood_in_for:
                strings[place] = "-"
        return [f"'{strings[place]}'" for place in self.alignment.topics_with_rows]

    @property
    def _stood_in_for(self) -> list[int]:
        """The rows of missing topics, which version 10 evaluates with a made-up document.

        The document is unjudged, so -J skips it.
        """
        conventions = self.evaluation.conventions
        if not conventions.missing_topics_have_rows or conventions.judged_only:
            return []
        return [int(place) for place in self.alignment.missing_topics]

    def _left_over(self, value: TrecValue, measure: Measure) -> Floats:
        """What the made-up document adds to a score; version 10 undoes it only without parameters."""
        extra = np.zeros(len(self.scores.topics))
        if value.parameters:
            arguments = dict(measure.arguments)
            if value.known.name == "utility":
                extra[self._stood_in_for] = arguments["b"] - arguments["d"]
            elif value.known.name == "rbp_resid":
                extra[self._stood_in_for] = 1.0
        return extra

    def _normed(self, name: str, values: Floats) -> Floats:
        """Values as deviations from their means."""
        norms = self.norms or {}
        known = [norms.get((topic, name), (0.0, 0.0)) for topic in self.scores.topics]
        mean, deviation = np.array(known).reshape(-1, 2).T
        apart = values - mean
        normed = np.full(len(values), MISSING)
        np.divide(apart, deviation, out=normed, where=deviation != 0)
        stated = np.array([(topic, name) in norms for topic in self.scores.topics], dtype=bool)
        normed[stated & (deviation == 0) & (apart == 0)] = 0.0
        return normed

    def _overall(self, value: TrecValue, measure: Measure, values: Floats) -> float:
        """The value for all topics; topics that are averaged but have no values count as 0."""
        alignment, conventions = self.alignment, self.evaluation.conventions
        count = len(alignment.repeated(np.ones(len(alignment.topics))))
        values = alignment.repeated(values, alignment.topics_with_rows)
        if value.known.name == "num_q":
            return float(count)
        if value.known.name == "num_rel" and conventions.topics is TopicSet.JUDGED:
            # With -c trec_eval counts in the judgements, whatever -l and -Z say.
            relevant = alignment.qrels.topic[alignment.qrels.grade > 0]
            times = alignment.qrels.times
            return float(len(relevant) if times is None else times[relevant].sum())
        if measure.record.average is total:
            return in_turn(values)
        if measure.record.average is geometric_mean:
            missing = (count - len(values)) * np.log(LEAST_IN_GEOMETRIC_MEAN)
            return float(np.exp((in_turn(values) + missing) / count))
        return in_turn(values) / count


def _relevance_strings(alignment: AlignedRun, length: int) -> list[str]:
    """The grades of each topic's first documents, a character each, as trec_eval writes them.

    A digit is the grade, > a grade above 9; a dash is a document outside the pool, a dot one in the
    pool that was not judged.
    """
    lists = alignment.graded.filtered(judged_only=alignment.conventions.judged_only)
    size = int(min(length, lists.count.max(initial=0)))
    signs = np.full((len(lists.count), size), "-")
    seen = lists.rank <= size
    grade = np.floor(lists.grade[seen]).astype(np.int64)
    alphabet = np.array([*"0123456789", ">", "."])
    sign = alphabet[np.where(grade < 0, 11, np.minimum(grade, 10))]
    signs[lists.topic[seen], lists.rank[seen] - 1] = sign
    depth = np.minimum(lists.count, size)
    return ["".join(row[:end]) for row, end in zip(signs, depth, strict=True)]
