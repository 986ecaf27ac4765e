"""What was returned, a row per document or per result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import TypeAlias

from foveal.errors import counted
from foveal.frozen import frozen
from foveal.late import pl
from foveal.shown import Shown
from foveal.tables import _columns as c
from foveal.tables.groups import Groups


class Per(StrEnum):
    """What has a row of its own."""

    DOCUMENT = "document"
    RESULT = "result"

    @property
    def schema(self) -> dict[str, type[pl.DataType]]:
        """The columns of the rows."""
        is_document = self is Per.DOCUMENT
        return c.RETURNED_DOCUMENT_SCHEMA if is_document else c.RETURNED_RESULT_SCHEMA


# Gives the rows of the run at a place.
Look: TypeAlias = "Callable[[Per, int], pl.DataFrame]"


@frozen(eq=False, repr=False)
class Breakdown(Shown):
    """The documents or results that runs returned for the evaluated topics, and what each is worth."""

    per: Per
    rows: pl.DataFrame
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """How many rows there are."""
        return counted(self.rows.height, self.per.value)


def joined_rows(per: Per, names: Sequence[str], rows: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The rows of several runs under one another, with the name of the run in front."""
    named = [
        own.select(pl.lit(name).alias(c.RUN), pl.all())
        for name, own in zip(names, rows, strict=True)
    ]
    return pl.concat(named) if named else pl.DataFrame(schema=per.schema)


def looking_at(look: Look, places: Sequence[int]) -> Look:
    """Looks at the runs that are at some places only."""
    return lambda per, place: look(per, places[place])


def looking_in(look: Look, group: str, groups: Groups) -> Look:
    """Looks at the topics of one group only."""

    def looked(per: Per, place: int) -> pl.DataFrame:
        rows = look(per, place)
        return rows.filter(pl.Series(groups.of_topics(rows[c.TOPIC]), dtype=pl.String) == group)

    return looked
