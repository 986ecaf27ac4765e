"""What the classical measures share: which documents are relevant, and which are looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foveal.alignment import Alignment, GradedLists
from foveal.conventions import Conventions
from foveal.measures._parameters import Cutoff, Number, YesNo
from foveal.measures._record import Resolve

REL = Number("rel", "the lowest grade that counts as relevant")
JUDGED_ONLY = YesNo("judged_only", "pass over documents that nobody judged: True or False")
CUTOFF = Cutoff("k", "cut the list after this many documents")
BINARY = (REL, JUDGED_ONLY)
BINARY_AT = (REL, JUDGED_ONLY, CUTOFF)
RANKED = "ranked list of atomic answers: documents"
SET = "set of atomic answers: documents"


def by_default(*names: str, needs: str = "", **defaults: Any) -> Resolve:
    """Arguments filled in from the conventions (the names) and from the measure's own defaults.

    `needs` is a parameter that must be given.
    """

    def resolve(given: Mapping[str, Any], conventions: Conventions) -> dict[str, Any]:
        if needs and needs not in given:
            example = {"k": "rank, as in @10", "x": "recall level, as in @0.1"}[needs]
            raise ValueError(f"give a {example}")
        return {**{name: getattr(conventions, name) for name in names}, **defaults, **given}

    return resolve


# What measures of binary relevance take: nothing more, a rank that must be given, one that may be.
PLAIN_BINARY = {"parameters": BINARY, "resolve": by_default("rel", "judged_only")}
AT_BINARY = {"parameters": BINARY_AT, "resolve": by_default("rel", "judged_only", needs="k")}
CUT_BINARY = {"parameters": BINARY_AT, "resolve": by_default("rel", "judged_only", k=None)}


def relevant(alignment: Alignment, rel: float, *, judged_only: bool) -> GradedLists:
    """The relevant documents of the lists a measure looks at."""
    return alignment.graded.seen(judged_only=judged_only).relevant(rel)
