"""What is installed: every file of the package, and the compiled scanner where there is a compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from tests.shared import ROOT, needs_compiled

PARTS = ("src", "setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE")
BUILT = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "*.egg-info")
C_FILES = (".c", ".h")

pytestmark = pytest.mark.slow


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what the package is built from, without anything built."""
    folder = tmp_path / "project"
    folder.mkdir()
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=BUILT)
        else:
            shutil.copy(ROOT / part, folder / part)
    return folder


def _built(project: Path, what: str, **environment: str) -> Path:
    """The wheel or sdist made by the build backend, as pip calls it."""
    subprocess.run(
        [sys.executable, "-c", f"from setuptools import build_meta as b; b.build_{what}('dist')"],
        cwd=project,
        env=os.environ | environment,
        check=True,
        capture_output=True,
    )
    (made,) = (project / "dist").iterdir()
    return made


def _sources(project: Path) -> set[str]:
    folder = project / "src"
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def _installed(project: Path) -> set[str]:
    return {name for name in _sources(project) if Path(name).suffix not in C_FILES}


def _contents(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


@needs_compiled()
def test_a_wheel_holds_every_file_and_the_scanner_for_all_pythons(project: Path) -> None:
    expected = _installed(project)
    wheel = _built(project, "wheel")
    assert "-cp311-abi3-" in wheel.name
    assert _contents(wheel) == expected | {"foveal/files/_compiled.abi3.so"}


def test_a_wheel_made_without_a_compiler_lacks_only_the_scanner(project: Path) -> None:
    expected = _installed(project)
    nothing = project / "nothing"
    nothing.mkdir()
    wheel = _built(project, "wheel", PATH=str(nothing), CC="no-compiler-here")
    assert _contents(wheel) == expected


def test_an_sdist_holds_every_source(project: Path) -> None:
    expected = _sources(project)
    with tarfile.open(_built(project, "sdist")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"src/{name}" for name in expected} <= names
    assert {"setup.py", "pyproject.toml", "LICENSE", "README.md"} <= names
