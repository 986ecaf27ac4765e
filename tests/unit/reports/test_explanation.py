"""Explanations: what is said of a document, and what its page is made of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib.resources import files
from typing import Any

import pytest

import foveal
from foveal.errors import MissingExtra
from foveal.rendering import _page_template
from foveal.reports.explanation import explanation_page as _page
from foveal.reports.explanation import sentences
from foveal.reports.explanation import terminal as _drawing
from foveal.tables import Qrels, Run

RETURNED: dict[str, Any] = {
    "rank": 2, "relevant": True, "length": 100, "highlighted": 40, "size": 50, "rsize": 30,
    "P": 0.6, "R": 0.75, "F": 2 / 3, "bep": 0.5, "t2i": 0.4, "entry": 10, "first_start": 0,
    "t2i_found": 40, "t2i_wasted": 60,
}  # fmt: skip
PARAMETERS: Mapping[str, Mapping[str, float]] = {
    "F": {"beta": 1.0},
    "bep": {"A": 0.1},
    "t2i": {"irr": 300},
}


def test_a_topic_without_highlights_has_nothing_to_find() -> None:
    row = {"topic": "1", "doc": "d1", "length": 100}
    other = row | {"topic": "2", "highlights": [[0, 5]]}
    qrels = Qrels.from_dicts([row | {"highlights": [], "aspects": "a"}, other])
    run = Run.from_dicts([{"topic": "1", "doc": "d1", "start": 0, "end": 40}])
    found = foveal.explain(qrels, run, topic="1")
    assert "Nothing is highlighted." in foveal.render(found)


def worked(**facts: Any) -> list[str]:
    return sentences.workings({**RETURNED, **facts}, PARAMETERS)


def test_every_score_is_worked_out_with_its_numbers() -> None:
    assert worked() == [
        "P(d) = rsize / size = 30 / 50 = 0.6000",
        "R(d) = rsize / Trel(d) = 30 / 40 = 0.7500",
        "F(d) = 2·P·R / (P + R) = 2·rsize / (size + Trel(d)) = 2·30 / (50 + 40) = 0.6667",
        "bep(d) = A·L / (A·L + |x - b|) = 0.1·100 / (0.1·100 + |0 - 10|) = 0.5000",
        "t2i(d) = r / (r + i) = 40 / (40 + 60) = 0.4000, read until i = 300 or the end",
    ]


def test_the_numbers_of_f_compute_to_its_score_however_small_p_and_r_are() -> None:
    # Precision and recall as printed, 0.2033 and 1.0000, would give 0.3379.
    line = worked(rsize=25, size=123, highlighted=25, P=25 / 123, R=1.0, F=50 / 148)[2]
    assert line.endswith("= 2·25 / (123 + 25) = 0.3378")


@pytest.mark.parametrize(
    ("facts", "place", "told"),
    [
        ({"rank": None}, 0, "Every score is 0: the document was not returned."),
        ({"relevant": False}, 0, "Every score is 0: nothing in the document is highlighted."),
        ({"size": None, "P": None, "F": None}, 0, "P(d) is unknown: it needs the length"),
        ({"size": None, "P": None, "F": None}, 2, "F(d) is unknown: it needs the length"),
        ({"size": 0, "P": 0.0, "F": 0.0}, 0, "P(d) = 0: no text of the document was read"),
        ({"P": 0.0, "F": 0.0}, 2, "F(d) = 0: nothing highlighted was read"),
        ({"bep": None}, 3, "bep(d) is unknown: it needs the length"),
        ({"bep": 0.0, "first_start": None}, 3, "bep(d) = 0: the place of the first part is unknown"),
        ({"bep": 0.0, "entry": None}, 3, "bep(d) = 0: the judgements have no best entry point"),
        ({"t2i_found": None, "t2i": None}, 4, "t2i(d) is unknown: it needs the length"),
        ({"t2i_found": 0, "t2i_wasted": 0}, 4, "t2i(d) = 0: there is nothing to read"),
    ],
)  # fmt: skip
def test_a_score_that_needs_no_formula_says_why(
    facts: dict[str, Any], place: int, told: str
) -> None:
    assert worked(**facts)[place].startswith(told)


def test_templates_use_all_that_they_are_given() -> None:
    folder = files("foveal.reports.explanation").joinpath("templates")
    template = folder.joinpath("explain.html").read_text(encoding="utf-8")
    contexts = [
        own
        for own in vars(_page).values()
        if is_dataclass(own) and own.__module__ == _page.__name__
    ]
    assert len(contexts) == 5
    for context in contexts:
        for field in fields(context):
            assert re.search(rf"\.{field.name}\b", template), field.name


def lines(text: str, **facts: Any) -> list[str]:
    """How a document that was found as a whole is drawn in a narrow terminal."""
    size = len(text)
    qrels = Qrels.from_dicts(
        [{"topic": "1", "doc": "a", "length": size, "highlights": [[0, size]]}]
    )
    run = Run.from_dicts([{"topic": "1", "doc": "a", "start": 0, "end": size}])
    found = foveal.explain(qrels, run, topic="1", docs={"a": text})
    drawn = _drawing.full_text(found, width=40, **facts).splitlines()
    first = next(n for n, line in enumerate(drawn) if line.startswith("   offset"))
    return drawn[first + 1 : drawn.index("", first)]


def test_text_is_wrapped_at_words_and_every_line_has_its_offset() -> None:
    text = "The quick brown fox jumps over the lazy dog and runs away."
    drawn = lines(text)
    assert drawn[0] == "        0      1  [The quick brown fox"
    assert drawn[-1].endswith("]")
    for line in drawn[1:]:
        offset, words = int(line[:9]), line[18:].rstrip("]")
        assert text[offset:].startswith(words)
    assert max(map(len, drawn)) <= 40


def test_a_long_word_and_wide_letters_fit_as_well() -> None:
    assert max(map(len, lines("x" * 100))) <= 40
    wide = lines("日本" * 30)
    assert max(len(line) + sum(sign in "日本" for sign in line) for line in wide) <= 40
    joined = "".join(line[18:] for line in wide)
    assert joined == f"[{'日本' * 30}]"


def test_breaks_are_blanks_and_what_controls_a_terminal_is_replaced() -> None:
    drawn = lines("a\nb\tc\x1b[31m\u202e\x00")
    assert drawn == ["        0      1  [a b c\ufffd[31m\ufffd\ufffd]"]


def test_the_middle_of_long_text_is_left_out() -> None:
    drawn = lines("".join(str(n % 10) for n in range(5000)))
    assert drawn.count("                  … 4,200 characters …") == 1
    assert drawn[0].startswith("        0      1  [0123456789")
    assert drawn[-1].endswith("6789]")


def test_a_page_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    _page_template.template.cache_clear()
    monkeypatch.setattr("foveal.rendering._page_template.importlib.import_module", missing)
    with pytest.raises(MissingExtra, match="report"):
        _page_template.template("explanation", "explain.html", str)
