"""The structure and relevance that a measure scores with given arguments, and its variants.

The structure (Pehcevski & Thom 2007, figure 1) and the kind of relevance (Viviani 2021) are in the
record; a cut-off, a document score or a relevance level can change them.
"""

from __future__ import annotations

from collections.abc import Iterator

from foveal.choices import Answers
from foveal.frozen import frozen
from foveal.measures._grammar import Measure, parse
from foveal.measures._parameters import Cutoff
from foveal.measures._record import Arguments, Record, Relevance
from foveal.measures.document_scores import DEFAULT, DOCUMENT_SCORES


@frozen
class Variant:
    """A measure with one document score and one form of suffix, and an `example` of it."""

    example: Measure
    score: str = ""
    suffix: str = ""

    @property
    def shape(self) -> str:
        """The name as it is typed, a letter for a rank or level and … for other values."""
        arguments = [f"S={self.score}"] if self.score not in {"", DEFAULT} else []
        arguments += [parameter.in_name("…") for parameter in self.example.record.required]
        inside = f"({','.join(arguments)})" if arguments else ""
        return f"{self.example.record.name}{inside}{self.suffix}"

    @property
    def answers(self) -> Answers | None:
        """The structure that it scores."""
        return answers_of(self.example.record, dict(self.example.arguments))

    @property
    def relevance(self) -> Relevance | None:
        """Binary or graded; None if relevance does not matter."""
        return relevance_of(self.example.record, dict(self.example.arguments))


def answers_of(record: Record, arguments: Arguments) -> Answers | None:
    """The structure that a measure with these arguments scores; None if it scores no results.

    A set that is cut at a rank must come from a ranking, and a list cut at rank 1 is one result.
    """
    if record.by_score:
        return DOCUMENT_SCORES[arguments["S"]].answers
    if record.answers is None or not isinstance(record.suffix, Cutoff):
        return record.answers
    cutoff = arguments.get(record.suffix.name)
    if cutoff is None:
        return record.answers
    return Answers.SINGLE if cutoff == 1 else Answers.RANKED


def relevance_of(record: Record, arguments: Arguments) -> Relevance | None:
    """Relevance as a measure with these arguments takes it; None if it does not matter."""
    name, _, value = record.binary_with.partition("=")
    argument = arguments.get(name)
    is_binary = argument is not None and value in {"", argument}
    return Relevance.BINARY if is_binary else record.relevance


def is_rank_based(answers: Answers) -> bool:
    """True if order matters to this structure; a single result is the first of a ranking."""
    return answers is not Answers.SET


def variants(record: Record) -> Iterator[Variant]:
    """Variants of a measure that may differ in structure or relevance, the default first."""
    for score in DOCUMENT_SCORES if record.by_score else [""]:
        arguments = [f"S={score}"] if score else []
        arguments += [parameter.in_name(parameter.example) for parameter in record.required]
        inside = f"({','.join(arguments)})" if arguments else ""
        for suffix, example in _suffixes(record):
            yield Variant(parse(record.name + inside + example), score, suffix)


def _suffixes(record: Record) -> Iterator[tuple[str, str]]:
    """Forms of suffix that may differ in structure, each with an example."""
    suffix = record.suffix
    if suffix is None:
        yield "", ""
    elif not isinstance(suffix, Cutoff) or record.by_score:
        yield suffix.in_name(suffix.name), suffix.in_name("1")
    else:
        if not record.needs_suffix:
            yield "", ""
        yield suffix.in_name(suffix.name), suffix.in_name("10")
        yield suffix.in_name("1"), suffix.in_name("1")
