"""Every test of a format runs with both readers."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def both_readers(scanner: None) -> None:
    """Read with the compiled scanner and without it."""
