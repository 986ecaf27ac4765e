"""Which scanner reads documents: the compiled one, or the Python one that gives the same."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from foveal.files import elements_scanner

COMPILED, PLAIN = "compiled", "plain"


def is_there() -> bool:
    """Whether there is a compiled scanner."""
    with scanning_by(COMPILED):
        return elements_scanner() is not None


def require_compiled() -> None:
    """Skip a test that needs the compiled scanner, where there is none and nobody asks for it."""
    if not is_there():
        if "compiler" in os.environ.get("FOVEAL_REQUIRE", "").split():
            pytest.fail("FOVEAL_REQUIRE asks for the compiled scanner, which was not built")
        pytest.skip("no compiled scanner: it was not built")


@contextmanager
def scanning_by(scanner: str) -> Iterator[None]:
    """Let one of the scanners read, here and in every process that is started."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOVEAL_COMPILED", str(int(scanner == COMPILED)))
        yield


@pytest.fixture(scope="module", params=[COMPILED, PLAIN])
def scanner(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each of the scanners, for all tests of a module."""
    if request.param == COMPILED:
        require_compiled()
    with scanning_by(request.param):
        yield request.param
