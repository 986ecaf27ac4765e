"""Validate the output of part sets, rankings and noises; plugins may return anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from foveal.errors import DataError
from foveal.registry import is_user_code, user_code_error, user_code_errors
from foveal.spans import Ints
from foveal.studies.fidelity._lab_documents import UNKNOWN, LabDocuments, Parts
from foveal.studies.fidelity._registries import RunDraft


@contextmanager
def errors_by_line(function: Callable[..., object]) -> Iterator[None]:
    """Report problems with a function's output by file and line, if it is user code."""
    try:
        with user_code_errors(function):
            yield
    except DataError as error:
        if type(error) is not DataError or not is_user_code(function):
            raise
        raise user_code_error(function, str(error), error) from error


def checked_parts(lab: LabDocuments, owner: str, parts: object) -> Parts:
    """Check that a part set or noise returned spans within relevant documents."""
    if not isinstance(parts, Parts):
        raise DataError(f"{owner} must give Parts, got {type(parts).__name__}")
    document, start, end = (
        _whole_numbers(f"{field} of the Parts that {owner} gives", values)
        for field, values in (
            ("document", parts.document), ("start", parts.start), ("end", parts.end),
        )
    )  # fmt: skip
    if not len(document) == len(start) == len(end):
        raise DataError(
            f"{owner} must give as many documents as starts and ends, got {len(document):,},"
            f" {len(start):,} and {len(end):,}"
        )
    _refuse_unknown(lab, owner, document)
    # Some conventions let a highlight end beyond its document; then a part may do so, too.
    max_end = lab.length.copy()
    np.maximum.at(max_end, lab.passages.document, lab.passages.end)
    has_length = lab.length[document] != UNKNOWN
    is_invalid = (start < 0) | (end < start) | (has_length & (end > max_end[document]))
    # Whole documents of unknown length end at -1.
    is_invalid &= has_length | (start != 0) | (end != UNKNOWN)
    is_invalid |= lab.highlighted[document] == 0
    if is_invalid.any():
        index = int(np.argmax(is_invalid))
        text = f"from {start[index]} to {end[index]} in document {lab.name[int(document[index])]!r}"
        raise DataError(f"{owner} must give spans within relevant documents, got {text}")
    return Parts(document, start, end)


def checked_draft(lab: LabDocuments, owner: str, draft: object) -> RunDraft:
    """Check that a noise returned a valid draft of a run."""
    if not isinstance(draft, RunDraft):
        raise DataError(f"{owner} must give a RunDraft, got {type(draft).__name__}")
    return RunDraft(
        checked_documents(lab, owner, draft.documents), checked_parts(lab, owner, draft.parts)
    )


def checked_documents(lab: LabDocuments, owner: str, documents: object) -> Ints:
    """Check that a ranking or noise returned documents topic after topic, each once."""
    rows = _whole_numbers(f"rows of documents that {owner} gives", documents)
    if not len(rows):
        raise DataError(f"{owner} must list at least one document")
    _refuse_unknown(lab, owner, rows)
    if (np.diff(lab.topic[rows]) < 0).any():
        raise DataError(
            f"{owner} must list documents topic after topic, in the order of the topics"
        )
    if len(np.unique(rows)) < len(rows):
        raise DataError(f"{owner} must list every document once")
    return rows


def _whole_numbers(noun: str, values: object) -> Ints:
    try:
        numbers = np.asarray(values)
    except ValueError:
        raise DataError(f"the {noun} must be a list of whole numbers, got a ragged list") from None
    if numbers.ndim != 1 or (numbers.size and not np.issubdtype(numbers.dtype, np.integer)):
        raise DataError(f"the {noun} must be a list of whole numbers, got {numbers.dtype}")
    return numbers.astype(np.int64)


def _refuse_unknown(lab: LabDocuments, owner: str, rows: Ints) -> None:
    unknown = rows[(rows < 0) | (rows >= len(lab.topic))]
    if len(unknown):
        raise DataError(f"{owner} names document {unknown[0]}, but there are {len(lab.topic):,}")
