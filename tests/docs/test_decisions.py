"""The index of decisions lists every page, and accounts for every number."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "decisions"
INDEX = (FOLDER / "README.md").read_text(encoding="utf-8")
PAGES = sorted(path.name for path in FOLDER.glob("0*.md"))


def test_every_decision_is_listed_in_order() -> None:
    listed = re.findall(r"^\| \[(\d{4})\]\(((\d{4})-\S+\.md)\) \| .+\.", INDEX, re.MULTILINE)
    assert [page for _, page, _ in listed] == PAGES
    assert all(shown == number for shown, _, number in listed)


def test_every_number_up_to_the_last_is_a_page_or_said_to_be_unused() -> None:
    unused = {
        number
        for row in re.findall(r"^\| (\d{4}(?:, \d{4})*) \| Never used\. \|$", INDEX, re.MULTILINE)
        for number in row.split(", ")
    }
    used = {page[:4] for page in PAGES}
    assert used.isdisjoint(unused)
    assert used | unused == {f"{number:04}" for number in range(1, len(used | unused) + 1)}
