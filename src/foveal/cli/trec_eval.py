"""foveal trec_eval: trec_eval's own arguments, order and lines."""

from __future__ import annotations

import getopt
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import click

from foveal.choices import Conventions, Form, Like, Task, TopicSet, conventions
from foveal.errors import BadParameter, UsageError

if TYPE_CHECKING:
    from foveal.alignment import Alignment, Floats
    from foveal.measures import Evaluation, Record, RunScores, TrecValue
    from foveal.render import TrecLine

SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"
LONG = {
    "help": "-h",
    "version": "-v",
    "query_eval_wanted": "-q",
    "measure=": "-m",
    "complete_rel_info_wanted": "-c",
    "level_for_rel=": "-l",
    "nosummary": "-n",
    "Debug_level=": "-D",
    "Judged_docs_only": "-J",
    "Number_docs_in_coll=": "-N",
    "Max_retrieved_per_topic=": "-M",
    "Rel_info_format=": "-R",
    "Results_format=": "-T",
    "Output_old_results_format=": "-o",
    "Zscore=": "-Z",
}
VERSIONS = {"9": Like.TREC_EVAL_9, "10": Like.TREC_EVAL_10}
USAGE = """Usage: foveal trec_eval [--as 9|10] [-q] [-c] [-n] [-J] [-m MEASURE[.PARAMETERS]]... [-l NUM]
                        [-M NUM] [-N NUM] [-Z FILE] QRELS RESULTS

  Score a run as trec_eval does: its arguments, its numbers, its lines.

Options:
  --as 9|10   The version whose numbers are reproduced: 9.0.8 (default) or 10.0.
  -q          Print every topic, then the summary.
  -n          Print no summary.
  -c          Average over all judged topics; those without results score 0.
  -m MEASURE  A measure, such as map, P.5,10 or ndcg_cut.10, or a set of them: official (the
              default), all_trec, set. May be repeated.
  -l NUM      The lowest grade that counts as relevant (default 1).
  -M NUM      Look at the first NUM documents of a topic only.
  -J          Pass over unjudged documents.
  -N NUM      The number of documents in the collection (for utility).
  -Z FILE     Print scores as deviations from the mean, in standard deviations; lines of FILE are
              topic, measure, mean, standard deviation.
  -h          Print this page, and what the measures asked for are.

  QRELS and RESULTS are files in TREC's formats; - is standard input. The preference and
  judgement-group formats (-R prefs, qrels_prefs, qrels_jg) are not read.
"""
# What trec_eval prints where the mean of a score is not known.
MISSING = -1000000.0
REFUSED = {
    "-D": "debugging output (-D)",
    "-o": "the old output format (-o)",
}


class _OwnArguments(click.Command):
    """A command that reads its words itself, as trec_eval's differ from click's."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Leave all words to the command."""
        ctx.params["words"] = tuple(args)
        return []

    def get_help(self, ctx: click.Context) -> str:
        """The usage, as trec_eval would have it."""
        return USAGE


@dataclass
class _Call:
    """What a command line of trec_eval asks for."""

    like: Like = Like.TREC_EVAL_9
    files: list[str] = field(default_factory=list)
    measures: list[str] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)
    values: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, words: Sequence[str]) -> _Call:
        """The call that words make."""
        call = cls()
        try:
            pairs, call.files = getopt.gnu_getopt(list(words), SHORT, ["as=", *LONG])
        except getopt.GetoptError as error:
            raise UsageError(f"{error.msg}\n{USAGE}") from error
        short = {f"--{name.rstrip('=')}": letter for name, letter in LONG.items()}
        for given, value in pairs:
            option = short.get(given, given)
            if option in REFUSED:
                raise UsageError(f"{REFUSED[option]} is not offered")
            if option == "--as":
                if value not in VERSIONS:
                    raise UsageError(f"--as {value!r}: choose 9 or 10")
                call.like = VERSIONS[value]
            elif option == "-m":
                call.measures.append(value)
            elif value:
                call.values[option] = value
            else:
                call.flags.add(option)
        return call

    def number(self, option: str, least: int) -> int | None:
        """A whole number given with an option."""
        text = self.values.get(option)
        if text is None:
            return None
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise UsageError(f"{option} takes a whole number of at least {least}, not {text!r}")
        return number

    def check(self) -> None:
        """Refuse what cannot be done."""
        for option, only in (("-R", "qrels"), ("-T", "trec_results")):
            chosen = self.values.get(option, only)
            if chosen != only:
                raise UsageError(f"{option} {chosen}: the format {chosen} is not read, only {only}")
        if len(self.files) != 2:
            raise UsageError(f"give two files, the judgements and the results\n{USAGE}")
        if self.files.count("-") > 1:
            raise UsageError("standard input (-) can be read only once")

    def conventions(self) -> Conventions:
        """The conventions that the options make."""
        rel = self.number("-l", 0)
        return conventions(
            self.like,
            task=Task.DOCUMENT,
            topics=TopicSet.JUDGED if "-c" in self.flags else None,
            rel=1.0 if rel is None else float(rel),
            depth=self.number("-M", 1),
            judged_only="-J" in self.flags,
            collection_size=self.number("-N", 0) or 0,
        )


