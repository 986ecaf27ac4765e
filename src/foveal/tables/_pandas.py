"""pandas frames as Polars frames, column by column.

Neither library is asked for a conversion of its own: both need pyarrow for it, which many who have
pandas do not have.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import numpy as np

from foveal.errors import BadInput, Problem
from foveal.late import pl
from foveal.tables import _columns as c
from foveal.tables._aliases import ALIASES


def is_pandas(data: object) -> bool:
    """Whether this is a pandas frame; pandas is never imported to find out."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def of_pandas(frame: Any, source: str) -> pl.DataFrame:
    """The frame in Polars; whatever pandas calls missing (NaN, None, NA, NaT) is null."""
    _refuse_unclear_columns(frame, source)
    return pl.DataFrame(
        [_column(frame.iloc[:, place]).alias(str(name)) for place, name in enumerate(frame.columns)]
    )


def _refuse_unclear_columns(frame: Any, source: str) -> None:
    if frame.columns.nlevels > 1:
        reason = f"the column names have {frame.columns.nlevels} levels: flatten them first"
        raise BadInput(source, [Problem(None, reason)])
    names = [str(name) for name in frame.columns]
    repeated = [repr(name) for name, count in Counter(names).items() if count > 1]
    if repeated:
        reason = f"more than one column is called {' or '.join(repeated)}: keep one of them"
        raise BadInput(source, [Problem(None, reason)])
    needed = {c.TOPIC, c.DOC, *ALIASES[c.TOPIC], *ALIASES[c.DOC]}
    hidden = [repr(name) for name in frame.index.names if name in needed and name not in names]
    if hidden:
        are = (
            "is in the index, not a column" if len(hidden) == 1 else "are in the index, not columns"
        )
        reason = f"{' and '.join(hidden)} {are}: give frame.reset_index()"
        raise BadInput(source, [Problem(None, reason)])


def _column(values: Any) -> pl.Series:
    kind = values.dtype.kind if isinstance(values.dtype, np.dtype) else "O"
    if kind in "iub":
        return pl.Series(values.to_numpy())
    if kind == "f":
        return pl.Series(values.to_numpy(dtype=np.float64), nan_to_null=True)
    items = values.to_numpy(dtype=object, na_value=None).tolist()
    # Only columns of objects can have lists, or gaps that pandas does not know as such.
    return pl.Series(
        [_plain(item) for item in items] if values.dtype == object else items, strict=False
    )


def _plain(value: Any) -> Any:
    """A value without what is particular to pandas and NumPy."""
    if isinstance(value, np.ndarray):
        return [_plain(item) for item in value]
    # NA and NaT are known by their types: comparing NA with anything gives NA.
    is_gap = type(value).__name__ in {"NAType", "NaTType"}
    return None if is_gap or (isinstance(value, float | np.floating) and value != value) else value  # noqa: PLR0124  # only NaN differs from itself
