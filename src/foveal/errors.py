"""Every error foveal raises on purpose.

FovealError                  exit code
├── UsageError               2    the call makes no sense
│   ├── UnknownMeasure            no such measure; asks "did you mean …?"
│   ├── NotScored                 scores do not have what was looked up; also a KeyError
│   └── BadParameter              a parameter that a measure does not take, or a bad value of one
├── DemandNotMet             1    scores are below what was asked for; also an AssertionError
├── DataError                65   the data cannot be scored as asked
│   ├── BadInput                  every line of a file or table that cannot be used
│   ├── NoHighlights              a measure of text needs highlights, the judgements have none
│   ├── NoAspects                 a measure needs aspects, the judgements name none
│   ├── UnknownLength             a document's length is needed but unknown
│   ├── OverlapFound              overlapping parts where overlap is refused
│   ├── BadIndex                  not an offset index, or one that is damaged or of another version
│   ├── BadCampaign               not a campaign of judging, or one that is damaged or of another version
│   └── RefusedEvent              an act of an assessor that a campaign does not take
├── MissingFile              66   a file that does not exist or cannot be opened or written
│   └── ClusterUnreachable        the cluster's scheduler does not answer
├── MissingExtra             69   an optional dependency that is not installed
└── WorkerLost               69   a worker process that died
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from foveal.frozen import frozen

SHOWN_PROBLEMS = 20
SHOWN_NAMES = 5
INT64 = range(-(2**63), 2**63)


@frozen
class Problem:
    """One line of a file that cannot be used, and why."""

    line: int | None
    reason: str
    text: str = ""
    hides_line: ClassVar[bool] = True
    """True if nothing else on the line can be relied on."""


class FovealError(Exception):
    """The root of every error raised on purpose; the command line exits with `exit_code`."""

    exit_code: ClassVar[int] = 70

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle all attributes, whatever arguments a subclass's constructor has."""
        return _rebuilt, (type(self), self.args), self.__dict__


class UsageError(FovealError):
    """A call makes no sense, whatever the data."""

    exit_code = 2


class UnknownMeasure(UsageError):
    """No measure has this name."""

    def __init__(self, name: str, suggestions: Sequence[str] = ()) -> None:
        hint = f"; did you mean {' or '.join(suggestions)}?" if suggestions else ""
        super().__init__(f"unknown measure {name!r}{hint} (`foveal measures` lists them all)")


class NotScored(UsageError, KeyError):
    """Scores have no such measure or run."""

    def __init__(self, noun: str, name: str, names: Sequence[str]) -> None:
        hint = did_you_mean(name, names, repr, cutoff=0.5)
        super().__init__(f"no {noun} {name!r} was scored{hint} (scored: {', '.join(names)})")

    def __str__(self) -> str:
        """Message without quotes, which a KeyError would put around it."""
        return str(self.args[0])


class BadParameter(UsageError):
    """A measure does not take this parameter, or not this value of it."""

    def __init__(self, measure: str, reason: str) -> None:
        super().__init__(f"measure {measure!r}: {reason}")


class DemandNotMet(FovealError, AssertionError):
    """Scores do not meet a demand."""

    exit_code = 1


class DataError(FovealError):
    """The data cannot be scored as asked."""

    exit_code = 65