@click.command(cls=_OwnArguments, short_help="Score a run as trec_eval does, to the byte.")
def command(words: tuple[str, ...]) -> None:
    """Score a run with trec_eval's own arguments and output."""
    call = _Call.of(words)
    if "-v" in call.flags:
        click.echo(f"foveal, as {call.like.value}", err=True)
        return
    if "-h" in call.flags:
        click.echo(_help(call), nl=False)
        return
    call.check()
    from foveal.cli._output import emit
    from foveal.formats import read_qrels, read_run
    from foveal.measures import Evaluation, trec_values
    from foveal.render import trec_text

    asked = trec_values(call.measures, call.like)
    norms = _norms(call.values["-Z"]) if "-Z" in call.values else None
    ours = [value.ours for value in asked if value.ours]
    qrels = read_qrels(call.files[0], "trec")
    evaluation = Evaluation.of(qrels, ours or ["NumRet"], Task.DOCUMENT, call.conventions())
    alignment = evaluation.aligned(read_run(call.files[1], "trec", lenient=True))
    report = _Report(evaluation, alignment, evaluation.scored(alignment), norms)
    lines = [report.line(value) for value in asked]
    if "-n" in call.flags:
        lines = [replace(line, overall=None) for line in lines]
    text = trec_text(report.scores.topics, lines, per_topic="-q" in call.flags)
    emit(text.encode(), None, Form.TREC)


def _help(call: _Call) -> str:
    from foveal.measures import record_of, trec_values
    from foveal.render import described_measure

    asked = trec_values(call.measures, call.like) if call.measures else []
    records = dict.fromkeys(record_of(value.ours).name for value in asked if value.ours)
    return "\n".join([USAGE, *map(described_measure, records)])


Norms = dict[tuple[str, str], tuple[float, float]]


def _norms(path: str) -> Norms:
    """Mean and standard deviation by topic and printed name."""
    from foveal.formats import read_norms

    return {
        (topic, measure): (mean, deviation)
        for topic, measure, mean, deviation in read_norms(path).iter_rows()
    }


@dataclass(frozen=True)
class _Report:
    """A run's scores, and how trec_eval prints them."""

    evaluation: Evaluation
    alignment: Alignment
    scores: RunScores
    norms: Norms | None

    def line(self, value: TrecValue) -> TrecLine:
        """What is printed of one measure."""
        from foveal.measures import parse
        from foveal.render import TrecLine, trec_numbers

        if value.known.name == "runid":
            return TrecLine(value.printed, None, self.scores.name)
        if value.known.name == "relstring":
            return TrecLine(value.printed, self._grades(value), None)
        measure = parse(value.ours, self.evaluation.conventions)
        row = self.evaluation.measures.index(measure)
        values, overall = self.scores.values[row], self.scores.overall[row]
        if self.norms is not None and value.known.name != "num_q":
            values, overall = self._normed(value.printed, values, measure.record)
        whole = measure.record.whole_number
        by_topic = None if value.known.only_all else trec_numbers(values, whole=whole)
        return TrecLine(value.printed, by_topic, *trec_numbers([overall], whole=whole))

    def _grades(self, value: TrecValue) -> list[str]:
        from foveal.measures import document_sets

        try:
            length = int(float(value.parameters or 10))
        except (ValueError, OverflowError):
            raise BadParameter(f"relstring.{value.parameters}", "give a number") from None
        strings = document_sets.relevance_strings(self.alignment, max(length, 0))
        return [f"'{strings[place]}'" for place in self.alignment.listed_topics]

    def _normed(self, name: str, values: Floats, record: Record) -> tuple[Floats, float]:
        """Values as deviations from their means, and what trec_eval makes of them over topics.

        A measure with a geometric mean is averaged, and so compared, as a logarithm.
        """
        import numpy as np

        from foveal.measures import LEAST_IN_GEOMETRIC_MEAN, geometric_mean, total

        geometric = record.average is geometric_mean
        raw = np.log(np.maximum(values, LEAST_IN_GEOMETRIC_MEAN)) if geometric else values
        norms = self.norms or {}
        known = [norms.get((topic, name), (0.0, 0.0)) for topic in self.scores.topics]
        mean, deviation = np.array(known).reshape(-1, 2).T
        apart = raw - mean
        normed = np.full(len(raw), MISSING)
        np.divide(apart, deviation, out=normed, where=deviation != 0)
        stated = np.array([(topic, name) in norms for topic in self.scores.topics], dtype=bool)
        normed[stated & (deviation == 0) & (apart == 0)] = 0.0
        if record.average is total:
            return normed, float(normed.sum())
        count = len(self.alignment.topics)
        if geometric:
            missing = (count - len(normed)) * np.log(LEAST_IN_GEOMETRIC_MEAN)
            return normed, float(np.exp((normed.sum() + missing) / count))
        return normed, float(normed.sum() / count)
