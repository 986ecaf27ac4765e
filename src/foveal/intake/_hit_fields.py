"""Reads hits of retrieval frameworks by their attributes; no framework is imported.

LangChain's `Document` has page_content and metadata (start_index, source); LlamaIndex's
`NodeWithScore` has node and score, and a `TextNode` text, start_char_idx, end_char_idx and
ref_doc_id; Haystack's `Document` has content, score and meta (split_idx_start, source_id); a chunk
of Chonkie has text, start_index and end_index.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from numbers import Integral, Real

from foveal.errors import UsageError, shortened
from foveal.frozen import frozen
from foveal.spans import LARGEST_OFFSET
from foveal.tables import DocumentNames, aliases
from foveal.tables import columns as c

_NAMES = {
    c.DOC: (c.DOC, *aliases.BY_COLUMN[c.DOC], *aliases.HAYSTACK_ALIASES[c.DOC]),
    c.TEXT: (c.TEXT, *aliases.BY_COLUMN[c.TEXT]),
    c.START: (c.START, *aliases.BY_COLUMN[c.START], *aliases.HAYSTACK_ALIASES[c.START]),
    c.END: (c.END, *aliases.BY_COLUMN[c.END]),
    c.LENGTH: (c.LENGTH,),
    c.ORDINAL: ("split_id", "chunk_index"),
    c.SCORE: (c.SCORE, *aliases.BY_COLUMN[c.SCORE]),
}
_FORMS = (
    "give a Document or chunk of LangChain, LlamaIndex, Haystack or Chonkie, a dict, a pair (hit,"
    " score), or a text"
)


@frozen
class HitFields:
    """A hit's text, offsets and score, and the names that its document may have.

    `ordinal` is its number among the chunks of its document, if that is known.
    """

    documents: tuple[str, ...]
    text: str | None
    start: int | None
    end: int | None
    score: float | None
    ordinal: int | None = None

    @property
    def doc(self) -> str | None:
        """The first of the document's names."""
        return self.documents[0] if self.documents else None


def fields_of(hit: object, score: float | None = None) -> HitFields:
    """Fields of a hit; a score given with it takes precedence over its own."""
    if isinstance(hit, str):
        return HitFields((), hit, None, None, score)
    if isinstance(hit, tuple) and len(hit) == 2 and not hasattr(hit, "_fields"):
        return fields_of(hit[0], _number(hit[1]))
    node = getattr(hit, "node", None)
    if node is not None and not isinstance(hit, Mapping):
        node_score = score if score is not None else _number(getattr(hit, "score", None))
        return fields_of(node, node_score)
    sources = list(_sources(hit))
    start = _first_number(sources, c.START)
    end, length = _first_number(sources, c.END), _first_number(sources, c.LENGTH)
    if end is None and start is not None and length is not None:
        end = start + length
    if score is None:
        score = _number(_first(sources, _NAMES[c.SCORE], Real))
    text = _first(sources, _NAMES[c.TEXT], str)
    text = text if isinstance(text, str) else None
    ordinal = _first_number(sources, c.ORDINAL)
    fields = HitFields(tuple(_documents(sources)), text, start, end, score, ordinal)
    if text is None and not fields.documents:
        raise UsageError(f"cannot read a hit from {_short_repr(hit)}: {_FORMS}")
    if text is None and None in {start, end}:
        _refuse_unreadable_offsets(sources)
    return fields


def documents_of(hits: Sequence[HitFields], ids: Collection[str] | None) -> list[str | None]:
    """Name of each hit's document: the first that is known, as itself or by its path."""
    names = [hit.doc for hit in hits]
    if ids is None:
        return names
    longest = max((len(hit.documents) for hit in hits), default=0)
    for n in reversed(range(longest)):
        nth_names = [hit.documents[n] if n < len(hit.documents) else None for hit in hits]
        valid = DocumentNames(ids).resolve(name for name in nth_names if name)
        names = [name if name in valid else old for name, old in zip(nth_names, names, strict=True)]
    exact = [next((name for name in hit.documents if name in ids), None) for hit in hits]
    return [exact_name or name for exact_name, name in zip(exact, names, strict=True)]


def _sources(hit: object) -> Iterator[Mapping[str, object]]:
    """Fields of the hit itself, then those of its metadata."""
    fields: Mapping[str, object]
    if isinstance(hit, Mapping):
        fields = hit
    else:
        field_names = {name for names in _NAMES.values() for name in names} | {*aliases.METADATA}
        fields = {name: getattr(hit, name, None) for name in field_names}
    yield fields
    for name in aliases.METADATA:
        inner = fields.get(name)
        if isinstance(inner, Mapping):
            yield inner


def _first(sources: list[Mapping[str, object]], names: tuple[str, ...], kind: type) -> object:
    """First value of a type under any of the names."""
    for source in sources:
        for name in names:
            value = source.get(name)
            if isinstance(value, kind) and not isinstance(value, bool):
                return value
    return None


def _first_number(sources: list[Mapping[str, object]], name: str) -> int | None:
    """First offset under a name; None for LangChain's -1, which means unknown."""
    values = (
        value for source in sources for key in _NAMES[name] if _is_offset(value := source.get(key))
    )
    offset = _as_integer(next(values, None))
    return offset if offset is not None and 0 <= offset <= LARGEST_OFFSET else None


def _is_offset(value: object) -> bool:
    """True if a value may be meant as an offset; frames have NaN for a missing one."""
    return isinstance(value, Real | str)


def _as_integer(value: object) -> int | None:
    """Value as an integer; frames make floats of offsets, and some stores make texts."""
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdecimal() and len(value) < 20 else None
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else None


def _refuse_unreadable_offsets(sources: list[Mapping[str, object]]) -> None:
    """Refuse a hit without text whose offsets cannot be read.

    It would be taken for a whole document, which contains all highlighted text.
    """
    keys = (*_NAMES[c.START], *_NAMES[c.END])
    offsets = {
        key: value for source in sources for key in keys if _is_offset(value := source.get(key))
    }
    if offsets:
        text = ", ".join(f"{key} is {shortened(repr(value), 40)}" for key, value in offsets.items())
        raise UsageError(
            f"{text}, and there is no text: give start and end as whole numbers from 0, or the text"
            " and docs to find it"
        )
    for source in sources:
        if hint := aliases.rename_question([c.START, c.END], source):
            raise UsageError(f"no start and end{hint}")


def _documents(sources: list[Mapping[str, object]]) -> Iterator[str]:
    for source in sources:
        for name in _NAMES[c.DOC]:
            value = source.get(name)
            if isinstance(value, Integral) and not isinstance(value, bool):
                value = str(value)
            if isinstance(value, str) and value:
                yield value


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, Real) and not isinstance(value, bool) else None


def _short_repr(hit: object) -> str:
    return shortened(repr(hit), 80)
