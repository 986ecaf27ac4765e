"""One test for all records of a registry, where a test for each would cost more than what it checks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

# Some of what fails is enough to see what is wrong.
MOST = 20


def each(
    argument: str, cases: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for every case, as its argument; the cases that fail are named together."""
    listed = list(cases)
    assert listed, f"no case of {argument}"

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def tried(**fixtures: Any) -> None:
            errors = []
            for case in listed:
                try:
                    test(**fixtures, **{argument: case})
                except Exception as error:  # all of them are raised below
                    error.add_note(f"{argument}: {case}")
                    errors.append(error)
            if errors:
                message = f"{len(errors)} of {len(listed)} failed"
                raise ExceptionGroup(message, errors[:MOST])

        asked = inspect.signature(test)
        others = [own for name, own in asked.parameters.items() if name != argument]
        tried.__signature__ = asked.replace(parameters=others)  # type: ignore[attr-defined]
        return tried

    return decorated
