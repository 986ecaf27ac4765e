"""Fresh environments with the package in them, and what is tried there."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tools.release._package import ROOT
from tools.release._running import Failed, Python, run

HERE = Path(__file__).parent
ALL = "all"
NONE = "none"
SHOWN_DIFFERENCES = 20
# How the digest of a command begins that ended with the exit code of a bug.
BUG = "70 "


def extras() -> list[str]:
    """What the package can be installed with: nothing, each extra, and all of them."""
    own = sorted(_project()["optional-dependencies"])
    return [NONE, *(name for name in own if name != ALL), ALL]


def lowest() -> str:
    """Constraints that take every dependency at its lowest version that is allowed."""
    project = _project()
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    pinned = [one.replace(">=", "==") for group in groups for one in group if ">=" in one]
    return "\n".join(pinned) + "\n"


def _project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project: dict[str, Any] = tomllib.load(file)["project"]
    return project


def installed(
    python: Python, folder: Path, wheel: Path, extra: str, constraints: Iterable[Path] = ()
) -> Path:
    """The Python of a new environment that has the wheel and what one of its extras needs."""
    run(python.program, "-m", "venv", "--without-pip", folder)
    program = folder / "bin" / "python"
    what = f"{wheel}[{extra}]" if extra != NONE else str(wheel)
    bounds = [word for file in constraints for word in ("--constraint", str(file))]
    pip = (sys.executable, "-m", "pip", "--python", program, "install", "--quiet", "--no-compile")
    run(*pip, *bounds, what)
    return program


def smoke(program: Path, extra: str, folder: Path) -> str:
    """Use the installed package; what was tried."""
    folder.mkdir()
    names = [name for name in extras() if name not in {NONE, ALL}]
    with_them = names if extra == ALL else [name for name in names if name == extra]
    without = [name for name in names if name not in with_them]
    script = HERE / "smoke.py"
    return run(program, "-I", script, ",".join(with_them), ",".join(without), folder=folder).strip()


def results(program: Path, folder: Path) -> dict[str, str]:
    """A digest of every output of many commands over every format."""
    folder.mkdir()
    digests: dict[str, str] = json.loads(run(program, "-I", HERE / "results.py", folder=folder))
    return digests


def check_same(compiled: dict[str, str], plain: dict[str, str]) -> int:
    """Whether two installations gave the same bytes; how many outputs they gave."""
    every = sorted(compiled.keys() | plain.keys())
    if broken := [name for name, told in compiled.items() if told.startswith(BUG)]:
        raise Failed(f"a bug in foveal: {broken[0]}")
    differ = [name for name in every if compiled.get(name) != plain.get(name)]
    if differ:
        shown = "\n".join(differ[:SHOWN_DIFFERENCES])
        raise Failed(f"{len(differ)} outputs differ without the compiled scanner:\n{shown}")
    return len(every)
