"""Documents that are named otherwise: by a path, or with or without the ending of a file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches

from foveal.errors import SHOWN_NAMES

# A suggestion from among more names is of little use, and looking for it takes long.
MOST_NAMES = 10_000
# Names that are compared letter by letter with the first ones of a run.
COMPARED = 200


def meant_documents(names: Iterable[str], known: Collection[str]) -> dict[str, str]:
    """The documents that names mean without being theirs, where that is one document for one name.

    `corpora/wikitexts.md` means `wikitexts`, and `wikitexts` means `corpora/wikitexts.md`.
    """
    strange = [name for name in dict.fromkeys(names) if name not in known]
    if not strange:
        return {}
    by_form: dict[str, set[str]] = {}
    for own in known:
        for form in _forms(own):
            by_form.setdefault(form, set()).add(own)
    meant = {}
    for name in strange:
        found = set().union(*(by_form.get(form, set()) for form in _forms(name) if form in by_form))
        # Two names that differ only in their endings are not the same document.
        near = {own for own in found if _alike(name, own)}
        if len(near) == 1:
            meant[name] = near.pop()
    shared = Counter(meant.values())
    return {name: own for name, own in meant.items() if shared[own] == 1}


def nearest_document(name: str, known: Collection[str]) -> str | None:
    """The document with the most similar name, for a question."""
    return next(iter(get_close_matches(name, list(known)[:MOST_NAMES], n=1)), None)


def naming_question(returned: Sequence[str], judged: Sequence[str]) -> str:
    """Whether two names mean one document, as a question; empty if no two are alike."""
    pair = _same_document(returned, judged)
    return f"did you mean: {pair[0]!r} is {pair[1]!r}?" if pair else ""


def _same_document(returned: Sequence[str], judged: Sequence[str]) -> tuple[str, str] | None:
    """Two names of what may be one document: the same without folder and suffix, or nearly so."""
    by_stem = {_stem(name): name for name in reversed(judged)}
    for name in returned:
        if _stem(name) in by_stem:
            return name, by_stem[_stem(name)]
    for name in returned[:SHOWN_NAMES]:
        if close := get_close_matches(name, judged[:COMPARED]):
            return name, close[0]
    return None


def _stem(name: str) -> str:
    """A name without folder and suffix; a number behind a dot is not a suffix."""
    return re.sub(r"(?<=.)\.[a-zA-Z]\w*$", "", re.split(r"[/\\]", name)[-1])


def _alike(name: str, own: str) -> bool:
    """Whether two names are the same but for folders, or for one of them without its ending."""
    return bool({name, _file(name)} & _forms(own) or {own, _file(own)} & _forms(name))


def _forms(name: str) -> set[str]:
    file = _file(name)
    return {name, file, file.rpartition(".")[0] or file}


def _file(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]
