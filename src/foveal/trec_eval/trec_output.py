"""Output of trec_eval: lines of name, topic and value for each run."""

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
    parse,
    record_of,
    sequential_sum,
    total,
    trec_name,
)
from foveal.spans import Floats
from foveal.tables import Run, columns

# C's text for NaN, such as the latency of a topic without results.
UNKNOWN = "nan"
Norms = dict[tuple[str, str], tuple[float, float]]
# trec_eval's deviation of a score without a known mean.
MISSING = -1000000.0


@frozen
class TrecLine:
    """Lines of a measure: its printed name, and its value for each topic and for all topics.

    `None` means that nothing is printed.
    """

    name: str
    by_topic: Sequence[str] | None
    overall: str | None


def trec_text(topics: Sequence[str], lines: Sequence[TrecLine], *, per_topic: bool) -> str:
    """Text with all measures of each topic, then all measures over all topics."""
    texts: list[str] = []
    value_columns = [(f"{line.name:<22}\t", line.by_topic) for line in lines]
    if per_topic:
        for row, topic in enumerate(topics):
            texts += [
                f"{name}{topic}\t{values[row]}\n"
                for name, values in value_columns
                if values is not None and values[row] != UNKNOWN
            ]
    texts += [
        f"{line.name:<22}\t{columns.ALL_TOPICS}\t{line.overall}\n"
        for line in lines
        if line.overall is not None
    ]
    return "".join(texts)


def trec_lines(scores: Scores, *, per_topic: bool) -> str:
    """Text with a line per measure and topic, then one per measure for all topics."""
    return "".join(_run_texts(scores, per_topic=per_topic))


def _run_texts(scores: Scores, *, per_topic: bool) -> Iterable[str]:
    names = {measure: trec_name(measure) for measure in scores.measures}
    measures = scores.measures
    if Like(scores.settings.get("like", Like.PAPER)).is_trec_eval:
        last = len(measures) + 100
        positions = {measure: name.position if name else last for measure, name in names.items()}
        measures = sorted(measures, key=positions.__getitem__)
    for run in scores.values:
        by_measure = dict(zip(scores.columns, run.values, strict=True))
        overall = dict(zip(scores.columns, run.overall, strict=True))
        lines = []
        if len(scores.values) > 1:
            lines.append(TrecLine("runid", None, run.origin.last_tag or run.name))
        for measure in measures:
            name, is_count = names[measure], record_of(measure).whole_number
            by_topic = None
            if per_topic and not (name and name.only_all):
                by_topic = trec_numbers(by_measure[measure].tolist(), is_count=is_count)
            mean_text = score_text(overall[measure], is_count=is_count)
            lines.append(TrecLine(name.text if name else measure, by_topic, mean_text))
        lines += [
            TrecLine(name, trec_numbers(by_measure[name].tolist()), score_text(overall[name]))
            for name in scores.extra_columns
            if not isnan(overall[name])
        ]
        yield trec_text(run.topics, lines, per_topic=per_topic)


def trec_numbers(values: Iterable[float], *, is_count: bool = False) -> list[str]:
    """Values as trec_eval prints them: counts without decimals, others with four."""
    return [str(int(value)) if is_count else score_text(value) for value in values]


def score_text(value: float, *, is_count: bool = False) -> str:
    """A score as trec_eval prints it; a negative score that rounds to 0 keeps its sign."""
    return f"{value:.0f}" if is_count else f"{value:.4f}"


def norms(path: str) -> Norms:
    """Read means and standard deviations by topic and printed name."""
    return {
        (topic, measure): (mean, deviation)
        for topic, measure, mean, deviation in read_norms(path).iter_rows()
    }


def printed_measures(requested_values: Sequence[TrecValue]) -> tuple[str, ...]:
    """Measures whose scores are needed to print these values; always at least one."""
    return tuple(value.spelling for value in requested_values if value.spelling) or ("NumRet",)


@frozen
class Printed:
    """Scores of a run and their text as trec_eval prints it."""

    scores: RunScores
    text: str


