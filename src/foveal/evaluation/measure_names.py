"""Spellings of measures, and their names in other programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from foveal.conventions import Conventions
from foveal.errors import UsageError
from foveal.frozen import frozen
from foveal.measures import BUDGETS, parse, record_of


def safe(name: str, *, keep: str = "") -> str:
    """A name that MLflow and W&B accept: all but letters, digits, _ . - becomes an underscore."""
    return re.sub(rf"[^A-Za-z0-9_.\-{keep}]+", "_", name).strip("_") or "_"


def distinct(keys: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The name by each key; two names with one key are refused."""
    name_of: dict[str, str] = {}
    for key, name in keys:
        if key in name_of:
            raise UsageError(
                f"{name_of[key]} and {name} would both be called {key!r}: give one another name, or"
                " leave it out"
            )
        name_of[key] = name
    return name_of


_PARTS = re.compile(r"(?P<name>[^@(\[]*)(?:\((?P<inside>.*)\))?(?:[@\[](?P<cutoff>[^\]]*)\]?)?")


@frozen
class MeasureNames:
    """The spellings of measures under some conventions, and their names in other programs.

    Names unknown to foveal stay as they are.
    """

    conventions: Conventions = Conventions()
    lower: frozenset[str] = frozenset()
    """The measures of other programs of which less is better."""

    plain: Mapping[str, str] = field(default_factory=dict)
    """Plain words for measures, by their canonical names; only in task rag."""

    def canonical(self, spelling: str) -> str:
        """The canonical name of a spelling."""
        return str(parse(spelling, self.conventions))

    def rises(self, measure: str) -> bool:
        """True if more is better."""
        return record_of(measure).higher_is_better and measure not in self.lower

    def label(self, measure: str) -> str:
        """The name of a measure in tables and sentences."""
        return self.plain.get(measure, measure)

    def only(self, measures: Iterable[str]) -> MeasureNames:
        """The same, with plain words for these measures only."""
        plain = {name: self.plain[name] for name in measures if name in self.plain}
        return replace(self, plain=plain)

    def key(self, measure: str) -> str:
        """A measure's plain word, or else its name, and its parameters: recall_at_5, AgP_S_bep_n_500."""
        parts = _PARTS.fullmatch(measure)
        if parts is None:
            return safe(measure)
        words = [record_of(measure).plain or parts["name"]]
        for item in filter(None, (parts["inside"] or "").split(",")):
            name, _, value = item.partition("=")
            # In the order of English: recall_at_2000_chars.
            if name in BUDGETS:
                words.append(f"at_{value}_{name}")
            else:
                words.append(name if value == "True" else f"{name}_{value}")
        if parts["cutoff"]:
            words.append(f"at_{parts['cutoff']}")
        return safe("_".join(words))
