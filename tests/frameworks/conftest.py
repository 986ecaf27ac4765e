"""The real frameworks, none of which may reach the network from here."""

from __future__ import annotations

import os
import socket
from importlib.util import find_spec

import pytest

# Read when they are imported.
os.environ.update(
    HAYSTACK_TELEMETRY_ENABLED="False", HF_HUB_OFFLINE="1", LANGCHAIN_TRACING_V2="false"
)

# `make test` has none of them; `make test-frameworks` has an environment that does.
collect_ignore_glob = [] if find_spec("langchain_core") else ["test_*.py"]


@pytest.fixture(autouse=True)
def _nobody_phones_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a framework wants to reach the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
