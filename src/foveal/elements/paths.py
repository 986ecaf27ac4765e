"""Element paths taken apart: `/article[1]/sec[2]/p[1]/text()[3].57`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl

from foveal.spans import Ints
from foveal.tables import columns as c

# Deeper documents are refused, so that no path has more steps.
DEEPEST = 2000
NAME = r"[^/\[\]()@*\s]+"
# Nine digits fit in 32 bits, eighteen in 64.
STEP = rf"/{NAME}(?:\[[0-9]{{1,9}}\])?"
TEXT = r"/text\(\)(?:\[([0-9]{1,9})\])?(?:\.([0-9]{1,18}))?"
WHOLE = rf"^(?:{STEP})+(?:{TEXT})?$"


@dataclass(frozen=True, eq=False)
class Paths:
    """Distinct paths as nodes of one tree of steps.

    A node of level l (the roots are level 0) is known by `keys[l]`, sorted, which holds its
    parent's number times the number of steps plus its own step; numbers count on from level to
    level. `node` is each path's, -1 for what is no path; `text` is the number of its text node
    and `point` the number of characters before it there, each -1 if not given.
    """

    node: Ints
    text: Ints
    point: Ints
    keys: list[Ints]
    step_name: pl.Series
    step_ordinal: Ints

    @classmethod
    def of(cls, written: pl.Series) -> Self:
        """The paths of distinct texts."""
        frame = pl.DataFrame({c.PATH: written}).select(
            pl.col(c.PATH).str.replace(rf"{TEXT}$", "").alias("elements"),
            pl.col(c.PATH).str.contains(WHOLE).fill_null(value=False).alias("fits"),
            pl.col(c.PATH).str.contains(r"/text\(\)").alias("is_text"),
            pl.col(c.PATH).str.extract(rf"{TEXT}$", 1).cast(pl.Int64).alias("text"),
            pl.col(c.PATH).str.extract(rf"{TEXT}$", 2).cast(pl.Int64).alias("point"),
        )
        text = pl.when("is_text").then(pl.col("text").fill_null(1)).otherwise(-1).alias("text")
        numbers = frame.select(text, pl.col("point").fill_null(-1))
        fits = frame["fits"].to_numpy()
        steps = frame["elements"].filter(frame["fits"]).str.slice(1).str.split("/")
        count = np.zeros(len(fits), dtype=np.int64)
        count[fits] = steps.list.len().to_numpy()
        number, known = _steps(steps.explode(empty_as_null=False))
        node, keys = _tree(count, number, known.height)
        return cls(
            node=node,
            text=numbers["text"].to_numpy(),
            point=numbers["point"].to_numpy(),
            keys=keys,
            step_name=known["name"],
            step_ordinal=known["ordinal"].to_numpy(),
        )


def _steps(written: pl.Series) -> tuple[Ints, pl.DataFrame]:
    """The number of each step, and the name and ordinal that each number stands for."""
    spelled = written.unique(maintain_order=True)
    ordinal = spelled.str.extract(r"\[([0-9]+)\]$", 1).cast(pl.Int64).fill_null(1)
    steps = pl.DataFrame({"name": spelled.str.replace(r"\[[0-9]+\]$", ""), "ordinal": ordinal})
    # The same step may be spelled sec, sec[1] and sec[01].
    known = steps.unique(maintain_order=True).with_row_index("number")
    spellings = steps.join(known, on=["name", "ordinal"], maintain_order="left")
    spellings = spellings.select("number", step=spelled)
    numbers = pl.DataFrame({"step": written}).join(spellings, on="step", maintain_order="left")
    return numbers["number"].cast(pl.Int64).to_numpy(), known


def _tree(count: Ints, step: Ints, steps: int) -> tuple[Ints, list[Ints]]:
    """The node each path leads to, and the keys of the nodes by level."""
    first = np.cumsum(count) - count
    node = np.where(count > 0, 0, -1)
    keys: list[Ints] = []
    numbered = 0
    for level in range(min(int(count.max(initial=0)), DEEPEST)):
        longer = np.flatnonzero(count > level)
        key, place = np.unique(
            node[longer] * steps + step[first[longer] + level], return_inverse=True
        )
        node[longer] = numbered + place
        numbered += len(key)
        keys.append(key)
    node[count > DEEPEST] = numbered
    return node, keys


@dataclass(frozen=True, eq=False)
class References:
    """Documents, and in each a path, or two between which everything is meant.

    `first` and `last` number the distinct paths; -1 stands for no second path.
    """

    document: pl.Series
    first: Ints
    last: Ints
    paths: Paths

    @classmethod
    def of(cls, frame: pl.DataFrame) -> Self:
        """The references of a frame with the columns doc, path and path_end."""
        first, last = (
            frame[name].cast(pl.String).str.strip_chars() for name in (c.PATH, c.PATH_END)
        )
        distinct = pl.concat([first, last.rename(c.PATH)]).unique()
        numbered = pl.DataFrame({c.PATH: distinct}).with_row_index("number")

        def numbers(written: pl.Series) -> pl.Series:
            asked = pl.DataFrame({c.PATH: written})
            found = asked.join(
                numbered, on=c.PATH, how="left", maintain_order="left", nulls_equal=True
            )
            return found["number"].cast(pl.Int64)

        second = pl.select(pl.when(last.is_not_null()).then(numbers(last)).otherwise(-1))
        return cls(
            document=frame[c.DOC].cast(pl.String),
            first=numbers(first).to_numpy(),
            last=second.to_series().to_numpy(),
            paths=Paths.of(distinct),
        )

    def taken(self, rows: Ints) -> References:
        """Some of the references."""
        return References(self.document[rows], self.first[rows], self.last[rows], self.paths)
