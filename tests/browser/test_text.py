"""Offsets of the page are Python's, on random texts in random layouts."""

from __future__ import annotations

import random
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.modules import blank, with_modules
from tests.shared import needs_browser

pytestmark = [pytest.mark.slow, needs_browser()]

PARTS = [
    "a", "word ", "End. ", "Why? ", "\n", "\r\n", "\r", "\n\n", "\r\n\r\n", "  ", "\t", "\u00a0",
    "\u2028", "\x00", "🚀", "👩‍🚀", "e\u0301", "\u0301", "שלום ", "مرحبا. ", "日本語。", "<b>", "&amp;",
    "\u202e", "\ufeff", "𝔘𝔫𝔦 ", "x" * 60,
]  # fmt: skip
TAGS = [
    "p",
    "h1",
    "h3",
    "h6",
    "ul",
    "ol",
    "li",
    "table",
    "tr",
    "td",
    "th",
    "section",
    "pre",
    "blink",
]

CHECKS = """async cases => {
  const { DocumentText } = await import("/text.js");
  return cases.map(({ text, layout, spans }) => {
    const own = new DocumentText(text, layout);
    document.body.replaceChildren(own.root);
    const told = own.root.textContent;
    const sentences = [];
    for (let paragraph = 0; paragraph < own.paragraphCount; paragraph += 1) {
      for (let sentence = 0; sentence < own.sentenceCount(paragraph); sentence += 1) {
        sentences.push(own.sentence({ paragraph, sentence }));
      }
    }
    const answers = spans.map(([start, stop]) => {
      const { startContainer, startOffset, endContainer, endOffset } = own.range(start, stop);
      const range = document.createRange();
      range.setStart(startContainer, startOffset);
      range.setEnd(endContainer, endOffset);
      const snapped = ["character", "word", "sentence"].map(level => own.snapped(start, stop, level));
      return { quote: range.toString(), slice: own.slice(start, stop), selected: own.selected(range), snapped };
    });
    return { told, length: own.length, sentences, answers };
  }); }"""


def _nodes(rng: random.Random, start: int, stop: int, depth: int) -> list[Any]:
    """Random nodes, in order, disjoint and nested."""
    cuts = sorted(rng.randint(start, stop) for _ in range(2 * rng.randint(0, 3)))
    return [
        [rng.choice(TAGS), a, b, _nodes(rng, a, b, depth - 1) if depth else []]
        for a, b in zip(cuts[::2], cuts[1::2], strict=True)
    ]


def _case(seed: int) -> dict[str, Any]:
    rng = random.Random(seed)  # noqa: S311  # not for secrets
    text = "".join(rng.choices(PARTS, k=rng.randint(0, 60)))
    layout = {
        "kind": rng.choice(["plain", "elements"]),
        "blocks": _nodes(rng, 0, len(text), 3),
    }
    spans = [sorted(rng.choices(range(len(text) + 1), k=2)) for _ in range(8)]
    return {"text": text, "layout": layout, "spans": spans}


def test_offsets_are_pythons(browser: Browser) -> None:
    cases = [_case(seed) for seed in range(150)]
    with with_modules(browser) as context:
        answers = blank(context).evaluate(CHECKS, cases)
    for case, answer in zip(cases, answers, strict=True):
        text = case["text"]
        assert (answer["told"], answer["length"]) == (text, len(text))
        _check_sentences(text, answer["sentences"])
        for (start, stop), own in zip(case["spans"], answer["answers"], strict=True):
            assert own["quote"] == own["slice"] == text[start:stop]
            assert own["selected"] == [start, stop]
            _check_snapped(text, start, stop, own["snapped"])


def _check_sentences(text: str, sentences: list[list[int]]) -> None:
    """They are disjoint and in order, begin and end with letters, and all letters are in them."""
    covered = {at for a, b in sentences for at in range(a, b)}
    assert sum(b - a for a, b in sentences) == len(covered)
    assert sentences == sorted(sentences)
    assert all(text[a] not in BLANKS and text[b - 1] not in BLANKS for a, b in sentences)
    assert {at for at, letter in enumerate(text) if letter not in BLANKS} <= covered


def _check_snapped(text: str, start: int, stop: int, found: list[list[int] | None]) -> None:
    """Without blanks at the ends; each level holds the one before; null for blanks alone."""
    inner = [at for at in range(start, stop) if text[at] not in BLANKS]
    if not inner:
        assert found == [None, None, None]
        return
    character, word, sentence = (own or [0, 0] for own in found)
    assert character == [inner[0], inner[-1] + 1]
    assert sentence[0] <= word[0] <= character[0]
    assert character[1] <= word[1] <= sentence[1]
    for a, b in (word, sentence):
        assert text[a] not in BLANKS
        assert text[b - 1] not in BLANKS


# What \\s matches in JavaScript, of the characters above.
BLANKS = set("\n\r\t \u00a0\u2028\ufeff")
