"""Figures as a browser draws them, in the fonts that the system has."""

from __future__ import annotations

import pytest
from tools.figures import ALL, FOLDER
from tools.pages import DOCS

from tests.browser.visiting import Visit
from tests.shared import needs_browser

pytestmark = [pytest.mark.slow, needs_browser()]

# Texts that leave the figure, and pairs of texts that cover each other by more than a pixel.
FAULTS = """figure => {
  const texts = [...figure.querySelectorAll("text")].filter(one => one.textContent.trim());
  const boxes = texts.map(one => one.getBoundingClientRect());
  const whole = figure.getBoundingClientRect();
  const left = texts.filter((_, at) => boxes[at].right > whole.right || boxes[at].left < whole.left);
  const covered = [];
  boxes.forEach((one, at) => boxes.slice(at + 1).forEach((other, more) => {
    const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
    const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
    if (across > 1 && down > 4) covered.push([texts[at], texts[at + 1 + more]]);
  }));
  return [left, ...covered].map(some => some.map(one => one.textContent)).filter(some => some.length);
}"""


def test_no_text_leaves_its_figure_or_covers_another(visit_once: Visit) -> None:
    for one in ALL:
        page = visit_once(DOCS / FOLDER / one.name)
        assert page.locator("svg").evaluate(FAULTS) == [], one.name
