"""A clone alone: what it cannot check is skipped and named, never silently passed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.shared import ROOT, needs, shared


def test_shared_data_are_looked_for_where_the_environment_says_else_beside_the_project(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FOVEAL_SHARED", str(tmp_path))
    assert shared("data", "inex") == tmp_path / "data" / "inex"
    monkeypatch.delenv("FOVEAL_SHARED")
    assert shared("data") == ROOT.parent / "shared" / "data"
    assert needs(tmp_path).args == (False,)


def test_what_is_skipped_is_named_in_the_last_lines(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/golden/test_sakai.py"],
        env={**os.environ, "FOVEAL_SHARED": str(tmp_path), "PYTEST_ADDOPTS": "-n 0"},
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    *named, summary = done.stdout.splitlines()[-4:]
    assert all(line.startswith("SKIPPED [") for line in named), done.stdout
    assert all(f"no folder {tmp_path / 'data' / 'sakai'} " in line for line in named)
    assert "5 skipped" in summary
    assert "passed" not in summary
