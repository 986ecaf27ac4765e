"""Evaluate focused retrieval: elements, passages, character spans and entry points.

>>> import foveal
>>> qrels = foveal.Qrels.from_dicts(
...     [{"topic": "1", "doc": "d1", "length": 100, "highlights": [[10, 40]]}]
... )
>>> run = foveal.Run.from_dicts([{"topic": "1", "doc": "d1", "start": 0, "end": 40}])
>>> foveal.evaluate(qrels, run, ["charP", "charR"]).mean().row(0)
('run', 0.75, 1.0)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from foveal.analysis import Agreement, Comparison, agree, compare
    from foveal.collection import open_index
    from foveal.errors import FovealError
    from foveal.formats import read_qrels, read_run, read_topics, write_qrels, write_run
    from foveal.measures import evaluate
    from foveal.rendering import figure, render
    from foveal.tables import Qrels, Run, Scores, Topics

__all__ = [
    "Agreement",
    "Comparison",
    "FovealError",
    "Qrels",
    "Run",
    "Scores",
    "Topics",
    "agree",
    "compare",
    "evaluate",
    "figure",
    "open_index",
    "read_qrels",
    "read_run",
    "read_topics",
    "render",
    "write_qrels",
    "write_run",
]

# The same by the room they live in.
_NAMES = {
    "errors": "FovealError",
    "tables": "Qrels Run Scores Topics",
    "measures": "evaluate",
    "analysis": "Agreement Comparison agree compare",
    "formats": "read_qrels read_run read_topics write_qrels write_run",
    "collection": "open_index",
    "rendering": "figure render",
}
_ROOM_OF = {name: room for room, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Load a room when it or one of its names is first used, so that importing costs nothing."""
    if name in _ROOM_OF:
        return getattr(importlib.import_module(f"foveal.{_ROOM_OF[name]}"), name)
    if name in {"analysis", "measures", "studies"}:
        return importlib.import_module(f"foveal.{name}")
    raise AttributeError(f"module 'foveal' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
