"""Scores of documents with their formulas, the numbers filled in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foveal.rendering._numbers import rounded, shortest
from foveal.tables import columns as c

Row = Mapping[str, Any]
Parameters = Mapping[str, Mapping[str, float]]
NEEDS_LENGTH = "unknown: it needs the length of the document"


def workings(row: Row, parameters: Parameters) -> list[str]:
    """How each score of a document comes about, a line each."""
    if row[c.RANK] is None:
        return ["Every score is 0: the document was not returned."]
    if not row[c.RELEVANT]:
        return ["Every score is 0: nothing in the document is highlighted."]
    return [
        _precision(row),
        f"R(d) = rsize / Trel(d) = {row[c.RSIZE]} / {row[c.HIGHLIGHTED]} = {rounded(row[c.TEXT_R])}",
        _f(row, parameters[c.TEXT_F]["beta"]),
        *([_entry_point(row, parameters[c.BEP])] if c.BEP in parameters else []),
        *([_tolerance(row, parameters[c.T2I]["irr"])] if c.T2I in parameters else []),
    ]


def _precision(row: Row) -> str:
    if row[c.SIZE] is None:
        return f"P(d) is {NEEDS_LENGTH}"
    if not row[c.SIZE]:
        return "P(d) = 0: no text of the document was read"
    return f"P(d) = rsize / size = {row[c.RSIZE]} / {row[c.SIZE]} = {rounded(row[c.TEXT_P])}"


def _f(row: Row, beta: float) -> str:
    precision = row[c.TEXT_P]
    if precision is None:
        return f"F(d) is {NEEDS_LENGTH}"
    if not precision:
        return "F(d) = 0: nothing highlighted was read"
    # Of whole numbers, so that a reader who computes it finds the score: P and R are rounded.
    rsize, size, trel = row[c.RSIZE], row[c.SIZE], row[c.HIGHLIGHTED]
    if beta == 1:
        told = f"2·P·R / (P + R) = 2·rsize / (size + Trel(d)) = 2·{rsize} / ({size} + {trel})"
    else:
        b = shortest(beta)
        told = (
            "(1 + β²)·P·R / (β²·P + R) = (1 + β²)·rsize / (size + β²·Trel(d)) ="
            f" (1 + {b}²)·{rsize} / ({size} + {b}²·{trel})"
        )
    return f"F(d) = {told} = {rounded(row[c.TEXT_F])}"


def _entry_point(row: Row, reach: Mapping[str, float]) -> str:
    x, b, score = row[c.FIRST_START], row[c.ENTRY], row[c.BEP]
    if score is None:
        return f"bep(d) is {NEEDS_LENGTH}"
    if x is None:
        return "bep(d) = 0: the place of the first part is unknown"
    if b is None:
        return "bep(d) = 0: the judgements have no best entry point"
    if "n" in reach:
        n = shortest(reach["n"])
        told = f"max(0, (n - |x - b|) / n) = max(0, ({n} - |{x} - {b}|) / {n})"
    else:
        a, length = shortest(reach["A"]), row[c.LENGTH]
        told = f"A·L / (A·L + |x - b|) = {a}·{length} / ({a}·{length} + |{x} - {b}|)"
    return f"bep(d) = {told} = {rounded(score)}"


def _tolerance(row: Row, irr: float) -> str:
    r, i = row[c.T2I_FOUND], row[c.T2I_WASTED]
    if r is None:
        return f"t2i(d) is {NEEDS_LENGTH}"
    if r + i == 0:
        return "t2i(d) = 0: there is nothing to read"
    return (
        f"t2i(d) = r / (r + i) = {r} / ({r} + {i}) = {rounded(row[c.T2I])}, read until i ="
        f" {shortest(irr)} or the end"
    )
