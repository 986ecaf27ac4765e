"""Formulas of pages as MathML, which browsers show without scripts and fonts.

An extension of Python-Markdown, by which the site is built: `$$…$$` alone on a line is a formula, `$…$`
one within a sentence.
"""

from __future__ import annotations

import re

from latex2mathml.converter import convert
from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.preprocessors import Preprocessor

BLOCK = re.compile(r"^\$\$(.+)\$\$$")
INLINE = r"(?<![\w$`])\$([^$\s`](?:[^$`]*[^$\s`])?)\$(?![\w$])"
# After blocks of code are set aside, before headings and lists are looked for.
AFTER_CODE = 21
# Before a backslash or an underscore of a formula is taken for Markdown, after code.
BEFORE_ESCAPES = 185


class Blocks(Preprocessor):
    """Formulas on separate lines."""

    def run(self, lines: list[str]) -> list[str]:
        """The lines, with what Markdown must not touch instead of formulas."""
        return [BLOCK.sub(self._stored, line) for line in lines]

    def _stored(self, match: re.Match[str]) -> str:
        # One that is wider than a phone scrolls, so it must be reached by keyboard.
        formula = convert(match[1], display="block")
        return self.md.htmlStash.store(f'<div class="formula" tabindex="0">{formula}</div>')


class Inline(InlineProcessor):
    """Formulas within sentences."""

    def handleMatch(  # type: ignore[override]  # noqa: N802  # the name is Markdown's
        self, m: re.Match[str], data: str
    ) -> tuple[str, int, int]:
        """A placeholder for the formula's MathML, and the bounds of the text that it replaces."""
        return self.md.htmlStash.store(convert(m[1])), m.start(0), m.end(0)


class Formulas(Extension):
    """Both kinds of formulas."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802  # the name is Markdown's
        """Look for formulas."""
        md.preprocessors.register(Blocks(md), "formulas", AFTER_CODE)
        md.inlinePatterns.register(Inline(INLINE, md), "formulas", BEFORE_ESCAPES)


def makeExtension(**words: object) -> Formulas:  # noqa: N802  # the name is Markdown's
    """The extension, as Markdown asks for it."""
    return Formulas(**words)
