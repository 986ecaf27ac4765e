"""The words of people who score chunks: recall@5, hit@5, mrr, doc_recall@5."""

from __future__ import annotations

import re
from contextlib import suppress

from foveal.conventions import Conventions
from foveal.errors import UsageError
from foveal.measures._record import REGISTRY, Arguments, Record, Unit
from foveal.measures._spellings import of_ranx, translated

OF_DOCUMENTS = "doc_"
BUDGETS = ("chars", "tokens")
# What else they call a measure of text.
_OTHER_WORDS = {"hit_rate": "hit", "precision_omega": "omega"}
# Words that mean documents to ranx, and text to those who score chunks.
_MEANS_BOTH = {"precision", "recall", "f1", "hit_rate", "mrr", "ndcg"}
_SPELLING = re.compile(
    r"(?P<word>[a-z][a-z0-9_]*)(?:\((?P<inside>[^()]*)\))?"
    rf"(?:@(?P<amount>\d+) ?(?P<unit>{'|'.join(BUDGETS)})?)?"
)
# A budget as it may be mistyped: recall@2,000char, recall@2000-characters.
_BUDGET = re.compile(
    r"(?P<word>\w+(?:\([^()]*\))?)\s*@\s*(?P<amount>\d[\d,_. ]*?)[ -]?(?P<counted>char|token)[a-z]*",
    re.IGNORECASE,
)


def of_text(text: str) -> str | None:
    """Our spelling of a measure of text in plain words; None if it is not in them.

    The names of document measures that have no such meaning are refused.
    """
    text = _in_small_letters(text)
    spelling = _SPELLING.fullmatch(text)
    if spelling is None:
        return None
    word = _OTHER_WORDS.get(spelling["word"], spelling["word"])
    named = [record for record in REGISTRY.values() if word == record.plain]
    if not named:
        if of_ranx(text):
            raise UsageError(f"{text!r} measures documents, not text: write {OF_DOCUMENTS}{text}")
        return None
    budget = f"{spelling['unit']}={spelling['amount']}" if spelling["unit"] else ""
    inside = ",".join(filter(None, [spelling["inside"], budget]))
    rank = f"@{spelling['amount']}" if spelling["amount"] and not budget else ""
    # The word of a measure at a cut-off is also that of the same for the whole list.
    whole = [record for record in named if not record.parameters]
    record = whole[0] if whole and not inside and not rank else named[0]
    return f"{record.name}{f'({inside})' if inside else ''}{rank}"


def probably_meant(text: str) -> str | None:
    """The plain words that an unknown name may mean: recall@2000chars for recall@2,000char."""
    if budget := _BUDGET.fullmatch(text):
        amount = re.sub(r"\D", "", budget["amount"])
        text = f"{budget['word']}@{amount}{budget['counted'].lower()}s"
    with suppress(UsageError):
        return _in_small_letters(text) if of_text(text) else None
    return None


def _in_small_letters(text: str) -> str:
    """Recall@5 and MRR as recall@5 and mrr; nDCG@5 is a name of ours."""
    word = re.split(r"[(@]", text, maxsplit=1)[0]
    plain = {*_MEANS_BOTH, *_OTHER_WORDS, *(record.plain for record in REGISTRY.values())}
    known = word.lower() in plain and word not in REGISTRY
    return word.lower() + text[len(word) :] if known else text


def of_documents(text: str) -> list[str] | None:
    """Our spellings of a name that says that it is about documents: doc_recall@5."""
    if not text.startswith(OF_DOCUMENTS):
        return None
    bare = _in_small_letters(text.removeprefix(OF_DOCUMENTS))
    ours = translated(bare, Conventions().like)
    known = REGISTRY.get(re.split(r"[@(\[]", ours[0])[0]) if ours else None
    return ours if known and known.unit is Unit.DOCUMENT else None


def ambiguity(text: str, ours: str) -> str:
    """Why a name of ranx must not stand where results are parts; empty if it may."""
    small = _in_small_letters(text)
    spelling = _SPELLING.fullmatch(small)
    if spelling is None or spelling["word"] not in _MEANS_BOTH or not of_ranx(small):
        return ""
    word = _OTHER_WORDS.get(spelling["word"], spelling["word"])
    known = any(record.plain == word for record in REGISTRY.values())
    of_parts = (
        f"{of_text(text)} (--task rag: {small})" if known else "choose from `foveal measures`"
    )
    return (
        f"{text!r} scores documents, and this run returns parts: write {ours} to score the documents"
        f" that they are from; to score text, {of_parts}"
    )


def plain_name(record: Record, arguments: Arguments) -> str:
    """The name of a measure in plain words: recall@5, recall@2000chars; empty if it has none."""
    if not record.plain:
        return ""
    left = {name: value for name, value in arguments.items() if value is not None}
    suffix = "".join(f"@{left.pop(name)}{name}" for name in BUDGETS if name in left)
    if record.suffix and record.suffix.name in left:
        suffix = f"@{left.pop(record.suffix.name)}"
    known = {parameter.name: parameter for parameter in record.parameters}
    defaults = record.defaults(Conventions())
    inside = [
        known[name].written(known[name].shown(value))
        for name, value in left.items()
        if defaults.get(name) != value
    ]
    return record.plain + (f"({','.join(inside)})" if inside else "") + suffix
