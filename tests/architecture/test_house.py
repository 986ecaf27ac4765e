"""The house keeps its order: rooms, file sizes, import budget."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from tests.each import each

SOURCE = Path(__file__).resolve().parents[2] / "src" / "foveal"
FILES = sorted(SOURCE.rglob("*.py"))
ROOMS = sorted(path.name for path in SOURCE.iterdir() if (path / "__init__.py").is_file())
# Rooms, and the folders in them that offer names of their own.
OPEN = [*ROOMS, "rendering.drawing", "rendering.figures"]
TOP_FILES = sorted(path.name for path in SOURCE.glob("[!_]*.py"))


@cache
def _tree(path: Path) -> ast.AST:
    return ast.parse(path.read_text(encoding="utf-8"))


def _imported(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return found


@cache
def _offered(room: str) -> set[str]:
    """Names that a room's `__init__` imports or defines."""
    offered = set()
    for node in ast.walk(_tree(SOURCE / room.replace(".", "/") / "__init__.py")):
        if isinstance(node, ast.ImportFrom):
            offered |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            offered.add(node.name)
    return offered


@each("path", FILES)
def test_a_room_is_imported_never_a_file_inside_it(path: Path) -> None:
    own = path.relative_to(SOURCE).parts[0]
    for name in _imported(_tree(path)):
        module, _, inside = name.removeprefix("foveal.").rpartition(".")
        room = module.partition(".")[0]
        if name.startswith("foveal.") and room in ROOMS and room != own:
            assert module in OPEN, f"{path.name} imports {name}"
            assert inside in _offered(module), f"{path.name} imports {name}, which is no export"


@pytest.mark.parametrize("room", [*(f"{room}/" for room in ROOMS), *TOP_FILES])
def test_a_room_has_its_sentence_on_the_page_of_the_house(room: str) -> None:
    page = (SOURCE.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert any(f"`{room}`" in line for line in page.splitlines() if line.startswith("| `"))


@each("path", FILES)
def test_only_the_command_line_prints(path: Path) -> None:
    if path.relative_to(SOURCE).parts[0] == "cli":
        return
    calls = [node for node in ast.walk(_tree(path)) if isinstance(node, ast.Call)]
    assert not [n for n in calls if isinstance(n.func, ast.Name) and n.func.id == "print"]


def test_classes_are_frozen_in_the_way_that_is_quick() -> None:
    slow = "dataclass(frozen=True"
    files = [path for path in FILES if path.name != "frozen.py"]
    assert not [path for path in files if slow in path.read_text(encoding="utf-8")]


def _loaded_by(code: str) -> set[str]:
    listed = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", listed], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_importing_foveal_loads_nothing_heavy() -> None:
    loaded = _loaded_by("import foveal")
    assert loaded.isdisjoint({"polars", "numpy", "rich", "click", "scipy", "lxml", "distributed"})


def test_the_help_page_loads_nothing_heavy() -> None:
    loaded = _loaded_by(
        "import contextlib, io\nfrom foveal.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    main(['--help'])"
    )
    assert loaded.isdisjoint({"polars", "numpy", "rich", "scipy", "lxml", "distributed"})


def test_scoring_loads_neither_drawing_nor_cluster() -> None:
    loaded = _loaded_by("import foveal\nfoveal.evaluate")
    assert loaded.isdisjoint({"rich", "click", "scipy", "lxml", "distributed", "pyarrow", "pandas"})


def test_tables_of_scores_load_neither_statistics_nor_figures() -> None:
    loaded = _loaded_by("import foveal\nfoveal.render")
    assert loaded.isdisjoint({"foveal.analysis", "foveal.rendering.figures", "scipy"})


def test_comparing_loads_no_drawing() -> None:
    loaded = _loaded_by("import foveal\nfoveal.compare")
    assert loaded.isdisjoint({"scipy", "vl_convert", "jinja2", "foveal.rendering"})


def test_campaigns_load_no_server() -> None:
    loaded = _loaded_by("import foveal.assess\nfoveal.assess.links")
    assert loaded.isdisjoint({"starlette", "uvicorn", "polars", "scipy", "foveal.rendering"})