@frozen
class Printer:
    """Prints runs as trec_eval does; can be sent to other processes."""

    evaluation: Evaluation
    requested_values: tuple[TrecValue, ...]
    per_topic: bool
    summary: bool = True
    norms: Norms | None = None

    def __call__(self, run: Run) -> Printed:
        """Score a run and print it."""
        alignment = self.evaluation.aligned(run)
        if not len(alignment.topics_with_rows):
            only = self.evaluation.chosen
            state = f"among those chosen: {only}" if only else "judged"
            raise DataError(f"{alignment.run.source}: none of its topics is {state}")
        scores = self.evaluation.scored(alignment)
        report = _Report(self.evaluation, alignment, scores, self.norms)
        lines = [report.line(value) for value in self.requested_values]
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
        """Lines of one measure."""
        if value.measure.name == "runid":
            return TrecLine(value.printed_name, None, self.alignment.run.tag)
        if value.measure.name == "relstring":
            return TrecLine(value.printed_name, self._grades(value), None)
        measure = parse(value.spelling, self.evaluation.conventions)
        values = self.scores.values[self.evaluation.measures.index(measure)]
        made_up = self._made_up_gain(value, measure)
        # Adding 0 would turn -0.0, which trec_eval prints as -0.0000, into 0.
        values = np.where(made_up == 0, values, values + made_up)
        if measure.record.average is geometric_mean:
            # Averaged, and therefore normalised, as logarithms.
            values = np.log(np.maximum(values, LEAST_IN_GEOMETRIC_MEAN))
        name, is_count = value.printed_name, measure.record.whole_number
        if self.norms is not None:
            values = self._deviations(name, values)
            # A Z before the name marks deviations; those of counts are fractions.
            name, is_count = f"Z{name:<22}", False
        by_topic = None if value.measure.only_all else trec_numbers(values, is_count=is_count)
        overall = self._overall(value, measure, values)
        return TrecLine(name, by_topic, *trec_numbers([overall], is_count=is_count))

    def _grades(self, value: TrecValue) -> list[str]:
        try:
            length = int(float(value.parameters or 10))
        except (ValueError, OverflowError):
            raise BadParameter(f"relstring.{value.parameters}", "give a number") from None
        strings = _relevance_strings(self.alignment, max(length, 0))
        if value.parameters and length > 0:
            for row in self._made_up_rows:
                strings[row] = "-"
        return [f"'{strings[row]}'" for row in self.alignment.topics_with_rows]

    @property
    def _made_up_rows(self) -> list[int]:
        """Rows of missing topics, which version 10 evaluates with a made-up document.

        The document is unjudged, so -J skips it.
        """
        conventions = self.evaluation.conventions
        if not conventions.missing_topics_have_rows or conventions.judged_only:
            return []
        return [int(row) for row in self.alignment.missing_topics]

    def _made_up_gain(self, value: TrecValue, measure: Measure) -> Floats:
        """Amount the made-up document adds to scores; version 10 subtracts it without parameters."""
        gain = np.zeros(len(self.scores.topics))
        if value.parameters:
            arguments = dict(measure.arguments)
            if value.measure.name == "utility":
                gain[self._made_up_rows] = arguments["b"] - arguments["d"]
            elif value.measure.name == "rbp_resid":
                gain[self._made_up_rows] = 1.0
        return gain

    def _deviations(self, name: str, values: Floats) -> Floats:
        """Deviations of values from their means, in standard deviations."""
        norms = self.norms or {}
        pairs = [norms.get((topic, name), (0.0, 0.0)) for topic in self.scores.topics]
        mean, deviation = np.array(pairs).reshape(-1, 2).T
        differences = values - mean
        deviations = np.full(len(values), MISSING)
        np.divide(differences, deviation, out=deviations, where=deviation != 0)
        has_norm = np.array([(topic, name) in norms for topic in self.scores.topics], dtype=bool)
        deviations[has_norm & (deviation == 0) & (differences == 0)] = 0.0
        return deviations

    def _overall(self, value: TrecValue, measure: Measure, values: Floats) -> float:
        """Value for all topics; topics that are averaged but have no values count as 0."""
        alignment, conventions = self.alignment, self.evaluation.conventions
        count = len(alignment.repeated(np.ones(len(alignment.topics))))
        values = alignment.repeated(values, alignment.topics_with_rows)
        if value.measure.name == "num_q":
            return float(count)
        if value.measure.name == "num_rel" and conventions.topics is TopicSet.JUDGED:
            # With -c trec_eval counts in the judgements, whatever -l and -Z say.
            relevant = alignment.qrels.topic[alignment.qrels.grade > 0]
            times = alignment.qrels.times
            return float(len(relevant) if times is None else times[relevant].sum())
        if measure.record.average is total:
            return sequential_sum(values)
        if measure.record.average is geometric_mean:
            missing = (count - len(values)) * np.log(LEAST_IN_GEOMETRIC_MEAN)
            return float(np.exp((sequential_sum(values) + missing) / count))
        return sequential_sum(values) / count


def _relevance_strings(alignment: AlignedRun, length: int) -> list[str]:
    """Grades of each topic's first documents, one character each, as trec_eval prints them.

    A digit is the grade, > a grade above 9; a dash is a document outside the pool, a dot one in the
    pool that was not judged.
    """
    lists = alignment.graded.filtered(judged_only=alignment.conventions.judged_only)
    size = int(min(length, lists.count.max(initial=0)))
    symbols = np.full((len(lists.count), size), "-")
    is_shown = lists.rank <= size
    grade = np.floor(lists.grade[is_shown]).astype(np.int64)
    alphabet = np.array([*"0123456789", ">", "."])
    symbol = alphabet[np.where(grade < 0, 11, np.minimum(grade, 10))]
    symbols[lists.topic[is_shown], lists.rank[is_shown] - 1] = symbol
    sizes = np.minimum(lists.count, size)
    return ["".join(row[:end]) for row, end in zip(symbols, sizes, strict=True)]
