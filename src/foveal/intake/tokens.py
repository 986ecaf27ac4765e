"""Tokens of the parts of a run, for budgets such as cR(tokens=500)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from foveal.errors import BadInput, DataError, MissingExtra, Problem, UsageError, counted
from foveal.files import Source
from foveal.frozen import frozen
from foveal.intake.documents import Documents, DocumentsLike, read_documents
from foveal.late import pl
from foveal.spans import Ints
from foveal.tables import Run, RunLike

NOT_A_TOKENIZER = (
    "a tokenizer is a function that gets a list of texts and returns [(start, end), …] for each"
)
Tokenizer: TypeAlias = Callable[[Sequence[str]], Sequence[Sequence[tuple[int, int]]]]
"""Function that gives the tokens of each text: start and end of each token, in characters."""


def count_tokens(
    run: RunLike, docs: DocumentsLike, tokenizer: Tokenizer | str | os.PathLike[str]
) -> Run:
    """The run with a count of the tokens of its parts, which a budget of tokens needs.

    `tokenizer` is a tokenizer.json (`pip install "foveal[tokens]"`), or a function from texts to the
    spans of their tokens; the text of each part is tokenised alone, without special tokens.

    >>> import re
    >>> import foveal
    >>> def words(texts):
    ...     return [[word.span() for word in re.finditer("[a-z]+", text)] for text in texts]
    >>> run = [{"topic": "1", "doc": "a", "start": 0, "end": 13}]
    >>> counted = foveal.count_tokens(run, {"a": "one two three"}, words)
    >>> gold = [{"topic": "1", "doc": "a", "start": 4, "end": 13}]
    >>> float(foveal.evaluate(gold, counted, "cP(tokens=2)"))
    0.42857142857142855
    """
    documents = read_documents(docs)
    function = read_tokenizer(tokenizer) if isinstance(tokenizer, str | os.PathLike) else tokenizer
    table = Run.coerced(run)
    lengths = table.lengths if table.lengths is not None else documents.lengths_in(table.frame)
    return replace(table, tokens=PartTokens(documents, function), lengths=lengths)


def read_tokenizer(path: str | os.PathLike[str]) -> Tokenizer:
    """Tokenizer in a tokenizer.json."""
    try:
        from tokenizers import Tokenizer as Tokenizers  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise MissingExtra("tokens", "tokenizers") from error
    with Source.of(path) as source:
        data = source.all_bytes()
    try:
        tokenizer = Tokenizers.from_buffer(data)
    except Exception as error:  # the package raises plain Exception
        reason = f"not a tokenizer.json of the package tokenizers: {error}"
        raise BadInput(os.fspath(path), [Problem(None, reason)]) from error
    # Padded or truncated lists would not be the tokens of the text.
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return partial(_encoded, tokenizer)


def _encoded(tokenizer: Any, texts: Sequence[str]) -> Sequence[Sequence[tuple[int, int]]]:
    encodings = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    return [encoding.offsets for encoding in encodings]


@frozen(eq=False)
class PartTokens:
    """Task that finds the tokens of parts; a chunk that several topics retrieved is tokenised once."""

    docs: Documents
    tokenizer: Tokenizer

    def __call__(self, documents: Sequence[str], start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
        """Number of tokens of each part, and start and end of each token in its document."""
        ids = self.docs.ids_by_name(pl.Series(documents, dtype=pl.String))
        unknown = [name for name in dict.fromkeys(documents) if name not in ids]
        if unknown:
            subject = counted(len(unknown), "document")
            raise DataError(
                f"{self.docs.source}: no text of {subject}, first {unknown[0]!r}, to count tokens in"
            )
        docs = [ids[name] for name in documents]
        parts = list(zip(docs, start.tolist(), end.tolist(), strict=True))
        number = {part: index for index, part in enumerate(dict.fromkeys(parts))}
        texts = [self.docs[doc][start:end] for doc, start, end in number]
        try:
            offsets = [
                np.array(spans, dtype=np.int64).reshape(-1, 2) + start
                for spans, (_, start, _) in zip(self.tokenizer(texts), number, strict=True)
            ]
        except (TypeError, ValueError, AttributeError) as error:
            raise UsageError(f"{NOT_A_TOKENIZER}: {error}") from error
        part_offsets = [offsets[number[part]] for part in parts]
        count = np.array([len(spans) for spans in part_offsets], dtype=np.int64)
        token_offsets = np.concatenate([np.empty((0, 2), dtype=np.int64), *part_offsets])
        return count, token_offsets[:, 0], token_offsets[:, 1]
