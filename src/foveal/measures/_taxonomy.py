"""What a measure scores once its arguments are known, and what can be asked of it.

Which answers (Pehcevski & Thom 2007, figure 1), in which order, relevant to which degree (Viviani
2021): the record declares it, and a cut-off, a document score or a relevance level can change it.
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
    """A way to ask for a measure; `example` is one with this document score and this suffix."""

    example: Measure
    score: str = ""
    suffix: str = ""

    @property
    def shape(self) -> str:
        """The name as it is typed, with a letter for a rank or level and … for other values."""
        given = [f"S={self.score}"] if self.score not in {"", DEFAULT} else []
        given += [own.written("…") for own in self.example.record.required]
        inside = f"({','.join(given)})" if given else ""
        return f"{self.example.record.name}{inside}{self.suffix}"

    @property
    def answers(self) -> Answers | None:
        """Which answers it scores."""
        return answers_of(self.example.record, dict(self.example.arguments))

    @property
    def relevance(self) -> Relevance | None:
        """Whether it takes relevance as binary or graded."""
        return relevance_of(self.example.record, dict(self.example.arguments))


def answers_of(record: Record, arguments: Arguments) -> Answers | None:
    """Which answers a measure with these arguments scores; None if it looks at none.

    A set that is cut at a rank must come from a ranking, and a list cut at rank 1 is one answer.
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
    """Whether a measure with these arguments takes relevance as binary or graded; None if neither."""
    name, _, value = record.binary_given.partition("=")
    given = arguments.get(name)
    is_binary = given is not None and value in {"", given}
    return Relevance.BINARY if is_binary else record.relevance


def is_rank_based(answers: Answers) -> bool:
    """Whether the order of such answers matters; a single answer is the first of a ranking."""
    return answers is not Answers.SET


def variants(record: Record) -> Iterator[Variant]:
    """The ways to ask for a measure that may differ in what they score, the default first."""
    for score in DOCUMENT_SCORES if record.by_score else [""]:
        given = [f"S={score}"] if score else []
        given += [own.written(own.example) for own in record.required]
        inside = f"({','.join(given)})" if given else ""
        for suffix, example in _suffixes(record):
            yield Variant(parse(record.name + inside + example), score, suffix)


def _suffixes(record: Record) -> Iterator[tuple[str, str]]:
    """What can follow a name and may make a difference, and an example of each."""
    suffix = record.suffix
    if suffix is None:
        yield "", ""
    elif not isinstance(suffix, Cutoff) or record.by_score:
        yield suffix.written(suffix.name), suffix.written("1")
    else:
        if not record.needs_suffix:
            yield "", ""
        yield suffix.written(suffix.name), suffix.written("10")
        yield suffix.written("1"), suffix.written("1")
