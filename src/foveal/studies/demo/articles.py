"""The articles of the demo world: XML with exact offsets, and sentences with their themes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from html import escape

import numpy as np

from foveal.frozen import frozen
from foveal.studies.demo.vocabulary import GENERAL, THEMES, DemoTheme, heading, sentence

# There are more articles if the random numbers of articles per theme add up to more.
ARTICLES = 300
MOST_SIDE_THEMES = 4


@frozen
class Element:
    """An element of an article and the span of its text."""

    tag: str
    path: str
    start: int
    end: int


@frozen
class Sentence:
    """The span of a sentence or a title, its theme, and the path of its section."""

    start: int
    end: int
    theme: DemoTheme
    section: str
    is_title: bool = False


@frozen
class Article:
    """An XML document; `length` and all spans count the characters of its text content.

    Each of its themes has sentences. Elements and sentences come in document order.
    """

    id: str
    xml: str = field(repr=False)
    length: int
    themes: tuple[DemoTheme, ...] = field(repr=False)
    elements: tuple[Element, ...] = field(repr=False)
    sentences: tuple[Sentence, ...] = field(repr=False)


@frozen
class _Plan:
    """The themes of an article to be written."""

    main: DemoTheme
    sides: list[DemoTheme]


class _Builder:
    """Builds an XML document and records the spans of its elements and sentences."""

    def __init__(self) -> None:
        self.length = 0
        self.elements: list[Element] = []
        self.sentences: list[Sentence] = []
        self._markup = ['<?xml version="1.0"?>\n']
        self._open_paths: list[str] = []
        self._path_counts: Counter[str] = Counter()

    def xml(self) -> str:
        """The document so far."""
        return "".join(self._markup) + "\n"

    def write(self, text: str) -> None:
        """Write text content."""
        self._markup.append(escape(text, quote=False))
        self.length += len(text)

    def comment(self, text: str) -> None:
        """Write a comment, which is not part of the text."""
        self._markup.append(f"<!-- {text} -->")

    @contextmanager
    def element(self, tag: str) -> Iterator[None]:
        """Wrap what is written inside the `with` block in an element."""
        parent = self._open_paths[-1] if self._open_paths else ""
        path = f"{parent}/{tag}"
        self._path_counts[path] += 1
        path = f"{path}[{self._path_counts[path]}]"
        index, start = len(self.elements), self.length
        self.elements.append(Element(tag, path, start, start))
        self._open_paths.append(path)
        self._markup.append(f"<{tag}>")
        yield
        if self._markup[-1] == f"<{tag}>":
            self._markup[-1] = f"<{tag}/>"
        else:
            self._markup.append(f"</{tag}>")
        self._open_paths.pop()
        self.elements[index] = Element(tag, path, start, self.length)

    @contextmanager
    def line(self, tag: str) -> Iterator[None]:
        """Write an element on a separate line."""
        depth = len(self._open_paths)
        if depth:
            # Text before the root is not text content.
            self._new_line(depth)
        with self.element(tag):
            yield

    @contextmanager
    def block(self, tag: str) -> Iterator[None]:
        """Write an element whose tags are on separate lines."""
        depth = len(self._open_paths)
        with self.line(tag):
            yield
            self._new_line(depth)

    @contextmanager
    def sentence(self, theme: DemoTheme, *, is_title: bool = False) -> Iterator[None]:
        """Record what is written inside the `with` block as a sentence or title."""
        start = self.length
        yield
        _, _, section, *_ = self._open_paths
        self.sentences.append(Sentence(start, self.length, theme, section, is_title))

    def _new_line(self, depth: int) -> None:
        self.write("\n" + "  " * depth)


def write_articles(rng: np.random.Generator) -> list[Article]:
    """About 300 articles; each theme is treated in 8 to 24 of them, in 6 to 12 as the main one."""
    plans = _plans(rng)
    return [_article(rng, f"A{number:03}", plan) for number, plan in enumerate(plans, start=1)]


def _plans(rng: np.random.Generator) -> list[_Plan]:
    mains = [theme for theme in THEMES for _ in range(rng.integers(6, 13))]
    mains += [GENERAL] * (ARTICLES - len(mains))
    plans = [_Plan(mains[index], sides=[]) for index in rng.permutation(len(mains))]
    for theme in THEMES:
        hosts = [
            plan for plan in plans if plan.main is not theme and len(plan.sides) < MOST_SIDE_THEMES
        ]
        for host_index in rng.choice(len(hosts), size=rng.integers(2, 13), replace=False):
            hosts[host_index].sides.append(theme)
    return plans


def _article(rng: np.random.Generator, name: str, plan: _Plan) -> Article:
    builder = _Builder()
    with builder.block("article"):
        with builder.line("name"):
            builder.write(heading(rng, plan.main))
        with builder.block("bdy"):
            for theme in _section_themes(rng, plan):
                _write_section(rng, builder, theme)
    return Article(
        id=name,
        xml=builder.xml(),
        length=builder.length,
        themes=(plan.main, *plan.sides),
        elements=tuple(builder.elements),
        sentences=tuple(builder.sentences),
    )


def _section_themes(rng: np.random.Generator, plan: _Plan) -> list[DemoTheme]:
    """The main theme and each side theme at least once, in any order."""
    themes = [plan.main, *plan.sides]
    themes += [
        plan.main if rng.random() < 0.4 else GENERAL for _ in range(len(themes), rng.integers(2, 7))
    ]
    return [themes[index] for index in rng.permutation(len(themes))]


def _write_section(rng: np.random.Generator, builder: _Builder, theme: DemoTheme) -> None:
    sizes = rng.integers(2, 6, size=rng.integers(2, 7)).tolist()
    themes = iter(_sentence_themes(rng, theme, sum(sizes)))
    paragraphs = [[next(themes) for _ in range(size)] for size in sizes]
    has_subsection = len(paragraphs) > 3 and rng.random() < 0.25
    split = len(paragraphs) - (2 if has_subsection else 0)
    with builder.block("sec"):
        _write_title(rng, builder, theme)
        for paragraph in paragraphs[:split]:
            _write_paragraph(rng, builder, paragraph)
        if has_subsection:
            with builder.block("ss1"):
                _write_title(rng, builder, theme)
                for paragraph in paragraphs[split:]:
                    _write_paragraph(rng, builder, paragraph)


def _sentence_themes(rng: np.random.Generator, theme: DemoTheme, count: int) -> list[DemoTheme]:
    """The themes of a section's sentences: contiguous ones on its theme, with few digressions."""
    size = count if rng.random() < 0.25 else rng.integers(2, count + 1)
    start = rng.integers(count - size + 1)
    middle = [GENERAL if rng.random() < 0.08 else theme for _ in range(size - 2)]
    return [*[GENERAL] * start, *[theme, *middle, theme], *[GENERAL] * (count - start - size)]


def _write_title(rng: np.random.Generator, builder: _Builder, theme: DemoTheme) -> None:
    with builder.line("st"), builder.sentence(GENERAL, is_title=True):
        builder.write(heading(rng, theme))


def _write_paragraph(rng: np.random.Generator, builder: _Builder, themes: list[DemoTheme]) -> None:
    if rng.random() < 0.06:
        with builder.line("figure"):
            pass
    with builder.line("p"):
        for index, theme in enumerate(themes):
            if index:
                builder.write(" ")
            if rng.random() < 0.02:
                builder.comment("to be checked")
            with builder.sentence(theme):
                _write_sentence(rng, builder, theme)


def _write_sentence(rng: np.random.Generator, builder: _Builder, theme: DemoTheme) -> None:
    phrase = sentence(rng, theme)
    if rng.random() < 0.9:
        builder.write(phrase.text)
        return
    text_before, keyword, text_after = phrase.text.partition(phrase.keyword)
    builder.write(text_before)
    with builder.element("b"):
        builder.write(keyword)
    builder.write(text_after)
