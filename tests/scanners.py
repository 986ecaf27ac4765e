"""Which scanner reads documents: the compiled one, or its twin in Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from foveal.compiled import elements_scanner
from tests.shared import needs_compiled

COMPILED, PLAIN = "compiled", "plain"


@contextmanager
def scanning_by(scanner: str) -> Iterator[None]:
    """Use one of the scanners, in this process and those it starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOVEAL_COMPILED", "1" if scanner == COMPILED else "0")
        assert (elements_scanner() is not None) == (scanner == COMPILED)
        yield


@pytest.fixture(scope="module", params=[pytest.param(COMPILED, marks=needs_compiled()), PLAIN])
def scanner(request: pytest.FixtureRequest) -> Iterator[None]:
    """Runs the tests of a module once with each scanner."""
    with scanning_by(request.param):
        yield
