"""What a clone does not bring along, and how a test says that it needs it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from foveal.compiled.scanner import IS_BUILT

ROOT = Path(__file__).resolve().parents[1]
# The shell first: the same engine without windows, so pages take a third less time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def shared(*names: str) -> Path:
    """A place in the folder that $FOVEAL_SHARED names, else in `shared` beside the project."""
    folder = os.environ.get("FOVEAL_SHARED") or ROOT.parent / "shared"
    return Path(folder).joinpath(*names)


def needs(folder: Path) -> pytest.MarkDecorator:
    """The mark of tests that are skipped where a folder is missing, which is named."""
    return pytest.mark.skipif(
        not folder.is_dir(),
        reason=f"no folder {folder} (FOVEAL_SHARED says where `shared` is)",
    )


def is_required(what: str) -> bool:
    """Whether FOVEAL_REQUIRE names what a machine may lack: tests that need it then fail, not skip."""
    return what in os.environ.get("FOVEAL_REQUIRE", "").split()


def installed_browser() -> str | None:
    """Where the system's chromium is."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def needs_browser() -> pytest.MarkDecorator:
    """The mark of tests that are skipped where there is no chromium, unless it is required."""
    return pytest.mark.skipif(
        installed_browser() is None and not is_required("browser"),
        reason="no chromium on the PATH (`make test` installs it where root can: apt-get)",
    )


def needs_compiled() -> pytest.MarkDecorator:
    """The mark of tests that are skipped where foveal was installed without a compiler.

    Where FOVEAL_REQUIRE names the compiler they run, and fail.
    """
    return pytest.mark.skipif(
        not IS_BUILT and not is_required("compiler"),
        reason="no compiled scanner (foveal was installed without a C compiler)",
    )
