"""Runs as INEX's files give them: only those may mix whole documents with parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from foveal.choices import Ties
from foveal.tables import Origin, Run, RunRows


def inex_run(
    rows: Sequence[Mapping[str, Any]] | list[object] | pl.DataFrame, name: str = "run", **more: Any
) -> Run:
    frame = rows if isinstance(rows, pl.DataFrame) else pl.DataFrame(rows, infer_schema_length=None)
    own = RunRows(frame=frame, name=name, **more)
    return Run.of(own, origin=Origin(name, format="inex-xml"), ties=Ties.ID)
