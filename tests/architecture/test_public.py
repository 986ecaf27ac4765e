"""What the package and its rooms offer can be had."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import foveal

SOURCE = Path(foveal.__file__).parent
ROOMS = [path.parent for path in SOURCE.rglob("__init__.py")]


def offered(room: Path) -> list[str]:
    """The names that a room's `__init__` imports from its own files, for type checkers as well."""
    tree = ast.parse((room / "__init__.py").read_text("utf-8"))
    own = ".".join(["foveal", *room.relative_to(SOURCE).parts, ""])
    return [
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(own)
        for alias in node.names
    ]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(SOURCE)))
def test_every_name_that_a_room_offers_can_be_had(room: Path) -> None:
    module = importlib.import_module(".".join(["foveal", *room.relative_to(SOURCE).parts]))
    assert [name for name in offered(room) if not hasattr(module, name)] == []


def test_every_public_name_stands_once_in_the_one_list() -> None:
    names = foveal.__all__
    assert names == sorted(set(names))
    internal = {"Form", "Shown", "hook"}
    assert set(offered(SOURCE)) - internal == set(names)
    assert dir(foveal) == names
