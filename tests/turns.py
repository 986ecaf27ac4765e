"""Which tests each process of pytest-xdist begins with, so that no core waits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

T = TypeVar("T")


def in_turns(slow: Sequence[T], quick: Sequence[T], processes: int) -> list[T]:
    """All tests in an order of which each process takes an equal share, as `worksteal` deals them out.

    Every second process begins with slow tests. Most of these wait for a browser or for another
    program, so the processes between them compute meanwhile. The quick ones come last: whoever is
    done takes some from the others, and all end together.
    """
    shares = [len(part) for part in _parts(range(len(slow) + len(quick)), processes)]
    heads = _parts(slow, (processes + 1) // 2)
    order: list[T] = []
    left = list(quick)
    for process, share in enumerate(shares):
        head = list(heads[process // 2]) if process % 2 == 0 else []
        rest = max(0, share - len(head))
        order += head + left[:rest]
        del left[:rest]
    return order + left


def _parts(items: Sequence[T], count: int) -> list[Sequence[T]]:
    """Neighbours, in so many parts; as xdist does, the last ones take what is left over."""
    ends = [len(items) * place // count for place in range(count + 1)]
    return [items[start:end] for start, end in pairwise(ends)]
