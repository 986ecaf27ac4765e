"""Measures by the names that other programs keep numbers under."""

from __future__ import annotations

import re

from foveal.conventions import Conventions
from foveal.frozen import frozen
from foveal.measures._grammar import parse, record_of
from foveal.measures._spellings import BUDGETS
from foveal.tables import safe

_PARTS = re.compile(r"(?P<name>[^@(\[]*)(?:\((?P<inside>.*)\))?(?:[@\[](?P<at>[^\]]*)\]?)?")


@frozen
class MeasureWording:
    """The spellings of measures under some conventions, and their names in other programs."""

    conventions: Conventions
    lower: frozenset[str] = frozenset()
    """The measures of other programs of which less is better."""

    def canonical(self, spelling: str) -> str:
        """The canonical name that a spelling stands for."""
        return str(parse(spelling, self.conventions))

    def rises(self, measure: str) -> bool:
        """Whether more is better."""
        return record_of(measure).higher_is_better and measure not in self.lower

    def key(self, measure: str) -> str:
        """Its plain word, if it has one, and its parameters: recall_at_5, AgP_S_bep_n_500."""
        parts = _PARTS.fullmatch(measure)
        if parts is None:
            return safe(measure)
        words = [record_of(measure).plain or parts["name"]]
        for item in filter(None, (parts["inside"] or "").split(",")):
            name, _, value = item.partition("=")
            # As a person would say it: recall_at_2000_chars.
            if name in BUDGETS:
                words.append(f"at_{value}_{name}")
            else:
                words.append(name if value == "True" else f"{name}_{value}")
        if parts["at"]:
            words.append(f"at_{parts['at']}")
        return safe("_".join(words))
