"""Pools of processes that do their work in this one: what starting real ones adds is tested once."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest


@dataclass
class Pools:
    """What was asked of pools of processes: their sizes, how they start, the work given to them."""

    sizes: list[int | None] = field(default_factory=list)
    starts: list[str] = field(default_factory=list)
    work: int = 0


def work_here(monkeypatch: pytest.MonkeyPatch) -> Pools:
    """Let pools do their work here and at once, and remember that they were asked to."""
    seen = Pools()

    def made(
        self: object, max_workers: int | None = None, mp_context: Any = None, **_: object
    ) -> None:
        seen.sizes.append(max_workers)
        seen.starts.append((mp_context or multiprocessing).get_start_method())

    def given(
        self: object, work: Callable[..., Any], /, *items: Any, **options: Any
    ) -> Future[Any]:
        seen.work += 1
        future: Future[Any] = Future()
        sent, parts, named = travelled((work, items, options))
        try:
            future.set_result(travelled(sent(*parts, **named)))
        except Exception as error:  # the future carries it
            future.set_exception(travelled(error))
        return future

    # The methods, not the name: it does not matter who imported the class from where.
    monkeypatch.setattr(ProcessPoolExecutor, "__init__", made)
    monkeypatch.setattr(ProcessPoolExecutor, "submit", given)
    monkeypatch.setattr(ProcessPoolExecutor, "shutdown", lambda self, *_, **__: None)
    monkeypatch.setattr(ProcessPoolExecutor, "_processes", None, raising=False)
    return seen


def travelled(value: Any) -> Any:
    """A value as it arrives in another process; what cannot be sent fails."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301 (our own bytes)
