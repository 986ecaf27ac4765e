"""Texts are found where they were cut out, or reported: never silently elsewhere."""

from __future__ import annotations

from typing import Any

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import foveal
from foveal.intake._search import GRAM, FoldedText, fold, occurrences, ordered_matches

# Few letters, so that texts repeat themselves; all kinds of blanks.
texts = st.text(st.sampled_from("aab \n\t\u3000é"), min_size=1, max_size=40)
wide = st.text(st.sampled_from("日本é😀a"), min_size=4, max_size=30)


@st.composite
def windows(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]]]:
    """A text and windows that cover its signs, each beginning after the one before."""
    text = draw(texts.filter(lambda text: bool(text.strip())))
    cuts = [(0, draw(st.integers(1, len(text))))]
    while cuts[-1][1] < len(text):
        start, end = cuts[-1]
        begin = draw(st.integers(start + 1, end))
        cuts.append((begin, draw(st.integers(max(end, begin) + 1, len(text)))))
    kept: list[tuple[int, int]] = []
    for start, end in cuts:
        if not text[start:end].strip():
            continue
        if kept and signs(text, start) == signs(text, kept[-1][0]):
            # Only blanks are between their beginnings: one window instead of two leaves no gap.
            kept[-1] = (kept[-1][0], end)
        else:
            kept.append((start, end))
    return text, kept


def signs(text: str, end: int) -> int:
    return len(fold(text[:end]))


def untouched(text: str) -> str:
    return text


def merged(text: str) -> str:
    return " ".join(text.split())


@given(windows(), st.sampled_from([untouched, str.strip, merged]))
def test_in_document_order_a_chunk_is_placed_right_or_reported(
    world: tuple[str, list[tuple[int, int]]], normal: Any
) -> None:
    text, cuts = world
    folded = FoldedText(text)
    patterns = [folded.pattern(normal(text[start:end])) for start, end in cuts]
    for (start, end), matches in zip(cuts, ordered_matches(folded, patterns), strict=True):
        truth = (signs(text, start), signs(text, end))
        assert truth in [(match.start, match.end) for match in matches]


@given(wide, st.integers(8, 20), st.integers(0, 4))
def test_characters_that_were_cut_apart_are_found(text: str, size: int, overlap: int) -> None:
    data = text.encode()
    cuts = [(at, min(at + size, len(data))) for at in range(0, len(data), size - overlap)]
    folded = FoldedText(text)
    chunks = [data[start:end].decode(errors="replace") for start, end in cuts]
    patterns = [folded.pattern(chunk) for chunk in chunks]
    found = occurrences(folded, patterns)
    for (start, end), pattern, matches in zip(cuts, patterns, found, strict=True):
        first = len(data[:start].decode(errors="ignore"))
        last = len(data[:end].decode(errors="ignore"))
        last += len(text[:last].encode()) < end
        if pattern.core:
            assert (first, last) in [(match.start, match.end) for match in matches]


@given(windows())
def test_a_text_without_blanks_differences_is_cut_out_again(
    world: tuple[str, list[tuple[int, int]]],
) -> None:
    text, cuts = world
    folded = FoldedText(text)
    for start, end in cuts:
        pattern = folded.pattern(text[start:end])
        spans = [folded.text_match(pattern, match) for match in occurrences(folded, [pattern])[0]]
        assert (start, end, True) in spans


@given(windows())
def test_a_stated_place_that_has_the_text_is_kept(world: tuple[str, list[tuple[int, int]]]) -> None:
    text, cuts = world
    rows = [
        {"topic": "1", "doc": "a", "start": start, "end": end, "text": text[start:end]}
        for start, end in cuts
    ]
    placed = foveal.read_documents({"a": text}).placed(rows)
    assert placed.frame.select("start", "end").rows() == cuts


@given(st.text(st.sampled_from("ab"), min_size=GRAM, max_size=200), st.data())
def test_an_index_of_stretches_finds_what_a_scan_finds(text: str, data: st.DataObject) -> None:
    # So many copies of the text that the index is worth its while.
    folded = FoldedText(f"{text}-" * (1 + (1 << 23) // len(text) // 50))
    start = data.draw(st.integers(0, len(text) - GRAM))
    pieces = [text[start:], text[start : start + GRAM], f"b{text}", "c" * GRAM] * 20
    patterns = [folded.pattern(piece) for piece in pieces]
    scanned = [occurrences(folded, [pattern])[0] for pattern in patterns[:4]]
    assert occurrences(folded, patterns)[:4] == scanned


@given(st.lists(st.text(st.sampled_from("ab c"), max_size=12), min_size=1, max_size=4))
def test_the_audit_has_a_verdict_on_every_result(found: list[str]) -> None:
    rows = [{"topic": "1", "doc": "a", "start": 0, "end": 2, "text": text or "a"} for text in found]
    audited = foveal.read_documents({"a": "ab c ab"}).audited(rows)
    assert audited.audit is not None
    assert sum(audited.audit.counts.values()) == len(rows)
    unplaced = audited.frame.filter(pl.col("start").is_null())
    assert unplaced.height == audited.audit["lost"] + audited.audit["copies"]
