"""Parameters, defaults and relevant documents of the classical measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from foveal.alignment import Alignment, GradedLists
from foveal.choices import Answers
from foveal.conventions import Conventions
from foveal.measures._parameters import Cutoff, Number, Whole, YesNo
from foveal.measures._record import Relevance, Resolve

REL = Number("rel", "the lowest grade that counts as relevant")
JUDGED_ONLY = YesNo("judged_only", "skip unjudged documents: True or False")
CUTOFF = Cutoff("k", "cut the list after this many documents")
OPTIONAL_CUTOFF = replace(CUTOFF, unset="the whole list")
BINARY = (REL, JUDGED_ONLY)
# The articles of INEX 2006 and 2007.
SIZE_OF_INEX = "659388"
COLLECTION_SIZE = Whole("N", "the number of documents in the collection", example=SIZE_OF_INEX)
# Fields of records: the structure and the relevance that are scored.
RANKED_BINARY = {"answers": Answers.RANKED, "relevance": Relevance.BINARY}
RANKED_GRADED = {"answers": Answers.RANKED, "relevance": Relevance.GRADED}
SET_BINARY = {"answers": Answers.SET, "relevance": Relevance.BINARY}


_NEEDED = {
    "k": "a rank, as in @10",
    "x": "a recall level, as in @0.1",
    "N": f"the number of documents in the collection, as in NumTN(N={SIZE_OF_INEX})",
}


def by_default(*names: str, needs: str = "", **defaults: Any) -> Resolve:
    """Fill in arguments from the conventions (`names`) and from the measure's own defaults.

    `needs` is a parameter that must be given.
    """

    def resolve(explicit: Mapping[str, Any], conventions: Conventions) -> dict[str, Any]:
        if needs and needs not in explicit:
            raise ValueError(f"give {_NEEDED[needs]}")
        return {**{name: getattr(conventions, name) for name in names}, **defaults, **explicit}

    return resolve


# The parameters of binary measures: without a rank, with a required one, with an optional one.
PLAIN_BINARY = {"parameters": BINARY, "resolve": by_default("rel", "judged_only")}
AT_BINARY = {
    "parameters": (*BINARY, CUTOFF),
    "resolve": by_default("rel", "judged_only", needs="k"),
}
CUT_BINARY = {
    "parameters": (*BINARY, OPTIONAL_CUTOFF),
    "resolve": by_default("rel", "judged_only", k=None),
}


def relevant(alignment: Alignment, rel: float, *, judged_only: bool) -> GradedLists:
    """The relevant documents of a run's lists, unjudged documents skipped if `judged_only`."""
    return alignment.graded.filtered(judged_only=judged_only).relevant(rel)
