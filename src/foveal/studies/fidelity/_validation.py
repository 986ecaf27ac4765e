"""What a part set, a ranking or a noise gives, checked: it may come from a file of anybody's own."""

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
def by_line(function: Callable[..., object]) -> Iterator[None]:
    """Report what is wrong with what a function gives by file and line, if it is a user's own."""
    try:
        with user_code_errors(function):
            yield
    except DataError as error:
        if type(error) is not DataError or not is_user_code(function):
            raise
        raise user_code_error(function, str(error), error) from error


def checked_parts(ground: LabDocuments, owner: str, parts: object) -> Parts:
    """The parts that an owner gives, if they are spans within relevant documents."""
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
    _refuse_unknown(ground, owner, document)
    # Where the conventions let a highlight reach beyond its document, a part may as well.
    reach = ground.length.copy()
    np.maximum.at(reach, ground.passages.document, ground.passages.end)
    known = ground.length[document] != UNKNOWN
    wrong = (start < 0) | (end < start) | (known & (end > reach[document]))
    # Whole documents of unknown length end at -1.
    wrong &= known | (start != 0) | (end != UNKNOWN)
    wrong |= ground.highlighted[document] == 0
    if wrong.any():
        at = int(np.argmax(wrong))
        place = f"from {start[at]} to {end[at]} in document {ground.name[int(document[at])]!r}"
        raise DataError(f"{owner} must give spans within relevant documents, got {place}")
    return Parts(document, start, end)


def checked_draft(ground: LabDocuments, owner: str, draft: object) -> RunDraft:
    """The spoilt run that an owner gives, if it is one."""
    if not isinstance(draft, RunDraft):
        raise DataError(f"{owner} must give a RunDraft, got {type(draft).__name__}")
    return RunDraft(
        checked_documents(ground, owner, draft.documents), checked_parts(ground, owner, draft.parts)
    )


def checked_documents(ground: LabDocuments, owner: str, documents: object) -> Ints:
    """The documents that an owner gives, if they are listed topic after topic and each once."""
    rows = _whole_numbers(f"rows of documents that {owner} gives", documents)
    if not len(rows):
        raise DataError(f"{owner} must list at least one document")
    _refuse_unknown(ground, owner, rows)
    if (np.diff(ground.topic[rows]) < 0).any():
        raise DataError(
            f"{owner} must list documents topic after topic, in the order of the topics"
        )
    if len(np.unique(rows)) < len(rows):
        raise DataError(f"{owner} must list every document once")
    return rows


def _whole_numbers(what: str, values: object) -> Ints:
    try:
        found = np.asarray(values)
    except ValueError:
        raise DataError(f"the {what} must be a list of whole numbers, got a ragged list") from None
    if found.ndim != 1 or (found.size and not np.issubdtype(found.dtype, np.integer)):
        raise DataError(f"the {what} must be a list of whole numbers, got {found.dtype}")
    return found.astype(np.int64)


def _refuse_unknown(ground: LabDocuments, owner: str, rows: Ints) -> None:
    unknown = rows[(rows < 0) | (rows >= len(ground.topic))]
    if len(unknown):
        raise DataError(f"{owner} names document {unknown[0]}, but there are {len(ground.topic):,}")
