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
    from foveal.errors import FovealError
    from foveal.formats import read_qrels, read_run, write_qrels, write_run
    from foveal.measures import evaluate
    from foveal.render import render
    from foveal.tables import Qrels, Run, Scores

__all__ = [
    "FovealError",
    "Qrels",
    "Run",
    "Scores",
    "evaluate",
    "read_qrels",
    "read_run",
    "render",
    "write_qrels",
    "write_run",
]

_ROOMS = {
    "errors": ["FovealError"],
    "formats": ["read_qrels", "read_run", "write_qrels", "write_run"],
    "measures": ["evaluate"],
    "render": ["render"],
    "tables": ["Qrels", "Run", "Scores"],
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a room when one of its names is first used, so that `import foveal` costs nothing."""
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'foveal' has no attribute {name!r}")
    return getattr(importlib.import_module(f"foveal.{_ROOM_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
