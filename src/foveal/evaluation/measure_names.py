"""How measures are spelled, and what other programs call them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from foveal.conventions import Conventions
from foveal.errors import UsageError
from foveal.frozen import frozen
from foveal.measures import BUDGETS, parse, record_of


def safe(name: str, *, also: str = "") -> str:
    """A name with an underscore for what MLflow or W&B refuse: letters, digits, _ . - are kept."""
    return re.sub(rf"[^A-Za-z0-9_.\-{also}]+", "_", name).strip("_") or "_"


def distinct(keys: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Keys by what they stand for, none of them twice."""
    found: dict[str, str] = {}
    for key, name in keys:
        if key in found:
            raise UsageError(
                f"{found[key]} and {name} would both be called {key!r}: give one another name, or"
                " leave it out"
            )
        found[key] = name
    return found


_PARTS = re.compile(r"(?P<name>[^@(\[]*)(?:\((?P<inside>.*)\))?(?:[@\[](?P<at>[^\]]*)\]?)?")


@frozen
class MeasureNames:
    """The spellings of measures under some conventions, and their names in other programs.

    A name that foveal does not know is what it is.
    """

    conventions: Conventions = Conventions()
    lower: frozenset[str] = frozenset()
    """The measures of other programs of which less is better."""

    plain: Mapping[str, str] = field(default_factory=dict)
    """Plain words for measures, by their canonical names; only in task rag."""

    def canonical(self, spelling: str) -> str:
        """The canonical name that a spelling stands for."""
        return str(parse(spelling, self.conventions))

    def rises(self, measure: str) -> bool:
        """Whether more is better."""
        return record_of(measure).higher_is_better and measure not in self.lower

    def label(self, measure: str) -> str:
        """What a measure is called in tables and sentences."""
        return self.plain.get(measure, measure)

    def only(self, measures: Iterable[str]) -> MeasureNames:
        """The names with plain words for these measures only."""
        plain = {name: self.plain[name] for name in measures if name in self.plain}
        return replace(self, plain=plain)

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
