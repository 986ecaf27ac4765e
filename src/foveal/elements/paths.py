"""Element paths parsed: `/article[1]/sec[2]/p[1]/text()[3].57`."""

from __future__ import annotations

from typing import Self

import numpy as np

from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Ints
from foveal.tables import columns as c

# Deeper documents are refused, so no path has more steps.
DEEPEST = 2000
NAME = r"[^/\[\]()@*\s]+"
# Nine digits fit in 32 bits, eighteen in 64.
STEP = rf"/{NAME}(?:\[[0-9]{{1,9}}\])?"
TEXT = r"/text\(\)(?:\[([0-9]{1,9})\])?(?:\.([0-9]{1,18}))?"
WHOLE = rf"^(?:{STEP})+(?:{TEXT})?$"


@frozen(eq=False)
class Paths:
    """Distinct paths as nodes of one tree of steps.

    A node of level l (the roots are level 0) is identified by its entry in `keys[l]`, which is
    sorted: its parent's number times the number of steps, plus its own step. Numbers continue from
    level to level. `node` is each path's node, -1 for an invalid path; `text` is the number of its
    text node and `point` the number of characters before the point, each -1 if not given.
    """

    node: Ints
    text: Ints
    point: Ints
    keys: list[Ints]
    step_name: pl.Series
    step_ordinal: Ints

    @classmethod
    def of(cls, texts: pl.Series) -> Self:
        """The paths of distinct texts."""
        is_valid = texts.str.contains(WHOLE).fill_null(value=False)
        is_text = texts.str.contains(r"/text\(\)").fill_null(value=False)
        text, point = (
            texts.str.extract(rf"{TEXT}$", group).cast(pl.Int64).fill_null(absent).to_numpy()
            for group, absent in ((1, 1), (2, -1))
        )
        parts = texts.filter(is_valid).str.replace(rf"{TEXT}$", "").str.slice(1).str.split("/")
        count = np.zeros(len(is_valid), dtype=np.int64)
        count[is_valid.to_numpy()] = parts.list.len().to_numpy()
        step, steps = _steps(parts.explode(empty_as_null=False))
        node, keys = _tree(count, step, steps.height)
        return cls(
            node=node,
            text=np.where(is_text.to_numpy(), text, -1),
            point=point,
            keys=keys,
            step_name=steps[c.TAG],
            step_ordinal=steps[c.ORDINAL].to_numpy(),
        )


def _steps(texts: pl.Series) -> tuple[Ints, pl.DataFrame]:
    """Number of each step, and the name and ordinal of each number."""
    spellings = texts.unique(maintain_order=True)
    ordinal = spellings.str.extract(r"\[([0-9]+)\]$", 1).cast(pl.Int64).fill_null(1)
    steps = pl.DataFrame({c.TAG: spellings.str.replace(r"\[[0-9]+\]$", ""), c.ORDINAL: ordinal})
    # The same step may be written sec, sec[1] and sec[01].
    distinct_steps = steps.unique(maintain_order=True)
    number = number_among(steps.to_struct(), distinct_steps.to_struct())
    return number[number_among(texts, spellings)], distinct_steps


def number_among(values: pl.Series, distinct: pl.Series) -> Ints:
    """Index of each value among distinct ones; -1 for others."""
    rows = pl.DataFrame({c.VALUE: distinct}).with_row_index(c.ROW)
    frame = pl.DataFrame({c.VALUE: values})
    joined = frame.join(rows, on=c.VALUE, how="left", maintain_order="left", nulls_equal=True)
    return joined[c.ROW].cast(pl.Int64).fill_null(-1).to_numpy()


def _tree(count: Ints, step: Ints, steps: int) -> tuple[Ints, list[Ints]]:
    """Node of each path, and the keys of the nodes by level."""
    first = np.cumsum(count) - count
    node = np.where(count > 0, 0, -1)
    keys: list[Ints] = []
    node_count = 0
    for level in range(min(int(count.max(initial=0)), DEEPEST)):
        longer = np.flatnonzero(count > level)
        key, index = np.unique(
            node[longer] * steps + step[first[longer] + level], return_inverse=True
        )
        node[longer] = node_count + index
        node_count += len(key)
        keys.append(key)
    node[count > DEEPEST] = node_count
    return node, keys


@frozen(eq=False)
class References:
    """References: a document and a path each, or the two paths of a range.

    `first` and `last` are indices into the distinct paths; `last` is -1 without a second path.
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
        return cls(
            document=frame[c.DOC].cast(pl.String),
            first=number_among(first, distinct),
            last=np.where(last.is_null(), -1, number_among(last, distinct)),
            paths=Paths.of(distinct),
        )

    def take(self, rows: Ints) -> References:
        """The references in the given rows."""
        return References(self.document[rows], self.first[rows], self.last[rows], self.paths)