class BadInput(DataError):
    """Every line of a file, or row of a table, that cannot be used.

    `rest` makes a run of the other lines, for `check`; `None` if no line can be used.
    """

    def __init__(self, source: str, problems: Sequence[Problem], expected: str = "") -> None:
        self.source = source
        self.problems = tuple(problems)
        self.expected = expected
        self.hint = ""
        self.rest: Callable[[], Any] | None = None
        super().__init__(self._message())

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle everything but `rest`, which holds the lines that can be used."""
        return _rebuilt, (type(self), self.args), {**self.__dict__, "rest": None}

    def lead_with(self, hint: str) -> None:
        """Put a hint before the problems: after forty lines of them it would be missed."""
        self.hint = hint
        self.args = (self._message(),)

    def quote(self, texts: Mapping[int, str]) -> None:
        """Add the text of lines, by line number, to problems that do not show it yet."""
        self.problems = tuple(
            problem if problem.text else replace(problem, text=texts.get(problem.line or 0, ""))
            for problem in self.problems
        )
        self.args = (self._message(),)

    def _message(self) -> str:
        rows = [self.hint] if self.hint else []
        for problem in self.problems[:SHOWN_PROBLEMS]:
            location = self.source if problem.line is None else f"{self.source}:{problem.line}"
            rows.append(f"{location}: {problem.reason}")
            if problem.text:
                rows.append(f"    {shortened(problem.text)}")
        hidden = len(self.problems) - SHOWN_PROBLEMS
        if hidden > 0:
            rows.append(f"{self.source}: and {counted(hidden, 'more problem')}")
        if self.expected:
            rows.append(f"expected: {self.expected}")
        return "\n".join(rows)


class NoHighlights(DataError):
    """A measure of text needs highlights and the judgements have none."""

    def __init__(
        self, instead: str = " or score documents only (-m AP or --task document)"
    ) -> None:
        super().__init__(
            "the judgements have no highlights, so text cannot be measured: give judgements with"
            f" highlights (formats inex, jsonl){instead}"
        )


class NoAspects(DataError):
    """A measure needs aspects and the judgements name none."""

    def __init__(self) -> None:
        super().__init__(
            "the judgements name no aspects: give them as trec-subtopics, trecgen or JSONL with"
            ' "aspects" (--qrels-format names the format, in Python format=)'
        )


class UnknownLength(DataError):
    """A document's length is needed but unknown."""

    def __init__(
        self, run: str, document: str, count: int, *, whole_document: bool, judged: bool = True
    ) -> None:
        documents = counted(count, "whole document" if whole_document else "judged document")
        hint = "give start and end in the run, " if whole_document else "give "
        hint += "the length in the judgements, " if judged else ""
        example = f"first {document!r}" if count > 1 else repr(document)
        super().__init__(
            f"run {run!r} returns {documents} of unknown length, {example}: {hint}the"
            " collection's offset index (--elements INDEX) or its texts (--docs DOCUMENTS, in"
            " Python docs=)"
        )


class OverlapFound(BadInput):
    """Overlapping parts where overlap is refused."""


class BadIndex(DataError):
    """Not an offset index, or one that is damaged, unfinished or of another version."""


class BadCampaign(DataError):
    """Not a campaign of judging, or one that is damaged or of another version."""


class RefusedEvent(DataError):
    """An act of an assessor that a campaign does not take; `status` is what HTTP calls it."""

    def __init__(self, reason: str, status: int = 400) -> None:
        super().__init__(reason)
        self.status = status


class MissingFile(FovealError):
    """A file that does not exist or cannot be opened or written."""

    exit_code = 66


class ClusterUnreachable(MissingFile):
    """The cluster's scheduler does not answer."""


class MissingExtra(FovealError):
    """An optional dependency that is not installed."""

    exit_code = 69

    def __init__(self, extra: str, package: str) -> None:
        super().__init__(f'this needs {package}: pip install "foveal[{extra}]"')


class WorkerLost(FovealError):
    """A worker process died: killed, or out of memory."""

    exit_code = 69


def _rebuilt(error_type: type[FovealError], arguments: tuple[object, ...]) -> FovealError:
    error = error_type.__new__(error_type)
    error.args = arguments
    return error


def harmless(text: str) -> str:
    """Message without control characters, which names from files may contain."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for character in text
    )


def shortened(text: str, limit: int = 160) -> str:
    """Line of text without control characters, cut to a limit."""
    printable = "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}"
        for character in text[: limit + 1].replace("\t", " ")
    )
    return printable if len(printable) <= limit else printable[:limit] + "…"


def value_text(value: object) -> str:
    """Short text for a value in an error message, whatever its size or depth."""
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, int) and value not in INT64:
        return "a number that is too large"
    return shortened(repr(value), 40)


def did_you_mean(
    word: str, names: Iterable[str], display: Callable[[str], str] = str, cutoff: float = 0.6
) -> str:
    """End of a message about an unknown word: the most similar name, or nothing."""
    from difflib import get_close_matches  # noqa: PLC0415  # only a mistake needs it

    close = get_close_matches(word, list(names), n=1, cutoff=cutoff)
    return f"; did you mean {display(close[0])}?" if close else ""


def and_list(names: Sequence[str]) -> str:
    """Names in a sentence: a, b and c."""
    *other_names, last_name = names
    return f"{', '.join(other_names)} and {last_name}" if other_names else last_name


def shortened_list(names: Sequence[str], limit: int = SHOWN_NAMES) -> str:
    """The first names of a list, and the number of those left out."""
    hidden_count = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {hidden_count:,} more" if hidden_count > 0 else "")


def counted(count: int, noun: str) -> str:
    """Number and noun, with an s in the plural."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
